/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SPAN_H
#define _SCATTER_SPAN_H

#include <linux/types.h>

struct scatter_group;

void scatter_span_move(struct scatter_group *group, u64 number);
void scatter_span_settle_quietly(struct scatter_group *group, u64 number);
void scatter_span_settle_one(struct scatter_group *group, u64 number);
void scatter_span_convene(struct scatter_group *group);
void scatter_span_settle(struct scatter_group *group);
void scatter_span_departed(struct scatter_group *group, u32 rank, bool left, u64 number);
void scatter_span_revoked(struct scatter_group *group, u32 rank);
void scatter_span_mismatched(struct scatter_group *group, u32 rank, u64 number);
void scatter_span_failed(struct scatter_group *group, u32 rank, u64 number);
void scatter_span_stopped(struct scatter_group *group, u32 rank, u64 number);
void scatter_span_inquire(struct scatter_group *group);

#endif /* _SCATTER_SPAN_H */
