/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BALLOT_H
#define _SCATTER_BALLOT_H

#include <linux/types.h>

struct scatter_council_key;
struct scatter_decree;
struct scatter_group;
struct scatter_operation;

bool scatter_ballot_find(struct scatter_group *group, struct scatter_council_key *key,
			 struct scatter_decree *decree);
void scatter_ballot_decided(struct scatter_group *group, const struct scatter_council_key *key,
			    const struct scatter_decree *verdict);
bool scatter_ballot_recall_locked(struct scatter_group *group,
				  struct scatter_operation *operation, u32 rank);
void scatter_ballot_missed(struct scatter_group *group, u64 number);
void scatter_ballot_refused(struct scatter_group *group, u64 number);
void scatter_ballot_cut(struct scatter_group *group);

#endif /* _SCATTER_BALLOT_H */
