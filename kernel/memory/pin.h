/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PIN_H
#define _SCATTER_PIN_H

#include <linux/types.h>

#include "memory/buffer.h"

struct mm_struct;
struct scatter_hands;
struct scatter_segment;

/**
 * struct scatter_copy - a block on its way between two address spaces
 * @rank: the peer
 * @mm: the peer's address space; the caller of scatter_pin_copy() holds a user of @mm
 * @peer: user memory in @mm
 * @own: user memory in the current address space
 * @bytes: length of the block in bytes
 * @pages: (out) pages of the peer that the last chunk took hold of
 * @give: true: copy from own to the peer's memory; false: from the peer's to own memory
 */
struct scatter_copy {
	u32 rank;
	struct mm_struct *mm;
	struct scatter_stream peer;
	struct scatter_stream own;
	u64 bytes;
	long pages;
	bool give;
};

bool scatter_pin_prepare(const struct scatter_copy *copy, u64 done);
long scatter_pin_copy(struct scatter_hands *hands, struct scatter_copy *copy,
		      u64 done);
bool scatter_pin_read(struct mm_struct *mm, struct scatter_stream from,
		      struct scatter_segment *segment);

#endif /* _SCATTER_PIN_H */
