// SPDX-License-Identifier: GPL-2.0
/*
 * Bundles: the blocks that cross an edge between nodes together.
 *
 * A bundle is a stream of bytes: the lengths of its blocks, if the bundle is *listed*, then the
 * blocks in wire order. A *plain* bundle only announces its blocks, which are pulled later. The
 * stream travels in as many messages as it needs. A node sends bytes on from the pages in which
 * they have come, without a copy.
 */
#include <linux/mm.h>
#include <linux/string.h>

#include "group/group.h"
#include "group/portal.h"
#include "node/mail.h"
#include "span/bundle.h"
#include "group/slot.h"
#include "group/trees.h"
#include "trace.h"
#include "wire/wide_build.h"
#include "wire/wide_parse.h"

/* A message of a bundle has this many bytes on average, since nodes copy short pieces together. */
#define SCATTER_BUNDLE_MEAN	512

/**
 * scatter_bundle_length() - the length of a block
 * @bundle: complete
 * @index: number of the block in the bundle, from 0
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

/**
 * scatter_bundle_piece() - the part of a block that a bundle has
 * @bundle: the bundle
 * @length: bytes of the block
 * @offset: (out) bytes of the block before the part; may be NULL
 *
 * Context: any.
 * Return: bytes of the part.
 */
u64 scatter_bundle_piece(const struct scatter_bundle *bundle, u64 length, u64 *offset)
{
	u32 piece = bundle->pieces > 1 ? bundle->head.tree : 0;
	u64 begin = scatter_schedule_cut(length, piece, bundle->pieces);

	if (offset)
		*offset = begin;
	return scatter_schedule_cut(length, piece + 1, bundle->pieces) - begin;
}

/**
 * scatter_bundle_carried() - how many bytes a block takes in the stream
 * @bundle: the bundle
 * @length: bytes of the block, or %SCATTER_WIDE_LENGTH_VOID
 *
 * Context: any.
 */
u64 scatter_bundle_carried(const struct scatter_bundle *bundle, u64 length)
{
	if (length == SCATTER_WIDE_LENGTH_VOID || bundle->head.flags & SCATTER_WIDE_PLAIN)
		return 0;
	return scatter_bundle_piece(bundle, length, NULL);
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
		end += scatter_bundle_carried(bundle, length);
		if (end > head->total)
			return false;
	}
	return end == head->total;
}

/* Whether two messages belong to one bundle: all fields agree that a bundle's messages share. */
static bool goes_on(const struct scatter_wide_bundle *a, const struct scatter_wide_bundle *b)
{
	return a->flags == b->flags && a->count == b->count && a->total == b->total &&
	       scatter_slot_same(a, b);
}

/**
 * scatter_bundle_add() - add a message to a bundle
 * @bundle: the bundle, as far as it has come
 * @wide: the message, whose count and tree have been checked
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep.
 * Return: false: the message breaks the protocol.
 */
bool scatter_bundle_add(struct scatter_bundle *bundle, const struct scatter_wide_bundle *wide,
			struct page *page, u32 offset)
{
	u64 memory = 0;

	if (bundle->begun && (scatter_bundle_is_complete(bundle) || !goes_on(&bundle->head, wide)))
		return false;
	/* Each message takes a page, so honest nodes send few short ones. */
	if (wide->offset != bundle->stream.end ||
	    bundle->kept.messages >= 4 + wide->total / SCATTER_BUNDLE_MEAN)
		return false;
	bundle->head = *wide;
	bundle->begun = true;
	if (wide->payload)
		memory = scatter_chunks_add(&bundle->stream, page, offset, wide->payload);
	scatter_kept_count(&bundle->kept, memory);
	if (!scatter_bundle_is_complete(bundle) || is_sound(bundle))
		return true;
	scatter_chunks_free(&bundle->stream);
	bundle->begun = false;
	return false;
}

/* Count a bundle that is about to be sent. The counts of an irregular schedule are no bundle. */
static void count(const struct scatter_group *group, u64 to, const struct scatter_bundle *bundle)
{
	u64 bytes = bundle->stream.end - scatter_bundle_begin(bundle);

	if (bundle->head.flags & SCATTER_WIDE_COUNTS)
		return;
	scatter_mail_count(group->portal->node, to, 1, bytes, bundle->copied);
	trace_scatter_bundle(group, &bundle->head, to, bytes);
}

