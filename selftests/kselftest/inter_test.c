// SPDX-License-Identifier: GPL-2.0
/*
 * Inter-groups move the right bytes over the right edges: both directions, all forms,
 * all schedules, roots anywhere, idle members early and late.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "events.h"
#include "harness.h"
#include "planned.h"

#define EAGER		8ULL
#define NAMED		100000ULL	/* rendezvous */
#define CHUNKS		10000ULL	/* two of them if 16 members combine */

static const __u32 forms[] = {
	SCATTER_OP_SCATTER, SCATTER_OP_GATHER, SCATTER_OP_SCATTERV,
	SCATTER_OP_GATHERV,
};

static bool possible(const struct call *call)
{
	return call->algorithm != SCATTER_ALGORITHM_IRREGULAR ||
	       is_vector(call->op);
}

/* All but the root on the root's side. */
static __u64 idle(const struct call *call)
{
	const unsigned int near = call->sides[0];
	const unsigned int end = near + call->sides[1];
	__u64 side = call->root < near ? RANKS(0, near - 1) : RANKS(near, end - 1);

	return side & ~RANK(call->root);
}

/* The first and the last of either side. */
static unsigned int root_of(const struct call *call, unsigned int i)
{
	const unsigned int near = call->sides[0];
	const unsigned int roots[] = {
		0, near, near - 1, near + call->sides[1] - 1,
	};

	return roots[i % 4];
}

/* Every size ------------------------------------------------------------------- */

FIXTURE(inter)
{
	struct crew crew;
};

FIXTURE_VARIANT(inter)
{
	unsigned int near, far;
};

FIXTURE_VARIANT_ADD(inter, 1_and_1) { .near = 1, .far = 1 };
FIXTURE_VARIANT_ADD(inter, 1_and_3) { .near = 1, .far = 3 };
FIXTURE_VARIANT_ADD(inter, 3_and_1) { .near = 3, .far = 1 };
FIXTURE_VARIANT_ADD(inter, 3_and_3) { .near = 3, .far = 3 };
FIXTURE_VARIANT_ADD(inter, 4_and_5) { .near = 4, .far = 5 };
FIXTURE_VARIANT_ADD(inter, 8_and_8) { .near = 8, .far = 8 };
FIXTURE_VARIANT_ADD(inter, 2_and_16) { .near = 2, .far = 16 };

FIXTURE_SETUP(inter)
{
	ASSERT_TRUE(crew_form_sides(&self->crew, variant->near, variant->far, NULL));
	ASSERT_TRUE(events_trace(EVENTS_EDGES));
}

FIXTURE_TEARDOWN(inter)
{
	EXPECT_TRUE(events_trace(NULL));
	EXPECT_TRUE(crew_end(&self->crew));
}

static struct call inter_call(const struct crew *crew, __u32 algorithm,
			      unsigned int near)
{
	return (struct call){
		.algorithm = algorithm,
		.block = EAGER,
		.timeout_ms = PATIENCE_MS,
		.sides = { near, crew->size - near },
	};
}

/* Large groups have two of the roots: it is about time on the debug kernel. */
static bool is_large(const struct crew *crew)
{
	return crew->size > 9;
}

/* What the root and the other side are together, if that can have the schedule. */
static bool shape(struct call *call)
{
	const unsigned int ranks =
		call->sides[call->root < call->sides[0]] + 1;
	bool power = !(ranks & (ranks - 1));

	call->dims = 0;
	call->ports = 0;
	memset(call->extent, 0, sizeof(call->extent));
	switch (call->algorithm) {
	case SCATTER_ALGORITHM_MESH:
	case SCATTER_ALGORITHM_TORUS:
		call->dims = ranks % 2 ? 1 : 2;
		call->extent[0] = ranks % 2 ? ranks : 2;
		call->extent[1] = ranks % 2 ? 0 : ranks / 2;
		return true;
	case SCATTER_ALGORITHM_KNOMIAL:
		call->ports = 2;
		return true;
	case SCATTER_ALGORITHM_ROTATED:
	case SCATTER_ALGORITHM_BALANCED:
		return power;
	default:
		return possible(call);
	}
}

