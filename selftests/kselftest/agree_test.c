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

static void is_broken(struct __test_metadata *_metadata, struct crew *crew,
		      unsigned int rank, int culprit)
{
	const struct seen *status = crew_seen(crew, rank);
	union task_args args = { .word = { POLLERR } };

	ASSERT_NE(NULL, status);
	EXPECT_EQ(SCATTER_STATE_BROKEN, (int)status->state);
	EXPECT_EQ(EPROTO, (int)status->error);
	EXPECT_EQ(culprit, status->culprit);
	EXPECT_EQ(0U, mask_count(status->dead));
	EXPECT_EQ(0U, mask_count(status->left));
	/* Nobody has died and nobody has gone: no POLLPRI, no POLLHUP. */
	EXPECT_EQ(POLLOUT | POLLERR,
		  worker_do(&crew->worker[rank], task_events, &args));
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
		is_broken(_metadata, crew, r, 3);
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
	/* It stays what it is, whoever dies now. */
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

/* What one of two calls second is what differs, whoever is "right". */
TEST(of_two_the_second_differs)
{
	const struct call scatter = {
		.op = SCATTER_OP_SCATTER, .block = EAGER,
		.timeout_ms = PATIENCE_MS,
	};
	const struct call barrier = {
		.op = SCATTER_OP_BARRIER, .timeout_ms = PATIENCE_MS,
	};
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 2, 0));
	crew_start(&crew, RANK(1), &scatter);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(1)));
	crew_start(&crew, RANK(0), &barrier);
	EXPECT_TRUE(crew_fails(&crew, RANKS(0, 1), EPROTO, 0));
	EXPECT_TRUE(crew_end(&crew));
}

/* The first one that differs is named, not the ones after it. */
TEST(of_many_that_differ_the_first_is_named)
{
	struct call call = {
		.op = SCATTER_OP_SCATTER, .block = EAGER,
		.timeout_ms = PATIENCE_MS,
	};
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	crew_start(&crew, RANK(1), &call);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(1)));
	call.block++;
	crew_start(&crew, RANK(2), &call);
	EXPECT_TRUE(crew_fails(&crew, RANK(2), EPROTO, 2));
	call.block++;
	crew_start(&crew, RANK(3), &call);
	EXPECT_TRUE(crew_fails(&crew, RANK(3), EPROTO, 2));
	EXPECT_TRUE(crew_fails(&crew, RANK(1), EPROTO, 2));
	EXPECT_TRUE(crew_end(&crew));
}

/* A gather's leaf has put its block away and gone on; it learns later. */
TEST(who_has_returned_learns_at_the_next_call)
{
	const struct call gather = {
		.op = SCATTER_OP_GATHER, .block = EAGER,
		.timeout_ms = PATIENCE_MS,
	};
	const struct call scatter = {
		.op = SCATTER_OP_SCATTER, .block = EAGER,
		.timeout_ms = PATIENCE_MS,
	};
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	ASSERT_TRUE(crew_calls(&crew, RANK(1), &gather));
	crew_start(&crew, RANK(0), &gather);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(0)));
	crew_start(&crew, RANK(2), &scatter);
	EXPECT_TRUE(crew_fails(&crew, RANK(0) | RANK(2), EPROTO, 2));
	is_broken(_metadata, &crew, 1, 2);
	crew_start(&crew, RANK(1), &gather);
	EXPECT_TRUE(crew_fails(&crew, RANK(1), EPROTO, 2));
	EXPECT_TRUE(crew_end(&crew));
}

/* A scatter's root that waits in a rendezvous is told too. */
TEST(a_root_whose_memory_is_wanted_gets_eproto)
{
	const struct call agreed = {
		.op = SCATTER_OP_SCATTER, .block = LARGE,
		.timeout_ms = PATIENCE_MS,
	};
	const struct call differs = {
		.op = SCATTER_OP_SCATTER, .block = LARGE - 1,
		.timeout_ms = PATIENCE_MS,
	};
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	crew_start(&crew, RANKS(0, 1), &agreed);
	ASSERT_TRUE(crew_succeeds(&crew, RANK(1)));
	ASSERT_TRUE(crew_sleeps(&crew, RANK(0)));
	crew_start(&crew, RANK(3), &differs);
	EXPECT_TRUE(crew_fails(&crew, RANK(0) | RANK(3), EPROTO, 3));
	crew_start(&crew, RANKS(1, 2), &agreed);
	EXPECT_TRUE(crew_fails(&crew, RANKS(1, 2), EPROTO, 3));
	EXPECT_TRUE(crew_end(&crew));
}

/*
 * Rank 1 is three operations ahead, rank 2 differs in the one before: what was
 * called before that still holds, what comes after does not.
 */
TEST(only_what_was_agreed_before_still_completes)
{
	const struct call gather = {
		.op = SCATTER_OP_GATHER, .block = EAGER,
		.timeout_ms = PATIENCE_MS,
	};
	const struct call barrier = {
		.op = SCATTER_OP_BARRIER, .timeout_ms = PATIENCE_MS,
	};
	struct crew crew;
	unsigned int i;

	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(crew_calls(&crew, RANK(1), &gather));
	crew_start(&crew, RANK(1), &barrier);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(1)));
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(crew_calls(&crew, RANK(2), &gather));
	/* Operation 2 is a gather. */
	crew_start(&crew, RANK(2), &barrier);
	EXPECT_TRUE(crew_fails(&crew, RANKS(1, 2), EPROTO, 2));
	for (i = 0; i < 2; i++)
		EXPECT_TRUE(crew_calls(&crew, RANK(3), &gather));
	for (i = 0; i < 2; i++)
		EXPECT_TRUE(crew_calls(&crew, RANK(0), &gather));
	crew_start(&crew, RANK(0) | RANK(3), &gather);
	EXPECT_TRUE(crew_fails(&crew, RANK(0) | RANK(3), EPROTO, 2));
	EXPECT_TRUE(crew_end(&crew));
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
