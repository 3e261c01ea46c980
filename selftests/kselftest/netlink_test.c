// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink family: each command, used well and badly, and by whom. Each test has a network
 * namespace of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "harness.h"
#include "netlink.h"

FIXTURE(netlink) {
	int fd;
	struct answer answer;
	struct message message;
};

FIXTURE_SETUP(netlink)
{
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	self->fd = netlink_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(netlink)
{
	close(self->fd);
}

#define ASK(error)							\
	do {								\
		const int wanted = (error);				\
									\
		EXPECT_EQ(wanted, netlink_ask(self->fd, &self->message,	\
					      NLM_F_ACK, &self->answer)); \
		if (wanted)						\
			EXPECT_NE('\0', self->answer.text[0]);		\
	} while (0)

#define MAKE_NODE() ASSERT_EQ(0, node_make(self->fd, 5, &self->answer))

/* The node --------------------------------------------------------------------- */

TEST_F(netlink, node_is_made_once)
{
	__u64 incarnation;

	ASSERT_EQ(-ENOENT, netlink_command(self->fd, SCATTER_CMD_NODE_GET, &self->answer));
	MAKE_NODE();
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_GET, &self->answer));
	EXPECT_EQ(5, number_in(self->answer.first, self->answer.length, SCATTER_A_NODE_ID));
	incarnation = number_in(self->answer.first, self->answer.length,
				SCATTER_A_NODE_INCARNATION);
	EXPECT_NE(0, incarnation);
	/* Setting the same again changes nothing. */
	MAKE_NODE();
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_GET, &self->answer));
	EXPECT_EQ(incarnation, number_in(self->answer.first, self->answer.length,
					 SCATTER_A_NODE_INCARNATION));
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_DEL, &self->answer));
	ASSERT_EQ(-ENOENT, netlink_command(self->fd, SCATTER_CMD_NODE_DEL, &self->answer));
	MAKE_NODE();
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_GET, &self->answer));
	EXPECT_NE(incarnation, number_in(self->answer.first, self->answer.length,
					 SCATTER_A_NODE_INCARNATION));
}

TEST_F(netlink, node_needs_all)
{
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	message_u64(&self->message, SCATTER_A_NODE_ID, 5);
	ASK(-EINVAL);
	message_addresses(&self->message, SCATTER_A_NODE_ADDRESSES, "192.0.2.1", 0);
	ASK(-EINVAL);
	message_put(&self->message, SCATTER_A_NODE_KEY, netlink_key, SCATTER_NODE_KEY_BYTES);
	ASK(0);
}

TEST_F(netlink, node_keeps_its_id)
{
	MAKE_NODE();
	EXPECT_EQ(-EEXIST, node_make(self->fd, 6, &self->answer));
	EXPECT_EQ('I', self->answer.text[0]);
	EXPECT_NE(0, self->answer.offset);
}

TEST_F(netlink, node_refuses_id_0)
{
	node_message(&self->message, 0);
	ASK(-ERANGE);
	EXPECT_EQ(NLMSG_HDRLEN + GENL_HDRLEN, self->answer.offset);
}

TEST_F(netlink, key_is_never_told)
{
	unsigned int i;

	MAKE_NODE();
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_GET, &self->answer));
	EXPECT_EQ(NULL, attribute(self->answer.first, self->answer.length, SCATTER_A_NODE_KEY));
	for (i = 0; i + SCATTER_NODE_KEY_BYTES <= self->answer.length; i++)
		EXPECT_NE(0, memcmp(self->answer.first + i, netlink_key, SCATTER_NODE_KEY_BYTES));
}

