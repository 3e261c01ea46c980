/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_HEIR_H
#define _SCATTER_HEIR_H

#include <linux/types.h>

struct scatter_applicant;
struct scatter_council_key;
struct scatter_decree;
struct scatter_group;

/**
 * struct scatter_heir_ranks - the members of a new group
 * @list: their ranks in the older group; the first one gets rank 0 in the new group
 * @count: how many
 */
struct scatter_heir_ranks {
	const u16 *list;
	u32 count;
};

int scatter_heir_prepare(struct scatter_group *group, const struct scatter_group *old);
u32 scatter_heir_pay_locked(struct scatter_applicant **applicants,
			    const struct scatter_heir_ranks *ranks);
struct scatter_group *scatter_heir_take_locked(struct scatter_applicant **applicants,
					       const struct scatter_heir_ranks *ranks);
struct scatter_group *scatter_heir_vacant(const struct scatter_group *old,
					  const struct scatter_heir_ranks *ranks);
void scatter_heir_name(const struct scatter_group *old, const struct scatter_heir_ranks *ranks,
		       const struct scatter_council_key *key, u64 *id);
void scatter_heir_arrange(struct scatter_group *group, const struct scatter_group *old,
			  const struct scatter_heir_ranks *ranks,
			  const struct scatter_council_key *key,
			  const struct scatter_decree *verdict);
bool scatter_heir_seat_locked(struct scatter_group *group, struct scatter_group *old,
			      const struct scatter_heir_ranks *ranks,
			      struct scatter_applicant **applicants);
void scatter_heir_meet(struct scatter_group *group, struct scatter_group *old);

#endif /* _SCATTER_HEIR_H */
