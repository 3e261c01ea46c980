// SPDX-License-Identifier: GPL-2.0
/* Names of groups are those of a user: nobody sits on a name of another user. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "user.h"

#define ALICE		1000
#define MALLORY		1001
/* How often to let callers race. */
#define ROUNDS		100

/* Workers 0 and 1 are Alice, 2 is Mallory, 3 and 4 are root. */
FIXTURE(owner)
{
	struct crew crew;
	struct worker *alice, *mallory, *root;
};

FIXTURE_SETUP(owner)
{
	struct worker *worker = self->crew.worker;

	/* Their files were opened as root: rights on the device do not matter here. */
	ASSERT_TRUE(crew_spawn(&self->crew, 5));
	self->alice = &worker[0];
	self->mallory = &worker[2];
	self->root = &worker[3];
	ASSERT_TRUE(worker_become(&worker[0], ALICE));
	ASSERT_TRUE(worker_become(&worker[1], ALICE));
	ASSERT_TRUE(worker_become(&worker[2], MALLORY));
}

FIXTURE_TEARDOWN(owner)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static union task_args join_args(const struct crew *crew, unsigned int members,
				 __u32 owner, __u32 flags)
{
	union task_args args = {
		.join = join_of(crew->name, members, SCATTER_RANK_ANY),
	};

	args.join.owner = owner;
	args.join.flags = flags;
	args.join.deadline_ns = after_ms(PATIENCE_MS);
	return args;
}

static __s64 join_as(struct worker *worker, const struct crew *crew,
		     unsigned int members, __u32 owner, __u32 flags)
{
	const union task_args args = join_args(crew, members, owner, flags);

	return worker_do(worker, task_join, &args);
}

/* The worker waits for another member, or is told at once that it cannot. */
static void join_begin(struct worker *worker, const struct crew *crew,
		       unsigned int members, __u32 owner)
{
	const union task_args args = join_args(crew, members, owner, 0);

	worker_order(worker, task_join, &args);
}

/* As join_as(), but another node may hear a moment later what ends that error. */
static __s64 join_soon(struct worker *worker, const struct crew *crew, unsigned int members,
		       __u32 owner, __u32 flags, int error)
{
	const __u64 end = after_ms(soon_ms());
	__s64 result;

	do
		result = join_as(worker, crew, members, owner, flags);
	while (result == error && now_ns() < end);
	return result;
}

/* Mallory makes a group that everybody may join, and waits in it as rank 0: root sees it. */
static void mallory_squats(struct __test_metadata *_metadata,
			   FIXTURE_DATA(owner) *self, __u32 mode)
{
	union task_args args = join_args(&self->crew, 2, SCATTER_OWNER_SELF, 0);

	args.join.mode = mode;
	worker_order(self->mallory, task_join, &args);
	ASSERT_TRUE(worker_sleeps(self->mallory, SCATTER_IOCTL_JOIN));
	ASSERT_EQ(-EPROTO, join_soon(&self->root[1], &self->crew, 3, MALLORY, 0, -ENOENT));
}

