// SPDX-License-Identifier: GPL-2.0
/* Groups without a name: CREATE, and JOIN by a descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "regroup.h"

#define SIZE	4

FIXTURE(descriptor)
{
	int device;
	int group;
};

FIXTURE_SETUP(descriptor)
{
	self->device = device_open(0);
	ASSERT_LE(0, self->device);
	self->group = group_create(SIZE);
	ASSERT_LE(0, self->group);
}

FIXTURE_TEARDOWN(descriptor)
{
	close(self->device);
	close(self->group);
}

static bool closes_on_exec(int fd)
{
	return fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

static unsigned int joined(int fd)
{
	struct seen status;

	return status_of(fd, &status) ? UINT_MAX : status.joined;
}

TEST_F(descriptor, whoever_has_it_can_join)
{
	const struct call scatter = patient_call(SCATTER_OP_SCATTER, 2, 100);
	const struct call gather = patient_call(SCATTER_OP_GATHER, 1, 1 << 20);
	const struct seen *status;
	struct crew crew;
	unsigned int r;

	ASSERT_TRUE(crew_form_by(&crew, self->group, SIZE));
	/* The group lives as long as its members. */
	close(self->group);
	EXPECT_TRUE(crew_runs(&crew, &scatter));
	EXPECT_TRUE(crew_runs(&crew, &gather));
	for (r = 0; r < SIZE; r++) {
		status = crew_seen(&crew, r);
		ASSERT_NE(NULL, status);
		EXPECT_EQ((int)r, status->rank);
		EXPECT_EQ(2ULL, status->next);
	}
	EXPECT_TRUE(crew_end(&crew));
}

/* Sends @fd, or receives one into it. */
static bool pass(int channel, int *fd, bool send)
{
	char control[CMSG_SPACE(sizeof(*fd))] = { 0 };
	char byte = 0;
	struct iovec vector = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;

	if (!send && recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1)
		return false;
	header = CMSG_FIRSTHDR(&message);
	if (!header)
		return false;
	if (!send) {
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
		return true;
	}
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(*fd));
	memcpy(CMSG_DATA(header), fd, sizeof(*fd));
	return sendmsg(channel, &message, 0) == 1;
}

/* Nobody, who may not open the device, gets a descriptor and joins. */
static int stranger(int channel)
{
	struct scatter_coll barrier = {
		.size = sizeof(barrier),
		.op = SCATTER_OP_BARRIER,
		.deadline_ns = after_ms(PATIENCE_MS),
	};
	int group, fd;

	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return 1;
	if (device_open(0) != -EACCES)
		return 2;
	if (!pass(channel, &group, false))
		return 3;
	fd = join_by(group, 1);
	if (fd < 0)
		return 4;
	if (!(events_until(fd, POLLOUT) & POLLOUT))
		return 5;
	return coll_once(fd, &barrier) ? 6 : 0;
}

TEST_F(descriptor, passed_over_a_socket_it_needs_no_other_right)
{
	struct scatter_coll barrier = {
		.size = sizeof(barrier),
		.op = SCATTER_OP_BARRIER,
		.deadline_ns = after_ms(PATIENCE_MS),
	};
	int group = group_create(2), channel[2], status, fd;
	pid_t pid;

	ASSERT_LE(0, group);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel));
	fd = join_by(group, 0);
	ASSERT_LE(0, fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(group);
		_exit(stranger(channel[1]));
	}
	ASSERT_TRUE(pass(channel[0], &group, true));
	close(group);
	EXPECT_EQ(POLLOUT, events_until(fd, POLLOUT));
	EXPECT_EQ(0, coll_once(fd, &barrier));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	close(fd);
}

TEST_F(descriptor, both_descriptors_close_on_exec)
{
	int fd = join_by(self->group, SCATTER_RANK_ANY);

	EXPECT_TRUE(closes_on_exec(self->group));
	ASSERT_LE(0, fd);
	EXPECT_TRUE(closes_on_exec(fd));
	close(fd);
}

