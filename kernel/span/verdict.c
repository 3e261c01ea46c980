// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts: what the council has decided becomes the outcome of meetings here. See span/ballot.c
 * for operations.
 *
 * All nodes get the same verdict, and the outcome depends on nothing else. A node that will never
 * get the verdict ends its meetings with ENETUNREACH: this node does not know their outcome.
 *
 * Members that have given up a meeting, since too few nodes were left, may call again before or
 * after the verdict comes, or never. The verdict counts them as callers. So this node *keeps* the
 * verdict, and members that call the same again get it:
 *
 * - of an AGREE each one at once, if the value is one that its own bits allow;
 * - of a SHRINK all together, when all of them are back or gone. The other nodes are in the new
 *   group already, and ask this node about it: they get an answer then.
 *
 * Another call gets ENETUNREACH. Instead of an AGREE, it counts as that AGREE. Instead of a SHRINK,
 * it counts as not called: nobody can go on without the new group.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "council/council.h"
#include "group/backlog.h"
#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/seats.h"
#include "operation/fail.h"
#include "operation/meeting.h"
#include "span/assembly.h"
#include "span/attach.h"
#include "span/ballot.h"
#include "span/form.h"
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
	scatter_portal_evict_locked(group);
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
}

/* Whether a verdict has a rank as one that has called and is not gone. */
static bool is_named(const struct scatter_decree *verdict, u32 rank)
{
	return scatter_set_has(&verdict->called, rank) &&
	       !scatter_set_has(&verdict->facts.dead, rank) &&
	       !scatter_set_has(&verdict->facts.left, rank);
}

/*
 * Whether the verdict of an AGREE can be that of a member: all bits are among those that the member
 * has brought, and all ranks that are gone and known among those that it has acknowledged.
 */
