// SPDX-License-Identifier: GPL-2.0
/*
 * Counts: the lengths of all blocks, from which each node finds the tree of an irregular schedule.
 *
 * Only the root knows all counts. The counts travel down that tree before anything else, so that no
 * node gets a bundle of a tree that it does not know. A place without any bytes is in no tree: such
 * a place gets the counts along a hypercube, and its members learn that they have nothing to give
 * or take. It answers with DONE, as others answer a bundle.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "group/trees.h"
#include "operation/operation.h"
#include "schedule/irregular.h"
#include "span/attach.h"
#include "span/bundle.h"
#include "span/counts.h"

static void add_to(struct scatter_slot *slot, u32 node)
{
	slot->told[slot->nr_told++] = (struct scatter_slot_told){ .node = node };
}

static bool is_empty(const struct scatter_irregular *table, u32 place)
{
	return place != table->root && table->node[place].parent == SCATTER_IRREGULAR_NONE;
}

/* Start a walk in the hypercube of all places; false: this node has no parent in the hypercube. */
static bool find_cube(const struct scatter_slot *slot, struct scatter_walk *walk,
		      struct scatter_step *parent)
{
	const struct scatter_schedule_spec cube = {
		.algorithm = SCATTER_SCHEDULE_HYPERCUBE,
		.op = SCATTER_SCHEDULE_SCATTER,
		.size = slot->places.nr,
		.root = slot->places.root,
	};

	return scatter_schedule_init(walk, &cube, slot->places.self) &&
	       scatter_schedule_parent(walk, 0, parent);
}

/* Find the tree, and the nodes to tell; false: the counts come from a wrong node. */
static bool plan(struct scatter_slot *slot, const struct scatter_irregular *table, u32 from)
{
	const struct scatter_places *places = &slot->places;
	const struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_IRREGULAR,
		.op = SCATTER_SCHEDULE_SCATTER,
		.size = places->nr,
		.root = places->root,
		.irregular = table,
	};
	u32 above = table->node[places->self].parent, nr, i;
	struct scatter_walk walk;
	struct scatter_step step;

	if (find_cube(slot, &walk, &step) && is_empty(table, places->self))
		above = step.peer;
	if (!scatter_slot_is_root(slot) && scatter_places_node(places, above) != from)
		return false;
	scatter_trees_find(slot, &spec, scatter_slot_descends(slot));
	nr = slot->nr_edges + scatter_schedule_children(&walk, 0);
	slot->told = kvcalloc(nr, sizeof(*slot->told), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	for (i = 0; i < slot->nr_edges; i++)
		add_to(slot, slot->edges[i].node);
	for (i = 0; scatter_schedule_child(&walk, 0, i, &step); i++)
		if (is_empty(table, step.peer))
			add_to(slot, scatter_places_node(places, step.peer));
	return true;
}

/* Add up the bytes of all blocks of a place; false: a block has no length. */
static bool sum(const struct scatter_slot *slot, u16 place, u64 *bytes)
{
	struct scatter_places_cursor cursor;
	u64 length;
	u32 rank;

	scatter_places_begin(&cursor, &place, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		length = scatter_bundle_length(&slot->counts, rank - slot->head.first);
		if (length == SCATTER_WIDE_LENGTH_VOID)
			return false;
		*bytes += length;
	}
	return true;
}

/* Use the counts, which are complete; false: the counts break the protocol. */
static bool use(struct scatter_slot *slot, u32 from)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOFAIL;
	struct scatter_irregular_node *node;
	u32 nr = slot->places.nr, i;
	struct scatter_irregular table;
	bool fine = true;
	u64 *bytes;

	node = kvcalloc(nr, sizeof(*node), gfp);
	bytes = kvcalloc(nr, sizeof(*bytes), gfp);
	for (i = 0; i < slot->places.owners; i++)
		fine &= sum(slot, i, &bytes[i]);
	/* The sum fits: there are few blocks, and none is beyond SCATTER_WIDE_BLOCK_MAX. */
	fine = fine && !scatter_irregular_build(&table, node, bytes, nr, slot->places.root) &&
	       plan(slot, &table, from);
	kvfree(bytes);
	kvfree(node);
	return fine;
}

/**
 * scatter_counts_came() - handle a BUNDLE message that has counts
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: knows its operation
 * @from: the sender's index
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep.
 * Return: false: the message breaks the protocol.
 */
