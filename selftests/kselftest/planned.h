/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KSELFTEST_PLANNED_H
#define _KSELFTEST_PLANNED_H

#include <stdbool.h>

#include "crew.h"

/* Most members. */
#define PLANNED_SIZE_MAX	64

/* Only while edges_trace() is on. */
bool runs_as_planned(struct crew *crew, const struct call *planned,
		     const struct call *call, unsigned long long number);

#endif
