// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers that are not there: EFAULT at the member whose buffer it is,
 * EREMOTEIO and its rank where its data was needed or should have been
 * gathered, no byte elsewhere touched, and a group that goes on.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "crew.h"
#include "harness.h"

#define SIZE		4
#define ALL		RANKS(0, SIZE - 1)
#define PAGE		4096UL
#define EXTENT		(1UL << 20)

FIXTURE(faults)
{
	struct crew crew;
	struct call call;
	union task_args args;	/* of the member with the bad buffer */
};

/* @hole: pages of a buffer of all blocks that are there: 0, 1 and part of 2. */
FIXTURE_VARIANT(faults)
{
	__u64 block;
	__u32 algorithm;
	unsigned long hole;
	bool eager;
};

FIXTURE_VARIANT_ADD(faults, eager_auto) {
	.block = 3000, .hole = 2 * PAGE, .eager = true,
	.algorithm = SCATTER_ALGORITHM_AUTO,
};

FIXTURE_VARIANT_ADD(faults, eager_linear) {
	.block = 3000, .hole = 2 * PAGE, .eager = true,
	.algorithm = SCATTER_ALGORITHM_LINEAR,
};

FIXTURE_VARIANT_ADD(faults, eager_hypercube) {
	.block = 3000, .hole = 2 * PAGE, .eager = true,
	.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
};

FIXTURE_VARIANT_ADD(faults, combining) {
	.block = 3000, .hole = 2 * PAGE, .eager = true,
	.algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
};

FIXTURE_VARIANT_ADD(faults, rendezvous_linear) {
	.block = 100000, .hole = 50 * PAGE,
	.algorithm = SCATTER_ALGORITHM_LINEAR,
};

FIXTURE_VARIANT_ADD(faults, rendezvous_hypercube) {
	.block = 100000, .hole = 50 * PAGE,
	.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
};

FIXTURE_SETUP(faults)
{
	struct scatter_info info;

	ASSERT_EQ(0, device_info(&info));
	ASSERT_EQ(variant->eager, 2 * variant->block <= info.eager_limit);
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	self->call = (struct call){
		.algorithm = variant->algorithm, .block = variant->block,
		.timeout_ms = PATIENCE_MS,
	};
}

/* The group survives: both operations of all, with good buffers again. */
FIXTURE_TEARDOWN(faults)
{
	const int both = PROT_READ | PROT_WRITE;
	struct crew *crew = &self->crew;
	unsigned int r;

	for (r = 0; r < SIZE; r++) {
		EXPECT_EQ(0, worker_map(&crew->worker[r], send_area, EXTENT,
					both, MAP_HOW_FRESH));
		EXPECT_EQ(0, worker_map(&crew->worker[r], recv_area, EXTENT,
					both, MAP_HOW_FRESH));
	}
	self->call.op = SCATTER_OP_SCATTER;
	EXPECT_TRUE(crew_runs(crew, &self->call));
	self->call.op = SCATTER_OP_GATHER;
	EXPECT_TRUE(crew_runs(crew, &self->call));
	EXPECT_TRUE(crew_end(crew));
}

/* Rank @rank fills its buffers; then @area is bad from @offset on. */
static void break_buffer(struct __test_metadata *_metadata,
			 FIXTURE_DATA(faults) *self, unsigned int rank,
			 char *area, unsigned long offset, int protection)
{
	struct worker *worker = &self->crew.worker[rank];

	self->args.call = crew_args(rank, &self->call, 0);
	ASSERT_EQ(0, worker_do(worker, task_fill, &self->args));
	ASSERT_EQ(0, worker_map(worker, area + offset, EXTENT - offset,
				protection, protection < 0 ? MAP_HOW_NONE :
							     MAP_HOW_PROTECT));
}

#define UNMAPPED	(-1)

static void start_bad(FIXTURE_DATA(faults) *self, unsigned int rank)
{
	worker_order(&self->crew.worker[rank], task_call, &self->args);
}

