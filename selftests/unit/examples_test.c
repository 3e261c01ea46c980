// SPDX-License-Identifier: GPL-2.0
/*
 * Schedules written down by hand, and arguments that are refused.
 */
#include "simulate.h"
#include "tap.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

#define LINEAR		SCATTER_SCHEDULE_LINEAR
#define HYPERCUBE	SCATTER_SCHEDULE_HYPERCUBE

/* {round, from, to, first block, how many} */

/* Figure 4.15 of Grama et al.: the scatter on an eight-node hypercube. */
static const struct sim_transfer figure[] = {
	{ 1, 0, 4, 4, 4 },
	{ 2, 0, 2, 2, 2 }, { 2, 4, 6, 6, 2 },
	{ 3, 0, 1, 1, 1 }, { 3, 2, 3, 3, 1 },
	{ 3, 4, 5, 5, 1 }, { 3, 6, 7, 7, 1 },
};

/* The text beside it: first every odd node sends to the even one before it. */
static const struct sim_transfer figure_gather[] = {
	{ 1, 1, 0, 1, 1 }, { 1, 3, 2, 3, 1 },
	{ 1, 5, 4, 5, 1 }, { 1, 7, 6, 7, 1 },
	{ 2, 2, 0, 2, 2 }, { 2, 6, 4, 6, 2 },
	{ 3, 4, 0, 4, 4 },
};

/* The figure with every number XOR 5 */
static const struct sim_transfer eight_from_5[] = {
	{ 1, 5, 1, 0, 4 },
	{ 2, 1, 3, 2, 2 }, { 2, 5, 7, 6, 2 },
	{ 3, 1, 0, 0, 1 }, { 3, 3, 2, 2, 1 },
	{ 3, 5, 4, 4, 1 }, { 3, 7, 6, 6, 1 },
};

/* Six ranks: the subtree of relative rank 4 is cut to two. */
static const struct sim_transfer six[] = {
	{ 1, 0, 4, 4, 2 },
	{ 2, 0, 2, 2, 2 },
	{ 3, 0, 1, 1, 1 }, { 3, 2, 3, 3, 1 }, { 3, 4, 5, 5, 1 },
};

/* The same rotated by 3: the bundle of rank 5 wraps around to block 0. */
static const struct sim_transfer six_from_3[] = {
	{ 1, 3, 1, 1, 2 },
	{ 2, 3, 5, 5, 2 },
	{ 3, 1, 2, 2, 1 }, { 3, 3, 4, 4, 1 }, { 3, 5, 0, 0, 1 },
};

static const struct sim_transfer linear_four_from_2[] = {
	{ 1, 2, 3, 3, 1 }, { 2, 2, 0, 0, 1 }, { 3, 2, 1, 1, 1 },
};

static const struct sim_transfer linear_four_to_2[] = {
	{ 1, 1, 2, 1, 1 }, { 2, 0, 2, 0, 1 }, { 3, 3, 2, 3, 1 },
};

struct example {
	const char *name;
	u32 algorithm;
	bool gather;
	u32 size;
	u32 root;
	const struct sim_transfer *transfers;	/* one per rank but the root */
};

static const struct example examples[] = {
	{ "figure 4.15", HYPERCUBE, false, 8, 0, figure },
	{ "figure 4.15 reversed", HYPERCUBE, true, 8, 0, figure_gather },
	{ "8 ranks, root 5", HYPERCUBE, false, 8, 5, eight_from_5 },
	{ "6 ranks, root 0", HYPERCUBE, false, 6, 0, six },
	{ "6 ranks, root 3", HYPERCUBE, false, 6, 3, six_from_3 },
	{ "linear scatter", LINEAR, false, 4, 2, linear_four_from_2 },
	{ "linear gather", LINEAR, true, 4, 2, linear_four_to_2 },
};

static void test_examples(void)
{
	static struct sim sim;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *example = &examples[i];

		sim_collect(&sim, example->algorithm, example->gather,
			    example->size, example->root);
		sim_check(&sim);
		ok(!sim.broken &&
		   sim_equals(&sim, example->transfers, example->size - 1),
		   "example: %s", example->name);
	}
}

/* One rank's own view, in the order in which it acts */
static void test_walk(void)
{
	static const struct scatter_step walk[] = {
		{ 1, 5, 5, 1, false }, { 2, 6, 6, 2, false }, { 3, 0, 4, 4, true },
	};
	struct scatter_schedule schedule;
	struct scatter_step step;
	bool same = scatter_schedule_init(&schedule, HYPERCUBE, true, 8, 0, 4);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(walk); i++) {
		same = same && scatter_schedule_next(&schedule, &step) &&
		       step.round == walk[i].round &&
		       step.peer == walk[i].peer &&
		       step.first == walk[i].first &&
		       step.count == walk[i].count &&
		       step.send == walk[i].send;
	}
	ok(same && !scatter_schedule_next(&schedule, &step),
	   "rank 4 of 8 gathers from its children, then sends");
	ok(!scatter_schedule_next(&schedule, &step), "the end stays the end");
}

static void test_alone(u32 algorithm, const char *name)
{
	struct scatter_schedule schedule;
	struct scatter_step step;

	ok(scatter_schedule_init(&schedule, algorithm, false, 1, 0, 0) &&
	   !scatter_schedule_next(&schedule, &step) &&
	   !scatter_schedule_parent(&schedule, &step) &&
	   !scatter_schedule_children(&schedule) &&
	   !scatter_schedule_rounds(algorithm, 1),
	   "%s: a group of one has nothing to do", name);
}

static void test_refused(const char *name, const char *what, u32 algorithm,
			 u32 size, u32 root, u32 rank)
{
	struct scatter_schedule schedule = {
		.algorithm = HYPERCUBE, .size = 8, .root = 1, .rank = 2,
	};
	struct scatter_step step;

	ok(!scatter_schedule_init(&schedule, algorithm, false, size, root, rank) &&
	   !scatter_schedule_next(&schedule, &step) &&
	   !scatter_schedule_parent(&schedule, &step) &&
	   !scatter_schedule_children(&schedule),
	   "%s: refused and without steps: %s", name, what);
}

static void test_arguments(u32 algorithm, const char *name)
{
	static const struct {
		const char *what;
		u32 size;
		u32 root;
		u32 rank;
	} refused[] = {
		{ "size 0", 0, 0, 0 },
		{ "root is the size", 8, 8, 0 },
		{ "root is the largest number", 8, UINT32_MAX, 0 },
		{ "rank is the size", 8, 0, 8 },
		{ "rank is the largest number", 8, 0, UINT32_MAX },
		{ "rank and root are the size", 8, 8, 8 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		test_refused(name, refused[i].what, algorithm, refused[i].size,
			     refused[i].root, refused[i].rank);
	ok(!scatter_schedule_rounds(algorithm, 0), "%s: no rank, no round",
	   name);
	test_alone(algorithm, name);
}

static void test_unknown(u32 algorithm, const char *name)
{
	test_refused(name, "unknown", algorithm, 8, 0, 0);
	ok(!scatter_schedule_rounds(algorithm, 8), "%s: no rounds", name);
}

int main(void)
{
	test_examples();
	test_walk();
	test_arguments(LINEAR, "linear");
	test_arguments(HYPERCUBE, "hypercube");
	test_unknown(0, "algorithm 0");
	test_unknown(HYPERCUBE + 1, "the algorithm behind the last");
	test_unknown(UINT32_MAX, "the largest algorithm");
	return tap_done();
}
