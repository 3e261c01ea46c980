/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links: what crosses the edges of a schedule. All links are local today; a link to another node
 * is chosen here, by whether one end of the edge is there.
 */
#ifndef _SCATTER_LINK_H
#define _SCATTER_LINK_H

#include "link/local.h"
#include "link/transfer.h"

/* Send a bundle to its next rank, see scatter_local_cross(). */
static inline void scatter_link_cross(struct scatter_hands *hands,
				      struct scatter_operation *operation,
				      const struct scatter_walk *walk,
				      struct scatter_step *step)
{
	scatter_local_cross(hands, operation, walk, step);
}

/* Copy a block out of its owner's memory, see scatter_transfer_take(). */
static inline int scatter_link_take(struct scatter_call *call, u32 rank)
{
	return scatter_transfer_take(call, rank);
}

/* Let nobody in the memory of a call that ends, see scatter_transfer_cease(). */
static inline void scatter_link_cease(struct scatter_call *call)
{
	scatter_transfer_cease(call);
}

#endif /* _SCATTER_LINK_H */
