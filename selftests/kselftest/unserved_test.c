// SPDX-License-Identifier: GPL-2.0
/*
 * A member whose memory cannot be had: the server of its page faults never answers. The
 * member itself stays in its call; all others get their data if it is elsewhere, and else
 * every way to end a call works for them at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "absent.h"
#include "fuse.h"
#include "harness.h"
#include "regroup.h"

#define SIZE		3
#define ALL		RANKS(0, SIZE - 1)
#define PAGE		4096UL
#define HUGE_PAGE	(2UL << 20)
#define DEADLINE_MS	300

/* Whose block is behind the fault, if not the root has the memory; and whose is not. */
#define SLOW	1
#define OTHER	2

enum server {
	SERVER_USERFAULTFD,
	SERVER_USERFAULTFD_HUGE,
	SERVER_FUSE,
};

static char fuse_path[80];

/* word[0]: an address; word[1]: bytes from there on; word[2]: enum server */
static __s64 task_be_slow(struct self *self, union task_args *args)
{
	const bool huge = args->word[2] == SERVER_USERFAULTFD_HUGE;
	void *at = pointer(args->word[0]);
	size_t bytes = args->word[1];

	(void)self;
	if (args->word[2] == SERVER_FUSE)
		return fuse_map(fuse_path, at, bytes) == MAP_FAILED ? -errno : 0;
	return absent_map(at, bytes, huge ? MAP_HUGETLB : 0);
}

FIXTURE(unserved)
{
	struct crew crew;
	struct call call;
	struct fuse fuse;
	struct worker thread;	/* of the owner */
	unsigned int owner;	/* of the memory */
	unsigned int waiter;	/* needs what is in it, or is to be copied there */
};

/* @receives: not what the owner sends cannot be had, but where it receives to. */
FIXTURE_VARIANT(unserved)
{
	enum server server;
	__u32 op;
	bool receives;
};

FIXTURE_VARIANT_ADD(unserved, userfaultfd_scatter) {
	.server = SERVER_USERFAULTFD, .op = SCATTER_OP_SCATTER,
};

FIXTURE_VARIANT_ADD(unserved, userfaultfd_scatterv) {
	.server = SERVER_USERFAULTFD, .op = SCATTER_OP_SCATTERV,
};

FIXTURE_VARIANT_ADD(unserved, userfaultfd_gather) {
	.server = SERVER_USERFAULTFD, .op = SCATTER_OP_GATHER,
};

FIXTURE_VARIANT_ADD(unserved, userfaultfd_gatherv) {
	.server = SERVER_USERFAULTFD, .op = SCATTER_OP_GATHERV,
};

FIXTURE_VARIANT_ADD(unserved, userfaultfd_gather_root) {
	.server = SERVER_USERFAULTFD, .op = SCATTER_OP_GATHER, .receives = true,
};

FIXTURE_VARIANT_ADD(unserved, hugetlb_scatter) {
	.server = SERVER_USERFAULTFD_HUGE, .op = SCATTER_OP_SCATTER,
};

FIXTURE_VARIANT_ADD(unserved, hugetlb_scatterv) {
	.server = SERVER_USERFAULTFD_HUGE, .op = SCATTER_OP_SCATTERV,
};

FIXTURE_VARIANT_ADD(unserved, hugetlb_gather) {
	.server = SERVER_USERFAULTFD_HUGE, .op = SCATTER_OP_GATHER,
};

FIXTURE_VARIANT_ADD(unserved, hugetlb_gatherv) {
	.server = SERVER_USERFAULTFD_HUGE, .op = SCATTER_OP_GATHERV,
};

FIXTURE_VARIANT_ADD(unserved, hugetlb_gather_root) {
	.server = SERVER_USERFAULTFD_HUGE, .op = SCATTER_OP_GATHER, .receives = true,
};

FIXTURE_VARIANT_ADD(unserved, fuse_scatter) {
	.server = SERVER_FUSE, .op = SCATTER_OP_SCATTER,
};

FIXTURE_VARIANT_ADD(unserved, fuse_scatterv) {
	.server = SERVER_FUSE, .op = SCATTER_OP_SCATTERV,
};

FIXTURE_VARIANT_ADD(unserved, fuse_gather) {
	.server = SERVER_FUSE, .op = SCATTER_OP_GATHER,
};

FIXTURE_VARIANT_ADD(unserved, fuse_gatherv) {
	.server = SERVER_FUSE, .op = SCATTER_OP_GATHERV,
};

FIXTURE_VARIANT_ADD(unserved, fuse_gather_root) {
	.server = SERVER_FUSE, .op = SCATTER_OP_GATHER, .receives = true,
};