static void algorithm_runs(struct __test_metadata *_metadata, struct crew *crew,
			   struct call call, unsigned long long *number)
{
	unsigned int i;

	/* Reading it takes longer than running. */
	EXPECT_TRUE(events_trace(EVENTS_EDGES));
	for (i = 0; i < 4 * 2 * (is_large(crew) ? 2 : 4); i++) {
		call.op = forms[i % 4];
		call.block = EAGER;
		if (i / 4 % 2)
			call.block = combines(&call) ? CHUNKS : NAMED;
		call.root = root_of(&call, i / 8);
		call.seed = i + 1;
		if (!shape(&call))
			continue;
		EXPECT_TRUE(runs_as_planned(crew, &call, &call, (*number)++)) {
			TH_LOG("algorithm %u op %u block %llu root %u",
			       call.algorithm, call.op, call.block, call.root);
		}
	}
}

TEST_F_TIMEOUT(inter, all_forms_run_as_planned, 250)
{
	unsigned long long number = 0;
	__u32 algorithm;

	for (algorithm = SCATTER_ALGORITHM_LINEAR;
	     algorithm <= SCATTER_ALGORITHM_OR_BROADCAST; algorithm++)
		algorithm_runs(_metadata, &self->crew,
			       inter_call(&self->crew, algorithm, variant->near),
			       &number);
}

/* One startup for each member of the other side, whoever chooses. */
TEST_F(inter, no_edge_leads_to_an_idle_member)
{
	struct call call = inter_call(&self->crew, SCATTER_ALGORITHM_AUTO,
				   variant->near);
	const struct seen *status;
	__u64 before;
	unsigned int i;

	for (i = 0; i < 4 * 2 * 4; i++) {
		call.op = forms[i % 4];
		call.block = i / 4 % 2 ? NAMED : EAGER;
		call.root = root_of(&call, i / 8);
		status = crew_seen(&self->crew, 0);
		ASSERT_NE(NULL, status);
		before = status->total.startups;
		EXPECT_TRUE(crew_runs(&self->crew, &call));
		status = crew_seen(&self->crew, 0);
		ASSERT_NE(NULL, status);
		EXPECT_EQ(call.sides[call.root < variant->near],
			  status->total.startups - before);
	}
}

/* Idle members return at once before all others have called, or when all is over. */
TEST_F(inter, idle_members_wait_for_nobody_and_nobody_for_them)
{
	static const __u32 algorithms[] = {
		SCATTER_ALGORITHM_AUTO, SCATTER_ALGORITHM_HYPERCUBE,
		SCATTER_ALGORITHM_OR_BROADCAST,
	};
	struct call call = inter_call(&self->crew, 0, variant->near);
	const __u64 all = RANKS(0, self->crew.size - 1);
	unsigned int i;

	for (i = 0; i < 2 * 4 * 3 * 4; i += self->crew.size > 4 ? 5 : 1) {
		const bool early = i % 2;

		call.op = forms[i / 2 % 4];
		call.algorithm = algorithms[i / 8 % 3];
		call.root = root_of(&call, i / 24);
		call.block = i / 8 % 3 ? CHUNKS : EAGER;
		call.seed = i;
		if (early)
			EXPECT_TRUE(crew_calls(&self->crew, idle(&call), &call));
		EXPECT_TRUE(crew_calls(&self->crew, all & ~idle(&call), &call)) {
			TH_LOG("op %u algorithm %u root %u", call.op,
			       call.algorithm, call.root);
		}
		if (!early)
			EXPECT_TRUE(crew_calls(&self->crew, idle(&call), &call));
	}
}

