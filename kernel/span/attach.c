// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching: how two nodes of a group meet, by ATTACH and its answers.
 *
 * The asking node knows from the registrar that the asked node has members in the group. The asked
 * node may not know that yet, since the registrar uses another connection to tell it. While a JOIN
 * of the asked node is pending, the answer waits. If no JOIN is pending, the asked node answers
 * NEVER and *buries* the group's id: if the registrar tells of the group later, no member there
 * gets a seat.
 */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "group/group.h"
#include "group/portal.h"
#include "node/mail.h"
#include "span/attach.h"
#include "span/fact.h"
#include "span/replay.h"
#include "wire/wide_build.h"

/*
 * How many buried ids a node remembers. An id matters only until the registrar's message comes. If
 * more ids are buried meanwhile, members here get seats, and their first operations fail: the node
 * that has heard NEVER takes this node for lost.
 */
#define SCATTER_ATTACH_GRAVES	256U

/**
 * struct scatter_attach_grave - the id of a group in which this node will never be
 * @node: the node that buried the id
 * @id: the group's id
 */
struct scatter_attach_grave {
	const struct scatter_node *node;
	u64 id[2];
};

static struct scatter_attach_grave graves[SCATTER_ATTACH_GRAVES];
static unsigned int next_grave;
static DEFINE_SPINLOCK(graves_lock);

/**
 * scatter_attach_say() - send an ATTACH, or an answer to an ATTACH
 * @node: this node
 * @to: the receiver's id
 * @id: the group's id
 * @token: of a JOIN on the receiver; 0 in an answer
 * @what: ATTACH or which answer
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_attach_say(struct scatter_node *node, u64 to, const u64 *id, u64 token,
			enum scatter_wide_attaching what)
{
	struct scatter_wide_attach attach = { .token = token, .what = what };
	struct scatter_raw_attach raw;

	memcpy(attach.id, id, sizeof(attach.id));
	scatter_wide_build_attach(&raw, 0, &attach);
	scatter_mail_post(node, NULL, to, &raw, sizeof(raw));
}

/**
 * scatter_attach_ask() - ask a node whether it is in the group, if need be after an introduction
 * @group: formed, and spans nodes; referenced
 * @to: the node's index; nothing happens if the node has been asked
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_attach_ask(struct scatter_group *group, u32 to)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_node *node = &portal->nodes[to];
	bool ask;

	spin_lock(&group->lock);
	ask = node->tie == SCATTER_PORTAL_APART;
	if (ask)
		node->tie = SCATTER_PORTAL_ASKED;
	spin_unlock(&group->lock);
	if (ask && portal->introduction)
		scatter_mail_post(portal->node, portal->mailer, node->id, portal->introduction,
				  portal->introduced);
	if (ask)
		scatter_attach_say(portal->node, node->id, group->id, node->token,
				   SCATTER_WIDE_ATTACH);
}

/**
 * scatter_attach_rely() - note that this node is going to wait for another node
 * @group: formed, and spans nodes; referenced
 * @with: the other node's index; nothing happens if this node relies on it already
 *
 * Context: may sleep; no locks but a hub's, and scatter_portal.moving. The caller has to call
 * scatter_mail_flush() afterwards.
 */
void scatter_attach_rely(struct scatter_group *group, u32 with)
{
	struct scatter_portal_node *node = &group->portal->nodes[with];
	struct scatter_peer *peer, *other = NULL;
	bool lost;

	peer = scatter_portal_rely(group, with);
	spin_lock(&group->lock);
	lost = !peer && node->tie != SCATTER_PORTAL_GONE;
	if (node->tie == SCATTER_PORTAL_GONE || node->relied)
		other = peer;
	else
		node->relied = peer;
	spin_unlock(&group->lock);
	scatter_portal_unrely(group, other);
	if (lost)
		scatter_fact_lost(group, with);
}

/**
 * scatter_attach_tied() - whether this node may send to a node; else ask that node first
 * @group: formed, and spans nodes; referenced
 * @to: the node's index
 *
 * Context: may sleep; no locks but a hub's, and scatter_portal.moving. The caller has to call
 * scatter_mail_flush() afterwards.
 */
bool scatter_attach_tied(struct scatter_group *group, u32 to)
{
	enum scatter_portal_tie tie = scatter_portal_tie_of(group, to);

	if (tie == SCATTER_PORTAL_APART) {
		scatter_attach_rely(group, to);
		scatter_attach_ask(group, to);
	}
	return tie == SCATTER_PORTAL_TIED;
}

/**
 * scatter_attach_tie() - note that this node and another node know that both are in the group
 * @group: formed, and spans nodes; referenced
 * @with: the other node's index
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 * Return: false: the node is gone, or this node is out of the group.
 */
