// SPDX-License-Identifier: GPL-2.0
/*
 * Pulls: how a block that was only announced gets from its source's memory to its taker.
 *
 * The taker's node asks for some bytes of the block, see sink.c: PULL travels along the tree, hop
 * by hop, towards the block's source. The source's node copies the bytes into a segment, out of the
 * source's memory. If the bytes are absent there, the source copies them, in its own call. GRANT
 * lets the next node READ the segment. That node reads at once, whether its members have called or
 * not, and grants what it has read to the next node. Few bytes travel in DATA instead, and so do
 * bytes that a bundle has brought to a node before.
 *
 * A member asks for little at a time, so no node holds much. A node that asks for more, or that
 * does not read what it has asked for, loses its connection. A node remembers the PULLs that it
 * passes on, and passes on only answers to these. No node waits for a member that has not called.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "memory/segment.h"
#include "node/mail.h"
#include "operation/block.h"
#include "operation/operation.h"
#include "span/counts.h"
#include "span/pull.h"
#include "span/route.h"
#include "span/serve.h"
#include "span/sink.h"
#include "trace.h"
#include "wire/wide_build.h"

/* Most PULLs for one block that wait for its owner. */
#define SCATTER_PULL_QUEUED	5

/*
 * Build and count DATA up to its payload; no @bytes: the block cannot be had. @copied: the payload
 * is copied.
 */
static void build_data(struct scatter_group *group, const struct scatter_slot *slot, u32 to,
		       u32 rank, u64 offset, u32 bytes, bool copied, struct scatter_raw_data *raw)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_wide_data data = {
		.id = { group->id[0], group->id[1] },
		.number = slot->number,
		.offset = offset,
		.rank = rank,
		.flags = bytes ? 0 : SCATTER_WIDE_VOID,
		.payload = bytes,
	};

	copied &= portal->where[rank] != portal->self;
	scatter_mail_count(portal->node, portal->nodes[to].id, 0, bytes, copied ? bytes : 0);
	if (bytes)
		trace_scatter_pulled(group, slot, portal->nodes[to].id, rank, offset, bytes,
				     false, false);
	scatter_wide_build_data(raw, 0, &data);
}

/* Send a part of a block in DATA; without @page: the block cannot be had. */
static void send_data(struct scatter_group *group, const struct scatter_slot *slot, u32 to,
		      u32 rank, u64 offset, struct page *page, u32 at, u32 bytes)
{
	const struct scatter_portal *portal = group->portal;
	const struct bio_vec piece = { .bv_page = page, .bv_offset = at, .bv_len = bytes };
	struct scatter_raw_data raw;

	build_data(group, slot, to, rank, offset, page ? bytes : 0, false, &raw);
	scatter_mail_post_payload(portal->node, NULL, portal->nodes[to].id, &raw, sizeof(raw),
				  page ? &piece : NULL);
}

/* Let a node READ @segment, which has a part of a block. */
static void send_grant(struct scatter_group *group, const struct scatter_slot *slot,
		       const struct scatter_wide_grant *grant, u32 to,
		       struct scatter_segment *segment)
{
	const struct scatter_portal_node *node = &group->portal->nodes[to];

	if (!segment->meter)
		scatter_segment_count(segment, node->meter);
	scatter_mail_count(group->portal->node, node->id, 0, segment->bytes, 0);
	trace_scatter_pulled(group, slot, node->id, grant->rank, grant->offset, segment->bytes,
			     true, false);
	scatter_mail_offer(group->portal->node, node->id, grant, segment);
}

/*
 * Find the account of what a node has asked for and this node has not sent; *@blocks: how many
 * blocks the node may ask for. NULL: the node may not ask.
 */
static struct scatter_slot_asked *asked_by(struct scatter_slot *slot, u32 node, u32 *blocks)
{
	struct scatter_slot_asked *asked = NULL;
	u32 i;

	*blocks = 0;
	for (i = 0; i < slot->nr_edges && scatter_slot_scatters(slot); i++) {
		if (slot->edges[i].node != node)
			continue;
		asked = asked ?: &slot->edges[i].asked;
		*blocks += slot->edges[i].set.blocks;
	}
	for (i = 0; i < slot->nr_trees && !scatter_slot_scatters(slot); i++) {
		if (!slot->trees[i].joined || slot->trees[i].parent != node)
			continue;
		asked = asked ?: &slot->trees[i].asked;
		*blocks += slot->head.blocks;
	}
	return asked;
}

