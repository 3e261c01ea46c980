// SPDX-License-Identifier: GPL-2.0
/*
 * Branches: which context does a rank's sends in which tree of the schedule.
 */
#include <linux/lockdep.h>

#include "group/group.h"
#include "link/branch.h"
#include "memory/hands.h"
#include "operation/operation.h"
#include "operation/plan.h"

/**
 * scatter_branch_claim_locked() - claim a rank's sends in a tree for a context
 * @hands: the context's hands
 * @operation: the context's operation, of kind move
 * @rank: the rank
 * @tree: the tree; no context has claimed the rank's sends in it before
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
 * scatter_branch_claim_all_locked() - claim those of a rank's sends that may begin
 * @hands: hands of the context that will do the sends
 * @operation: the context's operation, of kind move
 * @rank: the rank; its bundle has arrived, or in a gather its own block is ready
 *
 * In a gather, the rank's send in a tree may begin when the bundles of all its children in that
 * tree have arrived.
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
	/* A context does the branch that it claimed last first. */
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
