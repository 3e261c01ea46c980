// SPDX-License-Identifier: GPL-2.0
/*
 * Members: the object, and waiting for other members to join.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "group/actor.h"
#include "group/group.h"
#include "group/identity.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/spec.h"
#include "group/wait.h"
#include "memory/buffer.h"
#include "memory/ring.h"
#include "memory/user.h"
#include "stats.h"

/* Charge the member's user, for as long as the member exists. */
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
	member->hands.user = user;
	return 0;

uncharge:
	scatter_user_uncharge(user, SCATTER_LIMIT_MEMBERS, 1);
put:
	scatter_user_put(user);
	return error;
}

static void uncharge_ring(struct scatter_member *member, u32 ring_bytes)
{
	scatter_user_uncharge(member->hands.user, SCATTER_LIMIT_BYTES, ring_bytes);
	scatter_user_tell(member->hands.user);
}

static void uncharge_member(struct scatter_member *member)
{
	scatter_user_uncharge(member->hands.user, SCATTER_LIMIT_MEMBERS, 1);
	scatter_user_put(member->hands.user);
}

/**
 * scatter_member_create() - make a member that has no seat yet
 * @ring_bytes: size of the member's ring in bytes
 * @poll: pollers of the member's file
 * @parent: the member of another group from which the new member comes and takes its credentials;
 *	NULL: credentials of the current process
 *
 * The current task is the first that acts for the member.
 *
 * Context: may sleep; no locks.
 * Return: the member, for scatter_member_free(), or ERR_PTR(-errno).
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
	member->hands.ready = SCATTER_NO_RANK;
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
	scatter_stats_created(SCATTER_OBJECT_MEMBER, 1);
	pr_debug("member created\n");
	return member;

free_charge:
	uncharge_ring(member, ring_bytes);
	uncharge_member(member);
free_member:
	put_task_struct(member->actor);
	kfree(member);
	return ERR_PTR(error);
}

/**
 * scatter_member_free() - free a member
 * @member: not attached to its address space, or not any more; nobody refers to the member
 *
 * Context: may sleep; no locks.
 */
void scatter_member_free(struct scatter_member *member)
{
	put_task_struct(member->actor);
	/* A call that was killed or paused may have left its buffers here. */
	scatter_buffer_free(&member->source);
	scatter_buffer_free(&member->target);
	put_pid(member->pid);
	if (member->ring.memory)
		uncharge_ring(member, member->ring.size);
	scatter_ring_destroy(&member->ring);
	uncharge_member(member);
	scatter_identity_release(&member->identity);
	kfree(member);
	scatter_stats_destroyed(SCATTER_OBJECT_MEMBER, 1);
	pr_debug("member destroyed\n");
}

/* Whether the group never has an operation again. */
static bool is_over_locked(const struct scatter_group *group)
{
	lockdep_assert_held(&group->lock);
	return group->state == SCATTER_STATE_BROKEN && !group->nr_operations && !group->portal;
}

/**
 * scatter_member_shed() - free the ring of a member whose group never has an operation again
 * @member: of a formed group, which the caller holds
 *
 * The member itself stays until the group's last file is closed, and other users may have that
 * file. A task that frees the last operation may still have records in the ring; then that task
 * calls again.
 *
 * Context: may sleep; no locks.
 */
void scatter_member_shed(struct scatter_member *member)
{
	struct scatter_group *group = member->group;
	void *memory = NULL;

	spin_lock(&group->lock);
	if (is_over_locked(group))
		memory = scatter_ring_take(&member->ring);
	spin_unlock(&group->lock);
	if (!memory)
		return;
	scatter_ring_free(memory);
	uncharge_ring(member, member->ring.size);
}

/**
 * scatter_member_formed() - whether all members of a member's group have joined
 * @member: a member
 *
 * Context: any; no locks.
 */
bool scatter_member_formed(struct scatter_member *member)
{
	bool formed;

	spin_lock(&member->group->lock);
	formed = member->group->formed;
	/* Any change after this look sets @event again. */
	WRITE_ONCE(member->event, false);
	spin_unlock(&member->group->lock);
	return formed;
}

/**
 * scatter_member_wait_formed() - wait until all members have joined
 * @member: the current task's
 * @deadline_ns: absolute CLOCK_MONOTONIC time to give up at; 0: never
 *
 * Context: may sleep; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT, or why the group will never form; the caller decides about the
 * seat.
 */
int scatter_member_wait_formed(struct scatter_member *member, u64 deadline_ns)
{
	int error = 0;

	while (!scatter_member_formed(member)) {
		if (!error && READ_ONCE(member->group->claims))
			error = -ECONNREFUSED;
		if (!error && member->group->portal)
			error = READ_ONCE(member->group->portal->error);
		if (error)
			return error;
		error = scatter_wait(member, NULL, deadline_ns);
	}
	return 0;
}
