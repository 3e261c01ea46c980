// SPDX-License-Identifier: GPL-2.0
/*
 * Holds: other tasks may access a member's memory, as long as the member is inside its call.
 *
 * A call that ends waits until no task holds the member's memory any more, see
 * scatter_transfer_cease(). So a task that holds the memory copies what it has taken hold of, and
 * waits for nobody meanwhile.
 */
#include <linux/lockdep.h>
#include <linux/sched/mm.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "group/group.h"
#include "group/member.h"
#include "group/party.h"
#include "operation/hold.h"
#include "operation/operation.h"

/**
 * scatter_hold_begin_locked() - take hold of a member's memory
 * @operation: the operation
 * @owner: rank of a member of this node; the member's part is open
 *
 * While the rank is inside its call, the rank's address space has users. The hold keeps the address
 * space once the rank has been killed.
 *
 * Context: the group's lock is held.
 * Return: the address space, for scatter_hold_end().
 */
struct mm_struct *scatter_hold_begin_locked(struct scatter_operation *operation, u32 owner)
{
	struct scatter_group *group = operation->group;
	struct mm_struct *mm = scatter_party_mm(group, scatter_group_seat(group, owner));

	lockdep_assert_held(&group->lock);
	scatter_group_member(group, owner)->holds++;
	mmget(mm);
	return mm;
}

/**
 * scatter_hold_end() - let go of a member's memory
 * @operation: the operation
 * @owner: rank of the member
 *
 * The caller may be the last user of a dead rank's memory: a worker frees the memory then.
 *
 * Context: takes the group's lock.
 * Return: false if the rank has left its call meanwhile. Only a task that is killed leaves while
 * its memory is held; other tasks wait.
 */
bool scatter_hold_end(struct scatter_operation *operation, u32 owner)
{
	struct scatter_group *group = operation->group;
	struct scatter_member *member = scatter_group_member(group, owner);
	bool inside;

	mmput_async(member->mm);
	spin_lock(&group->lock);
	WRITE_ONCE(member->holds, member->holds - 1);
	inside = member->inside && member->current_operation == operation;
	if (!member->holds && !scatter_part_is_open(scatter_operation_part(operation, owner)))
		wake_up(&member->wait);
	spin_unlock(&group->lock);
	return inside;
}
