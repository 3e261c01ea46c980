// SPDX-License-Identifier: GPL-2.0
/*
 * The cost model against hand-made cases and against its formulas.
 */
#include "cost.h"
#include "schedule/schedule.h"
#include "tap.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

#define LINEAR		SCATTER_SCHEDULE_LINEAR
#define HYPERCUBE	SCATTER_SCHEDULE_HYPERCUBE

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

struct choice_case {
	const char *name;
	struct scatter_cost cost;
	u32 size;
	u64 block;
	u32 algorithm;
};

/* {startup, gap, eager limit, that of gathers} */
static const struct choice_case choice_cases[] = {
	{ "one rank", { 0, 1, 0, 0 }, 1, 1, LINEAR },
	{ "two ranks", { 0, 1, 0, 0 }, 2, 1, LINEAR },
	{ "no rank", { 0, 1, 0, 0 }, 0, 1, LINEAR },
	{ "three ranks, gap below startup", { 11, 10, 0, 0 }, 3, 1, LINEAR },
	{ "three ranks, gap above startup", { 10, 11, 0, 0 }, 3, 1, HYPERCUBE },
	{ "a tie", { 10, 10, 0, 0 }, 3, 1, HYPERCUBE },
	{ "8 ranks: 6 gaps below 2 startups", { 301, 100, 0, 0 }, 8, 1, LINEAR },
	{ "8 ranks: 6 gaps tie 2 startups", { 300, 100, 0, 0 }, 8, 1, HYPERCUBE },
	{ "9 ranks: 7 gaps below 3 startups", { 234, 100, 0, 0 }, 9, 1, LINEAR },
	{ "9 ranks: 7 gaps above 3 startups", { 233, 100, 0, 0 }, 9, 1, HYPERCUBE },
	{ "64 ranks: 62 gaps above 5 startups", { 1000, 100, 64, 0 }, 64, 65,
	  HYPERCUBE },
	{ "the same, but eager blocks", { 1000, 100, 64, 0 }, 64, 64, LINEAR },
	{ "the same, but empty blocks", { 1000, 100, 0, 0 }, 64, 0, LINEAR },
	{ "no gap", { 1, 0, 0, 0 }, 1024, 1, LINEAR },
	{ "nothing costs", { 0, 0, 0, 0 }, 1024, 1, HYPERCUBE },
	{ "block above 32 bits", { 1, 1000, 4096, 0 }, 1024, (u64)1 << 32,
	  HYPERCUBE },
	/* 4 gaps of 2^30 and 2 startups of 2^31 are 0 in 32 bits */
	{ "gaps above 32 bits", { 1, 1u << 30, 0, 0 }, 6, 1, HYPERCUBE },
	{ "startups above 32 bits", { 1u << 31, 1, 0, 0 }, 6, 1, LINEAR },
};

static void test_choice_cases(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(choice_cases); i++) {
		const struct choice_case *this = &choice_cases[i];

		ok(scatter_cost_choose(&this->cost, false, this->size,
				       this->block) == this->algorithm, "choice: %s", this->name);
	}
}

/*
 * The times of the textbooks for blocks that are not eager, but for the payload,
 * which is the same in both. They fit 64 bits for 32-bit parameters.
 */
static u32 best_of_formulas(const struct scatter_cost *cost, u32 size)
{
	u64 linear, tree, rounds = 0;

	while ((u64)1 << rounds < size)
		rounds++;
	linear = cost->startup_ns + (u64)(size - 2) * cost->gap_ns;
	tree = rounds * cost->startup_ns;
	return linear < tree ? LINEAR : HYPERCUBE;
}

static void test_choice_formulas(void)
{
	bool good = true;
	u32 i, k, l;

	/* sizes from 3 on */
	for (i = 3; i < NUMBERS_32; i++)
		for (k = 0; k < NUMBERS_32; k++)
			for (l = 0; l < NUMBERS_32; l++) {
				const struct scatter_cost cost = {
					.startup_ns = numbers[k],
					.gap_ns = numbers[l],
				};

				good = good &&
				       scatter_cost_choose(&cost, false,
							   numbers[i], 1000) ==
				       best_of_formulas(&cost, numbers[i]);
			}
	ok(good, "the choice is the shorter time of the two formulas");
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
	ok(scatter_cost_choose(&cost, true, 64, 640) == LINEAR &&
	   scatter_cost_choose(&cost, true, 64, 641) == HYPERCUBE &&
	   scatter_cost_choose(&cost, false, 64, 640) == HYPERCUBE,
	   "the choice knows which limit counts");
}

int main(void)
{
	test_gather_limits();
	test_eager_cases();
	test_eager_products();
	test_choice_cases();
	test_choice_formulas();
	return tap_done();
}
