// SPDX-License-Identifier: GPL-2.0
/*
 * Which schedule an operation runs: from what its callers ask for to the walks that
 * they take.
 */
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/scatter.h>
#include <linux/string.h>

#include "group.h"
#include "inter.h"
#include "memory.h"
#include "operation.h"
#include "plan.h"
#include "vector.h"

static_assert(SCATTER_DIMS_MAX == SCATTER_SCHEDULE_DIMS);

static void fill_plan(struct scatter_schedule_spec *plan,
		      const struct scatter_spec *spec)
{
	*plan = (struct scatter_schedule_spec){
		.algorithm = spec->schedule.algorithm,
		.op = scatter_op_gathers(spec->op) ? SCATTER_SCHEDULE_GATHER :
						     SCATTER_SCHEDULE_SCATTER,
		.size = spec->ranks,
		.root = scatter_spec_place(spec, spec->root),
		.ports = spec->schedule.ports,
		.dims = spec->schedule.dims,
	};
	memcpy(plan->extent, spec->schedule.extent, sizeof(plan->extent));
}

/**
 * scatter_plan_asked() - which schedule a user asks for
 * @asked: as the user gave it; need not be possible
 *
 * Context: any.
 * Return: the same; for a k-nomial tree 0 ports have become the 1 that they stand for.
 */
struct scatter_schedule scatter_plan_asked(const struct scatter_schedule *asked)
{
	struct scatter_schedule schedule = *asked;

	if (schedule.algorithm == SCATTER_ALGORITHM_KNOMIAL && !schedule.ports)
		schedule.ports = 1;
	return schedule;
}

/**
 * scatter_spec_fill() - what a call asks for
 * @spec: (out) that, but for which ranks take part; scatter_inter_direct() goes on
 * @coll: the call
 *
 * Context: any.
 */
void scatter_spec_fill(struct scatter_spec *spec,
		       const struct scatter_coll *coll)
{
	*spec = (struct scatter_spec){
		.op = coll->op,
		.flags = coll->flags & SCATTER_COLL_AGREED,
		.schedule = scatter_plan_asked(&coll->schedule),
		.block = scatter_op_is_vector(coll->op) ? 0 : coll->block,
	};
}

static bool has_dims(u32 algorithm)
{
	return algorithm == SCATTER_ALGORITHM_MESH ||
	       algorithm == SCATTER_ALGORITHM_TORUS;
}

/**
 * scatter_plan_possible() - whether an operation can be scheduled as asked for
 * @spec: that; its op, algorithm and root exist
 *
 * Context: any.
 */
bool scatter_plan_possible(const struct scatter_spec *spec)
{
	const struct scatter_schedule *schedule = &spec->schedule;
	struct scatter_schedule_spec plan;
	u32 dims = schedule->dims;

	if (schedule->ports && schedule->algorithm != SCATTER_ALGORITHM_KNOMIAL)
		return false;
	if (dims > SCATTER_DIMS_MAX || !dims != !has_dims(schedule->algorithm) ||
	    memchr_inv(schedule->extent + dims, 0,
		       (SCATTER_DIMS_MAX - dims) * sizeof(*schedule->extent)))
		return false;
	if (schedule->algorithm == SCATTER_ALGORITHM_AUTO)
		return true;
	if (schedule->algorithm == SCATTER_ALGORITHM_IRREGULAR)
		return scatter_op_is_vector(spec->op);
	fill_plan(&plan, spec);
	return !scatter_schedule_check(&plan);
}

/**
 * scatter_plan_settle() - what a call leaves open is as the group has it
 * @spec: (in, out) what the call asks for; possible
 * @group: the group
 *
 * It stays open, for the cost model, where the operation cannot be scheduled as the
 * group has it. All members come to the same, since all of it is constant.
 *
 * Context: any.
 */
void scatter_plan_settle(struct scatter_spec *spec,
			 const struct scatter_group *group)
{
	struct scatter_spec settled = *spec;

	if (spec->op == SCATTER_OP_BARRIER ||
	    spec->schedule.algorithm != SCATTER_ALGORITHM_AUTO)
		return;
	settled.schedule = group->schedule;
	if (scatter_plan_possible(&settled))
		*spec = settled;
}

/**
 * scatter_plan_tree() - the tree for blocks of different lengths
 * @user: who is charged
 * @spans: of the root's buffer
 * @spec: what is asked for
 *
 * Context: may sleep.
 * Return: the tree, for scatter_memory_free(), or an ERR_PTR: -EDQUOT, -ENOMEM.
 */