/* Whether a node asks for more at a time than all members behind it would. */
static bool asks_too_much(const struct scatter_slot *slot, const struct scatter_slot_asked *asked,
			  u32 blocks, u32 bytes)
{
	u64 ahead = scatter_sink_ahead(slot);

	return asked->bytes + bytes > ahead * blocks ||
	       asked->pulls >= (SCATTER_SINK_FEW + ahead / SCATTER_SINK_MEAN) * blocks;
}

/* Note that bytes go to the node that asked for them; @whole: its PULL is answered completely. */
static void answered(struct scatter_slot *slot, u32 node, u64 bytes, bool whole)
{
	struct scatter_slot_asked *asked;
	u32 blocks;

	asked = asked_by(slot, node, &blocks);
	if (WARN_ON_ONCE(!asked))
		return;
	asked->bytes -= bytes;
	asked->pulls -= whole;
}

/*
 * Whether a node does not read what it has asked for. The bound is generous, since the wire lets go
 * of a segment some time after the READ.
 */
static bool is_behind(const struct scatter_group *group, u32 node)
{
	return atomic64_read(&group->portal->nodes[node].meter->bytes) >
	       2 * scatter_sink_most(group) + SCATTER_SINK_DIRECT;
}

/* Send a part of a block that lies in pages here, @at bytes from the start of @chunks. */
static void send_chunks(struct scatter_group *group, const struct scatter_slot *slot,
			const struct scatter_slot_pull *pull, const struct scatter_chunks *chunks,
			u64 at)
{
	const struct scatter_portal *portal = group->portal;
	struct scatter_chunk *chunk = NULL;
	u64 end = at + pull->bytes;
	struct scatter_raw_data raw;

	while ((chunk = scatter_chunks_next(chunks, chunk))) {
		u64 first = max(at, chunk->at), last = min(end, chunk->at + chunk->bytes);

		if (first >= last)
			continue;
		build_data(group, slot, pull->to, pull->rank, pull->offset + (first - at),
			   last - first, !chunk->page, &raw);
		scatter_mail_post_chunk(portal->node, NULL, portal->nodes[pull->to].id, &raw,
					sizeof(raw), chunk, first - chunk->at, last - first);
	}
}

/* Whether parents pull more bytes than there are in pages here, or in too many pieces. */
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
	return bytes > held - min(held, slot->served) ||
	       slot->servings >= SCATTER_SINK_FEW * slot->nr_trees * slot->head.blocks +
				 held / SCATTER_SINK_MEAN;
}

/*
 * Answer a PULL. The first bytes of a block go in one message, if they are few; all others go by a
 * GRANT. A message may overtake a READ, so no message follows a GRANT.
 */
static void answer(struct scatter_group *group, const struct scatter_slot *slot,
		   const struct scatter_slot_pull *pull, struct scatter_segment *segment)
{
	const struct scatter_wide_grant grant = {
		.id = { group->id[0], group->id[1] },
		.number = slot->number,
		.offset = pull->offset,
		.rank = pull->rank,
		.bytes = pull->bytes,
	};
	const struct bio_vec *piece;

	if (!segment) {
		send_data(group, slot, pull->to, pull->rank, pull->offset, NULL, 0, 0);
		return;
	}
	piece = &segment->pieces[0];
	if (!pull->offset && pull->bytes <= SCATTER_WIDE_PAYLOAD_MAX && segment->nr == 1)
		send_data(group, slot, pull->to, pull->rank, pull->offset, piece->bv_page,
			  piece->bv_offset, pull->bytes);
	else
		send_grant(group, slot, &grant, pull->to, segment);
}

