// SPDX-License-Identifier: GPL-2.0
/*
 * Events of peers and groups: all listeners in the network namespace are told.
 */
#include <linux/ktime.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "node/event.h"
#include "node/netlink.h"

/**
 * struct scatter_told - an event on its way
 * @event: the event
 * @owner: the user namespace that owns the network namespace
 */
struct scatter_told {
	const struct scatter_event *event;
	struct user_namespace *owner;
};

static int put_peer(struct sk_buff *skb, const struct scatter_event *event)
{
	if (nla_put_u64_64bit(skb, SCATTER_A_EVENT_PEER, event->peer, SCATTER_A_EVENT_PAD))
		return -EMSGSIZE;
	if (event->kind != SCATTER_EVENT_PEER_DOWN)
		return 0;
	return nla_put_u32(skb, SCATTER_A_EVENT_REASON, event->reason);
}

static int put_group(struct sk_buff *skb, const struct scatter_told *told)
{
	const struct scatter_event *event = told->event;

	if (nla_put(skb, SCATTER_A_EVENT_GROUP, 2 * sizeof(*event->group), event->group) ||
	    nla_put_string(skb, SCATTER_A_EVENT_NAME, event->name) ||
	    nla_put_u32(skb, SCATTER_A_EVENT_UID, from_kuid_munged(told->owner, event->uid)) ||
	    nla_put_u32(skb, SCATTER_A_EVENT_RANK, event->rank))
		return -EMSGSIZE;
	if (event->node && nla_put_u64_64bit(skb, SCATTER_A_EVENT_NODE, event->node,
					     SCATTER_A_EVENT_PAD))
		return -EMSGSIZE;
	return event->error ? nla_put_u32(skb, SCATTER_A_EVENT_ERROR, -event->error) : 0;
}

static int fill_event(struct sk_buff *skb, const void *what)
{
	const struct scatter_told *told = what;
	const struct scatter_event *event = told->event;

	if (nla_put_u32(skb, SCATTER_A_EVENT_KIND, event->kind) ||
	    nla_put_u64_64bit(skb, SCATTER_A_EVENT_TIME_NS, ktime_get_real_ns(),
			      SCATTER_A_EVENT_PAD))
		return -EMSGSIZE;
	return event->peer ? put_peer(skb, event) : put_group(skb, told);
}

/**
 * scatter_event_tell() - tell all listeners of an event
 * @net: the namespace of the event; the caller holds the namespace
 * @event: what happened
 *
 * Context: any.
 */
void scatter_event_tell(struct net *net, const struct scatter_event *event)
{
	const struct scatter_told told = { .event = event, .owner = net->user_ns };

	if (scatter_netlink_listened(net))
		scatter_netlink_announce(net, fill_event, &told);
}

/**
 * scatter_event_peer_up() - tell all listeners that a connection came up
 * @net: the node's network namespace
 * @id: the peer's id
 *
 * Context: any.
 */
void scatter_event_peer_up(struct net *net, u64 id)
{
	const struct scatter_event event = { .kind = SCATTER_EVENT_PEER_UP, .peer = id };

	scatter_event_tell(net, &event);
}

/**
 * scatter_event_peer_down() - tell all listeners that a connection which was up ended
 * @net: the node's network namespace
 * @id: the peer's id
 * @reason: why the connection ended
 *
 * Context: any.
 */
void scatter_event_peer_down(struct net *net, u64 id, enum scatter_reason reason)
{
	const struct scatter_event event = {
		.kind = SCATTER_EVENT_PEER_DOWN, .peer = id, .reason = reason,
	};

	scatter_event_tell(net, &event);
}
