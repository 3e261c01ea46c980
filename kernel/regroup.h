/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_REGROUP_H
#define _SCATTER_REGROUP_H

#include <linux/scatter.h>
#include <linux/types.h>

struct file;
struct scatter_call;
struct scatter_descriptor;
struct scatter_file;
struct scatter_group;
struct scatter_member;
struct scatter_regroup;
struct scatter_user;

/**
 * struct scatter_seat - what a member brings to a call that all have to make
 * @rank: constant; in the old group
 * @side: constant; in the old group
 * @color: constant; which new group, %SCATTER_COLOR_NONE: none
 * @key: constant; its place there
 * @value: constant; AGREE: the bits to be combined
 * @schedule: constant; SHRINK: the new group's, as scatter_plan_asked() says
 * @unlimited: constant; whether its task may have more groups than its user may
 * @filp: constant; the new membership's open file, which owns the seat
 * @file: constant; what is behind that: has the member once the new groups are made
 * @member: constant; without a group until then
 * @group: old group's lock; room for a new group, if this seat is the first of it; NULL
 *	once it has been used
 *
 * All the memory that it takes is its member's own, and nothing can fail for want of it
 * when all have come. Without @filp it is on the stack of an AGREE, or of nobody.
 */
struct scatter_seat {
	u32 rank;
	u32 side;
	s32 color;
	s32 key;
	u64 value;
	struct scatter_schedule schedule;
	bool unlimited;
	struct file *filp;
	struct scatter_file *file;
	struct scatter_member *member;
	struct scatter_group *group;
};

/**
 * struct scatter_seating - the seats of an operation that makes groups
 * @size: constant; the old group's size
 * @filled: old group's lock; how many there are
 * @over: old group's lock; all have come: groups are made, or it has failed
 * @made: old group's lock; the groups are made
 * @seats: old group's lock; by rank, each with a reference on its file; and as many again
 *	to sort them
 */
struct scatter_seating {
	u32 size;
	u32 filled;
	bool over;
	bool made;
	struct scatter_seat *seats[];
};

struct scatter_seating *scatter_seating_alloc(struct scatter_user *user,
					      u32 size, u32 flags);
void scatter_seating_forget_locked(struct scatter_seating *seating, u32 rank);
int scatter_seats_form_locked(struct scatter_group *old,
			      struct scatter_seat **seats, u32 count,
			      u32 *culprit);
void scatter_seat_free(struct scatter_seat *seat);

int scatter_regroup_check(const struct scatter_regroup *regroup);
int scatter_regroup_run(struct scatter_member *member,
			struct scatter_regroup *regroup,
			struct scatter_descriptor *made);
int scatter_regroup_play(struct scatter_call *call);

#endif /* _SCATTER_REGROUP_H */
