// SPDX-License-Identifier: GPL-2.0
/*
 * The cost model of machines: closed formulas of each family, and lower bounds.
 *
 * A message of b bytes over h hops takes t_s + h t_d + b t_w (wormhole), or
 * h (t_s + t_d + b t_w) (store-and-forward); p ranks, m bytes per block, k ports. Without
 * hops the formulas are
 *
 *	linear		(p - 1) (t_s + m t_w)
 *	hypercube	ceil(log2 p) t_s + (p - 1) m t_w
 *	mesh, torus	sum of ceil(log2 z_i) t_s + (p - 1) m t_w
 *	k-nomial	d t_s + (min(q, p - q) + (q - 1) / k) m t_w, where
 *			d = ceil(log_{k+1} p) and q = (k+1)^(d-1)
 *	rotated		n t_s + (p - 1) ceil(m / n) t_w
 *	balanced	n t_s + (necklaces of n bits - 1) m t_w
 *	irregular	the longest way down the tree
 *	OR-broadcast	p ceil(log2 p) (t_s + m t_w) for powers of two, else twice that
 *
 * The formulas are exact on a full network, and on the family's own topology; the
 * hypercube's and the irregular one's also where every rank has as far to go as the
 * root. Elsewhere, and with fewer ports than the family uses, they estimate.
 *
 * Sources: Grama et al., "Introduction to Parallel Computing", 4.4; Johnsson and
 * Ho (1989) for all ports of a hypercube.
 */
#include "predict.h"
#include "schedule/bits.h"
#include "schedule/radix.h"
#include "schedule/rda.h"

static u64 divide_up(u64 a, u64 b)
{
	u64 quotient = a / b;

	return quotient * b < a ? quotient + 1 : quotient;
}

/* All that the root sends or receives, one message after the other by each port */
static u64 root_time(const struct scatter_schedule_spec *spec,
		     const struct scatter_machine *machine, u64 block)
{
	struct scatter_walk walk;
	struct scatter_step step;
	u64 time = 0;

	scatter_schedule_init(&walk, spec, spec->root);
	while (scatter_schedule_next(&walk, &step)) {
		u32 hops = scatter_topology_distance(machine, spec->root,
						     step.peer);
		u64 bytes = scatter_schedule_bytes(&walk, &step, block);

		/* the first port gets most; all others, too, if there is but one */
		if (!step.port || machine->ports == 1)
			time += scatter_machine_message(machine, bytes, hops);
	}
	return time;
}

static u64 linear_time(const struct scatter_schedule_spec *spec,
		       const struct scatter_machine *machine, u64 block)
{
	u64 hops = scatter_topology_total(machine, spec->size, spec->root);
	u64 messages = machine->wormhole ? spec->size - 1 : hops;

	return messages * (machine->startup + block * machine->byte) +
	       hops * machine->hop;
}

/* Payload of a bundle for @count vertices, each with @stride ranks behind it */
static u64 bundle_bytes(const struct scatter_schedule_spec *spec, u64 count,
			u32 stride, u64 block)
{
	if (spec->op == SCATTER_SCHEDULE_BROADCAST)
		return block;
	return count * stride * block;
}

/*
 * Recursive halving of @count vertices from one end: the bigger half goes on
 * longest, whichever it is, and the other one is as far away as what the source keeps.
 */
static u64 end_time(const struct scatter_schedule_spec *spec,
		    const struct scatter_machine *machine, u32 count,
		    u32 stride, u64 block)
{
	bool greater = spec->op != SCATTER_SCHEDULE_BROADCAST;
	u64 time = 0;

	while (count > 1) {
		u32 small = count / 2, big = count - small;
		u32 hops = greater ? big : small;

		if (machine->topology == SCATTER_TOPOLOGY_FULL)
			hops = 1;
		time += scatter_machine_message(machine,
						bundle_bytes(spec, small,
							     stride, block),
						hops);
		count = big;
	}
	return time;
}

static u32 line_hops(const struct scatter_machine *machine, u32 extent, u32 a,
		     u32 b)
{
	u32 hops = a < b ? b - a : a - b;

	if (machine->topology == SCATTER_TOPOLOGY_FULL)
		return 1;
	if (machine->topology == SCATTER_TOPOLOGY_TORUS && hops > extent - hops)
		return extent - hops;
	return hops;
}

/* The same from anywhere: all halves that are given away begin at their ends. */
static u64 line_time(const struct scatter_schedule_spec *spec,
		     const struct scatter_machine *machine, u32 extent,
		     u32 source, u32 stride, u64 block)
{
	bool greater = spec->op != SCATTER_SCHEDULE_BROADCAST;
	struct scatter_stretch segment = {
		.count = extent, .source = source,
	};
	u64 busy = 0, latest = 0;

	while (segment.count > 1) {
		struct scatter_stretch given;
		u64 bytes, end;

		scatter_stretch_split(&segment, greater, &given);
		bytes = bundle_bytes(spec, given.count, stride, block);
		busy += scatter_machine_message(machine, bytes,
						line_hops(machine, extent,
							  segment.source,
							  given.source));
		end = busy + end_time(spec, machine, given.count, stride,
				      block);
		if (end > latest)
			latest = end;
	}
	return latest > busy ? latest : busy;
}

