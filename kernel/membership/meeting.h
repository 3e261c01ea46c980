/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MEETING_H
#define _SCATTER_MEETING_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/scatter.h>
#include <linux/types.h>

#include "masks.h"

struct scatter_group;
struct scatter_member;
struct scatter_applicant;

/**
 * struct scatter_verdict - the outcome of a meeting, the same for all
 * @value: AGREE: the AND of what all brought
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
 * @schedule: group lock; SHRINK: the new group's, as the first member that came wants
 * @inside: group lock; members that have called the meeting and not withdrawn
 * @over: group lock; all remaining members have called, or one called something else
 * @error: group lock; the outcome, -errno or 0; constant once @over
 * @verdict: group lock; likewise
 * @passed: group lock; ranks that have returned from the meeting since it is over
 * @applicants: group lock; of members inside, by rank; and as many elements again to sort them
 */
struct scatter_meeting {
	struct list_head node;
	u64 number;
	u32 size;
	u32 op;
	struct scatter_schedule schedule;
	u32 inside;
	bool over;
	int error;
	struct scatter_verdict verdict;
	DECLARE_BITMAP(passed, SCATTER_SIZE_MAX);
	struct scatter_applicant *applicants[];
};

int scatter_meeting_run(struct scatter_member *member, u32 op,
			struct scatter_applicant *applicant, u64 deadline_ns,
			struct scatter_verdict *verdict);
int scatter_meeting_agree(struct scatter_member *member,
			  struct scatter_agree *agree);
u32 scatter_meeting_acknowledge(struct scatter_member *member, const u64 *failed);
void scatter_meeting_get_failed(struct scatter_member *member,
				struct scatter_get_failed *get, u64 *failed);
void scatter_meeting_depart_locked(struct scatter_group *group,
				   struct scatter_member *member,
				   struct list_head *over);
void scatter_meeting_free(struct list_head *over);
u64 scatter_meeting_missing_locked(const struct scatter_meeting *meeting,
				   const struct scatter_group *group, u32 first,
				   u32 end);

#endif /* _SCATTER_MEETING_H */
