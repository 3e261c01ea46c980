// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of different lengths: merging neighbouring trees.
 *
 * Traeff, "Practical, distributed, low overhead algorithms for irregular gather and scatter
 * collectives" (2018). In round d of a gather, trees of 2^d consecutive ranks merge in pairs. A
 * root has its tree's blocks. All of these blocks but the root's own came through the root's port,
 * one bundle after the other: after M - m_root bytes the root is ready. Of two trees the tree that
 * is ready first sends: then nobody waits, and the new root is again ready after its M - m_root
 * bytes. So a free root gets exactly the bytes that are not its own; comparing M alone would be
 * wrong. The tree of a fixed root always receives, and the root's waits cost at most as much again.
 *
 * If two trees are ready at the same time, the tree with fewer bytes sends, so that ranks without
 * any bytes do not gather the blocks of others. An empty tree sends nothing.
 *
 * With a fixed root, a block of more bytes than all others that travel with it may have to pass
 * another rank, which costs the block's time twice. Such a block goes to the root directly, in a
 * first round of its own. The other blocks merge behind: every other tree is ready when that block
 * has arrived, so the root waits for nobody.
 */
#include "ops.h"

/* Give the tree of @child to @parent, as its largest so far. */
static void attach(struct scatter_irregular_node *node, u32 parent, u32 child)
{
	node[child].parent = parent;
	node[child].sibling = node[parent].child;
	node[parent].child = child;
}

/**
 * struct row - ranks that stand side by side and merge
 * @node: of all ranks
 * @size: how many
 * @fixed: the root, or %SCATTER_IRREGULAR_FREE
 * @begin: the first rank of the row; behind the last rank the row goes on at rank 0
 * @length: ranks in the row: all, or all but the rank before @begin
 */
struct row {
	struct scatter_irregular_node *node;
	u32 size;
	u32 fixed;
	u32 begin;
	u32 length;
};

static u32 rank_at(const struct row *row, u64 place)
{
	return (u32)((row->begin + place) % row->size);
}

/* Which of two roots receives; bundle is the bytes of a root's tree. */
static bool left_receives(const struct row *row, u32 left, u32 right)
{
	const struct scatter_irregular_node *node = row->node;
	u64 left_ready = node[left].bundle - node[left].block;
	u64 right_ready = node[right].bundle - node[right].block;

	if (left == row->fixed || right == row->fixed)
		return left == row->fixed;
	if (left_ready != right_ready)
		return left_ready > right_ready;
	return node[left].bundle >= node[right].bundle;
}

/* Two neighbouring trees become one. */
static void merge(const struct row *row, u32 first, u32 second, u32 level)
{
	struct scatter_irregular_node *node = row->node;
	u32 left = node[first].head, right = node[second].head;
	bool stays = left_receives(row, left, right);
	u32 root = stays ? left : right, child = stays ? right : left;

	node[child].level = level;
	if (node[child].bundle)
		attach(node, root, child);
	node[root].bundle += node[child].bundle;
	node[root].count += node[child].count;
	node[root].first = first;
	node[first].head = root;
}

/* Merge all trees of a row, from @level on; returns the level after the last. */
static u32 merge_all(const struct row *row, u32 level)
{
	u64 half, first;

	for (half = 1; half < row->length; half *= 2, level++)
		for (first = 0; first + half < row->length; first += 2 * half)
			merge(row, rank_at(row, first),
			      rank_at(row, first + half), level);
	return level;
}

/* Make every rank a tree of its own; false if the sum of all bytes has more than 64 bits. */
static bool plant(struct scatter_irregular_node *node, const u64 *bytes,
		  u32 size)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < size; i++) {
		node[i] = (struct scatter_irregular_node){
			.block = bytes[i], .bundle = bytes[i],
			.parent = SCATTER_IRREGULAR_NONE,
			.child = SCATTER_IRREGULAR_NONE,
			.sibling = SCATTER_IRREGULAR_NONE,
			.first = i, .count = 1, .head = i,
		};
		sum += bytes[i];
		if (sum < bytes[i])
			return false;
	}
	return true;
}

