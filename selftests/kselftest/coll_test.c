// SPDX-License-Identifier: GPL-2.0
/*
 * SCATTER and GATHER move the right bytes and no others: all sizes, blocks,
 * algorithms, roots, in place or not, from and to all kinds of memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define MIB	(1ULL << 20)

/* One member's way through all cases: the same cases in the same order. */
struct matrix {
	struct self *self;
	unsigned int cases;
	char *failure;
};

/* Buffers start at odd places and at even ones. */
static struct call_args case_args(const struct matrix *matrix,
				  const struct call *call)
{
	struct call_args args = crew_args(matrix->self->rank, call,
					  CALL_FILL | CALL_CHECK);
	unsigned int shift = matrix->cases * 3 % 11;

	if (args.coll.sendbuf != BOGUS_ADDRESS)
		args.coll.sendbuf += shift;
	if (args.coll.recvbuf != BOGUS_ADDRESS)
		args.coll.recvbuf += shift * 7 % 11;
	return args;
}

static bool case_run(struct matrix *matrix, struct call *call)
{
	union task_args args;
	__s64 error;

	call->seed = matrix->cases;
	args.call = case_args(matrix, call);
	error = task_call(matrix->self, &args);
	if (!error && args.call.intact && args.call.results.culprit == -1 &&
	    args.call.results.number == matrix->cases++)
		return true;
	snprintf(matrix->failure, 256,
		 "rank %d op %u algorithm %u root %u flags %u block %llu: result %lld culprit %d number %llu, data %s",
		 matrix->self->rank, call->op, call->algorithm, call->root,
		 call->flags, call->block, (long long)error,
		 args.call.results.culprit, args.call.results.number,
		 args.call.intact ? "right" : "wrong");
	return false;
}

/* Roots, algorithms, in place or not, scatter or gather. */
#define BLOCK_CASES	(3 * 4 * 2 * 2)

/* Each byte of an OR-broadcast goes to everybody: that takes its time. */
static __u32 algorithm_of(unsigned int i, unsigned int members, __u64 block)
{
	static const __u32 algorithms[] = {
		SCATTER_ALGORITHM_AUTO, SCATTER_ALGORITHM_LINEAR,
		SCATTER_ALGORITHM_HYPERCUBE, SCATTER_ALGORITHM_OR_BROADCAST,
	};

	if (members > 16 || (members > 4 && block > 4096))
		return algorithms[i % 3];
	return algorithms[i % 4];
}

/* Every one of these for one block; half of them as v forms. */
static bool cases_of_block(struct matrix *matrix, __u64 block)
{
	const unsigned int members = matrix->self->members, last = members - 1;
	const __u32 roots[] = { 0, last / 2 + last % 2, last };
	static const __u32 ops[] = {
		SCATTER_OP_SCATTER, SCATTER_OP_GATHER,
		SCATTER_OP_SCATTERV, SCATTER_OP_GATHERV,
	};
	struct call call = { .block = block, .timeout_ms = PATIENCE_MS };
	unsigned int i;

	for (i = 0; i < BLOCK_CASES; i++) {
		call.op = ops[(i + i / 4) % 4];
		call.flags = i / 2 % 2 ? SCATTER_COLL_IN_PLACE : 0;
		call.algorithm = algorithm_of(i / 4, members, block);
		call.root = roots[i / 16];
		if (!case_run(matrix, &call))
			return false;
	}
	return true;
}

/* word[0]: longest block. A failure ends the group, and so the others. */
static __s64 task_matrix(struct self *self, union task_args *args)
{
	static const __u64 blocks[] = { 0, 1, 7, 64, 4095, 4096, 65537, MIB };
	const __u64 longest = args->word[0];
	struct matrix matrix = { .self = self, .failure = args->text };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(blocks) && blocks[i] <= longest; i++) {
		if (cases_of_block(&matrix, blocks[i]))
			continue;
		task_close(self, NULL);
		return -1;
	}
	return matrix.cases;
}

FIXTURE(matrix)
{
	struct crew crew;
};

FIXTURE_VARIANT(matrix)
{
	unsigned int size;
	__u64 longest;
	__u32 ring_bytes;
};

#define MATRIX_OF(members, block)					\
	FIXTURE_VARIANT_ADD(matrix, size_##members) {			\
		.size = (members),					\
		.longest = (block),					\
	}

MATRIX_OF(1, MIB);
MATRIX_OF(2, MIB);
MATRIX_OF(3, MIB);
MATRIX_OF(4, MIB);
MATRIX_OF(7, MIB);
MATRIX_OF(8, MIB);
MATRIX_OF(16, MIB);
MATRIX_OF(33, 65537);
MATRIX_OF(64, 65537);

