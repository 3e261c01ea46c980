// SPDX-License-Identifier: GPL-2.0
/*
 * One COLL call: enter the operation, play the rank's role, finish or pause.
 *
 * A call enters the operation of its member's next number (or the one it is
 * paused in), posts what it brings, forwards what it has claimed, takes what
 * it is to get, and waits only for what its own rank still needs:
 *
 *	rank			waits for
 *	scatter, root		all blocks to have left its memory
 *	scatter, others		the own bundle's arrival
 *	gather, root		all bundles' arrival
 *	gather, others		the own block to have left its memory
 *	OR-broadcast		all that its schedule receives, and sends
 *	barrier, DUP, SPLIT	everybody's call
 *	idle in an inter-group	nothing
 */
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "actor.h"
#include "coll.h"
#include "combine.h"
#include "ending.h"
#include "enter.h"
#include "group.h"
#include "inter.h"
#include "layout.h"
#include "link.h"
#include "member.h"
#include "memory.h"
#include "operation.h"
#include "plan.h"
#include "stage.h"
#include "trace.h"
#include "user.h"
#include "vector.h"
#include "wait.h"

/*
 * A rank that this one may as well look at while it waits, if it is soon found: one that has
 * not called, or that copies its block out of its own memory.
 */
static u32 awaited_locked(struct scatter_operation *operation)
{
	const struct scatter_spec *spec = &operation->spec;
	u32 rank = max(spec->first, operation->first_missing);
	u32 end = min(spec->first + spec->blocks, rank + SCATTER_GROUP_BATCH);
	u32 n;

	if (scatter_operation_missing_locked(operation, end, &rank))
		return rank;
	if (!operation->home)
		return SCATTER_NO_RANK;
	rank = operation->home_rank;
	for (n = 0; n < SCATTER_GROUP_BATCH; n++) {
		operation->home_rank = rank;
		if (operation->parts[rank].block == SCATTER_BLOCK_HOME)
			return rank;
		rank = (rank + 1) % operation->size;
	}
	return SCATTER_NO_RANK;
}

/**
 * scatter_coll_expect_locked() - what others do from here on is an event for a member
 * @call: the call; if it has a part, others see that it is waiting
 *
 * Context: the group's lock is held.
 */
void scatter_coll_expect_locked(struct scatter_call *call)
{
	lockdep_assert_held(&call->group->lock);
	WRITE_ONCE(call->member->event, false);
	if (call->part)
		call->part->waiting = true;
}

/**
 * scatter_coll_sleep_locked() - wait until there is an event
 * @call: the call, after scatter_coll_expect_locked()
 * @awaited: as of scatter_coll_wait_locked()
 *
 * Context: the group's lock is held; dropped to sleep and taken again.
 * Return: 0, -EINTR or -ETIMEDOUT; the caller looks again before it gives up.
 */
