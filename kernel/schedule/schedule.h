/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Schedules: which ranks exchange which blocks, in which round.
 *
 * Pure code: no allocation, no global state, no kernel service. The code compiles into the module,
 * into the user-space unit tests and into the tools.
 *
 * Most schedules are one tree. In a scatter bundles go from the root to the leaves: a rank that is
 * not the root receives one bundle from its parent, then sends one bundle to each of its children.
 * A gather is the same tree with every transfer reversed, in time too. In a broadcast one block
 * takes the way of the bundles. Two families for machines with many ports run several trees at
 * once, and one family is not a tree at all. Rounds count from 1.
 *
 * A bundle is the set of blocks of a whole subtree. Most bundles are one range of real ranks that
 * may wrap around from size - 1 to 0; scatter_schedule_range() tells the ranks of any bundle.
 */
#ifndef _SCATTER_SCHEDULE_H
#define _SCATTER_SCHEDULE_H

#include "irregular.h"
#include "types.h"

/**
 * enum scatter_schedule_algorithm - the families
 * @SCATTER_SCHEDULE_LINEAR: noncombining: the root deals with one rank a round
 * @SCATTER_SCHEDULE_HYPERCUBE: spanning binomial tree, truncated to any size
 * @SCATTER_SCHEDULE_MESH: recursive halving, one dimension after another
 * @SCATTER_SCHEDULE_TORUS: as a mesh, but each dimension is a ring
 * @SCATTER_SCHEDULE_KNOMIAL: (k+1)-nomial tree for k ports
 * @SCATTER_SCHEDULE_ROTATED: n rotated binomial trees, blocks cut in n pieces;
 *	all ports of a hypercube
 * @SCATTER_SCHEDULE_BALANCED: balanced spanning n-tree; all ports of a hypercube,
 *	blocks stay whole
 * @SCATTER_SCHEDULE_IRREGULAR: blocks of different lengths
 * @SCATTER_SCHEDULE_OR_BROADCAST: for each block all ranks combine by OR, and
 *	all get the result
 *
 * The numbers are those of enum scatter_algorithm of the uapi; asserted where both are seen.
 */
enum scatter_schedule_algorithm {
	SCATTER_SCHEDULE_LINEAR = 1,
	SCATTER_SCHEDULE_HYPERCUBE = 2,
	SCATTER_SCHEDULE_MESH = 3,
	SCATTER_SCHEDULE_TORUS = 4,
	SCATTER_SCHEDULE_KNOMIAL = 5,
	SCATTER_SCHEDULE_ROTATED = 6,
	SCATTER_SCHEDULE_BALANCED = 7,
	SCATTER_SCHEDULE_IRREGULAR = 8,
	SCATTER_SCHEDULE_OR_BROADCAST = 9,
};

enum scatter_schedule_op {
	SCATTER_SCHEDULE_SCATTER = 0,
	SCATTER_SCHEDULE_GATHER = 1,
	SCATTER_SCHEDULE_BROADCAST = 2,
};

/**
 * enum scatter_schedule_error - why a specification is refused
 * @SCATTER_SCHEDULE_OK: not refused; always 0
 * @SCATTER_SCHEDULE_BAD_ALGORITHM: no such algorithm
 * @SCATTER_SCHEDULE_BAD_OP: no such operation, or the algorithm has no broadcast
 * @SCATTER_SCHEDULE_BAD_SIZE: no ranks
 * @SCATTER_SCHEDULE_BAD_ROOT: the root is no rank, or not the table's
 * @SCATTER_SCHEDULE_BAD_DIMS: no dimensions, or more than %SCATTER_SCHEDULE_DIMS
 * @SCATTER_SCHEDULE_BAD_EXTENT: an extent is 0, or their product is not the size
 * @SCATTER_SCHEDULE_BAD_POWER: the size has to be a power of two
 * @SCATTER_SCHEDULE_BAD_TABLE: no table of block lengths, or a table of another size
 * @SCATTER_SCHEDULE_BAD_ROUNDS: more rounds than 32 bits count
 */
