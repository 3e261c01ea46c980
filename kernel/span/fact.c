// SPDX-License-Identifier: GPL-2.0
/*
 * Facts: what all nodes of a group have to know of each other's members.
 *
 * A rank has died or left, has revoked the group, or calls no operation any more; or a node is
 * lost. A fact is never taken back, and hearing a fact twice changes nothing. The node where a fact
 * happens acts at once and tells the home. The home tells all other nodes in the order in which it
 * has heard. A node that meets the home later is told all earlier facts. If several facts break a
 * group at the same moment, nodes may name different facts as the first.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "group/group.h"
#include "group/news.h"
#include "group/portal.h"
#include "node/client.h"
#include "node/mail.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "span/fact.h"
#include "wire/wide_build.h"

static bool is_gone_locked(const struct scatter_group *group, u32 rank)
{
	lockdep_assert_held(&group->lock);
	return test_bit(rank, group->dead) || test_bit(rank, group->left);
}

/* Operations that a rank has not called and will never call cannot complete. */
static void fail_from_locked(struct scatter_group *group, u64 number, int error, u32 rank)
	__must_hold(&group->lock)
{
	lockdep_assert_held(&group->lock);
	number = max(number, group->end - group->nr_operations);
	for (; number < group->end; number++) {
		struct scatter_operation *operation =
			scatter_operation_find_locked(group, number);

		if (operation && scatter_fail_locked(group, operation, error, rank, false))
			group->news = true;
		scatter_group_breathe_locked(group, number);
	}
}

/* A rank on another node is gone. */
static void depart_locked(struct scatter_group *group, u32 rank, u64 number, bool left)
	__must_hold(&group->lock)
{
	lockdep_assert_held(&group->lock);
	__set_bit(rank, left ? group->left : group->dead);
	group->portal->ends[rank] = number;
	group->gone++;
	scatter_news_tell(group, left ? SCATTER_EVENT_LEAVE : SCATTER_EVENT_DEATH, rank, 0);
	if (left) {
		scatter_fail_doom_locked(group, number, -ESHUTDOWN, rank);
		return;
	}
	scatter_group_break_locked(group, -ECONNRESET, rank);
	fail_from_locked(group, number, -ECONNRESET, rank);
}

/* All ranks of a lost node are dead; if this node is the lost one, all other ranks are dead. */
static bool lose_locked(struct scatter_group *group, u32 lost)
	__must_hold(&group->lock)
{
	struct scatter_portal *portal = group->portal;
	bool self = lost == portal->self, fresh = false;
	u32 rank;

	lockdep_assert_held(&group->lock);
	portal->nodes[lost].tie = SCATTER_PORTAL_GONE;
	for (rank = 0; rank < group->size; rank++) {
		bool there = portal->where[rank] == lost;

		if (there == self || is_gone_locked(group, rank))
			continue;
		depart_locked(group, rank, 0, false);
		fresh = true;
	}
	return fresh;
}

static bool stop_locked(struct scatter_group *group, u32 rank, u64 number)
	__must_hold(&group->lock)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (is_gone_locked(group, rank) || test_bit(rank, portal->stopped))
		return false;
	__set_bit(rank, portal->stopped);
	portal->ends[rank] = number;
	fail_from_locked(group, number, group->error ?: -ECONNRESET,
			 group->error ? group->culprit : rank);
	return true;
}

/* Act on a fact of another node; false if this node knows the fact already. */
static bool apply_locked(struct scatter_group *group, const struct scatter_wide_fact *fact,
			 u32 node)
	__must_hold(&group->lock)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	switch (fact->kind) {
	case SCATTER_WIDE_DIED:
	case SCATTER_WIDE_LEFT:
		if (is_gone_locked(group, fact->rank))
			return false;
		depart_locked(group, fact->rank, fact->number, fact->kind == SCATTER_WIDE_LEFT);
		return true;
	case SCATTER_WIDE_REVOKED:
		if (group->revoked)
			return false;
		group->revoked = true;
		scatter_fail_doom_locked(group, 0, -ECANCELED, fact->rank);
		return true;
	case SCATTER_WIDE_MISMATCH:
		if (portal->mismatch <= fact->number)
			return false;
		portal->mismatch = fact->number;
		portal->mismatched = fact->rank;
		scatter_fail_doom_locked(group, fact->number, -EPROTO, fact->rank);
		return true;
	case SCATTER_WIDE_STOPPED:
		return stop_locked(group, fact->rank, fact->number);
	case SCATTER_WIDE_GONE:
		return lose_locked(group, node);
	default:
		return false;
	}
}

static void post(struct scatter_group *group, u32 to, const struct scatter_wide_fact *fact)
{
	struct scatter_raw_fact raw;

	scatter_wide_build_fact(&raw, 0, fact);
	scatter_mail_post(group->portal->node, group->portal->nodes[to].id, &raw, sizeof(raw));
}

static enum scatter_portal_tie tie_of(struct scatter_group *group, u32 node)
{
	enum scatter_portal_tie tie;

	spin_lock(&group->lock);
	tie = group->portal->nodes[node].tie;
	spin_unlock(&group->lock);
	return tie;
}

/* The home tells all nodes it has met, but not the node that told it; other nodes tell the home. */
static void spread(struct scatter_group *group, const struct scatter_wide_fact *fact, u32 from)
{
	struct scatter_portal *portal = group->portal;
	u32 node;

	if (portal->self) {
		if (from == portal->self && tie_of(group, 0) == SCATTER_PORTAL_TIED)
			post(group, 0, fact);
		return;
	}
	for (node = 1; node < portal->nr_nodes; node++) {
		bool gone = fact->kind == SCATTER_WIDE_GONE &&
			    fact->node == portal->nodes[node].id;

		/* A node that is lost to others may hear that from the home. */
		if (node != from && (gone || tie_of(group, node) == SCATTER_PORTAL_TIED))
			post(group, node, fact);
	}
}

