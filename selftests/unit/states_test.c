// SPDX-License-Identifier: GPL-2.0
/*
 * The states of connections: every event in every state, against a list; and two nodes that
 * connect to each other at random, whatever fails on the way.
 *
 *	states_test [MEETINGS]
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "tests/transitions.h"
#include "wire/states.h"

#define MEETINGS	2000

static u64 random_state = 4711;

static u32 any(u32 bound)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (u32)((random_state >> 33) % bound);
}

/* Every event in every state ---------------------------------------------------- */

#define S(state)	SCATTER_STATES_##state
#define E(event)	SCATTER_EVENT_##event
#define D(action)	SCATTER_STATES_DO_##action

static void test_matrix(void)
{
	u32 state, event, counts[3] = { 0 };

	for (state = 0; state < S(COUNT); state++) {
		u32 bad = 0;

		if (state == S(CLOSING))
			continue;
		for (event = 0; event < SCATTER_EVENT_COUNT; event++)
			if (!scatter_transitions_try(state, event, counts))
				printf("# event %u in state %u\n", event, state), bad++;
		ok(!bad, "states: all events in state %u", state);
	}
	ok(counts[0] == SCATTER_TRANSITIONS_FINE && counts[1] == SCATTER_TRANSITIONS_BREACHES &&
	   counts[2] == SCATTER_TRANSITIONS_NEVER,
	   "states: %u fine, %u breaches, %u never", counts[0], counts[1], counts[2]);
}

static void test_closing(void)
{
	u32 after, event, bad = 0;

	for (after = 0; after < S(COUNT); after++)
		for (event = 0; event < SCATTER_EVENT_COUNT; event++)
			bad += !scatter_transitions_try_closing(after, event);
	ok(!bad, "states: all events while closing");
}

/* Races, waits, and what others see ------------------------------------------------ */

static void test_answer(void)
{
	const u8 attempts[] = { S(CONNECTING), S(GREETING), S(CONFIRMING) };
	u32 i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(attempts); i++) {
		bad += scatter_states_answer(attempts[i], 5, 4, 0) != SCATTER_WIRE_FINE;
		bad += scatter_states_answer(attempts[i], 5, 6, 0) != SCATTER_WIRE_BUSY;
		bad += scatter_states_answer(attempts[i], 5, 6, 9) != SCATTER_WIRE_BUSY;
		bad += scatter_states_answer(attempts[i], 5, 6, 10) != SCATTER_WIRE_FINE;
		bad += scatter_states_answer(attempts[i], 5, ~(u64)0, 11) != SCATTER_WIRE_FINE;
	}
	ok(!bad, "race: the lower id wins, or the other one after ten lost attempts");
	ok(!scatter_states_answer(S(DOWN), 5, 6, 0) && !scatter_states_answer(S(UP), 5, 6, 0) &&
	   !scatter_states_answer(S(WAITING), 5, 6, 0), "race: no other attempt, no race");
	ok(scatter_states_answer(S(HELD), 5, 4, 99) == SCATTER_WIRE_ON_HOLD,
	   "race: a peer that is kept off is not answered");
	ok(scatter_states_answer(S(CLOSING), 5, 4, 99) == SCATTER_WIRE_BUSY &&
	   scatter_states_answer(S(ACCEPTED), 5, 4, 99) == SCATTER_WIRE_BUSY,
	   "race: one thing after the other");
}

static void test_backoff(void)
{
	const u32 expected[] = { 100, 100, 200, 400, 800, 1600, 3200, 5000, 5000 };
	u32 i, n, wait, low, high, bad = 0;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		for (low = ~0u, high = 0, n = 0; n < 20000; n++) {
			wait = scatter_states_backoff(i, 5000, any(1u << 31) * 2);
			low = wait < low ? wait : low;
			high = wait > high ? wait : high;
		}
		bad += high != expected[i] && !(expected[i] > 1000 && high > expected[i] - 9);
		bad += low != expected[i] / 2 && !(expected[i] > 1000 && low < expected[i] / 2 + 9);
		bad += scatter_states_backoff(i, 5000, 0) != expected[i];
	}
	ok(!bad, "back-off: doubles up to the longest, half of it at random");
	ok(scatter_states_backoff(99, 30, 0) == 30 && scatter_states_backoff(1, 30, 0) == 30 &&
	   !scatter_states_backoff(3, 0, 77), "back-off: a longest that is short");
	ok(scatter_states_backoff(99, ~0u, 0) == ~0u && scatter_states_backoff(26, ~0u, 0) ==
	   100u << 25, "back-off: a longest that is long");
}