int scatter_coll_sleep_locked(struct scatter_call *call, u32 awaited)
	__must_hold(&call->group->lock)
{
	struct scatter_group *group = call->group;
	struct task_struct *peer = NULL;
	u64 deadline_ns;
	int error;

	lockdep_assert_held(&group->lock);
	deadline_ns = scatter_ending_deadline_locked(call);
	if (awaited == call->rank)
		awaited = awaited_locked(call->operation);
	if (awaited != SCATTER_NO_RANK)
		peer = group->members[awaited]->actor;
	if (peer)
		get_task_struct(peer);
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
 * scatter_coll_wait_locked() - wait until something has happened for a member
 * @call: the call; if it has a part, others see that it is waiting
 * @awaited: the rank that is most likely waited for; the own one: any that is in the
 *	way of the operation; or %SCATTER_NO_RANK
 *
 * Context: the group's lock is held, since the caller has looked; dropped to sleep and taken
 * again.
 * Return: 0, -EINTR or -ETIMEDOUT; the caller looks again before it gives up.
 */
int scatter_coll_wait_locked(struct scatter_call *call, u32 awaited)
	__must_hold(&call->group->lock)
{
	scatter_coll_expect_locked(call);
	return scatter_coll_sleep_locked(call, awaited);
}

/**
 * scatter_coll_blame_locked() - give up because of the operation's error
 * @call: a call whose operation has failed
 *
 * Context: the group's lock is held.
 * Return: the operation's error.
 */
int scatter_coll_blame_locked(struct scatter_call *call)
{
	call->culprit = call->operation->culprit;
	return call->operation->error;
}

/**
 * scatter_coll_await_locked() - wait until something is the case
 * @call: a call that has entered its operation
 * @done: asks whether it is; called with the group's lock held
 * @rank: what it asks about
 * @awaited: as of scatter_coll_wait_locked()
 *
 * Brings meanwhile what others have found absent in the caller's memory.
 * What is the case counts more than any error but one that aborts the operation.
 *
 * Context: the group's lock is held; dropped to sleep and taken again.
 * Return: 0, -EINTR, -ETIMEDOUT, the operation's error, or -EIO if the member has died.
 */
int scatter_coll_await_locked(struct scatter_call *call,
			      scatter_done_fn *done, u32 rank, u32 awaited)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	int error = 0;

	for (;;) {
		scatter_operation_fate_locked(call->group, operation);
		if (operation->abort)
			return scatter_coll_blame_locked(call);
		if (done(call, rank))
			return 0;
		if (operation->error)
			return scatter_coll_blame_locked(call);
		if (call->member->presence != SCATTER_PRESENT)
			return -EIO;
		if (error)
			return error;
		error = scatter_stage_answer_locked(call);
		if (!error && !scatter_prefault_some_locked(call))
			error = scatter_coll_wait_locked(call, awaited);
		else if (error > 0)
			error = 0;
	}
}

/**
 * scatter_coll_fault_locked() - a block could not be read from the own memory
 * @call: the call of its owner
 * @rank: whose block
 *
 * A task that is being killed cannot fault pages in: that is death.
 *
 * Context: the group's lock is held.
 */
void scatter_coll_fault_locked(struct scatter_call *call, u32 rank)
{
	struct scatter_operation *operation = call->operation;
	enum scatter_block_state block = operation->parts[rank].block;

	lockdep_assert_held(&call->group->lock);
	call->part->faulted = true;
	if (fatal_signal_pending(current))
		scatter_operation_fail_locked(call->group, operation,
					      -ECONNRESET, call->rank, false);
	if (block == SCATTER_BLOCK_HOME || block == SCATTER_BLOCK_RECORD)
		scatter_operation_move_locked(call->group, operation, rank,
					      SCATTER_BLOCK_FAULT, NULL);
}

static void wake_waiting(struct scatter_call *call, u32 rank)
{
	if (READ_ONCE(call->operation->parts[rank].waiting))
		scatter_wake(call->group->members[rank]);
}

/* A paused call has resumed: wake those that wait for its memory. */
static void wake_takers(struct scatter_call *call)
{
	const struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	u32 rank;

	if (call->idle || !scatter_op_moves(spec->op) || !READ_ONCE(operation->home))
		return;
	if (call->rank != spec->root) {
		if (scatter_op_gathers(spec->op))
			wake_waiting(call, spec->root);
		return;
	}
	for (rank = 0; rank < operation->size; rank++) {
		if (READ_ONCE(operation->parts[rank].block) == SCATTER_BLOCK_HOME)
			wake_waiting(call, rank);
		cond_resched();
	}
}

/*
 * Keep takers out of the member's memory. Those in it only copy what they have
 * pinned, so they are done soon; a killed task need not wait for them, since
 * they hold the address space.
 */
static void close_buffers(struct scatter_call *call)
{
	struct scatter_part *part = call->part;

	spin_lock(&call->group->lock);
	if (scatter_part_is_open(part))
		scatter_operation_set_state(part, SCATTER_PART_PAUSED);
	spin_unlock(&call->group->lock);
	wait_event_killable(call->member->wait,
			    !READ_ONCE(call->member->holds));
}

/* The part closes: its buffers go with the call, unless takers of a killed one read on. */
static void drop_buffers_locked(struct scatter_call *call)
{
	struct scatter_member *member = call->member;

	lockdep_assert_held(&call->group->lock);
	if (member->holds || !call->part->posted)
		return;
	swap(member->source, call->send);
	swap(member->target, call->recv);
}

