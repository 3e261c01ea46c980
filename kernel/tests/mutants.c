// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that are nearly right, through the parsers and through the states of a connection: see
 * mutants.h.
 *
 * Many messages on a line have no mistake, so that the line stays for a while. Each other message
 * has up to four mistakes: a field that another one of the same type, or of any type, should have,
 * a bit, some random bytes, or another length.
 */
#include "../wire/parse.h"
#include "mutants.h"
#include "transitions.h"

#define ROOM		SCATTER_MESSAGES_ROOM
#define TYPES		SCATTER_MESSAGES_TYPES
#define FIELDS		SCATTER_MESSAGES_FIELDS
#define BUFFERS		16

#define any		scatter_messages_any

#define S(state)	SCATTER_STATES_##state
#define E(event)	SCATTER_EVENT_##event

/* Too long for the kernel's stack. */
static struct messages_hello hello;
static u8 m[ROOM];

/* Messages --------------------------------------------------------------------- */

static void spoil_field(u8 type)
{
	const struct messages_field *field;
	u64 span;

	do
		field = &scatter_messages_fields[any(FIELDS)];
	while (field->type && field->type != type && any(8));
	span = field->high - field->low;
	switch (any(6)) {
	case 0:
		put(m, field->offset, field->width, field->low - any(3));
		break;
	case 1:
		put(m, field->offset, field->width, field->high + any(3));
		break;
	case 2:
		put(m, field->offset, field->width, any(SCATTER_MESSAGES_ALL));
		break;
	default:
		put(m, field->offset, field->width, field->low + (span + 1 ? any(span + 1) : 0));
	}
}

/* Makes one mistake, or none; returns the message's length. */
static u32 spoil(u8 type, u32 bytes)
{
	switch (any(8)) {
	case 0:
		m[any(bytes)] ^= (u8)(1 << any(8));
		return bytes;
	case 1:
		scatter_messages_fill(m + any(bytes), (u32)any(16));
		return bytes;
	case 2:
		bytes = (u32)any(2) ? (u32)any(ROOM - SCATTER_MESSAGES_BEYOND) + 1 : bytes + 1;
		put(m, 2, 2, any(4) ? bytes : any(1 << 16));
		return bytes;
	case 3:
		return bytes;
	default:
		spoil_field(type);
		return bytes;
	}
}

/* The connection --------------------------------------------------------------- */

static void begin(struct mutants_peer *peer)
{
	scatter_credits_start(&peer->credits, BUFFERS, BUFFERS);
	peer->sequence = (struct scatter_sequence){ 0 };
	peer->ups++;
}

/* An event, whose outcome the other description of the states has to know. */
static void step(struct mutants_peer *peer, enum scatter_states_event event)
{
	const struct scatter_state before = peer->state;
	u32 counts[3] = { 0 }, todo = 0;
	bool fine = before.now == S(CLOSING) ?
		    scatter_transitions_try_closing(before.after, event) :
		    scatter_transitions_try(before.now, event, counts);
	enum scatter_states_verdict verdict = scatter_states_step(&peer->state, event, &todo);

	peer->strays += !fine || peer->state.now >= S(COUNT);
	peer->breaches += verdict == SCATTER_STATES_BREACH || event == E(WRONG);
	peer->nevers += verdict == SCATTER_STATES_NEVER;
	if (todo & SCATTER_STATES_DO_UP)
		begin(peer);
}

/* What the node itself does next. */
static void go_on(struct mutants_peer *peer)
{
	switch (peer->state.now) {
	case S(DOWN):
		step(peer, any(2) ? E(WANT) : E(ACCEPT));
		return;
	case S(CONNECTING):
		step(peer, any(4) ? E(LINE_UP) : E(LINE_DOWN));
		return;
	case S(CLOSING):
		step(peer, E(CLOSED));
		return;
	case S(WAITING):
	case S(HELD):
		step(peer, any(2) ? E(TIMER) : E(RESET));
		return;
	case S(UP):
		if (any(3)) {
			scatter_sequence_send(&peer->sequence);
			scatter_credits_take(&peer->credits);
			return;
		}
		scatter_credits_post(&peer->credits);
		scatter_credits_give(&peer->credits);
		return;
	default:
		if (!any(64))
			step(peer, E(TIMER));
	}
}

/* Whether a connection that is up takes a message that says such a header. */
static bool takes(struct mutants_peer *peer, const struct scatter_wire_header *header)
{
	if (!scatter_credits_receive(&peer->credits, header->credits) ||
	    !scatter_sequence_acknowledge(&peer->sequence, header->acknowledged))
		return false;
	return header->type == SCATTER_WIRE_CREDIT ||
	       scatter_sequence_receive(&peer->sequence, header->sequence) !=
	       SCATTER_SEQUENCE_GAP;
}

