// SPDX-License-Identifier: GPL-2.0
/*
 * The memory cgroup: what is charged to it, and what happens when it is full.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define PAGE_RING	4096U
/* Two of these do not fit in such a ring. */
#define EAGER_BLOCK	4000ULL

#define CGROUPS	"/run/cgroup_test"
#define CGROUP	CGROUPS "/small"
/* More bytes than the kernel has in stock for a cgroup; the slots of a group are more. */
#define SLOTS	300U
#define SPARE_BYTES	(256 << 10)

static long long cgroup_bytes(void)
{
	FILE *file = fopen(CGROUP "/memory.current", "re");
	long long bytes = -1;

	if (file && fscanf(file, "%lld", &bytes) != 1)
		bytes = -1;
	if (file)
		fclose(file);
	return bytes;
}

/* The cgroup may have @more bytes than it has. */
static bool cgroup_limit(long long more)
{
	char most[32];

	snprintf(most, sizeof(most), "%lld", cgroup_bytes() + more);
	return !file_write(CGROUP "/memory.max", most);
}

/* How often the cgroup was full. */
static long long cgroup_full(void)
{
	FILE *file = fopen(CGROUP "/memory.events", "re");
	char line[64];
	long long times = -1;

	while (file && times < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "max %lld", &times);
	if (file)
		fclose(file);
	return times;
}

/* word[0]: bytes of the ring; joins a group of one. */
static __s64 task_join_ring(struct self *self, union task_args *args)
{
	struct scatter_join arg;
	char name[SCATTER_NAME_MAX];

	name_make(name, "cgroup");
	arg = join_of(name, 1, 0);
	arg.ring_bytes = args->word[0];
	return device_call(self->fd, SCATTER_IOCTL_JOIN, &arg);
}

static __s64 task_enter_cgroup(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	return file_write(CGROUP "/cgroup.procs", "0");
}

/* Only worker 0 is in the cgroup. */
FIXTURE(cgroup)
{
	bool able;
	struct crew crew;
};

FIXTURE_SETUP(cgroup)
{
	mkdir(CGROUPS, 0700);
	ASSERT_EQ(0, mount("none", CGROUPS, "cgroup2", 0, NULL));
	self->able = !file_write(CGROUPS "/cgroup.subtree_control", "+memory");
	if (!self->able)
		return;
	ASSERT_EQ(0, mkdir(CGROUP, 0700));
	ASSERT_TRUE(crew_spawn(&self->crew, 3));
	ASSERT_EQ(0, worker_do(&self->crew.worker[0], task_enter_cgroup, NULL));
}

FIXTURE_TEARDOWN(cgroup)
{
	const __u64 end = after_ms(PATIENCE_MS);

	if (self->able) {
		EXPECT_TRUE(crew_end(&self->crew));
		/* The process may be gone a moment later than its end is seen. */
		while (rmdir(CGROUP) && now_ns() < end)
			nap_us(1000);
	}
	EXPECT_EQ(0, umount(CGROUPS));
	rmdir(CGROUPS);
}

TEST_F(cgroup, rings_are_charged)
{
	union task_args args = { .word = { 4 << 20 } };
	long long before, after;

	if (!self->able)
		SKIP(return, "no memory controller");
	before = cgroup_bytes();
	ASSERT_LE(0, before);
	ASSERT_EQ(0, worker_do(&self->crew.worker[0], task_join_ring, &args));
	after = cgroup_bytes();
	EXPECT_LE(before + (4 << 20), after);
	ASSERT_EQ(0, worker_do(&self->crew.worker[0], task_leave, NULL));
	EXPECT_GT(after - (3 << 20), cgroup_bytes());
}

TEST_F(cgroup, one_that_is_too_small_is_no_memory)
{
	union task_args args = { .word = { 4 << 20 } };
	__u64 end;
	int error;

	if (!self->able)
		SKIP(return, "no memory controller");
	ASSERT_EQ(0, file_write(CGROUP "/memory.max", "3M"));
	EXPECT_EQ(-ENOMEM,
		  worker_do(&self->crew.worker[0], task_join_ring, &args));
	args.word[0] = 4096;
	/* A debug kernel keeps what was freed, and its charge, for a moment. */
	end = after_ms(PATIENCE_MS);
	do
		error = worker_do(&self->crew.worker[0], task_join_ring, &args);
	while (error == -ENOMEM && now_ns() < end);
	EXPECT_EQ(0, error);
}

