// SPDX-License-Identifier: GPL-2.0
/*
 * Flows: how scatters and gathers go on from node to node.
 *
 * In a scatter, a node sends its children their bundles when the bundle of its own subtree is
 * there. In a gather, a node sends its parent the bundle of its subtree when all blocks of the
 * subtree can be had. No node waits for members whose blocks are not concerned. A node that needs
 * nothing more of a neighbour sends DONE. A node ends the operation when it has all that it needs,
 * and has got DONE from all nodes to which it has sent a bundle, or nothing but counts.
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
#include "group/trees.h"
#include "node/mail.h"
#include "operation/agree.h"
#include "operation/block.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "span/arrival.h"
#include "span/attach.h"
#include "span/bundle.h"
#include "span/counts.h"
#include "span/done.h"
#include "span/fact.h"
#include "span/flow.h"
#include "span/lane.h"
#include "span/pack.h"
#include "span/pull.h"
#include "span/sink.h"

/* Break the group: a rank has called another operation than the others. */
static void blame(struct scatter_group *group, struct scatter_operation *operation, u32 rank)
{
	spin_lock(&group->lock);
	scatter_agree_break_locked(group, operation, rank);
	scatter_group_unlock(group);
	scatter_fact_tell(group, SCATTER_WIDE_MISMATCH, rank, operation->number);
	scatter_fail_abort(group);
}

/*
 * Find the first member here that has called and is not idle. An idle member may agree with all
 * others, so it is found only if no other member here has called.
 */
static u32 caller_of_locked(struct scatter_group *group, const struct scatter_operation *operation)
{
	u32 rank, first = SCATTER_NO_RANK;

	lockdep_assert_held(&group->lock);
	for (rank = 0; rank < operation->size; rank++) {
		if (!scatter_group_member(group, rank) ||
		    !scatter_operation_part(operation, rank)->posted)
			continue;
		if (operation->spec.idle || scatter_spec_involves(&operation->spec, rank))
			return rank;
		if (first == SCATTER_NO_RANK)
			first = rank;
	}
	return first;
}

/**
 * scatter_flow_is_idle_root_locked() - whether other nodes' root is an idle member here
 * @group: formed, and spans nodes
 * @operation: the operation that members here have called
 * @root: the root as other nodes say; %SCATTER_NO_RANK: they did not say
 *
 * Context: the group's lock is held.
 */
bool scatter_flow_is_idle_root_locked(struct scatter_group *group,
				      const struct scatter_operation *operation, u32 root)
{
	lockdep_assert_held(&group->lock);
	return operation->spec.idle && root != SCATTER_NO_RANK &&
	       scatter_group_member(group, root) &&
	       scatter_operation_part(operation, root)->posted;
}

/**
 * scatter_flow_disagree() - break the group: members here have called another operation than others
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the operation that members here have called
 * @root: the root as other nodes say; %SCATTER_NO_RANK: they did not say
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_flow_disagree(struct scatter_group *group, struct scatter_operation *operation,
			   u32 root)
{
	u32 rank;

	/* This node has said so before. */
	if (scatter_operation_is_lost(operation))
		return;
	spin_lock(&group->lock);
	rank = scatter_flow_is_idle_root_locked(group, operation, root) ?
	       root : caller_of_locked(group, operation);
	spin_unlock(&group->lock);
	if (rank != SCATTER_NO_RANK)
		blame(group, operation, rank);
}

/**
 * scatter_flow_meet() - tell a slot what members here have called, or compare both
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: of kind move or merge
 * @slot: the operation's slot
 *
 * Context: may sleep.
 */
void scatter_flow_meet(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot)
{
	struct scatter_wide_bundle head;
	struct scatter_spec spec;
	bool known;

	if (slot->met)
		return;
	spin_lock(&group->lock);
	spec = operation->spec;
	known = operation->posted && !spec.idle;
	if (slot->known)
		slot->differs |= scatter_flow_is_idle_root_locked(group, operation,
								  slot->head.root);
	spin_unlock(&group->lock);
	if (!known)
		return;
	slot->met = true;
	scatter_slot_describe(group, &spec, slot->number, &head);
	slot->differs |= slot->known ? !scatter_slot_same(&slot->head, &head) :
				       !scatter_slot_learn(group, slot, &head);
}

/* Whether the root is a member here, and has called: then its call has told the lengths. */
static bool has_called(struct scatter_group *group, const struct scatter_operation *operation,
		       const struct scatter_slot *slot)
{
	bool posted;

	if (!operation || !slot->met || !scatter_slot_is_root(slot))
		return false;
	/* A call first notes that it has called, and tells lengths before it drops the lock. */
	spin_lock(&group->lock);
	posted = scatter_operation_part(operation, slot->head.root)->posted;
	spin_unlock(&group->lock);
	return posted;
}