/* What messages are events of their own. */
static const enum scatter_states_event events[] = {
	[SCATTER_WIRE_HELLO] = E(HELLO),
	[SCATTER_WIRE_WELCOME] = E(WELCOME),
	[SCATTER_WIRE_PROOF] = E(PROOF),
	[SCATTER_WIRE_REFUSE] = E(REFUSE),
	[SCATTER_WIRE_BYE] = E(BYE),
};

/* Whether there is a peer. Without one, the states ignore what comes. */
static bool is_on_line(const struct mutants_peer *peer)
{
	switch (peer->state.now) {
	case S(CONNECTING):
	case S(CLOSING):
	case S(DOWN):
	case S(WAITING):
	case S(HELD):
		return false;
	default:
		return true;
	}
}

/* A message whose parser says @fine. */
static void receive(struct mutants_peer *peer, const struct scatter_wire_header *header, bool fine)
{
	if (!is_on_line(peer))
		return;
	if (!header) {
		step(peer, E(WRONG));
		return;
	}
	if (header->type < sizeof(events) / sizeof(*events) && events[header->type]) {
		step(peer, fine ? events[header->type] : E(WRONG));
		return;
	}
	step(peer, E(MESSAGE));
	if (peer->state.now == S(UP) && (!fine || !takes(peer, header)))
		step(peer, E(WRONG));
}

/* What the peer would say next, so that the states behind the handshake are seen. */
static u8 draw_type(const struct mutants_peer *peer)
{
	switch (any(8) ? peer->state.now : S(DOWN)) {
	case S(GREETING):
		return SCATTER_WIRE_WELCOME;
	case S(CONFIRMING):
		return SCATTER_WIRE_CREDIT;
	case S(ACCEPTED):
		return SCATTER_WIRE_HELLO;
	case S(WELCOMING):
		return SCATTER_WIRE_PROOF;
	case S(UP):
		return (u8)(SCATTER_WIRE_PING + any(TYPES - SCATTER_WIRE_PING + 1));
	default:
		return (u8)(1 + any(TYPES));
	}
}

/* Numbers that fit, most of the time: else a connection would not be up for long. */
static void fit(const struct mutants_peer *peer, u8 type)
{
	if (type < SCATTER_WIRE_CREDIT || !any(16))
		return;
	put(m, 8, 4, peer->sequence.acknowledged);
	put(m, 12, 2, any(peer->credits.theirs - peer->credits.have + 1));
	if (type >= SCATTER_WIRE_PING)
		put(m, 4, 4, scatter_sequence_next(peer->sequence.received));
}

/* How many mistakes the next message has: few on a line, and fewest on one that is up. */
static u32 draw_mistakes(const struct mutants_peer *peer)
{
	if (is_on_line(peer) && any(peer->state.now == S(UP) ? 8 : 2))
		return 0;
	return (u32)any(5);
}

static void one(struct mutants_peer *peer, u8 *end)
{
	struct scatter_wire_header header;
	u32 bytes, mistakes, fine = peer->counts.fine;
	u8 type;

	/* Most of the time without a line nothing comes. */
	while (!is_on_line(peer) && any(4))
		go_on(peer);
	peer->seen[peer->state.now]++;
	mistakes = draw_mistakes(peer);
	type = draw_type(peer);
	scatter_messages_greet(&hello);
	bytes = scatter_messages_make(type, m, hello.raw);
	fit(peer, type);
	while (mistakes--)
		bytes = spoil(type, bytes);
	scatter_messages_try(type, m, bytes, &hello, end, &peer->counts);
	receive(peer, scatter_parse_header(end - bytes, bytes, &header) ? NULL : &header,
		peer->counts.fine > fine);
	go_on(peer);
}

/**
 * scatter_mutants_try() - try messages with and without mistakes
 * @peer: whose connection they come on; all 0 at first
 * @messages: how many
 * @end: as of scatter_messages_try()
 *
 * Context: as scatter_messages_any().
 */
void scatter_mutants_try(struct mutants_peer *peer, u32 messages, u8 *end)
{
	while (messages--)
		one(peer, end);
}

/**
 * scatter_mutants_unseen() - how many states no message came in
 * @peer: whose connection the messages came on
 *
 * Context: any.
 * Return: 0 and up
 */
u32 scatter_mutants_unseen(const struct mutants_peer *peer)
{
	u32 state, count = 0;

	for (state = 0; state < S(COUNT); state++)
		count += !peer->seen[state];
	return count;
}
