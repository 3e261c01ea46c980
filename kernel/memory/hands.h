/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_HANDS_H
#define _SCATTER_HANDS_H

#include <linux/cache.h>
#include <linux/types.h>

#include "stats.h"

struct page;
struct scatter_user;

/* Space that one context uses. */
#define SCATTER_SCRATCH_BYTES	2048
/* Most pages of a peer that are pinned at a time, and their bytes. */
#define SCATTER_CHUNK_PAGES	256
#define SCATTER_CHUNK_BYTES	((u64)SCATTER_CHUNK_PAGES << PAGE_SHIFT)

/**
 * struct scatter_hands - what a context brings with it that moves blocks
 * @tally: counters of what it does
 * @user: constant; who is charged for what it allocates, referenced
 * @rank: constant once the member has its seat; whose memory is the context's own. U32_MAX: no
 *	member's, so that the context can only move what is in kernel memory
 * @ready: first of the branches whose sends the context has claimed in the operation at hand, a
 *	list through scatter_branch.link; U32_MAX: none, as between two operations
 * @scratch: for that one context
 * @scratch.pages: the chunk that it has pinned
 * @scratch.bytes: of its own block
 */
struct scatter_hands {
	struct scatter_tally tally;
	struct scatter_user *user;
	u32 rank;
	u32 ready;
	union {
		struct page *pages[SCATTER_CHUNK_PAGES];
		u8 bytes[SCATTER_SCRATCH_BYTES];
	} scratch ____cacheline_aligned_in_smp;
};

#endif /* _SCATTER_HANDS_H */
