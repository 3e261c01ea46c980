// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks longer than 4 GiB, more data than may be locked, and memory of all kinds
 * at either end of a copy.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define MIB	(1ULL << 20)
#define GIB	(1ULL << 30)

/*
 * A long buffer is one unit of memory, mapped again and again: it has the address
 * space of its length, and takes little memory.
 */
#define UNIT	(16 * MIB)

#ifndef MAP_HUGETLB
#define MAP_HUGETLB	0x40000
#endif

enum kind {
	KIND_PRIVATE,	/* anonymous, small pages */
	KIND_HUGE,	/* anonymous, transparent huge pages */
	KIND_HUGETLB,
	KIND_SHMEM,
	KIND_FILE,	/* a shared mapping of a file */
	KIND_READ_ONLY,	/* a mapping of a file that may only be read */
};

/* Words of a task. */
enum { W_OP, W_BLOCK, W_KIND, W_SEED };

static int unit_fd(__u64 seed, __u64 rank)
{
	int fd = memfd_create("unit", MFD_CLOEXEC);
	char *unit;

	if (fd < 0 || ftruncate(fd, UNIT))
		return -1;
	unit = mmap(NULL, UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (unit == MAP_FAILED)
		return -1;
	if (seed)
		pattern_fill(unit, UNIT, seed, rank);
	munmap(unit, UNIT);
	return fd;
}

static bool map_again_and_again(char *at, __u64 bytes, int fd)
{
	__u64 done;

	for (done = 0; done < bytes; done += UNIT)
		if (mmap(at + done, UNIT, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return false;
	return true;
}

static __u64 units(__u64 bytes)
{
	return (bytes + UNIT - 1) / UNIT * UNIT;
}

/* Address space for @bytes and one more unit, so that what ends there is seen. */
static char *reserve(__u64 bytes)
{
	void *at = mmap(NULL, units(bytes) + UNIT, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/*
 * A group of two; the root, rank 0, is in place, so its block is address space and no
 * more. The other's is at a multiple of the unit in both ranks.
 */
static __s64 task_long(struct self *self, union task_args *args)
{
	const __u64 block = args->word[W_BLOCK];
	const bool scatter = args->word[W_OP] == SCATTER_OP_SCATTERV;
	const bool sends = scatter == (self->rank == 0);
	__u64 counts[2] = { block, block }, displs[2] = { 0, units(block) };
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = args->word[W_OP],
		.block = block,
		.deadline_ns = after_ms(5 * PATIENCE_MS),
	};
	char *at = reserve(2 * units(block)), *mine;
	int fd = unit_fd(sends ? args->word[W_SEED] : 0, 1), error;

	if (!at || fd < 0)
		return -ENOMEM;
	mine = self->rank ? at : at + displs[1];
	if (!map_again_and_again(mine, block, fd))
		return -errno;
	coll.sendbuf = address(at);
	coll.recvbuf = address(at);
	if (!self->rank) {
		coll.flags = SCATTER_COLL_IN_PLACE;
		coll.counts = address(counts);
		coll.displs = address(displs);
	}
	error = device_call(self->fd, SCATTER_IOCTL_COLL, &coll);
	if (!error && !sends &&
	    !pattern_holds(mine, UNIT, args->word[W_SEED], 1))
		error = -EBADMSG;
	munmap(at, 2 * units(block) + UNIT);
	close(fd);
	return error;
}

/* Each length goes one way only: a debug kernel takes a minute for that. */
static void run_long(struct __test_metadata *_metadata, struct crew *crew,
		     __u32 op, __u64 block)
{
	union task_args args = {
		.word = { [W_OP] = op, [W_BLOCK] = block, [W_SEED] = 1 },
	};
	unsigned int r;

	for (r = 0; r < 2; r++)
		worker_order(&crew->worker[r], task_long, &args);
	for (r = 0; r < 2; r++) {
		while (!worker_replies(&crew->worker[r], 1000))
			;
		EXPECT_EQ(0, worker_finish(&crew->worker[r]));
	}
}

TEST(blocks_of_more_than_4_gib)
{
	struct crew crew;

	if (sizeof(void *) < 8)
		SKIP(return, "no address space");
	ASSERT_TRUE(crew_form(&crew, 2, 0));
	run_long(_metadata, &crew, SCATTER_OP_SCATTERV,
		 4 * GIB + 5 * 4096 + 7);
	EXPECT_TRUE(crew_end(&crew));
}

static __s64 task_lock_little(struct self *self, union task_args *args)
{
	const struct rlimit limit = { 65536, 65536 };

	(void)self;
	(void)args;
	return setrlimit(RLIMIT_MEMLOCK, &limit) ||
	       setresuid(65534, 65534, 65534) ? -errno : 0;
}

TEST(a_gib_of_one_who_may_lock_64_kib)
{
	struct crew crew;
	unsigned int r;

	if (sizeof(void *) < 8)
		SKIP(return, "no address space");
	ASSERT_TRUE(crew_form(&crew, 2, 0));
	for (r = 0; r < 2; r++)
		ASSERT_EQ(0, worker_do(&crew.worker[r], task_lock_little, NULL));
	run_long(_metadata, &crew, SCATTER_OP_GATHERV, GIB);
	EXPECT_TRUE(crew_end(&crew));
}

/* Kinds of memory -------------------------------------------------------------- */

static void *map_file(__u64 bytes)
{
	FILE *file = tmpfile();

	if (!file || ftruncate(fileno(file), bytes))
		return MAP_FAILED;
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		    fileno(file), 0);
}

/* Memory of a kind, and what is in it; whole huge pages. */
static char *make_kind(enum kind kind, __u64 bytes, __u64 seed, __u64 rank)
{
	const int both = PROT_READ | PROT_WRITE;
	const int fresh = MAP_PRIVATE | MAP_ANONYMOUS;
	char *at = MAP_FAILED;

	switch (kind) {
	case KIND_HUGETLB:
		at = mmap(NULL, bytes, both, fresh | MAP_HUGETLB, -1, 0);
		break;
	case KIND_SHMEM:
		at = mmap(NULL, bytes, both, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		break;
	case KIND_FILE:
	case KIND_READ_ONLY:
		at = map_file(bytes);
		break;
	default:
		at = mmap(NULL, bytes, both, fresh, -1, 0);
	}
	if (at == MAP_FAILED)
		return NULL;
	if (kind == KIND_HUGE)
		madvise(at, bytes, MADV_HUGEPAGE);
	if (seed)
		pattern_fill(at, bytes, seed, rank);
	if (kind == KIND_READ_ONLY && mprotect(at, bytes, PROT_READ))
		return NULL;
	return at;
}

static __s64 task_kind(struct self *self, union task_args *args)
{
	const __u64 block = args->word[W_BLOCK], seed = args->word[W_SEED];
	const bool scatter = args->word[W_OP] == SCATTER_OP_SCATTER;
	const bool sends = scatter == (self->rank == 0);
	const __u64 bytes = (self->rank ? 1 : 2) * block;
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = args->word[W_OP],
		.flags = self->rank ? 0 : SCATTER_COLL_IN_PLACE,
		.block = block,
		.deadline_ns = after_ms(PATIENCE_MS),
	};
	char *at = make_kind(args->word[W_KIND], bytes, sends ? seed : 0, 0);
	int error;

	if (!at)
		return -ENOMEM;
	coll.sendbuf = address(at);
	coll.recvbuf = address(at);
	error = device_call(self->fd, SCATTER_IOCTL_COLL, &coll);
	/* The sender's whole buffer has one pattern. */
	if (!error && !sends) {
		char *wanted = malloc(2 * block);

		pattern_fill(wanted, 2 * block, seed, 0);
		if (!wanted || memcmp(self->rank ? at : at + block,
				      self->rank ? wanted + block : wanted,
				      block))
			error = -EBADMSG;
		free(wanted);
	}
	munmap(at, bytes);
	return error;
}

FIXTURE(kinds)
{
	struct crew crew;
};

FIXTURE_VARIANT(kinds)
{
	enum kind kind;
};

FIXTURE_VARIANT_ADD(kinds, small_pages) { .kind = KIND_PRIVATE };
FIXTURE_VARIANT_ADD(kinds, huge_pages) { .kind = KIND_HUGE };
FIXTURE_VARIANT_ADD(kinds, hugetlb) { .kind = KIND_HUGETLB };
FIXTURE_VARIANT_ADD(kinds, shared_memory) { .kind = KIND_SHMEM };
FIXTURE_VARIANT_ADD(kinds, a_file) { .kind = KIND_FILE };
FIXTURE_VARIANT_ADD(kinds, read_only) { .kind = KIND_READ_ONLY };

FIXTURE_SETUP(kinds)
{
	ASSERT_EQ(0, file_write("/proc/sys/vm/nr_hugepages", "16"));
	ASSERT_TRUE(crew_form(&self->crew, 2, 0));
}

FIXTURE_TEARDOWN(kinds)
{
	EXPECT_TRUE(crew_end(&self->crew));
	EXPECT_EQ(0, file_write("/proc/sys/vm/nr_hugepages", "0"));
}

/* Either end may be of any kind; read-only memory only sends. */
TEST_F(kinds, at_either_end)
{
	union task_args args = { .word = { [W_BLOCK] = 4 * MIB } };
	unsigned int i, r, sender;

	for (i = 0; i < 4; i++) {
		args.word[W_OP] = i % 2;
		args.word[W_SEED] = i + 1;
		sender = args.word[W_OP] == SCATTER_OP_SCATTER ? 0 : 1;
		if (variant->kind == KIND_READ_ONLY && i / 2 != sender)
			continue;
		for (r = 0; r < 2; r++) {
			args.word[W_KIND] = i / 2 == r ? variant->kind :
							 KIND_PRIVATE;
			worker_order(&self->crew.worker[r], task_kind, &args);
		}
		for (r = 0; r < 2; r++)
			EXPECT_EQ(0, worker_finish(&self->crew.worker[r]));
	}
}

/* A page that nobody has written is one page for all; it is not, once it is. */
static __s64 task_written_later(struct self *self, union task_args *args)
{
	const __u64 block = args->word[W_BLOCK];
	char *at = make_kind(KIND_PRIVATE, 2 * block, 0, 0);
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = SCATTER_OP_SCATTER,
		.flags = self->rank ? 0 : SCATTER_COLL_IN_PLACE,
		.block = block,
		.sendbuf = address(at),
		.recvbuf = address(at),
		.deadline_ns = after_ms(PATIENCE_MS),
	};
	int error, i;
	__u64 k;

	for (i = 0; at && i < 3; i++) {
		if (!self->rank && i)
			memset(at, i, 2 * block);
		error = device_call(self->fd, SCATTER_IOCTL_COLL, &coll);
		if (error)
			return error;
		for (k = 0; self->rank && k < block; k++)
			if (at[k] != i)
				return -EBADMSG;
	}
	return at ? 0 : -ENOMEM;
}

TEST(pages_that_are_written_after_they_were_sent)
{
	union task_args args = { .word = { [W_BLOCK] = MIB } };
	struct crew crew;
	unsigned int r;

	ASSERT_TRUE(crew_form(&crew, 2, 0));
	for (r = 0; r < 2; r++)
		worker_order(&crew.worker[r], task_written_later, &args);
	for (r = 0; r < 2; r++)
		EXPECT_EQ(0, worker_finish(&crew.worker[r]));
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
