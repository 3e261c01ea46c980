// SPDX-License-Identifier: GPL-2.0
/*
 * AT_MOST: the sender of a block tells its length, the receiver its room. Blocks may be shorter
 * than their room; one that is longer is an error at its receiver alone.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "harness.h"
#include "room.h"

#define SIZE		5U
#define SMALL		40ULL
#define LARGE		300001ULL
#define NOBODY		SCATTER_RANK_ANY

static const __u32 forms[] = {
	SCATTER_OP_SCATTER, SCATTER_OP_GATHER, SCATTER_OP_SCATTERV, SCATTER_OP_GATHERV,
};

static bool survives(struct crew *crew)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);

	return crew_calls(crew, RANKS(0, crew->size - 1), &barrier);
}

/* All forms ------------------------------------------------------------------------ */

FIXTURE(at_most)
{
	struct crew crew;
};

FIXTURE_VARIANT(at_most)
{
	__u32 algorithm;
	__u64 base;
	unsigned int root;
	__u32 flags;
	unsigned int size;
	__u32 ring_bytes;
};

FIXTURE_VARIANT_ADD(at_most, small) { .base = SMALL, .size = SIZE };
FIXTURE_VARIANT_ADD(at_most, large) { .base = LARGE, .size = SIZE, .root = 2 };
FIXTURE_VARIANT_ADD(at_most, alone) { .base = SMALL, .size = 1 };

FIXTURE_VARIANT_ADD(at_most, in_place) {
	.base = SMALL, .size = SIZE, .root = 1, .flags = SCATTER_COLL_IN_PLACE,
};

FIXTURE_VARIANT_ADD(at_most, large_in_place) {
	.base = LARGE, .size = SIZE, .flags = SCATTER_COLL_IN_PLACE,
};

FIXTURE_VARIANT_ADD(at_most, linear) {
	.base = SMALL, .size = SIZE, .algorithm = SCATTER_ALGORITHM_LINEAR,
};

FIXTURE_VARIANT_ADD(at_most, rotated) {
	.base = SMALL, .size = 8, .algorithm = SCATTER_ALGORITHM_ROTATED, .root = 3,
};

FIXTURE_VARIANT_ADD(at_most, balanced_large) {
	.base = LARGE, .size = 8, .algorithm = SCATTER_ALGORITHM_BALANCED,
};

FIXTURE_VARIANT_ADD(at_most, hypercube_small_rings) {
	.base = 1000, .size = 13, .algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	.ring_bytes = 4096, .root = 7,
};

FIXTURE_VARIANT_ADD(at_most, deadline_all) {
	.base = SMALL, .size = SIZE, .flags = SCATTER_COLL_DEADLINE_ALL,
};

FIXTURE_SETUP(at_most)
{
	ASSERT_TRUE(crew_form(&self->crew, variant->size, variant->ring_bytes));
}

FIXTURE_TEARDOWN(at_most)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static struct call call_of(const FIXTURE_VARIANT(at_most) * variant, __u32 op)
{
	return (struct call){
		.op = op, .algorithm = variant->algorithm, .root = variant->root,
		.flags = variant->flags, .block = variant->base, .seed = variant->base,
		.timeout_ms = PATIENCE_MS,
	};
}

/* @late calls when all others sleep or have returned. */
static bool runs_late(struct crew *crew, const struct call *call, enum room_shape shape,
		      unsigned int late)
{
	const __u64 all = RANKS(0, crew->size - 1);
	unsigned int r;

	room_start(crew, all & ~RANK(late), call, shape);
	for (r = 0; r < crew->size; r++)
		if (r != late && !worker_settles(&crew->worker[r], SCATTER_IOCTL_COLL))
			return false;
	room_start(crew, RANK(late), call, shape);
	return room_ends(crew, all, call, shape);
}