/**
 * scatter_bundle_send() - send a bundle to another node
 * @group: formed, and spans nodes
 * @to: index of the node, which is tied
 * @bundle: the bundle; its head lacks only what depends on @stream
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_bundle_send(struct scatter_group *group, u32 to, struct scatter_bundle *bundle)
{
	const struct scatter_portal *portal = group->portal;
	struct scatter_wide_bundle *head = &bundle->head;
	const u64 id = portal->nodes[to].id;
	struct scatter_chunk *chunk = NULL;
	struct scatter_raw_bundle raw;

	head->total = bundle->stream.end;
	count(group, id, bundle);
	do {
		chunk = scatter_chunks_next(&bundle->stream, chunk);
		head->offset = chunk ? chunk->at : 0;
		head->payload = chunk ? chunk->bytes : 0;
		scatter_wide_build_bundle(&raw, 0, head);
		if (chunk)
			scatter_mail_post_chunk(portal->node, portal->mailer, id, &raw, sizeof(raw),
						chunk, 0, chunk->bytes);
		else
			scatter_mail_post(portal->node, portal->mailer, id, &raw, sizeof(raw));
	} while (chunk && chunk->at + chunk->bytes < bundle->stream.end);
}

static void add_length(struct scatter_bundle *out, u64 length)
{
	const __le64 raw = cpu_to_le64(length);

	scatter_chunks_append(&out->stream, &raw, sizeof(raw));
}

/**
 * struct run - bytes in a row that are added to another stream in one go
 * @from: the stream in which the bytes lie
 * @at: bytes of @from before them
 * @bytes: how many
 */
struct run {
	const struct scatter_chunks *from;
	u64 at;
	u64 bytes;
};

static void end_run(struct scatter_bundle *out, struct run *run)
{
	if (run->bytes)
		out->copied += scatter_chunks_share(&out->stream, run->from, run->at, run->bytes);
	run->bytes = 0;
}

static void add_run(struct scatter_bundle *out, struct run *run, const struct scatter_chunks *from,
		    u64 at, u64 bytes)
{
	if (!bytes)
		return;
	if (run->from != from || run->at + run->bytes != at)
		end_run(out, run);
	if (!run->bytes)
		*run = (struct run){ .from = from, .at = at };
	run->bytes += bytes;
}

/* Count the bytes that all blocks of a place take in a complete bundle. */
static u64 place_bytes(const struct scatter_slot *slot, const struct scatter_bundle *in, u32 tree,
		       u16 place)
{
	u32 first = slot->trees[tree].spots[place].index;
	u32 nr = scatter_places_blocks(&slot->places, &place, 1), i;
	u64 bytes = 0;

	for (i = 0; i < nr; i++)
		bytes += scatter_bundle_carried(in, scatter_bundle_length(in, first + i));
	return bytes;
}

/**
 * scatter_bundle_index() - note where each place's blocks are in a bundle
 * @slot: the slot of the bundle's operation
 * @tree: the bundle's tree
 * @set: the places whose blocks the bundle has
 * @in: the bundle, which has become complete
 *
 * Context: any.
 */
void scatter_bundle_index(struct scatter_slot *slot, u32 tree, const struct scatter_slot_set *set,
			  const struct scatter_bundle *in)
{
	u64 at = scatter_bundle_begin(in);
	u32 i;

	for (i = 0; i < set->nr; i++) {
		slot->trees[tree].spots[set->place[i]].at = at;
		at += place_bytes(slot, in, tree, set->place[i]);
	}
}

static void add_lengths(const struct scatter_slot *slot, const struct scatter_bundle *in, u32 tree,
			u16 place, struct scatter_bundle *out)
{
	u32 first = slot->trees[tree].spots[place].index;
	u32 nr = scatter_places_blocks(&slot->places, &place, 1), i;

	for (i = 0; i < nr; i++)
		add_length(out, scatter_bundle_length(in, first + i));
}

static void make(struct scatter_slot *slot, u32 tree, const struct scatter_slot_set *set, u32 flags,
		 struct scatter_bundle *out)
{
	*out = (struct scatter_bundle){ .head = slot->head, .pieces = slot->pieces };
	out->head.flags = flags;
	out->head.tree = tree;
	out->head.count = set->blocks;
	scatter_chunks_init(&out->stream, NULL);
}

/**
 * scatter_bundle_for_child() - make the part of a scatter's bundle that goes on to a child
 * @slot: has the whole bundle of this node's subtree in the child's tree
 * @child: the edge to the child
 * @out: (out) the child's bundle
 *
 * Context: may sleep.
 */
void scatter_bundle_for_child(struct scatter_slot *slot, const struct scatter_slot_edge *child,
			      struct scatter_bundle *out)
{
	const struct scatter_slot_tree *tree = &slot->trees[child->tree];
	const struct scatter_slot_set *set = &child->set;
	const struct scatter_bundle *in = &tree->in;
	struct run run = {};
	u32 i;

	make(slot, child->tree, set, in->head.flags, out);
	for (i = 0; i < set->nr && in->head.flags & SCATTER_WIDE_LISTED; i++)
		add_lengths(slot, in, child->tree, set->place[i], out);
	for (i = 0; i < set->nr; i++)
		add_run(out, &run, &in->stream, tree->spots[set->place[i]].at,
			place_bytes(slot, in, child->tree, set->place[i]));
	end_run(out, &run);
}

/* Whether the blocks of this node's own place are in the bundles of a tree. */
static bool has_own(const struct scatter_slot *slot, u32 tree)
{
	return slot->trees[tree].spots[slot->places.self].there;
}

