// SPDX-License-Identifier: GPL-2.0
/*
 * Inter-groups in which a leaf dies, or somebody has bad memory, is interrupted or comes with
 * something else: who gets an error, and who completes. outcomes_test has more of it.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"
#include "regroup.h"

/* Ranks 0 to 2 against 3 and 4; rank 1 is the root, 0 and 2 are idle. */
#define NEAR	3U
#define FAR	2U
#define SIZE	(NEAR + FAR)
#define ALL	RANKS(0, SIZE - 1)
#define ROOT	1U
#define LEAVES	(RANK(3) | RANK(4))
#define IDLE	(RANK(0) | RANK(2))

#define EAGER	64ULL
#define LARGE	((3ULL << 20) + 5)	/* rendezvous, in many chunks */
#define CHUNKS	40000ULL
#define NOBODY	SCATTER_RANK_ANY
#define COMBINE	SCATTER_ALGORITHM_OR_BROADCAST

FIXTURE(end)
{
	struct crew crew;
	struct call call;
	bool gathers;
	bool combines;
};

FIXTURE_VARIANT(end)
{
	__u32 op;
	__u32 algorithm;
};

FIXTURE_VARIANT_ADD(end, scatter) { .op = SCATTER_OP_SCATTER };
FIXTURE_VARIANT_ADD(end, gather) { .op = SCATTER_OP_GATHER };
FIXTURE_VARIANT_ADD(end, scatterv) { .op = SCATTER_OP_SCATTERV };
FIXTURE_VARIANT_ADD(end, gatherv) { .op = SCATTER_OP_GATHERV };

FIXTURE_VARIANT_ADD(end, combining_scatter) {
	.op = SCATTER_OP_SCATTER, .algorithm = COMBINE,
};

FIXTURE_VARIANT_ADD(end, combining_gatherv) {
	.op = SCATTER_OP_GATHERV, .algorithm = COMBINE,
};

FIXTURE_SETUP(end)
{
	self->gathers = is_gather(variant->op);
	self->combines = variant->algorithm == COMBINE;
	self->call = (struct call){
		.op = variant->op,
		.algorithm = variant->algorithm,
		.root = ROOT,
		.block = self->combines ? CHUNKS : LARGE,
		.seed = 5,
		.timeout_ms = PATIENCE_MS,
		.sides = { NEAR, FAR },
	};
	ASSERT_TRUE(crew_form_sides(&self->crew, NEAR, FAR, NULL));
}

FIXTURE_TEARDOWN(end)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* Death ---------------------------------------------------------------------- */

/* A gather lacks its block, and an OR-broadcast its messages. */
TEST_F(end, death_of_a_leaf_that_has_not_called)
{
	const __u64 others = RANK(ROOT) | RANK(4);
	struct crew *crew = &self->crew;

	crew_start(crew, others, &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(ROOT)));
	ASSERT_TRUE(worker_end(&crew->worker[3]));
	if (self->combines)
		EXPECT_TRUE(crew_fails(crew, others, ECONNRESET, 3));
	if (!self->combines && self->gathers)
		EXPECT_TRUE(crew_fails(crew, RANK(ROOT), ECONNRESET, 3));
	if (!self->combines && self->gathers)
		worker_finish(&crew->worker[4]);
	if (!self->combines && !self->gathers)
		EXPECT_TRUE(crew_succeeds(crew, others));
	EXPECT_TRUE(crew_calls(crew, IDLE, &self->call));
	EXPECT_TRUE(crew_is_broken(crew, ALL & ~RANK(3), ECONNRESET, 3));
}

/* Pauses ----------------------------------------------------------------------- */

