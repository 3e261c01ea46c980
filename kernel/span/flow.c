// SPDX-License-Identifier: GPL-2.0
/*
 * Flows: how scatters and gathers go on from node to node.
 *
 * A node sends a child its bundle when the bundle of its own subtree is there, and its parent the
 * bundle of its subtree when all blocks of that can be had. Nobody waits for members that have
 * nothing to do with it. A node is through when its neighbours are: DONE says so, and who has all
 * that it needs and has heard DONE from all whom it has sent something passes the operation.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "group/cells.h"
#include "group/group.h"
#include "group/places.h"
#include "group/portal.h"
#include "group/slot.h"
#include "node/mail.h"
#include "operation/agree.h"
#include "operation/block.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "operation/plan.h"
#include "span/attach.h"
#include "span/bundle.h"
#include "span/fact.h"
#include "span/flow.h"
#include "span/lane.h"
#include "span/pull.h"
#include "wire/wide_build.h"

/*
 * Messages of one node that a group keeps at most, beyond one for each operation of a window: what
 * an honest node has packed is not longer.
 */
#define SCATTER_FLOW_KEPT	4096

static void send_done(struct scatter_group *group, u32 to, u64 number)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_wide_done done = {
		.id = { group->id[0], group->id[1] },
		.number = number,
	};
	struct scatter_raw_done raw;

	scatter_wide_build_done(&raw, 0, &done);
	scatter_mail_post(portal->node, portal->nodes[to].id, &raw, sizeof(raw));
}

/* A rank has called another operation than others. */
static void blame(struct scatter_group *group, struct scatter_operation *operation, u32 rank)
{
	spin_lock(&group->lock);
	scatter_agree_break_locked(group, operation, rank);
	scatter_group_unlock(group);
	scatter_fact_tell(group, SCATTER_WIDE_MISMATCH, rank, operation->number);
	scatter_fail_abort(group);
}

/* The first member here that has called. */
static u32 caller_of(struct scatter_group *group, const struct scatter_operation *operation)
{
	u32 rank;

	for (rank = 0; rank < operation->size; rank++)
		if (scatter_group_member(group, rank) &&
		    READ_ONCE(scatter_operation_part(operation, rank)->posted))
			break;
	return rank;
}

/**
 * scatter_flow_disagree() - members here and members on other nodes do not call the same operation
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: what members here have called
 *
 * Context: may sleep; for scatter_mail_flush().
 */
void scatter_flow_disagree(struct scatter_group *group, struct scatter_operation *operation)
{
	/* Said once is enough. */
	if (!READ_ONCE(operation->abort))
		blame(group, operation, caller_of(group, operation));
}

/**
 * scatter_flow_meet() - let a slot know what members here have called, or compare the two
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: of kind move
 * @slot: its slot
 *
 * Context: may sleep.
 */
void scatter_flow_meet(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot)
{
	struct scatter_wide_bundle head;
	struct scatter_spec spec;
	bool known;

	spin_lock(&group->lock);
	spec = operation->spec;
	known = operation->posted && !spec.idle;
	if (spec.idle && slot->known && scatter_group_member(group, slot->head.root))
		/* Others take a member here for the root, which is idle. */
		slot->differs |= scatter_operation_part(operation, slot->head.root)->posted;
	spin_unlock(&group->lock);
	if (!known || slot->met)
		return;
	slot->met = true;
	scatter_slot_describe(group, &spec, slot->number, &head);
	slot->differs |= slot->known ? !scatter_slot_same(&slot->head, &head) :
				       !scatter_slot_learn(group, slot, &head);
}

