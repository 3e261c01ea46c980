// SPDX-License-Identifier: GPL-2.0
/*
 * Meetings: what the remaining members do together, SHRINK and AGREE.
 *
 * Meetings work in a broken group, so they have an order of their own beside the operations' order.
 * A meeting is over when each member is inside or gone. The member that makes this so, by calling
 * or by departing, decides the meeting there and then under the group's lock: therefore all see the
 * same result, whoever dies next. A call that gives up earlier takes back what it brought.
 *
 *	open --(all inside or gone)--> over: verdict
 *	  |---(one calls another op)--> over: EPROTO
 *	  `---(nobody inside any more)--> gone
 *
 * A meeting that is over goes when each member has returned from the meeting or is gone. A group
 * has two meetings at most: nobody calls the next meeting before the last one is over, and a member
 * that has disagreed in two meetings that another member has not called does not get a third
 * meeting.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/member.h"
#include "group/seats.h"
#include "group/spec.h"
#include "group/wait.h"
#include "membership/meeting.h"
#include "operation/fail.h"
#include "stats.h"

static bool is_gone(const struct scatter_group *group, u32 rank)
{
	return test_bit(rank, group->dead) || test_bit(rank, group->left);
}

static struct scatter_meeting *meeting_alloc(u32 size, u64 number, u32 op)
{
	struct scatter_meeting *meeting;

	meeting = kvzalloc(struct_size(meeting, applicants, 2 * size),
			   GFP_KERNEL_ACCOUNT);
	if (!meeting)
		return NULL;
	INIT_LIST_HEAD(&meeting->node);
	meeting->number = number;
	meeting->size = size;
	meeting->op = op;
	meeting->verdict.culprit = SCATTER_RANK_ANY;
	scatter_stats_created(SCATTER_OBJECT_MEETING, 1);
	return meeting;
}

/**
 * scatter_meeting_free() - free meetings
 * @over: a list of meetings that are in no group's list any more
 *
 * Context: may sleep; no locks.
 */
void scatter_meeting_free(struct list_head *over)
{
	struct scatter_meeting *meeting, *next;

	list_for_each_entry_safe(meeting, next, over, node) {
		kvfree(meeting);
		scatter_stats_destroyed(SCATTER_OBJECT_MEETING, 1);
	}
}

/* Drop a meeting that nobody needs any more: the caller has to free the meeting. */
static void drop_locked(struct scatter_group *group,
			struct scatter_meeting *meeting, struct list_head *over)
{
	DECLARE_BITMAP(done, SCATTER_SIZE_MAX);

	lockdep_assert_held(&group->lock);
	if (!meeting->over && meeting->inside)
		return;
	bitmap_or(done, group->dead, group->left, SCATTER_SIZE_MAX);
	bitmap_or(done, done, meeting->passed, SCATTER_SIZE_MAX);
	if (meeting->over && !bitmap_full(done, meeting->size))
		return;
	list_move(&meeting->node, over);
}

/* The AND of what all brought, and whether all know which members are gone. */
static void agree_locked(struct scatter_group *group,
			 struct scatter_meeting *meeting)
{
	DECLARE_BITMAP(unknown, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(known, SCATTER_SIZE_MAX);
	u32 rank;

	bitmap_fill(known, SCATTER_SIZE_MAX);
	meeting->verdict.value = U64_MAX;
	for (rank = 0; rank < meeting->size; rank++) {
		if (!meeting->applicants[rank])
			continue;
		meeting->verdict.value &= meeting->applicants[rank]->value;
		bitmap_and(known, known, group->members[rank]->acknowledged,
			   SCATTER_SIZE_MAX);
	}
	bitmap_or(unknown, group->dead, group->left, SCATTER_SIZE_MAX);
	meeting->verdict.gone = bitmap_weight(unknown, SCATTER_SIZE_MAX);
	if (!bitmap_andnot(unknown, unknown, known, SCATTER_SIZE_MAX))
		return;
	meeting->verdict.culprit = find_first_bit(unknown, SCATTER_SIZE_MAX);
	meeting->error = bitmap_intersects(unknown, group->dead, SCATTER_SIZE_MAX) ?
			 -ECONNRESET : -ESHUTDOWN;
}

static void shrink_locked(struct scatter_group *group,
			  struct scatter_meeting *meeting)
{
	struct scatter_applicant **sorted = meeting->applicants + meeting->size;
	u32 culprit, rank, count = 0;

