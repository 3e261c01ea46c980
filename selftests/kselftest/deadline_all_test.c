// SPDX-License-Identifier: GPL-2.0
/*
 * DEADLINE_ALL: the first deadline that passes while its call waits ends the operation
 * for all with ETIME, and the group goes on.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "crew.h"
#include "harness.h"
#include "race.h"

#define SIZE		4U
#define ALL		RANKS(0, SIZE - 1)
#define SMALL		64ULL
#define LARGE		((1ULL << 20) + 3)
#define NOBODY		SCATTER_RANK_ANY

/* Of a call that all others wait for. */
#define BRIEF_MS	50U
/* Long enough to see who calls asleep before. */
#define SHORT_MS	1200U

FIXTURE(deadline)
{
	struct crew crew;
	struct call call;
};

/*
 * @first: who calls before the deadline, and has to wait; one of them has it
 * @pressed: that one
 * @culprit: the lowest of the others
 */
FIXTURE_VARIANT(deadline)
{
	struct call call;
	__u64 first;
	unsigned int pressed;
	int culprit;
};

FIXTURE_VARIANT_ADD(deadline, barrier) {
	.call = { .op = SCATTER_OP_BARRIER },
	.first = RANKS(0, 2), .pressed = 1, .culprit = 3,
};

FIXTURE_VARIANT_ADD(deadline, scatter_leaf) {
	.call = { .op = SCATTER_OP_SCATTER, .block = SMALL },
	.first = RANKS(1, 3), .pressed = 3, .culprit = 0,
};

FIXTURE_VARIANT_ADD(deadline, scatter_leaf_large) {
	.call = { .op = SCATTER_OP_SCATTER, .block = LARGE },
	.first = RANK(1) | RANK(3), .pressed = 1, .culprit = 0,
};

FIXTURE_VARIANT_ADD(deadline, scatter_root) {
	.call = { .op = SCATTER_OP_SCATTER, .block = LARGE },
	.first = RANK(0), .pressed = 0, .culprit = 1,
};

FIXTURE_VARIANT_ADD(deadline, gather_root) {
	.call = { .op = SCATTER_OP_GATHER, .block = SMALL },
	.first = RANK(0), .pressed = 0, .culprit = 1,
};

FIXTURE_VARIANT_ADD(deadline, gather_leaf) {
	.call = { .op = SCATTER_OP_GATHER, .block = LARGE, .root = 2 },
	.first = RANK(0) | RANK(3), .pressed = 3, .culprit = 1,
};

FIXTURE_VARIANT_ADD(deadline, gather_interior) {
	.call = {
		.op = SCATTER_OP_GATHER, .block = LARGE,
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	},
	.first = RANK(1) | RANK(2), .pressed = 2, .culprit = 0,
};

/* The root has not said yet what there is. */
FIXTURE_VARIANT_ADD(deadline, scatterv_leaf) {
	.call = { .op = SCATTER_OP_SCATTERV, .block = SMALL, .root = 1 },
	.first = RANK(0) | RANK(2), .pressed = 2, .culprit = 1,
};

FIXTURE_VARIANT_ADD(deadline, gatherv_leaf) {
	.call = { .op = SCATTER_OP_GATHERV, .block = LARGE, .root = 3 },
	.first = RANKS(0, 2), .pressed = 0, .culprit = 3,
};

FIXTURE_VARIANT_ADD(deadline, gatherv_root) {
	.call = { .op = SCATTER_OP_GATHERV, .block = SMALL },
	.first = RANK(0), .pressed = 0, .culprit = 1,
};

FIXTURE_VARIANT_ADD(deadline, irregular) {
	.call = {
		.op = SCATTER_OP_SCATTERV, .block = LARGE,
		.algorithm = SCATTER_ALGORITHM_IRREGULAR,
	},
	.first = RANKS(1, 2), .pressed = 1, .culprit = 0,
};

FIXTURE_VARIANT_ADD(deadline, combining) {
	.call = {
		.op = SCATTER_OP_SCATTER, .block = SMALL,
		.algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
	},
	.first = RANKS(0, 2), .pressed = 2, .culprit = 3,
};

FIXTURE_VARIANT_ADD(deadline, combining_v) {
	.call = {
		.op = SCATTER_OP_GATHERV, .block = 20000,
		.algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
	},
	.first = RANKS(1, 3), .pressed = 2, .culprit = 0,
};

FIXTURE_VARIANT_ADD(deadline, uniform) {
	.call = {
		.op = SCATTER_OP_GATHER, .block = SMALL,
		.flags = SCATTER_COLL_UNIFORM,
	},
	.first = RANKS(1, 3), .pressed = 2, .culprit = 0,
};

