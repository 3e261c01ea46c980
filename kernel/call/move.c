// SPDX-License-Identifier: GPL-2.0
/*
 * Scatters and gathers whose blocks move along the edges of a schedule, once each.
 */
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/scatter.h>
#include <linux/sched.h>

#include "call/gather.h"
#include "call/move.h"
#include "call/post.h"
#include "call/prefault.h"
#include "call/scatter.h"
#include "group/group.h"
#include "group/member.h"
#include "group/wait.h"
#include "link/link.h"
#include "operation/block.h"
#include "operation/call.h"
#include "operation/fail.h"
#include "operation/operation.h"

/* Memory of an operation: a cargo for each block, and a branch for each rank in each tree. */
static size_t size(const struct scatter_spec *spec, u32 size)
{
	return size_add(array_size(size, sizeof(struct scatter_cargo)),
			array3_size(size, scatter_spec_trees(spec),
				    sizeof(struct scatter_branch)));
}

static void init(struct scatter_operation *operation, const struct scatter_spec *spec,
		 void *own)
{
	operation->move.cargo = own;
	operation->move.branches = (void *)&operation->move.cargo[operation->size];
	/* If the group spans nodes, the schedule is about nodes: in each node there is one tree. */
	operation->move.trees = operation->group->spans ? 1 : scatter_spec_trees(spec);
	operation->move.noted_head = SCATTER_NO_RANK;
	operation->move.queue_head = SCATTER_NO_RANK;
	operation->move.queue_tail = SCATTER_NO_RANK;
	operation->move.fault_rank = SCATTER_NO_RANK;
	operation->move.long_rank = SCATTER_NO_RANK;
}

static void post(struct scatter_call *call)
{
	scatter_post_locked(call, true);
}

/* A paused call has resumed: wake the ranks that wait for its memory. */
static void resume(struct scatter_call *call)
{
	const struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	u32 rank;

	if (call->idle || !READ_ONCE(operation->move.home))
		return;
	if (call->rank != spec->root) {
		if (scatter_op_gathers(spec->op))
			scatter_operation_wake_rank(operation, spec->root);
		return;
	}
	for (rank = 0; rank < operation->size; rank++) {
		const struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

		if (READ_ONCE(cargo->state) == SCATTER_BLOCK_HOME)
			scatter_operation_wake_rank(operation, rank);
		cond_resched();
	}
}

static int play(struct scatter_call *call)
{
	if (scatter_op_scatters(call->operation->spec.op))
		return scatter_scatter_play(call);
	return scatter_gather_play(call);
}

/* Bring bytes of the call's own memory that other ranks have found absent, or are going to need. */
static int assist(struct scatter_call *call)
{
	return scatter_link_answer_locked(call) ?: scatter_prefault_some_locked(call);
}

/* A rank whose block is still at its source, if the search soon finds one. */
static u32 awaited(struct scatter_operation *operation)
{
	u32 rank, n;

	lockdep_assert_held(&operation->group->lock);
	if (!operation->move.home)
		return SCATTER_NO_RANK;
	rank = operation->move.home_rank;
	for (n = 0; n < SCATTER_GROUP_BATCH; n++) {
		operation->move.home_rank = rank;
		if (scatter_operation_cargo(operation, rank)->state == SCATTER_BLOCK_HOME)
			return rank;
		rank = (rank + 1) % operation->size;
	}
	return SCATTER_NO_RANK;
}

/* Whether others wait for the root of a scatter: it has sends left, or blocks in its memory. */
static bool root_owes(const struct scatter_operation *operation)
{
	u32 root = operation->spec.root;
	u32 tree;

	for (tree = 0; tree < operation->move.trees; tree++)
		if (!scatter_operation_branch(operation, root, tree)->forwarded)
			return true;
	return !scatter_operation_part(operation, root)->posted || operation->move.home;
}

/* If the root gives up, members wait in vain to take its blocks, or to be gathered from. */
static bool give_up(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;

	lockdep_assert_held(&operation->group->lock);
	if (operation->spec.root != call->rank ||
	    (!scatter_op_gathers(operation->spec.op) && !root_owes(operation)))
		return false;
	scatter_fail_locked(call->group, operation, -EREMOTEIO, call->rank, false);
	return true;
}

/* See scatter_remote_send() and scatter_remote_offer(). */
static bool settles(const struct scatter_call *call)
{
	const struct scatter_spec *spec = &call->operation->spec;

	if (scatter_op_scatters(spec->op))
		return call->rank == spec->root;
	return call->rank != spec->root && !scatter_group_member(call->group, spec->root);
}

static bool owes(const struct scatter_operation *operation, u32 rank)
{
	bool root = rank == operation->spec.root;

	lockdep_assert_held(&operation->group->lock);
	if (!scatter_spec_involves(&operation->spec, rank))
		return false;
	/* Nobody waits for a rank that has nothing to send in an irregular tree. */
	if (operation->decided && !scatter_operation_slice(operation, rank)->length &&
	    operation->spec.op == SCATTER_OP_GATHERV &&
	    operation->plan.algorithm == SCATTER_SCHEDULE_IRREGULAR)
		return root;
	if (scatter_op_scatters(operation->spec.op))
		return root && root_owes(operation);
	return root || !scatter_operation_part(operation, rank)->posted ||
	       scatter_operation_cargo(operation, rank)->state == SCATTER_BLOCK_HOME;
}

/*
 * Forget a rank's block. A block that the rank has in user memory, or has got, becomes void. A
 * block that is still on its way to the rank is dropped on arrival.
 */
static void forget(struct scatter_group *group, struct scatter_operation *operation,
		   u32 rank)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

	lockdep_assert_held(&group->lock);
	if (scatter_op_scatters(operation->spec.op)) {
		if (cargo->delivered)
			scatter_block_set_locked(group, operation, rank,
						 SCATTER_BLOCK_TAKEN, NULL);
	} else if (cargo->state == SCATTER_BLOCK_HOME) {
		scatter_block_set_locked(group, operation, rank,
					 SCATTER_BLOCK_FAULT, NULL);
	}
}

/*
 * Act on the death of a rank whose task is inside. The task may be filling a record or copying out
 * of one, so blocks in kernel memory stay. The root of a scatter does not wait for the rank's block
 * any more. A rank that waits for a block of a gather learns of the error.
 */
static void die(struct scatter_group *group, struct scatter_operation *operation, u32 rank)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

	lockdep_assert_held(&group->lock);
	if (scatter_op_scatters(operation->spec.op) && cargo->delivered &&
	    cargo->state == SCATTER_BLOCK_HOME)
		scatter_block_set_locked(group, operation, rank,
					 SCATTER_BLOCK_TAKEN, NULL);
}

/* Release the records of blocks that nobody took. */
static void release(struct scatter_group *group, struct scatter_operation *operation)
{
	u32 rank;

	for (rank = 0; operation->posted && rank < operation->size; rank++)
		scatter_block_release(group, operation, rank);
}

const struct scatter_kind scatter_move_kind = {
	.has_blocks = true,
	.size = size,
	.init = init,
	.post = post,
	.resume = resume,
	.settles = settles,
	.play = play,
	.assist = assist,
	.awaited = awaited,
	.give_up = give_up,
	.owes = owes,
	.forget = forget,
	.die = die,
	.free = release,
};
