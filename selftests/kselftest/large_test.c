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
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"
#include "sample.h"

/* Between nodes a block of more than 4 GiB takes minutes. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	550

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
	KIND_SECRET,	/* what only its owner can read: it cannot be pinned */
	KIND_DEVICE,	/* nor can a device's, which here only sends */
};

/* Files that are no swap-backed memory, as those of a tmpfs are. */
#define RAM_DISK	"/tmp/large_test"

/* What PCs have between 896 KiB and 1 MiB: code of the firmware. */
#define DEVICE_AT	0xe0000
#define DEVICE_BYTES	0x20000

/* Words of a task. */
enum { W_OP, W_BLOCK, W_SENDER, W_RECEIVER, W_SEED };

#define KINDS_SIZE	3

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
		/* Between nodes of the tests software computes a checksum of each packet. */
		.deadline_ns = after_ms(5 * PATIENCE_MS + 20 * soon_ms()),
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
	error = self_coll(self, &coll);
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

/* Copies of gibibytes are no shorter for what a sampled run leaves out. */
static bool has_time(void)
{
	return sizeof(void *) == 8 && sample_size() == 1;
}

TEST(blocks_of_more_than_4_gib)
{
	struct crew crew;

	if (!has_time())
		SKIP(return, "no address space, or a sampled run");
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

	if (!has_time())
		SKIP(return, "no address space, or a sampled run");
	ASSERT_TRUE(crew_form(&crew, 2, 0));
	for (r = 0; r < 2; r++)
		ASSERT_EQ(0, worker_do(&crew.worker[r], task_lock_little, NULL));
	run_long(_metadata, &crew, SCATTER_OP_GATHERV, GIB);
	EXPECT_TRUE(crew_end(&crew));
}

/* Kinds of memory -------------------------------------------------------------- */

/* The mapping keeps the file, if there is one. */
static void *map_and_close(int fd, __u64 bytes, int prot, off_t from)
{
	void *at = MAP_FAILED;

	if (fd >= 0)
		at = mmap(NULL, bytes, prot, MAP_SHARED, fd, from);
	close(fd);
	return at;
}

static void *map_file(__u64 bytes)
{
	char path[] = RAM_DISK "/XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	if (fd >= 0 && ftruncate(fd, bytes))
		return MAP_FAILED;
	return map_and_close(fd, bytes, PROT_READ | PROT_WRITE, 0);
}

static void *map_secret(__u64 bytes)
{
	int fd = secret_open();

	if (fd >= 0 && ftruncate(fd, bytes))
		return MAP_FAILED;
	return map_and_close(fd, bytes, PROT_READ | PROT_WRITE, 0);
}

static void *map_device(__u64 bytes)
{
	return map_and_close(open("/dev/mem", O_RDONLY), bytes, PROT_READ,
			     DEVICE_AT);
}

/* What a sender of a kind has. */
static bool fill_kind(enum kind kind, char *at, __u64 bytes, __u64 seed, int rank)
{
	const char *device;

	if (kind != KIND_DEVICE) {
		pattern_fill(at, bytes, seed, rank);
		return true;
	}
	device = map_device(bytes);
	if (device == MAP_FAILED)
		return false;
	memcpy(at, device, bytes);
	munmap((void *)device, bytes);
	return true;
}

/* Memory of a kind, and what is in it; whole huge pages. */
static char *make_kind(enum kind kind, __u64 bytes, __u64 seed, int rank)
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
	case KIND_SECRET:
		at = map_secret(bytes);
		break;
	case KIND_DEVICE:
		at = map_device(bytes);
		break;
	default:
		at = mmap(NULL, bytes, both, fresh, -1, 0);
	}
	if (at == MAP_FAILED)
		return NULL;
	if (kind == KIND_HUGE)
		madvise(at, bytes, MADV_HUGEPAGE);
	if (seed && kind != KIND_DEVICE)
		pattern_fill(at, bytes, seed, rank);
	if (kind == KIND_READ_ONLY && mprotect(at, bytes, PROT_READ))
		return NULL;
	return at;
}

/* Whether what a member of a group of @size has received is what was sent. */
static bool holds_kind(const struct self *self, const char *at, __u32 size,
		       const union task_args *args)
{
	const __u64 block = args->word[W_BLOCK];
	const bool scatter = args->word[W_OP] == SCATTER_OP_SCATTER;
	char *wanted = malloc(size * block);
	bool holds = wanted;
	__u32 r;

	if (holds && scatter)
		holds = fill_kind(args->word[W_SENDER], wanted, size * block,
				  args->word[W_SEED], 0) &&
			!memcmp(at, wanted + self->rank * block, block);
	for (r = 1; holds && !scatter && r < size; r++)
		holds = fill_kind(args->word[W_SENDER], wanted, block,
				  args->word[W_SEED], r) &&
			!memcmp(at + r * block, wanted, block);
	free(wanted);
	return holds;
}

