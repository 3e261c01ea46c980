// SPDX-License-Identifier: GPL-2.0
/*
 * The council in many schedules at random of what can happen to the nodes of a group and to their
 * messages; then nothing fails any more, and either all that live agree soon, or they are too few.
 *
 *	council_random_test [SCHEDULES [FIRST SEED]]
 */
#include <stdlib.h>

#include "council_world.h"
#include "tap.h"

#define SCHEDULES	50000
#define ROUNDS_MAX	40

static struct {
	u32 quiet, cut, most_rounds, fenced, abandoned, evicted, overturned;
} seen;

static bool is_alive(u32 node)
{
	return !world.members[node].dead;
}

static struct scatter_set those_alive(bool alive)
{
	struct scatter_set set = { 0 };
	u32 node;

	for (node = 0; node < world.nodes; node++)
		if (is_alive(node) == alive)
			scatter_set_add(&set, node);
	return set;
}

/* A rank dies or leaves, and its node knows. */
static void depart(u32 node)
{
	struct scatter_set ranks = world_ranks(node, true);
	struct scatter_facts facts = { 0 };

	if (scatter_set_is_empty(&ranks))
		return;
	scatter_set_add(any(2) ? &facts.dead : &facts.left, scatter_set_first(&ranks));
	scatter_decree_learn(&world.gone, &facts);
	scatter_council_depart(&world.members[node].council, &facts);
}

/* What happens to two nodes that has to do with losing one of them. */
static void harm(u32 node, u32 other)
{
	struct scatter_council *council = &world.members[node].council;
	struct scatter_set ranks = world_ranks(other, true);

	switch (any(9)) {
	case 0:
		if (!any(2))
			world_crash(node);
		break;
	case 1:
		depart(node);
		break;
	case 2:
		if (node != other && (!is_alive(other) || !any(40)))
			world_lose(node, other);
		break;
	case 3:
	case 4:
		if (world.members[other].down)
			world_fence(node, other);
		break;
	case 5:
		scatter_council_depart(council, &world.members[other].council.facts);
		break;
	case 6:
		if (scatter_set_is_empty(&ranks))
			scatter_council_excuse(council, other);
		break;
	default:
		world.parted = any(3) ? 0 : any(1u << world.nodes);
	}
}

enum happening { DELIVER, CALL, HURRY, WITHDRAW, REMIND, LEAD, HARM };

/* How much of everything happens, in percent; the rest is harm. */
static const struct mood {
	u32 percent[HARM];
	u32 loss, votes_loss, steps, nodes;
	bool duels;	/* homes take over one after the other, each in another part of the nodes */
	bool falls;	/* half of the nodes go down, and only fences help */
} moods[] = {
	{ { 72, 16, 2, 1, 3, 2 }, 8, 8, 220, NODES_MAX, false, false },
	{ { 84, 8, 4, 0, 0, 3 }, 40, 2, 300, 5, false, false },
	{ { 50, 20, 0, 0, 4, 25 }, 40, 4, 80, 5, true, false },
	{ { 58, 14, 0, 0, 0, 14 }, 40, 20, 120, 4, false, true },
};

static enum happening pick(const struct mood *mood)
{
	u32 what, number = any(100);

	for (what = DELIVER; what < HARM && number >= mood->percent[what]; what++)
		number -= mood->percent[what];
	return what;
}

/* Messages of nodes that go down are slow, and so are verdicts. */
static bool is_slow(const struct packet *packet)
{
	return packet->to >= world.nodes / 2 && any(40) &&
	       (packet->from < world.nodes / 2 ||
		packet->message.type == SCATTER_COUNCIL_DECIDED);
}

static void deliver(const struct mood *mood)
{
	u32 number;

	if (!world.nr_packets)
		return;
	number = any(world.nr_packets);
	if (!mood->falls || !is_slow(&world.packets[number]))
		world_deliver(number);
}

/* Half of the nodes go down, node 0 among them. */
static void fall(void)
{
	u32 node;

	for (node = 0; node < world.nodes / 2; node++)
		world_crash(node);
}

/* A node begins a view; in a duel it does not reach all others, nor for long. */
static void take_over(u32 node, const struct mood *mood)
{
	u32 packets;

	if (mood->falls && !world.members[0].down)
		return;
	if (mood->duels)
		world.parted = any(1u << world.nodes);
	scatter_council_take_over(&world.members[node].council);
	for (packets = mood->duels ? any(60) : 0; packets; packets--)
		deliver(mood);
}

