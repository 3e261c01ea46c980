// SPDX-License-Identifier: GPL-2.0
/*
 * Schedules checked by simulation: see check.h.
 */
#include <stdarg.h>

#include "check.h"
#include "tap.h"
#include "tests/walks.h"

/* A specification in words, for who has to find out what is wrong */
static int print_spec(char *text, size_t room,
		      const struct scatter_schedule_spec *spec)
{
	int used = snprintf(text, room, "algorithm %u op %u size %u root %u ports %u dims",
			    spec->algorithm, spec->op, spec->size, spec->root,
			    spec->ports);
	u32 i;

	for (i = 0; i < spec->dims; i++)
		used += snprintf(text + used, room - used, " %u",
				 spec->extent[i]);
	return used;
}

/* One more case; what is wrong with it is a format. */
void tally_case(struct tally *tally, bool good,
		const struct scatter_schedule_spec *spec, const char *format,
		...)
{
	va_list args;
	int used;

	tally->cases++;
	if (good || tally->failed)
		return;
	tally->failed = true;
	used = print_spec(tally->first, sizeof(tally->first), spec);
	used += snprintf(tally->first + used, sizeof(tally->first) - used,
			 ": ");
	va_start(args, format);
	vsnprintf(tally->first + used, sizeof(tally->first) - used, format,
		  args);
	va_end(args);
}

/* The line of a tally; nothing may have no cases. */
void tally_report(struct tally *tally)
{
	if (!ok(!tally->failed && tally->cases, "%s (%lu cases)", tally->says,
		tally->cases))
		printf("# first: %s\n", tally->first);
}

u32 check_log(u32 base, u32 number)
{
	u64 power = 1;
	u32 n = 0;

	for (; power < number; power *= base)
		n++;
	return n;
}

u32 check_random(u32 limit)
{
	static u64 state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)((state >> 32) % limit);
}

struct scatter_machine check_machine(void)
{
	return (struct scatter_machine){
		.startup = CHECK_STARTUP, .hop = CHECK_HOP, .byte = CHECK_BYTE,
		.wormhole = true, .combining = true,
	};
}

/* Simulate one case, which must have no violation. */
void check_simulation(struct tally *tally,
		      const struct scatter_schedule_spec *spec,
		      const struct scatter_machine *machine, u64 block,
		      struct plan_result *result)
{
	int error = plan_simulate(spec, machine, block, result);

	tally_case(tally, !error && !*result->violation, spec, "%s: %s",
		   plan_error(error), result->violation);
}

/* Do a rank's parent and children agree with its walk, whose rounds rise? */
void check_walks(struct tally *tally, const struct scatter_schedule_spec *spec)
{
	u32 culprit = 0;
	const char *wrong = scatter_walks_check(spec, &culprit);

	tally_case(tally, !wrong, spec, "rank %u: %s", culprit, wrong);
}

/* Is the gather the scatter reversed? */
void check_reversal(struct tally *tally,
		    const struct scatter_schedule_spec *spec)
{
	u32 culprit = 0;
	const char *wrong = scatter_walks_check_reversal(spec, &culprit);

	tally_case(tally, !wrong, spec, "gather, rank %u: %s", culprit, wrong);
}
