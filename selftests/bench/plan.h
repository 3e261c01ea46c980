/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many turns of how many samples each contender has in a cell, and what the
 * times of a sample are.
 */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "board.h"

/* Turns that the slowest has at least, if there are so many rounds. */
#define TURNS_MIN	3

/* In a turn of who is not slow: if there is no time for them, it has fewer turns. */
#define SAMPLES_MIN	4

/**
 * struct plan - of a contender in a cell
 * @samples: in a turn
 * @stride: it has a turn in every so many rounds
 */
struct plan {
	uint32_t samples;
	unsigned int stride;
};

double sample_last(const struct seats *seats, uint32_t sample);
double sample_mean(const struct seats *seats, uint32_t sample);
double sample_since(const struct seats *seats, uint32_t sample);
double sample_early(const struct seats *seats, uint32_t sample);
double sample_each(const struct seats *seats);
uint32_t plan_common(double budget_ns, unsigned int rounds,
		     const double *each_ns);
struct plan plan_make(double budget_ns, unsigned int rounds, double each_ns,
		      uint32_t common);

#endif /* BENCH_PLAN_H */
