/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MOVE_H
#define _SCATTER_MOVE_H

#include <linux/types.h>

struct scatter_call;

int scatter_move_take(struct scatter_call *call, u32 rank);
int scatter_move_give(struct scatter_call *call);

#endif /* _SCATTER_MOVE_H */
