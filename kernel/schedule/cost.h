/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cost model: which algorithm and protocol an operation uses.
 *
 * Pure code, like the schedules. All members of a group use the same parameters, frozen when the
 * group formed, and so get the same answer.
 */
#ifndef _SCATTER_COST_H
#define _SCATTER_COST_H

#include "schedule.h"

/**
 * struct scatter_cost - parameters of the model, frozen per group
 * @startup_ns: t_s, one startup that has to wake the receiver, in ns
 * @gap_ns: g, time between two startups posted one after the other, in ns
 * @eager_limit: longest bundle in bytes that travels as payload
 * @gather_limit: longest such bundle in a gather; see scatter_cost_gather_limit()
 * @ports: of the tree for longer bundles; see scatter_cost_shape()
 */
struct scatter_cost {
	u32 startup_ns;
	u32 gap_ns;
	u32 eager_limit;
	u32 gather_limit;
	u32 ports;
};

u32 scatter_cost_gather_limit(u32 eager_limit, u32 crowded_limit, u32 size,
			      u32 cpus);
bool scatter_cost_eager(const struct scatter_cost *cost, bool gather, u32 blocks,
			u64 block);
void scatter_cost_shape(struct scatter_cost *cost, u32 size);
void scatter_cost_choose(const struct scatter_cost *cost, bool gather, u64 block,
			 struct scatter_schedule_spec *spec);
void scatter_cost_choose_nodes(struct scatter_schedule_spec *spec);

#endif /* _SCATTER_COST_H */
