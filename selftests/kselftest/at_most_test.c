// SPDX-License-Identifier: GPL-2.0
/*
 * AT_MOST: the sender of a block tells its length, the receiver its room. Blocks may be shorter
 * than their room; one that is longer is an error at its receiver alone.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "crew.h"
#include "harness.h"

#define SIZE		5U
#define SMALL		40ULL
#define LARGE		300001ULL
#define NOBODY		SCATTER_RANK_ANY

static const __u32 forms[] = {
	SCATTER_OP_SCATTER, SCATTER_OP_GATHER, SCATTER_OP_SCATTERV, SCATTER_OP_GATHERV,
};

/* Who says what of a block: the root in its own call, and the block's rank. */
enum shape {
	EXACT,		/* both the same */
	ROOMY,		/* more room than bytes, everywhere */
	ONE_LONG,	/* block 1 is a byte too long */
	ALL_LONG,
	EMPTY,		/* no bytes for any room */
	NO_ROOM,	/* bytes, and no room */
	MIXED,
	SHAPES,
};

static __u64 nominal(__u32 op, __u64 base, unsigned int i)
{
	return is_vector(op) ? base + i % 3 : base;
}

/* What the root says: the lengths of a scatter, the room for a gather. */
static __u64 told(__u32 op, __u64 base, enum shape shape, unsigned int i)
{
	if (shape == (is_scatter(op) ? EMPTY : NO_ROOM))
		return 0;
	return nominal(op, base, i);
}

/* What the block's rank says: the room for a scatter, the length of a gather. */
static __u64 own(__u32 op, __u64 base, enum shape shape, unsigned int i)
{
	const __u64 same = nominal(op, base, i);
	const __u64 less = same - 1 - i, more = same + 1 + i;
	const __u64 fits = is_scatter(op) ? more : less, is_long = is_scatter(op) ? less : more;

	switch (shape) {
	case ROOMY:
		return fits;
	case ONE_LONG:
		return i == 1 ? is_long : same;
	case ALL_LONG:
		return is_long;
	case EMPTY:
		return is_scatter(op) ? same : 0;
	case NO_ROOM:
		return is_scatter(op) ? 0 : same;
	case MIXED:
		return i % 3 == 0 ? is_long : i % 3 == 1 ? same : fits;
	default:
		return same;
	}
}

/*
 * @tells: the rank of block @i is the root of a form with one number for all blocks, so that its
 * own block has that length and that room
 */
static __u64 sent(__u32 op, __u64 base, enum shape shape, unsigned int i, bool tells)
{
	return is_scatter(op) || tells ? told(op, base, shape, i) : own(op, base, shape, i);
}

static __u64 room(__u32 op, __u64 base, enum shape shape, unsigned int i, bool tells)
{
	return is_gather(op) || tells ? told(op, base, shape, i) : own(op, base, shape, i);
}

/* Where the root's buffer has a block; of a v form in reverse order, with gaps. */
static __u64 place(__u32 op, __u64 base, enum shape shape, unsigned int blocks, unsigned int i)
{
	__u64 at = 0;

	if (!is_vector(op))
		return i * told(op, base, shape, i);
	while (++i < blocks)
		at += told(op, base, shape, i) + V_GAP_BYTES;
	return at;
}

/* In one member -------------------------------------------------------------------- */

/* struct call_args of a call here: @what is its shape. */
struct at_most {
	const struct self *self;
	struct call_args *args;
	__u32 op;
	__u64 base;
	enum shape shape;
	unsigned int blocks;
	bool root;
	bool in_place;
	bool owns;	/* a block that moves */
	__u64 sent, room;	/* of it */
};

static struct at_most at_most_of(const struct self *self, struct call_args *args)
{
	struct at_most a = {
		.self = self, .args = args, .op = args->coll.op, .base = args->base,
		.shape = args->what, .blocks = self->members,
		.in_place = args->coll.flags & SCATTER_COLL_IN_PLACE,
	};
	bool tells;

