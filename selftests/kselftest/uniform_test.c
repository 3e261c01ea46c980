// SPDX-License-Identifier: GPL-2.0
/*
 * UNIFORM: all members succeed or none, with one errno and one culprit.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

#include "harness.h"
#include "regroup.h"

#define SIZE		4U
#define ALL		RANKS(0, SIZE - 1)
#define SMALL		64ULL
#define LARGE		((1ULL << 20) + 3)
#define NOBODY		SCATTER_RANK_ANY

FIXTURE(uniform)
{
	struct crew crew;
	struct call call;
};

/*
 * @last: who calls when all others wait
 * @bad: who has no buffer, in a test that needs one; its rank must not be @last
 */
FIXTURE_VARIANT(uniform)
{
	struct call call;
	unsigned int last;
	unsigned int bad;
};

FIXTURE_VARIANT_ADD(uniform, barrier) {
	.call = { .op = SCATTER_OP_BARRIER }, .last = 2, .bad = SIZE,
};

FIXTURE_VARIANT_ADD(uniform, scatter) {
	.call = { .op = SCATTER_OP_SCATTER, .block = SMALL }, .last = 3, .bad = 1,
};

FIXTURE_VARIANT_ADD(uniform, scatter_root_last) {
	.call = { .op = SCATTER_OP_SCATTER, .block = SMALL, .root = 2 },
	.last = 2, .bad = 1,
};

FIXTURE_VARIANT_ADD(uniform, scatter_root_bad) {
	.call = { .op = SCATTER_OP_SCATTER, .block = SMALL }, .last = 3, .bad = 0,
};

FIXTURE_VARIANT_ADD(uniform, scatter_large) {
	.call = { .op = SCATTER_OP_SCATTER, .block = LARGE }, .last = 1, .bad = 3,
};

FIXTURE_VARIANT_ADD(uniform, scatter_large_root_bad) {
	.call = { .op = SCATTER_OP_SCATTER, .block = LARGE }, .last = 1, .bad = 0,
};

FIXTURE_VARIANT_ADD(uniform, scatter_hypercube) {
	.call = {
		.op = SCATTER_OP_SCATTER, .block = SMALL,
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	},
	.last = 2, .bad = 3,
};

FIXTURE_VARIANT_ADD(uniform, scatter_rotated) {
	.call = {
		.op = SCATTER_OP_SCATTER, .block = LARGE,
		.algorithm = SCATTER_ALGORITHM_ROTATED,
	},
	.last = 0, .bad = 1,
};

FIXTURE_VARIANT_ADD(uniform, gather) {
	.call = { .op = SCATTER_OP_GATHER, .block = SMALL }, .last = 3, .bad = 1,
};

FIXTURE_VARIANT_ADD(uniform, gather_root_last) {
	.call = { .op = SCATTER_OP_GATHER, .block = SMALL }, .last = 0, .bad = 3,
};

FIXTURE_VARIANT_ADD(uniform, gather_large_root_bad) {
	.call = { .op = SCATTER_OP_GATHER, .block = LARGE, .root = 3 },
	.last = 0, .bad = 3,
};

FIXTURE_VARIANT_ADD(uniform, gather_large) {
	.call = { .op = SCATTER_OP_GATHER, .block = LARGE }, .last = 0, .bad = 1,
};

FIXTURE_VARIANT_ADD(uniform, gather_hypercube) {
	.call = {
		.op = SCATTER_OP_GATHER, .block = LARGE,
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	},
	.last = 2, .bad = 1,
};

FIXTURE_VARIANT_ADD(uniform, scatterv) {
	.call = { .op = SCATTER_OP_SCATTERV, .block = SMALL }, .last = 0, .bad = 2,
};

FIXTURE_VARIANT_ADD(uniform, gatherv) {
	.call = { .op = SCATTER_OP_GATHERV, .block = SMALL }, .last = 3, .bad = 1,
};

FIXTURE_VARIANT_ADD(uniform, gatherv_large) {
	.call = { .op = SCATTER_OP_GATHERV, .block = LARGE }, .last = 0, .bad = 2,
};

/* Rank 3 has nothing to get and nothing to give. */
FIXTURE_VARIANT_ADD(uniform, irregular_scatterv) {
	.call = {
		.op = SCATTER_OP_SCATTERV, .block = SMALL,
		.algorithm = SCATTER_ALGORITHM_IRREGULAR,
	},
	.last = 3, .bad = 2,
};

FIXTURE_VARIANT_ADD(uniform, irregular_scatterv_root_last) {
	.call = {
		.op = SCATTER_OP_SCATTERV, .block = LARGE, .root = 3,
		.algorithm = SCATTER_ALGORITHM_IRREGULAR,
	},
	.last = 3, .bad = 2,
};

FIXTURE_VARIANT_ADD(uniform, irregular_gatherv) {
	.call = {
		.op = SCATTER_OP_GATHERV, .block = SMALL,
		.algorithm = SCATTER_ALGORITHM_IRREGULAR,
	},
	.last = 3, .bad = 1,
};

