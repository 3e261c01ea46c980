// SPDX-License-Identifier: GPL-2.0
/*
 * Every schedule of every size up to a limit, simulated for every root that is
 * worth it: deliveries, bounds, and gathers against reversed scatters.
 *
 * Takes the largest size as its argument, 256 without one.
 */
#include <stdlib.h>

#include "simulate.h"
#include "tap.h"

/* What is known of one family beyond enum sim_property. */
enum family_property {
	FAMILY_ROUNDS,
	FAMILY_TRAFFIC,
	FAMILY_TIME,
	FAMILY_EDGES,
	FAMILY_PROPERTIES
};

/**
 * struct family - what one algorithm promises
 * @algorithm: enum scatter_schedule_algorithm
 * @name: for the test's line
 * @says: what each family property says, for the test's line
 * @check: bit n of the answer: enum family_property n does not hold
 */
struct family {
	u32 algorithm;
	const char *name;
	const char *says[FAMILY_PROPERTIES];
	u32 (*check)(const struct sim *sim);
};

static const u64 startup = 1000003, block_time = 17;

static u32 broken_if(bool broken, enum family_property property)
{
	return broken ? 1u << property : 0;
}

/* Not the way of the code under test: the smallest n with 2^n >= p. */
static u32 log2_up(u32 size)
{
	u32 n = 0;

	while ((u64)1 << n < size)
		n++;
	return n;
}

static bool is_power_of_two(u32 number)
{
	return number && number == (u64)1 << log2_up(number);
}

static u32 rounds_broken(const struct sim *sim, u32 rounds)
{
	return broken_if(sim->rounds != rounds || sim_last_round(sim) != rounds,
			 FAMILY_ROUNDS);
}

static u32 check_linear(const struct sim *sim)
{
	u32 size = sim->size;
	u32 broken = rounds_broken(sim, size - 1);
	u32 i;

	broken |= broken_if(sim_traffic(sim) != size - 1, FAMILY_TRAFFIC);
	broken |= broken_if(sim_time(sim, startup, block_time) !=
			    (size - 1) * (startup + block_time), FAMILY_TIME);
	for (i = 0; i < sim->sends; i++) {
		const struct sim_transfer *transfer = &sim->send[i];
		u32 distance = sim->gather ? size - 1 - i : i + 1;
		u32 peer = sim->gather ? transfer->from : transfer->to;

		broken |= broken_if(peer != (sim->root + distance) % size ||
				    transfer->round != i + 1, FAMILY_EDGES);
	}
	return broken;
}

static u32 check_hypercube(const struct sim *sim)
{
	u32 size = sim->size, n = log2_up(size);
	bool cube = is_power_of_two(size);
	u32 broken = rounds_broken(sim, n);
	u32 i;

	/* the time holds for every size: the root is busy in every round */
	broken |= broken_if(sim_time(sim, startup, block_time) !=
			    n * startup + (size - 1) * block_time, FAMILY_TIME);
	if (!cube)
		return broken;
	broken |= broken_if(2 * sim_traffic(sim) != (u64)n * size,
			    FAMILY_TRAFFIC);
	for (i = 0; i < sim->sends; i++) {
		const struct sim_transfer *transfer = &sim->send[i];
		u32 mask = transfer->from ^ transfer->to;
		u32 dimension = sim->gather ? transfer->round - 1 :
					      n - transfer->round;

		broken |= broken_if(dimension >= n || mask != 1u << dimension ||
				    transfer->count != mask ||
				    transfer->first + transfer->count > size,
				    FAMILY_EDGES);
	}
	return broken;
}

static const struct family families[] = {
	{
		.algorithm = SCATTER_SCHEDULE_LINEAR,
		.name = "linear",
		.says = {
			[FAMILY_ROUNDS] = "p - 1 rounds",
			[FAMILY_TRAFFIC] = "traffic is p - 1 blocks",
			[FAMILY_TIME] = "time is (p - 1) (ts + m tw)",
			[FAMILY_EDGES] = "root + k in round k, gather p - k",
		},
		.check = check_linear,
	}, {
		.algorithm = SCATTER_SCHEDULE_HYPERCUBE,
		.name = "hypercube",
		.says = {
			[FAMILY_ROUNDS] = "ceil(log2 p) rounds",
			[FAMILY_TRAFFIC] = "traffic is n 2^(n-1) blocks if p = 2^n",
			[FAMILY_TIME] = "time is n ts + (p - 1) m tw",
			[FAMILY_EDGES] = "2^(n-i) blocks across one dimension if p = 2^n",
		},
		.check = check_hypercube,
	},
};

