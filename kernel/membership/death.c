// SPDX-License-Identifier: GPL-2.0
/*
 * Death: how the others learn that a member's process has ended.
 *
 * A member belongs to the process and the address space that joined. Any of three events ends a
 * member:
 *
 *  - the last close of its file without LEAVE;
 *  - the end of the address space. An MMU notifier tells at once; each address space has one
 *    notifier for all its memberships, its *space*;
 *  - the end of the process. No callback tells when the kernel marks a process as exiting, and
 *    the address space may live much longer: a core dump is written, a thread is stuck in a
 *    page fault, or a vfork() child shares the address space. So a group in which a task waits
 *    looks at its members' processes, every %SCATTER_WAIT_WATCH_MS.
 *
 * When a member ends, a task may still be inside a call of the member. Operations that need
 * something of the member fail at once. The task closes its part of the operation when it leaves
 * the call; until then, the task may use what belongs to that part.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm_types.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "group/group.h"
#include "group/member.h"
#include "group/news.h"
#include "group/portal.h"
#include "group/wait.h"
#include "membership/death.h"
#include "memory/buffer.h"
#include "memory/user.h"
#include "operation/fail.h"
#include "operation/meeting.h"
#include "operation/operation.h"
#include "span/span.h"
#include "stats.h"
#include "trace.h"

/**
 * struct scatter_space - an address space that has joined
 * @notifier: tells when the address space ends
 * @lock: protects @members; held while the end of the address space ends the memberships
 * @members: memberships of the address space, through scatter_member.neighbour
 */
struct scatter_space {
	struct mmu_notifier notifier;
	struct mutex lock; /* @members */
	struct list_head members;
};

/* The first operation that a member has not called. */
static u64 uncalled_locked(const struct scatter_member *member)
{
	const struct scatter_operation *operation =
		scatter_operation_find_locked(member->group, member->next);

	lockdep_assert_held(&member->group->lock);
	return member->next +
	       (operation && scatter_operation_part(operation, member->rank)->posted &&
		!operation->kind->owes(operation, member->rank));
}

/**
 * scatter_death_depart() - a member dies or leaves
 * @member: has a group; nothing happens if the member is gone already
 * @how: %SCATTER_LEFT or %SCATTER_DEAD; a member of a group that is not complete loses its seat
 *	instead
 *
 * A task may be inside a call of a member that dies, but not of a member that leaves.
 *
 * Context: may sleep; no locks.
 */
void scatter_death_depart(struct scatter_member *member,
			  enum scatter_presence how)
{
	struct scatter_group *group = member->group;
	struct scatter_buffer source = { 0 }, target = { 0 };
	bool left = how == SCATTER_LEFT;
	HLIST_HEAD(dead);
	LIST_HEAD(over);
	u64 uncalled;

	if (scatter_group_unseat(group, member)) {
		scatter_span_settle(group);
		return;
	}
	spin_lock(&group->lock);
	if (member->presence != SCATTER_PRESENT) {
		spin_unlock(&group->lock);
		return;
	}
	/*
	 * A member that leaves dooms all operations from @next on; a paused call may have called
	 * @next.
	 */
	uncalled = left ? member->next : uncalled_locked(member);
	if (group->spans) {
		group->portal->ends[member->rank] = uncalled;
		group->portal->absent++;
	}
	member->presence = how;
	if (!member->inside)
		member->current_operation = NULL;
	group->gone++;
	__set_bit(member->rank, left ? group->left : group->dead);
	trace_scatter_death(member, left);
	scatter_news_tell(group, left ? SCATTER_EVENT_LEAVE : SCATTER_EVENT_DEATH, member->rank,
			  0);
	if (left)
		scatter_fail_doom_locked(group, member->next, -ESHUTDOWN,
					 member->rank);
	else
		scatter_group_break_locked(group, -ECONNRESET, member->rank);
	scatter_meeting_depart_locked(group, member, &over);
	scatter_fail_depart_locked(group, member, &dead);
	/* Free the buffers that a paused call has left, unless takers still read from them. */
	if (!member->inside && !member->holds) {
		swap(member->source, source);
		swap(member->target, target);
	}
	scatter_group_unlock(group);
	scatter_buffer_free(&source);
	scatter_buffer_free(&target);
	scatter_user_tell(member->hands.user);
	scatter_operation_free_all(group, &dead);
	scatter_group_shed(group);
	scatter_meeting_free(&over);
	scatter_span_departed(group, member->rank, left, uncalled);
}

static struct mmu_notifier *space_alloc(struct mm_struct *mm)
{
	struct scatter_space *space = kzalloc(sizeof(*space), GFP_KERNEL_ACCOUNT);

	if (!space)
		return ERR_PTR(-ENOMEM);
	mutex_init(&space->lock);
	INIT_LIST_HEAD(&space->members);
	scatter_stats_created(SCATTER_OBJECT_HOME, 1);
	return &space->notifier;
}

static void space_free(struct mmu_notifier *notifier)
{
	kfree(container_of(notifier, struct scatter_space, notifier));
	scatter_stats_destroyed(SCATTER_OBJECT_HOME, 1);
}

static void space_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct scatter_space *space = container_of(notifier, struct scatter_space,
						 notifier);
	struct scatter_member *member;

	mutex_lock(&space->lock);
	list_for_each_entry(member, &space->members, neighbour) {
		/* A member whose JOIN or REGROUP failed before it had a seat has no group. */
		if (READ_ONCE(member->group))
			scatter_death_depart(member, SCATTER_DEAD);
		cond_resched();
	}
	mutex_unlock(&space->lock);
}