	for (rank = 0; rank < meeting->size; rank++)
		if (meeting->applicants[rank])
			sorted[count++] = meeting->applicants[rank];
	meeting->error = scatter_seats_form_locked(group, sorted, count, &culprit);
	if (meeting->error)
		meeting->verdict.culprit = culprit;
}

static void end_locked(struct scatter_group *group,
		       struct scatter_meeting *meeting)
{
	meeting->over = true;
	group->news = true;
}

/* Decide a meeting if each member is inside or gone. */
static void decide_locked(struct scatter_group *group,
			  struct scatter_meeting *meeting)
{
	lockdep_assert_held(&group->lock);
	/* A member that is inside is not gone. */
	if (meeting->over || !meeting->inside ||
	    meeting->inside + group->gone < scatter_group_parties(group))
		return;
	if (meeting->op == SCATTER_OP_AGREE)
		agree_locked(group, meeting);
	else
		shrink_locked(group, meeting);
	end_locked(group, meeting);
}

/*
 * Members disagree about where they are: nothing can be trusted any more. The caller must call
 * scatter_fail_abort(), which also tells all members.
 */
static void disagree_locked(struct scatter_group *group,
			    struct scatter_meeting *meeting, u32 rank)
{
	scatter_fail_doom_locked(group, 0, -EPROTO, rank);
	meeting->error = -EPROTO;
	meeting->verdict.culprit = rank;
	end_locked(group, meeting);
}

static void withdraw_locked(struct scatter_meeting *meeting, u32 rank)
{
	meeting->applicants[rank] = NULL;
	meeting->inside--;
}

/**
 * scatter_meeting_depart_locked() - a member is gone
 * @group: the member's group
 * @member: the member; its task may be inside a meeting, and does not look at the meeting any more
 * @over: (out) meetings for scatter_meeting_free()
 *
 * Context: the group's lock is held.
 */
void scatter_meeting_depart_locked(struct scatter_group *group,
				   struct scatter_member *member,
				   struct list_head *over)
{
	struct scatter_meeting *meeting, *next;