/* What each rank of @ranks has got: EREMOTEIO for @culprit, or nothing bad. */
static void maybe_remote(struct __test_metadata *_metadata, struct crew *crew,
			 __u64 ranks, int culprit)
{
	const struct scatter_results *results;
	unsigned int r;
	__s64 result;

	for (r = 0; r < SIZE; r++) {
		if (!(ranks & RANK(r)))
			continue;
		result = worker_finish(&crew->worker[r]);
		results = &crew->worker[r].reply.args.call.results;
		if (result == -EREMOTEIO) {
			EXPECT_EQ(culprit, results->culprit);
		} else {
			EXPECT_EQ(0, result) {
				TH_LOG("rank %u", r);
			}
		}
		EXPECT_EQ(1U, crew->worker[r].reply.args.call.intact) {
			TH_LOG("rank %u", r);
		}
	}
}

/*
 * All call @op; nothing of what rank @bad, the first to call or the last, sends or receives is
 * there. The bad one gets EFAULT.
 */
static void all_but_one(struct __test_metadata *_metadata, FIXTURE_DATA(faults) *self, __u32 op,
			unsigned int bad, bool first, int protection)
{
	const bool sends = (op == SCATTER_OP_SCATTER) == !bad;

	self->call.op = op;
	break_buffer(_metadata, self, bad, sends ? send_area : recv_area, 0, protection);
	if (first)
		start_bad(self, bad);
	crew_start(&self->crew, ALL & ~RANK(bad), &self->call);
	if (!first)
		start_bad(self, bad);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(bad), EFAULT, SCATTER_RANK_ANY));
}

/* Scatter: rank 2, interior of the hypercube, cannot take its block. */
static void bad_receiver(struct __test_metadata *_metadata,
			 FIXTURE_DATA(faults) *self, bool first, int protection)
{
	all_but_one(_metadata, self, SCATTER_OP_SCATTER, 2, first, protection);
	/* The root has sent, whether that is of use or not. */
	EXPECT_TRUE(crew_succeeds(&self->crew, RANKS(0, 1) | RANK(3)));
}

TEST_F(faults, unmapped_receiver_of_a_scatter)
{
	bad_receiver(_metadata, self, false, UNMAPPED);
}

TEST_F(faults, unmapped_receiver_of_a_scatter_is_first)
{
	bad_receiver(_metadata, self, true, UNMAPPED);
}

TEST_F(faults, read_only_receiver_of_a_scatter)
{
	bad_receiver(_metadata, self, false, PROT_READ);
}

TEST_F(faults, prot_none_receiver_of_a_scatter)
{
	bad_receiver(_metadata, self, true, PROT_NONE);
}

static void bad_root_of_scatter(struct __test_metadata *_metadata,
				FIXTURE_DATA(faults) *self, bool first,
				int protection)
{
	all_but_one(_metadata, self, SCATTER_OP_SCATTER, 0, first, protection);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(1, 3), EREMOTEIO, 0));
}

TEST_F(faults, unmapped_root_of_a_scatter)
{
	bad_root_of_scatter(_metadata, self, false, UNMAPPED);
}

TEST_F(faults, unmapped_root_of_a_scatter_is_first)
{
	bad_root_of_scatter(_metadata, self, true, UNMAPPED);
}

TEST_F(faults, prot_none_root_of_a_scatter)
{
	bad_root_of_scatter(_metadata, self, true, PROT_NONE);
}

/* Blocks 0 and 1 are there, 2 in part, 3 is not. */
TEST_F(faults, scatter_root_is_mapped_in_part)
{
	struct crew *crew = &self->crew;

	self->call.op = SCATTER_OP_SCATTER;
	break_buffer(_metadata, self, 0, send_area, variant->hole, UNMAPPED);
	start_bad(self, 0);
	crew_start(crew, RANKS(1, 3), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(0), EFAULT, SCATTER_RANK_ANY));
	EXPECT_TRUE(crew_fails(crew, RANK(2) | RANK(3), EREMOTEIO, 0));
	maybe_remote(_metadata, crew, RANK(1), 0);
}

