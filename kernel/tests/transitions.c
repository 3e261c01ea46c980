// SPDX-License-Identifier: GPL-2.0
/*
 * The states of connections, described a second time: see transitions.h.
 */
#include "transitions.h"

#define S(state)	SCATTER_STATES_##state
#define E(event)	SCATTER_EVENT_##event
#define D(action)	SCATTER_STATES_DO_##action
#define NONE		SCATTER_STATES_COUNT	/* there is no state after that one */

/* The events that change a state, and what is to be done. All others are in the lists below. */
static const struct change {
	u8 from, event, to, after;
	u16 todo;
} changes[] = {
	{ S(DOWN), E(WANT), S(CONNECTING), NONE, D(CONNECT) },
	{ S(DOWN), E(ACCEPT), S(ACCEPTED), NONE, 0 },
	{ S(DOWN), E(ADOPT), S(UP), NONE, D(CREDIT) | D(UP) },
	{ S(DOWN), E(HOLD), S(HELD), NONE, 0 },

	{ S(CONNECTING), E(LINE_UP), S(GREETING), NONE, D(HELLO) },
	{ S(CONNECTING), E(REFUSE), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(CONNECTING), E(WRONG), S(CLOSING), S(HELD), D(CLOSE) },
	{ S(CONNECTING), E(ADOPT), S(UP), NONE, D(DROP) | D(CREDIT) | D(UP) },
	{ S(CONNECTING), E(TIMER), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(CONNECTING), E(LINE_DOWN), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(CONNECTING), E(RESET), S(CLOSING), S(DOWN), D(CLOSE) },
	{ S(CONNECTING), E(STOP), S(CLOSING), S(DOWN), D(CLOSE) },

	{ S(GREETING), E(WELCOME), S(CONFIRMING), NONE, D(PROOF) },
	{ S(GREETING), E(REFUSE), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(GREETING), E(WRONG), S(CLOSING), S(HELD), D(REFUSE) | D(CLOSE) },
	{ S(GREETING), E(UNFIT), S(CLOSING), S(WAITING), D(REFUSE) | D(CLOSE) },
	{ S(GREETING), E(ADOPT), S(UP), NONE, D(DROP) | D(CREDIT) | D(UP) },
	{ S(GREETING), E(TIMER), S(CLOSING), S(WAITING), D(REFUSE) | D(CLOSE) },
	{ S(GREETING), E(LINE_DOWN), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(GREETING), E(RESET), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },
	{ S(GREETING), E(STOP), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },

	{ S(CONFIRMING), E(MESSAGE), S(UP), NONE, D(UP) },
	{ S(CONFIRMING), E(REFUSE), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(CONFIRMING), E(WRONG), S(CLOSING), S(HELD), D(REFUSE) | D(CLOSE) },
	{ S(CONFIRMING), E(ADOPT), S(UP), NONE, D(DROP) | D(CREDIT) | D(UP) },
	{ S(CONFIRMING), E(TIMER), S(CLOSING), S(WAITING), D(REFUSE) | D(CLOSE) },
	{ S(CONFIRMING), E(LINE_DOWN), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(CONFIRMING), E(RESET), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },
	{ S(CONFIRMING), E(STOP), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },

	{ S(ACCEPTED), E(HELLO), S(WELCOMING), NONE, D(WELCOME) },
	{ S(ACCEPTED), E(REFUSE), S(CLOSING), S(DOWN), D(CLOSE) },
	{ S(ACCEPTED), E(WRONG), S(CLOSING), S(DOWN), D(REFUSE) | D(HOLD) | D(CLOSE) },
	{ S(ACCEPTED), E(UNFIT), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },
	{ S(ACCEPTED), E(TIMER), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },
	{ S(ACCEPTED), E(LINE_DOWN), S(CLOSING), S(DOWN), D(CLOSE) },
	{ S(ACCEPTED), E(RESET), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },
	{ S(ACCEPTED), E(STOP), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },

	{ S(WELCOMING), E(PROOF), S(DOWN), NONE, D(GIVE) },
	{ S(WELCOMING), E(REFUSE), S(CLOSING), S(DOWN), D(CLOSE) },
	{ S(WELCOMING), E(WRONG), S(CLOSING), S(DOWN), D(REFUSE) | D(HOLD) | D(CLOSE) },
	{ S(WELCOMING), E(UNFIT), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },
	{ S(WELCOMING), E(TIMER), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },
	{ S(WELCOMING), E(LINE_DOWN), S(CLOSING), S(DOWN), D(CLOSE) },
	{ S(WELCOMING), E(RESET), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },
	{ S(WELCOMING), E(STOP), S(CLOSING), S(DOWN), D(REFUSE) | D(CLOSE) },

	{ S(UP), E(REFUSE), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(UP), E(BYE), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(UP), E(WRONG), S(CLOSING), S(HELD), D(BYE) | D(CLOSE) },
	{ S(UP), E(ADOPT), S(UP), NONE, D(DROP) | D(CREDIT) | D(UP) },
	{ S(UP), E(TIMER), S(CLOSING), S(WAITING), D(BYE) | D(CLOSE) },
	{ S(UP), E(LINE_DOWN), S(CLOSING), S(WAITING), D(CLOSE) },
	{ S(UP), E(STOP), S(CLOSING), S(DOWN), D(BYE) | D(CLOSE) },

	{ S(WAITING), E(ADOPT), S(UP), NONE, D(CREDIT) | D(UP) },
	{ S(WAITING), E(HOLD), S(HELD), NONE, 0 },
	{ S(WAITING), E(TIMER), S(DOWN), NONE, 0 },
	{ S(WAITING), E(RESET), S(DOWN), NONE, 0 },
	{ S(WAITING), E(STOP), S(DOWN), NONE, 0 },

	{ S(HELD), E(TIMER), S(DOWN), NONE, 0 },
	{ S(HELD), E(RESET), S(DOWN), NONE, 0 },
	{ S(HELD), E(STOP), S(DOWN), NONE, 0 },
};

