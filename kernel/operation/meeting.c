// SPDX-License-Identifier: GPL-2.0
/*
 * Meetings: one SHRINK or AGREE, which the remaining members of a group call together.
 *
 * Meetings work in a broken group, so they have an order of their own beside the operations' order.
 * A meeting is over when each member is inside or gone. If all members are on this node, the member
 * that makes this so, by calling or by departing, decides the meeting there and then under the
 * group's lock: therefore all see the same result, whoever dies next. A call that gives up earlier
 * takes back what it brought.
 *
 *	open --(all inside or gone)--> over: verdict
 *	  |---(one calls another op)--> over: EPROTO
 *	  |---(too few nodes are left)--> over: ENETUNREACH, annulled
 *	  `---(nobody inside any more)--> gone
 *
 * In a group on several nodes, the council decides. This node contributes when each member here is
 * inside or gone, and at once when members here disagree. Once this node has contributed what a
 * member brought, the member can take that back only if the council agrees: see span/convene.c.
 *
 * A meeting that is over goes when each member here has returned from the meeting or is gone. A
 * group has two meetings at most: nobody calls the next meeting before the last one is over, and a
 * member that has disagreed in two meetings that another member here has not called does not get a
 * third meeting. A meeting that is annulled goes when nobody is inside any more: an administrator
 * may fence the nodes that are lost, and then its members meet again.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/scatter.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/seats.h"
#include "operation/fail.h"
#include "operation/meeting.h"
#include "stats.h"

static bool is_gone(const struct scatter_group *group, u32 rank)
{
	return test_bit(rank, group->dead) || test_bit(rank, group->left);
}

/**
 * scatter_meeting_alloc() - make a meeting that nobody has called
 * @group: formed
 * @number: the meeting's number
 * @op: %SCATTER_OP_SHRINK or %SCATTER_OP_AGREE
 *
 * The allocation waits for memory: if the call failed here, the members on all other nodes would
 * wait until the member calls again.
 *
 * Context: may sleep; no locks.
 * Return: the meeting, for scatter_meeting_free().
 */
struct scatter_meeting *scatter_meeting_alloc(const struct scatter_group *group, u64 number, u32 op)
{
	struct scatter_meeting *meeting;
	u32 rank;

	meeting = kvzalloc(struct_size(meeting, applicants, 2 * group->size),
			   GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	INIT_LIST_HEAD(&meeting->node);
	meeting->number = number;
	meeting->size = group->size;
	meeting->op = op;
	meeting->verdict.culprit = SCATTER_RANK_ANY;
	for (rank = 0; group->spans && rank < group->size; rank++)
		if (group->portal->where[rank] != group->portal->self)
			__set_bit(rank, meeting->passed);
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

/**
 * scatter_meeting_find_locked() - find a meeting by its number
 * @group: formed
 * @number: the meeting's number
 *
 * Context: the group's lock is held.
 * Return: the meeting; NULL: nobody here has called it, or all have passed it, or it was annulled.
 */
struct scatter_meeting *scatter_meeting_find_locked(struct scatter_group *group, u64 number)
{
	struct scatter_meeting *meeting;

	lockdep_assert_held(&group->lock);
	list_for_each_entry(meeting, &group->meetings, node)
		if (meeting->number == number && !meeting->annulled)
			return meeting;
	return NULL;
}

/**
 * scatter_meeting_is_kept_locked() - whether this node keeps the verdict of a meeting
 * @group: formed, and spans nodes
 * @meeting: the meeting
 *
 * Context: the group's lock is held.
 */
bool scatter_meeting_is_kept_locked(const struct scatter_group *group,
				    const struct scatter_meeting *meeting)
{
	lockdep_assert_held(&group->lock);
	return group->portal->keeps && meeting->number == group->portal->withdrawn;
}

/**
 * scatter_meeting_add_locked() - add the meeting that a member calls as the first member here
 * @group: formed
 * @meeting: from scatter_meeting_alloc()
 * @verdict: (out) on failure, the meeting's verdict
 *
 * Context: the group's lock is held.
 * Return: 0; or the error with which the council ended the meeting before any member here called.
 */
int scatter_meeting_add_locked(struct scatter_group *group, struct scatter_meeting *meeting,
			       struct scatter_verdict *verdict)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (group->spans) {
		if (portal->cut)
			return -ENETUNREACH;
		if (meeting->number < portal->skipped &&
		    !scatter_meeting_is_kept_locked(group, meeting)) {
			verdict->culprit = portal->skipped_culprit;
			return verdict->culprit == SCATTER_RANK_ANY ? -ENETUNREACH : -EPROTO;
		}
		meeting->turn = meeting->number == portal->abandoned ? portal->turn : 1;
		/* What this node has contributed to that turn has to be taken back first. */
		if (meeting->number == portal->withdrawn &&
		    meeting->turn == portal->withdrawn_turn && !portal->keeps)
			meeting->brought = SCATTER_MEETING_ABANDON;
	}
	list_add_tail(&meeting->node, &group->meetings);
	return 0;
}

/**
 * scatter_meeting_drop_locked() - drop a meeting that nobody needs any more
 * @group: formed
 * @meeting: the meeting
 * @over: (out) meetings for scatter_meeting_free()
 *
 * Context: the group's lock is held.
 */
void scatter_meeting_drop_locked(struct scatter_group *group, struct scatter_meeting *meeting,
				 struct list_head *over)
{
	DECLARE_BITMAP(done, SCATTER_SIZE_MAX);