/* First case in which a property did not hold. */
struct tally {
	bool failed;
	u32 size;
	u32 root;
};

struct tallies {
	struct tally sim[SIM_PROPERTIES];
	struct tally family[FAMILY_PROPERTIES];
	struct tally reversal;
};

static void count_case(struct tally *tally, bool failed, const struct sim *sim)
{
	if (!failed || tally->failed)
		return;
	tally->failed = true;
	tally->size = sim->size;
	tally->root = sim->root;
}

static void count_cases(struct tally *tallies, u32 properties, u32 broken,
			const struct sim *sim)
{
	u32 i;

	for (i = 0; i < properties; i++)
		count_case(&tallies[i], broken & 1u << i, sim);
}

/* One case both ways: @tallies[0] scatter, @tallies[1] gather */
static void try_case(const struct family *family, u32 size, u32 root,
		     struct tallies *tallies)
{
	static struct sim sims[2];
	int gather;

	for (gather = 0; gather < 2; gather++) {
		struct sim *sim = &sims[gather];

		sim_collect(sim, family->algorithm, gather, size, root);
		sim_check(sim);
		count_cases(tallies[gather].sim, SIM_PROPERTIES, sim->broken,
			    sim);
		count_cases(tallies[gather].family, FAMILY_PROPERTIES,
			    family->check(sim), sim);
	}
	sim_reverse(&sims[0]);
	count_case(&tallies[1].reversal, !sim_same(&sims[0], &sims[1]),
		   &sims[1]);
}

static void report(const struct tally *tally, const struct family *family,
		   const char *what, const char *cases, const char *property)
{
	if (!ok(!tally->failed, "%s %s, %s: %s", family->name, what, cases,
		property))
		printf("# first at size %u, root %u\n", tally->size,
		       tally->root);
}

static void report_all(const struct tallies *tallies,
		       const struct family *family, const char *cases)
{
	int gather, i;

	for (gather = 0; gather < 2; gather++) {
		const struct tallies *some = &tallies[gather];
		const char *what = gather ? "gather" : "scatter";

		for (i = 0; i < SIM_PROPERTIES; i++)
			report(&some->sim[i], family, what, cases,
			       sim_property_name(i));
		for (i = 0; i < FAMILY_PROPERTIES; i++)
			report(&some->family[i], family, what, cases,
			       family->says[i]);
	}
	report(&tallies[1].reversal, family, "gather", cases,
	       "is the scatter reversed");
}

static void test_range(const struct family *family, u32 from, u32 to)
{
	struct tallies tallies[2] = { 0 };
	char cases[32];
	u32 size, root;

	for (size = from; size <= to; size++)
		for (root = 0; root < size && root < 64; root++)
			try_case(family, size, root, tallies);
	snprintf(cases, sizeof(cases), "p %u to %u", from, to);
	report_all(tallies, family, cases);
}

static void test_large(const struct family *family, u32 size)
{
	const u32 roots[] = { 0, 1, size / 3, size / 2, size - 2, size - 1 };
	struct tallies tallies[2] = { 0 };
	char cases[32];
	u32 i;

	for (i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		try_case(family, size, roots[i], tallies);
	snprintf(cases, sizeof(cases), "p %u", size);
	report_all(tallies, family, cases);
}

int main(int argc, char **argv)
{
	u32 limit = argc > 1 ? strtoul(argv[1], NULL, 0) : 256;
	u32 i;

	if (limit < 33 || limit > SIM_SIZE_MAX) {
		fprintf(stderr, "usage: %s [33 to %d]\n", argv[0],
			SIM_SIZE_MAX);
		return 2;
	}
	for (i = 0; i < sizeof(families) / sizeof(*families); i++) {
		test_range(&families[i], 1, 32);
		test_range(&families[i], 33, limit);
		test_large(&families[i], 1000);
		test_large(&families[i], 1024);
	}
	return tap_done();
}
