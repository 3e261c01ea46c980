/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_VECTOR_H
#define _SCATTER_VECTOR_H

#include <linux/types.h>

struct scatter_coll;

/**
 * struct scatter_span - one rank's block in the root's buffer of a v form
 * @count: its length in bytes
 * @offset: where it starts, in bytes from the start of the buffer
 */
struct scatter_span {
	u64 count;
	u64 offset;
};

struct scatter_span *scatter_spans_read(struct scatter_user *user,
					const struct scatter_coll *coll,
					u32 size);

#endif /* _SCATTER_VECTOR_H */
