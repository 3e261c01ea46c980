// SPDX-License-Identifier: GPL-2.0
/* Names of groups: rights, namespaces, and when a name is free again. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "user.h"

#define OWNER		1000
#define OTHER		1001

static __s64 owner_join(struct worker *worker, const char *name,
			unsigned int members, __u32 owner)
{
	union task_args args = {
		.join = join_of(name, members, SCATTER_RANK_ANY),
	};

	args.join.owner = owner;
	args.join.deadline_ns = after_ms(PATIENCE_MS);
	return worker_do(worker, task_join, &args);
}

static __s64 name_join(struct worker *worker, const char *name,
		       unsigned int members)
{
	return owner_join(worker, name, members, SCATTER_OWNER_SELF);
}

/* Rights ------------------------------------------------------------------- */

/* Still uid 0, but CAP_IPC_OWNER is not in force. */
static __s64 task_drop_capability(struct self *self, union task_args *args)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	(void)self;
	(void)args;
	if (syscall(SYS_capget, &head, data))
		return -errno;
	data[0].effective &= ~(1U << CAP_IPC_OWNER);
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/* What a second user, who is @uid and @gid and in @group, gets. */
struct right {
	__u32 mode;
	__u32 umask;
	__u32 uid;
	__u32 gid;
	__u32 group;
	int result;
};

static const struct right rights[] = {
	/* The owner's class; nobody else's bits help the owner. */
	{ 0600, 0, OWNER, OWNER, 0, 0 },
	{ 0600, 0, OWNER, OTHER, 0, 0 },
	{ 0400, 0, OWNER, OWNER, 0, -EACCES },
	{ 0200, 0, OWNER, OWNER, 0, -EACCES },
	{ 0066, 0, OWNER, OWNER, 0, -EACCES },
	{ 0100, 0, OWNER, OWNER, 0, -EACCES },
	{ 0000, 0, OWNER, OWNER, 0, -EACCES },
	/* The group's class, by either kind of group. */
	{ 0660, 0, OTHER, OWNER, 0, 0 },
	{ 0660, 0, OTHER, OTHER, OWNER, 0 },
	{ 0640, 0, OTHER, OWNER, 0, -EACCES },
	{ 0620, 0, OTHER, OTHER, OWNER, -EACCES },
	{ 0606, 0, OTHER, OWNER, 0, -EACCES },
	{ 0606, 0, OTHER, OTHER, OWNER, -EACCES },
	/* All others. */
	{ 0600, 0, OTHER, OTHER, 0, -EACCES },
	{ 0660, 0, OTHER, OTHER, 0, -EACCES },
	{ 0666, 0, OTHER, OTHER, 0, 0 },
	{ 0006, 0, OTHER, OTHER, 0, 0 },
	{ 0664, 0, OTHER, OTHER, 0, -EACCES },
	{ 0662, 0, OTHER, OTHER, 0, -EACCES },
	{ 0777, 0, OTHER, OTHER, 0, 0 },
	{ 0111, 0, OTHER, OTHER, 0, -EACCES },
	/* The umask takes bits away. */
	{ 0666, 0022, OTHER, OTHER, 0, -EACCES },
	{ 0666, 0022, OTHER, OWNER, 0, -EACCES },
	{ 0666, 0022, OWNER, OWNER, 0, 0 },
	{ 0666, 0006, OTHER, OWNER, 0, 0 },
	{ 0666, 0006, OTHER, OTHER, 0, -EACCES },
	{ 0666, 0777, OWNER, OWNER, 0, -EACCES },
	/* Root may. */
	{ 0600, 0, 0, 0, 0, 0 },
	{ 0000, 0777, 0, OTHER, 0, 0 },
};

