// SPDX-License-Identifier: GPL-2.0
/*
 * Sinks: members here that get blocks of other nodes by pulling.
 *
 * The node asks for the first bytes of a block as soon as the block is announced, if the block's
 * taker has called; the taker asks for the others in its own call. Bytes that have come wait in the
 * block's intake until the taker takes them.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "memory/chunks.h"
#include "memory/segment.h"
#include "node/mail.h"
#include "operation/block.h"
#include "operation/operation.h"
#include "span/route.h"
#include "span/sink.h"
#include "wire/wide_build.h"

/*
 * How much all takers of a group may have asked for. If no node forwards blocks, that is no
 * forwarder's memory. Then longer parts cost fewer messages: 1 MiB for each of four nodes took 0.9
 * of the time (make bench-cluster).
 */
static u64 all_of(const struct scatter_slot *slot)
{
	return slot->head.algorithm == SCATTER_SCHEDULE_LINEAR ? SCATTER_SINK_DIRECT :
								 SCATTER_SINK_FORWARDED;
}

/* A page for each taker, if that is more than @bytes. */
static u64 at_least_pages(const struct scatter_group *group, u64 bytes)
{
	return max(bytes, (u64)group->size * PAGE_SIZE);
}

/**
 * scatter_sink_ahead() - find how much of a block its taker may have asked for and not got
 * @slot: the operation's slot; knows the operation
 *
 * Context: any.
 * Return: bytes; a quarter of what all takers may have asked for is the most
 */
u64 scatter_sink_ahead(const struct scatter_slot *slot)
{
	u64 all = all_of(slot);

	return clamp(all / slot->places.portal->group->size, (u64)PAGE_SIZE, all / 4);
}

/**
 * scatter_sink_most() - find how much all takers of a group may have asked for and not got
 * @group: formed
 *
 * The node may have asked for as much once more of blocks whose turn has not come.
 *
 * Context: any.
 * Return: bytes, whatever the operation's schedule
 */
u64 scatter_sink_most(const struct scatter_group *group)
{
	return at_least_pages(group, SCATTER_SINK_DIRECT);
}

/**
 * scatter_sink_pull() - send PULL
 * @group: formed, and spans nodes
 * @to: the node that is asked, as index in scatter_portal.nodes
 * @number: the operation's number
 * @rank: the block's rank
 * @offset: bytes of the block before the part
 * @bytes: length of the part
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_sink_pull(struct scatter_group *group, u32 to, u64 number, u32 rank, u64 offset,
		       u32 bytes)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_wide_pull pull = {
		.id = { group->id[0], group->id[1] },
		.number = number,
		.offset = offset,
		.rank = rank,
		.bytes = bytes,
	};
	struct scatter_raw_pull raw;

	scatter_wide_build_pull(&raw, 0, &pull);
	scatter_mail_post(portal->node, portal->mailer, portal->nodes[to].id, &raw, sizeof(raw));
}

/* Find the member here that gets a block. */
static u32 taker_of(const struct scatter_slot *slot, u32 rank)
{
	return scatter_slot_scatters(slot) ? rank : slot->head.root;
}

/* Tell a member here that some bytes of a block have come; 0: the block cannot be had. */
static void tell_sink(struct scatter_group *group, const struct scatter_slot *slot, u32 rank,
		      u64 bytes)
{
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
		if (bytes && !scatter_slot_scatters(slot))
			scatter_block_note_locked(operation, rank);
		scatter_operation_wake_rank(operation, taker_of(slot, rank));
	}
	spin_unlock(&group->lock);
}

/* Take the next bytes of a block for a member here from pages that have come already, if any. */
static bool take_here(struct scatter_group *group, struct scatter_slot *slot, u32 tree, u32 rank,
		      struct scatter_intake *intake, u32 bytes)
{
	const struct scatter_chunks *chunks;
	u64 at, begin, end;

	chunks = scatter_route_pages(slot, tree, rank, &at, &begin, &end);
	if (!chunks)
		return false;
	scatter_chunks_share(&intake->pulled, chunks, at + intake->asked, bytes);
	intake->asked += bytes;
	tell_sink(group, slot, rank, bytes);
	return true;
}

