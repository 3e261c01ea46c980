// SPDX-License-Identifier: GPL-2.0
/*
 * What one user may have: groups, members, bytes of rings, outstanding
 * operations; and that locked memory is none of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define FILES	4

/* Users that nobody else here is. */
#define SOMEBODY	54321
#define ELSE		54322

/*
 * Files are opened as root, who alone may; then the test goes on as SOMEBODY.
 */
FIXTURE(limits)
{
	int fd[FILES];
	char name[FILES][SCATTER_NAME_MAX];
	char was[4][32];
};

static const char * const parameters[4] = {
	"user_groups", "user_members", "user_ring_bytes", "user_operations",
};

static bool parameter_read(const char *name, char value[32])
{
	char path[256];
	FILE *file;
	bool good;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	file = fopen(path, "re");
	good = file && fscanf(file, "%31s", value) == 1;
	if (file)
		fclose(file);
	return good;
}

FIXTURE_SETUP(limits)
{
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_TRUE(parameter_read(parameters[i], self->was[i]));
	for (i = 0; i < FILES; i++) {
		self->fd[i] = device_open(0);
		ASSERT_LE(0, self->fd[i]);
		name_make(self->name[i], "limits");
	}
}

FIXTURE_TEARDOWN(limits)
{
	int i;

	ASSERT_EQ(0, seteuid(0));
	for (i = 0; i < FILES; i++)
		close(self->fd[i]);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, parameter_write(parameters[i], self->was[i]));
}

/* A JOIN that does not wait, with a ring of one page. */
static int join_now(int fd, const char *name, unsigned int members)
{
	struct scatter_join arg = join_of(name, members, SCATTER_RANK_ANY);

	arg.ring_bytes = 4096;
	arg.mode = 0666;
	/* It gives its rank back if it would have to wait. */
	arg.deadline_ns = 1;
	return device_call(fd, SCATTER_IOCTL_JOIN, &arg);
}

/* Some change may take until a grace period is over: of the last file's end. */
static int join_eventually(int fd, const char *name, unsigned int members,
			   int refusal)
{
	const __u64 end = after_ms(PATIENCE_MS);
	int error;

	do {
		error = join_now(fd, name, members);
		if (error == -refusal)
			nap_us(1000);
	} while (error == -refusal && now_ns() < end);
	return error;
}

TEST_F(limits, groups)
{
	ASSERT_EQ(0, parameter_write("user_groups", "2"));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(0, join_now(self->fd[0], self->name[0], 1));
	EXPECT_EQ(0, join_now(self->fd[1], self->name[1], 1));
	EXPECT_EQ(-ENOSPC, join_now(self->fd[2], self->name[2], 1));
	/* Another user has groups of their own. */
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, seteuid(ELSE));
	EXPECT_EQ(0, join_now(self->fd[3], self->name[3], 1));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(0, leave(self->fd[0]));
	EXPECT_EQ(0, join_now(self->fd[2], self->name[2], 1));
	EXPECT_EQ(-ENOSPC, join_now(self->fd[0], self->name[0], 1));
}

/* A group that somebody else has created costs nothing. */
TEST_F(limits, joining_is_not_creating)
{
	struct scatter_join arg = join_of(self->name[0], 2, 0);
	int fd;

	ASSERT_EQ(0, parameter_write("user_groups", "0"));
	fd = device_open(O_NONBLOCK);
	ASSERT_LE(0, fd);
	arg.mode = 0666;
	umask(0);
	EXPECT_EQ(-EINPROGRESS, device_call(fd, SCATTER_IOCTL_JOIN, &arg));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(-ENOSPC, join_now(self->fd[1], self->name[1], 1));
	EXPECT_EQ(0, join_now(self->fd[0], self->name[0], 2));
	close(fd);
}