TEST_F(netlink, key_has_32_bytes)
{
	static const size_t wrong[] = { 1, 31, 33 };
	unsigned int i;

	MAKE_NODE();
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char bytes[33] = { };

		message_begin(&self->message, SCATTER_CMD_NODE_SET);
		message_put(&self->message, SCATTER_A_NODE_KEY, bytes, wrong[i]);
		EXPECT_GT(0, netlink_ask(self->fd, &self->message, NLM_F_ACK, &self->answer));
		message_begin(&self->message, SCATTER_CMD_NODE_SET);
		message_put(&self->message, SCATTER_A_NODE_KEY2, bytes, wrong[i]);
		EXPECT_GT(0, netlink_ask(self->fd, &self->message, NLM_F_ACK, &self->answer));
	}
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	message_put(&self->message, SCATTER_A_NODE_KEY2, netlink_key, SCATTER_NODE_KEY_BYTES);
	ASK(0);
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	message_put(&self->message, SCATTER_A_NODE_KEY2, NULL, 0);
	ASK(0);
}

/* Also what is only told cannot be set, nor what does not exist. */
TEST_F(netlink, unknown_attributes_are_refused)
{
	static const int types[] = {
		SCATTER_A_NODE_INCARNATION, SCATTER_A_NODE_CLUSTER, SCATTER_A_NODE_MAX + 1, 4000,
	};
	unsigned int i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		node_message(&self->message, 5);
		message_u64(&self->message, types[i], 7);
		ASK(-EINVAL);
	}
	message_begin(&self->message, SCATTER_CMD_NODE_GET);
	message_u64(&self->message, SCATTER_A_NODE_ID, 7);
	ASK(-EINVAL);
	message_begin(&self->message, SCATTER_CMD_TUNE_SET);
	message_u32(&self->message, SCATTER_A_TUNE_MAX + 1, 1000);
	ASK(-EINVAL);
}

TEST_F(netlink, malformed_messages_are_refused)
{
	struct nlattr *nest;

	/* An attribute that is longer than the message. */
	node_message(&self->message, 5);
	message_put(&self->message, SCATTER_A_NODE_KEY2, netlink_key, 4)->nla_len = 200;
	EXPECT_GT(0, netlink_ask(self->fd, &self->message, NLM_F_ACK, &self->answer));
	/* An address that is longer than its nest. */
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	nest = message_nest(&self->message, SCATTER_A_NODE_ADDRESSES);
	message_put(&self->message, SCATTER_A_ADDRESSES_ADDRESS, netlink_key, 16)->nla_len = 28;
	message_end(&self->message, nest);
	EXPECT_GT(0, netlink_ask(self->fd, &self->message, NLM_F_ACK, &self->answer));
	/* A nest that does not say so, and a number of the wrong length. */
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	message_put(&self->message, SCATTER_A_NODE_ADDRESSES, NULL, 0);
	EXPECT_GT(0, netlink_ask(self->fd, &self->message, NLM_F_ACK, &self->answer));
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	message_u32(&self->message, SCATTER_A_NODE_ID, 5);
	EXPECT_GT(0, netlink_ask(self->fd, &self->message, NLM_F_ACK, &self->answer));
	EXPECT_EQ(-ENOENT, netlink_command(self->fd, SCATTER_CMD_NODE_GET, &self->answer));
}

struct bad_address {
	const char *host;
	int error;
};

TEST_F(netlink, addresses_are_of_one_host)
{
	static const struct bad_address bad[] = {
		{ "0.0.0.0", -EINVAL }, { "255.255.255.255", -EINVAL }, { "224.0.0.1", -EINVAL },
		{ "::", -EINVAL }, { "ff02::1", -EINVAL }, { "::ffff:192.0.2.1", -EINVAL },
		{ "fe80::1", -EINVAL }, { "127.0.0.1", 0 }, { "::1", 0 }, { "2001:db8::1", 0 },
	};
	unsigned int i;

	MAKE_NODE();
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		message_begin(&self->message, SCATTER_CMD_NODE_SET);
		message_addresses(&self->message, SCATTER_A_NODE_ADDRESSES, bad[i].host, 0);
		EXPECT_EQ(bad[i].error, netlink_ask(self->fd, &self->message, NLM_F_ACK,
						    &self->answer))
			TH_LOG("%s: %s", bad[i].host, self->answer.text);
	}
}

