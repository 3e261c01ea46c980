// SPDX-License-Identifier: GPL-2.0
/*
 * Sinks: members here that get blocks of other nodes by pulling.
 *
 * Bytes that have come for a member wait in its parcel until the member takes them in its own call.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "memory/chunks.h"
#include "memory/segment.h"
#include "operation/block.h"
#include "operation/operation.h"
#include "span/sink.h"

/* Most messages whose bytes wait for a member at a time. */
#define SCATTER_SINK_MESSAGES	(4 + SZ_256K / 512)

/*
 * Find the parcel to which bytes of a block belong. NULL: no member here has asked for these bytes.
 * Then the bytes are dropped, and the connection stays: the node that passes bytes on need not be
 * the node that sent them first.
 */
static struct scatter_parcel *expecting(struct scatter_slot *slot, u32 rank, u64 offset,
					u64 bytes)
{
	u32 sink = scatter_slot_scatters(slot) ? rank : slot->head.root;
	struct scatter_parcel *parcel = scatter_slot_parcel(slot, sink);

	if (parcel->rank != rank || offset != parcel->pulled.end ||
	    bytes > parcel->asked - parcel->pulled.end)
		return NULL;
	/* Each message takes a page, so honest nodes send few short ones. */
	return ++parcel->messages > SCATTER_SINK_MESSAGES ? NULL : parcel;
}

/* Tell a member here that some bytes of a block have come; 0: the block cannot be had. */
static void tell_sink(struct scatter_group *group, const struct scatter_slot *slot, u32 rank,
		      u64 bytes)
{
	u32 sink = scatter_slot_scatters(slot) ? rank : slot->head.root;
	struct scatter_operation *operation;
	struct scatter_cargo *cargo;

	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, slot->number);
	if (operation) {
		cargo = scatter_operation_cargo(operation, rank);
		if (cargo->state == SCATTER_BLOCK_AWAY && !bytes)
			scatter_block_set_locked(group, operation, rank, SCATTER_BLOCK_FAULT,
						 NULL);
		else if (cargo->state == SCATTER_BLOCK_AWAY)
			cargo->away.came += bytes;
		scatter_operation_wake_rank(operation, sink);
	}
	spin_unlock(&group->lock);
}

/**
 * scatter_sink_data() - handle a DATA message that is for a member here
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: the operation's slot; knows the operation
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep; takes the group's lock.
 */
void scatter_sink_data(struct scatter_group *group, struct scatter_slot *slot,
		       const struct scatter_wide_data *wide, struct page *page, u32 offset)
{
	u32 sink = scatter_slot_scatters(slot) ? wide->rank : slot->head.root;
	struct scatter_parcel *parcel = scatter_slot_parcel(slot, sink);

	if (wide->flags & SCATTER_WIDE_VOID) {
		if (parcel->rank == wide->rank && parcel->asked)
			tell_sink(group, slot, wide->rank, 0);
		return;
	}
	parcel = expecting(slot, wide->rank, wide->offset, wide->payload);
	if (!parcel)
		return;
	scatter_chunks_add(&parcel->pulled, page, offset, wide->payload);
	tell_sink(group, slot, wide->rank, wide->payload);
}

/**
 * scatter_sink_segment() - keep bytes that this node has read for a member here
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: the operation's slot; knows the operation
 * @grant: tells which bytes
 * @segment: the bytes
 *
 * Context: may sleep; takes the group's lock.
 */
void scatter_sink_segment(struct scatter_group *group, struct scatter_slot *slot,
			  const struct scatter_wide_grant *grant,
			  struct scatter_segment *segment)
{
	struct scatter_parcel *parcel = expecting(slot, grant->rank, grant->offset, grant->bytes);

	if (!parcel)
		return;
	scatter_segment_add_to(segment, &parcel->pulled);
	tell_sink(group, slot, grant->rank, grant->bytes);
}

static void take(struct scatter_parcel *parcel, struct scatter_chunks *chunks)
{
	scatter_chunks_move(chunks, &parcel->pulled);
	parcel->messages = 0;
}

/**
 * scatter_sink_take() - take the bytes of a block that have come
 * @group: formed, and spans nodes
 * @number: the operation's number; the operation has a slot
 * @sink: rank of the member here that has asked for the block
 * @chunks: (out) the bytes, for scatter_chunks_free()
 *
 * Context: may sleep; no locks.
 */
void scatter_sink_take(struct scatter_group *group, u64 number, u32 sink,
		       struct scatter_chunks *chunks)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;

	mutex_lock(&portal->moving);
	slot = scatter_slot_find(group, number);
	if (slot)
		take(scatter_slot_parcel(slot, sink), chunks);
	mutex_unlock(&portal->moving);
}
