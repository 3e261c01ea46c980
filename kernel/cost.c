// SPDX-License-Identifier: GPL-2.0
/*
 * The cost model of one node. p members, t_s for a startup that wakes its receiver, gap g
 * between two startups that the root posts one after the other, t_w per byte:
 *
 *   linear      t_s + (p - 2) g      + (p - 1) m t_w
 *   hypercube   ceil(log2 p) t_s     + (p - 1) m t_w
 *
 * The root sends every byte once in either, so the term with t_w does not
 * decide, and t_w is no parameter.
 */
#include "cost.h"
#include "schedule/bits.h"
#include "schedule/schedule.h"

/**
 * scatter_cost_eager - does a bundle travel as payload?
 * @cost: the group's parameters
 * @blocks: how many blocks the bundle has
 * @block: bytes per block
 *
 * Context: any
 * Return: true if @blocks * @block is at most the eager limit
 */
bool scatter_cost_eager(const struct scatter_cost *cost, u32 blocks, u64 block)
{
	/* the product may need 96 bits; a quotient of 32-bit numbers does not */
	return !blocks || block <= cost->eager_limit / blocks;
}

/**
 * scatter_cost_choose - the algorithm of an operation that left it open
 * @cost: the group's parameters
 * @size: the group's size
 * @block: bytes per block
 *
 * Blocks that are eager one by one always go linear: on one node payload is
 * deposited straight at its receiver, and a bundle would only be copied again by
 * the ranks on its way. Otherwise the one with fewer startups on the critical
 * path wins, and the tree if they tie: it spreads the wake-ups.
 *
 * Context: any
 * Return: enum scatter_schedule_algorithm
 */
u32 scatter_cost_choose(const struct scatter_cost *cost, u32 size, u64 block)
{
	u64 linear, tree;

	/* two members: the same single transfer in both */
	if (size <= 2 || scatter_cost_eager(cost, 1, block))
		return SCATTER_SCHEDULE_LINEAR;

	/* without the t_s that both pay */
	linear = (u64)(size - 2) * cost->gap_ns;
	tree = scatter_ceil_log2(size) - 1;
	tree *= cost->startup_ns;
	return linear < tree ? SCATTER_SCHEDULE_LINEAR :
			       SCATTER_SCHEDULE_HYPERCUBE;
}