	a.root = self->sided ? args->coll.root == SCATTER_ROOT :
			       self->rank == (int)args->coll.root;
	a.owns = !a.in_place && (!self->sided || args->coll.root < SCATTER_ROOT);
	tells = a.root && !is_vector(a.op);
	a.sent = sent(a.op, a.base, a.shape, self->rank, tells);
	a.room = room(a.op, a.base, a.shape, self->rank, tells);
	return a;
}

static __u64 place_of(const struct at_most *a, unsigned int i)
{
	return place(a->op, a->base, a->shape, a->blocks, i);
}

/* Bytes of the root's buffer. */
static __u64 span_of(const struct at_most *a)
{
	__u64 end = 0, ends;
	unsigned int i;

	for (i = 0; i < a->blocks; i++) {
		ends = place_of(a, i) + told(a->op, a->base, a->shape, i);
		end = ends > end ? ends : end;
	}
	return end;
}

static void fill(const struct at_most *a)
{
	const __u64 seed = a->args->seed;
	unsigned int i;

	memset(RECV_BUFFER - GUARD_BYTES, POISON,
	       (a->root && is_gather(a->op) ? span_of(a) : a->room) + 2 * GUARD_BYTES);
	if (is_gather(a->op)) {
		pattern_fill(SEND_BUFFER, a->sent, seed, a->self->rank);
		if (a->root && a->in_place)
			pattern_fill(RECV_BUFFER + place_of(a, a->self->rank),
				     told(a->op, a->base, a->shape, a->self->rank), seed,
				     a->self->rank);
		return;
	}
	for (i = 0; a->root && i < a->blocks; i++)
		pattern_fill(SEND_BUFFER + place_of(a, i), told(a->op, a->base, a->shape, i),
			     seed, i);
}

/* Bytes at @at that are a block's, or as they were if the block is too long. */
static bool came(const struct at_most *a, char *at, __u64 bytes, __u64 space, unsigned int i)
{
	if (bytes > space)
		return true;
	if (!pattern_holds(at, bytes, a->args->seed, i))
		return false;
	memset(at, POISON, bytes);
	return true;
}

/* All that fits has come, and nothing else was touched. */
static bool is_intact(const struct at_most *a)
{
	const bool tells = !is_vector(a->op);
	unsigned int i;

	if (!a->root || is_scatter(a->op))
		return (!a->owns || is_gather(a->op) ||
			came(a, RECV_BUFFER, a->sent, a->room, a->self->rank)) &&
		       poison_holds(RECV_BUFFER - GUARD_BYTES, a->room + 2 * GUARD_BYTES);
	for (i = 0; i < a->blocks; i++) {
		const __u64 space = told(a->op, a->base, a->shape, i);
		const bool self = !a->self->sided && (int)i == a->self->rank;
		const __u64 bytes = self && a->in_place ? space :
			sent(a->op, a->base, a->shape, i, tells && self);

		if (!came(a, RECV_BUFFER + place_of(a, i), bytes, space, i))
			return false;
	}
	return poison_holds(RECV_BUFFER - GUARD_BYTES, span_of(a) + 2 * GUARD_BYTES);
}

static __u64 received(const struct at_most *a)
{
	const bool tells = !is_vector(a->op);
	__u64 bytes = 0;
	unsigned int i;

	if (is_scatter(a->op))
		return a->owns ? a->sent : 0;
	for (i = 0; a->root && i < a->blocks; i++) {
		const bool self = !a->self->sided && (int)i == a->self->rank;

		if (!self || !a->in_place)
			bytes += sent(a->op, a->base, a->shape, i, tells && self);
	}
	return bytes;
}

