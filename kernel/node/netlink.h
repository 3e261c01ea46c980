/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NODE_NETLINK_H
#define _SCATTER_NODE_NETLINK_H

#include <linux/scatter_netlink.h>
#include <linux/types.h>
#include <net/netlink.h>

#include "node/address.h"

struct genl_info;
struct genl_ops;
struct net;

/**
 * typedef scatter_netlink_fill - puts attributes into a message
 * @skb: the message
 * @what: what the attributes describe
 *
 * Return: 0, or -EMSGSIZE: the message is full.
 */
typedef int scatter_netlink_fill(struct sk_buff *skb, const void *what);

void scatter_netlink_add(const struct genl_ops *more, unsigned int nr);
int scatter_netlink_register(void);
void scatter_netlink_unregister(void);
int scatter_netlink_reply(struct genl_info *info, u8 command, scatter_netlink_fill *fill,
			  const void *what);
int scatter_netlink_dump(struct sk_buff *skb, struct netlink_callback *callback, u8 command,
			 scatter_netlink_fill *fill, const void *what);
int scatter_netlink_dumped(const struct sk_buff *skb, int error);
bool scatter_netlink_listened(struct net *net);
void scatter_netlink_announce(struct net *net, scatter_netlink_fill *fill, const void *what);
int scatter_netlink_read_addresses(const struct nlattr *nest, union scatter_address *addresses,
				   unsigned int *nr, struct netlink_ext_ack *extack);
int scatter_netlink_put_addresses(struct sk_buff *skb, int type,
				  const union scatter_address *addresses, unsigned int nr);
int scatter_netlink_put_counters(struct sk_buff *skb, int type, const u64 *counters);

extern const struct nla_policy scatter_netlink_addresses_policy[SCATTER_A_ADDRESSES_MAX + 1];

#endif /* _SCATTER_NODE_NETLINK_H */
