/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages to and from the generic netlink family, byte by byte, so that tests can send what
 * no library would.
 */
#ifndef _KSELFTEST_NETLINK_H
#define _KSELFTEST_NETLINK_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/scatter_netlink.h>
#include <linux/types.h>

#define MESSAGE_BYTES	4096

/* A request. */
struct message {
	struct nlmsghdr head;
	struct genlmsghdr command;
	char data[MESSAGE_BYTES];
};

/* What has come of a request. */
struct answer {
	int error;		/* of the kernel, negative */
	char text[128];		/* its extended acknowledgment */
	int offset;		/* of the attribute that it complains of; 0: of none */
	unsigned int count;	/* messages */
	bool torn;		/* a dump has seen a change */
	char first[MESSAGE_BYTES];	/* attributes of the first message */
	size_t length;		/* of those */
	/* of a dump: called for each message */
	void (*each)(const struct nlattr *first, size_t length, void *arg);
	void *arg;
};

int netlink_open(void);
int netlink_family(int fd, const char *group, unsigned int *number);
void message_begin(struct message *message, int command);
struct nlattr *message_put(struct message *message, int type, const void *data, size_t bytes);
void message_u32(struct message *message, int type, __u32 value);
void message_u64(struct message *message, int type, __u64 value);
struct nlattr *message_nest(struct message *message, int type);
void message_end(struct message *message, struct nlattr *nest);
void message_address(struct message *message, const char *host, int port);
int netlink_send(int fd, struct message *message, int flags);
int netlink_receive(int fd, struct answer *answer);
int netlink_ask(int fd, struct message *message, int flags, struct answer *answer);
const struct nlattr *attribute(const void *first, size_t length, int type);
__u64 number_in(const void *first, size_t length, int type);

/* What a dump has told of peers, in order. */
struct peers_seen {
	unsigned int count;
	__u64 last;
	bool disorder;
};

/* SCATTER_NODE_KEY_BYTES, with the NUL. */
extern const char *const netlink_key;

void message_addresses(struct message *message, int type, const char *host, int port);
int netlink_command(int fd, int which, struct answer *answer);
void node_message(struct message *message, __u64 id);
int node_make(int fd, __u64 id, struct answer *answer);
void peer_message(struct message *message, int which, __u64 id);
int peer_add(int fd, __u64 id, struct answer *answer);
int peer_del(int fd, __u64 id, struct answer *answer);
int peers_dump(int fd, struct answer *answer, struct peers_seen *seen);

#endif /* _KSELFTEST_NETLINK_H */
