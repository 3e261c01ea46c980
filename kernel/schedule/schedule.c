// SPDX-License-Identifier: GPL-2.0
/*
 * The common part of all schedules: choice of the family, order of one rank's steps, gathers and
 * broadcasts.
 *
 * A gather is a scatter run backwards: the last transfer becomes the first, and every bundle goes
 * the other way. So a gather has the same bounds as the scatter, and no family has code of its own
 * for gathers.
 */
#include "ops.h"

/* A switch, not a table: the algorithm may be a number that a user chose. */
static const struct scatter_schedule_ops *find_ops(u32 algorithm)
{
	switch (algorithm) {
	case SCATTER_SCHEDULE_LINEAR:
		return &scatter_linear_ops;
	case SCATTER_SCHEDULE_HYPERCUBE:
		return &scatter_hypercube_ops;
	case SCATTER_SCHEDULE_MESH:
		return &scatter_mesh_ops;
	case SCATTER_SCHEDULE_TORUS:
		return &scatter_mesh_torus_ops;
	case SCATTER_SCHEDULE_KNOMIAL:
		return &scatter_knomial_ops;
	case SCATTER_SCHEDULE_ROTATED:
		return &scatter_rotated_ops;
	case SCATTER_SCHEDULE_BALANCED:
		return &scatter_balanced_ops;
	case SCATTER_SCHEDULE_IRREGULAR:
		return &scatter_irregular_ops;
	case SCATTER_SCHEDULE_OR_BROADCAST:
		return &scatter_or_broadcast_ops;
	default:
		return NULL;
	}
}

static const struct scatter_schedule_ops *
ops_of(const struct scatter_walk *walk)
{
	return find_ops(walk->spec.algorithm);
}

static u32 trees_of(const struct scatter_schedule_ops *ops,
		    const struct scatter_schedule_spec *spec)
{
	if (ops->symmetric)
		return 0;
	return ops->trees ? ops->trees(spec) : 1;
}

static u32 children_of(const struct scatter_walk *walk,
		       const struct scatter_schedule_ops *ops, u32 tree)
{
	if (ops->tree_children)
		return ops->tree_children(walk, tree);
	return ops->children(walk);
}

static bool runs_backwards(const struct scatter_walk *walk,
			   const struct scatter_schedule_ops *ops)
{
	return walk->spec.op == SCATTER_SCHEDULE_GATHER && !ops->symmetric;
}

/* Turn @step, which a family has told as a scatter, into a step of the operation. */
static void orient_step(const struct scatter_walk *walk,
			const struct scatter_schedule_ops *ops,
			struct scatter_step *step)
{
	if (walk->spec.op == SCATTER_SCHEDULE_BROADCAST) {
		step->first = walk->spec.root;
		step->count = 1;
	}
	if (!runs_backwards(walk, ops))
		return;
	step->send = !step->send;
	step->round = ops->rounds(&walk->spec) + 1 - step->round;
}

/**
 * scatter_schedule_check - whether a specification can be scheduled
 * @spec: the specification; may have any numbers
 *
 * Context: any
 * Return: 0; else enum scatter_schedule_error, the first reason there is
 */
int scatter_schedule_check(const struct scatter_schedule_spec *spec)
{
	const struct scatter_schedule_ops *ops = find_ops(spec->algorithm);

	if (!ops)
		return SCATTER_SCHEDULE_BAD_ALGORITHM;
	if (spec->op > SCATTER_SCHEDULE_BROADCAST ||
	    (spec->op == SCATTER_SCHEDULE_BROADCAST && !ops->broadcasts))
		return SCATTER_SCHEDULE_BAD_OP;
	if (!spec->size)
		return SCATTER_SCHEDULE_BAD_SIZE;
	if (spec->root >= spec->size)
		return SCATTER_SCHEDULE_BAD_ROOT;
	return ops->check ? ops->check(spec) : SCATTER_SCHEDULE_OK;
}

/**
 * scatter_schedule_init - begin one rank's walk through a schedule
 * @walk: filled in; has no steps if the arguments are refused
 * @spec: the schedule; copied, but for the table to which @spec may point
 * @rank: the rank whose steps are told
 *
 * Context: any
 * Return: true; false if scatter_schedule_check() refuses @spec, or there is no
 * such rank
 */
bool scatter_schedule_init(struct scatter_walk *walk,
			   const struct scatter_schedule_spec *spec, u32 rank)
{
	if (scatter_schedule_check(spec) || rank >= spec->size) {
		*walk = (struct scatter_walk){ 0 };
		return false;
	}
	walk->spec = *spec;
	walk->rank = rank;
	walk->cursor = 0;
	walk->slots = 0;
	return true;
}