	lockdep_assert_held(&group->lock);
	if (member->meeting && !member->meeting->over)
		withdraw_locked(member->meeting, member->rank);
	member->meeting = NULL;
	list_for_each_entry_safe(meeting, next, &group->meetings, node) {
		decide_locked(group, meeting);
		drop_locked(group, meeting, over);
	}
}

/**
 * scatter_meeting_missing_locked() - the ranks that a meeting waits for
 * @meeting: the meeting
 * @group: the meeting's group
 * @first: the first rank to look at
 * @end: behind the last rank to look at; at most 64 behind @first
 *
 * Context: the group's lock is held.
 * Return: the ranks waited for, as bits from @first on.
 */
u64 scatter_meeting_missing_locked(const struct scatter_meeting *meeting,
				   const struct scatter_group *group, u32 first,
				   u32 end)
{
	u64 missing = 0;
	u32 rank;

	lockdep_assert_held(&group->lock);
	for (rank = first; !meeting->over && rank < end; rank++)
		if (!meeting->applicants[rank] && !is_gone(group, rank))
			missing |= BIT_ULL(rank - first);
	return missing;
}

static struct scatter_meeting *find_locked(struct scatter_group *group,
					   u64 number)
{
	struct scatter_meeting *meeting;

	lockdep_assert_held(&group->lock);
	list_for_each_entry(meeting, &group->meetings, node)
		if (meeting->number == number)
			return meeting;
	return NULL;
}

/*
 * The meeting of the member's next number; made if there is none. A member that is two meetings
 * ahead of another member has disagreed with that member again and again: ERR_PTR(-EPROTO).
 */
static struct scatter_meeting *enter_locked(struct scatter_member *member,
					    u32 op, struct list_head *unused,
					    struct scatter_verdict *verdict)
	__must_hold(&member->group->lock)
{
	struct scatter_group *group = member->group;
	u64 number = member->next_meeting;
	struct scatter_meeting *meeting, *fresh, *oldest;

	meeting = find_locked(group, number);
	if (meeting)
		return meeting;
	oldest = list_first_entry_or_null(&group->meetings, struct scatter_meeting,
					  node);
	if (oldest && oldest->number + 1 < number) {
		/*
		 * The last meeting was over before all were inside; the oldest may only wait for
		 * members to return.
		 */
		*verdict = find_locked(group, number - 1)->verdict;
		return ERR_PTR(-EPROTO);
	}
	spin_unlock(&group->lock);
	fresh = meeting_alloc(group->size, number, op);
	spin_lock(&group->lock);
	if (!fresh)
		return ERR_PTR(-ENOMEM);
	meeting = find_locked(group, number);
	list_add_tail(&fresh->node, meeting ? unused : &group->meetings);
	return meeting ?: fresh;
}

/*
 * Wait until the meeting is over, or give up. -EIO: the member has died, the meeting may be gone.
 */
static int attend_locked(struct scatter_member *member,
			 struct scatter_meeting *meeting, u64 deadline_ns)
	__must_hold(&member->group->lock)
{
	struct scatter_group *group = member->group;
	int error = 0;

	lockdep_assert_held(&group->lock);
	member->meeting = meeting;
	while (member->meeting && !meeting->over && !error) {
		WRITE_ONCE(member->event, false);
		spin_unlock(&group->lock);
		error = scatter_wait(member, NULL, deadline_ns);
		spin_lock(&group->lock);
	}
	if (!member->meeting)
		return -EIO;
	member->meeting = NULL;
	return meeting->over ? 0 : error;
}

/**
 * scatter_meeting_run() - meet the other remaining members
 * @member: the current task's; no other task is inside a call of it
 * @op: %SCATTER_OP_SHRINK or %SCATTER_OP_AGREE
 * @applicant: what the member brings; for SHRINK the applicant is seated when this returns 0
 * @deadline_ns: absolute CLOCK_MONOTONIC time to give up at; 0: never
 * @verdict: (out) the meeting's, on failure too
 *
 * Context: may sleep; no locks.
 * Return: 0; -EINPROGRESS; -EOPNOTSUPP: the group spans nodes; -ENOMEM, -EINTR, -ETIMEDOUT or, if
 * the member has died, -EIO: the call counts as not called; else the meeting's error, as the uapi
 * header says.
 */
int scatter_meeting_run(struct scatter_member *member, u32 op,
			struct scatter_applicant *applicant, u64 deadline_ns,
			struct scatter_verdict *verdict)
{
	struct scatter_group *group = member->group;
	struct scatter_meeting *meeting;
	bool disagrees = false;
	LIST_HEAD(over);
	int error;

