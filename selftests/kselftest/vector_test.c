// SPDX-License-Identifier: GPL-2.0
/*
 * Scatterv and gatherv: any lengths and places, what the root's counts may not
 * say, and members that say other lengths than the root.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define SIZE	4
#define SMALL	100ULL
#define LARGE	300000ULL
#define MIB	(1ULL << 20)

/* A layout of its own ------------------------------------------------------- */

enum layout_kind {
	KIND_PACKED,	/* no displacements */
	KIND_RANDOM,	/* random lengths, order and gaps */
	KIND_EMPTY,	/* no bytes at all */
	KIND_ONE,	/* all of it is the last rank's */
	KIND_SHARED,	/* all blocks are the same bytes: scatterv only */
	KINDS,
};

struct layout {
	__u64 counts[CREW_MAX];
	__u64 displs[CREW_MAX];
	__u64 bytes;	/* of the whole buffer */
};

static __u64 next_random(__u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static __u64 count_of(enum layout_kind kind, unsigned int size,
		      unsigned int rank, __u64 *state)
{
	static const __u64 most[] = { 1, 64, 9000, 200000 };
	__u64 random = next_random(state);

	switch (kind) {
	case KIND_EMPTY:
		return 0;
	case KIND_ONE:
		return rank == size - 1 ? LARGE : 0;
	case KIND_SHARED:
		return SMALL;
	default:
		return random % (most[random / 7 % 4] + 1);
	}
}

/* The same in every process. */
static void layout_make(struct layout *layout, enum layout_kind kind,
			unsigned int size, __u64 seed)
{
	__u64 state = seed * 2654435761ULL + kind;
	unsigned int order[CREW_MAX], i, j;

	layout->bytes = 0;
	for (i = 0; i < size; i++) {
		layout->counts[i] = count_of(kind, size, i, &state);
		order[i] = i;
	}
	for (i = size; kind == KIND_RANDOM && i > 1; i--) {
		unsigned int other = next_random(&state) % i, was = order[other];

		order[other] = order[i - 1];
		order[i - 1] = was;
	}
	for (i = 0; i < size; i++) {
		j = order[i];
		if (kind == KIND_RANDOM)
			layout->bytes += next_random(&state) % 50;
		layout->displs[j] = kind == KIND_SHARED ? 0 : layout->bytes;
		layout->bytes += layout->counts[j];
	}
}

/* One operation in one member; words of the task. */
enum {
	W_OP, W_ALGORITHM, W_ROOT, W_KIND, W_SEED, W_IN_PLACE, W_DEADLINE,
};

/* A block of a layout in which all share one is that of rank 0. */
static __u64 owner_in(const union task_args *args, unsigned int rank)
{
	return args->word[W_KIND] == KIND_SHARED ? 0 : rank;
}

static void own_fill(const struct self *self, const union task_args *args,
		     const struct layout *layout)
{
	const __u64 seed = args->word[W_SEED];
	unsigned int r;

	memset(RECV_BUFFER - GUARD_BYTES, POISON,
	       layout->bytes + 2 * GUARD_BYTES);
	if (args->word[W_OP] == SCATTER_OP_SCATTERV)
		for (r = 0; r < self->members; r++)
			pattern_fill(SEND_BUFFER + layout->displs[r],
				     layout->counts[r], seed,
				     owner_in(args, r));
	else
		pattern_fill(SEND_BUFFER, layout->counts[self->rank], seed,
			     self->rank);
	if (args->word[W_OP] == SCATTER_OP_GATHERV && args->word[W_IN_PLACE])
		pattern_fill(RECV_BUFFER + layout->displs[self->rank],
			     layout->counts[self->rank], seed, self->rank);
}

/* Each byte of the root's buffer is a block's, or as it was. */
static bool gathered(const struct self *self, const union task_args *args,
		     const struct layout *layout)
{
	unsigned int r;

	for (r = 0; r < self->members; r++) {
		char *at = RECV_BUFFER + layout->displs[r];

		if (!pattern_holds(at, layout->counts[r], args->word[W_SEED],
				   r))
			return false;
		memset(at, POISON, layout->counts[r]);
	}
	return poison_holds(RECV_BUFFER - GUARD_BYTES,
			    layout->bytes + 2 * GUARD_BYTES);
}

static bool own_intact(const struct self *self, const union task_args *args,
		       const struct layout *layout)
{
	const bool root = self->rank == (int)args->word[W_ROOT];
	const __u64 own = layout->counts[self->rank];

	if (args->word[W_OP] == SCATTER_OP_GATHERV)
		return !root || gathered(self, args, layout);
	if (root && args->word[W_IN_PLACE])
		return poison_holds(RECV_BUFFER - GUARD_BYTES,
				    own + 2 * GUARD_BYTES);
	return pattern_holds(RECV_BUFFER, own, args->word[W_SEED],
			     owner_in(args, self->rank)) &&
	       poison_holds(RECV_BUFFER - GUARD_BYTES, GUARD_BYTES) &&
	       poison_holds(RECV_BUFFER + own, GUARD_BYTES);
}

static __s64 task_vector(struct self *self, union task_args *args)
{
	const bool root = self->rank == (int)args->word[W_ROOT];
	static struct layout layout;
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = args->word[W_OP],
		.schedule.algorithm = args->word[W_ALGORITHM],
		.root = args->word[W_ROOT],
		.deadline_ns = args->word[W_DEADLINE],
		.sendbuf = address(SEND_BUFFER),
		.recvbuf = address(RECV_BUFFER),
	};
	__s64 error;

	layout_make(&layout, args->word[W_KIND], self->members,
		    args->word[W_SEED]);
	own_fill(self, args, &layout);
	coll.block = layout.counts[self->rank];
	if (root) {
		coll.counts = address(layout.counts);
		if (args->word[W_KIND] != KIND_PACKED)
			coll.displs = address(layout.displs);
		if (args->word[W_IN_PLACE]) {
			coll.flags = SCATTER_COLL_IN_PLACE;
			coll.block = 12345;	/* ignored */
		}
	}
	error = self_coll(self, &coll);
	if (error)
		return error;
	return own_intact(self, args, &layout) ? 0 : -EBADMSG;
}

