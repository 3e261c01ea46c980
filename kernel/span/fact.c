// SPDX-License-Identifier: GPL-2.0
/*
 * Facts: events of members that all nodes of a group have to know.
 *
 * A fact is that a rank has died or left, has revoked the group, differs from the others, or calls
 * no operation any more; or that a node is lost. No node takes a fact back, and hearing a fact
 * twice changes nothing. The node on which a fact happens acts at once and tells the home. The home
 * tells all other nodes, in the order in which it has heard the facts; see span/replay.c for nodes
 * that attach later. When the home is lost, nodes tell each other directly. If several facts break
 * a group at the same moment, nodes may name different facts as the first.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/news.h"
#include "group/portal.h"
#include "group/slot.h"
#include "node/mail.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "span/depend.h"
#include "span/fact.h"
#include "wire/wide_build.h"

static bool is_gone_locked(const struct scatter_group *group, u32 rank)
{
	lockdep_assert_held(&group->lock);
	return test_bit(rank, group->dead) || test_bit(rank, group->left);
}

/* Note that a rank on another node is gone, and act on it. */
static void depart_locked(struct scatter_group *group, u32 rank, u64 number, bool left,
			  bool node_lost)
	__must_hold(&group->lock)
{
	lockdep_assert_held(&group->lock);
	__set_bit(rank, left ? group->left : group->dead);
	group->portal->convenes = true;
	group->portal->ends[rank] = number;
	group->gone++;
	scatter_news_tell(group, left ? SCATTER_EVENT_LEAVE : SCATTER_EVENT_DEATH, rank, 0);
	if (left) {
		scatter_fail_doom_locked(group, number, -ESHUTDOWN, rank);
		return;
	}
	scatter_group_break_locked(group, -ECONNRESET, rank);
	scatter_depend_fail_locked(group, number, rank, node_lost, -ECONNRESET, rank);
}

/*
 * Take all ranks of a lost node for dead; if this node is the lost one, all ranks of other nodes.
 * True if the node was not lost before: even if all ranks were gone, other nodes may wait for what
 * was to come by way of the node.
 */
static bool lose_locked(struct scatter_group *group, u32 lost)
	__must_hold(&group->lock)
{
	struct scatter_portal *portal = group->portal;
	bool self = lost == portal->self;
	bool fresh = portal->nodes[lost].tie != SCATTER_PORTAL_GONE;
	u32 rank;

	lockdep_assert_held(&group->lock);
	portal->nodes[lost].tie = SCATTER_PORTAL_GONE;
	portal->convenes = true;
	for (rank = 0; rank < group->size; rank++) {
		bool there = portal->where[rank] == lost;

		if (there == self)
			continue;
		/* Blocks that the rank left on its node before it went are lost, too. */
		if (is_gone_locked(group, rank))
			scatter_depend_fail_locked(group, 0, rank, true, -ECONNRESET, rank);
		else
			depart_locked(group, rank, 0, false, true);
	}
	/* Even if all ranks were gone, a call that waits for mail may be refused now. */
	group->news = true;
	return fresh;
}

/*
 * Once the reason is known, fail the operations that need ranks elsewhere whose calls were refused
 * in a broken group.
 */
static void fail_stopped_locked(struct scatter_group *group)
	__must_hold(&group->lock)
{
	struct scatter_portal *portal = group->portal;
	u32 rank;

	lockdep_assert_held(&group->lock);
	if (!group->error || !portal->unexplained)
		return;
	portal->unexplained = false;
	for_each_set_bit(rank, portal->stopped, group->size)
		if (portal->where[rank] != portal->self)
			scatter_depend_fail_locked(group, portal->ends[rank], rank, false,
						   group->error, group->culprit);
}

/*
 * Note that a rank's call was refused in a broken group. The reason comes in another fact, perhaps
 * after this one.
 */
static bool stop_locked(struct scatter_group *group, u32 rank, u64 number)
	__must_hold(&group->lock)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (is_gone_locked(group, rank) || test_bit(rank, portal->stopped))
		return false;
	__set_bit(rank, portal->stopped);
	portal->ends[rank] = number;
	if (group->error)
		scatter_depend_fail_locked(group, number, rank, false, group->error,
					   group->culprit);
	else
		portal->unexplained = true;
	/* A call that waits for mail may be refused now. */
	group->news = true;
	return true;
}

