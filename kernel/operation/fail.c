// SPDX-License-Identifier: GPL-2.0
/*
 * How operations fail: errors, members that are gone, and REVOKE.
 *
 * A decreed operation does not fail here. Whatever would make it fail is a plea, which this node
 * contributes to the verdict, see span/ballot.c. The verdict settles the operation.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "operation/fail.h"
#include "operation/operation.h"

/**
 * scatter_fail_plead_locked() - ask the council to end an operation with an error
 * @group: whose; spans nodes
 * @operation: a live operation; the first plea stays
 * @error: -errno
 * @culprit: the rank that caused @error
 *
 * Context: the group's lock is held; for scatter_span_settle().
 */
void scatter_fail_plead_locked(struct scatter_group *group, struct scatter_operation *operation,
			       int error, u32 culprit)
{
	lockdep_assert_held(&group->lock);
	if (operation->settled || operation->plea)
		return;
	operation->plea = error;
	operation->pleaded = culprit;
	group->portal->convenes = true;
}

/**
 * scatter_fail_locked() - end an operation with an error
 * @group: whose
 * @operation: a live operation; the first error stays
 * @error: -errno
 * @culprit: the rank that caused it
 * @abort: true: for every rank that has not returned; false: for every rank
 *	that still needs something from another
 *
 * The caller wakes those who wait when it has failed all that there is to fail. A uniform one
 * fails for all, or if all have done their parts, not at all. A decreed one fails later: then the
 * caller owes scatter_span_settle().
 *
 * Context: the group's lock is held.
 * Return: whether that has changed anything yet.
 */
bool scatter_fail_locked(struct scatter_group *group,
			 struct scatter_operation *operation,
			 int error, u32 culprit, bool abort)
{
	lockdep_assert_held(&group->lock);
	if (operation->fulfilled == operation->parties)
		return false;
	if (scatter_operation_is_decreed(operation)) {
		scatter_fail_plead_locked(group, operation, error, culprit);
		return false;
	}
	abort |= scatter_operation_is_uniform(operation);
	if (operation->error && (!abort || operation->abort))
		return false;
	operation->error = error;
	operation->culprit = culprit;
	operation->abort = abort;
	return true;
}

/**
 * scatter_fail_settle_locked() - an operation ends as the council has decided
 * @group: whose; spans nodes
 * @operation: live, and not settled
 * @error: -errno; 0: success of a decreed operation, all members here have done their parts
 * @culprit: the rank that caused @error
 *
 * A decreed operation fails for all, others for each rank that still needs something.
 *
 * Context: the group's lock is held; for scatter_group_unlock().
 */
void scatter_fail_settle_locked(struct scatter_group *group, struct scatter_operation *operation,
				int error, u32 culprit)
{
	lockdep_assert_held(&group->lock);
	operation->settled = true;
	if (!error) {
		/* The portal's part. */
		operation->fulfilled++;
	} else if (!operation->error) {
		operation->error = error;
		operation->culprit = culprit;
		operation->abort = scatter_operation_is_decreed(operation);
	}
	group->news = true;
}

/* The lowest number that a live operation of a broken group may have. */
static u64 lowest_locked(const struct scatter_group *group)
{
	lockdep_assert_held(&group->lock);
	return group->end > group->window ? group->end - group->window : 0;
}

/**
 * scatter_fail_doom_locked() - break a group, and let no operation from some number on succeed
 * @group: whose; formed
 * @from: that number
 * @error: -errno that they fail with
 * @rank: the rank that caused it
 *
 * Who comes into one of them, or looks at it again, finds it failed. Those asleep learn of it when
 * they are told, or by scatter_fail_abort(), which the caller owes.
 *
 * Context: the group's lock is held.
 */
void scatter_fail_doom_locked(struct scatter_group *group, u64 from,
			      int error, u32 rank)
{
	scatter_group_break_locked(group, error, rank);
	if (from >= group->doom_from)
		return;
	group->doom_from = from;
	group->doom_error = error;
	group->doom_culprit = rank;
}

/**
 * scatter_fail_fate_locked() - fail an operation that may not succeed any more
 * @group: whose
 * @operation: a live operation
 *
 * Context: the group's lock is held.
 */
