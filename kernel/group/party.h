/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parties: what others need of a seat's member. The portal's seat is empty, and so is the seat of a
 * rank on another node: there is no member to wake, no task to look at, no memory to reach.
 */
#ifndef _SCATTER_PARTY_H
#define _SCATTER_PARTY_H

#include <linux/lockdep.h>
#include <linux/sched/task.h>
#include <linux/types.h>

#include "group/group.h"
#include "group/member.h"
#include "group/wait.h"

/* The member in a seat of a formed group; NULL: the seat is empty. */
static inline struct scatter_member *
scatter_party_member(const struct scatter_group *group, u32 seat)
{
	return group->members[seat];
}

/* Wake the member in a seat, see scatter_wait_wake(). */
static inline void scatter_party_wake(const struct scatter_group *group, u32 seat)
{
	struct scatter_member *member = scatter_party_member(group, seat);

	if (member)
		scatter_wait_wake(member);
}

/* The last task that acted for a seat's member, for put_task_struct(); NULL: empty. Group lock. */
static inline struct task_struct *
scatter_party_actor_locked(const struct scatter_group *group, u32 seat)
{
	const struct scatter_member *member = scatter_party_member(group, seat);

	lockdep_assert_held(&group->lock);
	return member ? get_task_struct(member->actor) : NULL;
}

/* The address space of a seat's member; NULL: the seat is empty. */
static inline struct mm_struct *
scatter_party_mm(const struct scatter_group *group, u32 seat)
{
	const struct scatter_member *member = scatter_party_member(group, seat);

	return member ? member->mm : NULL;
}

#endif /* _SCATTER_PARTY_H */