FIXTURE_VARIANT_ADD(uniform, combining_scatter) {
	.call = {
		.op = SCATTER_OP_SCATTER, .block = SMALL,
		.algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
	},
	.last = 1, .bad = 0,
};

FIXTURE_VARIANT_ADD(uniform, combining_gather) {
	.call = {
		.op = SCATTER_OP_GATHER, .block = 20000,
		.algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
	},
	.last = 1, .bad = 2,
};

FIXTURE_SETUP(uniform)
{
	self->call = variant->call;
	self->call.flags |= SCATTER_COLL_UNIFORM;
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(uniform)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* All but the last are in the operation, and none of them returns. */
static bool all_wait(struct crew *crew, const struct call *call, unsigned int last)
{
	crew_start(crew, ALL & ~RANK(last), call);
	return crew_sleeps(crew, ALL & ~RANK(last));
}

TEST_F(uniform, nobody_returns_before_all_have_done_their_parts)
{
	struct crew *crew = &self->crew;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		self->call.seed = i;
		ASSERT_TRUE(all_wait(crew, &self->call, variant->last));
		ASSERT_TRUE(crew_calls(crew, RANK(variant->last), &self->call));
		ASSERT_TRUE(crew_succeeds(crew, ALL & ~RANK(variant->last)));
	}
	for (i = 0; i < 20; i++) {
		self->call.seed = i;
		ASSERT_TRUE(crew_runs(crew, &self->call));
	}
}

TEST_F(uniform, a_death_fails_all)
{
	struct crew *crew = &self->crew;
	__u64 others = ALL & ~RANK(variant->last);

	ASSERT_TRUE(all_wait(crew, &self->call, variant->last));
	ASSERT_TRUE(worker_end(&crew->worker[variant->last]));
	EXPECT_TRUE(crew_fails(crew, others, ECONNRESET, variant->last));
}

/* One that has called, and waits. */
TEST_F(uniform, a_death_of_one_inside_fails_all)
{
	unsigned int victim = (variant->last + 1) % SIZE;
	struct crew *crew = &self->crew;

	ASSERT_TRUE(all_wait(crew, &self->call, variant->last));
	ASSERT_TRUE(worker_end(&crew->worker[victim]));
	EXPECT_TRUE(crew_fails(crew, ALL & ~RANK(variant->last) & ~RANK(victim),
			       ECONNRESET, victim));
	crew_start(crew, RANK(variant->last), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(variant->last), ECONNRESET, victim));
}

TEST_F(uniform, a_leave_fails_all)
{
	struct crew *crew = &self->crew;
	__u64 others = ALL & ~RANK(variant->last);

	ASSERT_TRUE(all_wait(crew, &self->call, variant->last));
	ASSERT_EQ(0, worker_do(&crew->worker[variant->last], task_leave, NULL));
	EXPECT_TRUE(crew_fails(crew, others, ESHUTDOWN, variant->last));
}

TEST_F(uniform, a_revoke_fails_all)
{
	struct crew *crew = &self->crew;
	struct worker *last = &crew->worker[variant->last];

	ASSERT_TRUE(all_wait(crew, &self->call, variant->last));
	ASSERT_EQ(0, worker_do(last, task_revoke, NULL));
	EXPECT_TRUE(crew_fails(crew, ALL & ~RANK(variant->last), ECANCELED,
			       variant->last));
}

TEST_F(uniform, who_has_not_the_flag_disagrees)
{
	struct crew *crew = &self->crew;
	struct call other = self->call;

	other.flags = 0;
	ASSERT_TRUE(all_wait(crew, &self->call, variant->last));
	crew_start(crew, RANK(variant->last), &other);
	EXPECT_TRUE(crew_fails(crew, ALL, EPROTO, variant->last));
}

/* A member that is interrupted while it only waits for others has done its part. */
TEST_F(uniform, it_can_be_paused_and_resumed)
{
	struct crew *crew = &self->crew;
	__u64 others = ALL & ~RANK(variant->last);
	unsigned int r;

	ASSERT_TRUE(all_wait(crew, &self->call, variant->last));
	for (r = 0; r < SIZE; r++)
		if (others & RANK(r))
			worker_signal(&crew->worker[r], SIGUSR1);
	ASSERT_TRUE(crew_fails(crew, others, EINTR, NOBODY));
	crew_start(crew, RANK(variant->last), &self->call);
	for (r = 0; r < SIZE; r++) {
		union task_args args = {
			.call = crew_args(r, &self->call, CALL_CHECK),
		};

		if (others & RANK(r))
			worker_order(&crew->worker[r], task_call, &args);
	}
	EXPECT_TRUE(crew_succeeds(crew, ALL));
	EXPECT_TRUE(crew_runs(crew, &self->call));
}

