// SPDX-License-Identifier: GPL-2.0
/*
 * What STATUS and poll() tell, of a member and of a group.
 */
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/poll.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "death.h"
#include "group.h"
#include "inter.h"
#include "meeting.h"
#include "member.h"
#include "operation.h"
#include "stats.h"

/**
 * scatter_group_status_locked() - what STATUS tells of the group
 * @group: the group
 * @status: (out) all zeros but for size and flags, and what is of a member
 *
 * Context: the group's lock is held.
 */
void scatter_group_status_locked(struct scatter_group *group,
				 struct scatter_status *status)
{
	DECLARE_BITMAP(missing, SCATTER_SIZE_MAX);

	static_assert(sizeof(status->dead) == sizeof(group->dead));
	lockdep_assert_held(&group->lock);
	status->state = group->state;
	status->members = group->size;
	status->joined = group->joined;
	status->error = -group->error;
	status->culprit = group->culprit;
	status->eager_limit = group->cost.eager_limit;
	status->gather_limit = group->cost.gather_limit;
	status->algorithm = group->schedule.algorithm;
	status->ports = group->schedule.ports;
	status->dims = group->schedule.dims;
	memcpy(status->extent, group->schedule.extent, sizeof(status->extent));
	memcpy(status->sides, group->sides, sizeof(status->sides));
	bitmap_to_arr64(status->dead, group->dead, SCATTER_SIZE_MAX);
	bitmap_to_arr64(status->left, group->left, SCATTER_SIZE_MAX);
	if (group->formed)
		return;
	bitmap_complement(missing, group->seated, group->size);
	bitmap_to_arr64(status->missing, missing, group->size);
}

static void tally_add(const struct scatter_member *member,
		      struct scatter_counters *sum)
{
	scatter_tally_add(&member->tally, sum);
	sum->wakeups += atomic64_read(&member->wakeups);
}

/**
 * scatter_group_total() - sum what all members have counted
 * @group: the group
 * @total: (in, out) the sum
 *
 * Under the lock for one member at a time, which may give up its seat while the group is not
 * complete.
 *
 * Context: may sleep; no locks.
 */
void scatter_group_total(struct scatter_group *group,
			 struct scatter_counters *total)
{
	u32 rank;

	for (rank = 0; rank < group->size; rank++) {
		spin_lock(&group->lock);
		if (group->members[rank])
			tally_add(group->members[rank], total);
		spin_unlock(&group->lock);
		cond_resched();
	}
}

/**
 * scatter_group_status() - fill in the answer to a group descriptor's STATUS
 * @group: the group
 * @status: (out) all zeros but for size and flags
 *
 * Context: any; no locks.
 */
void scatter_group_status(struct scatter_group *group,
			  struct scatter_status *status)
{
	status->rank = SCATTER_RANK_ANY;
	scatter_death_watch(group);
	spin_lock(&group->lock);
	scatter_group_status_locked(group, status);
	spin_unlock(&group->lock);
	scatter_group_total(group, &status->total);
}

/**
 * scatter_group_events_locked() - what poll() reports of the group to everybody
 * @group: the group
 *
 * Context: the group's lock is held.
 * Return: EPOLL* bits.
 */
__poll_t scatter_group_events_locked(const struct scatter_group *group)
{
	__poll_t events = 0;

	lockdep_assert_held(&group->lock);
	if (group->formed)
		events |= EPOLLIN | EPOLLRDNORM;
	else if (group->closed)
		events |= EPOLLHUP;
	if (group->revoked)
		events |= EPOLLPRI | EPOLLHUP;
	if (!bitmap_empty(group->dead, SCATTER_SIZE_MAX))
		events |= EPOLLPRI;
	if (group->state == SCATTER_STATE_BROKEN)
		events |= EPOLLERR;
	return events;
}

/**
 * scatter_group_poll() - what poll() reports on a group's descriptor
 * @group: the group
 *
 * Context: any; no locks.
 * Return: EPOLL* bits as the uapi header says.
 */
__poll_t scatter_group_poll(struct scatter_group *group)
{
	__poll_t events;

	spin_lock(&group->lock);
	events = scatter_group_events_locked(group);
	if (group->gone == group->size)
		events |= EPOLLHUP;
	spin_unlock(&group->lock);
	return events;
}

/* Of 64 ranks those that a member waits for in what it is inside of. */
static u64 missing_locked(const struct scatter_member *member, u32 first)
{
	const struct scatter_operation *operation = member->current_operation;
	u32 end = min(first + 64, member->group->size);
	u64 missing = 0;
	u32 rank = first;

	if (member->meeting)
		return scatter_meeting_missing_locked(member->meeting, member->group,
						      first, end);
	for (; operation && scatter_operation_missing_locked(operation, end, &rank);
	     rank++)
		missing |= BIT_ULL(rank - first);
	return missing;
}

/*
 * Whom a member waits for in what it is inside of; nobody if it is inside of something else
 * before all ranks have been looked at.
 */
static void find_missing(struct scatter_member *member, struct scatter_status *status)
{
	struct scatter_group *group = member->group;
	u64 next = 0, next_meeting = 0;
	u32 first;

	for (first = 0; first < group->size; first += 64) {
		bool same;

		spin_lock(&group->lock);
		if (!first) {
			next = member->next;
			next_meeting = member->next_meeting;
		}
		same = member->next == next && member->next_meeting == next_meeting;
		if (same)
			status->missing[first / 64] = missing_locked(member, first);
		spin_unlock(&group->lock);
		if (same)
			continue;
		memset(status->missing, 0, sizeof(status->missing));
		return;
	}
}

/**
 * scatter_member_status() - fill in the answer to STATUS, but for the group's total
 * @member: whose
 * @status: (out) all zeros but for size and flags
 *
 * Context: any; no locks.
 * Return: 0, or -ENOTCONN if the address space ended before the group formed.
 */
int scatter_member_status(struct scatter_member *member,
			  struct scatter_status *status)
{
	struct scatter_group *group = member->group;
	bool inside;

	scatter_death_watch(group);
	spin_lock(&group->lock);
	if (member->presence == SCATTER_LOST) {
		spin_unlock(&group->lock);
		return -ENOTCONN;
	}
	scatter_group_status_locked(group, status);
	status->rank = scatter_inter_rank(group, member->rank);
	status->side = scatter_inter_side(group, member->rank);
	status->next = member->next;
	status->ring_bytes = member->ring.size;
	if (group->formed)
		bitmap_to_arr64(status->missing, member->late, SCATTER_SIZE_MAX);
	inside = member->meeting || member->current_operation;
	spin_unlock(&group->lock);
	if (inside)
		find_missing(member, status);
	tally_add(member, &status->own);
	return 0;
}

/**
 * scatter_member_poll() - what poll() reports
 * @member: whose
 *
 * Context: any; no locks.
 * Return: EPOLL* bits as the uapi header says.
 */
__poll_t scatter_member_poll(struct scatter_member *member)
{
	struct scatter_group *group = member->group;
	__poll_t events;
	u32 others, gone;

	spin_lock(&group->lock);
	events = scatter_group_events_locked(group);
	others = group->size - 1;
	gone = group->gone - (member->presence != SCATTER_PRESENT);
	if (member->presence == SCATTER_LOST)
		events = EPOLLHUP;
	else if (group->formed && others && gone == others)
		events |= EPOLLHUP;
	spin_unlock(&group->lock);
	return events;
}