TEST_F(at_most, whoever_comes_last)
{
	unsigned int i, form;
	enum room_shape shape;

	for (form = 0; form < ARRAY_SIZE(forms); form++) {
		const struct call call = call_of(variant, forms[form]);

		for (shape = EXACT; shape < SHAPES; shape++)
			for (i = 0; i < 3; i++)
				ASSERT_TRUE(runs_late(&self->crew, &call, shape,
						      (call.root + i) % variant->size));
	}
	EXPECT_TRUE(survives(&self->crew));
}

TEST_F(at_most, all_at_a_time)
{
	const __u64 all = RANKS(0, variant->size - 1);
	unsigned int i, form;

	for (form = 0; form < ARRAY_SIZE(forms); form++) {
		const struct call call = call_of(variant, forms[form]);

		for (i = 0; i < 3 * SHAPES; i++) {
			room_start(&self->crew, all, &call, i % SHAPES);
			ASSERT_TRUE(room_ends(&self->crew, all, &call, i % SHAPES));
		}
	}
	EXPECT_TRUE(survives(&self->crew));
}

/* Inter-groups ---------------------------------------------------------------------- */

TEST(between_two_sides)
{
	struct crew crew;
	unsigned int i, root;
	enum room_shape shape;

	ASSERT_TRUE(crew_form_sides(&crew, 2, 4, NULL));
	for (i = 0; i < 2 * ARRAY_SIZE(forms); i++)
		for (shape = EXACT; shape < SHAPES; shape++)
			for (root = 0; root < 6; root += 3) {
				const struct call call = {
					.op = forms[i / 2], .block = i % 2 ? LARGE : SMALL,
					.seed = i, .root = root, .sides = { 2, 4 },
					.timeout_ms = PATIENCE_MS,
				};

				room_start(&crew, RANKS(0, 5), &call, shape);
				ASSERT_TRUE(room_ends(&crew, RANKS(0, 5), &call, shape));
			}
	EXPECT_TRUE(survives(&crew));
	EXPECT_TRUE(crew_end(&crew));
}

/* Together with other flags, and members that differ ------------------------------------ */

FIXTURE(crew)
{
	struct crew crew;
};

FIXTURE_SETUP(crew)
{
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(crew)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static struct call one_call(__u32 op, __u64 base)
{
	struct call call = patient_call(op, 0, base);

	return call;
}

TEST_F(crew, with_uniform_a_long_block_fails_for_all)
{
	static const __u32 ops[] = { SCATTER_OP_SCATTER, SCATTER_OP_GATHERV };
	const __u64 bases[] = { SMALL, LARGE };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct call call = one_call(ops[i / 2], bases[i % 2]);
		const unsigned int hit = i / 2 ? 0 : 1;

		call.flags = SCATTER_COLL_UNIFORM;
		room_start(&self->crew, RANKS(0, SIZE - 1), &call, ONE_LONG);
		EXPECT_TRUE(crew_fails(&self->crew, RANK(hit), EMSGSIZE, i / 2 ? 1 : 0));
		EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, SIZE - 1) & ~RANK(hit), EREMOTEIO,
				       hit));
		room_start(&self->crew, RANKS(0, SIZE - 1), &call, ROOMY);
		EXPECT_TRUE(room_ends(&self->crew, RANKS(0, SIZE - 1), &call, ROOMY));
	}
}

/* Nobody has room, and somebody does not come. */
TEST_F(crew, with_a_deadline_of_all)
{
	struct call call = one_call(SCATTER_OP_SCATTER, LARGE);

	call.flags = SCATTER_COLL_DEADLINE_ALL;
	call.timeout_ms = 300;
	room_start(&self->crew, RANKS(1, 3), &call, ALL_LONG);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(1, 3), ETIME, 0));
	room_start(&self->crew, RANK(0) | RANK(4), &call, ALL_LONG);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0) | RANK(4), ETIME, 0));
	EXPECT_TRUE(survives(&self->crew));
}

