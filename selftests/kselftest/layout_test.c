// SPDX-License-Identifier: GPL-2.0
/*
 * Layouts of buffers: whatever their shapes at both ends, all bytes arrive, nothing
 * else changes, and nothing is copied more often than between contiguous ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "crew.h"
#include "harness.h"
#include "shape.h"

#define EAGER	100ULL
#define LARGE	20011ULL
/* Of an area, as much as tests use. */
#define USED_BYTES	(16UL << 20)
#define STREAM_BYTES	(4UL << 20)
#define GIB	(1ULL << 30)
#define PAGE	4096UL

/* One operation in one member; words of the task. */
enum {
	W_OP, W_ALGORITHM, W_ROOT, W_SEED, W_BLOCK, W_IN_PLACE, W_DEADLINE,
	W_SEND, W_RECV,	/* enum shape_kind; SHAPE_KINDS: each rank has another one */
};

/* Where the blocks are in the stream of the root's buffer. */
struct blocks {
	__u64 counts[CREW_MAX];
	__u64 displs[CREW_MAX];
	__u64 bytes;
};

/* The same in every process; in a v form in any order and with gaps. */
static void blocks_make(struct blocks *blocks, const union task_args *args,
			unsigned int size)
{
	__u64 random = args->word[W_SEED] * 31 + 7;
	unsigned int first = 0, i;

	blocks->bytes = 0;
	if (is_vector(args->word[W_OP]))
		first = next_random(&random) % size;
	for (i = 0; i < size; i++) {
		unsigned int rank = (first + i) % size;

		blocks->counts[rank] = args->word[W_BLOCK];
		if (is_vector(args->word[W_OP])) {
			blocks->counts[rank] = next_random(&random) %
					       (args->word[W_BLOCK] + 1);
			blocks->bytes += next_random(&random) % 50;
		}
		blocks->displs[rank] = blocks->bytes;
		blocks->bytes += blocks->counts[rank];
	}
}

/* What one member has. */
struct holding {
	struct blocks blocks;
	struct shape send;
	struct shape recv;
};

static enum shape_kind kind_of(__u64 word, const union task_args *args,
			       unsigned int rank, unsigned int side)
{
	if (word < SHAPE_KINDS)
		return word;
	return (args->word[W_SEED] / 3 + rank * 5 + side * 3) % SHAPE_KINDS;
}

static void holding_make(struct holding *holding, const struct self *self,
			 const union task_args *args)
{
	const bool root = self->rank == (int)args->word[W_ROOT];
	__u64 send, recv;

	blocks_make(&holding->blocks, args, self->members);
	send = holding->blocks.counts[self->rank];
	recv = send;
	if (root && is_scatter(args->word[W_OP]))
		send = holding->blocks.bytes;
	if (root && !is_scatter(args->word[W_OP]))
		recv = holding->blocks.bytes;
	shape_make(&holding->send, kind_of(args->word[W_SEND], args, self->rank, 0),
		   send, args->word[W_SEED] + self->rank, SEND_BUFFER);
	shape_make(&holding->recv, kind_of(args->word[W_RECV], args, self->rank, 1),
		   recv, args->word[W_SEED] + self->rank + 50, RECV_BUFFER);
}

static void put_block(const struct shape *shape, __u64 offset, __u64 bytes,
		      const union task_args *args, unsigned int rank)
{
	static char data[STREAM_BYTES];

	pattern_fill(data, bytes, args->word[W_SEED], rank);
	shape_put(shape, offset, data, bytes);
}

/* What has been looked at is poison afterwards, as what is around it. */
static bool take_block(const struct shape *shape, __u64 offset, __u64 bytes,
		       const union task_args *args, unsigned int rank)
{
	static char data[STREAM_BYTES];

	shape_get(shape, offset, data, bytes);
	shape_poison(shape, offset, bytes);
	return pattern_holds(data, bytes, args->word[W_SEED], rank);
}

static void holding_fill(const struct holding *holding, const struct self *self,
			 const union task_args *args)
{
	const struct blocks *blocks = &holding->blocks;
	const bool root = self->rank == (int)args->word[W_ROOT];
	const unsigned int own = self->rank;
	unsigned int r;

	memset(holding->recv.low - GUARD_BYTES, POISON,
	       holding->recv.high - holding->recv.low + 2 * GUARD_BYTES);
	if (!is_scatter(args->word[W_OP]))
		put_block(&holding->send, 0, blocks->counts[own], args, own);
	for (r = 0; is_scatter(args->word[W_OP]) && root && r < self->members; r++)
		put_block(&holding->send, blocks->displs[r], blocks->counts[r],
			  args, r);
	if (!is_scatter(args->word[W_OP]) && root && args->word[W_IN_PLACE])
		put_block(&holding->recv, blocks->displs[own],
			  blocks->counts[own], args, own);
}