/* Members of a node call; in duels and falls of one kind only, and at once for all. */
static void call(u32 node, const struct mood *mood)
{
	bool now = mood->duels || mood->falls;

	world_contribute(node, now ? 0 : any(KINDS));
	if (now)
		world_amend(node, 0, SCATTER_DECREE_HURRY);
}

static void step(const struct mood *mood)
{
	u32 node = any(world.nodes);
	enum happening what = pick(mood);

	if (what == DELIVER)
		deliver(mood);
	if (!is_alive(node))
		return;
	switch (what) {
	case DELIVER:
		break;
	case CALL:
		call(node, mood);
		break;
	case HURRY:
		world_amend(node, any(KINDS), SCATTER_DECREE_HURRY);
		break;
	case WITHDRAW:
		world_amend(node, SCATTER_COUNCIL_MEETING, SCATTER_DECREE_ABANDONED);
		break;
	case REMIND:
		scatter_council_remind(&world.members[node].council);
		break;
	case LEAD:
		take_over(node, mood);
		break;
	case HARM:
		if (!mood->falls)
			harm(node, any(world.nodes));
		else if (world.members[0].down)
			world_fence(node, any(world.nodes / 2));
	}
}

/* The home of a view, or its heir, when nothing is lost any more. */
static void lead(u32 node, const struct scatter_set *dead)
{
	struct scatter_council *council = &world.members[node].council;
	bool home = council->role != SCATTER_COUNCIL_FOLLOWING;

	scatter_council_suspect(council, dead);
	if (home && !scatter_set_equals(&council->fences, &council->view_fences))
		scatter_council_take_over(council);
}

/* Nothing fails any more: one round of what all do. */
static void calm_round(const struct scatter_set *dead)
{
	u32 node, kind;

	for (node = 0; node < world.nodes; node++) {
		if (!is_alive(node))
			continue;
		for (kind = 0; kind < KINDS; kind++)
			world_contribute(node, kind);
		lead(node, dead);
		scatter_council_remind(&world.members[node].council);
		world_drain();
	}
}

/* From now on nothing fails, and what was lost, all know of. */
static void calm_down(bool fences)
{
	u32 node, other;

	world.loss = 0;
	world.votes_loss = 0;
	world.parted = 0;
	for (node = 0; node < world.nodes; node++)
		world.members[node].dead |= world.doubted[node];
	for (node = 0; node < world.nodes; node++) {
		for (other = 0; is_alive(node) && other < world.nodes; other++) {
			struct scatter_set ranks;

			if (fences && world.members[other].down)
				world_fence(node, other);
			else if (!is_alive(other))
				world_lose(node, other);
			scatter_council_depart(&world.members[node].council, &world.gone);
			ranks = world_ranks(other, true);
			if (scatter_set_is_empty(&ranks))
				scatter_council_excuse(&world.members[node].council, other);
		}
	}
}

/* Whether all that live know all verdicts, and hold nothing any more. */
static bool is_over(void)
{
	u32 node, i;

	for (node = 0; node < world.nodes; node++) {
		if (!is_alive(node))
			continue;
		if (!world_is_through(node))
			return false;
		for (i = 0; i < SCATTER_COUNCIL_MOTIONS; i++)
			if (world.members[node].council.motions[i].key.turn)
				return false;
	}
	return true;
}

/* Whether a node has fenced all that are dead, so that those alive are a quorum. */
static bool have_fenced(const struct scatter_set *dead)
{
	bool fenced = false;
	u32 node;

	for (node = 0; node < world.nodes; node++)
		fenced |= is_alive(node) &&
			  scatter_set_equals(dead, &world.members[node].council.fences);
	return fenced;
}

static bool is_quorum(const struct scatter_set *alive)
{
	u32 count = scatter_set_count(alive);

	return count > world.nodes - count || (count == world.nodes - count && is_alive(0));
}

static bool has_ranks(void)
{
	struct scatter_set ranks;
	u32 node;

	for (node = 0; node < world.nodes; node++) {
		ranks = world_ranks(node, true);
		if (is_alive(node) && !scatter_set_is_empty(&ranks))
			return true;
	}
	return false;
}