static void lay_out(struct at_most *a)
{
	static __u64 counts[CREW_MAX], displs[CREW_MAX];
	struct scatter_coll *coll = &a->args->coll;
	unsigned int i;

	coll->block = is_scatter(a->op) ? a->room : a->sent;
	if (a->root && !is_vector(a->op))
		coll->block = told(a->op, a->base, a->shape, 0);
	if (!a->root || !is_vector(a->op))
		return;
	if (a->in_place)
		coll->block = 12345;	/* ignored */
	for (i = 0; i < a->blocks; i++) {
		counts[i] = told(a->op, a->base, a->shape, i);
		displs[i] = place_of(a, i);
	}
	coll->counts = address(counts);
	coll->displs = address(displs);
}

/* Without a new pattern: what is there stays. @split: bytes that the member says more. */
static __s64 task_resume(struct self *self, union task_args *args)
{
	struct at_most a = at_most_of(self, &args->call);
	__s64 error;

	lay_out(&a);
	args->call.coll.block += args->call.split;
	error = self_call(self, &args->call);
	args->call.intact = args->call.results.bytes == (error ? 0 : received(&a)) &&
			    ((error && error != -EMSGSIZE) || is_intact(&a));
	return error;
}

static __s64 task_at_most(struct self *self, union task_args *args)
{
	const struct at_most a = at_most_of(self, &args->call);

	fill(&a);
	return task_resume(self, args);
}

/* The crew ------------------------------------------------------------------------- */

static union task_args args_of(unsigned int rank, const struct call *call, enum shape shape)
{
	union task_args args = { .call = crew_args(rank, call, 0) };

	args.call.coll.flags |= SCATTER_COLL_AT_MOST;
	args.call.what = shape;
	return args;
}

static void start(struct crew *crew, __u64 ranks, const struct call *call, enum shape shape)
{
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		const union task_args args = args_of(r, call, shape);

		if (ranks & RANK(r))
			worker_order(&crew->worker[r], task_at_most, &args);
	}
}

/* The group rank of the first block, and how many there are. */
static unsigned int first_of(const struct call *call)
{
	return call->sides[0] && call->root < call->sides[0] ? call->sides[0] : 0;
}

static unsigned int blocks_of(const struct crew *crew, const struct call *call)
{
	return call->sides[0] ? call->sides[call->root < call->sides[0]] : crew->size;
}

/* Whether the taker of group rank @rank's block has no room for that. */
static bool is_long(const struct crew *crew, const struct call *call, enum shape shape,
		    unsigned int rank)
{
	const unsigned int i = rank - first_of(call);
	const bool root = rank == call->root;

	if (i >= blocks_of(crew, call) || (root && call->flags & SCATTER_COLL_IN_PLACE))
		return false;
	return sent(call->op, call->block, shape, i, root && !is_vector(call->op)) >
	       room(call->op, call->block, shape, i, root && !is_vector(call->op));
}

/* Whether a member's call gets EMSGSIZE. */
static bool is_hit(const struct crew *crew, const struct call *call, enum shape shape,
		   unsigned int rank)
{
	unsigned int r;

	if (is_scatter(call->op))
		return is_long(crew, call, shape, rank);
	for (r = 0; rank == call->root && r < crew->size; r++)
		if (is_long(crew, call, shape, r))
			return true;
	return false;
}

/* Whether @ranks end as they should: bytes, errno, who is named. */
static bool ends(struct crew *crew, __u64 ranks, const struct call *call, enum shape shape)
{
	bool good = true;
	unsigned int r;

	for (r = 0; r < crew->size; r++) {
		struct worker *worker = &crew->worker[r];
		const struct call_args *got = &worker->reply.args.call;
		const bool hit = is_hit(crew, call, shape, r);
		int culprit;

		if (!(ranks & RANK(r)))
			continue;
		worker_finish(worker);
		culprit = got->results.culprit;
		if (worker->reply.result == (hit ? -EMSGSIZE : 0) && got->intact &&
		    (!hit ? culprit == NOBODY : is_scatter(call->op) ?
		     culprit == (int)call->root : is_long(crew, call, shape, culprit)))
			continue;
		good = false;
		diag("op %u base %llu root %u shape %d, rank %u:", call->op,
		     (unsigned long long)call->block, call->root, shape, r);
		diag("%lld culprit %d bytes %llu intact %u",
		     (long long)worker->reply.result, culprit,
		     (unsigned long long)got->results.bytes, got->intact);
	}
	return good;
}

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
static bool runs_late(struct crew *crew, const struct call *call, enum shape shape,
		      unsigned int late)
{
	const __u64 all = RANKS(0, crew->size - 1);
	unsigned int r;

	start(crew, all & ~RANK(late), call, shape);
	for (r = 0; r < crew->size; r++)
		if (r != late && !worker_settles(&crew->worker[r], SCATTER_IOCTL_COLL))
			return false;
	start(crew, RANK(late), call, shape);
	return ends(crew, all, call, shape);
}