TEST_F(owner, a_name_that_another_user_has_taken_is_still_mine)
{
	mallory_squats(_metadata, self, 0666);
	join_begin(&self->alice[0], &self->crew, 2, SCATTER_OWNER_SELF);
	ASSERT_TRUE(worker_sleeps(&self->alice[0], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(0, join_as(&self->alice[1], &self->crew, 2,
			     SCATTER_OWNER_SELF, 0));
	EXPECT_EQ(0, worker_finish(&self->alice[0]));
	EXPECT_TRUE(worker_sleeps(self->mallory, SCATTER_IOCTL_JOIN));
}

TEST_F(owner, roots_names_are_roots)
{
	mallory_squats(_metadata, self, 0600);
	join_begin(&self->root[0], &self->crew, 2, SCATTER_OWNER_SELF);
	ASSERT_TRUE(worker_sleeps(&self->root[0], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(0, join_as(&self->root[1], &self->crew, 2, 0, 0));
	EXPECT_EQ(0, worker_finish(&self->root[0]));
	EXPECT_TRUE(worker_sleeps(self->mallory, SCATTER_IOCTL_JOIN));
}

TEST_F(owner, another_users_group_is_joined_by_naming_the_user)
{
	mallory_squats(_metadata, self, 0666);
	EXPECT_EQ(-ENOENT, join_as(&self->alice[0], &self->crew, 2, 0, 0));
	EXPECT_EQ(0, join_as(&self->alice[0], &self->crew, 2, MALLORY, 0));
	EXPECT_EQ(0, worker_finish(self->mallory));
}

TEST_F(owner, the_mode_of_another_users_group_decides)
{
	mallory_squats(_metadata, self, 0640);
	EXPECT_EQ(-EACCES, join_as(&self->alice[0], &self->crew, 2, MALLORY, 0));
	/* No terms are told to a user who may not join. */
	EXPECT_EQ(-EACCES, join_as(&self->alice[0], &self->crew, 3, MALLORY, 0));
	EXPECT_TRUE(worker_sleeps(self->mallory, SCATTER_IOCTL_JOIN));
}

TEST_F(owner, nothing_is_created_under_another_users_name)
{
	EXPECT_EQ(-ENOENT, join_as(self->mallory, &self->crew, 1, ALICE, 0));
	EXPECT_EQ(-ENOENT, join_as(&self->root[0], &self->crew, 1, ALICE, 0));
	EXPECT_EQ(-EINVAL, join_as(self->mallory, &self->crew, 1, ALICE,
				   SCATTER_JOIN_EXCL));
	/* By number as by itself, the own name is there to be created. */
	EXPECT_EQ(0, join_as(&self->alice[0], &self->crew, 1, ALICE,
			     SCATTER_JOIN_EXCL));
	EXPECT_EQ(-EUSERS, join_as(&self->alice[1], &self->crew, 1,
				   SCATTER_OWNER_SELF, 0));
}

/* A broken group of the owner is not there for another user either. */
TEST_F(owner, a_broken_group_has_no_name_for_anybody)
{
	EXPECT_EQ(0, join_as(&self->alice[0], &self->crew, 1, SCATTER_OWNER_SELF, 0));
	EXPECT_EQ(0, worker_do(&self->alice[0], task_leave, NULL));
	EXPECT_EQ(-ENOENT, join_as(&self->root[0], &self->crew, 1, ALICE, 0));
	mallory_squats(_metadata, self, 0666);
	ASSERT_TRUE(worker_end(self->mallory));
	EXPECT_EQ(-ENOENT, join_as(&self->root[0], &self->crew, 2, MALLORY, 0));
}

/* Exclusive creation --------------------------------------------------------- */

TEST_F(owner, exclusive_is_to_be_the_first)
{
	const __u32 excl = SCATTER_JOIN_EXCL | SCATTER_JOIN_NONBLOCK;
	const __u32 own = SCATTER_OWNER_SELF;

	EXPECT_EQ(-EINPROGRESS, join_as(&self->alice[0], &self->crew, 2, own, excl));
	EXPECT_EQ(-EEXIST, join_as(&self->alice[1], &self->crew, 2, own, excl));
	/* EEXIST comes first, whatever else is wrong. */
	EXPECT_EQ(-EEXIST, join_as(&self->alice[1], &self->crew, 3, own, excl));
	/* Other users have no part in that. */
	EXPECT_EQ(-EINPROGRESS, join_as(self->mallory, &self->crew, 2, own, excl));
	EXPECT_EQ(0, join_as(&self->alice[1], &self->crew, 2, own, 0));
	EXPECT_EQ(0, worker_do(&self->alice[1], task_leave, NULL));
	/* The group broke: the name is free. */
	EXPECT_EQ(-EINPROGRESS, join_soon(&self->alice[1], &self->crew, 2, own, excl, -EEXIST));
}

TEST_F(owner, of_two_at_once_one_creates)
{
	const union task_args args = join_args(&self->crew, 2, SCATTER_OWNER_SELF,
					       SCATTER_JOIN_EXCL |
					       SCATTER_JOIN_NONBLOCK);
	__s64 result[2];
	unsigned int i, r;

	for (i = 0; i < ROUNDS; i++) {
		for (r = 0; r < 2; r++)
			worker_order(&self->alice[r], task_join, &args);
		for (r = 0; r < 2; r++)
			result[r] = worker_finish(&self->alice[r]);
		ASSERT_EQ(-EINPROGRESS - EEXIST, result[0] + result[1]) {
			TH_LOG("round %u: %d and %d", i, (int)result[0],
			       (int)result[1]);
		}
		for (r = 0; r < 2; r++) {
			ASSERT_TRUE(result[r] == -EEXIST ||
				    result[r] == -EINPROGRESS);
			EXPECT_EQ(result[r] == -EEXIST ? -ENOTCONN : 0,
				  worker_do(&self->alice[r], task_leave, NULL));
		}
	}
}

/* word[0]: how often; the name is behind. Each JOIN gets an answer that there is. */
static __s64 task_churn(struct self *self, union task_args *args)
{
	const char *name = (const char *)&args->word[1];
	struct scatter_join arg;
	__u64 i;
	int error;

	for (i = 0; i < args->word[0]; i++) {
		arg = join_of(name, 2, SCATTER_RANK_ANY);
		arg.flags = SCATTER_JOIN_NONBLOCK | (i % 3 ? 0 : SCATTER_JOIN_EXCL);
		error = device_call(self->fd, SCATTER_IOCTL_JOIN, &arg);
		if (error == -EUSERS || (error == -EEXIST && !(i % 3)))
			continue;
		if (error && error != -EINPROGRESS)
			return error;
		error = leave(self->fd);
		if (error)
			return error;
	}
	return 0;
}

/* Groups are created, completed and broken under one name, while others look it up. */
TEST_F(owner, a_name_changes_hands)
{
	union task_args args = { .word = { ROUNDS } };
	unsigned int r;

	strcpy((char *)&args.word[1], self->crew.name);
	for (r = 0; r < 2; r++) {
		worker_order(&self->alice[r], task_churn, &args);
		worker_order(&self->root[r], task_churn, &args);
	}
	for (r = 0; r < 2; r++) {
		EXPECT_EQ(0, worker_finish(&self->alice[r]));
		EXPECT_EQ(0, worker_finish(&self->root[r]));
	}
	EXPECT_EQ(0, join_as(&self->alice[0], &self->crew, 1, SCATTER_OWNER_SELF,
			     SCATTER_JOIN_EXCL));
}

/* User namespaces ------------------------------------------------------------ */

/* There Alice is 0, and nobody else is anybody. */
TEST_F(owner, a_user_namespace_has_numbers_of_its_own)
{
	if (worker_do(&self->alice[0], task_user_namespace, NULL))
		SKIP(return, "no user namespaces");
	mallory_squats(_metadata, self, 0666);
	EXPECT_EQ(-EINVAL, join_as(&self->alice[0], &self->crew, 2, MALLORY, 0));
	EXPECT_EQ(-EINVAL, join_as(&self->alice[0], &self->crew, 2, ALICE, 0));
	join_begin(&self->alice[0], &self->crew, 2, 0);
	ASSERT_TRUE(worker_sleeps(&self->alice[0], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(0, join_as(&self->alice[1], &self->crew, 2, ALICE, 0));
	EXPECT_EQ(0, worker_finish(&self->alice[0]));
	EXPECT_TRUE(worker_sleeps(self->mallory, SCATTER_IOCTL_JOIN));
}

/* Its CAP_IPC_OWNER is of no use outside. */
TEST_F(owner, root_of_a_user_namespace_has_no_right_to_other_groups)
{
	union task_args args = join_args(&self->crew, 2, SCATTER_OWNER_SELF, 0);

	if (worker_do(&self->alice[0], task_user_namespace, NULL))
		SKIP(return, "no user namespaces");
	args.join.mode = 0400;
	worker_order(&self->alice[1], task_join, &args);
	ASSERT_TRUE(worker_sleeps(&self->alice[1], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(-EACCES, join_as(&self->alice[0], &self->crew, 2, 0, 0));
	EXPECT_EQ(0, join_as(&self->root[0], &self->crew, 2, ALICE, 0));
	EXPECT_EQ(0, worker_finish(&self->alice[1]));
}

TEST_HARNESS_MAIN
