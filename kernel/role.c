// SPDX-License-Identifier: GPL-2.0
/*
 * What a rank does inside a call: root or not, scatter, gather or barrier.
 *
 * Every role can be paused and resumed anywhere it returns -EINTR or
 * -ETIMEDOUT: what it has done is in the operation, not on the stack.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "coll.h"
#include "group.h"
#include "link.h"
#include "member.h"
#include "operation.h"
#include "pin.h"
#include "role.h"
#include "trace.h"
#include "wait.h"

/* Do all sends that this call has claimed, and those it claims by doing them. */
static void forward(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_schedule schedule;
	struct scatter_step step;

	while (call->ready != SCATTER_NO_RANK) {
		u32 rank = call->ready;

		call->ready = operation->parts[rank].link;
		scatter_operation_schedule(operation, rank, &schedule);
		while (scatter_schedule_next(&schedule, &step))
			if (step.send)
				scatter_link_cross(call, rank, &step);
		cond_resched();
	}
}

/*
 * Take hold of another rank's memory. While that rank is inside its call, its
 * address space has users; ours keeps it once the rank has been killed.
 */
static int hold(struct scatter_call *call, u32 owner)
{
	struct scatter_part *part = &call->operation->parts[owner];
	int error = 0;

	if (owner == call->rank)
		return 0;
	spin_lock(&call->group->lock);
	while (part->state != SCATTER_PART_OPEN || call->operation->abort) {
		if (call->operation->error)
			error = scatter_coll_blame_locked(call);
		if (error)
			break;
		error = scatter_coll_wait_locked(call, owner);
	}
	if (part->state == SCATTER_PART_OPEN && !call->operation->abort) {
		error = 0;
		part->holds++;
		mmget(call->group->members[owner]->mm);
	}
	spin_unlock(&call->group->lock);
	return error;
}

static void unhold(struct scatter_call *call, u32 owner)
{
	struct scatter_member *member = call->group->members[owner];
	struct scatter_part *part = &call->operation->parts[owner];

	if (owner == call->rank)
		return;
	mmput(member->mm);
	spin_lock(&call->group->lock);
	WRITE_ONCE(part->holds, part->holds - 1);
	if (!part->holds && part->state != SCATTER_PART_OPEN)
		wake_up(&member->wait);
	spin_unlock(&call->group->lock);
}

static int source_fault(struct scatter_call *call, u32 rank, u32 owner)
{
	struct scatter_part *part = &call->operation->parts[rank];

	spin_lock(&call->group->lock);
	call->operation->parts[owner].faulted = true;
	if (part->block == SCATTER_BLOCK_HOME)
		scatter_operation_move_locked(call->group, call->operation,
					      rank, SCATTER_BLOCK_FAULT, NULL);
	spin_unlock(&call->group->lock);
	if (owner == call->rank)
		return -EFAULT;
	call->culprit = owner;
	return -EREMOTEIO;
}

