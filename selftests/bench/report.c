// SPDX-License-Identifier: GPL-2.0
/*
 * Tables for people. A missing number is "-", never left out.
 */
#include <math.h>
#include <stdio.h>

#include "report.h"
#include "syscopy.h"

#define TEXT_MAX	40

/* From this block on, time is compared with that of memcpy. */
#define COPY_BLOCK	32768

/* The cell with a target of its own. */
#define TARGET_RANKS	8
#define TARGET_BLOCK	1048576
#define TARGET		1.3

/**
 * struct columns - contenders side by side
 * @id: of each
 * @count: how many
 */
struct columns {
	enum contender_id id[CONTENDERS];
	unsigned int count;
};

const char *op_name(enum op op)
{
	static const char *const names[] = {
		[SCATTER] = "scatter",
		[GATHER] = "gather",
		[BARRIER_SCATTER] = "barrier-scatter",
		[BARRIER_GATHER] = "barrier-gather",
		[PAIR] = "pair",
	};

	return names[op];
}

static const char *metric_name(enum metric metric)
{
	static const char *const names[] = {
		[LAST] = "root's start to last end",
		[MEAN] = "mean over ranks",
		[SINCE] = "mean over ranks since the root's start",
		[EARLY] = "ranks that start before the root",
	};

	return names[metric];
}

/* The contenders below @end with so many nodes: all, or the RIVALS only. */
static struct columns columns_of(const struct options *options, unsigned int end)
{
	static const enum contender_id order[] = {
		OURS, AGAIN, OPENMPI, OPENMPI_SHIM, MPICH, MPICH_SHIM, UCX, TCP, COPY,
	};
	struct columns columns = { .count = 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (order[i] < end && contender_fits(order[i], options->nodes))
			columns.id[columns.count++] = order[i];
	return columns;
}

/* Text of single values ---------------------------------------------------- */

/* Marked if it is of few samples. */
static const char *time_text(char *text, const struct spread *time,
			     unsigned int wanted)
{
	const char *mark = time->count < wanted ? "*" : " ";

	if (isnan(time->median))
		return "- ";
	snprintf(text, TEXT_MAX, "%.*f%s", time->median < 1000 ? 2 : 0,
		 time->median, mark);
	return text;
}

static const char *ratio_text(char *text, const struct spread *ratio)
{
	if (isnan(ratio->median))
		return "-";
	snprintf(text, TEXT_MAX, "%.2f [%.2f %.2f]", ratio->median, ratio->q1,
		 ratio->q3);
	return text;
}

static const char *number_text(char *text, double value)
{
	if (isnan(value))
		return "-";
	snprintf(text, TEXT_MAX, value < 100 ? "%.1f" : "%.0f", value);
	return text;
}

static double per_operation(const struct series *series, double sum)
{
	return series->operations ? sum / (double)series->operations : NAN;
}

/* Times -------------------------------------------------------------------- */

/* What is no peer of ours, but stands beside. */
static enum contender_id mark_of(const struct options *options)
{
	return options->nodes ? TCP : COPY;
}

static void ratios_show(const struct cell *cell, enum metric metric,
			const struct options *options)
{
	const enum contender_id mark = mark_of(options);
	const int peer = cell_better_peer(cell, metric);
	const struct spread none = { NAN, NAN, NAN, 0 };
	const struct spread control = cell_ratio(cell, OURS, AGAIN, metric);
	struct spread ratio = none, marked = none;
	char a[TEXT_MAX], b[TEXT_MAX], c[TEXT_MAX];

	if (peer >= 0)
		ratio = cell_ratio(cell, OURS, (enum contender_id)peer, metric);
	if (mark != COPY || (metric == LAST && cell->block >= COPY_BLOCK))
		marked = cell_ratio(cell, OURS, mark, metric);
	printf("  %-17s %-8s %-17s %-17s", ratio_text(a, &ratio),
	       peer < 0 ? "" : contender_name((enum contender_id)peer),
	       ratio_text(b, &control), ratio_text(c, &marked));
}

static void times_line(const struct cell *cell, enum metric metric,
		       const struct options *options)
{
	const struct columns columns = columns_of(options, CONTENDERS);
	struct spread time;
	char text[TEXT_MAX];
	unsigned int i;

	printf("%9llu", (unsigned long long)cell->block);
	for (i = 0; i < columns.count; i++) {
		time = cell_time(cell, columns.id[i], metric);
		printf(" %10s", time_text(text, &time, options->wanted));
	}
	ratios_show(cell, metric, options);
	for (i = 0; i < columns.count; i++)
		printf(" %zu", cell->series[columns.id[i]].count);
	printf("\n");
}

static void times_show(const struct cell *cells, size_t count,
		       enum metric metric, const struct options *options)
{
	const struct columns columns = columns_of(options, CONTENDERS);
	char mark[TEXT_MAX];
	unsigned int i;
	size_t n;