TEST_F(limits, members)
{
	ASSERT_EQ(0, parameter_write("user_members", "2"));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(0, join_now(self->fd[0], self->name[0], 1));
	EXPECT_EQ(0, join_now(self->fd[1], self->name[1], 1));
	EXPECT_EQ(-EMFILE, join_now(self->fd[2], self->name[2], 1));
	EXPECT_EQ(0, leave(self->fd[1]));
	EXPECT_EQ(0, join_eventually(self->fd[2], self->name[2], 1, EMFILE));
}

/* A JOIN that gives up costs nothing either. */
TEST_F(limits, members_that_gave_up)
{
	int i;

	ASSERT_EQ(0, parameter_write("user_members", "1"));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	for (i = 0; i < 5; i++)
		EXPECT_EQ(-ETIMEDOUT, join_now(self->fd[0], self->name[0], 2));
	EXPECT_EQ(0, join_now(self->fd[0], self->name[0], 1));
}

TEST_F(limits, bytes_of_rings)
{
	struct scatter_join arg = join_of(self->name[2], 1, 0);

	ASSERT_EQ(0, parameter_write("user_ring_bytes", "12287"));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(0, join_now(self->fd[0], self->name[0], 1));
	EXPECT_EQ(0, join_now(self->fd[1], self->name[1], 1));
	EXPECT_EQ(-EDQUOT, join_now(self->fd[2], self->name[2], 1));
	EXPECT_EQ(0, leave(self->fd[0]));
	arg.ring_bytes = 16384;
	EXPECT_EQ(-EDQUOT,
		  device_call(self->fd[2], SCATTER_IOCTL_JOIN, &arg));
	EXPECT_EQ(0, join_eventually(self->fd[2], self->name[2], 1, EDQUOT));
}

static int scatter_one(int fd, void *buffer, __u64 *number)
{
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = SCATTER_OP_SCATTER,
		.sendbuf = address(buffer),
		.recvbuf = address((char *)buffer + 32),
		.block = 8,
		.deadline_ns = after_ms(PATIENCE_MS),
	};
	int error = device_call(fd, SCATTER_IOCTL_COLL, &coll);

	*number = coll.number;
	return error;
}

/* Both members are this process's. The root is ahead until it may not be. */
TEST_F(limits, outstanding_operations)
{
	struct scatter_join arg = join_of(self->name[0], 2, 0);
	char buffer[2][64] = { { 0 } };
	__u64 number;
	int fd, i;

	ASSERT_EQ(0, parameter_write("user_operations", "3"));
	fd = device_open(O_NONBLOCK);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, seteuid(SOMEBODY));
	ASSERT_EQ(-EINPROGRESS, device_call(fd, SCATTER_IOCTL_JOIN, &arg));
	ASSERT_EQ(0, join_now(self->fd[0], self->name[0], 2));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, scatter_one(fd, buffer[0], &number));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(-EAGAIN, scatter_one(fd, buffer[0], &number));
		EXPECT_EQ(3U, number);
	}
	EXPECT_EQ(0, scatter_one(self->fd[0], buffer[1], &number));
	EXPECT_EQ(0U, number);
	EXPECT_EQ(0, scatter_one(fd, buffer[0], &number));
	EXPECT_EQ(3U, number);
	EXPECT_EQ(-EAGAIN, scatter_one(fd, buffer[0], &number));
	/* Who comes second needs no new one. */
	for (i = 1; i < 4; i++) {
		EXPECT_EQ(0, scatter_one(self->fd[0], buffer[1], &number));
		EXPECT_EQ((unsigned int)i, number);
	}
	close(fd);
}

TEST_F(limits, are_not_for_who_may_go_beyond)
{
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, parameter_write(parameters[i], "0"));
	EXPECT_EQ(0, join_now(self->fd[0], self->name[0], 1));
	EXPECT_EQ(0, join_now(self->fd[1], self->name[1], 1));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(-EMFILE, join_now(self->fd[2], self->name[2], 1));
}

/* Locked memory -------------------------------------------------------------- */