/* Blocks of a scatter have come for members here. */
static u32 hand_out_locked(struct scatter_group *group, struct scatter_operation *operation,
			   struct scatter_slot *slot)
	__must_hold(&group->lock)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_bundle *in = &slot->in;
	bool plain = in->head.flags & SCATTER_WIDE_PLAIN;
	struct scatter_places_cursor cursor;
	u64 at = scatter_bundle_begin(in);
	u32 rank, i = 0;

	lockdep_assert_held(&group->lock);
	if (!operation->decided)
		scatter_plan_decide_locked(group, operation, 0);
	/* In one piece: a member that calls in between would compare lengths that are not there. */
	scatter_places_begin(&cursor, slot->first, slot->count);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		u64 length = scatter_bundle_length(in, i++);
		bool is_void = length == SCATTER_WIDE_LENGTH_VOID;
		u64 bytes = plain || is_void ? 0 : length;

		if (portal->where[rank] == portal->self &&
		    !scatter_block_arrive_locked(operation, rank, length, is_void,
						 plain ? NULL : &in->stream, at))
			return rank;
		at += bytes;
	}
	return SCATTER_NO_RANK;
}

static void push_scatter(struct scatter_group *group, struct scatter_operation *operation,
			 struct scatter_slot *slot)
{
	bool complete = scatter_bundle_is_complete(&slot->in);
	struct scatter_bundle out;
	u32 i, rank;

	for (i = 0; i < slot->nr_edges; i++) {
		struct scatter_slot_edge *edge = &slot->edges[i];

		/* The root has packed what its children get. */
		if (edge->sent || !(scatter_slot_is_root(slot) ? edge->in.begun : complete) ||
		    !scatter_attach_tied(group, edge->node))
			continue;
		edge->sent = true;
		if (scatter_slot_is_root(slot)) {
			scatter_bundle_send(group, edge->node, &edge->in);
			continue;
		}
		scatter_bundle_for_child(slot, i, &out);
		scatter_bundle_send(group, edge->node, &out);
		scatter_chunks_free(&out.stream);
	}
	if (scatter_slot_is_root(slot) || !complete || slot->placed || !slot->met)
		return;
	slot->placed = true;
	spin_lock(&group->lock);
	rank = hand_out_locked(group, operation, slot);
	scatter_group_unlock(group);
	if (rank != SCATTER_NO_RANK)
		blame(group, operation, rank);
}

/* All blocks of this node's subtree are here, or are known to be where they can be pulled from. */
static bool is_ripe(const struct scatter_slot *slot)
{
	struct scatter_places_cursor cursor;
	u32 rank, i;

	for (i = 0; i < slot->nr_edges; i++)
		if (!scatter_bundle_is_complete(&slot->edges[i].in))
			return false;
	scatter_places_begin(&cursor, slot->places.self, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank))
		if (!scatter_slot_parcel(slot, rank)->ready)
			return false;
	return true;
}

/* The blocks of a child's subtree have come to the root. */
static u32 collect_locked(struct scatter_group *group, struct scatter_operation *operation,
			  const struct scatter_slot *slot, const struct scatter_slot_edge *edge)
	__must_hold(&group->lock)
{
	bool plain = edge->in.head.flags & SCATTER_WIDE_PLAIN;
	u64 at = scatter_bundle_begin(&edge->in);
	struct scatter_places_cursor cursor;
	u32 rank, i = 0;

	lockdep_assert_held(&group->lock);
	scatter_places_begin(&cursor, edge->first, edge->count);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		u64 length = scatter_bundle_length(&edge->in, i++);
		bool is_void = length == SCATTER_WIDE_LENGTH_VOID;

		if (!scatter_block_arrive_locked(operation, rank, length, is_void,
						 plain ? NULL : &edge->in.stream, at))
			return rank;
		at += plain || is_void ? 0 : length;
		scatter_group_breathe_locked(group, i);
	}
	return SCATTER_NO_RANK;
}

static void push_gather(struct scatter_group *group, struct scatter_operation *operation,
			struct scatter_slot *slot)
{
	struct scatter_bundle out;
	u32 i, rank;
	bool there;