/*
 * Note that members disagree about an operation. False: this node knows of the same or an earlier
 * disagreement; or the home, which tells all others, hears of more from one node than there can be:
 * each node is in a window of operations.
 */
static bool mismatch_locked(struct scatter_group *group, u32 from, u64 number, u32 rank)
	__must_hold(&group->lock)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (portal->mismatch <= number ||
	    (!portal->self && portal->nodes[from].mismatches == group->window))
		return false;
	portal->nodes[from].mismatches++;
	portal->mismatch = number;
	portal->mismatched = rank;
	scatter_fail_doom_locked(group, number, -EPROTO, rank);
	return true;
}

/*
 * Act on a fact of another node; false if this node knows the fact already. @node: index of the
 * node that is lost.
 */
static bool apply_locked(struct scatter_group *group, u32 from,
			 const struct scatter_wide_fact *fact, u32 node)
	__must_hold(&group->lock)
{
	lockdep_assert_held(&group->lock);
	switch (fact->kind) {
	case SCATTER_WIDE_DIED:
	case SCATTER_WIDE_LEFT:
		if (is_gone_locked(group, fact->rank))
			return false;
		depart_locked(group, fact->rank, fact->number, fact->kind == SCATTER_WIDE_LEFT,
			      false);
		return true;
	case SCATTER_WIDE_REVOKED:
		if (group->revoked)
			return false;
		group->revoked = true;
		scatter_fail_doom_locked(group, 0, -ECANCELED, fact->rank);
		return true;
	case SCATTER_WIDE_MISMATCH:
		return mismatch_locked(group, from, fact->number, fact->rank);
	case SCATTER_WIDE_STOPPED:
		return stop_locked(group, fact->rank, fact->number);
	case SCATTER_WIDE_GONE:
		return group->portal->nodes[node].tie != SCATTER_PORTAL_GONE &&
		       lose_locked(group, node);
	default:
		return false;
	}
}

/* Take the hold on the line to a node, for scatter_portal_unrely(). */
static struct scatter_peer *unrely_locked(struct scatter_group *group, u32 node)
{
	struct scatter_peer *relied = group->portal->nodes[node].relied;

	lockdep_assert_held(&group->lock);
	group->portal->nodes[node].relied = NULL;
	return relied;
}

/**
 * scatter_fact_post() - send a fact to a node
 * @group: formed, and spans nodes; referenced
 * @to: index of the other node
 * @fact: the fact
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving. The caller has to call
 * scatter_mail_flush() afterwards.
 */
void scatter_fact_post(struct scatter_group *group, u32 to, const struct scatter_wide_fact *fact)
{
	const struct scatter_portal *portal = group->portal;
	struct scatter_raw_fact raw;

	scatter_wide_build_fact(&raw, 0, fact);
	scatter_mail_post(portal->node, portal->mailer, portal->nodes[to].id, &raw, sizeof(raw));
}

/*
 * Send a fact to the nodes that this node has to tell. The home tells all nodes that are tied to
 * it, but not the node that told the home. Other nodes tell the home. When the home is lost, each
 * node tells all others what has happened on it.
 */
static void spread(struct scatter_group *group, const struct scatter_wide_fact *fact, u32 from)
{
	struct scatter_portal *portal = group->portal;
	u32 node;

	if (portal->self && from != portal->self)
		return;
	if (portal->self && scatter_portal_tie_of(group, 0) != SCATTER_PORTAL_GONE) {
		if (scatter_portal_tie_of(group, 0) == SCATTER_PORTAL_TIED)
			scatter_fact_post(group, 0, fact);
		return;
	}
	for (node = 1; node < portal->nr_nodes; node++) {
		bool gone = fact->kind == SCATTER_WIDE_GONE &&
			    fact->node == portal->nodes[node].id;

		/* The home also tells a lost node that it is lost: the home may still reach it. */
		if (node != from && node != portal->self &&
		    (gone || scatter_portal_tie_of(group, node) == SCATTER_PORTAL_TIED))
			scatter_fact_post(group, node, fact);
	}
}

