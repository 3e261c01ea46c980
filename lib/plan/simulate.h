/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Simulation of a schedule: what all ranks do, message by message, on a machine with a
 * topology, and whether it is right. For the tool, the unit tests and KUnit.
 *
 * Needs kernel/schedule/ and machine.c, and -Ikernel.
 */
#ifndef _SCATTER_PLAN_SIMULATE_H
#define _SCATTER_PLAN_SIMULATE_H

#include "machine.h"
#include "schedule/schedule.h"

/**
 * enum plan_way - how the payload of a message gets to the receiver
 * @PLAN_WAY_PLAIN: a message of a plan that knows no nodes
 * @PLAN_WAY_COPY: between two members of a node: one copy
 * @PLAN_WAY_EAGER: with its announcement, through kernel memory at both ends
 * @PLAN_WAY_PULL: announced, then read straight from the one member's memory into the
 *	other's
 * @PLAN_WAY_MIXED: some of it in one of these ways, some in the other
 * @PLAN_WAY_EMPTY: there is none
 */
enum plan_way {
	PLAN_WAY_PLAIN = 0,
	PLAN_WAY_COPY = 1,
	PLAN_WAY_EAGER = 2,
	PLAN_WAY_PULL = 3,
	PLAN_WAY_MIXED = 4,
	PLAN_WAY_EMPTY = 5,
};

/**
 * struct plan_message - one message of a plan
 * @round: from 1
 * @from: sending rank
 * @to: receiving rank
 * @tree: which of the trees that run at once
 * @piece: which piece of each block, from 0
 * @pieces: how many; 1 if blocks stay whole
 * @port: which port it crosses, at either end
 * @hops: links it crosses on the machine's topology
 * @combine: the receiver ORs it into what it has
 * @count: blocks
 * @bytes: all blocks together
 * @ranges: how many ranges the blocks are
 * @range: these, in rising order and merged; only valid while the visitor runs
 * @between: it crosses from one node to another
 * @way: enum plan_way
 * @copied: bytes of it that a CPU copies, on several nodes
 */
struct plan_message {
	u32 round;
	u32 from;
	u32 to;
	u32 tree;
	u32 piece;
	u32 pieces;
	u32 port;
	u32 hops;
	bool combine;
	u32 count;
	u64 bytes;
	size_t ranges;
	const struct scatter_range *range;
	bool between;
	u32 way;
	u64 copied;
};

/* plan_error() of a machine: this plus enum scatter_schedule_error */
#define PLAN_BAD_MACHINE	64

/* Anything but 0 ends the visit, which then returns it. */
typedef int plan_visitor(const struct plan_message *message, void *context);

/**
 * struct plan_result - what a simulation found
 * @rounds: of the schedule
 * @startups: messages
 * @root_startups: messages out of the root, of a gather into it
 * @root_bytes: payload out of the root, of a gather into it
 * @volume: bytes of all messages
 * @hops: links that all messages cross
 * @hop_rounds: rounds if each hop is one: the longest way of each round, added up
 * @conflicts: times that a link was to carry a second message in one round and
 *	direction; not counted on a full topology
 * @time: until the last message has arrived, in picoseconds
 * @violation: what is wrong first, in words; empty if nothing is
 */
struct plan_result {
	u32 rounds;
	u64 startups;
	u64 root_startups;
	u64 root_bytes;
	u64 volume;
	u64 hops;
	u64 hop_rounds;
	u64 conflicts;
	u64 time;
	char violation[160];
};

int plan_each_message(const struct scatter_schedule_spec *spec,
		      const struct scatter_machine *machine, u64 block,
		      plan_visitor *visitor, void *context);
int plan_simulate(const struct scatter_schedule_spec *spec,
		  const struct scatter_machine *machine, u64 block,
		  struct plan_result *result);
const char *plan_error(int error);

#endif /* _SCATTER_PLAN_SIMULATE_H */