/* A member without the flag, and one with another root or operation. */
static bool differs(struct crew *crew, unsigned int how)
{
	const struct call call = one_call(SCATTER_OP_GATHER, SMALL);
	union task_args args = room_args(SIZE - 1, &call, EXACT);

	room_start(crew, RANKS(1, SIZE - 2), &call, EXACT);
	if (!room_ends(crew, RANKS(1, SIZE - 2), &call, EXACT))
		return false;
	if (how == 0)
		args.call.coll.flags = 0;
	else if (how == 1)
		args.call.coll.root = 1;
	else
		args.call.coll.op = SCATTER_OP_GATHERV;
	worker_order(&crew->worker[SIZE - 1], task_room, &args);
	return crew_fails(crew, RANK(SIZE - 1), EPROTO, SIZE - 1) &&
	       crew_is_broken(crew, RANK(0), EPROTO, SIZE - 1);
}

TEST_F(crew, without_the_flag)
{
	EXPECT_TRUE(differs(&self->crew, 0));
}

TEST_F(crew, with_another_root)
{
	EXPECT_TRUE(differs(&self->crew, 1));
}

TEST_F(crew, with_another_operation)
{
	EXPECT_TRUE(differs(&self->crew, 2));
}

/* Schedules that need all lengths; and not for a barrier. */
TEST_F(crew, schedules_that_are_impossible)
{
	const struct call barrier = one_call(SCATTER_OP_BARRIER, 0);
	struct call call = one_call(SCATTER_OP_SCATTERV, SMALL);

	call.algorithm = SCATTER_ALGORITHM_IRREGULAR;
	room_start(&self->crew, RANKS(0, SIZE - 1), &call, EXACT);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, SIZE - 1), EINVAL, NOBODY));
	call.algorithm = SCATTER_ALGORITHM_OR_BROADCAST;
	room_start(&self->crew, RANKS(0, SIZE - 1), &call, EXACT);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, SIZE - 1), EINVAL, NOBODY));
	room_start(&self->crew, RANKS(0, SIZE - 1), &barrier, EXACT);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, SIZE - 1), EINVAL, NOBODY));
	EXPECT_TRUE(survives(&self->crew));
}

/* The group's own leaves the schedule open. */
TEST(a_group_of_an_impossible_schedule)
{
	const struct call schedule = { .algorithm = SCATTER_ALGORITHM_OR_BROADCAST };
	const struct call call = one_call(SCATTER_OP_GATHER, SMALL);
	struct scatter_join like = join_of("", SIZE, 0);
	struct crew crew;

	join_schedule(&like, &schedule);
	ASSERT_TRUE(crew_form_like(&crew, &like));
	room_start(&crew, RANKS(0, SIZE - 1), &call, ROOMY);
	EXPECT_TRUE(room_ends(&crew, RANKS(0, SIZE - 1), &call, ROOMY));
	EXPECT_TRUE(crew_end(&crew));
}

/* Pauses ----------------------------------------------------------------------------- */

static __s64 resume(struct crew *crew, unsigned int rank, const struct call *call,
		    enum room_shape shape, __u32 more)
{
	union task_args args = room_args(rank, call, shape);

	args.call.split = more;
	worker_order(&crew->worker[rank], task_room_resume, &args);
	return more ? worker_finish(&crew->worker[rank]) : 0;
}

/* Room and length are those of the first call, and the root may call meanwhile. */
static void pauses(struct __test_metadata *_metadata, struct crew *crew, const struct call *call,
		   enum room_shape shape, unsigned int rank)
{
	room_start(crew, RANK(rank), call, shape);
	ASSERT_TRUE(crew_sleeps(crew, RANK(rank)));
	ASSERT_TRUE(crew_is_interrupted(crew, RANK(rank)));
	EXPECT_EQ(-EBUSY, resume(crew, rank, call, shape, 1));
	room_start(crew, RANKS(0, SIZE - 1) & ~RANK(rank), call, shape);
	resume(crew, rank, call, shape, 0);
	EXPECT_TRUE(room_ends(crew, RANKS(0, SIZE - 1), call, shape));
}