static void test_shown(void)
{
	const u8 shown[] = { 0, 1, 2, 2, 2, 2, 3, 4, 5, 6 };
	const u8 timer[] = { SCATTER_TIMER_NONE, SCATTER_TIMER_HANDSHAKE, SCATTER_TIMER_HANDSHAKE,
			     SCATTER_TIMER_HANDSHAKE, SCATTER_TIMER_HANDSHAKE,
			     SCATTER_TIMER_HANDSHAKE, SCATTER_TIMER_KEEPALIVE,
			     SCATTER_TIMER_NONE, SCATTER_TIMER_BACKOFF, SCATTER_TIMER_HOLD };
	u32 state, bad = 0;

	for (state = 0; state < S(COUNT); state++) {
		bad += scatter_states_shown(state) != shown[state];
		bad += scatter_states_timer(state) != timer[state];
	}
	ok(!bad, "states: their timers, and what users see");
}

/* Two nodes ------------------------------------------------------------------------ */

#define GUESTS	8
#define LINES	400
#define QUEUE	16
#define NOBODY	-1

/* One end of a line: the object whose it is, and the messages to it. */
struct end {
	int owner;		/* of conn[]: 0 the peer's connection, from 1 guests, or NOBODY */
	u32 head, tail;
	u8 queue[QUEUE];	/* events */
};

/* A line; end 0 is that of the initiator. */
struct line {
	u32 initiator;
	bool up, arrived, told, dead;
	struct end end[2];
};

struct node {
	u64 id;
	u32 races;
	int line[1 + GUESTS];
	struct scatter_state conn[1 + GUESTS];
};

static struct node nodes[2];
static struct line lines[LINES];
static u32 nr_lines, mistakes;

static bool is_guest(u32 state)
{
	return state == S(ACCEPTED) || state == S(WELCOMING);
}

static struct end *end_of(u32 node, int line)
{
	return &lines[line].end[lines[line].initiator != node];
}

static void push(u32 node, int line, u8 event)
{
	struct end *peer = end_of(!node, line);

	if (!lines[line].dead && peer->tail - peer->head < QUEUE)
		peer->queue[peer->tail++ % QUEUE] = event;
}

static void detach(u32 node, u32 object)
{
	int line = nodes[node].line[object];

	nodes[node].line[object] = NOBODY;
	end_of(node, line)->owner = NOBODY;
	lines[line].dead = true;
}

static void step(u32 node, u32 object, enum scatter_states_event event, int new_line);

static void act(u32 node, u32 object, u32 todo, int new_line)
{
	struct node *me = &nodes[node];
	u32 guest;

	if (todo & D(DROP))
		detach(node, object);
	if (todo & D(CONNECT)) {
		lines[nr_lines] = (struct line){
			.initiator = node, .end = { { .owner = 0 }, { .owner = NOBODY } } };
		me->line[0] = (int)nr_lines++;
	}
	if (new_line != NOBODY) {
		me->line[0] = new_line;
		end_of(node, new_line)->owner = 0;
	}
	if (todo & D(HELLO))
		push(node, me->line[object], E(HELLO));
	if (todo & D(WELCOME))
		push(node, me->line[object], E(WELCOME));
	if (todo & D(PROOF))
		push(node, me->line[object], E(PROOF));
	if (todo & D(CREDIT))
		push(node, me->line[object], E(MESSAGE));
	if (todo & D(REFUSE))
		push(node, me->line[object], E(REFUSE));
	if (todo & D(BYE))
		push(node, me->line[object], E(BYE));
	if (todo & D(HOLD))
		step(node, 0, E(HOLD), NOBODY);
	if (todo & D(GIVE)) {
		new_line = me->line[object];
		me->line[object] = NOBODY;
		step(node, 0, E(ADOPT), new_line);
	}
	if (todo & D(UP))
		for (me->races = 0, guest = 1; guest <= GUESTS; guest++)
			if (is_guest(me->conn[guest].now))
				step(node, guest, E(STOP), NOBODY);
}

static void step(u32 node, u32 object, enum scatter_states_event event, int new_line)
{
	u32 todo;

	if (scatter_states_step(&nodes[node].conn[object], event, &todo) != SCATTER_STATES_FINE)
		mistakes++;
	act(node, object, todo, new_line);
}

/* A message is handled as a node would handle it. */
static void deliver(u32 node, int line)
{
	struct end *end = end_of(node, line);
	struct node *me = &nodes[node];
	u8 event = end->queue[end->head++ % QUEUE];
	u32 object = (u32)end->owner;

	if (object && (event == E(HELLO) || event == E(PROOF)) && is_guest(me->conn[object].now) &&
	    scatter_states_answer(me->conn[0].now, me->id, nodes[!node].id, me->races)) {
		me->races++;
		event = E(UNFIT);
	}
	step(node, object, event, NOBODY);
}

