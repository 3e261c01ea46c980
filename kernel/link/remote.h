/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_REMOTE_H
#define _SCATTER_REMOTE_H

#include <linux/types.h>

struct scatter_call;

int scatter_remote_send(struct scatter_call *call);
void scatter_remote_offer(struct scatter_call *call);
int scatter_remote_take(struct scatter_call *call, u32 rank);
int scatter_remote_answer_locked(struct scatter_call *call);

#endif /* _SCATTER_REMOTE_H */
