// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink family: who may do what, which groups are seen, and events. Each test has a network
 * namespace of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "harness.h"
#include "netlink.h"

#define OTHER	1001

FIXTURE(netlink_groups) {
	int fd;
	struct answer answer;
	struct message message;
};

FIXTURE_SETUP(netlink_groups)
{
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	self->fd = netlink_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(netlink_groups)
{
	close(self->fd);
}

/* Rights ----------------------------------------------------------------------- */

/* What a user gets for each command that changes something. */
static int changes_as_user(void)
{
	static const int changes[] = {
		SCATTER_CMD_NODE_SET, SCATTER_CMD_NODE_DEL, SCATTER_CMD_PEER_ADD,
		SCATTER_CMD_PEER_SET, SCATTER_CMD_PEER_DEL, SCATTER_CMD_PEER_PING,
		SCATTER_CMD_TUNE_SET, SCATTER_CMD_PEER_FENCE,
	};
	struct answer answer = { };
	unsigned int i, number = 0;
	struct peers_seen seen;
	int fd;

	if (setresgid(OTHER, OTHER, OTHER) || setresuid(OTHER, OTHER, OTHER))
		return 1;
	fd = netlink_open();
	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (netlink_command(fd, changes[i], &answer) != -EPERM)
			return 2 + i;
	netlink_family(fd, SCATTER_MCGRP_EVENTS, &number);
	if (!setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &number, sizeof(number)) ||
	    errno != EPERM)
		return 20;
	if (netlink_command(fd, SCATTER_CMD_NODE_GET, &answer) ||
	    netlink_command(fd, SCATTER_CMD_TUNE_GET, &answer) ||
	    netlink_command(fd, SCATTER_CMD_STATS_GET, &answer) || peers_dump(fd, &answer, &seen))
		return 21;
	return 0;
}

