// SPDX-License-Identifier: GPL-2.0
/*
 * Members that disagree: EPROTO at all who have not returned, and at the next
 * call of those who have; the first rank that differed is named everywhere.
 */
#include <errno.h>
#include <poll.h>

#include "crew.h"
#include "harness.h"

#define SIZE		4
#define EAGER		64ULL
#define LARGE		(1ULL << 20)

FIXTURE(agree)
{
	struct crew crew;
};

/* @agreed is what the others call, @differs what one rank calls. */
FIXTURE_VARIANT(agree)
{
	struct call agreed;
	struct call differs;
};

FIXTURE_VARIANT_ADD(agree, op) {
	.agreed = { .op = SCATTER_OP_SCATTER, .block = EAGER },
	.differs = { .op = SCATTER_OP_GATHER, .block = EAGER },
};

FIXTURE_VARIANT_ADD(agree, barrier) {
	.agreed = { .op = SCATTER_OP_SCATTER },
	.differs = { .op = SCATTER_OP_BARRIER },
};

FIXTURE_VARIANT_ADD(agree, no_barrier) {
	.agreed = { .op = SCATTER_OP_BARRIER },
	.differs = { .op = SCATTER_OP_GATHER, .block = EAGER },
};

FIXTURE_VARIANT_ADD(agree, root) {
	.agreed = { .op = SCATTER_OP_SCATTER, .block = EAGER },
	.differs = { .op = SCATTER_OP_SCATTER, .block = EAGER, .root = 1 },
};

FIXTURE_VARIANT_ADD(agree, itself_as_root) {
	.agreed = { .op = SCATTER_OP_SCATTER, .block = EAGER },
	.differs = { .op = SCATTER_OP_SCATTER, .block = EAGER, .root = 3 },
};

FIXTURE_VARIANT_ADD(agree, block) {
	.agreed = { .op = SCATTER_OP_SCATTER, .block = EAGER },
	.differs = { .op = SCATTER_OP_SCATTER, .block = EAGER + 1 },
};

FIXTURE_VARIANT_ADD(agree, no_block) {
	.agreed = { .op = SCATTER_OP_SCATTER, .block = EAGER },
	.differs = { .op = SCATTER_OP_SCATTER },
};

FIXTURE_VARIANT_ADD(agree, rendezvous_block) {
	.agreed = { .op = SCATTER_OP_SCATTER, .block = LARGE },
	.differs = { .op = SCATTER_OP_SCATTER, .block = EAGER },
};

FIXTURE_VARIANT_ADD(agree, algorithm) {
	.agreed = {
		.op = SCATTER_OP_SCATTER, .block = EAGER,
		.algorithm = SCATTER_ALGORITHM_LINEAR,
	},
	.differs = {
		.op = SCATTER_OP_SCATTER, .block = EAGER,
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	},
};

/* Even if the cost model would choose the very same. */
FIXTURE_VARIANT_ADD(agree, auto_algorithm) {
	.agreed = { .op = SCATTER_OP_SCATTER, .block = EAGER },
	.differs = {
		.op = SCATTER_OP_SCATTER, .block = EAGER,
		.algorithm = SCATTER_ALGORITHM_LINEAR,
	},
};

/* A v form is another operation, even if the blocks are the same. */
FIXTURE_VARIANT_ADD(agree, vector) {
	.agreed = { .op = SCATTER_OP_SCATTER, .block = EAGER },
	.differs = { .op = SCATTER_OP_SCATTERV, .block = EAGER },
};

FIXTURE_VARIANT_ADD(agree, no_vector) {
	.agreed = { .op = SCATTER_OP_SCATTERV, .block = EAGER },
	.differs = { .op = SCATTER_OP_SCATTER, .block = EAGER },
};

FIXTURE_VARIANT_ADD(agree, gather_vector) {
	.agreed = { .op = SCATTER_OP_GATHER, .block = LARGE },
	.differs = { .op = SCATTER_OP_GATHERV, .block = LARGE },
};

FIXTURE_VARIANT_ADD(agree, gather_no_vector) {
	.agreed = { .op = SCATTER_OP_GATHERV, .block = LARGE },
	.differs = { .op = SCATTER_OP_GATHER, .block = LARGE },
};