static void push_scatter(struct scatter_group *group, struct scatter_operation *operation,
			 struct scatter_slot *slot)
{
	const u16 self = slot->places.self;
	struct scatter_bundle out;
	u32 i, rank;

	for (i = 0; i < slot->nr_edges; i++) {
		struct scatter_slot_edge *edge = &slot->edges[i];
		const struct scatter_bundle *in = &slot->trees[edge->tree].in;

		/* The counts go before the bundle. */
		if (edge->sent || (i < slot->nr_told && !slot->told[i].sent))
			continue;
		/* The root packs bundles; another node forwards when it has its own bundle. */
		if (!scatter_attach_tied(group, edge->node) ||
		    !(scatter_slot_is_root(slot) ? edge->in.begun : scatter_bundle_is_complete(in)))
			continue;
		edge->sent = true;
		if (scatter_slot_is_root(slot)) {
			scatter_bundle_send(group, edge->node, &edge->in);
			continue;
		}
		scatter_bundle_for_child(slot, edge, &out);
		scatter_bundle_send(group, edge->node, &out);
		scatter_chunks_free(&out.stream);
	}
	if (scatter_slot_is_root(slot) || slot->placed || !slot->met ||
	    !scatter_arrival_is_whole(slot))
		return;
	slot->placed = true;
	spin_lock(&group->lock);
	rank = scatter_arrival_hand_out_locked(group, operation, slot);
	scatter_group_unlock(group);
	if (rank != SCATTER_NO_RANK)
		blame(group, operation, rank);
	else
		scatter_sink_prefetch(group, operation, slot, &self, 1);
}

/* The length of a rank's block in an irregular schedule, as the root says. */
static u64 count_of(const struct scatter_slot *slot, u32 rank)
{
	return scatter_bundle_length(&slot->counts, rank - slot->head.first);
}

/*
 * Whether all blocks of this node's subtree in a tree are here, or can be pulled by way of this
 * node.
 */
static bool is_ripe(const struct scatter_slot *slot, u32 tree)
{
	const u16 self = slot->places.self;
	struct scatter_places_cursor cursor;
	u32 rank, i;

	for (i = 0; i < slot->nr_edges; i++)
		if (slot->edges[i].tree == tree &&
		    !scatter_bundle_is_complete(&slot->edges[i].in))
			return false;
	scatter_places_begin(&cursor, &self, slot->trees[tree].spots[self].there);
	while (scatter_places_next(&slot->places, &cursor, &rank))
		if (!scatter_slot_parcel(slot, rank)->ready &&
		    (!slot->counts.begun || count_of(slot, rank)))
			return false;
	return true;
}

static void send_up(struct scatter_group *group, struct scatter_slot *slot)
{
	struct scatter_bundle out;
	u32 i;

	for (i = 0; i < slot->nr_trees; i++) {
		struct scatter_slot_tree *tree = &slot->trees[i];

		if (!tree->joined || tree->sent || !is_ripe(slot, i) ||
		    !scatter_attach_tied(group, tree->parent))
			continue;
		tree->sent = true;
		scatter_bundle_for_parent(slot, i, &out);
		scatter_bundle_send(group, tree->parent, &out);
		scatter_chunks_free(&out.stream);
	}
}

/* Find a member here whose block has another length than the root expects. */
static u32 unexpected(const struct scatter_slot *slot)
{
	const u16 self = slot->places.self;
	struct scatter_places_cursor cursor;
	u32 rank;

	scatter_places_begin(&cursor, &self, slot->counts.begun);
	while (scatter_places_next(&slot->places, &cursor, &rank))
		if (scatter_slot_parcel(slot, rank)->ready &&
		    scatter_slot_parcel(slot, rank)->length != count_of(slot, rank))
			return rank;
	return SCATTER_NO_RANK;
}

static void push_gather(struct scatter_group *group, struct scatter_operation *operation,
			struct scatter_slot *slot)
{
	u32 i, rank;
	bool there;

	if (!scatter_slot_is_root(slot)) {
		rank = unexpected(slot);
		/*
		 * If the root's call has failed, no node wants the blocks. Members may call any
		 * number of such gathers, so nothing would bound what is sent.
		 */
		if (rank == SCATTER_NO_RANK && !slot->failed)
			send_up(group, slot);
		else if (rank != SCATTER_NO_RANK && operation &&
			 !scatter_operation_is_lost(operation))
			blame(group, operation, rank);
		return;
	}
	there = has_called(group, operation, slot);
	if (there && slot->nr_told && !slot->placed) {
		slot->placed = true;
		spin_lock(&group->lock);
		scatter_arrival_forgo_locked(group, operation, slot);
		scatter_group_unlock(group);
	}
	for (i = 0; i < slot->nr_edges && there; i++) {
		struct scatter_slot_edge *edge = &slot->edges[i];

		/* If blocks are cut, the edges of the first tree are enough. */
		if (slot->pieces > 1 && edge->tree)
			break;
		if (edge->placed || !scatter_arrival_has_all(slot, edge))
			continue;
		edge->placed = true;
		spin_lock(&group->lock);
		rank = scatter_arrival_collect_locked(group, operation, slot, edge);
		scatter_group_unlock(group);
		if (rank != SCATTER_NO_RANK)
			blame(group, operation, rank);
		else
			scatter_sink_prefetch(group, operation, slot, edge->set.place,
					      edge->set.nr);
	}
}

