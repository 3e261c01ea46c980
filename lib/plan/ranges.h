/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of ranks, as lists of ranges.
 */
#ifndef _SCATTER_PLAN_RANGES_H
#define _SCATTER_PLAN_RANGES_H

#include "schedule/schedule.h"
#include "system.h"

/**
 * struct plan_ranges - a list of ranges
 * @range: them
 * @count: how many
 * @room: how many there is memory for
 */
struct plan_ranges {
	struct scatter_range *range;
	size_t count;
	size_t room;
};

int plan_ranges_add(struct plan_ranges *ranges,
		    const struct scatter_range *range);
void plan_ranges_tidy(struct plan_ranges *ranges);
void plan_ranges_close(struct plan_ranges *ranges);

#endif /* _SCATTER_PLAN_RANGES_H */
