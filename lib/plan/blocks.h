/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where blocks are while a schedule runs.
 */
#ifndef _SCATTER_PLAN_BLOCKS_H
#define _SCATTER_PLAN_BLOCKS_H

#include "schedule/schedule.h"

/**
 * struct plan_place - where a block, or a piece of one, is
 * @holder: a rank
 * @since: the round in which it came there
 */
struct plan_place {
	u32 holder;
	u32 since;
};

/**
 * struct plan_blocks - who holds which blocks
 * @spec: which schedule
 * @pieces: of each block
 * @place: by piece and block; not of broadcasts
 * @since: broadcasts, by rank: the round in which the block came
 * @value: by rank: what an OR has made so far
 * @fresh: by rank: the same after the round of @since
 * @position: OR: the block that is being broadcast
 * @positions: OR: how many have been
 * @culprit: block that is not where it should be
 */
struct plan_blocks {
	const struct scatter_schedule_spec *spec;
	u32 pieces;
	struct plan_place *place;
	u32 *since;
	u64 *value;
	u64 *fresh;
	u32 position;
	u32 positions;
	u32 culprit;
};

int plan_blocks_open(struct plan_blocks *blocks,
		     const struct scatter_schedule_spec *spec);
void plan_blocks_close(struct plan_blocks *blocks);
const char *plan_blocks_move(struct plan_blocks *blocks,
			     const struct scatter_walk *walk,
			     const struct scatter_step *step);
const char *plan_blocks_finish(struct plan_blocks *blocks);

#endif /* _SCATTER_PLAN_BLOCKS_H */
