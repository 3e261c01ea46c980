// SPDX-License-Identifier: GPL-2.0
/*
 * What STATUS, COUNTERS and poll() tell of a member and of a group.
 */
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/poll.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "device/status.h"
#include "group/group.h"
#include "group/member.h"
#include "group/sides.h"
#include "group/wait.h"
#include "masks.h"
#include "operation/meeting.h"
#include "operation/operation.h"
#include "stats.h"

/**
 * scatter_status_begin() - clear the fields that STATUS is going to fill in
 * @status: (in, out) what the user gave; the user's request stays
 *
 * Context: any.
 * Return: 0 or -EOPNOTSUPP.
 */
int scatter_status_begin(struct scatter_status *status)
{
	if (status->__reserved)
		return -EOPNOTSUPP;
	*status = (struct scatter_status){
		.size = status->size,
		.bits = status->bits,
		.dead = status->dead,
		.left = status->left,
		.missing = status->missing,
	};
	return 0;
}

/**
 * scatter_status_tell() - write the masks of STATUS to the user
 * @status: has been filled in
 * @masks: likewise
 *
 * Context: may sleep and fault; no locks.
 * Return: 0 or -EFAULT.
 */
int scatter_status_tell(const struct scatter_status *status,
			const struct scatter_masks *masks)
{
	return scatter_masks_tell(status->dead, status->bits, masks->dead) ?:
	       scatter_masks_tell(status->left, status->bits, masks->left) ?:
	       scatter_masks_tell(status->missing, status->bits, masks->missing);
}

/* Fill in what a member's file and a group descriptor both tell of their group. */
static int fill_locked(struct scatter_group *group, struct scatter_status *status,
		       struct scatter_masks *masks)
{
	DECLARE_BITMAP(missing, SCATTER_SIZE_MAX);

	static_assert(sizeof(masks->dead) == sizeof(group->dead));
	static_assert(sizeof(status->id) == sizeof(group->id));
	lockdep_assert_held(&group->lock);
	if ((status->dead || status->left || status->missing) &&
	    scatter_masks_check(status->bits, group->size))
		return -EINVAL;
	status->state = group->state;
	status->members = group->size;
	status->joined = group->joined;
	status->error = -group->error;
	status->culprit = group->culprit;
	status->eager_limit = group->cost.eager_limit;
	status->gather_limit = group->cost.gather_limit;
	status->schedule = group->schedule;
	memcpy(status->sides, group->sides, sizeof(status->sides));
	memcpy(status->id, group->id, sizeof(status->id));
	bitmap_to_arr64(masks->dead, group->dead, SCATTER_SIZE_MAX);
	bitmap_to_arr64(masks->left, group->left, SCATTER_SIZE_MAX);
	if (group->formed)
		return 0;
	bitmap_complement(missing, group->seated, group->size);
	bitmap_to_arr64(masks->missing, missing, group->size);
	return 0;
}

/**
 * scatter_status_of_group() - fill in the answer to a group descriptor's STATUS
 * @group: the group
 * @status: (in, out) after scatter_status_begin()
 * @masks: (out) all zeros
 *
 * Context: any; no locks.
 * Return: 0 or -EINVAL.
 */
int scatter_status_of_group(struct scatter_group *group,
			    struct scatter_status *status,
			    struct scatter_masks *masks)
{
	int error;

	status->rank = SCATTER_RANK_ANY;
	scatter_wait_watch(group);
	spin_lock(&group->lock);
	error = fill_locked(group, status, masks);
	spin_unlock(&group->lock);
	return error;
}

/* Among 64 ranks, find those of other nodes that have not called, as far as this node has heard. */
static u64 elsewhere_locked(const struct scatter_operation *operation, u32 first,
			    const struct scatter_masks *masks)
{
	u32 word = first / 64;

	lockdep_assert_held(&operation->group->lock);
	if (!operation->others || operation->error)
		return 0;
	return operation->others[word] & ~masks->dead[word] & ~masks->left[word];
}

/* The ranks among 64 that a member waits for in its present operation or meeting. */
static u64 missing_locked(const struct scatter_member *member, u32 first,
			  const struct scatter_masks *masks)
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
	return operation ? missing | elsewhere_locked(operation, first, masks) : missing;
}

