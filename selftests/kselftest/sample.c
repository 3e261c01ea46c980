// SPDX-License-Identifier: GPL-2.0
#include "common.h"
#include "sample.h"

/* One in so many; 1 is all. */
unsigned int sample_size(void)
{
	__u64 size = environment("KSELFTEST_SAMPLE", 1);

	return size ? size : 1;
}

/* One in so many of what is not to be missed altogether: in @most at most. */
unsigned int sample_few(unsigned int most)
{
	return sample_size() < most ? sample_size() : most;
}

/* How often to do what is random each time, of so many times. */
unsigned int sample_rounds(unsigned int rounds)
{
	return (rounds + sample_size() - 1) / sample_size();
}

/* The same for the whole life of the process. */
__u64 sample_seed(void)
{
	static __u64 seed;

	if (!seed)
		seed = environment("KSELFTEST_SEED", now_ns());
	return seed;
}

/* FNV-1a, and a last mix so that names with different ends do not stay neighbours. */
static __u64 hash(__u64 value, const char *text)
{
	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 0x100000001b3ULL;
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93ULL;
	return value ^ value >> 32;
}

/* The variants of a fixture, sorted by their keys, are in a random order. */
__u64 sample_key(const char *fixture, const char *variant)
{
	return hash(hash(sample_seed() + 0xcbf29ce484222325ULL, fixture), variant);
}

/*
 * Does test number @test of a fixture run with the variant in this place of the order? Each
 * test has the same share of the variants, which begins where that of the test before ends.
 */
bool sample_has(unsigned int variants, unsigned int place, unsigned int test)
{
	const unsigned int size = sample_size();
	const unsigned int share = variants / size + (variants % size != 0);

	return (place + variants - test * share % variants) % variants < share;
}