	printf("\n%s, p = %u, %s, us\n%9s", op_name(cells->op), cells->ranks,
	       metric_name(metric), "block");
	for (i = 0; i < columns.count; i++)
		printf(" %9s ", contender_name(columns.id[i]));
	snprintf(mark, sizeof(mark), "ours/%s", contender_name(mark_of(options)));
	printf("  %-26s %-17s %-17s %s\n", "ours/better peer", "ours/again",
	       mark, "samples");
	for (n = 0; n < count; n++)
		times_line(&cells[n], metric, options);
}

/* Counters ----------------------------------------------------------------- */

static void counters_line(const struct cell *cell, const struct columns *rivals)
{
	const struct series *series = &cell->series[OURS];
	const struct scatter_counters *sum = &series->counted;
	const double counts[] = {
		sum->startups, sum->bytes_copied, sum->pins, sum->wakeups,
		sum->sleeps, sum->spins,
	};
	char text[TEXT_MAX];
	unsigned int i;
	double each;

	printf("%9llu", (unsigned long long)cell->block);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		each = per_operation(series, counts[i]);
		printf(i == 1 ? " %10s" : " %8s", number_text(text, each));
	}
	printf(" |");
	for (i = 0; i < rivals->count; i++)
		printf(" %8s", number_text(text, cell_time(cell, rivals->id[i],
							   EARLY).median));
	printf(" |");
	for (i = 0; i < rivals->count; i++) {
		series = &cell->series[rivals->id[i]];
		each = per_operation(series, series->used.switches);
		printf(" %8s", number_text(text, each));
	}
	printf(" |");
	for (i = 0; i < rivals->count; i++) {
		series = &cell->series[rivals->id[i]];
		each = per_operation(series, series->used.cpu_ns);
		printf(" %8s", number_text(text, each / NSEC_PER_USEC));
	}
	printf("\n");
}

static void counters_show(const struct cell *cells, size_t count,
			  const struct options *options)
{
	const struct columns rivals = columns_of(options, RIVALS);
	unsigned int i;
	size_t n;

	printf("\n%s, p = %u, per operation: ours as the kernel counts | ",
	       op_name(cells->op), cells->ranks);
	printf("%s | context switches | CPU us of all ranks\n",
	       metric_name(EARLY));
	printf("%9s %8s %10s %8s %8s %8s %8s", "block", "startups", "copied",
	       "pins", "wakeups", "sleeps", "spins");
	for (n = 0; n < 3; n++) {
		printf(" |");
		for (i = 0; i < rivals.count; i++)
			printf(" %8s", contender_name(rivals.id[i]));
	}
	printf("\n");
	for (n = 0; n < count; n++)
		counters_line(&cells[n], &rivals);
}

/* The wire ----------------------------------------------------------------- */

static void wire_line(const struct cell *cell, const struct columns *rivals)
{
	const struct series *series;
	unsigned int i, what;
	char text[TEXT_MAX];
	double each;

	printf("%9llu %9llu", (unsigned long long)cell->block,
	       (unsigned long long)cell->block * (cell->ranks - 1));
	for (what = 0; what < WIRE_COUNTS; what++) {
		for (i = 0; i < rivals->count; i++) {
			series = &cell->series[rivals->id[i]];
			each = per_operation(series, (double)series->sent.count[what]);
			printf(" %8s", number_text(text, each));
		}
		printf(what + 1 < WIRE_COUNTS ? " |" : "\n");
	}
}