TEST_F(netlink_groups, users_may_only_look)
{
	int status;

	ASSERT_EQ(0, node_make(self->fd, 5, &self->answer));
	if (!fork())
		_exit(changes_as_user());
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* Root of a user namespace that owns a network namespace, with one that it does not own. */
static int changes_in_user_namespace(int foreign)
{
	struct answer answer = { };
	struct message message;
	int fd;

	if (setresgid(OTHER, OTHER, OTHER) || setresuid(OTHER, OTHER, OTHER) ||
	    unshare(CLONE_NEWUSER))
		return 1;
	/* The old network namespace is not the user namespace's. */
	fd = netlink_open();
	if (node_make(fd, 5, &answer) != -EPERM)
		return 2;
	close(fd);
	if (unshare(CLONE_NEWNET))
		return 3;
	fd = netlink_open();
	node_message(&message, 5);
	message_u32(&message, SCATTER_A_NODE_NETNS_FD, foreign);
	if (netlink_ask(fd, &message, NLM_F_ACK, &answer) != -EPERM)
		return 4;
	if (node_make(fd, 5, &answer) || peer_add(fd, 2, &answer))
		return 5;
	return netlink_command(fd, SCATTER_CMD_NODE_DEL, &answer) ? 6 : 0;
}

TEST_F(netlink_groups, user_namespaces_have_nodes)
{
	int foreign = open("/proc/self/ns/net", O_RDONLY), status;

	ASSERT_LE(0, foreign);
	if (!fork())
		_exit(changes_in_user_namespace(foreign));
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	close(foreign);
}

/* Groups ----------------------------------------------------------------------- */

static int member_of(const char *name, unsigned int members, unsigned int mode)
{
	struct scatter_join terms = join_of(name, members, SCATTER_RANK_ANY);
	int fd = device_open(O_RDWR), error;

	terms.mode = mode;
	terms.flags |= SCATTER_JOIN_NONBLOCK;
	error = device_call(fd, SCATTER_IOCTL_JOIN, &terms);
	return error && error != -EINPROGRESS ? error : fd;
}

static int groups_dump(int fd, struct answer *answer)
{
	struct message message;

	message_begin(&message, SCATTER_CMD_GROUP_GET);
	return netlink_ask(fd, &message, NLM_F_DUMP, answer);
}

static int members_dump(int fd, const struct nlattr *id, struct answer *answer)
{
	struct message message;

	message_begin(&message, SCATTER_CMD_MEMBER_GET);
	message_put(&message, SCATTER_A_MEMBER_GROUP, id + 1, 16);
	return netlink_ask(fd, &message, NLM_F_DUMP, answer);
}

/* How many groups another user sees, negative on failure. */
static int groups_of_other(const char *id)
{
	struct { struct nlattr head; char id[16]; } group;
	struct answer answer = { };
	int fd, error;

	memcpy(group.id, id, sizeof(group.id));
	if (setgroups(0, NULL) || setresgid(OTHER, OTHER, OTHER) ||
	    setresuid(OTHER, OTHER, OTHER))
		return 100;
	fd = netlink_open();
	error = members_dump(fd, &group.head, &answer);
	if (error != -ENOENT)
		return 101;
	if (groups_dump(fd, &answer))
		return 102;
	return answer.count;
}

TEST_F(netlink_groups, groups_that_may_be_joined_are_seen)
{
	const struct nlattr *id;
	int mine, shared, status;

	umask(0);
	ASSERT_EQ(0, groups_dump(self->fd, &self->answer));
	EXPECT_EQ(0, self->answer.count);
	mine = member_of("mine", 3, 0600);
	ASSERT_LE(0, mine);
	ASSERT_EQ(0, groups_dump(self->fd, &self->answer));
	ASSERT_EQ(1, self->answer.count);
	EXPECT_EQ(3, number_in(self->answer.first, self->answer.length, SCATTER_A_GROUP_SIZE));
	EXPECT_EQ(1, number_in(self->answer.first, self->answer.length, SCATTER_A_GROUP_JOINED));
	EXPECT_EQ(0600, number_in(self->answer.first, self->answer.length,
				  SCATTER_A_GROUP_MODE));
	id = attribute(self->answer.first, self->answer.length, SCATTER_A_GROUP_ID);
	ASSERT_NE(NULL, id);
	shared = member_of("shared", 2, 0606);
	ASSERT_LE(0, shared);
	if (!fork())
		_exit(groups_of_other((const char *)(id + 1)));
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(1, WEXITSTATUS(status));
	ASSERT_EQ(0, groups_dump(self->fd, &self->answer));
	EXPECT_EQ(2, self->answer.count);
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	close(self->fd);
	self->fd = netlink_open();
	ASSERT_EQ(0, groups_dump(self->fd, &self->answer));
	EXPECT_EQ(0, self->answer.count);
	close(mine);
	close(shared);
}

TEST_F(netlink_groups, members_are_told)
{
	int first = member_of("members", 2, 0600), second;
	struct nlattr copy[8];

	ASSERT_LE(0, first);
	ASSERT_EQ(0, groups_dump(self->fd, &self->answer));
	memcpy(copy, attribute(self->answer.first, self->answer.length, SCATTER_A_GROUP_ID), 20);
	ASSERT_EQ(0, members_dump(self->fd, copy, &self->answer));
	EXPECT_EQ(2, self->answer.count);
	EXPECT_EQ(getpid(), number_in(self->answer.first, self->answer.length,
				      SCATTER_A_MEMBER_PID));
	second = member_of("members", 2, 0600);
	ASSERT_LE(0, second);
	close(first);
	ASSERT_EQ(0, members_dump(self->fd, copy, &self->answer));
	EXPECT_EQ(2, self->answer.count);
	EXPECT_EQ(SCATTER_PRESENCE_DEAD, number_in(self->answer.first, self->answer.length,
						   SCATTER_A_MEMBER_PRESENCE));
	close(second);
	EXPECT_EQ(-ENOENT, members_dump(self->fd, copy, &self->answer));
	message_begin(&self->message, SCATTER_CMD_MEMBER_GET);
	EXPECT_EQ(-EINVAL, netlink_ask(self->fd, &self->message, NLM_F_DUMP, &self->answer));
}

/* Bytes that this user has in the kernel, negative on failure. */
static long long bytes_used(void)
{
	struct scatter_info info = { .size = sizeof(info) };
	int fd = device_open(O_RDWR | O_CLOEXEC);
	int error = device_call(fd, SCATTER_IOCTL_INFO, &info);

	close(fd);
	return error ?: (long long)info.user_bytes_used;
}

/* More members than one message to a reader tells: the dump is under way until it is read. */
TEST_F(netlink_groups, a_dump_that_nobody_reads_holds_no_member)
{
	enum { MEMBERS = 512 };
	const long long before = bytes_used();
	const struct nlattr *id;
	int fds[MEMBERS], i;

	for (i = 0; i < MEMBERS; i++) {
		fds[i] = member_of("unread", MEMBERS, 0600);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, groups_dump(self->fd, &self->answer));
	id = attribute(self->answer.first, self->answer.length, SCATTER_A_GROUP_ID);
	message_begin(&self->message, SCATTER_CMD_MEMBER_GET);
	message_put(&self->message, SCATTER_A_MEMBER_GROUP, id + 1, 16);
	ASSERT_EQ(0, netlink_send(self->fd, &self->message, NLM_F_DUMP));
	EXPECT_LT(before, bytes_used());
	for (i = 0; i < MEMBERS; i++)
		close(fds[i]);
	EXPECT_EQ(before, bytes_used());
	/* The dump tells what was so when it began. */
	self->answer.count = 0;
	ASSERT_EQ(0, netlink_receive(self->fd, &self->answer));
	EXPECT_EQ(MEMBERS, self->answer.count);
}

/* As many groups as fill several messages of a dump, each told once. */
TEST_F(netlink_groups, groups_are_told_once)
{
	enum { GROUPS = 300 };
	char name[32];
	int fds[GROUPS], i;

	for (i = 0; i < GROUPS; i++) {
		snprintf(name, sizeof(name), "many-%d", i);
		fds[i] = member_of(name, 2, 0600);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, groups_dump(self->fd, &self->answer));
	EXPECT_EQ(GROUPS, self->answer.count);
	EXPECT_FALSE(self->answer.torn);
	for (i = 0; i < GROUPS; i++)
		close(fds[i]);
}

/* Events ----------------------------------------------------------------------- */

static int next_event(int fd, __u32 *rank)
{
	char buffer[4096] __attribute__((aligned(8)));
	struct nlmsghdr *head = (void *)buffer;
	ssize_t n = recv(fd, buffer, sizeof(buffer), 0);
	const char *first = (char *)NLMSG_DATA(head) + GENL_HDRLEN;
	size_t length;

	if (n < (ssize_t)(NLMSG_HDRLEN + GENL_HDRLEN))
		return -1;
	length = head->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	*rank = number_in(first, length, SCATTER_A_EVENT_RANK);
	return number_in(first, length, SCATTER_A_EVENT_KIND);
}

TEST_F(netlink_groups, events_are_told)
{
	unsigned int number = 0;
	int fds[3], listener;
	__u32 rank, i;

	listener = netlink_open();
	ASSERT_LE(0, netlink_family(listener, SCATTER_MCGRP_EVENTS, &number));
	ASSERT_EQ(0, setsockopt(listener, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &number,
				sizeof(number)));
	for (i = 0; i < 3; i++) {
		fds[i] = member_of("events", 3, 0600);
		ASSERT_LE(0, fds[i]);
		EXPECT_EQ(SCATTER_EVENT_JOIN, next_event(listener, &rank));
		EXPECT_EQ(i, rank);
	}
	ASSERT_EQ(0, leave(fds[2]));
	EXPECT_EQ(SCATTER_EVENT_LEAVE, next_event(listener, &rank));
	EXPECT_EQ(2, rank);
	EXPECT_EQ(SCATTER_EVENT_BROKEN, next_event(listener, &rank));
	EXPECT_EQ(2, rank);
	/* A group breaks once. */
	close(fds[1]);
	EXPECT_EQ(SCATTER_EVENT_DEATH, next_event(listener, &rank));
	EXPECT_EQ(1, rank);
	close(fds[0]);
	close(fds[2]);
	/* A member that gives up before the group is complete has left, too. */
	EXPECT_EQ(SCATTER_EVENT_DEATH, next_event(listener, &rank));
	fds[0] = member_of("events", 2, 0600);
	EXPECT_EQ(SCATTER_EVENT_JOIN, next_event(listener, &rank));
	close(fds[0]);
	EXPECT_EQ(SCATTER_EVENT_LEAVE, next_event(listener, &rank));
	close(listener);
}

TEST_HARNESS_MAIN
