/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_DEATH_H
#define _SCATTER_DEATH_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "group.h"
#include "member.h"

/* How often a group in which somebody waits looks whether its members' processes live. */
#define SCATTER_DEATH_WATCH_MS	50

int scatter_death_attach(struct scatter_member *member);
void scatter_death_detach(struct scatter_member *member);
void scatter_death_depart(struct scatter_member *member,
			  enum scatter_presence how);
void scatter_death_look(struct work_struct *work);

/**
 * scatter_death_watch() - begin to look whether the members' processes live
 * @group: the group, which the caller holds
 *
 * The looks end when nobody waits in the group any more. A waiter calls this after it has
 * entered its wait queue, so that the look that finds nobody finds this waiter.
 *
 * Context: any but an interrupt.
 */
static inline void scatter_death_watch(struct scatter_group *group)
{
	/* After the entry of the wait queue; the other one is in scatter_death_look(). */
	smp_mb();
	if (test_bit(0, &group->watched) || test_and_set_bit(0, &group->watched))
		return;
	schedule_delayed_work(&group->watch,
			      msecs_to_jiffies(SCATTER_DEATH_WATCH_MS));
}

#endif /* _SCATTER_DEATH_H */
