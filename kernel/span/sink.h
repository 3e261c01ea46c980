/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SINK_H
#define _SCATTER_SINK_H

#include <linux/sizes.h>
#include <linux/types.h>

struct page;
struct scatter_chunks;
struct scatter_group;
struct scatter_operation;
struct scatter_segment;
struct scatter_slot;
struct scatter_wide_data;
struct scatter_wide_grant;

/*
 * Short PULLs and short answers are costly: each block may have a few of any length, and further
 * ones have at least so many bytes on average.
 */
#define SCATTER_SINK_MEAN	512
#define SCATTER_SINK_FEW	4

/*
 * Most bytes of the blocks in hand that all takers of a group have asked for and not got, unless
 * these are few pages: if nodes forward the blocks, and if none does.
 */
#define SCATTER_SINK_FORWARDED	((u64)SZ_1M)
#define SCATTER_SINK_DIRECT	((u64)SZ_2M)

u64 scatter_sink_ahead(const struct scatter_slot *slot);
u64 scatter_sink_most(const struct scatter_group *group);
void scatter_sink_pull(struct scatter_group *group, u32 to, u64 number, u32 rank, u64 offset,
		       u32 bytes);
void scatter_sink_ask(struct scatter_group *group, u64 number, u32 rank, u64 taken, u64 length);
void scatter_sink_ask_ahead(struct scatter_group *group, u64 number, u32 rank, u64 taken,
			    u64 length);
void scatter_sink_prefetch(struct scatter_group *group, struct scatter_operation *operation,
			   struct scatter_slot *slot, const u16 *place, u32 nr);
void scatter_sink_data(struct scatter_group *group, struct scatter_slot *slot,
		       const struct scatter_wide_data *wide, struct page *page, u32 offset);
void scatter_sink_segment(struct scatter_group *group, struct scatter_slot *slot,
			  const struct scatter_wide_grant *grant,
			  struct scatter_segment *segment);
void scatter_sink_take(struct scatter_group *group, u64 number, u32 rank,
		       struct scatter_chunks *chunks);

#endif /* _SCATTER_SINK_H */