static bool is_line(u32 state)
{
	return state != S(DOWN) && state != S(CLOSING) && state != S(WAITING) && state != S(HELD);
}

static bool is_guest(u32 state)
{
	return state == S(ACCEPTED) || state == S(WELCOMING);
}

static bool is_message(u32 event)
{
	return event >= E(HELLO) && event <= E(BYE);
}

/* An event that neither changes the state nor is a mistake; not in CLOSING. */
static bool is_ignored(u32 state, u32 event)
{
	switch (event) {
	case E(WANT):
		return !is_guest(state);
	case E(LINE_UP):
		return is_guest(state) || state == S(UP);
	case E(MESSAGE):
		return state == S(UP);
	case E(HOLD):
		return !is_guest(state);
	case E(TIMER):
	case E(STOP):
		return state == S(DOWN);
	case E(RESET):
		return state == S(DOWN) || state == S(UP);
	default:
		return false;
	}
}

static const struct change *find(u32 state, u32 event)
{
	u32 i;

	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (changes[i].from == state && changes[i].event == event)
			return &changes[i];
	return NULL;
}

/**
 * scatter_transitions_try() - one event in one state but CLOSING
 * @state: the state
 * @event: what happens
 * @counts: by verdict; one of them is more
 *
 * Context: any.
 * Return: true if it does what it should
 */
bool scatter_transitions_try(enum scatter_states state, enum scatter_states_event event,
			     u32 counts[3])
{
	struct scatter_state now = { .now = state, .after = S(DOWN) };
	const struct change *change = find(state, event);
	enum scatter_states_verdict verdict, expected = SCATTER_STATES_FINE;
	u32 todo = 12345;

	if (!change && is_message(event) && is_line(state) && !is_ignored(state, event)) {
		expected = SCATTER_STATES_BREACH;
		change = find(state, E(WRONG));
	} else if (!change && !is_ignored(state, event)) {
		expected = SCATTER_STATES_NEVER;
	}
	verdict = scatter_states_step(&now, event, &todo);
	counts[verdict]++;
	if (verdict != expected)
		return false;
	if (!change)
		return now.now == state && !now.after && !todo;
	return now.now == change->to && todo == change->todo &&
	       now.after == (change->after == NONE ? S(DOWN) : change->after);
}

/**
 * scatter_transitions_try_closing() - one event in CLOSING
 * @after: the state that follows CLOSING
 * @event: what happens
 *
 * A connection that has closed goes on to @after, unless the administrator stops it.
 *
 * Context: any.
 * Return: true if it does what it should
 */
bool scatter_transitions_try_closing(enum scatter_states after, enum scatter_states_event event)
{
	struct scatter_state state = { .now = S(CLOSING), .after = after };
	bool never = event == E(ACCEPT) || event == E(ADOPT);
	bool stop = event == E(RESET) || event == E(STOP);
	u32 todo;

	if (scatter_states_step(&state, event, &todo) !=
	    (never ? SCATTER_STATES_NEVER : SCATTER_STATES_FINE) || todo)
		return false;
	if (event == E(CLOSED))
		return state.now == after && state.after == S(DOWN);
	return state.now == S(CLOSING) && state.after == (stop ? S(DOWN) : after);
}
