/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the schedules only: what one family of trees has to tell.
 */
#ifndef _SCATTER_SCHEDULE_OPS_H
#define _SCATTER_SCHEDULE_OPS_H

#include "schedule.h"

/**
 * struct scatter_schedule_ops - one family of trees, told as a scatter
 * @rounds: rounds for this many ranks, 1 and up
 * @children: how many children the rank has
 * @parent: the transfer that brings the rank its bundle; never asked of the root
 * @child: the transfer to child number index, 0 to @children - 1, in the order
 *	of the rounds
 *
 * @parent and @child fill all fields of the step but its direction. Gathers
 * are no business of a family: schedule.c runs every tree backwards the same way.
 */
struct scatter_schedule_ops {
	u32 (*rounds)(u32 size);
	u32 (*children)(const struct scatter_schedule *schedule);
	void (*parent)(const struct scatter_schedule *schedule,
		       struct scatter_step *step);
	void (*child)(const struct scatter_schedule *schedule, u32 index,
		      struct scatter_step *step);
};

extern const struct scatter_schedule_ops scatter_linear_ops;
extern const struct scatter_schedule_ops scatter_hypercube_ops;

/*
 * Numbering from the root up, (rank - root) mod size, and back. Both subtract
 * before they add: no intermediate value leaves 32 bits, whatever the size.
 */
static inline u32 scatter_rank_relative(const struct scatter_schedule *schedule,
					u32 rank)
{
	if (rank >= schedule->root)
		return rank - schedule->root;
	return rank + (schedule->size - schedule->root);
}

static inline u32 scatter_rank_real(const struct scatter_schedule *schedule,
				    u32 relative)
{
	u32 behind = schedule->size - schedule->root;

	if (relative < behind)
		return relative + schedule->root;
	return relative - behind;
}

#endif /* _SCATTER_SCHEDULE_OPS_H */
