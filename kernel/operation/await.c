// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting inside an operation: for something to be the case, or for an error.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/member.h"
#include "group/party.h"
#include "group/wait.h"
#include "operation/await.h"
#include "operation/call.h"
#include "operation/fail.h"
#include "operation/operation.h"

/*
 * A rank that this one may as well look at while it waits, if it is soon found: one that has
 * not called, or that copies its block out of its own memory.
 */
static u32 awaited_locked(struct scatter_operation *operation)
{
	const struct scatter_spec *spec = &operation->spec;
	u32 rank = max(spec->first, operation->first_missing);
	u32 end = min(spec->first + spec->blocks, rank + SCATTER_GROUP_BATCH);

	if (scatter_operation_missing_locked(operation, end, &rank))
		return rank;
	return operation->kind->awaited ? operation->kind->awaited(operation) :
					  SCATTER_NO_RANK;
}

/**
 * scatter_await_expect_locked() - what others do from here on is an event for a member
 * @call: the call; if it has a part, others see that it is waiting
 *
 * Context: the group's lock is held.
 */
void scatter_await_expect_locked(struct scatter_call *call)
{
	lockdep_assert_held(&call->group->lock);
	WRITE_ONCE(call->member->event, false);
	if (call->part)
		call->part->waiting = true;
}

/**
 * scatter_await_sleep_locked() - wait until there is an event
 * @call: the call, after scatter_await_expect_locked()
 * @awaited: as of scatter_await_event_locked()
 *
 * Context: the group's lock is held; dropped to sleep and taken again.
 * Return: 0, -EINTR or -ETIMEDOUT; the caller looks again before it gives up.
 */
int scatter_await_sleep_locked(struct scatter_call *call, u32 awaited)
	__must_hold(&call->group->lock)
{
	struct scatter_group *group = call->group;
	struct task_struct *peer = NULL;
	u64 deadline_ns;
	int error;

	lockdep_assert_held(&group->lock);
	deadline_ns = scatter_call_deadline_locked(call);
	if (awaited == call->rank)
		awaited = awaited_locked(call->operation);
	if (awaited != SCATTER_NO_RANK)
		peer = scatter_party_actor_locked(group, scatter_group_seat(group, awaited));
	spin_unlock(&group->lock);

	error = scatter_wait(call->member, peer, deadline_ns);

	if (peer)
		put_task_struct(peer);
	spin_lock(&group->lock);
	if (call->part)
		call->part->waiting = false;
	return error;
}

/**
 * scatter_await_event_locked() - wait until something has happened for a member
 * @call: the call; if it has a part, others see that it is waiting
 * @awaited: the rank that is most likely waited for; the own one: any that is in the
 *	way of the operation; or %SCATTER_NO_RANK
 *
 * Context: the group's lock is held, since the caller has looked; dropped to sleep and taken
 * again.
 * Return: 0, -EINTR or -ETIMEDOUT; the caller looks again before it gives up.
 */
int scatter_await_event_locked(struct scatter_call *call, u32 awaited)
	__must_hold(&call->group->lock)
{
	scatter_await_expect_locked(call);
	return scatter_await_sleep_locked(call, awaited);
}

/**
 * scatter_await_blame_locked() - give up because of the operation's error
 * @call: a call whose operation has failed
 *
 * Context: the group's lock is held.
 * Return: the operation's error.
 */
int scatter_await_blame_locked(struct scatter_call *call)
{
	call->culprit = call->operation->culprit;
	return call->operation->error;
}

/**
 * scatter_await_locked() - wait until something is the case
 * @call: a call that has entered its operation
 * @done: asks whether it is; called with the group's lock held
 * @rank: what it asks about
 * @awaited: as of scatter_await_event_locked()
 *
 * Does meanwhile what others need of the caller, see struct scatter_kind.
 * What is the case counts more than any error but one that aborts the operation.
 *
 * Context: the group's lock is held; dropped to sleep and taken again.
 * Return: 0, -EINTR, -ETIMEDOUT, the operation's error, or -EIO if the member has died.
 */
int scatter_await_locked(struct scatter_call *call,
			 scatter_done_fn *done, u32 rank, u32 awaited)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	int (*assist)(struct scatter_call *) = operation->kind->assist;
	int error = 0;

	for (;;) {
		scatter_fail_fate_locked(call->group, operation);
		if (operation->abort)
			return scatter_await_blame_locked(call);
		if (done(call, rank))
			return 0;
		if (operation->error)
			return scatter_await_blame_locked(call);
		if (call->member->presence != SCATTER_PRESENT)
			return -EIO;
		if (error)
			return error;
		error = assist ? assist(call) : 0;
		if (!error)
			error = scatter_await_event_locked(call, awaited);
		else if (error > 0)
			error = 0;
	}
}
