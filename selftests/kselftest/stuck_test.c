// SPDX-License-Identifier: GPL-2.0
/*
 * A member dies while a task is inside its call: stuck in a page fault that is never served,
 * or of another process that shares the address space. And what is no death, and no work.
 */
#include <errno.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "death.h"
#include "events.h"
#include "fuse.h"
#include "harness.h"

#define SIZE		3
#define VICTIM		1
#define OTHERS		(RANK(0) | RANK(2))
#define EAGER		64ULL
/* Not eager, and all blocks fit into the file. */
#define LARGE		(FUSE_FILE_BYTES / 4)
#define DEATHS		9
/* What looks there must be in a second in which somebody waits; 20 are intended. */
#define WAIT_MS		1000U
#define LOOKS		5U

/* Shared by the test and all workers. */
struct shared {
	pid_t sharer;
	int over;
	__s64 result;
	char path[80];
};

static struct shared *shared;

/* Stuck inside ---------------------------------------------------------------- */

FIXTURE(stuck)
{
	struct crew crew;
	struct fuse fuse;
};

/*
 * @waiting: who is still inside when the victim dies
 * @error: what they get then
 */
FIXTURE_VARIANT(stuck)
{
	__u32 op;
	__u32 algorithm;
	__u32 flags;
	__u32 root;
	__u64 block;
	__u64 waiting;
	int error;
};

FIXTURE_VARIANT_ADD(stuck, receiver_of_an_eager_scatter)
{
	.op = SCATTER_OP_SCATTER,
	.block = EAGER,
};

FIXTURE_VARIANT_ADD(stuck, receiver_of_a_large_scatter)
{
	.op = SCATTER_OP_SCATTER,
	.block = LARGE,
	.waiting = RANK(0),
};

FIXTURE_VARIANT_ADD(stuck, receiver_of_a_uniform_scatter)
{
	.op = SCATTER_OP_SCATTER,
	.flags = SCATTER_COLL_UNIFORM,
	.block = EAGER,
	.waiting = OTHERS,
	.error = ECONNRESET,
};

FIXTURE_VARIANT_ADD(stuck, root_of_an_eager_scatter)
{
	.op = SCATTER_OP_SCATTER,
	.root = VICTIM,
	.block = EAGER,
	.waiting = OTHERS,
	.error = ECONNRESET,
};

FIXTURE_VARIANT_ADD(stuck, leaf_of_an_eager_gather)
{
	.op = SCATTER_OP_GATHER,
	.block = EAGER,
	.waiting = RANK(0),
	.error = ECONNRESET,
};

FIXTURE_VARIANT_ADD(stuck, root_of_a_large_gather)
{
	.op = SCATTER_OP_GATHER,
	.root = VICTIM,
	.block = LARGE,
	.waiting = OTHERS,
	.error = ECONNRESET,
};

FIXTURE_VARIANT_ADD(stuck, leaf_of_a_combining_gather)
{
	.op = SCATTER_OP_GATHER,
	.algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
	.block = EAGER,
	.waiting = OTHERS,
	.error = ECONNRESET,
};