FIXTURE_SETUP(unserved)
{
	const bool huge = variant->server == SERVER_USERFAULTFD_HUGE;
	const bool scatters = variant->op == SCATTER_OP_SCATTER ||
			      variant->op == SCATTER_OP_SCATTERV;

	if (huge) {
		ASSERT_EQ(0, file_write("/proc/sys/vm/nr_hugepages", "2"));
	}
	if (variant->server == SERVER_FUSE) {
		ASSERT_TRUE(fuse_begin(&self->fuse));
		strcpy(fuse_path, self->fuse.path);
	}
	self->owner = scatters || variant->receives ? 0 : SLOW;
	self->waiter = SLOW - self->owner;
	self->call = (struct call){
		.op = variant->op,
		/* A whole huge page fits into a block, wherever that begins. */
		.block = huge ? 2 * HUGE_PAGE : 150000,
		.seed = 3,
	};
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	ASSERT_TRUE(worker_thread(&self->thread, &self->crew.worker[self->owner]));
}

FIXTURE_TEARDOWN(unserved)
{
	/* Workers may be in the middle of a read, which only the end of the server ends. */
	fuse_end(&self->fuse);
	EXPECT_TRUE(crew_end(&self->crew));
	if (variant->server == SERVER_USERFAULTFD_HUGE) {
		EXPECT_EQ(0, file_write("/proc/sys/vm/nr_hugepages", "0"));
	}
}

/* The first whole page of the slow block, in the memory of its owner. */
static char *slow_page(const struct call *call, bool receives, size_t page)
{
	const bool root = call->op == SCATTER_OP_SCATTER ||
			  call->op == SCATTER_OP_SCATTERV || receives;
	char *at = receives ? RECV_BUFFER : SEND_BUFFER;

	at += root ? block_offset(call->op, call->block, SIZE, SLOW) : 0;
	return pointer((address(at) + page - 1) / page * page);
}

/* All have called; the owner is in a page fault of the slow block, and the others in need. */
static void get_stuck(struct __test_metadata *_metadata, FIXTURE_DATA(unserved) *self,
		      const FIXTURE_VARIANT(unserved) *variant)
{
	const size_t page = variant->server == SERVER_USERFAULTFD_HUGE ?
			    HUGE_PAGE : PAGE;
	struct worker *owner = &self->crew.worker[self->owner];
	union task_args args = {
		.call = crew_args(self->owner, &self->call, CALL_FILL),
	};

	ASSERT_EQ(0, worker_do(owner, task_fill, &args));
	memset(&args, 0, sizeof(args));
	args.word[0] = address(slow_page(&self->call, variant->receives, page));
	args.word[1] = page;
	args.word[2] = variant->server;
	ASSERT_EQ(0, worker_do(owner, task_be_slow, &args));
	args.call = crew_args(self->owner, &self->call, 0);
	worker_order(owner, task_call, &args);
	crew_start(&self->crew, ALL & ~RANK(self->owner), &self->call);
	if (variant->server == SERVER_FUSE) {
		ASSERT_TRUE(fuse_catches(&self->fuse, 1));
	} else {
		ASSERT_EQ(0, worker_do(&self->thread, task_await_fault, NULL));
	}
	/* A root in a fault of where it receives to collects nothing. */
	if (!variant->receives) {
		ASSERT_TRUE(crew_succeeds(&self->crew, RANK(OTHER)));
	}
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(self->waiter)));
}

/* The waiter calls again, with a deadline. */
static __s64 resume_with_deadline(FIXTURE_DATA(unserved) *self)
{
	struct call limited = self->call;

	limited.timeout_ms = DEADLINE_MS;
	return crew_resume(&self->crew, self->waiter, &limited);
}

TEST_F(unserved, a_signal_ends_the_call)
{
	get_stuck(_metadata, self, variant);
	EXPECT_TRUE(crew_is_interrupted(&self->crew, RANK(self->waiter)));
}

TEST_F(unserved, a_deadline_holds)
{
	get_stuck(_metadata, self, variant);
	ASSERT_TRUE(crew_is_interrupted(&self->crew, RANK(self->waiter)));
	EXPECT_EQ(-ETIMEDOUT, resume_with_deadline(self));
}

TEST_F(unserved, a_deadline_of_all_names_the_owner)
{
	self->call.flags = SCATTER_COLL_DEADLINE_ALL;
	get_stuck(_metadata, self, variant);
	ASSERT_TRUE(crew_is_interrupted(&self->crew, RANK(self->waiter)));
	EXPECT_EQ(-ETIME, resume_with_deadline(self));
	EXPECT_EQ((int)self->owner,
		  self->crew.worker[self->waiter].reply.args.call.results.culprit);
}