FIXTURE(layouts)
{
	struct crew crew;
};

FIXTURE_VARIANT(layouts)
{
	unsigned int size;
	__u32 ring_bytes;
};

FIXTURE_VARIANT_ADD(layouts, size_1) { .size = 1 };
FIXTURE_VARIANT_ADD(layouts, size_2) { .size = 2 };
FIXTURE_VARIANT_ADD(layouts, size_3) { .size = 3 };
FIXTURE_VARIANT_ADD(layouts, size_8) { .size = 8 };
FIXTURE_VARIANT_ADD(layouts, size_13_small_rings) {
	.size = 13, .ring_bytes = 4096,
};

FIXTURE_SETUP(layouts)
{
	ASSERT_TRUE(crew_form(&self->crew, variant->size,
			      variant->ring_bytes));
}

FIXTURE_TEARDOWN(layouts)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* Whether all members' calls succeed. */
static bool all_run(struct crew *crew, union task_args *args)
{
	bool good = true;
	unsigned int r;

	args->word[W_DEADLINE] = after_ms(PATIENCE_MS);
	for (r = 0; r < crew->size; r++)
		worker_order(&crew->worker[(r * 5 + 3) % crew->size],
			     task_vector, args);
	for (r = 0; r < crew->size; r++) {
		__s64 result = worker_finish(&crew->worker[r]);

		if (!result)
			continue;
		good = false;
		diag("%u of %u: %lld (op %llu,%llu root %llu kind %llu,%llu in place %llu)",
		     r, crew->size, (long long)result, args->word[W_OP],
		     args->word[W_ALGORITHM], args->word[W_ROOT],
		     args->word[W_KIND], args->word[W_SEED],
		     args->word[W_IN_PLACE]);
	}
	return good;
}

TEST_F_TIMEOUT(layouts, every_kind_algorithm_and_root, 600)
{
	union task_args args = { 0 };
	unsigned int i;

	for (i = 0; i < KINDS * 2 * 3 * 2 * 2; i++) {
		args.word[W_KIND] = i % KINDS;
		args.word[W_OP] = i / KINDS % 2 ? SCATTER_OP_GATHERV :
						  SCATTER_OP_SCATTERV;
		args.word[W_ALGORITHM] = i / KINDS / 2 % 3;
		args.word[W_IN_PLACE] = i / KINDS / 6 % 2;
		args.word[W_ROOT] = i / KINDS / 12 ? variant->size - 1 : 0;
		args.word[W_SEED] = i;
		if (args.word[W_KIND] == KIND_SHARED &&
		    args.word[W_OP] == SCATTER_OP_GATHERV)
			continue;
		ASSERT_TRUE(all_run(&self->crew, &args));
	}
}