FIXTURE_SETUP(stuck)
{
	shared = shared_map(sizeof(*shared));
	ASSERT_NE(NULL, shared);
	if (!fuse_begin(&self->fuse))
		SKIP(return, "no FUSE here");
	strcpy(shared->path, self->fuse.path);
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(stuck)
{
	fuse_end(&self->fuse);
	EXPECT_TRUE(crew_end(&self->crew));
}

/* Both areas begin with pages that nobody brings. */
static __s64 task_forsake(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	return fuse_map(shared->path, send_area, FUSE_FILE_BYTES) == MAP_FAILED ||
	       fuse_map(shared->path, recv_area, FUSE_FILE_BYTES) == MAP_FAILED;
}

TEST_F(stuck, dies_for_the_others)
{
	struct call call = patient_call(variant->op, variant->root, variant->block);
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	struct worker *worker = self->crew.worker;
	union task_args args;
	__u64 killed_ns;

	call.algorithm = variant->algorithm;
	call.flags = variant->flags;
	ASSERT_EQ(0, worker_do(&worker[VICTIM], task_forsake, NULL));
	args.call = crew_args(VICTIM, &call, 0);
	worker_order(&worker[VICTIM], task_call, &args);
	crew_start(&self->crew, OTHERS, &call);
	ASSERT_TRUE(fuse_catches(&self->fuse, 1));
	EXPECT_TRUE(crew_succeeds(&self->crew, OTHERS & ~variant->waiting));
	ASSERT_TRUE(crew_sleeps(&self->crew, variant->waiting));
	killed_ns = now_ns();
	kill(worker[VICTIM].pid, SIGKILL);
	EXPECT_TRUE(variant->error ?
		    crew_fails(&self->crew, variant->waiting, variant->error, VICTIM) :
		    crew_succeeds(&self->crew, variant->waiting));
	EXPECT_TRUE(crew_knows_soon(&self->crew, variant->waiting, killed_ns));
	crew_start(&self->crew, OTHERS, &barrier);
	EXPECT_TRUE(crew_fails(&self->crew, OTHERS, ECONNRESET, VICTIM));
	EXPECT_TRUE(death_is_soon(now_ns(), killed_ns));
}

/* Inside for another process ---------------------------------------------------- */

FIXTURE(alive)
{
	struct crew crew;
};

FIXTURE_SETUP(alive)
{
	shared = shared_map(sizeof(*shared));
	ASSERT_NE(NULL, shared);
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(alive)
{
	events_trace(NULL);
	if (shared->sharer > 0)
		kill(shared->sharer, SIGKILL);
	EXPECT_TRUE(crew_end(&self->crew));
}

static int __attribute__((noreturn)) sharer_main(void *self)
{
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = SCATTER_OP_BARRIER,
	};

	__atomic_store_n(&shared->sharer, (pid_t)syscall(SYS_getpid), __ATOMIC_RELEASE);
	shared->result = coll_once(((struct self *)self)->fd, &coll);
	__atomic_store_n(&shared->over, 1, __ATOMIC_RELEASE);
	for (;;)
		syscall(SYS_pause);
}

static __s64 task_share(struct self *self, union task_args *args)
{
	(void)args;
	return sharer_clone(sharer_main, self) > 0 ? 0 : -EAGAIN;
}

static bool sharer_sleeps(void)
{
	struct worker sharer = { .channel = -1 };

	if (!shared_reaches(&shared->sharer, 1))
		return false;
	sharer.pid = shared->sharer;
	sharer.tid = shared->sharer;
	return worker_sleeps(&sharer, SCATTER_IOCTL_COLL);
}

TEST_F(alive, a_process_that_shares_the_memory_is_sent_away)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	__u64 killed_ns;

	ASSERT_EQ(0, worker_do(&self->crew.worker[VICTIM], task_share, NULL));
	ASSERT_TRUE(sharer_sleeps());
	killed_ns = now_ns();
	EXPECT_TRUE(worker_end(&self->crew.worker[VICTIM]));
	ASSERT_TRUE(shared_reaches(&shared->over, 1));
	EXPECT_TRUE(death_is_soon(now_ns(), killed_ns));
	EXPECT_EQ(-EIO, shared->result);
	/* The barrier that the sharer called for the victim is still complete. */
	EXPECT_TRUE(crew_calls(&self->crew, OTHERS, &barrier));
	crew_start(&self->crew, OTHERS, &barrier);
	EXPECT_TRUE(crew_fails(&self->crew, OTHERS, ECONNRESET, VICTIM));
}

/* What is no death --------------------------------------------------------------- */

static __s64 task_exit_thread(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	pthread_exit(NULL);
}

