// SPDX-License-Identifier: GPL-2.0
/*
 * How operations fail: errors, disagreement, and members that are gone.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/scatter.h>
#include <linux/sched.h>

#include "group.h"
#include "inter.h"
#include "member.h"
#include "operation.h"
#include "plan.h"
#include "regroup.h"
#include "wait.h"

/**
 * scatter_operation_fail_locked() - end an operation with an error
 * @group: whose
 * @operation: a live operation; the first error stays
 * @error: -errno
 * @culprit: the rank that caused it
 * @abort: true: for every rank that has not returned; false: for every rank
 *	that still needs something from another
 *
 * The caller wakes those who wait when it has failed all that there is to fail. A uniform one
 * fails for all, or if all have done their parts, not at all.
 *
 * Context: the group's lock is held.
 * Return: whether that has changed anything.
 */
bool scatter_operation_fail_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   int error, u32 culprit, bool abort)
{
	lockdep_assert_held(&group->lock);
	if (operation->fulfilled == operation->size)
		return false;
	abort |= scatter_operation_is_uniform(operation);
	if (operation->error && (!abort || operation->abort))
		return false;
	operation->error = error;
	operation->culprit = culprit;
	operation->abort = abort;
	return true;
}

/**
 * scatter_operation_wake() - make all who wait in an operation look again
 * @group: whose
 * @operation: a live operation that the caller has not passed
 *
 * Members that begin to wait now have seen what the caller did under the lock before.
 *
 * Context: may sleep; no locks.
 */
void scatter_operation_wake(const struct scatter_group *group,
			    const struct scatter_operation *operation)
{
	u32 rank;

	for (rank = 0; rank < operation->size; rank++) {
		if (READ_ONCE(operation->parts[rank].waiting))
			scatter_wake(group->members[rank]);
		cond_resched();
	}
}

/* The lowest number that a live operation of a broken group may have. */
static u64 lowest_locked(const struct scatter_group *group)
{
	lockdep_assert_held(&group->lock);
	return group->end > group->window ? group->end - group->window : 0;
}

/**
 * scatter_operation_doom_locked() - break a group, and let no operation from some number on succeed
 * @group: whose; formed
 * @from: that number
 * @error: -errno that they fail with
 * @rank: the rank that caused it
 *
 * Who comes into one of them, or looks at it again, finds it failed. Those asleep learn of it when
 * they are told, or by scatter_operation_abort(), which the caller owes.
 *
 * Context: the group's lock is held.
 */
void scatter_operation_doom_locked(struct scatter_group *group, u64 from,
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
 * scatter_operation_fate_locked() - fail an operation that may not succeed any more
 * @group: whose
 * @operation: a live operation
 *
 * Context: the group's lock is held.
 */
void scatter_operation_fate_locked(struct scatter_group *group,
				   struct scatter_operation *operation)
{
	lockdep_assert_held(&group->lock);
	if (operation->number < group->doom_from)
		return;
	if (scatter_operation_fail_locked(group, operation, group->doom_error,
					  group->doom_culprit, true))
		group->news = true;
}

/**
 * scatter_operation_abort() - end the operations that may not succeed any more
 * @group: whose; after scatter_operation_doom_locked()
 *
 * All are told, unless somebody else has done all of it.
 *
 * Context: may sleep; no locks.
 */
void scatter_operation_abort(struct scatter_group *group)
{
	u64 number;

	spin_lock(&group->lock);
	number = max(group->doom_from, lowest_locked(group));
	for (; number < group->end; number++) {
		struct scatter_operation *operation =
			scatter_operation_find_locked(group, number);

		if (operation)
			scatter_operation_fate_locked(group, operation);
		scatter_group_breathe_locked(group, number);
	}
	scatter_group_unlock(group);
}

/**
 * scatter_operation_disagree_locked() - a rank differs from the others
 * @group: whose
 * @operation: a live operation
 * @rank: the rank
 *
 * Members disagree about where they are, so nothing from here on can be
 * trusted; what they called before was agreed.
 *
 * Context: the group's lock is held; the caller owes scatter_operation_abort().
 */
void scatter_operation_disagree_locked(struct scatter_group *group,
				       struct scatter_operation *operation,
				       u32 rank)
{
	lockdep_assert_held(&group->lock);
	scatter_operation_doom_locked(group, operation->number, -EPROTO, rank);
	scatter_operation_fail_locked(group, operation, -EPROTO, rank, true);
}

/* Whether the others cannot complete without what a dead rank still owes. */
static bool owes(const struct scatter_operation *operation, u32 rank)
{
	const struct scatter_part *part = &operation->parts[rank];

	if (scatter_operation_is_uniform(operation))
		return true;
	if (operation->seating)
		return !operation->seating->made;
	if (!scatter_inter_involves(&operation->spec, rank))
		return false;
	if (operation->combine)
		return true;
	/* Nobody waits for who has nothing to send in an irregular tree. */
	if (operation->decided && !part->cargo->length &&
	    operation->spec.op == SCATTER_OP_GATHERV &&
	    operation->plan.algorithm == SCATTER_SCHEDULE_IRREGULAR)
		return rank == operation->spec.root;
	switch (operation->spec.op) {
	case SCATTER_OP_SCATTER:
	case SCATTER_OP_SCATTERV:
		return rank == operation->spec.root &&
		       scatter_operation_root_owes(operation);
	case SCATTER_OP_GATHER:
	case SCATTER_OP_GATHERV:
		return rank == operation->spec.root || !part->posted ||
		       part->block == SCATTER_BLOCK_HOME;
	default:
		return !part->posted;
	}
}

/**
 * scatter_operation_forget_locked() - a rank takes and gives nothing any more
 * @group: whose
 * @operation: a live operation
 * @rank: the rank; its part is about to be closed
 *
 * What it has in user memory, or has got, is void. A block that is still on
 * its way to it is dropped on arrival.
 *
 * Context: the group's lock is held.
 */
void scatter_operation_forget_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u32 rank)
{
	struct scatter_part *part = &operation->parts[rank];

	if (operation->seating)
		scatter_seating_forget_locked(operation->seating, rank);
	if (scatter_op_scatters(operation->spec.op)) {
		if (part->delivered)
			scatter_operation_move_locked(group, operation, rank,
						      SCATTER_BLOCK_TAKEN,
						      NULL);
	} else if (part->block == SCATTER_BLOCK_HOME) {
		scatter_operation_move_locked(group, operation, rank,
					      SCATTER_BLOCK_FAULT, NULL);
	}
}