TEST_F(descriptor, join_takes_the_terms_or_agrees)
{
	struct scatter_join join = { .size = sizeof(join), .deadline_ns = 1 };

	EXPECT_EQ(-ETIMEDOUT, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	EXPECT_EQ(-1, join.fd);
	join.members = SIZE;
	EXPECT_EQ(-ETIMEDOUT, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	join.members = SIZE + 1;
	EXPECT_EQ(-EPROTO, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	join.members = SIZE;
	join.schedule.algorithm = SCATTER_ALGORITHM_LINEAR;
	EXPECT_EQ(-EPROTO, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	join.members = 0;
	EXPECT_EQ(-EINVAL, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	join.schedule.algorithm = 0;
	join.rank = SIZE;
	EXPECT_EQ(-EINVAL, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	join.rank = 0;
	join.mode = 0600;
	EXPECT_EQ(-EINVAL, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	join.mode = 0;
	join.owner = SCATTER_OWNER_SELF;
	EXPECT_EQ(-EINVAL, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	join.owner = 1;
	EXPECT_EQ(-EINVAL, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	join.owner = 0;
	join.flags = SCATTER_JOIN_EXCL;
	EXPECT_EQ(-EOPNOTSUPP, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	join.flags = 0;
	strcpy(join.name, "name");
	EXPECT_EQ(-EINVAL, device_call(self->group, SCATTER_IOCTL_JOIN, &join));
	EXPECT_EQ(0U, joined(self->group));
}

TEST_F(descriptor, each_rank_is_given_once)
{
	int fd[SIZE], r;

	for (r = SIZE - 1; r >= 0; r--) {
		fd[r] = join_by(self->group, r);
		ASSERT_LE(0, fd[r]);
		EXPECT_EQ(r ? -EADDRINUSE : -EUSERS, join_by(self->group, r));
	}
	EXPECT_EQ(-EUSERS, join_by(self->group, SCATTER_RANK_ANY));
	for (r = 0; r < SIZE; r++)
		close(fd[r]);
	EXPECT_EQ(-EUSERS, join_by(self->group, SCATTER_RANK_ANY));
}

TEST_F(descriptor, is_no_member)
{
	static const unsigned int others[] = {
		SCATTER_IOCTL_INFO, SCATTER_IOCTL_LEAVE, SCATTER_IOCTL_COLL,
		SCATTER_IOCTL_REVOKE, SCATTER_IOCTL_CREATE, SCATTER_IOCTL_REGROUP,
		SCATTER_IOCTL_AGREE, SCATTER_IOCTL_GET_FAILED,
	};
	__u32 words[256] = { sizeof(words) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		EXPECT_EQ(-ENOTTY, device_call(self->group, others[i], words));
}

/* A file that has come by a descriptor must not get at names. */
TEST_F(descriptor, its_members_join_nothing_else)
{
	struct scatter_create create = { .size = sizeof(create), .members = 1 };
	int fd = join_by(self->group, 0);
	char name[SCATTER_NAME_MAX];

	ASSERT_LE(0, fd);
	name_make(name, "descriptor");
	EXPECT_EQ(-EISCONN, join(fd, name, 1, 0));
	EXPECT_EQ(-EPERM, device_call(fd, SCATTER_IOCTL_CREATE, &create));
	EXPECT_EQ(0, leave(fd));
	EXPECT_EQ(-EPERM, join(fd, name, 1, 0));
	EXPECT_EQ(-ENOTCONN, leave(fd));
	EXPECT_EQ(POLLHUP, events_of(fd, 0));
	close(fd);
}

TEST_F(descriptor, tells_of_the_group)
{
	struct seen status;
	int fd[SIZE], r;

	for (r = 0; r < SIZE; r++) {
		EXPECT_EQ(0, events_of(self->group, 0));
		ASSERT_EQ(0, status_of(self->group, &status));
		EXPECT_EQ((__u32)SCATTER_STATE_FORMING, status.state);
		EXPECT_EQ((__u32)r, status.joined);
		EXPECT_EQ((__u32)SIZE, status.members);
		EXPECT_EQ(SCATTER_RANK_ANY, status.rank);
		EXPECT_EQ((unsigned int)(SIZE - r), mask_count(status.missing));
		fd[r] = join_by(self->group, SCATTER_RANK_ANY);
		ASSERT_LE(0, fd[r]);
	}
	EXPECT_EQ(POLLOUT, events_of(self->group, 0));
	EXPECT_EQ(0, leave(fd[0]));
	EXPECT_EQ(POLLOUT | POLLERR, events_of(self->group, 0));
	close(fd[1]);
	EXPECT_EQ(POLLOUT | POLLERR | POLLPRI, events_of(self->group, 0));
	ASSERT_EQ(0, status_of(self->group, &status));
	EXPECT_EQ((__u32)SCATTER_STATE_BROKEN, status.state);
	EXPECT_TRUE(mask_has(status.left, 0));
	EXPECT_TRUE(mask_has(status.dead, 1));
	close(fd[2]);
	close(fd[3]);
	EXPECT_EQ(POLLOUT | POLLERR | POLLPRI | POLLHUP, events_of(self->group, 0));
	close(fd[0]);
}

/* A poller asleep is woken, too. */
TEST_F(descriptor, wakes_who_polls_it)
{
	struct worker worker;
	union task_args args = { .word = { POLLOUT } };
	int fd[SIZE], r;

	ASSERT_TRUE(worker_spawn(&worker));
	for (r = 0; r < SIZE - 1; r++)
		fd[r] = join_by(self->group, r);
	args.join = (struct scatter_join){
		.size = sizeof(args.join), .rank = SIZE - 1, .fd = self->group,
		.deadline_ns = after_ms(PATIENCE_MS),
	};
	worker_order(&worker, task_join_by, &args);
	EXPECT_EQ(POLLOUT, events_until(self->group, POLLOUT));
	EXPECT_EQ(0, worker_finish(&worker));
	ASSERT_TRUE(worker_end(&worker));
	EXPECT_EQ(POLLOUT | POLLPRI | POLLERR, events_until(self->group, POLLPRI));
	for (r = 0; r < SIZE - 1; r++)
		close(fd[r]);
}

TEST_F(descriptor, before_all_have_joined_there_is_nothing_to_do)
{
	struct scatter_coll barrier = {
		.size = sizeof(barrier), .op = SCATTER_OP_BARRIER,
	};
	int fd = join_by(self->group, 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINPROGRESS, coll_once(fd, &barrier));
	EXPECT_EQ(0, events_of(fd, 0));
	/* A joiner that gives up frees the rank. */
	close(fd);
	EXPECT_EQ(0U, joined(self->group));
	fd = join_by(self->group, 0);
	EXPECT_LE(0, fd);
	/* Nobody else can join any more. */
	close(self->group);
	EXPECT_EQ(POLLHUP, events_until(fd, POLLHUP));
	EXPECT_EQ(-EINPROGRESS, coll_once(fd, &barrier));
	close(fd);
}

TEST_F(descriptor, a_join_that_is_interrupted_leaves_nothing)
{
	struct worker worker;
	union task_args args = { .join = {
		.size = sizeof(args.join), .rank = 1, .fd = self->group,
	} };
	int fd;

	ASSERT_TRUE(worker_spawn(&worker));
	worker_order(&worker, task_join_by, &args);
	ASSERT_TRUE(worker_sleeps(&worker, SCATTER_IOCTL_JOIN));
	EXPECT_EQ(1U, joined(self->group));
	worker_signal(&worker, SIGUSR1);
	EXPECT_EQ(-EINTR, worker_finish(&worker));
	EXPECT_EQ(0U, joined(self->group));
	worker_order(&worker, task_join_by, &args);
	ASSERT_TRUE(worker_sleeps(&worker, SCATTER_IOCTL_JOIN));
	EXPECT_TRUE(worker_end(&worker));
	EXPECT_EQ(0U, joined(self->group));
	fd = join_by(self->group, 1);
	EXPECT_LE(0, fd);
	close(fd);
}

TEST_F(descriptor, without_a_free_number_nothing_is_done)
{
	const struct rlimit none = { 0, 64 };
	struct scatter_create create = { .size = sizeof(create), .members = 1 };
	struct rlimit was;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &was));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(-EMFILE, device_call(self->device, SCATTER_IOCTL_CREATE, &create));
	EXPECT_EQ(-1, create.fd);
	EXPECT_EQ(-EMFILE, join_by(self->group, 0));
	EXPECT_EQ(0U, joined(self->group));
}

TEST_F(descriptor, create_with_bad_fields)
{
	struct scatter_create create;
	const __u32 bad[] = { 0, MEMBERS_MAX + 1, UINT_MAX };
	struct seen status;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		create = (struct scatter_create){ .size = sizeof(create),
						  .members = bad[i] };
		EXPECT_EQ(-EINVAL, device_call(self->device, SCATTER_IOCTL_CREATE,
					       &create));
	}
	create.members = 12;
	create.schedule.algorithm = 63;
	EXPECT_EQ(-EOPNOTSUPP, device_call(self->device, SCATTER_IOCTL_CREATE, &create));
	create.schedule.algorithm = SCATTER_ALGORITHM_ROTATED;
	EXPECT_EQ(-EINVAL, device_call(self->device, SCATTER_IOCTL_CREATE, &create));
	create.schedule.algorithm = SCATTER_ALGORITHM_MESH;
	create.schedule.dims = 2;
	create.schedule.extent[0] = 3;
	create.schedule.extent[1] = 5;
	EXPECT_EQ(-EINVAL, device_call(self->device, SCATTER_IOCTL_CREATE, &create));
	create.schedule.extent[1] = 4;
	create.schedule.__reserved = 1;
	EXPECT_EQ(-EOPNOTSUPP, device_call(self->device, SCATTER_IOCTL_CREATE, &create));
	create.schedule.__reserved = 0;
	ASSERT_EQ(0, device_call(self->device, SCATTER_IOCTL_CREATE, &create));
	ASSERT_EQ(0, status_of(create.fd, &status));
	EXPECT_EQ((__u32)SCATTER_ALGORITHM_MESH, status.schedule.algorithm);
	EXPECT_EQ(2U, status.schedule.dims);
	EXPECT_EQ(4U, status.schedule.extent[1]);
	close(create.fd);
}

TEST_HARNESS_MAIN
