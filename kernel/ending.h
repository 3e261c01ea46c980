/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ENDING_H
#define _SCATTER_ENDING_H

#include <linux/types.h>

struct scatter_call;

int scatter_ending_play(struct scatter_call *call);
u64 scatter_ending_deadline_locked(const struct scatter_call *call);

#endif /* _SCATTER_ENDING_H */
