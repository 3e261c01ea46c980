// SPDX-License-Identifier: GPL-2.0
/*
 * Plans, and the times of a sample.
 */
#include <math.h>

#include "plan.h"
#include "stats.h"

/* From the root's start to the last end, in us. */
double sample_last(const struct seats *seats, uint32_t sample)
{
	const int64_t start = seats->slot[0].stamps[sample].start;
	int64_t last = seats->slot[0].stamps[sample].end;
	uint32_t i;

	for (i = 1; i < seats->ranks; i++)
		if (seats->slot[i].stamps[sample].end > last)
			last = seats->slot[i].stamps[sample].end;
	return (double)(last - start) / NSEC_PER_USEC;
}

/* Mean over the ranks of the time in the call that is after @from, in us. */
static double mean_after(const struct seats *seats, uint32_t sample, int64_t from)
{
	const struct stamps *stamps;
	int64_t sum = 0, start;
	uint32_t i;

	for (i = 0; i < seats->ranks; i++) {
		stamps = &seats->slot[i].stamps[sample];
		start = stamps->start > from ? stamps->start : from;
		if (stamps->end > start)
			sum += stamps->end - start;
	}
	return (double)sum / seats->ranks / NSEC_PER_USEC;
}

double sample_mean(const struct seats *seats, uint32_t sample)
{
	return mean_after(seats, sample, INT64_MIN);
}

/* Time before the root's start is not due to the operation. */
double sample_since(const struct seats *seats, uint32_t sample)
{
	return mean_after(seats, sample, seats->slot[0].stamps[sample].start);
}

/* How many ranks start before the root. */
double sample_early(const struct seats *seats, uint32_t sample)
{
	const int64_t start = seats->slot[0].stamps[sample].start;
	uint32_t i, early = 0;

	for (i = 1; i < seats->ranks; i++)
		early += seats->slot[i].stamps[sample].start < start;
	return early;
}

/* From one sample to the next in the last turn, in ns. */
double sample_each(const struct seats *seats)
{
	const uint32_t samples = seats->turn.samples;
	const int64_t start = seats->slot[0].stamps[0].start;
	int64_t end = start + 1;
	uint32_t i;

	for (i = 0; i < seats->ranks; i++)
		if (seats->slot[i].stamps[samples - 1].end > end)
			end = seats->slot[i].stamps[samples - 1].end;
	return (double)(end - start) / samples;
}

/* Samples per turn if there are so many turns, and one that does not count. */
static double samples_fit(double budget_ns, double each_ns, unsigned int turns)
{
	return budget_ns / (turns * each_ns) - 1;
}

/*
 * The first samples of a turn may be slower than later ones: all have the same
 * number of them, that for which ours and the better peer have time. Of each
 * contender @each_ns is what a sample takes, NAN if it does not take part.
 */
uint32_t plan_common(double budget_ns, unsigned int rounds,
		     const double *each_ns)
{
	const int peer = smallest_of(each_ns + PEERS_FIRST, PEERS);
	const int who[] = { OURS, AGAIN, COPY,
			    peer < 0 ? OURS : PEERS_FIRST + peer };
	double fit, least = SAMPLES_MAX;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(who); i++) {
		fit = samples_fit(budget_ns, each_ns[who[i]], rounds);
		if (fit < least)
			least = fit;
	}
	return least < SAMPLES_MIN ? SAMPLES_MIN : (uint32_t)least;
}

/*
 * A slow contender has fewer turns, and fewer samples in a turn if even these turns
 * are too long; but at least three turns of one sample.
 */
struct plan plan_make(double budget_ns, unsigned int rounds, double each_ns,
		      uint32_t common)
{
	const unsigned int turns = rounds < TURNS_MIN ? rounds : TURNS_MIN;
	const double fit = samples_fit(budget_ns, each_ns, turns);
	struct plan plan = { common, 1 };
	double stride;

	if (samples_fit(budget_ns, each_ns, rounds) >= common)
		return plan;
	if (fit < common)
		plan.samples = fit < 1 ? 1 : (uint32_t)fit;
	stride = ceil(each_ns * (plan.samples + 1) * rounds / budget_ns);
	if (stride > rounds / turns)
		stride = rounds / turns;
	plan.stride = (unsigned int)stride;
	return plan;
}
