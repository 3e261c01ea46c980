/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_WAIT_H
#define _SCATTER_WAIT_H

#include <linux/types.h>

struct scatter_group;
struct scatter_member;
struct task_struct;

/* How often a group in which somebody waits looks whether its members' processes live. */
#define SCATTER_WAIT_WATCH_MS	50

void scatter_wait_init(struct scatter_member *member);
int scatter_wait_mail(struct scatter_member *member, u64 deadline_ns);
int scatter_wait(struct scatter_member *member, struct task_struct *peer,
		 u64 deadline_ns);
long scatter_wait_killable(struct scatter_member *member, long left);
u64 scatter_wait_deadline(u64 deadline_ns, bool relative);
bool scatter_wait_allowed(u64 deadline_ns);
bool scatter_wait_expired(u64 deadline_ns);
void scatter_wait_wake(struct scatter_member *member);
void scatter_wait_watch(struct scatter_group *group);

#endif /* _SCATTER_WAIT_H */
