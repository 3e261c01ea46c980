// SPDX-License-Identifier: GPL-2.0
/*
 * Repeated OR-broadcast on a combining network, in software.
 *
 * US patent 7600095 (Archer and Ratterman, filed 2007) runs a scatter on a network that combines.
 * For each position of the root's buffer, the root contributes the block and all other ranks
 * contribute zeros; the network ORs the contributions and delivers the result to all. Each rank
 * keeps the block of its own position and discards the others. In a gather the owner contributes,
 * and only the root keeps. Here the network is recursive doubling if the size is a power of two,
 * else a reduction to the root and a broadcast, both by the binomial tree. So each block moves to
 * all ranks: OR-broadcast is never fast in software, and the cost model never chooses it.
 *
 * Both operations run the same steps, so a gather is not a scatter reversed.
 */
#include "bits.h"
#include "ops.h"

/* Rounds for one position */
static u32 rounds_each(const struct scatter_schedule_spec *spec)
{
	u32 rounds = scatter_ceil_log2(spec->size);

	return scatter_is_power_of_two(spec->size) ? rounds : 2 * rounds;
}

static int or_check(const struct scatter_schedule_spec *spec)
{
	return (u64)spec->size * rounds_each(spec) <= (u32)-1 ?
		       SCATTER_SCHEDULE_OK : SCATTER_SCHEDULE_BAD_ROUNDS;
}

static u32 or_rounds(const struct scatter_schedule_spec *spec)
{
	return spec->size * rounds_each(spec);
}

/* Transfers of the rank in the reduction of one position, or in its broadcast */
static u32 tree_steps(const struct scatter_walk *walk)
{
	return scatter_hypercube_ops.children(walk) +
	       (scatter_is_root(walk) ? 0 : 1);
}

static u32 slots_each(const struct scatter_walk *walk)
{
	if (scatter_is_power_of_two(walk->spec.size))
		return 2 * rounds_each(&walk->spec);
	return 2 * tree_steps(walk);
}

static u64 or_slots(const struct scatter_walk *walk)
{
	return (u64)walk->spec.size * slots_each(walk);
}

/* One round of recursive doubling: partners send each other all that they have. */
static void exchange(const struct scatter_walk *walk, u32 slot,
		     struct scatter_step *step)
{
	step->round = 1 + slot / 2;
	step->peer = walk->rank ^ (u32)1 << slot / 2;
	step->send = !(slot & 1);
	step->combine = true;
}

/* Up the tree, combining, and down again */
static void reduce_or_broadcast(const struct scatter_walk *walk,
				u32 slot, struct scatter_step *step)
{
	u32 steps = tree_steps(walk);
	u32 parents = scatter_is_root(walk) ? 0 : 1;
	u32 rounds = scatter_ceil_log2(walk->spec.size);
	bool up = slot < steps;
	/* the way up is the reverse of the way down */
	u32 index = up ? steps - 1 - slot : slot - steps;

	if (index < parents)
		scatter_hypercube_ops.parent(walk, step);
	else
		scatter_hypercube_ops.child(walk, index - parents, step);
	step->send = (index < parents) == up;
	step->combine = up;
	step->round = up ? rounds + 1 - step->round : rounds + step->round;
}

static bool or_slot(const struct scatter_walk *walk, u64 slot,
		    struct scatter_step *step)
{
	u32 each = slots_each(walk);
	u32 position = (u32)(slot / each), rest = (u32)(slot % each);

	scatter_step_begin(step, 0, false);
	if (scatter_is_power_of_two(walk->spec.size))
		exchange(walk, rest, step);
	else
		reduce_or_broadcast(walk, rest, step);
	step->round += position * rounds_each(&walk->spec);
	step->first = position;
	step->count = 1;
	return true;
}

const struct scatter_schedule_ops scatter_or_broadcast_ops = {
	.contiguous = true,
	.symmetric = true,
	.check = or_check,
	.rounds = or_rounds,
	.slots = or_slots,
	.slot = or_slot,
};
