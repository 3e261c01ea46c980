/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FAILED_H
#define _SCATTER_FAILED_H

#include <linux/rbtree_types.h>
#include <linux/types.h>

/**
 * struct scatter_failed - an operation that has failed, and that this node has passed
 * @by_number: in scatter_portal.failed
 * @number: the operation's number
 * @culprit: the rank whose call failed
 */
struct scatter_failed {
	struct rb_node by_number;
	u64 number;
	u32 culprit;
};

bool scatter_failed_keep(struct rb_root *kept, u64 number, u32 culprit);
struct scatter_failed *scatter_failed_next(const struct rb_root *kept,
					   struct scatter_failed *failed);
void scatter_failed_forget(struct rb_root *kept, u64 below);

#endif /* _SCATTER_FAILED_H */