static bool holding_intact(const struct holding *holding, const struct self *self,
			   const union task_args *args)
{
	const struct blocks *blocks = &holding->blocks;
	const bool root = self->rank == (int)args->word[W_ROOT];
	const unsigned int own = self->rank;
	bool good = true;
	unsigned int r;

	if (is_scatter(args->word[W_OP]) && !(root && args->word[W_IN_PLACE]))
		good = take_block(&holding->recv, 0, blocks->counts[own], args,
				  own);
	for (r = 0; !is_scatter(args->word[W_OP]) && root && r < self->members; r++)
		good = take_block(&holding->recv, blocks->displs[r],
				  blocks->counts[r], args, r) && good;
	return good && poison_holds(holding->recv.low - GUARD_BYTES,
				    holding->recv.high - holding->recv.low +
				    2 * GUARD_BYTES);
}

static struct scatter_coll coll_of(const struct holding *holding,
				   const struct self *self,
				   const union task_args *args)
{
	const bool root = self->rank == (int)args->word[W_ROOT];
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = args->word[W_OP],
		.schedule.algorithm = args->word[W_ALGORITHM],
		.root = args->word[W_ROOT],
		.deadline_ns = args->word[W_DEADLINE],
		.block = holding->blocks.counts[self->rank],
		.sendbuf = address(holding->send.base),
		.recvbuf = address(holding->recv.base),
		.send_layout = shape_layout(&holding->send),
		.recv_layout = shape_layout(&holding->recv),
	};

	if (root && is_vector(args->word[W_OP])) {
		coll.counts = address(holding->blocks.counts);
		coll.displs = address(holding->blocks.displs);
	}
	/* The device does not look at an unused layout. */
	if (!root && is_scatter(args->word[W_OP]))
		coll.send_layout = BOGUS_ADDRESS;
	if (!root && !is_scatter(args->word[W_OP]))
		coll.recv_layout = BOGUS_ADDRESS;
	if (root && args->word[W_IN_PLACE]) {
		coll.flags = SCATTER_COLL_IN_PLACE;
		*(is_scatter(args->word[W_OP]) ? &coll.recv_layout : &coll.send_layout) =
			BOGUS_ADDRESS;
	}
	return coll;
}

static __s64 task_layout(struct self *self, union task_args *args)
{
	static struct holding holding;
	struct scatter_coll coll;
	__s64 error;

	holding_make(&holding, self, args);
	holding_fill(&holding, self, args);
	coll = coll_of(&holding, self, args);
	error = self_coll(self, &coll);
	if (error)
		return error;
	return holding_intact(&holding, self, args) ? 0 : -EBADMSG;
}

/* Whether all members' calls succeed; the root's is first and, if it gathers, asleep. */
static bool all_run(struct crew *crew, union task_args *args)
{
	const unsigned int root = args->word[W_ROOT];
	bool good = true;
	unsigned int r;

	args->word[W_DEADLINE] = after_ms(PATIENCE_MS);
	worker_order(&crew->worker[root], task_layout, args);
	if (!is_scatter(args->word[W_OP]) && crew->size > 1)
		good = crew_sleeps(crew, RANK(root));
	for (r = 0; r < crew->size; r++)
		if (r != root)
			worker_order(&crew->worker[r], task_layout, args);
	for (r = 0; r < crew->size; r++) {
		__s64 result = worker_finish(&crew->worker[r]);

		if (!result)
			continue;
		good = false;
		diag("%u of %u: %lld (op %llu,%llu root %llu block %llu seed %llu,%llu,%llu,%llu)",
		     r, crew->size, (long long)result, args->word[W_OP],
		     args->word[W_ALGORITHM], args->word[W_ROOT],
		     args->word[W_BLOCK], args->word[W_SEED],
		     args->word[W_IN_PLACE], args->word[W_SEND],
		     args->word[W_RECV]);
	}
	return good;
}

static const __u32 ops[] = {
	SCATTER_OP_SCATTER, SCATTER_OP_GATHER, SCATTER_OP_SCATTERV,
	SCATTER_OP_GATHERV,
};