/* Somebody who waits; the same call goes on, another one is another one. */
static void pause_and_resume(struct __test_metadata *_metadata,
			     struct crew *crew, const struct call *call,
			     unsigned int rank)
{
	const __u64 late = ALL & ~RANK(rank) & ~RANK(0);
	struct call other = *call;
	union task_args args;

	ASSERT_TRUE(crew_calls(crew, RANK(0), call));
	crew_start(crew, RANK(rank), call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(rank)));
	ASSERT_TRUE(crew_is_interrupted(crew, RANK(rank)));
	other.root = rank == ROOT ? 0 : 2;
	EXPECT_EQ(-EBUSY, crew_resume(crew, rank, &other));
	args.call = crew_args(rank, call, CALL_CHECK);
	args.call.coll.root = SCATTER_PROC_NULL;
	EXPECT_EQ(-EBUSY, worker_do(&crew->worker[rank], task_call, &args));
	args.call = crew_args(rank, call, CALL_CHECK);
	args.call.coll.deadline_ns = after_ms(1);
	EXPECT_EQ(-ETIMEDOUT, worker_do(&crew->worker[rank], task_call, &args));
	crew_start(crew, late, call);
	EXPECT_EQ(0, crew_resume(crew, rank, call));
	EXPECT_EQ(1U, crew->worker[rank].reply.args.call.intact);
	EXPECT_TRUE(crew_succeeds(crew, late));
	/* All these calls were one operation. */
	EXPECT_TRUE(crew_runs(crew, call));
}

TEST_F(end, the_root_is_paused)
{
	pause_and_resume(_metadata, &self->crew, &self->call, ROOT);
}

TEST_F(end, a_leaf_is_paused)
{
	pause_and_resume(_metadata, &self->crew, &self->call, 3);
}

TEST_F(end, status_tells_who_is_missing)
{
	struct crew *crew = &self->crew;
	const struct seen *status;

	ASSERT_TRUE(crew_calls(crew, RANK(0), &self->call));
	crew_start(crew, RANK(4), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(4)));
	ASSERT_TRUE(crew_is_interrupted(crew, RANK(4)));
	status = crew_seen(crew, 4);
	ASSERT_NE(NULL, status);
	EXPECT_EQ(RANK(ROOT) | RANK(2) | RANK(3), status->missing[0]);
	EXPECT_EQ(1, status->rank);
	crew_start(crew, ALL & ~RANK(0) & ~RANK(4), &self->call);
	EXPECT_EQ(0, crew_resume(crew, 4, &self->call));
	EXPECT_TRUE(crew_succeeds(crew, ALL & ~RANK(0) & ~RANK(4)));
}

/* Bad memory ------------------------------------------------------------------- */

static void bad_memory(struct __test_metadata *_metadata, struct crew *crew,
		       unsigned int rank, char *area)
{
	ASSERT_EQ(0, worker_map(&crew->worker[rank], area, AREA_BYTES, 0,
				MAP_HOW_NONE));
}

static void good_memory(struct __test_metadata *_metadata, struct crew *crew,
			unsigned int rank, char *area)
{
	ASSERT_EQ(0, worker_map(&crew->worker[rank], area, AREA_BYTES,
				PROT_READ | PROT_WRITE, MAP_HOW_FRESH));
}

/* Nothing is filled: there may be nowhere to. */
static void start_bare(struct crew *crew, unsigned int rank,
		       const struct call *call)
{
	union task_args args = { .call = crew_args(rank, call, 0) };

	worker_order(&crew->worker[rank], task_call, &args);
}

TEST_F(end, a_root_with_bad_memory)
{
	char *area = self->gathers ? recv_area : send_area;
	struct crew *crew = &self->crew;

	bad_memory(_metadata, crew, ROOT, area);
	crew_start(crew, LEAVES | IDLE, &self->call);
	start_bare(crew, ROOT, &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(ROOT), EFAULT, NOBODY));
	/* Members of a combining gather need nothing of it. */
	if (!self->combines || !self->gathers)
		EXPECT_TRUE(crew_fails(crew, LEAVES, EREMOTEIO, ROOT));
	if (self->combines && self->gathers)
		EXPECT_TRUE(crew_succeeds(crew, LEAVES));
	EXPECT_TRUE(crew_succeeds(crew, IDLE));
	good_memory(_metadata, crew, ROOT, area);
	EXPECT_TRUE(crew_runs(crew, &self->call));
}

