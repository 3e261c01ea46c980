/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SEATS_H
#define _SCATTER_SEATS_H

#include <linux/scatter.h>
#include <linux/types.h>

struct file;
struct scatter_group;
struct scatter_member;

/**
 * struct scatter_bid - where a member of an old group wants to sit
 * @color: in which new group, %SCATTER_COLOR_NONE: in none
 * @side: the member's in the old group
 * @key: orders the members of the new group
 * @rank: the member's in the old group
 */
struct scatter_bid {
	s32 color;
	u32 side;
	s32 key;
	u32 rank;
};

/**
 * struct scatter_applicant - what a member brings to a call that all members have to make
 * @bid: constant; where the member wants to sit
 * @value: constant; AGREE: the bits to be combined
 * @schedule: constant; SHRINK: the new group's schedule, as scatter_spec_asked() says
 * @unlimited: constant; whether the member's task may have more groups than its user may
 * @filp: constant; the new membership's open file, which owns the applicant
 * @member: constant; the new member, without a group until the new group is made
 * @group: old group's lock; room for a new group, if this applicant is the first of the new group;
 *	NULL once the room has been used
 *
 * The applicant has all memory that the new membership needs, so nothing fails for want of memory
 * when all members have called. An applicant without @filp is on the stack of an AGREE, or stands
 * for all members that take part in no new group.
 */
struct scatter_applicant {
	struct scatter_bid bid;
	u64 value;
	struct scatter_schedule schedule;
	bool unlimited;
	struct file *filp;
	struct scatter_member *member;
	struct scatter_group *group;
};

/**
 * struct scatter_seating - the applicants of an operation that makes groups
 * @size: constant; the old group's size
 * @filled: old group's lock; how many applicants there are
 * @turns: old group's lock; in a group on several nodes: of how many turns the council has decided
 * @made: old group's lock; the groups are made
 * @applicants: old group's lock; by rank, each with a reference on its file; then as many elements
 *	again, in which the applicants are sorted
 */
struct scatter_seating {
	u32 size;
	u32 filled;
	u32 turns;
	bool made;
	struct scatter_applicant *applicants[];
};

int scatter_seats_compare(const struct scatter_bid *one, const struct scatter_bid *other);
int scatter_seats_form_locked(struct scatter_group *old, struct scatter_applicant **applicants,
			      u32 count, u32 *culprit);

#endif /* _SCATTER_SEATS_H */
