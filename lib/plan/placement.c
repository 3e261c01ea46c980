// SPDX-License-Identifier: GPL-2.0
/*
 * Which rank is on which node. Schedules between nodes number the nodes of a group from
 * 0, by rising id, and blocks travel in wire order: by node, then by rank. So the blocks
 * of consecutive nodes are consecutive, wherever their ranks are.
 */
#include "placement.h"

static int compare_ids(const void *left, const void *right)
{
	const u64 *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Sort the ids of all ranks, and keep each once. */
static void find_nodes(struct plan_placement *placement, const u64 *node)
{
	u32 i;

	memcpy(placement->node, node, placement->size * sizeof(*node));
	qsort(placement->node, placement->size, sizeof(*node), compare_ids);
	placement->places = 1;
	for (i = 1; i < placement->size; i++)
		if (placement->node[i] != placement->node[i - 1])
			placement->node[placement->places++] =
				placement->node[i];
}

static u32 find_place(const struct plan_placement *placement, u64 node)
{
	u32 low = 0, high = placement->places - 1;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (placement->node[middle] < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Count the ranks of each place, then put each behind those before it. */
static void order_ranks(struct plan_placement *placement, const u64 *node)
{
	u32 *first = placement->first, i;

	for (i = 0; i < placement->size; i++) {
		placement->place[i] = find_place(placement, node[i]);
		first[placement->place[i] + 1]++;
	}
	for (i = 0; i < placement->places; i++)
		first[i + 1] += first[i];
	for (i = 0; i < placement->size; i++)
		placement->rank[first[placement->place[i]]++] = i;
	/* Each begins where the one before it has come to. */
	for (i = placement->places; i; i--)
		first[i] = first[i - 1];
	first[0] = 0;
}

/**
 * plan_placement_open() - find the nodes of a group
 * @placement: filled in
 * @node: by rank, the id of its node
 * @size: ranks, 1 and up
 *
 * Return: 0, or -1 if there is not enough memory
 */
int plan_placement_open(struct plan_placement *placement, const u64 *node,
			u32 size)
{
	size_t ranks = size;

	*placement = (struct plan_placement){ .size = size };
	placement->place = malloc(ranks * sizeof(*placement->place));
	placement->node = malloc(ranks * sizeof(*placement->node));
	placement->first = calloc(ranks + 1, sizeof(*placement->first));
	placement->rank = malloc(ranks * sizeof(*placement->rank));
	if (!placement->place || !placement->node || !placement->first ||
	    !placement->rank)
		return -1;
	find_nodes(placement, node);
	order_ranks(placement, node);
	return 0;
}

/**
 * plan_placement_close() - free a placement
 * @placement: the placement, or one that could not be had
 */
void plan_placement_close(struct plan_placement *placement)
{
	free(placement->place);
	free(placement->node);
	free(placement->first);
	free(placement->rank);
	memset(placement, 0, sizeof(*placement));
}

/**
 * plan_placement_count() - how many ranks are at a place
 * @placement: the placement
 * @place: the place
 *
 * Return: ranks, 1 and up
 */
u32 plan_placement_count(const struct plan_placement *placement, u32 place)
{
	return placement->first[place + 1] - placement->first[place];
}

/**
 * plan_placement_ranks() - add the ranks of a place to a list
 * @placement: the placement
 * @place: the place
 * @ranks: the list
 *
 * Return: 0, or -1 if there is not enough memory
 */
int plan_placement_ranks(const struct plan_placement *placement, u32 place,
			 struct plan_ranges *ranks)
{
	u32 end = placement->first[place + 1], i;

	for (i = placement->first[place]; i < end; ) {
		struct scatter_range range = { .first = placement->rank[i] };

		while (i < end &&
		       placement->rank[i] == range.first + range.count) {
			range.count++;
			i++;
		}
		if (plan_ranges_add(ranks, &range))
			return -1;
	}
	return 0;
}
