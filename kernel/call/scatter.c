// SPDX-License-Identifier: GPL-2.0
/*
 * What a rank does in a scatter: the root sends all blocks, the others forward and take.
 *
 * The operation, not the stack, keeps what a call has done: the call can pause wherever it returns
 * -EINTR or -ETIMEDOUT.
 */
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "call/forward.h"
#include "call/scatter.h"
#include "group/group.h"
#include "link/branch.h"
#include "link/link.h"
#include "operation/await.h"
#include "operation/call.h"
#include "operation/operation.h"

static bool is_emptied(const struct scatter_call *call, u32 rank)
{
	return !call->operation->move.home;
}

static bool is_delivered(const struct scatter_call *call, u32 rank)
{
	return scatter_call_cargo(call)->delivered;
}

/* The error of a block that is too long for the rank's room. Nobody has copied any of the block. */
static int fit(struct scatter_call *call)
{
	if (!scatter_call_cargo(call)->too_long)
		return 0;
	call->culprit = call->operation->spec.root;
	return -EMSGSIZE;
}

/* Take the call's own block from wherever it is. */
static int take(struct scatter_call *call)
{
	u32 rank = call->rank;
	int error;

	switch (READ_ONCE(scatter_call_cargo(call)->state)) {
	case SCATTER_BLOCK_HOME:
		error = scatter_link_take(call, rank);
		break;
	case SCATTER_BLOCK_RECORD:
		error = scatter_link_unpack(call->hands, call->operation, rank,
					    scatter_call_slice(call)->length);
		break;
	case SCATTER_BLOCK_AWAY:
		error = scatter_link_fetch(call, rank);
		break;
	case SCATTER_BLOCK_FAULT:
		return scatter_link_void(call, rank);
	case SCATTER_BLOCK_TAKEN:
		/* The call took it before it paused; or nobody keeps a dead member's block. */
		return READ_ONCE(call->part->state) == SCATTER_PART_DEAD ? -EIO : 0;
	default:
		return 0;
	}
	if (!error)
		scatter_link_taken(call->operation, rank, 1);
	return error ?: fit(call);
}

static int play_root(struct scatter_call *call)
{
	int error;

	/* The blocks for other nodes have the longest way, so they go first. */
	error = scatter_link_send(call);
	if (error)
		return error;
	spin_lock(&call->group->lock);
	scatter_branch_claim_all_locked(call->hands, call->operation, call->rank);
	spin_unlock(&call->group->lock);
	error = scatter_forward(call->hands, call->operation);
	if (error)
		return error;

	error = scatter_link_take_own(call);
	if (error == -EFAULT)
		scatter_call_cargo(call)->faulted = true;
	else if (error)
		return error;

	spin_lock(&call->group->lock);
	error = scatter_await_locked(call, is_emptied, call->rank,
				     call->rank);
	/* Blocks that nobody wants any more have left the root's memory, too. */
	if (call->operation->error == -ETIME)
		error = scatter_await_blame_locked(call);
	if (!error && scatter_call_cargo(call)->faulted)
		error = -EFAULT;
	spin_unlock(&call->group->lock);
	return error ?: fit(call);
}

/* An irregular tree has no message for a rank that gets nothing, if no rank behind it does. */
static bool needs_nothing(const struct scatter_call *call)
{
	const struct scatter_spec *spec = &call->operation->spec;

	return spec->schedule.algorithm == SCATTER_ALGORITHM_IRREGULAR &&
	       !call->length;
}

static int play_leaf(struct scatter_call *call)
{
	int error;

	if (needs_nothing(call))
		return 0;
	spin_lock(&call->group->lock);
	error = scatter_await_locked(call, is_delivered, call->operation->spec.root,
				     call->operation->spec.root);
	/* With several trees the root's call does all sends. */
	if (scatter_call_cargo(call)->delivered && call->operation->move.trees == 1)
		scatter_branch_claim_all_locked(call->hands, call->operation, call->rank);
	spin_unlock(&call->group->lock);
	scatter_forward(call->hands, call->operation);
	return error ?: take(call);
}

/**
 * scatter_scatter_play() - play the rank's role in a scatter
 * @call: a call that has entered or resumed the scatter
 *
 * Context: may sleep and fault; no locks.
 * Return: as scatter_kind.play.
 */
int scatter_scatter_play(struct scatter_call *call)
{
	return call->rank == call->operation->spec.root ? play_root(call) :
							   play_leaf(call);
}
