// SPDX-License-Identifier: GPL-2.0
/*
 * Repeated OR-broadcast: the bits are simulated, for every size up to a limit.
 *
 * Takes the largest size as its argument, 40 without one.
 */
#include <stdlib.h>

#include "check.h"
#include "tap.h"

enum { SIMULATION, TIME, PREDICTION, TALLIES };

static const char * const says[TALLIES] = {
	[SIMULATION] = "OR-broadcast: everybody has each block, by ORs alone",
	[TIME] = "OR-broadcast: p log2 p (ts + m tw), or 2 p ceil(log2 p)",
	[PREDICTION] = "OR-broadcast: scatter_predict_time() is the simulated time",
};

static void try_case(u32 size, u32 root, struct tally *tallies)
{
	struct scatter_machine machine = check_machine();
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_OR_BROADCAST, .size = size,
		.root = root,
	};
	u32 rounds = size * check_log(2, size);
	struct plan_result result;

	machine.hop = 0;
	if (size & (size - 1))
		rounds *= 2;
	for (spec.op = 0; spec.op < 2; spec.op++) {
		u64 time = scatter_predict_time(&spec, &machine, 13);

		check_simulation(&tallies[SIMULATION], &spec, &machine, 13,
				 &result);
		tally_case(&tallies[TIME], result.rounds == rounds &&
			   result.time == rounds * (CHECK_STARTUP +
						    13 * CHECK_BYTE), &spec,
			   "%llu", (unsigned long long)result.time);
		tally_case(&tallies[PREDICTION], result.time == time, &spec,
			   "%llu, not %llu", (unsigned long long)result.time,
			   (unsigned long long)time);
	}
}

int main(int argc, char **argv)
{
	static const u32 large[] = { 64, 100, 127, 128, 200 };
	u32 limit = argc > 1 ? strtoul(argv[1], NULL, 0) : 40;
	struct tally tallies[TALLIES] = { 0 };
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_OR_BROADCAST, .size = 1u << 27,
	};
	u32 size, root, i;

	for (i = 0; i < TALLIES; i++)
		tallies[i].says = says[i];
	for (size = 1; size <= limit; size++)
		for (root = 0; root < size; root++)
			try_case(size, root, tallies);
	for (i = 0; i < ARRAY_SIZE(large); i++)
		try_case(large[i], large[i] / 3, tallies);
	for (i = 0; i < TALLIES; i++)
		tally_report(&tallies[i]);
	ok(scatter_schedule_check(&spec) == SCATTER_SCHEDULE_OK,
	   "2^27 ranks: 27 2^27 rounds");
	spec.size++;
	ok(scatter_schedule_check(&spec) == SCATTER_SCHEDULE_BAD_ROUNDS,
	   "one more: too many rounds");
	spec.op = SCATTER_SCHEDULE_BROADCAST;
	spec.size = 4;
	ok(scatter_schedule_check(&spec) == SCATTER_SCHEDULE_BAD_OP,
	   "no broadcast of that kind");
	return tap_done();
}
