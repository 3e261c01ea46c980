// SPDX-License-Identifier: GPL-2.0
/* CREDENTIALS: which user created a group, and which processes are its members. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "regroup.h"
#include "user.h"

#define ALICE		1000
#define BOB		1001
/* What an ID is that a user namespace does not map. */
#define OVERFLOW_ID	65534
/* More than are looked at under one hold of the lock, and not a multiple of that. */
#define MANY		40
#define LIST_MAX	(MANY + 2)

struct told {
	struct scatter_credentials ask;
	struct scatter_credential list[LIST_MAX];
};

static int ask_some(int fd, struct told *told, __u32 first, __u32 count)
{
	memset(told, 0xff, sizeof(*told));
	told->ask = (struct scatter_credentials){
		.size = sizeof(told->ask),
		.first = first,
		.count = count,
		.list = (unsigned long)told->list,
	};
	return device_call(fd, SCATTER_IOCTL_CREDENTIALS, &told->ask);
}

static int ask(int fd, struct told *told)
{
	return ask_some(fd, told, 0, LIST_MAX);
}

static bool untouched(const struct scatter_credential *credential)
{
	const struct scatter_credential never = { ~0U, ~0U, -1, ~0U };

	return !memcmp(credential, &never, sizeof(never));
}

static bool is(const struct scatter_credential *credential, __u32 id, pid_t pid)
{
	if (credential->joined == 1 && credential->uid == id &&
	    credential->gid == id && credential->pid == pid)
		return true;
	diag("uid %u gid %u pid %d joined %u, not %u %d", credential->uid,
	     credential->gid, credential->pid, credential->joined, id, (int)pid);
	return false;
}

static bool is_nobody(const struct scatter_credential *credential)
{
	const struct scatter_credential nobody = { 0 };

	return !memcmp(credential, &nobody, sizeof(nobody));
}

/* The answer of a worker, as far as it fits into a reply. */
#define REPLY_LIST	3

struct reply_told {
	struct scatter_credentials ask;
	struct scatter_credential list[REPLY_LIST];
};

static __s64 task_ask(struct self *self, union task_args *args)
{
	struct reply_told *told = (struct reply_told *)args;

	told->ask = (struct scatter_credentials){
		.size = sizeof(told->ask),
		.count = REPLY_LIST,
		.list = (unsigned long)told->list,
	};
	return device_call(self->fd, SCATTER_IOCTL_CREDENTIALS, &told->ask);
}

static const struct reply_told *asked(struct worker *worker)
{
	if (worker_do(worker, task_ask, NULL))
		return NULL;
	return (const struct reply_told *)&worker->reply.args;
}

/* A group of Alice's, in which rank r is worker r: Alice, Bob and root. */
FIXTURE(credentials)
{
	struct crew crew;
};

FIXTURE_SETUP(credentials)
{
	const uid_t uids[] = { ALICE, BOB, 0 };
	union task_args args;
	unsigned int r;

	ASSERT_TRUE(crew_spawn(&self->crew, 3));
	for (r = 0; r < 3; r++)
		ASSERT_TRUE(worker_become(&self->crew.worker[r], uids[r]));
	args.join = join_of(self->crew.name, 3, 0);
	args.join.mode = 0646;
	args.join.deadline_ns = after_ms(PATIENCE_MS);
	worker_order(&self->crew.worker[0], task_join, &args);
	ASSERT_TRUE(worker_sleeps(&self->crew.worker[0], SCATTER_IOCTL_JOIN));
	args.join.owner = ALICE;
	for (r = 1; r < 3; r++) {
		args.join.rank = (int)r;
		worker_order(&self->crew.worker[r], task_join, &args);
	}
	for (r = 0; r < 3; r++)
		ASSERT_EQ(0, worker_finish(&self->crew.worker[r]));
}

FIXTURE_TEARDOWN(credentials)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F(credentials, members_know_each_other_and_who_created_the_group)
{
	struct worker *worker = self->crew.worker;
	const struct reply_told *told;
	unsigned int r;

	for (r = 0; r < 3; r++) {
		told = asked(&worker[r]);
		ASSERT_NE(NULL, told);
		EXPECT_EQ(3U, told->ask.members);
		EXPECT_EQ(3U, told->ask.count);
		EXPECT_EQ((__u32)ALICE, told->ask.uid);
		EXPECT_EQ((__u32)ALICE, told->ask.gid);
		EXPECT_EQ(0646U, told->ask.mode);
		EXPECT_TRUE(is(&told->list[0], ALICE, worker[0].pid));
		EXPECT_TRUE(is(&told->list[1], BOB, worker[1].pid));
		EXPECT_TRUE(is(&told->list[2], 0, worker[2].pid));
	}
}

TEST_F(credentials, those_who_died_or_left_are_told_of)
{
	struct worker *worker = self->crew.worker;
	pid_t pid = worker[1].pid;
	const struct reply_told *told;

	ASSERT_TRUE(worker_end(&worker[1]));
	ASSERT_EQ(0, worker_do(&worker[2], task_leave, NULL));
	told = asked(&worker[0]);
	ASSERT_NE(NULL, told);
	EXPECT_TRUE(is(&told->list[1], BOB, pid));
	EXPECT_TRUE(is(&told->list[2], 0, worker[2].pid));
	ASSERT_EQ(-ENOTCONN, worker_do(&worker[2], task_ask, NULL));
}

