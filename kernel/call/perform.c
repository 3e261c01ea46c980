// SPDX-License-Identifier: GPL-2.0
/*
 * One call of an operation: enter the operation, play the rank's role, finish or pause.
 *
 * A call enters the operation of its member's next number, or resumes the operation that the member
 * is paused in. The call posts what it brings, forwards what it has claimed, and takes the blocks
 * that it is to get. The call waits only for what its own rank still needs:
 *
 *	rank			waits for
 *	scatter, root		all blocks to have left its memory
 *	scatter, others		the arrival of its own bundle
 *	gather, root		the arrival of all bundles
 *	gather, others		its own block to have left its memory
 *	OR-broadcast		all messages that its schedule receives and sends
 *	barrier, DUP, SPLIT	the calls of all members
 *	idle in an inter-group	nothing
 */
#include <linux/bitmap.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "call/ending.h"
#include "call/enter.h"
#include "call/perform.h"
#include "group/actor.h"
#include "group/group.h"
#include "group/member.h"
#include "group/wait.h"
#include "link/link.h"
#include "memory/buffer.h"
#include "operation/call.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "span/span.h"
#include "trace.h"

/* Free the buffers of a part that closes, unless takers still read the memory of a killed task. */
static void drop_buffers_locked(struct scatter_call *call)
{
	struct scatter_member *member = call->member;

	lockdep_assert_held(&call->group->lock);
	if (member->holds || !call->part->posted)
		return;
	swap(member->source, call->send);
	swap(member->target, call->recv);
}

/* Pause the call. False if the member is dead: its call does not pause. */
static bool pause_call(struct scatter_call *call, int error)
{
	struct scatter_member *member = call->member;
	bool alive;

	spin_lock(&call->group->lock);
	alive = member->presence == SCATTER_PRESENT;
	if (alive) {
		member->inside = false;
		member->timeout_ns = error == -EINTR ? call->timeout_ns : 0;
		member->until_ns = call->deadline_ns;
	}
	spin_unlock(&call->group->lock);
	if (alive)
		trace_scatter_pause(call, error);
	return alive;
}

/* Tell others that the call has failed, if they expect something of it. */
static void give_up(struct scatter_call *call, int error)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_group *group = call->group;
	bool awaited = false;

	spin_lock(&group->lock);
	if (error == -ETIME && operation->late)
		bitmap_copy(call->member->late, operation->late,
			    operation->size);
	/* A call that ends with EMSGSIZE has done all that other ranks expect. */
	if (operation->kind->give_up && error != -EMSGSIZE)
		awaited = operation->kind->give_up(call);
	/* Other nodes hear of a death, or of an error that ends the operation for all, anyway. */
	awaited &= group->spans && !operation->abort && !test_bit(call->rank, group->dead);
	spin_unlock(&group->lock);
	scatter_operation_wake(operation);
	if (awaited)
		scatter_span_failed(group, call->rank, operation->number);
}

/*
 * Whether the end of the call changes nothing for the portal, which waits for another node. If the
 * message comes before the call has passed, the portal clears what is read here; if it comes later,
 * the portal sees that the call has passed.
 */
static bool is_settled_locked(const struct scatter_call *call)
{
	const struct scatter_operation *operation = call->operation;

	lockdep_assert_held(&call->group->lock);
	return operation->awaits_nodes && !operation->error && !operation->brought &&
	       call->group->state != SCATTER_STATE_BROKEN;
}

/*
 * End the call: pause in the operation or pass it. A dead member passes the operation. *@settled:
 * nothing has become due.
 */
static int finish(struct scatter_call *call, int error, bool *settled)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_group *group = call->group;
	bool last;

	/* A refused call posted no buffers. */
	if (error && call->part->posted)
		scatter_link_cease(call);
	/* Whatever the call has met before: nobody has caused these errors. */
	if (error == -EINTR || error == -ETIMEDOUT || error == -EIO)
		call->culprit = SCATTER_RANK_ANY;
	if (error == -EINTR || error == -ETIMEDOUT) {
		if (pause_call(call, error))
			return error;
		error = -EIO;
	}
	if (error)
		give_up(call, error);
	spin_lock(&group->lock);
	call->member->inside = false;
	/* Under one lock: forget the rank's blocks, and drop those that arrive from here on. */
	if ((error || operation->kind->lends) && operation->kind->forget)
		operation->kind->forget(group, operation, call->rank);
	if (!error)
		call->bytes = call->member->receives;
	*settled = !error && is_settled_locked(call);
	last = scatter_operation_pass_locked(group, operation, call->rank);
	trace_scatter_complete(call, error);
	call->member->current_operation = NULL;
	call->member->next++;
	drop_buffers_locked(call);
	spin_unlock(&group->lock);
	if (!last)
		return error;
	scatter_group_wake_window(group);
	scatter_operation_free(group, operation);
	/* A member that ends from here on finds no operation, and sheds. */
	if (READ_ONCE(group->state) == SCATTER_STATE_BROKEN)
		scatter_group_shed(group);
	return error;
}

