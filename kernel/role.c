// SPDX-License-Identifier: GPL-2.0
/*
 * What a rank does inside a call: root or not, scatter, gather or barrier.
 *
 * Every role can be paused and resumed anywhere it returns -EINTR or
 * -ETIMEDOUT: what it has done is in the operation, not on the stack.
 */
#include <linux/sched/signal.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "coll.h"
#include "combine.h"
#include "group.h"
#include "link.h"
#include "member.h"
#include "move.h"
#include "operation.h"
#include "plan.h"
#include "prefault.h"
#include "regroup.h"
#include "role.h"
#include "stage.h"
#include "trace.h"
#include "wait.h"

/* How many sends of a root that a signal does not come between. */
#define SCATTER_CROSSINGS	64

/* A rank's sends in one of several trees. */
static void forward_tree(struct scatter_call *call,
			 const struct scatter_walk *walk, u32 tree)
{
	struct scatter_step step;
	u32 i;

	if (scatter_op_gathers(call->operation->spec.op)) {
		if (scatter_schedule_parent(walk, tree, &step))
			scatter_link_cross(call, walk, &step);
		return;
	}
	for (i = 0; scatter_schedule_child(walk, tree, i, &step); i++)
		scatter_link_cross(call, walk, &step);
}

/*
 * Of a rank's sends in one tree, all that are left. A root may have many: it looks now and then
 * whether a signal pauses it. False if it does: the resumed call claims the rest again.
 */
static bool forward_all(struct scatter_call *call, struct scatter_walk *walk,
			u32 rank)
{
	struct scatter_operation *operation = call->operation;
	bool own = rank == operation->spec.root;
	struct scatter_step step;
	u32 sent = 0;

	if (own)
		walk->cursor = operation->root_cursor;
	while (scatter_schedule_next(walk, &step)) {
		if (!step.send)
			continue;
		scatter_link_cross(call, walk, &step);
		cond_resched();
		if (!own || ++sent % SCATTER_CROSSINGS || !signal_pending(current))
			continue;
		spin_lock(&call->group->lock);
		operation->root_cursor = walk->cursor;
		scatter_operation_branch(operation, rank, 0)->forwarded = false;
		spin_unlock(&call->group->lock);
		return false;
	}
	return true;
}

/*
 * Of several trees, a rank's sends in one. A signal comes between those of a scatter's root, too.
 * False if it does: the resumed call claims the sends in this tree again.
 */
static bool forward_one(struct scatter_call *call, struct scatter_walk *walk,
			u32 rank, u32 tree, bool first)
{
	struct scatter_operation *operation = call->operation;

	if (first || rank != operation->spec.root || !signal_pending(current) ||
	    !scatter_op_scatters(operation->spec.op)) {
		forward_tree(call, walk, tree);
		return true;
	}
	spin_lock(&call->group->lock);
	scatter_operation_branch(operation, rank, tree)->forwarded = false;
	spin_unlock(&call->group->lock);
	return false;
}

/*
 * Do all sends that this call has claimed, and those it claims by doing them: 0. -EINTR if a
 * signal has paused the root's; what the call has claimed of others is done nevertheless.
 */
static int forward(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_walk walk;
	bool first = true;
	int error = 0;

	while (call->ready != SCATTER_NO_RANK) {
		u32 tree = call->ready / operation->size;
		u32 rank = call->ready % operation->size;

		call->ready = operation->branches[call->ready].link;
		scatter_plan_walk(operation, rank, &walk);
		if (!(operation->trees > 1 ?
		      forward_one(call, &walk, rank, tree, first) :
		      forward_all(call, &walk, rank)))
			error = -EINTR;
		first = false;
		cond_resched();
	}
	return error;
}

static bool is_emptied(const struct scatter_call *call, u32 rank)
{
	return !call->operation->home;
}

static bool is_delivered(const struct scatter_call *call, u32 rank)
{
	return call->part->delivered;
}

/* It has left our memory, or we may copy it to the root's. */
static bool is_collectable(const struct scatter_call *call, u32 rank)
{
	const struct scatter_part *part = call->part;

	return part->block != SCATTER_BLOCK_HOME ||
	       (!part->moving && !part->fetch &&
		scatter_part_is_open(&call->operation->parts[rank]));
}

static bool is_complete(const struct scatter_call *call, u32 rank)
{
	return call->operation->posted == call->operation->size;
}