/* The parent's transfer and the children's, tree by tree */
static u64 tree_slots(const struct scatter_walk *walk,
		      const struct scatter_schedule_ops *ops)
{
	u32 trees = trees_of(ops, &walk->spec);
	u64 slots = trees;
	u32 tree;

	for (tree = 0; tree < trees; tree++)
		slots += children_of(walk, ops, tree);
	return slots;
}

static bool tree_slot(const struct scatter_walk *walk,
		      const struct scatter_schedule_ops *ops, u64 slot,
		      struct scatter_step *step)
{
	u32 trees = trees_of(ops, &walk->spec);
	u32 tree = 0;

	/* with one tree the number of children is not needed */
	for (; tree + 1 < trees; tree++) {
		u64 slots = (u64)1 + children_of(walk, ops, tree);

		if (slot < slots)
			break;
		slot -= slots;
	}
	scatter_step_begin(step, tree, slot > 0);
	if (!slot)
		return ops->parent(walk, step);
	ops->child(walk, (u32)(slot - 1), step);
	return true;
}

/**
 * scatter_schedule_next - the rank's next step
 * @walk: the walk; moves on by one step
 * @step: filled in if there is a step
 *
 * Steps come in the order of their rounds: in a scatter the parent's bundle arrives before the
 * children get their bundles, in a gather the bundle to the parent leaves last.
 *
 * Context: any; O(log size) time for one step of most families
 * Return: true; false after the last step
 */
bool scatter_schedule_next(struct scatter_walk *walk,
			   struct scatter_step *step)
{
	const struct scatter_schedule_ops *ops = ops_of(walk);
	bool found = false;
	u64 slots;

	if (!ops)
		return false;
	if (!walk->slots)
		walk->slots = ops->slots ? ops->slots(walk) :
					       tree_slots(walk, ops);
	slots = walk->slots;
	while (!found && walk->cursor < slots) {
		u64 slot = walk->cursor++;

		if (runs_backwards(walk, ops))
			slot = slots - 1 - slot;
		found = ops->slot ? ops->slot(walk, slot, step) :
				    tree_slot(walk, ops, slot, step);
	}
	if (found)
		orient_step(walk, ops, step);
	return found;
}

/**
 * scatter_schedule_parent - the rank's step with its parent
 * @walk: the walk; stays where it is
 * @tree: which tree, below scatter_schedule_trees()
 * @step: filled in if the rank has a parent
 *
 * Context: any; O(log size) time for most families
 * Return: true; false at the root, and if the rank is not in the tree
 */
bool scatter_schedule_parent(const struct scatter_walk *walk, u32 tree,
			     struct scatter_step *step)
{
	const struct scatter_schedule_ops *ops = ops_of(walk);

	if (!ops || tree >= trees_of(ops, &walk->spec))
		return false;
	scatter_step_begin(step, tree, false);
	if (!ops->parent(walk, step))
		return false;
	orient_step(walk, ops, step);
	return true;
}

/**
 * scatter_schedule_children - how many children the rank has
 * @walk: the walk; stays where it is
 * @tree: which tree, below scatter_schedule_trees()
 *
 * Context: any; O(log size) time for most families
 * Return: number of children, 0 at a leaf
 */
u32 scatter_schedule_children(const struct scatter_walk *walk, u32 tree)
{
	const struct scatter_schedule_ops *ops = ops_of(walk);

	if (!ops || tree >= trees_of(ops, &walk->spec))
		return 0;
	return children_of(walk, ops, tree);
}

/**
 * scatter_schedule_child - the rank's step with one of its children
 * @walk: the walk; stays where it is
 * @tree: which tree, below scatter_schedule_trees()
 * @index: which child, in the order in which a scatter sends to the children
 * @step: filled in if there is this child
 *
 * Context: any; O(log size) time for most families
 * Return: true; false if the rank has no such child
 */
bool scatter_schedule_child(const struct scatter_walk *walk, u32 tree,
			    u32 index, struct scatter_step *step)
{
	const struct scatter_schedule_ops *ops = ops_of(walk);

	if (!ops || index >= scatter_schedule_children(walk, tree))
		return false;
	scatter_step_begin(step, tree, true);
	ops->child(walk, index, step);
	orient_step(walk, ops, step);
	return true;
}

/* At most two ranges: up to the last rank, and from rank 0 on */
static bool wrapped_range(const struct scatter_walk *walk,
			  const struct scatter_step *step, u32 *cursor,
			  struct scatter_range *range)
{
	u32 before = walk->spec.size - step->first;

