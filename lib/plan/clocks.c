// SPDX-License-Identifier: GPL-2.0
/*
 * When ranks are free: a transfer begins when its data is at the sender and the port is
 * free at both ends, and keeps both ports busy until its end.
 */
#include "clocks.h"
#include "system.h"

/**
 * plan_clocks_open() - set all clocks to 0
 * @clocks: filled in
 * @ranks: how many
 * @ports: of each rank
 * @trees: that run at once
 * @one_port: a rank does one step after the other, but for what is in one round
 *
 * Return: 0, or -1 if there is not enough memory
 */
int plan_clocks_open(struct plan_clocks *clocks, u32 ranks, u32 ports,
		     u32 trees, bool one_port)
{
	size_t size = ranks;

	*clocks = (struct plan_clocks){
		.ports = ports, .trees = trees, .one_port = one_port,
	};
	clocks->busy = calloc(size * ports, sizeof(*clocks->busy));
	if (!clocks->busy)
		return -1;
	if (!one_port) {
		clocks->ready = calloc(size * trees, sizeof(*clocks->ready));
		return clocks->ready ? 0 : -1;
	}
	clocks->later = calloc(size, sizeof(*clocks->later));
	clocks->later_round = calloc(size, sizeof(*clocks->later_round));
	return clocks->later && clocks->later_round ? 0 : -1;
}

/**
 * plan_clocks_close() - free the clocks
 * @clocks: the clocks, or ones that could not be had
 */
void plan_clocks_close(struct plan_clocks *clocks)
{
	free(clocks->ready);
	free(clocks->busy);
	free(clocks->later);
	free(clocks->later_round);
}

/* When a rank's port may be used in @round */
static u64 *port_clock(struct plan_clocks *clocks, u32 rank, u32 port,
		       u32 round)
{
	u64 *busy = &clocks->busy[(size_t)rank * clocks->ports +
				  port % clocks->ports];

	if (clocks->one_port && clocks->later_round[rank] < round) {
		if (clocks->later[rank] > *busy)
			*busy = clocks->later[rank];
		clocks->later_round[rank] = round;
	}
	return busy;
}

static void set_port_clock(struct plan_clocks *clocks, u32 rank, u64 *busy,
			   u64 end)
{
	if (clocks->one_port)
		busy = &clocks->later[rank];
	if (end > *busy)
		*busy = end;
}

static u64 *ready_clock(const struct plan_clocks *clocks, u32 rank, u32 tree)
{
	return &clocks->ready[(size_t)rank * clocks->trees + tree];
}

static u64 max_time(u64 a, u64 b)
{
	return a > b ? a : b;
}

/**
 * plan_clocks_run() - a transfer takes its time
 * @clocks: the clocks
 * @from: sending rank
 * @step: the sender's
 * @cost: how long it takes
 *
 * Return: when it is over
 */
u64 plan_clocks_run(struct plan_clocks *clocks, u32 from,
		    const struct scatter_step *step, u64 cost)
{
	u64 *here = port_clock(clocks, from, step->port, step->round);
	u64 *there = port_clock(clocks, step->peer, step->port, step->round);
	u64 end = max_time(*here, *there);

	if (!clocks->one_port)
		end = max_time(end, *ready_clock(clocks, from, step->tree));
	end += cost;
	set_port_clock(clocks, from, here, end);
	set_port_clock(clocks, step->peer, there, end);
	if (!clocks->one_port) {
		u64 *arrived = ready_clock(clocks, step->peer, step->tree);

		*arrived = max_time(end, *arrived);
	}
	return end;
}

/**
 * plan_clocks_arrive() - data of all trees comes to a rank from outside
 * @clocks: not of one port
 * @rank: the rank
 * @time: when
 */
void plan_clocks_arrive(struct plan_clocks *clocks, u32 rank, u64 time)
{
	u32 tree;

	for (tree = 0; tree < clocks->trees; tree++) {
		u64 *arrived = ready_clock(clocks, rank, tree);

		*arrived = max_time(time, *arrived);
	}
}

/**
 * plan_clocks_ready() - when a rank has the data of all trees
 * @clocks: not of one port
 * @rank: the rank
 *
 * Return: when
 */
u64 plan_clocks_ready(const struct plan_clocks *clocks, u32 rank)
{
	u64 time = 0;
	u32 tree;

	for (tree = 0; tree < clocks->trees; tree++)
		time = max_time(time, *ready_clock(clocks, rank, tree));
	return time;
}
