// SPDX-License-Identifier: GPL-2.0
/*
 * What a rank does in a gather: the root collects all blocks, the others send or give theirs.
 *
 * A rank other than the root lets its block go up the tree, or gives the block to the root. The
 * root collects the bundles that have arrived, and the blocks that lie in the memory of other
 * ranks.
 *
 * The operation, not the stack, keeps what a call has done: the call can pause wherever it returns
 * -EINTR or -ETIMEDOUT.
 */
#include <linux/scatter.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "call/forward.h"
#include "call/gather.h"
#include "call/prefault.h"
#include "group/group.h"
#include "group/member.h"
#include "group/wait.h"
#include "link/branch.h"
#include "link/link.h"
#include "operation/await.h"
#include "operation/block.h"
#include "operation/call.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "operation/plan.h"

/* The call's block has left its memory, or the call may copy the block to the root, @rank. */
static bool is_collectable(const struct scatter_call *call, u32 rank)
{
	const struct scatter_cargo *cargo = scatter_call_cargo(call);

	return cargo->state != SCATTER_BLOCK_HOME ||
	       (!cargo->copying && !cargo->fetch &&
		scatter_part_is_open(scatter_operation_part(call->operation, rank)));
}

/* Whether all blocks of the rank's subtree are in; false while the schedule is undecided. */
static bool complete_locked(const struct scatter_call *call)
{
	struct scatter_walk walk;

	lockdep_assert_held(&call->group->lock);
	if (!call->operation->decided)
		return false;
	scatter_plan_walk(call->operation, call->rank, &walk);
	return call->operation->move.branches[call->rank].arrived ==
	       scatter_schedule_children(&walk, 0);
}

/*
 * Let the call's block go up the tree. If the children's bundles are in, this call sends all of
 * them. Else the context that brings the last bundle sends them; or the root does, when it decides
 * the tree of a v form. A block that goes as payload is put aside first, so that this call need
 * not wait for the children.
 */
static void offer(struct scatter_call *call)
{
	struct scatter_group *group = call->group;
	bool all;

	if (scatter_link_offer(call)) {
		scatter_call_cargo(call)->ready = true;
		return;
	}
	spin_lock(&group->lock);
	all = complete_locked(call);
	spin_unlock(&group->lock);
	if (!all)
		scatter_link_stash(call->hands, call->operation);
	spin_lock(&group->lock);
	scatter_call_cargo(call)->ready = true;
	scatter_branch_claim_all_locked(call->hands, call->operation, call->rank);
	spin_unlock(&group->lock);
	scatter_forward(call->hands, call->operation);
}

/* Copy a claimed block from its rank's memory to the root's, in the call of one of the two. */
static int move_claimed(struct scatter_call *call, u32 rank)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);
	u32 other = rank == call->rank ? operation->spec.root : rank;
	int error;

	if (rank == call->rank)
		error = scatter_link_give(call);
	else
		error = scatter_link_take(call, rank);
	if (!error)
		scatter_link_taken(call->operation, rank, 1);
	spin_lock(&call->group->lock);
	cargo->copying = false;
	/* The other rank has its turn now; that rank could not claim the block during the copy. */
	if (error == -EAGAIN)
		scatter_operation_wake_rank(operation, other);
	spin_unlock(&call->group->lock);
	return error;
}

static int play_leaf(struct scatter_call *call)
{
	u32 root = call->operation->spec.root;
	struct scatter_cargo *cargo = scatter_call_cargo(call);
	int error;

	if (!cargo->ready)
		offer(call);
	do {
		bool home;

		spin_lock(&call->group->lock);
		error = scatter_await_locked(call, is_collectable, root,
					     root);
		home = cargo->state == SCATTER_BLOCK_HOME;
		if (!error && home)
			cargo->copying = true;
		if (!error && cargo->state == SCATTER_BLOCK_FAULT)
			error = -EFAULT;
		spin_unlock(&call->group->lock);
		if (!error && home)
			error = move_claimed(call, call->rank);
	} while (error == -EAGAIN);
	return error;
}

/*
 * Sleeping ranks whose blocks lie in their own memory can copy those blocks on other CPUs. But a
 * root that may not wait copies all that it can alone.
 */
static void wake_givers(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 rank;

	if (!scatter_wait_allowed(call->deadline_ns))
		return;
	/* A rank that begins to wait later has seen that the root has called. */
	for (rank = 0; READ_ONCE(operation->move.home) && rank < operation->size; rank++) {
		const struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

		if (READ_ONCE(cargo->state) == SCATTER_BLOCK_HOME)
			scatter_operation_wake_rank(operation, rank);
		cond_resched();
	}
}

/*
 * Whether the root can copy some of a block that lies in its rank's memory: the rank only waits
 * for the root to collect the block, or has brought or staged the next bytes.
 */
static bool is_claimable(const struct scatter_operation *operation, u32 rank)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);
	const struct scatter_part *part = scatter_operation_part(operation, rank);

	if (cargo->state != SCATTER_BLOCK_HOME || cargo->copying ||
	    scatter_cargo_owed(cargo))
		return false;
	/* Staged bytes are in kernel memory, so the rank may have paused its call. */
	if (scatter_cargo_is_staged(cargo))
		return true;
	return scatter_part_is_open(part) &&
	       (cargo->bring == SCATTER_BRING_DONE || cargo->fetch ||
		(part->waiting && !cargo->give));
}

