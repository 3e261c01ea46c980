/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FACT_H
#define _SCATTER_FACT_H

#include <linux/types.h>

#include "wire/wide.h"

struct scatter_group;

bool scatter_fact_tell(struct scatter_group *group, enum scatter_wide_kind kind, u32 rank,
		       u64 number);
void scatter_fact_overrun(struct scatter_group *group, u32 rank, u64 number);
bool scatter_fact_receive(struct scatter_group *group, u32 from,
			  const struct scatter_wide_fact *fact, bool *news);
void scatter_fact_believe(struct scatter_group *group);
void scatter_fact_resign(struct scatter_group *group);
void scatter_fact_deny(struct scatter_group *group, u32 to);
void scatter_fact_lost(struct scatter_group *group, u32 node);
void scatter_fact_replay_failed(struct scatter_group *group, u32 to);
void scatter_fact_replay(struct scatter_group *group, u32 to);
bool scatter_fact_replays(const struct scatter_portal *portal, u32 node);

#endif /* _SCATTER_FACT_H */
