/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CLAIM_H
#define _SCATTER_CLAIM_H

#include <linux/scatter.h>
#include <linux/types.h>

/**
 * struct scatter_claim_terms - what all claimants of a group have to agree about
 * @size: number of members of the complete group
 * @sides: number of members of each side; both 0: the group has no sides
 * @schedule: the schedule of operations that name none
 */
struct scatter_claim_terms {
	u32 size;
	u32 sides[2];
	struct scatter_schedule schedule;
};

bool scatter_claim_agrees(const struct scatter_claim_terms *terms,
			  const struct scatter_join *join);
bool scatter_claim_allowed(umode_t mode, bool owns, bool in_group);
int scatter_claim_rank(const unsigned long *seated, const struct scatter_join *join);

#endif /* _SCATTER_CLAIM_H */
