// SPDX-License-Identifier: GPL-2.0
/*
 * Fences: an administrator's word that a node is down for good.
 *
 * All nodes of a group that are not fenced are a quorum if each of them has been told of the same
 * fences: see council/council.h. A fence concerns one group, and the incarnation of the node that
 * is in the group. It is never taken back. Groups that are made of the group later begin with its
 * fences. From then on this node listens to no fact that the fenced node tells of the group, and to
 * nothing that it says in the council.
 *
 * If the word is wrong and the node lives, it may have decided what the others decide again. So it
 * is told as soon as it can be reached. It takes part in the group no more, unless it has lost this
 * node as well, and has enough others with it.
 */
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/portal.h"
#include "span/fact.h"
#include "span/fence.h"

/**
 * scatter_fence() - an administrator says that another node is down for good
 * @group: formed, and spans nodes; referenced
 * @node: the other node's index
 *
 * Context: may sleep; no locks but the node's and a hub's; for scatter_span_settle_quietly().
 */
void scatter_fence(struct scatter_group *group, u32 node)
{
	scatter_fact_lost(group, node);
	spin_lock(&group->lock);
	group->portal->nodes[node].fenced = true;
	group->portal->convenes = true;
	spin_unlock(&group->lock);
	/* Again, if the node is fenced already: what was to tell the node may have been dropped. */
	scatter_fact_deny(group, node);
}