static int take_record(struct scatter_call *call, u32 rank, u64 bytes)
{
	struct scatter_operation *operation = call->operation;

	if (!scatter_place_to_user(&operation->parts[rank].cargo->place,
				   scatter_stream_target(operation, rank),
				   bytes))
		return scatter_buffer_fault();
	scatter_count(&call->member->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	trace_scatter_copy(call->group, operation, call->rank, rank, bytes);
	return 0;
}

/* @n blocks from @rank on have arrived. */
static void taken(struct scatter_call *call, u32 rank, u32 n)
{
	u32 i = 0;

	spin_lock(&call->group->lock);
	while (i < n) {
		scatter_operation_move_locked(call->group, call->operation,
					      rank + i, SCATTER_BLOCK_TAKEN,
					      NULL);
		scatter_group_breathe_locked(call->group, ++i);
	}
	spin_unlock(&call->group->lock);
}

/* Take the own block of a scatter from wherever it is. */
static int take(struct scatter_call *call)
{
	u32 rank = call->rank;
	int error;

	switch (READ_ONCE(call->part->block)) {
	case SCATTER_BLOCK_HOME:
		error = scatter_move_take(call, rank);
		break;
	case SCATTER_BLOCK_RECORD:
		error = take_record(call, rank, call->part->cargo->length);
		break;
	case SCATTER_BLOCK_FAULT:
		return scatter_stage_void(call, rank);
	case SCATTER_BLOCK_TAKEN:
		/* By this call, before it paused; or nobody keeps it for a dead member. */
		return READ_ONCE(call->part->state) == SCATTER_PART_DEAD ? -EIO : 0;
	default:
		return 0;
	}
	if (!error)
		taken(call, rank, 1);
	return error;
}

static int take_own(struct scatter_call *call)
{
	if (call->in_place)
		return 0;
	return scatter_move_take(call, call->rank);
}

static int play_scatter_root(struct scatter_call *call)
{
	int error;

	spin_lock(&call->group->lock);
	scatter_link_claim_all_locked(call, call->rank);
	spin_unlock(&call->group->lock);
	error = forward(call);
	if (error)
		return error;

	error = take_own(call);
	if (error == -EFAULT)
		call->part->faulted = true;
	else if (error)
		return error;

	spin_lock(&call->group->lock);
	error = scatter_coll_await_locked(call, is_emptied, call->rank,
					  call->rank);
	/* Blocks that nobody wants any more have left it, too. */
	if (call->operation->error == -ETIME)
		error = scatter_coll_blame_locked(call);
	if (!error && call->part->faulted)
		error = -EFAULT;
	spin_unlock(&call->group->lock);
	return error;
}

/* An irregular tree has no message for who gets nothing, if nobody behind does. */
static bool needs_nothing(const struct scatter_call *call)
{
	const struct scatter_spec *spec = &call->operation->spec;

	return spec->schedule.algorithm == SCATTER_ALGORITHM_IRREGULAR &&
	       !call->length;
}

static int play_scatter_leaf(struct scatter_call *call)
{
	int error;

	if (needs_nothing(call))
		return 0;
	spin_lock(&call->group->lock);
	error = scatter_coll_await_locked(call, is_delivered, call->operation->spec.root,
					  call->operation->spec.root);
	/* Of several trees the root's call does all sends. */
	if (call->part->delivered && call->operation->trees == 1)
		scatter_link_claim_all_locked(call, call->rank);
	spin_unlock(&call->group->lock);
	forward(call);
	return error ?: take(call);
}

/* Whether all blocks of the own subtree are in, if we know what that is. */
static bool complete_locked(const struct scatter_call *call)
{
	struct scatter_walk walk;

	lockdep_assert_held(&call->group->lock);
	if (!call->operation->decided)
		return false;
	scatter_plan_walk(call->operation, call->rank, &walk);
	return call->operation->branches[call->rank].arrived ==
	       scatter_schedule_children(&walk, 0);
}

/*
 * Let the own block go up the tree: with the children's if those are in, else
 * whoever brings the last of them, or the root, which decides about the tree of a v
 * form, sends both. A block that goes as payload is put aside first, so that
 * this call need not wait for them.
 */
static void offer(struct scatter_call *call)
{
	struct scatter_group *group = call->group;
	struct scatter_part *part = call->part;
	bool all;

	spin_lock(&group->lock);
	all = complete_locked(call);
	spin_unlock(&group->lock);
	if (!all)
		scatter_link_stash(call);
	spin_lock(&group->lock);
	part->ready = true;
	scatter_link_claim_all_locked(call, call->rank);
	spin_unlock(&group->lock);
	forward(call);
}

/* Copy a block from its rank's memory to the root's, as one of the two. */
static int move_claimed(struct scatter_call *call, u32 rank)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_part *part = &operation->parts[rank];
	u32 other = rank == call->rank ? operation->spec.root : rank;
	int error;

	if (rank == call->rank)
		error = scatter_move_give(call);
	else
		error = scatter_move_take(call, rank);
	if (!error)
		taken(call, rank, 1);
	spin_lock(&call->group->lock);
	part->moving = false;
	/* It is the other's turn, who could not claim it while it was moving. */
	if (error == -EAGAIN && operation->parts[other].waiting)
		scatter_wake(call->group->members[other]);
	spin_unlock(&call->group->lock);
	return error;
}

