/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Part of a matrix, another part with each seed: KSELFTEST_SAMPLE=N takes one in N of it,
 * KSELFTEST_SEED decides which.
 */
#ifndef _KSELFTEST_SAMPLE_H
#define _KSELFTEST_SAMPLE_H

#include <stdbool.h>
#include <linux/types.h>

unsigned int sample_size(void);
unsigned int sample_few(unsigned int most);
unsigned int sample_rounds(unsigned int rounds);
__u64 sample_seed(void);
__u64 sample_key(const char *fixture, const char *variant);
bool sample_has(unsigned int variants, unsigned int place, unsigned int test);

#endif /* _KSELFTEST_SAMPLE_H */
