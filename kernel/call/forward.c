// SPDX-License-Identifier: GPL-2.0
/*
 * Forwarding: the sends of ranks that a call has claimed, their own or other ones'.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "call/forward.h"
#include "group/group.h"
#include "link/link.h"
#include "operation/call.h"
#include "operation/operation.h"
#include "operation/plan.h"

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
		walk->cursor = operation->move.root_cursor;
	while (scatter_schedule_next(walk, &step)) {
		if (!step.send)
			continue;
		scatter_link_cross(call, walk, &step);
		cond_resched();
		if (!own || ++sent % SCATTER_CROSSINGS || !signal_pending(current))
			continue;
		spin_lock(&call->group->lock);
		operation->move.root_cursor = walk->cursor;
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

/**
 * scatter_forward() - do all sends that a call has claimed, and those it claims by doing them
 * @call: the call
 *
 * Context: may sleep and fault; no locks.
 * Return: 0; -EINTR if a signal has paused the root's sends: what the call has claimed of others
 * is done nevertheless.
 */
int scatter_forward(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_walk walk;
	bool first = true;
	int error = 0;

	while (call->ready != SCATTER_NO_RANK) {
		u32 tree = call->ready / operation->size;
		u32 rank = call->ready % operation->size;

		call->ready = operation->move.branches[call->ready].link;
		scatter_plan_walk(operation, rank, &walk);
		if (!(operation->move.trees > 1 ?
		      forward_one(call, &walk, rank, tree, first) :
		      forward_all(call, &walk, rank)))
			error = -EINTR;
		first = false;
		cond_resched();
	}
	return error;
}