TEST_F(netlink, addresses_are_few_and_differ)
{
	static const unsigned short family[8] = { AF_UNIX };
	struct nlattr *nest;
	unsigned int i;

	MAKE_NODE();
	for (i = 1; i <= SCATTER_NODE_ADDRESSES_MAX + 1; i++) {
		message_begin(&self->message, SCATTER_CMD_NODE_SET);
		nest = message_nest(&self->message, SCATTER_A_NODE_ADDRESSES);
		while ((unsigned int)(self->message.head.nlmsg_len - 24) < i * 20)
			message_address(&self->message, "192.0.2.9",
					self->message.head.nlmsg_len);
		message_end(&self->message, nest);
		ASK(i <= SCATTER_NODE_ADDRESSES_MAX ? 0 : -EINVAL);
	}
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	nest = message_nest(&self->message, SCATTER_A_NODE_ADDRESSES);
	message_address(&self->message, "192.0.2.9", 0);
	message_address(&self->message, "192.0.2.9", SCATTER_NODE_PORT);
	message_end(&self->message, nest);
	ASK(-EADDRINUSE);
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	nest = message_nest(&self->message, SCATTER_A_NODE_ADDRESSES);
	message_put(&self->message, SCATTER_A_ADDRESSES_ADDRESS, family, sizeof(family));
	message_end(&self->message, nest);
	ASK(-EOPNOTSUPP);
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	message_nest(&self->message, SCATTER_A_NODE_ADDRESSES);
	ASK(-EINVAL);
}

TEST_F(netlink, info_tells_the_node)
{
	struct scatter_info info = { .size = sizeof(info) };
	int fd = device_open(O_RDWR);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, device_call(fd, SCATTER_IOCTL_INFO, &info));
	EXPECT_EQ(0, info.node);
	EXPECT_EQ(0, info.cluster);
	MAKE_NODE();
	ASSERT_EQ(0, device_call(fd, SCATTER_IOCTL_INFO, &info));
	EXPECT_EQ(5, info.node);
	/* FNV-1a of 5 and seven zeros. */
	EXPECT_EQ(0x0de21504f16dc720ULL, info.cluster);
	close(fd);
}

/* The cluster's digest does not depend on who looks. */
TEST_F(netlink, digest_is_of_all_ids)
{
	__u64 digest;

	MAKE_NODE();
	ASSERT_EQ(0, peer_add(self->fd, 2, &self->answer));
	ASSERT_EQ(0, peer_add(self->fd, 1000, &self->answer));
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_GET, &self->answer));
	digest = number_in(self->answer.first, self->answer.length, SCATTER_A_NODE_CLUSTER);
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_DEL, &self->answer));
	ASSERT_EQ(0, node_make(self->fd, 1000, &self->answer));
	ASSERT_EQ(0, peer_add(self->fd, 5, &self->answer));
	ASSERT_EQ(0, peer_add(self->fd, 2, &self->answer));
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_GET, &self->answer));
	EXPECT_EQ(digest, number_in(self->answer.first, self->answer.length,
				    SCATTER_A_NODE_CLUSTER));
	ASSERT_EQ(0, peer_del(self->fd, 2, &self->answer));
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_GET, &self->answer));
	EXPECT_NE(digest, number_in(self->answer.first, self->answer.length,
				    SCATTER_A_NODE_CLUSTER));
}

/* Namespaces ------------------------------------------------------------------- */

