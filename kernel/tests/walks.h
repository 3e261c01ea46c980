/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does all that a schedule tells of a rank agree? For the unit tests in user space and
 * for KUnit; pure code like the schedules themselves.
 */
#ifndef _SCATTER_TESTS_WALKS_H
#define _SCATTER_TESTS_WALKS_H

#include "../schedule/schedule.h"

const char *scatter_walks_check(const struct scatter_schedule_spec *spec,
				u32 *culprit);
const char *scatter_walks_check_reversal(const struct scatter_schedule_spec *spec,
					 u32 *culprit);

#endif /* _SCATTER_TESTS_WALKS_H */
