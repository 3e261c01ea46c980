/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SLOT_H
#define _SCATTER_SLOT_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/rbtree_types.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "group/kept.h"
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
 * struct scatter_bundle - the blocks that cross an edge between nodes in an operation
 * @head: the bundle's first message, without its payload; valid if @begun
 * @pieces: constant; how many pieces each block is cut in: the bundle has one piece of each block,
 *	that of the bundle's tree; 1: the bundle has whole blocks
 * @begun: a message of the bundle has come
 * @kept: the messages of the bundle that have come
 * @copied: how many bytes of blocks of other nodes this node has copied to put them into @stream
 * @stream: the lengths of the blocks, if the bundle is listed, and the blocks, unless it is plain
 *
 * The bundle is complete when @stream has as many bytes as @head tells.
 */
struct scatter_bundle {
	struct scatter_wide_bundle head;
	u32 pieces;
	bool begun;
	struct scatter_kept kept;
	u64 copied;
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
 * @blocks: how many blocks these places have
 */
struct scatter_slot_set {
	u16 *place;
	u32 nr;
	u32 blocks;
};

/**
 * struct scatter_slot_asked - what a neighbour has asked for and this node has not sent
 * @bytes: how many bytes
 * @pulls: in how many PULLs
 */
struct scatter_slot_asked {
	u64 bytes;
	u32 pulls;
};

/**
 * struct scatter_slot_edge - an edge to a child in a tree between nodes
 * @node: the child's index in scatter_portal.nodes
 * @tree: the tree
 * @set: the places of the child's subtree
 * @sent: scatter: the bundle has been sent to the child
 * @done: the child is through with the operation
 * @placed: gather, at the root's node: the root has the child's bundle
 * @asked: scatter: what the child has asked for, by all trees that have an edge to the child: only
 *	the first edge to the child counts
 * @in: gather: the bundle that comes from the child; scatter: at the root, the packed bundle
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
 * @there: the blocks cross an edge of this node
 * @edge: index of the edge behind which the place is; %SCATTER_SLOT_NO_EDGE: none
 * @index: how many blocks come before these in their bundle: in the bundle from the parent if
 *	blocks come from there, else in the bundle of the edge
 * @at: bytes of the bundle's stream before the blocks; set when the bundle is complete
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
 * @parent: the parent's index in scatter_portal.nodes; without a parent this node's
 * @set: the places of this node's subtree; empty without a parent
 * @spots: by place
 * @in: scatter: the bundle that comes from the parent; changes
 * @sent: gather: the bundle has gone to the parent; changes
 * @done: gather: the parent is through with the operation; changes
 * @asked: gather: what the parent has asked for, by all trees that have the parent: only the first
 *	of these trees counts; changes
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
 * struct scatter_parcel - the block that a member here gives to other nodes in a gather
 * @ready: the member has called, and its block can be had
 * @void_block: the block could not be read
 * @length: bytes of the block
 * @block: the block, if the member has put it aside; else it is in the member's memory
 */
struct scatter_parcel {
	bool ready;
	bool void_block;
	u64 length;
	struct scatter_chunks block;
};

/**
 * struct scatter_intake - a block that a member here pulls from another node
 * @asked: how many bytes of the block this node has asked for
 * @tree: the tree by which the last of these bytes come
 * @pulled: bytes that have come, and that the member has not taken yet
 * @messages: in how many messages these bytes have come
 * @ahead: what the block counts in scatter_portal.ahead
 */
struct scatter_intake {
	u64 asked;
	u32 tree;
	struct scatter_chunks pulled;
	u32 messages;
	u64 ahead;
};

/**
 * struct scatter_slot_told - a node that gets the counts of an irregular schedule from this node
 * @node: that node's index in scatter_portal.nodes
 * @sent: this node has sent the counts
 * @done: that node is through with the operation; nothing waits for that if the node is a child,
 *	which says the same of its bundle
 */
struct scatter_slot_told {
	u32 node;
	bool sent;
	bool done;
};

/**
 * struct scatter_slot_pull - a part of a block that another node has asked for
 * @entry: in scatter_slot.pulls, if the block is in the memory of a member here; else in
 *	scatter_slot.passed
 * @to: index in scatter_portal.nodes of the node that asks
 * @rank: the block's rank
 * @offset: bytes of the block before the part
 * @bytes: length of the part
 * @messages: in scatter_slot.passed: in how many messages the part may come
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
 * @maker: constant; index in scatter_portal.nodes of the node that has asked first
 * @next: when this node may ask next, in jiffies
 * @pause: jiffies from @next to the time after it
 * @known: home: @wait is valid
 * @wait: home: what the operation is, as the node says that has asked first
 * @missing: ranks of other nodes that have not called, as these nodes said last
 * @asked: home: all other nodes have been asked
 * @owing: home: nodes that have not answered since the home asked last, by index
 * @curious: home: nodes that have asked, and have not been answered
 * @since: home: when @heard was cleared last, in jiffies
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
 * struct scatter_slot - what nodes have said to each other about an operation
 * @by_number: in scatter_portal.slots
 * @open: in scatter_portal.open; empty once @ended. Of a slot that is free: in
 *	scatter_portal.spares
 * @awaits: in @awaited of an earlier operation that this node has to end before this one; or empty
 * @awaited: slots of later operations that this node cannot end before this one
 * @number: constant; the operation's number
 * @maker: constant; the node that has spoken of the operation first, as of scatter_slot_get()
 * @arrived: barrier: children that have sent UP, as bits
 * @up: barrier: this node has sent UP, or UP has come to the home
 * @down: barrier: DOWN has come, or at the home UP has come from all
 * @failed: the call of @culprit has failed
 * @culprit: a rank
 * @met: members here have called, and the slot knows or has compared what they call
 * @differs: nodes say different things about what the operation is
 * @emptied: the operation has failed before a member here called it: this node keeps no blocks
 * @looming: some of @awaited may not have to wait once the schedule is known
 * @inquiry: why members wait in the operation; NULL: no member has waited for long
 * @known: the fields below are valid, and constant unless they say that they change
 * @head: what the operation is, without counts
 * @places: the nodes that take part
 * @counts: irregular: the lengths of all blocks, by rank; changes
 * @counts_from: index in scatter_portal.nodes of the node that @counts come from
 * @nr_told: how many nodes get the counts from this node
 * @told: those nodes: first the children, in the order of @edges; changes
 * @planned: the schedule between the nodes is known, and the next five fields are valid
 * @pieces: how many pieces each block is cut in: one for each tree; 1: blocks stay whole
 * @nr_trees: how many trees run at once
 * @trees: the trees
 * @nr_edges: how many children this node has in all trees
 * @edges: the children, tree by tree, in the order in which a root sends
 * @placed: scatter: the members here have their blocks; changes
 * @ended: this node is through with the operation, but has not passed all operations before it. It
 *	has sent DONE to those that have sent it bundles, or owes it, and keeps no blocks; changes
 * @parcels: of members here, by rank; changes
 * @intakes: struct scatter_intake of the blocks that members here pull, by rank; changes
 * @packed: bytes that members here have packed for other nodes; changes
 * @pulls: what members here have to send of their memory; changes
 * @passed: PULLs of neighbours that this node has passed on, and that are not answered completely;
 *	changes
 * @served: gather: bytes in pages here that parents have pulled; changes
 * @servings: in how many PULLs parents have pulled these bytes; changes
 * @cells: OR-broadcast: the cells on this node, in place of all fields from @counts on; changes
 *
 * scatter_portal.moving protects all fields.
 */
struct scatter_slot {
	struct rb_node by_number;
	struct list_head open;
	struct list_head awaits;
	struct list_head awaited;
	u64 number;
	u32 maker;
	u16 arrived;
	bool up;
	bool down;
	bool failed;
	u32 culprit;
	bool met;
	bool differs;
	bool emptied;
	bool looming;
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
	bool ended;
	struct scatter_parcel *parcels;
	struct xarray intakes;
	u64 packed;
	struct list_head pulls;
	struct list_head passed;
	u64 served;
	u32 servings;
	struct scatter_cells *cells;
};

/* Whether the root of the operation is a member of this node. */
static inline bool scatter_slot_is_root(const struct scatter_slot *slot)
{
	return slot->places.root == slot->places.self;
}

static inline bool scatter_slot_scatters(const struct scatter_slot *slot)
{
	return slot->head.op == SCATTER_WIDE_SCATTER || slot->head.op == SCATTER_WIDE_SCATTERV;
}

/* Whether blocks come to this node from its parents. */
static inline bool scatter_slot_descends(const struct scatter_slot *slot)
{
	return scatter_slot_scatters(slot) && !scatter_slot_is_root(slot);
}

static inline bool scatter_slot_is_vector(const struct scatter_slot *slot)
{
	return slot->head.op == SCATTER_WIDE_SCATTERV || slot->head.op == SCATTER_WIDE_GATHERV;
}

struct scatter_slot *scatter_slot_find(struct scatter_group *group, u64 number);
struct scatter_slot *scatter_slot_next(struct scatter_group *group, struct scatter_slot *slot);
bool scatter_slot_is_past(struct scatter_group *group, u64 number);
struct scatter_slot *scatter_slot_get(struct scatter_group *group, u64 number, u32 maker);
void scatter_slot_empty(struct scatter_group *group, struct scatter_slot *slot);
void scatter_slot_end(struct scatter_group *group, struct scatter_slot *slot,
		      struct list_head *later);
void scatter_slot_drop(struct scatter_group *group, struct scatter_slot *slot,
		       struct list_head *later);
void scatter_slot_free_all(struct scatter_group *group);
void scatter_slot_describe(struct scatter_group *group, const struct scatter_spec *spec,
			   u64 number, struct scatter_wide_bundle *head);
bool scatter_slot_same(const struct scatter_wide_bundle *a, const struct scatter_wide_bundle *b);
bool scatter_slot_learn(struct scatter_group *group, struct scatter_slot *slot,
			const struct scatter_wide_bundle *head);
int scatter_slot_fail(struct scatter_group *group, u64 number, u32 rank);
struct scatter_parcel *scatter_slot_parcel(const struct scatter_slot *slot, u32 rank);

#endif /* _SCATTER_SLOT_H */