FIXTURE_VARIANT_ADD(agree, scatter_gather_vector) {
	.agreed = { .op = SCATTER_OP_SCATTERV, .block = EAGER },
	.differs = { .op = SCATTER_OP_GATHERV, .block = EAGER },
};

FIXTURE_VARIANT_ADD(agree, vector_root) {
	.agreed = { .op = SCATTER_OP_SCATTERV, .block = EAGER, .root = 0 },
	.differs = { .op = SCATTER_OP_SCATTERV, .block = EAGER, .root = 3 },
};

FIXTURE_SETUP(agree)
{
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(agree)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static struct call patient(struct call call)
{
	call.timeout_ms = PATIENCE_MS;
	return call;
}

/* Nobody has died and nobody has gone: no POLLPRI, no POLLHUP. */
static bool sees_a_break(struct crew *crew, unsigned int rank, int culprit)
{
	const union task_args args = { .word = { POLLERR } };

	return crew_is_told(crew, rank, EPROTO, culprit) &&
	       worker_do(&crew->worker[rank], task_events, &args) == (POLLOUT | POLLERR);
}

/* Ranks 1 and 2 sleep in the operation when rank 3 calls another. */
TEST_F(agree, those_inside_and_the_one_that_differs_get_eproto)
{
	const struct call agreed = patient(variant->agreed);
	const struct call differs = patient(variant->differs);
	struct crew *crew = &self->crew;
	unsigned int r;

	crew_start(crew, RANKS(1, 2), &agreed);
	ASSERT_TRUE(crew_sleeps(crew, RANKS(1, 2)));
	crew_start(crew, RANK(3), &differs);
	EXPECT_TRUE(crew_fails(crew, RANKS(1, 3), EPROTO, 3));
	/* Rank 0 comes too late for either. */
	crew_start(crew, RANK(0), &agreed);
	EXPECT_TRUE(crew_fails(crew, RANK(0), EPROTO, 3));
	for (r = 0; r < SIZE; r++)
		EXPECT_TRUE(sees_a_break(crew, r, 3));
}

TEST_F(agree, every_later_operation_gets_the_errno_that_broke_the_group)
{
	const struct call agreed = patient(variant->agreed);
	const struct call differs = patient(variant->differs);
	struct crew *crew = &self->crew;
	unsigned int i;

	crew_start(crew, RANK(1), &agreed);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	crew_start(crew, RANK(2), &differs);
	EXPECT_TRUE(crew_fails(crew, RANKS(1, 2), EPROTO, 2));
	for (i = 0; i < 3; i++) {
		crew_start(crew, RANKS(0, 3), &agreed);
		EXPECT_TRUE(crew_fails(crew, RANKS(0, 3), EPROTO, 2));
	}
	/* The error stays, whichever member dies now. */
	ASSERT_TRUE(worker_end(&crew->worker[3]));
	crew_start(crew, RANKS(0, 2), &agreed);
	EXPECT_TRUE(crew_fails(crew, RANKS(0, 2), EPROTO, 2));
}

TEST_F(agree, leave_is_still_possible)
{
	const struct call agreed = patient(variant->agreed);
	const struct call differs = patient(variant->differs);
	struct crew *crew = &self->crew;
	unsigned int r;

	crew_start(crew, RANK(1), &agreed);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	crew_start(crew, RANK(3), &differs);
	EXPECT_TRUE(crew_fails(crew, RANK(1) | RANK(3), EPROTO, 3));
	for (r = 0; r < SIZE; r++)
		EXPECT_EQ(0, worker_do(&crew->worker[r], task_leave, NULL));
}

/* What is not part of the agreement. */
TEST(buffers_flags_and_deadlines_may_differ)
{
	struct call call = {
		.op = SCATTER_OP_SCATTER, .block = EAGER, .root = 2,
		.flags = SCATTER_COLL_IN_PLACE, .timeout_ms = PATIENCE_MS,
	};
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	crew_start(&crew, RANKS(0, 1), &call);
	call.timeout_ms = 0;
	crew_start(&crew, RANKS(2, 3), &call);
	EXPECT_TRUE(crew_succeeds(&crew, RANKS(0, 3)));
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
