// SPDX-License-Identifier: GPL-2.0
/*
 * Convening: how a node takes part in its group's council.
 *
 * An event of a meeting, a member or a node only sets scatter_portal.convenes, under the group's
 * lock. The context that has set the flag calls scatter_convene() later, and so does the handler of
 * each message. In scatter_convene() the node tells its council who is gone,
 * and contributes to what its members have called. scatter_portal.moving serializes the council.
 *
 * A node cannot take back what it has contributed: an acceptor may know a decree that includes it.
 * When a member gives up, its node contributes ABANDONED. If that becomes the verdict, the turn of
 * the meeting is over without outcome, and the members that are left contribute to the next turn.
 *
 * The ends of decreed operations are in span/ballot.c.
 *
 * A node that is lost to this one is lost for good. As soon as the other nodes are no quorum any
 * more, all meetings and decreed operations end with ENETUNREACH. If a lost node still speaks, this
 * node tells it that it is lost: then that node goes on without this one.
 *
 * When an administrator fences nodes, see span/fence.c, the others may be a quorum again. Each node
 * then begins a view with its fences: the last one that does so has the fences that all have. What
 * the node had contributed before it was cut, it first takes back, and its members meet again.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "council/council.h"
#include "council/quorum.h"
#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/seats.h"
#include "group/spec.h"
#include "operation/fail.h"
#include "operation/meeting.h"
#include "span/assembly.h"
#include "span/attach.h"
#include "span/ballot.h"
#include "span/convene.h"
#include "span/fact.h"
#include "span/heir.h"
#include "span/replay.h"
#include "span/split.h"
#include "span/verdict.h"

static void say(void *context, u32 to, const struct scatter_council_message *message)
{
	scatter_assembly_say(context, to, message);
}

static void decided(void *context, const struct scatter_council_key *key,
		    const struct scatter_decree *verdict)
{
	struct scatter_group *group = context;

	group->portal->assembly->ends = true;
	scatter_verdict_decided(context, key, verdict);
}

static void missed(void *context, const struct scatter_council_key *key)
{
	struct scatter_group *group = context;

	group->portal->assembly->ends = true;
	scatter_verdict_missed(context, key);
}

static const struct scatter_council_ops ops = {
	.say = say,
	.decided = decided,
	.missed = missed,
};

static struct scatter_council *council_of(struct scatter_group *group)
{
	struct scatter_council *council = &group->portal->assembly->council;

	lockdep_assert_held(&group->portal->moving);
	council->ops = &ops;
	council->context = group;
	return council;
}

/* Whether something has ended since the last call. */
static bool take_ends(struct scatter_portal *portal)
{
	bool ends = portal->assembly->ends;

	lockdep_assert_held(&portal->moving);
	portal->assembly->ends = false;
	return ends;
}

/* Who is gone ---------------------------------------------------------------------- */

/* Collect the ranks and nodes that are gone. True if something has happened since the last look. */
static bool look(struct scatter_group *group, bool *reminds)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_assembly *assembly = portal->assembly;
	bool convenes;
	u32 i;

	spin_lock(&group->lock);
	convenes = portal->convenes;
	*reminds = portal->reminds;
	portal->convenes = false;
	portal->reminds = false;
	bitmap_to_arr64(assembly->facts.dead.words, group->dead, SCATTER_SIZE_MAX);
	bitmap_to_arr64(assembly->facts.left.words, group->left, SCATTER_SIZE_MAX);
	for (i = 0; i < portal->nr_nodes; i++) {
		scatter_set_add(&assembly->empty, i);
		if (portal->nodes[i].tie == SCATTER_PORTAL_GONE)
			scatter_set_add(&assembly->gone, i);
		if (portal->nodes[i].fenced)
			scatter_set_add(&assembly->fences, i);
	}
	for (i = 0; i < group->size; i++)
		if (!test_bit(i, group->dead) && !test_bit(i, group->left))
			assembly->empty.words[portal->where[i] / 64] &=
				~BIT_ULL(portal->where[i] % 64);
	spin_unlock(&group->lock);
	return convenes;
}