/**
 * scatter_fact_of() - make a fact
 * @group: the group
 * @kind: the kind of fact; the caller adds the node that is lost
 * @rank: as of struct scatter_wide_fact
 * @number: likewise
 *
 * Context: any.
 */
struct scatter_wide_fact scatter_fact_of(const struct scatter_group *group,
					 enum scatter_wide_kind kind, u32 rank, u64 number)
{
	struct scatter_wide_fact fact = { .kind = kind, .rank = rank, .number = number };

	memcpy(fact.id, group->id, sizeof(fact.id));
	return fact;
}

/**
 * scatter_fact_tell() - tell other nodes of an event of a member here, on which this node has acted
 * @group: formed, and spans nodes; referenced
 * @kind: the kind of fact; not the loss of a node
 * @rank: the member's rank
 * @number: as of struct scatter_wide_fact
 *
 * Context: may sleep; no locks; for a MISMATCH also with scatter_portal.moving and a hub's lock
 * held. The caller has to call scatter_mail_flush() afterwards.
 * Return: false: this node has told that before.
 */
bool scatter_fact_tell(struct scatter_group *group, enum scatter_wide_kind kind, u32 rank,
		       u64 number)
{
	const struct scatter_wide_fact fact = scatter_fact_of(group, kind, rank, number);
	struct scatter_portal *portal = group->portal;
	bool known = false;

	spin_lock(&group->lock);
	if (kind == SCATTER_WIDE_STOPPED)
		known = is_gone_locked(group, rank) || __test_and_set_bit(rank, portal->stopped);
	if (!known && number && kind != SCATTER_WIDE_FAILED)
		portal->ends[rank] = number;
	if (kind == SCATTER_WIDE_MISMATCH && number < portal->mismatch) {
		portal->mismatch = number;
		portal->mismatched = rank;
	}
	spin_unlock(&group->lock);
	if (kind == SCATTER_WIDE_FAILED) {
		scatter_backlog_lock(portal);
		scatter_slot_fail(group, number, rank);
		scatter_backlog_unlock(portal);
	}
	if (!known)
		spread(group, &fact, portal->self);
	return !known;
}

/**
 * scatter_fact_overrun() - break the group: members have run too far ahead of the members here
 * @group: formed, and spans nodes; referenced
 * @rank: a rank on the node that has run ahead, or by way of which its messages come; or one that
 *	differs from others
 * @number: the first operation about which this node keeps nothing more; the caller drops the
 *	message
 *
 * Only members whose operations fail, again and again, get so far, or the node lies. The other
 * nodes and groups have nothing to do with that: the connection stays. Also breaks the group for
 * members that have called another operation than members here, if this node has passed @number.
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving. The caller has to call
 * scatter_mail_flush() afterwards.
 * Return: whether this node has broken the group now.
 */
bool scatter_fact_overrun(struct scatter_group *group, u32 rank, u64 number)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_wide_fact fact;
	bool fresh;

	spin_lock(&group->lock);
	WRITE_ONCE(portal->deaf_from, min(portal->deaf_from, number));
	fresh = number < group->doom_from;
	if (fresh) {
		portal->mismatch = number;
		portal->mismatched = rank;
		scatter_fail_doom_locked(group, number, -EPROTO, rank);
	}
	scatter_group_unlock(group);
	if (!fresh)
		return false;
	fact = scatter_fact_of(group, SCATTER_WIDE_MISMATCH, rank, number);
	spread(group, &fact, portal->self);
	scatter_fail_abort(group);
	return true;
}

/*
 * Whether to ignore a fact. A lost node tells nothing more: its own ranks are dead, and it may be
 * wrong about others. When two nodes have lost each other, both tell the home, and only one of them
 * goes: the home ignores a node that is lost. While the home is there, only the home tells that a
 * node is lost, be it this node: a node that has lost the home may have lost healthy nodes, too.
 * This node remembers who has told it so, and believes that node once the home is lost here as
 * well. Any node may tell the home that the home is lost, see deny().
 */
