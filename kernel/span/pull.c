// SPDX-License-Identifier: GPL-2.0
/*
 * Pulls: how a block that was only announced gets from its source's memory to where it is wanted.
 *
 * The member that wants the block asks for some bytes of it: PULL goes along the tree, hop by hop,
 * towards the block's source. There the member in whose memory the block lies copies the bytes into
 * pages, in its own call, and DATA takes them back the same way; nodes in between pass the pages
 * on. A node that has the block in pages answers by itself. A member asks for little at a time, so
 * no node holds much, and nobody waits for who has not called.
 */
#include <linux/bitops.h>
#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/portal.h"
#include "node/mail.h"
#include "operation/block.h"
#include "operation/operation.h"
#include "span/bundle.h"
#include "span/pull.h"
#include "group/slot.h"
#include "wire/wide_build.h"

/* Most bytes of a block that are on their way at a time, and of all blocks of a group. */
#define SCATTER_PULL_AHEAD	((u64)SZ_256K)
#define SCATTER_PULL_ALL	((u64)SZ_4M)
/* In how many messages those of a block come at most. */
#define SCATTER_PULL_MESSAGES	(4 + SZ_256K / 512)

static void send_pull(struct scatter_group *group, u32 to, u64 number, u32 rank, u64 offset,
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
	scatter_mail_post(portal->node, portal->nodes[to].id, &raw, sizeof(raw));
}

/* @page: NULL: the block cannot be had. */
static void send_data(struct scatter_group *group, u32 to, u64 number, u32 rank, u64 offset,
		      struct page *page, u32 at, u32 bytes)
{
	const struct scatter_portal *portal = group->portal;
	const struct bio_vec piece = { .bv_page = page, .bv_offset = at, .bv_len = bytes };
	const struct scatter_wide_data data = {
		.id = { group->id[0], group->id[1] },
		.number = number,
		.offset = offset,
		.rank = rank,
		.flags = page ? 0 : SCATTER_WIDE_VOID,
		.payload = page ? bytes : 0,
	};
	struct scatter_raw_data raw;

	scatter_mail_count(portal->node, portal->nodes[to].id, 0, data.payload);
	scatter_wide_build_data(&raw, 0, &data);
	scatter_mail_post_payload(portal->node, portal->nodes[to].id, &raw, sizeof(raw),
				  page ? &piece : NULL);
}

/* A part of a block that lies in pages here, @at bytes from the start of @chunks. */
static void send_chunks(struct scatter_group *group, u64 number,
			const struct scatter_slot_pull *pull, const struct scatter_chunks *chunks,
			u64 at)
{
	struct scatter_chunk *chunk = NULL;
	u64 end = at + pull->bytes;

	while ((chunk = scatter_chunks_next(chunks, chunk))) {
		u64 first = max(at, chunk->at), last = min(end, chunk->at + chunk->bytes);

		if (first < last)
			send_data(group, pull->to, number, pull->rank,
				  pull->offset + (first - at), chunk->page,
				  chunk->offset + (first - chunk->at), last - first);
	}
}

/* Where PULLs of a rank's block go from here, as index of a node; this node: its source is here. */
static u32 towards_source(struct scatter_slot *slot, u32 rank)
{
	const struct scatter_portal *portal = slot->places.portal;
	const struct scatter_slot_edge *edge;

	if (scatter_slot_scatters(slot))
		return slot->parent;
	edge = scatter_slot_edge_to(slot, scatter_places_of(&slot->places, portal->where[rank]));
	return edge ? edge->node : portal->self;
}

/* Likewise where its bytes go. */
static u32 towards_sink(struct scatter_slot *slot, u32 rank)
{
	const struct scatter_portal *portal = slot->places.portal;
	const struct scatter_slot_edge *edge;

	if (!scatter_slot_scatters(slot))
		return slot->parent;
	edge = scatter_slot_edge_to(slot, scatter_places_of(&slot->places, portal->where[rank]));
	return edge ? edge->node : portal->self;
}

