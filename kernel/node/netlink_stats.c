// SPDX-License-Identifier: GPL-2.0
/*
 * The command STATS: how many objects there are and were, and the sums of all counters.
 */
#include <linux/sched.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "node/netlink.h"
#include "node/netlink_stats.h"
#include "node/node.h"
#include "node/peer.h"
#include "stats.h"

static int put_object(struct sk_buff *skb, enum scatter_object kind)
{
	struct nlattr *nest = nla_nest_start(skb, SCATTER_A_STATS_OBJECT);
	u64 created, destroyed;
	const char *name = scatter_stats_read(kind, &created, &destroyed);

	if (!nest || nla_put_string(skb, SCATTER_A_OBJECT_NAME, name) ||
	    nla_put_u64_64bit(skb, SCATTER_A_OBJECT_CREATED, created, SCATTER_A_OBJECT_PAD) ||
	    nla_put_u64_64bit(skb, SCATTER_A_OBJECT_DESTROYED, destroyed, SCATTER_A_OBJECT_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Fill in the counts of objects of the whole machine, unless the caller is in a container. */
static int put_objects(struct sk_buff *skb, const struct scatter_node *node)
{
	int kind, error = 0;

	if (!net_eq(node->net, &init_net))
		return 0;
	for (kind = 0; !error && kind < SCATTER_OBJECT_NR; kind++)
		error = put_object(skb, kind);
	return error;
}

/* Fill in the attributes of STATS. */
static int fill_stats(struct sk_buff *skb, const void *what)
{
	struct scatter_node *node = (struct scatter_node *)what;
	u64 sums[SCATTER_A_COUNTERS_MAX + 1] = {};
	struct scatter_peer *peer;
	struct scatter_peer_link link;
	u32 nr = 0, up = 0;
	u64 id = 0;

	while ((peer = scatter_peer_next(node, id))) {
		id = peer->id;
		nr++;
		scatter_peer_sum(peer, sums);
		scatter_peer_link(peer, &link);
		up += link.state == SCATTER_PEER_UP;
		scatter_peer_put(peer);
		cond_resched();
	}
	if (nla_put_u32(skb, SCATTER_A_STATS_PEERS, nr) ||
	    nla_put_u32(skb, SCATTER_A_STATS_UP, up) ||
	    scatter_netlink_put_counters(skb, SCATTER_A_STATS_COUNTERS, sums))
		return -EMSGSIZE;
	return put_objects(skb, node);
}

static int do_stats_get(struct sk_buff *skb, struct genl_info *info)
{
	return scatter_netlink_reply(info, SCATTER_CMD_STATS_GET, fill_stats,
				     scatter_node_of(genl_info_net(info)));
}

static const struct genl_ops stats_ops[] __initconst = {
	{
		.cmd = SCATTER_CMD_STATS_GET,
		.doit = do_stats_get,
	},
};

/**
 * scatter_netlink_stats_add() - add the command to the family
 *
 * Context: before scatter_netlink_register().
 */
void __init scatter_netlink_stats_add(void)
{
	scatter_netlink_add(stats_ops, ARRAY_SIZE(stats_ops));
}
