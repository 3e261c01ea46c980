// SPDX-License-Identifier: GPL-2.0
/*
 * Meshes and tori: every shape with at most 256 vertices in up to four dimensions,
 * and lines of up to 2000 vertices against the formula of recursive halving.
 *
 * Takes the most vertices as its argument, 256 without one.
 */
#include <stdlib.h>

#include "check.h"
#include "tap.h"

enum { SIMULATION, WALKS, REVERSAL, ROUNDS, VOLUME, LINKS, PREDICTION, CUBE, TALLIES };

static const char * const says[TALLIES] = {
	[SIMULATION] = "delivered, ports, holders, bundles",
	[WALKS] = "parent and children agree with the walk",
	[REVERSAL] = "gather is scatter reversed",
	[ROUNDS] = "sum of ceil(log2 z) rounds, at most dims - 1 over ceil(log2 N)",
	[VOLUME] = "N - 1 startups, (N - 1) m bytes at the root",
	[LINKS] = "no link has two messages of a round",
	[PREDICTION] = "scatter_predict_time() is the simulated time",
	[CUBE] = "all extents 2: the hypercube's steps",
};

/* Are the steps of all ranks those of the hypercube? */
static void try_cube(const struct scatter_schedule_spec *spec,
		     struct tally *tally)
{
	struct scatter_schedule_spec cube = *spec;
	struct scatter_walk a, b;
	struct scatter_step one, other;
	u32 rank, i;

	for (i = 0; i < spec->dims; i++)
		if (spec->extent[i] != 2)
			return;
	cube.algorithm = SCATTER_SCHEDULE_HYPERCUBE;
	for (rank = 0; rank < spec->size; rank++) {
		bool same = true;

		scatter_schedule_init(&a, spec, rank);
		scatter_schedule_init(&b, &cube, rank);
		while (same && scatter_schedule_next(&a, &one))
			same = scatter_schedule_next(&b, &other) &&
			       one.round == other.round &&
			       one.peer == other.peer &&
			       one.first == other.first &&
			       one.count == other.count &&
			       one.send == other.send;
		tally_case(tally, same && !scatter_schedule_next(&b, &other),
			   spec, "rank %u", rank);
	}
}

static void try_times(const struct scatter_schedule_spec *spec,
		      struct tally *tallies)
{
	bool broadcast = spec->op == SCATTER_SCHEDULE_BROADCAST;
	struct scatter_machine machine = check_machine();
	struct plan_result result;
	u32 i;

	machine.dims = spec->dims;
	for (i = 0; i < spec->dims; i++)
		machine.extent[i] = spec->extent[i];
	machine.topology = spec->algorithm == SCATTER_SCHEDULE_MESH ?
				   SCATTER_TOPOLOGY_MESH :
				   SCATTER_TOPOLOGY_TORUS;
	/* store-and-forward is another time, and the same messages */
	for (i = 0; i < (spec->size < 64 ? 2 : 1); i++) {
		u64 time = scatter_predict_time(spec, &machine, 7);

		check_simulation(&tallies[SIMULATION], spec, &machine, 7,
				 &result);
		tally_case(&tallies[LINKS], !result.conflicts, spec, "%llu",
			   (unsigned long long)result.conflicts);
		tally_case(&tallies[PREDICTION], result.time == time, spec,
			   "%llu, not %llu", (unsigned long long)result.time,
			   (unsigned long long)time);
		tally_case(&tallies[VOLUME],
			   result.startups == spec->size - 1 &&
			   (broadcast || result.root_bytes ==
					 (spec->size - 1) * 7ull), spec,
			   "%llu startups", (unsigned long long)result.startups);
		machine.wormhole = false;
	}
}

static void try_rounds(const struct scatter_schedule_spec *spec,
		       struct tally *tally)
{
	u32 rounds = scatter_schedule_rounds(spec), sum = 0, i;
	u32 least = check_log(2, spec->size);

	for (i = 0; i < spec->dims; i++)
		sum += check_log(2, spec->extent[i]);
	tally_case(tally, rounds == sum && rounds >= least &&
		   rounds <= least + spec->dims - 1, spec, "%u", rounds);
}

static void try_shape(const struct scatter_schedule_spec *shape,
		      struct tally *tallies)
{
	struct scatter_schedule_spec spec = *shape;
	u32 try;

	for (try = 0; try < 2; try++) {
		spec.root = check_random(spec.size);
		for (spec.op = 0; spec.op <= SCATTER_SCHEDULE_BROADCAST;
		     spec.op++)
			if (spec.op != SCATTER_SCHEDULE_GATHER || !try)
				try_times(&spec, tallies);
		spec.op = try ? SCATTER_SCHEDULE_SCATTER :
				SCATTER_SCHEDULE_BROADCAST;
		if (spec.size <= 64)
			check_walks(&tallies[WALKS], &spec);
		spec.op = SCATTER_SCHEDULE_SCATTER;
		if (try)
			check_reversal(&tallies[REVERSAL], &spec);
		try_rounds(&spec, &tallies[ROUNDS]);
		try_cube(&spec, &tallies[CUBE]);
	}
}

/* A shape with an extent of 1 is one of fewer dimensions, and needs less. */
static void try_flat_shape(const struct scatter_schedule_spec *shape,
			   struct tally *tallies)
{
	struct scatter_schedule_spec spec = *shape;

