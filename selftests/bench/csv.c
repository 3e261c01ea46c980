// SPDX-License-Identifier: GPL-2.0
/*
 * Tables for programs. A field that has no value is empty.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

#define PATH_BYTES	4096

static const char *const header[] = {
	"op", "ranks", "block", "contender", "samples", "few",
	"last_us", "last_q1", "last_q3",
	"ours_over_last", "ours_over_last_q1", "ours_over_last_q3",
	"better_last",
	"mean_us", "mean_q1", "mean_q3",
	"ours_over_mean", "ours_over_mean_q1", "ours_over_mean_q3",
	"better_mean",
	"since_us", "since_q1", "since_q3",
	"ours_over_since", "ours_over_since_q1", "ours_over_since_q3",
	"better_since", "early",
	"startups", "edge_bytes", "bytes_copied", "pins", "wakeups", "sleeps",
	"spins", "switches", "cpu_us",
	"wire_bytes", "wire_packets", "rdma_packets", "rdma_sends", "rdma_retries",
};

static void field(FILE *file, double value)
{
	fputc(',', file);
	if (!isnan(value))
		fprintf(file, "%.6g", value);
}

static void spread_fields(FILE *file, const struct spread *spread)
{
	field(file, spread->median);
	field(file, spread->q1);
	field(file, spread->q3);
}

static void metric_fields(FILE *file, const struct cell *cell,
			  enum contender_id id, enum metric metric)
{
	const struct spread time = cell_time(cell, id, metric);
	const struct spread ratio = cell_ratio(cell, OURS, id, metric);

	spread_fields(file, &time);
	spread_fields(file, &ratio);
	fprintf(file, ",%d", cell_better_peer(cell, metric) == (int)id);
}

static void count_fields(FILE *file, const struct series *series, bool kernel)
{
	const struct scatter_counters *sum = &series->counted;
	const double counts[] = {
		sum->startups, sum->edge_bytes, sum->bytes_copied, sum->pins,
		sum->wakeups, sum->sleeps, sum->spins,
	};
	const double operations = series->operations ?
		(double)series->operations : NAN;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++)
		field(file, kernel ? counts[i] / operations : NAN);
	field(file, series->used.switches / operations);
	field(file, (double)series->used.cpu_ns / NSEC_PER_USEC / operations);
}

static void wire_fields(FILE *file, const struct series *series, bool wire)
{
	const double operations = wire && series->operations ?
		(double)series->operations : NAN;

	unsigned int i;

	for (i = 0; i < WIRE_COUNTS; i++)
		field(file, (double)series->sent.count[i] / operations);
}

static void cell_write(FILE *file, const struct cell *cell,
		       const struct options *options)
{
	const struct series *series;
	unsigned int id;

	for (id = 0; id < CONTENDERS; id++) {
		if (!contender_fits(id, options->nodes))
			continue;
		series = &cell->series[id];
		fprintf(file, "%s,%u,%llu,%s,%zu,%d", op_name(cell->op),
			cell->ranks, (unsigned long long)cell->block,
			contender_name(id), series->count,
			series->count < options->wanted);
		metric_fields(file, cell, id, LAST);
		metric_fields(file, cell, id, MEAN);
		metric_fields(file, cell, id, SINCE);
		field(file, cell_time(cell, id, EARLY).median);
		count_fields(file, series, id == OURS || id == AGAIN);
		wire_fields(file, series, options->nodes);
		fputc('\n', file);
	}
}

static FILE *table_open(const char *directory, const char *name)
{
	char path[PATH_BYTES];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "we");
	if (!file)
		fprintf(stderr, "bench: %s: %s\n", path, strerror(errno));
	return file;
}

/* Nothing that was written may have been lost. */
static int table_close(FILE *file)
{
	int lost = ferror(file);

	lost |= fclose(file);
	if (lost)
		fprintf(stderr, "bench: a table could not be written\n");
	return lost ? -EIO : 0;
}

static int cells_write(const struct cell *cells, size_t count,
		       const struct options *options)
{
	FILE *file = table_open(options->results, "bench.csv");
	size_t i;

	if (!file)
		return -EIO;
	for (i = 0; i < ARRAY_SIZE(header); i++)
		fprintf(file, "%s%s", i ? "," : "", header[i]);
	fputc('\n', file);
	for (i = 0; i < count; i++)
		cell_write(file, &cells[i], options);
	return table_close(file);
}

static int late_write(const struct late *late, size_t count,
		      const struct options *options)
{
	FILE *file = table_open(options->results, "late.csv");
	unsigned int id;
	size_t i;

	if (!file)
		return -EIO;
	fprintf(file, "ranks,contender,late_s,cpu_s\n");
	for (i = 0; i < count; i++)
		for (id = OURS; id < RIVALS; id++) {
			if (!contender_fits(id, options->nodes))
				continue;
			fprintf(file, "%u,%s,%g", late[i].ranks,
				contender_name(id), options->late_seconds);
			field(file, late[i].seconds[id]);
			fputc('\n', file);
		}
	return table_close(file);
}

/* 0 or -EIO, after a message */
int report_write(const struct cell *cells, size_t cell_count,
		 const struct late *late, size_t late_count,
		 const struct options *options)
{
	int error, other;

	if (!options->results)
		return 0;
	error = cells_write(cells, cell_count, options);
	other = late_write(late, late_count, options);
	return error ? error : other;
}
