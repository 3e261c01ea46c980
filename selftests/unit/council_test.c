// SPDX-License-Identifier: GPL-2.0
/*
 * The council: what a decree is made of, how many messages a verdict takes, and cases that chance
 * rarely makes. council_random_test.c leaves everything to chance.
 */
#include <string.h>

#include "council_world.h"
#include "tap.h"

/* The kind of those keys to which not all nodes contribute. */
#define LATE	SCATTER_COUNCIL_OPERATION

/* Decrees ---------------------------------------------------------------------------- */

static struct scatter_decree bring(u64 terms, u32 rank, u64 bits, u64 known)
{
	struct scatter_decree decree;

	scatter_decree_init(&decree, NULL);
	decree.terms = terms;
	decree.bits = bits;
	decree.known.words[0] = known;
	scatter_set_add(&decree.called, rank);
	return decree;
}

static void test_decree(void)
{
	struct scatter_decree sum, one = bring(7, 3, 0xf0, 0x6), other = bring(7, 1, 0x3c, 0xc);
	struct scatter_decree odd = bring(8, 2, 0xff, 0xff);

	scatter_decree_init(&sum, NULL);
	scatter_decree_merge(&sum, &one);
	scatter_decree_merge(&sum, &other);
	ok(sum.terms == 7 && sum.bits == 0x30 && sum.known.words[0] == 0x4 &&
	   sum.called.words[0] == 0xa && !sum.error && !sum.flags &&
	   sum.culprit == SCATTER_DECREE_NOBODY, "decree: of two contributions");
	other.error = 5;
	other.culprit = 9;
	other.flags = SCATTER_DECREE_HURRY;
	scatter_set_add(&other.facts.dead, 5);
	scatter_set_add(&other.facts.left, 6);
	scatter_decree_merge(&sum, &other);
	scatter_decree_merge(&sum, &other);
	ok(sum.error == 5 && sum.culprit == 9 && sum.flags == SCATTER_DECREE_HURRY &&
	   sum.called.words[0] == 0xa && sum.facts.dead.words[0] == 0x20 &&
	   sum.facts.left.words[0] == 0x40, "decree: a contribution grows");
	one.error = 6;
	scatter_decree_merge(&sum, &one);
	ok(sum.error == 5 && sum.culprit == 9, "decree: the first error stays");
	scatter_decree_merge(&sum, &odd);
	ok(sum.error == SCATTER_DECREE_DISAGREE && sum.culprit == 2 && sum.terms == 7,
	   "decree: but not if members disagree");
	scatter_decree_init(&sum, NULL);
	scatter_decree_merge(&sum, &one);
	sum.error = 0;
	scatter_decree_merge(&sum, &odd);
	ok(sum.error == SCATTER_DECREE_DISAGREE && sum.flags & SCATTER_DECREE_HURRY,
	   "decree: who disagrees does not wait");
}

/* Without failures ------------------------------------------------------------------ */

/* Deliver what is on its way now, and nothing of what comes of it. */
static void deliver_round(void)
{
	static struct packet now[PACKETS];
	u32 i, count = world.nr_packets;

	memcpy(now, world.packets, count * sizeof(*now));
	world.nr_packets = 0;
	for (i = 0; i < count; i++)
		world_receive(&now[i]);
}

static u32 count_knowing(void)
{
	u32 node, count = 0;

	for (node = 0; node < world.nodes; node++)
		count += world.members[node].known[0][0][0];
	return count;
}

/* All contribute at once: how many one-way trips until all know, and messages. */
static void test_trips(u32 nodes)
{
	/* Of two nodes the home alone is a quorum: it decides when it hears the other one. */
	u32 node, trips, until, expected = nodes > 2 ? 4 : 2 * (nodes - 1);

	world_seed(nodes);
	world_begin(nodes);
	for (node = 0; node < nodes; node++)
		world_contribute(node, 0);
	for (trips = 0; count_knowing() < nodes && trips < 10; trips++)
		deliver_round();
	until = world.sent - (nodes - 1);
	ok(!world.wrong && trips == expected && until == 4 * (nodes - 1),
	   "%u nodes: %u one-way trips", nodes, expected);
	deliver_round();
	deliver_round();
	for (node = 0; node < nodes; node++)
		until += world.members[node].council.motions[0].key.turn +
			 world.members[node].council.motions[1].key.turn;
	ok(!world.nr_packets && world.sent == 6 * (nodes - 1) && until == 4 * (nodes - 1),
	   "%u nodes: two more until all have forgotten", nodes);
}

/* One case at a time ----------------------------------------------------------------- */

static const struct scatter_decree *verdict_of(u32 turn)
{
	return &world.matters[0][0][turn - 1].verdict.decree;
}

