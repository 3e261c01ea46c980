/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test Anything Protocol, as much of it as a unit test needs. The plan comes
 * last, so a program that ends early has none and the runner notices.
 */
#ifndef _SCATTER_UNIT_TAP_H
#define _SCATTER_UNIT_TAP_H

#include <stdbool.h>
#include <stdio.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

/* One of each for the whole program, whatever it consists of */
__attribute__((weak)) unsigned int tap_tests;
__attribute__((weak)) unsigned int tap_failures;
__attribute__((weak)) bool tap_good;

/*
 * One test: prints its line; true if @good. The name is a format, and goes to
 * printf itself so that the compiler checks it.
 */
#define ok(good, ...) \
	(tap_begin(good), printf(__VA_ARGS__), tap_end(__FILE__, __LINE__))

static inline void tap_begin(bool good)
{
	tap_good = good;
	tap_tests++;
	printf("%sok %u - ", good ? "" : "not ", tap_tests);
}

static inline bool tap_end(const char *file, int line)
{
	printf("\n");
	if (!tap_good) {
		tap_failures++;
		printf("# failed at %s:%d\n", file, line);
	}
	return tap_good;
}

/* Prints the plan; the exit status of the program. */
static inline int tap_done(void)
{
	printf("1..%u\n", tap_tests);
	return tap_failures ? 1 : 0;
}

#endif /* _SCATTER_UNIT_TAP_H */
