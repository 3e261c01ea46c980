/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KSELFTEST_PLANNED_H
#define _KSELFTEST_PLANNED_H

#include <stdbool.h>

#include "crew.h"

/* Most members. */
#define PLANNED_SIZE_MAX	64

/* Whether all members have to combine in it. */
static inline bool combines(const struct call *call)
{
	return call->algorithm == SCATTER_ALGORITHM_OR_BROADCAST;
}

/* Only while events_trace(EVENTS_EDGES) is on. */
bool runs_as_planned(struct crew *crew, const struct call *planned,
		     const struct call *call, unsigned long long number);

#endif