static int play_gather_leaf(struct scatter_call *call)
{
	u32 root = call->operation->spec.root;
	struct scatter_part *part = call->part;
	int error;

	if (!part->ready)
		offer(call);
	do {
		bool home;

		spin_lock(&call->group->lock);
		error = scatter_coll_await_locked(call, is_collectable, root,
						  root);
		home = part->block == SCATTER_BLOCK_HOME;
		if (!error && home)
			part->moving = true;
		if (!error && part->block == SCATTER_BLOCK_FAULT)
			error = -EFAULT;
		spin_unlock(&call->group->lock);
		if (!error && home)
			error = move_claimed(call, call->rank);
	} while (error == -EAGAIN);
	return error;
}

/*
 * Blocks that lie in the memory of ranks asleep can be copied by them, on other
 * CPUs. But who may not wait does all that is possible alone.
 */
static void wake_givers(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 rank;

	if (!scatter_wait_allowed(call->deadline_ns))
		return;
	/* A rank that begins to wait later has seen that the root is there. */
	for (rank = 0; READ_ONCE(operation->home) && rank < operation->size; rank++) {
		const struct scatter_part *part = &operation->parts[rank];

		if (READ_ONCE(part->waiting) &&
		    READ_ONCE(part->block) == SCATTER_BLOCK_HOME)
			scatter_wake(call->group->members[rank]);
		cond_resched();
	}
}

/*
 * Whether the root can do something about a block in the memory of its rank: the owner has
 * nothing left to do but wait for it to be collected, or has brought or staged some of it.
 */
static bool is_claimable(const struct scatter_part *part)
{
	if (part->block != SCATTER_BLOCK_HOME || part->moving ||
	    scatter_part_owed(part))
		return false;
	/* What is staged is in kernel memory: the owner may have paused its call. */
	if (scatter_part_is_staged(part))
		return true;
	return scatter_part_is_open(part) &&
	       (part->bring == SCATTER_BRING_DONE || part->fetch ||
		(part->waiting && !part->give));
}

static u32 find_home_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	u32 i = 0;

	lockdep_assert_held(&call->group->lock);
	while (operation->home && i < operation->size) {
		u32 rank = (operation->turn + i) % operation->size;

		if (is_claimable(&operation->parts[rank]))
			return rank;
		scatter_group_breathe_locked(call->group, ++i);
	}
	return SCATTER_NO_RANK;
}

static u32 claim_home_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	u32 rank = find_home_locked(call);

	lockdep_assert_held(&call->group->lock);
	if (rank == SCATTER_NO_RANK)
		return rank;
	operation->parts[rank].moving = true;
	operation->turn = rank + 1;
	return rank;
}

/* Go on with the bundle in hand, or the next that has arrived. */
static bool next_bundle_locked(struct scatter_operation *operation)
{
	struct scatter_walk walk;
	struct scatter_step step;

	if (operation->bundle_count)
		return true;
	if (operation->queue_head == SCATTER_NO_RANK)
		return false;
	scatter_plan_walk(operation, operation->queue_head, &walk);
	scatter_schedule_parent(&walk, 0, &step);
	scatter_plan_translate(operation, &step);
	operation->bundle_first = step.first;
	operation->bundle_count = step.count;
	operation->queue_head = operation->branches[operation->queue_head].link;
	return true;
}

/*
 * Take the next blocks of the bundle in hand that are payload; others are given by
 * their owners or void.
 */
