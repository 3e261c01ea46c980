// SPDX-License-Identifier: GPL-2.0
/*
 * Trees: the trees of an operation between nodes, as one node sees them: its parent and its
 * children in each tree, and which blocks cross the edges to them.
 *
 * Most schedules have one tree. Some have several trees that run at once: each tree has its own
 * bundle on each of its edges. Both ends of an edge find the same places in the same order, since
 * both follow the schedule.
 */
#include <linux/slab.h>

#include "group/portal.h"
#include "group/slot.h"
#include "group/trees.h"

static void bundle_init(struct scatter_bundle *bundle, u32 pieces)
{
	bundle->pieces = pieces;
	scatter_chunks_init(&bundle->stream, NULL);
}

/* Find the places whose blocks travel in a step. */
static void find_set(const struct scatter_slot *slot, const struct scatter_walk *walk,
		     const struct scatter_step *step, struct scatter_slot_set *set)
{
	struct scatter_range range;
	u32 cursor = 0, i;

	set->place = kvcalloc(step->count, sizeof(*set->place),
			      GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	while (scatter_schedule_range(walk, step, &cursor, &range))
		for (i = 0; i < range.count && set->nr < step->count; i++)
			set->place[set->nr++] = range.first + i;
	set->blocks = scatter_places_blocks(&slot->places, set->place, set->nr);
}

/* Find where each place's blocks are in the bundle that has the blocks of a set. */
static void count_blocks(const struct scatter_slot *slot, struct scatter_slot_tree *tree,
			 const struct scatter_slot_set *set)
{
	u32 i, n = 0;

	for (i = 0; i < set->nr; i++) {
		tree->spots[set->place[i]].index = n;
		n += scatter_places_blocks(&slot->places, &set->place[i], 1);
	}
}

static void find_edge(struct scatter_slot *slot, const struct scatter_walk *walk, u32 tree,
		      const struct scatter_step *step, bool downwards)
{
	struct scatter_slot_spot *spots = slot->trees[tree].spots;
	struct scatter_slot_edge *edge = &slot->edges[slot->nr_edges];
	u32 i;

	edge->node = scatter_places_node(&slot->places, step->peer);
	edge->tree = tree;
	find_set(slot, walk, step, &edge->set);
	for (i = 0; i < edge->set.nr; i++) {
		spots[edge->set.place[i]].there = true;
		spots[edge->set.place[i]].edge = slot->nr_edges;
	}
	/* Downwards, the spots tell where blocks are in the parent's bundle: leave them. */
	if (!downwards)
		count_blocks(slot, &slot->trees[tree], &edge->set);
	bundle_init(&edge->in, slot->pieces);
	slot->nr_edges++;
}

static void find_tree(struct scatter_slot *slot, const struct scatter_walk *walk, u32 index,
		      bool downwards)
{
	struct scatter_slot_tree *tree = &slot->trees[index];
	struct scatter_step step;
	u32 i;

	tree->parent = slot->places.portal->self;
	tree->spots = kvcalloc(slot->places.nr, sizeof(*tree->spots),
			       GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	for (i = 0; i < slot->places.nr; i++)
		tree->spots[i].edge = SCATTER_SLOT_NO_EDGE;
	bundle_init(&tree->in, slot->pieces);
	tree->joined = scatter_schedule_parent(walk, index, &step);
	if (tree->joined) {
		tree->parent = scatter_places_node(&slot->places, step.peer);
		find_set(slot, walk, &step, &tree->set);
		for (i = 0; i < tree->set.nr; i++)
			tree->spots[tree->set.place[i]].there = true;
		if (downwards)
			count_blocks(slot, tree, &tree->set);
	}
	for (i = 0; scatter_schedule_child(walk, index, i, &step); i++)
		find_edge(slot, walk, index, &step, downwards);
}

/**
 * scatter_trees_find() - find this node's edges in all trees
 * @slot: the operation's slot; knows its places, but not its trees
 * @plan: the schedule; this node is one of its ranks
 * @downwards: blocks come from the parents: a scatter, and the root is on another node
 *
 * Context: may sleep.
 */
void scatter_trees_find(struct scatter_slot *slot, const struct scatter_schedule_spec *plan,
			bool downwards)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOFAIL;
	u32 i, nr = scatter_schedule_trees(plan), edges = 0;
	struct scatter_walk walk;

	scatter_schedule_init(&walk, plan, slot->places.self);
	for (i = 0; i < nr; i++)
		edges += scatter_schedule_children(&walk, i);
	slot->pieces = plan->algorithm == SCATTER_SCHEDULE_ROTATED ? nr : 1;
	slot->trees = kcalloc(nr, sizeof(*slot->trees), gfp);
	slot->edges = kvcalloc(edges, sizeof(*slot->edges), gfp);
	for (i = 0; i < nr; i++)
		find_tree(slot, &walk, i, downwards);
	slot->nr_trees = nr;
	slot->planned = true;
}

static void bundle_reset(struct scatter_bundle *bundle)
{
	scatter_chunks_free(&bundle->stream);
	*bundle = (struct scatter_bundle){ .pieces = bundle->pieces };
	scatter_chunks_init(&bundle->stream, NULL);
}

/**
 * scatter_trees_reset() - forget what has moved along the trees of a slot
 * @slot: its operation is over
 *
 * Context: may sleep.
 */
void scatter_trees_reset(struct scatter_slot *slot)
{
	u32 i;

	for (i = 0; i < slot->nr_edges; i++) {
		struct scatter_slot_edge *edge = &slot->edges[i];

		edge->sent = false;
		edge->done = false;
		edge->placed = false;
		edge->asked = (struct scatter_slot_asked){};
		bundle_reset(&edge->in);
	}
	for (i = 0; i < slot->nr_trees; i++) {
		struct scatter_slot_tree *tree = &slot->trees[i];

		tree->sent = false;
		tree->done = false;
		tree->asked = (struct scatter_slot_asked){};
		bundle_reset(&tree->in);
	}
}

/**
 * scatter_trees_take() - take over the trees of another slot
 * @slot: knows its places, but not its trees
 * @from: after scatter_trees_reset(), of an operation with the same head; has no trees afterwards
 *
 * Context: any.
 */
void scatter_trees_take(struct scatter_slot *slot, struct scatter_slot *from)
{
	slot->pieces = from->pieces;
	slot->trees = from->trees;
	slot->nr_trees = from->nr_trees;
	slot->edges = from->edges;
	slot->nr_edges = from->nr_edges;
	slot->planned = true;
	from->trees = NULL;
	from->nr_trees = 0;
	from->edges = NULL;
	from->nr_edges = 0;
}

/**
 * scatter_trees_free() - free the trees of a slot
 * @slot: goes
 *
 * Context: may sleep.
 */
void scatter_trees_free(struct scatter_slot *slot)
{
	u32 i;

	for (i = 0; i < slot->nr_edges; i++) {
		scatter_chunks_free(&slot->edges[i].in.stream);
		kvfree(slot->edges[i].set.place);
	}
	for (i = 0; i < slot->nr_trees; i++) {
		scatter_chunks_free(&slot->trees[i].in.stream);
		kvfree(slot->trees[i].set.place);
		kvfree(slot->trees[i].spots);
	}
	kvfree(slot->edges);
	kfree(slot->trees);
}

/**
 * scatter_trees_edge_to() - find the edge behind which a place is
 * @slot: knows its trees
 * @tree: the tree
 * @place: the place
 *
 * Context: any.
 * Return: the edge; NULL: the place is not behind a child.
 */
struct scatter_slot_edge *scatter_trees_edge_to(const struct scatter_slot *slot, u32 tree,
						u32 place)
{
	u32 edge = SCATTER_SLOT_NO_EDGE;

	if (place < slot->places.nr)
		edge = slot->trees[tree].spots[place].edge;
	return edge == SCATTER_SLOT_NO_EDGE ? NULL : &slot->edges[edge];
}

/**
 * scatter_trees_edge_of() - find the edge to a child
 * @slot: knows its trees
 * @tree: the tree
 * @node: the child's index in scatter_portal.nodes
 *
 * Context: any.
 * Return: the edge; NULL: the node is no child.
 */
struct scatter_slot_edge *scatter_trees_edge_of(const struct scatter_slot *slot, u32 tree,
						u32 node)
{
	u32 i;

	for (i = 0; i < slot->nr_edges; i++)
		if (slot->edges[i].tree == tree && slot->edges[i].node == node)
			return &slot->edges[i];
	return NULL;
}