/* Whether this node was lost at the last look(). */
static bool is_out(const struct scatter_group *group)
{
	return scatter_set_has(&group->portal->assembly->gone, group->portal->self);
}

/* The nodes that are not lost. */
static struct scatter_set rest_of(const struct scatter_portal *portal)
{
	struct scatter_set rest = { };
	u32 i;

	for (i = 0; i < portal->nr_nodes; i++)
		if (!scatter_set_has(&portal->assembly->gone, i))
			scatter_set_add(&rest, i);
	return rest;
}

/* Whether the nodes that are left can decide nothing: they are too few, or no views are left. */
static bool is_cut(struct scatter_group *group)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_assembly *assembly = portal->assembly;
	struct scatter_set rest = rest_of(portal);

	if (assembly->council.view >= SCATTER_COUNCIL_END - 2 * portal->nr_nodes)
		return true;
	return !scatter_quorum_is(&rest, portal->nr_nodes) &&
	       !scatter_quorum_unfenced(&rest, &assembly->fences, portal->nr_nodes);
}

/* Whether verdicts may have to wait until an administrator has fenced the same nodes elsewhere. */
static bool waits_for_fences(struct scatter_group *group)
{
	const struct scatter_portal *portal = group->portal;
	struct scatter_set rest = rest_of(portal);

	return !scatter_quorum_is(&rest, portal->nr_nodes) &&
	       !scatter_council_is_led(&portal->assembly->council);
}

/* Take this node out of the group, if the others go on without it and would wait for it. */
static bool resigns(struct scatter_group *group)
{
	const struct scatter_portal *portal = group->portal;
	bool evicted;

	spin_lock(&group->lock);
	evicted = portal->evicted;
	spin_unlock(&group->lock);
	/* Nobody waits for a node without members, and that node still votes. */
	if (!evicted || is_out(group) || scatter_set_has(&portal->assembly->empty, portal->self))
		return false;
	scatter_fact_resign(group);
	portal->assembly->ends = true;
	return true;
}

/*
 * Once the home is lost, attach to all other nodes and tell them all facts: until then, nodes heard
 * of each other through the home, and some may not have heard all facts that the home knew.
 */
static void adopt(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	bool fresh;
	u32 i;

	spin_lock(&group->lock);
	fresh = portal->self && portal->nodes[0].tie == SCATTER_PORTAL_GONE && !portal->orphaned;
	portal->orphaned |= fresh;
	spin_unlock(&group->lock);
	if (!fresh)
		return;
	portal->assembly->ends = true;
	scatter_fact_believe(group);
	if (scatter_portal_tie_of(group, portal->self) == SCATTER_PORTAL_GONE)
		return;
	for (i = 1; i < portal->nr_nodes; i++) {
		if (i == portal->self || !scatter_attach_tied(group, i))
			continue;
		scatter_replay_failed(group, i);
		scatter_replay(group, i);
	}
}

static void tell(struct scatter_group *group)
{
	struct scatter_assembly *assembly = group->portal->assembly;
	struct scatter_council *council = council_of(group);
	u32 i;

	scatter_council_depart(council, &assembly->facts);
	for (i = 0; i < council->nodes; i++) {
		if (i != council->self && scatter_set_has(&assembly->gone, i) &&
		    !scatter_set_has(&council->gone, i))
			scatter_council_lose(council, i);
		if (scatter_set_has(&assembly->empty, i) && !scatter_set_has(&council->excused, i))
			scatter_council_excuse(council, i);
		if (scatter_set_has(&assembly->fences, i) &&
		    !scatter_set_has(&council->fences, i))
			scatter_council_fence(council, i);
	}
}

