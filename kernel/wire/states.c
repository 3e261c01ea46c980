// SPDX-License-Identifier: GPL-2.0
/*
 * The states of connections: one table of the outcomes of all events in all states.
 */
#include "wire/states.h"

/**
 * enum outcome - the outcome of an event
 * @NEVER: the event cannot happen
 * @WRONG: the peer's breach of the protocol: the same as %SCATTER_EVENT_WRONG in this state
 * @STAY: nothing changes
 * @DIAL: ask for a line
 * @OPEN: a guest begins
 * @GREET: send HELLO
 * @REPLY: send WELCOME
 * @PROVE: send PROOF
 * @RISE: the connection is up
 * @GIVE: the guest's line becomes the line of the peer's connection
 * @ADOPT: the connection gets a guest's line
 * @SWAP: the connection gets a guest's line instead of its own
 * @HOLD: keep the peer off
 * @REST: the wait is over
 * @RETRY: close, then wait for the next attempt
 * @PART: as RETRY, with REFUSE
 * @LEAVE: as RETRY, with BYE
 * @QUIT: close
 * @DENY: close, with REFUSE
 * @CLOSE: close, with BYE
 * @CUT: close, then keep the peer off
 * @BAN: as CUT, with REFUSE
 * @OUST: as CUT, with BYE
 * @EXPEL: close a guest with REFUSE, and keep off the peer that the guest said it is
 * @THEN: the line is closed: go to the state after CLOSING
 * @FORGET: the state after CLOSING becomes DOWN
 */
enum outcome {
	NEVER, WRONG, STAY,
	DIAL, OPEN, GREET, REPLY, PROVE, RISE, GIVE, ADOPT, SWAP,
	HOLD, REST,
	RETRY, PART, LEAVE,
	QUIT, DENY, CLOSE,
	CUT, BAN, OUST, EXPEL,
	THEN, FORGET,
};

/*
 * Columns in the order of enum scatter_states: DOWN, CONNECTING, GREETING, CONFIRMING, ACCEPTED,
 * WELCOMING, UP, CLOSING, WAITING, HELD.
 *
 * An initiator's REFUSE can reach a responder that is UP, as REFUSE may cross the responder's
 * CREDIT. A message that comes while the line is being closed changes nothing. WANT does not
 * shorten a wait, and another breach does not lengthen a wait: when WAITING or HELD is over, the
 * caller makes WANT an event if the connection is still wanted.
 */
static const u8 outcomes[SCATTER_EVENT_COUNT][SCATTER_STATES_COUNT] = {
	/* DOWN   CONN   GREET  CONF   ACC    WELC   UP     CLOS   WAIT   HELD */
	[SCATTER_EVENT_WANT] = {
		DIAL,  STAY,  STAY,  STAY,  NEVER, NEVER, STAY,  STAY,  STAY,  STAY },
	[SCATTER_EVENT_ACCEPT] = {
		OPEN,  NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER },
	[SCATTER_EVENT_LINE_UP] = {
		NEVER, GREET, NEVER, NEVER, STAY,  STAY,  STAY,  STAY,  NEVER, NEVER },
	[SCATTER_EVENT_HELLO] = {
		NEVER, WRONG, WRONG, WRONG, REPLY, WRONG, WRONG, STAY,  NEVER, NEVER },
	[SCATTER_EVENT_WELCOME] = {
		NEVER, WRONG, PROVE, WRONG, WRONG, WRONG, WRONG, STAY,  NEVER, NEVER },
	[SCATTER_EVENT_PROOF] = {
		NEVER, WRONG, WRONG, WRONG, WRONG, GIVE,  WRONG, STAY,  NEVER, NEVER },
	[SCATTER_EVENT_MESSAGE] = {
		NEVER, WRONG, WRONG, RISE,  WRONG, WRONG, STAY,  STAY,  NEVER, NEVER },
	[SCATTER_EVENT_REFUSE] = {
		NEVER, RETRY, RETRY, RETRY, QUIT,  QUIT,  RETRY, STAY,  NEVER, NEVER },
	[SCATTER_EVENT_BYE] = {
		NEVER, WRONG, WRONG, WRONG, WRONG, WRONG, RETRY, STAY,  NEVER, NEVER },
	[SCATTER_EVENT_WRONG] = {
		NEVER, CUT,   BAN,   BAN,   EXPEL, EXPEL, OUST,  STAY,  NEVER, NEVER },
	[SCATTER_EVENT_UNFIT] = {
		NEVER, NEVER, PART,  NEVER, DENY,  DENY,  NEVER, STAY,  NEVER, NEVER },
	[SCATTER_EVENT_ADOPT] = {
		ADOPT, SWAP,  SWAP,  SWAP,  NEVER, NEVER, SWAP,  NEVER, ADOPT, NEVER },
	[SCATTER_EVENT_HOLD] = {
		HOLD,  STAY,  STAY,  STAY,  NEVER, NEVER, STAY,  STAY,  HOLD,  STAY },
	[SCATTER_EVENT_TIMER] = {
		STAY,  RETRY, PART,  PART,  DENY,  DENY,  LEAVE, STAY,  REST,  REST },
	[SCATTER_EVENT_LINE_DOWN] = {
		NEVER, RETRY, RETRY, RETRY, QUIT,  QUIT,  RETRY, STAY,  NEVER, NEVER },
	[SCATTER_EVENT_CLOSED] = {
		NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, THEN,  NEVER, NEVER },
	[SCATTER_EVENT_RESET] = {
		STAY,  QUIT,  DENY,  DENY,  DENY,  DENY,  STAY,  FORGET, REST, REST },
	[SCATTER_EVENT_STOP] = {
		STAY,  QUIT,  DENY,  DENY,  DENY,  DENY,  CLOSE, FORGET, REST, REST },
};