TEST_F(at_most, whoever_comes_last)
{
	unsigned int i, form;
	enum shape shape;

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
			start(&self->crew, all, &call, i % SHAPES);
			ASSERT_TRUE(ends(&self->crew, all, &call, i % SHAPES));
		}
	}
	EXPECT_TRUE(survives(&self->crew));
}

/* Inter-groups ---------------------------------------------------------------------- */

TEST(between_two_sides)
{
	struct crew crew;
	unsigned int i, root;
	enum shape shape;

	ASSERT_TRUE(crew_form_sides(&crew, 2, 4, NULL));
	for (i = 0; i < 2 * ARRAY_SIZE(forms); i++)
		for (shape = EXACT; shape < SHAPES; shape++)
			for (root = 0; root < 6; root += 3) {
				const struct call call = {
					.op = forms[i / 2], .block = i % 2 ? LARGE : SMALL,
					.seed = i, .root = root, .sides = { 2, 4 },
					.timeout_ms = PATIENCE_MS,
				};

				start(&crew, RANKS(0, 5), &call, shape);
				ASSERT_TRUE(ends(&crew, RANKS(0, 5), &call, shape));
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
		start(&self->crew, RANKS(0, SIZE - 1), &call, ONE_LONG);
		EXPECT_TRUE(crew_fails(&self->crew, RANK(hit), EMSGSIZE, i / 2 ? 1 : 0));
		EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, SIZE - 1) & ~RANK(hit), EREMOTEIO,
				       hit));
		start(&self->crew, RANKS(0, SIZE - 1), &call, ROOMY);
		EXPECT_TRUE(ends(&self->crew, RANKS(0, SIZE - 1), &call, ROOMY));
	}
}

/* Nobody has room, and somebody does not come. */
TEST_F(crew, with_a_deadline_of_all)
{
	struct call call = one_call(SCATTER_OP_SCATTER, LARGE);

	call.flags = SCATTER_COLL_DEADLINE_ALL;
	call.timeout_ms = 300;
	start(&self->crew, RANKS(1, 3), &call, ALL_LONG);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(1, 3), ETIME, 0));
	start(&self->crew, RANK(0) | RANK(4), &call, ALL_LONG);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0) | RANK(4), ETIME, 0));
	EXPECT_TRUE(survives(&self->crew));
}

/* A member without the flag, and one with another root or operation. */
static bool differs(struct crew *crew, unsigned int how)
{
	const struct call call = one_call(SCATTER_OP_GATHER, SMALL);
	union task_args args = args_of(SIZE - 1, &call, EXACT);

	start(crew, RANKS(1, SIZE - 2), &call, EXACT);
	if (!ends(crew, RANKS(1, SIZE - 2), &call, EXACT))
		return false;
	if (how == 0)
		args.call.coll.flags = 0;
	else if (how == 1)
		args.call.coll.root = 1;
	else
		args.call.coll.op = SCATTER_OP_GATHERV;
	worker_order(&crew->worker[SIZE - 1], task_at_most, &args);
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
	start(&self->crew, RANKS(0, SIZE - 1), &call, EXACT);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, SIZE - 1), EINVAL, NOBODY));
	call.algorithm = SCATTER_ALGORITHM_OR_BROADCAST;
	start(&self->crew, RANKS(0, SIZE - 1), &call, EXACT);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, SIZE - 1), EINVAL, NOBODY));
	start(&self->crew, RANKS(0, SIZE - 1), &barrier, EXACT);
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
	start(&crew, RANKS(0, SIZE - 1), &call, ROOMY);
	EXPECT_TRUE(ends(&crew, RANKS(0, SIZE - 1), &call, ROOMY));
	EXPECT_TRUE(crew_end(&crew));
}

