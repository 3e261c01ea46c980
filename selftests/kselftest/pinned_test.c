// SPDX-License-Identifier: GPL-2.0
/*
 * While a member waits, nobody holds a page of its memory. The witness: pages that the member
 * gives back to the kernel are free then, each of them, while a page that somebody holds stays
 * what it was, though nobody has it mapped any more.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define SIZE		3
#define BLOCK		(2ULL << 20)
#define PAGE		4096UL
#define USED_BYTES	((SIZE + 1) * BLOCK)
#define PAGES_MOST	(2 * USED_BYTES / PAGE)
/* What the control holds. */
#define CONTROL_PAGES	64U
/* How long pages may take to be free: other CPUs may have batches of them. */
#define FREE_MS		2000U

/* More than a batch of pages. */
#define BATCH_BYTES	(64 * PAGE)

/* Of an entry of pagemap, and bits of one of kpageflags. */
#define PAGEMAP_PRESENT	(1ULL << 63)
#define PAGEMAP_NUMBER	((1ULL << 55) - 1)
#define FLAG_MAPPED	(1ULL << 11)
#define FLAG_ANONYMOUS	(1ULL << 12)

/* In the worker ------------------------------------------------------------------ */

static __u64 pages[PAGES_MOST];
static unsigned int noted;

/* The numbers of the pages that are in memory now. */
static int pages_note(const char *area, size_t bytes)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	__u64 entry;
	size_t at;

	if (fd < 0)
		return -errno;
	for (at = 0; at < bytes && noted < PAGES_MOST; at += PAGE) {
		if (pread(fd, &entry, sizeof(entry),
			  (address(area) + at) / PAGE * sizeof(entry)) != sizeof(entry))
			break;
		if (entry & PAGEMAP_PRESENT && entry & PAGEMAP_NUMBER)
			pages[noted++] = entry & PAGEMAP_NUMBER;
	}
	close(fd);
	return 0;
}

/* Noted pages that no one has mapped, and that are not free. */
static int pages_held(int flags)
{
	unsigned int i;
	int held = 0;
	__u64 entry;

	for (i = 0; i < noted; i++) {
		if (pread(flags, &entry, sizeof(entry), pages[i] * sizeof(entry)) !=
		    sizeof(entry))
			return -EIO;
		held += (entry & (FLAG_MAPPED | FLAG_ANONYMOUS)) == FLAG_ANONYMOUS;
	}
	return held;
}

/*
 * Each CPU keeps pages that it has touched in batches for a while, and a batch holds its pages.
 * Some kernels empty all batches before they move pages to where a policy wants them: the call here
 * changes no policy, and there is nothing to move. On other kernels, further pages push those out.
 */
static void batches_flush(void)
{
	const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
	cpu_set_t all, one;
	void *more;
	int cpu;

	syscall(SYS_mbind, send_area, PAGE, MPOL_DEFAULT, NULL, 0, MPOL_MF_MOVE);
	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		more = mmap(NULL, BATCH_BYTES, PROT_READ | PROT_WRITE, how, -1, 0);
		if (more != MAP_FAILED)
			munmap(more, BATCH_BYTES);
	}
	sched_setaffinity(0, sizeof(all), &all);
}

/*
 * Give back all memory of both buffers; return how many pages others hold. Only the buffers'
 * owner can: a second thread, while the first one waits.
 */
static __s64 task_give_back(struct self *self, union task_args *args)
{
	const __u64 end = after_ms(paced_ms(FREE_MS));
	int flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	int held;

	(void)self;
	(void)args;
	noted = 0;
	if (flags < 0 || pages_note(send_area, USED_BYTES) ||
	    pages_note(recv_area, USED_BYTES))
		return -ENODATA;
	if (noted < BLOCK / PAGE)
		return -ENODATA;
	if (madvise(send_area, AREA_BYTES, MADV_DONTNEED) ||
	    madvise(recv_area, AREA_BYTES, MADV_DONTNEED))
		return -errno;
	do {
		batches_flush();
		held = pages_held(flags);
	} while (held > 0 && now_ns() < end);
	close(flags);
	return held;
}

