/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Medians, quartiles and ratios. NAN is a value that is not there.
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

/**
 * struct spread - what is said of many values
 * @median: NAN if there are none
 * @q1: a quarter of them is below
 * @q3: a quarter of them is above
 * @count: how many there are
 */
struct spread {
	double median;
	double q1;
	double q3;
	size_t count;
};

struct spread spread_of(const double *values, size_t count);
struct spread spread_of_ratios(const double *over, const double *under,
			       size_t count);
double median_of(const double *values, size_t count);
int smallest_of(const double *values, size_t count);

#endif /* BENCH_STATS_H */