static bool is_void(struct scatter_group *group, u32 from, const struct scatter_wide_fact *fact,
		    u32 node)
{
	struct scatter_portal *portal = group->portal;
	bool gone, led;
	u32 accuser;

	spin_lock(&group->lock);
	gone = portal->nodes[from].tie == SCATTER_PORTAL_GONE;
	led = portal->self && portal->nodes[0].tie != SCATTER_PORTAL_GONE;
	if (fact->kind == SCATTER_WIDE_GONE && led && from) {
		accuser = portal->nodes[node].accuser;
		if (!gone && (!accuser || portal->nodes[accuser - 1].tie == SCATTER_PORTAL_GONE))
			portal->nodes[node].accuser = from + 1;
		gone = true;
	} else if (fact->kind == SCATTER_WIDE_GONE && node == portal->self && !portal->self) {
		gone = false;
	}
	spin_unlock(&group->lock);
	return gone;
}

/*
 * Whether a node may tell a fact. The home may tell any fact, other nodes only facts of their own
 * ranks, a loss, or a mismatch. No node tells that the home is lost: each node sees that itself.
 * Only the home itself is told, if it has been fenced, and tells it, when it resigns.
 */
static bool may_say(const struct scatter_group *group, u32 from,
		    const struct scatter_wide_fact *fact, u32 node)
{
	const struct scatter_portal *portal = group->portal;

	if (fact->kind == SCATTER_WIDE_GONE)
		return node < portal->nr_nodes && (node || !portal->self || !from);
	/* A node that compares lengths may find that a rank on another node differs. */
	if (fact->kind == SCATTER_WIDE_MISMATCH)
		return fact->rank < group->size;
	return fact->rank < group->size && portal->where[fact->rank] != portal->self &&
	       (!from || portal->where[fact->rank] == from);
}

/*
 * Whether a node that says that this node is lost may be right, for all that the other nodes say.
 * The home goes on while one of the other nodes is with it: a minority, or one peer that lies, does
 * not take the home away from the others.
 */
static bool deny(struct scatter_group *group, u32 from)
{
	struct scatter_portal *portal = group->portal;
	bool alone = true;
	u32 node;

	spin_lock(&group->lock);
	portal->nodes[from].denies = true;
	for (node = 0; !portal->self && node < portal->nr_nodes; node++)
		if (node != portal->self && !portal->nodes[node].denies &&
		    portal->nodes[node].tie != SCATTER_PORTAL_GONE)
			alone = false;
	spin_unlock(&group->lock);
	return alone;
}

/*
 * This node has heard from node @from that it is lost, or the others have decided without it. The
 * other nodes may not all know that: tell them, or they would wait for this node.
 */
static void resign(struct scatter_group *group, u32 from)
{
	struct scatter_wide_fact fact = scatter_fact_of(group, SCATTER_WIDE_GONE, 0, 0);
	struct scatter_portal *portal = group->portal;
	enum scatter_portal_tie tie;
	u32 node;

	fact.node = portal->nodes[portal->self].id;
	for (node = 0; node < portal->nr_nodes; node++) {
		tie = scatter_portal_tie_of(group, node);
		if (node != portal->self && node != from &&
		    (tie == SCATTER_PORTAL_ASKED || tie == SCATTER_PORTAL_TIED))
			scatter_fact_post(group, node, &fact);
	}
}

/**
 * scatter_fact_receive() - handle a FACT message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @fact: the message
 * @news: (out) whether this node has not known the fact
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_edge_push() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_fact_receive(struct scatter_group *group, u32 from,
			  const struct scatter_wide_fact *fact, bool *news)
{
	const struct scatter_portal *portal = group->portal;
	u32 node = scatter_portal_index(portal, fact->node);
	struct scatter_peer *relied = NULL;
	bool fresh;
	int error;

	*news = false;
	if (!may_say(group, from, fact, node))
		return false;
	if (is_void(group, from, fact, node))
		return true;
	if (fact->kind == SCATTER_WIDE_GONE && node == portal->self && !deny(group, from))
		return true;
	if (fact->kind == SCATTER_WIDE_FAILED) {
		error = scatter_slot_fail(group, fact->number, fact->rank);
		*news = !error;
		if (!error)
			spread(group, fact, from);
		else if (error == -EOVERFLOW)
			*news = scatter_fact_overrun(group, fact->rank, fact->number);
		return true;
	}
	spin_lock(&group->lock);
	fresh = apply_locked(group, from, fact, node);
	*news = fresh;
	if (fresh)
		fail_stopped_locked(group);
	if (fresh && fact->kind == SCATTER_WIDE_GONE)
		relied = unrely_locked(group, node);
	scatter_group_unlock(group);
	scatter_portal_unrely(group, relied);
	if (!fresh)
		return true;
	scatter_fail_abort(group);
	if (node != portal->self || fact->kind != SCATTER_WIDE_GONE)
		spread(group, fact, from);
	else
		resign(group, from);
	/* The lost node may still hear this node, and wait for it: tell the lost node. */
	if (portal->self && fact->kind == SCATTER_WIDE_GONE && node != portal->self && node != from)
		scatter_fact_deny(group, node);
	return true;
}

