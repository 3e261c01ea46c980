/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SLOT_H
#define _SCATTER_SLOT_H

#include <linux/list.h>
#include <linux/types.h>

#include "group/places.h"
#include "memory/chunks.h"
#include "schedule/schedule.h"
#include "wire/wide.h"

struct scatter_cells;
struct scatter_group;
struct scatter_operation;
struct scatter_spec;
struct scatter_user;

/**
 * struct scatter_bundle - what has come along an edge in an operation
 * @head: the first message of it, without its payload; valid if @begun
 * @begun: some of it has come
 * @messages: in how many messages
 * @stream: the lengths of the blocks, if the bundle is listed, and the blocks, unless it is plain
 *
 * All of it has come when @stream has as many bytes as @head tells.
 */
struct scatter_bundle {
	struct scatter_wide_bundle head;
	bool begun;
	u32 messages;
	struct scatter_chunks stream;
};

static inline bool scatter_bundle_is_complete(const struct scatter_bundle *bundle)
{
	return bundle->begun && bundle->stream.end == bundle->head.total;
}

/**
 * struct scatter_slot_edge - an edge to a child in the tree between nodes
 * @node: the child, as index in scatter_portal.nodes
 * @first: the first place of the child's subtree
 * @count: how many places, modulo their number
 * @sent: scatter: the bundle has been sent to the child
 * @done: the child is through with the operation
 * @placed: gather, at the root's node: the root has the child's bundle
 * @in: gather: what comes from the child
 */
struct scatter_slot_edge {
	u32 node;
	u32 first;
	u32 count;
	bool sent;
	bool done;
	bool placed;
	struct scatter_bundle in;
};

/**
 * struct scatter_parcel - what a member here gives to other nodes, or gets from them
 * @ready: gather: the member has called, and its block can be had
 * @void_block: the block could not be read
 * @length: gather: bytes of the block
 * @block: gather: the block, if the member has put it aside; else it is in the member's memory
 * @rank: whose block comes in @pulled
 * @asked: so many bytes of that block have been asked for
 * @pulled: what has come of it, and not been taken yet
 * @messages: in how many messages
 */
struct scatter_parcel {
	bool ready;
	bool void_block;
	u64 length;
	struct scatter_chunks block;
	u32 rank;
	u64 asked;
	struct scatter_chunks pulled;
	u32 messages;
};

/**
 * struct scatter_slot_pull - somebody asks for a part of a block in the memory of a member here
 * @entry: in scatter_slot.pulls
 * @to: who asks, as index in scatter_portal.nodes
 * @rank: whose block
 * @offset: bytes of the block before the part
 * @bytes: length of the part
 */
struct scatter_slot_pull {
	struct list_head entry;
	u32 to;
	u32 rank;
	u64 offset;
	u32 bytes;
};

/**
 * struct scatter_slot - what nodes have said to each other of an operation
 * @entry: in scatter_portal.slots, by rising number
 * @number: constant; of the operation
 * @arrived: barrier: children that have sent UP, as bits
 * @up: barrier: this node has sent UP, or UP has come to the home
 * @down: barrier: DOWN has come, or at the home UP has come from all
 * @failed: the call of @culprit has failed
 * @culprit: a rank
 * @met: it is known what members here say the operation is
 * @differs: another node says that the operation is another one
 * @known: the fields below are valid, and constant but where they say else
 * @head: what operation it is; of the counts only the bundle of this node's subtree
 * @places: the nodes that take part
 * @plan: the schedule between them
 * @parent: index of the parent in scatter_portal.nodes; at the root's node the node itself
 * @first: the first place of this node's subtree
 * @count: how many places
 * @nr_edges: how many children
 * @edges: the children, in the order in which a root sends; changes
 * @in: scatter: what comes from the parent; changes
 * @sent: gather: the bundle has gone to the parent; changes
 * @done: gather: the parent is through with the operation; changes
 * @placed: scatter: the members here have their blocks; changes
 * @parcels: by the order of ranks of this node; changes
 * @packed: bytes that members here have packed for other nodes; changes
 * @pulls: what members here have to send of their memory; changes
 * @served: gather: bytes in pages here that the parent has pulled; changes
 * @cells: OR-broadcast: what this node has of it, in place of all from @parent on; changes
 *
 * scatter_portal.moving protects all of it.
 */
struct scatter_slot {
	struct list_head entry;
	u64 number;
	u16 arrived;
	bool up;
	bool down;
	bool failed;
	u32 culprit;
	bool met;
	bool differs;
	bool known;
	struct scatter_wide_bundle head;
	struct scatter_places places;
	struct scatter_schedule_spec plan;
	u32 parent;
	u32 first;
	u32 count;
	u32 nr_edges;
	struct scatter_slot_edge *edges;
	struct scatter_bundle in;
	bool sent;
	bool done;
	bool placed;
	struct scatter_parcel *parcels;
	u64 packed;
	struct list_head pulls;
	u64 served;
	struct scatter_cells *cells;
};

/* The root of the operation is a member of this node. */
static inline bool scatter_slot_is_root(const struct scatter_slot *slot)
{
	return slot->places.root == slot->places.self;
}

static inline bool scatter_slot_scatters(const struct scatter_slot *slot)
{
	return slot->head.op == SCATTER_WIDE_SCATTER || slot->head.op == SCATTER_WIDE_SCATTERV;
}

static inline bool scatter_slot_is_vector(const struct scatter_slot *slot)
{
	return slot->head.op == SCATTER_WIDE_SCATTERV || slot->head.op == SCATTER_WIDE_GATHERV;
}

struct scatter_slot *scatter_slot_find(struct scatter_group *group, u64 number);
bool scatter_slot_is_past(struct scatter_group *group, u64 number);
struct scatter_slot *scatter_slot_get(struct scatter_group *group, u64 number, bool own);
void scatter_slot_drop(struct scatter_group *group, struct scatter_slot *slot);
void scatter_slot_free_all(struct scatter_group *group);
void scatter_slot_describe(const struct scatter_group *group, const struct scatter_spec *spec,
			   u64 number, struct scatter_wide_bundle *head);
bool scatter_slot_same(const struct scatter_wide_bundle *a, const struct scatter_wide_bundle *b);
bool scatter_slot_learn(struct scatter_group *group, struct scatter_slot *slot,
			const struct scatter_wide_bundle *head);
bool scatter_slot_fail(struct scatter_group *group, u64 number, u32 rank);
struct scatter_parcel *scatter_slot_parcel(const struct scatter_slot *slot, u32 rank);
struct scatter_slot_edge *scatter_slot_edge_to(struct scatter_slot *slot, u32 place);
struct scatter_slot_edge *scatter_slot_edge_of(struct scatter_slot *slot, u32 node);

#endif /* _SCATTER_SLOT_H */
