// SPDX-License-Identifier: GPL-2.0
/*
 * Members: from JOIN to LEAVE, death or the loss of the seat.
 *
 * A member belongs to the address space that joined, so its death is the end of
 * that address space, whoever else still holds the descriptor: an MMU notifier tells. The
 * last close of a file that did not LEAVE is death too.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "group.h"
#include "meeting.h"
#include "member.h"
#include "operation.h"
#include "params.h"
#include "stats.h"
#include "trace.h"
#include "user.h"
#include "wait.h"

/*
 * Called once per member that had a seat in a complete group. Nobody is inside
 * a call of this member: a task in one keeps both its file and its address
 * space alive.
 */
static void depart(struct scatter_member *member, enum scatter_presence how)
{
	struct scatter_group *group = member->group;
	struct scatter_operation *operation;
	bool left = how == SCATTER_LEFT;
	struct hlist_node *next;
	HLIST_HEAD(dead);
	LIST_HEAD(over);

	spin_lock(&group->lock);
	if (member->presence != SCATTER_PRESENT) {
		spin_unlock(&group->lock);
		return;
	}
	member->presence = how;
	member->current_operation = NULL;
	group->gone++;
	__set_bit(member->rank, left ? group->left : group->dead);
	trace_scatter_death(member, left);
	scatter_operation_depart_locked(group, member->rank, member->next,
					left, &dead);
	scatter_group_break_locked(group, left ? -ESHUTDOWN : -ECONNRESET,
				   member->rank);
	scatter_meeting_depart_locked(group, &over);
	spin_unlock(&group->lock);
	hlist_for_each_entry_safe(operation, next, &dead, node)
		scatter_operation_free(group, operation);
	scatter_meeting_free(&over);
}

static void give_up_seat(struct scatter_member *member,
			 enum scatter_presence how)
{
	if (!scatter_group_unseat(member->group, member))
		depart(member, how);
}

static void notifier_release(struct mmu_notifier *notifier,
			     struct mm_struct *mm)
{
	struct scatter_member *member = container_of(notifier,
						     struct scatter_member,
						     notifier);

	/* A JOIN that failed before it had a seat has no group, nor has a REGROUP. */
	if (READ_ONCE(member->group))
		give_up_seat(member, SCATTER_DEAD);
}

static const struct mmu_notifier_ops notifier_ops = {
	.release = notifier_release,
};

/* Who is charged for a member, for as long as it exists. */
static int charge(struct scatter_member *member, u32 ring_bytes)
{
	struct scatter_user *user = scatter_user_find();
	int error;

	if (!user)
		return -ENOMEM;
	error = scatter_user_charge(user, SCATTER_LIMIT_MEMBERS, 1);
	if (error)
		goto put;
	error = scatter_user_charge(user, SCATTER_LIMIT_RING_BYTES, ring_bytes);
	if (error)
		goto uncharge;
	member->user = user;
	return 0;

uncharge:
	scatter_user_uncharge(user, SCATTER_LIMIT_MEMBERS, 1);
put:
	scatter_user_put(user);
	return error;
}

static void uncharge(struct scatter_member *member, u32 ring_bytes)
{
	scatter_user_uncharge(member->user, SCATTER_LIMIT_RING_BYTES,
			      ring_bytes);
	scatter_user_uncharge(member->user, SCATTER_LIMIT_MEMBERS, 1);
	scatter_user_put(member->user);
}

/**
 * scatter_member_create() - make a member that has no seat yet
 * @ring_bytes: size of its ring in bytes
 * @poll: pollers of its file
 *
 * Its address space is the current one.
 *
 * Context: may sleep; no locks.
 * Return: the member, for scatter_member_discard(), or ERR_PTR(-errno).
 */
struct scatter_member *scatter_member_create(u32 ring_bytes,
					     wait_queue_head_t *poll)
{
	struct scatter_member *member;
	int error;

	member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return ERR_PTR(-ENOMEM);
	init_waitqueue_head(&member->wait);
	member->notifier.ops = &notifier_ops;
	member->mm = current->mm;
	member->poll = poll;
	error = charge(member, ring_bytes);
	if (error)
		goto free_member;
	error = scatter_ring_init(&member->ring, ring_bytes);
	if (error)
		goto free_charge;
	scatter_object_created(SCATTER_OBJECT_MEMBER, 1);
	error = mmu_notifier_register(&member->notifier, member->mm);
	if (error)
		goto free_all;
	pr_debug("member created\n");
	return member;

free_all:
	scatter_object_destroyed(SCATTER_OBJECT_MEMBER, 1);
	scatter_ring_destroy(&member->ring);
free_charge:
	uncharge(member, ring_bytes);
free_member:
	kfree(member);
	return ERR_PTR(error);
}

