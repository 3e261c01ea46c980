// SPDX-License-Identifier: GPL-2.0
/*
 * Forwarding: the sends of ranks that a context has claimed, their own or other ones'.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "call/forward.h"
#include "group/group.h"
#include "link/link.h"
#include "memory/hands.h"
#include "operation/operation.h"
#include "operation/plan.h"

/* How many sends of a root that a signal does not come between. */
#define SCATTER_CROSSINGS	64

/* A rank's sends in one of several trees. */
static void forward_tree(struct scatter_hands *hands, struct scatter_operation *operation,
			 const struct scatter_walk *walk, u32 tree)
{
	struct scatter_step step;
	u32 i;

	if (scatter_op_gathers(operation->spec.op)) {
		if (scatter_schedule_parent(walk, tree, &step))
			scatter_link_cross(hands, operation, walk, &step);
		return;
	}
	for (i = 0; scatter_schedule_child(walk, tree, i, &step); i++)
		scatter_link_cross(hands, operation, walk, &step);
}

/*
 * Of a rank's sends in one tree, all that are left. A root may have many: it looks now and then
 * whether a signal pauses it. False if it does: the resumed call claims the rest again.
 */
static bool forward_all(struct scatter_hands *hands, struct scatter_operation *operation,
			struct scatter_walk *walk, u32 rank)
{
	bool own = rank == operation->spec.root;
	struct scatter_step step;
	u32 sent = 0;

	if (own)
		walk->cursor = operation->move.root_cursor;
	while (scatter_schedule_next(walk, &step)) {
		if (!step.send)
			continue;
		scatter_link_cross(hands, operation, walk, &step);
		cond_resched();
		if (!own || ++sent % SCATTER_CROSSINGS || !signal_pending(current))
			continue;
		spin_lock(&operation->group->lock);
		operation->move.root_cursor = walk->cursor;
		scatter_operation_branch(operation, rank, 0)->forwarded = false;
		spin_unlock(&operation->group->lock);
		return false;
	}
	return true;
}

/*
 * Of several trees, a rank's sends in one. A signal comes between those of a scatter's root, too.
 * False if it does: the resumed call claims the sends in this tree again.
 */
static bool forward_one(struct scatter_hands *hands, struct scatter_operation *operation,
			struct scatter_walk *walk, u32 rank, u32 tree, bool first)
{
	if (first || rank != operation->spec.root || !signal_pending(current) ||
	    !scatter_op_scatters(operation->spec.op)) {
		forward_tree(hands, operation, walk, tree);
		return true;
	}
	spin_lock(&operation->group->lock);
	scatter_operation_branch(operation, rank, tree)->forwarded = false;
	spin_unlock(&operation->group->lock);
	return false;
}

/**
 * scatter_forward() - do all sends that a context has claimed, and those it claims by doing them
 * @hands: the context's
 * @operation: the operation, of kind move
 *
 * Context: may sleep and fault; no locks.
 * Return: 0; -EINTR if a signal has paused the root's sends: what the context has claimed of others
 * is done nevertheless.
 */
int scatter_forward(struct scatter_hands *hands, struct scatter_operation *operation)
{
	struct scatter_walk walk;
	bool first = true;
	int error = 0;

	while (hands->ready != SCATTER_NO_RANK) {
		u32 tree = hands->ready / operation->size;
		u32 rank = hands->ready % operation->size;

		hands->ready = operation->move.branches[hands->ready].link;
		scatter_plan_walk(operation, rank, &walk);
		if (!(operation->move.trees > 1 ?
		      forward_one(hands, operation, &walk, rank, tree, first) :
		      forward_all(hands, operation, &walk, rank)))
			error = -EINTR;
		first = false;
		cond_resched();
	}
	return error;
}
