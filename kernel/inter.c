// SPDX-License-Identifier: GPL-2.0
/*
 * Inter-groups: groups with two sides.
 *
 * The members of side 1 have the ranks behind those of side 0, and all of the module
 * knows them by these. In a scatter or gather the members of one side own a block each;
 * of the other side only the root takes part in the schedule, as its last rank, and owns
 * none. The others there are idle: they return as soon as they have called, may not
 * know who the root is, and do not know the length of the blocks. What they cannot tell
 * stays open until somebody calls who can; whoever finds out that two calls do not
 * fit is named.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/nospec.h>
#include <linux/scatter.h>
#include <linux/string.h>

#include "combine.h"
#include "cost.h"
#include "group.h"
#include "inter.h"
#include "member.h"
#include "operation.h"
#include "plan.h"

/**
 * scatter_inter_sides_ok() - whether JOIN describes sides that can be
 * @join: what the user gave; the number of members is in its range
 *
 * Context: any.
 */
bool scatter_inter_sides_ok(const struct scatter_join *join)
{
	const u32 *sides = join->sides;

	if (!sides[0] && !sides[1])
		return !join->side;
	return sides[0] && sides[1] && join->side < 2 &&
	       sides[0] < join->members && sides[1] == join->members - sides[0];
}

/**
 * scatter_inter_seats() - how many ranks there are for who joins
 * @join: whose sides can be
 *
 * Context: any.
 * Return: the members of the side, or of a group without sides.
 */
u32 scatter_inter_seats(const struct scatter_join *join)
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

	return scatter_plan_possible(&spec);
}

/**
 * scatter_inter_possible() - whether a group can have a schedule
 * @schedule: that
 * @members: the group's size
 * @sides: how many on each side; 0 of both: it has no sides
 *
 * It must do for some operations: v forms take all that there are, and with two sides
 * those towards one of them will do.
 *
 * Context: any.
 */
bool scatter_inter_possible(const struct scatter_schedule *schedule, u32 members,
			    const u32 *sides)
{
	if (!sides[0])
		return fits(schedule, members);
	return fits(schedule, sides[0] + 1) || fits(schedule, sides[1] + 1);
}

/**
 * scatter_inter_set() - give a new group its sides
 * @group: nobody else has it; it has the parameters of its cost model
 * @sides: how many on each; 0 of both: it has none
 *
 * Context: any; it may take some microseconds.
 */
void scatter_inter_set(struct scatter_group *group, const u32 *sides)
{
	if (sides[0])
		memcpy(group->sides, sides, sizeof(group->sides));
}

/**
 * scatter_inter_shape() - choose the trees of a group before its first operation
 * @group: the group
 *
 * Takes some microseconds, so it is done without a lock by the first members that call. All come
 * to the same.
 *
 * Context: any; no locks.
 */
void scatter_inter_shape(struct scatter_group *group)
{
	struct scatter_cost cost = group->cost;
	int side;

	/* Pairs with the release below: who sees @ports sees @side_ports. */
	if (smp_load_acquire(&group->cost.ports))
		return;
	for (side = 0; group->sides[0] && side < 2; side++) {
		scatter_cost_shape(&cost, group->sides[side] + 1);
		WRITE_ONCE(group->side_ports[side], cost.ports);
	}
	scatter_cost_shape(&cost, group->size);
	/* Pairs with the acquire above. */
	smp_store_release(&group->cost.ports, cost.ports);
}

/* All members own a block. */
static int direct_all(struct scatter_spec *spec, const struct scatter_coll *coll,
		      const struct scatter_member *member)
{
	u32 size = member->group->size;

	if (coll->root >= size)
		return -EINVAL;
	spec->root = array_index_nospec(coll->root, size);
	spec->first = 0;
	spec->blocks = size;
	spec->ranks = size;
	if (coll->flags & SCATTER_COLL_IN_PLACE && spec->root != member->rank)
		return -EINVAL;
	return 0;
}

/* Who is on the other side than the root gives the root's rank there. */
static int direct_sides(struct scatter_spec *spec,
			const struct scatter_coll *coll,
			const struct scatter_member *member)
{
	const u32 *sides = member->group->sides;
	u32 own = scatter_inter_side(member->group, member->rank);
	u32 peers = sides[!own];
	u32 blocks = !own;

	if (coll->flags & SCATTER_COLL_IN_PLACE)
		return -EINVAL;
	if (coll->root == SCATTER_ROOT) {
		spec->root = member->rank;
	} else if (coll->root == SCATTER_PROC_NULL) {
		spec->root = SCATTER_NO_RANK;
		spec->block = 0;
		spec->idle = true;
	} else if (coll->root < peers) {
		spec->root = array_index_nospec(coll->root, peers);
		if (!own)
			spec->root += sides[0];
		blocks = own;
	} else {
		return -EINVAL;
	}
	spec->first = blocks ? sides[0] : 0;
	spec->blocks = sides[blocks];
	spec->ranks = spec->blocks + 1;
	return 0;
}

/**
 * scatter_inter_direct() - which ranks an operation runs between
 * @spec: (in, out) what the call asks for but for that
 * @coll: the call
 * @member: whose
 *
 * Context: any.
 * Return: 0; -EINVAL if there is no such root, or the member's part does not go with what
 * the call has.
 */
int scatter_inter_direct(struct scatter_spec *spec,
			 const struct scatter_coll *coll,
			 const struct scatter_member *member)
{
	int error;

	if (member->group->sides[0] && spec->op != SCATTER_OP_BARRIER)
		error = direct_sides(spec, coll, member);
	else
		error = direct_all(spec, coll, member);
	if (!error && scatter_op_is_vector(spec->op) &&
	    spec->root == member->rank && !coll->counts)
		error = -EINVAL;
	return error;
}

/*
 * The first one that knows the root, after idle ones. Had the root called already, it
 * would have been as an idle one. It may be dead; those idle did not need it.
 */
static bool name_root_locked(struct scatter_group *group,
			     struct scatter_operation *operation,
			     const struct scatter_spec *spec)
{
	const struct scatter_part *root = &operation->parts[spec->root];

	lockdep_assert_held(&group->lock);
	if (root->posted)
		return false;
	operation->spec = *spec;
	if (operation->combine)
		scatter_combine_fit(operation->combine, spec);
	if (!scatter_op_is_vector(spec->op))
		scatter_plan_decide_locked(group, operation, spec->block);
	if (scatter_part_is_over(root))
		scatter_operation_fail_locked(group, operation, -ECONNRESET,
					      spec->root, false);
	return true;
}

/**
 * scatter_inter_agree_locked() - whether a call fits to those before it
 * @group: whose
 * @operation: an operation that somebody has posted
 * @spec: what the call asks for
 * @rank: whose it is
 *
 * An idle member and one that names it as the root do not fit, whoever comes first. So
 * if nobody calls as the root, the last of that side or who names it finds out.
 *
 * Context: the group's lock is held.
 * Return: false if it does not.
 */
bool scatter_inter_agree_locked(struct scatter_group *group,
				struct scatter_operation *operation,
				const struct scatter_spec *spec, u32 rank)
{
	const struct scatter_spec *agreed = &operation->spec;

	if (!agreed->idle && !spec->idle)
		return scatter_spec_equal(agreed, spec);
	if (agreed->op != spec->op || agreed->flags != spec->flags ||
	    agreed->first != spec->first ||
	    !scatter_plan_same(&agreed->schedule, &spec->schedule))
		return false;
	if (spec->idle)
		return agreed->root != rank;
	return name_root_locked(group, operation, spec);
}
