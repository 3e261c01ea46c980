// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting inside an operation: for a condition, or for an error.
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
 * A rank whose task the caller may watch while it waits, if the search soon finds one: a rank that
 * has not called, or one that copies its block out of its own memory.
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
 * scatter_await_expect_locked() - from now on, what other ranks do is an event for a member
 * @call: the member's call; if the call has a part, other ranks see that it is waiting
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
 * Return: 0, -EINTR or -ETIMEDOUT; the caller has to look again before it gives up.
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
 * scatter_await_event_locked() - wait until there is an event for a member
 * @call: the member's call; if the call has a part, other ranks see that it is waiting
 * @awaited: the rank that the call most likely waits for; or the call's own rank, for any rank that
 *	is in the way of the operation; or %SCATTER_NO_RANK
 *
 * Context: the group's lock is held since the caller looked whether it has to wait; dropped to
 * sleep and taken again.
 * Return: 0, -EINTR or -ETIMEDOUT; the caller has to look again before it gives up.
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
 * scatter_await_locked() - wait until a condition holds
 * @call: a call that has entered its operation
 * @done: whether the condition holds; called with the group's lock held
 * @rank: argument of @done
 * @awaited: as of scatter_await_event_locked()
 *
 * While it waits, the call does what other ranks need of it, see scatter_kind.assist. A condition
 * that holds counts more than any error, except an error that aborts the operation.
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
