// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts: what the council has decided becomes the outcome of meetings here. See span/ballot.c
 * for operations.
 *
 * All nodes get the same verdict, and the outcome depends on nothing else. A node that will never
 * get the verdict ends its meetings with ENETUNREACH: this node does not know their outcome.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "council/council.h"
#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/seats.h"
#include "operation/fail.h"
#include "operation/meeting.h"
#include "span/assembly.h"
#include "span/ballot.h"
#include "span/heir.h"
#include "span/verdict.h"

/* Find a meeting in which members here wait for the verdict. */
static struct scatter_meeting *open_locked(struct scatter_group *group,
					   const struct scatter_council_key *key)
{
	struct scatter_meeting *meeting = scatter_meeting_find_locked(group, key->number);

	lockdep_assert_held(&group->lock);
	return meeting && !meeting->over ? meeting : NULL;
}

static s32 culprit_of(const struct scatter_group *group, const struct scatter_decree *verdict)
{
	return verdict->error && verdict->culprit < group->size ? (s32)verdict->culprit :
								   SCATTER_RANK_ANY;
}

/* End a turn of a meeting without outcome: the members that are left try the next turn. */
static void abandon_locked(struct scatter_group *group, struct scatter_meeting *meeting,
			   const struct scatter_council_key *key)
{
	lockdep_assert_held(&group->lock);
	group->portal->abandoned = key->number;
	group->portal->turn = key->turn + 1;
	if (!meeting)
		return;
	meeting->turn = key->turn + 1;
	meeting->brought = 0;
	group->portal->convenes = true;
	group->news = true;
}

/* The others go on without this node, and nobody will tell it what they decide. */
static void evict_locked(struct scatter_group *group, struct scatter_meeting *meeting)
{
	lockdep_assert_held(&group->lock);
	group->portal->cut = true;
	group->portal->evicted = true;
	if (meeting)
		scatter_meeting_end_locked(group, meeting, -ENETUNREACH, SCATTER_RANK_ANY);
}

/* Note the end of a meeting that no member here has called, or in which none is any more. */
static void skip_locked(struct scatter_group *group, const struct scatter_council_key *key,
			const struct scatter_decree *verdict)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (portal->skipped > key->number || scatter_meeting_find_locked(group, key->number))
		return;
	portal->skipped = key->number + 1;
	portal->skipped_culprit = verdict->error == ENOSPC ? SCATTER_RANK_ANY :
							     culprit_of(group, verdict);
	/* The members elsewhere are in the new group already. */
	if (!verdict->error && key->number == portal->withdrawn &&
	    portal->withdrawn_op == SCATTER_OP_SHRINK)
		evict_locked(group, NULL);
}

/*
 * Whether the verdict leaves out a member that is inside here, or takes it for gone. Or a peer that
 * lies has sent a verdict that is impossible, since members here disagree.
 */
static bool is_evicted_locked(const struct scatter_group *group,
			      const struct scatter_meeting *meeting,
			      const struct scatter_decree *verdict)
{
	u32 rank;

	lockdep_assert_held(&group->lock);
	if (meeting->differs)
		return true;
	for (rank = 0; rank < meeting->size; rank++)
		if (meeting->applicants[rank] &&
		    (!scatter_set_has(&verdict->called, rank) ||
		     scatter_set_has(&verdict->facts.dead, rank) ||
		     scatter_set_has(&verdict->facts.left, rank)))
			return true;
	return false;
}

/* Note which ranks are gone, as the verdict says. The facts may come later. */
static void judge_locked(struct scatter_group *group, const struct scatter_decree *verdict)
{
	DECLARE_BITMAP(gone, SCATTER_SIZE_MAX);
	unsigned long *judged = group->portal->judged;

	lockdep_assert_held(&group->lock);
	bitmap_from_arr64(gone, verdict->facts.dead.words, SCATTER_SIZE_MAX);
	bitmap_or(judged, judged, gone, SCATTER_SIZE_MAX);
	bitmap_from_arr64(gone, verdict->facts.left.words, SCATTER_SIZE_MAX);
	bitmap_or(judged, judged, gone, SCATTER_SIZE_MAX);
}

