// SPDX-License-Identifier: GPL-2.0
/*
 * Messages at random that are nearly right, through all parsers and through the states of one
 * connection, as node/receive.c hands them on.
 *
 *	mutants_test [MESSAGES]
 *
 * Many messages on a line have no mistake, so that the line stays for a while. Each other message
 * has up to four mistakes: a field that another one of the same type, or of any type, should have,
 * a bit, some random bytes, or another length. Both descriptions of the messages have to judge the
 * same, and memory ends where the message does.
 */
#include <stdlib.h>
#include <string.h>

#include "edge.h"
#include "tap.h"
#include "tests/messages.h"
#include "tests/transitions.h"
#include "wire/credits.h"
#include "wire/parse.h"
#include "wire/sequence.h"
#include "wire/states.h"

#define ROOM		SCATTER_MESSAGES_ROOM
#define TYPES		SCATTER_MESSAGES_TYPES
#define FIELDS		SCATTER_MESSAGES_FIELDS
#define MESSAGES	100000
#define BUFFERS		16
/* Of so many messages one or more come while the connection is up. */
#define UP_SHARE	5

#define any		scatter_messages_any

#define S(state)	SCATTER_STATES_##state
#define E(event)	SCATTER_EVENT_##event

/* The connection that gets the messages. */
static struct {
	struct scatter_state state;
	struct scatter_sequence sequence;
	struct scatter_credits credits;
} peer;

static struct messages_hello hello;
static u8 *edge, m[ROOM];
static u32 ups, breaches, nevers, strays;
/* Messages that came in each state. */
static u32 seen[S(COUNT)];

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

static void begin(void)
{
	scatter_credits_start(&peer.credits, BUFFERS, BUFFERS);
	peer.sequence = (struct scatter_sequence){ 0 };
	ups++;
}

/* An event, whose outcome the other description of the states has to know. */
static void step(enum scatter_states_event event)
{
	const struct scatter_state before = peer.state;
	u32 counts[3] = { 0 }, todo = 0;
	bool fine = before.now == S(CLOSING) ?
		    scatter_transitions_try_closing(before.after, event) :
		    scatter_transitions_try(before.now, event, counts);
	enum scatter_states_verdict verdict = scatter_states_step(&peer.state, event, &todo);

	strays += !fine || peer.state.now >= S(COUNT);
	breaches += verdict == SCATTER_STATES_BREACH || event == E(WRONG);
	nevers += verdict == SCATTER_STATES_NEVER;
	if (todo & SCATTER_STATES_DO_UP)
		begin();
}

/* What the node itself does next. */
static void go_on(void)
{
	switch (peer.state.now) {
	case S(DOWN):
		step(any(2) ? E(WANT) : E(ACCEPT));
		return;
	case S(CONNECTING):
		step(any(4) ? E(LINE_UP) : E(LINE_DOWN));
		return;
	case S(CLOSING):
		step(E(CLOSED));
		return;
	case S(WAITING):
	case S(HELD):
		step(any(2) ? E(TIMER) : E(RESET));
		return;
	case S(UP):
		if (any(3)) {
			scatter_sequence_send(&peer.sequence);
			scatter_credits_take(&peer.credits);
			return;
		}
		scatter_credits_post(&peer.credits);
		scatter_credits_give(&peer.credits);
		return;
	default:
		if (!any(64))
			step(E(TIMER));
	}
}

/* Whether a connection that is up takes a message that says such a header. */
static bool takes(const struct scatter_wire_header *header)
{
	if (!scatter_credits_receive(&peer.credits, header->credits) ||
	    !scatter_sequence_acknowledge(&peer.sequence, header->acknowledged))
		return false;
	return header->type == SCATTER_WIRE_CREDIT ||
	       scatter_sequence_receive(&peer.sequence, header->sequence) !=
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

/* Whether there is a line. Without one, the states ignore what comes. */
static bool is_on_line(void)
{
	switch (peer.state.now) {
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
static void receive(const struct scatter_wire_header *header, bool fine)
{
	if (!is_on_line())
		return;
	if (!header) {
		step(E(WRONG));
		return;
	}
	if (header->type < ARRAY_SIZE(events) && events[header->type]) {
		step(fine ? events[header->type] : E(WRONG));
		return;
	}
	step(E(MESSAGE));
	if (peer.state.now == S(UP) && (!fine || !takes(header)))
		step(E(WRONG));
}

/* What the peer would say next, so that the states behind the handshake are seen. */
static u8 likely(void)
{
	switch (any(8) ? peer.state.now : S(DOWN)) {
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
static void fit(u8 type)
{
	if (type < SCATTER_WIRE_CREDIT || !any(16))
		return;
	put(m, 8, 4, peer.sequence.acknowledged);
	put(m, 12, 2, any(peer.credits.theirs - peer.credits.have + 1));
	if (type >= SCATTER_WIRE_PING)
		put(m, 4, 4, scatter_sequence_next(peer.sequence.received));
}

/* How many mistakes the next message has: few on a line, and fewest on one that is up. */
static u32 draw_mistakes(void)
{
	if (is_on_line() && any(peer.state.now == S(UP) ? 8 : 2))
		return 0;
	return (u32)any(5);
}

static void one(struct messages_counts *counts)
{
	struct scatter_wire_header header;
	u32 bytes, mistakes, fine = counts->fine;
	u8 type;

	/* Most of the time without a line nothing comes. */
	while (!is_on_line() && any(4))
		go_on();
	seen[peer.state.now]++;
	mistakes = draw_mistakes();
	type = likely();
	scatter_messages_greet(&hello);
	bytes = scatter_messages_make(type, m, hello.raw);
	fit(type);
	while (mistakes--)
		bytes = spoil(type, bytes);
	scatter_messages_try(type, m, bytes, &hello, edge, counts);
	receive(scatter_parse_header(edge - bytes, bytes, &header) ? NULL : &header,
		counts->fine > fine);
	go_on();
}

/* How many states no message came in. */
static u32 unseen(void)
{
	u32 state, count = 0;

	for (state = 0; state < S(COUNT); state++)
		count += !seen[state];
	return count;
}

int main(int argc, char **argv)
{
	u32 messages = argc > 1 ? (u32)strtoul(argv[1], NULL, 0) : MESSAGES, i;
	struct messages_counts counts = { 0 };

	edge = edge_make(ROOM);
	if (!ok(edge, "memory with an end"))
		return tap_done();
	for (i = 0; i < messages; i++)
		one(&counts);
	ok(counts.fine && counts.refused && !counts.wrong,
	   "%u messages with mistakes: %u refused, %u misjudged", messages, counts.refused,
	   counts.wrong);
	ok(ups && breaches && !nevers && !strays,
	   "a connection that was up %u times: %u breaches, %u impossible events, %u wrong states",
	   ups, breaches, nevers, strays);
	ok(!unseen() && seen[S(UP)] >= messages / UP_SHARE,
	   "%u of %u states got no message, and %u messages came while the connection was up",
	   unseen(), (u32)S(COUNT), seen[S(UP)]);
	return tap_done();
}