	if (*cursor > 1 || (*cursor && step->count <= before))
		return false;
	range->first = *cursor ? 0 : step->first;
	range->count = step->count;
	if (step->count > before)
		range->count = *cursor ? step->count - before : before;
	++*cursor;
	return true;
}

/**
 * scatter_schedule_range - which blocks travel in a step
 * @walk: a walk of the rank that told @step; stays where it is
 * @step: a step of the walk
 * @cursor: 0 to begin with; moves on by one range
 * @range: filled in if there is a range
 *
 * The ranges of a step do not overlap; together the ranges have @step->count ranks, and come in the
 * same order at either end.
 *
 * Context: any
 * Return: true; false after the last range
 */
bool scatter_schedule_range(const struct scatter_walk *walk,
			    const struct scatter_step *step, u32 *cursor,
			    struct scatter_range *range)
{
	const struct scatter_schedule_ops *ops = ops_of(walk);

	if (!ops)
		return false;
	if (!ops->range || walk->spec.op == SCATTER_SCHEDULE_BROADCAST)
		return wrapped_range(walk, step, cursor, range);
	return ops->range(walk, step, cursor, range);
}

/**
 * scatter_schedule_cut - where a piece of a block begins
 * @block: bytes of the block
 * @part: which piece, from 0; @parts: where the last piece ends
 * @parts: how many pieces the block is cut in, 1 and up
 *
 * Context: any
 * Return: block * part / parts, without a product of more than 64 bits
 */
u64 scatter_schedule_cut(u64 block, u32 part, u32 parts)
{
	return block / parts * part + block % parts * part / parts;
}

/**
 * scatter_schedule_piece - bytes of one block that a step carries
 * @step: the step
 * @block: bytes of the block
 *
 * Context: any
 * Return: bytes
 */
u64 scatter_schedule_piece(const struct scatter_step *step, u64 block)
{
	return scatter_schedule_cut(block, step->piece + 1, step->pieces) -
	       scatter_schedule_cut(block, step->piece, step->pieces);
}

/**
 * scatter_schedule_bytes - payload of a step
 * @walk: a walk of the rank that told @step; stays where it is
 * @step: a step of the walk
 * @block: bytes per block; ignored for an irregular schedule, whose table has all lengths
 *
 * Context: any
 * Return: bytes; modulo 2^64
 */
u64 scatter_schedule_bytes(const struct scatter_walk *walk,
			   const struct scatter_step *step, u64 block)
{
	const struct scatter_irregular *table = walk->spec.irregular;

	if (walk->spec.algorithm == SCATTER_SCHEDULE_IRREGULAR) {
		/* the bundle belongs to the end that is the child */
		if (table->node[walk->rank].parent == step->peer)
			return table->node[walk->rank].bundle;
		return table->node[step->peer].bundle;
	}
	return step->count * scatter_schedule_piece(step, block);
}

/**
 * scatter_schedule_contiguous - whether all bundles are ranges modulo the size
 * @algorithm: enum scatter_schedule_algorithm
 *
 * Context: any
 * Return: true if step.first and step.count tell which blocks travel
 */
bool scatter_schedule_contiguous(u32 algorithm)
{
	const struct scatter_schedule_ops *ops = find_ops(algorithm);

	return ops && ops->contiguous;
}

/**
 * scatter_schedule_trees - how many trees run at once
 * @spec: the schedule
 *
 * Context: any
 * Return: 1 and up; 0 if the schedule is no tree, or is refused
 */
u32 scatter_schedule_trees(const struct scatter_schedule_spec *spec)
{
	if (scatter_schedule_check(spec))
		return 0;
	return trees_of(find_ops(spec->algorithm), spec);
}

/**
 * scatter_schedule_rounds - how many rounds a schedule takes
 * @spec: the schedule
 *
 * Scatter and gather take the same number.
 *
 * Context: any; O(log size) time
 * Return: rounds; 0 for one rank and for a schedule that is refused
 */
u32 scatter_schedule_rounds(const struct scatter_schedule_spec *spec)
{
	if (scatter_schedule_check(spec))
		return 0;
	return find_ops(spec->algorithm)->rounds(spec);
}

/**
 * scatter_schedule_ports - in how many transfers of a round a rank may take part
 * @spec: the schedule
 *
 * Context: any
 * Return: how many in one direction, 1 and up; 0 for a schedule that is refused
 */
u32 scatter_schedule_ports(const struct scatter_schedule_spec *spec)
{
	const struct scatter_schedule_ops *ops = find_ops(spec->algorithm);

	if (scatter_schedule_check(spec))
		return 0;
	return ops->ports ? ops->ports(spec) : 1;
}