/* The pages in which a rank's block lies here, and where; NULL: in none. */
static const struct scatter_chunks *find_block(struct scatter_slot *slot, u32 rank, u64 *at,
					       u64 *length)
{
	const struct scatter_portal *portal = slot->places.portal;
	const struct scatter_parcel *parcel;
	struct scatter_places_cursor cursor;
	const struct scatter_slot_edge *edge;
	u32 other, i = 0;

	if (scatter_slot_scatters(slot))
		return NULL;
	if (portal->where[rank] == portal->self) {
		parcel = scatter_slot_parcel(slot, rank);
		*at = 0;
		*length = parcel->block.end;
		return parcel->block.end ? &parcel->block : NULL;
	}
	edge = scatter_slot_edge_to(slot, scatter_places_of(&slot->places, portal->where[rank]));
	if (!edge || !scatter_bundle_is_complete(&edge->in) ||
	    edge->in.head.flags & SCATTER_WIDE_PLAIN)
		return NULL;
	*at = scatter_bundle_begin(&edge->in);
	scatter_places_begin(&cursor, edge->first, edge->count);
	while (scatter_places_next(&slot->places, &cursor, &other)) {
		*length = scatter_bundle_length(&edge->in, i++);
		if (*length == SCATTER_WIDE_LENGTH_VOID)
			*length = 0;
		if (other == rank)
			break;
		*at += *length;
	}
	return &edge->in.stream;
}

/* Whether the parent has pulled more than there is in pages here. */
static bool is_too_much(const struct scatter_slot *slot, u64 bytes)
{
	const struct scatter_portal *portal = slot->places.portal;
	u32 parcels = portal->begin[portal->self + 1] - portal->begin[portal->self];
	u64 held = 0;
	u32 i;

	for (i = 0; i < slot->nr_edges; i++)
		held += slot->edges[i].in.stream.end;
	for (i = 0; i < parcels; i++)
		held += slot->parcels[i].block.end;
	return bytes > held - min(held, slot->served);
}

/* The member that has the block in its memory has to send some of it. */
static void queue_pull(struct scatter_group *group, struct scatter_slot *slot,
		       const struct scatter_slot_pull *asked)
{
	struct scatter_operation *operation;
	struct scatter_slot_pull *pull;
	u32 owner = scatter_slot_scatters(slot) ? slot->head.root : asked->rank;
	u32 n = 0;

	/* Who asks honestly has few bytes of each block under way. */
	list_for_each_entry(pull, &slot->pulls, entry)
		n += pull->rank == asked->rank;
	if (n > SCATTER_PULL_AHEAD / SZ_64K) {
		send_data(group, asked->to, slot->number, asked->rank, asked->offset, NULL, 0, 0);
		return;
	}
	pull = kmemdup(asked, sizeof(*asked), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	list_add_tail(&pull->entry, &slot->pulls);
	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, slot->number);
	if (operation && scatter_operation_has_cargo(operation)) {
		scatter_operation_cargo(operation, owner)->pulled = true;
		scatter_operation_wake_rank(operation, owner);
	}
	spin_unlock(&group->lock);
}

/**
 * scatter_pull_asked() - PULL has come
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: of the operation; knows it
 * @from: who asks, as index in scatter_portal.nodes
 * @wide: the message
 *
 * Context: may sleep; for scatter_mail_flush().
 * Return: false: the message breaks the protocol.
 */
bool scatter_pull_asked(struct scatter_group *group, struct scatter_slot *slot, u32 from,
			const struct scatter_wide_pull *wide)
{
	struct scatter_slot_pull pull = {
		.to = from,
		.rank = wide->rank,
		.offset = wide->offset,
		.bytes = wide->bytes,
	};
	const struct scatter_chunks *chunks;
	u64 at = 0, length = 0;
	u32 next;

	lockdep_assert_held(&group->portal->moving);
	if (wide->rank - slot->head.first >= slot->head.blocks ||
	    from == group->portal->self || from != towards_sink(slot, wide->rank))
		return false;
	chunks = find_block(slot, wide->rank, &at, &length);
	if (chunks) {
		/* The node that passes it on need not be the one that asks for too much. */
		if (wide->offset + wide->bytes > length || is_too_much(slot, wide->bytes)) {
			send_data(group, from, slot->number, wide->rank, wide->offset, NULL, 0, 0);
			return true;
		}
		slot->served += wide->bytes;
		send_chunks(group, slot->number, &pull, chunks, at + wide->offset);
		return true;
	}
	next = towards_source(slot, wide->rank);
	if (next == group->portal->self)
		queue_pull(group, slot, &pull);
	else
		send_pull(group, next, slot->number, wide->rank, wide->offset, wide->bytes);
	return true;
}