/**
 * scatter_member_free() - free a member
 * @member: departed or lost, its notifier unregistered; nobody refers to it
 *
 * Context: may sleep; no locks.
 */
void scatter_member_free(struct scatter_member *member)
{
	if (member->actor)
		put_task_struct(member->actor);
	uncharge(member, member->ring.size);
	scatter_ring_destroy(&member->ring);
	kfree(member);
	scatter_object_destroyed(SCATTER_OBJECT_MEMBER, 1);
	pr_debug("member destroyed\n");
}

/**
 * scatter_member_discard() - undo scatter_member_create()
 * @member: it has got no seat
 *
 * Context: may sleep; no locks.
 */
void scatter_member_discard(struct scatter_member *member)
{
	mmu_notifier_unregister(&member->notifier, member->mm);
	scatter_member_free(member);
}

/**
 * scatter_member_join() - make the current address space a member of a group
 * @group: the group; NULL: by name
 * @net: the network namespace of the group's name
 * @join: what the user asked for, checked
 * @poll: pollers of the file, which lives until scatter_member_leave()
 *
 * The group need not be complete yet. scatter_member_leave() undoes it.
 *
 * Context: may sleep; no locks.
 * Return: the member or ERR_PTR(-errno).
 */
struct scatter_member *scatter_member_join(struct scatter_group *group,
					   struct net *net,
					   const struct scatter_join *join,
					   wait_queue_head_t *poll)
{
	u32 ring_bytes = join->ring_bytes;
	struct scatter_member *member;
	int error;

	if (!ring_bytes)
		ring_bytes = READ_ONCE(scatter_param_ring_bytes);
	member = scatter_member_create(ring_bytes, poll);
	if (IS_ERR(member))
		return member;
	if (group)
		error = scatter_group_seat(group, join, member);
	else
		error = scatter_group_join(net, join, member);
	if (error) {
		scatter_member_discard(member);
		return ERR_PTR(error);
	}
	return member;
}

/**
 * scatter_member_formed() - whether all have joined
 * @member: a member
 *
 * Context: any; no locks.
 */
bool scatter_member_formed(struct scatter_member *member)
{
	bool formed;

	spin_lock(&member->group->lock);
	formed = member->group->formed;
	/* Whatever happens after this look is a new event. */
	WRITE_ONCE(member->event, false);
	spin_unlock(&member->group->lock);
	return formed;
}

/**
 * scatter_member_wait_formed() - wait until all have joined
 * @member: the current task's
 * @deadline_ns: absolute CLOCK_MONOTONIC time to give up at; 0: never
 *
 * Context: may sleep; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT; the caller decides about the seat.
 */
int scatter_member_wait_formed(struct scatter_member *member, u64 deadline_ns)
{
	int error = 0;

	while (!scatter_member_formed(member)) {
		if (error)
			return error;
		error = scatter_wait(member, NULL, deadline_ns);
	}
	return 0;
}

/**
 * scatter_member_leave() - end a membership, for whatever reason
 * @member: no task is inside a call of it; gone afterwards
 * @how: %SCATTER_LEFT or %SCATTER_DEAD; that it has lost its seat already, or
 *	loses it now since the group has not formed, counts more
 *
 * Whoever still reads the member's memory holds the address space itself; the
 * notifier may go.
 *
 * Context: may sleep; no locks.
 */
void scatter_member_leave(struct scatter_member *member,
			  enum scatter_presence how)
{
	struct scatter_group *group = member->group;

	give_up_seat(member, how);
	spin_lock(&group->lock);
	member->poll = NULL;
	spin_unlock(&group->lock);
	mmu_notifier_unregister(&member->notifier, member->mm);
	if (member->presence == SCATTER_LOST)
		scatter_member_free(member);
	scatter_group_put(group);
}

/**
 * scatter_member_revoke() - break a member's group for all
 * @member: whose
 *
 * What has broken it before does not end operations that need nothing of a dead member,
 * but of others who do not call them any more: those end here, too.
 *
 * Context: any; no locks but that of the file.
 * Return: 0, also if the group is broken already; -EINPROGRESS if it is not complete;
 * -ENOTCONN if the address space ended before that.
 */
int scatter_member_revoke(struct scatter_member *member)
{
	struct scatter_group *group = member->group;
	int error = 0;

	spin_lock(&group->lock);
	if (member->presence == SCATTER_LOST) {
		error = -ENOTCONN;
	} else if (!group->formed) {
		error = -EINPROGRESS;
	} else {
		group->revoked = true;
		scatter_operation_abort_locked(group, 0, -ECANCELED,
					       member->rank);
	}
	spin_unlock(&group->lock);
	return error;
}