/* Whether the call pauses. A dead member's does not. */
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

/* The call has failed: what others expect of it will not come. */
static void give_up(struct scatter_call *call, int error)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_group *group = call->group;

	spin_lock(&group->lock);
	if (error == -ETIME && operation->late)
		bitmap_copy(call->member->late, operation->late,
			    operation->size);
	/*
	 * Members that wait to be gathered from, or to take, wait in vain. In an
	 * OR-broadcast they have got all they need from here.
	 */
	if (operation->spec.root == call->rank && !operation->combine &&
	    (scatter_op_gathers(operation->spec.op) ||
	     (scatter_op_scatters(operation->spec.op) &&
	      scatter_operation_root_owes(operation))))
		scatter_operation_fail_locked(group, operation, -EREMOTEIO,
					      call->rank, false);
	spin_unlock(&group->lock);
	scatter_operation_wake(group, operation);
}

/* End the call: pause the operation or pass it. A dead member passes it. */
static int finish(struct scatter_call *call, int error)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_group *group = call->group;
	bool last;

	/* A refused call posted no buffers. */
	if (error && call->part->posted)
		close_buffers(call);
	if (error == -EINTR || error == -ETIMEDOUT) {
		if (pause_call(call, error))
			return error;
		error = -EIO;
	}
	if (error)
		give_up(call, error);
	spin_lock(&group->lock);
	call->member->inside = false;
	/* From here on what arrives for this rank is dropped: both at once. */
	if (error)
		scatter_operation_forget_locked(group, operation, call->rank);
	else
		call->bytes = call->member->receives;
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
	return error;
}

/**
 * scatter_coll_limit() - note when the user wants to give up
 * @call: not performed yet
 * @deadline_ns: as the user gave it, up to KTIME_MAX
 * @relative: from now on
 *
 * Context: any.
 */
void scatter_coll_limit(struct scatter_call *call, u64 deadline_ns, bool relative)
{
	call->deadline_ns = scatter_wait_deadline(deadline_ns, relative);
	call->timeout_ns = relative ? deadline_ns : 0;
}

/**
 * scatter_coll_check_number() - whether there is what the user wants to begin or resume
 * @member: the current task's; no other task is inside a call of it
 * @number: as of struct scatter_results
 *
 * Only this call and the end of the membership change what the member is paused in.
 *
 * Context: any.
 * Return: 0; -EBUSY: it begins an operation while another one is paused; -EINVAL: the one
 * that it resumes is not; -EIO: the member has died.
 */
int scatter_coll_check_number(const struct scatter_member *member, u64 number)
{
	bool paused = READ_ONCE(member->current_operation);

	if (number == SCATTER_NUMBER_NEW)
		return paused ? -EBUSY : 0;
	if (paused && number == READ_ONCE(member->next))
		return 0;
	return scatter_member_has_ended(member) ? -EIO : -EINVAL;
}

/**
 * scatter_coll_perform() - enter or resume an operation, play, and finish or pause
 * @call: all that the caller brings
 * @spec: what it asks for
 *
 * Context: may sleep and fault; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
int scatter_coll_perform(struct scatter_call *call,
			 const struct scatter_spec *spec)
{
	struct scatter_member *member = call->member;
	struct scatter_operation *fresh = NULL;
	bool entered, resumed;
	int error;

	scatter_actor_note(member);
	/* The last call was killed, but the address space has another user, which goes on. */
	if (wait_event_killable(member->wait, !READ_ONCE(member->holds)))
		return -EINTR;
	spin_lock(&call->group->lock);
	resumed = member->current_operation;
	if (resumed)
		error = scatter_enter_resume_locked(call, spec);
	else
		error = scatter_enter_locked(call, spec, &fresh);
	entered = call->part && error != -EBUSY;
	member->inside = entered;
	if (call->operation)
		call->number = call->operation->number;
	/* Nobody has more time because a signal came. */
	if (resumed && call->timeout_ns && call->timeout_ns == member->timeout_ns)
		call->deadline_ns = member->until_ns;
	if (call->disagrees) {
		spin_unlock(&call->group->lock);
		scatter_operation_abort(call->group);
	} else {
		scatter_group_unlock(call->group);
	}
	/* Others that wait for room need none any more. */
	if (call->made)
		scatter_group_wake_window(call->group);
	if (resumed && !error)
		wake_takers(call);
	scatter_operation_free(call->group, fresh);
	if (!error)
		error = scatter_ending_play(call);
	if (entered)
		error = finish(call, error);
	return error;
}

