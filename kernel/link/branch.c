// SPDX-License-Identifier: GPL-2.0
/*
 * Branches: who does a rank's sends in which tree of the schedule.
 */
#include <linux/lockdep.h>

#include "group/group.h"
#include "link/branch.h"
#include "memory/hands.h"
#include "operation/operation.h"
#include "operation/plan.h"

/**
 * scatter_branch_claim_locked() - a context will do a rank's sends in a tree
 * @hands: the context's
 * @operation: the operation that it works at, of kind move
 * @rank: the rank
 * @tree: the tree; nobody has claimed the sends in it before
 *
 * Context: the group's lock is held.
 */
void scatter_branch_claim_locked(struct scatter_hands *hands,
				 struct scatter_operation *operation, u32 rank, u32 tree)
{
	struct scatter_branch *branch = scatter_operation_branch(operation, rank, tree);

	lockdep_assert_held(&operation->group->lock);
	branch->forwarded = true;
	branch->link = hands->ready;
	hands->ready = branch - operation->move.branches;
}

/**
 * scatter_branch_claim_all_locked() - a context will do those of a rank's sends that may begin
 * @hands: the context's
 * @operation: the operation that it works at, of kind move
 * @rank: the rank: it has got its bundle, or in a gather has its own block ready
 *
 * In a gather these are the sends in trees whose bundles have all arrived at the rank.
 *
 * Context: the group's lock is held.
 */
void scatter_branch_claim_all_locked(struct scatter_hands *hands,
				     struct scatter_operation *operation, u32 rank)
{
	bool gathers = scatter_op_gathers(operation->spec.op);
	struct scatter_walk walk;
	u32 tree;

	lockdep_assert_held(&operation->group->lock);
	if (!operation->decided)
		return;
	scatter_plan_walk(operation, rank, &walk);
	/* The last one claimed is the first one done. */
	for (tree = operation->move.trees; tree-- > 0;) {
		struct scatter_branch *branch =
			scatter_operation_branch(operation, rank, tree);

		if (branch->forwarded ||
		    (gathers && branch->arrived !=
		     scatter_schedule_children(&walk, tree)))
			continue;
		scatter_branch_claim_locked(hands, operation, rank, tree);
	}
}