/* One dimension after the other, and each takes all lines equally long. */
static u64 mesh_time(const struct scatter_schedule_spec *spec,
		     const struct scatter_machine *machine, u64 block)
{
	u32 stride = 1, dim = spec->dims;
	u64 time = 0;

	while (dim--) {
		u32 extent = spec->extent[dim];
		u32 source = scatter_radix_digit(spec->root, stride, extent);

		if (spec->algorithm == SCATTER_SCHEDULE_TORUS)
			source = (extent - 1) / 2;
		time += line_time(spec, machine, extent, source, stride, block);
		stride *= extent;
	}
	return time;
}

/* Numbers up to @n that have no divisor in common with it */
static u32 totient(u32 n)
{
	u32 count = 0, i;

	for (i = 1; i <= n; i++) {
		u32 a = n, b = i;

		while (b) {
			u32 rest = a % b;

			a = b;
			b = rest;
		}
		count += a == 1;
	}
	return count;
}

/*
 * Blocks by the fullest port of a balanced tree: necklaces of @n beads of two colours,
 * but for the one of the root.
 */
static u64 balanced_blocks(u32 n)
{
	u64 words = 0;
	u32 d;

	for (d = 1; d <= n; d++)
		if (n % d == 0)
			words += (u64)totient(d) << n / d;
	return n ? words / n - 1 : 0;
}

/* Both families that use all ports of a hypercube are done in n rounds. */
static u64 cube_time(const struct scatter_schedule_spec *spec,
		     const struct scatter_machine *machine, u64 block)
{
	u32 n = scatter_ceil_log2(spec->size), turns = 1, hops = 1, i;
	u64 bytes;

	if (!n)
		return 0;
	if (machine->ports && machine->ports < n)
		turns = (u32)divide_up(n, machine->ports);
	for (i = 0; i < n; i++) {
		u32 peer = spec->root ^ (u32)1 << i;
		u32 distance = scatter_topology_distance(machine, spec->root,
							 peer);

		if (distance > hops)
			hops = distance;
	}
	if (spec->algorithm == SCATTER_SCHEDULE_ROTATED)
		bytes = (spec->size - 1) * divide_up(block, n);
	else
		bytes = balanced_blocks(n) * block;
	if (!machine->wormhole)
		return turns * hops *
		       (n * (machine->startup + machine->hop) +
			bytes * machine->byte);
	return turns * (n * (machine->startup + hops * machine->hop) +
			bytes * machine->byte);
}

static u64 bundle_time(const struct scatter_irregular *table,
		       const struct scatter_machine *machine, u32 rank)
{
	const struct scatter_irregular_node *node = &table->node[rank];
	u32 hops = scatter_topology_distance(machine, rank, node->parent);

	return scatter_machine_message(machine, node->bundle, hops);
}

/*
 * When a rank has its bundle: each rank on the way down to it deals with the children
 * before the next one first. A gather takes the same way up.
 */
static u64 arrival_time(const struct scatter_irregular *table,
			const struct scatter_machine *machine, u32 rank)
{
	const struct scatter_irregular_node *node = table->node;
	u64 time = 0;

	for (; node[rank].parent != SCATTER_IRREGULAR_NONE;
	     rank = node[rank].parent) {
		u32 child = node[node[rank].parent].child;

		for (; child != rank; child = node[child].sibling)
			time += bundle_time(table, machine, child);
		time += bundle_time(table, machine, rank);
	}
	return time;
}

static u64 irregular_time(const struct scatter_schedule_spec *spec,
			  const struct scatter_machine *machine)
{
	u64 latest = 0;
	u32 rank;

	for (rank = 0; rank < spec->size; rank++) {
		u64 time = arrival_time(spec->irregular, machine, rank);

		if (time > latest)
			latest = time;
	}
	return latest;
}

/* For each position as long as one binomial tree, or two: up and down again */
static u64 or_time(const struct scatter_schedule_spec *spec,
		   const struct scatter_machine *machine, u64 block)
{
	const struct scatter_schedule_spec tree = {
		.algorithm = SCATTER_SCHEDULE_HYPERCUBE,
		.op = SCATTER_SCHEDULE_BROADCAST,
		.size = spec->size, .root = spec->root,
	};
	u64 time = spec->size * root_time(&tree, machine, block);

	return scatter_is_power_of_two(spec->size) ? time : 2 * time;
}

/**
 * scatter_predict_time - how long a schedule takes
 * @spec: which schedule
 * @machine: where it runs
 * @block: bytes per block; the table of an irregular schedule knows better
 *
 * Context: any; O(log size) time, O(size log size) for an irregular schedule
 * Return: picoseconds; 0 for what is refused
 */