	if (!scatter_slot_is_root(slot)) {
		if (slot->sent || !is_ripe(slot) || !scatter_attach_tied(group, slot->parent))
			return;
		slot->sent = true;
		scatter_bundle_for_parent(slot, &out);
		scatter_bundle_send(group, slot->parent, &out);
		scatter_chunks_free(&out.stream);
		return;
	}
	for (i = 0; i < slot->nr_edges && operation; i++) {
		struct scatter_slot_edge *edge = &slot->edges[i];

		there = READ_ONCE(scatter_operation_part(operation, slot->head.root)->posted);
		if (edge->placed || !there || !slot->met || !scatter_bundle_is_complete(&edge->in))
			continue;
		edge->placed = true;
		spin_lock(&group->lock);
		rank = collect_locked(group, operation, slot, edge);
		scatter_group_unlock(group);
		if (rank != SCATTER_NO_RANK)
			blame(group, operation, rank);
	}
}

/*
 * A call somewhere else has failed, on which the operation depends: in a broken group because of
 * what has broken it.
 */
static void fail(struct scatter_group *group, struct scatter_operation *operation,
		 const struct scatter_slot *slot)
{
	bool broken, fresh;

	spin_lock(&group->lock);
	broken = group->state == SCATTER_STATE_BROKEN;
	fresh = scatter_fail_locked(group, operation, broken ? group->error : -EREMOTEIO,
				    broken ? group->culprit : slot->culprit, false);
	spin_unlock(&group->lock);
	if (fresh)
		scatter_operation_wake(operation);
}

/**
 * scatter_flow_push() - do for a scatter or gather what can be done
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the operation; NULL: no member here has called it
 * @slot: its slot, after scatter_flow_meet()
 *
 * Context: may sleep; for scatter_mail_flush().
 */
void scatter_flow_push(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot)
{
	u32 rank;

	if (operation && slot->failed)
		fail(group, operation, slot);
	if (!slot->known)
		return;
	if (slot->cells) {
		rank = scatter_lane_push(group, operation, slot);
		if (rank != SCATTER_NO_RANK)
			blame(group, operation, rank);
		else if (slot->differs)
			scatter_flow_disagree(group, operation);
		return;
	}
	scatter_pull_void(group, slot);
	if (scatter_slot_scatters(slot))
		push_scatter(group, operation, slot);
	else
		push_gather(group, operation, slot);
}

/**
 * scatter_flow_is_through_locked() - whether this node is through with a scatter or gather
 * @group: formed, and spans nodes
 * @slot: of the operation; scatter_portal.moving is held
 *
 * Nodes next to this one need nothing of it any more then, and it needs nothing of them.
 *
 * Context: the group's lock is held.
 */
bool scatter_flow_is_through_locked(const struct scatter_group *group,
				    const struct scatter_slot *slot)
{
	u32 i;

	lockdep_assert_held(&group->lock);
	if (!slot->known || slot->places.self == slot->places.nr)
		return true;
	if (slot->cells)
		return slot->cells->through;
	for (i = 0; i < slot->nr_edges; i++) {
		const struct scatter_slot_edge *edge = &slot->edges[i];

		if (group->portal->nodes[edge->node].tie == SCATTER_PORTAL_GONE)
			continue;
		if (scatter_slot_scatters(slot) ? !edge->done :
						  !scatter_bundle_is_complete(&edge->in))
			return false;
	}
	if (scatter_slot_is_root(slot))
		return true;
	return scatter_slot_scatters(slot) ? scatter_bundle_is_complete(&slot->in) : slot->done;
}

/**
 * scatter_flow_end() - tell those who have sent something that this node has done with it
 * @group: formed, and spans nodes
 * @slot: of the operation; scatter_portal.moving is held
 *
 * Context: may sleep; for scatter_mail_flush().
 */
