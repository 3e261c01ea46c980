/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Schedules checked by simulation, many cases to a line of the test's output.
 */
#ifndef _SCATTER_UNIT_CHECK_H
#define _SCATTER_UNIT_CHECK_H

#include "plan/predict.h"
#include "plan/simulate.h"

/* Times that no sum of a few of them can be mistaken for another */
#define CHECK_STARTUP	1000000007ull
#define CHECK_HOP	1000003ull
#define CHECK_BYTE	11ull

/**
 * struct tally - one line: a property, and the first case without it
 * @says: the property
 * @cases: how many were looked at
 * @failed: there was one without it
 * @first: the first of them, in words
 */
struct tally {
	const char *says;
	unsigned long cases;
	bool failed;
	char first[300];
};

void __attribute__((format(printf, 4, 5)))
tally_case(struct tally *tally, bool good,
	   const struct scatter_schedule_spec *spec, const char *format, ...);
void tally_report(struct tally *tally);

/* The smallest n with base^n >= number */
u32 check_log(u32 base, u32 number);
/* xorshift: the same numbers in every run */
u32 check_random(u32 limit);
/* t_s, t_d and t_w as above, wormhole, on a full network */
struct scatter_machine check_machine(void);

void check_simulation(struct tally *tally,
		      const struct scatter_schedule_spec *spec,
		      const struct scatter_machine *machine, u64 block,
		      struct plan_result *result);
void check_walks(struct tally *tally, const struct scatter_schedule_spec *spec);
void check_reversal(struct tally *tally,
		    const struct scatter_schedule_spec *spec);

#endif /* _SCATTER_UNIT_CHECK_H */
