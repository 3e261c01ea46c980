// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of meetings: SHRINK and AGREE. See operation/meeting.c for the meetings themselves.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/scatter.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/seats.h"
#include "group/spec.h"
#include "group/wait.h"
#include "membership/meet.h"
#include "node/node.h"
#include "operation/fail.h"
#include "operation/meeting.h"
#include "span/span.h"
#include "span/verdict.h"

/*
 * For how many keep-alives the other nodes may say nothing before a member gives a meeting up
 * without them. After one, the nodes take a silent home for lost, and after another one the next
 * home.
 */
#define SCATTER_MEET_KEEPALIVES	3U

/* Unlock, and send the council what this node now has to contribute. */
static void unlock(struct scatter_group *group)
	__releases(&group->lock)
{
	bool convenes = group->spans && group->portal->convenes;

	scatter_group_unlock(group);
	if (convenes)
		scatter_span_convene(group);
}

/*
 * Find or make the meeting of the member's next number. A member that is two meetings ahead of
 * another member has disagreed with that member twice: ERR_PTR(-EPROTO).
 */
static struct scatter_meeting *enter_locked(struct scatter_member *member,
					    u32 op, struct list_head *unused,
					    struct scatter_verdict *verdict)
	__must_hold(&member->group->lock)
{
	struct scatter_group *group = member->group;
	u64 number = member->next_meeting;
	struct scatter_meeting *meeting, *fresh, *oldest;
	int error;

	meeting = scatter_meeting_find_locked(group, number);
	if (meeting)
		return meeting;
	oldest = list_first_entry_or_null(&group->meetings, struct scatter_meeting,
					  node);
	meeting = scatter_meeting_find_locked(group, number - 1);
	if (oldest && oldest->number + 1 < number && meeting) {
		/*
		 * The last meeting was over before all were inside; the oldest may only wait for
		 * members to return.
		 */
		*verdict = meeting->verdict;
		return ERR_PTR(-EPROTO);
	}
	spin_unlock(&group->lock);
	fresh = scatter_meeting_alloc(group, number, op);
	spin_lock(&group->lock);
	meeting = scatter_meeting_find_locked(group, number);
	if (!meeting) {
		error = scatter_meeting_add_locked(group, fresh, verdict);
		if (!error)
			return fresh;
		/*
		 * The call counts as a call of that meeting, as the other members' calls do. While
		 * too few nodes are left, no call counts.
		 */
		if (!group->portal->cut)
			member->next_meeting++;
		meeting = ERR_PTR(error);
	}
	list_add_tail(&fresh->node, unused);
	return meeting;
}

/* Wait until the meeting is over, or give up. -EIO: the member has died. */
static int await_locked(struct scatter_member *member, struct scatter_meeting *meeting,
			u64 deadline_ns)
	__must_hold(&member->group->lock)
{
	struct scatter_group *group = member->group;
	int error = 0;

	lockdep_assert_held(&group->lock);
	while (member->meeting && !meeting->over && !error) {
		WRITE_ONCE(member->event, false);
		unlock(group);
		error = scatter_wait(member, NULL, deadline_ns);
		spin_lock(&group->lock);
	}
	return member->meeting ? error : -EIO;
}

/*
 * Wait until the member may give up, although this node has contributed what the member brings. The
 * council abandons this turn, or a verdict comes first, which this node may keep for later calls.
 * Only a fatal signal ends the wait earlier. If the council says nothing though no node is lost,
 * this node gives the meeting up: a peer may be stuck, or lie.
 */
static int abandon_locked(struct scatter_member *member, struct scatter_meeting *meeting, int error)
	__must_hold(&member->group->lock)
{
	struct scatter_group *group = member->group;
	u64 number = meeting->number;
	u32 turn = meeting->turn;
	long left = msecs_to_jiffies(SCATTER_MEET_KEEPALIVES *
				     scatter_node_tune(group->portal->node,
						       SCATTER_A_TUNE_KEEPALIVE_MS));

	lockdep_assert_held(&group->lock);
	__set_bit(member->rank, meeting->leaving);
	group->portal->convenes = true;
	while (member->meeting && !meeting->over && meeting->turn == turn && meeting->brought &&
	       !fatal_signal_pending(current)) {
		if (!left) {
			unlock(group);
			scatter_verdict_give_up(group, number, turn);
			spin_lock(&group->lock);
			break;
		}
		WRITE_ONCE(member->event, false);
		unlock(group);
		left = scatter_wait_killable(member, left);
		spin_lock(&group->lock);
	}
	return member->meeting ? error : -EIO;
}