TEST_F(alive, the_first_thread_may_exit_before_the_others)
{
	struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	struct worker thread;
	union task_args args;

	ASSERT_TRUE(worker_thread(&thread, &self->crew.worker[VICTIM]));
	worker_order(&self->crew.worker[VICTIM], task_exit_thread, NULL);
	/* Time enough to find it dead. */
	barrier.timeout_ms = WAIT_MS;
	crew_start(&self->crew, RANK(0), &barrier);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0), ETIMEDOUT, SCATTER_RANK_ANY));
	barrier.timeout_ms = PATIENCE_MS;
	args.call = crew_args(VICTIM, &barrier, 0);
	worker_order(&thread, task_call, &args);
	EXPECT_TRUE(crew_calls(&self->crew, OTHERS, &barrier));
	EXPECT_EQ(0, worker_finish(&thread));
}

/* How often a group looks --------------------------------------------------------- */

static void count_looks(const struct event *event, void *looks)
{
	if (!strcmp(event->name, "watch"))
		++*(unsigned int *)looks;
}

static unsigned int looks_of(const struct crew *crew)
{
	unsigned int looks = 0;

	events_read(crew->name, count_looks, &looks);
	diag("%u looks", looks);
	return looks;
}

TEST_F(alive, no_group_looks_in_which_nobody_waits)
{
	struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	const union task_args wait = { .word = { WAIT_MS } };
	struct crew other;

	barrier.timeout_ms = WAIT_MS;
	ASSERT_TRUE(crew_form(&other, 2, 0));
	if (!events_trace(EVENTS_ALL))
		SKIP(return, "no tracing here");
	crew_start(&other, RANK(0), &barrier);
	EXPECT_TRUE(crew_fails(&other, RANK(0), ETIMEDOUT, SCATTER_RANK_ANY));
	EXPECT_LE(LOOKS, looks_of(&other));
	/* The last look, of those who have joined, may have been still to come. */
	EXPECT_GE(1U, looks_of(&self->crew));
	/* Now the other way round, and by poll(). */
	ASSERT_TRUE(events_trace(EVENTS_ALL));
	EXPECT_EQ(0, worker_do(&self->crew.worker[0], task_poll, &wait));
	EXPECT_LE(LOOKS, looks_of(&self->crew));
	EXPECT_GE(1U, looks_of(&other));
	EXPECT_TRUE(crew_end(&other));
}

/* How soon ------------------------------------------------------------------------ */

/* Of a barrier, after the death of a member whose memory another process keeps. */
static __u64 death_takes_ns(struct crew *crew)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	__u64 killed_ns, took = ~0ULL;

	shared->sharer = 0;
	if (crew_form(crew, SIZE, 0) &&
	    !worker_do(&crew->worker[VICTIM], task_share, NULL) && sharer_sleeps()) {
		crew_start(crew, RANK(0), &barrier);
		killed_ns = now_ns();
		kill(crew->worker[VICTIM].pid, SIGKILL);
		/* The sharer has called for it, so that only the next barrier fails. */
		if (crew_calls(crew, RANK(2), &barrier) && crew_succeeds(crew, RANK(0))) {
			crew_start(crew, OTHERS, &barrier);
			if (crew_fails(crew, OTHERS, ECONNRESET, VICTIM))
				took = crew->worker[0].reply.ended_ns - killed_ns;
		}
	}
	if (shared->sharer > 0)
		kill(shared->sharer, SIGKILL);
	return crew_end(crew) ? took : ~0ULL;
}

TEST_F(alive, half_of_all_deaths_are_known_in_time)
{
	struct death_tally tally = { 0 };
	struct crew crew;
	unsigned int i;

	for (i = 0; i < DEATHS; i++)
		death_note(&tally, death_takes_ns(&crew), 0);
	shared->sharer = 0;
	EXPECT_TRUE(deaths_are_known(&tally, 50));
}

TEST_HARNESS_MAIN
