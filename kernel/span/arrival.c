// SPDX-License-Identifier: GPL-2.0
/*
 * Arrivals: hand blocks that have come to this node, or can be pulled, to members here.
 */
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/places.h"
#include "group/slot.h"
#include "operation/block.h"
#include "operation/operation.h"
#include "operation/plan.h"
#include "span/arrival.h"
#include "span/bundle.h"

/*
 * The length of the @nth block of a place, as all complete bundles say that have a piece of the
 * block. In a scatter, the place may be this node.
 */
static u64 length_of(const struct scatter_slot *slot, u32 place, u32 nth)
{
	u64 length = SCATTER_WIDE_LENGTH_VOID;
	u32 i, found = 0;

	for (i = 0; i < slot->nr_trees; i++) {
		const struct scatter_slot_spot *spot = &slot->trees[i].spots[place];
		const struct scatter_bundle *in;
		u64 other;

		if (!spot->there)
			continue;
		in = scatter_slot_scatters(slot) ? &slot->trees[i].in : &slot->edges[spot->edge].in;
		other = scatter_bundle_length(in, spot->index + nth);
		/* A hostile node may send different lengths by different trees. */
		if (found++ && other != length)
			return SCATTER_WIDE_LENGTH_VOID;
		length = other;
	}
	return length;
}

/*
 * Note that the blocks of a place have come, or can be pulled. The blocks lie @at bytes from the
 * start of @in. Without @in they are empty: an irregular schedule sends nothing for a place without
 * any bytes. Blocks that are cut are always pulled, since their pieces lie in several bundles. With
 * @n, drops the lock now and then; *@n counts the blocks for that. Returns a rank that has named
 * another length for its block, or %SCATTER_NO_RANK.
 */
static u32 arrive_locked(struct scatter_group *group, struct scatter_operation *operation,
			 const struct scatter_slot *slot, u16 place,
			 const struct scatter_bundle *in, u64 at, u32 *n)
	__must_hold(&group->lock)
{
	bool pulled = !in || in->head.flags & SCATTER_WIDE_PLAIN || slot->pieces > 1;
	struct scatter_places_cursor cursor;
	u32 rank, i = 0;

	lockdep_assert_held(&group->lock);
	scatter_places_begin(&cursor, &place, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		u64 length = in ? length_of(slot, place, i++) : 0;
		bool is_void = length == SCATTER_WIDE_LENGTH_VOID;

		if (!scatter_block_arrive_locked(operation, rank, length, is_void,
						 pulled ? NULL : &in->stream, at))
			return rank;
		at += in ? scatter_bundle_carried(in, length) : 0;
		if (n)
			scatter_group_breathe_locked(group, ++*n);
	}
	return SCATTER_NO_RANK;
}

/* Find the tree whose bundle has the blocks of members here, or their first pieces; NULL: none. */
static const struct scatter_slot_tree *own_tree(const struct scatter_slot *slot)
{
	u32 i;

	for (i = 0; i < slot->nr_trees; i++)
		if (slot->trees[i].spots[slot->places.self].there)
			return &slot->trees[i];
	return NULL;
}

/**
 * scatter_arrival_is_whole() - whether all bundles with blocks of members here have come
 * @slot: slot of a scatter whose root is on another node; knows its trees
 *
 * Context: any.
 */
bool scatter_arrival_is_whole(const struct scatter_slot *slot)
{
	u32 i;

	for (i = 0; i < slot->nr_trees; i++)
		if (slot->trees[i].spots[slot->places.self].there &&
		    !scatter_bundle_is_complete(&slot->trees[i].in))
			return false;
	return true;
}

/**
 * scatter_arrival_hand_out_locked() - give members here their blocks of a scatter
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the scatter
 * @slot: the operation's slot, for which scatter_arrival_is_whole() is true
 *
 * Context: the group's lock is held.
 * Return: rank of a member whose call names another length; %SCATTER_NO_RANK: none.
 */
u32 scatter_arrival_hand_out_locked(struct scatter_group *group,
				    struct scatter_operation *operation,
				    const struct scatter_slot *slot)
	__must_hold(&group->lock)
{
	const struct scatter_slot_tree *tree = own_tree(slot);

	lockdep_assert_held(&group->lock);
	if (!operation->decided)
		scatter_plan_decide_locked(group, operation, 0);
	/*
	 * Do not drop the lock: a member that called in between would compare its length with
	 * lengths that are not set yet.
	 */
	if (!tree)
		return arrive_locked(group, operation, slot, slot->places.self, NULL, 0, NULL);
	return arrive_locked(group, operation, slot, slot->places.self, &tree->in,
			     tree->spots[slot->places.self].at, NULL);
}

/**
 * scatter_arrival_has_all() - whether all pieces of a child's blocks have come to the root
 * @slot: slot of a gather whose root is here; knows its trees
 * @edge: the edge to the child; if blocks are cut, in the first tree
 *
 * Context: any.
 */
bool scatter_arrival_has_all(const struct scatter_slot *slot, const struct scatter_slot_edge *edge)
{
	u32 i;

	if (slot->pieces == 1)
		return scatter_bundle_is_complete(&edge->in);
	for (i = 0; i < slot->nr_edges; i++)
		if (!scatter_bundle_is_complete(&slot->edges[i].in))
			return false;
	return true;
}

/**
 * scatter_arrival_collect_locked() - give the root the blocks of a child's subtree
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the gather, which the root has called
 * @slot: the operation's slot
 * @edge: the edge to the child, for which scatter_arrival_has_all() is true
 *
 * Context: the group's lock is held; dropped now and then, and taken again.
 * Return: a rank whose block is not as long as the root says; %SCATTER_NO_RANK: none.
 */
u32 scatter_arrival_collect_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   const struct scatter_slot *slot,
				   const struct scatter_slot_edge *edge)
	__must_hold(&group->lock)
{
	const struct scatter_slot_spot *spots = slot->trees[edge->tree].spots;
	u32 i, rank, n = 0;

	lockdep_assert_held(&group->lock);
	for (i = 0; i < edge->set.nr; i++) {
		u16 place = edge->set.place[i];

		rank = arrive_locked(group, operation, slot, place, &edge->in, spots[place].at,
				     &n);
		if (rank != SCATTER_NO_RANK)
			return rank;
	}
	return SCATTER_NO_RANK;
}

/**
 * scatter_arrival_forgo_locked() - give the root the empty blocks of places that send nothing
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the gather, which the root has called
 * @slot: the operation's slot; irregular
 *
 * Context: the group's lock is held; dropped now and then, and taken again.
 */
void scatter_arrival_forgo_locked(struct scatter_group *group,
				  struct scatter_operation *operation,
				  const struct scatter_slot *slot)
	__must_hold(&group->lock)
{
	u32 place, n = 0;

	lockdep_assert_held(&group->lock);
	for (place = 0; place < slot->places.nr; place++) {
		if (place == slot->places.self || slot->trees[0].spots[place].there)
			continue;
		/* No rank can differ: the root itself has said how long all blocks are. */
		arrive_locked(group, operation, slot, place, NULL, 0, &n);
	}
}