/*
 * Bytes of a block have come for a member here. What the member has not asked for is dropped: the
 * node that passes it on need not be the one that made it.
 */
static void deliver(struct scatter_group *group, struct scatter_slot *slot,
		    const struct scatter_wide_data *wide, struct page *page, u32 offset)
{
	u32 sink = scatter_slot_scatters(slot) ? wide->rank : slot->head.root;
	struct scatter_parcel *parcel = scatter_slot_parcel(slot, sink);
	bool is_void = wide->flags & SCATTER_WIDE_VOID;
	struct scatter_operation *operation;
	struct scatter_cargo *cargo;

	if (parcel->rank != wide->rank || !parcel->asked ||
	    (!is_void && (wide->offset != parcel->pulled.end ||
			  wide->payload > parcel->asked - parcel->pulled.end)))
		return;
	/* Each message takes a page, so honest nodes send few short ones. */
	if (++parcel->messages > SCATTER_PULL_MESSAGES)
		return;
	if (!is_void)
		scatter_chunks_add(&parcel->pulled, page, offset, wide->payload);
	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, slot->number);
	if (operation) {
		cargo = scatter_operation_cargo(operation, wide->rank);
		if (cargo->state == SCATTER_BLOCK_AWAY && is_void)
			scatter_block_set_locked(group, operation, wide->rank,
						 SCATTER_BLOCK_FAULT, NULL);
		else if (cargo->state == SCATTER_BLOCK_AWAY)
			cargo->away.came += wide->payload;
		scatter_operation_wake_rank(operation, sink);
	}
	spin_unlock(&group->lock);
}

/**
 * scatter_pull_came() - DATA has come
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: of the operation; knows it
 * @from: the sender, as index in scatter_portal.nodes
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep; for scatter_mail_flush().
 * Return: false: the message breaks the protocol.
 */
bool scatter_pull_came(struct scatter_group *group, struct scatter_slot *slot, u32 from,
		       const struct scatter_wide_data *wide, struct page *page, u32 offset)
{
	u32 next;

	lockdep_assert_held(&group->portal->moving);
	if (wide->rank - slot->head.first >= slot->head.blocks ||
	    from == group->portal->self || from != towards_source(slot, wide->rank))
		return false;
	next = towards_sink(slot, wide->rank);
	if (next == group->portal->self)
		deliver(group, slot, wide, page, offset);
	else
		send_data(group, next, slot->number, wide->rank, wide->offset,
			  wide->flags & SCATTER_WIDE_VOID ? NULL : page, offset, wide->payload);
	return true;
}

/*
 * Whether a member that is alive cannot send the block that a PULL asks for. Who has asked for the
 * block of a dead one learns of the death.
 */
static bool is_void(struct scatter_group *group, const struct scatter_slot *slot,
		    const struct scatter_slot_pull *pull)
{
	u32 owner = scatter_slot_scatters(slot) ? slot->head.root : pull->rank;
	struct scatter_operation *operation;
	bool there = true;

	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, slot->number);
	if (operation && scatter_operation_has_cargo(operation) && !test_bit(owner, group->dead))
		there = scatter_operation_cargo(operation, pull->rank)->state == SCATTER_BLOCK_HOME;
	spin_unlock(&group->lock);
	return !there;
}

/**
 * scatter_pull_void() - answer PULLs for blocks that are not to be had any more
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: of the operation
 *
 * Context: may sleep; for scatter_mail_flush().
 */