TEST_F(credentials, another_user_now_is_the_same_member)
{
	struct worker *worker = self->crew.worker;
	const struct reply_told *told;

	ASSERT_TRUE(worker_become(&worker[2], BOB));
	told = asked(&worker[2]);
	ASSERT_NE(NULL, told);
	EXPECT_TRUE(is(&told->list[2], 0, worker[2].pid));
}

TEST_F(credentials, a_user_namespace_sees_its_own_ids)
{
	struct worker *worker = self->crew.worker;
	const struct reply_told *told;

	if (worker_do(&worker[0], task_user_namespace, NULL))
		SKIP(return, "no user namespaces");
	told = asked(&worker[0]);
	ASSERT_NE(NULL, told);
	EXPECT_EQ(0U, told->ask.uid);
	EXPECT_EQ(0U, told->ask.gid);
	EXPECT_TRUE(is(&told->list[0], 0, worker[0].pid));
	EXPECT_TRUE(is(&told->list[1], OVERFLOW_ID, worker[1].pid));
	EXPECT_TRUE(is(&told->list[2], OVERFLOW_ID, worker[2].pid));
}

/* Groups of this process --------------------------------------------------- */

FIXTURE(many)
{
	int group;
	int fd[MANY];
};

FIXTURE_SETUP(many)
{
	unsigned int i;

	self->group = group_create(MANY);
	ASSERT_LE(0, self->group);
	for (i = 0; i < MANY; i++) {
		self->fd[i] = join_by(self->group, SCATTER_RANK_ANY);
		ASSERT_LE(0, self->fd[i]);
	}
}

FIXTURE_TEARDOWN(many)
{
	unsigned int i;

	for (i = 0; i < MANY; i++)
		close(self->fd[i]);
	close(self->group);
}

TEST_F(many, all_are_told_and_no_more_is_written)
{
	struct told told;
	unsigned int i, fd;

	for (fd = 0; fd < 2; fd++) {
		ASSERT_EQ(0, ask(fd ? self->group : self->fd[7], &told));
		EXPECT_EQ((__u32)MANY, told.ask.members);
		EXPECT_EQ((__u32)MANY, told.ask.count);
		/* The group has no name to join by. */
		EXPECT_EQ(0U, told.ask.mode);
		EXPECT_EQ(0U, told.ask.uid);
		for (i = 0; i < MANY; i++)
			EXPECT_TRUE(is(&told.list[i], 0, getpid()));
		EXPECT_TRUE(untouched(&told.list[MANY]));
	}
}

TEST_F(many, some_are_told)
{
	const __u32 ranges[][3] = {	/* first, count, count told */
		{ 0, 0, 0 }, { 0, 1, 1 }, { 0, 16, 16 }, { 0, 17, 17 },
		{ 15, 2, 2 }, { 39, 1, 1 }, { 39, 2, 1 }, { 39, UINT_MAX, 1 },
		{ 40, 0, 0 }, { 40, 1, 0 }, { 40, UINT_MAX, 0 },
		{ 20, UINT_MAX - 19, 20 },
	};
	struct told told;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		const __u32 n = ranges[i][2];

		EXPECT_EQ(0, ask_some(self->fd[0], &told, ranges[i][0],
				      ranges[i][1]));
		EXPECT_EQ(n, told.ask.count) {
			TH_LOG("range %u", i);
		}
		EXPECT_TRUE(!n || is(&told.list[n - 1], 0, getpid()));
		EXPECT_TRUE(untouched(&told.list[n]));
	}
}

TEST_F(many, ranks_that_there_are_not)
{
	const __u32 bad[] = { MANY + 1, MEMBERS_MAX, 1U << 31, UINT_MAX };
	struct told told;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, ask_some(self->fd[0], &told, bad[i], 1));
		EXPECT_TRUE(untouched(&told.list[0]));
	}
}

/* The members before the hole are told, in whole batches. */
TEST_F(many, a_list_that_cannot_be_written)
{
	const __u64 bad[] = { 0, 1, 1ULL << 47, 1ULL << 63, ~0ULL - 15, ~0ULL };
	struct scatter_credentials ask;
	const size_t page = 4096;
	unsigned int i;
	char *map;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ask = (struct scatter_credentials){
			.size = sizeof(ask), .count = MANY, .list = bad[i],
		};
		EXPECT_EQ(-EFAULT, device_call(self->fd[0],
					       SCATTER_IOCTL_CREDENTIALS, &ask));
		EXPECT_EQ(0U, ask.count);
		ask.count = 0;
		EXPECT_EQ(0, device_call(self->fd[0], SCATTER_IOCTL_CREDENTIALS,
					 &ask));
	}
	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, mprotect(map + page, page, PROT_READ));
	ask.count = MANY;
	ask.list = (unsigned long)(map + page) -
		   20 * sizeof(struct scatter_credential);
	EXPECT_EQ(-EFAULT, device_call(self->fd[0], SCATTER_IOCTL_CREDENTIALS,
				       &ask));
	EXPECT_LT(0U, ask.count);
	EXPECT_GE(20U, ask.count);
	munmap(map, 2 * page);
}

