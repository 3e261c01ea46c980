// SPDX-License-Identifier: GPL-2.0
/*
 * Places: the nodes of an operation, as the schedule between nodes numbers them, and the order in
 * which their blocks cross edges.
 *
 * Blocks cross in *wire order*: place by place, in the order that the schedule tells, and for each
 * place by rank. So the blocks of a place are in a row, whatever their ranks are.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "group/group.h"
#include "group/places.h"
#include "group/portal.h"
#include "group/spec.h"
#include "schedule/cost.h"

/* Sort all ranks by node, then by rank. */
static void order(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	u32 node, rank, n = 0;

	for (node = 0; node < portal->nr_nodes; node++) {
		portal->begin[node] = n;
		for (rank = 0; rank < group->size; rank++)
			if (portal->where[rank] == node)
				portal->order[n++] = rank;
	}
	portal->begin[node] = n;
}

/* Find the nodes that have ranks of a side; all nodes if there are no sides. */
static u32 find_owners(struct scatter_group *group, u32 first, u32 count, u16 *owners)
{
	const struct scatter_portal *portal = group->portal;
	u32 node, i, nr = 0;

	for (node = 0; node < portal->nr_nodes; node++) {
		for (i = portal->begin[node]; i < portal->begin[node + 1]; i++) {
			if (portal->order[i] - first >= count)
				continue;
			owners[nr++] = node;
			break;
		}
	}
	return nr;
}

/**
 * scatter_places_arrange() - fill the tables of wire order
 * @group: has its size and its sides; its portal has all tables, and knows where all ranks are; no
 *	other task knows the portal yet
 *
 * Context: any; takes a while.
 */
void scatter_places_arrange(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	u32 sides = group->sides[0] ? 2 : 1, side;

	order(group);
	for (side = 0; side < sides; side++)
		portal->nr_owners[side] =
			find_owners(group, side ? group->sides[0] : 0,
				    sides == 2 ? group->sides[side] : group->size,
				    &portal->owners[side * portal->nr_nodes]);
}

/**
 * scatter_places_of() - find the place of a node
 * @places: the operation's places
 * @node: index of the node in scatter_portal.nodes
 *
 * Context: any.
 * Return: the place; scatter_places.nr: the node takes no part.
 */
u32 scatter_places_of(const struct scatter_places *places, u32 node)
{
	u32 low = 0, high = places->owners;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (places->nodes[middle] < node)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < places->owners && places->nodes[low] == node)
		return low;
	return node == places->root_node ? places->owners : places->nr;
}

/**
 * scatter_places_find() - find the places of an operation
 * @group: formed, and spans nodes
 * @first: the first rank that owns a block
 * @blocks: how many ranks own a block: all, or those of a side
 * @root: the root's rank
 * @places: (out) the places
 *
 * Context: any.
 */
void scatter_places_find(const struct scatter_group *group, u32 first, u32 blocks, u32 root,
			 struct scatter_places *places)
{
	const struct scatter_portal *portal = group->portal;
	u32 side = first > 0;

	*places = (struct scatter_places){
		.portal = portal,
		.nodes = &portal->owners[side * portal->nr_nodes],
		.owners = portal->nr_owners[side],
		.first = first,
		.blocks = blocks,
		.root_node = portal->where[root],
	};
	/* Count the root's node, too, until its place is known. */
	places->nr = places->owners + 1;
	places->root = scatter_places_of(places, places->root_node);
	if (places->root < places->owners)
		places->nr--;
	places->self = scatter_places_of(places, portal->self);
}

/**
 * scatter_places_node() - find the node at a place
 * @places: the operation's places
 * @place: less than scatter_places.nr
 *
 * Context: any.
 * Return: index in scatter_portal.nodes.
 */
u32 scatter_places_node(const struct scatter_places *places, u32 place)
{
	return place < places->owners ? places->nodes[place] : places->root_node;
}

/**
 * scatter_places_begin() - go through the blocks of places in wire order
 * @cursor: (out) for scatter_places_next()
 * @place: the places, in the order in which their blocks cross; valid while the cursor is used
 * @nr: how many places
 *
 * Context: any.
 */
void scatter_places_begin(struct scatter_places_cursor *cursor, const u16 *place, u32 nr)
{
	*cursor = (struct scatter_places_cursor){ .place = place, .left = nr };
}

/**
 * scatter_places_next() - find the next block in wire order
 * @places: the operation's places
 * @cursor: moves on
 * @rank: (out) the block's rank; unchanged if there are no more blocks
 *
 * Context: any.
 * Return: false: there are no more blocks; further calls return false, too.
 */
