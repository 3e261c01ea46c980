/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FAIL_H
#define _SCATTER_FAIL_H

#include <linux/types.h>

struct scatter_group;
struct scatter_member;
struct scatter_operation;

bool scatter_fail_locked(struct scatter_group *group,
			 struct scatter_operation *operation, int error,
			 u32 culprit, bool abort);
void scatter_fail_plead_locked(struct scatter_group *group, struct scatter_operation *operation,
			       int error, u32 culprit);
void scatter_fail_settle_locked(struct scatter_group *group, struct scatter_operation *operation,
				int error, u32 culprit);
void scatter_fail_doom_locked(struct scatter_group *group, u64 from, int error,
			      u32 rank);
void scatter_fail_fate_locked(struct scatter_group *group,
			      struct scatter_operation *operation);
void scatter_fail_abort(struct scatter_group *group);
void scatter_fail_depart_locked(struct scatter_group *group,
				const struct scatter_member *member,
				struct hlist_head *dead);
int scatter_fail_revoke(struct scatter_member *member, bool *first);

#endif /* _SCATTER_FAIL_H */
