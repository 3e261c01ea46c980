/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PLACE_H
#define _SCATTER_PLACE_H

#include <linux/types.h>

#include "memory/buffer.h"

struct scatter_record;
struct scatter_ring;
struct scatter_user;

/**
 * struct scatter_place - where payload lies
 * @ring: the ring, or NULL for a slot, a record of its own
 * @record: the record
 * @offset: bytes from the start of the record's payload
 */
struct scatter_place {
	struct scatter_ring *ring;
	struct scatter_record *record;
	u32 offset;
};

bool scatter_place_slot(struct scatter_user *user, u32 bytes, u32 blocks,
			struct scatter_place *place);
void scatter_place_free_slot(struct scatter_record *slot);
struct scatter_record *scatter_place_release(const struct scatter_place *place,
					     u32 blocks);
bool scatter_place_from_user(const struct scatter_place *place,
			     struct scatter_stream from, u64 bytes);
bool scatter_place_to_user(const struct scatter_place *place,
			   struct scatter_stream to, u64 bytes);
void scatter_place_copy(const struct scatter_place *to,
			const struct scatter_place *from, u64 bytes);

#endif /* _SCATTER_PLACE_H */
