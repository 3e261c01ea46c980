// SPDX-License-Identifier: GPL-2.0
/*
 * The cost model against hand-made cases, its formulas and the prediction for machines.
 */
#include "check.h"
#include "schedule/cost.h"
#include "schedule/schedule.h"
#include "tap.h"

/* Edges of 32 and 64 bits, and ordinary numbers */
static const u64 numbers[] = {
	0, 1, 2, 3, 7, 8, 100, 4095, 4096, 4097, 65536, 1000003,
	(u64)INT32_MAX, (u64)INT32_MAX + 1, UINT32_MAX - 1, UINT32_MAX,
	(u64)UINT32_MAX + 1, (u64)UINT32_MAX + 2, (u64)1 << 63,
	UINT64_MAX / 3, UINT64_MAX - 1, UINT64_MAX,
};

/* The numbers that fit a u32 come first. */
#define NUMBERS_32 16

struct eager_case {
	u32 limit;
	u32 blocks;
	u64 block;
	bool eager;
};

static const struct eager_case eager_cases[] = {
	{ 4096, 1, 4096, true },
	{ 4096, 1, 4097, false },
	{ 4096, 4, 1024, true },
	{ 4096, 4, 1025, false },
	{ 4096, 3, 1365, true },
	{ 4096, 3, 1366, false },
	{ 4096, 5000, 0, true },
	{ 4096, 0, 5000, true },
	{ 0, 1, 0, true },
	{ 0, 1, 1, false },
	/* the product is 2^64, which is 0 in 64 bits */
	{ 4096, 2, (u64)1 << 63, false },
	{ 4096, 1u << 31, (u64)1 << 33, false },
	/* 2^32 is 0 in 32 bits */
	{ 4096, 1, (u64)1 << 32, false },
	{ UINT32_MAX, 1, UINT32_MAX, true },
	{ UINT32_MAX, UINT32_MAX, 1, true },
	{ UINT32_MAX, UINT32_MAX, 2, false },
};

static void test_eager_cases(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(eager_cases); i++) {
		const struct eager_case *this = &eager_cases[i];
		const struct scatter_cost cost = { .eager_limit = this->limit };
		const struct scatter_cost gather = { .gather_limit = this->limit };

		ok(scatter_cost_eager(&cost, false, this->blocks, this->block) ==
		   this->eager &&
		   scatter_cost_eager(&gather, true, this->blocks, this->block) ==
		   this->eager, "%u x %llu bytes, limit %u: %seager",
		   this->blocks, (unsigned long long)this->block, this->limit,
		   this->eager ? "" : "not ");
	}
}

static bool product_fits(u64 blocks, u64 block, u64 limit)
{
	u64 product;

	return !__builtin_mul_overflow(blocks, block, &product) &&
	       product <= limit;
}

static void test_eager_products(void)
{
	bool good = true;
	u32 i, k, l;

	for (i = 0; i < NUMBERS_32; i++) {
		const struct scatter_cost cost = { .eager_limit = numbers[i] };

		for (k = 0; k < NUMBERS_32; k++)
			for (l = 0; l < ARRAY_SIZE(numbers); l++)
				good = good && scatter_cost_eager(&cost, false,
								  numbers[k],
								  numbers[l]) ==
				       product_fits(numbers[k], numbers[l],
						    numbers[i]);
	}
	ok(good, "eager is a product, without overflow, at most the limit");
}

/* Ports of a (k+1)-nomial tree that has been chosen; size - 1: linear */
static u32 ports_of(const struct scatter_schedule_spec *spec)
{
	switch (spec->algorithm) {
	case SCATTER_SCHEDULE_LINEAR:
		return spec->ports ? 0 : spec->size - 1;
	case SCATTER_SCHEDULE_HYPERCUBE:
		return spec->ports ? 0 : 1;
	case SCATTER_SCHEDULE_KNOMIAL:
		return spec->ports;
	}
	return 0;
}

/* Of the tree that an operation left open goes by */
static u32 chosen(struct scatter_cost cost, bool gather, u32 size, u64 block)
{
	struct scatter_schedule_spec spec = { .size = size, .ports = 77 };

	scatter_cost_shape(&cost, size);
	scatter_cost_choose(&cost, gather, block, &spec);
	return ports_of(&spec);
}

struct choice_case {
	const char *name;
	struct scatter_cost cost;
	u32 size;
	u64 block;
	u32 ports;
};

