// SPDX-License-Identifier: GPL-2.0
/*
 * Whether the members of a group ask for the same operation.
 *
 * In an inter-group the idle members may not know the root, nor the length of the blocks. What
 * they cannot tell stays open until a member calls that can. A member whose call does not fit
 * to those before is named.
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
 * The first one that knows the root, after idle ones. Had the root called already, it
 * would have been as an idle one. It may be dead; those idle did not need it.
 */
static bool name_root_locked(struct scatter_group *group,
			     struct scatter_operation *operation,
			     const struct scatter_spec *spec)
{
	const struct scatter_part *root = scatter_operation_part(operation, spec->root);
	bool here = scatter_group_member(group, spec->root) || !group->spans;

	lockdep_assert_held(&group->lock);
	/* Whether a root on another node is idle is found out there. */
	if (root->posted && here)
		return false;
	operation->spec = *spec;
	if (operation->kind->fit)
		operation->kind->fit(operation, spec);
	if (!scatter_spec_is_open(spec))
		scatter_plan_decide_locked(group, operation, spec->block);
	if (is_lost_locked(group, operation, spec->root))
		scatter_fail_locked(group, operation, -ECONNRESET,
				    spec->root, false);
	return true;
}

/**
 * scatter_agree_fits_locked() - whether a call fits to those before it
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
 * scatter_agree_break_locked() - a rank differs from the others
 * @group: whose
 * @operation: a live operation
 * @rank: the rank
 *
 * Members disagree about where they are, so nothing from here on can be
 * trusted; what they called before was agreed.
 *
 * Context: the group's lock is held; the caller owes scatter_fail_abort().
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
 * scatter_agree_locked() - check a rank's call against the others'
 * @group: whose
 * @operation: a live operation
 * @spec: what the rank asks for
 * @rank: the rank
 *
 * The first rank that is not idle decides what the operation is and, unless the root does,
 * by the frozen cost parameters which schedule it runs. A rank that differs breaks
 * the group.
 *
 * Context: the group's lock is held.
 * Return: false if the operation has just failed: the caller owes
 * scatter_fail_abort() of later ones.
 */
bool scatter_agree_locked(struct scatter_group *group,
			  struct scatter_operation *operation,
			  const struct scatter_spec *spec, u32 rank)
{
	lockdep_assert_held(&group->lock);
	if (!operation->posted) {
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