/* Find the intake of a block, or make it. */
static struct scatter_intake *intake_of(struct scatter_slot *slot, u32 rank)
{
	struct scatter_intake *intake = xa_load(&slot->intakes, rank);

	if (intake)
		return intake;
	intake = kzalloc(sizeof(*intake), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	scatter_chunks_init(&intake->pulled, NULL);
	xa_store(&slot->intakes, rank, intake, GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	return intake;
}

/* Ask for the next bytes of a block of @length bytes; its taker has @taken. */
static void ask(struct scatter_group *group, struct scatter_slot *slot, u32 rank, u64 taken,
		u64 length)
{
	struct scatter_intake *intake = intake_of(slot, rank);
	const struct scatter_portal *portal = group->portal;
	u64 ahead = scatter_sink_ahead(slot), most = min(ahead, all_of(slot) / 8);
	u32 bytes, tree;
	u64 end;

	lockdep_assert_held(&portal->moving);
	while (intake->asked < length) {
		tree = scatter_route_tree(slot, rank, intake->asked, &end);
		/* Bytes must come in order: ask by another tree when all from this one are here. */
		if (WARN_ON_ONCE(tree == slot->nr_trees) ||
		    (tree != intake->tree && intake->pulled.end < intake->asked))
			break;
		bytes = min(min(length, end) - intake->asked, most);
		/* Ask for few long parts, not for many short ones. */
		if (intake->asked + bytes > taken + ahead)
			break;
		intake->tree = tree;
		if (take_here(group, slot, tree, rank, intake, bytes))
			continue;
		scatter_sink_pull(group, scatter_route_source(slot, tree, rank), slot->number,
				  rank, intake->asked, bytes);
		intake->asked += bytes;
	}
}

/**
 * scatter_sink_ask() - ask for the next bytes of a block
 * @group: formed, and spans nodes
 * @number: the operation's number; the operation has a slot
 * @rank: the block's rank
 * @taken: how many bytes of the block the member that the block is for has
 * @length: bytes of the block
 *
 * Context: may sleep; no locks. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_sink_ask(struct scatter_group *group, u64 number, u32 rank, u64 taken, u64 length)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;

	scatter_backlog_lock(portal);
	slot = scatter_slot_find(group, number);
	if (!WARN_ON_ONCE(!slot))
		ask(group, slot, rank, taken, length);
	scatter_backlog_unlock(portal);
}

/* How many bytes of a block a member here is inside its call to pull. */
static u64 due_locked(const struct scatter_group *group, struct scatter_operation *operation,
		      const struct scatter_slot *slot, u32 rank)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

	lockdep_assert_held(&group->lock);
	if (cargo->state != SCATTER_BLOCK_AWAY || cargo->away.stream ||
	    !scatter_part_is_open(scatter_operation_part(operation, taker_of(slot, rank))))
		return 0;
	return scatter_operation_slice(operation, rank)->length;
}

/*
 * Make room in the group's account for bytes of a block of @length bytes that are asked for before
 * the block's turn. False: there is no room, and the taker asks when it takes this block.
 */
static bool count_ahead(const struct scatter_group *group, struct scatter_slot *slot, u32 rank,
			u64 length)
{
	u64 bytes = clamp_t(u64, length, PAGE_SIZE, scatter_sink_ahead(slot));
	struct scatter_portal *portal = group->portal;
	struct scatter_intake *intake;

	lockdep_assert_held(&portal->moving);
	if (portal->ahead + bytes > at_least_pages(group, all_of(slot)))
		return false;
	intake = intake_of(slot, rank);
	if (!intake->ahead) {
		intake->ahead = bytes;
		portal->ahead += bytes;
	}
	return true;
}

/**
 * scatter_sink_ask_ahead() - ask for the next bytes of a block whose turn has not come
 * @group: formed, and spans nodes
 * @number: the operation's number; the operation has a slot
 * @rank: the block's rank
 * @taken: how many bytes of the block its taker has
 * @length: bytes of the block
 *
 * Does nothing if the group's members have asked for enough before its turn.
 *
 * Context: may sleep; no locks. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_sink_ask_ahead(struct scatter_group *group, u64 number, u32 rank, u64 taken,
			    u64 length)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;

	scatter_backlog_lock(portal);
	slot = scatter_slot_find(group, number);
	if (!WARN_ON_ONCE(!slot) && count_ahead(group, slot, rank, length - taken))
		ask(group, slot, rank, taken, length);
	scatter_backlog_unlock(portal);
}

static bool asked_for(struct scatter_slot *slot, u32 rank)
{
	const struct scatter_intake *intake = xa_load(&slot->intakes, rank);

	return intake && intake->asked;
}

/**
 * scatter_sink_prefetch() - ask for the first bytes of blocks that have been announced
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the operation
 * @slot: the operation's slot
 * @place: places whose blocks have been announced
 * @nr: how many places
 *
 * A block whose taker is inside its call need not wait until the taker is about to take it. So the
 * blocks of several nodes travel at the same time to the root of a gather.
 *
 * Context: may sleep; takes the group's lock. The caller has to call scatter_mail_flush()
 * afterwards.
 */
void scatter_sink_prefetch(struct scatter_group *group, struct scatter_operation *operation,
			   struct scatter_slot *slot, const u16 *place, u32 nr)
{
	struct scatter_places_cursor cursor;
	u64 length;
	u32 rank;

