// SPDX-License-Identifier: GPL-2.0
/*
 * What one user may have: groups, members, refused names, bytes of rings; and that locked memory is
 * none of it. All else that counts in bytes is in memory_test.c and cgroup_test.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The last one is for processes that decline, the others are for members. */
static const char * const parameters[4] = {
	"user_groups", "user_members", "user_bytes", "user_refused",
};

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
	/* A JOIN that would have to wait gives its rank back. */
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
	/* Root's group, not one of SOMEBODY's own with that name. */
	EXPECT_EQ(-ENOSPC, join_now(self->fd[0], self->name[0], 2));
	arg.rank = 1;
	arg.owner = 0;
	EXPECT_EQ(0, device_call(self->fd[0], SCATTER_IOCTL_JOIN, &arg));
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

static int decline(int fd, const char *name)
{
	struct scatter_join arg = join_of(name, 1024, SCATTER_RANK_ANY);

	arg.flags = SCATTER_JOIN_DECLINE;
	return device_call(fd, SCATTER_IOCTL_JOIN, &arg);
}

/* Each file keeps a refused name, and a user may have many files. */
TEST_F(limits, refused_names)
{
	ASSERT_EQ(0, parameter_write("user_refused", "2"));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(0, decline(self->fd[0], self->name[0]));
	EXPECT_EQ(0, decline(self->fd[1], self->name[1]));
	EXPECT_EQ(-EDQUOT, decline(self->fd[2], self->name[2]));
	/* The third name is not refused, and one that is refused costs nothing more. */
	EXPECT_EQ(-ETIMEDOUT, join_now(self->fd[2], self->name[2], 1024));
	EXPECT_EQ(0, decline(self->fd[2], self->name[0]));
	EXPECT_EQ(-ECONNREFUSED, join_now(self->fd[3], self->name[1], 1024));
	/* Another user declines names of their own. */
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, seteuid(ELSE));
	EXPECT_EQ(0, decline(self->fd[3], self->name[3]));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	/* The last file of a name is closed. */
	close(self->fd[1]);
	EXPECT_EQ(0, decline(self->fd[2], self->name[2]));
	EXPECT_EQ(-EDQUOT, decline(self->fd[0], self->name[1]));
	/* Who may go beyond limits may do so here, too. */
	ASSERT_EQ(0, seteuid(0));
	self->fd[1] = device_open(0);
	ASSERT_LE(0, self->fd[1]);
	ASSERT_EQ(0, parameter_write("user_refused", "0"));
	EXPECT_EQ(0, decline(self->fd[1], self->name[1]));
}

/* A process without room for a group can decline, so nobody waits for it. */
TEST_F(limits, declining_needs_nothing_of_a_member)
{
	struct scatter_join arg = join_of(self->name[0], 2, SCATTER_RANK_ANY);
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, parameter_write(parameters[i], "0"));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(-EMFILE, join_now(self->fd[0], self->name[0], 2));
	arg.flags = SCATTER_JOIN_DECLINE;
	EXPECT_EQ(0, device_call(self->fd[0], SCATTER_IOCTL_JOIN, &arg));
	ASSERT_EQ(0, seteuid(0));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, parameter_write(parameters[i], self->was[i]));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(-ECONNREFUSED, join_now(self->fd[1], self->name[0], 2));
	/* Both have come. */
	EXPECT_EQ(-ETIMEDOUT, join_now(self->fd[1], self->name[0], 2));
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

	ASSERT_EQ(0, parameter_write("user_bytes", "12287"));
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

/* A group of SOMEBODY, whose member has left, and of ELSE, whose file stays open. */
TEST_F(limits, others_keep_no_ring)
{
	struct scatter_join arg = join_of(self->name[0], 2, SCATTER_RANK_ANY);

	ASSERT_EQ(0, parameter_write("user_bytes", "12287"));
	umask(0);
	ASSERT_EQ(0, seteuid(SOMEBODY));
	arg.ring_bytes = 4096;
	arg.mode = 0666;
	arg.flags = SCATTER_JOIN_NONBLOCK;
	ASSERT_EQ(-EINPROGRESS, device_call(self->fd[0], SCATTER_IOCTL_JOIN, &arg));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, seteuid(ELSE));
	arg.owner = SOMEBODY;
	arg.rank = SCATTER_RANK_ANY;
	ASSERT_EQ(0, device_call(self->fd[1], SCATTER_IOCTL_JOIN, &arg));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(0, join_now(self->fd[2], self->name[2], 1));
	EXPECT_EQ(-EDQUOT, join_now(self->fd[3], self->name[3], 2));
	EXPECT_EQ(0, leave(self->fd[0]));
	EXPECT_EQ(0, join_now(self->fd[3], self->name[3], 1));
	EXPECT_EQ(-EDQUOT, join_now(self->fd[0], self->name[1], 1));
}

TEST_F(limits, are_not_for_who_may_go_beyond)
{
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, parameter_write(parameters[i], "0"));
	EXPECT_EQ(0, join_now(self->fd[0], self->name[0], 1));
	EXPECT_EQ(0, join_now(self->fd[1], self->name[1], 1));
	ASSERT_EQ(0, seteuid(SOMEBODY));
	EXPECT_EQ(-EMFILE, join_now(self->fd[2], self->name[2], 1));
}

/* Locked memory -------------------------------------------------------------- */

/* word[0]: RLIMIT_MEMLOCK in bytes, as SOMEBODY. */
static __s64 task_restrict(struct self *self, union task_args *args)
{
	const struct rlimit limit = { args->word[0], args->word[0] };

	(void)self;
	return setrlimit(RLIMIT_MEMLOCK, &limit) ||
	       setresuid(SOMEBODY, SOMEBODY, SOMEBODY) ? -errno : 0;
}

/* Large blocks need pages pinned, but for a moment: pinned_test shows that. */
TEST(no_locked_memory_is_needed)
{
	struct call call = {
		.op = SCATTER_OP_SCATTER, .block = 8 << 20, .seed = 3,
		.timeout_ms = PATIENCE_MS,
	};
	union task_args args = { .word = { 0 } };
	const struct seen *status;
	struct crew crew;
	unsigned int r;

	ASSERT_TRUE(crew_form(&crew, 3, 0));
	for (r = 0; r < 3; r++)
		ASSERT_EQ(0, worker_do(&crew.worker[r], task_restrict, &args));
	EXPECT_TRUE(crew_runs(&crew, &call));
	call.op = SCATTER_OP_GATHER;
	EXPECT_TRUE(crew_runs(&crew, &call));
	status = crew_seen(&crew, 0);
	ASSERT_NE(NULL, status);
	/* Two blocks each way, and the root's own. */
	EXPECT_LE(3 * 2 * (8U << 20) / 4096, status->total.pins);
	EXPECT_EQ(3 * 2 * (8U << 20), status->total.bytes_copied);
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