/* A line reaches the other node, which has room for a few guests. */
static void arrive(int line)
{
	u32 node = !lines[line].initiator, guest;

	lines[line].arrived = true;
	for (guest = 1; guest <= GUESTS; guest++)
		if (nodes[node].line[guest] == NOBODY) {
			nodes[node].line[guest] = line;
			lines[line].end[1].owner = (int)guest;
			step(node, guest, E(ACCEPT), NOBODY);
			return;
		}
	lines[line].dead = true;
}

/* Something of a line happens, if anything can. */
static void happen_line(int number, bool harm)
{
	struct line *line = &lines[number];
	u32 node = any(2);
	struct end *end = end_of(node, number);
	bool open = end->owner != NOBODY &&
		    nodes[node].conn[end->owner].now != S(CLOSING);

	if (harm && !any(60))
		line->dead = true;
	if (!line->dead && !line->arrived) {
		arrive(number);
	} else if (line->arrived && !line->up && node == line->initiator && open && !line->dead) {
		line->up = true;
		step(node, (u32)end->owner, E(LINE_UP), NOBODY);
	} else if (open && end->head != end->tail && (node != line->initiator || line->up)) {
		deliver(node, number);
	} else if (open && line->dead) {
		step(node, (u32)end->owner, E(LINE_DOWN), NOBODY);
	}
}

static bool is_line(u32 state)
{
	return state != S(DOWN) && state != S(CLOSING) && state != S(WAITING) && state != S(HELD);
}

static void happen_node(u32 node, bool harm)
{
	u32 object = any(1 + GUESTS);
	struct scatter_state *state = &nodes[node].conn[object];

	if (state->now == S(CLOSING)) {
		detach(node, object);
		step(node, object, E(CLOSED), NOBODY);
	}
	if (!object && (state->now == S(WAITING) || state->now == S(HELD)))
		step(node, object, E(TIMER), NOBODY);
	if (!object && state->now == S(DOWN) && nr_lines < LINES && any(2))
		step(node, object, E(WANT), NOBODY);
	if (harm && !any(100) && is_line(state->now))
		step(node, object, E(TIMER), NOBODY);
	if (harm && !any(400) && !object)
		step(node, object, any(2) ? E(STOP) : E(RESET), NOBODY);
}

/* Both are up, on one line, and there is no other. */
static bool have_met(void)
{
	u32 guest;

	for (guest = 1; guest <= GUESTS; guest++)
		if (nodes[0].line[guest] != NOBODY || nodes[1].line[guest] != NOBODY)
			return false;
	return nodes[0].conn[0].now == S(UP) && nodes[1].conn[0].now == S(UP) &&
	       nodes[0].line[0] == nodes[1].line[0] && !lines[nodes[0].line[0]].dead;
}

/* Two nodes that want each other: steps until they meet, with harm before if at all. */
static u32 meet(u32 harm)
{
	u32 steps, i;

	memset(nodes, 0, sizeof(nodes));
	for (i = 0; i < 2 * (1 + GUESTS); i++)
		nodes[i & 1].line[i / 2] = NOBODY;
	nodes[0].id = 1;
	nodes[1].id = 2;
	nr_lines = 0;
	for (steps = 0; steps < 100000 && (steps < harm || !have_met()); steps++) {
		happen_node(any(2), steps < harm);
		if (nr_lines)
			happen_line((int)(nr_lines - 1 - any(nr_lines < 12 ? nr_lines : 12)),
				    steps < harm);
	}
	return steps - harm;
}

static void test_meet(u32 meetings)
{
	u32 i, steps, most = 0, lines_most = 0, harmed = 0;

	for (i = 0; i < meetings; i++) {
		steps = meet(0);
		most = steps > most ? steps : most;
		lines_most = nr_lines > lines_most ? nr_lines : lines_most;
		steps = meet(1500);
		harmed = steps > harmed ? steps : harmed;
	}
	ok(!mistakes, "two nodes: nothing happens that must not");
	ok(most < 3000 && lines_most < 60, "two nodes: they meet in %u steps, with %u lines", most,
	   lines_most);
	ok(harmed < 10000, "two nodes: whatever happened before, in %u steps", harmed);
}

int main(int argc, char **argv)
{
	test_matrix();
	test_closing();
	test_answer();
	test_backoff();
	test_shown();
	test_meet(argc > 1 ? (u32)atoi(argv[1]) : MEETINGS);
	return tap_done();
}
