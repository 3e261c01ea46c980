/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans for groups on several nodes: a schedule between the nodes, and at each node a
 * linear one among its members.
 *
 * On each node one more party stands for the rest of the world: the portal. Vertices are
 * the ranks, then the portals by place, so portal i is vertex size + i.
 */
#ifndef _SCATTER_PLAN_LEVELS_H
#define _SCATTER_PLAN_LEVELS_H

#include "placement.h"
#include "simulate.h"

/* Bundles of so many bytes at most travel with their announcement. */
#define PLAN_EAGER_MAX	65536

/**
 * struct plan_level - what crosses one level of the machine
 * @startups: messages
 * @bytes: of all of them
 * @copied: those that a CPU copies
 * @least_startups: no plan has fewer
 * @least_bytes: no plan moves fewer
 * @least_copied: no plan has a CPU copy fewer
 */
struct plan_level {
	u64 startups;
	u64 bytes;
	u64 copied;
	u64 least_startups;
	u64 least_bytes;
	u64 least_copied;
};

/**
 * struct plan_sums - what a plan for several nodes comes to
 * @between: messages from node to node
 * @inside: messages among the members of a node and its portal
 * @eager: messages between nodes that bring their payload along
 * @pulled: messages between nodes whose payload is pulled
 * @root_startups: messages out of the root's node, of a gather into it, of a barrier both
 * @root_bytes: of those
 * @least_root_bytes: no plan has fewer of them
 * @member_bytes: out of the root, of a gather into it
 * @counts: messages between nodes that tell the lengths of blocks first
 * @time: until the last message has arrived, in picoseconds
 * @bound: no plan takes less
 * @least_rounds: rounds between the nodes that any plan needs
 */
struct plan_sums {
	struct plan_level between;
	struct plan_level inside;
	u64 eager;
	u64 pulled;
	u64 root_startups;
	u64 root_bytes;
	u64 least_root_bytes;
	u64 member_bytes;
	u64 counts;
	u64 time;
	u64 bound;
	u64 least_rounds;
};

/**
 * struct plan_leg - a message of such a plan, as it is kept
 * @message: without its blocks; @message.ranges says how many ranges of places these are
 *	in, and if that is 0, they are the one block of the member at its end
 * @first: of these ranges in the list of all
 */
struct plan_leg {
	struct plan_message message;
	size_t first;
};

/* Of legs that belong to all trees */
#define PLAN_TREES_ALL	((u32)-1)

/**
 * struct plan_levels - a plan for several nodes
 * @placement: the nodes
 * @spec: of the schedule between them: its size are the places, its root is the root's place
 * @network: machine between the nodes
 * @memory: machine at each node
 * @barrier: no blocks: a gather to the portal of the root's place, and a scatter back
 * @root: rank of the root; of a barrier only if there is one node
 * @block: bytes of each rank's block
 * @counts: by rank: bytes of its block instead of @block, or NULL
 * @bytes: by place: of all its blocks
 * @arrival: by place: round that brings the last of its own blocks, 0 if none does
 * @pulled: by place: its bundle has come by a pull
 * @leg: the messages, in order of round, sender, receiver
 * @legs: how many
 * @room: for how many there is memory
 * @rounds: of the plan
 * @ranges: of all legs: places
 */
struct plan_levels {
	const struct plan_placement *placement;
	struct scatter_schedule_spec spec;
	const struct scatter_machine *network;
	const struct scatter_machine *memory;
	bool barrier;
	u32 root;
	u64 block;
	const u64 *counts;
	u64 *bytes;
	u32 *arrival;
	bool *pulled;
	struct plan_leg *leg;
	size_t legs;
	size_t room;
	u32 rounds;
	struct plan_ranges ranges;
};

int plan_levels_make(struct plan_levels *levels);
void plan_levels_close(struct plan_levels *levels);
u64 plan_levels_block(const struct plan_levels *levels, u32 rank);
u32 plan_levels_place(const struct plan_levels *levels, u32 vertex);
u32 plan_levels_root(const struct plan_levels *levels);
int plan_levels_each(const struct plan_levels *levels, plan_visitor *visitor,
		     void *context);
int plan_levels_simulate(const struct plan_levels *levels,
			 struct plan_sums *sums, struct plan_result *result);

#endif /* _SCATTER_PLAN_LEVELS_H */
