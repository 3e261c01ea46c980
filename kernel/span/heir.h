/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_HEIR_H
#define _SCATTER_HEIR_H

#include <linux/types.h>

struct scatter_applicant;
struct scatter_council_key;
struct scatter_group;
struct scatter_set;

int scatter_heir_prepare(struct scatter_group *group, const struct scatter_group *old);
void scatter_heir_arrange(struct scatter_group *group, const struct scatter_group *old,
			  const struct scatter_set *ranks, const struct scatter_council_key *key);
u32 scatter_heir_seat_locked(struct scatter_group *group, struct scatter_group *old,
			     const struct scatter_set *ranks,
			     struct scatter_applicant **applicants);
void scatter_heir_meet(struct scatter_group *group);

#endif /* _SCATTER_HEIR_H */
