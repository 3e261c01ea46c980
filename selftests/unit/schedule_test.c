// SPDX-License-Identifier: GPL-2.0
/*
 * Linear, hypercube, k-nomial, and recursive halving of a line and a ring: every
 * size up to a limit, simulated for every root that is worth it, and held against
 * the formulas of the theory, which are written down here once more.
 *
 * Takes the largest size as its argument, 512 without one.
 */
#include <stdlib.h>

#include "check.h"
#include "tap.h"

/**
 * struct family - what one algorithm promises
 * @algorithm: enum scatter_schedule_algorithm
 * @ports: k
 * @name: for the test's line
 * @rounds: formula
 * @time: formula for scatter and gather on a full network without hops; NULL if there
 *	is none for all roots
 */
struct family {
	u32 algorithm;
	u32 ports;
	const char *name;
	u32 (*rounds)(u32 size, u32 ports);
	u64 (*time)(u32 size, u32 ports, u64 block);
};

static u32 linear_rounds(u32 size, u32 ports)
{
	return ports ? size - 1 : 0;
}

static u64 linear_time(u32 size, u32 ports, u64 block)
{
	return linear_rounds(size, ports) * (CHECK_STARTUP + block * CHECK_BYTE);
}

static u32 tree_rounds(u32 size, u32 ports)
{
	return check_log(ports + 1, size);
}

/* d ts + (min(q, p - q) + (q - 1) / k) m tw, q = (k+1)^(d-1) */
static u64 tree_time(u32 size, u32 ports, u64 block)
{
	u32 rounds = tree_rounds(size, ports), i;
	u64 q = 1, blocks;

	if (!rounds)
		return 0;
	for (i = 1; i < rounds; i++)
		q *= ports + 1;
	blocks = (q < size - q ? q : size - q) + (q - 1) / ports;
	return rounds * CHECK_STARTUP + blocks * block * CHECK_BYTE;
}

static const struct family families[] = {
	{ SCATTER_SCHEDULE_LINEAR, 1, "linear", linear_rounds, linear_time },
	{ SCATTER_SCHEDULE_HYPERCUBE, 1, "hypercube", tree_rounds, tree_time },
	{ SCATTER_SCHEDULE_KNOMIAL, 1, "1-nomial", tree_rounds, tree_time },
	{ SCATTER_SCHEDULE_KNOMIAL, 2, "k-nomial, 2 ports", tree_rounds, tree_time },
	{ SCATTER_SCHEDULE_KNOMIAL, 3, "k-nomial, 3 ports", tree_rounds, tree_time },
	{ SCATTER_SCHEDULE_KNOMIAL, 7, "k-nomial, 7 ports", tree_rounds, tree_time },
	{ SCATTER_SCHEDULE_MESH, 1, "line", tree_rounds, tree_time },
	{ SCATTER_SCHEDULE_TORUS, 1, "ring", tree_rounds, tree_time },
};

enum { SIMULATION, WALKS, REVERSAL, ROUNDS, TRAFFIC, TIME, PREDICTION, BOUND, TALLIES };

static const char * const says[TALLIES] = {
	[SIMULATION] = "delivered, ports, holders, contiguous bundles",
	[WALKS] = "parent and children agree with the walk",
	[REVERSAL] = "gather is scatter reversed",
	[ROUNDS] = "rounds are those of the formula",
	[TRAFFIC] = "p - 1 startups, p - 1 blocks at the root",
	[TIME] = "time is that of the formula",
	[PREDICTION] = "scatter_predict_time() is the simulated time, on every topology of its own",
	[BOUND] = "no time below the bound; at it where the theory says so",
};

static bool is_power_of(u32 base, u32 number)
{
	u64 power = 1;

	while (power < number)
		power *= base;
	return power == number;
}

/* Simulated and predicted on a full network and on the family's own */
static void try_predictions(const struct scatter_schedule_spec *spec, u64 block,
			    struct tally *tallies)
{
	struct scatter_machine machine = check_machine();
	struct plan_result result;
	u64 bound;
	u32 i;

	machine.dims = 1;
	machine.extent[0] = spec->size;
	for (i = 0; i < 4; i++) {
		machine.wormhole = i & 1;
		/* the same messages as by wormhole; large sizes take time */
		if (!machine.wormhole && spec->size > 160)
			continue;
		machine.topology = SCATTER_TOPOLOGY_FULL;
		if (i & 2 && spec->algorithm == SCATTER_SCHEDULE_TORUS)
			machine.topology = SCATTER_TOPOLOGY_TORUS;
		else if (i & 2 && spec->algorithm == SCATTER_SCHEDULE_MESH)
			machine.topology = SCATTER_TOPOLOGY_MESH;
		else if (i & 2 && spec->algorithm == SCATTER_SCHEDULE_LINEAR)
			machine.topology = SCATTER_TOPOLOGY_MESH;
		else if (i & 2)
			break;
		check_simulation(&tallies[SIMULATION], spec, &machine, block,
				 &result);
		tally_case(&tallies[PREDICTION], result.time ==
			   scatter_predict_time(spec, &machine, block), spec,
			   "topology %u: %llu, not %llu", machine.topology,
			   (unsigned long long)result.time,
			   (unsigned long long)scatter_predict_time(spec, &machine, block));
		bound = scatter_predict_bound(spec, &machine, block);
		/*
		 * Of a source inside a line, one vertex may be the last to know of
		 * anything, and another one the farthest.
		 */
		if (machine.topology == SCATTER_TOPOLOGY_MESH && spec->root &&
		    spec->root + 1 < spec->size)
			bound -= machine.hop *
				 scatter_topology_eccentricity(&machine,
							       spec->size,
							       spec->root);
		tally_case(&tallies[BOUND], result.time >= bound, spec,
			   "topology %u, below the bound", machine.topology);
	}
}

