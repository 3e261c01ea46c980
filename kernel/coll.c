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

#include "coll.h"
#include "combine.h"
#include "ending.h"
#include "group.h"
#include "inter.h"
#include "layout.h"
#include "link.h"
#include "member.h"
#include "move.h"
#include "operation.h"
#include "plan.h"
#include "trace.h"
#include "vector.h"
#include "wait.h"

/* Remember who acts for the member, for those who wait for it. */
static void note_actor(struct scatter_member *member)
{
	struct task_struct *old = member->actor;

	/* Only the one call of the member writes it. */
	if (old == current)
		return;
	spin_lock(&member->group->lock);
	member->actor = get_task_struct(current);
	spin_unlock(&member->group->lock);
	if (old)
		put_task_struct(old);
}

/*
 * A rank that this one may as well look at while it waits: one that has not
 * called, or that copies its block out of its own memory.
 */
static u32 awaited_locked(const struct scatter_operation *operation)
{
	u32 rank = operation->spec.first;

	if (scatter_operation_missing_locked(operation, &rank) &&
	    scatter_spec_owns(&operation->spec, rank))
		return rank;
	if (!operation->home)
		return SCATTER_NO_RANK;
	rank = 0;
	while (operation->parts[rank].block != SCATTER_BLOCK_HOME)
		rank++;
	return rank;
}

/**
 * scatter_coll_wait_locked() - wait until something has happened for a member
 * @call: the call; if it has a part, others see that it is waiting
 * @awaited: the rank that is most likely waited for; the own one: any that is in the
 *	way of the operation; or %SCATTER_NO_RANK
 *
 * Context: the group's lock is held; dropped to sleep and taken again.
 * Return: 0, -EINTR or -ETIMEDOUT; the caller looks again before it gives up.
 */
int scatter_coll_wait_locked(struct scatter_call *call, u32 awaited)
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
	WRITE_ONCE(call->member->event, false);
	if (call->part)
		call->part->waiting = true;
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
 * Hands over meanwhile what others cannot read of the caller's memory.
 * What is the case counts more than any error but one that aborts the operation.
 *
 * Context: the group's lock is held; dropped to sleep and taken again.
 * Return: 0, -EINTR, -ETIMEDOUT or the operation's error.
 */
int scatter_coll_await_locked(struct scatter_call *call,
			      scatter_done_fn *done, u32 rank, u32 awaited)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	int error = 0;

	for (;;) {
		if (operation->abort)
			return scatter_coll_blame_locked(call);
		if (done(call, rank))
			return 0;
		if (operation->error)
			return scatter_coll_blame_locked(call);
		if (error)
			return error;
		error = scatter_move_answer_locked(call);
		if (!error)
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

/* The operation of the member's next number; makes it if need be. */
static int find_locked(struct scatter_call *call,
		       const struct scatter_spec *spec,
		       struct scatter_operation **fresh)
	__must_hold(&call->group->lock)
{
	struct scatter_group *group = call->group;
	u64 number = call->member->next;
	int error = 0;

	for (;;) {
		call->operation = scatter_operation_find_locked(group, number);
		if (call->operation)
			return 0;
		if (group->state == SCATTER_STATE_BROKEN) {
			call->culprit = group->culprit;
			return group->error;
		}
		if (group->nr_operations < group->window && *fresh)
			break;
		if (error)
			return error;
		if (group->nr_operations >= group->window) {
			group->window_waiters++;
			error = scatter_coll_wait_locked(call, SCATTER_NO_RANK);
			group->window_waiters--;
			continue;
		}
		spin_unlock(&group->lock);
		*fresh = scatter_operation_alloc(group, call->member->user,
						 spec);
		if (IS_ERR(*fresh)) {
			error = PTR_ERR(*fresh);
			*fresh = NULL;
		}
		spin_lock(&group->lock);
	}
	scatter_operation_insert_locked(group, *fresh, number);
	call->operation = *fresh;
	*fresh = NULL;
	return 0;
}

/* In a v form what each rank says of its own block must be what the root says. */
static bool counts_agree_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 first = operation->spec.first;
	u32 i;

	lockdep_assert_held(&call->group->lock);
	if (!call->spans) {
		if (!scatter_op_is_vector(operation->spec.op) ||
		    !operation->decided || call->part->length == call->length)
			return true;
		scatter_operation_disagree_locked(call->group, operation,
						  call->rank);
		return false;
	}
	for (i = 0; i < operation->spec.blocks; i++) {
		const struct scatter_part *part = &operation->parts[first + i];

		if (!part->posted || part->length == call->spans[i].count)
			continue;
		scatter_operation_disagree_locked(call->group, operation,
						  first + i);
		return false;
	}
	return true;
}

