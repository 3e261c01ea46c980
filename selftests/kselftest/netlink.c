// SPDX-License-Identifier: GPL-2.0
/* Messages to and from the generic netlink family. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "netlink.h"
#include "pace.h"

static int family_number;

/* A socket of the current network namespace; answers are waited for, but not for ever. */
int netlink_open(void)
{
	const struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	const int on = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	family_number = netlink_family(fd, NULL, NULL);
	return fd;
}

const struct nlattr *attribute(const void *first, size_t length, int type)
{
	const struct nlattr *attr = first;

	while (length >= sizeof(*attr) && attr->nla_len >= sizeof(*attr) &&
	       attr->nla_len <= length) {
		size_t whole = NLA_ALIGN(attr->nla_len);

		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		if (whole >= length)
			break;
		length -= whole;
		attr = (const void *)((const char *)attr + whole);
	}
	return NULL;
}

/* 0 if it is not there. */
__u64 number_in(const void *first, size_t length, int type)
{
	const struct nlattr *attr = attribute(first, length, type);
	__u64 number = 0;

	if (attr && attr->nla_len - NLA_HDRLEN <= (int)sizeof(number))
		memcpy(&number, attr + 1, attr->nla_len - NLA_HDRLEN);
	return number;
}

/* The number of the family; of its multicast group in @number, if asked for. */
int netlink_family(int fd, const char *group, unsigned int *number)
{
	const struct nlattr *groups, *one, *name;
	struct answer answer = { };
	struct message message;
	size_t left;

	message_begin(&message, CTRL_CMD_GETFAMILY);
	message.head.nlmsg_type = GENL_ID_CTRL;
	message_put(&message, CTRL_ATTR_FAMILY_NAME, SCATTER_FAMILY_NAME,
		    sizeof(SCATTER_FAMILY_NAME));
	if (netlink_ask(fd, &message, NLM_F_ACK, &answer))
		return answer.error;
	groups = attribute(answer.first, answer.length, CTRL_ATTR_MCAST_GROUPS);
	if (group && groups) {
		one = groups + 1;
		left = groups->nla_len - NLA_HDRLEN;
		if (left < sizeof(*one))
			return -ENOENT;
		name = attribute(one + 1, one->nla_len - NLA_HDRLEN, CTRL_ATTR_MCAST_GRP_NAME);
		if (!name || strcmp((const char *)(name + 1), group))
			return -ENOENT;
		*number = number_in(one + 1, one->nla_len - NLA_HDRLEN, CTRL_ATTR_MCAST_GRP_ID);
	}
	return number_in(answer.first, answer.length, CTRL_ATTR_FAMILY_ID);
}

void message_begin(struct message *message, int command)
{
	memset(message, 0, sizeof(*message));
	message->head.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	message->head.nlmsg_type = family_number;
	message->head.nlmsg_seq = 1;
	message->command.cmd = command;
	message->command.version = SCATTER_FAMILY_VERSION;
}

struct nlattr *message_put(struct message *message, int type, const void *data, size_t bytes)
{
	struct nlattr *attr = (void *)((char *)message + NLMSG_ALIGN(message->head.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + bytes;
	if (bytes)
		memcpy(attr + 1, data, bytes);
	message->head.nlmsg_len = (char *)attr - (char *)message + NLA_ALIGN(attr->nla_len);
	return attr;
}

void message_u32(struct message *message, int type, __u32 value)
{
	message_put(message, type, &value, sizeof(value));
}

void message_u64(struct message *message, int type, __u64 value)
{
	message_put(message, type, &value, sizeof(value));
}

struct nlattr *message_nest(struct message *message, int type)
{
	return message_put(message, type | NLA_F_NESTED, NULL, 0);
}

void message_end(struct message *message, struct nlattr *nest)
{
	nest->nla_len = (char *)message + message->head.nlmsg_len - (char *)nest;
}

/* With a port of 0 the kernel chooses. */
void message_address(struct message *message, const char *host, int port)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (inet_pton(AF_INET, host, &v4.sin_addr) == 1)
		message_put(message, SCATTER_A_ADDRESSES_ADDRESS, &v4, sizeof(v4));
	else if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1)
		message_put(message, SCATTER_A_ADDRESSES_ADDRESS, &v6, sizeof(v6));
}

int netlink_send(int fd, struct message *message, int flags)
{
	message->head.nlmsg_flags = NLM_F_REQUEST | flags;
	return send(fd, message, message->head.nlmsg_len, 0) < 0 ? -errno : 0;
}

