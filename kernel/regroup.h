/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_REGROUP_H
#define _SCATTER_REGROUP_H

#include <linux/types.h>

struct scatter_call;
struct scatter_descriptor;
struct scatter_file;
struct scatter_group;
struct scatter_member;
struct scatter_regroup;

/**
 * struct scatter_seat - what a member brings to a call that all have to make
 * @rank: constant; in the old group
 * @side: constant; in the old group
 * @color: constant; which new group, %SCATTER_COLOR_NONE: none
 * @key: constant; its place there
 * @value: constant; AGREE: the bits to be combined
 * @file: constant; what is behind the descriptor of the new membership; NULL: there
 *	is to be none
 * @member: constant; it: has a group once the new ones are made
 * @group: old group's lock; room for a new group, if this seat is the first of it; NULL
 *	once it has been used
 *
 * It is on the stack of the call. Others use it under the old group's lock while
 * the call is inside; so all the memory that it takes is the caller's own, and nothing
 * can fail for want of it when all have come.
 */
struct scatter_seat {
	u32 rank;
	u32 side;
	s32 color;
	s32 key;
	u64 value;
	struct scatter_file *file;
	struct scatter_member *member;
	struct scatter_group *group;
};

/**
 * struct scatter_seating - the seats of an operation that makes groups
 * @filled: old group's lock; how many there are
 * @over: old group's lock; all have come: groups are made, or it has failed
 * @made: old group's lock; the groups are made
 * @seats: old group's lock; by rank until @over, in any order then
 */
struct scatter_seating {
	u32 filled;
	bool over;
	bool made;
	struct scatter_seat *seats[];
};

struct scatter_seating *scatter_seating_alloc(u32 size);
int scatter_seats_form_locked(struct scatter_group *old,
			      struct scatter_seat **seats, u32 count,
			      u32 *culprit);

int scatter_regroup_check(const struct scatter_regroup *regroup);
int scatter_regroup_run(struct scatter_member *member,
			struct scatter_regroup *regroup,
			struct scatter_descriptor *made);
int scatter_regroup_play(struct scatter_call *call);

#endif /* _SCATTER_REGROUP_H */