/* {startup, gap, eager limit, that of gathers} */
static const struct choice_case choice_cases[] = {
	{ "one rank", { 0, 1, 0, 0, 0 }, 1, 1, 0 },
	{ "two ranks", { 0, 1, 0, 0, 0 }, 2, 1, 1 },
	{ "three ranks, gap below startup", { 11, 10, 0, 0, 0 }, 3, 1, 2 },
	{ "three ranks, gap above startup", { 10, 11, 0, 0, 0 }, 3, 1, 1 },
	{ "a tie", { 10, 10, 0, 0, 0 }, 3, 1, 1 },
	{ "8 ranks: 6 gaps for one startup", { 401, 100, 0, 0, 0 }, 8, 1, 7 },
	{ "8 ranks: 2 gaps and 2 startups", { 300, 100, 0, 0, 0 }, 8, 1, 2 },
	{ "8 ranks: 3 startups", { 199, 100, 0, 0, 0 }, 8, 1, 1 },
	{ "9 ranks: 2 gaps and 2 startups", { 300, 100, 0, 0, 0 }, 9, 1, 2 },
	{ "10 ranks: 4 gaps and 2 startups", { 300, 100, 0, 0, 0 }, 10, 1, 3 },
	{ "64 ranks: 3 rounds of 3 children", { 1000, 300, 64, 0, 0 }, 64, 65, 3 },
	{ "64 ranks: 2 rounds of 7 children", { 1000, 100, 64, 0, 0 }, 64, 65, 7 },
	{ "the same, but eager blocks", { 1000, 100, 64, 0, 0 }, 64, 64, 63 },
	{ "the same, but empty blocks", { 1000, 100, 0, 0, 0 }, 64, 0, 63 },
	{ "no gap", { 1, 0, 0, 0, 0 }, 1024, 1, 1023 },
	{ "nothing costs", { 0, 0, 0, 0, 0 }, 1024, 1, 1 },
	{ "block above 32 bits", { 1, 1000, 4096, 0, 0 }, 1024, (u64)1 << 32, 1 },
	/* 4 gaps of 2^30 are 0 in 32 bits, as are 2 startups of 2^31 */
	{ "gaps above 32 bits", { 1, 1u << 30, 0, 0, 0 }, 6, 1, 1 },
	{ "startups above 32 bits", { 1u << 31, 1, 0, 0, 0 }, 6, 1, 5 },
};

static void test_choice_cases(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(choice_cases); i++) {
		const struct choice_case *this = &choice_cases[i];
		u32 ports = chosen(this->cost, false, this->size, this->block);

		ok(ports == this->ports, "choice: %s (%u)", this->name, ports);
	}
}

/* The first tree of the least rounds * (startup + (ports - 1) * gap) of all */
static u32 best_of_formulas(const struct scatter_cost *cost, u32 size)
{
	u64 best = UINT64_MAX, time, reach;
	u32 ports, winner = 0;

	for (ports = 1; ports < size; ports++) {
		time = 0;
		for (reach = 1; reach < size; reach *= ports + 1)
			time += cost->startup_ns +
				(u64)(ports - 1) * cost->gap_ns;
		if (time < best) {
			best = time;
			winner = ports;
		}
	}
	return winner;
}

/* Around powers, where a tree gets another round */
static const u32 sizes[] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 25, 26, 27, 28, 31, 32, 33,
	63, 64, 65, 100, 125, 243, 256, 257, 1000, 1023, 1024,
};

static void test_choice_formulas(void)
{
	bool good = true;
	u32 i, k, l;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (k = 0; k < NUMBERS_32; k++)
			for (l = 0; l < NUMBERS_32; l++) {
				const struct scatter_cost cost = {
					.startup_ns = numbers[k],
					.gap_ns = numbers[l],
				};

				good = good &&
				       chosen(cost, false, sizes[i], 1000) ==
				       best_of_formulas(&cost, sizes[i]);
			}
	ok(good, "the choice is the shortest time of all (k+1)-nomial trees");
}

/* How long a tree takes by the prediction for machines: blocks of no bytes, no hops */
static u64 predicted(const struct scatter_cost *cost,
		     const struct scatter_schedule_spec *spec)
{
	const struct scatter_machine machine = {
		.startup = cost->startup_ns +
			   (u64)(spec->ports - 1) * cost->gap_ns,
		.ports = spec->ports,
		.combining = true,
		.topology = SCATTER_TOPOLOGY_FULL,
	};

	return scatter_predict_time(spec, &machine, 0);
}

