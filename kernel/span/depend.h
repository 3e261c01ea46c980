/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_DEPEND_H
#define _SCATTER_DEPEND_H

#include <linux/types.h>

struct scatter_group;

void scatter_depend_fail_locked(struct scatter_group *group, u64 number, u32 rank, bool node_lost,
				int error, u32 culprit);

#endif /* _SCATTER_DEPEND_H */
