/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_LOCATION_H
#define _SCATTER_LOCATION_H

#include <linux/types.h>

#include "memory/buffer.h"

struct scatter_record;
struct scatter_ring;
struct scatter_user;

/**
 * struct scatter_location - where payload lies
 * @ring: the ring, or NULL for a slot, a record of its own
 * @record: the record
 * @offset: bytes from the start of the record's payload
 */
struct scatter_location {
	struct scatter_ring *ring;
	struct scatter_record *record;
	u32 offset;
};

bool scatter_location_slot(struct scatter_user *user, u32 bytes, u32 blocks,
			   struct scatter_location *location);
void scatter_location_free_slot(struct scatter_record *slot);
struct scatter_record *scatter_location_release(const struct scatter_location *location,
						u32 blocks);
bool scatter_location_from_user(const struct scatter_location *location,
				struct scatter_stream from, u64 bytes);
bool scatter_location_to_user(const struct scatter_location *location,
			      struct scatter_stream to, u64 bytes);
void scatter_location_copy(const struct scatter_location *to,
			   const struct scatter_location *from, u64 bytes);

#endif /* _SCATTER_LOCATION_H */