/* One process that is many members -------------------------------------------------- */

#define LEGION_MAX	512
#define PIECES		1024
#define RESERVE_BYTES	(1024UL * 1024)

/* The words of its order, and of the reply. */
enum {
	LEGION_MEMBERS,
	LEGION_LEAVES,
	LEGION_CALLS,
	LEGION_BLOCK,
	LEGION_PIECES,
	LEGION_BYTES,
};

static int legion[LEGION_MAX];

/* All members of a group; word[LEGION_MEMBERS]: how many. */
static __s64 task_legion(struct self *self, union task_args *args)
{
	const struct rlimit files = { LEGION_MAX + 64, LEGION_MAX + 64 };
	const unsigned int members = args->word[LEGION_MEMBERS];
	struct scatter_join join;
	unsigned int r;
	int error;

	(void)self;
	join = join_of("", members, 0);
	name_make(join.name, "legion");
	join.ring_bytes = PAGE_RING;
	if (setrlimit(RLIMIT_NOFILE, &files))
		return -errno;
	for (r = 0; r < members; r++) {
		legion[r] = device_open(O_NONBLOCK);
		if (legion[r] < 0)
			return legion[r];
		join.rank = (__s32)r;
		error = device_call(legion[r], SCATTER_IOCTL_JOIN, &join);
		if (error && error != -EINPROGRESS)
			return error;
	}
	return 0;
}

/*
 * word[LEGION_LEAVES] of them call word[LEGION_CALLS] gathers of word[LEGION_BLOCK] bytes each,
 * with lists of word[LEGION_PIECES] pieces, and return from them, since the root, rank 0, has
 * not called. word[LEGION_BYTES]: what the cgroup has more then. In a full cgroup, even opening
 * a file is the end of a process: the reserve makes room for whatever comes after an error.
 */
