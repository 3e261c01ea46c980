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
 */
void scatter_operation_fail_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   int error, u32 culprit, bool abort)
{
	lockdep_assert_held(&group->lock);
	if (operation->fulfilled == operation->size)
		return;
	abort |= scatter_operation_is_uniform(operation);
	if (!operation->error || (abort && !operation->abort)) {
		operation->error = error;
		operation->culprit = culprit;
		operation->abort = abort;
	}
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

/**
 * scatter_operation_abort_locked() - end operations for all who have not returned
 * @group: whose; it is broken afterwards
 * @from: number of the first one; later ones end, too
 * @error: -errno
 * @rank: the rank that caused it
 *
 * Context: the group's lock is held.
 */
void scatter_operation_abort_locked(struct scatter_group *group, u64 from,
				    int error, u32 rank)
{
	struct scatter_operation *operation;
	int i;

	lockdep_assert_held(&group->lock);
	for (i = 0; i < SCATTER_OPERATION_BUCKETS; i++)
		hlist_for_each_entry(operation, &group->operations[i], node)
			if (operation->number >= from)
				scatter_operation_fail_locked(group, operation,
							      error, rank,
							      true);
	scatter_group_break_locked(group, error, rank);
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
 * Context: the group's lock is held.
 */
void scatter_operation_disagree_locked(struct scatter_group *group,
				       struct scatter_operation *operation,
				       u32 rank)
{
	scatter_operation_abort_locked(group, operation->number, -EPROTO, rank);
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

/**
 * scatter_operation_depart_locked() - a member died or left
 * @group: whose
 * @member: the member. If it left, no operation that it has not passed may succeed. If it
 *	died inside an operation, its task has to pass that
 * @dead: (out) operations that it was the last to pass, for
 *	scatter_operation_free(), linked through their node
 *
 * Context: the group's lock is held.
 */
void scatter_operation_depart_locked(struct scatter_group *group,
				     const struct scatter_member *member,
				     struct hlist_head *dead)
{
	bool left = member->presence == SCATTER_LEFT;
	int error = left ? -ESHUTDOWN : -ECONNRESET;
	u32 rank = member->rank;
	struct scatter_operation *operation;
	struct hlist_node *next;
	int i;

	lockdep_assert_held(&group->lock);
	for (i = 0; i < SCATTER_OPERATION_BUCKETS; i++) {
		hlist_for_each_entry_safe(operation, next,
					  &group->operations[i], node) {
			if (operation->number < member->next)
				continue;
			if (left || owes(operation, rank))
				scatter_operation_fail_locked(group, operation,
							      error, rank,
							      left);
			if (member->inside &&
			    operation == member->current_operation) {
				abandon_locked(group, operation, rank);
				continue;
			}
			scatter_operation_forget_locked(group, operation,
							rank);
			if (scatter_operation_pass_locked(group, operation,
							  rank))
				hlist_add_head(&operation->node, dead);
		}
	}
}
