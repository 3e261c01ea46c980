// SPDX-License-Identifier: GPL-2.0
/*
 * Agreement: whether the members of a group ask for the same operation.
 *
 * In an inter-group, the idle members need not know the root or the length of the blocks. Both stay
 * open until a member calls that is not idle. If a call does not fit the calls before, the
 * operation's error names the rank of that call.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "group/group.h"
#include "group/portal.h"
#include "operation/agree.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "operation/plan.h"

/* The root is not going to call. */
static bool is_lost_locked(const struct scatter_group *group,
			   const struct scatter_operation *operation, u32 root)
{
	lockdep_assert_held(&group->lock);
	if (scatter_group_member(group, root) || !group->spans)
		return scatter_part_is_over(scatter_operation_part(operation, root));
	return scatter_portal_ended_locked(group, root, operation->number);
}

/*
 * Fail an operation whose root is not going to call. A root that lives was refused in a broken
 * group: what broke the group is the reason. Until the fact that tells the reason comes, the
 * operation waits for that fact.
 */
static void miss_root_locked(struct scatter_group *group, struct scatter_operation *operation,
			     u32 root)
{
	lockdep_assert_held(&group->lock);
	if (!is_lost_locked(group, operation, root))
		return;
	if (!group->spans || !test_bit(root, group->portal->stopped))
		scatter_fail_locked(group, operation, -ECONNRESET, root, false);
	else if (group->error)
		scatter_fail_locked(group, operation, group->error, group->culprit, false);
}

/*
 * Take the specification of the first call that names the root, after calls of idle members. False:
 * the root has called already, so it called as an idle member. The root may be dead: the idle
 * members did not need it.
 */
static bool name_root_locked(struct scatter_group *group,
			     struct scatter_operation *operation,
			     const struct scatter_spec *spec)
{
	const struct scatter_part *root = scatter_operation_part(operation, spec->root);
	bool here = scatter_group_member(group, spec->root) || !group->spans;

	lockdep_assert_held(&group->lock);
	/* Only the root's own node can tell whether a root there is idle. */
	if (root->posted && here)
		return false;
	operation->spec = *spec;
	if (operation->kind->fit)
		operation->kind->fit(operation, spec);
	if (!scatter_spec_is_open(spec))
		scatter_plan_decide_locked(group, operation, spec->block);
	miss_root_locked(group, operation, spec->root);
	return true;
}

/**
 * scatter_agree_fits_locked() - whether a call fits the calls before it
 * @group: the operation's group
 * @operation: an operation that a rank has posted
 * @spec: what the call asks for
 * @rank: the rank that calls
 *
 * The call of an idle member does not fit a call that names this member as the root, in whichever
 * order the two come. So if nobody calls as the root, the last call of the root's side, or a call
 * that names the root, does not fit.
 *
 * Context: the group's lock is held.
 * Return: false if the call does not fit.
 */
bool scatter_agree_fits_locked(struct scatter_group *group,
			       struct scatter_operation *operation,
			       const struct scatter_spec *spec, u32 rank)
{
	const struct scatter_spec *agreed = &operation->spec;

	if (!agreed->idle && !spec->idle)
		return scatter_spec_equal(agreed, spec);
	if (agreed->op != spec->op || agreed->flags != spec->flags ||
	    agreed->first != spec->first ||
	    !scatter_spec_same(&agreed->schedule, &spec->schedule))
		return false;
	if (spec->idle)
		return agreed->root != rank;
	return name_root_locked(group, operation, spec);
}

/**
 * scatter_agree_break_locked() - break a group whose members disagree about an operation
 * @group: the operation's group
 * @operation: a live operation
 * @rank: the rank whose call differs from the others'
 *
 * No operation from @operation on can be trusted. The members agreed about earlier operations.
 *
 * Context: the group's lock is held; the caller has to call scatter_fail_abort().
 */
void scatter_agree_break_locked(struct scatter_group *group,
				struct scatter_operation *operation,
				u32 rank)
{
	lockdep_assert_held(&group->lock);
	scatter_fail_doom_locked(group, operation->number, -EPROTO, rank);
	scatter_fail_locked(group, operation, -EPROTO, rank, true);
}

/**
 * scatter_agree_locked() - check a rank's call against the others' calls
 * @group: the operation's group
 * @operation: a live operation
 * @spec: what the rank asks for
 * @rank: the rank
 *
 * The call of the first rank that is not idle decides what the operation is. That call also chooses
 * the schedule by the frozen cost parameters, unless only the root knows how long all blocks are,
 * see scatter_spec_is_open(). A rank whose call differs breaks the group.
 *
 * Context: the group's lock is held.
 * Return: false if the operation has just failed: the caller has to call scatter_fail_abort(),
 * which ends later operations.
 */
bool scatter_agree_locked(struct scatter_group *group,
			  struct scatter_operation *operation,
			  const struct scatter_spec *spec, u32 rank)
{
	lockdep_assert_held(&group->lock);
	/* An operation may have ended before members here call it: the first one fails. */
	if (!operation->posted && !operation->settled) {
		operation->spec = *spec;
		if (!scatter_spec_is_open(spec) && !spec->idle)
			scatter_plan_decide_locked(group, operation,
						   spec->block);
		return true;
	}
	if (scatter_agree_fits_locked(group, operation, spec, rank))
		return true;
	scatter_agree_break_locked(group, operation, rank);
	return false;
}
