// SPDX-License-Identifier: GPL-2.0
/*
 * News of groups that have a name, for all listeners to events.
 */
#include "group/group.h"
#include "group/news.h"
#include "group/portal.h"
#include "node/event.h"

/* Find the id of a rank's node; 0: not known, or the group is on this node only. */
static u64 node_of(const struct scatter_group *group, u32 rank)
{
	const struct scatter_portal *portal = group->portal;

	return portal && group->formed ? portal->nodes[portal->where[rank]].id : 0;
}

/**
 * scatter_news_tell() - tell listeners of an event in a group
 * @group: the group; news of a group without a name are dropped
 * @kind: what happened
 * @rank: the rank concerned, or the rank that broke the group
 * @error: -errno of a group that broke, else 0
 *
 * Context: any; the group's lock is held, unless the group has no portal.
 */
void scatter_news_tell(const struct scatter_group *group, enum scatter_event_kind kind, u32 rank,
		       int error)
{
	const struct scatter_event event = {
		.kind = kind,
		.group = group->id,
		.name = group->name,
		.uid = group->uid,
		.rank = rank,
		.node = node_of(group, rank),
		.error = error,
	};

	if (group->net)
		scatter_event_tell(group->net, &event);
}