static u32 find_home_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	u32 i = 0;

	lockdep_assert_held(&call->group->lock);
	while (operation->move.home && i < operation->size) {
		u32 rank = (operation->move.turn + i) % operation->size;

		if (is_claimable(operation, rank))
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
	scatter_operation_cargo(operation, rank)->copying = true;
	operation->move.turn = rank + 1;
	return rank;
}

/* Go on with the bundle in hand, or with the next one that has arrived. False if there is none. */
static bool next_bundle_locked(struct scatter_operation *operation)
{
	struct scatter_walk walk;
	struct scatter_step step;

	if (operation->move.bundle_count)
		return true;
	if (operation->move.queue_head == SCATTER_NO_RANK)
		return false;
	scatter_plan_walk(operation, operation->move.queue_head, &walk);
	scatter_schedule_parent(&walk, 0, &step);
	scatter_plan_translate(operation, &step);
	operation->move.bundle_first = step.first;
	operation->move.bundle_count = step.count;
	operation->move.queue_head = operation->move.branches[operation->move.queue_head].link;
	return true;
}

/*
 * Take the next blocks of the bundle in hand, if they are payload or come from another node. The
 * other blocks are void, or their ranks give them.
 */
static int collect(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 rank = operation->move.bundle_first;
	u32 n = scatter_block_run(operation, rank, operation->move.bundle_count);
	int error;

	switch (READ_ONCE(scatter_operation_cargo(operation, rank)->state)) {
	case SCATTER_BLOCK_RECORD:
		error = scatter_link_unpack(call->hands, operation, rank,
					    scatter_block_bytes(operation, rank, n));
		break;
	case SCATTER_BLOCK_AWAY:
		error = scatter_link_fetch(call, rank);
		/*
		 * If nobody can read this block, the others may be there. -EFAULT is about the
		 * root's own buffer.
		 */
		if (error != -EFAULT &&
		    READ_ONCE(scatter_operation_cargo(operation, rank)->state) ==
		    SCATTER_BLOCK_FAULT)
			error = -EAGAIN;
		break;
	default:
		error = -EAGAIN;
	}
	if (!error)
		scatter_link_taken(operation, rank, n);
	if (error && error != -EAGAIN)
		return error;
	operation->move.bundle_first = (rank + n) % operation->size;
	operation->move.bundle_count -= n;
	return 0;
}

/* Take something that is there. False if there is nothing; *@error tells how the copy went. */
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

/* Whether the root still lacks blocks. Blocks that only wait to be taken do not count. */
static bool is_awaited(const struct scatter_operation *operation)
{
	return operation->move.delivered < operation->expected || operation->move.home;
}

/*
 * Collect all blocks. When a deadline of all has passed, the root still takes the blocks that have
 * come. The root counts as waiting before it looks: looking drops the lock, and a change that
 * others make meanwhile has to be an event.
 */
static int collect_all_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	int error = 0;

	while (is_awaited(operation) ||
	       operation->move.queue_head != SCATTER_NO_RANK ||
	       operation->move.bundle_count) {
		int trouble = 0;

		scatter_await_expect_locked(call);
		scatter_fail_fate_locked(call->group, operation);
		if (operation->error &&
		    (operation->abort || operation->error != -ETIME ||
		     is_awaited(operation)))
			return scatter_await_blame_locked(call);
		if (collect_some_locked(call, &trouble)) {
			if (trouble && trouble != -EAGAIN &&
			    trouble != -EREMOTEIO)
				return trouble;
			/* How the call ends has nothing to do with that block. */
			call->culprit = SCATTER_RANK_ANY;
			continue;
		}
		if (error)
			return error;
		if (!scatter_prefault_some_locked(call))
			error = scatter_await_sleep_locked(call, call->rank);
	}
	return 0;
}

/*
 * If the root decides the schedule, leaves of the tree may have put their blocks aside and returned
 * before: the root claims their sends. A rank that becomes ready from now on claims its own sends.
 */
static void claim_ready(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 rank;

	for (rank = 0; rank < operation->size; rank++) {
		spin_lock(&call->group->lock);
		if (scatter_operation_cargo(operation, rank)->ready)
			scatter_branch_claim_all_locked(call->hands, call->operation, rank);
		spin_unlock(&call->group->lock);
		cond_resched();
	}
}

static int play_root(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	int error;

	if (scatter_spec_is_open(&operation->spec))
		claim_ready(call);
	scatter_forward(call->hands, call->operation);
	wake_givers(call);
	error = scatter_link_take_own(call);
	if (error)
		return error;
	spin_lock(&call->group->lock);
	error = collect_all_locked(call);
	call->part->waiting = false;
	if (!error && operation->move.fault_rank != SCATTER_NO_RANK) {
		error = -EREMOTEIO;
		call->culprit = operation->move.fault_rank;
	}
	if (!error && operation->move.long_rank != SCATTER_NO_RANK) {
		error = -EMSGSIZE;
		call->culprit = operation->move.long_rank;
	}
	if (operation->abort || (error == -EREMOTEIO && operation->error))
		error = scatter_await_blame_locked(call);
	spin_unlock(&call->group->lock);
	return error;
}

/**
 * scatter_gather_play() - play the rank's role in a gather
 * @call: a call that has entered or resumed the gather
 *
 * Context: may sleep and fault; no locks.
 * Return: as scatter_kind.play.
 */
int scatter_gather_play(struct scatter_call *call)
{
	return call->rank == call->operation->spec.root ? play_root(call) :
							   play_leaf(call);
}