/* Nodes were too few, and are enough now: take back what this node had contributed. */
static void restore(struct scatter_group *group)
{
	struct scatter_decree *decree = &group->portal->assembly->decree;
	struct scatter_council_key withdrawn;

	if (!scatter_verdict_restore(group, &withdrawn) || !withdrawn.turn)
		return;
	scatter_decree_init(decree, NULL);
	decree->flags = SCATTER_DECREE_ABANDONED;
	/* If the verdict is known already, nothing happens. */
	scatter_council_contribute(council_of(group), &withdrawn, decree);
}

/* If there are new fences, begin a view with them. If the home is lost, another one begins. */
static void stand(struct scatter_group *group)
{
	struct scatter_assembly *assembly = group->portal->assembly;
	struct scatter_council *council = council_of(group);

	if (!scatter_set_equals(&assembly->stood, &assembly->fences)) {
		assembly->stood = assembly->fences;
		scatter_council_take_over(council);
	}
	scatter_council_suspect(council, &assembly->gone);
}

/* Contributing --------------------------------------------------------------------- */

/* Charge the user of a member here for the new group. The charge stays for later turns. */
static void pay_locked(struct scatter_group *group, struct scatter_meeting *meeting,
		       struct scatter_decree *decree)
{
	u16 *order = group->portal->assembly->order;
	struct scatter_heir_ranks ranks = { .list = order };
	u32 rank;

	lockdep_assert_held(&group->lock);
	for (rank = 0; rank < meeting->size; rank++)
		if (meeting->applicants[rank])
			order[ranks.count++] = rank;
	rank = scatter_heir_pay_locked(meeting->applicants, &ranks);
	if (rank == SCATTER_NO_RANK)
		return;
	decree->error = ENOSPC;
	decree->culprit = rank;
}

static void fill_locked(struct scatter_group *group, struct scatter_meeting *meeting,
			struct scatter_decree *decree)
{
	struct scatter_set known;
	u32 rank;

	lockdep_assert_held(&group->lock);
	scatter_decree_init(decree, NULL);
	for (rank = 0; rank < meeting->size; rank++) {
		if (!meeting->applicants[rank])
			continue;
		scatter_set_add(&decree->called, rank);
		decree->bits &= meeting->applicants[rank]->value;
		bitmap_to_arr64(known.words, group->members[rank]->acknowledged,
				SCATTER_SIZE_MAX);
		scatter_set_meet(&decree->known, &known);
	}
	if (meeting->inside)
		decree->terms = scatter_meeting_terms_locked(group, meeting);
	if (meeting->brought & SCATTER_MEETING_ABANDON)
		decree->flags |= SCATTER_DECREE_ABANDONED;
	if (meeting->brought & SCATTER_MEETING_DIFFERS) {
		decree->flags |= SCATTER_DECREE_HURRY;
		decree->error = SCATTER_DECREE_DISAGREE;
		decree->culprit = meeting->differing;
	} else if (meeting->op == SCATTER_OP_SHRINK) {
		pay_locked(group, meeting, decree);
	}
}

/* Find the next meeting to which this node has to contribute; false: there is none. */
static bool find(struct scatter_group *group, struct scatter_council_key *key)
{
	struct scatter_meeting *meeting;
	bool found = false;
	u32 due;

	spin_lock(&group->lock);
	list_for_each_entry(meeting, &group->meetings, node) {
		if (meeting->over || scatter_meeting_is_kept_locked(group, meeting))
			continue;
		due = scatter_meeting_due_locked(group, meeting);
		if (due == meeting->brought)
			continue;
		meeting->brought = due;
		group->portal->brought = meeting->number;
		group->portal->brought_turn = meeting->turn;
		group->portal->brought_op = meeting->op;
		*key = (struct scatter_council_key){
			.number = meeting->number,
			.turn = meeting->turn,
			.kind = SCATTER_COUNCIL_MEETING,
		};
		fill_locked(group, meeting, &group->portal->assembly->decree);
		found = true;
		break;
	}
	spin_unlock(&group->lock);
	return found;
}

