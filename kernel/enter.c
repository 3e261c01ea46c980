// SPDX-License-Identifier: GPL-2.0
/*
 * How a call comes into its operation: it finds or makes that of the member's next number, agrees
 * with what others have asked for, and posts what it brings; or it resumes the one that the
 * member is paused in.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "coll.h"
#include "combine.h"
#include "enter.h"
#include "group.h"
#include "hooks.h"
#include "inter.h"
#include "member.h"
#include "memory.h"
#include "operation.h"
#include "plan.h"
#include "trace.h"
#include "user.h"
#include "vector.h"
#include "wait.h"

/* Note that the member waits for a place for its next operation, or does so no more. */
static void queue_locked(struct scatter_call *call, bool waits)
{
	lockdep_assert_held(&call->group->lock);
	call->member->queued = waits;
	call->group->window_waiters += waits ? 1 : -1;
}

/* Wait until some operation has been passed by all, or another waiter makes the next one. */
static int wait_window_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	int error;

	queue_locked(call, true);
	error = scatter_coll_wait_locked(call, SCATTER_NO_RANK);
	queue_locked(call, false);
	return error;
}

/*
 * Make an operation for the member's next number. The group's lowest live operation is outside
 * the limit of its user, so no group ever waits for another one's progress. If none is live,
 * the member's next operation is that: the member has passed all before.
 */
static int make_locked(struct scatter_call *call, const struct scatter_spec *spec,
		       struct scatter_operation **fresh)
	__must_hold(&call->group->lock)
{
	struct scatter_group *group = call->group;
	u32 flags = group->nr_operations ? 0 : SCATTER_MEMORY_BEYOND;
	struct scatter_operation *operation;

	spin_unlock(&group->lock);
	operation = scatter_operation_alloc(group, call->member->user, spec, flags);
	spin_lock(&group->lock);
	if (IS_ERR(operation))
		return PTR_ERR(operation);
	*fresh = operation;
	return 0;
}

static int tell_room(struct wait_queue_entry *entry, unsigned int mode, int flags,
		     void *key)
{
	scatter_wake(entry->private);
	return 0;
}

/* Whether the member's next operation can and has to be made yet. */
static bool is_next_missing_locked(const struct scatter_call *call)
{
	struct scatter_member *member = call->member;

	lockdep_assert_held(&call->group->lock);
	return member->presence == SCATTER_PRESENT &&
	       call->group->state != SCATTER_STATE_BROKEN &&
	       !scatter_operation_find_locked(call->group, member->next);
}

/*
 * Make it if the user has room again, else wait: until they have, or an operation of this
 * group ends. Whatever makes room from the start of this on is an event, so none is missed.
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
	add_wait_queue(&member->user->room, &entry);
	queue_locked(call, true);
	WRITE_ONCE(member->event, false);
	/* What has come before that was no event yet. */
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
	remove_wait_queue(&member->user->room, &entry);
	return error;
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
		if (call->member->presence != SCATTER_PRESENT)
			return -EIO;
		call->operation = scatter_operation_find_locked(group, number);
		if (call->operation)
			return 0;
		if (group->state == SCATTER_STATE_BROKEN) {
			call->culprit = group->culprit;
			return group->error;
		}
		if (number > scatter_hooks_number_max())
			return -EOVERFLOW;
		if (group->nr_operations < group->window && *fresh)
			break;
		if (error)
			return error;
		if (group->nr_operations >= group->window) {
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

/* In a v form what each rank says of its own block must be what the root says. */
static bool counts_agree_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 first = operation->spec.first;
	u32 i;

	lockdep_assert_held(&call->group->lock);
	if (!call->spans) {
		if (!scatter_op_is_vector(operation->spec.op) ||
		    !operation->decided || call->part->cargo->length == call->length)
			return true;
		scatter_operation_disagree_locked(call->group, operation,
						  call->rank);
		return false;
	}
	for (i = 0; i < operation->spec.blocks; i++) {
		const struct scatter_part *part = &operation->parts[first + i];

		if (!part->posted || part->cargo->length == call->spans[i].count)
			continue;
		scatter_operation_disagree_locked(call->group, operation,
						  first + i);
		return false;
	}
	return true;
}

/* Where a block is in the root's buffer, if all have the same length. */
static void lay_out_one(struct scatter_operation *operation, u32 rank)
{
	struct scatter_cargo *cargo = operation->parts[rank].cargo;
	const struct scatter_spec *spec = &operation->spec;

	cargo->length = spec->block;
	cargo->offset = (rank - spec->first) * spec->block;
}

/* The root of a v form says where each block is in its buffer: how many bytes all have. */
static u64 lay_out_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	u64 total = 0;
	u32 i;

	lockdep_assert_held(&call->group->lock);
	for (i = 0; i < spec->blocks; i++) {
		struct scatter_cargo *cargo = operation->parts[spec->first + i].cargo;

		cargo->length = call->spans[i].count;
		cargo->offset = call->spans[i].offset;
		total += cargo->length;
	}
	if (!operation->tree)
		swap(operation->tree, call->tree);
	if (!operation->decided)
		scatter_plan_decide_locked(call->group, operation,
					   div_u64(total, spec->blocks));
	return total;
}

