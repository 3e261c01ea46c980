/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_KEPT_H
#define _SCATTER_KEPT_H

#include <linux/types.h>

/**
 * struct scatter_kept - messages with blocks that a node keeps
 * @messages: how many
 * @bytes: how much memory the blocks take
 */
struct scatter_kept {
	u32 messages;
	u64 bytes;
};

/* Count one more message, whose blocks take some @bytes of memory. */
static inline void scatter_kept_count(struct scatter_kept *kept, u64 bytes)
{
	kept->messages++;
	kept->bytes += bytes;
}

static inline void scatter_kept_add(struct scatter_kept *kept, const struct scatter_kept *more)
{
	kept->messages += more->messages;
	kept->bytes += more->bytes;
}

static inline void scatter_kept_sub(struct scatter_kept *kept, const struct scatter_kept *less)
{
	kept->messages -= less->messages;
	kept->bytes -= less->bytes;
}

#endif /* _SCATTER_KEPT_H */