FIXTURE(shapes)
{
	struct crew crew;
};

FIXTURE_VARIANT(shapes)
{
	unsigned int size;
	__u32 ring_bytes;
	enum map_how how;
	bool all;
};

FIXTURE_VARIANT_ADD(shapes, size_1) { .size = 1 };
FIXTURE_VARIANT_ADD(shapes, size_2) { .size = 2 };
FIXTURE_VARIANT_ADD(shapes, size_5) { .size = 5, .all = true };
FIXTURE_VARIANT_ADD(shapes, size_8_small_rings) { .size = 8, .ring_bytes = 4096 };
/* Only its owner can read or write it. */
FIXTURE_VARIANT_ADD(shapes, secret) { .size = 3, .how = MAP_HOW_SECRET };
FIXTURE_VARIANT_ADD(shapes, file) { .size = 3, .how = MAP_HOW_FILE };

FIXTURE_SETUP(shapes)
{
	const int both = PROT_READ | PROT_WRITE;
	unsigned int r;

	ASSERT_TRUE(crew_form(&self->crew, variant->size, variant->ring_bytes));
	for (r = 0; variant->how && r < variant->size; r++) {
		ASSERT_EQ(0, worker_map(&self->crew.worker[r], send_area,
					USED_BYTES, both, variant->how));
		ASSERT_EQ(0, worker_map(&self->crew.worker[r], recv_area,
					USED_BYTES, both, variant->how));
	}
}

FIXTURE_TEARDOWN(shapes)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F_TIMEOUT(shapes, every_one_at_either_end, 600)
{
	const unsigned int i_large = ARRAY_SIZE(ops) * SHAPE_KINDS * SHAPE_KINDS;
	union task_args args = { 0 };
	unsigned int i;

	for (i = 0; i < 2 * i_large; i += variant->all ? 1 : 7) {
		args.word[W_SEND] = i % SHAPE_KINDS;
		args.word[W_RECV] = i / SHAPE_KINDS % SHAPE_KINDS;
		args.word[W_OP] = ops[i / SHAPE_KINDS / SHAPE_KINDS % ARRAY_SIZE(ops)];
		args.word[W_BLOCK] = i < i_large ? EAGER : LARGE;
		args.word[W_ROOT] = i / 2 % variant->size;
		args.word[W_IN_PLACE] = i / 3 % 2;
		args.word[W_SEED] = i;
		ASSERT_TRUE(all_run(&self->crew, &args));
	}
}

/* Each member has shapes of its own. */
TEST_F_TIMEOUT(shapes, mixtures, 600)
{
	static const __u32 algorithms[] = {
		SCATTER_ALGORITHM_AUTO, SCATTER_ALGORITHM_LINEAR,
		SCATTER_ALGORITHM_HYPERCUBE, SCATTER_ALGORITHM_KNOMIAL,
		SCATTER_ALGORITHM_OR_BROADCAST,
	};
	static const __u64 blocks[] = { 0, 1, 7, 1000, 20000, 100000 };
	union task_args args = {
		.word = { [W_SEND] = SHAPE_KINDS, [W_RECV] = SHAPE_KINDS },
	};
	__u64 random = 99;
	unsigned int i;

	for (i = 0; i < (variant->all ? 200 : 40); i++) {
		args.word[W_OP] = ops[next_random(&random) % ARRAY_SIZE(ops)];
		args.word[W_ALGORITHM] =
			algorithms[next_random(&random) % ARRAY_SIZE(algorithms)];
		args.word[W_BLOCK] = blocks[next_random(&random) % ARRAY_SIZE(blocks)];
		/* Everybody gets everything. */
		if (args.word[W_ALGORITHM] == SCATTER_ALGORITHM_OR_BROADCAST)
			args.word[W_BLOCK] /= 10;
		args.word[W_ROOT] = next_random(&random) % variant->size;
		args.word[W_IN_PLACE] = next_random(&random) % 2;
		args.word[W_SEED] = 1000 + i;
		ASSERT_TRUE(all_run(&self->crew, &args));
	}
}

static bool copied(struct crew *crew, __u64 *bytes)
{
	if (crew_status(crew, 0))
		return false;
	*bytes = crew_seen(crew, 0)->total.bytes_copied;
	return true;
}