/* Copy a block from its owner's memory, chunk by chunk. */
static int take_home(struct scatter_call *call, u32 rank, u64 to)
{
	struct scatter_operation *operation = call->operation;
	u32 owner = scatter_operation_owner(operation, rank);
	u64 from = scatter_operation_source(operation, rank);
	u64 *moved = &operation->parts[rank].moved;
	u64 block = operation->spec.block;

	while (*moved < block) {
		struct mm_struct *mm = call->group->members[owner]->mm;
		u64 bytes = min(block - *moved, SCATTER_CHUNK_BYTES);
		long done;
		int error;

		if (!scatter_pin_prepare(to + *moved, &bytes))
			return -EFAULT;
		error = hold(call, owner);
		if (error)
			return error;
		done = scatter_pin_copy(call->member, mm, from + *moved,
					to + *moved, bytes);
		unhold(call, owner);
		if (done == -EFAULT)
			return source_fault(call, rank, owner);
		if (done < 0)
			return done;
		*moved += done;
		if (*moved < block && signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	trace_scatter_copy(call->group, operation, call->rank, rank, block);
	return 0;
}

static int take_record(struct scatter_call *call, u32 rank, u64 to, u64 bytes)
{
	const struct scatter_part *part = &call->operation->parts[rank];

	if (!scatter_place_to_user(&part->place, to, bytes))
		return -EFAULT;
	scatter_count(&call->member->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	trace_scatter_copy(call->group, call->operation, call->rank, rank, bytes);
	return 0;
}

/* Take @n blocks that lie side by side, from @rank on, from wherever they are. */
static int take(struct scatter_call *call, u32 rank, u32 n, u64 to)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_part *part = &operation->parts[rank];
	int error;
	u32 i;

	switch (part->block) {
	case SCATTER_BLOCK_HOME:
		error = take_home(call, rank, to);
		break;
	case SCATTER_BLOCK_RECORD:
		error = take_record(call, rank, to, n * operation->spec.block);
		break;
	case SCATTER_BLOCK_FAULT:
		call->culprit = scatter_operation_owner(operation, rank);
		return -EREMOTEIO;
	default:
		return 0;
	}
	if (error)
		return error;
	spin_lock(&call->group->lock);
	for (i = 0; i < n; i++)
		scatter_operation_move_locked(call->group, operation, rank + i,
					      SCATTER_BLOCK_TAKEN, NULL);
	spin_unlock(&call->group->lock);
	return 0;
}

static int take_own(struct scatter_call *call, u64 to)
{
	if (call->in_place)
		return 0;
	return take_home(call, call->rank, to);
}

static int play_scatter_root(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	int error;

	spin_lock(&call->group->lock);
	if (!call->part->forwarded)
		scatter_link_claim_locked(call, call->rank);
	spin_unlock(&call->group->lock);
	forward(call);

	error = take_own(call, call->recvbuf);
	if (error == -EFAULT)
		call->part->faulted = true;
	else if (error)
		return error;

	error = 0;
	spin_lock(&call->group->lock);
	for (;;) {
		if (operation->abort) {
			error = scatter_coll_blame_locked(call);
			break;
		}
		if (!operation->home) {
			error = call->part->faulted ? -EFAULT : 0;
			break;
		}
		if (error)
			break;
		error = scatter_coll_wait_locked(call, SCATTER_NO_RANK);
	}
	spin_unlock(&call->group->lock);
	return error;
}

static int play_scatter_leaf(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	int error = 0;

	spin_lock(&call->group->lock);
	while (operation->abort || !call->part->delivered) {
		if (operation->error)
			error = scatter_coll_blame_locked(call);
		if (error)
			break;
		error = scatter_coll_wait_locked(call, operation->spec.root);
	}
	if (call->part->delivered && !operation->abort)
		error = 0;
	if (call->part->delivered && !call->part->forwarded)
		scatter_link_claim_locked(call, call->rank);
	spin_unlock(&call->group->lock);
	forward(call);
	return error ?: take(call, call->rank, 1, call->recvbuf);
}

/*
 * Let the own block go up the tree: with the children's if those are in, else
 * whoever brings the last of them sends both. A block that goes as payload is
 * put aside first, so that this call need not wait for the children.
 */
static void offer(struct scatter_call *call)
{
	struct scatter_group *group = call->group;
	struct scatter_part *part = call->part;
	struct scatter_schedule schedule;
	u32 children;
	bool all;

	scatter_operation_schedule(call->operation, call->rank, &schedule);
	children = scatter_schedule_children(&schedule);
	spin_lock(&group->lock);
	all = part->arrived == children;
	spin_unlock(&group->lock);
	if (!all)
		scatter_link_stash(call);
	spin_lock(&group->lock);
	part->ready = true;
	if (part->arrived == children)
		scatter_link_claim_locked(call, call->rank);
	spin_unlock(&group->lock);
	forward(call);
}

static int play_gather_leaf(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_part *part = call->part;
	int error = 0;

	if (!part->ready)
		offer(call);
	spin_lock(&call->group->lock);
	while (operation->abort || part->block == SCATTER_BLOCK_HOME) {
		if (operation->error)
			error = scatter_coll_blame_locked(call);
		if (error)
			break;
		error = scatter_coll_wait_locked(call, operation->spec.root);
	}
	if (!operation->abort && part->block != SCATTER_BLOCK_HOME)
		error = part->block == SCATTER_BLOCK_FAULT ? -EFAULT : 0;
	spin_unlock(&call->group->lock);
	return error;
}

/* Go on with the bundle in hand, or the next that has arrived. */
static bool next_bundle_locked(struct scatter_operation *operation)
{
	const struct scatter_part *child;

	if (operation->bundle_count)
		return true;
	if (operation->queue_head == SCATTER_NO_RANK)
		return false;
	child = &operation->parts[operation->queue_head];
	operation->bundle_first = child->first;
	operation->bundle_count = child->count;
	operation->queue_head = child->link;
	return true;
}

/* Take the next blocks of the bundle in hand. A block that is void is noted. */
static int collect(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 rank = operation->bundle_first;
	u32 n = scatter_operation_run(operation, rank, operation->bundle_count);
	int error;

	error = take(call, rank, n, call->recvbuf + rank * operation->spec.block);
	if (error && operation->parts[rank].block != SCATTER_BLOCK_FAULT)
		return error;
	if (error)
		operation->fault_rank = rank;
	operation->taken += n;
	operation->bundle_first = (rank + n) % operation->size;
	operation->bundle_count -= n;
	return 0;
}

/* A rank that the root may as well look at while it waits. */
static u32 awaited_locked(const struct scatter_operation *operation)
{
	u32 rank = 0;

	if (scatter_operation_missing_locked(operation, &rank))
		return rank;
	return SCATTER_NO_RANK;
}

static int collect_all_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_group *group = call->group;
	int error = 0;

	while (operation->taken < operation->size - 1) {
		if (operation->error)
			return scatter_coll_blame_locked(call);
		if (next_bundle_locked(operation)) {
			spin_unlock(&group->lock);
			error = collect(call);
			spin_lock(&group->lock);
			if (error)
				return error;
			continue;
		}
		if (error)
			return error;
		error = scatter_coll_wait_locked(call, awaited_locked(operation));
	}
	return 0;
}

static int play_gather_root(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	int error;

	error = take_own(call, call->recvbuf + call->rank * operation->spec.block);
	if (error)
		return error;
	spin_lock(&call->group->lock);
	error = collect_all_locked(call);
	if (!error && operation->fault_rank != SCATTER_NO_RANK) {
		error = -EREMOTEIO;
		call->culprit = operation->fault_rank;
	}
	/* A block that its owner's death made void is no fault of a buffer. */
	if (operation->abort || (error == -EREMOTEIO && operation->error))
		error = scatter_coll_blame_locked(call);
	spin_unlock(&call->group->lock);
	return error;
}

static int play_barrier(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	bool last;
	int error = 0;
	u32 rank;

	spin_lock(&call->group->lock);
	last = operation->posted == operation->size;
	while (operation->abort || operation->posted < operation->size) {
		if (operation->error)
			error = scatter_coll_blame_locked(call);
		if (error)
			break;
		error = scatter_coll_wait_locked(call, awaited_locked(operation));
	}
	if (operation->posted == operation->size && !operation->abort)
		error = 0;
	spin_unlock(&call->group->lock);
	/* Those asleep saw it incomplete, so they are marked as waiting. */
	for (rank = 0; last && rank < operation->size; rank++)
		if (READ_ONCE(operation->parts[rank].waiting))
			scatter_wake(call->group->members[rank]);
	return error;
}

/**
 * scatter_role_play() - do what the rank has to do in its operation
 * @call: a call that has entered or resumed its operation
 *
 * Context: may sleep and fault; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT (may be played again later) or another -errno.
 */
int scatter_role_play(struct scatter_call *call)
{
	const struct scatter_spec *spec = &call->operation->spec;
	bool root = call->rank == spec->root;

	switch (spec->op) {
	case SCATTER_OP_SCATTER:
		return root ? play_scatter_root(call) : play_scatter_leaf(call);
	case SCATTER_OP_GATHER:
		return root ? play_gather_root(call) : play_gather_leaf(call);
	default:
		return play_barrier(call);
	}
}