TEST_F_TIMEOUT(layouts, a_hundred_random_ones, 600)
{
	union task_args args = { .word = { [W_KIND] = KIND_RANDOM } };
	unsigned int i;

	for (i = 0; i < 100; i++) {
		args.word[W_OP] = i % 2 ? SCATTER_OP_GATHERV :
					  SCATTER_OP_SCATTERV;
		args.word[W_ALGORITHM] = i / 2 % 3;
		args.word[W_ROOT] = i % variant->size;
		args.word[W_SEED] = 1000 + i;
		ASSERT_TRUE(all_run(&self->crew, &args));
	}
}

/* What the root may not say -------------------------------------------------- */

FIXTURE(alone)
{
	int fd;
	struct scatter_coll coll;
	__u64 counts[2];
	__u64 displs[2];
	char send[64];
	char recv[64];
};

/* A group of one; the second entries are behind what the kernel may read. */
FIXTURE_SETUP(alone)
{
	char name[SCATTER_NAME_MAX];

	name_make(name, "vector");
	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, join(self->fd, name, 1, 0));
	self->counts[0] = 5;
	self->counts[1] = UINT64_MAX;
	self->displs[0] = 3;
	self->displs[1] = UINT64_MAX;
	memcpy(self->send, "0123456789", 10);
	self->coll = (struct scatter_coll){
		.size = sizeof(self->coll),
		.op = SCATTER_OP_SCATTERV,
		.block = 5,
		.sendbuf = address(self->send),
		.recvbuf = address(self->recv),
		.counts = address(self->counts),
		.displs = address(self->displs),
	};
}

FIXTURE_TEARDOWN(alone)
{
	EXPECT_EQ(0, leave(self->fd));
	close(self->fd);
}

TEST_F(alone, a_scatterv_of_one)
{
	EXPECT_EQ(0, coll_once(self->fd, &self->coll));
	EXPECT_EQ(0, memcmp(self->recv, "34567\0", 6));
}

TEST_F(alone, a_gatherv_of_one)
{
	static const char wanted[] = { 0, 0, 0, '0', '1', '2', '3', '4', 0 };

	self->coll.op = SCATTER_OP_GATHERV;
	EXPECT_EQ(0, coll_once(self->fd, &self->coll));
	EXPECT_EQ(0, memcmp(self->recv, wanted, sizeof(wanted)));
}

#define REFUSED(error) do {						\
	struct seen status;					\
									\
	EXPECT_EQ(error, coll_once(self->fd, &self->coll));		\
	ASSERT_EQ(0, status_of(self->fd, &status));			\
	EXPECT_EQ(0U, status.next);					\
	EXPECT_EQ(0, self->recv[0]);					\
} while (0)

TEST_F(alone, no_counts)
{
	self->coll.counts = 0;
	REFUSED(-EINVAL);
}

TEST_F(alone, counts_that_cannot_be_read)
{
	self->coll.counts = BOGUS_ADDRESS;
	REFUSED(-EFAULT);
}

TEST_F(alone, displacements_that_cannot_be_read)
{
	self->coll.displs = BOGUS_ADDRESS;
	REFUSED(-EFAULT);
}

TEST_F(alone, counts_half_of_which_cannot_be_read)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, munmap(page + 4096, 4096));
	self->coll.counts = address(page + 4096 - 4);
	REFUSED(-EFAULT);
	munmap(page, 4096);
}

TEST_F(alone, an_own_count_that_is_not_the_block)
{
	self->coll.block = 4;
	REFUSED(-EINVAL);
	self->coll.block = 6;
	REFUSED(-EINVAL);
}

TEST_F(alone, a_block_that_ends_beyond_all_memory)
{
	self->displs[0] = INT64_MAX - 4;
	REFUSED(-EINVAL);
	self->displs[0] = UINT64_MAX;
	REFUSED(-EINVAL);
}

