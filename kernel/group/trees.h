/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_TREES_H
#define _SCATTER_TREES_H

#include <linux/types.h>

struct scatter_schedule_spec;
struct scatter_slot;
struct scatter_slot_edge;

void scatter_trees_find(struct scatter_slot *slot, const struct scatter_schedule_spec *plan,
			bool downwards);
void scatter_trees_reset(struct scatter_slot *slot);
void scatter_trees_take(struct scatter_slot *slot, struct scatter_slot *from);
void scatter_trees_free(struct scatter_slot *slot);
struct scatter_slot_edge *scatter_trees_edge_to(const struct scatter_slot *slot, u32 tree,
						u32 place);
struct scatter_slot_edge *scatter_trees_edge_of(const struct scatter_slot *slot, u32 tree,
						u32 node);

#endif /* _SCATTER_TREES_H */
