// SPDX-License-Identifier: GPL-2.0
/*
 * Machines of the cost model: what a message costs, and how far apart ranks are.
 */
#include "machine.h"
#include "schedule/bits.h"
#include "schedule/radix.h"

/**
 * scatter_machine_check - does a machine have a topology for so many ranks?
 * @machine: may be any numbers
 * @size: ranks
 *
 * Context: any
 * Return: 0; else enum scatter_schedule_error: %SCATTER_SCHEDULE_BAD_ALGORITHM for
 * an unknown topology, %SCATTER_SCHEDULE_BAD_POWER, %SCATTER_SCHEDULE_BAD_DIMS or
 * %SCATTER_SCHEDULE_BAD_EXTENT
 */
int scatter_machine_check(const struct scatter_machine *machine, u32 size)
{
	switch (machine->topology) {
	case SCATTER_TOPOLOGY_FULL:
		return SCATTER_SCHEDULE_OK;
	case SCATTER_TOPOLOGY_HYPERCUBE:
		return scatter_is_power_of_two(size) ?
			       SCATTER_SCHEDULE_OK : SCATTER_SCHEDULE_BAD_POWER;
	case SCATTER_TOPOLOGY_MESH:
	case SCATTER_TOPOLOGY_TORUS:
		break;
	default:
		return SCATTER_SCHEDULE_BAD_ALGORITHM;
	}
	if (!machine->dims || machine->dims > SCATTER_SCHEDULE_DIMS)
		return SCATTER_SCHEDULE_BAD_DIMS;
	if (scatter_radix_product(machine->extent, machine->dims) != size)
		return SCATTER_SCHEDULE_BAD_EXTENT;
	return SCATTER_SCHEDULE_OK;
}

/**
 * scatter_machine_message - time that one message takes
 * @machine: the machine
 * @bytes: its payload
 * @hops: links it crosses
 *
 * Context: any
 * Return: picoseconds
 */
u64 scatter_machine_message(const struct scatter_machine *machine, u64 bytes,
			    u32 hops)
{
	if (machine->wormhole)
		return machine->startup + hops * machine->hop +
		       bytes * machine->byte;
	return hops * (machine->startup + machine->hop + bytes * machine->byte);
}

static u32 line_distance(const struct scatter_machine *machine, u32 extent,
			 u32 a, u32 b)
{
	u32 distance = a < b ? b - a : a - b;

	if (machine->topology == SCATTER_TOPOLOGY_TORUS &&
	    distance > extent - distance)
		return extent - distance;
	return distance;
}

/**
 * scatter_topology_distance - links on the shortest way
 * @machine: the machine
 * @a: a rank
 * @b: another, or the same
 *
 * Context: any
 * Return: hops
 */
u32 scatter_topology_distance(const struct scatter_machine *machine, u32 a,
			      u32 b)
{
	u32 distance = 0, stride = 1, dim = machine->dims;

	if (machine->topology == SCATTER_TOPOLOGY_FULL)
		return a != b;
	if (machine->topology == SCATTER_TOPOLOGY_HYPERCUBE)
		return scatter_count_bits(a ^ b);
	while (dim--) {
		u32 extent = machine->extent[dim];

		distance += line_distance(machine, extent,
					  scatter_radix_digit(a, stride, extent),
					  scatter_radix_digit(b, stride, extent));
		stride *= extent;
	}
	return distance;
}

/**
 * scatter_topology_eccentricity - links to the farthest rank
 * @machine: the machine
 * @size: ranks
 * @rank: from which one
 *
 * Context: any
 * Return: hops
 */
u32 scatter_topology_eccentricity(const struct scatter_machine *machine,
				  u32 size, u32 rank)
{
	u32 farthest = 0, stride = 1, dim = machine->dims;

	if (machine->topology == SCATTER_TOPOLOGY_FULL)
		return size > 1;
	if (machine->topology == SCATTER_TOPOLOGY_HYPERCUBE)
		return scatter_ceil_log2(size);
	while (dim--) {
		u32 extent = machine->extent[dim];
		u32 here = scatter_radix_digit(rank, stride, extent);

		if (machine->topology == SCATTER_TOPOLOGY_TORUS)
			farthest += extent / 2;
		else
			farthest += here > extent - 1 - here ? here :
							       extent - 1 - here;
		stride *= extent;
	}
	return farthest;
}

/* All distances along one line, from coordinate @here */
static u64 line_total(const struct scatter_machine *machine, u32 extent,
		      u32 here)
{
	u64 below = here, above = extent - 1 - here;

	if (machine->topology == SCATTER_TOPOLOGY_TORUS) {
		below = extent / 2;
		above = (extent - 1) / 2;
	}
	return below * (below + 1) / 2 + above * (above + 1) / 2;
}

/**
 * scatter_topology_total - links to all other ranks, added up
 * @machine: the machine
 * @size: ranks
 * @rank: from which one
 *
 * Context: any
 * Return: hops
 */
u64 scatter_topology_total(const struct scatter_machine *machine, u32 size,
			   u32 rank)
{
	u32 stride = 1, dim = machine->dims;
	u64 total = 0;

	if (machine->topology == SCATTER_TOPOLOGY_FULL)
		return size - 1;
	if (machine->topology == SCATTER_TOPOLOGY_HYPERCUBE)
		return (u64)scatter_ceil_log2(size) * (size / 2);
	while (dim--) {
		u32 extent = machine->extent[dim];
		u32 here = scatter_radix_digit(rank, stride, extent);

		total += line_total(machine, extent, here) * (size / extent);
		stride *= extent;
	}
	return total;
}
