// SPDX-License-Identifier: GPL-2.0
/*
 * All ports of a hypercube at once, with blocks cut in pieces: n rotated spanning
 * binomial trees.
 *
 * One binomial tree leaves half of all blocks to one port. Johnsson and Ho, "Optimum broadcasting
 * and personalized communication in hypercubes" (1989), run n trees. Each block is cut in n pieces,
 * and piece t goes by tree t, whose bits are the bits of the first tree rotated by t places. In one
 * round the n trees use n different dimensions, so each port of each rank has one transfer, and
 * (2^n - 1) / n blocks leave each port of the root: the lower bound.
 *
 * Tree t is the first tree for numbers rotated back by t. In the first tree the bundle that crosses
 * bit b is the aligned range of 2^b numbers. Rotated forward again these numbers have all values of
 * some bits, which need not be the lowest bits.
 */
#include "bits.h"
#include "ops.h"

static u32 dimensions(const struct scatter_schedule_spec *spec)
{
	return scatter_ceil_log2(spec->size);
}

static int rotated_check(const struct scatter_schedule_spec *spec)
{
	return scatter_is_power_of_two(spec->size) ? SCATTER_SCHEDULE_OK :
						     SCATTER_SCHEDULE_BAD_POWER;
}

/* A single rank has a tree as well, which is the rank alone. */
static u32 rotated_trees(const struct scatter_schedule_spec *spec)
{
	return spec->size > 1 ? dimensions(spec) : 1;
}

/* The rank's number in a tree: from the root, and rotated back */
static u32 number_in(const struct scatter_walk *walk, u32 tree)
{
	const struct scatter_schedule_spec *spec = &walk->spec;

	if (spec->size == 1)
		return 0;
	return scatter_rotate_right(walk->rank ^ spec->root, tree,
				    dimensions(spec));
}

/* How many bits are open below the lowest bit of the rank's number in a tree */
static u32 rotated_tree_children(const struct scatter_walk *walk,
				 u32 tree)
{
	u32 number = number_in(walk, tree);

	return number ? scatter_low_bit(number) : dimensions(&walk->spec);
}

/* The transfer over bit @bit that brings @number its bundle in a tree, the same for both ends. */
static void fill_transfer(const struct scatter_walk *walk, u32 number,
			  u32 bit, struct scatter_step *step)
{
	const struct scatter_schedule_spec *spec = &walk->spec;
	u32 n = dimensions(spec);

	step->round = n - bit;
	step->port = (bit + step->tree) % n;
	step->peer = walk->rank ^ (u32)1 << step->port;
	step->count = (u32)1 << bit;
	step->piece = step->tree;
	step->pieces = n;
	/* the lowest rank of the bundle: the bits that vary are 0 */
	step->first = spec->root ^ scatter_rotate_left(number, step->tree, n);
	step->first &= ~scatter_rotate_left(step->count - 1, step->tree, n);
}

static bool rotated_parent(const struct scatter_walk *walk,
			   struct scatter_step *step)
{
	u32 number = number_in(walk, step->tree);

	if (!number)
		return false;
	fill_transfer(walk, number, scatter_low_bit(number), step);
	return true;
}

static void rotated_child(const struct scatter_walk *walk, u32 index,
			  struct scatter_step *step)
{
	u32 bit = rotated_tree_children(walk, step->tree) - 1 - index;

	fill_transfer(walk,
		      number_in(walk, step->tree) | (u32)1 << bit, bit,
		      step);
}

/* One slot for each round and tree */
static u64 rotated_slots(const struct scatter_walk *walk)
{
	u32 n = dimensions(&walk->spec);

	return (u64)n * n;
}

static bool rotated_slot(const struct scatter_walk *walk, u64 slot,
			 struct scatter_step *step)
{
	u32 n = dimensions(&walk->spec);
	u32 bit = n - 1 - (u32)slot / n;
	u32 tree = (u32)slot % n;
	u32 number = number_in(walk, tree);
	u32 open = number ? scatter_low_bit(number) : n;

	if (bit > open)
		return false;
	scatter_step_begin(step, tree, bit < open);
	fill_transfer(walk, number | (u32)1 << bit, bit, step);
	return true;
}

/*
 * In tree t the bits that vary begin at bit t, and go on at bit 0 after the highest bit. If bit 0
 * is among them, the bits from bit 0 up make a range; the other bits count the ranges.
 */
static bool rotated_range(const struct scatter_walk *walk,
			  const struct scatter_step *step, u32 *cursor,
			  struct scatter_range *range)
{
	u32 n = dimensions(&walk->spec);
	u32 bits = scatter_low_bit(step->count), low;

	/* how many of the bits are the bits from 0 up */
	low = step->tree ? 0 : bits;
	if (step->tree + bits > n)
		low = step->tree + bits - n;
	if (*cursor >= step->count >> low)
		return false;
	range->first = step->first | *cursor << step->tree;
	range->count = (u32)1 << low;
	++*cursor;
	return true;
}

const struct scatter_schedule_ops scatter_rotated_ops = {
	.check = rotated_check,
	.rounds = dimensions,
	.ports = rotated_trees,
	.trees = rotated_trees,
	.tree_children = rotated_tree_children,
	.parent = rotated_parent,
	.child = rotated_child,
	.slots = rotated_slots,
	.slot = rotated_slot,
	.range = rotated_range,
};