/* The member has done its part, but the operation is not fulfilled for all. */
TEST_F(uniform, a_paused_one_that_leaves_fails_all)
{
	unsigned int quitter = (variant->last + 1) % SIZE;
	struct crew *crew = &self->crew;
	__u64 rest = ALL & ~RANK(quitter);

	ASSERT_TRUE(all_wait(crew, &self->call, variant->last));
	worker_signal(&crew->worker[quitter], SIGUSR1);
	ASSERT_TRUE(crew_fails(crew, RANK(quitter), EINTR, NOBODY));
	ASSERT_EQ(0, worker_do(&crew->worker[quitter], task_leave, NULL));
	EXPECT_TRUE(crew_fails(crew, rest & ~RANK(variant->last), ESHUTDOWN, quitter));
	crew_start(crew, RANK(variant->last), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(variant->last), ESHUTDOWN, quitter));
}

static bool memory(struct crew *crew, unsigned int rank, enum map_how how)
{
	const int both = PROT_READ | PROT_WRITE;
	struct worker *worker = &crew->worker[rank];

	return !worker_map(worker, send_area, AREA_BYTES, both, how) &&
	       !worker_map(worker, recv_area, AREA_BYTES, both, how);
}

/* The bad one alone gets EFAULT; it survives, as the group does. */
TEST_F(uniform, a_fault_fails_all)
{
	struct crew *crew = &self->crew;
	unsigned int bad = variant->bad;
	union task_args args;
	unsigned int i;

	if (bad == SIZE)
		SKIP(return, "nobody has a buffer");
	for (i = 0; i < 3; i++) {
		bool first = i % 2;

		ASSERT_TRUE(memory(crew, bad, MAP_HOW_NONE));
		args.call = crew_args(bad, &self->call, 0);
		if (first)
			worker_order(&crew->worker[bad], task_call, &args);
		crew_start(crew, ALL & ~RANK(bad), &self->call);
		if (!first)
			worker_order(&crew->worker[bad], task_call, &args);
		EXPECT_TRUE(crew_fails(crew, RANK(bad), EFAULT, NOBODY));
		EXPECT_TRUE(crew_fails(crew, ALL & ~RANK(bad), EREMOTEIO, bad));
		ASSERT_TRUE(memory(crew, bad, MAP_HOW_FRESH));
		ASSERT_TRUE(crew_runs(crew, &self->call));
	}
}

/* Two are bad: one is the culprit, and the other one gets what all get. */
TEST_F(uniform, of_two_faults_one_counts)
{
	unsigned int other = (variant->bad + 1) % SIZE, r;
	struct crew *crew = &self->crew;
	unsigned int faults = 0;
	int culprit = NOBODY;
	union task_args args;

	if (variant->bad == SIZE || is_vector(self->call.op))
		SKIP(return, "not everybody has a buffer");
	for (r = 0; r < SIZE; r++) {
		bool bad = r == variant->bad || r == other;

		ASSERT_TRUE(!bad || memory(crew, r, MAP_HOW_NONE));
		args.call = crew_args(r, &self->call, bad ? 0 : CALL_FILL);
		worker_order(&crew->worker[r], task_call, &args);
	}
	for (r = 0; r < SIZE; r++) {
		__s64 result = worker_finish(&crew->worker[r]);

		faults += result == -EFAULT;
		if (result == -EREMOTEIO)
			culprit = crew->worker[r].reply.args.call.results.culprit;
	}
	EXPECT_EQ(1U, faults);
	EXPECT_TRUE(culprit == (int)variant->bad || culprit == (int)other);
	for (r = 0; r < SIZE; r++)
		EXPECT_EQ((int)r == culprit ? -EFAULT : -EREMOTEIO,
			  crew->worker[r].reply.result);
}

/*
 * All have done their parts when one that is paused is about to learn it: what happens
 * then changes nothing.
 */
FIXTURE(settled)
{
	struct crew crew;
	struct call call;
};

FIXTURE_SETUP(settled)
{
	struct crew *crew = &self->crew;

	self->call = (struct call){
		.op = SCATTER_OP_GATHER, .block = SMALL,
		.flags = SCATTER_COLL_UNIFORM,
	};
	ASSERT_TRUE(crew_form(crew, SIZE, 0));
	crew_start(crew, RANK(1), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	worker_signal(&crew->worker[1], SIGUSR1);
	ASSERT_TRUE(crew_fails(crew, RANK(1), EINTR, NOBODY));
	ASSERT_TRUE(crew_calls(crew, ALL & ~RANK(1), &self->call));
}

FIXTURE_TEARDOWN(settled)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F(settled, by_a_deadline)
{
	self->call.timeout_ms = 1;
	EXPECT_EQ(0, crew_resume(&self->crew, 1, &self->call));
}

TEST_F(settled, but_only_for_the_same_call)
{
	struct call other = self->call;

	other.flags = 0;
	EXPECT_EQ(-EBUSY, crew_resume(&self->crew, 1, &other));
	EXPECT_EQ(0, crew_resume(&self->crew, 1, &self->call));
}

TEST_HARNESS_MAIN
