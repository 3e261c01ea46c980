/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_COMBINE_H
#define _SCATTER_COMBINE_H

#include <linux/types.h>

struct scatter_call;
struct scatter_spec;
struct scatter_user;

/**
 * struct scatter_lane - a rank's way through an OR-broadcast
 * @position: the block it is at, by the number of its owner in the schedule
 * @done: bytes of that block that are through
 * @first: the walk's cursor at the block's first step
 * @cursor: at the next step
 * @begun: @data has the rank's contribution to the chunk
 * @error: 0 or what its call is going to return
 * @culprit: who caused that
 * @void_block: group lock; the rank's block could not be read
 * @full: group lock; for each round whether there is a message in the rank's box of that
 *	round. It is the receiver's then, else the sender's; each box has one of either.
 * @data: group lock until the rank has called, constant then; what has been combined
 *	of the chunk, then the boxes, a chunk each
 *
 * Only the rank's own call uses it, but for what the group's lock protects and the
 * boxes.
 */
struct scatter_lane {
	u32 position;
	u64 done;
	u64 first;
	u64 cursor;
	bool begun;
	int error;
	u32 culprit;
	bool void_block;
	u32 full;
	u64 *data;
};

/**
 * struct scatter_combine - an OR-broadcast
 * @chunk: bytes that a message has space for, a multiple of 8; constant once somebody
 *	has posted who is not idle
 * @rounds: of one block, less than 32
 * @lanes: by rank
 */
struct scatter_combine {
	u32 chunk;
	u32 rounds;
	struct scatter_lane lanes[];
};

struct scatter_combine *scatter_combine_alloc(struct scatter_user *user,
					      const struct scatter_spec *spec,
					      u32 size, u32 flags);
void scatter_combine_free(struct scatter_combine *combine, u32 size);
u64 *scatter_combine_boxes(struct scatter_user *user,
			   const struct scatter_spec *spec);
void scatter_combine_fit(struct scatter_combine *combine,
			 const struct scatter_spec *spec);
int scatter_combine_play(struct scatter_call *call);

#endif /* _SCATTER_COMBINE_H */