u64 scatter_predict_time(const struct scatter_schedule_spec *spec,
			 const struct scatter_machine *machine, u64 block)
{
	if (scatter_schedule_check(spec))
		return 0;
	switch (spec->algorithm) {
	case SCATTER_SCHEDULE_LINEAR:
		return linear_time(spec, machine, block);
	case SCATTER_SCHEDULE_MESH:
	case SCATTER_SCHEDULE_TORUS:
		return mesh_time(spec, machine, block);
	case SCATTER_SCHEDULE_ROTATED:
	case SCATTER_SCHEDULE_BALANCED:
		return cube_time(spec, machine, block);
	case SCATTER_SCHEDULE_IRREGULAR:
		return irregular_time(spec, machine);
	case SCATTER_SCHEDULE_OR_BROADCAST:
		return or_time(spec, machine, block);
	default:
		return root_time(spec, machine, block);
	}
}

/* Bounds -------------------------------------------------------------------- */

/**
 * struct demand - what any schedule has to do
 * @receivers: ranks, but for the root, that get or give anything
 * @bytes: of their blocks
 * @farthest: hops to the farthest of them
 * @ports: k
 */
struct demand {
	u64 receivers;
	u64 bytes;
	u32 farthest;
	u32 ports;
};

static void demand_table(const struct scatter_schedule_spec *spec,
			 const struct scatter_machine *machine,
			 struct demand *demand)
{
	const struct scatter_irregular *table = spec->irregular;
	u32 rank;

	demand->receivers = 0;
	demand->farthest = 0;
	demand->bytes = table->bytes - table->node[spec->root].block;
	for (rank = 0; rank < spec->size; rank++) {
		u32 hops = scatter_topology_distance(machine, spec->root, rank);

		if (rank == spec->root || !table->node[rank].block)
			continue;
		demand->receivers++;
		if (hops > demand->farthest)
			demand->farthest = hops;
	}
}

static struct demand find_demand(const struct scatter_schedule_spec *spec,
				 const struct scatter_machine *machine,
				 u64 block)
{
	struct demand demand = {
		.receivers = spec->size - 1,
		.bytes = (spec->size - 1) * block,
		.farthest = scatter_topology_eccentricity(machine, spec->size,
							  spec->root),
		.ports = machine->ports ? machine->ports :
					  scatter_schedule_ports(spec),
	};

	if (spec->algorithm == SCATTER_SCHEDULE_IRREGULAR)
		demand_table(spec, machine, &demand);
	return demand;
}

/**
 * scatter_predict_bound_rounds - rounds that any schedule needs
 * @spec: what it has to do; of the algorithm only the ports count
 * @machine: where it runs
 *
 * In a round at most k more ranks than before know of anything for each that did; store-
 * and-forward moves it one hop. Without combining the root deals with k ranks a round.
 *
 * Context: any
 * Return: rounds
 */
u64 scatter_predict_bound_rounds(const struct scatter_schedule_spec *spec,
				 const struct scatter_machine *machine)
{
	struct demand demand;
	u64 reach = 1, rounds = 0;

	if (scatter_schedule_check(spec))
		return 0;
	demand = find_demand(spec, machine, 0);
	if (!machine->combining && spec->op != SCATTER_SCHEDULE_BROADCAST)
		return divide_up(demand.receivers, demand.ports);
	for (; reach <= demand.receivers; reach *= (u64)demand.ports + 1)
		rounds++;
	if (!machine->wormhole && demand.farthest > rounds)
		rounds = demand.farthest;
	return rounds;
}

/**
 * scatter_predict_bound_bytes - bytes through the fullest port of the root, at least
 * @spec: what it has to do; of the algorithm it counts whether it cuts blocks
 * @machine: where it runs
 * @block: bytes per block
 *
 * Context: any
 * Return: bytes
 */
u64 scatter_predict_bound_bytes(const struct scatter_schedule_spec *spec,
				const struct scatter_machine *machine, u64 block)
{
	struct demand demand;

	if (scatter_schedule_check(spec))
		return 0;
	demand = find_demand(spec, machine, block);
	if (spec->op == SCATTER_SCHEDULE_BROADCAST)
		return demand.receivers ? block : 0;
	if (spec->algorithm == SCATTER_SCHEDULE_ROTATED ||
	    spec->algorithm == SCATTER_SCHEDULE_IRREGULAR)
		return divide_up(demand.bytes, demand.ports);
	return divide_up(demand.receivers, demand.ports) * block;
}

/**
 * scatter_predict_bound - time that any schedule needs
 * @spec: what it has to do
 * @machine: where it runs
 * @block: bytes per block
 *
 * Context: any
 * Return: picoseconds; 0 for what is refused
 */
u64 scatter_predict_bound(const struct scatter_schedule_spec *spec,
			  const struct scatter_machine *machine, u64 block)
{
	if (scatter_schedule_check(spec))
		return 0;
	return scatter_predict_bound_rounds(spec, machine) * machine->startup +
	       find_demand(spec, machine, block).farthest * machine->hop +
	       scatter_predict_bound_bytes(spec, machine, block) * machine->byte;
}