/* A line of /proc/self/status in KiB, or -1. */
static long status_kib(const char *line)
{
	FILE *file = fopen("/proc/self/status", "re");
	char text[128];
	long kib = -1;

	while (file && kib < 0 && fgets(text, sizeof(text), file))
		if (!strncmp(text, line, strlen(line)))
			kib = atol(text + strlen(line) + 1);
	if (file)
		fclose(file);
	return kib;
}

/* word[0]: RLIMIT_MEMLOCK in bytes, as SOMEBODY. */
static __s64 task_restrict(struct self *self, union task_args *args)
{
	const struct rlimit limit = { args->word[0], args->word[0] };

	(void)self;
	return setrlimit(RLIMIT_MEMLOCK, &limit) ||
	       setresuid(SOMEBODY, SOMEBODY, SOMEBODY) ? -errno : 0;
}

static __s64 task_locked(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	return status_kib("VmLck:") + status_kib("VmPin:");
}

/*
 * Large blocks need pages pinned. None is while anybody waits, so nobody needs
 * a right to lock memory.
 */
TEST(no_locked_memory_is_needed)
{
	struct call call = {
		.op = SCATTER_OP_SCATTER, .block = 8 << 20, .seed = 3,
		.timeout_ms = PATIENCE_MS,
	};
	union task_args args = { .word = { 0 } };
	const struct scatter_status *status;
	struct crew crew;
	unsigned int r;

	ASSERT_TRUE(crew_form(&crew, 3, 0));
	for (r = 0; r < 3; r++)
		ASSERT_EQ(0, worker_do(&crew.worker[r], task_restrict, &args));
	EXPECT_TRUE(crew_runs(&crew, &call));
	call.op = SCATTER_OP_GATHER;
	EXPECT_TRUE(crew_runs(&crew, &call));
	for (r = 0; r < 3; r++)
		EXPECT_EQ(0, worker_do(&crew.worker[r], task_locked, NULL));
	status = crew_seen(&crew, 0);
	ASSERT_NE(NULL, status);
	/* Two blocks each way, and the root's own. */
	EXPECT_LE(3 * 2 * (8U << 20) / 4096, status->total.pins);
	EXPECT_EQ(3 * 2 * (8U << 20), status->total.bytes_copied);
	EXPECT_TRUE(crew_end(&crew));
}

/* While the root waits for a late one, too. */
TEST(nothing_is_pinned_while_somebody_waits)
{
	struct call call = {
		.op = SCATTER_OP_SCATTER, .block = 1 << 20, .seed = 3,
		.timeout_ms = PATIENCE_MS,
	};
	struct worker thread;
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 3, 0));
	ASSERT_TRUE(worker_thread(&thread, &crew.worker[0]));
	crew_start(&crew, RANKS(0, 1), &call);
	ASSERT_TRUE(crew_succeeds(&crew, RANK(1)));
	ASSERT_TRUE(crew_sleeps(&crew, RANK(0)));
	EXPECT_EQ(0, worker_do(&thread, task_locked, NULL));
	crew_start(&crew, RANK(2), &call);
	EXPECT_TRUE(crew_succeeds(&crew, RANK(0) | RANK(2)));
	EXPECT_TRUE(crew_end(&crew));
}

/* Memory cgroup --------------------------------------------------------------- */

#define CGROUPS	"/run/limits_test.cgroup"
#define CGROUP	CGROUPS "/small"

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
	ASSERT_TRUE(crew_spawn(&self->crew, 1));
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

	if (!self->able)
		SKIP(return, "no memory controller");
	ASSERT_EQ(0, file_write(CGROUP "/memory.max", "3M"));
	EXPECT_EQ(-ENOMEM,
		  worker_do(&self->crew.worker[0], task_join_ring, &args));
	args.word[0] = 4096;
	EXPECT_EQ(0, worker_do(&self->crew.worker[0], task_join_ring, &args));
}

TEST_HARNESS_MAIN
