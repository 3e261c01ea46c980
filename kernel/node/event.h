/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_EVENT_H
#define _SCATTER_EVENT_H

#include <linux/scatter_netlink.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct net;

/**
 * struct scatter_event - something that happened
 * @kind: enum scatter_event_kind
 * @peer: a peer's id; 0: the event is about a group
 * @reason: for %SCATTER_EVENT_PEER_DOWN: why the connection ended
 * @group: a group's id
 * @name: the group's name
 * @uid: the group's owner
 * @rank: the member's rank, or the culprit's
 * @node: id of the node of @rank; 0: not told
 * @error: for %SCATTER_EVENT_BROKEN: -errno; else 0
 */
struct scatter_event {
	enum scatter_event_kind kind;
	u64 peer;
	enum scatter_reason reason;
	const u64 *group;
	const char *name;
	kuid_t uid;
	u32 rank;
	u64 node;
	int error;
};

void scatter_event_tell(struct net *net, const struct scatter_event *event);
void scatter_event_peer_up(struct net *net, u64 id);
void scatter_event_peer_down(struct net *net, u64 id, enum scatter_reason reason);

#endif /* _SCATTER_EVENT_H */
