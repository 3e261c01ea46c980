/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MOVE_H
#define _SCATTER_MOVE_H

#include <linux/types.h>

struct scatter_call;

int scatter_move_take(struct scatter_call *call, u32 rank);
int scatter_move_give(struct scatter_call *call);
int scatter_move_answer_locked(struct scatter_call *call);
int scatter_move_void(struct scatter_call *call, u32 rank);
int scatter_move_own_fault(void);

#endif /* _SCATTER_MOVE_H */
