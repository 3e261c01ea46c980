/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's harness, with time enough for an emulated debug kernel, or a slower machine,
 * and with a choice of tests. A program takes patterns of the names that its TAP has, and
 * -l lists them:
 *
 *	plan_test -l
 *	plan_test 'plan.mesh_*' 'global.*'
 *
 * KSELFTEST_SAMPLE=N runs each test with one in N of the variants of its fixture, at least
 * one. KSELFTEST_SEED decides which; the time of day does if there is none. A program
 * whose every variant matters defines HARNESS_WHOLE before it includes this file, and one that
 * prints its table HARNESS_PRINT, the function that --rows calls.
 * A variant that is left out is no result in the TAP: neither passed nor skipped.
 */
#ifndef _KSELFTEST_HARNESS_H
#define _KSELFTEST_HARNESS_H

#include <fnmatch.h>
#include <stdlib.h>

#include <kselftest_harness.h>

#include "pace.h"
#include "sample.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	120

#ifdef HARNESS_WHOLE
#define HARNESS_SAMPLED	false
#else
#define HARNESS_SAMPLED	true
#endif

struct harness_case {
	struct __fixture_metadata *fixture;
	struct __fixture_variant_metadata *variant;
	struct __test_metadata *test;
	unsigned int number;	/* of the test in its fixture */
};

/* As the kernel's harness prints it. */
static inline void harness_name(const struct harness_case *one, char *name, size_t bytes)
{
	snprintf(name, bytes, "%s%s%s.%s", one->fixture->name, one->variant ? "." : "",
		 one->variant ? one->variant->name : "", one->test->name);
}

static inline bool harness_matches(const struct harness_case *one, char **patterns)
{
	char name[256];

	harness_name(one, name, sizeof(name));
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, name, 0))
			return true;
	return false;
}

/* The variants have a random order; the next test's share begins where this one's ends. */
static inline bool harness_in_sample(const struct harness_case *one)
{
	const char *fixture = one->fixture->name;
	struct __fixture_variant_metadata *other;
	unsigned int variants = 0, place = 0;

	if (!HARNESS_SAMPLED || !one->variant)
		return true;
	for (other = one->fixture->variant; other; other = other->next) {
		place += sample_key(fixture, other->name) <
			 sample_key(fixture, one->variant->name);
		variants++;
	}
	return sample_has(variants, place, one->number);
}

/* A named test runs, whatever the sample has. */
static inline bool harness_chooses(const struct harness_case *one, char **patterns)
{
	return *patterns ? harness_matches(one, patterns) : harness_in_sample(one);
}

static inline void *harness_copy(const void *from, size_t bytes)
{
	void *to = malloc(bytes);

	if (!to)
		abort();
	return memcpy(to, from, bytes);
}

/* Of the tests of a fixture those that are chosen for this variant; NULL if there is none. */
static inline struct __test_metadata *harness_tests(struct harness_case *one, char **patterns)
{
	struct __test_metadata *first = NULL, **end = &first;

	one->number = 0;
	for (one->test = one->fixture->tests; one->test; one->test = one->test->next) {
		if (harness_chooses(one, patterns)) {
			*end = harness_copy(one->test, sizeof(**end));
			end = &(*end)->next;
		}
		one->number++;
	}
	*end = NULL;
	return first;
}

/*
 * The kernel's harness runs each test of a fixture with each variant. So that it runs
 * those that are chosen, each variant gets a copy of the fixture, with its tests only.
 */
static inline struct __fixture_metadata *harness_choice(char **patterns)
{
	struct __fixture_metadata *first = NULL, **end = &first;
	struct __test_metadata *tests;
	struct harness_case one;

	for (one.fixture = __fixture_list; one.fixture; one.fixture = one.fixture->next) {
		one.variant = one.fixture->variant;
		do {
			tests = harness_tests(&one, patterns);
			if (tests) {
				*end = harness_copy(one.fixture, sizeof(**end));
				(*end)->tests = tests;
				if (one.variant) {
					(*end)->variant = harness_copy(one.variant,
								       sizeof(*one.variant));
					(*end)->variant->next = NULL;
				}
				end = &(*end)->next;
			}
			one.variant = one.variant ? one.variant->next : NULL;
		} while (one.variant);
	}
	*end = NULL;
	return first;
}

static inline int harness_list(void)
{
	struct harness_case one;
	char name[256];

	for (one.fixture = __fixture_list; one.fixture; one.fixture = one.fixture->next) {
		one.variant = one.fixture->variant;
		for (one.test = one.fixture->tests; one.test; one.test = one.test->next) {
			harness_name(&one, name, sizeof(name));
			puts(name);
		}
	}
	return 0;
}

/* The bound of each test in seconds, of TEST_F_TIMEOUT() too, follows the machine. */
static inline int harness_run(char **argv)
{
	struct __fixture_metadata *fixture;
	struct __test_metadata *test;

	pace_measure();
	for (fixture = __fixture_list; fixture; fixture = fixture->next)
		for (test = fixture->tests; test; test = test->next)
			test->timeout = (int)paced_ms((unsigned int)test->timeout);
	return test_harness_run(1, argv);
}

static inline int harness_main(int argc, char **argv)
{
	bool list = argc > 1 && !strcmp(argv[1], "-l");
	char **patterns = argv + 1 + list;

#ifdef HARNESS_PRINT
	if (argc > 1 && !strcmp(argv[1], "--rows")) {
		HARNESS_PRINT();
		return 0;
	}
#endif
	if (!*patterns && HARNESS_SAMPLED && sample_size() > 1)
		printf("# KSELFTEST_SAMPLE=%u KSELFTEST_SEED=%llu\n", sample_size(),
		       sample_seed());
	__fixture_list = harness_choice(patterns);
	if (!__fixture_list) {
		fprintf(stderr, "%s: no such test; see %s -l\n", argv[0], argv[0]);
		return 2;
	}
	return list ? harness_list() : harness_run(argv);
}

/* The main() of the kernel's harness calls this. */
#define test_harness_run(argc, argv)	harness_main(argc, argv)

#endif /* _KSELFTEST_HARNESS_H */
