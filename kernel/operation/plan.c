// SPDX-License-Identifier: GPL-2.0
/*
 * Plans: which schedule an operation really runs, and the walks that its ranks take.
 */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/overflow.h>

#include "group/group.h"
#include "group/sides.h"
#include "memory/memory.h"
#include "operation/operation.h"
#include "operation/plan.h"

/**
 * scatter_plan_tree() - make the irregular tree for blocks of different lengths
 * @user: the user that is charged
 * @slices: the slices of the root's buffer
 * @spec: what the members ask for
 *
 * Context: may sleep.
 * Return: the tree, for scatter_memory_free(), or an ERR_PTR: -EDQUOT, -ENOMEM.
 */
struct scatter_tree *scatter_plan_tree(struct scatter_user *user,
				       const struct scatter_slice *slices,
				       const struct scatter_spec *spec)
{
	u32 size = spec->ranks;
	struct scatter_tree *tree;
	u64 *bytes;
	u32 i;
	int bad;

	tree = scatter_memory_alloc(user, struct_size(tree, node, size), 0);
	if (IS_ERR(tree))
		return tree;
	bytes = scatter_memory_alloc(user, array_size(size, sizeof(*bytes)), 0);
	if (IS_ERR(bytes)) {
		scatter_memory_free(tree);
		return ERR_CAST(bytes);
	}
	for (i = 0; i < spec->blocks; i++)
		bytes[i] = slices[i].length;
	/* The sum fits, since no block is beyond SCATTER_BLOCK_MAX. */
	bad = scatter_irregular_build(&tree->table, tree->node, bytes, size,
				      scatter_spec_index(spec, spec->root));
	WARN_ON_ONCE(bad);
	scatter_memory_free(bytes);
	return tree;
}

/* How many blocks, or pieces of blocks, are to reach the root of a gather over edges. */
static u32 expected(const struct scatter_operation *operation)
{
	struct scatter_walk walk;
	struct scatter_step step;
	u32 count = 0;

	if (operation->plan.algorithm == SCATTER_SCHEDULE_ROTATED)
		return (operation->plan.size - 1) *
		       max(1U, scatter_schedule_trees(&operation->plan));
	if (operation->plan.algorithm != SCATTER_SCHEDULE_IRREGULAR)
		return operation->plan.size - 1;
	/* A tree that may leave out empty blocks; the root has at most log2(size) + 1 children. */
	scatter_plan_walk(operation, operation->spec.root, &walk);
	while (scatter_schedule_next(&walk, &step))
		count += step.count;
	return count;
}

/**
 * scatter_plan_decide_locked() - choose the schedule of an operation
 * @group: the operation's group
 * @operation: a live operation that has its spec
 * @block: bytes per rank; in a v form the mean
 *
 * Context: the group's lock is held.
 */
void scatter_plan_decide_locked(struct scatter_group *group,
				struct scatter_operation *operation, u64 block)
{
	bool gathers = scatter_op_gathers(operation->spec.op);
	struct scatter_cost cost = group->cost;

	lockdep_assert_held(&group->lock);
	scatter_spec_plan(&operation->spec, &operation->plan);
	cost.ports = scatter_sides_ports(group, &operation->spec);
	if (group->spans)
		operation->plan.algorithm = SCATTER_SCHEDULE_LINEAR;
	else if (operation->spec.schedule.algorithm == SCATTER_ALGORITHM_AUTO)
		scatter_cost_choose(&cost, gathers, block, &operation->plan);
	if (operation->tree)
		operation->plan.irregular = &operation->tree->table;
	operation->decided = true;
	if (gathers)
		operation->expected = expected(operation);
}

/**
 * scatter_plan_contiguous() - whether each bundle is of consecutive ranks
 * @operation: an operation that has its spec
 *
 * Other bundles travel as descriptors only. AUTO chooses only contiguous schedules. In a group that
 * spans nodes, the schedule inside a node is contiguous, too.
 *
 * Context: any.
 */
bool scatter_plan_contiguous(const struct scatter_operation *operation)
{
	u32 algorithm = operation->spec.schedule.algorithm;

	return algorithm == SCATTER_ALGORITHM_AUTO || operation->group->spans ||
	       scatter_schedule_contiguous(algorithm);
}

/**
 * scatter_plan_walk() - start a rank's walk through the schedule
 * @operation: an operation whose schedule is decided
 * @rank: the rank; it takes part in the schedule
 * @walk: (out) the walk, in numbers of the schedule
 *
 * Context: any.
 */
void scatter_plan_walk(const struct scatter_operation *operation, u32 rank,
		       struct scatter_walk *walk)
{
	bool ok = scatter_schedule_init(walk, &operation->plan,
					scatter_spec_index(&operation->spec, rank));

	WARN_ON_ONCE(!ok);
}

/**
 * scatter_plan_translate() - translate numbers of the schedule to ranks
 * @operation: an operation whose schedule is decided
 * @step: (in, out) a step of one of the operation's walks
 *
 * A root that owns no block has the last number of the schedule. Then no range wraps around, so a
 * range of numbers is always a range of as many ranks.
 *
 * Context: any.
 */
void scatter_plan_translate(const struct scatter_operation *operation,
			    struct scatter_step *step)
{
	step->peer = scatter_spec_rank(&operation->spec, step->peer);
	step->first = scatter_spec_rank(&operation->spec, step->first);
}

/**
 * scatter_plan_bytes() - the length of a bundle
 * @operation: a scatter or gather that the ranks of the bundle, or the root of a
 *	scatter, have posted
 * @walk: a rank's walk
 * @step: a step of @walk
 *
 * Context: any.
 * Return: bytes.
 */
u64 scatter_plan_bytes(const struct scatter_operation *operation,
		       const struct scatter_walk *walk,
		       const struct scatter_step *step)
{
	struct scatter_range range;
	u32 cursor = 0;
	u64 bytes = 0;
	u32 i;

	if (!scatter_spec_is_open(&operation->spec))
		return scatter_schedule_bytes(walk, step, operation->spec.block);
	/* No sum is beyond 2^63, since no block is beyond SCATTER_BLOCK_MAX. */
	while (scatter_schedule_range(walk, step, &cursor, &range))
		for (i = 0; i < range.count; i++)
			bytes += scatter_schedule_piece(step,
				scatter_operation_slice(operation, operation->spec.first +
						       range.first + i)->length);
	return bytes;
}

/**
 * scatter_plan_carries() - whether a block is in a bundle
 * @walk: a rank's walk
 * @step: a step of @walk
 * @place: the number that the schedule gives the block's rank
 *
 * Context: any.
 */
bool scatter_plan_carries(const struct scatter_walk *walk,
			  const struct scatter_step *step, u32 place)
{
	struct scatter_range range;
	u32 cursor = 0;

	while (scatter_schedule_range(walk, step, &cursor, &range))
		if (place - range.first < range.count)
			return true;
	return false;
}