/* The root says where each block is in its buffer. */
static void lay_out_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	u64 total = 0;
	u32 i;

	lockdep_assert_held(&call->group->lock);
	for (i = 0; i < spec->blocks; i++) {
		struct scatter_part *part = &operation->parts[spec->first + i];

		part->length = spec->block;
		part->offset = i * part->length;
		if (call->spans) {
			part->length = call->spans[i].count;
			part->offset = call->spans[i].offset;
		}
		total += part->length;
	}
	if (!operation->tree)
		swap(operation->tree, call->tree);
	if (!operation->decided)
		scatter_plan_decide_locked(call->group, operation,
					   div_u64(total, spec->blocks));
}

static void post_scatter_root_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 rank;

	lockdep_assert_held(&call->group->lock);
	for (rank = 0; rank < operation->size; rank++)
		if (rank != call->rank && operation->parts[rank].length)
			scatter_operation_move_locked(call->group, operation,
						      rank, SCATTER_BLOCK_HOME,
						      NULL);
}

/* Note what this rank brings. */
static void post_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	struct scatter_part *part = call->part;

	swap(part->source, call->send);
	swap(part->target, call->recv);
	part->in_place = call->in_place;
	part->posted = true;
	scatter_operation_set_state(part, SCATTER_PART_OPEN);
	call->last = ++operation->posted == operation->size;
	if (!scatter_op_moves(spec->op) || call->idle)
		return;
	if (operation->combine)
		swap(operation->combine->lanes[call->rank].data, call->boxes);
	if (call->rank == spec->root) {
		operation->counts = call->counts;
		operation->displs = call->displs;
		lay_out_locked(call);
		if (scatter_op_scatters(spec->op) && !operation->combine)
			post_scatter_root_locked(call);
		return;
	}
	part->length = call->length;
	if (!scatter_op_is_vector(spec->op))
		part->offset = (call->rank - spec->first) * part->length;
	if (scatter_op_gathers(spec->op) && part->length &&
	    !operation->combine)
		scatter_operation_move_locked(call->group, operation,
					      call->rank, SCATTER_BLOCK_HOME,
					      NULL);
}

/* Enter the member's next operation. On error the caller has no part in it. */
static int enter_locked(struct scatter_call *call,
			const struct scatter_spec *spec,
			struct scatter_operation **fresh)
{
	struct scatter_member *member = call->member;
	struct scatter_group *group = call->group;
	struct scatter_operation *operation;
	int error;

	if (!group->formed)
		return -EINPROGRESS;
	bitmap_zero(member->late, SCATTER_SIZE_MAX);
	error = find_locked(call, spec, fresh);
	if (error)
		return error;
	operation = call->operation;
	call->part = &operation->parts[call->rank];
	member->current_operation = operation;
	if (operation->abort ||
	    !scatter_operation_agree_locked(group, operation, spec, call->rank) ||
	    !counts_agree_locked(call) || operation->error == -ETIME)
		return scatter_coll_blame_locked(call);
	post_locked(call);
	trace_scatter_post(call);
	return 0;
}

/* An idle member did not know the root and the block, which others have named since. */
static bool same_spec_locked(const struct scatter_call *call,
			     const struct scatter_spec *spec)
{
	if (spec->idle)
		return scatter_inter_agree_locked(call->group, call->operation,
						  spec, call->rank);
	return scatter_spec_equal(&call->operation->spec, spec);
}

/* Counts and layouts were read when the rank entered; they need not be there any more. */
static bool same_call_locked(const struct scatter_call *call,
			     const struct scatter_spec *spec)
{
	const struct scatter_operation *operation = call->operation;
	const struct scatter_part *part = call->part;
	bool same = same_spec_locked(call, spec) &&
		    scatter_buffer_equal(&part->source, &call->send) &&
		    scatter_buffer_equal(&part->target, &call->recv) &&
		    part->in_place == call->in_place;

	if (!same || !scatter_op_moves(spec->op))
		return same;
	if (scatter_op_is_vector(spec->op) && call->rank == spec->root)
		return operation->counts == call->counts &&
		       operation->displs == call->displs &&
		       (call->in_place || part->length == call->length);
	return part->length == call->length;
}