/* Fills the send buffer, and puts some of its pages into a pipe, which holds them. */
static __s64 task_hold(struct self *self, union task_args *args)
{
	struct iovec some = { send_area, CONTROL_PAGES * PAGE };
	int ends[2];

	(void)self;
	(void)args;
	pattern_fill(send_area, BLOCK, 1, 1);
	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, 2 * CONTROL_PAGES * PAGE) < 0)
		return -errno;
	return vmsplice(ends[1], &some, 1, SPLICE_F_NONBLOCK);
}

/* -------------------------------------------------------------------------------- */

FIXTURE(pinned)
{
	struct crew crew;
	struct worker thread;	/* of the one that waits */
};

/* @first: who calls; @rest: those of them that complete, and leave the last one waiting */
FIXTURE_VARIANT(pinned)
{
	struct call call;
	__u64 first, rest;
	unsigned int waits;
};

FIXTURE_VARIANT_ADD(pinned, root_of_a_scatter) {
	.call = { .op = SCATTER_OP_SCATTER }, .first = RANKS(0, 1), .rest = RANK(1),
};

FIXTURE_VARIANT_ADD(pinned, root_of_a_scatterv) {
	.call = { .op = SCATTER_OP_SCATTERV }, .first = RANKS(0, 1), .rest = RANK(1),
};

FIXTURE_VARIANT_ADD(pinned, leaf_of_a_scatter) {
	.call = { .op = SCATTER_OP_SCATTER }, .first = RANK(1), .waits = 1,
};

FIXTURE_VARIANT_ADD(pinned, root_of_a_gather) {
	.call = { .op = SCATTER_OP_GATHER }, .first = RANKS(0, 1), .rest = RANK(1),
};

FIXTURE_VARIANT_ADD(pinned, root_of_a_gatherv) {
	.call = { .op = SCATTER_OP_GATHERV }, .first = RANKS(0, 1), .rest = RANK(1),
};

FIXTURE_VARIANT_ADD(pinned, leaf_of_a_gather) {
	.call = { .op = SCATTER_OP_GATHER }, .first = RANK(1), .waits = 1,
};

FIXTURE_SETUP(pinned)
{
	struct call call = variant->call;

	call.block = BLOCK;
	call.timeout_ms = PATIENCE_MS;
	call.algorithm = SCATTER_ALGORITHM_LINEAR;
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	ASSERT_TRUE(worker_thread(&self->thread, &self->crew.worker[variant->waits]));
	crew_start(&self->crew, variant->first, &call);
	ASSERT_TRUE(crew_succeeds(&self->crew, variant->rest));
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(variant->waits)));
}

FIXTURE_TEARDOWN(pinned)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F(pinned, nothing_while_a_member_waits)
{
	EXPECT_EQ(0, worker_do(&self->thread, task_give_back, NULL));
}

TEST_F(pinned, nothing_while_a_call_is_paused)
{
	worker_signal(&self->crew.worker[variant->waits], SIGUSR1);
	ASSERT_TRUE(crew_fails(&self->crew, RANK(variant->waits), EINTR, SCATTER_RANK_ANY));
	EXPECT_EQ(0, worker_do(&self->thread, task_give_back, NULL));
}

/* Else the others could not fail. */
TEST(the_witness_sees_pages_that_are_held)
{
	struct worker worker;

	ASSERT_TRUE(worker_spawn(&worker));
	ASSERT_EQ(CONTROL_PAGES * PAGE, (unsigned long)worker_do(&worker, task_hold, NULL));
	EXPECT_LE(CONTROL_PAGES, worker_do(&worker, task_give_back, NULL));
	EXPECT_TRUE(worker_end(&worker));
}

TEST_HARNESS_MAIN
