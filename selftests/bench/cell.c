// SPDX-License-Identifier: GPL-2.0
/*
 * Measure one cell: in each round every contender has a turn of a few samples, in
 * turns from the first to the last contender and from the last to the first.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cell.h"
#include "plan.h"

/* Longer than a packet and the answer to it take, even where processors are emulated. */
#define SETTLE_NS	(20 * 1000 * NSEC_PER_USEC)

static void *room_for(void *old, size_t count, size_t bytes)
{
	void *memory = reallocarray(old, count, bytes);

	if (!memory) {
		fprintf(stderr, "bench: no memory\n");
		exit(1);
	}
	return memory;
}

void cell_init(struct cell *cell, const struct options *options)
{
	double *round;
	unsigned int id, metric, i;

	cell->rounds = options->launches * options->rounds;
	for (id = 0; id < CONTENDERS; id++) {
		memset(&cell->series[id], 0, sizeof(cell->series[id]));
		for (metric = 0; metric < METRICS; metric++) {
			round = room_for(NULL, cell->rounds, sizeof(*round));
			for (i = 0; i < cell->rounds; i++)
				round[i] = NAN;
			cell->series[id].round[metric] = round;
		}
	}
}

void cell_free(struct cell *cell)
{
	unsigned int id, metric;

	for (id = 0; id < CONTENDERS; id++)
		for (metric = 0; metric < METRICS; metric++) {
			free(cell->series[id].samples[metric]);
			free(cell->series[id].round[metric]);
		}
}

/* Collecting --------------------------------------------------------------- */

static void series_reserve(struct series *series, size_t more)
{
	unsigned int metric;

	if (series->count + more <= series->room)
		return;
	series->room = 2 * series->room + more;
	for (metric = 0; metric < METRICS; metric++)
		series->samples[metric] = room_for(series->samples[metric],
						   series->room,
						   sizeof(double));
}

static void usage_add(struct usage *sum, const struct usage *more)
{
	sum->cpu_ns += more->cpu_ns;
	sum->switches += more->switches;
}

static void counters_add(struct scatter_counters *sum,
			 const struct scatter_counters *more)
{
	sum->startups += more->startups;
	sum->edge_bytes += more->edge_bytes;
	sum->bytes_copied += more->bytes_copied;
	sum->pins += more->pins;
	sum->wakeups += more->wakeups;
	sum->sleeps += more->sleeps;
	sum->spins += more->spins;
}

static void series_count(struct series *series, const struct seats *seats)
{
	uint32_t i;

	for (i = 0; i < seats->ranks; i++) {
		usage_add(&series->used, &seats->slot[i].turn);
		usage_add(&series->idle, &seats->slot[i].idle);
		counters_add(&series->counted, &seats->slot[i].counted);
	}
	series->operations += seats->turn.samples + 1;
}

static void series_collect(struct series *series, const struct seats *seats,
			   unsigned int round)
{
	static double (*const sample[])(const struct seats *, uint32_t) = {
		[LAST] = sample_last,
		[MEAN] = sample_mean,
		[SINCE] = sample_since,
		[EARLY] = sample_early,
	};
	const uint32_t more = seats->turn.samples;
	unsigned int metric;
	double *samples;
	uint32_t i;

	series_reserve(series, more);
	for (metric = 0; metric < METRICS; metric++) {
		samples = series->samples[metric] + series->count;
		for (i = 0; i < more; i++)
			samples[i] = sample[metric](seats, i);
		series->round[metric][round] = median_of(samples, more);
	}
	series->count += more;
	series_count(series, seats);
}

/* Planning ----------------------------------------------------------------- */

/*
 * Once with data that is looked at, once to see how long it takes: ns from one
 * sample to the next; NAN: failed.
 */
static double group_try(struct group *group, const struct cell *cell)
{
	struct turn turn = {
		.op = cell->op,
		.block = cell->block,
		.samples = 1,
		.verify = 1,
	};

	if (!group->alive || group_turn(group, &turn) < 0)
		return NAN;
	turn.samples = 2;
	turn.verify = 0;
	if (group_turn(group, &turn) < 0)
		return NAN;
	return sample_each(group->seats);
}

static void plans_make(struct plan *plans, const struct cell *cell,
		       const struct options *options, struct group *groups)
{
	const double budget_ns = options->seconds * (double)NSEC_PER_SEC;
	double each_ns[CONTENDERS];
	unsigned int id;
	uint32_t common;

	for (id = 0; id < CONTENDERS; id++)
		each_ns[id] = group_try(&groups[id], cell);
	common = plan_common(budget_ns, options->rounds, each_ns);
	for (id = 0; id < CONTENDERS; id++)
		if (groups[id].alive)
			plans[id] = plan_make(budget_ns, options->rounds,
					      each_ns[id], common);
}

/* -------------------------------------------------------------------------- */

/* Packets under way when the turn ended arrive before the counts are read. */
static void wire_settle(const struct options *options)
{
	const struct timespec settle = { .tv_nsec = SETTLE_NS };

	if (options->nodes)
		nanosleep(&settle, NULL);
}

static void turn_measure(struct cell *cell, struct group *group,
			 const struct plan *plan, unsigned int round,
			 const struct options *options)
{
	struct series *series = &cell->series[group->id];
	struct wire before, after;
	const struct turn turn = {
		.op = cell->op,
		.block = cell->block,
		.samples = plan->samples,
	};

	if (!group->alive || round % plan->stride)
		return;
	before = wire_read(options->wires, options->nodes);
	if (group_turn(group, &turn) < 0)
		return;
	wire_settle(options);
	after = wire_read(options->wires, options->nodes);
	wire_add(&series->sent, &before, &after);
	series_collect(series, group->seats, round);
}

void cell_measure(struct cell *cell, const struct options *options,
		  struct group *groups, unsigned int launch)
{
	struct plan plans[CONTENDERS];
	unsigned int id, round;

	plans_make(plans, cell, options, groups);
	wire_settle(options);
	for (round = launch * options->rounds;
	     round < (launch + 1) * options->rounds; round++)
		for (id = 0; id < CONTENDERS; id++) {
			const unsigned int i = round % 2 ?
				CONTENDERS - 1 - id : id;

			turn_measure(cell, &groups[i], &plans[i], round,
				     options);
		}
}

/* What came of it ---------------------------------------------------------- */

/* Of all samples. */
struct spread cell_time(const struct cell *cell, enum contender_id id,
			enum metric metric)
{
	const struct series *series = &cell->series[id];

	return spread_of(series->samples[metric], series->count);
}

/* Of the medians of turns in the same rounds. */
struct spread cell_ratio(const struct cell *cell, enum contender_id over,
			 enum contender_id under, enum metric metric)
{
	return spread_of_ratios(cell->series[over].round[metric],
				cell->series[under].round[metric],
				cell->rounds);
}

/* -1 if there is none */
int cell_better_peer(const struct cell *cell, enum metric metric)
{
	double medians[PEERS];
	int better, i;

	for (i = 0; i < PEERS; i++)
		medians[i] = cell_time(cell, PEERS_FIRST + i, metric).median;
	better = smallest_of(medians, PEERS);
	return better < 0 ? -1 : PEERS_FIRST + better;
}
