/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SIDES_H
#define _SCATTER_SIDES_H

#include <linux/types.h>

#include "group/group.h"
#include "group/spec.h"

struct scatter_join;

/* Which side a rank of a group is on; 0 if the group has no sides. */
static inline u32 scatter_sides_side(const struct scatter_group *group, u32 rank)
{
	return group->sides[0] && rank >= group->sides[0];
}

/* The rank as the group's members know it: the rank within its side, if the group has sides. */
static inline u32 scatter_sides_rank(const struct scatter_group *group, u32 rank)
{
	return scatter_sides_side(group, rank) ? rank - group->sides[0] : rank;
}

/* Ports of the tree of an operation whose schedule the group's cost model chooses. */
static inline u32 scatter_sides_ports(const struct scatter_group *group,
				      const struct scatter_spec *spec)
{
	if (spec->ranks == spec->blocks)
		return group->cost.ports;
	return group->side_ports[!!spec->first];
}

bool scatter_sides_ok(const struct scatter_join *join);
u32 scatter_sides_seats(const struct scatter_join *join);
bool scatter_sides_possible(const struct scatter_schedule *schedule, u32 members,
			    const u32 *sides);
void scatter_sides_set(struct scatter_group *group, const u32 *sides);
void scatter_sides_choose(struct scatter_group *group);

/**
 * scatter_sides_shape() - choose the trees of a group before its first operation
 * @group: the group
 *
 * Context: any; no locks.
 */
static inline void scatter_sides_shape(struct scatter_group *group)
{
	/* Pairs with the release after all is chosen: who sees @ports sees @side_ports. */
	if (!smp_load_acquire(&group->cost.ports))
		scatter_sides_choose(group);
}

#endif /* _SCATTER_SIDES_H */
