// SPDX-License-Identifier: GPL-2.0
/*
 * All ports of a hypercube at once, with whole blocks: the balanced spanning n-tree.
 *
 * Ho and Johnsson, "Distributed routing algorithms for broadcasting and personalized
 * communication in hypercubes" (1986) and "Spanning balanced trees in Boolean
 * cubes" (1989): the n subtrees of the root have nearly (2^n - 1) / n ranks each.
 * Rotating the bits of a rank's number (from the root) makes a necklace. The rank's subtree is the
 * least number of rotations to the right that leads to the smallest word of the necklace. Subtree 0
 * has one rank of every necklace and is the fattest. A word's parent is the word without its
 * highest bit, so the distance from the root is the number of bits set.
 *
 * The farthest blocks leave first: wave t, told as tree t, carries the blocks at distance n - t,
 * and follows wave t - 1 one round behind. All blocks arrive in round n, and a port of the root has
 * sent each block of its subtree once. Sending a subtree's blocks all at once would cost their time
 * again at every distance.
 */
#include "bits.h"
#include "ops.h"

/**
 * struct bead - a rank's place, and the limits of its subtree
 * @n: dimensions
 * @subtree: rotations to the right that give the smallest word
 * @word: the smallest word; 0 for the root
 */
struct bead {
	u32 n;
	u32 subtree;
	u32 word;
};

static u32 dimensions(const struct scatter_schedule_spec *spec)
{
	return scatter_ceil_log2(spec->size);
}

static int balanced_check(const struct scatter_schedule_spec *spec)
{
	return scatter_is_power_of_two(spec->size) ? SCATTER_SCHEDULE_OK :
						     SCATTER_SCHEDULE_BAD_POWER;
}

static u32 balanced_trees(const struct scatter_schedule_spec *spec)
{
	return spec->size > 1 ? dimensions(spec) : 1;
}

/* Which distance a wave goes to */
static u32 depth_of(const struct scatter_schedule_spec *spec, u32 tree)
{
	return dimensions(spec) - tree;
}

static struct bead find_bead(const struct scatter_walk *walk)
{
	u32 number = walk->rank ^ walk->spec.root;
	struct bead bead = {
		.n = dimensions(&walk->spec), .word = number,
	};
	u32 i;

	for (i = 1; i < bead.n; i++) {
		u32 word = scatter_rotate_right(number, i, bead.n);

		if (word < bead.word) {
			bead.word = word;
			bead.subtree = i;
		}
	}
	return bead;
}

static u32 rank_of(const struct scatter_walk *walk,
		   const struct bead *bead, u32 word)
{
	return scatter_rotate_left(word, bead->subtree, bead->n) ^
	       walk->spec.root;
}

/* The longest run of zeros between two ones; @word is not 0. */
static u32 longest_gap(u32 word)
{
	u32 longest = 0;

	word >>= scatter_low_bit(word);
	while (word >>= 1) {
		u32 gap = scatter_low_bit(word);

		if (gap > longest)
			longest = gap;
		word >>= gap;
	}
	return longest;
}

/*
 * Whether @word, which is odd, is in the subtree of @bead's word: whether @word is the smallest of
 * its rotations, and fewer rotations do not lead to @word as well. If the leading zeros are the
 * longest run, @word is inside; if another run is longer, @word is not.
 */
static bool is_inside(const struct bead *bead, u32 word)
{
	u32 leading = bead->n - 1 - scatter_high_bit(word);
	u32 gap = longest_gap(word), i;

	if (leading != gap)
		return leading > gap;
	for (i = 1; i < bead->n; i++) {
		u32 other = scatter_rotate_right(word, i, bead->n);

		if (other == word)
			return i > bead->subtree;
		if (other < word)
			return false;
	}
	return true;
}

/*
 * The largest distance in the subtree of @word. Ones right above the highest bit keep the leading
 * zeros longest, so the farthest word has as many such ones as possible.
 */
static u32 deepest(const struct bead *bead, u32 word)
{
	u32 top = scatter_high_bit(word), gap = longest_gap(word);
	u32 last = bead->n - 1 - gap, depth = scatter_count_bits(word);

	if (top >= last)
		return depth;
	word |= ((u32)2 << last) - ((u32)2 << top);
	return depth + (last - 1 - top) + (is_inside(bead, word) ? 1 : 0);
}

static bool leads_to(const struct bead *bead, u32 word, u32 depth)
{
	return is_inside(bead, word) && deepest(bead, word) >= depth;
}

/* The first word at distance @depth below @word; there must be one */
static u32 first_at(u32 word, u32 depth)
{
	u32 ones = scatter_count_bits(word);

	if (ones < depth)
		word |= (((u32)1 << (depth - ones)) - 1) <<
			(scatter_high_bit(word) + 1);
	return word;
}

/*
 * The next word at distance @depth below @bead's word, 0 after the last. Of the children of a word
 * those that lead to such a word come first, since each higher bit shortens the leading zeros.
 */
