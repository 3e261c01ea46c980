/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_DONE_H
#define _SCATTER_DONE_H

#include <linux/types.h>

struct scatter_group;
struct scatter_portal;
struct scatter_slot;

void scatter_done_answer(struct scatter_group *group, u32 to, u64 number);
void scatter_done_hurry(struct scatter_group *group, u64 end);
void scatter_done_owe(struct scatter_group *group, struct scatter_slot *slot, bool now);
bool scatter_done_park(struct scatter_group *group, struct scatter_slot *slot);
void scatter_done_prepare(struct scatter_portal *portal);

#endif /* _SCATTER_DONE_H */
