/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a schedule takes on a machine, by formula, and how long any takes at least.
 *
 * Pure code, like the schedules.
 */
#ifndef _SCATTER_PLAN_PREDICT_H
#define _SCATTER_PLAN_PREDICT_H

#include "machine.h"
#include "schedule/schedule.h"

u64 scatter_predict_time(const struct scatter_schedule_spec *spec,
			 const struct scatter_machine *machine, u64 block);
u64 scatter_predict_bound(const struct scatter_schedule_spec *spec,
			  const struct scatter_machine *machine, u64 block);
u64 scatter_predict_bound_rounds(const struct scatter_schedule_spec *spec,
				 const struct scatter_machine *machine);
u64 scatter_predict_bound_bytes(const struct scatter_schedule_spec *spec,
				const struct scatter_machine *machine, u64 block);

#endif /* _SCATTER_PLAN_PREDICT_H */