/* One of three nodes has an error, or gives up: nobody waits for the others. */
static void test_hurry(void)
{
	world_seed(1);
	world_begin(3);
	world_contribute(1, 0);
	world_drain();
	ok(!world.members[1].known[0][0][0], "hurry: one of three waits");
	world_amend(1, 0, SCATTER_DECREE_HURRY);
	world_drain();
	ok(!world.wrong && count_knowing() == 3 && verdict_of(1)->error &&
	   verdict_of(1)->called.words[0] == 0x12, "hurry: an error does not");
	world_begin(3);
	world_contribute(1, 0);
	world_contribute(2, 0);
	world_amend(1, 0, SCATTER_DECREE_ABANDONED);
	world_drain();
	ok(!world.wrong && count_knowing() == 3 &&
	   verdict_of(1)->flags & SCATTER_DECREE_ABANDONED, "withdraw: the turn is abandoned");
	world_contribute(0, 0);
	world_contribute(1, 0);
	world_contribute(2, 0);
	world_drain();
	ok(!world.wrong && world.members[2].known[0][0][1] && !verdict_of(2)->flags,
	   "withdraw: the next turn is not");
}

/* A later home also merges gone ranks that only another acceptor knows. */
static void test_facts(void)
{
	struct scatter_facts facts = { 0 };

	world_seed(2);
	world_begin(3);
	scatter_set_add(&facts.left, 0);
	world.gone = facts;
	scatter_council_depart(&world.members[2].council, &facts);
	scatter_council_take_over(&world.members[1].council);
	world_drain();
	world_contribute(0, 0);
	world_amend(0, 0, SCATTER_DECREE_HURRY);
	world_drain();
	ok(!world.wrong && count_knowing() == 3 && verdict_of(1)->facts.left.words[0] == 1,
	   "facts: a later home has them from promises");
}

/* Four nodes, of which 0 and 1 have decided and gone down. 2 and 3 have contributed. */
static void begin_fences(void)
{
	u32 node;

	world_seed(3);
	world_begin(4);
	for (node = 0; node < 4; node++)
		world_contribute(node, 0);
	for (node = 1; node < 4; node++)
		world_deliver_all(SCATTER_COUNCIL_ARRIVED, node, 0);
	world_deliver_all(SCATTER_COUNCIL_ACCEPT, 0, 1);
	world_deliver_all(SCATTER_COUNCIL_ACCEPTED, 1, 0);
	world_crash(0);
	world_crash(1);
	world_fence(2, 0);
	world_fence(2, 1);
}

/* Messages between nodes 2 and 3, which live; some come before others. */
static void deliver_living(void)
{
	u32 type, round;

	for (round = 0; round < 5; round++) {
		for (type = SCATTER_COUNCIL_ARRIVED; type <= SCATTER_COUNCIL_BEHIND; type++) {
			if (type == SCATTER_COUNCIL_DECIDED)
				continue;
			world_deliver_all(type, 2, 3);
			world_deliver_all(type, 3, 2);
		}
	}
}

static void test_fences(void)
{
	struct scatter_council *council = &world.members[2].council;

	begin_fences();
	world_fence(3, 1);
	scatter_council_take_over(council);
	deliver_living();
	ok(council->role == SCATTER_COUNCIL_PREPARING && !world.members[2].known[0][0][0],
	   "fences: half with other fences does not decide");
	ok(!scatter_council_is_led(council) &&
	   !scatter_council_is_led(&world.members[3].council),
	   "fences: until then no view is led");
	world_deliver_all(SCATTER_COUNCIL_DECIDED, 0, 3);
	scatter_council_take_over(council);
	deliver_living();
	ok(world.members[2].known[0][0][0] && !scatter_council_is_led(council) &&
	   !scatter_council_is_led(&world.members[3].council),
	   "fences: nor when a promise tells a verdict of the fenced");
	world_fence(3, 0);
	scatter_council_remind(council);
	deliver_living();
	ok(!world.wrong && world.members[2].known[0][0][0] && world.members[3].known[0][0][0] &&
	   verdict_of(1)->called.words[0] == 0xff, "fences: the verdict of the fenced is found");
	ok(scatter_council_is_led(council), "fences: the view is led where its home is");

	begin_fences();
	world_fence(3, 1);
	world_fence(3, 0);
	scatter_council_take_over(council);
	deliver_living();
	world_deliver_all(SCATTER_COUNCIL_DECIDED, 0, 3);
	world_drain();
	ok(!world.wrong && world.members[2].known[0][0][0] && world.members[3].known[0][0][0] &&
	   verdict_of(1)->called.words[0] == 0xcc, "fences: or is lost with them");
	ok(scatter_council_is_led(council) && scatter_council_is_led(&world.members[3].council),
	   "fences: a view is led when its home proposes");
	scatter_council_take_over(council);
	world_deliver_all(SCATTER_COUNCIL_PREPARE, 2, 3);
	ok(!scatter_council_is_led(&world.members[3].council), "fences: the next one is not yet");
}