TEST_F(alone, a_block_that_is_too_long)
{
	struct scatter_info info;

	ASSERT_EQ(0, device_info(&info));
	self->coll.flags = SCATTER_COLL_IN_PLACE;
	self->counts[0] = info.block_max + 1;
	REFUSED(-EINVAL);
	self->counts[0] = UINT64_MAX;
	REFUSED(-EINVAL);
	self->coll.displs = 0;
	REFUSED(-EINVAL);
}

TEST_F(alone, counts_of_what_is_no_v_form)
{
	self->coll.op = SCATTER_OP_SCATTER;
	REFUSED(-EINVAL);
	self->coll.counts = 0;
	REFUSED(-EINVAL);
	self->coll.op = SCATTER_OP_BARRIER;
	self->coll.block = 0;
	REFUSED(-EINVAL);
}

/* What is called first for several ranks, in one process: errors come at once. */
static int overlap_call(int fd, __u32 op, const __u64 displs[3])
{
	static const __u64 counts[3] = { 10, 0, 10 };
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = op,
		.block = 10,
		.sendbuf = address(SEND_BUFFER),
		.recvbuf = address(RECV_BUFFER),
		.counts = address(counts),
		.displs = address(displs),
		.deadline_ns = 1,
	};

	return coll_once(fd, &coll);
}

/* word[0]: op; word[1..3]: displacements. */
static __s64 task_overlap(struct self *self, union task_args *args)
{
	return overlap_call(self->fd, args->word[0], &args->word[1]);
}

static __s64 overlap(struct crew *crew, __u32 op, __u64 first, __u64 empty,
		     __u64 last)
{
	union task_args args = { .word = { op, first, empty, last } };

	return worker_do(&crew->worker[0], task_overlap, &args);
}

TEST(blocks_of_a_gatherv_do_not_overlap)
{
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 3, 0));
	EXPECT_EQ(-EINVAL, overlap(&crew, SCATTER_OP_GATHERV, 0, 100, 9));
	EXPECT_EQ(-EINVAL, overlap(&crew, SCATTER_OP_GATHERV, 9, 100, 0));
	EXPECT_EQ(-EINVAL, overlap(&crew, SCATTER_OP_GATHERV, 5, 100, 5));
	/* An empty block is nowhere; side by side is no overlap. */
	EXPECT_EQ(-ETIMEDOUT, overlap(&crew, SCATTER_OP_GATHERV, 0, 5, 10));
	EXPECT_TRUE(crew_end(&crew));
}

/* The sum of four lengths once wrapped to 100, and their bundle was eager. */
static __s64 task_wrapping_sum(struct self *self, union task_args *args)
{
	const __u64 counts[8] = {
		0, 0, 0, 0, MIB, INT64_MAX, INT64_MAX - 2 * MIB, MIB + 102,
	};
	const __u64 displs[8] = { 0 };
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = args->word[0],
		.schedule.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
		.sendbuf = address(SEND_BUFFER),
		.recvbuf = address(RECV_BUFFER),
		.counts = address(counts),
		.displs = address(displs),
		.deadline_ns = 1,
	};

	return self_coll(self, &coll);
}

TEST(lengths_whose_sum_wraps)
{
	union task_args args;
	struct crew crew;
	__u32 op;

	ASSERT_TRUE(crew_form(&crew, 8, 4096));
	for (op = SCATTER_OP_SCATTERV; op <= SCATTER_OP_GATHERV; op++) {
		args.word[0] = op;
		EXPECT_EQ(-EINVAL, worker_do(&crew.worker[0],
					     task_wrapping_sum, &args));
	}
	EXPECT_TRUE(crew_end(&crew));
}

TEST(blocks_of_a_scatterv_may_overlap)
{
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 3, 0));
	EXPECT_EQ(0, overlap(&crew, SCATTER_OP_SCATTERV, 0, 100, 9));
	EXPECT_TRUE(crew_end(&crew));
}

/* Members that differ from the root ------------------------------------------- */

FIXTURE(differs)
{
	struct crew crew;
	struct call call;
};

FIXTURE_VARIANT(differs)
{
	__u32 op;
	__u64 block;
	int by;
};

FIXTURE_VARIANT_ADD(differs, scatterv_shorter) {
	.op = SCATTER_OP_SCATTERV, .block = SMALL, .by = -1,
};

