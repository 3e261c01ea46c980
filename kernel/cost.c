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
 * scatter_cost_gather_limit - the eager limit of a group's gathers
 * @eager_limit: that of its scatters
 * @crowded_limit: for members that have no CPU of their own
 * @size: how many members
 * @cpus: how many CPUs
 *
 * Payload saves a pin and costs a copy. In a scatter the root makes that copy, for
 * everybody, and all wait for it. In a gather each member makes its own, and need
 * not be there any more when the root comes: with more members than CPUs that saves
 * a wake-up and a context switch each. On two CPUs gathers of 16 to 64 KiB took 0.2 to
 * 0.7 of the time with 4 and 8 members, but 1.5 to 5 times as long with 2
 * (make bench, --again eager_limit=65536).
 *
 * Context: any
 * Return: bytes; 0 if nothing is to travel as payload
 */
u32 scatter_cost_gather_limit(u32 eager_limit, u32 crowded_limit, u32 size,
			      u32 cpus)
{
	if (!eager_limit || size <= cpus || crowded_limit < eager_limit)
		return eager_limit;
	return crowded_limit;
}

/**
 * scatter_cost_eager - does a bundle travel as payload?
 * @cost: the group's parameters
 * @gather: false: scatter, true: gather
 * @blocks: how many blocks the bundle has
 * @block: bytes per block
 *
 * Context: any
 * Return: true if @blocks * @block is at most the eager limit
 */
bool scatter_cost_eager(const struct scatter_cost *cost, bool gather, u32 blocks,
			u64 block)
{
	u32 limit = gather ? cost->gather_limit : cost->eager_limit;

	/* the product may need 96 bits; a quotient of 32-bit numbers does not */
	return !blocks || block <= limit / blocks;
}

/**
 * scatter_cost_choose - the algorithm of an operation that left it open
 * @cost: the group's parameters
 * @gather: false: scatter, true: gather
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
u32 scatter_cost_choose(const struct scatter_cost *cost, bool gather, u32 size,
			u64 block)
{
	u64 linear, tree;

	/* two members: the same single transfer in both */
	if (size <= 2 || scatter_cost_eager(cost, gather, 1, block))
		return SCATTER_SCHEDULE_LINEAR;

	/* without the t_s that both pay */
	linear = (u64)(size - 2) * cost->gap_ns;
	tree = scatter_ceil_log2(size) - 1;
	tree *= cost->startup_ns;
	return linear < tree ? SCATTER_SCHEDULE_LINEAR :
			       SCATTER_SCHEDULE_HYPERCUBE;
}
