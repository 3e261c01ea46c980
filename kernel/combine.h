/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_COMBINE_H
#define _SCATTER_COMBINE_H

#include <linux/types.h>

struct scatter_call;
struct scatter_spec;

/**
 * struct scatter_lane - a rank's way through an OR-broadcast
 * @position: the block it is at
 * @done: bytes of that block that are through
 * @first: the walk's cursor at the block's first step
 * @cursor: at the next step
 * @begun: @sum has the rank's contribution to the chunk
 * @error: 0 or what its call is going to return
 * @culprit: who caused that
 * @void_block: group lock; the rank's block could not be read
 * @sum: what has been combined of the chunk
 *
 * Only the rank's own call uses it, but for @void_block.
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
	u64 *sum;
};

/**
 * struct scatter_box - a message of one round on its way to one rank
 * @full: group lock; @data is the receiver's, else the sender's. Each box has
 *	only one of either.
 * @data: a chunk
 */
struct scatter_box {
	bool full;
	u64 *data;
};

/**
 * struct scatter_combine - an OR-broadcast
 * @chunk: bytes that a message has space for, a multiple of 8
 * @rounds: of one block
 * @boxes: by rank, in each by round
 * @lanes: by rank
 */
struct scatter_combine {
	u32 chunk;
	u32 rounds;
	struct scatter_box *boxes;
	struct scatter_lane lanes[];
};

struct scatter_combine *scatter_combine_alloc(const struct scatter_spec *spec,
					      u32 size);
void scatter_combine_free(struct scatter_combine *combine);
int scatter_combine_play(struct scatter_call *call);

#endif /* _SCATTER_COMBINE_H */