TEST_F(netlink, wire_may_live_elsewhere)
{
	int there = open("/proc/self/ns/net", O_RDONLY);
	int file = open("/dev/null", O_RDONLY);
	int fd;

	ASSERT_LE(0, there);
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	fd = netlink_open();
	ASSERT_LE(0, fd);
	node_message(&self->message, 5);
	message_u32(&self->message, SCATTER_A_NODE_NETNS_FD, file);
	EXPECT_EQ(-EBADF, netlink_ask(fd, &self->message, NLM_F_ACK, &self->answer));
	node_message(&self->message, 5);
	message_u32(&self->message, SCATTER_A_NODE_NETNS_FD, 12345);
	EXPECT_EQ(-EBADF, netlink_ask(fd, &self->message, NLM_F_ACK, &self->answer));
	node_message(&self->message, 5);
	message_u32(&self->message, SCATTER_A_NODE_NETNS_FD, there);
	EXPECT_EQ(0, netlink_ask(fd, &self->message, NLM_F_ACK, &self->answer));
	node_message(&self->message, 5);
	message_u32(&self->message, SCATTER_A_NODE_NETNS_FD, there);
	EXPECT_EQ(0, netlink_ask(fd, &self->message, NLM_F_ACK, &self->answer));
	ASSERT_EQ(0, netlink_command(fd, SCATTER_CMD_NODE_GET, &self->answer));
	EXPECT_NE(0, number_in(self->answer.first, self->answer.length,
			       SCATTER_A_NODE_NETNS_INODE));
	close(there);
	there = open("/proc/self/ns/net", O_RDONLY);
	node_message(&self->message, 5);
	message_u32(&self->message, SCATTER_A_NODE_NETNS_FD, there);
	EXPECT_EQ(-EBUSY, netlink_ask(fd, &self->message, NLM_F_ACK, &self->answer));
	/* The namespace of the wire goes; the node stays. */
	close(self->fd);
	self->fd = fd;
	ASSERT_EQ(0, netlink_command(fd, SCATTER_CMD_NODE_GET, &self->answer));
}

/* A namespace goes with its node and peers; the module's counters tell if not. */
TEST_F(netlink, namespace_goes_while_dumping)
{
	struct message message;
	unsigned int i;

	MAKE_NODE();
	for (i = 100; i < 300; i++)
		ASSERT_EQ(0, peer_add(self->fd, i, &self->answer));
	message_begin(&message, SCATTER_CMD_PEER_GET);
	ASSERT_EQ(0, netlink_send(self->fd, &message, NLM_F_DUMP));
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	/* The teardown closes the socket, with the dump half done, and the namespace goes. */
}

/* Peers ------------------------------------------------------------------------ */

TEST_F(netlink, peer_needs_a_node)
{
	EXPECT_EQ(-ENOENT, peer_add(self->fd, 2, &self->answer));
	EXPECT_NE('\0', self->answer.text[0]);
}

TEST_F(netlink, peer_is_added_once)
{
	struct peers_seen seen;

	MAKE_NODE();
	EXPECT_EQ(-EINVAL, peer_add(self->fd, 5, &self->answer));
	EXPECT_EQ(0, peer_add(self->fd, 2, &self->answer));
	EXPECT_EQ(-EEXIST, peer_add(self->fd, 2, &self->answer));
	EXPECT_EQ(-ENOENT, peer_del(self->fd, 3, &self->answer));
	peer_message(&self->message, SCATTER_CMD_PEER_GET, 2);
	ASK(0);
	EXPECT_EQ(SCATTER_PEER_DOWN, number_in(self->answer.first, self->answer.length,
					       SCATTER_A_PEER_STATE));
	EXPECT_NE(NULL, attribute(self->answer.first, self->answer.length,
				  SCATTER_A_PEER_COUNTERS));
	EXPECT_EQ(0, peer_del(self->fd, 2, &self->answer));
	ASSERT_EQ(0, peers_dump(self->fd, &self->answer, &seen));
	EXPECT_EQ(0, seen.count);
	message_begin(&self->message, SCATTER_CMD_PEER_GET);
	ASK(-EINVAL);
}

