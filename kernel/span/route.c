// SPDX-License-Identifier: GPL-2.0
/*
 * Routes: by which tree, and to which neighbour, each part of a pulled block travels.
 */
#include <linux/types.h>

#include "group/places.h"
#include "group/portal.h"
#include "group/slot.h"
#include "group/trees.h"
#include "span/bundle.h"
#include "span/route.h"

static u32 place_of(const struct scatter_slot *slot, u32 rank)
{
	return scatter_places_of(&slot->places, slot->places.portal->where[rank]);
}

/* Find the complete bundle of a tree that has a rank's block, or a piece; *@index: which block. */
static const struct scatter_bundle *find_bundle(const struct scatter_slot *slot, u32 tree,
						u32 rank, u32 *index)
{
	u16 place = place_of(slot, rank);
	const struct scatter_slot_edge *edge = scatter_trees_edge_to(slot, tree, place);
	const struct scatter_bundle *bundle = edge ? &edge->in : NULL;
	struct scatter_places_cursor cursor;
	u32 other;

	if (scatter_slot_descends(slot))
		bundle = &slot->trees[tree].in;
	if (!bundle || !scatter_bundle_is_complete(bundle))
		return NULL;
	*index = slot->trees[tree].spots[place].index;
	scatter_places_begin(&cursor, &place, 1);
	while (scatter_places_next(&slot->places, &cursor, &other) && other != rank)
		++*index;
	return bundle;
}

/*
 * Find the end of the piece of a rank's block that contains the byte at @offset. 0: that piece does
 * not travel by this tree.
 */
static u64 piece_end(const struct scatter_slot *slot, u32 tree, u32 rank, u64 offset)
{
	const struct scatter_bundle *bundle;
	u64 length = SCATTER_WIDE_LENGTH_VOID, end;
	u32 index;

	if (!slot->trees[tree].spots[place_of(slot, rank)].there)
		return 0;
	if (slot->pieces == 1)
		return SCATTER_WIDE_LENGTH_VOID;
	bundle = find_bundle(slot, tree, rank, &index);
	if (bundle)
		length = scatter_bundle_length(bundle, index);
	else if (slot->places.portal->where[rank] == slot->places.portal->self)
		length = scatter_slot_parcel(slot, rank)->length;
	if (length == SCATTER_WIDE_LENGTH_VOID ||
	    offset < scatter_schedule_cut(length, tree, slot->pieces))
		return 0;
	end = scatter_schedule_cut(length, tree + 1, slot->pieces);
	return offset < end ? end : 0;
}

/**
 * scatter_route_tree() - find the tree by which a byte of a block travels
 * @slot: the operation's slot; scatter_portal.moving is held
 * @rank: the block's rank
 * @offset: bytes of the block before that byte
 * @end: (out) where the bytes that travel by the same tree end
 *
 * Context: any.
 * Return: the tree; the number of trees: no tree has the byte.
 */
u32 scatter_route_tree(const struct scatter_slot *slot, u32 rank, u64 offset, u64 *end)
{
	u32 i;

	for (i = 0; i < slot->nr_trees; i++) {
		*end = piece_end(slot, i, rank, offset);
		if (*end)
			break;
	}
	return i;
}

/**
 * scatter_route_source() - find the node to which this node sends PULLs for a block
 * @slot: the operation's slot; scatter_portal.moving is held
 * @tree: the tree
 * @rank: the block's rank
 *
 * Context: any.
 * Return: the node's index; this node's index: the block's source is here.
 */
u32 scatter_route_source(const struct scatter_slot *slot, u32 tree, u32 rank)
{
	const struct scatter_slot_edge *edge;

	if (scatter_slot_scatters(slot))
		return slot->trees[tree].parent;
	edge = scatter_trees_edge_to(slot, tree, place_of(slot, rank));
	return edge ? edge->node : slot->places.portal->self;
}

/**
 * scatter_route_sink() - find the node to which this node sends the bytes of a block
 * @slot: the operation's slot; scatter_portal.moving is held
 * @tree: the tree
 * @rank: the block's rank
 *
 * Context: any.
 * Return: the node's index; this node's index: the bytes are for a member here.
 */
u32 scatter_route_sink(const struct scatter_slot *slot, u32 tree, u32 rank)
{
	const struct scatter_slot_edge *edge;

	if (!scatter_slot_scatters(slot))
		return slot->trees[tree].parent;
	edge = scatter_trees_edge_to(slot, tree, place_of(slot, rank));
	return edge ? edge->node : slot->places.portal->self;
}

/**
 * scatter_route_pages() - find the pages here in which a block lies, or its piece of a tree
 * @slot: the operation's slot; scatter_portal.moving is held
 * @tree: the tree
 * @rank: the block's rank
 * @at: (out) bytes of the pages before the block's first byte; modulo 2^64, if the pages have only
 *	a later piece
 * @begin: (out) the first byte of the block that is in the pages
 * @end: (out) where those bytes end
 *
 * Context: any.
 * Return: the pages; NULL: no pages here have the block.
 */
const struct scatter_chunks *scatter_route_pages(const struct scatter_slot *slot, u32 tree,
						 u32 rank, u64 *at, u64 *begin, u64 *end)
{
	const struct scatter_portal *portal = slot->places.portal;
	const struct scatter_bundle *bundle;
	const struct scatter_parcel *parcel;
	u32 index, first;
	u64 length;

	if (!scatter_slot_scatters(slot) && portal->where[rank] == portal->self) {
		parcel = scatter_slot_parcel(slot, rank);
		*at = 0;
		*begin = 0;
		*end = parcel->block.end;
		return parcel->block.end ? &parcel->block : NULL;
	}
	bundle = find_bundle(slot, tree, rank, &index);
	if (!bundle || bundle->head.flags & SCATTER_WIDE_PLAIN)
		return NULL;
	*at = slot->trees[tree].spots[place_of(slot, rank)].at;
	first = slot->trees[tree].spots[place_of(slot, rank)].index;
	for (; first < index; first++)
		*at += scatter_bundle_carried(bundle, scatter_bundle_length(bundle, first));
	length = scatter_bundle_length(bundle, index);
	if (length == SCATTER_WIDE_LENGTH_VOID)
		length = 0;
	*end = scatter_bundle_piece(bundle, length, begin);
	*end += *begin;
	*at -= *begin;
	return &bundle->stream;
}