/* The rank whose block should go to the root directly, but does not yet */
static u32 find_direct(const struct row *row)
{
	const struct scatter_irregular_node *node = row->node;
	u64 others;
	u32 rank;

	if (row->fixed == SCATTER_IRREGULAR_FREE)
		return SCATTER_IRREGULAR_NONE;
	others = node[row->fixed].bundle - node[row->fixed].block;
	for (rank = 0; rank < row->size; rank++)
		if (rank != row->fixed && node[rank].parent != row->fixed &&
		    node[rank].block > others - node[rank].block)
			return rank;
	return SCATTER_IRREGULAR_NONE;
}

/*
 * Begin again from trees of one rank: @direct goes first. The row begins behind @direct, so that
 * the ranks of any tree stay consecutive. Returns the number of rounds.
 */
static u32 merge_without(struct row *row, u32 direct)
{
	struct scatter_irregular_node *node = row->node;

	attach(node, row->fixed, direct);
	node[row->fixed].bundle += node[direct].bundle;
	node[row->fixed].count++;
	row->begin = rank_at(row, direct + 1);
	row->length--;
	return merge_all(row, 1);
}

/**
 * scatter_irregular_build - make the tree for blocks of different lengths
 * @table: filled in
 * @node: memory for @size nodes, which @table keeps using
 * @bytes: length of each rank's block; not used afterwards
 * @size: ranks, 1 and up
 * @root: rank of the root, or %SCATTER_IRREGULAR_FREE
 *
 * Context: any; O(size) time
 * Return: 0; -1 if there is no such root, or the bytes of all blocks do not fit in 64 bits
 */
int scatter_irregular_build(struct scatter_irregular *table,
			    struct scatter_irregular_node *node,
			    const u64 *bytes, u32 size, u32 root)
{
	struct row row = {
		.node = node, .size = size, .fixed = root, .length = size,
	};
	u32 direct;

	*table = (struct scatter_irregular){ 0 };
	if (!size || (root >= size && root != SCATTER_IRREGULAR_FREE))
		return -1;
	if (!plant(node, bytes, size))
		return -1;
	table->rounds = merge_all(&row, 0);
	direct = find_direct(&row);
	if (direct != SCATTER_IRREGULAR_NONE) {
		plant(node, bytes, size);
		table->rounds = merge_without(&row, direct);
	}
	table->node = node;
	table->size = size;
	table->root = node[row.begin].head;
	table->bytes = node[table->root].bundle;
	return 0;
}

static int irregular_check(const struct scatter_schedule_spec *spec)
{
	if (!spec->irregular || spec->irregular->size != spec->size)
		return SCATTER_SCHEDULE_BAD_TABLE;
	return spec->irregular->root == spec->root ? SCATTER_SCHEDULE_OK :
						     SCATTER_SCHEDULE_BAD_ROOT;
}

static u32 irregular_rounds(const struct scatter_schedule_spec *spec)
{
	return spec->irregular->rounds;
}

static const struct scatter_irregular_node *
node_of(const struct scatter_walk *walk, u32 rank)
{
	return &walk->spec.irregular->node[rank];
}

static u32 irregular_children(const struct scatter_walk *walk)
{
	u32 child = node_of(walk, walk->rank)->child, children = 0;

	for (; child != SCATTER_IRREGULAR_NONE; children++)
		child = node_of(walk, child)->sibling;
	return children;
}

/* The transfer that brings @rank its bundle, the same for both ends. */
static void fill_transfer(const struct scatter_walk *walk, u32 rank,
			  struct scatter_step *step)
{
	const struct scatter_irregular_node *node = node_of(walk, rank);

	step->round = irregular_rounds(&walk->spec) - node->level;
	step->first = node->first;
	step->count = node->count;
}

static bool irregular_parent(const struct scatter_walk *walk,
			     struct scatter_step *step)
{
	u32 parent = node_of(walk, walk->rank)->parent;

	if (parent == SCATTER_IRREGULAR_NONE)
		return false;
	fill_transfer(walk, walk->rank, step);
	step->peer = parent;
	return true;
}

static void irregular_child(const struct scatter_walk *walk, u32 index,
			    struct scatter_step *step)
{
	u32 child = node_of(walk, walk->rank)->child;

	while (index--)
		child = node_of(walk, child)->sibling;
	fill_transfer(walk, child, step);
	step->peer = child;
}

const struct scatter_schedule_ops scatter_irregular_ops = {
	.contiguous = true,
	.check = irregular_check,
	.rounds = irregular_rounds,
	.children = irregular_children,
	.parent = irregular_parent,
	.child = irregular_child,
};
