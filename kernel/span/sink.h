/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SINK_H
#define _SCATTER_SINK_H

#include <linux/types.h>

struct page;
struct scatter_chunks;
struct scatter_group;
struct scatter_segment;
struct scatter_slot;
struct scatter_wide_data;
struct scatter_wide_grant;

void scatter_sink_data(struct scatter_group *group, struct scatter_slot *slot,
		       const struct scatter_wide_data *wide, struct page *page, u32 offset);
void scatter_sink_segment(struct scatter_group *group, struct scatter_slot *slot,
			  const struct scatter_wide_grant *grant,
			  struct scatter_segment *segment);
void scatter_sink_take(struct scatter_group *group, u64 number, u32 sink,
		       struct scatter_chunks *chunks);

#endif /* _SCATTER_SINK_H */