/* A ring in which one block of 4096 bytes does not find room. */
FIXTURE_VARIANT_ADD(matrix, size_8_small_ring) {
	.size = 8,
	.longest = 65537,
	.ring_bytes = 4096,
};

FIXTURE_SETUP(matrix)
{
	ASSERT_TRUE(crew_form(&self->crew, variant->size, variant->ring_bytes));
}

FIXTURE_TEARDOWN(matrix)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F_TIMEOUT(matrix, every_byte_is_right, 300)
{
	union task_args args = { .word = { variant->longest } };
	const __s64 cases = (variant->longest == MIB ? 8 : 7) * BLOCK_CASES;
	struct worker *worker;
	__u64 end = after_ms(280000);
	unsigned int r;

	for (r = 0; r < variant->size; r++)
		worker_order(&self->crew.worker[r], task_matrix, &args);
	for (r = 0; r < variant->size; r++) {
		worker = &self->crew.worker[r];
		while (!worker_replies(worker, 1000) && now_ns() < end)
			;
		EXPECT_EQ(cases, worker_finish(worker))
			TH_LOG("%s", worker->reply.args.text);
	}
}

/* Memory of all kinds ------------------------------------------------------ */

FIXTURE(memory)
{
	struct crew crew;
};

FIXTURE_VARIANT(memory)
{
	__u64 block;
};

FIXTURE_VARIANT_ADD(memory, eager) { .block = 1000 };
FIXTURE_VARIANT_ADD(memory, rendezvous) { .block = 300001 };

FIXTURE_SETUP(memory)
{
	ASSERT_TRUE(crew_form(&self->crew, 3, 0));
}

FIXTURE_TEARDOWN(memory)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static void both_ops(struct __test_metadata *_metadata, struct crew *crew,
		     __u64 block)
{
	struct call call = { .block = block, .timeout_ms = PATIENCE_MS };

	for (call.op = SCATTER_OP_SCATTER; call.op <= SCATTER_OP_GATHER;
	     call.op++)
		for (call.root = 0; call.root < crew->size; call.root++) {
			call.seed++;
			EXPECT_TRUE(crew_runs(crew, &call)) {
				TH_LOG("op %u root %u", call.op, call.root);
			}
		}
}

TEST_F(memory, shared_file_mappings)
{
	struct worker *worker = &self->crew.worker[1];
	const int both = PROT_READ | PROT_WRITE;

	ASSERT_EQ(0, worker_map(worker, send_area, 2 * MIB, both, MAP_HOW_FILE));
	both_ops(_metadata, &self->crew, variant->block);
	ASSERT_EQ(0, worker_map(worker, recv_area, 2 * MIB, both, MAP_HOW_FILE));
	both_ops(_metadata, &self->crew, variant->block);
}

TEST_F(memory, parts_of_a_buffer_are_of_different_kinds)
{
	struct worker *worker = &self->crew.worker[2];
	const int both = PROT_READ | PROT_WRITE;
	unsigned int i;

	for (i = 4096; i < 2 * MIB; i += 5 * 4096) {
		ASSERT_EQ(0, worker_map(worker, send_area + i, 4096, both,
					MAP_HOW_FILE));
		ASSERT_EQ(0, worker_map(worker, recv_area + i, 4096, both,
					MAP_HOW_FRESH));
	}
	both_ops(_metadata, &self->crew, variant->block);
}

/* Everybody fills, then what is sent becomes read-only: that is enough. */
TEST_F(memory, sending_needs_no_right_to_write)
{
	struct crew *crew = &self->crew;
	struct call call = {
		.op = SCATTER_OP_SCATTER, .block = variant->block, .seed = 3,
		.timeout_ms = PATIENCE_MS,
	};
	union task_args args = { .call = crew_args(0, &call, CALL_CHECK) };

	ASSERT_EQ(0, worker_do(&crew->worker[0], task_fill, &args));
	ASSERT_EQ(0, worker_map(&crew->worker[0], send_area, 2 * MIB, PROT_READ,
				MAP_HOW_PROTECT));
	crew_start(crew, RANK(1) | RANK(2), &call);
	worker_order(&crew->worker[0], task_call, &args);
	EXPECT_TRUE(crew_succeeds(crew, RANKS(0, 2)));
}

static bool is_zero(const char *from, size_t bytes)
{
	while (bytes--)
		if (*from++)
			return false;
	return true;
}

