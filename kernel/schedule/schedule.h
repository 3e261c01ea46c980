/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Schedules: who exchanges which blocks with whom, in which round.
 *
 * Pure code: no allocation, no global state, no kernel service. It compiles
 * into the module, into the user-space unit tests and into the tools.
 *
 * A schedule is a tree. In a scatter bundles go from the root to the leaves: a
 * rank receives one bundle from its parent (not the root), then sends one to
 * each of its children. A gather is the same tree with every transfer
 * reversed, in time too. Rounds count from 1; in one round a rank takes part in
 * at most one transfer.
 *
 * A bundle is the set of blocks of a whole subtree. For the schedules here it is one
 * range of real ranks that may wrap around from size - 1 to 0.
 */
#ifndef _SCATTER_SCHEDULE_H
#define _SCATTER_SCHEDULE_H

#include "types.h"

/* In step with enum scatter_algorithm of the uapi; asserted where both are seen. */
enum scatter_schedule_algorithm {
	SCATTER_SCHEDULE_LINEAR = 1,
	SCATTER_SCHEDULE_HYPERCUBE = 2,
};

/**
 * struct scatter_step - one transfer, as one rank sees it
 * @round: 1 to scatter_schedule_rounds()
 * @peer: rank at the other end
 * @first: first real rank whose block travels
 * @count: how many blocks travel: ranks @first to @first + @count - 1, modulo
 *	the size
 * @send: true: to @peer, false: from @peer
 */
struct scatter_step {
	u32 round;
	u32 peer;
	u32 first;
	u32 count;
	bool send;
};

/**
 * struct scatter_schedule - one rank's walk through a schedule
 * @algorithm: enum scatter_schedule_algorithm
 * @gather: false: scatter, true: gather
 * @size: ranks, 1 and up
 * @root: rank of the root
 * @rank: whose steps these are
 * @cursor: the next step, 0 and up
 */
struct scatter_schedule {
	u32 algorithm;
	bool gather;
	u32 size;
	u32 root;
	u32 rank;
	u32 cursor;
};

bool scatter_schedule_init(struct scatter_schedule *schedule, u32 algorithm,
			   bool gather, u32 size, u32 root, u32 rank);
bool scatter_schedule_next(struct scatter_schedule *schedule,
			   struct scatter_step *step);
bool scatter_schedule_parent(const struct scatter_schedule *schedule,
			     struct scatter_step *step);
u32 scatter_schedule_children(const struct scatter_schedule *schedule);
u32 scatter_schedule_rounds(u32 algorithm, u32 size);

#endif /* _SCATTER_SCHEDULE_H */