/*
 * Find all ranks that a member waits for in its present operation or meeting. If the member goes on
 * to another one before all ranks have been looked at, the result is empty.
 */
static void find_missing(struct scatter_member *member, struct scatter_masks *masks)
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
			masks->missing[first / 64] = missing_locked(member, first, masks);
		spin_unlock(&group->lock);
		if (same)
			continue;
		memset(masks->missing, 0, sizeof(masks->missing));
		return;
	}
}

/**
 * scatter_status_of_member() - fill in the answer to STATUS
 * @member: the member
 * @status: (in, out) after scatter_status_begin()
 * @masks: (out) all zeros
 *
 * Context: any; no locks but that of the file.
 * Return: 0; -EINVAL; or -ENOTCONN if the address space ended before the group formed.
 */
int scatter_status_of_member(struct scatter_member *member,
			     struct scatter_status *status,
			     struct scatter_masks *masks)
{
	struct scatter_group *group = member->group;
	bool inside = false;
	int error;

	scatter_wait_watch(group);
	spin_lock(&group->lock);
	error = member->presence == SCATTER_LOST ? -ENOTCONN :
						   fill_locked(group, status, masks);
	if (error)
		goto unlock;
	status->rank = scatter_sides_rank(group, member->rank);
	status->side = scatter_sides_side(group, member->rank);
	status->next = member->next;
	status->ring_bytes = member->ring.size;
	if (group->formed)
		bitmap_to_arr64(masks->missing, member->late, SCATTER_SIZE_MAX);
	inside = status->missing && (member->meeting || member->current_operation);
unlock:
	spin_unlock(&group->lock);
	if (inside)
		find_missing(member, masks);
	return error;
}

/**
 * scatter_status_count() - add a member's counters to a sum
 * @member: the member
 * @counters: (in, out) the sum
 *
 * Context: any.
 */
void scatter_status_count(const struct scatter_member *member,
			  struct scatter_counters *counters)
{
	scatter_stats_add(&member->hands.tally, counters);
	counters->wakeups += atomic64_read(&member->wakeups);
}

/**
 * scatter_status_count_all() - add all members' counters to a sum
 * @group: the group
 * @counters: (in, out) the sum
 *
 * Takes the lock for one member at a time, since members may give up their seats while the group is
 * not complete.
 *
 * Context: may sleep; no locks.
 */
void scatter_status_count_all(struct scatter_group *group,
			      struct scatter_counters *counters)
{
	u32 rank;

	for (rank = 0; rank < group->size; rank++) {
		spin_lock(&group->lock);
		if (group->members[rank])
			scatter_status_count(group->members[rank], counters);
		spin_unlock(&group->lock);
		cond_resched();
	}
}

/* What poll() reports of the group to all pollers. */
static __poll_t events_locked(const struct scatter_group *group)
{
	__poll_t events = 0;

	lockdep_assert_held(&group->lock);
	if (group->formed)
		events |= EPOLLOUT | EPOLLWRNORM;
	else if (group->closed || group->claims)
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
 * scatter_status_poll_group() - what poll() reports on a group's descriptor
 * @group: the group
 *
 * Context: any; no locks.
 * Return: EPOLL* bits as the uapi header says.
 */
__poll_t scatter_status_poll_group(struct scatter_group *group)
{
	__poll_t events;

	spin_lock(&group->lock);
	events = events_locked(group);
	if (group->gone == group->size)
		events |= EPOLLHUP;
	spin_unlock(&group->lock);
	return events;
}

/**
 * scatter_status_poll_member() - what poll() reports
 * @member: the member
 *
 * Context: any; no locks.
 * Return: EPOLL* bits as the uapi header says.
 */
__poll_t scatter_status_poll_member(struct scatter_member *member)
{
	struct scatter_group *group = member->group;
	__poll_t events;
	u32 others, gone;

	spin_lock(&group->lock);
	events = events_locked(group);
	others = group->size - 1;
	gone = group->gone - (member->presence != SCATTER_PRESENT);
	if (member->presence == SCATTER_LOST)
		events = EPOLLHUP;
	else if (group->formed && others && gone == others)
		events |= EPOLLHUP;
	spin_unlock(&group->lock);
	return events;
}