/*
 * Fail an operation that depends on a failed call on another node. In a broken group, the error is
 * that of the group.
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
 * @slot: the operation's slot, after scatter_flow_meet()
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_flow_push(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot)
{
	u32 rank;

	if (operation && slot->failed)
		fail(group, operation, slot);
	if (!slot->known || slot->ended)
		return;
	if (slot->emptied) {
		/* The verdict ends the calls of all members that call the same as others. */
		if (operation && READ_ONCE(operation->posted) && !READ_ONCE(operation->error))
			scatter_flow_disagree(group, operation, slot->head.root);
		return;
	}
	if (slot->cells) {
		rank = scatter_lane_push(group, operation, slot);
		if (rank != SCATTER_NO_RANK)
			blame(group, operation, rank);
		else if (operation && slot->differs)
			scatter_flow_disagree(group, operation, slot->head.root);
		return;
	}
	if (!slot->planned && has_called(group, operation, slot))
		scatter_counts_make(group, operation, slot);
	if (!slot->planned)
		return;
	scatter_counts_push(group, slot);
	scatter_pull_void(group, slot);
	if (scatter_slot_scatters(slot))
		push_scatter(group, operation, slot);
	else
		push_gather(group, operation, slot);
}

/**
 * scatter_flow_is_through_locked() - whether this node is through with a scatter or gather
 * @group: formed, and spans nodes
 * @slot: the operation's slot; scatter_portal.moving is held
 *
 * Then the node's neighbours need nothing of the node any more, and the node needs nothing of them.
 *
 * Context: the group's lock is held.
 */
bool scatter_flow_is_through_locked(const struct scatter_group *group,
				    const struct scatter_slot *slot)
{
	bool scatters = scatter_slot_scatters(slot);
	u32 i;

	lockdep_assert_held(&group->lock);
	if (!slot->known || slot->ended)
		return true;
	if (slot->cells)
		return slot->cells->through;
	if (!slot->planned || !scatter_counts_are_out_locked(group, slot))
		return false;
	for (i = 0; i < slot->nr_edges; i++) {
		const struct scatter_slot_edge *edge = &slot->edges[i];

		if (group->portal->nodes[edge->node].tie == SCATTER_PORTAL_GONE)
			continue;
		if (scatters ? !edge->done : !scatter_bundle_is_complete(&edge->in))
			return false;
	}
	for (i = 0; i < slot->nr_trees; i++) {
		const struct scatter_slot_tree *tree = &slot->trees[i];

		if (tree->joined &&
		    !(scatters ? scatter_bundle_is_complete(&tree->in) : tree->done))
			return false;
	}
	return true;
}

/*
 * Find the bundle to which a node's messages belong, and the places whose blocks it has. NULL: that
 * node sends no bundle of the tree to this one.
 */
static struct scatter_bundle *find_in(struct scatter_slot *slot, u32 from, u32 tree,
				      const struct scatter_slot_set **set)
{
	struct scatter_slot_edge *edge;

	if (tree >= slot->nr_trees)
		return NULL;
	if (!scatter_slot_scatters(slot)) {
		edge = scatter_trees_edge_of(slot, tree, from);
		if (!edge)
			return NULL;
		*set = &edge->set;
		return &edge->in;
	}
	if (!slot->trees[tree].joined || slot->trees[tree].parent != from)
		return NULL;
	*set = &slot->trees[tree].set;
	return &slot->trees[tree].in;
}

/* Drop a message; always true. */
static bool overrun(struct scatter_group *group, u32 from, u64 number)
{
	scatter_fact_overrun(group, group->portal->nodes[from].first, number);
	return true;
}

/*
 * Handle a bundle of an operation that this node has passed; always true. Members of the sender's
 * node may need DONE. If this node has passed the operation with all that it needed, nobody who
 * agrees with the members here has anything left to send: the root is one who differs from them, or
 * from the sender.
 */
