/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ARRIVAL_H
#define _SCATTER_ARRIVAL_H

#include <linux/types.h>

struct scatter_group;
struct scatter_operation;
struct scatter_slot;
struct scatter_slot_edge;

bool scatter_arrival_is_whole(const struct scatter_slot *slot);
u32 scatter_arrival_hand_out_locked(struct scatter_group *group,
				    struct scatter_operation *operation,
				    const struct scatter_slot *slot);
bool scatter_arrival_has_all(const struct scatter_slot *slot, const struct scatter_slot_edge *edge);
u32 scatter_arrival_collect_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   const struct scatter_slot *slot,
				   const struct scatter_slot_edge *edge);
void scatter_arrival_forgo_locked(struct scatter_group *group,
				  struct scatter_operation *operation,
				  const struct scatter_slot *slot);

#endif /* _SCATTER_ARRIVAL_H */