FIXTURE_SETUP(deadline)
{
	self->call = variant->call;
	self->call.flags |= SCATTER_COLL_DEADLINE_ALL;
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(deadline)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* All of @ranks but one wait without a deadline when that one calls with one. */
static bool start_pressed(struct crew *crew, __u64 ranks, unsigned int pressed,
			  struct call call)
{
	call.timeout_ms = 0;
	crew_start(crew, ranks & ~RANK(pressed), &call);
	if (!crew_sleeps(crew, ranks & ~RANK(pressed)))
		return false;
	call.timeout_ms = BRIEF_MS;
	crew_start(crew, RANK(pressed), &call);
	return true;
}

static bool misses(struct crew *crew, unsigned int rank, __u64 ranks)
{
	const struct seen *status = crew_seen(crew, rank);

	if (status && status->missing[0] == ranks &&
	    mask_count(status->missing) == (unsigned int)__builtin_popcountll(ranks) &&
	    status->state == SCATTER_STATE_ACTIVE)
		return true;
	diag("rank %u misses %#llx, not %#llx", rank,
	     status ? (unsigned long long)status->missing[0] : 0,
	     (unsigned long long)ranks);
	return false;
}

TEST_F(deadline, it_ends_for_all_and_the_next_operations_succeed)
{
	struct crew *crew = &self->crew;
	__u64 others = ALL & ~variant->first;
	unsigned int r, i;

	ASSERT_TRUE(start_pressed(crew, variant->first, variant->pressed,
				  self->call));
	EXPECT_TRUE(crew_fails(crew, variant->first, ETIME, variant->culprit));
	for (r = 0; r < SIZE; r++)
		EXPECT_TRUE(misses(crew, r, (variant->first & RANK(r)) ? others : 0));
	/* The others learn of the end without waiting. */
	crew_start(crew, others, &self->call);
	EXPECT_TRUE(crew_fails(crew, others, ETIME, variant->culprit));
	for (r = 0; r < SIZE; r++)
		EXPECT_TRUE(misses(crew, r, others));
	for (i = 0; i < 3; i++) {
		self->call.seed = i + 1;
		ASSERT_TRUE(crew_runs(crew, &self->call));
	}
	EXPECT_EQ(4ULL, crew->worker[0].reply.args.call.results.number + 1);
	for (r = 0; r < SIZE; r++)
		EXPECT_TRUE(misses(crew, r, 0));
}

/* A call that pauses leaves its deadline behind. */
TEST_F(deadline, that_of_a_paused_call_counts)
{
	struct worker *pressed = &self->crew.worker[variant->pressed];
	struct crew *crew = &self->crew;
	__u64 others = ALL & ~variant->first;
	__u64 end;

	self->call.timeout_ms = SHORT_MS;
	end = after_ms(SHORT_MS);
	crew_start(crew, RANK(variant->pressed), &self->call);
	self->call.timeout_ms = 0;
	crew_start(crew, variant->first & ~RANK(variant->pressed), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, variant->first));
	worker_signal(pressed, SIGUSR1);
	ASSERT_TRUE(crew_fails(crew, RANK(variant->pressed), EINTR, NOBODY));
	while (now_ns() < end)
		nap_us(1000);
	/* If nobody else waits for it, it passes when somebody has to. */
	EXPECT_EQ(-ETIME, crew_resume(crew, variant->pressed, &self->call));
	EXPECT_TRUE(crew_fails(crew, variant->first & ~RANK(variant->pressed), ETIME,
			       variant->culprit));
	crew_start(crew, others, &self->call);
	EXPECT_TRUE(crew_fails(crew, others, ETIME, variant->culprit));
	EXPECT_TRUE(crew_runs(crew, &self->call));
}

TEST_F(deadline, one_that_does_not_pass_changes_nothing)
{
	struct crew *crew = &self->crew;

	self->call.timeout_ms = PATIENCE_MS;
	crew_start(crew, variant->first, &self->call);
	ASSERT_TRUE(crew_sleeps(crew, variant->first));
	crew_start(crew, ALL & ~variant->first, &self->call);
	EXPECT_TRUE(crew_succeeds(crew, ALL));
}

/* The mismatch breaks the group, as any other. */
TEST_F(deadline, who_has_not_the_flag_disagrees)
{
	struct call other = self->call;
	struct crew *crew = &self->crew;
	__u64 others = ALL & ~variant->first;

	other.flags &= ~SCATTER_COLL_DEADLINE_ALL;
	crew_start(crew, variant->first, &self->call);
	ASSERT_TRUE(crew_sleeps(crew, variant->first));
	crew_start(crew, RANK(variant->culprit), &other);
	EXPECT_TRUE(crew_fails(crew, variant->first | RANK(variant->culprit), EPROTO,
			       variant->culprit));
	others &= ~RANK(variant->culprit);
	crew_start(crew, others, &self->call);
	EXPECT_TRUE(crew_fails(crew, others, EPROTO, variant->culprit));
}

