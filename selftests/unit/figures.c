// SPDX-License-Identifier: GPL-2.0
/*
 * Figures of the schedules, not a test: how long a rank's whole plan takes to make,
 * and the simulation of all ranks; and simulated times over their lower bounds, as a
 * table for the documentation.
 *
 *	make -C selftests/unit figures SANITIZE= OUT=/tmp/figures && /tmp/figures/figures
 *
 * Takes log2 of the largest size as its argument, 20 without one.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "tap.h"

struct figure {
	const char *name;
	struct scatter_schedule_spec spec;
	u32 topology;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static u32 walk(const struct scatter_schedule_spec *spec, u32 rank)
{
	struct scatter_walk walk;
	struct scatter_step step;
	u32 sum = 0;

	scatter_schedule_init(&walk, spec, rank);
	while (scatter_schedule_next(&walk, &step))
		sum += step.peer;
	return sum;
}

/* The root's plan, which is the longest, and that of ranks anywhere, in us */
static void measure_plan(const struct figure *figure)
{
	const u32 tries = 2000;
	double start = now(), root, any;
	u32 sink = 0, i;

	for (i = 0; i < tries; i++)
		sink += walk(&figure->spec, figure->spec.root);
	root = (now() - start) / tries * 1e6;
	start = now();
	for (i = 0; i < tries; i++)
		sink += walk(&figure->spec, check_random(figure->spec.size));
	any = (now() - start) / tries * 1e6;
	/* a use for all the peers, so that there is no doubt that they are found */
	printf("%-22s plan: root %8.2f us, any rank %6.2f us%s\n",
	       figure->name, root, any, sink == 1 ? "!" : "");
}

static void measure_simulation(const struct figure *figure)
{
	struct scatter_machine machine = check_machine();
	struct plan_result result;
	double start = now();

	machine.topology = figure->topology;
	machine.dims = figure->spec.dims;
	memcpy(machine.extent, figure->spec.extent, sizeof(machine.extent));
	plan_simulate(&figure->spec, &machine, 64, &result);
	printf("%-22s simulation: %6.2f s, %llu messages%s%s\n", figure->name,
	       now() - start, (unsigned long long)result.startups,
	       *result.violation ? ", " : "", result.violation);
}

static void print_ratio(const struct figure *figure, u32 size, bool hops)
{
	struct scatter_schedule_spec spec = figure->spec;
	struct scatter_machine machine = {
		.startup = 1000000, .hop = hops ? 20000 : 0, .byte = 100,
		.wormhole = true, .combining = true,
		.topology = figure->topology,
	};
	struct plan_result result;

	spec.size = size;
	spec.root = 0;
	spec.dims = spec.dims ? 1 : 0;
	spec.extent[0] = size;
	machine.dims = spec.dims;
	machine.extent[0] = size;
	if (plan_simulate(&spec, &machine, 2520, &result))
		printf(" %8s", "-");
	else
		printf(" %8.4f", (double)result.time /
		       (double)scatter_predict_bound(&spec, &machine, 2520));
}

/* t_s 1 us, t_w 0.1 ns, blocks of 2520 bytes; hops 20 ns or none */
static void print_ratios(const struct figure *figures, u32 count)
{
	static const u32 sizes[] = { 8, 9, 16, 27, 64, 100, 243, 256, 1000, 1024 };
	u32 i, k, hops;

	for (hops = 0; hops < 2; hops++) {
		printf("\ntime / bound, %s hops\n%-22s", hops ? "with" : "without",
		       "p");
		for (k = 0; k < ARRAY_SIZE(sizes); k++)
			printf(" %8u", sizes[k]);
		for (i = 0; i < count; i++) {
			printf("\n%-22s", figures[i].name);
			for (k = 0; k < ARRAY_SIZE(sizes); k++)
				print_ratio(&figures[i], sizes[k], hops);
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	u32 n = argc > 1 ? strtoul(argv[1], NULL, 0) : 20, i;
	u32 size = 1u << n, rows = 1u << n / 2;
	const struct figure figures[] = {
		{ "linear", { .algorithm = SCATTER_SCHEDULE_LINEAR }, 0 },
		{ "hypercube", { .algorithm = SCATTER_SCHEDULE_HYPERCUBE },
		  SCATTER_TOPOLOGY_HYPERCUBE },
		{ "hypercube, any p", { .algorithm = SCATTER_SCHEDULE_HYPERCUBE,
					.size = size - 1 }, 0 },
		{ "line", { .algorithm = SCATTER_SCHEDULE_MESH, .dims = 1,
			    .extent = { size } }, SCATTER_TOPOLOGY_MESH },
		{ "mesh", { .algorithm = SCATTER_SCHEDULE_MESH, .dims = 2,
			    .extent = { rows, size / rows } },
		  SCATTER_TOPOLOGY_MESH },
		{ "torus", { .algorithm = SCATTER_SCHEDULE_TORUS, .dims = 2,
			     .extent = { rows, size / rows } },
		  SCATTER_TOPOLOGY_TORUS },
		{ "3-nomial, 2 ports", { .algorithm = SCATTER_SCHEDULE_KNOMIAL,
					 .ports = 2 }, 0 },
		{ "4-nomial, 3 ports", { .algorithm = SCATTER_SCHEDULE_KNOMIAL,
					 .ports = 3 }, 0 },
		{ "rotated", { .algorithm = SCATTER_SCHEDULE_ROTATED },
		  SCATTER_TOPOLOGY_HYPERCUBE },
		{ "balanced", { .algorithm = SCATTER_SCHEDULE_BALANCED },
		  SCATTER_TOPOLOGY_HYPERCUBE },
	};

	for (i = 0; i < ARRAY_SIZE(figures); i++) {
		struct figure figure = figures[i];

		if (!figure.spec.size)
			figure.spec.size = size;
		figure.spec.root = size / 3;
		if (figure.spec.algorithm != SCATTER_SCHEDULE_LINEAR &&
		    figure.spec.algorithm != SCATTER_SCHEDULE_BALANCED)
			measure_plan(&figure);
		measure_simulation(&figure);
	}
	print_ratios(figures, ARRAY_SIZE(figures));
	return 0;
}
