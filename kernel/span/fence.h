/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FENCE_H
#define _SCATTER_FENCE_H

#include <linux/types.h>

struct scatter_group;

void scatter_fence(struct scatter_group *group, u32 node);

#endif /* _SCATTER_FENCE_H */
