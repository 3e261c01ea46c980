// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that only their owner can read, so that it has to hand them over piece by
 * piece: what others do while it is in the middle of one.
 *
 * A page of the block is served by userfaultfd: the owner stays in its copy until the
 * test says so.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "absent.h"
#include "harness.h"

#define SIZE	3
#define PAGE	4096UL
#define PAGES	35UL	/* more than two stages */
#define BLOCK	(PAGES * PAGE)

/* Whose block it is, and whose is not. */
#define SLOW	1
#define OTHER	2

/* Of a worker: what belongs in its absent page. */
static char content[PAGE];

/* The first whole page of it, in the memory of its owner. */
static char *slow_block(unsigned int owner)
{
	return send_area + PAGE + (owner ? 0 : SLOW * BLOCK);
}

/*
 * Fills the buffers as the call wants them; then the second page of the slow block is
 * absent until task_serve().
 */
static __s64 task_prepare(struct self *self, union task_args *args)
{
	char *page = slow_block(self->rank) + PAGE;

	call_fill(self, &args->call);
	memcpy(content, page, PAGE);
	return absent_map(page, PAGE, 0);
}

static __s64 task_serve(struct self *self, union task_args *args)
{
	struct uffdio_copy copy = { .src = address(content), .len = PAGE };
	struct uffd_msg message;

	(void)self;
	(void)args;
	if (read(absent_faults, &message, sizeof(message)) != sizeof(message))
		return -errno;
	copy.dst = message.arg.pagefault.address & ~(PAGE - 1);
	return ioctl(absent_faults, UFFDIO_COPY, &copy) ? -errno : 0;
}

FIXTURE(staged)
{
	struct crew crew;
	struct call call;
	struct worker thread;	/* of the owner */
	unsigned int owner;
	unsigned int taker;
};

FIXTURE_VARIANT(staged)
{
	__u32 op;
};

FIXTURE_VARIANT_ADD(staged, scatter) { .op = SCATTER_OP_SCATTER };
FIXTURE_VARIANT_ADD(staged, gather) { .op = SCATTER_OP_GATHER };

FIXTURE_SETUP(staged)
{
	const int both = PROT_READ | PROT_WRITE;
	unsigned int r;

	self->owner = variant->op == SCATTER_OP_SCATTER ? 0 : SLOW;
	self->taker = SLOW - self->owner;
	self->call = (struct call){
		.op = variant->op,
		.flags = SCATTER_COLL_IN_PLACE,
		.block = BLOCK,
		.seed = 9,
	};
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	for (r = 0; r < SIZE; r++) {
		ASSERT_EQ(0, worker_map(&self->crew.worker[r], send_area,
					SIZE * BLOCK + PAGE, both, MAP_HOW_SECRET));
		ASSERT_EQ(0, worker_map(&self->crew.worker[r], recv_area,
					SIZE * BLOCK + PAGE, both, MAP_HOW_SECRET));
	}
	ASSERT_TRUE(worker_thread(&self->thread,
				  &self->crew.worker[self->owner]));
}

FIXTURE_TEARDOWN(staged)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* The call of @rank, whose buffers have been filled. */
static void start_filled(struct crew *crew, unsigned int rank,
			 const struct call *call)
{
	union task_args args = { .call = crew_args(rank, call, CALL_CHECK) };

	worker_order(&crew->worker[rank], task_call, &args);
}

/* All have called, and the owner is in its copy of the slow block. */
static bool owner_is_busy(struct crew *crew, const struct call *call,
			  unsigned int owner, struct worker *thread)
{
	union task_args args = { .call = crew_args(owner, call, CALL_FILL) };

	if (worker_do(&crew->worker[owner], task_prepare, &args))
		return false;
	start_filled(crew, owner, call);
	crew_start(crew, RANKS(0, SIZE - 1) & ~RANK(owner), call);
	return !worker_do(thread, task_await_fault, NULL);
}