void scatter_pull_void(struct scatter_group *group, struct scatter_slot *slot)
{
	struct scatter_slot_pull *pull, *next;

	lockdep_assert_held(&group->portal->moving);
	list_for_each_entry_safe(pull, next, &slot->pulls, entry) {
		if (!is_void(group, slot, pull))
			continue;
		send_data(group, pull->to, slot->number, pull->rank, pull->offset, NULL, 0, 0);
		list_del(&pull->entry);
		kfree(pull);
	}
}

/**
 * scatter_pull_ask() - ask for the next bytes of a block
 * @group: formed, and spans nodes
 * @number: of the operation, which has a slot
 * @rank: whose block
 * @sink: the member here that wants it
 * @taken: so many bytes the member has
 * @length: bytes of the block
 *
 * Context: may sleep; no locks; for scatter_mail_flush().
 */
void scatter_pull_ask(struct scatter_group *group, u64 number, u32 rank, u32 sink, u64 taken,
		      u64 length)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_parcel *parcel;
	u64 ahead = clamp(SCATTER_PULL_ALL / group->size, (u64)PAGE_SIZE, SCATTER_PULL_AHEAD);
	struct scatter_slot *slot;
	u32 bytes;

	mutex_lock(&portal->moving);
	slot = scatter_slot_find(group, number);
	if (WARN_ON_ONCE(!slot))
		goto unlock;
	parcel = scatter_slot_parcel(slot, sink);
	if (parcel->rank != rank || !parcel->asked) {
		scatter_chunks_free(&parcel->pulled);
		parcel->rank = rank;
		parcel->asked = 0;
	}
	while (parcel->asked < min(length, taken + ahead)) {
		bytes = min3(length - parcel->asked, ahead, (u64)SCATTER_WIDE_PULL_MAX);
		send_pull(group, towards_source(slot, rank), number, rank, parcel->asked, bytes);
		parcel->asked += bytes;
	}
unlock:
	mutex_unlock(&portal->moving);
}

static void take(struct scatter_parcel *parcel, struct scatter_chunks *chunks)
{
	scatter_chunks_move(chunks, &parcel->pulled);
	parcel->messages = 0;
}

/**
 * scatter_pull_take() - take what has come of a block
 * @group: formed, and spans nodes
 * @number: of the operation, which has a slot
 * @sink: the member here that has asked
 * @chunks: (out) the bytes, for scatter_chunks_free()
 *
 * Context: may sleep; no locks.
 */
void scatter_pull_take(struct scatter_group *group, u64 number, u32 sink,
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

/**
 * scatter_pull_next() - what a member has to send of its memory
 * @group: formed, and spans nodes
 * @number: of the operation
 * @owner: the member
 * @pull: (out) what
 *
 * Context: may sleep; no locks.
 * Return: false: nothing any more.
 */
bool scatter_pull_next(struct scatter_group *group, u64 number, u32 owner,
		       struct scatter_slot_pull *pull)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot_pull *next;
	struct scatter_slot *slot;
	bool found = false;

	mutex_lock(&portal->moving);
	slot = scatter_slot_find(group, number);
	if (!slot)
		goto unlock;
	list_for_each_entry(next, &slot->pulls, entry) {
		if (!scatter_slot_scatters(slot) && next->rank != owner)
			continue;
		*pull = *next;
		list_del(&next->entry);
		kfree(next);
		found = true;
		break;
	}
unlock:
	mutex_unlock(&portal->moving);
	return found;
}

/**
 * scatter_pull_answer() - send what somebody has asked for
 * @group: formed, and spans nodes
 * @number: of the operation
 * @pull: from scatter_pull_next()
 * @data: the bytes; NULL: they cannot be had
 *
 * Context: may sleep; no locks; for scatter_mail_flush().
 */
void scatter_pull_answer(struct scatter_group *group, u64 number,
			 const struct scatter_slot_pull *pull, const struct scatter_chunks *data)
{
	if (data)
		send_chunks(group, number, pull, data, 0);
	else
		send_data(group, pull->to, number, pull->rank, pull->offset, NULL, 0, 0);
}
