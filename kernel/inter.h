/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_INTER_H
#define _SCATTER_INTER_H

#include <linux/types.h>

#include "group.h"
#include "operation.h"

struct scatter_coll;
struct scatter_join;
struct scatter_member;

/* Which side a rank of a group is on; 0 if there are none. */
static inline u32 scatter_inter_side(const struct scatter_group *group, u32 rank)
{
	return group->sides[0] && rank >= group->sides[0];
}

/* What its members call a rank: that within its side, if there are sides. */
static inline u32 scatter_inter_rank(const struct scatter_group *group, u32 rank)
{
	return scatter_inter_side(group, rank) ? rank - group->sides[0] : rank;
}

/* Ports of the tree of an operation whose schedule is the group's cost model's. */
static inline u32 scatter_inter_ports(const struct scatter_group *group,
				      const struct scatter_spec *spec)
{
	if (spec->ranks == spec->blocks)
		return group->cost.ports;
	return group->side_ports[!!spec->first];
}

/* Whether a rank has a part in the schedule, as far as that is known. */
static inline bool scatter_inter_involves(const struct scatter_spec *spec,
					  u32 rank)
{
	return scatter_spec_owns(spec, rank) || rank == spec->root;
}

bool scatter_inter_sides_ok(const struct scatter_join *join);
u32 scatter_inter_seats(const struct scatter_join *join);
bool scatter_inter_possible(const struct scatter_schedule *schedule, u32 members,
			    const u32 *sides);
void scatter_inter_set(struct scatter_group *group, const u32 *sides);
void scatter_inter_shape(struct scatter_group *group);
int scatter_inter_direct(struct scatter_spec *spec,
			 const struct scatter_coll *coll,
			 const struct scatter_member *member);
bool scatter_inter_agree_locked(struct scatter_group *group,
				struct scatter_operation *operation,
				const struct scatter_spec *spec, u32 rank);

#endif /* _SCATTER_INTER_H */