/* The council takes nothing for a key any more. */
static void refuse(struct scatter_group *group, const struct scatter_council_key *key)
{
	group->portal->assembly->ends = true;
	if (key->kind == SCATTER_COUNCIL_OPERATION)
		scatter_ballot_refused(group, key->number);
	else
		scatter_verdict_missed(group, key);
	scatter_fail_abort(group);
}

static void contribute(struct scatter_group *group)
{
	struct scatter_council_key key;

	while (find(group, &key) ||
	       scatter_ballot_find(group, &key, &group->portal->assembly->decree))
		if (!scatter_council_contribute(council_of(group), &key,
						&group->portal->assembly->decree))
			refuse(group, &key);
}

/**
 * scatter_convene() - tell the council what has happened, and contribute what is due
 * @group: formed, and spans nodes; referenced
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 * Return: whether something has ended: the caller has to call scatter_edge_push() and this function
 * again.
 */
bool scatter_convene(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	bool reminds;

	lockdep_assert_held(&portal->moving);
	if (!READ_ONCE(portal->convenes))
		return false;
	while (look(group, &reminds)) {
		/* This node is lost: the other nodes ignore which ranks it takes for dead. */
		if (is_out(group)) {
			scatter_verdict_cut(group, true);
			continue;
		}
		if (resigns(group))
			continue;
		adopt(group);
		/* What others said before the home was lost may be that this node is lost. */
		if (scatter_portal_tie_of(group, portal->self) == SCATTER_PORTAL_GONE)
			continue;
		tell(group);
		if (is_cut(group)) {
			scatter_verdict_cut(group, false);
			scatter_verdict_resume(group);
			continue;
		}
		restore(group);
		stand(group);
		contribute(group);
		scatter_verdict_resume(group);
		if (reminds)
			scatter_council_remind(council_of(group));
		if (waits_for_fences(group))
			scatter_verdict_release(group);
	}
	scatter_verdict_answer(group);
	return take_ends(portal);
}

/*
 * Whether a node contributes for its own members only, and nothing that the key is not about: a
 * peer that lies may do otherwise.
 */
static bool speaks_for_itself(const struct scatter_portal *portal, u32 size, u32 from,
			      const struct scatter_council_message *message)
{
	u32 rank;

	if (message->key.kind == SCATTER_COUNCIL_OPERATION &&
	    message->key.turn > scatter_split_turns(size))
		return false;
	if (message->type != SCATTER_COUNCIL_ARRIVED)
		return true;
	for (rank = 0; rank < size; rank++)
		if (portal->where[rank] != from && scatter_set_has(&message->decree->called, rank))
			return false;
	return message->key.kind != SCATTER_COUNCIL_OPERATION ||
	       scatter_split_is_sound(size, message->key.turn, message->decree);
}

/**
 * scatter_convene_receive() - handle a COUNCIL message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @message: the message
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_convene() afterwards.
 * Return: whether something has ended since the last message: the caller has to call
 * scatter_edge_push(), too.
 */
bool scatter_convene_receive(struct scatter_group *group, u32 from,
			     const struct scatter_council_message *message)
{
	struct scatter_portal *portal = group->portal;
	bool gone, out;
	u64 view;

	lockdep_assert_held(&portal->moving);
	if (!speaks_for_itself(portal, group->size, from, message))
		return false;
	spin_lock(&group->lock);
	gone = portal->nodes[from].tie == SCATTER_PORTAL_GONE;
	out = portal->nodes[portal->self].tie == SCATTER_PORTAL_GONE;
	spin_unlock(&group->lock);
	view = portal->assembly->council.view;
	if (!gone && !out)
		scatter_council_receive(council_of(group), from, message);
	else if (gone && from)
		scatter_fact_deny(group, from);
	/* The home of the new view may be lost to this node already. */
	if (portal->assembly->council.view != view) {
		spin_lock(&group->lock);
		portal->convenes = true;
		spin_unlock(&group->lock);
	}
	return take_ends(portal);
}
