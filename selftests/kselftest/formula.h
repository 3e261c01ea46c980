/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the textbooks' formulas say of a schedule: no code of the module has a part in it.
 */
#ifndef _KSELFTEST_FORMULA_H
#define _KSELFTEST_FORMULA_H

#include <stdbool.h>

#include "crew.h"

/* @startups and @rounds of 0 are not known. */
struct figures {
	__u64 startups;
	__u64 bytes;
	__u64 rounds;
};

bool formula_of(const struct call *call, unsigned int size, struct figures *figures);

#endif /* _KSELFTEST_FORMULA_H */