static __s64 task_leaves(struct self *self, union task_args *args)
{
	static struct scatter_iovec iov[PIECES];
	static char data[1 << 16];
	const struct scatter_layout list = {
		.size = sizeof(list), .kind = SCATTER_LAYOUT_IOVEC,
		.iov = address(iov), .iov_count = args->word[LEGION_PIECES],
	};
	struct scatter_coll coll = {
		.size = sizeof(coll), .op = SCATTER_OP_GATHER,
		.block = args->word[LEGION_BLOCK], .sendbuf = address(data),
		.send_layout = list.iov_count ? address(&list) : 0,
	};
	char *reserve = mmap(NULL, RESERVE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	const long long before = cgroup_bytes();
	unsigned int leaf, i;
	int error = 0;

	(void)self;
	if (reserve == MAP_FAILED)
		return -errno;
	for (i = 0; i < PIECES; i++)
		iov[i] = (struct scatter_iovec){ address(data) + 2 * i, 1 };
	for (i = 0; i < args->word[LEGION_CALLS] && !error; i++) {
		for (leaf = 1; leaf <= args->word[LEGION_LEAVES] && !error; leaf++) {
			coll.deadline_ns = after_ms(PATIENCE_MS);
			error = coll_once(legion[leaf], &coll);
		}
	}
	args->word[LEGION_BYTES] = error ? 0 : cgroup_bytes() - before;
	munmap(reserve, RESERVE_BYTES);
	return error;
}

/* Bytes, or what went wrong. */
static __s64 legion_holds(struct worker *worker, union task_args args)
{
	__s64 error = worker_do(worker, task_legion, &args);

	if (!error)
		error = worker_do(worker, task_leaves, &args);
	return error ?: (__s64)worker->reply.args.word[LEGION_BYTES];
}

TEST_F(cgroup, leaves_that_have_returned_hold_little)
{
	const union task_args args = {
		.word = { LEGION_MAX, LEGION_MAX - 1, 16, 0, PIECES },
	};
	__s64 bytes;

	if (!self->able)
		SKIP(return, "no memory controller");
	bytes = legion_holds(&self->crew.worker[0], args);
	diag("16 gathers of nothing by %d leaves: %lld KiB", LEGION_MAX - 1,
	     (long long)bytes / 1024);
	EXPECT_LT(0, bytes);
	EXPECT_GT(8 << 20, bytes);
}

/* The first member to call pays for the operation. */
TEST_F(cgroup, operations_are_charged)
{
	const union task_args args = { .word = { LEGION_MAX, 1, 200, 8 } };

	if (!self->able)
		SKIP(return, "no memory controller");
	EXPECT_LT(200 * LEGION_MAX * 16, legion_holds(&self->crew.worker[0], args));
}

/* The ring is one page, the group's slots are 4 MiB. */
TEST_F(cgroup, slots_are_charged)
{
	const union task_args args = { .word = { 4, 1, 800, EAGER_BLOCK } };

	if (!self->able)
		SKIP(return, "no memory controller");
	EXPECT_LT(700 * (__s64)EAGER_BLOCK, legion_holds(&self->crew.worker[0], args));
}

/*
 * Gathers, of which rank 1 is the root, until one fails because the cgroup has no room for a slot;
 * there is too much else then that ends a process, so the reserve makes room for that.
 */
static __s64 task_fill_cgroup(struct self *self, union task_args *args)
{
	struct call call = patient_call(SCATTER_OP_GATHER, 1, EAGER_BLOCK);
	char *reserve = mmap(NULL, RESERVE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	__s64 error = 0;

	if (reserve == MAP_FAILED || !cgroup_limit(SPARE_BYTES))
		return -EIO;
	call.timeout_ms = paced_ms(GLIMPSE_MS);
	for (call.seed = 1; call.seed <= SLOTS && !error; call.seed++) {
		args->call = crew_args(self->rank, &call, CALL_FILL);
		error = task_call(self, args);
	}
	munmap(reserve, RESERVE_BYTES);
	return error;
}

/*
 * Rank 0 goes ahead of the root, which is outside its cgroup, as is rank 2, which makes the
 * operations. The ring is one page, then each block of rank 0 takes a slot, until there is no more
 * memory: that block stays where it is, and arrives all the same. The group may have more slots
 * than both leaves need together.
 */
TEST_F(cgroup, one_that_is_too_small_for_slots_has_another_way)
{
	struct call call = patient_call(SCATTER_OP_GATHER, 1, EAGER_BLOCK);
	struct scatter_join like = join_of("", 3, 0);
	struct crew *crew = &self->crew;
	union task_args args;

	if (!self->able)
		SKIP(return, "no memory controller");
	like.ring_bytes = PAGE_RING;
	ASSERT_TRUE(crew_join(crew, &like));
	call.seed = 0;
	/* From now on rank 0 has all the memory of its own that it needs. */
	ASSERT_TRUE(crew_runs(crew, &call));
	ASSERT_TRUE(crew_catches_up(crew, RANK(2), call, 1, SLOTS));
	ASSERT_EQ(-ETIMEDOUT, worker_do(&crew->worker[0], task_fill_cgroup, NULL));
	EXPECT_LT(0, cgroup_full());
	call.seed = crew->worker[0].reply.args.call.seed;
	diag("%llu slots", call.seed - 1);
	/* The paused call resumes. More memory brings it no slot any more. */
	ASSERT_EQ(0, file_write(CGROUP "/memory.max", "max"));
	args.call = crew_args(0, &call, CALL_CHECK);
	worker_order(&crew->worker[0], task_call, &args);
	ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	EXPECT_TRUE(crew_catches_up(crew, RANK(1), call, 1, call.seed));
	EXPECT_TRUE(crew_succeeds(crew, RANK(0)));
}

TEST_F(cgroup, one_that_is_too_small_ends_no_process)
{
	union task_args args = { .word = { LEGION_MAX, 1, 4000, 8 } };
	struct worker *worker = &self->crew.worker[0];

	if (!self->able)
		SKIP(return, "no memory controller");
	ASSERT_EQ(0, worker_do(worker, task_legion, &args));
	ASSERT_TRUE(cgroup_limit(8 << 20));
	EXPECT_EQ(-ENOMEM, worker_do(worker, task_leaves, &args));
	/* The failed call does not count: the next one is the same operation. */
	ASSERT_EQ(0, file_write(CGROUP "/memory.max", "max"));
	args.word[LEGION_CALLS] = 1;
	EXPECT_EQ(0, worker_do(worker, task_leaves, &args));
}

TEST_HARNESS_MAIN
