/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_STAGE_H
#define _SCATTER_STAGE_H

#include <linux/types.h>

#include "memory/buffer.h"

struct scatter_call;

bool scatter_stage_is_due(struct scatter_call *call, u32 rank);
long scatter_stage_take(struct scatter_call *call, u32 rank, u32 owner,
			struct scatter_stream to);
long scatter_stage_bring(struct scatter_call *call, u32 rank, u32 owner,
			 struct scatter_stream to, bool locked);
int scatter_stage_await(struct scatter_call *call, u32 rank, u32 owner);
void scatter_stage_passed(struct scatter_call *call, u32 rank);
int scatter_stage_answer_locked(struct scatter_call *call);
int scatter_stage_void(struct scatter_call *call, u32 rank);

#endif /* _SCATTER_STAGE_H */
