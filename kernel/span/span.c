// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a group on several nodes: what the floors above tell this one.
 *
 * The callers act on an event first, as in any group. The functions here tell the other nodes of
 * the event, and do what has become due.
 */
#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/portal.h"
#include "node/mail.h"
#include "node/node.h"
#include "span/attach.h"
#include "span/convene.h"
#include "span/edge.h"
#include "span/fact.h"
#include "span/inquiry.h"
#include "span/registrar.h"
#include "span/span.h"
#include "wire/wide_build.h"

/* Give back the seats of members here that left before the group formed. */
static void give_back(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_wide_unseat unseat = {};
	struct scatter_raw_unseat raw;
	u32 rank;

	for (;;) {
		spin_lock(&group->lock);
		rank = find_first_bit(portal->given_up, group->size);
		if (rank < group->size) {
			__clear_bit(rank, portal->given_up);
			unseat.token = portal->tokens[rank];
		}
		spin_unlock(&group->lock);
		if (rank == group->size)
			return;
		if (portal->registrar == scatter_node_id(portal->node)) {
			scatter_registrar_unseat(portal->node, portal->registrar, unseat.token,
						 NULL, NULL);
			continue;
		}
		scatter_wide_build_unseat(&raw, 0, &unseat);
		scatter_mail_post(portal->node, portal->mailer, portal->registrar, &raw,
				  sizeof(raw));
	}
}

/*
 * Whether this node has nothing to send or forward any more. All ranks must be gone: a node without
 * members still forwards messages of other nodes, and has a vote in the council.
 */
static bool is_over_locked(const struct scatter_group *group)
{
	lockdep_assert_held(&group->lock);
	return group->gone == group->size && !group->nr_operations;
}

/* If no member here waits for the group any more, answer the nodes that asked about the group. */
static void deny(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	bool empty;

	spin_lock(&group->lock);
	empty = !group->formed && !group->joined && !list_empty(&portal->waiting);
	spin_unlock(&group->lock);
	if (empty)
		scatter_attach_never(group, group->id);
}

/* Free the name once the group is broken or empty; drop the portal's hold once nothing is left. */
static void end(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_wide_fact fact = { .kind = SCATTER_WIDE_ENDED };
	struct scatter_raw_fact raw;
	bool tell, drop;

	spin_lock(&group->lock);
	tell = group->state == SCATTER_STATE_BROKEN || group->gone == group->size;
	tell = tell && group->formed && !portal->told;
	portal->told |= tell;
	drop = portal->held && is_over_locked(group);
	portal->held &= !drop;
	spin_unlock(&group->lock);
	if (tell && portal->registrar == scatter_node_id(portal->node)) {
		scatter_registrar_ended(portal->node, portal->registrar, group->id);
	} else if (tell) {
		memcpy(fact.id, group->id, sizeof(fact.id));
		scatter_wide_build_fact(&raw, 0, &fact);
		scatter_mail_post(portal->node, portal->mailer, portal->registrar, &raw,
				  sizeof(raw));
	}
	if (drop)
		scatter_group_put(group);
}

/**
 * scatter_span_move() - do what has become due in a group that has formed, but send nothing yet
 * @group: formed, and spans nodes; referenced
 * @number: as of scatter_edge_push()
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's and the node's.
 */
void scatter_span_move(struct scatter_group *group, u64 number)
{
	scatter_edge_push(group, number);
	while (scatter_convene(group))
		scatter_edge_push(group, SCATTER_EDGE_ALL);
	end(group);
}

/* Whether the group has formed and spans nodes. If not, do what is due in a group of this node. */
static bool spans_nodes(struct scatter_group *group)
{
	bool spans;

	spin_lock(&group->lock);
	spans = group->formed && group->spans;
	spin_unlock(&group->lock);
	if (!spans)
		end(group);
	return spans;
}

/* Do what does not need scatter_portal.moving. Returns whether the group has formed and spans. */
static bool settle_early(struct scatter_group *group)
{
	give_back(group);
	deny(group);
	return spans_nodes(group);
}

static bool run_settle(struct scatter_group *group, struct scatter_backlog_item *item)
{
	struct scatter_portal *portal = group->portal;
	bool all;

	spin_lock(&group->lock);
	all = portal->settles_all;
	portal->settles_all = false;
	portal->settling = false;
	spin_unlock(&group->lock);
	scatter_span_move(group, all ? SCATTER_EDGE_ALL : SCATTER_EDGE_NONE);
	kfree(item);
	return true;
}

/**
 * scatter_span_settle_quietly() - do what has become due, now or soon, but send nothing yet
 * @group: referenced; nothing happens if only this node knows its name
 * @number: as of scatter_edge_push()
 *
 * Context: may sleep, but waits for no other task; no locks but a hub's and the node's.
 */
