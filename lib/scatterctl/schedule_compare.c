// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan --compare: all algorithms side by side.
 */
#include <inttypes.h>

#include "schedule.h"

static void print_row(const struct schedule *schedule,
		      const struct schedule_totals *totals)
{
	const struct scatter_schedule_spec *spec = &schedule->spec;
	char text[NS_MAX];

	printf("%-12s %6u %11u", schedule_algorithm_name(spec->algorithm),
	       schedule->machine.ports, schedule_rounds(schedule));
	if (schedule->placed)
		printf(" %11" PRIu64 " %14" PRIu64 " %11" PRIu64,
		       totals->sums.between.startups,
		       totals->sums.between.bytes, totals->sums.inside.copied);
	else if (totals->counted)
		printf(" %11" PRIu64 " %14" PRIu64 " %11" PRIu64,
		       totals->startups, totals->root_bytes, totals->hops);
	else
		printf(" %11s %14s %11s", "-", "-", "-");
	printf(" %18s", format_ns(text, totals->time));
	print_ratio(stdout, 9, totals->time, totals->bound);
	putchar('\n');
}

static int compare_one(const struct schedule_options *options, u32 algorithm)
{
	struct schedule_totals totals;
	struct schedule schedule;
	char why[WHY_MAX];
	int status = STATUS_OK;

	if (schedule_make(&schedule, options, algorithm, why)) {
		status = schedule_sum_up(&schedule, &totals);
		if (status == STATUS_OK)
			print_row(&schedule, &totals);
	} else {
		printf("%-12s %6s %s\n", schedule_algorithm_name(algorithm),
		       "-", why);
	}
	schedule_free(&schedule);
	return status;
}

/**
 * schedule_compare() - print a line for each algorithm
 * @options: the command line; its topology is that of all
 *
 * Return: the exit status.
 */
int schedule_compare(const struct schedule_options *options)
{
	bool gather = options->op == SCATTER_SCHEDULE_GATHER;
	const char *bytes = gather ? "bytes to root" : "bytes of root";
	int status = STATUS_OK;
	u32 algorithm;

	if (options->nodes)
		bytes = "bytes between";
	printf("%-12s %6s %11s %11s %14s %11s %18s %8s\n", "algorithm", "ports",
	       "rounds", options->nodes ? "between" : "startups", bytes,
	       options->nodes ? "copied" : "hops", "time/ns", "/bound");
	for (algorithm = SCATTER_SCHEDULE_LINEAR;
	     algorithm <= SCATTER_SCHEDULE_OR_BROADCAST; algorithm++) {
		if (compare_one(options, algorithm) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}