enum scatter_schedule_error {
	SCATTER_SCHEDULE_OK = 0,
	SCATTER_SCHEDULE_BAD_ALGORITHM,
	SCATTER_SCHEDULE_BAD_OP,
	SCATTER_SCHEDULE_BAD_SIZE,
	SCATTER_SCHEDULE_BAD_ROOT,
	SCATTER_SCHEDULE_BAD_DIMS,
	SCATTER_SCHEDULE_BAD_EXTENT,
	SCATTER_SCHEDULE_BAD_POWER,
	SCATTER_SCHEDULE_BAD_TABLE,
	SCATTER_SCHEDULE_BAD_ROUNDS,
};

#define SCATTER_SCHEDULE_DIMS	8

/**
 * struct scatter_schedule_spec - which schedule
 * @algorithm: enum scatter_schedule_algorithm
 * @op: enum scatter_schedule_op
 * @size: ranks, 1 and up
 * @root: rank of the root
 * @ports: k of %SCATTER_SCHEDULE_KNOMIAL, 0 is 1; other algorithms ignore @ports
 * @dims: dimensions of a mesh or torus
 * @extent: vertices along each dimension, 1 and up; their product is @size. Ranks are row-major:
 *	the last coordinate varies fastest.
 * @irregular: table of %SCATTER_SCHEDULE_IRREGULAR, shared by all ranks
 */
struct scatter_schedule_spec {
	u32 algorithm;
	u32 op;
	u32 size;
	u32 root;
	u32 ports;
	u32 dims;
	u32 extent[SCATTER_SCHEDULE_DIMS];
	const struct scatter_irregular *irregular;
};

/**
 * struct scatter_range - consecutive ranks; never wraps around
 * @first: a rank
 * @count: how many ranks, 1 and up
 */
struct scatter_range {
	u32 first;
	u32 count;
};

/**
 * struct scatter_step - one transfer, as one rank sees it
 * @round: 1 to scatter_schedule_rounds()
 * @peer: rank at the other end
 * @first: first real rank whose block travels
 * @count: how many blocks travel: if scatter_schedule_contiguous(), ranks @first to
 *	@first + @count - 1, modulo the size; else as scatter_schedule_range() tells
 * @tree: which of the trees that run at once, from 0
 * @piece: which piece of each block, from 0: of m bytes, from m * piece / pieces
 *	up to m * (piece + 1) / pieces
 * @pieces: how many pieces a block is cut in; 1 if it stays whole
 * @port: which of scatter_schedule_ports() the transfer crosses, at either end
 * @send: true: to @peer, false: from @peer
 * @combine: the receiver ORs the payload into what it has
 */
struct scatter_step {
	u32 round;
	u32 peer;
	u32 first;
	u32 count;
	u32 tree;
	u32 piece;
	u32 pieces;
	u32 port;
	bool send;
	bool combine;
};

/**
 * struct scatter_walk - one rank's walk through a schedule
 * @spec: the schedule
 * @rank: the rank whose steps these are
 * @cursor: the next slot for a step, 0 and up
 * @slots: how many slots there are; 0 until the first step
 */
struct scatter_walk {
	struct scatter_schedule_spec spec;
	u32 rank;
	u64 cursor;
	u64 slots;
};

int scatter_schedule_check(const struct scatter_schedule_spec *spec);
bool scatter_schedule_init(struct scatter_walk *walk,
			   const struct scatter_schedule_spec *spec, u32 rank);
bool scatter_schedule_next(struct scatter_walk *walk,
			   struct scatter_step *step);
bool scatter_schedule_range(const struct scatter_walk *walk,
			    const struct scatter_step *step, u32 *cursor,
			    struct scatter_range *range);
u64 scatter_schedule_bytes(const struct scatter_walk *walk,
			   const struct scatter_step *step, u64 block);
u64 scatter_schedule_cut(u64 block, u32 part, u32 parts);
u64 scatter_schedule_piece(const struct scatter_step *step, u64 block);
bool scatter_schedule_parent(const struct scatter_walk *walk, u32 tree,
			     struct scatter_step *step);
bool scatter_schedule_child(const struct scatter_walk *walk, u32 tree,
			    u32 index, struct scatter_step *step);
u32 scatter_schedule_children(const struct scatter_walk *walk,
			      u32 tree);

bool scatter_schedule_contiguous(u32 algorithm);
u32 scatter_schedule_trees(const struct scatter_schedule_spec *spec);
u32 scatter_schedule_rounds(const struct scatter_schedule_spec *spec);
u32 scatter_schedule_ports(const struct scatter_schedule_spec *spec);

#endif /* _SCATTER_SCHEDULE_H */