	lockdep_assert_held(&group->lock);
	if (meeting->inside && (!meeting->over || meeting->annulled))
		return;
	bitmap_or(done, group->dead, group->left, SCATTER_SIZE_MAX);
	bitmap_or(done, done, meeting->passed, SCATTER_SIZE_MAX);
	if (meeting->over && !meeting->annulled && !bitmap_full(done, meeting->size))
		return;
	list_move(&meeting->node, over);
}

/**
 * scatter_meeting_end_locked() - end a meeting whose outcome is known
 * @group: formed
 * @meeting: not over
 * @error: -errno or 0
 * @culprit: the rank that caused @error, or %SCATTER_RANK_ANY
 *
 * Context: the group's lock is held. The caller has to call scatter_group_unlock() afterwards.
 */
void scatter_meeting_end_locked(struct scatter_group *group, struct scatter_meeting *meeting,
				int error, s32 culprit)
{
	lockdep_assert_held(&group->lock);
	if (error) {
		meeting->error = error;
		meeting->verdict.culprit = culprit;
	}
	meeting->over = true;
	group->news = true;
}

/**
 * scatter_meeting_annul_locked() - end a meeting whose outcome this node will not know, or not give
 * @group: formed, and spans nodes
 * @meeting: not over
 *
 * What this node has contributed has to be taken back before members here meet again: an acceptor
 * may know a decree with it.
 *
 * Context: the group's lock is held; for scatter_group_unlock().
 */
void scatter_meeting_annul_locked(struct scatter_group *group, struct scatter_meeting *meeting)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (meeting->brought) {
		scatter_portal_keep_locked(group, false);
		/* The council may know only what this node contributed first in a turn. */
		if (portal->withdrawn != meeting->number ||
		    portal->withdrawn_turn != meeting->turn)
			portal->withdrawn_op = meeting->op;
		portal->withdrawn = meeting->number;
		portal->withdrawn_turn = meeting->turn;
	}
	meeting->annulled = true;
	scatter_meeting_end_locked(group, meeting, -ENETUNREACH, SCATTER_RANK_ANY);
}

/**
 * scatter_meeting_agree_locked() - set the outcome of an AGREE, for scatter_meeting_end_locked()
 * @meeting: not over
 * @value: the AND of the values that the members brought
 * @gone: (in) ranks that are gone; undefined afterwards
 * @known: gone ranks that all members inside have acknowledged
 * @dead: which of @gone have died
 *
 * Context: the group's lock is held.
 */
