// SPDX-License-Identifier: GPL-2.0
/*
 * Forwarding: a context does the sends that it has claimed, of its own rank or of other ranks.
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

/* A root looks for a signal once in so many sends. */
#define SCATTER_CROSSINGS	64

/* Do a rank's sends in one of several trees. */
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
 * Do all sends that a rank has left in the only tree. A root may have many sends, so it looks for
 * a signal now and then. False if a signal pauses the root: the resumed call claims the rest again.
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
 * Do a rank's sends in one of several trees. A scatter's root looks for a signal before each
 * tree but the first. False if a signal pauses the root: the resumed call claims this tree again.
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
 * scatter_forward() - do all sends that a context has claimed, or claims on the way
 * @hands: the context's hands
 * @operation: the operation, of kind move
 *
 * Context: may sleep and fault; no locks.
 * Return: 0, or -EINTR if a signal has paused the root's sends. The claimed sends of other ranks
 * are done in either case.
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
