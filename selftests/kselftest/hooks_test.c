// SPDX-License-Identifier: GPL-2.0
/*
 * What can be seen only with the hooks that builds with KUnit suites have: counters and schedules
 * follow what really crosses, and operations have an end.
 */
#include <errno.h>

#include "harness.h"
#include "regroup.h"

#define EAGER		64ULL

FIXTURE(hook)
{
	struct crew crew;
	struct call call;
};

FIXTURE_SETUP(hook)
{
	parameter_write("drop_edge", "-1,-1");
	ASSERT_TRUE(crew_form(&self->crew, 8, 0));
	self->call = (struct call){
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE, .block = EAGER,
		.timeout_ms = 500,
	};
}

FIXTURE_TEARDOWN(hook)
{
	parameter_write("drop_edge", "-1,-1");
	EXPECT_TRUE(crew_end(&self->crew));
}

static __u64 startups_of(struct crew *crew)
{
	const struct seen *seen = crew_seen(crew, 0);

	return seen ? seen->total.startups : 0;
}

/*
 * One operation with an edge suppressed: @starved wait in vain. So does a rank
 * in whose own memory a block stays that should have crossed the edge.
 */
static void without_edge(struct __test_metadata *_metadata,
			 FIXTURE_DATA(hook) *self, const char *edge,
			 __u64 starved, __u64 startups)
{
	struct crew *crew = &self->crew;
	const __u64 before = startups_of(crew);
	const __u64 all = RANKS(0, 7);

	if (parameter_write("drop_edge", edge))
		SKIP(return, "no hooks: a module without KUnit suites");
	crew_start(crew, all, &self->call);
	EXPECT_TRUE(crew_succeeds(crew, all & ~starved));
	EXPECT_TRUE(crew_fails(crew, starved, ETIMEDOUT, SCATTER_RANK_ANY));
	EXPECT_EQ(startups, startups_of(crew) - before);
}

TEST_F(hook, nothing_is_suppressed_when_it_is_off)
{
	without_edge(_metadata, self, "-1,-1", 0, 7);
}

TEST_F(hook, a_scatters_leaf_edge_is_missed_by_one)
{
	without_edge(_metadata, self, "4,5", RANK(5), 6);
}

TEST_F(hook, a_scatters_inner_edge_is_missed_by_a_subtree)
{
	without_edge(_metadata, self, "0,4", RANK(0) | RANKS(4, 7), 3);
}

TEST_F(hook, an_edge_that_the_tree_does_not_have_is_not_missed)
{
	without_edge(_metadata, self, "1,5", 0, 7);
}

TEST_F(hook, a_linear_scatters_edge_is_missed_by_one)
{
	self->call.algorithm = SCATTER_ALGORITHM_LINEAR;
	without_edge(_metadata, self, "0,3", RANK(0) | RANK(3), 6);
}

TEST_F(hook, auto_runs_the_edges_it_names)
{
	self->call.algorithm = SCATTER_ALGORITHM_AUTO;
	without_edge(_metadata, self, "0,1", RANK(0) | RANK(1), 6);
}

TEST_F(hook, a_gathers_edge_is_missed_by_the_root)
{
	self->call.op = SCATTER_OP_GATHER;
	self->call.algorithm = SCATTER_ALGORITHM_LINEAR;
	without_edge(_metadata, self, "3,0", RANK(0), 6);
}

/* 5 -> 4 -> 0: rank 4 cannot send its bundle either. Nor does the root know of data
 * that has reached it past the tree.
 */
TEST_F(hook, a_gathers_leaf_edge_holds_back_the_bundle_it_belongs_to)
{
	self->call.op = SCATTER_OP_GATHER;
	without_edge(_metadata, self, "5,4", RANK(0), 5);
}

/* The last number ---------------------------------------------------------------- */

TEST(the_last_operation_of_a_group)
{
	struct call call = patient_call(SCATTER_OP_GATHER, 0, EAGER);
	const struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	const struct scatter_results *results;
	struct crew crew;
	unsigned int r;

	if (parameter_write("number_max", "2"))
		SKIP(return, "no hooks: a module without KUnit suites");
	ASSERT_TRUE(crew_form(&crew, 2, 0));
	for (call.seed = 0; call.seed < 3; call.seed++)
		EXPECT_TRUE(crew_runs(&crew, &call));
	crew_start(&crew, RANKS(0, 1), &call);
	EXPECT_TRUE(crew_fails(&crew, RANKS(0, 1), EOVERFLOW, SCATTER_RANK_ANY));
	for (r = 0; r < 2; r++) {
		results = &crew.worker[r].reply.args.call.results;
		EXPECT_EQ((__u32)EOVERFLOW, results->error);
		EXPECT_EQ(SCATTER_NUMBER_NEW, results->number);
	}
	crew_regroup_start(&crew, RANKS(0, 1), &dup);
	EXPECT_TRUE(crew_regroup_fails(&crew, RANKS(0, 1), EOVERFLOW, SCATTER_RANK_ANY));
	/* A new group begins with 0. */
	ASSERT_TRUE(crew_shrink(&crew, RANKS(0, 1)));
	EXPECT_TRUE(crew_runs(&crew, &call));
	EXPECT_EQ(0ULL, crew.worker[0].reply.args.call.results.number);
	EXPECT_TRUE(crew_end(&crew));
	EXPECT_EQ(0, parameter_write("number_max", "72057594037927935"));
}

TEST_HARNESS_MAIN
