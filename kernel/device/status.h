/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_STATUS_H
#define _SCATTER_STATUS_H

#include <linux/poll.h>
#include <linux/types.h>

struct scatter_counters;
struct scatter_group;
struct scatter_masks;
struct scatter_member;
struct scatter_status;

int scatter_status_begin(struct scatter_status *status);
int scatter_status_of_group(struct scatter_group *group,
			    struct scatter_status *status,
			    struct scatter_masks *masks);
int scatter_status_of_member(struct scatter_member *member,
			     struct scatter_status *status,
			     struct scatter_masks *masks);
int scatter_status_tell(const struct scatter_status *status,
			const struct scatter_masks *masks);

void scatter_status_count(const struct scatter_member *member,
			  struct scatter_counters *counters);
void scatter_status_count_all(struct scatter_group *group,
			      struct scatter_counters *counters);

__poll_t scatter_status_poll_group(struct scatter_group *group);
__poll_t scatter_status_poll_member(struct scatter_member *member);

#endif /* _SCATTER_STATUS_H */
