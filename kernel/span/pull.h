/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PULL_H
#define _SCATTER_PULL_H

#include <linux/types.h>

struct page;
struct scatter_group;
struct scatter_segment;
struct scatter_slot;
struct scatter_slot_pull;
struct scatter_wide_data;
struct scatter_wide_grant;
struct scatter_wide_pull;

bool scatter_pull_next(struct scatter_group *group, u64 number, u32 owner,
		       struct scatter_slot_pull *pull);
void scatter_pull_answer(struct scatter_group *group, u64 number,
			 const struct scatter_slot_pull *pull, struct scatter_segment *segment);
void scatter_pull_void(struct scatter_group *group, struct scatter_slot *slot);
bool scatter_pull_asked(struct scatter_group *group, struct scatter_slot *slot, u32 from,
			const struct scatter_wide_pull *wide);
bool scatter_pull_came(struct scatter_group *group, struct scatter_slot *slot, u32 from,
		       const struct scatter_wide_data *wide, struct page *page, u32 offset);
bool scatter_pull_fetched(struct scatter_group *group, struct scatter_slot *slot, u32 from,
			  const struct scatter_wide_grant *grant, struct scatter_segment *segment);

#endif /* _SCATTER_PULL_H */
