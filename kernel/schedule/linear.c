// SPDX-License-Identifier: GPL-2.0
/*
 * The noncombining schedule: the root exchanges one block with every other
 * rank, one after the other, beginning with the rank behind it.
 *
 * This is how the MPI standard defines a scatter ("as if the root executed n
 * send operations"), and the p - 1 rounds of noncombining one-to-all scatter
 * in the textbooks. It needs the most startups and no forwarding at all.
 */
#include "ops.h"

static u32 linear_rounds(u32 size)
{
	return size - 1;
}

static u32 linear_children(const struct scatter_schedule *schedule)
{
	return schedule->rank == schedule->root ? schedule->size - 1 : 0;
}

/* The root's transfer with @rank, whichever end asks. */
static void fill_transfer(const struct scatter_schedule *schedule, u32 rank,
			  struct scatter_step *step)
{
	step->round = scatter_rank_relative(schedule, rank);
	step->first = rank;
	step->count = 1;
}

static void linear_parent(const struct scatter_schedule *schedule,
			  struct scatter_step *step)
{
	fill_transfer(schedule, schedule->rank, step);
	step->peer = schedule->root;
}

static void linear_child(const struct scatter_schedule *schedule, u32 index,
			 struct scatter_step *step)
{
	step->peer = scatter_rank_real(schedule, index + 1);
	fill_transfer(schedule, step->peer, step);
}

const struct scatter_schedule_ops scatter_linear_ops = {
	.rounds = linear_rounds,
	.children = linear_children,
	.parent = linear_parent,
	.child = linear_child,
};