static void try_formulas(const struct family *family,
			 const struct scatter_schedule_spec *spec, u64 block,
			 struct tally *tallies)
{
	bool broadcast = spec->op == SCATTER_SCHEDULE_BROADCAST;
	struct scatter_machine machine = check_machine();
	u32 rounds = family->rounds(spec->size, family->ports);
	u64 time = family->time(spec->size, family->ports, block);
	struct plan_result result;

	machine.hop = 0;
	check_simulation(&tallies[SIMULATION], spec, &machine, block, &result);
	tally_case(&tallies[ROUNDS], result.rounds == rounds &&
		   result.hop_rounds == rounds, spec, "%u", result.rounds);
	tally_case(&tallies[TRAFFIC], result.startups == spec->size - 1 &&
		   (broadcast || result.root_bytes ==
				 (spec->size - 1) * block), spec, "%llu startups",
		   (unsigned long long)result.startups);
	if (broadcast)
		time = rounds * (CHECK_STARTUP + block * CHECK_BYTE);
	tally_case(&tallies[TIME], result.time == time, spec, "%llu, not %llu",
		   (unsigned long long)result.time, (unsigned long long)time);
	if (broadcast || family->algorithm == SCATTER_SCHEDULE_LINEAR ||
	    (family->ports > 1 && !is_power_of(family->ports + 1, spec->size)))
		return;
	tally_case(&tallies[BOUND], result.time ==
		   scatter_predict_bound(spec, &machine, block), spec,
		   "not at the bound");
}

static void try_case(const struct family *family, u32 size, u32 root,
		     struct tally *tallies)
{
	struct scatter_schedule_spec spec = {
		.algorithm = family->algorithm, .size = size, .root = root,
		.ports = family->ports, .dims = 1, .extent = { size },
	};

	for (spec.op = 0; spec.op <= SCATTER_SCHEDULE_BROADCAST; spec.op++) {
		try_formulas(family, &spec, 1 + root % 5, tallies);
		try_predictions(&spec, 3, tallies);
		if (size <= 128)
			check_walks(&tallies[WALKS], &spec);
	}
	if (size <= 128)
		check_reversal(&tallies[REVERSAL], &spec);
}

static void test_family(const struct family *family, u32 limit)
{
	struct tally tallies[TALLIES] = { 0 };
	char lines[TALLIES][160];
	u32 size, root, i;

	for (i = 0; i < TALLIES; i++) {
		snprintf(lines[i], sizeof(lines[i]), "%s, p to %u: %s",
			 family->name, limit, says[i]);
		tallies[i].says = lines[i];
	}
	for (size = 1; size <= limit; size++)
		for (root = 0; root < size;
		     root += size <= 64 ? 1 : size / 2 - size % 7)
			try_case(family, size, root, tallies);
	for (i = 0; i < TALLIES; i++)
		tally_report(&tallies[i]);
}

/* k-nomial with one port is the binomial tree, rotated for any size. */
static void test_binomial(void)
{
	struct tally tally = {
		.says = "1-nomial is the hypercube's tree if there is no cube",
	};
	struct scatter_walk a, b;
	struct scatter_step one, other;
	u32 size, rank;

	for (size = 3; size < 200; size++)
		for (rank = 0; rank < size; rank++) {
			struct scatter_schedule_spec spec = {
				.algorithm = SCATTER_SCHEDULE_HYPERCUBE,
				.size = size, .root = size / 3,
			};
			bool same = true;

			if (is_power_of(2, size))
				continue;
			scatter_schedule_init(&a, &spec, rank);
			spec.algorithm = SCATTER_SCHEDULE_KNOMIAL;
			scatter_schedule_init(&b, &spec, rank);
			while (same && scatter_schedule_next(&a, &one))
				same = scatter_schedule_next(&b, &other) &&
				       one.round == other.round &&
				       one.peer == other.peer &&
				       one.first == other.first &&
				       one.count == other.count &&
				       one.send == other.send;
			tally_case(&tally, same &&
				   !scatter_schedule_next(&b, &other), &spec,
				   "rank %u", rank);
		}
	tally_report(&tally);
}

int main(int argc, char **argv)
{
	u32 limit = argc > 1 ? strtoul(argv[1], NULL, 0) : 512;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(families); i++)
		test_family(&families[i], limit);
	test_binomial();
	return tap_done();
}
