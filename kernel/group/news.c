// SPDX-License-Identifier: GPL-2.0
/*
 * News of groups that have a name, for whoever listens to events.
 */
#include "group/group.h"
#include "group/news.h"
#include "node/event.h"

/**
 * scatter_news_tell() - something happened in a group
 * @group: the group; nothing is told of one without a name
 * @kind: what happened
 * @rank: of whom, or who caused it
 * @error: -errno of a group that broke, else 0
 *
 * Context: any; the group's lock may be held.
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
		.error = error,
	};

	if (group->net)
		scatter_event_tell(group->net, &event);
}