/* Whether a nest of the answer has all counters, and none of them has counted anything. */
static bool counters_are_zero(const struct answer *answer, int type)
{
	const struct nlattr *nest = attribute(answer->first, answer->length, type), *counter;
	int i;

	if (!nest)
		return false;
	for (i = SCATTER_A_COUNTERS_CONNECTS; i <= SCATTER_A_COUNTERS_MAX; i++) {
		counter = attribute(nest + 1, nest->nla_len - NLA_HDRLEN, i);
		if (!counter || counter->nla_len - NLA_HDRLEN != (int)sizeof(__u64) ||
		    number_in(counter, NLA_ALIGN(counter->nla_len), i))
			return false;
	}
	return true;
}

TEST_F(netlink, counters_begin_with_the_peer)
{
	MAKE_NODE();
	ASSERT_EQ(0, peer_add(self->fd, 2, &self->answer));
	peer_message(&self->message, SCATTER_CMD_PEER_GET, 2);
	ASK(0);
	EXPECT_TRUE(counters_are_zero(&self->answer, SCATTER_A_PEER_COUNTERS));
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_STATS_GET, &self->answer));
	EXPECT_TRUE(counters_are_zero(&self->answer, SCATTER_A_STATS_COUNTERS));
}

TEST_F(netlink, peer_has_its_own_addresses)
{
	MAKE_NODE();
	ASSERT_EQ(0, peer_add(self->fd, 2, &self->answer));
	peer_message(&self->message, SCATTER_CMD_PEER_ADD, 3);
	message_addresses(&self->message, SCATTER_A_PEER_ADDRESSES, "192.0.2.1", 0);
	ASK(-EADDRINUSE);
	peer_message(&self->message, SCATTER_CMD_PEER_ADD, 3);
	message_addresses(&self->message, SCATTER_A_PEER_ADDRESSES, "10.0.0.2", SCATTER_NODE_PORT);
	ASK(-EADDRINUSE);
	peer_message(&self->message, SCATTER_CMD_PEER_ADD, 3);
	message_addresses(&self->message, SCATTER_A_PEER_ADDRESSES, "10.0.0.2", 99);
	ASK(0);
	peer_message(&self->message, SCATTER_CMD_PEER_SET, 2);
	message_addresses(&self->message, SCATTER_A_PEER_ADDRESSES, "10.0.0.2", 0);
	ASK(0);
	message_begin(&self->message, SCATTER_CMD_NODE_SET);
	message_addresses(&self->message, SCATTER_A_NODE_ADDRESSES, "10.0.0.2", 0);
	ASK(-EADDRINUSE);
}

TEST_F(netlink, peer_uids_and_flags)
{
	MAKE_NODE();
	ASSERT_EQ(0, peer_add(self->fd, 2, &self->answer));
	peer_message(&self->message, SCATTER_CMD_PEER_SET, 2);
	message_u32(&self->message, SCATTER_A_PEER_UIDS, SCATTER_UIDS_SQUASH + 1);
	ASK(-ERANGE);
	peer_message(&self->message, SCATTER_CMD_PEER_SET, 2);
	message_u32(&self->message, SCATTER_A_PEER_UIDS, SCATTER_UIDS_SQUASH);
	ASK(-EINVAL);
	peer_message(&self->message, SCATTER_CMD_PEER_SET, 2);
	message_u32(&self->message, SCATTER_A_PEER_UID, 7);
	ASK(-EINVAL);
	peer_message(&self->message, SCATTER_CMD_PEER_SET, 2);
	message_u32(&self->message, SCATTER_A_PEER_UIDS, SCATTER_UIDS_SQUASH);
	message_u32(&self->message, SCATTER_A_PEER_UID, -1);
	ASK(-EINVAL);
	peer_message(&self->message, SCATTER_CMD_PEER_SET, 2);
	message_u32(&self->message, SCATTER_A_PEER_FLAGS, SCATTER_PEER_KEEP << 1);
	ASK(-EINVAL);
	peer_message(&self->message, SCATTER_CMD_PEER_SET, 2);
	message_u32(&self->message, SCATTER_A_PEER_UIDS, SCATTER_UIDS_SQUASH);
	message_u32(&self->message, SCATTER_A_PEER_UID, 7);
	message_u32(&self->message, SCATTER_A_PEER_FLAGS, SCATTER_PEER_KEEP);
	ASK(0);
	peer_message(&self->message, SCATTER_CMD_PEER_GET, 2);
	ASK(0);
	EXPECT_EQ(7, number_in(self->answer.first, self->answer.length, SCATTER_A_PEER_UID));
	EXPECT_EQ(SCATTER_PEER_KEEP, number_in(self->answer.first, self->answer.length,
					       SCATTER_A_PEER_FLAGS));
}