/*
 * The root says where the blocks are, or will be. Those of a scatter are there; nobody else has
 * to do with them before this call sends them.
 */
static void post_blocks_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	bool sends = scatter_op_scatters(spec->op) && !operation->combine;
	u32 i = 0;

	lockdep_assert_held(&call->group->lock);
	if (call->spans && !sends)
		return;
	while (i < spec->blocks) {
		u32 rank = spec->first + i;

		if (!call->spans)
			lay_out_one(operation, rank);
		if (sends && rank != call->rank && operation->parts[rank].cargo->length)
			scatter_operation_move_locked(call->group, operation,
						      rank, SCATTER_BLOCK_HOME,
						      NULL);
		scatter_group_breathe_locked(call->group, ++i);
	}
}

/* Note where the blocks of a scatter or gather are, at the root. */
static void post_root_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	u64 total = spec->block * spec->blocks;

	operation->counts = call->counts;
	operation->displs = call->displs;
	if (call->spans)
		total = lay_out_locked(call);
	post_blocks_locked(call);
	if (!scatter_op_gathers(spec->op))
		return;
	if (call->in_place)
		total -= call->part->cargo->length;
	call->member->receives = total;
}

/* Note what this rank brings. */
static void post_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	struct scatter_part *part = call->part;

	swap(call->member->source, call->send);
	swap(call->member->target, call->recv);
	call->member->in_place = call->in_place;
	call->member->receives = 0;
	part->posted = true;
	scatter_operation_set_state(part, SCATTER_PART_OPEN);
	scatter_operation_expect_no_more_locked(operation, call->rank);
	call->last = ++operation->posted == operation->size;
	while (operation->first_missing < operation->size &&
	       operation->parts[operation->first_missing].posted)
		operation->first_missing++;
	trace_scatter_post(call);
	if (!scatter_op_moves(spec->op) || call->idle)
		return;
	if (operation->combine)
		swap(operation->combine->lanes[call->rank].data, call->boxes);
	if (scatter_op_scatters(spec->op) && !call->in_place)
		call->member->receives = call->length;
	if (call->rank == spec->root) {
		post_root_locked(call);
		return;
	}
	if (scatter_op_is_vector(spec->op))
		part->cargo->length = call->length;
	else
		lay_out_one(operation, call->rank);
	if (scatter_op_gathers(spec->op) && part->cargo->length &&
	    !operation->combine)
		scatter_operation_move_locked(call->group, operation,
					      call->rank, SCATTER_BLOCK_HOME,
					      NULL);
}

/**
 * scatter_enter_locked() - enter the member's next operation, and post what the call brings
 * @call: the call; it gets its operation and its part
 * @spec: what it asks for
 * @fresh: (out) an operation that was made and not needed, for scatter_operation_free()
 *
 * Context: the group's lock is held; dropped to allocate, to wait for room, and while a root
 * posts, and taken again.
 * Return: 0, or the errno that the call ends with; it has a part only if scatter_call.part is
 * set.
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
	bitmap_zero(member->late, SCATTER_SIZE_MAX);
	error = find_locked(call, spec, fresh);
	if (error)
		return error;
	operation = call->operation;
	call->part = &operation->parts[call->rank];
	member->current_operation = operation;
	member->inside = true;
	scatter_operation_fate_locked(group, operation);
	if (operation->abort)
		return scatter_coll_blame_locked(call);
	call->disagrees = !scatter_operation_agree_locked(group, operation, spec,
							  call->rank) ||
			  !counts_agree_locked(call);
	if (call->disagrees || operation->error == -ETIME)
		return scatter_coll_blame_locked(call);
	post_locked(call);
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
	const struct scatter_member *member = call->member;
	const struct scatter_part *part = call->part;
	bool same = same_spec_locked(call, spec) &&
		    scatter_buffer_equal(&member->source, &call->send) &&
		    scatter_buffer_equal(&member->target, &call->recv) &&
		    member->in_place == call->in_place;

	if (!same || !scatter_op_moves(spec->op))
		return same;
	if (scatter_op_is_vector(spec->op) && call->rank == spec->root)
		return operation->counts == call->counts &&
		       operation->displs == call->displs &&
		       (call->in_place || part->cargo->length == call->length);
	return part->cargo->length == call->length;
}

/**
 * scatter_enter_resume_locked() - go on with the operation that the member is paused in
 * @call: the call; it gets its operation and its part
 * @spec: what it asks for
 *
 * Context: the group's lock is held.
 * Return: 0, or -EBUSY if the call is another one.
 */
int scatter_enter_resume_locked(struct scatter_call *call,
				const struct scatter_spec *spec)
{
	struct scatter_operation *operation = call->member->current_operation;

	call->operation = operation;
	call->part = &operation->parts[call->rank];
	if (!same_call_locked(call, spec))
		return -EBUSY;
	scatter_operation_fate_locked(call->group, operation);
	scatter_operation_set_state(call->part, SCATTER_PART_OPEN);
	return 0;
}