/**
 * scatter_perform_limit() - note when the user wants to give up
 * @call: a call that has not been performed yet
 * @deadline_ns: as the user gave it, up to KTIME_MAX
 * @relative: @deadline_ns counts from now on
 *
 * Context: any.
 */
void scatter_perform_limit(struct scatter_call *call, u64 deadline_ns, bool relative)
{
	call->deadline_ns = scatter_wait_deadline(deadline_ns, relative);
	call->timeout_ns = relative ? deadline_ns : 0;
}

/**
 * scatter_perform_check() - whether the operation that the user wants to begin or resume is there
 * @member: the current task's member; no other task is inside a call of the member
 * @number: as scatter_results.number
 *
 * Only this call and the end of the membership change which operation the member is paused in.
 *
 * Context: any.
 * Return: 0; -EBUSY: the call begins an operation while the member is paused in another one;
 * -EINVAL: the member is not paused in the operation that the call resumes; -EIO: the member has
 * died.
 */
int scatter_perform_check(const struct scatter_member *member, u64 number)
{
	bool paused = READ_ONCE(member->current_operation);

	if (number == SCATTER_NUMBER_NEW)
		return paused ? -EBUSY : 0;
	if (paused && number == READ_ONCE(member->next))
		return 0;
	return scatter_member_has_ended(member) ? -EIO : -EINVAL;
}

/* Whether the role of a new call settles the call before it waits. */
static bool role_settles(const struct scatter_call *call)
{
	return call->kind->settles && !call->idle && call->group->spans &&
	       !scatter_operation_is_decreed(call->operation) && call->kind->settles(call);
}

/* Tell the other nodes the outcome of the call, if they have to know or wait for it. */
static void tell_others(struct scatter_call *call, bool stopped, bool begins)
{
	if (begins && role_settles(call))
		return;
	if (call->disagrees)
		scatter_span_mismatched(call->group, call->rank, call->number);
	else if (stopped)
		scatter_span_stopped(call->group, call->rank, call->member->next);
	else
		scatter_span_settle_one(call->group, call->number);
}

/**
 * scatter_perform() - enter or resume an operation, play, and finish or pause
 * @call: all that the caller brings
 * @spec: what the call asks for
 *
 * Context: may sleep and fault; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
int scatter_perform(struct scatter_call *call,
		    const struct scatter_spec *spec)
{
	struct scatter_member *member = call->member;
	struct scatter_operation *fresh = NULL;
	bool entered, resumed, stopped, settled = false;
	int error;

	scatter_actor_note(member);
	/* A task was killed in the last call. Another task of the member waits for takers. */
	if (wait_event_killable(member->wait, !READ_ONCE(member->holds)))
		return -EINTR;
	/* Only this call begins an operation of the member. A call that resumes posts little. */
	error = READ_ONCE(member->current_operation) ?
		0 : scatter_wait_mail(member, call->deadline_ns);
	if (error)
		return error;
	spin_lock(&call->group->lock);
	resumed = member->current_operation;
	if (resumed)
		error = scatter_enter_resume_locked(call, spec);
	else
		error = scatter_enter_locked(call, spec, &fresh);
	entered = call->part && error != -EBUSY;
	stopped = error && !call->part && call->group->state == SCATTER_STATE_BROKEN;
	member->inside = entered;
	if (call->operation)
		call->number = call->operation->number;
	/* A signal gives no call more time. */
	if (resumed && call->timeout_ns && call->timeout_ns == member->timeout_ns)
		call->deadline_ns = member->until_ns;
	if (call->disagrees) {
		spin_unlock(&call->group->lock);
		scatter_fail_abort(call->group);
	} else {
		scatter_group_unlock(call->group);
	}
	/* Other members that wait for room to make this operation need none any more. */
	if (call->made)
		scatter_group_wake_window(call->group);
	if (resumed && !error && call->kind->resume)
		call->kind->resume(call);
	scatter_operation_free(call->group, fresh);
	if (call->group->portal)
		tell_others(call, stopped, !error && !resumed);
	if (!error)
		error = scatter_ending_play(call);
	if (entered)
		error = finish(call, error, &settled);
	if (call->group->spans && !settled)
		scatter_span_settle_one(call->group, call->number);
	return error;
}