TEST_F(end, a_leaf_with_bad_memory)
{
	char *area = self->gathers ? send_area : recv_area;
	const __u64 others = RANK(ROOT) | RANK(4);
	struct crew *crew = &self->crew;

	bad_memory(_metadata, crew, 3, area);
	crew_start(crew, others | IDLE, &self->call);
	start_bare(crew, 3, &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(3), EFAULT, NOBODY));
	EXPECT_TRUE(crew_succeeds(crew, IDLE | RANK(4)));
	if (self->gathers)
		EXPECT_TRUE(crew_fails(crew, RANK(ROOT), EREMOTEIO, 3));
	if (!self->gathers)
		EXPECT_TRUE(crew_succeeds(crew, RANK(ROOT)));
	good_memory(_metadata, crew, 3, area);
	EXPECT_TRUE(crew_runs(crew, &self->call));
}

/* Idle members do not even need to have any. */
TEST_F(end, an_idle_member_without_memory)
{
	struct crew *crew = &self->crew;

	bad_memory(_metadata, crew, 0, send_area);
	bad_memory(_metadata, crew, 0, recv_area);
	EXPECT_TRUE(crew_runs(crew, &self->call));
	EXPECT_EQ(0ULL, crew_seen(crew, 0)->own.pins);
	EXPECT_EQ(0ULL, crew_seen(crew, 0)->own.bytes_copied);
}

/* Other disagreements ---------------------------------------------------------- */

static void differs(struct __test_metadata *_metadata, struct crew *crew,
		    const struct call *call, unsigned int rank,
		    const struct call *other)
{
	crew_start(crew, LEAVES, call);
	ASSERT_TRUE(crew_sleeps(crew, LEAVES));
	crew_start(crew, RANK(rank), other);
	EXPECT_TRUE(crew_fails(crew, LEAVES | RANK(rank), EPROTO, rank));
	EXPECT_TRUE(crew_is_broken(crew, ALL, EPROTO, rank));
}

TEST_F(end, an_idle_member_calls_another_operation)
{
	struct call other = self->call;

	other.op = self->gathers ? SCATTER_OP_SCATTER : SCATTER_OP_GATHER;
	differs(_metadata, &self->crew, &self->call, 0, &other);
}

TEST_F(end, an_idle_member_calls_a_barrier)
{
	const struct call other = {
		.op = SCATTER_OP_BARRIER, .sides = { NEAR, FAR },
	};

	differs(_metadata, &self->crew, &self->call, 0, &other);
}

TEST_F(end, an_idle_member_asks_for_another_schedule)
{
	struct call other = self->call;

	other.algorithm = SCATTER_ALGORITHM_KNOMIAL;
	differs(_metadata, &self->crew, &self->call, 2, &other);
}

TEST_F(end, who_comes_after_an_idle_one_asks_for_another_schedule)
{
	struct call other = self->call;

	other.algorithm = SCATTER_ALGORITHM_KNOMIAL;
	ASSERT_TRUE(crew_calls(&self->crew, RANK(2), &other));
	crew_start(&self->crew, RANK(3), &self->call);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(3), EPROTO, 3));
	EXPECT_TRUE(crew_is_broken(&self->crew, ALL, EPROTO, 3));
}

/* In a v form the leaf is named, whoever comes first. */
TEST_F(end, a_root_with_another_block)
{
	const bool vector = self->call.op >= SCATTER_OP_SCATTERV;
	struct call other = self->call;

	other.block++;
	crew_start(&self->crew, LEAVES, &self->call);
	ASSERT_TRUE(crew_sleeps(&self->crew, LEAVES));
	crew_start(&self->crew, RANK(ROOT), &other);
	EXPECT_TRUE(crew_fails(&self->crew, LEAVES | RANK(ROOT), EPROTO,
			       vector ? NEAR : ROOT));
}

TEST_F(end, a_leaf_with_another_block)
{
	struct call other = self->call;

	other.block++;
	crew_start(&self->crew, RANK(ROOT), &self->call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(ROOT)));
	crew_start(&self->crew, RANK(4), &other);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(4) | RANK(ROOT), EPROTO, 4));
}

TEST_HARNESS_MAIN