/* Blocks of all ranks but the root are on other nodes. */
static void wire_show(const struct cell *cells, size_t count,
		      const struct options *options)
{
	const struct columns rivals = columns_of(options, RIVALS);
	unsigned int i, what;
	size_t n;

	printf("\n%s, p = %u, sent by all nodes per operation: bytes | packets | ",
	       op_name(cells->op), cells->ranks);
	printf("those of RDMA devices | SENDs | retries\n%9s %9s", "block", "to move");
	for (what = 0; what < WIRE_COUNTS; what++) {
		for (i = 0; i < rivals.count; i++)
			printf(" %8s", contender_name(rivals.id[i]));
		printf(what + 1 < WIRE_COUNTS ? " |" : "\n");
	}
	for (n = 0; n < count; n++)
		wire_line(&cells[n], &rivals);
}

/* Cells of one operation and one number of ranks. */
void report_cells(const struct cell *cells, size_t count,
		  const struct options *options)
{
	if (!count)
		return;
	times_show(cells, count, LAST, options);
	times_show(cells, count, MEAN, options);
	times_show(cells, count, SINCE, options);
	counters_show(cells, count, options);
	if (options->nodes)
		wire_show(cells, count, options);
	fflush(stdout);
}

/* -------------------------------------------------------------------------- */

void report_late(const struct late *late, size_t count,
		 const struct options *options)
{
	const struct columns rivals = columns_of(options, RIVALS);
	char text[TEXT_MAX];
	unsigned int n;
	double seconds;
	size_t i;

	if (!count)
		return;
	printf("\nCPU seconds of all waiters while the root of a scatter is ");
	printf("%g s late\n%9s", options->late_seconds, "p");
	for (n = 0; n < rivals.count; n++)
		printf(" %10s", contender_name(rivals.id[n]));
	printf("\n");
	for (i = 0; i < count; i++) {
		printf("%9u", late[i].ranks);
		for (n = 0; n < rivals.count; n++) {
			seconds = late[i].seconds[rivals.id[n]];
			snprintf(text, sizeof(text), "%.4f", seconds);
			printf(" %10s", isnan(seconds) ? "-" : text);
		}
		printf("\n");
	}
	fflush(stdout);
}

/* Summary ------------------------------------------------------------------ */

/* A mean may be longer because the barrier lets the root go later than others. */
static void since_show(const struct cell *cell, enum metric metric,
		       enum contender_id peer)
{
	const struct spread ratio = cell_ratio(cell, OURS, peer, SINCE);
	char a[TEXT_MAX], b[TEXT_MAX], c[TEXT_MAX];

	if (metric == MEAN)
		printf("; since the root's start %s, %s ranks before it, %s of %s",
		       ratio_text(a, &ratio),
		       number_text(b, cell_time(cell, OURS, EARLY).median),
		       number_text(c, cell_time(cell, peer, EARLY).median),
		       contender_name(peer));
	printf("\n");
}

/* 1 if it is slower, 0 if not, -1 if there is nobody to compare with */
static int slower_show(const struct cell *cell, enum metric metric)
{
	const int peer = cell_better_peer(cell, metric);
	struct spread ratio, control;
	char a[TEXT_MAX], b[TEXT_MAX];

	if (peer < 0)
		return -1;
	ratio = cell_ratio(cell, OURS, (enum contender_id)peer, metric);
	if (isnan(ratio.median))
		return -1;
	if (ratio.median <= 1)
		return 0;
	control = cell_ratio(cell, OURS, AGAIN, metric);
	printf("  %-15s p = %-2u %8llu  %-24s  %s %s; ours/again %s",
	       op_name(cell->op), cell->ranks, (unsigned long long)cell->block,
	       metric_name(metric), ratio_text(a, &ratio),
	       contender_name((enum contender_id)peer),
	       ratio_text(b, &control));
	since_show(cell, metric, (enum contender_id)peer);
	return 1;
}

