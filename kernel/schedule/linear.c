// SPDX-License-Identifier: GPL-2.0
/*
 * The noncombining schedule: the root exchanges one block with every other rank, one rank after the
 * other, beginning with the rank behind the root.
 *
 * The MPI standard defines a scatter like this ("as if the root executed n send operations"), and
 * textbooks give the p - 1 rounds of noncombining one-to-all scatter. The schedule needs the most
 * startups and no forwarding at all.
 */
#include "ops.h"

static u32 linear_rounds(const struct scatter_schedule_spec *spec)
{
	return spec->size - 1;
}

static u32 linear_children(const struct scatter_walk *walk)
{
	return scatter_is_root(walk) ? walk->spec.size - 1 : 0;
}

/* The root's transfer with @rank, the same for both ends. */
static void fill_transfer(const struct scatter_walk *walk, u32 rank,
			  struct scatter_step *step)
{
	step->round = scatter_rank_relative(walk, rank);
	step->first = rank;
}

static bool linear_parent(const struct scatter_walk *walk,
			  struct scatter_step *step)
{
	if (scatter_is_root(walk))
		return false;
	fill_transfer(walk, walk->rank, step);
	step->peer = walk->spec.root;
	return true;
}

static void linear_child(const struct scatter_walk *walk, u32 index,
			 struct scatter_step *step)
{
	step->peer = scatter_rank_real(walk, index + 1);
	fill_transfer(walk, step->peer, step);
}

const struct scatter_schedule_ops scatter_linear_ops = {
	.contiguous = true,
	.broadcasts = true,
	.rounds = linear_rounds,
	.children = linear_children,
	.parent = linear_parent,
	.child = linear_child,
};
