/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_LOCAL_H
#define _SCATTER_LOCAL_H

#include <linux/types.h>

struct scatter_call;
struct scatter_step;
struct scatter_walk;

void scatter_local_cross(struct scatter_call *call,
			 const struct scatter_walk *walk,
			 struct scatter_step *step);
bool scatter_local_stash(struct scatter_call *call);

#endif /* _SCATTER_LOCAL_H */