static int collect(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 rank = operation->bundle_first;
	u32 n = scatter_operation_run(operation, rank, operation->bundle_count);
	int error;

	if (READ_ONCE(operation->parts[rank].block) == SCATTER_BLOCK_RECORD) {
		error = take_record(call, rank,
				    scatter_operation_bytes(operation, rank, n));
		if (error)
			return error;
		taken(call, rank, n);
	}
	operation->bundle_first = (rank + n) % operation->size;
	operation->bundle_count -= n;
	return 0;
}

/* Whether there was something to take; *@error tells how that went. */
static bool collect_some_locked(struct scatter_call *call, int *error)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	u32 rank = SCATTER_NO_RANK;
	bool bundle;

	lockdep_assert_held(&call->group->lock);
	bundle = next_bundle_locked(operation);
	if (!bundle)
		rank = claim_home_locked(call);
	if (!bundle && rank == SCATTER_NO_RANK)
		return false;
	call->part->waiting = false;
	spin_unlock(&call->group->lock);
	*error = bundle ? collect(call) : move_claimed(call, rank);
	spin_lock(&call->group->lock);
	return true;
}

/* Whether something has yet to come from others, as opposed to being here already. */
static bool is_awaited(const struct scatter_operation *operation)
{
	return operation->delivered < operation->expected || operation->home;
}

/*
 * What has come when a deadline of all passes is taken. The root counts as waiting from before
 * it looks: while it does, the lock is dropped, and what others change then has to be an event.
 */
static int collect_all_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	int error = 0;

	while (is_awaited(operation) ||
	       operation->queue_head != SCATTER_NO_RANK ||
	       operation->bundle_count) {
		int trouble = 0;

		scatter_coll_expect_locked(call);
		scatter_operation_fate_locked(call->group, operation);
		if (operation->error &&
		    (operation->abort || operation->error != -ETIME ||
		     is_awaited(operation)))
			return scatter_coll_blame_locked(call);
		if (collect_some_locked(call, &trouble)) {
			if (trouble && trouble != -EAGAIN &&
			    trouble != -EREMOTEIO)
				return trouble;
			continue;
		}
		if (error)
			return error;
		if (!scatter_prefault_some_locked(call))
			error = scatter_coll_sleep_locked(call, call->rank);
	}
	return 0;
}

/*
 * In a v form leaves of the tree may have put their blocks aside and be gone before it
 * was decided: their sends are ours. Those who become ready from now on see to
 * their own.
 */
static void claim_ready(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 rank;

	for (rank = 0; rank < operation->size; rank++) {
		spin_lock(&call->group->lock);
		if (operation->parts[rank].ready)
			scatter_link_claim_all_locked(call, rank);
		spin_unlock(&call->group->lock);
		cond_resched();
	}
}

static int play_gather_root(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	int error;

	if (scatter_op_is_vector(operation->spec.op))
		claim_ready(call);
	forward(call);
	wake_givers(call);
	error = take_own(call);
	if (error)
		return error;
	spin_lock(&call->group->lock);
	error = collect_all_locked(call);
	call->part->waiting = false;
	if (!error && operation->fault_rank != SCATTER_NO_RANK) {
		error = -EREMOTEIO;
		call->culprit = operation->fault_rank;
	}
	if (operation->abort || (error == -EREMOTEIO && operation->error))
		error = scatter_coll_blame_locked(call);
	spin_unlock(&call->group->lock);
	return error;
}

static int play_barrier(struct scatter_call *call)
{
	int error;

	spin_lock(&call->group->lock);
	error = scatter_coll_await_locked(call, is_complete, call->rank, call->rank);
	spin_unlock(&call->group->lock);
	/* Those asleep saw it incomplete, so they are marked as waiting. */
	if (call->last)
		scatter_operation_wake(call->group, call->operation);
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
	bool root;

	/* Who the root is may not be known yet. */
	if (call->idle)
		return 0;
	root = call->rank == spec->root;
	if (call->operation->combine)
		return scatter_combine_play(call);
	switch (spec->op) {
	case SCATTER_OP_SCATTER:
	case SCATTER_OP_SCATTERV:
		return root ? play_scatter_root(call) : play_scatter_leaf(call);
	case SCATTER_OP_GATHER:
	case SCATTER_OP_GATHERV:
		return root ? play_gather_root(call) : play_gather_leaf(call);
	case SCATTER_OP_DUP:
	case SCATTER_OP_SPLIT:
		return scatter_regroup_play(call);
	default:
		return play_barrier(call);
	}
}