static const struct mmu_notifier_ops space_ops = {
	.release = space_release,
	.alloc_notifier = space_alloc,
	.free_notifier = space_free,
};

/**
 * scatter_death_attach() - bind a member to the current process and its address space
 * @member: a new member; no other task knows the member
 *
 * Context: may sleep, takes the mmap lock of the current address space; no locks.
 * Return: 0, for scatter_death_detach(), or -errno.
 */
int scatter_death_attach(struct scatter_member *member)
{
	struct mmu_notifier *notifier = mmu_notifier_get(&space_ops, current->mm);

	if (IS_ERR(notifier))
		return PTR_ERR(notifier);
	member->mm = current->mm;
	member->pid = get_pid(task_tgid(current));
	member->space = container_of(notifier, struct scatter_space, notifier);
	mutex_lock(&member->space->lock);
	list_add(&member->neighbour, &member->space->members);
	mutex_unlock(&member->space->lock);
	return 0;
}

/**
 * scatter_death_detach() - undo scatter_death_attach()
 * @member: the end of its address space does not concern the member any more
 *
 * If the end of the address space is being handled, waits until that is done. The process stays
 * known until the member is freed.
 *
 * Context: may sleep; no locks.
 */
void scatter_death_detach(struct scatter_member *member)
{
	mutex_lock(&member->space->lock);
	list_del(&member->neighbour);
	mutex_unlock(&member->space->lock);
	mmu_notifier_put(&member->space->notifier);
}

/*
 * Whether the process that joined is exiting, is gone, or runs another program. The first thread of
 * a process may exit before the others, and has no address space then.
 */
static bool has_ended(const struct scatter_member *member)
{
	struct task_struct *leader;
	bool ended = true;

	rcu_read_lock();
	leader = pid_task(member->pid, PIDTYPE_TGID);
	if (leader) {
		const struct signal_struct *signal = leader->signal;
		const struct mm_struct *mm = READ_ONCE(leader->mm);

		ended = READ_ONCE(signal->flags) & SIGNAL_GROUP_EXIT ||
			!atomic_read(&signal->live) || (mm && mm != member->mm);
	}
	rcu_read_unlock();
	return ended;
}

/* Whether a task waits for a member, or polls its file while there is news to come. */
static bool is_waited_locked(struct scatter_member *member)
{
	wait_queue_head_t *poll = member->poll;

	if (member->group->state == SCATTER_STATE_BROKEN)
		poll = NULL;
	/* The barrier is in scatter_death_look(). */
	return waitqueue_active(&member->wait) || (poll && waitqueue_active(poll));
}

/* Find members whose processes have ended, among 64 ranks: the ranks as bits from @first on. */
static u64 find_ended(struct scatter_group *group, u32 first, bool *waited)
{
	u32 count = min(group->size - first, SCATTER_GROUP_BATCH);
	u64 ended = 0;
	u32 i;

	spin_lock(&group->lock);
	for (i = 0; i < count; i++) {
		struct scatter_member *member = group->members[first + i];

		if (!member || member->presence != SCATTER_PRESENT)
			continue;
		*waited |= is_waited_locked(member);
		/*
		 * No event tells this member that another group of its user has freed memory. So
		 * the member has to look from time to time.
		 */
		if (member->crowded)
			scatter_wait_wake(member);
		if (has_ended(member))
			ended |= BIT_ULL(i);
	}
	spin_unlock(&group->lock);
	return ended;
}

/*
 * End the member of a rank, whose process has ended. Meanwhile another task may have ended the
 * member, and may have freed a member that lost its seat.
 */
static void end_rank(struct scatter_group *group, u32 rank)
{
	struct scatter_member *member;

	if (scatter_group_vacate(group, rank, has_ended)) {
		scatter_span_settle(group);
		return;
	}
	spin_lock(&group->lock);
	member = group->formed ? group->members[rank] : NULL;
	spin_unlock(&group->lock);
	/* The members of a complete group stay as long as the group. */
	if (member && has_ended(member))
		scatter_death_depart(member, SCATTER_DEAD);
}

/* End the members whose processes have ended. True if a task waits in the group. */
static bool survey(struct scatter_group *group)
{
	/* The barrier is in scatter_death_look(). */
	bool waited = waitqueue_active(&group->poll);
	u32 first;

	for (first = 0; !group->vain && first < group->size; first += SCATTER_GROUP_BATCH) {
		u64 ended = find_ended(group, first, &waited);

		for (; ended; ended &= ended - 1)
			end_rank(group, first + __ffs64(ended));
		cond_resched();
	}
	return waited;
}

/**
 * scatter_death_look() - look for ended processes, and again later if anybody waits
 * @work: scatter_group.watch, which the group's end cancels
 *
 * Context: may sleep; no locks.
 */
void scatter_death_look(struct work_struct *work)
{
	struct scatter_group *group = container_of(to_delayed_work(work),
						   struct scatter_group, watch);
	bool waited = survey(group);

	trace_scatter_watch(group, waited);
	if (waited) {
		scatter_span_inquire(group);
	} else {
		clear_bit(0, &group->watched);
		/* A new waiter sees the cleared bit, or the next survey() sees the waiter. */
		smp_mb__after_atomic();
		if (!survey(group) || test_and_set_bit(0, &group->watched))
			return;
	}
	schedule_delayed_work(&group->watch,
			      msecs_to_jiffies(SCATTER_WAIT_WATCH_MS));
}
