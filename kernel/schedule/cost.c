// SPDX-License-Identifier: GPL-2.0
/*
 * The cost model of one node, where blocks that are not eager are named and not carried. A message
 * takes the startup t_s, and a rank that sends several messages in a row begins the next message
 * after a gap g. In a (k+1)-nomial tree each member of the tree has up to k children in each round:
 *
 *	rounds * (t_s + (k - 1) g),	(k + 1)^rounds >= p members
 *
 * The linear schedule is the case k = p - 1, t_s + (p - 2) g, and the hypercube the case k = 1,
 * ceil(log2 p) t_s. A k in between wins if many startups fit into the time of a wake-up. Payload is
 * copied once whatever the tree, so payload does not decide.
 */
#include "bits.h"
#include "cost.h"
#include "schedule.h"

/* Of messages between nodes; only their ratio decides. */
#define SCATTER_COST_NODE_STARTUP_NS	5000
#define SCATTER_COST_NODE_GAP_NS	1000

/**
 * scatter_cost_gather_limit - the eager limit of a group's gathers
 * @eager_limit: the eager limit of the group's scatters
 * @crowded_limit: the eager limit for members that have no CPU of their own
 * @size: how many members
 * @cpus: how many CPUs
 *
 * Payload saves a pin and costs a copy. In a scatter the root makes the copy for all members, and
 * all wait for the copy. In a gather each member makes its own copy, and need not be there any more
 * when the root comes: with more members than CPUs each member saves a wake-up and a context
 * switch. On two CPUs gathers of 16 to 64 KiB took 0.2 to 0.7 of the time with 4 and 8 members, but
 * 1.5 to 5 times as long with 2 (make bench, --again eager_limit=65536).
 *
 * Context: any
 * Return: bytes; 0 if nothing is to travel as payload
 */
u32 scatter_cost_gather_limit(u32 eager_limit, u32 crowded_limit, u32 size,
			      u32 cpus)
{
	if (!eager_limit || size <= cpus || crowded_limit < eager_limit)
		return eager_limit;
	return crowded_limit;
}

/**
 * scatter_cost_eager - whether a bundle travels as payload
 * @cost: the group's parameters
 * @gather: false: scatter, true: gather
 * @blocks: how many blocks the bundle has
 * @block: bytes per block
 *
 * Context: any
 * Return: true if @blocks * @block is at most the eager limit
 */
bool scatter_cost_eager(const struct scatter_cost *cost, bool gather, u32 blocks,
			u64 block)
{
	u32 limit = gather ? cost->gather_limit : cost->eager_limit;

	/* the product may need 96 bits; a quotient of 32-bit numbers does not */
	return !blocks || block <= limit / blocks;
}

/* Fewest ports with which @rounds rounds reach @size ranks. */
static u32 fewest_ports(u32 size, u32 rounds)
{
	u32 ports, i;
	u64 reach;

	if (rounds == 1)
		return size - 1;
	for (ports = 1;; ports++) {
		reach = 1;
		for (i = 0; i < rounds && reach < size; i++)
			reach *= ports + 1;
		if (reach >= size)
			return ports;
	}
}

/**
 * scatter_cost_shape - choose the tree of a group
 * @cost: (in, out) startup_ns and gap_ns are set; ports is chosen
 * @size: the group's size; times of size gaps and 32 startups fit 64 bits
 *
 * Chooses the (k+1)-nomial tree with the shortest time; among several such trees, the tree with the
 * fewest ports, which spreads the wake-ups. For each number of rounds only the fewest ports that
 * suffice are of interest. If these ports suffice for one round less, too, the shorter time counts.
 *
 * The time is the formula above. In each round the root begins k messages one after the other. The
 * first message takes a startup, and each other message begins a gap later. Named blocks carry no
 * bytes, and all members are equally far apart, so nothing else costs time. The unit tests compare
 * the choice with scatter_predict_time().
 *
 * Context: any
 */
void scatter_cost_shape(struct scatter_cost *cost, u32 size)
{
	u64 best = (u64)-1, time;
	u32 rounds, ports;

	cost->ports = 1;
	for (rounds = scatter_ceil_log2(size); rounds; rounds--) {
		ports = fewest_ports(size, rounds);
		time = rounds * (cost->startup_ns + (u64)(ports - 1) * cost->gap_ns);
		if (time < best) {
			best = time;
			cost->ports = ports;
		}
	}
}

/* The tree of all members whose inner ones have so many ports. */
static void choose(u32 ports, struct scatter_schedule_spec *spec)
{
	spec->ports = 0;
	if (ports + 1 >= spec->size) {
		spec->algorithm = SCATTER_SCHEDULE_LINEAR;
	} else if (ports == 1) {
		spec->algorithm = SCATTER_SCHEDULE_HYPERCUBE;
	} else {
		spec->algorithm = SCATTER_SCHEDULE_KNOMIAL;
		spec->ports = ports;
	}
}

/**
 * scatter_cost_choose - the algorithm of an operation that names none
 * @cost: the group's parameters
 * @gather: false: scatter, true: gather
 * @block: bytes per block
 * @spec: (in, out) has the size; algorithm and ports are chosen
 *
 * Blocks that are eager one by one always go linear: on one node a sender deposits payload straight
 * at the receiver, and the ranks on the way of a bundle would only copy the bundle again. Other
 * blocks go by the group's tree.
 *
 * Context: any
 */
void scatter_cost_choose(const struct scatter_cost *cost, bool gather, u64 block,
			 struct scatter_schedule_spec *spec)
{
	choose(scatter_cost_eager(cost, gather, 1, block) ? spec->size : cost->ports, spec);
}

/**
 * scatter_cost_choose_nodes - the algorithm between nodes of an operation that names none
 * @spec: (in, out) has the size, in nodes; algorithm and ports are chosen
 *
 * Between nodes a startup is long against a gap: a message passes two devices, and wakes a worker
 * of the receiver and perhaps a member, while the sender only posts the next message. So the root
 * sends straight to each of up to 8 nodes, and no node forwards anything. Among more nodes the tree
 * keeps the number of a node's startups, and of its connections, small.
 *
 * All nodes choose the same, since only the size decides.
 *
 * Context: any
 */
void scatter_cost_choose_nodes(struct scatter_schedule_spec *spec)
{
	struct scatter_cost cost = {
		.startup_ns = SCATTER_COST_NODE_STARTUP_NS,
		.gap_ns = SCATTER_COST_NODE_GAP_NS,
	};

	scatter_cost_shape(&cost, spec->size);
	choose(cost.ports, spec);
}