TEST(ranks_that_nobody_has_yet)
{
	int group = group_create(3), first, second;
	struct told told;

	ASSERT_LE(0, group);
	ASSERT_EQ(0, ask(group, &told));
	EXPECT_EQ(3U, told.ask.count);
	EXPECT_TRUE(is_nobody(&told.list[0]));
	first = join_by(group, SCATTER_RANK_ANY);
	second = join_by(group, SCATTER_RANK_ANY);
	ASSERT_LE(0, second);
	ASSERT_EQ(0, ask(second, &told));
	EXPECT_TRUE(is(&told.list[0], 0, getpid()));
	EXPECT_TRUE(is(&told.list[1], 0, getpid()));
	EXPECT_TRUE(is_nobody(&told.list[2]));
	/* A member that closes its file gives its rank back. */
	close(first);
	ASSERT_EQ(0, ask(second, &told));
	EXPECT_TRUE(is_nobody(&told.list[0]));
	EXPECT_TRUE(is(&told.list[1], 0, getpid()));
	close(second);
	close(group);
}

/* As with STATUS: a descriptor that was passed on tells. */
TEST(whoever_holds_a_members_file_is_told)
{
	int group = group_create(1), fd = join_by(group, SCATTER_RANK_ANY), code;
	struct told told;
	pid_t pid, parent = getpid();

	ASSERT_LE(0, fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(ask(fd, &told) || !is(&told.list[0], 0, parent));
	ASSERT_EQ(pid, waitpid(pid, &code, 0));
	EXPECT_EQ(0, code);
	close(fd);
	close(group);
}

TEST(a_file_that_has_not_joined_is_told_nothing)
{
	int fd = device_open(0);
	struct told told;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOTCONN, ask(fd, &told));
	EXPECT_TRUE(untouched(&told.list[0]));
	close(fd);
}

/* Alice's membership is duplicated by root, who has her descriptor. */
TEST(a_new_group_of_members_has_the_credentials_of_the_old_one)
{
	struct scatter_regroup regroup = regroup_of(SCATTER_OP_DUP);
	struct told told;
	char name[SCATTER_NAME_MAX];
	int fd = device_open(0);
	unsigned int i;

	ASSERT_LE(0, fd);
	name_make(name, "dup");
	ASSERT_EQ(0, setegid(ALICE));
	ASSERT_EQ(0, seteuid(ALICE));
	EXPECT_EQ(0, join(fd, name, 1, 0));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, setegid(0));
	for (i = 0; i < 2; i++) {
		regroup.op = i ? SCATTER_OP_SHRINK : SCATTER_OP_DUP;
		regroup.number = SCATTER_NUMBER_NEW;
		ASSERT_EQ(0, device_call(fd, SCATTER_IOCTL_REGROUP, &regroup));
		ASSERT_EQ(0, ask(regroup.fd, &told));
		EXPECT_EQ(1U, told.ask.members);
		EXPECT_EQ((__u32)ALICE, told.ask.uid);
		EXPECT_EQ((__u32)ALICE, told.ask.gid);
		EXPECT_EQ(0U, told.ask.mode);
		EXPECT_TRUE(is(&told.list[0], ALICE, getpid()));
		close(regroup.fd);
	}
	close(fd);
}

/* In a PID namespace: it sees itself as 1, and not the one that has rank 0. */
static int namespaced_main(int group)
{
	struct told told;

	if (join_by(group, SCATTER_RANK_ANY) < 0 || ask(group, &told))
		return 2;
	return is(&told.list[0], 0, 0) && is(&told.list[1], 0, 1) ? 0 : 3;
}

TEST(a_pid_namespace_sees_its_own_processes)
{
	int group = group_create(2), fd = join_by(group, SCATTER_RANK_ANY), channel[2], code;
	struct told told;
	pid_t pid, inner = 0;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe2(channel, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(KSFT_SKIP);
		inner = fork();
		if (!inner)
			_exit(namespaced_main(group));
		if (write(channel[1], &inner, sizeof(inner)) != sizeof(inner) ||
		    waitpid(inner, &code, 0) != inner)
			_exit(1);
		_exit(WEXITSTATUS(code));
	}
	ASSERT_EQ(pid, waitpid(pid, &code, 0));
	if (WEXITSTATUS(code) == KSFT_SKIP)
		SKIP(return, "no PID namespaces");
	EXPECT_EQ(0, code);
	ASSERT_EQ((ssize_t)sizeof(inner), read(channel[0], &inner, sizeof(inner)));
	ASSERT_EQ(0, ask(fd, &told));
	EXPECT_TRUE(is(&told.list[0], 0, getpid()));
	EXPECT_TRUE(is(&told.list[1], 0, inner));
	close(fd);
	close(group);
}

TEST_HARNESS_MAIN