static bool is_listed(const struct scatter_slot *slot, u32 tree)
{
	const u16 self = slot->places.self;
	struct scatter_places_cursor cursor;
	bool listed = scatter_slot_is_vector(slot);
	u32 rank, i;

	for (i = 0; i < slot->nr_edges; i++)
		if (slot->edges[i].tree == tree)
			listed |= slot->edges[i].in.head.flags & SCATTER_WIDE_LISTED;
	scatter_places_begin(&cursor, &self, has_own(slot, tree));
	while (scatter_places_next(&slot->places, &cursor, &rank))
		listed |= scatter_slot_parcel(slot, rank)->void_block;
	return listed;
}

/* Whether a gather's bundle only announces: a block is at its source, or the bundle is too long. */
static bool is_plain(const struct scatter_slot *slot, u32 tree, const struct scatter_bundle *out)
{
	const u16 self = slot->places.self;
	struct scatter_places_cursor cursor;
	u64 bytes = 0;
	u32 rank, i;

	for (i = 0; i < slot->nr_edges; i++) {
		const struct scatter_bundle *in = &slot->edges[i].in;

		if (slot->edges[i].tree != tree)
			continue;
		if (in->head.flags & SCATTER_WIDE_PLAIN)
			return true;
		bytes += in->stream.end - scatter_bundle_begin(in);
	}
	scatter_places_begin(&cursor, &self, has_own(slot, tree));
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		const struct scatter_parcel *parcel = scatter_slot_parcel(slot, rank);

		if (!parcel->void_block && parcel->block.end != parcel->length)
			return true;
		bytes += scatter_bundle_piece(out, parcel->block.end, NULL);
	}
	return bytes > SCATTER_WIDE_EAGER_MAX;
}

static void add_own_lengths(const struct scatter_slot *slot, struct scatter_bundle *out)
{
	const u16 self = slot->places.self;
	struct scatter_places_cursor cursor;
	u32 rank;

	scatter_places_begin(&cursor, &self, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		const struct scatter_parcel *parcel = scatter_slot_parcel(slot, rank);

		add_length(out, parcel->void_block ? SCATTER_WIDE_LENGTH_VOID : parcel->length);
	}
}

static void add_own_blocks(const struct scatter_slot *slot, struct scatter_bundle *out)
{
	const u16 self = slot->places.self;
	struct scatter_places_cursor cursor;
	u64 at, bytes;
	u32 rank;

	scatter_places_begin(&cursor, &self, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		const struct scatter_chunks *block = &scatter_slot_parcel(slot, rank)->block;

		bytes = scatter_bundle_piece(out, block->end, &at);
		scatter_chunks_share(&out->stream, block, at, bytes);
	}
}

/* An irregular tree leaves out places without any bytes, but its bundles are ranges. */
static void add_empty_lengths(const struct scatter_slot *slot, u16 place,
			      struct scatter_bundle *out)
{
	u32 nr = scatter_places_blocks(&slot->places, &place, 1);

	while (nr--)
		add_length(out, 0);
}

static void add_all_lengths(const struct scatter_slot *slot, const struct scatter_slot_set *set,
			    struct scatter_bundle *out)
{
	const struct scatter_slot_edge *edge;
	u32 tree = out->head.tree, i;

	for (i = 0; i < set->nr; i++) {
		edge = scatter_trees_edge_to(slot, tree, set->place[i]);
		if (edge)
			add_lengths(slot, &edge->in, tree, set->place[i], out);
		else if (set->place[i] == slot->places.self)
			add_own_lengths(slot, out);
		else
			add_empty_lengths(slot, set->place[i], out);
	}
}

static void add_all_blocks(const struct scatter_slot *slot, const struct scatter_slot_set *set,
			   struct scatter_bundle *out)
{
	const struct scatter_slot_edge *edge;
	u32 tree = out->head.tree, i;
	struct run run = {};

	for (i = 0; i < set->nr; i++) {
		u16 place = set->place[i];

		edge = scatter_trees_edge_to(slot, tree, place);
		if (edge) {
			add_run(out, &run, &edge->in.stream, slot->trees[tree].spots[place].at,
				place_bytes(slot, &edge->in, tree, place));
		} else if (place == slot->places.self) {
			end_run(out, &run);
			add_own_blocks(slot, out);
		}
	}
	end_run(out, &run);
}

/**
 * scatter_bundle_for_parent() - make the bundle of this node's subtree in a gather
 * @slot: the operation's slot; has all blocks of the bundle
 * @tree: the bundle's tree
 * @out: (out) the bundle
 *
 * Context: may sleep.
 */
void scatter_bundle_for_parent(struct scatter_slot *slot, u32 tree, struct scatter_bundle *out)
{
	const struct scatter_slot_set *set = &slot->trees[tree].set;

	make(slot, tree, set, is_listed(slot, tree) ? SCATTER_WIDE_LISTED : 0, out);
	out->head.flags |= is_plain(slot, tree, out) ? SCATTER_WIDE_PLAIN : 0;
	if (out->head.flags & SCATTER_WIDE_LISTED)
		add_all_lengths(slot, set, out);
	if (!(out->head.flags & SCATTER_WIDE_PLAIN))
		add_all_blocks(slot, set, out);
}
