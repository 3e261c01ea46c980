/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SLOT_H
#define _SCATTER_SLOT_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/types.h>

#include "group/places.h"
#include "masks.h"
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
 * @pieces: constant; how many pieces each block is cut in: the bundle has one of each, as its tree
 *	says; 1: the bundle has whole blocks
 * @begun: some of it has come
 * @messages: in how many messages
 * @stream: the lengths of the blocks, if the bundle is listed, and the blocks, unless it is plain
 *
 * All of it has come when @stream has as many bytes as @head tells.
 */
struct scatter_bundle {
	struct scatter_wide_bundle head;
	u32 pieces;
	bool begun;
	u32 messages;
	struct scatter_chunks stream;
};

static inline bool scatter_bundle_is_complete(const struct scatter_bundle *bundle)
{
	return bundle->begun && bundle->stream.end == bundle->head.total;
}

/**
 * struct scatter_slot_set - the places whose blocks cross an edge
 * @place: the places, in the order in which their blocks cross
 * @nr: how many places
 * @blocks: how many blocks those have
 */
struct scatter_slot_set {
	u16 *place;
	u32 nr;
	u32 blocks;
};

/**
 * struct scatter_slot_asked - what a neighbour has asked for that has not been sent to it
 * @bytes: so many bytes
 * @pulls: in so many PULLs
 */
struct scatter_slot_asked {
	u64 bytes;
	u32 pulls;
};

/**
 * struct scatter_slot_edge - an edge to a child in a tree between nodes
 * @node: the child, as index in scatter_portal.nodes
 * @tree: which tree
 * @set: the child's subtree
 * @sent: scatter: the bundle has been sent to the child
 * @done: the child is through with the operation
 * @placed: gather, at the root's node: the root has the child's bundle
 * @asked: scatter: what the child has asked for; of one tree, if there are several with the child
 * @in: gather: what comes from the child
 */
struct scatter_slot_edge {
	u32 node;
	u32 tree;
	struct scatter_slot_set set;
	bool sent;
	bool done;
	bool placed;
	struct scatter_slot_asked asked;
	struct scatter_bundle in;
};

#define SCATTER_SLOT_NO_EDGE	((u16)-1)

/**
 * struct scatter_slot_spot - where the blocks of a place are in a tree
 * @there: they cross an edge of this node
 * @edge: index of the edge behind which the place is; %SCATTER_SLOT_NO_EDGE: none
 * @index: how many blocks come before them in their bundle: the parent's if blocks come from there,
 *	else that of the edge
 * @at: bytes of the bundle's stream before them; changes when the bundle is complete
 */
struct scatter_slot_spot {
	bool there;
	u16 edge;
	u16 index;
	u32 at;
};

/**
 * struct scatter_slot_tree - one of the trees between nodes that run at once
 * @joined: this node has a parent in the tree
 * @parent: the parent, as index in scatter_portal.nodes; without a parent the node itself
 * @set: this node's subtree; empty without a parent
 * @spots: by place
 * @in: scatter: what comes from the parent; changes
 * @sent: gather: the bundle has gone to the parent; changes
 * @done: gather: the parent is through with the operation; changes
 * @asked: gather: what the parent has asked for; of one tree, if there are several with the parent;
 *	changes
 */
struct scatter_slot_tree {
	bool joined;
	u32 parent;
	struct scatter_slot_set set;
	struct scatter_slot_spot *spots;
	struct scatter_bundle in;
	bool sent;
	bool done;
	struct scatter_slot_asked asked;
};

/**
 * struct scatter_parcel - what a member here gives to other nodes, or gets from them
 * @ready: gather: the member has called, and its block can be had
 * @void_block: the block could not be read
 * @length: gather: bytes of the block
 * @block: gather: the block, if the member has put it aside; else it is in the member's memory
 * @rank: whose block comes in @pulled
 * @asked: so many bytes of that block have been asked for
 * @tree: by which tree the last of them come
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
	u32 tree;
	struct scatter_chunks pulled;
	u32 messages;
};

/**
 * struct scatter_slot_told - a node that gets the counts of an irregular schedule from this node
 * @node: index in scatter_portal.nodes
 * @sent: the counts have been sent there
 */
struct scatter_slot_told {
	u32 node;
	bool sent;
};

/**
 * struct scatter_slot_pull - somebody asks for a part of a block
 * @entry: in scatter_slot.pulls: the block is in the memory of a member here; or in
 *	scatter_slot.passed
 * @to: who asks, as index in scatter_portal.nodes
 * @rank: whose block
 * @offset: bytes of the block before the part
 * @bytes: length of the part
 * @messages: in scatter_slot.passed: in so many messages the part may come
 */
struct scatter_slot_pull {
	struct list_head entry;
	u32 to;
	u32 rank;
	u64 offset;
	u32 bytes;
	u32 messages;
};