/**
 * struct move - an outcome that changes the state
 * @now: the next state
 * @after: the state after %SCATTER_STATES_CLOSING
 * @todo: SCATTER_STATES_DO_*
 */
struct move {
	u8 now;
	u8 after;
	u16 todo;
};

#define DO(action)	SCATTER_STATES_DO_##action
#define GO(state, todo)	{ SCATTER_STATES_##state, SCATTER_STATES_DOWN, todo }
#define END(after, todo)	\
	{ SCATTER_STATES_CLOSING, SCATTER_STATES_##after, (todo) | DO(CLOSE) }

static const struct move moves[] = {
	[DIAL] = GO(CONNECTING, DO(CONNECT)),
	[OPEN] = GO(ACCEPTED, 0),
	[GREET] = GO(GREETING, DO(HELLO)),
	[REPLY] = GO(WELCOMING, DO(WELCOME)),
	[PROVE] = GO(CONFIRMING, DO(PROOF)),
	[RISE] = GO(UP, DO(UP)),
	[GIVE] = GO(DOWN, DO(GIVE)),
	[ADOPT] = GO(UP, DO(CREDIT) | DO(UP)),
	[SWAP] = GO(UP, DO(DROP) | DO(CREDIT) | DO(UP)),
	[HOLD] = GO(HELD, 0),
	[REST] = GO(DOWN, 0),
	[RETRY] = END(WAITING, 0),
	[PART] = END(WAITING, DO(REFUSE)),
	[LEAVE] = END(WAITING, DO(BYE)),
	[QUIT] = END(DOWN, 0),
	[DENY] = END(DOWN, DO(REFUSE)),
	[CLOSE] = END(DOWN, DO(BYE)),
	[CUT] = END(HELD, 0),
	[BAN] = END(HELD, DO(REFUSE)),
	[OUST] = END(HELD, DO(BYE)),
	[EXPEL] = END(DOWN, DO(REFUSE) | DO(HOLD)),
	[FORGET] = GO(CLOSING, 0),
};

/**
 * scatter_states_step() - find the outcome of an event
 * @state: state of a peer's connection, or of a guest; changed
 * @event: the event
 * @todo: (out) what the caller is to do now, SCATTER_STATES_DO_*
 *
 * Context: any; the caller serializes.
 * Return: whether the event was to be expected
 */
enum scatter_states_verdict scatter_states_step(struct scatter_state *state,
						enum scatter_states_event event, u32 *todo)
{
	enum scatter_states_verdict verdict = SCATTER_STATES_FINE;
	u8 outcome = outcomes[event][state->now];

	*todo = 0;
	if (outcome == WRONG) {
		verdict = SCATTER_STATES_BREACH;
		outcome = outcomes[SCATTER_EVENT_WRONG][state->now];
	}
	switch (outcome) {
	case NEVER:
		return SCATTER_STATES_NEVER;
	case STAY:
		break;
	case THEN:
		state->now = state->after;
		state->after = SCATTER_STATES_DOWN;
		break;
	default:
		state->now = moves[outcome].now;
		state->after = moves[outcome].after;
		*todo = moves[outcome].todo;
	}
	return verdict;
}

/**
 * scatter_states_answer() - whether a guest may become the peer's connection
 * @state: state of the peer's connection
 * @own: id of this node
 * @peer: id of the peer, which the guest says it is
 * @races: how often this node has answered BUSY to the peer since the last connection
 *
 * The caller asks twice: when HELLO comes, and again when the proof is right. When both nodes make
 * a line at once, the line of the node with the lower id goes on. But when that node has failed too
 * often, the other node's line goes on.
 *
 * Context: any.
 * Return: %SCATTER_WIRE_FINE, or the reason to refuse the guest
 */
enum scatter_wire_reason scatter_states_answer(enum scatter_states state, u64 own, u64 peer,
					       u32 races)
{
	switch (state) {
	case SCATTER_STATES_DOWN:
	case SCATTER_STATES_WAITING:
	case SCATTER_STATES_UP:
		return SCATTER_WIRE_FINE;
	case SCATTER_STATES_HELD:
		return SCATTER_WIRE_ON_HOLD;
	case SCATTER_STATES_CONNECTING:
	case SCATTER_STATES_GREETING:
	case SCATTER_STATES_CONFIRMING:
		if (peer < own || races >= SCATTER_STATES_RACES)
			return SCATTER_WIRE_FINE;
		return SCATTER_WIRE_BUSY;
	default:
		return SCATTER_WIRE_BUSY;
	}
}

/**
 * scatter_states_backoff() - find how long to be WAITING
 * @failures: attempts that have failed since the last connection, 1 and up
 * @longest_ms: no wait is longer, in ms
 * @random: any 32 bits
 *
 * The wait doubles after each failure. The random half of the wait keeps two nodes from trying at
 * the same time for ever.
 *
 * Context: any.
 * Return: milliseconds
 */
u32 scatter_states_backoff(u32 failures, u32 longest_ms, u32 random)
{
	u32 wait = SCATTER_STATES_BACKOFF_MS;

	while (failures-- > 1 && wait < longest_ms)
		wait = wait < longest_ms / 2 ? 2 * wait : longest_ms;
	if (wait > longest_ms)
		wait = longest_ms;
	return wait - random % (wait / 2 + 1);
}

/**
 * scatter_states_timer() - find how long a state may last
 * @state: state of a peer's connection, or of a guest
 *
 * When the time is over, the caller makes %SCATTER_EVENT_TIMER an event. When the state has ended
 * before, the caller must not do so.
 *
 * Context: any.
 * Return: the kind of timer
 */
enum scatter_states_timer scatter_states_timer(enum scatter_states state)
{
	switch (state) {
	case SCATTER_STATES_CONNECTING:
	case SCATTER_STATES_GREETING:
	case SCATTER_STATES_CONFIRMING:
	case SCATTER_STATES_ACCEPTED:
	case SCATTER_STATES_WELCOMING:
		return SCATTER_TIMER_HANDSHAKE;
	case SCATTER_STATES_UP:
		return SCATTER_TIMER_KEEPALIVE;
	case SCATTER_STATES_WAITING:
		return SCATTER_TIMER_BACKOFF;
	case SCATTER_STATES_HELD:
		return SCATTER_TIMER_HOLD;
	default:
		return SCATTER_TIMER_NONE;
	}
}

/**
 * scatter_states_shown() - translate a state to what users see
 * @state: state of a peer's connection, or of a guest
 *
 * Context: any.
 * Return: the state; users do not see the states of the handshake
 */
enum scatter_states_shown scatter_states_shown(enum scatter_states state)
{
	switch (state) {
	case SCATTER_STATES_CONNECTING:
		return SCATTER_SHOWN_CONNECTING;
	case SCATTER_STATES_GREETING:
	case SCATTER_STATES_CONFIRMING:
	case SCATTER_STATES_ACCEPTED:
	case SCATTER_STATES_WELCOMING:
		return SCATTER_SHOWN_PROVING;
	case SCATTER_STATES_UP:
		return SCATTER_SHOWN_UP;
	case SCATTER_STATES_CLOSING:
		return SCATTER_SHOWN_CLOSING;
	case SCATTER_STATES_WAITING:
		return SCATTER_SHOWN_WAITING;
	case SCATTER_STATES_HELD:
		return SCATTER_SHOWN_HELD;
	default:
		return SCATTER_SHOWN_DOWN;
	}
}
