// SPDX-License-Identifier: GPL-2.0
/*
 * Inter-groups: groups with two sides.
 *
 * The ranks of side 1 follow those of side 0, and the module uses these ranks everywhere. In a
 * scatter or gather, each member of one side owns a block. On the other side, only the root takes
 * part in the schedule, as the last rank of the schedule, and owns no block. The other members of
 * the root's side are idle: they return as soon as they have called.
 */
#include <linux/nospec.h>
#include <linux/scatter.h>
#include <linux/string.h>

#include "group/group.h"
#include "group/sides.h"
#include "group/spec.h"
#include "schedule/cost.h"

/**
 * scatter_sides_ok() - whether a JOIN describes possible sides
 * @join: what the user gave; the number of members is in its range
 *
 * Context: any.
 */
bool scatter_sides_ok(const struct scatter_join *join)
{
	const u32 *sides = join->sides;

	if (!sides[0] && !sides[1])
		return !join->side;
	return sides[0] && sides[1] && join->side < 2 &&
	       sides[0] < join->members && sides[1] == join->members - sides[0];
}

/**
 * scatter_sides_seats() - how many ranks a caller of JOIN can choose from
 * @join: its sides are possible
 *
 * Context: any.
 * Return: the members of the side, or of a group without sides.
 */
u32 scatter_sides_seats(const struct scatter_join *join)
{
	if (!join->sides[0])
		return join->members;
	return join->sides[array_index_nospec(join->side, 2)];
}

static bool fits(const struct scatter_schedule *schedule, u32 ranks)
{
	const struct scatter_spec spec = {
		.op = SCATTER_OP_SCATTERV,
		.schedule = *schedule,
		.blocks = ranks,
		.ranks = ranks,
	};

	return scatter_spec_possible(&spec);
}

/**
 * scatter_sides_possible() - whether a group can have a schedule
 * @schedule: the schedule
 * @members: the group's size
 * @sides: how many members each side has; both 0: the group has no sides
 *
 * The schedule need only be possible for some operations: v forms accept every algorithm, and in an
 * inter-group the operations towards one side suffice.
 *
 * Context: any.
 */
bool scatter_sides_possible(const struct scatter_schedule *schedule, u32 members,
			    const u32 *sides)
{
	if (!sides[0])
		return fits(schedule, members);
	return fits(schedule, sides[0] + 1) || fits(schedule, sides[1] + 1);
}

/**
 * scatter_sides_set() - give a new group its sides
 * @group: the group, with the parameters of its cost model; no other task knows the group
 * @sides: how many members each side has; both 0: the group has no sides
 *
 * Context: any; takes some microseconds.
 */
void scatter_sides_set(struct scatter_group *group, const u32 *sides)
{
	if (sides[0])
		memcpy(group->sides, sides, sizeof(group->sides));
}

/**
 * scatter_sides_choose() - what scatter_sides_shape() does the first time
 * @group: the group
 *
 * Takes some microseconds, so the first callers do this without a lock. All of them get the same
 * result.
 *
 * Context: any; no locks.
 */
void scatter_sides_choose(struct scatter_group *group)
{
	struct scatter_cost cost = group->cost;
	int side;

	for (side = 0; group->sides[0] && side < 2; side++) {
		scatter_cost_shape(&cost, group->sides[side] + 1);
		WRITE_ONCE(group->side_ports[side], cost.ports);
	}
	scatter_cost_shape(&cost, group->size);
	/* Pairs with the acquire in scatter_sides_shape(). */
	smp_store_release(&group->cost.ports, cost.ports);
}
