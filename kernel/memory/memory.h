/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MEMORY_H
#define _SCATTER_MEMORY_H

#include <linux/bits.h>
#include <linux/types.h>

struct scatter_user;

/* The memory counts, but the user's limit does not apply. */
#define SCATTER_MEMORY_BEYOND	BIT(0)
/* For payload: freed under spinlocks, not zeroed. */
#define SCATTER_MEMORY_PAYLOAD	BIT(1)

/* Most bytes of memory kept for reuse, so that an idle group wastes little. */
#define SCATTER_MEMORY_KEPT	4096U

/**
 * struct scatter_memory - precedes all memory that a user is charged for by the byte
 * @user: constant; the user, which outlives the memory because a member refers to the user
 * @bytes: constant; the charge: what was asked for, and this header
 */
struct scatter_memory {
	struct scatter_user *user;
	u64 bytes;
};

void *scatter_memory_alloc(struct scatter_user *user, size_t bytes, u32 flags);
void *scatter_memory_reuse(void *memory, struct scatter_user *user, size_t bytes);
void scatter_memory_keep(void **place, void *memory);
void scatter_memory_release(void *memory);

/**
 * scatter_memory_free() - free memory and take it off its user's account
 * @memory: from scatter_memory_alloc(); NULL is ignored, without a call: most calls bring nothing
 *
 * Context: any for payload, else may sleep.
 */
static inline void scatter_memory_free(void *memory)
{
	if (memory)
		scatter_memory_release(memory);
}

#endif /* _SCATTER_MEMORY_H */