/* Messages that no node should send. */
static void test_unsound(void)
{
	struct scatter_council *council = &world.members[1].council;
	struct scatter_facts facts = { 0 };
	struct scatter_set fences = { 0 };
	struct scatter_decree decree = bring(1, 5, 0, 0);
	struct scatter_council_message message = {
		.type = SCATTER_COUNCIL_ACCEPT,
		.key = { .number = 0, .turn = 1, .kind = SCATTER_COUNCIL_MEETING },
		.decree = &decree,
	};

	world_seed(4);
	world_begin(3);
	scatter_council_receive(council, 2, &message);
	ok(!world.sent && !council->motions[0].ballot, "unsound: only the home proposes");
	scatter_set_add(&decree.called, 6);
	scatter_council_receive(council, 0, &message);
	ok(!world.sent && !council->motions[0].ballot, "unsound: a rank that there is not");
	decree = bring(1, 5, 0, 0);
	scatter_set_add(&decree.facts.left, 1023);
	scatter_council_receive(council, 0, &message);
	ok(!world.sent && !council->motions[0].ballot, "unsound: a rank that is gone for ever");
	decree = bring(1, 5, 0, 0);
	scatter_council_receive(council, 0, &message);
	ok(world.sent == 1 && council->motions[0].ballot == 1, "unsound: all else is fine");
	message.type = SCATTER_COUNCIL_PREPARE;
	message.view = 3;
	message.fences = &fences;
	scatter_set_add(&fences, 3);
	scatter_council_receive(council, 0, &message);
	ok(world.sent == 1 && !council->view, "unsound: a node that there is not");
	scatter_council_take_over(council);
	message.type = SCATTER_COUNCIL_PROMISE;
	message.view = 1;
	message.ballot = 1;
	message.motion = 1;
	message.fences = &council->fences;
	message.facts = &facts;
	scatter_council_receive(council, 2, &message);
	ok(council->view == 1 && !council->promises[2], "unsound: a key out of its place");
	message.motion = 0;
	scatter_council_receive(council, 2, &message);
	ok(council->promises[2] == 1, "unsound: a key in its place");
}

/* A node that lies makes views run out: nobody begins one that no message can carry. */
static void test_last_view(void)
{
	struct scatter_council *council = &world.members[1].council;
	const struct scatter_council_message behind = {
		.type = SCATTER_COUNCIL_BEHIND,
		.view = SCATTER_COUNCIL_END - 1,
	};
	struct scatter_set silent = { 0 };
	u64 sent;

	world_seed(5);
	world_begin(3);
	scatter_council_receive(council, 2, &behind);
	sent = world.sent;
	ok(council->view == SCATTER_COUNCIL_END - 1, "last view: it is adopted");
	scatter_council_take_over(council);
	scatter_set_add(&silent, 0);
	scatter_council_suspect(council, &silent);
	ok(council->view == SCATTER_COUNCIL_END - 1 && world.sent == sent &&
	   council->role == SCATTER_COUNCIL_FOLLOWING, "last view: no other one begins");
}

/* Of three nodes, 0 and 2 have nothing to contribute to a key, and go on to a later one. */
static void skip(void)
{
	u32 node, i;

	world_begin(3);
	for (i = 0; i < NUMBERS; i++)
		world.numbers[LATE][i] = 4 + i;
	for (node = 0; node < 3; node += 2) {
		world.members[node].number[LATE] = 2;
		world_contribute(node, LATE);
	}
}

static void test_late(void)
{
	world_seed(6);
	skip();
	world_drain();
	world_contribute(1, LATE);
	world_drain();
	world_amend(1, LATE, SCATTER_DECREE_HURRY);
	world_drain();
	ok(!world.wrong && world.members[1].known[LATE][0][0] && world.members[0].known[LATE][0][0],
	   "late: an earlier key comes first");
	world.members[1].number[LATE] = 2;
	world_contribute(1, LATE);
	world_drain();
	ok(!world.wrong && world.members[1].known[LATE][2][0] && world.members[2].known[LATE][2][0],
	   "late: the later one is not forgotten");
	skip();
	world_amend(2, LATE, SCATTER_DECREE_HURRY);
	world_deliver_all(SCATTER_COUNCIL_ARRIVED, 2, 0);
	world_contribute(1, LATE);
	world.doubted[1] = true;
	world_drain();
	ok(!world.wrong && world.members[1].dead && world.members[0].known[LATE][2][0],
	   "late: too late");
}

int main(void)
{
	u32 nodes;

	test_decree();
	for (nodes = 1; nodes <= NODES_MAX; nodes++)
		test_trips(nodes);
	test_hurry();
	test_facts();
	test_fences();
	test_unsound();
	test_last_view();
	test_late();
	return tap_done();
}
