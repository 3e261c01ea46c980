/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When ranks are free, and when their data has come.
 */
#ifndef _SCATTER_PLAN_CLOCKS_H
#define _SCATTER_PLAN_CLOCKS_H

#include "schedule/schedule.h"

/**
 * struct plan_clocks - when ranks are free, in picoseconds
 * @ports: of each rank
 * @trees: that have data of their own
 * @one_port: a rank has one transfer in one direction a round
 * @ready: by rank and tree: all data so far has arrived; with one port, @busy has
 *	been waiting for that
 * @busy: by rank and port: free again
 * @later: by rank: the same after the round of @later_round; one port only
 * @later_round: by rank
 */
struct plan_clocks {
	u32 ports;
	u32 trees;
	bool one_port;
	u64 *ready;
	u64 *busy;
	u64 *later;
	u32 *later_round;
};

int plan_clocks_open(struct plan_clocks *clocks, u32 ranks, u32 ports,
		     u32 trees, bool one_port);
void plan_clocks_close(struct plan_clocks *clocks);
u64 plan_clocks_run(struct plan_clocks *clocks, u32 from,
		    const struct scatter_step *step, u64 cost);
void plan_clocks_arrive(struct plan_clocks *clocks, u32 rank, u64 time);
u64 plan_clocks_ready(const struct plan_clocks *clocks, u32 rank);

#endif /* _SCATTER_PLAN_CLOCKS_H */
