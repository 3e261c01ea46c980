/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PREFAULT_H
#define _SCATTER_PREFAULT_H

#include <linux/types.h>

struct scatter_call;

/**
 * struct scatter_prefault - how far a waiting call has faulted in its own buffer
 * @rank: the block that it has come to
 * @done: bytes of that block which are behind us
 */
struct scatter_prefault {
	u32 rank;
	u64 done;
};

bool scatter_prefault_some_locked(struct scatter_call *call);

#endif /* _SCATTER_PREFAULT_H */
