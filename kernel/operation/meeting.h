/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MEETING_H
#define _SCATTER_MEETING_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/scatter.h>
#include <linux/types.h>

#include "masks.h"

struct scatter_applicant;
struct scatter_group;
struct scatter_member;

/**
 * struct scatter_verdict - the outcome of a meeting, the same for all
 * @value: AGREE: the AND of the values that all members brought
 * @gone: how many members had died or left
 * @culprit: the rank that caused the error, %SCATTER_RANK_ANY if none
 */
struct scatter_verdict {
	u64 value;
	u32 gone;
	s32 culprit;
};

/**
 * struct scatter_meeting - one SHRINK or AGREE of a group
 * @node: group lock; in the group's list
 * @number: constant; in call order, from 0
 * @size: constant; the group's size
 * @op: constant; %SCATTER_OP_SHRINK or %SCATTER_OP_AGREE
 * @schedule: group lock; SHRINK: the new group's schedule, as the first caller wants
 * @inside: group lock; members that have called the meeting and not withdrawn
 * @over: group lock; the outcome is known
 * @annulled: group lock; over, but it counts as not called: the next call makes another meeting of
 *	the same number
 * @error: group lock; the outcome, -errno or 0; constant once @over
 * @verdict: group lock; the rest of the outcome; constant once @over
 * @turn: group lock; the turn of the council's key that this node is in; 0: all members of the
 *	group are on this node
 * @brought: group lock; what this node has contributed in this turn, as enum scatter_meeting_bring
 * @differs: group lock; a member here has called something else
 * @differing: group lock; rank of that member
 * @leaving: group lock; ranks here that give up, and wait for the council to let them go
 * @passed: group lock; ranks that have returned from the meeting after it was over; and all ranks
 *	on other nodes
 * @applicants: group lock; by rank, the applicants of members inside; then as many elements again,
 *	in which the applicants are sorted
 */
struct scatter_meeting {
	struct list_head node;
	u64 number;
	u32 size;
	u32 op;
	struct scatter_schedule schedule;
	u32 inside;
	bool over;
	bool annulled;
	int error;
	struct scatter_verdict verdict;
	u32 turn;
	u32 brought;
	bool differs;
	u32 differing;
	DECLARE_BITMAP(leaving, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(passed, SCATTER_SIZE_MAX);
	struct scatter_applicant *applicants[];
};

/**
 * enum scatter_meeting_bring - what a node contributes to a meeting
 * @SCATTER_MEETING_MEMBERS: what the node's members bring
 * @SCATTER_MEETING_DIFFERS: that the node's members disagree
 * @SCATTER_MEETING_ABANDON: that a member of the node gives up
 */
enum scatter_meeting_bring {
	SCATTER_MEETING_MEMBERS = 1 << 0,
	SCATTER_MEETING_DIFFERS = 1 << 1,
	SCATTER_MEETING_ABANDON = 1 << 2,
};

struct scatter_meeting *scatter_meeting_alloc(const struct scatter_group *group, u64 number,
					      u32 op);
void scatter_meeting_free(struct list_head *over);
struct scatter_meeting *scatter_meeting_find_locked(struct scatter_group *group, u64 number);
bool scatter_meeting_is_kept_locked(const struct scatter_group *group,
				    const struct scatter_meeting *meeting);
int scatter_meeting_add_locked(struct scatter_group *group, struct scatter_meeting *meeting,
			       struct scatter_verdict *verdict);
void scatter_meeting_drop_locked(struct scatter_group *group, struct scatter_meeting *meeting,
				 struct list_head *over);
void scatter_meeting_end_locked(struct scatter_group *group, struct scatter_meeting *meeting,
				int error, s32 culprit);
void scatter_meeting_annul_locked(struct scatter_group *group, struct scatter_meeting *meeting);
void scatter_meeting_agree_locked(struct scatter_meeting *meeting, u64 value,
				  unsigned long *gone, const unsigned long *known,
				  const unsigned long *dead);
u64 scatter_meeting_terms_locked(const struct scatter_group *group,
				 const struct scatter_meeting *meeting);
u32 scatter_meeting_due_locked(const struct scatter_group *group,
			       const struct scatter_meeting *meeting);
void scatter_meeting_decide_locked(struct scatter_group *group, struct scatter_meeting *meeting);
bool scatter_meeting_disagree_locked(struct scatter_group *group,
				     struct scatter_meeting *meeting, u32 rank);
void scatter_meeting_withdraw_locked(struct scatter_meeting *meeting, u32 rank);
void scatter_meeting_depart_locked(struct scatter_group *group, struct scatter_member *member,
				   struct list_head *over);
u64 scatter_meeting_missing_locked(const struct scatter_meeting *meeting,
				   const struct scatter_group *group, u32 first, u32 end);

#endif /* _SCATTER_MEETING_H */
