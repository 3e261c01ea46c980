/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_TRANSFER_H
#define _SCATTER_TRANSFER_H

#include <linux/types.h>

struct scatter_call;
struct scatter_hands;
struct scatter_operation;

int scatter_transfer_take(struct scatter_call *call, u32 rank);
int scatter_transfer_give(struct scatter_call *call);
void scatter_transfer_cease(struct scatter_call *call);
int scatter_transfer_own(struct scatter_call *call);
int scatter_transfer_record(struct scatter_hands *hands, struct scatter_operation *operation,
			    u32 rank, u64 bytes);
void scatter_transfer_taken(struct scatter_operation *operation, u32 rank, u32 n);

#endif /* _SCATTER_TRANSFER_H */
