// SPDX-License-Identifier: GPL-2.0
/*
 * The combining schedule of the one-port hypercube: a spanning binomial tree.
 *
 * Grama, Gupta, Karypis, Kumar, "Introduction to Parallel Computing", 4.4: in each round every rank
 * that has a bundle gives one half of the bundle away. The half belongs to the other half of the
 * rank's subcube, and goes to the rank's neighbour there, along the highest dimension that is left.
 * With p = 2^n ranks the schedule takes n rounds, and the root sends p - 1 blocks: both are the
 * lower bounds for combining one-to-all scatter.
 *
 * Ranks count relative to the root, which is 0. Relative rank v hears from v & (v - 1), its number
 * without the lowest set bit, and its subtree has the numbers from v to v + lowbit - 1. Any size p
 * has this tree, too: the subtrees are cut off at p, which keeps ceil(log2 p) rounds and p - 1
 * blocks out of the root. Rounding p up would send blocks that nobody owns.
 */
#include "bits.h"
#include "ops.h"

/*
 * With a power of two, ranks are renumbered by XOR with the root. XOR maps neighbours in the cube
 * to neighbours in the cube, so every transfer crosses one dimension. Other sizes have no such map,
 * so their ranks rotate.
 */
static bool is_cube(const struct scatter_walk *walk)
{
	return scatter_is_power_of_two(walk->spec.size);
}

static u32 relative_rank(const struct scatter_walk *walk)
{
	if (is_cube(walk))
		return walk->rank ^ walk->spec.root;
	return scatter_rank_relative(walk, walk->rank);
}

static u32 real_rank(const struct scatter_walk *walk, u32 relative)
{
	if (is_cube(walk))
		return relative ^ walk->spec.root;
	return scatter_rank_real(walk, relative);
}

/* How many ranks the subtree of @relative has, @relative included. */
static u32 subtree_count(const struct scatter_walk *walk, u32 relative)
{
	u32 lowbit = relative & -relative;
	u32 rest = walk->spec.size - relative;

	return lowbit && lowbit < rest ? lowbit : rest;
}

static u32 hypercube_rounds(const struct scatter_schedule_spec *spec)
{
	return scatter_ceil_log2(spec->size);
}

/*
 * The children of v are v + mask for each power of two mask that is still
 * inside v's subtree.
 */
static u32 hypercube_children(const struct scatter_walk *walk)
{
	return scatter_ceil_log2(subtree_count(walk, relative_rank(walk)));
}

/* The transfer that brings @relative its bundle, the same for both ends. */
static void fill_transfer(const struct scatter_walk *walk, u32 relative,
			  struct scatter_step *step)
{
	step->round = scatter_ceil_log2(walk->spec.size) -
		      scatter_low_bit(relative);
	step->count = subtree_count(walk, relative);
	step->first = real_rank(walk, relative);
	/* XOR permutes an aligned range within another aligned range */
	if (is_cube(walk))
		step->first &= ~(step->count - 1);
}

static bool hypercube_parent(const struct scatter_walk *walk,
			     struct scatter_step *step)
{
	u32 relative = relative_rank(walk);

	if (!relative)
		return false;
	fill_transfer(walk, relative, step);
	step->peer = real_rank(walk, relative & (relative - 1));
	return true;
}

/* The biggest subtree comes first: its blocks have the longest way to go. */
static void hypercube_child(const struct scatter_walk *walk, u32 index,
			    struct scatter_step *step)
{
	u32 bit = hypercube_children(walk) - 1 - index;
	u32 child = relative_rank(walk) + ((u32)1 << bit);

	fill_transfer(walk, child, step);
	step->peer = real_rank(walk, child);
}

const struct scatter_schedule_ops scatter_hypercube_ops = {
	.contiguous = true,
	.broadcasts = true,
	.rounds = hypercube_rounds,
	.children = hypercube_children,
	.parent = hypercube_parent,
	.child = hypercube_child,
};