/**
 * scatter_fact_believe() - act on what nodes have said of lost nodes before the home was lost
 * @group: formed, and spans nodes; referenced; the home is lost
 *
 * If this node itself is lost, it tells that first, and nothing of other nodes.
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving. The caller has to call
 * scatter_mail_flush() afterwards.
 */
void scatter_fact_believe(struct scatter_group *group)
{
	struct scatter_wide_fact fact = scatter_fact_of(group, SCATTER_WIDE_GONE, 0, 0);
	struct scatter_portal *portal = group->portal;
	u32 i, node, accuser;
	bool news;

	for (i = 0; i < portal->nr_nodes; i++) {
		node = i ?: portal->self;
		if (i && scatter_portal_tie_of(group, portal->self) == SCATTER_PORTAL_GONE)
			return;
		spin_lock(&group->lock);
		accuser = portal->nodes[node].accuser;
		spin_unlock(&group->lock);
		fact.node = portal->nodes[node].id;
		if (accuser)
			scatter_fact_receive(group, accuser - 1, &fact, &news);
	}
}

/**
 * scatter_fact_lost() - act on the loss of another node
 * @group: formed, and spans nodes; referenced
 * @node: the other node's index
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving.
 */
void scatter_fact_lost(struct scatter_group *group, u32 node)
{
	struct scatter_wide_fact fact = scatter_fact_of(group, SCATTER_WIDE_GONE, 0, 0);
	struct scatter_portal *portal = group->portal;
	struct scatter_peer *relied;
	bool first, fresh;

	fact.node = portal->nodes[node].id;
	spin_lock(&group->lock);
	first = portal->nodes[node].tie != SCATTER_PORTAL_GONE;
	relied = unrely_locked(group, node);
	fresh = first && lose_locked(group, node);
	fail_stopped_locked(group);
	scatter_group_unlock(group);
	scatter_portal_unrely(group, relied);
	/*
	 * The home may still think that this node is there: tell the home that it is lost. Tell it
	 * once: mail to a deleted peer leads here again.
	 */
	if (first && portal->self && !node) {
		fact.node = portal->nodes[portal->self].id;
		scatter_fact_post(group, 0, &fact);
	}
	if (!fresh)
		return;
	scatter_fail_abort(group);
	/* Each node sees the loss of the home itself. */
	if (!portal->self || node)
		spread(group, &fact, portal->self);
}

/**
 * scatter_fact_resign() - give up a group whose other nodes have decided something without this one
 * @group: formed, and spans nodes; referenced
 *
 * The other nodes would wait for this node, which takes part in nothing any more.
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving. The caller has to call
 * scatter_mail_flush() afterwards.
 */
void scatter_fact_resign(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	bool fresh;

	spin_lock(&group->lock);
	fresh = portal->nodes[portal->self].tie != SCATTER_PORTAL_GONE &&
		lose_locked(group, portal->self);
	fail_stopped_locked(group);
	scatter_group_unlock(group);
	if (!fresh)
		return;
	scatter_fail_abort(group);
	resign(group, portal->self);
}

/**
 * scatter_fact_deny() - tell a node that it is lost to this node
 * @group: formed, and spans nodes; referenced
 * @to: index of the other node; of the home only if it has been fenced
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_fact_deny(struct scatter_group *group, u32 to)
{
	struct scatter_wide_fact fact = scatter_fact_of(group, SCATTER_WIDE_GONE, 0, 0);

	fact.node = group->portal->nodes[to].id;
	scatter_fact_post(group, to, &fact);
}
