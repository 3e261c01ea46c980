/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_LOCAL_H
#define _SCATTER_LOCAL_H

#include <linux/types.h>

struct scatter_hands;
struct scatter_operation;
struct scatter_step;
struct scatter_walk;

void scatter_local_cross(struct scatter_hands *hands, struct scatter_operation *operation,
			 const struct scatter_walk *walk, struct scatter_step *step);
bool scatter_local_stash(struct scatter_hands *hands, struct scatter_operation *operation);

#endif /* _SCATTER_LOCAL_H */