bool scatter_counts_came(struct scatter_group *group, struct scatter_slot *slot, u32 from,
			 const struct scatter_wide_bundle *wide, struct page *page, u32 offset)
{
	struct scatter_bundle *counts = &slot->counts;
	struct scatter_kept *kept = &group->portal->nodes[from].kept;
	const struct scatter_kept before = counts->kept;
	bool fine;

	lockdep_assert_held(&group->portal->moving);
	if (slot->head.algorithm != SCATTER_SCHEDULE_IRREGULAR || scatter_slot_is_root(slot) ||
	    wide->count != slot->head.blocks)
		return false;
	/* Two nodes send counts. The second one need not be the one that breaks the protocol. */
	if (counts->begun && from != slot->counts_from) {
		slot->differs = true;
		return true;
	}
	if (slot->planned)
		return false;
	slot->counts_from = from;
	fine = scatter_bundle_add(counts, wide, page, offset);
	/* Another node may still send counts, and is not charged for this bad message. */
	if (!fine) {
		counts->kept = before;
		return false;
	}
	scatter_kept_sub(kept, &before);
	scatter_kept_add(kept, &counts->kept);
	return !scatter_bundle_is_complete(counts) || use(slot, from);
}

/**
 * scatter_counts_stray() - handle a message that does not belong to the tree that this node knows
 * @slot: knows its operation; scatter_portal.moving is held
 *
 * The tree of an irregular schedule is as the counts say. If a node has made the counts up, the
 * sender of the message need not be that node.
 *
 * Context: any.
 * Return: false: the message breaks the protocol.
 */
bool scatter_counts_stray(struct scatter_slot *slot)
{
	if (slot->head.algorithm != SCATTER_SCHEDULE_IRREGULAR)
		return false;
	/* Honest nodes send such a message after the counts, which may have been dropped. */
	slot->differs |= slot->planned;
	return slot->differs;
}

/**
 * scatter_counts_make() - find the tree, on the root's node
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the operation, which the root has called
 * @slot: the operation's slot, whose tree is not known yet
 *
 * Context: may sleep.
 */
void scatter_counts_make(struct scatter_group *group, struct scatter_operation *operation,
			 struct scatter_slot *slot)
{
	struct scatter_bundle *counts = &slot->counts;
	__le64 raw;
	u32 i, rank;

	lockdep_assert_held(&group->portal->moving);
	counts->head = slot->head;
	counts->head.flags = SCATTER_WIDE_LISTED | SCATTER_WIDE_PLAIN | SCATTER_WIDE_COUNTS;
	counts->head.tree = 0;
	counts->head.count = slot->head.blocks;
	counts->begun = true;
	for (i = 0; i < slot->head.blocks; i++) {
		rank = slot->head.first + i;
		raw = cpu_to_le64(scatter_operation_slice(operation, rank)->length);
		scatter_chunks_append(&counts->stream, &raw, sizeof(raw));
	}
	counts->head.total = counts->stream.end;
	WARN_ON_ONCE(!use(slot, group->portal->self));
}

/**
 * scatter_counts_push() - send the counts to the nodes that get them from this node
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: knows its trees
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_counts_push(struct scatter_group *group, struct scatter_slot *slot)
{
	u32 i;

	lockdep_assert_held(&group->portal->moving);
	for (i = 0; i < slot->nr_told; i++) {
		if (slot->told[i].sent || !scatter_attach_tied(group, slot->told[i].node))
			continue;
		slot->told[i].sent = true;
		scatter_bundle_send(group, slot->told[i].node, &slot->counts);
	}
}

/**
 * scatter_counts_done() - handle DONE of a node that may have got counts from this node
 * @slot: knows its operation; scatter_portal.moving is held
 * @from: the node's index
 *
 * Context: any.
 * Return: whether this node has sent counts to @from.
 */
bool scatter_counts_done(struct scatter_slot *slot, u32 from)
{
	bool sent = false;
	u32 i;

	for (i = 0; i < slot->nr_told; i++) {
		if (slot->told[i].node != from || !slot->told[i].sent)
			continue;
		slot->told[i].done = true;
		sent = true;
	}
	return sent;
}

/**
 * scatter_counts_are_out_locked() - whether no node waits for counts or uses them any more
 * @group: formed, and spans nodes
 * @slot: knows its trees; scatter_portal.moving is held
 *
 * Children tell by DONE of their bundle that they use the counts no longer.
 *
 * Context: the group's lock is held.
 */
bool scatter_counts_are_out_locked(const struct scatter_group *group,
				   const struct scatter_slot *slot)
{
	const struct scatter_slot_told *told;
	u32 i;

	lockdep_assert_held(&group->lock);
	for (i = 0; i < slot->nr_told; i++) {
		told = &slot->told[i];
		if ((i < slot->nr_edges ? !told->sent : !told->done) &&
		    group->portal->nodes[told->node].tie != SCATTER_PORTAL_GONE)
			return false;
	}
	return true;
}