/* Ask the member that has the block in its memory to bring some of the block. */
static void queue_pull(struct scatter_group *group, struct scatter_slot *slot,
		       const struct scatter_slot_pull *asked)
{
	struct scatter_operation *operation;
	struct scatter_slot_pull *pull;
	u32 owner = scatter_slot_scatters(slot) ? slot->head.root : asked->rank;
	u32 n = 0;

	/* An honest taker has few PULLs for each block under way. */
	list_for_each_entry(pull, &slot->pulls, entry)
		n += pull->rank == asked->rank;
	if (n == SCATTER_PULL_QUEUED) {
		send_data(group, slot, asked->to, asked->rank, asked->offset, NULL, 0, 0);
		answered(slot, asked->to, asked->bytes, true);
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

/* Answer a PULL for a block in the memory of a member here, or ask that member to do so. */
static void serve(struct scatter_group *group, struct scatter_slot *slot,
		  const struct scatter_slot_pull *pull)
{
	struct scatter_segment *segment = NULL;

	if (slot->met && !slot->differs)
		segment = scatter_serve(group, slot, pull);
	if (!segment) {
		queue_pull(group, slot, pull);
		return;
	}
	answered(slot, pull->to, pull->bytes, true);
	answer(group, slot, pull, segment);
	scatter_segment_put(segment);
}

/* Pass on a PULL for a block on another node to the next node on the way there. */
static void pass_on(struct scatter_group *group, struct scatter_slot *slot, u32 next,
		    const struct scatter_slot_pull *asked)
{
	struct scatter_slot_pull *pull = kmemdup(asked, sizeof(*asked),
						 GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);

	pull->messages = SCATTER_SINK_FEW + asked->bytes / SCATTER_SINK_MEAN;
	list_add_tail(&pull->entry, &slot->passed);
	scatter_sink_pull(group, next, slot->number, asked->rank, asked->offset, asked->bytes);
}

/*
 * Whether some bytes that have come are the next that a neighbour has asked for. No bytes: the rest
 * of the neighbour's PULL cannot be had. Other bytes are dropped, and the connection stays: the
 * node that passes bytes on need not be the node that sent them first.
 */
static bool is_asked_for(struct scatter_slot *slot, u32 to, u32 rank, u64 offset, u32 bytes)
{
	struct scatter_slot_pull *pull;

	list_for_each_entry(pull, &slot->passed, entry)
		if (pull->to == to && pull->rank == rank && pull->offset == offset)
			break;
	if (list_entry_is_head(pull, &slot->passed, entry) || bytes > pull->bytes ||
	    !pull->messages)
		return false;
	bytes = bytes ?: pull->bytes;
	answered(slot, to, bytes, bytes == pull->bytes);
	pull->offset += bytes;
	pull->bytes -= bytes;
	pull->messages--;
	if (!pull->bytes) {
		list_del(&pull->entry);
		kfree(pull);
	}
	return true;
}

/*
 * Whether a neighbour may ask for some bytes of a block, if @asks, or else send them. *@tree: the
 * tree by which the bytes travel; scatter_slot.nr_trees: none, so nobody has asked for them. *@end:
 * where the part of the block ends that travels by that tree.
 */
static bool is_on_the_way(const struct scatter_group *group, const struct scatter_slot *slot,
			  u32 node, bool asks, u32 rank, u64 offset, u32 *tree, u64 *end)
{
	if (rank - slot->head.first >= slot->head.blocks || node == group->portal->self)
		return false;
	*tree = scatter_route_tree(slot, rank, offset, end);
	if (*tree == slot->nr_trees)
		return slot->pieces != 1;
	return node == (asks ? scatter_route_sink(slot, *tree, rank) :
			       scatter_route_source(slot, *tree, rank));
}

/**
 * scatter_pull_asked() - handle a PULL message
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: the operation's slot; knows the operation
 * @from: who asks, as index in scatter_portal.nodes
 * @wide: the message
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
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
	const struct scatter_chunks *chunks = NULL;
	u64 at = 0, begin = 0, end = 0, last;
	struct scatter_slot_asked *asked;
	u32 next, tree, blocks;

	lockdep_assert_held(&group->portal->moving);
	if (!is_on_the_way(group, slot, from, true, wide->rank, wide->offset, &tree, &last))
		return scatter_counts_stray(slot);
	asked = asked_by(slot, from, &blocks);
	if (!asked || asks_too_much(slot, asked, blocks, wide->bytes) || is_behind(group, from))
		return false;
	/* The node that passes a PULL on need not be the node that asks for too much. */
	if (tree == slot->nr_trees || wide->bytes > last - wide->offset) {
		send_data(group, slot, from, wide->rank, wide->offset, NULL, 0, 0);
		return true;
	}
	asked->bytes += wide->bytes;
	asked->pulls++;
	if (!scatter_slot_scatters(slot))
		chunks = scatter_route_pages(slot, tree, wide->rank, &at, &begin, &end);
	if (chunks) {
		answered(slot, from, wide->bytes, true);
		if (wide->offset < begin || wide->offset + wide->bytes > end ||
		    is_too_much(slot, wide->bytes)) {
			send_data(group, slot, from, wide->rank, wide->offset, NULL, 0, 0);
			return true;
		}
		slot->served += wide->bytes;
		slot->servings++;
		send_chunks(group, slot, &pull, chunks, at + wide->offset);
		return true;
	}
	next = scatter_route_source(slot, tree, wide->rank);
	if (next == group->portal->self)
		serve(group, slot, &pull);
	else
		pass_on(group, slot, next, &pull);
	return true;
}

/**
 * scatter_pull_came() - handle a DATA message
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: the operation's slot; knows the operation
 * @from: the sender, as index in scatter_portal.nodes
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_pull_came(struct scatter_group *group, struct scatter_slot *slot, u32 from,
		       const struct scatter_wide_data *wide, struct page *page, u32 offset)
{
	u32 next, tree;
	u64 end;

	lockdep_assert_held(&group->portal->moving);
	if (!is_on_the_way(group, slot, from, false, wide->rank, wide->offset, &tree, &end))
		return scatter_counts_stray(slot);
	if (tree == slot->nr_trees)
		return true;
	next = scatter_route_sink(slot, tree, wide->rank);
	if (next == group->portal->self) {
		scatter_sink_data(group, slot, wide, page, offset);
		return true;
	}
	if (!is_asked_for(slot, next, wide->rank, wide->offset, wide->payload))
		return true;
	send_data(group, slot, next, wide->rank, wide->offset,
		  wide->flags & SCATTER_WIDE_VOID ? NULL : page, offset, wide->payload);
	return true;
}

/**
 * scatter_pull_fetched() - handle the bytes that this node has read by a GRANT
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: the operation's slot; its schedule is planned
 * @from: the sender of the GRANT, as index in scatter_portal.nodes
 * @grant: the message
 * @segment: the bytes
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 * Return: false: the GRANT breaks the protocol.
 */
bool scatter_pull_fetched(struct scatter_group *group, struct scatter_slot *slot, u32 from,
			  const struct scatter_wide_grant *grant, struct scatter_segment *segment)
{
	u32 next, tree;
	u64 end;

	lockdep_assert_held(&group->portal->moving);
	if (!is_on_the_way(group, slot, from, false, grant->rank, grant->offset, &tree, &end))
		return scatter_counts_stray(slot);
	if (tree == slot->nr_trees)
		return true;
	next = scatter_route_sink(slot, tree, grant->rank);
	if (next == group->portal->self) {
		scatter_sink_segment(group, slot, grant, segment);
		return true;
	}
	if (is_asked_for(slot, next, grant->rank, grant->offset, grant->bytes))
		send_grant(group, slot, grant, next, segment);
	return true;
}

/*
 * Whether a member that is alive cannot send the block that a PULL asks for. A taker whose block
 * belongs to a dead member learns of the death.
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
 * scatter_pull_void() - answer PULLs for blocks that cannot be had any more
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: the operation's slot
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_pull_void(struct scatter_group *group, struct scatter_slot *slot)
{
	struct scatter_slot_pull *pull, *next;

	lockdep_assert_held(&group->portal->moving);
	list_for_each_entry_safe(pull, next, &slot->pulls, entry) {
		if (!is_void(group, slot, pull))
			continue;
		send_data(group, slot, pull->to, pull->rank, pull->offset, NULL, 0, 0);
		answered(slot, pull->to, pull->bytes, true);
		list_del(&pull->entry);
		kfree(pull);
	}
}

/**
 * scatter_pull_next() - find a part of its memory that a member has to send
 * @group: formed, and spans nodes
 * @number: the operation's number
 * @owner: the member's rank
 * @pull: (out) the part, and the node that has asked for it
 *
 * Context: may sleep; no locks.
 * Return: false: there is none.
 */
bool scatter_pull_next(struct scatter_group *group, u64 number, u32 owner,
		       struct scatter_slot_pull *pull)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot_pull *next;
	struct scatter_slot *slot;
	bool found = false;

	scatter_backlog_lock(portal);
	slot = scatter_slot_find(group, number);
	if (!slot || !slot->met || slot->differs)
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
	scatter_backlog_unlock(portal);
	return found;
}

/**
 * scatter_pull_answer() - send a part that another node has asked for
 * @group: formed, and spans nodes
 * @number: the operation's number
 * @pull: from scatter_pull_next()
 * @segment: the bytes; NULL: they cannot be had
 *
 * Context: may sleep; no locks. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_pull_answer(struct scatter_group *group, u64 number,
			 const struct scatter_slot_pull *pull, struct scatter_segment *segment)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;

	scatter_backlog_lock(portal);
	slot = scatter_slot_find(group, number);
	if (slot) {
		answered(slot, pull->to, pull->bytes, true);
		answer(group, slot, pull, segment);
	}
	scatter_backlog_unlock(portal);
}
