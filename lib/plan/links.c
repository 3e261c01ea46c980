// SPDX-License-Identifier: GPL-2.0
/*
 * Dimension-ordered routing: a message goes all its way along the first dimension, then
 * along the next, on a ring the shorter way around.
 */
#include "links.h"
#include "schedule/bits.h"
#include "schedule/radix.h"
#include "system.h"

/**
 * plan_links_open() - get the links of a machine
 * @links: filled in
 * @machine: the machine
 * @size: ranks
 *
 * Return: 0, or -1 if there is not enough memory
 */
int plan_links_open(struct plan_links *links,
		    const struct scatter_machine *machine, u32 size)
{
	*links = (struct plan_links){ .machine = machine, .size = size };
	switch (machine->topology) {
	case SCATTER_TOPOLOGY_FULL:
		return 0;
	case SCATTER_TOPOLOGY_HYPERCUBE:
		links->dims = scatter_ceil_log2(size);
		break;
	default:
		links->dims = machine->dims;
	}
	links->used = calloc((size_t)size * 2 * links->dims + 1,
			     sizeof(*links->used));
	return links->used ? 0 : -1;
}

/**
 * plan_links_close() - free the links
 * @links: the links, or ones that could not be had
 */
void plan_links_close(struct plan_links *links)
{
	free(links->used);
	links->used = NULL;
}

static u32 extent_of(const struct plan_links *links, u32 dim)
{
	if (links->machine->topology == SCATTER_TOPOLOGY_HYPERCUBE)
		return 2;
	return links->machine->extent[dim];
}

/* Whether the way from coordinate @a to @b leads up */
static bool leads_up(const struct plan_links *links, u32 extent, u32 a, u32 b)
{
	if (links->machine->topology != SCATTER_TOPOLOGY_TORUS)
		return b > a;
	return (b > a ? b - a : extent - (a - b)) <= extent / 2;
}

/* Go along one dimension; returns how many links are in use already. */
static u32 use_line(struct plan_links *links, u32 dim, u32 stride, u32 *here,
		    u32 target, u32 round)
{
	u32 extent = extent_of(links, dim), conflicts = 0;
	u32 digit = scatter_radix_digit(*here, stride, extent);
	bool up = leads_up(links, extent, digit, target);

	while (digit != target) {
		u32 *used = &links->used[((size_t)*here * links->dims + dim) *
					 2 + up];

		if (*used == round)
			conflicts++;
		*used = round;
		*here -= digit * stride;
		digit = (digit + (up ? 1 : extent - 1)) % extent;
		*here += digit * stride;
	}
	return conflicts;
}

/**
 * plan_links_use() - a message crosses the links on its way
 * @links: the links
 * @from: sending rank
 * @to: receiving rank
 * @round: in which round
 *
 * Return: on how many of them there was another one in the same round and direction
 */
u32 plan_links_use(struct plan_links *links, u32 from, u32 to, u32 round)
{
	u32 conflicts = 0, stride = links->size, dim;

	for (dim = 0; dim < links->dims; dim++) {
		u32 extent = extent_of(links, dim);

		stride /= extent;
		conflicts += use_line(links, dim, stride, &from,
				      scatter_radix_digit(to, stride, extent),
				      round);
	}
	return conflicts;
}