static bool is_own_locked(const struct scatter_group *group, u32 rank,
			  const struct scatter_applicant *applicant,
			  const struct scatter_decree *verdict)
{
	DECLARE_BITMAP(known, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(gone, SCATTER_SIZE_MAX);
	DECLARE_BITMAP(left, SCATTER_SIZE_MAX);

	lockdep_assert_held(&group->lock);
	bitmap_from_arr64(known, verdict->known.words, SCATTER_SIZE_MAX);
	bitmap_from_arr64(gone, verdict->facts.dead.words, SCATTER_SIZE_MAX);
	bitmap_from_arr64(left, verdict->facts.left.words, SCATTER_SIZE_MAX);
	bitmap_or(gone, gone, left, SCATTER_SIZE_MAX);
	bitmap_and(known, known, gone, SCATTER_SIZE_MAX);
	return !(verdict->bits & ~applicant->value) &&
	       bitmap_subset(known, group->members[rank]->acknowledged, SCATTER_SIZE_MAX);
}

/*
 * Whether the verdict leaves out a member that is inside here, or takes it for gone. Or a peer that
 * lies has sent a verdict that is impossible: members here disagree, or have not brought what it
 * says.
 */
static bool is_evicted_locked(const struct scatter_group *group,
			      const struct scatter_meeting *meeting,
			      const struct scatter_decree *verdict)
{
	const struct scatter_applicant *applicant;
	u32 rank;

	lockdep_assert_held(&group->lock);
	if (meeting->differs)
		return true;
	for (rank = 0; rank < meeting->size; rank++) {
		applicant = meeting->applicants[rank];
		if (!applicant)
			continue;
		if (!is_named(verdict, rank))
			return true;
		if (meeting->op == SCATTER_OP_AGREE &&
		    !is_own_locked(group, rank, applicant, verdict))
			return true;
	}
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

/* Find the members of the new group that a SHRINK makes. */
static struct scatter_heir_ranks ranks_of(struct scatter_group *group,
					  const struct scatter_decree *verdict)
{
	u16 *order = group->portal->assembly->order;
	struct scatter_heir_ranks ranks = { .list = order };
	u32 rank;

	for (rank = 0; rank < group->size; rank++)
		if (is_named(verdict, rank))
			order[ranks.count++] = rank;
	return ranks;
}

/* Keep a verdict for the members here, which had given the meeting up. */
static void keep_locked(struct scatter_group *group, struct scatter_meeting *meeting,
			const struct scatter_council_key *key,
			const struct scatter_decree *verdict)
{
	struct scatter_assembly *assembly = group->portal->assembly;
	const struct scatter_heir_ranks ranks = ranks_of(group, verdict);

	lockdep_assert_held(&group->lock);
	assembly->kept_key = *key;
	scatter_decree_copy(&assembly->kept, verdict);
	if (ranks.count)
		scatter_heir_name(group, &ranks, key, assembly->heir_id);
	scatter_portal_keep_locked(group, true);
	group->portal->convenes = true;
	if (!meeting)
		return;
	/* Members that want to give up need nobody's leave. */
	meeting->brought = 0;
	group->news = true;
}

/* Whether this node has contributed a SHRINK to a turn that has had no verdict before. */
static bool has_shrunk_locked(struct scatter_group *group, const struct scatter_council_key *key)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (portal->brought != key->number || portal->brought_turn != key->turn)
		return false;
	portal->brought = U64_MAX;
	return portal->brought_op == SCATTER_OP_SHRINK;
}

/*
 * End a meeting, unless the meeting is a SHRINK that makes a group: then returns false, even if the
 * members that this node has contributed have been killed.
 */
static bool end_locked(struct scatter_group *group, const struct scatter_council_key *key,
		       const struct scatter_decree *verdict)
{
	struct scatter_meeting *meeting = open_locked(group, key);
	bool shrunk = has_shrunk_locked(group, key);

	lockdep_assert_held(&group->lock);
	if (verdict->flags & SCATTER_DECREE_ABANDONED) {
		abandon_locked(group, meeting, key);
		return true;
	}
	if (key->number == group->portal->withdrawn && key->turn == group->portal->withdrawn_turn &&
	    (!verdict->error || verdict->error == ENOSPC)) {
		keep_locked(group, meeting, key, verdict);
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
	else if (meeting)
		judge_locked(group, verdict);
	if (!meeting)
		return verdict->error || !shrunk;
	if (meeting->over)
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
	const struct scatter_heir_ranks ranks = ranks_of(group, verdict);
	struct scatter_assembly *assembly = group->portal->assembly;
	struct scatter_group *heir = NULL;
	struct scatter_meeting *meeting;
	bool formed = false, evicts;

	spin_lock(&group->lock);
	meeting = open_locked(group, key);
	if (meeting)
		heir = scatter_heir_take_locked(meeting->applicants, &ranks);
	/* The members that this node contributed have been killed; others may have called since. */
	evicts = !heir && meeting;
	if (evicts)
		evict_locked(group, meeting);
	else if (!heir)
		skip_locked(group, key, verdict);
	scatter_group_unlock(group);
	if (!heir && !evicts)
		heir = scatter_heir_vacant(group, &ranks);
	if (!heir)
		return;
	scatter_heir_arrange(heir, group, &ranks, key, verdict);
	spin_lock(&group->lock);
	meeting = open_locked(group, key);
	if (meeting && is_evicted_locked(group, meeting, verdict)) {
		evict_locked(group, meeting);
	} else {
		formed = scatter_heir_seat_locked(heir, group, &ranks,
						  meeting ? meeting->applicants : NULL);
		if (meeting)
			scatter_meeting_end_locked(group, meeting, 0, SCATTER_RANK_ANY);
	}
	scatter_group_unlock(group);
	if (formed)
		scatter_heir_meet(heir, group);
	if (formed && group->portal->keeps)
		assembly->heir = heir;
	else
		scatter_group_put(heir);
}

/* Kept verdicts --------------------------------------------------------------------- */

/* What a kept verdict does now. */
enum fate {
	STAYS,
	IS_SPENT,
	MAKES_GROUP,
};

/* Whether members here have called the meeting again in the same way. */
static bool is_same_call_locked(const struct scatter_group *group,
				const struct scatter_meeting *meeting,
				const struct scatter_decree *verdict)
{
	lockdep_assert_held(&group->lock);
	return !meeting->differs && meeting->op == group->portal->withdrawn_op &&
	       (!verdict->terms || verdict->terms == scatter_meeting_terms_locked(group, meeting));
}

/* Give the verdict of an AGREE to the members that are inside; or end what they have called. */
static void give_locked(struct scatter_group *group, struct scatter_meeting *meeting,
			const struct scatter_decree *verdict)
{
	bool suits = is_same_call_locked(group, meeting, verdict);
	u32 rank;

	lockdep_assert_held(&group->lock);
	for (rank = 0; !verdict->error && rank < meeting->size; rank++)
		if (meeting->applicants[rank] && verdict->bits & ~meeting->applicants[rank]->value)
			suits = false;
	if (!suits) {
		scatter_meeting_end_locked(group, meeting, -ENETUNREACH, SCATTER_RANK_ANY);
	} else if (verdict->error) {
		scatter_meeting_end_locked(group, meeting, -ENOSPC, culprit_of(group, verdict));
	} else if (is_evicted_locked(group, meeting, verdict)) {
		evict_locked(group, meeting);
	} else {
		judge_locked(group, verdict);
		agree_locked(group, meeting, verdict);
	}
}

/* Find out whether the members here can get the verdict of a SHRINK now. */
static enum fate try_shrink_locked(struct scatter_group *group, struct scatter_meeting *meeting,
				   const struct scatter_decree *verdict)
{
	const struct scatter_portal *portal = group->portal;
	bool waits = false, any = false, named = false;
	u32 rank;

	lockdep_assert_held(&group->lock);
	for (rank = 0; rank < group->size; rank++) {
		if (portal->where[rank] != portal->self || !is_named(verdict, rank))
			continue;
		named = true;
		if (test_bit(rank, group->dead) || test_bit(rank, group->left))
			continue;
		any = true;
		waits |= !meeting || !meeting->applicants[rank];
	}
	/* The others may need the vote of this node. */
	if (!any && named && !meeting)
		return MAKES_GROUP;
	if (!any) {
		evict_locked(group, meeting);
		return IS_SPENT;
	}
	if (meeting && !is_same_call_locked(group, meeting, verdict)) {
		scatter_meeting_annul_locked(group, meeting);
		return STAYS;
	}
	if (waits)
		return STAYS;
	/* From now on nobody gives up. */
	meeting->brought = SCATTER_MEETING_MEMBERS;
	return MAKES_GROUP;
}

static enum fate try_locked(struct scatter_group *group)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_decree *verdict = &portal->assembly->kept;
	struct scatter_meeting *meeting;

	lockdep_assert_held(&group->lock);
	if (!portal->keeps)
		return STAYS;
	meeting = open_locked(group, &portal->assembly->kept_key);
	/* The others have gone on without this node. */
	if (portal->evicted) {
		evict_locked(group, meeting);
		return IS_SPENT;
	}
	if (meeting && !meeting->inside)
		meeting = NULL;
	if (portal->withdrawn_op == SCATTER_OP_SHRINK && !verdict->error)
		return try_shrink_locked(group, meeting, verdict);
	if (!meeting)
		return STAYS;
	give_locked(group, meeting, verdict);
	return IS_SPENT;
}

/**
 * scatter_verdict_resume() - give a kept verdict to the members that have called again
 * @group: formed, and spans nodes; referenced
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_verdict_answer() afterwards.
 */
void scatter_verdict_resume(struct scatter_group *group)
{
	struct scatter_assembly *assembly = group->portal->assembly;
	enum fate fate;

	lockdep_assert_held(&group->portal->moving);
	spin_lock(&group->lock);
	fate = try_locked(group);
	scatter_group_unlock(group);
	if (fate == MAKES_GROUP)
		shrink(group, &assembly->kept_key, &assembly->kept);
	if (fate == STAYS)
		return;
	spin_lock(&group->lock);
	scatter_portal_keep_locked(group, false);
	spin_unlock(&group->lock);
}

/**
 * scatter_verdict_answer() - answer nodes that have asked about a group that a kept verdict makes
 * @group: formed, and spans nodes; referenced
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 */
void scatter_verdict_answer(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_group *heir = portal->assembly->heir;
	bool never;

	lockdep_assert_held(&portal->moving);
	portal->assembly->heir = NULL;
	/* While a group forms, nodes wait in the same list for the group itself. */
	spin_lock(&group->lock);
	never = portal->assembly->defers && !heir && !portal->keeps;
	if (heir || never)
		portal->assembly->defers = false;
	spin_unlock(&group->lock);
	if (never)
		scatter_attach_never(group, portal->assembly->heir_id);
	if (!heir)
		return;
	scatter_form_answer(heir, group);
	scatter_group_put(heir);
}

/* Let a node wait for the new group of a kept verdict, if that is the group that the node means. */
static bool wait_for_heir(struct scatter_group *group, u64 from, const u64 *id)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_waiting *waiting;
	bool waits = false;

	if (scatter_portal_index(portal, from) == portal->nr_nodes)
		return false;
	waiting = kmalloc(sizeof(*waiting), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	waiting->id = from;
	spin_lock(&group->lock);
	waits = portal->keeps && !memcmp(portal->assembly->heir_id, id, 2 * sizeof(*id));
	if (waits)
		scatter_attach_wait_locked(group, waiting);
	if (waits)
		portal->assembly->defers = true;
	spin_unlock(&group->lock);
	if (!waits)
		kfree(waiting);
	return waits;
}

/**
 * scatter_verdict_defer() - let a node wait that asks about a group that a kept verdict makes
 * @node: this node
 * @from: the other node's id
 * @id: id of a group that is not here
 *
 * Context: may sleep; no locks but a hub's.
 * Return: whether the node waits; if not, the group may have been made meanwhile.
 */
bool scatter_verdict_defer(const struct scatter_node *node, u64 from, const u64 *id)
{
	struct scatter_group *group;
	bool waits = false;
	u64 cursor = 0;

	while (!waits && scatter_portal_some_keep() &&
	       (group = scatter_portal_next(node, &cursor))) {
		if (READ_ONCE(group->portal->keeps))
			waits = wait_for_heir(group, from, id);
		scatter_group_put(group);
	}
	return waits;
}

/* What comes of the council ----------------------------------------------------------- */

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
	if (for_good)
		scatter_portal_keep_locked(group, false);
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
 * scatter_verdict_give_up() - give a meeting up for which the council has no word
 * @group: formed, and spans nodes; referenced
 * @number: the meeting's number
 * @turn: the turn to which this node has contributed
 *
 * Does nothing if that turn is over. No verdict is being carried out meanwhile.
 *
 * Context: may sleep; no locks.
 */
void scatter_verdict_give_up(struct scatter_group *group, u64 number, u32 turn)
{
	struct scatter_meeting *meeting;

	scatter_backlog_lock(group->portal);
	spin_lock(&group->lock);
	meeting = scatter_meeting_find_locked(group, number);
	if (meeting && !meeting->over && meeting->turn == turn && meeting->brought)
		scatter_meeting_annul_locked(group, meeting);
	scatter_group_unlock(group);
	scatter_backlog_unlock(group->portal);
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
		if (portal->withdrawn != U64_MAX && !portal->keeps) {
			withdrawn->number = portal->withdrawn;
			withdrawn->turn = portal->withdrawn_turn;
		}
	}
	spin_unlock(&group->lock);
	return restores;
}