static u32 next_at(const struct bead *bead, u32 word, u32 depth)
{
	while (word != bead->word) {
		u32 bit = (u32)1 << scatter_high_bit(word);
		u32 sibling = word + bit;

		word ^= bit;
		if (!(sibling >> bead->n) && leads_to(bead, sibling, depth))
			return first_at(sibling, depth);
	}
	return 0;
}

static u32 count_at(const struct bead *bead, u32 depth)
{
	u32 word = first_at(bead->word, depth), count = 0;

	for (; word; word = next_at(bead, word, depth))
		count++;
	return count;
}

/* How many bits a child may add, at most */
static u32 open_bits(const struct bead *bead)
{
	return bead->word ? bead->n - 1 - scatter_high_bit(bead->word) :
			    bead->n;
}

/* The child that adds the bit @index places above the highest bit */
static struct bead child_of(const struct bead *bead, u32 index)
{
	struct bead child = *bead;

	if (bead->word) {
		child.word |= (u32)2 << scatter_high_bit(bead->word) << index;
	} else {
		child.subtree = index;
		child.word = 1;
	}
	return child;
}

static bool has_child(const struct bead *bead, u32 index, u32 depth)
{
	struct bead child = child_of(bead, index);

	return scatter_count_bits(bead->word) < depth &&
	       leads_to(&child, child.word, depth);
}

static u32 balanced_tree_children(const struct scatter_walk *walk,
				  u32 tree)
{
	u32 depth = depth_of(&walk->spec, tree);
	struct bead bead = find_bead(walk);
	u32 open = open_bits(&bead), children = 0;

	while (children < open && has_child(&bead, children, depth))
		children++;
	return children;
}

/* The transfer of a wave that brings @bead its blocks, the same for both ends. */
static void fill_transfer(const struct scatter_walk *walk,
			  const struct bead *bead, struct scatter_step *step)
{
	u32 depth = depth_of(&walk->spec, step->tree);

	step->round = step->tree + scatter_count_bits(bead->word);
	step->port = (scatter_high_bit(bead->word) + bead->subtree) % bead->n;
	step->peer = walk->rank ^ (u32)1 << step->port;
	step->count = count_at(bead, depth);
	step->first = rank_of(walk, bead, first_at(bead->word, depth));
}

static bool balanced_parent(const struct scatter_walk *walk,
			    struct scatter_step *step)
{
	u32 depth = depth_of(&walk->spec, step->tree);
	struct bead bead = find_bead(walk);

	if (!bead.word || scatter_count_bits(bead.word) > depth ||
	    deepest(&bead, bead.word) < depth)
		return false;
	fill_transfer(walk, &bead, step);
	return true;
}

static void balanced_child(const struct scatter_walk *walk, u32 index,
			   struct scatter_step *step)
{
	struct bead bead = find_bead(walk);

	bead = child_of(&bead, index);
	fill_transfer(walk, &bead, step);
}

/* The waves that pass, and for each wave the parent and all possible children */
static u64 balanced_slots(const struct scatter_walk *walk)
{
	struct bead bead = find_bead(walk);
	u32 waves = bead.n;

	if (bead.word)
		waves = 1 + deepest(&bead, bead.word) -
			scatter_count_bits(bead.word);
	return (u64)waves * (1 + open_bits(&bead));
}

static bool balanced_slot(const struct scatter_walk *walk, u64 slot,
			  struct scatter_step *step)
{
	struct bead bead = find_bead(walk);
	u32 each = 1 + open_bits(&bead), index = (u32)slot % each;
	u32 tree = (u32)slot / each;

	/* the first wave is that of the farthest rank of the subtree */
	if (bead.word)
		tree += bead.n - deepest(&bead, bead.word);
	if (!index && !bead.word)
		return false;
	scatter_step_begin(step, tree, index);
	if (index) {
		if (!has_child(&bead, index - 1,
			       depth_of(&walk->spec, step->tree)))
			return false;
		bead = child_of(&bead, index - 1);
	}
	fill_transfer(walk, &bead, step);
	return true;
}

/* One block after the other; the cursor is the word of the last block told. */
static bool balanced_range(const struct scatter_walk *walk,
			   const struct scatter_step *step, u32 *cursor,
			   struct scatter_range *range)
{
	bool down = step->send != (walk->spec.op == SCATTER_SCHEDULE_GATHER);
	struct scatter_walk child = *walk;
	u32 depth = depth_of(&walk->spec, step->tree);
	struct bead bead;

	if (down)
		child.rank = step->peer;
	bead = find_bead(&child);
	*cursor = *cursor ? next_at(&bead, *cursor, depth) :
			    first_at(bead.word, depth);
	if (!*cursor)
		return false;
	range->first = rank_of(walk, &bead, *cursor);
	range->count = 1;
	return true;
}

const struct scatter_schedule_ops scatter_balanced_ops = {
	.check = balanced_check,
	.rounds = dimensions,
	.ports = balanced_trees,
	.trees = balanced_trees,
	.tree_children = balanced_tree_children,
	.parent = balanced_parent,
	.child = balanced_child,
	.slots = balanced_slots,
	.slot = balanced_slot,
	.range = balanced_range,
};