bool scatter_places_next(const struct scatter_places *places,
			 struct scatter_places_cursor *cursor, u32 *rank)
{
	const struct scatter_portal *portal = places->portal;
	u32 node, next;

	for (;;) {
		while (cursor->at < cursor->end) {
			next = portal->order[cursor->at++];
			if (next - places->first >= places->blocks)
				continue;
			*rank = next;
			return true;
		}
		if (!cursor->left)
			return false;
		cursor->left--;
		node = scatter_places_node(places, *cursor->place++);
		cursor->at = portal->begin[node];
		cursor->end = portal->begin[node + 1];
	}
}

/**
 * scatter_places_blocks() - how many blocks some places own
 * @places: the operation's places
 * @place: the places
 * @nr: how many places
 *
 * Context: any.
 */
u32 scatter_places_blocks(const struct scatter_places *places, const u16 *place, u32 nr)
{
	struct scatter_places_cursor cursor;
	u32 rank, n = 0;

	scatter_places_begin(&cursor, place, nr);
	while (scatter_places_next(places, &cursor, &rank))
		n++;
	return n;
}

/**
 * scatter_places_plan() - find the schedule between nodes
 * @places: the operation's places
 * @spec: what is asked for
 * @plan: (out) the schedule; need not be possible. If @spec names none, the schedule that the cost
 *	model chooses
 *
 * The schedule is that of a scatter: a gather uses the same trees in the other direction.
 *
 * Context: any.
 */
void scatter_places_plan(const struct scatter_places *places, const struct scatter_spec *spec,
			 struct scatter_schedule_spec *plan)
{
	*plan = (struct scatter_schedule_spec){
		.algorithm = spec->schedule.algorithm,
		.op = SCATTER_SCHEDULE_SCATTER,
		.size = places->nr,
		.root = places->root,
		.ports = spec->schedule.ports,
		.dims = spec->schedule.dims,
	};
	memcpy(plan->extent, spec->schedule.extent, sizeof(plan->extent));
	if (spec->schedule.algorithm == SCATTER_ALGORITHM_AUTO)
		scatter_cost_choose_nodes(plan);
}

/* Whether an operation can be scheduled between the nodes of a group that spans nodes. */
static bool is_possible(const struct scatter_group *group, const struct scatter_spec *spec)
{
	struct scatter_schedule_spec plan;
	struct scatter_places places;

	if (!scatter_spec_sound(&spec->schedule))
		return false;
	if (spec->schedule.algorithm == SCATTER_ALGORITHM_IRREGULAR)
		return scatter_op_is_vector(spec->op);
	/* An idle member does not know the root, and so not how many places there are. */
	if (spec->idle || spec->op == SCATTER_OP_BARRIER)
		return true;
	scatter_places_find(group, spec->first, spec->blocks, spec->root, &places);
	scatter_places_plan(&places, spec, &plan);
	return !scatter_schedule_check(&plan);
}

/**
 * scatter_places_possible() - whether an operation can be scheduled as asked for
 * @group: the group; need not have formed
 * @spec: what is asked for; its op, algorithm and root exist
 *
 * If the group spans nodes, the schedule is about nodes.
 *
 * Context: any.
 */
bool scatter_places_possible(const struct scatter_group *group, const struct scatter_spec *spec)
{
	/* With these algorithms a member has to know more lengths than its own. */
	if (scatter_spec_is_at_most(spec) &&
	    (spec->schedule.algorithm == SCATTER_ALGORITHM_IRREGULAR ||
	     spec->schedule.algorithm == SCATTER_ALGORITHM_OR_BROADCAST))
		return false;
	/* @spans is set while the group forms; earlier calls fail, since it has not formed. */
	if (smp_load_acquire(&group->spans))
		return is_possible(group, spec);
	return scatter_spec_possible(spec);
}

/**
 * scatter_places_settle() - give a call that names no schedule the group's schedule
 * @group: the group
 * @spec: (in, out) what the call asks for; possible
 *
 * If the operation cannot run the group's schedule, the schedule stays open, for the cost model.
 * All members get the same result, since the result depends on constants only.
 *
 * Context: any.
 */
void scatter_places_settle(const struct scatter_group *group, struct scatter_spec *spec)
{
	const struct scatter_schedule *schedule = &group->schedule;
	struct scatter_spec settled;

	if (spec->op == SCATTER_OP_BARRIER ||
	    spec->schedule.algorithm != SCATTER_ALGORITHM_AUTO ||
	    schedule->algorithm == SCATTER_ALGORITHM_AUTO)
		return;
	settled = *spec;
	settled.schedule = *schedule;
	if (scatter_places_possible(group, &settled))
		*spec = settled;
}