/* That still breaks the group, unless the operation is over for all. */
TEST_F(deadline, who_disagrees_after_it)
{
	struct call other = self->call;
	struct crew *crew = &self->crew;
	__u64 others = ALL & ~variant->first;
	bool over = other.flags & SCATTER_COLL_UNIFORM;
	int error = over ? ETIME : EPROTO;

	other.flags &= ~SCATTER_COLL_DEADLINE_ALL;
	ASSERT_TRUE(start_pressed(crew, variant->first, variant->pressed,
				  self->call));
	EXPECT_TRUE(crew_fails(crew, variant->first, ETIME, variant->culprit));
	crew_start(crew, RANK(variant->culprit), &other);
	EXPECT_TRUE(crew_fails(crew, RANK(variant->culprit), error, variant->culprit));
	others &= ~RANK(variant->culprit);
	crew_start(crew, others, &self->call);
	EXPECT_TRUE(crew_fails(crew, others, error, variant->culprit));
	if (over) {
		EXPECT_TRUE(crew_runs(crew, &self->call));
		return;
	}
	crew_start(crew, ALL, &self->call);
	EXPECT_TRUE(crew_fails(crew, ALL, error, variant->culprit));
}

/* A death before it counts more, a death after it breaks what comes then. */
TEST_F(deadline, a_death_after_it)
{
	struct crew *crew = &self->crew;
	__u64 rest = ALL & ~variant->first & ~RANK(variant->culprit);

	ASSERT_TRUE(start_pressed(crew, variant->first, variant->pressed,
				  self->call));
	EXPECT_TRUE(crew_fails(crew, variant->first, ETIME, variant->culprit));
	ASSERT_TRUE(worker_end(&crew->worker[variant->culprit]));
	crew_start(crew, rest, &self->call);
	EXPECT_TRUE(crew_fails(crew, rest, ETIME, variant->culprit));
	crew_start(crew, ALL & ~RANK(variant->culprit), &self->call);
	EXPECT_TRUE(crew_fails(crew, ALL & ~RANK(variant->culprit), ECONNRESET,
			       variant->culprit));
}

/* A complete operation stays complete: a deadline of the past only limits waiting. */
TEST(a_deadline_of_the_past_does_not_end_what_need_not_wait)
{
	struct call gather = {
		.op = SCATTER_OP_GATHER, .block = SMALL, .timeout_ms = 1,
		.flags = SCATTER_COLL_DEADLINE_ALL,
	};
	struct crew crew;
	unsigned int i;

	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	for (i = 0; i < 5; i++)
		EXPECT_TRUE(crew_calls(&crew, RANKS(1, 3), &gather));
	for (i = 0; i < 5; i++)
		EXPECT_TRUE(crew_calls(&crew, RANK(0), &gather));
	EXPECT_TRUE(crew_end(&crew));
}

/* Of those who had all they needed nobody learns; what they sent is dropped. */
TEST(who_has_returned_has_succeeded)
{
	struct call gather = {
		.op = SCATTER_OP_GATHER, .block = SMALL, .seed = 1,
		.flags = SCATTER_COLL_DEADLINE_ALL, .timeout_ms = 300,
	};
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	ASSERT_TRUE(crew_calls(&crew, RANKS(1, 2), &gather));
	crew_start(&crew, RANK(0), &gather);
	EXPECT_TRUE(crew_fails(&crew, RANK(0), ETIME, 3));
	EXPECT_TRUE(misses(&crew, 0, RANK(3)));
	EXPECT_TRUE(misses(&crew, 1, 0));
	/* Rank 1 calls the next one before rank 3 has called this one. */
	gather.seed = 2;
	gather.timeout_ms = 0;
	ASSERT_TRUE(crew_calls(&crew, RANK(1), &gather));
	crew_start(&crew, RANK(3), &gather);
	EXPECT_TRUE(crew_fails(&crew, RANK(3), ETIME, 3));
	EXPECT_TRUE(crew_calls(&crew, ALL & ~RANK(1), &gather));
	EXPECT_TRUE(crew_end(&crew));
}

/* All have called, but one is paused and its memory is wanted. */
TEST(if_all_have_called_the_one_that_is_waited_for_is_named)
{
	struct call scatter = {
		.op = SCATTER_OP_SCATTER, .block = LARGE,
		.algorithm = SCATTER_ALGORITHM_LINEAR,
		.flags = SCATTER_COLL_DEADLINE_ALL,
	};
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	crew_start(&crew, RANK(0), &scatter);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(0)));
	worker_signal(&crew.worker[0], SIGUSR1);
	ASSERT_TRUE(crew_fails(&crew, RANK(0), EINTR, NOBODY));
	ASSERT_TRUE(start_pressed(&crew, RANKS(1, 3), 2, scatter));
	EXPECT_TRUE(crew_fails(&crew, RANKS(1, 3), ETIME, 0));
	EXPECT_TRUE(misses(&crew, 1, 0));
	EXPECT_EQ(-ETIME, crew_resume(&crew, 0, &scatter));
	EXPECT_TRUE(crew_runs(&crew, &scatter));
	EXPECT_TRUE(crew_end(&crew));
}

