/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Machines of the cost model: what a message costs, and how far apart ranks are.
 *
 * Pure code, like the schedules.
 */
#ifndef _SCATTER_PLAN_MACHINE_H
#define _SCATTER_PLAN_MACHINE_H

#include "schedule/schedule.h"

/**
 * enum scatter_topology - which ranks have a link
 * @SCATTER_TOPOLOGY_FULL: every pair: all distances are 1
 * @SCATTER_TOPOLOGY_HYPERCUBE: those whose numbers differ in one bit; the number of
 *	ranks should be a power of two
 * @SCATTER_TOPOLOGY_MESH: neighbours along one dimension
 * @SCATTER_TOPOLOGY_TORUS: the same, where each dimension is a ring
 */
enum scatter_topology {
	SCATTER_TOPOLOGY_FULL = 0,
	SCATTER_TOPOLOGY_HYPERCUBE = 1,
	SCATTER_TOPOLOGY_MESH = 2,
	SCATTER_TOPOLOGY_TORUS = 3,
};

/**
 * struct scatter_machine - parameters of the cost model; times in picoseconds
 * @startup: t_s, per message
 * @hop: t_d, per hop
 * @byte: t_w, per byte
 * @ports: k, transfers in one direction that a rank may be in at once; 0: as
 *	many as the schedule asks for
 * @wormhole: a message of b bytes over h hops takes t_s + h t_d + b t_w; else
 *	store-and-forward: h (t_s + t_d + b t_w)
 * @combining: blocks may travel together; else the bound is that of one block a
 *	message
 * @topology: enum scatter_topology
 * @dims: dimensions of a mesh or torus
 * @extent: vertices along each of them; ranks are row-major
 */
struct scatter_machine {
	u64 startup;
	u64 hop;
	u64 byte;
	u32 ports;
	bool wormhole;
	bool combining;
	u32 topology;
	u32 dims;
	u32 extent[SCATTER_SCHEDULE_DIMS];
};

int scatter_machine_check(const struct scatter_machine *machine, u32 size);
u64 scatter_machine_message(const struct scatter_machine *machine, u64 bytes,
			    u32 hops);
u32 scatter_topology_distance(const struct scatter_machine *machine, u32 a,
			      u32 b);
u64 scatter_topology_total(const struct scatter_machine *machine, u32 size,
			   u32 rank);
u32 scatter_topology_eccentricity(const struct scatter_machine *machine,
				  u32 size, u32 rank);

#endif /* _SCATTER_PLAN_MACHINE_H */
