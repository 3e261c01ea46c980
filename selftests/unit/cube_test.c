// SPDX-License-Identifier: GPL-2.0
/*
 * All ports of a hypercube, by rotated trees and by the balanced tree; and the
 * one-port hypercube run on other topologies.
 *
 * Takes the most dimensions as its argument, 9 without one.
 */
#include <stdlib.h>

#include "check.h"
#include "tap.h"

enum { SIMULATION, WALKS, REVERSAL, TIME, PREDICTION, TALLIES };

static const char * const says[TALLIES] = {
	[SIMULATION] = "delivered, ports, holders, pieces, links",
	[WALKS] = "parent and children agree with the walk",
	[REVERSAL] = "gather is scatter reversed",
	[TIME] = "n rounds, and the time of the formula",
	[PREDICTION] = "scatter_predict_time() is the simulated time",
};

/* Fattest subtrees of the balanced tree: the theory's table from n = 3 on */
static const u32 fattest[] = { 0, 1, 2, 3, 5, 7, 13, 19, 35, 59, 107 };
/* ceil((2^n - 1) / n) */
static const u32 bounds[] = { 0, 1, 2, 3, 4, 7, 11, 19, 32, 57, 103 };

static u64 formula(const struct scatter_schedule_spec *spec, u32 n, u64 block)
{
	u64 bytes = fattest[n] * block;

	if (spec->algorithm == SCATTER_SCHEDULE_ROTATED && n)
		bytes = (spec->size - 1) * ((block + n - 1) / n);
	return n * (CHECK_STARTUP + CHECK_HOP) + bytes * CHECK_BYTE;
}

static void try_case(const struct scatter_schedule_spec *spec, u32 n, u64 block,
		     struct tally *tallies)
{
	struct scatter_machine machine = check_machine();
	struct plan_result result;
	u64 time;

	machine.topology = SCATTER_TOPOLOGY_HYPERCUBE;
	machine.wormhole = block & 1;
	time = scatter_predict_time(spec, &machine, block);
	check_simulation(&tallies[SIMULATION], spec, &machine, block, &result);
	tally_case(&tallies[SIMULATION], !result.conflicts &&
		   result.root_bytes == (spec->size - 1) * block, spec,
		   "%llu conflicts", (unsigned long long)result.conflicts);
	tally_case(&tallies[TIME], result.rounds == n &&
		   result.time == formula(spec, n, block), spec, "%llu",
		   (unsigned long long)result.time);
	tally_case(&tallies[PREDICTION], result.time == time, spec,
		   "%llu, not %llu", (unsigned long long)result.time,
		   (unsigned long long)time);
}

static void test_family(u32 algorithm, const char *name, u32 limit)
{
	struct scatter_schedule_spec spec = { .algorithm = algorithm };
	struct tally tallies[TALLIES] = { 0 };
	char lines[TALLIES][160];
	u32 n, i;

	for (i = 0; i < TALLIES; i++) {
		snprintf(lines[i], sizeof(lines[i]), "%s, n to %u: %s", name,
			 limit, says[i]);
		tallies[i].says = lines[i];
	}
	for (n = 0; n <= limit; n++) {
		spec.size = 1u << n;
		for (spec.root = 0; spec.root < spec.size;
		     spec.root += n <= 6 ? 1 : spec.size / 2 - 5) {
			for (spec.op = 0; spec.op < 2; spec.op++) {
				try_case(&spec, n, 6 * n, tallies);
				try_case(&spec, n, 35, tallies);
				if (n <= 7)
					check_walks(&tallies[WALKS], &spec);
			}
			spec.op = 0;
			if (n <= 7)
				check_reversal(&tallies[REVERSAL], &spec);
		}
	}
	for (i = 0; i < TALLIES; i++)
		tally_report(&tallies[i]);
}

/* The fullest port of the root, block by block */
static u32 fullest_port(const struct scatter_schedule_spec *spec)
{
	struct scatter_walk walk;
	struct scatter_step step;
	u32 blocks[32] = { 0 }, most = 0;

	scatter_schedule_init(&walk, spec, spec->root);
	while (scatter_schedule_next(&walk, &step)) {
		blocks[step.port] += step.count;
		if (blocks[step.port] > most)
			most = blocks[step.port];
	}
	return most;
}