static void read_error(const struct nlmsghdr *head, struct answer *answer)
{
	const struct nlmsgerr *error = NLMSG_DATA(head);
	size_t used = sizeof(*error), length;
	const struct nlattr *text;
	const char *first;

	answer->error = error->error;
	if (!(head->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(head->nlmsg_flags & NLM_F_CAPPED))
		used += error->msg.nlmsg_len - sizeof(error->msg);
	first = (const char *)error + NLMSG_ALIGN(used);
	length = (const char *)head + head->nlmsg_len - first;
	text = attribute(first, length, NLMSGERR_ATTR_MSG);
	if (text)
		strncpy(answer->text, (const char *)(text + 1), sizeof(answer->text) - 1);
	answer->offset = number_in(first, length, NLMSGERR_ATTR_OFFS);
}

/* Whether the answer is complete. */
static bool read_message(const struct nlmsghdr *head, struct answer *answer)
{
	const char *first = (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
	size_t length = head->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;

	answer->torn |= !!(head->nlmsg_flags & NLM_F_DUMP_INTR);
	if (head->nlmsg_type == NLMSG_ERROR) {
		read_error(head, answer);
		return true;
	}
	if (head->nlmsg_type == NLMSG_DONE)
		return true;
	if (!answer->count++ && length <= sizeof(answer->first)) {
		memcpy(answer->first, first, length);
		answer->length = length;
	}
	if (answer->each)
		answer->each((const void *)first, length, answer->arg);
	return false;
}

/* Some of an answer: 1, or all of it: 0. */
static int receive_some(int fd, struct answer *answer)
{
	static char buffer[32768] __attribute__((aligned(8)));
	struct nlmsghdr *head = (void *)buffer;
	ssize_t n = recv(fd, buffer, sizeof(buffer), 0);

	if (n < 0)
		return -errno;
	for (; NLMSG_OK(head, n); head = NLMSG_NEXT(head, n))
		if (read_message(head, answer))
			return 0;
	return 1;
}

/* All of an answer: what the kernel says, or why nothing came. */
int netlink_receive(int fd, struct answer *answer)
{
	int more;

	do {
		more = receive_some(fd, answer);
	} while (more > 0);
	if (more < 0)
		answer->error = more;
	return answer->error;
}

int netlink_ask(int fd, struct message *message, int flags, struct answer *answer)
{
	void (*each)(const struct nlattr *first, size_t length, void *arg) = answer->each;
	void *arg = answer->arg;
	int error;

	*answer = (struct answer){ .each = each, .arg = arg };
	error = netlink_send(fd, message, flags);
	return error ?: netlink_receive(fd, answer);
}

/* Commands that most tests need ------------------------------------------------- */

const char *const netlink_key = "a secret that nobody else knows";

void message_addresses(struct message *message, int type, const char *host, int port)
{
	struct nlattr *nest = message_nest(message, type);

	message_address(message, host, port);
	message_end(message, nest);
}

int netlink_command(int fd, int which, struct answer *answer)
{
	struct message message;

	message_begin(&message, which);
	return netlink_ask(fd, &message, NLM_F_ACK, answer);
}

void node_message(struct message *message, __u64 id)
{
	message_begin(message, SCATTER_CMD_NODE_SET);
	message_u64(message, SCATTER_A_NODE_ID, id);
	message_addresses(message, SCATTER_A_NODE_ADDRESSES, "192.0.2.1", 0);
	message_put(message, SCATTER_A_NODE_KEY, netlink_key, SCATTER_NODE_KEY_BYTES);
}

int node_make(int fd, __u64 id, struct answer *answer)
{
	struct message message;

	node_message(&message, id);
	return netlink_ask(fd, &message, NLM_F_ACK, answer);
}

void peer_message(struct message *message, int which, __u64 id)
{
	message_begin(message, which);
	message_u64(message, SCATTER_A_PEER_ID, id);
}

int peer_add(int fd, __u64 id, struct answer *answer)
{
	struct message message;
	char host[32];

	snprintf(host, sizeof(host), "10.%u.%u.%u", (unsigned int)(id >> 16 & 255),
		 (unsigned int)(id >> 8 & 255), (unsigned int)(id & 255));
	peer_message(&message, SCATTER_CMD_PEER_ADD, id);
	message_addresses(&message, SCATTER_A_PEER_ADDRESSES, host, 0);
	return netlink_ask(fd, &message, NLM_F_ACK, answer);
}

int peer_del(int fd, __u64 id, struct answer *answer)
{
	struct message message;

	peer_message(&message, SCATTER_CMD_PEER_DEL, id);
	return netlink_ask(fd, &message, NLM_F_ACK, answer);
}

static void see_peer(const struct nlattr *first, size_t length, void *arg)
{
	__u64 id = number_in(first, length, SCATTER_A_PEER_ID);
	struct peers_seen *seen = arg;

	seen->disorder |= id <= seen->last;
	seen->last = id;
	seen->count++;
}

int peers_dump(int fd, struct answer *answer, struct peers_seen *seen)
{
	struct message message;

	*seen = (struct peers_seen){ };
	answer->each = see_peer;
	answer->arg = seen;
	message_begin(&message, SCATTER_CMD_PEER_GET);
	netlink_ask(fd, &message, NLM_F_DUMP, answer);
	answer->each = NULL;
	return answer->error;
}
