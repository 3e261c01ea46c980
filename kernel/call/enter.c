// SPDX-License-Identifier: GPL-2.0
/*
 * How a call enters or resumes its operation.
 *
 * A new call finds the operation of its member's next number, or makes it. Then the call checks
 * that it agrees with the calls of other members, and posts what it brings. A call may also resume
 * the operation that its member is paused in.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "call/enter.h"
#include "call/move.h"
#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/wait.h"
#include "hooks.h"
#include "memory/memory.h"
#include "memory/user.h"
#include "operation/agree.h"
#include "operation/await.h"
#include "operation/call.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "operation/plan.h"
#include "span/ballot.h"
#include "trace.h"

/* Note whether the member waits for room for its next operation. */
static void queue_locked(struct scatter_call *call, bool waits)
{
	lockdep_assert_held(&call->group->lock);
	call->member->queued = waits;
	call->group->window_waiters += waits ? 1 : -1;
}

/* Wait until all members have passed some operation, or another waiter makes the next one. */
static int wait_window_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	int error;

	queue_locked(call, true);
	error = scatter_await_event_locked(call, SCATTER_NO_RANK);
	queue_locked(call, false);
	return error;
}

/*
 * Make an operation for the member's next number. The group's lowest live operation may exceed the
 * limit of its user, so no group ever waits for another group's progress. If no operation is live,
 * the member's next operation is the lowest one, since the member has passed all before.
 */
static int make_locked(struct scatter_call *call, const struct scatter_spec *spec,
		       struct scatter_operation **fresh)
	__must_hold(&call->group->lock)
{
	struct scatter_group *group = call->group;
	u32 flags = group->nr_operations ? 0 : SCATTER_MEMORY_BEYOND;
	struct scatter_operation *operation;

	spin_unlock(&group->lock);
	operation = scatter_operation_alloc(group, call->hands->user,
					    call->kind, spec, flags);
	spin_lock(&group->lock);
	if (IS_ERR(operation))
		return PTR_ERR(operation);
	*fresh = operation;
	return 0;
}

static int tell_room(struct wait_queue_entry *entry, unsigned int mode, int flags,
		     void *key)
{
	scatter_wait_wake(entry->private);
	return 0;
}

/* Whether an operation that does not exist may no longer be made. */
static bool is_refused_locked(struct scatter_group *group, u64 number)
{
	lockdep_assert_held(&group->lock);
	return group->state == SCATTER_STATE_BROKEN &&
	       !(group->spans && scatter_portal_admits_locked(group, number));
}

/* Whether the member's next operation does not exist, and may still be made. */
static bool is_next_missing_locked(const struct scatter_call *call)
{
	struct scatter_member *member = call->member;

	lockdep_assert_held(&call->group->lock);
	return member->presence == SCATTER_PRESENT &&
	       !is_refused_locked(call->group, member->next) &&
	       !scatter_operation_find_locked(call->group, member->next);
}

/*
 * Make the operation if the user has room again. Else wait until the user has, or until an
 * operation of this group ends. From the start of this function on, every change that makes room
 * is an event, so the wait misses none.
 */
static int make_crowded_locked(struct scatter_call *call,
			       const struct scatter_spec *spec,
			       struct scatter_operation **fresh)
	__must_hold(&call->group->lock)
{
	struct scatter_member *member = call->member;
	struct scatter_group *group = call->group;
	struct wait_queue_entry entry;
	int error = 0;

	init_waitqueue_func_entry(&entry, tell_room);
	entry.private = member;
	add_wait_queue(&member->hands.user->room, &entry);
	queue_locked(call, true);
	WRITE_ONCE(member->event, false);
	/* Earlier changes were no events yet, so look again. */
	if (!is_next_missing_locked(call))
		goto unqueue;
	error = make_locked(call, spec, fresh);
	if (error == -EDQUOT) {
		member->crowded = true;
		spin_unlock(&group->lock);
		error = scatter_wait(member, NULL, call->deadline_ns);
		spin_lock(&group->lock);
		member->crowded = false;
	}
unqueue:
	queue_locked(call, false);
	remove_wait_queue(&member->hands.user->room, &entry);
	return error;
}

