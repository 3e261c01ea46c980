// SPDX-License-Identifier: GPL-2.0
/*
 * How operations fail: errors, members that are gone, and REVOKE.
 *
 * A decreed operation does not fail here. An error that would make it fail is a plea, which this
 * node contributes to the verdict, see span/ballot.c. The verdict settles the operation.
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
 * @group: the operation's group; spans nodes
 * @operation: a live operation; the first plea stays
 * @error: -errno
 * @culprit: the rank that caused @error
 *
 * Context: the group's lock is held. The caller has to call scatter_span_settle() afterwards.
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
 * @group: the operation's group
 * @operation: a live operation; the first error stays
 * @error: -errno
 * @culprit: the rank that caused the error
 * @abort: true: for every rank that has not returned; false: for every rank
 *	that still needs something from another
 *
 * The caller fails all operations that have to fail, and then wakes the members that wait in them.
 * A uniform operation fails for all ranks; or not at all, if all have fulfilled their parts. A
 * decreed operation fails later: then the caller has to call scatter_span_settle().
 *
 * Context: the group's lock is held.
 * Return: true if the operation's error has changed.
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

/* A peer that lies may say that an operation has ended in a way in which none of its kind can. */
static bool ends_so(const struct scatter_operation *operation, int error)
{
	if (scatter_op_regroups(operation->spec.op))
		return error != -EREMOTEIO && error != -ETIME;
	return error != -ENOSPC;
}

/**
 * scatter_fail_settle_locked() - end an operation as the council has decided
 * @group: the operation's group; spans nodes
 * @operation: a live operation that is not settled
 * @error: -errno; 0: success of a decreed operation; all members here have fulfilled their parts
 * @culprit: the rank that caused @error
 *
 * A decreed operation fails for all ranks, another one for each rank that still needs something.
 *
 * Context: the group's lock is held. The caller has to call scatter_group_unlock() afterwards.
 */
void scatter_fail_settle_locked(struct scatter_group *group, struct scatter_operation *operation,
				int error, u32 culprit)
{
	lockdep_assert_held(&group->lock);
	if (!ends_so(operation, error)) {
		error = -ENETUNREACH;
		culprit = SCATTER_RANK_ANY;
	}
	operation->settled = true;
	if (!error) {
		/* The portal has fulfilled its part. */
		operation->fulfilled++;
	} else if (!operation->error) {
		operation->error = error;
		operation->culprit = culprit;
		operation->abort = scatter_operation_is_decreed(operation);
	}
	group->news = true;
	/* Maybe this node has contributed nothing yet to the next operation. */
	group->portal->convenes = true;
}

/* The lowest number that a live operation of a broken group may have. */
static u64 lowest_locked(const struct scatter_group *group)
{
	lockdep_assert_held(&group->lock);
	return group->end > group->window ? group->end - group->window : 0;
}

/**
 * scatter_fail_doom_locked() - break a group, and let no operation from some number on succeed
 * @group: the group; formed
 * @from: number of the first operation that cannot succeed
 * @error: -errno that the operations fail with
 * @rank: the rank that caused the error
 *
 * A member that enters such an operation, or looks at it again, finds the operation failed.
 * Sleeping members learn of the failure when they are woken, at the latest by
 * scatter_fail_abort(), which the caller has to call.
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
 * @group: the operation's group
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
 * @group: the group, after scatter_fail_doom_locked()
 *
 * Tells all members, unless another context has done all of this before.
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
 * A rank dies while its task is inside the operation. The task may use what belongs to the rank's
 * part until it leaves the operation and closes the part.
 */
static void abandon_locked(struct scatter_group *group,
			   struct scatter_operation *operation, u32 rank)
{
	lockdep_assert_held(&group->lock);
	scatter_operation_set_state(scatter_operation_part(operation, rank), SCATTER_PART_DEAD);
	if (operation->kind->die)
		operation->kind->die(group, operation, rank);
}

/* A member is gone: do what that means for an operation that the member has not passed. */
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
		hlist_add_head(&operation->over, dead);
}

/**
 * scatter_fail_depart_locked() - note that a member died or left
 * @group: the member's group; broken, and doomed from the member's next operation on if it left
 * @member: the member. If it died inside an operation, its task has to pass that operation
 * @dead: (out) operations that the member was the last to pass, for scatter_operation_free_all()
 *
 * Context: the group's lock is held; dropped now and then and taken again.
 */
void scatter_fail_depart_locked(struct scatter_group *group,
				const struct scatter_member *member,
				struct hlist_head *dead)
{
	u64 number = member->next;

	lockdep_assert_held(&group->lock);
	/*
	 * The member's task may be inside an operation. Handle that operation first: the task
	 * passes the operation once the lock is dropped.
	 */
	for (; number < group->end; number++) {
		struct scatter_operation *operation =
			scatter_operation_find_locked(group, number);

		if (operation)
			depart_one_locked(group, operation, member, dead);
		scatter_group_breathe_locked(group, number);
	}
}

/**
 * scatter_fail_revoke() - break a member's group for all
 * @member: the member that revokes
 * @first: (out) whether the group was not revoked before: the caller has to tell the other nodes
 *
 * An earlier break ends only operations that need something of a dead member. Other operations may
 * need something of living members that no longer call. REVOKE ends these operations, too.
 *
 * A second REVOKE changes nothing, but its caller calls scatter_fail_abort(), too, since the first
 * caller may be delayed.
 *
 * Context: any; no locks but that of the file.
 * Return: 0: the caller has to call scatter_fail_abort(); -EINPROGRESS if the group is not
 * complete; -ENOTCONN if the address space ended before the group was complete.
 */
int scatter_fail_revoke(struct scatter_member *member, bool *first)
{
	struct scatter_group *group = member->group;
	int error = 0;

	*first = false;
	spin_lock(&group->lock);
	if (member->presence == SCATTER_LOST) {
		error = -ENOTCONN;
	} else if (!group->formed) {
		error = -EINPROGRESS;
	} else if (!group->revoked) {
		*first = true;
		group->revoked = true;
		scatter_fail_doom_locked(group, 0, -ECANCELED, member->rank);
	}
	spin_unlock(&group->lock);
	return error;
}