struct scatter_tree *scatter_plan_tree(struct scatter_user *user,
				       const struct scatter_span *spans,
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
		bytes[i] = spans[i].count;
	/* The sum fits, since no block is beyond SCATTER_BLOCK_MAX. */
	bad = scatter_irregular_build(&tree->table, tree->node, bytes, size,
				      scatter_spec_place(spec, spec->root));
	WARN_ON_ONCE(bad);
	scatter_memory_free(bytes);
	return tree;
}

/* Blocks, or pieces of them, that the root of a gather is going to get. */
static u32 expected(const struct scatter_operation *operation)
{
	struct scatter_walk walk;
	struct scatter_step step;
	u32 count = 0;

	if (operation->plan.algorithm == SCATTER_SCHEDULE_ROTATED)
		return (operation->plan.size - 1) * operation->trees;
	if (operation->plan.algorithm != SCATTER_SCHEDULE_IRREGULAR)
		return operation->plan.size - 1;
	/* Where there are empty blocks; the root has at most log2(size) + 1 children. */
	scatter_plan_walk(operation, operation->spec.root, &walk);
	while (scatter_schedule_next(&walk, &step))
		count += step.count;
	return count;
}

/**
 * scatter_plan_decide_locked() - choose the schedule of an operation
 * @group: whose
 * @operation: a live operation that has its spec
 * @block: bytes per rank; in a v form their mean
 *
 * Context: the group's lock is held.
 */
void scatter_plan_decide_locked(struct scatter_group *group,
				struct scatter_operation *operation, u64 block)
{
	bool gathers = scatter_op_gathers(operation->spec.op);
	struct scatter_cost cost = group->cost;

	lockdep_assert_held(&group->lock);
	fill_plan(&operation->plan, &operation->spec);
	cost.ports = scatter_inter_ports(group, &operation->spec);
	if (operation->spec.schedule.algorithm == SCATTER_ALGORITHM_AUTO)
		scatter_cost_choose(&cost, gathers, block, &operation->plan);
	if (operation->tree)
		operation->plan.irregular = &operation->tree->table;
	operation->decided = true;
	if (gathers)
		operation->expected = expected(operation);
}

/**
 * scatter_plan_contiguous() - whether all bundles are consecutive ranks
 * @operation: an operation that has its spec
 *
 * Others travel as descriptors only. What AUTO chooses is contiguous.
 *
 * Context: any.
 */
bool scatter_plan_contiguous(const struct scatter_operation *operation)
{
	u32 algorithm = operation->spec.schedule.algorithm;

	return algorithm == SCATTER_ALGORITHM_AUTO ||
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
					scatter_spec_place(&operation->spec, rank));

	WARN_ON_ONCE(!ok);
}

/**
 * scatter_plan_translate() - from numbers of the schedule to ranks
 * @operation: an operation whose schedule is decided
 * @step: (in, out) a step of one of its walks
 *
 * The root is no owner of a block only if it is the last of the schedule, so a bundle that
 * is a range does not wrap around then: it is one of as many ranks, too.
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
 * @step: a step of it
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

	if (!scatter_op_is_vector(operation->spec.op))
		return scatter_schedule_bytes(walk, step, operation->spec.block);
	/* No sum is beyond 2^63, since no block is beyond SCATTER_BLOCK_MAX. */
	while (scatter_schedule_range(walk, step, &cursor, &range))
		for (i = 0; i < range.count; i++)
			bytes += scatter_schedule_piece(step,
				operation->parts[operation->spec.first +
						 range.first + i].cargo->length);
	return bytes;
}

/**
 * scatter_plan_carries() - whether a block is in a bundle
 * @walk: a rank's walk
 * @step: a step of it
 * @place: number of the block's owner in the schedule
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

/**
 * scatter_plan_trees() - how many trees a call needs
 * @spec: what it asks for; possible
 *
 * Context: any.
 */
u32 scatter_plan_trees(const struct scatter_spec *spec)
{
	struct scatter_schedule_spec plan;

	if (!scatter_op_moves(spec->op) ||
	    (spec->schedule.algorithm != SCATTER_ALGORITHM_ROTATED &&
	     spec->schedule.algorithm != SCATTER_ALGORITHM_BALANCED))
		return 1;
	fill_plan(&plan, spec);
	return max(1U, scatter_schedule_trees(&plan));
}

/**
 * scatter_plan_rounds() - how many rounds a call needs
 * @spec: what it asks for; possible, and neither AUTO nor irregular
 *
 * Context: any.
 */
u32 scatter_plan_rounds(const struct scatter_spec *spec)
{
	struct scatter_schedule_spec plan;

	fill_plan(&plan, spec);
	return scatter_schedule_rounds(&plan);
}
