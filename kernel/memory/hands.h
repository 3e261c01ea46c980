/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_HANDS_H
#define _SCATTER_HANDS_H

#include <linux/cache.h>
#include <linux/types.h>

#include "stats.h"

struct page;
struct scatter_user;

/* Bytes of scratch space that one context uses. */
#define SCATTER_SCRATCH_BYTES	2048
/* Most pages of a peer that are pinned at a time, and their bytes. */
#define SCATTER_CHUNK_PAGES	256
#define SCATTER_CHUNK_BYTES	((u64)SCATTER_CHUNK_PAGES << PAGE_SHIFT)

/**
 * struct scatter_hands - what a context that moves blocks brings with it
 * @tally: counters of what the context does
 * @user: constant; the user charged for what the context allocates, referenced
 * @rank: constant once the member has its seat; the rank whose memory is the context's own.
 *	U32_MAX: none, so the context can only move blocks in kernel memory
 * @ready: first of the branches whose sends the context has claimed in the present operation, a
 *	list through scatter_branch.link; U32_MAX: none, as between two operations
 * @scratch: only this context uses the space
 * @scratch.pages: the chunk that the context has pinned
 * @scratch.bytes: bytes of the context's own block
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