TEST_F_TIMEOUT(netlink, peers_are_limited, 600)
{
	struct peers_seen seen;
	unsigned int i;

	MAKE_NODE();
	for (i = 1; i <= SCATTER_NODE_PEERS_MAX; i++)
		ASSERT_EQ(0, peer_add(self->fd, 10 + i, &self->answer));
	EXPECT_EQ(-ENOSPC, peer_add(self->fd, 9, &self->answer));
	EXPECT_NE('\0', self->answer.text[0]);
	ASSERT_EQ(0, peers_dump(self->fd, &self->answer, &seen));
	EXPECT_EQ(SCATTER_NODE_PEERS_MAX, seen.count);
	EXPECT_FALSE(seen.disorder);
	EXPECT_FALSE(self->answer.torn);
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_STATS_GET, &self->answer));
	EXPECT_EQ(SCATTER_NODE_PEERS_MAX, number_in(self->answer.first, self->answer.length,
						    SCATTER_A_STATS_PEERS));
	/* The whole machine's objects are not for a container. */
	EXPECT_EQ(NULL, attribute(self->answer.first, self->answer.length,
				  SCATTER_A_STATS_OBJECT));
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_DEL, &self->answer));
	ASSERT_EQ(0, peers_dump(self->fd, &self->answer, &seen));
	EXPECT_EQ(0, seen.count);
}

