/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_COUNTS_H
#define _SCATTER_COUNTS_H

#include <linux/types.h>

struct page;
struct scatter_group;
struct scatter_operation;
struct scatter_slot;
struct scatter_wide_bundle;

bool scatter_counts_came(struct scatter_group *group, struct scatter_slot *slot, u32 from,
			 const struct scatter_wide_bundle *wide, struct page *page, u32 offset);
bool scatter_counts_stray(struct scatter_slot *slot);
void scatter_counts_make(struct scatter_group *group, struct scatter_operation *operation,
			 struct scatter_slot *slot);
void scatter_counts_push(struct scatter_group *group, struct scatter_slot *slot);
bool scatter_counts_done(struct scatter_slot *slot, u32 from);
bool scatter_counts_are_out_locked(const struct scatter_group *group,
				   const struct scatter_slot *slot);

#endif /* _SCATTER_COUNTS_H */