/*
 * Wait until the meeting is over, or give up. -EIO: the member has died, the meeting may be gone.
 */
static int attend_locked(struct scatter_member *member,
			 struct scatter_meeting *meeting, u64 deadline_ns)
	__must_hold(&member->group->lock)
{
	int error;

	member->meeting = meeting;
	error = await_locked(member, meeting, deadline_ns);
	if (error != -EIO && !meeting->over && meeting->brought)
		error = abandon_locked(member, meeting, error);
	if (error == -EIO)
		return error;
	member->meeting = NULL;
	return meeting->over ? 0 : error;
}

/* Bring an applicant into a meeting. True: the caller has to call scatter_fail_abort(). */
static bool bring_locked(struct scatter_member *member, struct scatter_meeting *meeting, u32 op,
			 struct scatter_applicant *applicant)
{
	struct scatter_group *group = member->group;
	bool aborts = false;

	lockdep_assert_held(&group->lock);
	if (meeting->over) {
		/* The member had given up an AGREE, which has ended, and comes back to it. */
		if (op == SCATTER_OP_AGREE && op == meeting->op &&
		    !(meeting->verdict.value & ~applicant->value))
			meeting->applicants[member->rank] = applicant;
		return false;
	}
	if (!meeting->inside)
		meeting->schedule = applicant->schedule;
	if (meeting->op != op || !scatter_spec_same(&meeting->schedule, &applicant->schedule))
		aborts = scatter_meeting_disagree_locked(group, meeting, member->rank);
	if (meeting->over)
		return aborts;
	meeting->applicants[member->rank] = applicant;
	meeting->inside++;
	scatter_meeting_decide_locked(group, meeting);
	return aborts;
}

/* Whether a meeting gives its callers more than an error: a new membership, or a value. */
static bool has_outcome(int error)
{
	return !error || error == -ECONNRESET || error == -ESHUTDOWN;
}

/* Take what the meeting has decided, or withdraw. */
static int take_locked(struct scatter_member *member, struct scatter_meeting *meeting, int error,
		       struct scatter_verdict *verdict)
{
	struct scatter_group *group = member->group;

	lockdep_assert_held(&group->lock);
	if (error) {
		scatter_meeting_withdraw_locked(meeting, member->rank);
		/* The meeting may have waited for this member alone. */
		scatter_meeting_decide_locked(group, meeting);
		return error;
	}
	*verdict = meeting->verdict;
	/* If an administrator fences the nodes that are lost, members have to meet again. */
	if (meeting->annulled) {
		scatter_meeting_withdraw_locked(meeting, member->rank);
		return meeting->error;
	}
	member->next_meeting++;
	__set_bit(member->rank, meeting->passed);
	/*
	 * The member, who had given the meeting up, has come back with another call, or with bits
	 * that the value goes beyond.
	 */
	if (has_outcome(meeting->error) && !meeting->applicants[member->rank]) {
		verdict->culprit = SCATTER_RANK_ANY;
		return -ENETUNREACH;
	}
	return meeting->error;
}

/**
 * scatter_meet_run() - meet the other remaining members
 * @member: the current task's; no other task is inside a call of the member
 * @op: %SCATTER_OP_SHRINK or %SCATTER_OP_AGREE
 * @applicant: what the member brings; SHRINK: has its seat when this function returns 0
 * @deadline_ns: absolute CLOCK_MONOTONIC time to give up at; 0: never
 * @verdict: (out) the meeting's verdict, on failure too
 *
 * Context: may sleep; no locks.
 * Return: 0; -EINPROGRESS; -EINTR, -ETIMEDOUT or, if the member has died, -EIO: the call counts as
 * not called; else the meeting's error, as the uapi header says.
 */
int scatter_meet_run(struct scatter_member *member, u32 op,
		     struct scatter_applicant *applicant, u64 deadline_ns,
		     struct scatter_verdict *verdict)
{
	struct scatter_group *group = member->group;
	struct scatter_meeting *meeting;
	bool aborts = false;
	LIST_HEAD(over);
	int error;