/*
 * A rank dies while its task is inside the operation. The task may be filling a record or
 * copying out of one, so blocks in kernel memory stay. The root of a scatter
 * does not wait for its block; whoever waits for a block of a gather learns of the error.
 */
static void abandon_locked(struct scatter_group *group,
			   struct scatter_operation *operation, u32 rank)
{
	struct scatter_part *part = &operation->parts[rank];

	lockdep_assert_held(&group->lock);
	scatter_operation_set_state(part, SCATTER_PART_DEAD);
	if (scatter_op_scatters(operation->spec.op) && part->delivered &&
	    part->block == SCATTER_BLOCK_HOME)
		scatter_operation_move_locked(group, operation, rank,
					      SCATTER_BLOCK_TAKEN, NULL);
}

/* What a member that is gone means for an operation that it has not passed. */
static void depart_one_locked(struct scatter_group *group,
			      struct scatter_operation *operation,
			      const struct scatter_member *member,
			      struct hlist_head *dead)
{
	u32 rank = member->rank;

	lockdep_assert_held(&group->lock);
	scatter_operation_fate_locked(group, operation);
	if (owes(operation, rank) &&
	    scatter_operation_fail_locked(group, operation, -ECONNRESET, rank,
					  false))
		group->news = true;
	if (member->inside && operation == member->current_operation) {
		abandon_locked(group, operation, rank);
		return;
	}
	scatter_operation_forget_locked(group, operation, rank);
	if (scatter_operation_pass_locked(group, operation, rank))
		hlist_add_head(&operation->node, dead);
}

/**
 * scatter_operation_depart_locked() - a member died or left
 * @group: whose; broken, and doomed from the member's next operation on if it left
 * @member: the member. If it died inside an operation, its task has to pass that
 * @dead: (out) operations that it was the last to pass, for scatter_operation_free_all()
 *
 * Context: the group's lock is held; dropped now and then and taken again.
 */
void scatter_operation_depart_locked(struct scatter_group *group,
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
 * scatter_operation_free_all() - free operations that are no longer live
 * @group: whose
 * @dead: from scatter_operation_depart_locked(), the last one first
 *
 * The first one goes first: rings give space back in that order.
 *
 * Context: may sleep; no locks.
 */
void scatter_operation_free_all(struct scatter_group *group, struct hlist_head *dead)
{
	struct scatter_operation *operation;
	struct hlist_node *next;
	HLIST_HEAD(sorted);

	hlist_for_each_entry_safe(operation, next, dead, node) {
		hlist_del(&operation->node);
		hlist_add_head(&operation->node, &sorted);
	}
	hlist_for_each_entry_safe(operation, next, &sorted, node) {
		scatter_operation_free(group, operation);
		cond_resched();
	}
}