/* One after another to and fro, without waiting for all in between. */
static __s64 task_to_and_fro(struct self *self, union task_args *args)
{
	const struct call call = {
		.timeout_ms = PATIENCE_MS,
		.sides = { args->word[1], args->word[2] },
	};
	const unsigned int rank = args->word[0];
	struct call one = call;
	union task_args each;
	unsigned int i;

	for (i = 0; i < 60; i++) {
		one.op = i % 11 ? forms[i % 4] : SCATTER_OP_BARRIER;
		one.root = i % 11 ? root_of(&one, i / 3) : 0;
		one.block = i % 11 ? i % 5 * i * 13 : 0;
		one.algorithm = i % 11 ? i / 7 % 3 : 0;
		one.seed = i;
		each.call = crew_args(rank, &one, CALL_FILL | CALL_CHECK);
		if (task_call(self, &each) || !each.call.intact)
			return i + 1;
	}
	return 0;
}

TEST_F(inter, back_to_back_in_both_directions)
{
	union task_args args = { .word = { 0, variant->near, variant->far } };
	unsigned int r;

	for (r = 0; r < self->crew.size; r++) {
		args.word[0] = r;
		worker_order(&self->crew.worker[r], task_to_and_fro, &args);
	}
	for (r = 0; r < self->crew.size; r++)
		EXPECT_EQ(0, worker_finish(&self->crew.worker[r]));
}

/* All blocks of a v form are empty. */
TEST_F(inter, empty_blocks)
{
	struct call call = inter_call(&self->crew, 0, variant->near);
	unsigned int i;

	call.block = 0;
	for (i = 0; i < 4 * 4 * 10; i++) {
		call.op = forms[i % 4];
		call.root = root_of(&call, i / 4);
		call.algorithm = i / 16;
		if (shape(&call))
			EXPECT_TRUE(crew_runs(&self->crew, &call));
	}
}

TEST_F(inter, status_tells_side_and_rank)
{
	struct call barrier = inter_call(&self->crew, 0, variant->near);
	const struct seen *status;
	unsigned int r;

	barrier.op = SCATTER_OP_BARRIER;
	barrier.block = 0;
	EXPECT_TRUE(crew_runs(&self->crew, &barrier));
	for (r = 0; r < self->crew.size; r++) {
		const bool side = r >= variant->near;

		status = crew_seen(&self->crew, r);
		ASSERT_NE(NULL, status);
		EXPECT_EQ(variant->near, status->sides[0]);
		EXPECT_EQ(variant->far, status->sides[1]);
		EXPECT_EQ((__u32)side, status->side);
		EXPECT_EQ((int)(side ? r - variant->near : r), status->rank);
		EXPECT_EQ(self->crew.size, status->members);
		EXPECT_EQ(0ULL, status->total.startups);
		EXPECT_EQ(1ULL, status->next);
	}
}

/* The group's schedule, of which one direction may have none. */
TEST(the_schedule_of_the_group_is_for_either_direction)
{
	const struct call schedule = {
		.algorithm = SCATTER_ALGORITHM_BALANCED,
	};
	struct call open = { .timeout_ms = PATIENCE_MS, .sides = { 3, 7 } };
	struct call planned;
	struct crew crew;
	unsigned int i;

	ASSERT_TRUE(events_trace(EVENTS_EDGES));
	ASSERT_TRUE(crew_form_sides(&crew, 3, 7, &schedule));
	for (i = 0; i < 4 * 4; i++) {
		open.op = forms[i % 4];
		open.root = root_of(&open, i / 4);
		open.block = EAGER;
		planned = open;
		planned.algorithm = schedule.algorithm;
		EXPECT_TRUE(runs_as_planned(&crew, &planned, &open, i));
	}
	EXPECT_TRUE(crew_end(&crew));

	/* Towards 6 there is none: what is eager goes linear. */
	open.sides[1] = 6;
	ASSERT_TRUE(crew_form_sides(&crew, 3, 6, &schedule));
	for (i = 0; i < 4 * 4; i++) {
		open.op = forms[i % 4];
		open.root = root_of(&open, i / 4);
		planned = open;
		planned.algorithm = open.root < 3 ? SCATTER_ALGORITHM_LINEAR :
						    SCATTER_ALGORITHM_BALANCED;
		EXPECT_TRUE(runs_as_planned(&crew, &planned, &open, i));
	}
	EXPECT_TRUE(crew_end(&crew));
	EXPECT_TRUE(events_trace(NULL));
}

TEST_HARNESS_MAIN