/* Find the operation of the member's next number; make it if there is none. */
static int find_locked(struct scatter_call *call,
		       const struct scatter_spec *spec,
		       struct scatter_operation **fresh)
	__must_hold(&call->group->lock)
{
	struct scatter_group *group = call->group;
	u64 number = call->member->next;
	int error = 0;

	for (;;) {
		if (call->member->presence != SCATTER_PRESENT)
			return -EIO;
		call->operation = scatter_operation_find_locked(group, number);
		if (call->operation)
			return 0;
		if (is_refused_locked(group, number)) {
			call->culprit = group->culprit;
			return group->error;
		}
		if (number > scatter_hooks_number_max())
			return -EOVERFLOW;
		if (scatter_group_admits(group, number) && *fresh)
			break;
		if (error)
			return error;
		if (!scatter_group_admits(group, number)) {
			error = wait_window_locked(call);
			continue;
		}
		error = make_locked(call, spec, fresh);
		if (error == -EDQUOT)
			error = make_crowded_locked(call, spec, fresh);
	}
	scatter_operation_insert_locked(group, *fresh, number);
	call->operation = *fresh;
	*fresh = NULL;
	call->made = true;
	return 0;
}

/* Whether the block is void: another node could not read it, and did not tell its length. */
static bool is_void_locked(const struct scatter_call *call)
{
	lockdep_assert_held(&call->group->lock);
	return call->group->spans && call->kind == &scatter_move_kind &&
	       scatter_call_cargo(call)->state == SCATTER_BLOCK_FAULT;
}

/*
 * In a v form, each rank and the root must name the same length for that rank's block. With
 * AT_MOST, one of the two names the length and the other the room.
 */
static bool counts_agree_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 first = operation->spec.first;
	u32 i;

	lockdep_assert_held(&call->group->lock);
	if (scatter_spec_is_at_most(&operation->spec))
		return true;
	if (!call->vector.slices) {
		if (!scatter_op_is_vector(operation->spec.op) ||
		    !operation->decided || scatter_call_slice(call)->length == call->length ||
		    is_void_locked(call))
			return true;
		scatter_agree_break_locked(call->group, operation,
					   call->rank);
		return false;
	}
	for (i = 0; i < operation->spec.blocks; i++) {
		const struct scatter_slice *slice = scatter_operation_slice(operation, first + i);

		/* Ranks on other nodes count as posted; their lengths come later. */
		if (!scatter_group_member(call->group, first + i) ||
		    !scatter_operation_part(operation, first + i)->posted ||
		    slice->length == call->vector.slices[i].length)
			continue;
		scatter_agree_break_locked(call->group, operation,
					   first + i);
		return false;
	}
	return true;
}

/* Note what the call brings. */
static void post_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_part *part = call->part;

	swap(call->member->source, call->send);
	swap(call->member->target, call->recv);
	call->member->in_place = call->in_place;
	call->member->length = call->length;
	call->member->counts = call->vector.counts;
	call->member->displs = call->vector.displs;
	call->member->receives = 0;
	part->posted = true;
	scatter_operation_set_state(part, SCATTER_PART_OPEN);
	scatter_operation_expect_no_more_locked(operation, call->rank);
	call->last = ++operation->posted == operation->parties;
	while (operation->first_missing < operation->size &&
	       scatter_operation_part(operation, operation->first_missing)->posted)
		operation->first_missing++;
	trace_scatter_post(call);
	if (call->kind->post && !call->idle)
		call->kind->post(call);
}

/*
 * Refuse a call: members disagree, or the call comes too late. A decreed operation may have no
 * verdict yet.
 */
