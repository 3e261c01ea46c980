/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_LANE_H
#define _SCATTER_LANE_H

#include <linux/types.h>

#include "group/cells.h"

struct page;
struct scatter_group;
struct scatter_operation;
struct scatter_slot;
struct scatter_wide_lane;

/**
 * enum scatter_lane_turn - what a member has to do in an OR-broadcast
 * @SCATTER_LANE_WAIT: nothing yet
 * @SCATTER_LANE_GIVE: give the bytes of a cell
 * @SCATTER_LANE_TAKE: take the bytes of a cell
 * @SCATTER_LANE_OVER: nothing any more
 */
enum scatter_lane_turn {
	SCATTER_LANE_WAIT,
	SCATTER_LANE_GIVE,
	SCATTER_LANE_TAKE,
	SCATTER_LANE_OVER,
};

/**
 * struct scatter_lane_task - a cell that a member has to give or to take
 * @cell: the cell's number
 * @rank: the block's rank
 * @offset: bytes of the block before the cell
 * @bytes: length of the cell in bytes
 * @unreadable: take: the block could not be read
 * @piece: give: the bytes, from the member; empty: the member could not read them. Take: the bytes
 */
struct scatter_lane_task {
	u64 cell;
	u32 rank;
	u64 offset;
	u32 bytes;
	bool unreadable;
	struct scatter_cells_piece piece;
};

u32 scatter_lane_push(struct scatter_group *group, struct scatter_operation *operation,
		      struct scatter_slot *slot);
bool scatter_lane_came(struct scatter_group *group, struct scatter_slot *slot, u32 from,
		       const struct scatter_wide_lane *wide, struct page *page, u32 offset);
enum scatter_lane_turn scatter_lane_next(struct scatter_group *group, u64 number, u32 rank,
					 struct scatter_lane_task *task);
void scatter_lane_given(struct scatter_group *group, u64 number, struct scatter_lane_task *task,
			bool done);
void scatter_lane_taken(struct scatter_group *group, u64 number, struct scatter_lane_task *task,
			bool done);

#endif /* _SCATTER_LANE_H */
