// SPDX-License-Identifier: GPL-2.0
/*
 * Seats: give members of an old group that form a new group their seats in order.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/scatter.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "group/group.h"
#include "group/member.h"
#include "group/seats.h"
#include "trace.h"

/**
 * scatter_seats_compare() - whose seat comes first
 * @one: of a member of the old group
 * @other: of another member
 *
 * The seats of one new group follow each other.
 *
 * Context: any.
 * Return: as of the comparison functions of sort().
 */
int scatter_seats_compare(const struct scatter_bid *one, const struct scatter_bid *other)
{
	if (one->color != other->color)
		return one->color < other->color ? -1 : 1;
	if (one->side != other->side)
		return one->side < other->side ? -1 : 1;
	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return one->rank < other->rank ? -1 : 1;
}

static int compare(const void *a, const void *b)
{
	const struct scatter_applicant *one = *(struct scatter_applicant *const *)a;
	const struct scatter_applicant *other = *(struct scatter_applicant *const *)b;

	return scatter_seats_compare(&one->bid, &other->bid);
}

/* Count the applicants that have the color of the first one. */
static u32 same_color(struct scatter_applicant **applicants, u32 count)
{
	u32 n = 1;

	while (n < count && applicants[n]->bid.color == applicants[0]->bid.color)
		n++;
	return n;
}

/*
 * Give all applicants their seats. A member whose call is paused may die right now: its death waits
 * for the lock, or has found no group, and then the file is dropped.
 */
static void seat_all(struct scatter_group *old, struct scatter_applicant **applicants,
		     u32 count)
{
	struct scatter_group *group = applicants[0]->group;
	u32 sides[2] = { 0, 0 };
	u32 rank;

	applicants[0]->group = NULL;
	spin_lock_nested(&group->lock, SINGLE_DEPTH_NESTING);
	for (rank = 0; rank < count; rank++) {
		struct scatter_member *member = applicants[rank]->member;

		sides[applicants[rank]->bid.side]++;
		if (rank)
			scatter_group_get(group);
		scatter_member_sit_locked(member, group, rank);
		WRITE_ONCE(member->group, group);
	}
	/* A new group whose members are all of one side has no sides. */
	if (!sides[0] || !sides[1])
		memset(sides, 0, sizeof(sides));
	scatter_group_derive_locked(group, old, count, sides);
	for (rank = 0; rank < count; rank++)
		trace_scatter_join(applicants[rank]->member);
	spin_unlock(&group->lock);
}

/**
 * scatter_seats_form_locked() - make new groups, one for each color
 * @old: the old group
 * @applicants: (in, out) applicants of the members that have come; sorted afterwards
 * @count: how many applicants
 * @culprit: (out) on failure, the rank in the old group whose user may have no more groups
 *
 * Context: the old group's lock is held.
 * Return: 0, or -ENOSPC: no group was made.
 */
int scatter_seats_form_locked(struct scatter_group *old,
			      struct scatter_applicant **applicants, u32 count,
			      u32 *culprit)
{
	u32 none = 0;
	u32 i;

	lockdep_assert_held(&old->lock);
	sort(applicants, count, sizeof(*applicants), compare, NULL);
	while (none < count && applicants[none]->bid.color == SCATTER_COLOR_NONE)
		none++;
	for (i = none; i < count; i += same_color(applicants + i, count - i)) {
		/* If a later charge fails, this charge is undone when the applicant is freed. */
		if (scatter_group_charge(applicants[i]->group, applicants[i]->member->hands.user,
					 applicants[i]->unlimited)) {
			*culprit = applicants[i]->bid.rank;
			return -ENOSPC;
		}
	}
	while (none < count) {
		u32 n = same_color(applicants + none, count - none);

		seat_all(old, applicants + none, n);
		none += n;
	}
	return 0;
}
