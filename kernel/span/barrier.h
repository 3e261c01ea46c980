/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BARRIER_BETWEEN_H
#define _SCATTER_BARRIER_BETWEEN_H

#include <linux/types.h>

struct scatter_group;
struct scatter_operation;
struct scatter_slot;
struct scatter_wide_edge;

int scatter_barrier_tree(struct scatter_group *group);
void scatter_barrier_push(struct scatter_group *group, struct scatter_operation *operation,
			  struct scatter_slot *slot);
bool scatter_barrier_came(struct scatter_group *group, u32 from,
			  const struct scatter_wide_edge *edge);

#endif /* _SCATTER_BARRIER_BETWEEN_H */
