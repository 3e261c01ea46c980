// SPDX-License-Identifier: GPL-2.0
/*
 * Which operations cannot complete here because a rank on another node, or that node, is gone.
 */
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/places.h"
#include "group/portal.h"
#include "operation/block.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "span/depend.h"

/* Whether a node is between the root and this node in a tree. */
static bool is_above(const struct scatter_places *places, const struct scatter_schedule_spec *plan,
		     u32 tree, u32 node)
{
	u32 place = places->self;
	struct scatter_walk walk;
	struct scatter_step step;

	while (place != places->root) {
		if (!scatter_schedule_init(&walk, plan, place))
			return true;
		/* This tree does not have the place. */
		if (!scatter_schedule_parent(&walk, tree, &step))
			return false;
		place = step.peer;
		if (scatter_places_node(places, place) == node)
			return true;
	}
	return false;
}

/* Whether a node is between a scatter's root and this node; or, on the root's node, is any node. */
static bool is_between(const struct scatter_group *group, const struct scatter_spec *spec,
		       u32 node)
{
	struct scatter_schedule_spec plan;
	struct scatter_places places;
	u32 trees, i;

	scatter_places_find(group, spec->first, spec->blocks, spec->root, &places);
	scatter_places_plan(&places, spec, &plan);
	if (places.self == places.nr)
		return false;
	trees = scatter_schedule_trees(&plan);
	/* The root sends to all places. */
	if (places.self == places.root || !trees)
		return true;
	for (i = 0; i < trees; i++)
		if (is_above(&places, &plan, i, node))
			return true;
	return false;
}

/*
 * Whether an operation cannot complete here, because a rank on another node is gone and has not
 * done its part; or, if @node_lost, because that whole node is gone.
 */
static bool owes_locked(const struct scatter_operation *operation, u32 rank, bool node_lost)
{
	const struct scatter_group *group = operation->group;
	const struct scatter_spec *spec = &operation->spec;

	lockdep_assert_held(&group->lock);
	if (!scatter_op_moves(spec->op) || !operation->posted)
		return true;
	/* Idle members need nothing. */
	if (spec->idle)
		return false;
	if (!scatter_operation_has_cargo(operation))
		return scatter_spec_involves(spec, rank);
	if (scatter_op_gathers(spec->op))
		return scatter_spec_involves(spec, rank);
	return rank == spec->root ||
	       (node_lost && is_between(group, spec, group->portal->where[rank]));
}

/* Drop the block of a rank that is gone: nobody will take the block. */
static void untake_locked(struct scatter_operation *operation, u32 rank)
{
	const struct scatter_spec *spec = &operation->spec;

	lockdep_assert_held(&operation->group->lock);
	if (operation->posted && scatter_op_scatters(spec->op) &&
	    scatter_operation_has_cargo(operation) && scatter_spec_owns(spec, rank) &&
	    scatter_operation_cargo(operation, rank)->state == SCATTER_BLOCK_HOME)
		scatter_block_set_locked(operation->group, operation, rank,
					 SCATTER_BLOCK_TAKEN, NULL);
}

/**
 * scatter_depend_fail_locked() - fail the operations that cannot complete without a rank
 * @group: formed, and spans nodes
 * @number: the first operation for which @rank does nothing any more
 * @rank: on another node
 * @node_lost: the whole node is gone
 * @error: -errno of the operations that fail
 * @culprit: rank that has caused it
 *
 * Context: the group's lock is held; gives it back now and then; for scatter_group_unlock().
 */
void scatter_depend_fail_locked(struct scatter_group *group, u64 number, u32 rank, bool node_lost,
				int error, u32 culprit)
	__must_hold(&group->lock)
{
	u64 next = group->end - group->nr_operations;

	lockdep_assert_held(&group->lock);
	for (; next < group->end; next++) {
		struct scatter_operation *operation = scatter_operation_find_locked(group, next);
		bool owes;

		/* A decreed operation needs all ranks. Of others, the first failure counts. */
		owes = operation && next >= number &&
		       (scatter_operation_is_decreed(operation) ||
			(!operation->error && owes_locked(operation, rank, node_lost)));
		if (owes && scatter_fail_locked(group, operation, error, culprit, false))
			group->news = true;
		if (operation)
			untake_locked(operation, rank);
		scatter_group_breathe_locked(group, next);
	}
}