TEST_F(staged, a_taker_that_pauses_meanwhile_gets_its_data_once)
{
	struct crew *crew = &self->crew;
	unsigned int i;

	ASSERT_TRUE(owner_is_busy(crew, &self->call, self->owner,
				  &self->thread));
	for (i = 0; i < 3; i++) {
		worker_signal(&crew->worker[self->taker], SIGUSR1);
		ASSERT_TRUE(crew_fails(crew, RANK(self->taker), EINTR,
				       SCATTER_RANK_ANY));
		start_filled(crew, self->taker, &self->call);
		ASSERT_TRUE(crew_sleeps(crew, RANK(self->taker)));
	}
	ASSERT_EQ(0, worker_do(&self->thread, task_serve, NULL));
	EXPECT_TRUE(crew_succeeds(crew, RANKS(0, SIZE - 1)));
	EXPECT_EQ(2 * (SIZE - 1) * BLOCK, worker_copied(&self->thread));
}

/* The leaf needs nothing of the one that the root waits for. */
TEST_F(staged, another_leaf_is_not_held_back)
{
	struct crew *crew = &self->crew;

	if (variant->op == SCATTER_OP_SCATTER)
		SKIP(return, "all blocks are of the same owner");
	ASSERT_TRUE(owner_is_busy(crew, &self->call, self->owner,
				  &self->thread));
	EXPECT_TRUE(crew_succeeds(crew, RANK(OTHER)));
	ASSERT_EQ(0, worker_do(&self->thread, task_serve, NULL));
	EXPECT_TRUE(crew_succeeds(crew, RANKS(0, SLOW)));
}

TEST_F(staged, a_taker_that_dies_meanwhile_is_a_death)
{
	struct crew *crew = &self->crew;
	const __u64 others = RANKS(0, SIZE - 1) & ~RANK(self->taker);

	ASSERT_TRUE(owner_is_busy(crew, &self->call, self->owner,
				  &self->thread));
	ASSERT_TRUE(worker_end(&crew->worker[self->taker]));
	ASSERT_EQ(0, worker_do(&self->thread, task_serve, NULL));
	EXPECT_TRUE(variant->op == SCATTER_OP_SCATTER ?
		    crew_succeeds(crew, others) :
		    crew_fails(crew, RANK(self->owner), ECONNRESET, self->taker));
}

TEST_F(staged, an_owner_that_dies_meanwhile_is_a_death)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(owner_is_busy(crew, &self->call, self->owner,
				  &self->thread));
	ASSERT_TRUE(worker_end(&crew->worker[self->owner]));
	EXPECT_TRUE(crew_fails(crew, RANK(self->taker), ECONNRESET,
			       self->owner));
}

TEST_F(staged, an_owner_that_cannot_read_it_is_to_blame)
{
	const int both = PROT_READ | PROT_WRITE;
	struct crew *crew = &self->crew;
	struct worker *owner = &crew->worker[self->owner];
	union task_args args = {
		.call = crew_args(self->owner, &self->call, CALL_FILL),
	};
	char *hole = slow_block(self->owner) + (PAGES - 3) * PAGE;

	ASSERT_EQ(0, worker_do(owner, task_prepare, &args));
	ASSERT_EQ(0, worker_map(owner, hole, PAGE, 0, MAP_HOW_NONE));
	args.call = crew_args(self->owner, &self->call, 0);
	worker_order(owner, task_call, &args);
	crew_start(crew, RANKS(0, SIZE - 1) & ~RANK(self->owner), &self->call);
	ASSERT_EQ(0, worker_do(&self->thread, task_await_fault, NULL));
	ASSERT_EQ(0, worker_do(&self->thread, task_serve, NULL));
	EXPECT_TRUE(crew_fails(crew, RANK(self->owner), EFAULT,
			       SCATTER_RANK_ANY));
	EXPECT_TRUE(crew_fails(crew, RANK(self->taker), EREMOTEIO,
			       self->owner));
	EXPECT_TRUE(crew_succeeds(crew, RANK(OTHER)));
	ASSERT_EQ(0, worker_map(owner, send_area, SIZE * BLOCK + PAGE, both,
				MAP_HOW_FRESH));
	self->call.timeout_ms = PATIENCE_MS;
	EXPECT_TRUE(crew_runs(crew, &self->call));
}

TEST_HARNESS_MAIN