/* A deadline that comes together with the last call: all succeed or all learn. */
TEST(a_deadline_in_the_nick_of_time)
{
	struct call call = {
		.op = SCATTER_OP_BARRIER, .timeout_ms = 10,
		.flags = SCATTER_COLL_DEADLINE_ALL | SCATTER_COLL_UNIFORM,
	};
	struct race race = { .us = 9000 };
	struct crew crew;
	unsigned int r;

	srand(8);
	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	while (race_goes_on(&race, 200)) {
		__s64 first;

		crew_start(&crew, RANKS(0, 2), &call);
		nap_us(race_us(&race));
		crew_start(&crew, RANK(3), &call);
		for (r = 0; r < SIZE; r++) {
			__s64 result = worker_finish(&crew.worker[r]);

			if (!r)
				first = result;
			ASSERT_TRUE(!result || result == -ETIME);
			ASSERT_EQ(first, result);
			ASSERT_EQ(race.rounds,
				  crew.worker[r].reply.args.call.results.number);
		}
		race_note(&race, !first, first);
	}
	EXPECT_TRUE(race_was_seen(&race));
	EXPECT_TRUE(crew_end(&crew));
}

/* Where the blocks of a gather would be in a buffer at address 0. */
#define LOW_SIZE	8U
#define LOW_BLOCK	(4ULL << 20)
#define LOW_BYTES	(LOW_SIZE * LOW_BLOCK)
#define LOW_LOOK	4096U
/* From the calls of the others to their deadline. */
#define LOW_MS		8U

static __s64 task_low_fill(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	memset(pointer(LOW_BLOCK), POISON, LOW_BYTES);
	return 0;
}

/* A block is written from its start. */
static __s64 task_low_intact(struct self *self, union task_args *args)
{
	unsigned int r;

	(void)self;
	(void)args;
	for (r = 1; r < LOW_SIZE; r++)
		if (!poison_holds(pointer(r * LOW_BLOCK), LOW_LOOK))
			return 0;
	return 1;
}

/* results.bytes: when to call. */
static __s64 task_call_then(struct self *self, union task_args *args)
{
	while (now_ns() < args->call.results.bytes)
		;
	return task_call(self, args);
}

/*
 * A root that calls when the deadline has just passed has not said where its buffer is: nobody
 * may write anywhere, although all look just then whether they can.
 */
TEST(who_calls_too_late_is_not_written_to)
{
	struct call gather = {
		.op = SCATTER_OP_GATHER, .block = LOW_BLOCK,
		.flags = SCATTER_COLL_DEADLINE_ALL,
	};
	const struct seen *status;
	struct race race = { .us = LOW_MS * 500 };
	union task_args args;
	struct crew crew;
	unsigned int r;
	bool late;
	__u64 end;

	srand(4);
	ASSERT_TRUE(crew_form(&crew, LOW_SIZE, 0));
	ASSERT_EQ(0, worker_map(&crew.worker[0], pointer(LOW_BLOCK), LOW_BYTES,
				PROT_READ | PROT_WRITE, MAP_HOW_FRESH));
	ASSERT_EQ(0, worker_do(&crew.worker[0], task_low_fill, NULL));
	while (race_goes_on(&race, 200)) {
		end = after_ms(LOW_MS);
		for (r = LOW_SIZE; r-- > 0;) {
			args.call = crew_args(r, &gather, 0);
			args.call.coll.deadline_ns = end;
			args.call.results.bytes = end - LOW_MS * NSEC_PER_MSEC / 2 +
						race_us(&race) * NSEC_PER_USEC;
			worker_order(&crew.worker[r], r ? task_call : task_call_then,
				     &args);
		}
		for (r = 0; r < LOW_SIZE; r++) {
			worker_finish(&crew.worker[r]);
			ASSERT_TRUE(!crew.worker[r].reply.result ||
				    crew.worker[r].reply.result == -ETIME);
		}
		status = crew_seen(&crew, 1);
		ASSERT_NE(NULL, status);
		late = mask_has(status->missing, 0);
		race_note(&race, !late, late);
		ASSERT_EQ(1, worker_do(&crew.worker[0], task_low_intact, NULL));
	}
	EXPECT_TRUE(race_was_seen(&race));
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