	scatter_places_begin(&cursor, place, nr);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		spin_lock(&group->lock);
		length = due_locked(group, operation, slot, rank);
		spin_unlock(&group->lock);
		if (length && !asked_for(slot, rank)) {
			if (!count_ahead(group, slot, rank, length))
				return;
			ask(group, slot, rank, 0, length);
		}
		cond_resched();
	}
}

/*
 * Find the intake to which bytes of a block belong. NULL: no member here has asked for these bytes.
 * Then the bytes are dropped, and the connection stays: the node that passes bytes on need not be
 * the node that sent them first.
 */
static struct scatter_intake *expecting(struct scatter_slot *slot, u32 rank, u64 offset, u64 bytes)
{
	u64 most = SCATTER_SINK_FEW * (slot->nr_trees + 2) +
		   scatter_sink_ahead(slot) / SCATTER_SINK_MEAN;
	struct scatter_intake *intake = xa_load(&slot->intakes, rank);

	if (!intake || offset != intake->pulled.end || bytes > intake->asked - intake->pulled.end)
		return NULL;
	/* Each message takes a page, so honest nodes send few short ones. */
	return ++intake->messages > most ? NULL : intake;
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
	struct scatter_intake *intake;

	if (wide->flags & SCATTER_WIDE_VOID) {
		if (xa_load(&slot->intakes, wide->rank))
			tell_sink(group, slot, wide->rank, 0);
		return;
	}
	intake = expecting(slot, wide->rank, wide->offset, wide->payload);
	if (!intake)
		return;
	scatter_chunks_add(&intake->pulled, page, offset, wide->payload);
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
	struct scatter_intake *intake = expecting(slot, grant->rank, grant->offset, grant->bytes);

	if (!intake)
		return;
	scatter_segment_add_to(segment, &intake->pulled);
	tell_sink(group, slot, grant->rank, grant->bytes);
}

/**
 * scatter_sink_take() - take the bytes of a block that have come
 * @group: formed, and spans nodes
 * @number: the operation's number; the operation has a slot
 * @rank: the block's rank; a member here has asked for the block
 * @chunks: (out) the bytes, for scatter_chunks_free()
 *
 * Context: may sleep; no locks.
 */
void scatter_sink_take(struct scatter_group *group, u64 number, u32 rank,
		       struct scatter_chunks *chunks)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_intake *intake;
	struct scatter_slot *slot;

	scatter_backlog_lock(portal);
	slot = scatter_slot_find(group, number);
	intake = slot ? xa_load(&slot->intakes, rank) : NULL;
	if (intake) {
		scatter_chunks_move(chunks, &intake->pulled);
		intake->messages = 0;
		portal->ahead -= intake->ahead;
		intake->ahead = 0;
	}
	scatter_backlog_unlock(portal);
}