/* A dump tells each peer that is there all the time once, and admits that it saw a change. */
TEST_F(netlink, dump_is_consistent)
{
	struct answer answer = { };
	struct peers_seen seen;
	bool torn = false;
	unsigned int i;
	pid_t child;

	MAKE_NODE();
	for (i = 100; i < 400; i++)
		ASSERT_EQ(0, peer_add(self->fd, i, &self->answer));
	child = fork();
	if (!child) {
		int fd = netlink_open();

		for (;;) {
			peer_add(fd, 50, &answer);
			peer_del(fd, 50, &answer);
		}
	}
	for (i = 0; i < 300 && !torn; i++) {
		ASSERT_EQ(0, peers_dump(self->fd, &self->answer, &seen));
		EXPECT_FALSE(seen.disorder);
		EXPECT_LE(300, seen.count);
		EXPECT_GE(301, seen.count);
		torn = self->answer.torn;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT_TRUE(torn);
}

/* Changes of four processes at once, which also delete the node below one another. */
TEST_F(netlink, changes_race)
{
	struct answer answer = { };
	struct peers_seen seen;
	unsigned int i, n;
	int status;

	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		int fd = netlink_open();

		for (n = 0; n < 200; n++) {
			node_make(fd, 5, &answer);
			peer_add(fd, 10 + n % 7, &answer);
			peers_dump(fd, &answer, &seen);
			peer_del(fd, 10 + (n + i) % 7, &answer);
			if (n % 10 == i)
				netlink_command(fd, SCATTER_CMD_NODE_DEL, &answer);
		}
		_exit(0);
	}
	for (i = 0; i < 4; i++) {
		ASSERT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
}

TEST_F(netlink, ping_needs_a_wire)
{
	MAKE_NODE();
	ASSERT_EQ(0, peer_add(self->fd, 2, &self->answer));
	message_begin(&self->message, SCATTER_CMD_PEER_PING);
	message_u64(&self->message, SCATTER_A_PING_PEER, 3);
	ASK(-ENOENT);
	message_begin(&self->message, SCATTER_CMD_PEER_PING);
	message_u64(&self->message, SCATTER_A_PING_PEER, 2);
	message_u32(&self->message, SCATTER_A_PING_BYTES, SCATTER_PING_BYTES_MAX + 1);
	ASK(-ERANGE);
}

TEST_F(netlink, fence_needs_a_peer)
{
	message_begin(&self->message, SCATTER_CMD_PEER_FENCE);
	ASK(-EINVAL);
	MAKE_NODE();
	ASSERT_EQ(0, peer_add(self->fd, 2, &self->answer));
	message_begin(&self->message, SCATTER_CMD_PEER_FENCE);
	message_u64(&self->message, SCATTER_A_PEER_ID, 3);
	ASK(-ENOENT);
	/* The node itself is no peer. */
	message_begin(&self->message, SCATTER_CMD_PEER_FENCE);
	message_u64(&self->message, SCATTER_A_PEER_ID, 5);
	ASK(-ENOENT);
	message_begin(&self->message, SCATTER_CMD_PEER_FENCE);
	message_u64(&self->message, SCATTER_A_PEER_ID, 2);
	message_u32(&self->message, SCATTER_A_PEER_FLAGS, SCATTER_PEER_KEEP);
	ASK(-EINVAL);
	message_begin(&self->message, SCATTER_CMD_PEER_FENCE);
	message_u64(&self->message, SCATTER_A_PEER_ID, 2);
	ASK(0);
	message_begin(&self->message, SCATTER_CMD_PEER_FENCE);
	message_u64(&self->message, SCATTER_A_PEER_ID, 2);
	ASK(0);
}

/* Tuning ----------------------------------------------------------------------- */

struct tune_range {
	int what;
	__u32 low;
	__u32 high;
	__u32 usual;
};

TEST_F(netlink, tune_has_ranges)
{
	static const struct tune_range ranges[] = {
		{ SCATTER_A_TUNE_KEEPALIVE_MS, 100, 600000, 5000 },
		{ SCATTER_A_TUNE_HOLD_MS, 0, 3600000, 30000 },
		{ SCATTER_A_TUNE_BACKOFF_MS, 100, 600000, 5000 },
		{ SCATTER_A_TUNE_BUFFERS, 4, 1024, 64 },
		{ SCATTER_A_TUNE_HALF_OPEN, 1, 1024, 16 },
		{ SCATTER_A_TUNE_TIMEOUT_MS, 100, 60000, 5000 },
		{ SCATTER_A_TUNE_SEGMENT_BYTES, 4096, 262144, 262144 },
	};
	unsigned int i, n;

	for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		const struct tune_range *range = &ranges[i];
		const __u32 good[] = { range->low, range->high };
		const __u32 bad[] = { range->low - 1, range->high + 1 };

		ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_TUNE_GET, &self->answer));
		EXPECT_EQ(range->usual, number_in(self->answer.first, self->answer.length,
						  range->what));
		for (n = 0; n < 2; n++) {
			message_begin(&self->message, SCATTER_CMD_TUNE_SET);
			message_u32(&self->message, range->what, bad[n]);
			ASK(-ERANGE);
			EXPECT_NE(0, self->answer.offset);
			message_begin(&self->message, SCATTER_CMD_TUNE_SET);
			message_u32(&self->message, range->what, good[n]);
			ASK(0);
		}
		ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_TUNE_GET, &self->answer));
		EXPECT_EQ(range->high, number_in(self->answer.first, self->answer.length,
						 range->what));
	}
	/* With the node the tuning goes. */
	MAKE_NODE();
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_NODE_DEL, &self->answer));
	ASSERT_EQ(0, netlink_command(self->fd, SCATTER_CMD_TUNE_GET, &self->answer));
	EXPECT_EQ(64, number_in(self->answer.first, self->answer.length, SCATTER_A_TUNE_BUFFERS));
}

TEST_HARNESS_MAIN