TEST_F(unserved, revoke_ends_the_call)
{
	get_stuck(_metadata, self, variant);
	/* The second thread of the owner is free to act. */
	ASSERT_EQ(0, worker_do(&self->thread, task_revoke, NULL));
	EXPECT_TRUE(crew_fails(&self->crew, RANK(self->waiter), ECANCELED,
			       (int)self->owner));
}

TEST_F(unserved, the_waiter_can_be_killed)
{
	get_stuck(_metadata, self, variant);
	EXPECT_TRUE(worker_end(&self->crew.worker[self->waiter]));
}

/* And never success, with whatever was in the page then. */
TEST_F(unserved, the_death_of_the_owner_is_known)
{
	get_stuck(_metadata, self, variant);
	kill(self->crew.worker[self->owner].pid, SIGKILL);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(self->waiter), ECONNRESET,
			       (int)self->owner));
}

/* Memory that is there, while somebody holds the lock of its mappings. */

FIXTURE(locked)
{
	struct crew crew;
	struct call call;
	struct fuse fuse;
	struct worker thread;	/* of the owner */
	struct worker reader;
	unsigned int owner;
};

FIXTURE_VARIANT(locked)
{
	__u32 op;
	unsigned int owner;
};

FIXTURE_VARIANT_ADD(locked, scatter_root) { SCATTER_OP_SCATTER, 0 };
FIXTURE_VARIANT_ADD(locked, scatterv_root) { SCATTER_OP_SCATTERV, 0 };
FIXTURE_VARIANT_ADD(locked, gather_leaf) { SCATTER_OP_GATHER, SLOW };
FIXTURE_VARIANT_ADD(locked, gather_root) { SCATTER_OP_GATHER, 0 };

FIXTURE_SETUP(locked)
{
	ASSERT_TRUE(fuse_begin(&self->fuse));
	strcpy(fuse_path, self->fuse.path);
	self->call = (struct call){
		.op = variant->op, .block = 150000, .seed = 4,
	};
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	ASSERT_TRUE(worker_thread(&self->thread,
				  &self->crew.worker[variant->owner]));
	ASSERT_TRUE(worker_spawn(&self->reader));
}

FIXTURE_TEARDOWN(locked)
{
	fuse_end(&self->fuse);
	EXPECT_TRUE(crew_end(&self->crew));
	EXPECT_TRUE(worker_end(&self->reader));
}

static __s64 task_read(struct self *self, union task_args *args)
{
	int fd = open(fuse_path, O_RDONLY | O_CLOEXEC);
	char byte;

	(void)self;
	(void)args;
	return fd < 0 || pread(fd, &byte, 1, 0) != 1 ? -errno : 0;
}

/* The mapping throws away cached pages, and waits for the one that is being read. */
static __s64 task_map_uncached(struct self *self, union task_args *args)
{
	int fd = open(fuse_path, O_RDONLY | O_CLOEXEC | FUSE_UNCACHED);

	(void)self;
	(void)args;
	return fd < 0 || mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0) ==
	       MAP_FAILED ? -errno : 0;
}

/* Whether a thread is in mmap(): it does not sleep interruptibly. */
static bool holds_lock(const struct worker *thread)
{
	__u64 end = after_ms(PATIENCE_MS);
	char path[64], state = 0, text[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)thread->pid,
		 (int)thread->tid);
	while (state != 'D' && now_ns() < end) {
		file = fopen(path, "r");
		if (!file)
			return false;
		if (fgets(text, sizeof(text), file) && strrchr(text, ')'))
			state = strrchr(text, ')')[2];
		fclose(file);
		nap_us(300);
	}
	return state == 'D';
}

TEST_F(locked, what_is_there_arrives_all_the_same)
{
	union task_args args = {
		.call = crew_args(variant->owner, &self->call, CALL_FILL),
	};
	struct worker *owner = &self->crew.worker[variant->owner];

	/* Once before, so that the code of the owner is there, too. */
	ASSERT_TRUE(crew_runs(&self->crew, &self->call));
	ASSERT_EQ(0, worker_do(owner, task_fill, &args));
	worker_order(&self->reader, task_read, NULL);
	ASSERT_TRUE(fuse_catches(&self->fuse, 1));
	worker_order(&self->thread, task_map_uncached, NULL);
	ASSERT_TRUE(holds_lock(&self->thread));
	args.call = crew_args(variant->owner, &self->call, CALL_CHECK);
	worker_order(owner, task_call, &args);
	crew_start(&self->crew, ALL & ~RANK(variant->owner), &self->call);
	EXPECT_TRUE(crew_succeeds(&self->crew, ALL));
	/* The lock was held all the time. */
	EXPECT_FALSE(worker_replies(&self->thread, 0));
}

TEST_HARNESS_MAIN
