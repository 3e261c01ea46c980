// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of ranks, as lists of ranges.
 */
#include "ranges.h"

/**
 * plan_ranges_add() - put a range at the end of a list
 * @ranges: the list; all zeros is an empty one
 * @range: copied
 *
 * Return: 0, or -1 if there is not enough memory
 */
int plan_ranges_add(struct plan_ranges *ranges,
		    const struct scatter_range *range)
{
	if (ranges->count == ranges->room) {
		size_t room = ranges->room ? 2 * ranges->room : 16;
		void *more = realloc(ranges->range,
				     room * sizeof(*ranges->range));

		if (!more)
			return -1;
		ranges->range = more;
		ranges->room = room;
	}
	ranges->range[ranges->count++] = *range;
	return 0;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct scatter_range *a = left, *b = right;

	return (a->first > b->first) - (a->first < b->first);
}

/**
 * plan_ranges_tidy() - put ranges in rising order, and make those that touch one
 * @ranges: the list; no rank is in it twice
 */
void plan_ranges_tidy(struct plan_ranges *ranges)
{
	size_t kept = 0, i;

	for (i = 1; i < ranges->count; i++)
		if (ranges->range[i].first < ranges->range[i - 1].first)
			break;
	if (i < ranges->count)
		qsort(ranges->range, ranges->count, sizeof(*ranges->range),
		      compare_ranges);
	for (i = 1; i < ranges->count; i++) {
		struct scatter_range *last = &ranges->range[kept];

		if (last->first + last->count == ranges->range[i].first)
			last->count += ranges->range[i].count;
		else
			ranges->range[++kept] = ranges->range[i];
	}
	if (ranges->count)
		ranges->count = kept + 1;
}

/**
 * plan_ranges_close() - free a list
 * @ranges: the list
 */
void plan_ranges_close(struct plan_ranges *ranges)
{
	free(ranges->range);
	*ranges = (struct plan_ranges){ 0 };
}