/**
 * struct scatter_slot_inquiry - why members wait in an operation, as nodes tell each other
 * @maker: constant; which node has asked first, as index in scatter_portal.nodes
 * @next: jiffies; before that this node asks nobody
 * @pause: jiffies from then to the next time
 * @known: home: @wait is valid
 * @wait: home: what the operation is, as the first node has said that has asked
 * @missing: ranks of other nodes that have not called, as heard last
 * @asked: home: all other nodes have been asked
 * @owing: home: nodes that have not answered since the home asked last, by index
 * @curious: home: nodes that have asked, and have not been answered
 * @since: home: jiffies since when @heard counts
 * @heard: home: nodes that have asked since @since
 */
struct scatter_slot_inquiry {
	u32 maker;
	unsigned long next;
	unsigned long pause;
	bool known;
	struct scatter_wide_wait wait;
	u64 missing[SCATTER_MASK_WORDS];
	bool asked;
	DECLARE_BITMAP(owing, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(curious, SCATTER_SIZE_MAX);
	unsigned long since;
	DECLARE_BITMAP(heard, SCATTER_SIZE_MAX);
};

/**
 * struct scatter_slot - what nodes have said to each other of an operation
 * @entry: in scatter_portal.slots, by rising number
 * @number: constant; of the operation
 * @maker: constant; who has spoken of the operation first, as of scatter_slot_get()
 * @arrived: barrier: children that have sent UP, as bits
 * @up: barrier: this node has sent UP, or UP has come to the home
 * @down: barrier: DOWN has come, or at the home UP has come from all
 * @failed: the call of @culprit has failed
 * @culprit: a rank
 * @met: it is known what members here say the operation is
 * @differs: another node says that the operation is another one
 * @inquiry: why members wait in the operation; NULL: nobody has waited for long
 * @known: the fields below are valid, and constant but where they say else
 * @head: what operation it is, without counts
 * @places: the nodes that take part
 * @counts: irregular: the lengths of all blocks, by rank; changes
 * @counts_from: where @counts come from, as index in scatter_portal.nodes
 * @nr_told: how many nodes get them from this node
 * @told: those nodes: first the children, by the order of @edges; changes
 * @planned: the schedule between them is known, and so are the next five fields
 * @pieces: how many pieces each block is cut in: one for each tree; 1: blocks stay whole
 * @nr_trees: how many trees run at once
 * @trees: the trees
 * @nr_edges: how many children this node has in all trees
 * @edges: the children, tree by tree, in the order in which a root sends
 * @placed: scatter: the members here have their blocks; changes
 * @parcels: by the order of ranks of this node; changes
 * @packed: bytes that members here have packed for other nodes; changes
 * @pulls: what members here have to send of their memory; changes
 * @passed: what this node has asked for because a neighbour has, and has not got whole; changes
 * @served: gather: bytes in pages here that parents have pulled; changes
 * @servings: in so many PULLs; changes
 * @cells: OR-broadcast: what this node has of it, in place of all from @counts on; changes
 *
 * scatter_portal.moving protects all of it.
 */
struct scatter_slot {
	struct list_head entry;
	u64 number;
	u32 maker;
	u16 arrived;
	bool up;
	bool down;
	bool failed;
	u32 culprit;
	bool met;
	bool differs;
	struct scatter_slot_inquiry *inquiry;
	bool known;
	struct scatter_wide_bundle head;
	struct scatter_places places;
	struct scatter_bundle counts;
	u32 counts_from;
	u32 nr_told;
	struct scatter_slot_told *told;
	bool planned;
	u32 pieces;
	u32 nr_trees;
	struct scatter_slot_tree *trees;
	u32 nr_edges;
	struct scatter_slot_edge *edges;
	bool placed;
	struct scatter_parcel *parcels;
	u64 packed;
	struct list_head pulls;
	struct list_head passed;
	u64 served;
	u32 servings;
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

/* Blocks come here from the parents. */
static inline bool scatter_slot_descends(const struct scatter_slot *slot)
{
	return scatter_slot_scatters(slot) && !scatter_slot_is_root(slot);
}

static inline bool scatter_slot_is_vector(const struct scatter_slot *slot)
{
	return slot->head.op == SCATTER_WIDE_SCATTERV || slot->head.op == SCATTER_WIDE_GATHERV;
}

struct scatter_slot *scatter_slot_find(struct scatter_group *group, u64 number);
bool scatter_slot_is_past(struct scatter_group *group, u64 number);
struct scatter_slot *scatter_slot_get(struct scatter_group *group, u64 number, u32 maker);
void scatter_slot_drop(struct scatter_group *group, struct scatter_slot *slot);
void scatter_slot_free_all(struct scatter_group *group);
void scatter_slot_describe(const struct scatter_group *group, const struct scatter_spec *spec,
			   u64 number, struct scatter_wide_bundle *head);
bool scatter_slot_same(const struct scatter_wide_bundle *a, const struct scatter_wide_bundle *b);
bool scatter_slot_learn(struct scatter_group *group, struct scatter_slot *slot,
			const struct scatter_wide_bundle *head);
bool scatter_slot_fail(struct scatter_group *group, u64 number, u32 rank);
struct scatter_parcel *scatter_slot_parcel(const struct scatter_slot *slot, u32 rank);

#endif /* _SCATTER_SLOT_H */
