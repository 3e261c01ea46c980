// SPDX-License-Identifier: GPL-2.0
/*
 * Branches: who does a rank's sends in which tree of the schedule.
 */
#include <linux/lockdep.h>

#include "group/group.h"
#include "link/branch.h"
#include "operation/call.h"
#include "operation/operation.h"
#include "operation/plan.h"

/**
 * scatter_branch_claim_locked() - a call will do a rank's sends in a tree
 * @call: the call
 * @rank: the rank
 * @tree: the tree; nobody has claimed the sends in it before
 *
 * Context: the group's lock is held.
 */
void scatter_branch_claim_locked(struct scatter_call *call, u32 rank, u32 tree)
{
	struct scatter_branch *branch =
		scatter_operation_branch(call->operation, rank, tree);

	lockdep_assert_held(&call->group->lock);
	branch->forwarded = true;
	branch->link = call->ready;
	call->ready = branch - call->operation->move.branches;
}

/**
 * scatter_branch_claim_all_locked() - this call will do those of a rank's sends that may begin
 * @call: the call
 * @rank: the rank: it has got its bundle, or in a gather has its own block ready
 *
 * In a gather these are the sends in trees whose bundles have all arrived at the rank.
 *
 * Context: the group's lock is held.
 */
void scatter_branch_claim_all_locked(struct scatter_call *call, u32 rank)
{
	struct scatter_operation *operation = call->operation;
	bool gathers = scatter_op_gathers(operation->spec.op);
	struct scatter_walk walk;
	u32 tree;

	lockdep_assert_held(&call->group->lock);
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
		scatter_branch_claim_locked(call, rank, tree);
	}
}