static void right_try(struct __test_metadata *_metadata, unsigned int i)
{
	const struct right *right = &rights[i];
	union task_args owner = { .word = { OWNER, OWNER, 0, right->umask } };
	union task_args user = {
		.word = { right->uid, right->gid, right->group, 0 },
	};
	struct crew crew;

	/* Files opened as root: rights on the device do not matter here. */
	ASSERT_TRUE(crew_spawn(&crew, 3));
	ASSERT_EQ(0, worker_do(&crew.worker[0], task_become, &owner));
	ASSERT_EQ(0, worker_do(&crew.worker[1], task_become, &user));
	owner.join = join_of(crew.name, 2, 0);
	owner.join.mode = right->mode;
	owner.join.deadline_ns = after_ms(PATIENCE_MS);
	worker_order(&crew.worker[0], task_join, &owner);
	ASSERT_TRUE(worker_sleeps(&crew.worker[0], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(right->result,
		  owner_join(&crew.worker[1], crew.name, 2, OWNER)) {
		TH_LOG("right %u: mode %o umask %o uid %u gid %u group %u", i,
		       right->mode, right->umask, right->uid, right->gid,
		       right->group);
	}
	if (right->result) {
		/* Nothing has happened to the group. */
		EXPECT_TRUE(worker_sleeps(&crew.worker[0], SCATTER_IOCTL_JOIN));
		EXPECT_EQ(0, owner_join(&crew.worker[2], crew.name, 2, OWNER));
	}
	EXPECT_EQ(0, worker_finish(&crew.worker[0]));
	EXPECT_TRUE(crew_end(&crew));
}

TEST(mode_bits_of_the_class_decide_about_join)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rights); i++)
		right_try(_metadata, i);
}

TEST(root_without_the_capability_is_like_anybody)
{
	struct scatter_join arg;
	char name[SCATTER_NAME_MAX];
	int fd = device_open(O_NONBLOCK);
	struct crew crew;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(crew_spawn(&crew, 2));
	name_make(name, "root");
	arg = join_of(name, 2, 0);
	arg.mode = 0;
	ASSERT_EQ(-EINPROGRESS, device_call(fd, SCATTER_IOCTL_JOIN, &arg));
	ASSERT_EQ(0, worker_do(&crew.worker[0], task_drop_capability, NULL));
	EXPECT_EQ(-EACCES, name_join(&crew.worker[0], name, 2));
	EXPECT_EQ(0, name_join(&crew.worker[1], name, 2));
	EXPECT_TRUE(crew_end(&crew));
	close(fd);
}

TEST(the_device_is_for_root_and_its_group)
{
	struct stat stat_buffer;

	ASSERT_EQ(0, stat(DEVICE, &stat_buffer));
	EXPECT_EQ(0660, (int)(stat_buffer.st_mode & 07777));
	EXPECT_EQ(0U, stat_buffer.st_uid);
}

/* Network namespaces ------------------------------------------------------- */

static __s64 task_unshare(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	return unshare(CLONE_NEWNET) ? -errno : 0;
}

static __s64 reopen(struct worker *worker)
{
	worker_do(worker, task_close, NULL);
	return worker_do(worker, task_open, NULL);
}

