/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_HOLD_H
#define _SCATTER_HOLD_H

#include <linux/types.h>

struct mm_struct;
struct scatter_operation;

struct mm_struct *scatter_hold_begin_locked(struct scatter_operation *operation, u32 owner);
bool scatter_hold_end(struct scatter_operation *operation, u32 owner);

#endif /* _SCATTER_HOLD_H */