static void copies_show(const struct cell *cell)
{
	const struct spread ratio = cell_ratio(cell, OURS, COPY, LAST);
	char text[TEXT_MAX];

	if (cell->ranks != TARGET_RANKS || cell->block != TARGET_BLOCK)
		return;
	printf("\n%s of 1 MiB blocks, p = 8: %s times ", op_name(cell->op),
	       ratio_text(text, &ratio));
	printf("the memcpy of 7 MiB on all CPUs (aim: %.1f);\n", TARGET);
	printf("the kernel's copy of 1 MiB, by pread(), takes %.2f times that of memcpy()\n",
	       kernel_copy_ratio());
}

/* A contender that does not sleep while others are measured spoils their times. */
static void idle_show(const struct cell *cells, size_t count,
		      const struct options *options)
{
	const struct columns columns = columns_of(options, CONTENDERS);
	unsigned int n;
	int64_t idle_ns;
	size_t i;

	printf("\nCPU seconds of each contender while others were measured:");
	for (n = 0; n < columns.count; n++) {
		idle_ns = 0;
		for (i = 0; i < count; i++)
			idle_ns += cells[i].series[columns.id[n]].idle.cpu_ns;
		printf(" %s %.3f", contender_name(columns.id[n]),
		       (double)idle_ns / NSEC_PER_SEC);
	}
	printf("\n");
}

/* The same program with the shim and without. */
static void shim_show(const struct cell *cell, enum contender_id shim, enum contender_id alone,
		      unsigned int wanted)
{
	const struct spread time = cell_time(cell, shim, LAST);
	const struct spread over_alone = cell_ratio(cell, shim, alone, LAST);
	const struct spread over_ours = cell_ratio(cell, shim, OURS, LAST);
	char a[TEXT_MAX], b[TEXT_MAX], c[TEXT_MAX];

	printf(" | %10s %-18s %-18s", time_text(a, &time, wanted), ratio_text(b, &over_alone),
	       ratio_text(c, &over_ours));
}

static void shims_show(const struct cell *cells, size_t count, const struct options *options)
{
	size_t i;

	if (!options->contender[OPENMPI_SHIM] && !options->contender[MPICH_SHIM])
		return;
	printf("\nMPI program through the shim, %s, us\n%-15s %3s %8s", metric_name(LAST),
	       "", "p", "block");
	printf(" | %9s  %-18s %-18s | %9s  %-18s %-18s\n", "openmpi+", "openmpi+/openmpi",
	       "openmpi+/ours", "mpich+", "mpich+/mpich", "mpich+/ours");
	for (i = 0; i < count; i++) {
		printf("%-15s %3u %8llu", op_name(cells[i].op), cells[i].ranks,
		       (unsigned long long)cells[i].block);
		shim_show(&cells[i], OPENMPI_SHIM, OPENMPI, options->wanted);
		shim_show(&cells[i], MPICH_SHIM, MPICH, options->wanted);
		printf("\n");
	}
}

void report_summary(const struct cell *cells, size_t count,
		    const struct options *options)
{
	static const enum metric metrics[] = { LAST, MEAN };
	unsigned int n, slower = 0, compared = 0;
	int one;
	size_t i;

	for (i = 0; i < count; i++)
		copies_show(&cells[i]);
	shims_show(cells, count, options);
	idle_show(cells, count, options);
	printf("\nTimes are medians of all samples. A ratio is the median ");
	printf("[quartiles] over rounds of the ratio\nof medians within the ");
	printf("round. *: fewer than %u samples; -: did not take part.\n",
	       options->wanted);
	printf("\nSlower than the better peer:\n");
	for (i = 0; i < count; i++)
		for (n = 0; n < ARRAY_SIZE(metrics); n++) {
			one = slower_show(&cells[i], metrics[n]);
			compared += one >= 0;
			slower += one > 0;
		}
	printf("%u of %u times are slower.\n", slower, compared);
	fflush(stdout);
}