TEST(network_namespaces_do_not_see_each_others_groups)
{
	struct crew crew;

	ASSERT_TRUE(crew_spawn(&crew, 3));
	if (worker_do(&crew.worker[1], task_unshare, NULL))
		SKIP(return, "no network namespaces");
	ASSERT_EQ(0, reopen(&crew.worker[1]));
	ASSERT_EQ(0, name_join(&crew.worker[0], crew.name, 1));
	/* Another size and a name that is in use: it is another group. */
	worker_order(&crew.worker[1], task_join, &(union task_args){
		.join = join_of(crew.name, 2, 0) });
	ASSERT_TRUE(worker_sleeps(&crew.worker[1], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(-EUSERS, name_join(&crew.worker[2], crew.name, 1));
	EXPECT_EQ(-EPROTO, name_join(&crew.worker[2], crew.name, 2));
	EXPECT_TRUE(crew_end(&crew));
}

/* The namespace in which the file was opened counts, not the caller's. */
TEST(a_file_belongs_to_the_namespace_in_which_it_was_opened)
{
	struct crew crew;

	ASSERT_TRUE(crew_spawn(&crew, 2));
	worker_order(&crew.worker[0], task_join, &(union task_args){
		.join = join_of(crew.name, 2, 0) });
	ASSERT_TRUE(worker_sleeps(&crew.worker[0], SCATTER_IOCTL_JOIN));
	if (worker_do(&crew.worker[1], task_unshare, NULL))
		SKIP(return, "no network namespaces");
	EXPECT_EQ(0, name_join(&crew.worker[1], crew.name, 2));
	EXPECT_EQ(0, worker_finish(&crew.worker[0]));
	EXPECT_TRUE(crew_end(&crew));
}

TEST(a_group_outlives_the_last_process_in_its_namespace)
{
	const struct call call = {
		.op = SCATTER_OP_SCATTER, .block = 5000, .seed = 1,
		.timeout_ms = PATIENCE_MS,
	};
	union task_args args;
	unsigned int r;
	struct crew crew;

	ASSERT_TRUE(crew_spawn(&crew, 2));
	for (r = 0; r < 2; r++) {
		args.join = join_of(crew.name, 2, r);
		args.join.deadline_ns = after_ms(PATIENCE_MS);
		worker_order(&crew.worker[r], task_join, &args);
	}
	for (r = 0; r < 2; r++)
		ASSERT_EQ(0, worker_finish(&crew.worker[r]));
	for (r = 0; r < 2; r++)
		if (worker_do(&crew.worker[r], task_unshare, NULL))
			SKIP(return, "no network namespaces");
	EXPECT_TRUE(crew_runs(&crew, &call));
	EXPECT_TRUE(crew_end(&crew));
}

/* When a name is free ------------------------------------------------------ */

FIXTURE(freed)
{
	struct crew crew;	/* ranks 0 and 1 of a group; 2 and 3 of none */
};

FIXTURE_SETUP(freed)
{
	struct crew *crew = &self->crew;
	unsigned int r;

	ASSERT_TRUE(crew_spawn(crew, 4));
	for (r = 0; r < 2; r++)
		worker_order(&crew->worker[r], task_join, &(union task_args){
			.join = join_of(crew->name, 2, r) });
	for (r = 0; r < 2; r++)
		ASSERT_EQ(0, worker_finish(&crew->worker[r]));
}

FIXTURE_TEARDOWN(freed)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* Workers 2 and 3 can be a group of that name, and it works. */
static void name_is_free(struct __test_metadata *_metadata, struct crew *crew)
{
	const struct call call = {
		.op = SCATTER_OP_GATHER, .block = 100, .seed = 2,
		.timeout_ms = PATIENCE_MS,
	};
	union task_args args;
	unsigned int r;

	for (r = 0; r < 2; r++)
		worker_order(&crew->worker[2 + r], task_join,
			     &(union task_args){
				.join = join_of(crew->name, 2, r) });
	for (r = 0; r < 2; r++)
		ASSERT_EQ(0, worker_finish(&crew->worker[2 + r]));
	for (r = 0; r < 2; r++) {
		args.call = crew_args(r, &call, CALL_FILL | CALL_CHECK);
		worker_order(&crew->worker[2 + r], task_call, &args);
	}
	EXPECT_TRUE(crew_succeeds(crew, RANK(2) | RANK(3)));
}

TEST_F(freed, not_while_all_are_members)
{
	EXPECT_EQ(-EUSERS, name_join(&self->crew.worker[2], self->crew.name, 2));
}

TEST_F(freed, when_all_have_left)
{
	ASSERT_EQ(0, worker_do(&self->crew.worker[0], task_leave, NULL));
	ASSERT_EQ(0, worker_do(&self->crew.worker[1], task_leave, NULL));
	name_is_free(_metadata, &self->crew);
}

TEST_F(freed, when_one_has_left)
{
	ASSERT_EQ(0, worker_do(&self->crew.worker[0], task_leave, NULL));
	name_is_free(_metadata, &self->crew);
	EXPECT_EQ(0, crew_status(&self->crew, 1));
}

TEST_F(freed, when_one_has_died_and_a_survivor_holds_the_group)
{
	const struct seen *status;

	ASSERT_TRUE(worker_end(&self->crew.worker[0]));
	name_is_free(_metadata, &self->crew);
	status = crew_seen(&self->crew, 1);
	ASSERT_NE(NULL, status);
	EXPECT_EQ(SCATTER_STATE_BROKEN, (int)status->state);
	/* The survivor may be the first of the next group of that name. */
	ASSERT_EQ(0, worker_do(&self->crew.worker[1], task_leave, NULL));
	EXPECT_EQ(-EUSERS, name_join(&self->crew.worker[1], self->crew.name, 2));
	/* That it goes does not touch the new one. */
	ASSERT_TRUE(worker_end(&self->crew.worker[1]));
	status = crew_seen(&self->crew, 2);
	ASSERT_NE(NULL, status);
	EXPECT_EQ(SCATTER_STATE_ACTIVE, (int)status->state);
}

TEST_F(freed, when_members_disagreed)
{
	const struct call scatter = patient_call(SCATTER_OP_SCATTER, 0, 0);
	const struct call gather = patient_call(SCATTER_OP_GATHER, 0, 0);

	crew_start(&self->crew, RANK(1), &scatter);
	crew_start(&self->crew, RANK(0), &gather);
	ASSERT_EQ(-EPROTO, worker_finish(&self->crew.worker[0]));
	name_is_free(_metadata, &self->crew);
}

TEST_HARNESS_MAIN