/* The live nodes are a quorum: all that is to be decided is decided soon. */
static void run_with_quorum(const struct scatter_set *dead)
{
	u32 rounds;

	for (rounds = 0; rounds < ROUNDS_MAX && !is_over() && !world.wrong; rounds++)
		calm_round(dead);
	if (rounds == ROUNDS_MAX && !world.wrong)
		world.wrong = "not all is decided and forgotten";
	if (rounds > seen.most_rounds)
		seen.most_rounds = rounds;
	seen.quiet++;
}

/* Go on for some rounds: no verdict is wrong. */
static void run_on(const struct scatter_set *dead)
{
	u32 rounds;

	for (rounds = 0; rounds < 5; rounds++)
		calm_round(dead);
}

/* The live nodes are no quorum: they decide no key without contributions. */
static void run_without(const struct scatter_set *dead)
{
	struct matter *first = &world.matters[0][0][0], *matter;
	bool fresh[KINDS * NUMBERS * TURNS];
	u32 i, node;

	world.nr_packets = 0;
	for (i = 0; i < KINDS * NUMBERS * TURNS; i++)
		for (fresh[i] = true, node = 0; node < world.nodes; node++)
			fresh[i] &= !first[i].made[node];
	run_on(dead);
	for (i = 0; i < KINDS * NUMBERS * TURNS; i++) {
		matter = &first[i];
		if (fresh[i] && matter->decided)
			world.wrong = "a verdict without a quorum";
	}
	seen.cut++;
}

static void note_verdicts(void)
{
	const struct matter *first = &world.matters[0][0][0], *matter;
	u32 node;

	for (matter = first; matter < first + KINDS * NUMBERS * TURNS; matter++) {
		seen.abandoned += matter->decided &&
				  matter->verdict.decree.flags & SCATTER_DECREE_ABANDONED;
		seen.overturned += matter->decided && matter->nr_proposals > 1;
	}
	for (node = 0; node < world.nodes; node++)
		seen.evicted += !is_alive(node) && world.doubted[node];
}

static const char *run(u64 seed)
{
	struct scatter_set alive, dead;
	bool fences, quorum;
	const struct mood *mood;
	u32 steps, half;

	world_seed(seed);
	mood = &moods[any(sizeof(moods) / sizeof(*moods))];
	world_begin(mood->falls ? mood->nodes : 1 + any(mood->nodes));
	world.loss = mood->loss;
	world.votes_loss = mood->votes_loss;
	steps = any(mood->steps);
	for (half = steps / 2; steps && !world.wrong; steps--) {
		if (mood->falls && steps == half)
			fall();
		step(mood);
	}
	fences = any(2);
	calm_down(fences);
	alive = those_alive(true);
	dead = those_alive(false);
	quorum = is_quorum(&alive);
	if (!quorum && fences && have_fenced(&dead)) {
		quorum = true;
		seen.fenced++;
	}
	if (quorum && has_ranks())
		run_with_quorum(&dead);
	else if (!quorum && !have_fenced(&dead))
		run_without(&dead);
	else
		run_on(&dead);
	note_verdicts();
	return world.wrong;
}

static void test_schedules(u32 schedules, u64 first)
{
	const char *text;
	u32 i, bad = 0;

	for (i = 0; i < schedules && bad < 5; i++) {
		text = run(first + i);
		if (text) {
			printf("# seed %llu: %s\n", (unsigned long long)first + i, text);
			bad++;
		}
	}
	ok(!bad, "%u schedules from seed %llu", schedules, (unsigned long long)first);
	printf("# %u with a quorum, %u of them fenced, at most %u rounds; %u without;\n",
	       seen.quiet, seen.fenced, seen.most_rounds, seen.cut);
	printf("# %u keys abandoned, %u with several proposals, %u nodes evicted\n",
	       seen.abandoned, seen.overturned, seen.evicted);
	ok(schedules < 1000 || (seen.fenced && seen.cut && seen.abandoned && seen.overturned &&
				seen.evicted), "schedules: all of that has happened");
}

int main(int argc, char **argv)
{
	test_schedules(argc > 1 ? (u32)atoi(argv[1]) : SCHEDULES,
		       argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
	return tap_done();
}
