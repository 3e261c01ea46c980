// SPDX-License-Identifier: GPL-2.0
/*
 * Members: from JOIN to LEAVE, death or the loss of the seat.
 *
 * How a member ends otherwise than by LEAVE: see death.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "actor.h"
#include "death.h"
#include "group.h"
#include "member.h"
#include "operation.h"
#include "params.h"
#include "stats.h"
#include "trace.h"
#include "user.h"
#include "wait.h"

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
	error = scatter_user_charge(user, SCATTER_LIMIT_BYTES, ring_bytes);
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
	scatter_user_uncharge(member->user, SCATTER_LIMIT_BYTES, ring_bytes);
	scatter_user_uncharge(member->user, SCATTER_LIMIT_MEMBERS, 1);
	scatter_user_tell(member->user);
	scatter_user_put(member->user);
}

/**
 * scatter_member_create() - make a member that has no seat yet
 * @ring_bytes: size of its ring in bytes
 * @poll: pollers of its file
 * @parent: the member of another group that it comes of, whose credentials it takes
 *	over; NULL: those of the current process
 *
 * It belongs to the current process and address space.
 *
 * Context: may sleep; no locks.
 * Return: the member, for scatter_member_discard(), or ERR_PTR(-errno).
 */
struct scatter_member *scatter_member_create(u32 ring_bytes,
					     wait_queue_head_t *poll,
					     const struct scatter_member *parent)
{
	struct scatter_member *member;
	int error;

	member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return ERR_PTR(-ENOMEM);
	scatter_wait_init(member);
	member->poll = poll;
	scatter_actor_init(member);
	error = charge(member, ring_bytes);
	if (error)
		goto free_member;
	error = scatter_ring_init(&member->ring, ring_bytes);
	if (error)
		goto free_charge;
	if (parent)
		scatter_identity_copy(&member->identity, &parent->identity);
	else
		scatter_identity_capture(&member->identity);
	scatter_object_created(SCATTER_OBJECT_MEMBER, 1);
	error = scatter_death_attach(member);
	if (error)
		goto free_all;
	pr_debug("member created\n");
	return member;

free_all:
	scatter_object_destroyed(SCATTER_OBJECT_MEMBER, 1);
	scatter_identity_release(&member->identity);
	scatter_ring_destroy(&member->ring);
free_charge:
	uncharge(member, ring_bytes);
free_member:
	put_task_struct(member->actor);
	kfree(member);
	return ERR_PTR(error);
}

/**
 * scatter_member_free() - free a member
 * @member: departed or lost, and detached from its address space; nobody refers to it
 *
 * Context: may sleep; no locks.
 */
void scatter_member_free(struct scatter_member *member)
{
	put_task_struct(member->actor);
	/* A call that was killed or paused has left them. */
	scatter_buffer_free(&member->source);
	scatter_buffer_free(&member->target);
	put_pid(member->pid);
	uncharge(member, member->ring.size);
	scatter_ring_destroy(&member->ring);
	scatter_identity_release(&member->identity);
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
	scatter_death_detach(member);
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
	member = scatter_member_create(ring_bytes, poll, NULL);
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
 * Whoever still reads the member's memory holds the address space itself.
 *
 * Context: may sleep; no locks.
 */
void scatter_member_leave(struct scatter_member *member,
			  enum scatter_presence how)
{
	struct scatter_group *group = member->group;

	scatter_death_depart(member, how);
	spin_lock(&group->lock);
	member->poll = NULL;
	spin_unlock(&group->lock);
	scatter_death_detach(member);
	if (member->presence == SCATTER_LOST)
		scatter_member_free(member);
	scatter_group_put(group);
}

/**
 * scatter_member_revoke() - a member breaks its group for all
 * @member: whose
 *
 * What has broken it before does not end operations that need nothing of a dead member,
 * but of others who do not call them any more: those end here, too.
 *
 * Whoever revokes it again changes nothing, but does not rely on the first one to get on.
 *
 * Context: any; no locks but that of the file.
 * Return: 0: the caller owes scatter_operation_abort(); -EINPROGRESS if the group is not complete;
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
	} else if (!group->revoked) {
		group->revoked = true;
		scatter_operation_doom_locked(group, 0, -ECANCELED, member->rank);
	}
	spin_unlock(&group->lock);
	return error;
}
