/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PLAN_H
#define _SCATTER_PLAN_H

#include <linux/types.h>

#include "schedule/schedule.h"

struct scatter_group;
struct scatter_operation;
struct scatter_slice;
struct scatter_spec;
struct scatter_user;

/**
 * struct scatter_tree - the tree of one irregular operation
 * @table: the tree, as the schedule gets it
 * @node: by rank
 */
struct scatter_tree {
	struct scatter_irregular table;
	struct scatter_irregular_node node[];
};

struct scatter_tree *scatter_plan_tree(struct scatter_user *user,
				       const struct scatter_slice *slices,
				       const struct scatter_spec *spec);
void scatter_plan_decide_locked(struct scatter_group *group,
				struct scatter_operation *operation, u64 block);
bool scatter_plan_contiguous(const struct scatter_operation *operation);
void scatter_plan_walk(const struct scatter_operation *operation, u32 rank,
		       struct scatter_walk *walk);
void scatter_plan_translate(const struct scatter_operation *operation,
			    struct scatter_step *step);
bool scatter_plan_carries(const struct scatter_walk *walk,
			  const struct scatter_step *step, u32 place);
u64 scatter_plan_bytes(const struct scatter_operation *operation,
		       const struct scatter_walk *walk,
		       const struct scatter_step *step);

#endif /* _SCATTER_PLAN_H */
