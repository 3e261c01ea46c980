/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SPEC_H
#define _SCATTER_SPEC_H

#include <linux/limits.h>
#include <linux/scatter.h>
#include <linux/string.h>
#include <linux/types.h>

#include "masks.h"

struct scatter_schedule_spec;

#define SCATTER_NO_RANK		U32_MAX
/* Longest block: all blocks of the largest group together have a 63-bit length. */
#define SCATTER_BLOCK_MAX	(S64_MAX / SCATTER_SIZE_MAX)
/* Flags that are the same at all members. */
#define SCATTER_COLL_AGREED	(SCATTER_COLL_UNIFORM | SCATTER_COLL_DEADLINE_ALL | \
				 SCATTER_COLL_AT_MOST)

/* All algorithms that this kernel has. */
#define SCATTER_ALGORITHMS	(BIT(SCATTER_ALGORITHM_AUTO) | \
				 BIT(SCATTER_ALGORITHM_LINEAR) | \
				 BIT(SCATTER_ALGORITHM_HYPERCUBE) | \
				 BIT(SCATTER_ALGORITHM_MESH) | \
				 BIT(SCATTER_ALGORITHM_TORUS) | \
				 BIT(SCATTER_ALGORITHM_KNOMIAL) | \
				 BIT(SCATTER_ALGORITHM_ROTATED) | \
				 BIT(SCATTER_ALGORITHM_BALANCED) | \
				 BIT(SCATTER_ALGORITHM_IRREGULAR) | \
				 BIT(SCATTER_ALGORITHM_OR_BROADCAST))

/**
 * struct scatter_spec - what all members must agree about
 * @op: enum scatter_op
 * @flags: some of %SCATTER_COLL_AGREED
 * @schedule: the schedule that the call names; the group's, if the call names none
 * @root: the root's rank
 * @block: bytes per rank; 0 if the root decides, see scatter_spec_is_open()
 * @first: the first rank that owns a block
 * @blocks: how many ranks from @first on own a block
 * @ranks: how many ranks the schedule has: @blocks, and 1 more if the root owns no block. The
 *	schedule has its own numbers: the owners of blocks come from 0 on, then the root
 * @idle: the call is of an idle member of the root's side, which does not know the root or the
 *	blocks: @root is %SCATTER_NO_RANK, and @block is 0
 */
struct scatter_spec {
	u32 op;
	u32 flags;
	struct scatter_schedule schedule;
	u32 root;
	u64 block;
	u32 first;
	u32 blocks;
	u32 ranks;
	bool idle;
};

/* Whether a rank owns a block. */
static inline bool scatter_spec_owns(const struct scatter_spec *spec, u32 rank)
{
	return rank - spec->first < spec->blocks;
}

/* The number of a rank in the schedule. */
static inline u32 scatter_spec_index(const struct scatter_spec *spec, u32 rank)
{
	return scatter_spec_owns(spec, rank) ? rank - spec->first : spec->blocks;
}

/* The rank that has a number in the schedule. */
static inline u32 scatter_spec_rank(const struct scatter_spec *spec, u32 place)
{
	return place < spec->blocks ? spec->first + place : spec->root;
}

/* Whether a rank has a part in the schedule, as far as the spec tells. */
static inline bool scatter_spec_involves(const struct scatter_spec *spec, u32 rank)
{
	return scatter_spec_owns(spec, rank) || rank == spec->root;
}

/* Whether two schedules that scatter_spec_asked() has filled in are the same. */
static inline bool scatter_spec_same(const struct scatter_schedule *a,
				     const struct scatter_schedule *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static inline bool scatter_spec_equal(const struct scatter_spec *a,
				      const struct scatter_spec *b)
{
	return a->op == b->op && a->flags == b->flags && a->root == b->root &&
	       a->block == b->block && a->first == b->first &&
	       scatter_spec_same(&a->schedule, &b->schedule);
}

static inline bool scatter_op_is_vector(u32 op)
{
	return op == SCATTER_OP_SCATTERV || op == SCATTER_OP_GATHERV;
}

/* Whether the root has all blocks at the start. */
static inline bool scatter_op_scatters(u32 op)
{
	return op == SCATTER_OP_SCATTER || op == SCATTER_OP_SCATTERV;
}

/* Whether the root has all blocks at the end. */
static inline bool scatter_op_gathers(u32 op)
{
	return op == SCATTER_OP_GATHER || op == SCATTER_OP_GATHERV;
}

/* Whether the operation has blocks. */
static inline bool scatter_op_moves(u32 op)
{
	return scatter_op_scatters(op) || scatter_op_gathers(op);
}

/* The operation makes new groups. */
static inline bool scatter_op_regroups(u32 op)
{
	return op == SCATTER_OP_DUP || op == SCATTER_OP_SPLIT;
}

/* Whether a block's two ends may name different lengths: the taker may have more room. */
static inline bool scatter_spec_is_at_most(const struct scatter_spec *spec)
{
	return spec->flags & SCATTER_COLL_AT_MOST;
}

/* Whether only the root knows how long all blocks are, so that its call decides the schedule. */
static inline bool scatter_spec_is_open(const struct scatter_spec *spec)
{
	return scatter_op_is_vector(spec->op) || scatter_spec_is_at_most(spec);
}

struct scatter_schedule scatter_spec_asked(const struct scatter_schedule *asked);
bool scatter_spec_sound(const struct scatter_schedule *schedule);
bool scatter_spec_possible(const struct scatter_spec *spec);
void scatter_spec_plan(const struct scatter_spec *spec,
		       struct scatter_schedule_spec *plan);
u32 scatter_spec_trees(const struct scatter_spec *spec);
u32 scatter_spec_rounds(const struct scatter_spec *spec);
u64 scatter_spec_digest(const struct scatter_spec *spec);

#endif /* _SCATTER_SPEC_H */