static int refuse_locked(struct scatter_call *call)
{
	const struct scatter_group *group = call->group;

	lockdep_assert_held(&group->lock);
	if (call->operation->error)
		return scatter_await_blame_locked(call);
	call->culprit = group->doom_culprit;
	return group->doom_error;
}

/**
 * scatter_enter_locked() - enter the member's next operation, and post what the call brings
 * @call: the call; (out) its operation and its part
 * @spec: what the call asks for
 * @fresh: (out) an operation that the call made and did not need, for scatter_operation_free()
 *
 * Context: the group's lock is held; dropped and taken again to allocate, to wait for room, and
 * while a root posts.
 * Return: 0, or the -errno that the call ends with. After an error, the call has a part only if
 * scatter_call.part is set.
 */
int scatter_enter_locked(struct scatter_call *call,
			 const struct scatter_spec *spec,
			 struct scatter_operation **fresh)
{
	struct scatter_member *member = call->member;
	struct scatter_group *group = call->group;
	struct scatter_operation *operation;
	int error;

	if (!group->formed)
		return -EINPROGRESS;
	bitmap_zero(member->late, group->size);
	member->failure = 0;
	error = find_locked(call, spec, fresh);
	if (error)
		return error;
	operation = call->operation;
	call->part = scatter_operation_part(operation, call->rank);
	member->current_operation = operation;
	member->inside = true;
	scatter_fail_fate_locked(group, operation);
	if (operation->abort)
		return scatter_await_blame_locked(call);
	call->disagrees = !scatter_agree_locked(group, operation, spec,
							  call->rank) ||
			  !counts_agree_locked(call);
	if (!call->disagrees && group->spans && !operation->posted)
		call->disagrees = !scatter_ballot_recall_locked(group, operation, call->rank);
	if (call->disagrees || operation->error == -ETIME || operation->abort)
		return refuse_locked(call);
	post_locked(call);
	return 0;
}

/*
 * Whether the call asks for the same operation as before. An idle member did not know the root and
 * the block; other members have named both since.
 */
static bool same_spec_locked(const struct scatter_call *call,
			     const struct scatter_spec *spec)
{
	if (spec->idle)
		return scatter_agree_fits_locked(call->group, call->operation,
						  spec, call->rank);
	return scatter_spec_equal(&call->operation->spec, spec);
}

/*
 * Whether the call has the same arguments as before. Counts and layouts were read when the call
 * entered: compare only addresses, since the user may have freed the arrays.
 */
static bool same_call_locked(const struct scatter_call *call,
			     const struct scatter_spec *spec)
{
	const struct scatter_member *member = call->member;
	bool same = same_spec_locked(call, spec) &&
		    scatter_buffer_equal(&member->source, &call->send) &&
		    scatter_buffer_equal(&member->target, &call->recv) &&
		    member->in_place == call->in_place &&
		    member->counts == call->vector.counts &&
		    member->displs == call->vector.displs;

	if (!same || !call->kind->has_blocks)
		return same;
	if (scatter_op_is_vector(spec->op) && call->rank == spec->root && call->in_place)
		return true;
	return member->length == call->length;
}

/**
 * scatter_enter_resume_locked() - go on with the operation that the member is paused in
 * @call: the call; (out) its operation and its part
 * @spec: what the call asks for
 *
 * Context: the group's lock is held.
 * Return: 0, or -EBUSY if the call differs from the paused one.
 */
int scatter_enter_resume_locked(struct scatter_call *call,
				const struct scatter_spec *spec)
{
	struct scatter_operation *operation = call->member->current_operation;

	call->operation = operation;
	call->part = scatter_operation_part(operation, call->rank);
	if (!same_call_locked(call, spec))
		return -EBUSY;
	scatter_fail_fate_locked(call->group, operation);
	scatter_operation_set_state(call->part, SCATTER_PART_OPEN);
	return 0;
}
