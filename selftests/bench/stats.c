// SPDX-License-Identifier: GPL-2.0
/*
 * Medians, quartiles and ratios.
 */
#include <math.h>
#include <stdlib.h>

#include "stats.h"

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Between two values, the part of the way that @q is between them. */
static double quantile(const double *sorted, size_t count, double q)
{
	const double at = q * (double)(count - 1);
	const size_t below = (size_t)at;

	if (below + 1 == count)
		return sorted[below];
	return sorted[below] +
	       (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Of @kept values, which are sorted here. */
static struct spread spread_of_kept(double *kept, size_t count)
{
	struct spread spread = { NAN, NAN, NAN, count };

	if (!count)
		return spread;
	qsort(kept, count, sizeof(*kept), compare);
	spread.median = quantile(kept, count, 0.5);
	spread.q1 = quantile(kept, count, 0.25);
	spread.q3 = quantile(kept, count, 0.75);
	return spread;
}

static double *room_for(size_t count)
{
	double *values = calloc(count + 1, sizeof(*values));

	if (!values)
		abort();
	return values;
}

/* Median and quartiles of those that are there. */
struct spread spread_of(const double *values, size_t count)
{
	double *kept = room_for(count);
	struct spread spread;
	size_t i, n = 0;

	for (i = 0; i < count; i++)
		if (!isnan(values[i]))
			kept[n++] = values[i];
	spread = spread_of_kept(kept, n);
	free(kept);
	return spread;
}

/*
 * Of over[i] / under[i], where both are there: what was measured side by side is
 * compared with each other only.
 */
struct spread spread_of_ratios(const double *over, const double *under,
			       size_t count)
{
	double *kept = room_for(count);
	struct spread spread;
	size_t i, n = 0;

	for (i = 0; i < count; i++)
		if (!isnan(over[i]) && !isnan(under[i]) && under[i] > 0)
			kept[n++] = over[i] / under[i];
	spread = spread_of_kept(kept, n);
	free(kept);
	return spread;
}

double median_of(const double *values, size_t count)
{
	return spread_of(values, count).median;
}

/* The index of the smallest value; -1 if there is none. */
int smallest_of(const double *values, size_t count)
{
	int smallest = -1;
	size_t i;

	for (i = 0; i < count; i++)
		if (!isnan(values[i]) &&
		    (smallest < 0 || values[i] < values[smallest]))
			smallest = (int)i;
	return smallest;
}
