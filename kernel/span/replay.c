// SPDX-License-Identifier: GPL-2.0
/*
 * Replay: what a node hears of the facts from before it was tied.
 *
 * The home tells a node that attaches to it all earlier facts, and the node tells the home. When
 * the home is lost, all nodes tell each other: the home may have heard a fact, and told nobody.
 */
#include <linux/bitmap.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "group/failed.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "span/fact.h"
#include "span/replay.h"

/* Find the fact to tell of one rank; false: there is none. */
static bool recall_locked(const struct scatter_group *group, u32 rank,
			  struct scatter_wide_fact *fact)
{
	const struct scatter_portal *portal = group->portal;
	enum scatter_wide_kind kind;

	lockdep_assert_held(&group->lock);
	if (test_bit(rank, group->dead))
		kind = SCATTER_WIDE_DIED;
	else if (test_bit(rank, group->left))
		kind = SCATTER_WIDE_LEFT;
	else if (test_bit(rank, portal->stopped))
		kind = SCATTER_WIDE_STOPPED;
	else
		return false;
	*fact = scatter_fact_of(group, kind, rank, portal->ends[rank]);
	return true;
}

/* Tell a node of a failed operation, if it is up to this node to tell that node. */
static void tell_failed(struct scatter_group *group, u32 to, u64 number, u32 culprit)
{
	const struct scatter_portal *portal = group->portal;
	u32 where = portal->where[culprit];
	struct scatter_wide_fact fact;

	if (where == to || (portal->self && where != portal->self))
		return;
	fact = scatter_fact_of(group, SCATTER_WIDE_FAILED, culprit, number);
	scatter_fact_post(group, to, &fact);
}

/**
 * scatter_replay_failed() - tell a node which operations have failed
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @to: the node's index; either that node or this node is the home, or the home is lost
 *
 * These include operations that this node has passed: the home may have heard of their failure,
 * and told nobody before it was lost.
 *
 * Context: may sleep; no locks but a hub's besides. The caller has to call scatter_mail_flush()
 * afterwards.
 */
void scatter_replay_failed(struct scatter_group *group, u32 to)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_failed *failed = NULL;
	struct scatter_slot *slot = NULL;

	lockdep_assert_held(&portal->moving);
	while ((failed = scatter_failed_next(&portal->failed, failed))) {
		tell_failed(group, to, failed->number, failed->culprit);
		cond_resched();
	}
	while ((slot = scatter_slot_next(group, slot))) {
		if (slot->failed)
			tell_failed(group, to, slot->number, slot->culprit);
		cond_resched();
	}
}

/**
 * scatter_replay_is_due() - whether a node that has just been tied has to hear all facts from here
 * @portal: the group's
 * @node: the node's index
 *
 * The home tells all nodes, and all nodes tell the home. When the home is lost, all tell each
 * other.
 *
 * Context: any.
 */
bool scatter_replay_is_due(const struct scatter_portal *portal, u32 node)
{
	return !portal->self || !node || READ_ONCE(portal->orphaned);
}

/* Tell a node which nodes are lost to this one. Each node sees the loss of the home itself. */
static void replay_lost(struct scatter_group *group, u32 to)
{
	struct scatter_wide_fact fact = scatter_fact_of(group, SCATTER_WIDE_GONE, 0, 0);
	const struct scatter_portal *portal = group->portal;
	u32 node;

	for (node = 1; node < portal->nr_nodes; node++) {
		if (node == to || node == portal->self ||
		    scatter_portal_tie_of(group, node) != SCATTER_PORTAL_GONE)
			continue;
		fact.node = portal->nodes[node].id;
		scatter_fact_post(group, to, &fact);
	}
}

/**
 * scatter_replay() - tell a node the facts from before it was tied
 * @group: formed, and spans nodes; referenced
 * @to: the node's index; either that node or this node is the home, or the home is lost
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving. The caller has to call
 * scatter_mail_flush() afterwards.
 */
void scatter_replay(struct scatter_group *group, u32 to)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_wide_fact fact;
	bool revoked, found;
	u32 rank, culprit;

	spin_lock(&group->lock);
	revoked = group->revoked;
	culprit = group->doom_culprit;
	found = portal->mismatch != U64_MAX;
	spin_unlock(&group->lock);
	if (found) {
		fact = scatter_fact_of(group, SCATTER_WIDE_MISMATCH, portal->mismatched,
				       portal->mismatch);
		scatter_fact_post(group, to, &fact);
	}
	if (revoked && (!portal->self || portal->where[culprit] == portal->self)) {
		fact = scatter_fact_of(group, SCATTER_WIDE_REVOKED, culprit, 0);
		scatter_fact_post(group, to, &fact);
	}
	for (rank = 0; rank < group->size; rank++) {
		if (portal->where[rank] == to ||
		    (portal->self && portal->where[rank] != portal->self))
			continue;
		spin_lock(&group->lock);
		found = recall_locked(group, rank, &fact);
		spin_unlock(&group->lock);
		if (found)
			scatter_fact_post(group, to, &fact);
		cond_resched();
	}
	replay_lost(group, to);
}