static __s64 task_is_zero(struct self *self, union task_args *args)
{
	(void)self;
	return !is_zero(pointer(args->word[0]), args->word[1]);
}

/* Neither the sent nor the received pages have ever been touched. */
TEST_F(memory, pages_that_do_not_exist_yet)
{
	struct crew *crew = &self->crew;
	struct call call = patient_call(SCATTER_OP_SCATTER, 0, variant->block);
	union task_args args;
	unsigned int r;

	for (r = 0; r < 3; r++) {
		args.call = crew_args(r, &call, 0);
		worker_order(&crew->worker[r], task_call, &args);
	}
	EXPECT_TRUE(crew_succeeds(crew, RANKS(0, 2)));
	args = (union task_args){
		.word = { address(RECV_BUFFER), variant->block },
	};
	for (r = 0; r < 3; r++)
		EXPECT_EQ(0, worker_do(&crew->worker[r], task_is_zero, &args));
}

/*
 * A child is forked before and lives on: every page is shared with it and has
 * to be copied when data arrives, for the right one of the two.
 */
static __s64 task_fork_child(struct self *self, union task_args *args)
{
	pid_t pid;

	(void)args;
	memset(recv_area, POISON, MIB);
	pid = fork();
	if (pid)
		return pid;
	close(self->channel[0]);
	close(self->channel[1]);
	alarm(100);
	pause();
	_exit(0);
}

TEST_F(memory, shared_with_a_forked_child)
{
	struct crew *crew = &self->crew;
	__s64 child[3];
	unsigned int r;

	for (r = 0; r < 3; r++) {
		child[r] = worker_do(&crew->worker[r], task_fork_child, NULL);
		ASSERT_LT(0, child[r]);
	}
	both_ops(_metadata, crew, variant->block);
	for (r = 0; r < 3; r++)
		kill((pid_t)child[r], SIGKILL);
}

/* Send and receive buffer are the same memory, at the root. */
TEST_F(memory, in_place_leaves_the_rest_of_the_buffer_alone)
{
	struct call call = {
		.block = variant->block, .flags = SCATTER_COLL_IN_PLACE,
		.root = 1, .timeout_ms = PATIENCE_MS,
	};

	for (call.op = SCATTER_OP_SCATTER; call.op <= SCATTER_OP_GATHER;
	     call.op++, call.seed++)
		EXPECT_TRUE(crew_runs(&self->crew, &call));
}

/* Only the root may ask for it. */
TEST_F(memory, in_place_is_for_the_root)
{
	struct scatter_coll *coll;
	union task_args args;
	struct call call = patient_call(SCATTER_OP_SCATTER, 0, variant->block);

	args.call = crew_args(1, &call, 0);
	coll = &args.call.coll;
	coll->flags = SCATTER_COLL_IN_PLACE;
	EXPECT_EQ(-EINVAL,
		  worker_do(&self->crew.worker[1], task_call, &args));
	coll->op = SCATTER_OP_GATHER;
	EXPECT_EQ(-EINVAL,
		  worker_do(&self->crew.worker[1], task_call, &args));
	/* The refused call was no operation. */
	both_ops(_metadata, &self->crew, variant->block);
}

/* Two groups with the same processes do not get into each other's way. */
TEST(two_groups_at_once)
{
	struct call call = {
		.op = SCATTER_OP_SCATTER, .block = 70000, .seed = 1,
		.timeout_ms = PATIENCE_MS,
	};
	struct call other = {
		.op = SCATTER_OP_GATHER, .block = 3000, .seed = 2, .root = 2,
		.timeout_ms = PATIENCE_MS,
	};
	struct crew a, b;
	unsigned int i;

	ASSERT_TRUE(crew_form(&a, 4, 0));
	ASSERT_TRUE(crew_form(&b, 4, 0));
	for (i = 0; i < 20; i++) {
		crew_start(&a, RANKS(1, 3), &call);
		crew_start(&b, RANKS(0, 2), &other);
		crew_start(&a, RANK(0), &call);
		crew_start(&b, RANK(3), &other);
		EXPECT_TRUE(crew_succeeds(&b, RANKS(0, 3)));
		EXPECT_TRUE(crew_succeeds(&a, RANKS(0, 3)));
		call.seed++;
		other.seed++;
	}
	/* The death of one is nothing to the other. */
	ASSERT_TRUE(worker_end(&a.worker[0]));
	EXPECT_TRUE(crew_runs(&b, &other));
	EXPECT_TRUE(crew_end(&a));
	EXPECT_TRUE(crew_end(&b));
}

TEST_HARNESS_MAIN
