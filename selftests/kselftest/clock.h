/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of deadlines.
 */
#ifndef _KSELFTEST_CLOCK_H
#define _KSELFTEST_CLOCK_H

#include <time.h>
#include <linux/types.h>

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL

/** now_ns() - CLOCK_MONOTONIC in ns */
static inline __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000ULL + (__u64)now.tv_nsec;
}

#endif /* _KSELFTEST_CLOCK_H */