static int read_spans(struct scatter_call *call,
		      const struct scatter_coll *coll,
		      const struct scatter_spec *spec)
{
	struct scatter_user *user = call->member->user;
	struct scatter_span *spans;
	struct scatter_tree *tree;

	spans = scatter_spans_read(user, coll, spec->blocks);
	if (IS_ERR(spans))
		return PTR_ERR(spans);
	call->spans = spans;
	if (spec->schedule.algorithm != SCATTER_ALGORITHM_IRREGULAR)
		return 0;
	tree = scatter_plan_tree(user, spans, spec);
	if (IS_ERR(tree))
		return PTR_ERR(tree);
	call->tree = tree;
	return 0;
}

/* Get all that the call brings to its operation and that needs memory. */
static int prepare(struct scatter_call *call, const struct scatter_coll *coll,
		   const struct scatter_spec *spec)
{
	bool lays_out = scatter_op_is_vector(coll->op) && call->rank == spec->root;
	int error = 0;

	if (lays_out) {
		call->counts = coll->counts;
		call->displs = coll->displs;
	}
	if (call->number != SCATTER_NUMBER_NEW)
		return 0;
	if (spec->schedule.algorithm == SCATTER_ALGORITHM_OR_BROADCAST &&
	    !spec->idle) {
		u64 *boxes = scatter_combine_boxes(call->member->user, spec);

		if (IS_ERR(boxes))
			return PTR_ERR(boxes);
		call->boxes = boxes;
	}
	if (lays_out)
		error = read_spans(call, coll, spec);
	return error ?: scatter_layout_prepare(call, coll, spec);
}

/**
 * scatter_coll_run() - run one collective operation for a member
 * @member: the current task's; no other task is inside a call of it
 * @coll: checked, but for what depends on the group
 * @results: (in, out) what it has come to, but for the error
 *
 * Context: may sleep; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
int scatter_coll_run(struct scatter_member *member, const struct scatter_coll *coll,
		     struct scatter_results *results)
{
	struct scatter_call call = {
		.member = member,
		.group = member->group,
		.rank = member->rank,
		.ready = SCATTER_NO_RANK,
		.send = { .base = coll->sendbuf, .layout = coll->send_layout },
		.recv = { .base = coll->recvbuf, .layout = coll->recv_layout },
		.length = coll->block,
		.in_place = coll->flags & SCATTER_COLL_IN_PLACE,
		.number = results->number,
		.culprit = SCATTER_RANK_ANY,
	};
	struct scatter_spec spec;
	int error;

	scatter_spec_fill(&spec, coll);
	error = scatter_inter_direct(&spec, coll, member);
	if (error)
		return error;
	if (!scatter_plan_possible(&spec))
		return -EINVAL;
	call.idle = spec.idle;
	if (!scatter_spec_owns(&spec, call.rank))
		call.length = 0;
	scatter_plan_settle(&spec, member->group);
	scatter_inter_shape(member->group);
	scatter_coll_limit(&call, coll->deadline_ns,
			   coll->flags & SCATTER_COLL_RELATIVE);
	error = scatter_coll_check_number(member, call.number) ?:
		prepare(&call, coll, &spec);
	if (!error)
		error = scatter_coll_perform(&call, &spec);
	scatter_buffer_free(&call.send);
	scatter_buffer_free(&call.recv);
	scatter_memory_free(call.spans);
	scatter_memory_free(call.tree);
	scatter_memory_free(call.boxes);
	scatter_user_tell(member->user);
	results->number = call.number;
	results->bytes = call.bytes;
	if (error)
		results->culprit = call.culprit;
	return error;
}