/* Go on with the operation that the member is paused in. */
static int resume_locked(struct scatter_call *call,
			 const struct scatter_spec *spec)
{
	struct scatter_operation *operation = call->member->current_operation;
	u32 rank;

	call->operation = operation;
	call->part = &operation->parts[call->rank];
	if (!same_call_locked(call, spec))
		return -EBUSY;
	scatter_operation_set_state(call->part, SCATTER_PART_OPEN);
	for (rank = 0; rank < operation->size; rank++)
		if (operation->parts[rank].waiting)
			scatter_wake(call->group->members[rank]);
	return 0;
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
	scatter_operation_set_state(part, SCATTER_PART_PAUSED);
	spin_unlock(&call->group->lock);
	wait_event_killable(call->member->wait, !READ_ONCE(part->holds));
}

/* End the call: pause the operation or pass it. */
static int finish(struct scatter_call *call, int error)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_group *group = call->group;
	bool last;

	/* Who was refused has not posted any. */
	if (error && scatter_part_is_open(call->part))
		close_buffers(call);
	if (error == -EINTR || error == -ETIMEDOUT) {
		trace_scatter_pause(call, error);
		return error;
	}
	spin_lock(&group->lock);
	if (error) {
		if (error == -ETIME && operation->late)
			bitmap_copy(call->member->late, operation->late,
				    operation->size);
		scatter_operation_forget_locked(group, operation, call->rank);
		/*
		 * Those who wait to be gathered from, or to take, wait in vain. In an
		 * OR-broadcast they have got all they need from here.
		 */
		if (operation->spec.root == call->rank && !operation->combine &&
		    (scatter_op_gathers(operation->spec.op) ||
		     operation->home))
			scatter_operation_fail_locked(group, operation,
						      -EREMOTEIO, call->rank,
						      false);
		scatter_group_wake(group);
	}
	trace_scatter_complete(call, error);
	call->member->current_operation = NULL;
	call->member->next++;
	last = scatter_operation_pass_locked(group, operation, call->rank);
	if (last && group->window_waiters)
		scatter_group_wake(group);
	spin_unlock(&group->lock);
	if (last)
		scatter_operation_free(group, operation);
	return error;
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
	bool entered;
	int error;

	note_actor(member);
	spin_lock(&call->group->lock);
	if (member->current_operation)
		error = resume_locked(call, spec);
	else
		error = enter_locked(call, spec, &fresh);
	entered = call->part && error != -EBUSY;
	spin_unlock(&call->group->lock);
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
	struct scatter_span *spans;

	spans = scatter_spans_read(coll, spec->blocks);
	if (IS_ERR(spans))
		return PTR_ERR(spans);
	call->spans = spans;
	if (spec->choice.algorithm != SCATTER_ALGORITHM_IRREGULAR)
		return 0;
	call->tree = scatter_plan_tree(spans, spec);
	return call->tree ? 0 : -ENOMEM;
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
	/* It resumes. Only this call and the end of the membership change it. */
	if (READ_ONCE(call->member->current_operation))
		return 0;
	if (spec->choice.algorithm == SCATTER_ALGORITHM_OR_BROADCAST &&
	    !spec->idle) {
		call->boxes = scatter_combine_boxes(spec);
		if (!call->boxes)
			return -ENOMEM;
	}
	if (lays_out)
		error = read_spans(call, coll, spec);
	return error ?: scatter_layout_prepare(call, coll, spec);
}

/**
 * scatter_coll_run() - run one collective operation for a member
 * @member: the current task's; no other task is inside a call of it
 * @coll: (in, out) checked, but for what depends on the group
 *
 * Context: may sleep; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
int scatter_coll_run(struct scatter_member *member, struct scatter_coll *coll)
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
		.deadline_ns = coll->deadline_ns,
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
	coll->number = READ_ONCE(member->next);
	error = prepare(&call, coll, &spec);
	if (!error)
		error = scatter_coll_perform(&call, &spec);
	scatter_buffer_free(&call.send);
	scatter_buffer_free(&call.recv);
	kvfree(call.spans);
	kvfree(call.tree);
	kvfree(call.boxes);
	coll->culprit = error ? call.culprit : SCATTER_RANK_ANY;
	return error;
}