static __s64 task_kind(struct self *self, union task_args *args)
{
	const __u64 block = args->word[W_BLOCK];
	const bool scatter = args->word[W_OP] == SCATTER_OP_SCATTER;
	const bool sends = scatter == (self->rank == 0);
	const __u64 bytes = (self->rank ? 1 : KINDS_SIZE) * block;
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = args->word[W_OP],
		.flags = self->rank ? 0 : SCATTER_COLL_IN_PLACE,
		.block = block,
		.deadline_ns = after_ms(PATIENCE_MS),
	};
	char *at = make_kind(args->word[sends ? W_SENDER : W_RECEIVER], bytes,
			     sends ? args->word[W_SEED] : 0, self->rank);
	int error;

	if (!at)
		return -ENOMEM;
	coll.sendbuf = address(at);
	coll.recvbuf = address(at);
	error = self_coll(self, &coll);
	if (!error && !sends && !holds_kind(self, at, KINDS_SIZE, args))
		error = -EBADMSG;
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
	bool sends_only;
	__u64 block;
};

FIXTURE_VARIANT_ADD(kinds, small_pages) {
	.kind = KIND_PRIVATE, .block = 4 * MIB
};

FIXTURE_VARIANT_ADD(kinds, huge_pages) {
	.kind = KIND_HUGE, .block = 4 * MIB
};

FIXTURE_VARIANT_ADD(kinds, hugetlb) {
	.kind = KIND_HUGETLB, .block = 4 * MIB
};

FIXTURE_VARIANT_ADD(kinds, shared_memory) {
	.kind = KIND_SHMEM, .block = 4 * MIB
};

FIXTURE_VARIANT_ADD(kinds, a_file) {
	.kind = KIND_FILE, .block = 4 * MIB
};

FIXTURE_VARIANT_ADD(kinds, read_only) {
	.kind = KIND_READ_ONLY, .sends_only = true, .block = 4 * MIB
};

FIXTURE_VARIANT_ADD(kinds, secret) {
	.kind = KIND_SECRET, .block = MIB + 4096
};

FIXTURE_VARIANT_ADD(kinds, a_device) {
	.kind = KIND_DEVICE, .sends_only = true, .block = DEVICE_BYTES / KINDS_SIZE
};

FIXTURE_SETUP(kinds)
{
	ASSERT_EQ(0, file_write("/proc/sys/vm/nr_hugepages", "32"));
	mkdir(RAM_DISK, 0700);
	ASSERT_EQ(0, mount("none", RAM_DISK, "ramfs", 0, NULL));
	ASSERT_TRUE(crew_form(&self->crew, KINDS_SIZE, 0));
}

FIXTURE_TEARDOWN(kinds)
{
	EXPECT_TRUE(crew_end(&self->crew));
	EXPECT_EQ(0, file_write("/proc/sys/vm/nr_hugepages", "0"));
	EXPECT_EQ(0, umount(RAM_DISK));
	EXPECT_EQ(0, rmdir(RAM_DISK));
}

static void run_kinds(struct __test_metadata *_metadata, struct crew *crew,
		      __u64 block, enum kind sender, enum kind receiver)
{
	union task_args args = {
		.word = {
			[W_BLOCK] = block,
			[W_SENDER] = sender,
			[W_RECEIVER] = receiver,
		},
	};
	__u32 op;
	unsigned int r;

	for (op = SCATTER_OP_SCATTER; op <= SCATTER_OP_GATHER; op++) {
		args.word[W_OP] = op;
		args.word[W_SEED] = 1 + op;
		for (r = 0; r < KINDS_SIZE; r++)
			worker_order(&crew->worker[r], task_kind, &args);
		for (r = 0; r < KINDS_SIZE; r++)
			EXPECT_EQ(0, worker_finish(&crew->worker[r])) {
				TH_LOG("operation %u, rank %u", op, r);
			}
	}
}

TEST_F(kinds, at_the_sender)
{
	run_kinds(_metadata, &self->crew, variant->block, variant->kind,
		  KIND_PRIVATE);
}

/* Also if it is a file, which only its owner writes to. */
TEST_F(kinds, at_the_receiver)
{
	if (variant->sends_only)
		SKIP(return, "it cannot be written to");
	run_kinds(_metadata, &self->crew, variant->block, KIND_PRIVATE,
		  variant->kind);
}

TEST_F(kinds, to_a_file)
{
	run_kinds(_metadata, &self->crew, variant->block, variant->kind,
		  KIND_FILE);
}

TEST_F(kinds, at_both_ends)
{
	if (variant->sends_only)
		SKIP(return, "it cannot be written to");
	run_kinds(_metadata, &self->crew, variant->block, variant->kind,
		  variant->kind);
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
		error = self_coll(self, &coll);
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