static struct scatter_wide_fact fact_of(const struct scatter_group *group,
					enum scatter_wide_kind kind, u32 rank, u64 number)
{
	struct scatter_wide_fact fact = { .kind = kind, .rank = rank, .number = number };

	memcpy(fact.id, group->id, sizeof(fact.id));
	return fact;
}

/**
 * scatter_fact_tell() - tell of an event at a member here; this node has acted on it
 * @group: formed, and spans nodes; referenced
 * @kind: the kind of fact; not the loss of a node
 * @rank: the member
 * @number: as of struct scatter_wide_fact
 *
 * Context: may sleep; no locks but a hub's; for scatter_mail_flush().
 */
void scatter_fact_tell(struct scatter_group *group, enum scatter_wide_kind kind, u32 rank,
		       u64 number)
{
	const struct scatter_wide_fact fact = fact_of(group, kind, rank, number);
	struct scatter_portal *portal = group->portal;
	bool known = false;

	spin_lock(&group->lock);
	if (kind == SCATTER_WIDE_STOPPED)
		known = is_gone_locked(group, rank) || __test_and_set_bit(rank, portal->stopped);
	if (!known && number)
		portal->ends[rank] = number;
	if (kind == SCATTER_WIDE_MISMATCH) {
		portal->mismatch = number;
		portal->mismatched = rank;
	}
	spin_unlock(&group->lock);
	if (!known)
		spread(group, &fact, portal->self);
}

/*
 * Whether a node may say this: the home may tell anything, other nodes only of their own ranks or
 * of a loss. Nobody tells of the loss of the home: each node sees that loss itself.
 */
static bool may_say(const struct scatter_group *group, u32 from,
		    const struct scatter_wide_fact *fact, u32 node)
{
	const struct scatter_portal *portal = group->portal;

	if (fact->kind == SCATTER_WIDE_GONE)
		return node && node < portal->nr_nodes;
	return fact->rank < group->size && portal->where[fact->rank] != portal->self &&
	       (!from || portal->where[fact->rank] == from);
}

/**
 * scatter_fact_receive() - a FACT has come
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @fact: the message
 *
 * Context: may sleep; no locks but a hub's.
 * Return: false: the message breaks the protocol.
 */
bool scatter_fact_receive(struct scatter_group *group, u32 from,
			  const struct scatter_wide_fact *fact)
{
	const struct scatter_portal *portal = group->portal;
	bool fresh;
	u32 node = 0;

	while (node < portal->nr_nodes && portal->nodes[node].id != fact->node)
		node++;
	if (!may_say(group, from, fact, node))
		return false;
	spin_lock(&group->lock);
	fresh = apply_locked(group, fact, node);
	scatter_group_unlock(group);
	if (!fresh)
		return true;
	scatter_fail_abort(group);
	spread(group, fact, from);
	return true;
}

/**
 * scatter_fact_lost() - this node has lost another node
 * @group: formed, and spans nodes; referenced
 * @node: the other node's index
 *
 * Context: may sleep; no locks but a hub's.
 */
void scatter_fact_lost(struct scatter_group *group, u32 node)
{
	struct scatter_wide_fact fact = fact_of(group, SCATTER_WIDE_GONE, 0, 0);
	struct scatter_portal *portal = group->portal;
	struct scatter_peer *relied;
	bool fresh;

	fact.node = portal->nodes[node].id;
	spin_lock(&group->lock);
	relied = portal->nodes[node].relied;
	portal->nodes[node].relied = NULL;
	fresh = lose_locked(group, node);
	scatter_group_unlock(group);
	scatter_client_unrely(relied);
	/* The home may not have lost this node: tell the home that it has. */
	if (portal->self && !node) {
		fact.node = portal->nodes[portal->self].id;
		post(group, 0, &fact);
	}
	if (!fresh)
		return;
	scatter_fail_abort(group);
	spread(group, &fact, portal->self);
}

/* Find the fact to be told of one rank; false: there is none. */
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
	*fact = fact_of(group, kind, rank, portal->ends[rank]);
	return true;
}

/**
 * scatter_fact_replay() - tell a node the facts from before it was tied
 * @group: formed, and spans nodes; referenced
 * @to: the node's index; either that node or this node is the home
 *
 * Context: may sleep; no locks but a hub's; for scatter_mail_flush().
 */
void scatter_fact_replay(struct scatter_group *group, u32 to)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_wide_fact fact;
	bool revoked, found;
	u32 rank, culprit;

	spin_lock(&group->lock);
	revoked = group->revoked;
	culprit = group->doom_culprit;
	found = portal->mismatch != U64_MAX &&
		(!portal->self || portal->where[portal->mismatched] == portal->self);
	spin_unlock(&group->lock);
	if (found) {
		fact = fact_of(group, SCATTER_WIDE_MISMATCH, portal->mismatched,
			       portal->mismatch);
		post(group, to, &fact);
	}
	if (revoked && (!portal->self || portal->where[culprit] == portal->self)) {
		fact = fact_of(group, SCATTER_WIDE_REVOKED, culprit, 0);
		post(group, to, &fact);
	}
	for (rank = 0; rank < group->size; rank++) {
		if (portal->where[rank] == to ||
		    (portal->self && portal->where[rank] != portal->self))
			continue;
		spin_lock(&group->lock);
		found = recall_locked(group, rank, &fact);
		spin_unlock(&group->lock);
		if (found)
			post(group, to, &fact);
		cond_resched();
	}
}