TEST_F(crew, a_paused_call_keeps_its_length)
{
	enum room_shape shape;

	for (shape = EXACT; shape < SHAPES; shape++) {
		struct call call = one_call(SCATTER_OP_SCATTER, LARGE);

		pauses(_metadata, &self->crew, &call, shape, 1);
		call.op = SCATTER_OP_SCATTERV;
		pauses(_metadata, &self->crew, &call, shape, 3);
		call.op = SCATTER_OP_GATHER;
		pauses(_metadata, &self->crew, &call, shape, 0);
		call.block = SMALL;
		pauses(_metadata, &self->crew, &call, shape, 0);
		call.op = SCATTER_OP_GATHERV;
		pauses(_metadata, &self->crew, &call, shape, 0);
	}
}

/* A block that waits in the kernel is compared when the root comes, whoever lives. */
TEST_F(crew, the_sender_of_a_long_block_is_dead)
{
	const struct call call = one_call(SCATTER_OP_GATHER, SMALL);
	struct worker *worker = &self->crew.worker[1];

	room_start(&self->crew, RANK(1), &call, ONE_LONG);
	EXPECT_EQ(0, worker_finish(worker));
	EXPECT_TRUE(worker_end(worker));
	room_start(&self->crew, RANKS(0, SIZE - 1) & ~RANK(1), &call, ONE_LONG);
	EXPECT_TRUE(room_ends(&self->crew, RANKS(0, SIZE - 1) & ~RANK(1), &call, ONE_LONG));
}

/* A buffer that is not there: the fault counts for who sends, the room for who gets. */
TEST_F(crew, room_without_memory)
{
	const struct call call = one_call(SCATTER_OP_SCATTER, SMALL);
	union task_args args = room_args(2, &call, NO_ROOM);
	struct worker *worker = &self->crew.worker[2];

	/* Nobody looks at a buffer without any room, nor at one whose block is too long. */
	args.call.coll.recvbuf = 0;
	worker_order(worker, task_room_resume, &args);
	room_start(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(2), EMSGSIZE, 0));
	EXPECT_TRUE(room_ends(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY));
	/* A block that fits and cannot be written. */
	args = room_args(2, &call, ROOMY);
	args.call.coll.recvbuf = BOGUS_ADDRESS;
	worker_order(worker, task_room_resume, &args);
	room_start(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(2), EFAULT, NOBODY));
	EXPECT_TRUE(room_ends(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY));
}

/* @split: bytes of the pieces of a list, side by side. */
static __s64 task_listed(struct self *self, union task_args *args)
{
	struct call_args *call = &args->call;
	const struct scatter_iovec iov[] = {
		{ address(RECV_BUFFER), 7 }, { address(RECV_BUFFER) + 7, call->split - 7 },
	};
	const struct scatter_layout layout = {
		.size = sizeof(layout), .kind = SCATTER_LAYOUT_IOVEC, .iov = address(iov),
		.iov_count = ARRAY_SIZE(iov),
	};

	call->coll.recv_layout = address(&layout);
	call->split = 0;
	return task_room(self, args);
}

/* A layout has all of the room. */
TEST_F(crew, a_layout_as_long_as_the_room)
{
	const struct call call = one_call(SCATTER_OP_SCATTER, SMALL);
	union task_args args = room_args(2, &call, ROOMY);
	struct worker *worker = &self->crew.worker[2];
	const __u64 space = room_of(call.op, call.block, ROOMY, 2, false);

	args.call.split = space - 1;
	worker_order(worker, task_listed, &args);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(2), EINVAL, NOBODY));
	args.call.split = space;
	worker_order(worker, task_listed, &args);
	room_start(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY);
	EXPECT_TRUE(room_ends(&self->crew, RANKS(0, SIZE - 1), &call, ROOMY));
}

TEST_HARNESS_MAIN