/* Gather: rank 2, interior of the hypercube, has nothing to send. */
static void bad_sender(struct __test_metadata *_metadata,
		       FIXTURE_DATA(faults) *self, bool first, int protection)
{
	all_but_one(_metadata, self, SCATTER_OP_GATHER, 2, first, protection);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0), EREMOTEIO, 2));
	EXPECT_TRUE(crew_succeeds(&self->crew, RANK(1) | RANK(3)));
}

TEST_F(faults, unmapped_sender_of_a_gather)
{
	bad_sender(_metadata, self, false, UNMAPPED);
}

TEST_F(faults, unmapped_sender_of_a_gather_is_first)
{
	bad_sender(_metadata, self, true, UNMAPPED);
}

TEST_F(faults, prot_none_sender_of_a_gather)
{
	bad_sender(_metadata, self, false, PROT_NONE);
}

/* The bytes before the hole are no block yet. */
TEST_F(faults, gather_sender_is_mapped_in_part)
{
	struct crew *crew = &self->crew;
	struct scatter_coll *coll = &self->args.call.coll;

	self->call.op = SCATTER_OP_GATHER;
	break_buffer(_metadata, self, 3, send_area, variant->hole, UNMAPPED);
	coll->sendbuf = address(send_area) + variant->hole - 100;
	start_bad(self, 3);
	crew_start(crew, RANKS(0, 2), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(3), EFAULT, SCATTER_RANK_ANY));
	EXPECT_TRUE(crew_fails(crew, RANK(0), EREMOTEIO, 3));
	EXPECT_TRUE(crew_succeeds(crew, RANK(1) | RANK(2)));
}

/* A signal while the root waits for another block names nobody, and the root goes on. */
TEST_F(faults, root_that_waits_on_after_a_bad_sender)
{
	struct crew *crew = &self->crew;

	self->call.op = SCATTER_OP_GATHER;
	break_buffer(_metadata, self, 3, send_area, variant->hole, UNMAPPED);
	self->args.call.coll.sendbuf = address(send_area) + variant->hole - variant->block / 4 * 3;
	crew_start(crew, RANKS(0, 1), &self->call);
	start_bad(self, 3);
	/* In some schedules rank 2 has to come before others hear of the fault. */
	EXPECT_TRUE(worker_settles(&crew->worker[3], SCATTER_IOCTL_COLL));
	EXPECT_TRUE(crew_sleeps(crew, RANK(0)));
	EXPECT_TRUE(crew_is_interrupted(crew, RANK(0)));
	crew_start(crew, RANK(2), &self->call);
	EXPECT_EQ(-EREMOTEIO, crew_resume(crew, 0, &self->call));
	EXPECT_EQ(3, crew->worker[0].reply.args.call.results.culprit);
	EXPECT_TRUE(crew_fails(crew, RANK(3), EFAULT, SCATTER_RANK_ANY));
	EXPECT_TRUE(crew_succeeds(crew, RANKS(1, 2)));
}

/* Gather: the root cannot take anything. */
static void bad_root_of_gather(struct __test_metadata *_metadata,
			       FIXTURE_DATA(faults) *self, bool eager,
			       bool first, int protection)
{
	all_but_one(_metadata, self, SCATTER_OP_GATHER, 0, first, protection);
	/* An eager block may have gone before anybody knew. */
	if (eager)
		maybe_remote(_metadata, &self->crew, RANKS(1, 3), 0);
	else
		EXPECT_TRUE(crew_fails(&self->crew, RANKS(1, 3), EREMOTEIO, 0));
}

TEST_F(faults, unmapped_root_of_a_gather)
{
	bad_root_of_gather(_metadata, self, variant->eager, false, UNMAPPED);
}