void scatter_meeting_agree_locked(struct scatter_meeting *meeting, u64 value,
				  unsigned long *gone, const unsigned long *known,
				  const unsigned long *dead)
{
	meeting->verdict.value = value;
	meeting->verdict.gone = bitmap_weight(gone, SCATTER_SIZE_MAX);
	if (!bitmap_andnot(gone, gone, known, SCATTER_SIZE_MAX))
		return;
	meeting->verdict.culprit = find_first_bit(gone, SCATTER_SIZE_MAX);
	meeting->error = bitmap_intersects(gone, dead, SCATTER_SIZE_MAX) ? -ECONNRESET :
									    -ESHUTDOWN;
}

/* Set the outcome: the AND of all values, and whether all members know which members are gone. */
static void agree_locked(struct scatter_group *group,
			 struct scatter_meeting *meeting)
{
	DECLARE_BITMAP(unknown, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(known, SCATTER_SIZE_MAX);
	u64 value = U64_MAX;
	u32 rank;

	bitmap_fill(known, SCATTER_SIZE_MAX);
	for (rank = 0; rank < meeting->size; rank++) {
		if (!meeting->applicants[rank])
			continue;
		value &= meeting->applicants[rank]->value;
		bitmap_and(known, known, group->members[rank]->acknowledged,
			   SCATTER_SIZE_MAX);
	}
	bitmap_or(unknown, group->dead, group->left, SCATTER_SIZE_MAX);
	scatter_meeting_agree_locked(meeting, value, unknown, known, group->dead);
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

/* Whether each member here is inside or gone. A member that is inside is not gone. */
static bool all_are_inside_locked(const struct scatter_group *group,
				  const struct scatter_meeting *meeting)
{
	lockdep_assert_held(&group->lock);
	if (!meeting->inside)
		return false;
	if (group->spans)
		return meeting->inside + group->portal->absent >= group->locals;
	return meeting->inside + group->gone >= group->size;
}

/**
 * scatter_meeting_terms_locked() - a digest of what all members have to call alike
 * @group: formed, and spans nodes
 * @meeting: members here have called it
 *
 * Context: the group's lock is held.
 * Return: the digest, not 0
 */
u64 scatter_meeting_terms_locked(const struct scatter_group *group,
				 const struct scatter_meeting *meeting)
{
	const struct scatter_schedule *schedule = &meeting->schedule;
	__le32 words[4 + SCATTER_DIMS_MAX] = {
		cpu_to_le32(meeting->op),
		cpu_to_le32(schedule->algorithm),
		cpu_to_le32(schedule->ports),
		cpu_to_le32(schedule->dims),
	};
	const siphash_key_t seed = { };
	u32 i;

	lockdep_assert_held(&group->lock);
	for (i = 0; i < SCATTER_DIMS_MAX; i++)
		words[4 + i] = cpu_to_le32(schedule->extent[i]);
	return siphash(words, sizeof(words), &seed) | 1;
}

/**
 * scatter_meeting_due_locked() - what this node has to contribute to a meeting
 * @group: formed, and spans nodes
 * @meeting: not over
 *
 * Context: the group's lock is held.
 * Return: enum scatter_meeting_bring; equal to @meeting->brought if there is nothing new.
 */
u32 scatter_meeting_due_locked(const struct scatter_group *group,
			       const struct scatter_meeting *meeting)
{
	bool leaves = !bitmap_empty(meeting->leaving, SCATTER_SIZE_MAX);
	u32 due = meeting->brought;

	lockdep_assert_held(&group->lock);
	if (meeting->differs)
		due |= SCATTER_MEETING_MEMBERS | SCATTER_MEETING_DIFFERS;
	if (leaves && meeting->brought)
		due |= SCATTER_MEETING_ABANDON;
	if (!leaves && all_are_inside_locked(group, meeting))
		due |= SCATTER_MEETING_MEMBERS;
	return due;
}

/**
 * scatter_meeting_decide_locked() - decide a meeting if each member is inside or gone
 * @group: formed
 * @meeting: the meeting
 *
 * In a group on several nodes, the caller has to call scatter_span_settle().
 *
 * Context: the group's lock is held. The caller has to call scatter_group_unlock() afterwards.
 */
void scatter_meeting_decide_locked(struct scatter_group *group, struct scatter_meeting *meeting)
{
	lockdep_assert_held(&group->lock);
	if (meeting->over)
		return;
	if (group->spans) {
		if (scatter_meeting_is_kept_locked(group, meeting) ||
		    scatter_meeting_due_locked(group, meeting) != meeting->brought)
			group->portal->convenes = true;
		return;
	}
	if (!all_are_inside_locked(group, meeting))
		return;
	if (meeting->op == SCATTER_OP_AGREE)
		agree_locked(group, meeting);
	else
		shrink_locked(group, meeting);
	scatter_meeting_end_locked(group, meeting, 0, SCATTER_RANK_ANY);
}

/**
 * scatter_meeting_disagree_locked() - end a meeting whose members disagree, and break the group
 * @group: formed
 * @meeting: not over
 * @rank: the rank that has called something else
 *
 * Context: the group's lock is held.
 * Return: true: the caller has to call scatter_fail_abort(), which also tells all members. False:
 * the council is going to end the meeting; the caller has to call scatter_span_settle().
 */
bool scatter_meeting_disagree_locked(struct scatter_group *group,
				     struct scatter_meeting *meeting, u32 rank)
{
	lockdep_assert_held(&group->lock);
	if (group->spans) {
		if (!meeting->differs)
			meeting->differing = rank;
		meeting->differs = true;
		group->portal->convenes = true;
		return false;
	}
	scatter_fail_doom_locked(group, 0, -EPROTO, rank);
	scatter_meeting_end_locked(group, meeting, -EPROTO, rank);
	return true;
}

/**
 * scatter_meeting_withdraw_locked() - take a member out of a meeting
 * @meeting: not over, or annulled
 * @rank: the member's rank; the member may not be inside, since it called something else
 *
 * Context: the group's lock is held.
 */
void scatter_meeting_withdraw_locked(struct scatter_meeting *meeting, u32 rank)
{
	__clear_bit(rank, meeting->leaving);
	if (!meeting->applicants[rank])
		return;
	meeting->applicants[rank] = NULL;
	meeting->inside--;
}

/**
 * scatter_meeting_depart_locked() - take a member that is gone out of all meetings
 * @group: the member's group
 * @member: the member; its task may be inside a meeting, and does not look at the meeting any more
 * @over: (out) meetings for scatter_meeting_free()
 *
 * Context: the group's lock is held; in a group on several nodes, for scatter_span_settle().
 */
void scatter_meeting_depart_locked(struct scatter_group *group,
				   struct scatter_member *member,
				   struct list_head *over)
{
	struct scatter_meeting *meeting, *next;

	lockdep_assert_held(&group->lock);
	if (member->meeting && (!member->meeting->over || member->meeting->annulled))
		scatter_meeting_withdraw_locked(member->meeting, member->rank);
	member->meeting = NULL;
	/* The council has to know which members are gone. */
	if (group->spans)
		group->portal->convenes = true;
	list_for_each_entry_safe(meeting, next, &group->meetings, node) {
		scatter_meeting_decide_locked(group, meeting);
		scatter_meeting_drop_locked(group, meeting, over);
	}
}

/**
 * scatter_meeting_missing_locked() - find the ranks of this node that a meeting waits for
 * @meeting: the meeting
 * @group: the meeting's group
 * @first: the first rank to look at
 * @end: behind the last rank to look at; at most 64 behind @first
 *
 * This node does not know which ranks of other nodes have called.
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
		if (scatter_group_member(group, rank) && !meeting->applicants[rank] &&
		    !is_gone(group, rank))
			missing |= BIT_ULL(rank - first);
	return missing;
}