/* Pauses ----------------------------------------------------------------------------- */

static __s64 resume(struct crew *crew, unsigned int rank, const struct call *call,
		    enum shape shape, __u32 more)
{
	union task_args args = args_of(rank, call, shape);

	args.call.split = more;
	worker_order(&crew->worker[rank], task_resume, &args);
	return more ? worker_finish(&crew->worker[rank]) : 0;
}

/* Room and length are those of the first call, and the root may call meanwhile. */
static void pauses(struct __test_metadata *_metadata, struct crew *crew, const struct call *call,
		   enum shape shape, unsigned int rank)
{
	start(crew, RANK(rank), call, shape);
	ASSERT_TRUE(crew_sleeps(crew, RANK(rank)));
	ASSERT_TRUE(crew_is_interrupted(crew, RANK(rank)));
	EXPECT_EQ(-EBUSY, resume(crew, rank, call, shape, 1));
	start(crew, RANKS(0, SIZE - 1) & ~RANK(rank), call, shape);
	resume(crew, rank, call, shape, 0);
	EXPECT_TRUE(ends(crew, RANKS(0, SIZE - 1), call, shape));
}

TEST_F(crew, a_paused_call_keeps_its_length)
{
	enum shape shape;

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

	start(&self->crew, RANK(1), &call, ONE_LONG);
	EXPECT_EQ(0, worker_finish(worker));
	EXPECT_TRUE(worker_end(worker));
	start(&self->crew, RANKS(0, SIZE - 1) & ~RANK(1), &call, ONE_LONG);
	EXPECT_TRUE(ends(&self->crew, RANKS(0, SIZE - 1) & ~RANK(1), &call, ONE_LONG));
}

/* A buffer that is not there: the fault counts for who sends, the room for who gets. */
TEST_F(crew, room_without_memory)
{
	const struct call call = one_call(SCATTER_OP_SCATTER, SMALL);
	union task_args args = args_of(2, &call, NO_ROOM);
	struct worker *worker = &self->crew.worker[2];

	/* Nobody looks at a buffer without any room, nor at one whose block is too long. */
	args.call.coll.recvbuf = 0;
	worker_order(worker, task_resume, &args);
	start(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(2), EMSGSIZE, 0));
	EXPECT_TRUE(ends(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY));
	/* A block that fits and cannot be written. */
	args = args_of(2, &call, ROOMY);
	args.call.coll.recvbuf = BOGUS_ADDRESS;
	worker_order(worker, task_resume, &args);
	start(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(2), EFAULT, NOBODY));
	EXPECT_TRUE(ends(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY));
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
	return task_at_most(self, args);
}

/* A layout has all of the room. */
TEST_F(crew, a_layout_as_long_as_the_room)
{
	const struct call call = one_call(SCATTER_OP_SCATTER, SMALL);
	union task_args args = args_of(2, &call, ROOMY);
	struct worker *worker = &self->crew.worker[2];
	const __u64 space = room(call.op, call.block, ROOMY, 2, false);

	args.call.split = space - 1;
	worker_order(worker, task_listed, &args);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(2), EINVAL, NOBODY));
	args.call.split = space;
	worker_order(worker, task_listed, &args);
	start(&self->crew, RANKS(0, SIZE - 1) & ~RANK(2), &call, ROOMY);
	EXPECT_TRUE(ends(&self->crew, RANKS(0, SIZE - 1), &call, ROOMY));
}

TEST_HARNESS_MAIN
