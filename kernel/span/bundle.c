// SPDX-License-Identifier: GPL-2.0
/*
 * Bundles: the blocks that cross an edge between nodes together.
 *
 * A bundle is a stream of bytes: the lengths of its blocks, if the bundle is *listed*, then the
 * blocks in wire order. A *plain* bundle only announces its blocks, which are pulled later. The
 * stream travels in as many messages as it takes. What has come is sent on from the pages in which
 * it has come.
 */
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "group/group.h"
#include "group/portal.h"
#include "node/mail.h"
#include "span/bundle.h"
#include "group/slot.h"
#include "wire/wide_build.h"
#include "wire/wide_parse.h"

/* Bytes in a message of a bundle, on average, if a node copies short pieces together. */
#define SCATTER_BUNDLE_MEAN	512

/**
 * scatter_bundle_length() - the length of a block
 * @bundle: complete
 * @index: which of its blocks
 *
 * Context: any.
 * Return: bytes; %SCATTER_WIDE_LENGTH_VOID: the block could not be read.
 */
u64 scatter_bundle_length(const struct scatter_bundle *bundle, u32 index)
{
	u64 length = bundle->head.block;
	__le64 raw;

	if (bundle->head.flags & SCATTER_WIDE_LISTED) {
		scatter_chunks_read(&bundle->stream, index * sizeof(raw), &raw, sizeof(raw));
		length = le64_to_cpu(raw);
	}
	return length;
}

/**
 * scatter_bundle_begin() - where the blocks begin in the stream
 * @bundle: the bundle
 *
 * Context: any.
 * Return: bytes.
 */
u64 scatter_bundle_begin(const struct scatter_bundle *bundle)
{
	return bundle->head.flags & SCATTER_WIDE_LISTED ? bundle->head.count * sizeof(__le64) : 0;
}

/* How many bytes a block of some length takes in the stream. */
static u64 carried(const struct scatter_bundle *bundle, u64 length)
{
	return length == SCATTER_WIDE_LENGTH_VOID || bundle->head.flags & SCATTER_WIDE_PLAIN ?
		0 : length;
}

/* Whether the lengths in a complete stream are possible, and the blocks fill the rest of it. */
static bool is_sound(const struct scatter_bundle *bundle)
{
	const struct scatter_wide_bundle *head = &bundle->head;
	bool vector = head->op == SCATTER_WIDE_SCATTERV || head->op == SCATTER_WIDE_GATHERV;
	u64 end = scatter_bundle_begin(bundle), length;
	__le64 raw;
	u32 i;

	for (i = 0; i < head->count; i++) {
		length = head->block;
		if (head->flags & SCATTER_WIDE_LISTED) {
			scatter_chunks_read(&bundle->stream, i * sizeof(raw), &raw, sizeof(raw));
			if (!scatter_wide_parse_length(&raw, &length))
				return false;
		}
		if (!vector && length != head->block && length != SCATTER_WIDE_LENGTH_VOID)
			return false;
		end += carried(bundle, length);
		if (end > head->total)
			return false;
	}
	return end == head->total;
}

/* The same but for what differs from message to message. */
static bool goes_on(const struct scatter_wide_bundle *a, const struct scatter_wide_bundle *b)
{
	return a->flags == b->flags && a->count == b->count && a->total == b->total &&
	       scatter_slot_same(a, b);
}

/**
 * scatter_bundle_add() - a message of a bundle has come
 * @bundle: what has come before
 * @wide: the message; its count is right
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep.
 * Return: false: the message breaks the protocol.
 */
bool scatter_bundle_add(struct scatter_bundle *bundle, const struct scatter_wide_bundle *wide,
			struct page *page, u32 offset)
{
	if (bundle->begun && (scatter_bundle_is_complete(bundle) || !goes_on(&bundle->head, wide)))
		return false;
	/* Each message takes a page, so honest nodes send few short ones. */
	if (wide->offset != bundle->stream.end ||
	    ++bundle->messages > 4 + wide->total / SCATTER_BUNDLE_MEAN)
		return false;
	bundle->head = *wide;
	bundle->begun = true;
	if (wide->payload)
		scatter_chunks_add(&bundle->stream, page, offset, wide->payload);
	if (!scatter_bundle_is_complete(bundle) || is_sound(bundle))
		return true;
	scatter_chunks_free(&bundle->stream);
	bundle->begun = false;
	return false;
}

/**
 * scatter_bundle_send() - send a bundle to another node
 * @group: formed, and spans nodes
 * @to: index of the node, which is tied
 * @bundle: the bundle; its head lacks only what depends on @stream
 *
 * Context: may sleep; for scatter_mail_flush().
 */
void scatter_bundle_send(struct scatter_group *group, u32 to, struct scatter_bundle *bundle)
{
	const struct scatter_portal *portal = group->portal;
	struct scatter_wide_bundle *head = &bundle->head;
	struct scatter_chunk *chunk = NULL;
	struct scatter_raw_bundle raw;
	struct bio_vec piece;

	head->total = bundle->stream.end;
	scatter_mail_count(portal->node, portal->nodes[to].id, 1,
			   head->total - scatter_bundle_begin(bundle));
	do {
		chunk = scatter_chunks_next(&bundle->stream, chunk);
		head->offset = chunk ? chunk->at : 0;
		head->payload = chunk ? chunk->bytes : 0;
		scatter_wide_build_bundle(&raw, 0, head);
		if (chunk)
			piece = (struct bio_vec){
				.bv_page = chunk->page,
				.bv_offset = chunk->offset,
				.bv_len = chunk->bytes,
			};
		scatter_mail_post_payload(portal->node, portal->nodes[to].id, &raw, sizeof(raw),
					  chunk ? &piece : NULL);
	} while (chunk && chunk->at + chunk->bytes < bundle->stream.end);
}