FIXTURE_VARIANT_ADD(differs, scatterv_longer) {
	.op = SCATTER_OP_SCATTERV, .block = SMALL, .by = 1,
};

FIXTURE_VARIANT_ADD(differs, scatterv_large) {
	.op = SCATTER_OP_SCATTERV, .block = LARGE, .by = 4096,
};

FIXTURE_VARIANT_ADD(differs, gatherv_shorter) {
	.op = SCATTER_OP_GATHERV, .block = SMALL, .by = -1,
};

FIXTURE_VARIANT_ADD(differs, gatherv_longer) {
	.op = SCATTER_OP_GATHERV, .block = SMALL, .by = 1,
};

FIXTURE_VARIANT_ADD(differs, gatherv_large) {
	.op = SCATTER_OP_GATHERV, .block = LARGE, .by = 4096,
};

FIXTURE_SETUP(differs)
{
	self->call = (struct call){
		.op = variant->op, .block = variant->block, .seed = 5,
		.timeout_ms = PATIENCE_MS,
	};
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(differs)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* Rank @rank calls with a block that is longer or shorter. */
static void start_differing(struct crew *crew, unsigned int rank,
			    const struct call *call, int by)
{
	union task_args args = {
		.call = crew_args(rank, call, CALL_FILL),
	};

	args.call.coll.block += by;
	worker_order(&crew->worker[rank], task_call, &args);
}

/* The root of a scatterv is gone when all its blocks are on their way. */
TEST_F(differs, a_rank_that_calls_after_the_root)
{
	struct crew *crew = &self->crew;
	bool gone = variant->op == SCATTER_OP_SCATTERV &&
		    variant->block == SMALL;

	crew_start(crew, RANK(0), &self->call);
	if (gone) {
		EXPECT_TRUE(crew_succeeds(crew, RANK(0)));
	} else {
		ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	}
	start_differing(crew, 2, &self->call, variant->by);
	EXPECT_TRUE(crew_fails(crew, RANK(2) | (gone ? 0 : RANK(0)), EPROTO,
			       2));
}

/* An eager block of a gatherv has been put aside: its rank learns it later. */
TEST_F(differs, a_rank_that_called_before_the_root)
{
	struct crew *crew = &self->crew;
	const struct call next = patient_call(SCATTER_OP_BARRIER, 0, 0);
	bool gone = variant->op == SCATTER_OP_GATHERV &&
		    variant->block == SMALL;

	start_differing(crew, 2, &self->call, variant->by);
	if (gone) {
		EXPECT_EQ(0, worker_finish(&crew->worker[2]));
	} else {
		ASSERT_TRUE(crew_sleeps(crew, RANK(2)));
	}
	crew_start(crew, RANK(0), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(0), EPROTO, 2));
	if (gone)
		crew_start(crew, RANK(2), &next);
	EXPECT_TRUE(crew_fails(crew, RANK(2), EPROTO, 2));
}

TEST_F(differs, the_root_that_says_other_lengths_than_all)
{
	struct crew *crew = &self->crew;
	struct call other = self->call;

	other.block += variant->by;
	crew_start(crew, RANK(1), &self->call);
	if (variant->op == SCATTER_OP_GATHERV && variant->block == SMALL) {
		EXPECT_EQ(0, worker_finish(&crew->worker[1]));
	} else {
		ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	}
	crew_start(crew, RANK(0), &other);
	EXPECT_TRUE(crew_fails(crew, RANK(0), EPROTO, 1));
}

/* Early ones ----------------------------------------------------------------- */

/* Leaves need not wait for the root, which alone knows the tree. */
TEST(small_blocks_of_a_gatherv_do_not_wait_for_the_root)
{
	struct call call = {
		.op = SCATTER_OP_GATHERV, .block = SMALL, .seed = 9,
		.timeout_ms = PATIENCE_MS,
	};
	struct crew crew;
	unsigned int i;

	ASSERT_TRUE(crew_form(&crew, SIZE, 0));
	for (i = 0; i < 3; i++) {
		call.algorithm = i;
		ASSERT_TRUE(crew_calls(&crew, RANKS(1, SIZE - 1), &call));
		ASSERT_TRUE(crew_calls(&crew, RANK(0), &call));
	}
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