bool scatter_attach_tie(struct scatter_group *group, u32 with)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_node *node = &portal->nodes[with];
	bool there, first;

	/* The node is told of each operation that fails: here, or when the operation fails. */
	lockdep_assert_held(&portal->moving);
	spin_lock(&group->lock);
	there = node->tie != SCATTER_PORTAL_GONE &&
		portal->nodes[portal->self].tie != SCATTER_PORTAL_GONE;
	first = there && node->tie != SCATTER_PORTAL_TIED;
	if (first) {
		portal->convenes = true;
		portal->reminds = true;
	}
	if (there)
		node->tie = SCATTER_PORTAL_TIED;
	spin_unlock(&group->lock);
	if (first && scatter_replay_is_due(portal, with))
		scatter_replay_failed(group, with);
	if (there)
		scatter_attach_rely(group, with);
	return there;
}

/**
 * scatter_attach_defer() - let a node wait that has asked before the group has formed here
 * @group: has a portal; referenced
 * @from: the node's id
 *
 * Context: may sleep; no locks but a hub's.
 * Return: 0; -EALREADY: the group has formed meanwhile, or never will.
 */
int scatter_attach_defer(struct scatter_group *group, u64 from)
{
	struct scatter_portal_waiting *waiting = kmalloc(sizeof(*waiting),
							 GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	bool formed;

	waiting->id = from;
	spin_lock(&group->lock);
	/* If no member here waits for the group, no task would answer later. */
	formed = group->formed || group->portal->error || !group->joined;
	if (!formed)
		scatter_attach_wait_locked(group, waiting);
	spin_unlock(&group->lock);
	if (formed)
		kfree(waiting);
	return formed ? -EALREADY : 0;
}

/**
 * scatter_attach_wait_locked() - let a node wait that asks about a group that is going to be made
 * @group: the group, or the formed group of which it is going to be made
 * @waiting: from kmalloc(), with the node's id; given to the group, or freed
 *
 * Context: the group's lock is held.
 */
void scatter_attach_wait_locked(struct scatter_group *group,
				struct scatter_portal_waiting *waiting)
{
	struct scatter_portal_waiting *other;

	lockdep_assert_held(&group->lock);
	list_for_each_entry(other, &group->portal->waiting, entry) {
		if (other->id == waiting->id) {
			kfree(waiting);
			return;
		}
	}
	list_add_tail(&waiting->entry, &group->portal->waiting);
}

/**
 * scatter_attach_never() - answer the nodes that wait that the group will never be here
 * @group: the group, or the formed group of which it was going to be made; referenced
 * @id: the group's id
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_attach_never(struct scatter_group *group, const u64 *id)
{
	struct scatter_node *node = group->portal->node;
	u64 from;

	scatter_attach_bury(node, id);
	while ((from = scatter_attach_next(group)))
		scatter_attach_say(node, from, id, 0, SCATTER_WIDE_NEVER);
}

/**
 * scatter_attach_next() - find the next node to answer, when the group has formed or never will
 * @group: where nodes wait; referenced
 *
 * Context: any; no locks but a hub's.
 * Return: the node's id; 0: no node waits.
 */
u64 scatter_attach_next(struct scatter_group *group)
{
	struct scatter_portal_waiting *waiting;
	u64 id = 0;

	spin_lock(&group->lock);
	waiting = list_first_entry_or_null(&group->portal->waiting,
					   struct scatter_portal_waiting, entry);
	if (waiting)
		list_del(&waiting->entry);
	spin_unlock(&group->lock);
	if (waiting)
		id = waiting->id;
	kfree(waiting);
	return id;
}

/**
 * scatter_attach_bury() - note that a group will never be on this node
 * @node: this node
 * @id: the group's id
 *
 * Context: any.
 */
void scatter_attach_bury(struct scatter_node *node, const u64 *id)
{
	struct scatter_attach_grave *grave;

	spin_lock(&graves_lock);
	grave = &graves[next_grave++ % SCATTER_ATTACH_GRAVES];
	grave->node = node;
	memcpy(grave->id, id, sizeof(grave->id));
	spin_unlock(&graves_lock);
}

/**
 * scatter_attach_is_buried() - whether scatter_attach_bury() has been called
 * @node: this node
 * @id: the group's id
 *
 * Context: any.
 */
bool scatter_attach_is_buried(struct scatter_node *node, const u64 *id)
{
	bool found = false;
	unsigned int i;

	spin_lock(&graves_lock);
	for (i = 0; i < SCATTER_ATTACH_GRAVES && !found; i++)
		found = graves[i].node == node && !memcmp(graves[i].id, id, sizeof(graves[i].id));
	spin_unlock(&graves_lock);
	return found;
}
