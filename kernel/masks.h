/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of ranks, as users get them.
 */
#ifndef _SCATTER_MASKS_H
#define _SCATTER_MASKS_H

#include <linux/types.h>

/* Most members in a group; INFO tells users. */
#define SCATTER_SIZE_MAX	1024
/* 64-bit words of a set of ranks. */
#define SCATTER_MASK_WORDS	(SCATTER_SIZE_MAX / 64)

/**
 * struct scatter_masks - the sets that STATUS tells of
 * @dead: ranks that died
 * @left: ranks that left
 * @missing: ranks that are waited for
 */
struct scatter_masks {
	u64 dead[SCATTER_MASK_WORDS];
	u64 left[SCATTER_MASK_WORDS];
	u64 missing[SCATTER_MASK_WORDS];
};

int scatter_masks_check(u32 bits, u32 size);
int scatter_masks_tell(u64 to, u32 bits, const u64 *mask);

#endif /* _SCATTER_MASKS_H */