	spec.root = check_random(spec.size);
	spec.op = check_random(3);
	try_times(&spec, tallies);
	try_rounds(&spec, &tallies[ROUNDS]);
}

/* All shapes that have these dimensions first, up to four of them */
static void each_shape(struct scatter_schedule_spec *spec, u32 limit,
		       struct tally *tallies)
{
	u32 extent, size = spec->size, i;
	bool flat = false;

	for (i = 0; i < spec->dims; i++)
		flat |= spec->extent[i] == 1;
	if (flat)
		try_flat_shape(spec, tallies);
	else if (spec->dims)
		try_shape(spec, tallies);
	if (spec->dims == 4)
		return;
	for (extent = 1; size * extent <= limit; extent++) {
		spec->extent[spec->dims++] = extent;
		spec->size = size * extent;
		each_shape(spec, limit, tallies);
		spec->dims--;
		spec->size = size;
	}
}

static void test_shapes(u32 algorithm, const char *name, u32 limit)
{
	struct scatter_schedule_spec spec = { .algorithm = algorithm, .size = 1 };
	struct tally tallies[TALLIES] = { 0 };
	char lines[TALLIES][160];
	u32 i;

	for (i = 0; i < TALLIES; i++) {
		snprintf(lines[i], sizeof(lines[i]), "%s to %u vertices: %s",
			 name, limit, says[i]);
		tallies[i].says = lines[i];
	}
	each_shape(&spec, limit, tallies);
	for (i = 0; i < TALLIES; i++)
		tally_report(&tallies[i]);
}

/*
 * From the end of a line: ceil(log2 z) ts + (z - 1 + f) td + (z - 1) m tw, with
 * 0 <= f <= log2 z
 */
static void test_line(void)
{
	struct tally time = { .says = "a line's end: time, z to 2000" };
	struct tally halves = {
		.says = "z to 2000: scatter keeps the greater half, broadcast the smaller",
	};
	struct scatter_machine machine = check_machine();
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_MESH, .dims = 1,
	};
	u32 z;

	machine.topology = SCATTER_TOPOLOGY_MESH;
	machine.dims = 1;
	for (z = 2; z <= 2000; z++) {
		struct scatter_walk walk;
		struct scatter_step step = { 0 };
		u64 rest, f;

		spec.size = z;
		spec.extent[0] = z;
		machine.extent[0] = z;
		spec.root = z & 4 ? z - 1 : 0;
		spec.op = SCATTER_SCHEDULE_SCATTER;
		rest = scatter_predict_time(&spec, &machine, 1) -
		       check_log(2, z) * CHECK_STARTUP - (z - 1) * CHECK_BYTE;
		f = rest / CHECK_HOP - (z - 1);
		tally_case(&time, rest % CHECK_HOP == 0 &&
			   f <= check_log(2, z + 1), &spec, "f is %llu",
			   (unsigned long long)f);
		scatter_schedule_init(&walk, &spec, spec.root);
		scatter_schedule_next(&walk, &step);
		tally_case(&halves, step.count == z / 2, &spec,
			   "gives %u away", step.count);
		spec.op = SCATTER_SCHEDULE_BROADCAST;
		scatter_schedule_init(&walk, &spec, spec.root);
		scatter_schedule_next(&walk, &step);
		tally_case(&halves, step.peer == (spec.root ? z - 1 - z / 2 :
							      z / 2), &spec,
			   "goes to %u", step.peer);
	}
	tally_report(&time);
	tally_report(&halves);
}

static void test_five_by_five(void)
{
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_MESH, .size = 25, .dims = 2,
		.extent = { 5, 5 },
	};
	struct scatter_machine machine = check_machine();

	ok(scatter_schedule_rounds(&spec) == 6 &&
	   scatter_predict_bound_rounds(&spec, &machine) == 5,
	   "5 x 5: 6 rounds against 5");
}

/* Store-and-forward, each hop is a round; wormhole, a round doubles those who know. */
static void test_bound_rounds(void)
{
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_MESH, .size = 9, .root = 2,
		.dims = 1, .extent = { 9 },
	};
	struct scatter_machine machine = check_machine();
	u64 wormhole;

	machine.topology = SCATTER_TOPOLOGY_MESH;
	machine.dims = 1;
	machine.extent[0] = 9;
	wormhole = scatter_predict_bound_rounds(&spec, &machine);
	machine.wormhole = false;
	ok(wormhole == 4 && scatter_predict_bound_rounds(&spec, &machine) == 6,
	   "line of 9 from 2: at least 4 rounds, store-and-forward 6");
	machine.combining = false;
	machine.ports = 3;
	ok(scatter_predict_bound_rounds(&spec, &machine) == 3,
	   "noncombining, 3 ports: at least 8 / 3 rounds");
}

int main(int argc, char **argv)
{
	u32 limit = argc > 1 ? strtoul(argv[1], NULL, 0) : 256;

	test_shapes(SCATTER_SCHEDULE_MESH, "mesh", limit);
	test_shapes(SCATTER_SCHEDULE_TORUS, "torus", limit);
	test_line();
	test_five_by_five();
	test_bound_rounds();
	return tap_done();
}
