/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which rank is on which node.
 *
 * Pure code, like the schedules.
 */
#ifndef _SCATTER_PLAN_PLACEMENT_H
#define _SCATTER_PLAN_PLACEMENT_H

#include "ranges.h"

/**
 * struct plan_placement - the nodes of a group
 * @size: ranks
 * @places: nodes with ranks; a place is the number of such a node by rising id
 * @place: by rank
 * @node: by place, the id of the node
 * @first: by place, and one more: the index in @rank of its first rank
 * @rank: in wire order: by place, then by rank
 */
struct plan_placement {
	u32 size;
	u32 places;
	u32 *place;
	u64 *node;
	u32 *first;
	u32 *rank;
};

int plan_placement_open(struct plan_placement *placement, const u64 *node,
			u32 size);
void plan_placement_close(struct plan_placement *placement);
u32 plan_placement_count(const struct plan_placement *placement, u32 place);
int plan_placement_ranks(const struct plan_placement *placement, u32 place,
			 struct plan_ranges *ranks);

#endif /* _SCATTER_PLAN_PLACEMENT_H */
