/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FLOW_H
#define _SCATTER_FLOW_H

#include <linux/types.h>

struct page;
struct scatter_group;
struct scatter_operation;
struct scatter_slot;
struct scatter_wide_bundle;

bool scatter_flow_is_idle_root_locked(struct scatter_group *group,
				      const struct scatter_operation *operation, u32 root);
void scatter_flow_disagree(struct scatter_group *group, struct scatter_operation *operation,
			   u32 root);
void scatter_flow_meet(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot);
void scatter_flow_push(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot);
bool scatter_flow_is_through_locked(const struct scatter_group *group,
				    const struct scatter_slot *slot);
bool scatter_flow_came(struct scatter_group *group, struct scatter_operation *operation, u32 from,
		       const struct scatter_wide_bundle *wide, struct page *page, u32 offset,
		       bool *news);
bool scatter_flow_done(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot, u32 from);

#endif /* _SCATTER_FLOW_H */
