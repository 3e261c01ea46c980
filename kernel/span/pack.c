// SPDX-License-Identifier: GPL-2.0
/*
 * Packing: members here copy blocks for other nodes into kernel memory. The root of a scatter packs
 * bundles; in a gather, each member packs its own block.
 *
 * Packed blocks stay in kernel memory until the next node is through with the operation. While
 * %SCATTER_PACK_BYTES of a group are packed here, further blocks are only announced. So the limit
 * also bounds how many bytes other nodes hold for operations that are under way here. The blocks of
 * operations that have failed count no longer: scatter_portal_is_full() bounds what other nodes
 * hold of these.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "group/group.h"
#include "group/portal.h"
#include "span/pack.h"
#include "group/slot.h"

static u64 budget(const struct scatter_portal *portal)
{
	lockdep_assert_held(&portal->moving);
	return SCATTER_PACK_BYTES - min(SCATTER_PACK_BYTES, portal->packed);
}

/**
 * scatter_pack_next() - find the next bundle that a root has to pack
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @number: number of a scatter whose root is the caller
 * @user: the user that is charged for the bundle
 * @pack: (out) what to pack
 *
 * Context: any.
 * Return: false: all bundles are packed.
 */
bool scatter_pack_next(struct scatter_group *group, u64 number, struct scatter_user *user,
		       struct scatter_pack *pack)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;
	u32 i = 0, nr = 0;

	slot = scatter_slot_find(group, number);
	if (slot && slot->planned && !slot->differs)
		nr = slot->nr_edges;
	while (i < nr && slot->edges[i].in.begun)
		i++;
	if (i < nr) {
		*pack = (struct scatter_pack){
			.edge = i,
			.set = slot->edges[i].set,
			.places = slot->places,
			.budget = min(budget(portal), (u64)SCATTER_WIDE_EAGER_MAX),
			.bundle.head = slot->head,
			.bundle.pieces = slot->pieces,
		};
		pack->bundle.head.tree = slot->edges[i].tree;
		pack->bundle.head.count = pack->set.blocks;
		scatter_chunks_init(&pack->bundle.stream, user);
	}
	return i < nr;
}

/**
 * scatter_pack_put() - take over a bundle that a root has packed
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @number: the operation's number
 * @pack: from scatter_pack_next(), filled
 *
 * Context: may sleep. The caller has to call scatter_span_move() afterwards.
 */
void scatter_pack_put(struct scatter_group *group, u64 number, struct scatter_pack *pack)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot_edge *edge;
	struct scatter_slot *slot;

	slot = scatter_slot_find(group, number);
	if (slot && !slot->differs && pack->edge < slot->nr_edges) {
		edge = &slot->edges[pack->edge];
		edge->in.head = pack->bundle.head;
		edge->in.begun = true;
		scatter_chunks_move(&edge->in.stream, &pack->bundle.stream);
		slot->packed += edge->in.stream.end;
		portal->packed += edge->in.stream.end;
	}
	scatter_chunks_free(&pack->bundle.stream);
}

/* The longest block that travels eagerly: as many of them fit into this node's longest bundle. */
static u64 eager_limit(const struct scatter_slot *slot)
{
	u32 i, most = 1;

	for (i = 0; i < slot->nr_trees; i++)
		most = max(most, slot->trees[i].set.blocks);
	return SCATTER_WIDE_EAGER_MAX / most * slot->pieces;
}

/**
 * scatter_pack_aside() - whether a member has to pack its block of a gather
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @number: the gather's number
 * @length: bytes of the block
 *
 * Blocks travel eagerly if the bundles of this node's whole subtrees do. In a v form, no node knows
 * how long these bundles are.
 *
 * Context: any.
 */
bool scatter_pack_aside(struct scatter_group *group, u64 number, u64 length)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;
	bool aside = false;

	slot = scatter_slot_find(group, number);
	if (slot && slot->known && length <= budget(portal))
		aside = length <= group->cost.gather_limit ||
			(!scatter_slot_is_vector(slot) && length <= eager_limit(slot));
	return aside;
}

/**
 * scatter_pack_own() - note that a member's block of a gather can be had
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @number: the gather's number
 * @rank: the member's rank
 * @length: bytes of the block
 * @void_block: the block could not be read
 * @block: the packed block; empty: the block stays in the member's memory
 *
 * Context: may sleep. The caller has to call scatter_span_move() afterwards.
 */
void scatter_pack_own(struct scatter_group *group, u64 number, u32 rank, u64 length,
		      bool void_block, struct scatter_chunks *block)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_parcel *parcel;
	struct scatter_slot *slot;

	slot = scatter_slot_find(group, number);
	if (slot && slot->known && !slot->differs) {
		parcel = scatter_slot_parcel(slot, rank);
		parcel->ready = true;
		parcel->void_block = void_block;
		parcel->length = length;
		scatter_chunks_move(&parcel->block, block);
		slot->packed += parcel->block.end;
		portal->packed += parcel->block.end;
	}
	scatter_chunks_free(block);
}