void scatter_flow_end(struct scatter_group *group, const struct scatter_slot *slot)
{
	u32 i;

	if (!slot->known)
		return;
	if (scatter_slot_scatters(slot) && slot->in.begun)
		send_done(group, slot->parent, slot->number);
	for (i = 0; i < slot->nr_edges && !scatter_slot_scatters(slot); i++)
		if (slot->edges[i].in.begun)
			send_done(group, slot->edges[i].node, slot->number);
}

/* Where what comes in a bundle goes, and how many blocks that has; NULL: not from that node. */
static struct scatter_bundle *find_in(struct scatter_slot *slot, u32 from, u32 *blocks)
{
	struct scatter_slot_edge *edge;

	if (!scatter_slot_scatters(slot)) {
		edge = scatter_slot_edge_of(slot, from);
		*blocks = edge ? scatter_places_blocks(&slot->places, edge->first, edge->count) : 0;
		return edge ? &edge->in : NULL;
	}
	*blocks = slot->head.count;
	return from == slot->parent && !scatter_slot_is_root(slot) ? &slot->in : NULL;
}

/**
 * scatter_flow_came() - BUNDLE has come
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the operation, if members here have called it
 * @from: the sender's index
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep; for scatter_mail_flush().
 * Return: false: the message breaks the protocol.
 */
bool scatter_flow_came(struct scatter_group *group, struct scatter_operation *operation, u32 from,
		       const struct scatter_wide_bundle *wide, struct page *page, u32 offset)
{
	struct scatter_portal_node *node = &group->portal->nodes[from];
	struct scatter_slot *slot;
	struct scatter_bundle *in;
	u32 blocks, before;
	bool fine;

	if (scatter_slot_is_past(group, wide->number)) {
		if (wide->offset + wide->payload == wide->total)
			send_done(group, from, wide->number);
		return true;
	}
	slot = scatter_slot_get(group, wide->number, false);
	if (!slot)
		return false;
	/* Members here may have said first what the operation is. */
	if (operation && scatter_op_moves(operation->spec.op))
		scatter_flow_meet(group, operation, slot);
	if (!slot->known && !scatter_slot_learn(group, slot, wide))
		return false;
	if (!scatter_slot_same(&slot->head, wide)) {
		slot->differs = true;
		return true;
	}
	in = find_in(slot, from, &blocks);
	if (!in || wide->count != blocks || node->kept > 2 * group->window + SCATTER_FLOW_KEPT)
		return false;
	before = in->messages;
	fine = scatter_bundle_add(in, wide, page, offset);
	node->kept += in->messages - before;
	return fine;
}

/* Nobody behind an edge takes anything of the root's memory any more. */
static void let_go(struct scatter_group *group, struct scatter_operation *operation,
		   const struct scatter_slot *slot, const struct scatter_slot_edge *edge)
{
	struct scatter_places_cursor cursor;
	u32 rank, i = 0;

	spin_lock(&group->lock);
	scatter_places_begin(&cursor, edge->first, edge->count);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		if (scatter_operation_cargo(operation, rank)->state == SCATTER_BLOCK_HOME)
			scatter_block_set_locked(group, operation, rank, SCATTER_BLOCK_TAKEN,
						 NULL);
		scatter_group_breathe_locked(group, ++i);
	}
	spin_unlock(&group->lock);
}

/**
 * scatter_flow_done() - DONE has come
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the operation, if members here have called it
 * @slot: knows its operation
 * @from: the sender's index
 *
 * Context: takes the group's lock.
 * Return: false: the message breaks the protocol.
 */
bool scatter_flow_done(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot, u32 from)
{
	struct scatter_slot_edge *edge;

	if (!scatter_slot_scatters(slot)) {
		slot->done |= from == slot->parent && slot->sent;
		return slot->done;
	}
	edge = scatter_slot_edge_of(slot, from);
	if (!edge || !edge->sent)
		return false;
	edge->done = true;
	if (operation && slot->met && scatter_slot_is_root(slot))
		let_go(group, operation, slot, edge);
	return true;
}