void scatter_span_settle_quietly(struct scatter_group *group, u64 number)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_backlog_item *item;
	bool waits;

	if (!portal || !settle_early(group))
		return;
	if (scatter_backlog_trylock(portal)) {
		scatter_span_move(group, number);
		scatter_backlog_unlock(portal);
		return;
	}
	spin_lock(&group->lock);
	waits = portal->settling;
	portal->settling = true;
	portal->settles_all |= number != SCATTER_EDGE_NONE;
	spin_unlock(&group->lock);
	if (waits)
		return;
	item = kmalloc(sizeof(*item), GFP_KERNEL | __GFP_NOFAIL);
	*item = (struct scatter_backlog_item){ .from = U32_MAX, .run = run_settle };
	scatter_backlog_add(portal, item);
}

/**
 * scatter_span_settle_one() - do what has become due after an event of an operation
 * @group: referenced; nothing happens if only this node knows its name, or unless it has formed
 * @number: the operation's number, as of scatter_edge_push()
 *
 * Context: may sleep; no locks.
 */
void scatter_span_settle_one(struct scatter_group *group, u64 number)
{
	if (!group->portal)
		return;
	if (spans_nodes(group)) {
		scatter_backlog_lock(group->portal);
		scatter_span_move(group, number);
		scatter_backlog_unlock(group->portal);
	}
	scatter_mail_flush(group->portal->node);
}

static void settle(struct scatter_group *group, u64 number)
{
	if (!group->portal)
		return;
	scatter_span_settle_quietly(group, number);
	scatter_mail_flush(group->portal->node);
}

/**
 * scatter_span_convene() - do what has become due after an event of a meeting, now or soon
 * @group: referenced; nothing happens if only this node knows its name
 *
 * Context: may sleep, but waits for no other task; no locks.
 */
void scatter_span_convene(struct scatter_group *group)
{
	settle(group, SCATTER_EDGE_NONE);
}

/**
 * scatter_span_settle() - do what has become due, now or soon
 * @group: as of scatter_span_convene(); need not have formed
 *
 * The end of a process, and the watch of a group, do not wait for another member's task.
 *
 * Context: may sleep, but waits for no other task; no locks.
 */
void scatter_span_settle(struct scatter_group *group)
{
	settle(group, SCATTER_EDGE_ALL);
}

static void tell(struct scatter_group *group, enum scatter_wide_kind kind, u32 rank, u64 number)
{
	u64 due = kind == SCATTER_WIDE_FAILED ? number : SCATTER_EDGE_ALL;

	/* Each call in a broken group may say the same again. */
	if (group->spans && !scatter_fact_tell(group, kind, rank, number))
		due = SCATTER_EDGE_NONE;
	settle(group, due);
}

/**
 * scatter_span_departed() - tell other nodes that a member here has died or left
 * @group: formed; referenced; other nodes are told if the group spans nodes
 * @rank: the member's rank
 * @left: true: the member has left; false: it has died
 * @number: the first operation that the member has not called
 *
 * Context: may sleep; no locks.
 */
void scatter_span_departed(struct scatter_group *group, u32 rank, bool left, u64 number)
{
	tell(group, left ? SCATTER_WIDE_LEFT : SCATTER_WIDE_DIED, rank, number);
}

/**
 * scatter_span_revoked() - tell other nodes that a member here has revoked the group
 * @group: as of scatter_span_departed()
 * @rank: the member's rank
 *
 * Context: may sleep; no locks.
 */
void scatter_span_revoked(struct scatter_group *group, u32 rank)
{
	tell(group, SCATTER_WIDE_REVOKED, rank, 0);
}

/**
 * scatter_span_mismatched() - tell other nodes that members disagree about an operation
 * @group: as of scatter_span_departed()
 * @rank: rank of a member here that differs
 * @number: the operation's number
 *
 * Context: may sleep; no locks.
 */
void scatter_span_mismatched(struct scatter_group *group, u32 rank, u64 number)
{
	tell(group, SCATTER_WIDE_MISMATCH, rank, number);
}

/**
 * scatter_span_failed() - tell other nodes that a member's call failed, on which others depend
 * @group: as of scatter_span_departed()
 * @rank: the member's rank
 * @number: the operation's number
 *
 * Context: may sleep; no locks.
 */
void scatter_span_failed(struct scatter_group *group, u32 rank, u64 number)
{
	tell(group, SCATTER_WIDE_FAILED, rank, number);
}

/**
 * scatter_span_stopped() - tell other nodes that a member's call was refused in a broken group
 * @group: as of scatter_span_departed()
 * @rank: the member's rank
 * @number: the operation's number
 *
 * Context: may sleep; no locks.
 */
void scatter_span_stopped(struct scatter_group *group, u32 rank, u64 number)
{
	tell(group, SCATTER_WIDE_STOPPED, rank, number);
}

/**
 * scatter_span_inquire() - ask why members here wait, if they have waited for long
 * @group: referenced; nothing happens if only this node knows its name
 *
 * Context: may sleep; no locks.
 */
void scatter_span_inquire(struct scatter_group *group)
{
	if (!group->portal)
		return;
	/* This node may find out that a node which it asks is lost. */
	if (scatter_inquiry_look(group) || READ_ONCE(group->portal->convenes))
		scatter_span_settle(group);
	else
		scatter_mail_flush(group->portal->node);
}