/*
 * Ports of the trees of a size that may be the shortest: a tree with more ports than another
 * one and as many rounds takes no less time. Returns how many.
 */
static u32 candidates(u32 size, u32 *ports)
{
	u32 rounds, last = UINT32_MAX, n = 0, k;

	for (k = 1; k < size; k++) {
		rounds = check_log(k + 1, size);
		if (rounds != last)
			ports[n++] = k;
		last = rounds;
	}
	return n;
}

/* The one with the shortest predicted time, or of several the one with the fewest ports */
static u32 best_of_predictions(const struct scatter_cost *cost, u32 size, const u32 *ports,
			       u32 n)
{
	struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_KNOMIAL,
		.op = SCATTER_SCHEDULE_SCATTER,
		.size = size,
	};
	u64 best = UINT64_MAX, time;
	u32 winner = 1, i;

	for (i = 0; i < n; i++) {
		spec.ports = ports[i];
		time = predicted(cost, &spec);
		if (time < best) {
			best = time;
			winner = spec.ports;
		}
	}
	return winner;
}

/* With startups and gaps that are every @stride-th of the numbers */
static void try_size(struct tally *tally, u32 size, u32 stride)
{
	const struct scatter_schedule_spec spec = { .size = size };
	u32 ports[32], n, best, k, l;

	n = candidates(size, ports);
	for (k = 0; k < NUMBERS_32; k += stride)
		for (l = 0; l < NUMBERS_32; l += stride) {
			struct scatter_cost cost = {
				.startup_ns = numbers[k],
				.gap_ns = numbers[l],
			};

			best = best_of_predictions(&cost, size, ports, n);
			scatter_cost_shape(&cost, size);
			tally_case(tally, cost.ports == best, &spec,
				   "startup %u gap %u: %u ports, not %u", cost.startup_ns,
				   cost.gap_ns, cost.ports, best);
		}
}

static void test_choice_predictions(void)
{
	struct tally edges = {
		.says = "the choice is that of scatter_predict_time(), around powers",
	};
	struct tally all = {
		.says = "so it is for each size that a group may have",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		try_size(&edges, sizes[i], 1);
	tally_report(&edges);
	/* 6 times 6 pairs */
	for (i = 1; i <= 1024; i++)
		try_size(&all, i, 3);
	tally_report(&all);
}

/* {eager limit, limit with more members than CPUs}, members, CPUs */
static void test_gather_limits(void)
{
	const struct scatter_cost cost = {
		.startup_ns = 1000, .gap_ns = 100, .eager_limit = 64,
		.gather_limit = 640,
	};

	ok(scatter_cost_gather_limit(64, 640, 3, 2) == 640,
	   "gathers of more members than CPUs have a limit of their own");
	ok(scatter_cost_gather_limit(64, 640, 2, 2) == 64,
	   "those of as many have not");
	ok(scatter_cost_gather_limit(64, 63, 3, 2) == 64, "it is never less");
	ok(scatter_cost_gather_limit(0, 640, 3, 2) == 0, "no payload is none");
	ok(chosen(cost, true, 64, 640) == 63 && chosen(cost, true, 64, 641) == 7 &&
	   chosen(cost, false, 64, 640) == 7,
	   "the choice knows which limit counts");
}

/* {nodes, ports}: 5 us for a message, 1 us until the next one */
static void test_nodes(void)
{
	static const u32 cases[][2] = {
		{ 1, 0 }, { 2, 1 }, { 4, 3 }, { 8, 7 }, { 9, 2 }, { 10, 9 }, { 11, 3 },
		{ 16, 3 }, { 1000, 3 }, { 1024, 3 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scatter_schedule_spec spec = { .size = cases[i][0], .ports = 77 };
		u32 ports;

		scatter_cost_choose_nodes(&spec);
		ports = ports_of(&spec);
		ok(ports == cases[i][1] && !scatter_schedule_check(&spec),
		   "between %u nodes: %u ports", cases[i][0], ports);
	}
}

int main(void)
{
	test_nodes();
	test_gather_limits();
	test_eager_cases();
	test_eager_products();
	test_choice_cases();
	test_choice_formulas();
	test_choice_predictions();
	return tap_done();
}
