/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_DEVICE_REGROUP_H
#define _SCATTER_DEVICE_REGROUP_H

struct scatter_made;
struct scatter_member;
struct scatter_regroup;

int scatter_regroup_check(const struct scatter_regroup *regroup);
int scatter_regroup_run(struct scatter_member *member,
			struct scatter_regroup *regroup, struct scatter_made *made);

#endif /* _SCATTER_DEVICE_REGROUP_H */
