/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FACT_H
#define _SCATTER_FACT_H

#include <linux/types.h>

#include "wire/wide.h"

struct scatter_group;

struct scatter_wide_fact scatter_fact_of(const struct scatter_group *group,
					 enum scatter_wide_kind kind, u32 rank, u64 number);
void scatter_fact_post(struct scatter_group *group, u32 to, const struct scatter_wide_fact *fact);
bool scatter_fact_tell(struct scatter_group *group, enum scatter_wide_kind kind, u32 rank,
		       u64 number);
bool scatter_fact_overrun(struct scatter_group *group, u32 rank, u64 number);
bool scatter_fact_receive(struct scatter_group *group, u32 from,
			  const struct scatter_wide_fact *fact, bool *news);
void scatter_fact_believe(struct scatter_group *group);
void scatter_fact_resign(struct scatter_group *group);
void scatter_fact_deny(struct scatter_group *group, u32 to);
void scatter_fact_lost(struct scatter_group *group, u32 node);

#endif /* _SCATTER_FACT_H */