TEST_F(faults, unmapped_root_of_a_gather_is_first)
{
	bad_root_of_gather(_metadata, self, variant->eager, true, UNMAPPED);
}

TEST_F(faults, read_only_root_of_a_gather)
{
	bad_root_of_gather(_metadata, self, variant->eager, true, PROT_READ);
}

TEST_F(faults, gather_root_is_mapped_in_part)
{
	struct crew *crew = &self->crew;

	self->call.op = SCATTER_OP_GATHER;
	break_buffer(_metadata, self, 0, recv_area, variant->hole, UNMAPPED);
	crew_start(crew, RANKS(1, 3), &self->call);
	start_bad(self, 0);
	EXPECT_TRUE(crew_fails(crew, RANK(0), EFAULT, SCATTER_RANK_ANY));
	maybe_remote(_metadata, crew, RANKS(1, 3), 0);
}

static __s64 task_poisoned(struct self *self, union task_args *args)
{
	(void)self;
	return !poison_holds(pointer(args->word[0]), args->word[1]);
}

/* "After an error no byte outside the named buffers was touched." */
TEST_F(faults, no_byte_outside_a_bad_receive_buffer_is_touched)
{
	struct crew *crew = &self->crew;
	union task_args before = {
		.word = { address(recv_area), GUARD_BYTES },
	};

	self->call.op = SCATTER_OP_SCATTER;
	break_buffer(_metadata, self, 1, recv_area, PAGE, UNMAPPED);
	/* The hole is at the block's second half. */
	self->args.call.coll.recvbuf = address(recv_area) + GUARD_BYTES;
	self->args.call.coll.block = variant->block;
	if (variant->eager)
		self->args.call.coll.recvbuf = address(recv_area) + 2000;
	start_bad(self, 1);
	crew_start(crew, RANK(0) | RANKS(2, 3), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(1), EFAULT, SCATTER_RANK_ANY));
	EXPECT_TRUE(crew_succeeds(crew, RANK(0) | RANKS(2, 3)));
	EXPECT_EQ(0, worker_do(&crew->worker[1], task_poisoned, &before));
}

/* Two members with bad buffers in one operation: each learns of its own. */
TEST_F(faults, root_and_receiver_both_bad)
{
	struct crew *crew = &self->crew;
	union task_args root;

	self->call.op = SCATTER_OP_SCATTER;
	break_buffer(_metadata, self, 0, send_area, 0, UNMAPPED);
	root = self->args;
	break_buffer(_metadata, self, 1, recv_area, 0, UNMAPPED);
	worker_order(&crew->worker[0], task_call, &root);
	start_bad(self, 1);
	crew_start(crew, RANKS(2, 3), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(0), EFAULT, SCATTER_RANK_ANY));
	EXPECT_TRUE(crew_fails(crew, RANKS(2, 3), EREMOTEIO, 0));
	/* Whichever of the two it meets first. */
	if (worker_finish(&crew->worker[1]) != -EFAULT) {
		EXPECT_EQ(-EREMOTEIO, crew->worker[1].reply.result);
		EXPECT_EQ(0, crew->worker[1].reply.args.call.results.culprit);
	}
}

/* A fault is not the end of a group, nor are hundreds. */
TEST_F(faults, a_hundred_in_a_row)
{
	struct crew *crew = &self->crew;
	unsigned int i;

	self->call.op = SCATTER_OP_SCATTER;
	break_buffer(_metadata, self, 0, send_area, 0, UNMAPPED);
	for (i = 0; i < 100; i++) {
		start_bad(self, 0);
		crew_start(crew, RANKS(1, 3), &self->call);
		ASSERT_TRUE(crew_fails(crew, RANK(0), EFAULT,
				       SCATTER_RANK_ANY));
		ASSERT_TRUE(crew_fails(crew, RANKS(1, 3), EREMOTEIO, 0));
	}
}

TEST_HARNESS_MAIN