static bool came_late(struct scatter_group *group, u32 from, const struct scatter_wide_bundle *wide)
{
	bool broken = READ_ONCE(group->state) == SCATTER_STATE_BROKEN;

	if (!broken && wide->number >= group->portal->vain_end && wide->root < group->size)
		scatter_fact_overrun(group, wide->root, wide->number);
	else if (wide->offset + wide->payload == wide->total)
		scatter_done_answer(group, from, wide->number);
	return true;
}

/**
 * scatter_flow_came() - handle a BUNDLE message
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the operation, if members here have called it
 * @from: the sender's index
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 * @news: cleared if nothing can have become due
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_flow_came(struct scatter_group *group, struct scatter_operation *operation, u32 from,
		       const struct scatter_wide_bundle *wide, struct page *page, u32 offset,
		       bool *news)
{
	struct scatter_kept *kept = &group->portal->nodes[from].kept;
	const struct scatter_slot_set *set;
	struct scatter_slot *slot;
	struct scatter_bundle *in;
	bool fine;

	if (scatter_operation_is_passed(group, wide->number))
		return came_late(group, from, wide);
	slot = scatter_slot_get(group, wide->number, from);
	if (!slot)
		return overrun(group, from, wide->number);
	/* If members here have called, their call tells what the operation is. */
	if (operation && scatter_op_moves(operation->spec.op))
		scatter_flow_meet(group, operation, slot);
	if (!slot->known && !scatter_slot_learn(group, slot, wide))
		return false;
	/* Of an operation that has ended here, honest nodes that agree send nothing more. */
	if (slot->ended || !scatter_slot_same(&slot->head, wide)) {
		slot->differs = true;
		return true;
	}
	if (scatter_portal_is_vain(group, slot))
		return true;
	if (scatter_portal_is_full(group, from))
		return overrun(group, from, wide->number);
	if (wide->flags & SCATTER_WIDE_COUNTS)
		return scatter_counts_came(group, slot, from, wide, page, offset);
	in = find_in(slot, from, wide->tree, &set);
	if (!in || wide->count != set->blocks)
		return scatter_counts_stray(slot);
	scatter_kept_sub(kept, &in->kept);
	fine = scatter_bundle_add(in, wide, page, offset);
	scatter_kept_add(kept, &in->kept);
	if (fine && scatter_bundle_is_complete(in))
		scatter_bundle_index(slot, wide->tree, set, in);
	/* The other messages of a long bundle, which follow, change nothing but the bundle. */
	else if (fine && wide->offset)
		*news = slot->differs;
	return fine;
}

/* Whether a place needs nothing of the root's memory any more, by whichever tree. */
static bool is_done(const struct scatter_slot *slot, u32 place)
{
	const struct scatter_slot_edge *edge;
	u32 i;

	for (i = 0; i < slot->nr_trees; i++) {
		edge = scatter_trees_edge_to(slot, i, place);
		if (edge && !edge->done)
			return false;
	}
	return true;
}

/* Note that the places behind an edge need nothing of the root's memory any more. */
static void let_go(struct scatter_group *group, struct scatter_operation *operation,
		   const struct scatter_slot *slot, const struct scatter_slot_edge *edge)
{
	const struct scatter_portal *portal = group->portal;
	struct scatter_places_cursor cursor;
	u32 rank, i = 0;

	spin_lock(&group->lock);
	scatter_places_begin(&cursor, edge->set.place, edge->set.nr);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		u32 place = scatter_places_of(&slot->places, portal->where[rank]);

		if (is_done(slot, place) &&
		    scatter_operation_cargo(operation, rank)->state == SCATTER_BLOCK_HOME)
			scatter_block_set_locked(group, operation, rank, SCATTER_BLOCK_TAKEN,
						 NULL);
		scatter_group_breathe_locked(group, ++i);
	}
	spin_unlock(&group->lock);
}

/**
 * scatter_flow_done() - handle a DONE message
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the operation, if members here have called it
 * @slot: the operation's slot; knows the operation
 * @from: the sender's index
 *
 * Context: takes the group's lock.
 * Return: false: the message breaks the protocol.
 */
bool scatter_flow_done(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot, u32 from)
{
	bool ours = operation && slot->met && scatter_slot_is_root(slot);
	bool fine = scatter_counts_done(slot, from);
	u32 i;

	if (!scatter_slot_scatters(slot)) {
		for (i = 0; i < slot->nr_trees; i++) {
			struct scatter_slot_tree *tree = &slot->trees[i];

			tree->done |= from == tree->parent && tree->sent;
			fine |= from == tree->parent && tree->done;
		}
		return fine;
	}
	for (i = 0; i < slot->nr_edges; i++) {
		struct scatter_slot_edge *edge = &slot->edges[i];

		if (edge->node != from || !edge->sent)
			continue;
		fine = true;
		if (edge->done)
			continue;
		edge->done = true;
		if (ours)
			let_go(group, operation, slot, edge);
	}
	return fine;
}