static void agree_locked(struct scatter_group *group, struct scatter_meeting *meeting,
			 const struct scatter_decree *verdict)
{
	DECLARE_BITMAP(known, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(dead, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(gone, SCATTER_SIZE_MAX);

	bitmap_from_arr64(known, verdict->known.words, SCATTER_SIZE_MAX);
	bitmap_from_arr64(dead, verdict->facts.dead.words, SCATTER_SIZE_MAX);
	bitmap_from_arr64(gone, verdict->facts.left.words, SCATTER_SIZE_MAX);
	bitmap_or(gone, gone, dead, SCATTER_SIZE_MAX);
	scatter_meeting_agree_locked(meeting, verdict->bits, gone, known, dead);
	scatter_meeting_end_locked(group, meeting, 0, SCATTER_RANK_ANY);
}

/* Members disagree about which meeting this is: end the meeting and break the group. */
static void disagree_locked(struct scatter_group *group, struct scatter_meeting *meeting,
			    const struct scatter_decree *verdict)
{
	s32 culprit = culprit_of(group, verdict);

	lockdep_assert_held(&group->lock);
	scatter_fail_doom_locked(group, 0, -EPROTO, culprit == SCATTER_RANK_ANY ? 0 : culprit);
	if (meeting)
		scatter_meeting_end_locked(group, meeting, -EPROTO, culprit);
}

/*
 * Whether a verdict, which names members here, ends another call than they have made. They had
 * given a meeting up when too few nodes were left, and have come back to the same turn: maybe not
 * all of them, or with another call.
 */
static bool is_stale_locked(const struct scatter_group *group,
			    const struct scatter_meeting *meeting,
			    const struct scatter_council_key *key,
			    const struct scatter_decree *verdict)
{
	const struct scatter_portal *portal = group->portal;
	u32 rank;

	lockdep_assert_held(&group->lock);
	if (key->number != portal->withdrawn || key->turn != portal->withdrawn_turn)
		return false;
	if (portal->withdrawn_op != SCATTER_OP_SHRINK || meeting->op != SCATTER_OP_SHRINK)
		return true;
	for (rank = 0; rank < meeting->size; rank++)
		if (portal->where[rank] == portal->self && !meeting->applicants[rank] &&
		    scatter_set_has(&verdict->called, rank) &&
		    !scatter_set_has(&verdict->facts.dead, rank) &&
		    !scatter_set_has(&verdict->facts.left, rank))
			return true;
	return false;
}

/* After an AGREE all members can go on. After a SHRINK, others are in the new group. */
static void end_stale_locked(struct scatter_group *group, struct scatter_meeting *meeting)
{
	lockdep_assert_held(&group->lock);
	if (group->portal->withdrawn_op == SCATTER_OP_SHRINK)
		evict_locked(group, meeting);
	else
		scatter_meeting_end_locked(group, meeting, -ENETUNREACH, SCATTER_RANK_ANY);
}

/* End a meeting, unless the meeting is a SHRINK that makes a group: then returns false. */
static bool end_locked(struct scatter_group *group, const struct scatter_council_key *key,
		       const struct scatter_decree *verdict)
{
	struct scatter_meeting *meeting = open_locked(group, key);

	lockdep_assert_held(&group->lock);
	if (verdict->flags & SCATTER_DECREE_ABANDONED) {
		abandon_locked(group, meeting, key);
		return true;
	}
	if (!meeting)
		skip_locked(group, key, verdict);
	if (verdict->error == ENOSPC && meeting)
		scatter_meeting_end_locked(group, meeting, -ENOSPC, culprit_of(group, verdict));
	else if (verdict->error && verdict->error != ENOSPC)
		disagree_locked(group, meeting, verdict);
	else if (meeting && is_evicted_locked(group, meeting, verdict))
		evict_locked(group, meeting);
	else if (meeting && is_stale_locked(group, meeting, key, verdict))
		end_stale_locked(group, meeting);
	else if (meeting)
		judge_locked(group, verdict);
	if (!meeting || meeting->over)
		return true;
	if (meeting->op == SCATTER_OP_SHRINK)
		return false;
	agree_locked(group, meeting, verdict);
	return true;
}

/* Make the new group of the members that have called and are not gone. */
static void shrink(struct scatter_group *group, const struct scatter_council_key *key,
		   const struct scatter_decree *verdict)
{
	u16 *order = group->portal->assembly->order;
	struct scatter_heir_ranks ranks = { .list = order };
	struct scatter_group *heir = NULL;
	struct scatter_meeting *meeting;
	u32 rank, seated = 0;

	for (rank = 0; rank < group->size; rank++)
		if (scatter_set_has(&verdict->called, rank) &&
		    !scatter_set_has(&verdict->facts.dead, rank) &&
		    !scatter_set_has(&verdict->facts.left, rank))
			order[ranks.count++] = rank;
	spin_lock(&group->lock);
	meeting = open_locked(group, key);
	if (meeting)
		heir = scatter_heir_take_locked(meeting->applicants, &ranks);
	/* The members that this node contributed have been killed; others have called since. */
	if (!heir)
		evict_locked(group, meeting);
	scatter_group_unlock(group);
	if (!heir)
		return;
	scatter_heir_arrange(heir, group, &ranks, key, verdict);
	spin_lock(&group->lock);
	meeting = open_locked(group, key);
	if (meeting && is_evicted_locked(group, meeting, verdict)) {
		evict_locked(group, meeting);
	} else if (meeting) {
		seated = scatter_heir_seat_locked(heir, group, &ranks, meeting->applicants);
		scatter_meeting_end_locked(group, meeting, 0, SCATTER_RANK_ANY);
	}
	scatter_group_unlock(group);
	if (seated)
		scatter_heir_meet(heir, group);
	scatter_group_put(heir);
}

/**
 * scatter_verdict_decided() - act on a verdict
 * @group: formed, and spans nodes; referenced
 * @key: the key of what was decided
 * @verdict: the verdict
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 */
void scatter_verdict_decided(struct scatter_group *group, const struct scatter_council_key *key,
			     const struct scatter_decree *verdict)
{
	bool done;

	lockdep_assert_held(&group->portal->moving);
	if (key->kind == SCATTER_COUNCIL_OPERATION) {
		scatter_ballot_decided(group, key, verdict);
		scatter_fail_abort(group);
		return;
	}
	spin_lock(&group->lock);
	done = end_locked(group, key, verdict);
	scatter_group_unlock(group);
	if (!done)
		shrink(group, key, verdict);
	scatter_fail_abort(group);
}

/**
 * scatter_verdict_missed() - act on a verdict that this node will never get
 * @group: formed, and spans nodes; referenced
 * @key: the key of what was decided
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving.
 */
void scatter_verdict_missed(struct scatter_group *group, const struct scatter_council_key *key)
{
	if (key->kind == SCATTER_COUNCIL_OPERATION) {
		scatter_ballot_missed(group, key->number);
		return;
	}
	spin_lock(&group->lock);
	evict_locked(group, open_locked(group, key));
	scatter_group_unlock(group);
}

/**
 * scatter_verdict_cut() - end all meetings: there are too few nodes for any verdict
 * @group: formed, and spans nodes; referenced
 * @for_good: this node is lost to the others
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving.
 */
void scatter_verdict_cut(struct scatter_group *group, bool for_good)
{
	struct scatter_meeting *meeting;

	spin_lock(&group->lock);
	group->portal->cut = true;
	group->portal->evicted |= for_good;
	list_for_each_entry(meeting, &group->meetings, node)
		if (!meeting->over)
			scatter_meeting_annul_locked(group, meeting);
	scatter_group_unlock(group);
	scatter_ballot_cut(group);
}

/**
 * scatter_verdict_release() - nobody knows when there will be verdicts
 * @group: formed, and spans nodes; referenced
 *
 * Members that want to give up do not wait for them.
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving.
 */
void scatter_verdict_release(struct scatter_group *group)
{
	struct scatter_meeting *meeting;

	spin_lock(&group->lock);
	list_for_each_entry(meeting, &group->meetings, node)
		if (!meeting->over && !bitmap_empty(meeting->leaving, SCATTER_SIZE_MAX))
			scatter_meeting_annul_locked(group, meeting);
	scatter_group_unlock(group);
}

/**
 * scatter_verdict_restore() - there are enough nodes for verdicts
 * @group: formed, and spans nodes; referenced
 * @withdrawn: (out) the meeting to which this node had contributed before; turn 0: none
 *
 * Context: may sleep; no locks but a hub's and scatter_portal.moving.
 * Return: whether this node was cut, and is not any more.
 */
bool scatter_verdict_restore(struct scatter_group *group, struct scatter_council_key *withdrawn)
{
	struct scatter_portal *portal = group->portal;
	bool restores;

	*withdrawn = (struct scatter_council_key){ .kind = SCATTER_COUNCIL_MEETING };
	spin_lock(&group->lock);
	restores = portal->cut && !portal->evicted;
	if (restores) {
		portal->cut = false;
		if (portal->withdrawn != U64_MAX) {
			withdrawn->number = portal->withdrawn;
			withdrawn->turn = portal->withdrawn_turn;
		}
	}
	spin_unlock(&group->lock);
	return restores;
}
