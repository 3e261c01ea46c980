/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_AWAIT_H
#define _SCATTER_AWAIT_H

#include <linux/types.h>

struct scatter_call;

typedef bool scatter_done_fn(const struct scatter_call *call, u32 rank);

void scatter_await_expect_locked(struct scatter_call *call);
int scatter_await_sleep_locked(struct scatter_call *call, u32 awaited);
int scatter_await_event_locked(struct scatter_call *call, u32 awaited);
int scatter_await_blame_locked(struct scatter_call *call);
int scatter_await_locked(struct scatter_call *call, scatter_done_fn *done, u32 rank,
			 u32 awaited);

#endif /* _SCATTER_AWAIT_H */