	*verdict = (struct scatter_verdict){ .culprit = SCATTER_RANK_ANY };
	spin_lock(&group->lock);
	error = -EINPROGRESS;
	if (!group->formed)
		goto unlock;
	meeting = enter_locked(member, op, &over, verdict);
	error = PTR_ERR_OR_ZERO(meeting);
	if (error)
		goto unlock;
	if (member->presence != SCATTER_PRESENT) {
		error = -EIO;
		scatter_meeting_drop_locked(group, meeting, &over);
		goto unlock;
	}
	aborts = bring_locked(member, meeting, op, applicant);
	error = attend_locked(member, meeting, deadline_ns);
	if (error == -EIO)
		goto unlock;
	error = take_locked(member, meeting, error, verdict);
	scatter_meeting_drop_locked(group, meeting, &over);
unlock:
	if (aborts) {
		spin_unlock(&group->lock);
		scatter_fail_abort(group);
	} else {
		unlock(group);
	}
	scatter_meeting_free(&over);
	return error;
}

/**
 * scatter_meet_agree() - run one AGREE for a member
 * @member: the current task's; no other task is inside a call of the member
 * @agree: (in, out) the user's struct, checked
 *
 * Context: may sleep; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
int scatter_meet_agree(struct scatter_member *member,
		       struct scatter_agree *agree)
{
	u64 deadline_ns = scatter_wait_deadline(agree->deadline_ns,
						agree->flags & SCATTER_AGREE_RELATIVE);
	struct scatter_applicant applicant = { .bid.rank = member->rank, .value = agree->value };
	struct scatter_verdict verdict;
	int error;

	error = scatter_meet_run(member, SCATTER_OP_AGREE, &applicant, deadline_ns,
				 &verdict);
	if (has_outcome(error))
		agree->value = verdict.value;
	agree->gone = verdict.gone;
	agree->culprit = verdict.culprit;
	return error;
}

/* Collect the ranks that are gone. A verdict may name a rank before its death is known here. */
static void find_gone_locked(const struct scatter_group *group, unsigned long *gone)
{
	lockdep_assert_held(&group->lock);
	bitmap_or(gone, group->dead, group->left, SCATTER_SIZE_MAX);
	if (group->spans)
		bitmap_or(gone, gone, group->portal->judged, SCATTER_SIZE_MAX);
}

/**
 * scatter_meet_acknowledge() - note that a member knows of ranks that are gone
 * @member: the member that knows
 * @failed: ranks that the kernel has told the member
 *
 * Context: any; no locks but that of the file.
 * Return: how many ranks of the group the member has acknowledged now.
 */
u32 scatter_meet_acknowledge(struct scatter_member *member, const u64 *failed)
{
	struct scatter_group *group = member->group;
	DECLARE_BITMAP(gone, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(told, SCATTER_SIZE_MAX);
	u32 count;

	bitmap_from_arr64(told, failed, SCATTER_SIZE_MAX);
	spin_lock(&group->lock);
	/* The file may have joined another group meanwhile. */
	find_gone_locked(group, gone);
	bitmap_and(told, told, gone, SCATTER_SIZE_MAX);
	/* Another thread may have been told of more, and been faster. */
	bitmap_or(member->acknowledged, member->acknowledged, told, SCATTER_SIZE_MAX);
	count = bitmap_weight(member->acknowledged, SCATTER_SIZE_MAX);
	spin_unlock(&group->lock);
	return count;
}

/**
 * scatter_meet_get_failed() - tell a member which members are gone
 * @member: the member that asks
 * @get: (in, out) what the user asked for, and the answer
 * @failed: (out) %SCATTER_MASK_WORDS words: ranks that are gone
 *
 * Context: any; no locks but that of the file.
 */
void scatter_meet_get_failed(struct scatter_member *member,
			     struct scatter_get_failed *get, u64 *failed)
{
	struct scatter_group *group = member->group;
	DECLARE_BITMAP(gone, SCATTER_SIZE_MAX);

	spin_lock(&group->lock);
	find_gone_locked(group, gone);
	get->count = bitmap_weight(gone, SCATTER_SIZE_MAX);
	get->acknowledged = bitmap_weight(member->acknowledged,
					  SCATTER_SIZE_MAX);
	spin_unlock(&group->lock);
	bitmap_to_arr64(failed, gone, SCATTER_SIZE_MAX);
}