static void test_fattest(void)
{
	struct scatter_machine machine = check_machine();
	u32 n;

	for (n = 1; n <= 10; n++) {
		struct scatter_schedule_spec spec = {
			.algorithm = SCATTER_SCHEDULE_BALANCED,
			.size = 1u << n, .root = (1u << n) / 3,
		};

		ok(fullest_port(&spec) == fattest[n] &&
		   scatter_predict_bound_bytes(&spec, &machine, 10) ==
			   10 * bounds[n],
		   "balanced, n %u: fattest subtree %u, bound %u", n,
		   fattest[n], bounds[n]);
		spec.algorithm = SCATTER_SCHEDULE_ROTATED;
		ok(n * scatter_predict_bound_bytes(&spec, &machine, n) ==
		   n * fullest_port(&spec),
		   "rotated, n %u: (2^n - 1) / n blocks by each port", n);
	}
}

/*
 * In tree t the 2^b blocks of a bundle vary in bits t to t + b - 1, around the end:
 * those from bit 0 up are one range.
 */
static void test_ranges(void)
{
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_ROTATED, .size = 64, .root = 21,
	};
	struct tally tally = {
		.says = "rotated, n 6: as few ranges as there can be",
	};
	struct scatter_walk walk;
	struct scatter_step step;
	u32 rank;

	for (rank = 0; rank < spec.size; rank++) {
		scatter_schedule_init(&walk, &spec, rank);
		while (scatter_schedule_next(&walk, &step)) {
			u32 ranges = 0, cursor = 0, least = step.count;
			struct scatter_range range;

			while (scatter_schedule_range(&walk, &step, &cursor,
						      &range))
				ranges++;
			if (!step.tree)
				least = 1;
			else if (step.count > 64u >> step.tree)
				least = 64u >> step.tree;
			tally_case(&tally, ranges == least, &spec,
				   "rank %u: %u", rank, ranges);
		}
	}
	tally_report(&tally);
}

/* No extra time: n ts + (p - 1) m tw and the way to the farthest rank */
static void try_elsewhere(const struct scatter_schedule_spec *spec,
			  struct scatter_machine *machine, struct tally *tally)
{
	struct plan_result result;
	u64 time = check_log(2, spec->size) * CHECK_STARTUP +
		   (spec->size - 1) * 5 * CHECK_BYTE, far = 0;
	u32 i;

	for (i = 0; i < machine->dims; i++)
		far += machine->extent[i] - 1;
	check_simulation(tally, spec, machine, 5, &result);
	tally_case(tally, !result.conflicts &&
		   result.time == time + far * CHECK_HOP &&
		   result.time == scatter_predict_time(spec, machine, 5), spec,
		   "%ux%u: %llu", machine->extent[0], machine->extent[1],
		   (unsigned long long)result.time);
}

static void test_elsewhere(u32 limit)
{
	struct tally tally = {
		.says = "the hypercube on arrays and meshes: no more time, no link twice",
	};
	struct scatter_machine machine = check_machine();
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_HYPERCUBE,
	};
	u32 n, rows;

	machine.topology = SCATTER_TOPOLOGY_MESH;
	machine.dims = 2;
	for (n = 1; n <= limit; n++)
		for (rows = 0; rows <= n; rows++) {
			machine.extent[0] = 1u << rows;
			machine.extent[1] = 1u << (n - rows);
			spec.size = 1u << n;
			for (spec.root = 0; spec.root < spec.size;
			     spec.root += 1 + spec.size / 16)
				for (spec.op = 0; spec.op < 2; spec.op++)
					try_elsewhere(&spec, &machine, &tally);
		}
	tally_report(&tally);
}

/* The one-port cube is at the bound, whatever hops cost. */
static void test_bound(void)
{
	struct tally tally = {
		.says = "hypercube: time is the bound, with hops, in both ways of switching",
	};
	struct scatter_machine machine = check_machine();
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_HYPERCUBE,
	};
	struct plan_result result;
	u32 n;

	machine.topology = SCATTER_TOPOLOGY_HYPERCUBE;
	for (n = 0; n <= 11; n++) {
		spec.size = 1u << n;
		spec.root = spec.size / 3;
		machine.wormhole = n & 1;
		spec.op = n & 2 ? SCATTER_SCHEDULE_GATHER :
				  SCATTER_SCHEDULE_SCATTER;
		check_simulation(&tally, &spec, &machine, 9, &result);
		tally_case(&tally, result.time ==
			   scatter_predict_bound(&spec, &machine, 9) &&
			   2 * result.volume == (u64)n * spec.size * 9, &spec,
			   "%llu", (unsigned long long)result.time);
	}
	tally_report(&tally);
}

int main(int argc, char **argv)
{
	u32 limit = argc > 1 ? strtoul(argv[1], NULL, 0) : 9;

	test_family(SCATTER_SCHEDULE_ROTATED, "rotated", limit);
	test_family(SCATTER_SCHEDULE_BALANCED, "balanced", limit);
	test_fattest();
	test_ranges();
	test_elsewhere(limit);
	test_bound();
	return tap_done();
}
