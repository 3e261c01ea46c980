/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_EDGE_H
#define _SCATTER_EDGE_H

#include <linux/types.h>

struct page;
struct scatter_group;
struct scatter_segment;
struct scatter_wide_bundle;
struct scatter_wide_data;
struct scatter_wide_done;
struct scatter_wide_edge;
struct scatter_wide_grant;
struct scatter_wide_lane;
struct scatter_wide_pull;

/* Instead of the number of an operation: perhaps something has happened to any; to none. */
#define SCATTER_EDGE_ALL	(~(u64)0)
#define SCATTER_EDGE_NONE	(~(u64)1)

void scatter_edge_push(struct scatter_group *group, u64 number);
void scatter_edge_meet(struct scatter_group *group, u64 number);
bool scatter_edge_receive(struct scatter_group *group, u32 from,
			  const struct scatter_wide_edge *edge);
bool scatter_edge_bundle(struct scatter_group *group, u32 from,
			 const struct scatter_wide_bundle *wide, struct page *page, u32 offset,
			 bool *news);
bool scatter_edge_pull(struct scatter_group *group, u32 from,
		       const struct scatter_wide_pull *wide);
bool scatter_edge_data(struct scatter_group *group, u32 from,
		       const struct scatter_wide_data *wide, struct page *page, u32 offset);
bool scatter_edge_fetched(struct scatter_group *group, u32 from,
			  const struct scatter_wide_grant *grant, struct scatter_segment *segment);
bool scatter_edge_done(struct scatter_group *group, u32 from,
		       const struct scatter_wide_done *done);
bool scatter_edge_lane(struct scatter_group *group, u32 from,
		       const struct scatter_wide_lane *wide, struct page *page, u32 offset);

#endif /* _SCATTER_EDGE_H */