void scatter_fail_fate_locked(struct scatter_group *group,
			      struct scatter_operation *operation)
{
	lockdep_assert_held(&group->lock);
	if (operation->number < group->doom_from)
		return;
	if (scatter_fail_locked(group, operation, group->doom_error,
				group->doom_culprit, true))
		group->news = true;
}

/**
 * scatter_fail_abort() - end the operations that may not succeed any more
 * @group: whose; after scatter_fail_doom_locked()
 *
 * All are told, unless somebody else has done all of it.
 *
 * Context: may sleep; no locks.
 */
void scatter_fail_abort(struct scatter_group *group)
{
	u64 number;

	spin_lock(&group->lock);
	number = max(group->doom_from, lowest_locked(group));
	for (; number < group->end; number++) {
		struct scatter_operation *operation =
			scatter_operation_find_locked(group, number);

		if (operation)
			scatter_fail_fate_locked(group, operation);
		scatter_group_breathe_locked(group, number);
	}
	scatter_group_unlock(group);
}

/*
 * A rank dies while its task is inside the operation, and may use what belongs to its part until
 * the task comes out and closes that.
 */
static void abandon_locked(struct scatter_group *group,
			   struct scatter_operation *operation, u32 rank)
{
	lockdep_assert_held(&group->lock);
	scatter_operation_set_state(scatter_operation_part(operation, rank), SCATTER_PART_DEAD);
	if (operation->kind->die)
		operation->kind->die(group, operation, rank);
}

/* What a member that is gone means for an operation that it has not passed. */
static void depart_one_locked(struct scatter_group *group,
			      struct scatter_operation *operation,
			      const struct scatter_member *member,
			      struct hlist_head *dead)
{
	u32 rank = member->rank;

	lockdep_assert_held(&group->lock);
	scatter_fail_fate_locked(group, operation);
	if ((scatter_operation_is_uniform(operation) ||
	     operation->kind->owes(operation, rank)) &&
	    scatter_fail_locked(group, operation, -ECONNRESET, rank,
				false))
		group->news = true;
	if (member->inside && operation == member->current_operation) {
		abandon_locked(group, operation, rank);
		return;
	}
	if (operation->kind->forget)
		operation->kind->forget(group, operation, rank);
	if (scatter_operation_pass_locked(group, operation, rank))
		hlist_add_head(&operation->node, dead);
}

/**
 * scatter_fail_depart_locked() - a member died or left
 * @group: whose; broken, and doomed from the member's next operation on if it left
 * @member: the member. If it died inside an operation, its task has to pass that
 * @dead: (out) operations that it was the last to pass, for scatter_operation_free_all()
 *
 * Context: the group's lock is held; dropped now and then and taken again.
 */
void scatter_fail_depart_locked(struct scatter_group *group,
				const struct scatter_member *member,
				struct hlist_head *dead)
{
	u64 number = member->next;

	lockdep_assert_held(&group->lock);
	/* The task inside one passes it as soon as the lock is dropped: that one is first. */
	for (; number < group->end; number++) {
		struct scatter_operation *operation =
			scatter_operation_find_locked(group, number);

		if (operation)
			depart_one_locked(group, operation, member, dead);
		scatter_group_breathe_locked(group, number);
	}
}

/**
 * scatter_fail_revoke() - a member breaks its group for all
 * @member: whose
 *
 * What has broken it before does not end operations that need nothing of a dead member,
 * but of others who do not call them any more: those end here, too.
 *
 * Whoever revokes it again changes nothing, but does not rely on the first one to get on.
 *
 * Context: any; no locks but that of the file.
 * Return: 0: the caller owes scatter_fail_abort(); -EINPROGRESS if the group is not complete;
 * -ENOTCONN if the address space ended before that.
 */
int scatter_fail_revoke(struct scatter_member *member)
{
	struct scatter_group *group = member->group;
	int error = 0;

	spin_lock(&group->lock);
	if (member->presence == SCATTER_LOST) {
		error = -ENOTCONN;
	} else if (!group->formed) {
		error = -EINPROGRESS;
	} else if (!group->revoked) {
		group->revoked = true;
		scatter_fail_doom_locked(group, 0, -ECANCELED, member->rank);
	}
	spin_unlock(&group->lock);
	return error;
}