TEST_F_TIMEOUT(shapes, cost_no_copy, 300)
{
	union task_args args = {
		.word = { [W_ALGORITHM] = SCATTER_ALGORITHM_LINEAR, [W_SEED] = 5 },
	};
	__u64 before, plain, after;
	unsigned int i, kind;

	for (i = 0; i < 2 * ARRAY_SIZE(ops); i++) {
		args.word[W_OP] = ops[i / 2];
		args.word[W_BLOCK] = i % 2 ? EAGER : LARGE;
		for (kind = 0; kind < SHAPE_KINDS; kind++) {
			args.word[W_SEND] = kind;
			args.word[W_RECV] = kind;
			ASSERT_TRUE(copied(&self->crew, &before));
			ASSERT_TRUE(all_run(&self->crew, &args));
			ASSERT_TRUE(copied(&self->crew, &after));
			if (kind == SHAPE_PLAIN)
				plain = after - before;
			ASSERT_NE(0, plain);
			ASSERT_EQ(plain, after - before)
				TH_LOG("op %u shape %u", i / 2, kind);
		}
	}
}

/* More than 4 GiB ------------------------------------------------------------ */

#define FAR_BYTES	(14 * GIB)
#define FAR_PIECE	(3 * PAGE + 5)

/*
 * Two pieces for each rank, whose stream has a hole of more than 4 GiB between the ranks and
 * whose memory has 5 GiB between the pieces of one.
 */
static __s64 task_far(struct self *self, union task_args *args)
{
	static __u64 counts[2] = { 2 * FAR_PIECE, 2 * FAR_PIECE };
	static __u64 displs[2];
	static char data[2 * FAR_PIECE];
	struct scatter_layout layout = strided(FAR_PIECE, 5 * GIB, 2, 3 * FAR_PIECE);
	const bool scatters = args->word[W_OP] == SCATTER_OP_SCATTERV;
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = args->word[W_OP],
		.block = sizeof(data),
		.sendbuf = address(data),
		.recvbuf = address(data),
		.deadline_ns = args->word[W_DEADLINE],
	};
	/* Rank 1 is so many elements on. */
	const __u64 far = 5 * GIB / (2 * FAR_PIECE);
	char *at = NULL, *piece[4];
	bool good = true;
	unsigned int i;
	__s64 error;

	displs[1] = far * 2 * FAR_PIECE;
	if (!self->rank) {
		at = mmap(NULL, (size_t)FAR_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (at == MAP_FAILED)
			return -errno;
		coll.flags = SCATTER_COLL_IN_PLACE;
		coll.counts = address(counts);
		coll.displs = address(displs);
		*(scatters ? &coll.sendbuf : &coll.recvbuf) = address(at);
		*(scatters ? &coll.send_layout : &coll.recv_layout) = address(&layout);
	}
	for (i = 0; at && i < 4; i++)
		piece[i] = at + i % 2 * 5 * GIB + i / 2 * far * 3 * FAR_PIECE;
	for (i = 0; at && i < 4; i++)
		pattern_fill(piece[i], FAR_PIECE, scatters ? 3 : 99, i);
	for (i = 0; !at && i < 2; i++)
		pattern_fill(data + i * FAR_PIECE, FAR_PIECE, 3, 2 + i);
	if (!at && scatters)
		memset(data, POISON, sizeof(data));
	error = self_coll(self, &coll);
	for (i = 0; !at && i < 2; i++)
		good = good && pattern_holds(data + i * FAR_PIECE, FAR_PIECE, 3, 2 + i);
	for (i = 0; at && !scatters && i < 4; i++)
		good = good && pattern_holds(piece[i], FAR_PIECE, i < 2 ? 99 : 3, i);
	if (at)
		munmap(at, (size_t)FAR_BYTES);
	return error ?: good ? 0 : -EBADMSG;
}

TEST(beyond_4_gib)
{
	struct crew crew;
	unsigned int i, r;

	if (sizeof(size_t) < sizeof(__u64))
		SKIP(return, "a 32-bit program has not so much memory");
	ASSERT_TRUE(crew_form(&crew, 2, 0));
	for (i = 2; i < ARRAY_SIZE(ops); i++) {
		union task_args args = {
			.word = { [W_OP] = ops[i],
				  [W_DEADLINE] = after_ms(PATIENCE_MS) },
		};

		for (r = 0; r < 2; r++)
			worker_order(&crew.worker[r], task_far, &args);
		for (r = 0; r < 2; r++)
			EXPECT_EQ(0, worker_finish(&crew.worker[r]));
	}
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
