/* SPDX-License-Identifier: GPL-2.0 */
/* Calls with AT_MOST: what the sender and the receiver of each block say, and what has to come. */
#ifndef _KSELFTEST_ROOM_H
#define _KSELFTEST_ROOM_H

#include "crew.h"

/* The lengths that the root and a block's rank give for the block, in their calls. */
enum room_shape {
	EXACT,		/* both the same */
	ROOMY,		/* more room than bytes, everywhere */
	ONE_LONG,	/* block 1 is a byte too long */
	ALL_LONG,
	EMPTY,		/* no bytes for any room */
	NO_ROOM,	/* bytes, and no room */
	MIXED,
	SHAPES,
};

task_fn task_room;
task_fn task_room_resume;
__u64 room_of(__u32 op, __u64 base, enum room_shape shape, unsigned int i, bool tells);
union task_args room_args(unsigned int rank, const struct call *call, enum room_shape shape);
void room_start(struct crew *crew, __u64 ranks, const struct call *call, enum room_shape shape);
bool room_ends(struct crew *crew, __u64 ranks, const struct call *call, enum room_shape shape);

#endif /* _KSELFTEST_ROOM_H */