static void add_length(struct scatter_bundle *out, u64 length)
{
	const __le64 raw = cpu_to_le64(length);

	scatter_chunks_append(&out->stream, &raw, sizeof(raw));
}

/**
 * scatter_bundle_for_child() - the part of a scatter's bundle that goes on to a child
 * @slot: has the whole bundle of this node's subtree
 * @edge: index of the child's edge
 * @out: (out) the child's bundle
 *
 * Context: may sleep.
 */
void scatter_bundle_for_child(struct scatter_slot *slot, u32 edge, struct scatter_bundle *out)
{
	const struct scatter_slot_edge *child = &slot->edges[edge];
	const struct scatter_bundle *in = &slot->in;
	u32 nr = slot->places.nr, before, i;
	u64 at = scatter_bundle_begin(in), bytes = 0;

	*out = (struct scatter_bundle){ .head = in->head };
	scatter_chunks_init(&out->stream, NULL);
	before = scatter_places_blocks(&slot->places, slot->first,
				       (child->first + nr - slot->first) % nr);
	out->head.count = scatter_places_blocks(&slot->places, child->first, child->count);
	for (i = 0; i < before + out->head.count; i++) {
		u64 length = scatter_bundle_length(in, i);

		if (i < before) {
			at += carried(in, length);
			continue;
		}
		bytes += carried(in, length);
		if (in->head.flags & SCATTER_WIDE_LISTED)
			add_length(out, length);
	}
	scatter_chunks_share(&out->stream, &in->stream, at, bytes);
}

static bool is_listed(const struct scatter_slot *slot)
{
	struct scatter_places_cursor cursor;
	bool listed = scatter_slot_is_vector(slot);
	u32 rank, i;

	for (i = 0; i < slot->nr_edges; i++)
		listed |= slot->edges[i].in.head.flags & SCATTER_WIDE_LISTED;
	scatter_places_begin(&cursor, slot->places.self, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank))
		listed |= scatter_slot_parcel(slot, rank)->void_block;
	return listed;
}

/* Whether a gather's bundle has blocks that only its source has, or is too long to go eagerly. */
static bool is_plain(const struct scatter_slot *slot)
{
	struct scatter_places_cursor cursor;
	u64 bytes = 0;
	u32 rank, i;

	for (i = 0; i < slot->nr_edges; i++) {
		const struct scatter_bundle *in = &slot->edges[i].in;

		if (in->head.flags & SCATTER_WIDE_PLAIN)
			return true;
		bytes += in->stream.end - scatter_bundle_begin(in);
	}
	scatter_places_begin(&cursor, slot->places.self, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		const struct scatter_parcel *parcel = scatter_slot_parcel(slot, rank);

		if (!parcel->void_block && parcel->block.end != parcel->length)
			return true;
		bytes += parcel->block.end;
	}
	return bytes > SCATTER_WIDE_EAGER_MAX;
}

/* The blocks of one place, or of a child's whole subtree; how many places those are. */
static u32 add_lengths(struct scatter_slot *slot, u32 place, struct scatter_bundle *out)
{
	const struct scatter_slot_edge *edge = scatter_slot_edge_to(slot, place);
	struct scatter_places_cursor cursor;
	u32 rank, i;

	if (edge) {
		for (i = 0; i < edge->in.head.count; i++)
			add_length(out, scatter_bundle_length(&edge->in, i));
		return edge->count;
	}
	scatter_places_begin(&cursor, place, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		const struct scatter_parcel *parcel = scatter_slot_parcel(slot, rank);

		add_length(out, parcel->void_block ? SCATTER_WIDE_LENGTH_VOID : parcel->length);
	}
	return 1;
}

static u32 add_blocks(struct scatter_slot *slot, u32 place, struct scatter_bundle *out)
{
	const struct scatter_slot_edge *edge = scatter_slot_edge_to(slot, place);
	struct scatter_places_cursor cursor;
	u64 at;
	u32 rank;

	if (edge) {
		at = scatter_bundle_begin(&edge->in);
		scatter_chunks_share(&out->stream, &edge->in.stream, at,
				     edge->in.stream.end - at);
		return edge->count;
	}
	scatter_places_begin(&cursor, place, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		const struct scatter_chunks *block = &scatter_slot_parcel(slot, rank)->block;

		scatter_chunks_share(&out->stream, block, 0, block->end);
	}
	return 1;
}

/**
 * scatter_bundle_for_parent() - the bundle of this node's subtree in a gather
 * @slot: has all that it consists of
 * @out: (out) the bundle
 *
 * Context: may sleep.
 */
void scatter_bundle_for_parent(struct scatter_slot *slot, struct scatter_bundle *out)
{
	u32 nr = slot->places.nr, i;

	*out = (struct scatter_bundle){ .head = slot->head };
	scatter_chunks_init(&out->stream, NULL);
	out->head.flags = (is_listed(slot) ? SCATTER_WIDE_LISTED : 0) |
			  (is_plain(slot) ? SCATTER_WIDE_PLAIN : 0);
	if (out->head.flags & SCATTER_WIDE_LISTED)
		for (i = 0; i < slot->count;)
			i += add_lengths(slot, (slot->first + i) % nr, out);
	if (!(out->head.flags & SCATTER_WIDE_PLAIN))
		for (i = 0; i < slot->count;)
			i += add_blocks(slot, (slot->first + i) % nr, out);
}