	*verdict = (struct scatter_verdict){ .culprit = SCATTER_RANK_ANY };
	spin_lock(&group->lock);
	error = -EINPROGRESS;
	if (!group->formed)
		goto unlock;
	error = -EOPNOTSUPP;
	if (group->spans)
		goto unlock;
	meeting = enter_locked(member, op, &over, verdict);
	error = PTR_ERR_OR_ZERO(meeting);
	if (error)
		goto unlock;
	if (member->presence != SCATTER_PRESENT) {
		error = -EIO;
		drop_locked(group, meeting, &over);
		goto unlock;
	}
	if (!meeting->over && !meeting->inside)
		meeting->schedule = applicant->schedule;
	if (!meeting->over &&
	    (meeting->op != op ||
	     !scatter_spec_same(&meeting->schedule, &applicant->schedule))) {
		disagrees = true;
		disagree_locked(group, meeting, member->rank);
	} else if (!meeting->over) {
		meeting->applicants[member->rank] = applicant;
		meeting->inside++;
		decide_locked(group, meeting);
	}
	error = attend_locked(member, meeting, deadline_ns);
	if (error == -EIO)
		goto unlock;
	if (error) {
		withdraw_locked(meeting, member->rank);
	} else {
		error = meeting->error;
		*verdict = meeting->verdict;
		member->next_meeting++;
		__set_bit(member->rank, meeting->passed);
	}
	drop_locked(group, meeting, &over);
unlock:
	if (disagrees) {
		spin_unlock(&group->lock);
		scatter_fail_abort(group);
	} else {
		scatter_group_unlock(group);
	}
	scatter_meeting_free(&over);
	return error;
}

/**
 * scatter_meeting_agree() - run one AGREE for a member
 * @member: the current task's; no other task is inside a call of it
 * @agree: (in, out) checked
 *
 * Context: may sleep; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
int scatter_meeting_agree(struct scatter_member *member,
			  struct scatter_agree *agree)
{
	u64 deadline_ns = scatter_wait_deadline(agree->deadline_ns,
						agree->flags & SCATTER_AGREE_RELATIVE);
	struct scatter_applicant applicant = { .rank = member->rank, .value = agree->value };
	struct scatter_verdict verdict;
	int error;

	error = scatter_meeting_run(member, SCATTER_OP_AGREE, &applicant, deadline_ns,
				    &verdict);
	if (!error || error == -ECONNRESET || error == -ESHUTDOWN)
		agree->value = verdict.value;
	agree->gone = verdict.gone;
	agree->culprit = verdict.culprit;
	return error;
}

/**
 * scatter_meeting_acknowledge() - a member knows which members are gone
 * @member: the member that knows
 * @failed: ranks that the kernel has told the member
 *
 * Context: any; no locks but that of the file.
 * Return: how many ranks of the group the member has acknowledged now.
 */
u32 scatter_meeting_acknowledge(struct scatter_member *member, const u64 *failed)
{
	struct scatter_group *group = member->group;
	DECLARE_BITMAP(gone, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(told, SCATTER_SIZE_MAX);
	u32 count;

	bitmap_from_arr64(told, failed, SCATTER_SIZE_MAX);
	spin_lock(&group->lock);
	/* The file may have joined another group meanwhile. */
	bitmap_or(gone, group->dead, group->left, SCATTER_SIZE_MAX);
	bitmap_and(told, told, gone, SCATTER_SIZE_MAX);
	/* Another thread may have been told of more, and been faster. */
	bitmap_or(member->acknowledged, member->acknowledged, told, SCATTER_SIZE_MAX);
	count = bitmap_weight(member->acknowledged, SCATTER_SIZE_MAX);
	spin_unlock(&group->lock);
	return count;
}

/**
 * scatter_meeting_get_failed() - which members are gone
 * @member: the member that asks
 * @get: (in, out) what the user asked for, and the answer
 * @failed: (out) %SCATTER_MASK_WORDS words: ranks that are gone
 *
 * Context: any; no locks but that of the file.
 */
void scatter_meeting_get_failed(struct scatter_member *member,
				struct scatter_get_failed *get, u64 *failed)
{
	struct scatter_group *group = member->group;
	DECLARE_BITMAP(gone, SCATTER_SIZE_MAX);

	spin_lock(&group->lock);
	bitmap_or(gone, group->dead, group->left, SCATTER_SIZE_MAX);
	get->count = bitmap_weight(gone, SCATTER_SIZE_MAX);
	get->acknowledged = bitmap_weight(member->acknowledged,
					  SCATTER_SIZE_MAX);
	spin_unlock(&group->lock);
	bitmap_to_arr64(failed, gone, SCATTER_SIZE_MAX);
}
