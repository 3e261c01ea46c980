/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PACK_H
#define _SCATTER_PACK_H

#include <linux/sizes.h>
#include <linux/types.h>

#include "group/places.h"
#include "group/slot.h"

struct scatter_group;

/* Bytes of a group that may be packed on a node at a time. */
#define SCATTER_PACK_BYTES	((u64)SZ_1M)

/**
 * struct scatter_pack - a bundle that the root of a scatter has to pack
 * @edge: index of the edge
 * @set: the places whose blocks the bundle has; valid until the root has passed the operation
 * @places: the operation's places
 * @budget: how many bytes may travel eagerly
 * @bundle: the bundle; the root fills in the flags of its head, and the stream
 */
struct scatter_pack {
	u32 edge;
	struct scatter_slot_set set;
	struct scatter_places places;
	u64 budget;
	struct scatter_bundle bundle;
};

bool scatter_pack_next(struct scatter_group *group, u64 number, struct scatter_user *user,
		       struct scatter_pack *pack);
void scatter_pack_put(struct scatter_group *group, u64 number, struct scatter_pack *pack);
bool scatter_pack_aside(struct scatter_group *group, u64 number, u64 length);
void scatter_pack_own(struct scatter_group *group, u64 number, u32 rank, u64 length,
		      bool void_block, struct scatter_chunks *block);

#endif /* _SCATTER_PACK_H */
