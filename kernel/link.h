/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links: what crosses the edges of a schedule.
 */
#ifndef _SCATTER_LINK_H
#define _SCATTER_LINK_H

#include <linux/types.h>

struct scatter_call;
struct scatter_walk;
struct scatter_step;

void scatter_link_cross(struct scatter_call *call,
			const struct scatter_walk *walk,
			struct scatter_step *step);
bool scatter_link_stash(struct scatter_call *call);
void scatter_link_claim_all_locked(struct scatter_call *call, u32 rank);

#endif /* _SCATTER_LINK_H */
