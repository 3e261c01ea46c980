// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family, and what its commands have in common.
 *
 * Files with commands add their commands before the family is registered. Commands run in parallel;
 * each command takes the lock of the node that the command concerns.
 */
#include <linux/bug.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/string.h>
#include <net/genetlink.h>

#include "node/netlink.h"

static struct genl_ops commands[SCATTER_CMD_MAX] __ro_after_init;

/* Only administrators may listen: names of groups are not for everybody. */
static const struct genl_multicast_group multicast_groups[] = {
	{ .name = SCATTER_MCGRP_EVENTS, .flags = GENL_MCAST_CAP_NET_ADMIN },
};

static struct genl_family family __ro_after_init = {
	.name = SCATTER_FAMILY_NAME,
	.version = SCATTER_FAMILY_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = commands,
	.mcgrps = multicast_groups,
	.n_mcgrps = ARRAY_SIZE(multicast_groups),
};

/* The policy of attributes inside an ADDRESSES nest. */
const struct nla_policy scatter_netlink_addresses_policy[SCATTER_A_ADDRESSES_MAX + 1] = {
	[SCATTER_A_ADDRESSES_ADDRESS] =
		NLA_POLICY_RANGE(NLA_BINARY, sizeof(struct sockaddr_in),
				 sizeof(struct sockaddr_in6)),
};

/**
 * scatter_netlink_add() - add commands to the family
 * @more: the commands
 * @nr: how many commands
 *
 * Context: before scatter_netlink_register().
 */
void __init scatter_netlink_add(const struct genl_ops *more, unsigned int nr)
{
	if (WARN_ON(family.n_ops + nr > ARRAY_SIZE(commands)))
		return;
	memcpy(commands + family.n_ops, more, nr * sizeof(*more));
	family.n_ops += nr;
}

/**
 * scatter_netlink_register() - let users call the commands
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int __init scatter_netlink_register(void)
{
	return genl_register_family(&family);
}

/**
 * scatter_netlink_unregister() - end the family; afterwards no command runs any more
 *
 * Context: may sleep.
 */
void scatter_netlink_unregister(void)
{
	genl_unregister_family(&family);
}

/**
 * scatter_netlink_reply() - answer a command with one message
 * @info: the request
 * @command: enum scatter_netlink_command
 * @fill: puts the attributes
 * @what: passed to @fill
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int scatter_netlink_reply(struct genl_info *info, u8 command, scatter_netlink_fill *fill,
			  const void *what)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *header;
	int error;

	if (!skb)
		return -ENOMEM;
	header = genlmsg_put_reply(skb, info, &family, 0, command);
	error = header ? fill(skb, what) : -EMSGSIZE;
	if (error) {
		nlmsg_free(skb);
		return error;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}

/**
 * scatter_netlink_dump() - add a message to a dump
 * @skb: has room for some messages
 * @callback: the dump's callback struct, with its seq
 * @command: enum scatter_netlink_command
 * @fill: puts the attributes
 * @what: passed to @fill
 *
 * Context: any.
 * Return: 0, or -EMSGSIZE: there was no room.
 */
int scatter_netlink_dump(struct sk_buff *skb, struct netlink_callback *callback, u8 command,
			 scatter_netlink_fill *fill, const void *what)
{
	void *header = genlmsg_put(skb, NETLINK_CB(callback->skb).portid,
				   callback->nlh->nlmsg_seq, &family, NLM_F_MULTI, command);
	int error;

	if (!header)
		return -EMSGSIZE;
	genl_dump_check_consistent(callback, header);
	error = fill(skb, what);
	if (error)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return error;
}

/**
 * scatter_netlink_dumped() - find what a dump returns
 * @skb: the messages
 * @error: error of the last message; 0: the dump is complete
 *
 * Context: any.
 * Return: more than 0: the dump goes on in the next skb; 0: the dump is over; or -errno.
 */
int scatter_netlink_dumped(const struct sk_buff *skb, int error)
{
	return error == -EMSGSIZE && skb->len ? skb->len : error;
}

/**
 * scatter_netlink_listened() - whether a listener in a namespace wants events
 * @net: the namespace, which the caller holds
 *
 * Context: any.
 */
bool scatter_netlink_listened(struct net *net)
{
	return genl_has_listeners(&family, net, 0);
}

/**
 * scatter_netlink_announce() - tell an event to all listeners
 * @net: the namespace of the event; the caller holds the namespace
 * @fill: puts the attributes
 * @what: passed to @fill
 *
 * An event is lost if there is no memory, or if its listener is too slow.
 *
 * Context: any.
 */
void scatter_netlink_announce(struct net *net, scatter_netlink_fill *fill, const void *what)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	void *header;

	if (!skb)
		return;
	header = genlmsg_put(skb, 0, 0, &family, 0, SCATTER_CMD_EVENT);
	if (!header || fill(skb, what)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast_netns(&family, net, skb, 0, 0, GFP_ATOMIC);
}

/**
 * scatter_netlink_read_addresses() - take over addresses from a user
 * @nest: checked by scatter_netlink_addresses_policy
 * @addresses: (out) room for %SCATTER_NODE_ADDRESSES_MAX
 * @nr: (out) how many addresses, 1 and up
 * @extack: (out) what is wrong
 *
 * Context: any.
 * Return: 0, -EINVAL, -EOPNOTSUPP or -EADDRINUSE.
 */
int scatter_netlink_read_addresses(const struct nlattr *nest, union scatter_address *addresses,
				   unsigned int *nr, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	unsigned int i;
	int left, error;

	*nr = 0;
	nla_for_each_nested(attr, nest, left) {
		if (*nr == SCATTER_NODE_ADDRESSES_MAX) {
			NL_SET_ERR_MSG_ATTR(extack, attr, "ADDRESSES: more than 4");
			return -EINVAL;
		}
		error = scatter_address_read(&addresses[*nr], nla_data(attr), nla_len(attr));
		if (error) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "ADDRESS: not an IPv4 or IPv6 address of one host");
			return error;
		}
		for (i = 0; i < *nr; i++) {
			if (!scatter_address_equal(&addresses[i], &addresses[*nr]))
				continue;
			NL_SET_ERR_MSG_ATTR(extack, attr, "ADDRESS: given twice");
			return -EADDRINUSE;
		}
		++*nr;
	}
	if (*nr)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, nest, "ADDRESSES: empty");
	return -EINVAL;
}

/**
 * scatter_netlink_put_addresses() - put addresses into a message
 * @skb: the message
 * @type: type of the nest
 * @addresses: the addresses
 * @nr: how many addresses
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int scatter_netlink_put_addresses(struct sk_buff *skb, int type,
				  const union scatter_address *addresses, unsigned int nr)
{
	struct nlattr *nest = nla_nest_start(skb, type);
	unsigned int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < nr; i++)
		if (nla_put(skb, SCATTER_A_ADDRESSES_ADDRESS,
			    scatter_address_bytes(&addresses[i]), &addresses[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * scatter_netlink_put_counters() - put the counters of one peer, or sums, into a message
 * @skb: the message
 * @type: type of the nest
 * @counters: by enum scatter_peer_counter
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int scatter_netlink_put_counters(struct sk_buff *skb, int type, const u64 *counters)
{
	struct nlattr *nest = nla_nest_start(skb, type);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = SCATTER_A_COUNTERS_CONNECTS; i <= SCATTER_A_COUNTERS_MAX; i++)
		if (nla_put_u64_64bit(skb, i, counters[i], SCATTER_A_COUNTERS_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
