// SPDX-License-Identifier: GPL-2.0
/*
 * The home of a view: merges what the nodes contribute, proposes, counts, and tells the verdict.
 *
 * The home is an acceptor, too: it accepts when it proposes, and promises when it begins.
 */
#include "council/home.h"
#include "council/motion.h"
#include "council/quorum.h"

/* A promise for all motions, as bits. */
#define WHOLE	((1 << SCATTER_COUNCIL_MOTIONS) - 1)

/* Send a message about a motion's key to all nodes but some. */
static void tell(struct scatter_council *council, struct scatter_motion *motion,
		 enum scatter_council_type type, const struct scatter_set *but)
{
	u32 node;

	for (node = 0; node < council->nodes; node++)
		if (node != council->self && !scatter_set_has(but, node))
			scatter_motion_say(council, motion, type, node);
}

static bool is_quorum(const struct scatter_council *council, const struct scatter_set *some)
{
	return scatter_quorum_is(some, council->nodes) ||
	       (council->agreed &&
		scatter_quorum_unfenced(some, &council->view_fences, council->nodes));
}

/* Knowing --------------------------------------------------------------------------- */

/* Free a motion for the next key, when all nodes know the verdict. */
static bool try_forget(struct scatter_council *council, struct scatter_motion *motion)
{
	const struct scatter_council_key key = motion->key;
	u32 node;

	if (!scatter_motion_is_decided(motion) ||
	    !scatter_quorum_covers(&motion->knows, &council->gone, council->nodes))
		return false;
	scatter_motion_forget(council, motion, &key);
	for (node = 0; node < council->nodes; node++)
		if (node != council->self)
			scatter_motion_answer(council, &key, SCATTER_COUNCIL_FORGET, node);
	return true;
}

/* Tell all nodes the verdict, once in this view, however this node has come to know it. */
static void try_spread(struct scatter_council *council, struct scatter_motion *motion)
{
	if (!scatter_motion_is_decided(motion) || scatter_set_has(&motion->knows, council->self))
		return;
	scatter_set_add(&motion->knows, council->self);
	tell(council, motion, SCATTER_COUNCIL_DECIDED, &motion->knows);
}

/**
 * scatter_home_known() - note that a node knows a verdict
 * @council: the council, of which this node is the home
 * @from: the other node
 * @key: the verdict's key
 *
 * Context: any; the caller serializes.
 */
void scatter_home_known(struct scatter_council *council, u32 from,
			const struct scatter_council_key *key)
{
	struct scatter_motion *motion = scatter_motion_find(council, key);

	if (scatter_motion_is_past(motion, key))
		scatter_motion_answer(council, key, SCATTER_COUNCIL_FORGET, from);
	else if (scatter_motion_holds(motion, key) && scatter_motion_is_decided(motion))
		scatter_set_add(&motion->knows, from);
}

/* Proposing ------------------------------------------------------------------------- */

static void try_decide(struct scatter_council *council, struct scatter_motion *motion)
{
	if (motion->proposed && is_quorum(council, &motion->accepts))
		scatter_motion_decide(council, motion, &motion->accepted);
}

static void propose(struct scatter_council *council, struct scatter_motion *motion)
{
	motion->proposed = true;
	scatter_motion_accept(council, motion, &motion->plan);
	scatter_set_add(&motion->accepts, council->self);
	tell(council, motion, SCATTER_COUNCIL_ACCEPT, &motion->accepts);
}

/* Whether enough nodes have contributed to propose. */
static bool is_complete(const struct scatter_council *council, const struct scatter_motion *motion)
{
	struct scatter_set rest = council->gone;

	if (motion->plan.flags & (SCATTER_DECREE_HURRY | SCATTER_DECREE_ABANDONED))
		return true;
	scatter_set_join(&rest, &council->excused);
	return scatter_quorum_covers(&motion->arrived, &rest, council->nodes);
}

/*
 * Propose a decree, if possible. A decree that may be the verdict of an earlier view is proposed
 * unchanged.
 */
static void try_propose(struct scatter_council *council, struct scatter_motion *motion)
{
	if (!motion->key.turn || motion->proposed || scatter_motion_is_decided(motion))
		return;
	if (!motion->best) {
		if (scatter_set_is_empty(&motion->arrived) || !is_complete(council, motion))
			return;
		scatter_decree_learn(&motion->plan.facts, &council->facts);
	}
	propose(council, motion);
}

/**
 * scatter_home_arrived() - take a node's contribution
 * @council: the council, of which this node is the home
 * @from: the node; maybe this one
 * @key: the key to which the node contributes
 * @contribution: the contribution
 *
 * Context: any; the caller serializes.
 */
void scatter_home_arrived(struct scatter_council *council, u32 from,
			  const struct scatter_council_key *key,
			  const struct scatter_decree *contribution)
{
	struct scatter_motion *motion = scatter_motion_find(council, key);

	if (scatter_motion_is_past(motion, key)) {
		if (from != council->self)
			scatter_motion_answer(council, key, SCATTER_COUNCIL_FORGET, from);
		return;
	}
	/*
	 * The key waits until all nodes know the verdict of the motion's earlier key. A later key
	 * to which nodes have only contributed makes room: the nodes contribute to it again.
	 */
	if (motion->key.turn && scatter_motion_after(key, &motion->key))
		return;
	scatter_decree_learn(&council->facts, &contribution->facts);
	if (scatter_motion_is_decided(motion)) {
		if (from != council->self)
			scatter_motion_say(council, motion, SCATTER_COUNCIL_DECIDED, from);
		return;
	}
	scatter_motion_take(council, motion, key);
	scatter_set_add(&motion->arrived, from);
	if (!motion->best && !motion->proposed)
		scatter_decree_merge(&motion->plan, contribution);
}

/**
 * scatter_home_accepted() - note that a node has accepted the home's proposal
 * @council: the council, of which this node is the home
 * @from: the node
 * @key: the key of the proposal
 *
 * Context: any; the caller serializes.
 */
void scatter_home_accepted(struct scatter_council *council, u32 from,
			   const struct scatter_council_key *key)
{
	struct scatter_motion *motion = scatter_motion_find(council, key);

	if (scatter_motion_holds(motion, key) && motion->proposed)
		scatter_set_add(&motion->accepts, from);
}

/* Preparing ------------------------------------------------------------------------- */

/* Treat the decree that this node has accepted as if this node's promise had named it. */
static void plan_accepted(struct scatter_motion *motion)
{
	if (!motion->ballot || scatter_motion_is_decided(motion))
		return;
	motion->best = motion->ballot;
	scatter_decree_copy(&motion->plan, &motion->accepted);
}

/* Find the nodes that have promised for all motions with the fences of the view. */
static struct scatter_set agreeing(const struct scatter_council *council)
{
	struct scatter_set set = { 0 };
	u32 node;

	for (node = 0; node < council->nodes; node++)
		if (council->same[node] == WHOLE)
			scatter_set_add(&set, node);
	return set;
}

static void try_lead(struct scatter_council *council)
{
	struct scatter_set same = agreeing(council);

	council->agreed = scatter_quorum_unfenced(&same, &council->view_fences, council->nodes);
	if (is_quorum(council, &council->promised))
		council->role = SCATTER_COUNCIL_LEADING;
}

/* Ask the nodes that have not promised, or whose promise has other fences, if these matter. */
static void prepare(struct scatter_council *council)
{
	const struct scatter_council_message message = {
		.type = SCATTER_COUNCIL_PREPARE,
		.view = council->view,
		.fences = &council->view_fences,
	};
	u32 node;

	for (node = 0; node < council->nodes; node++)
		if (!scatter_set_has(&council->promised, node) ||
		    (council->role == SCATTER_COUNCIL_PREPARING && council->same[node] != WHOLE))
			council->ops->say(council->context, node, &message);
}

/**
 * scatter_home_begin() - begin a view
 * @council: the council
 * @view: the view, higher than the present one, whose home is this node
 *
 * Context: any; the caller serializes.
 */
void scatter_home_begin(struct scatter_council *council, u64 view)
{
	u32 i;

	council->view = view;
	council->role = SCATTER_COUNCIL_PREPARING;
	council->view_fences = council->fences;
	council->promised = (struct scatter_set){ 0 };
	for (i = 0; i < council->nodes; i++) {
		council->promises[i] = 0;
		council->same[i] = 0;
	}
	for (i = 0; i < SCATTER_COUNCIL_MOTIONS; i++) {
		scatter_motion_renew(&council->motions[i]);
		plan_accepted(&council->motions[i]);
	}
	council->promises[council->self] = WHOLE;
	council->same[council->self] = WHOLE;
	scatter_set_add(&council->promised, council->self);
	prepare(council);
}

/* Note the decree, or the verdict, that a promise names. */
static void note_decree(struct scatter_council *council, struct scatter_motion *motion,
			const struct scatter_council_message *message)
{
	bool verdict = message->ballot == SCATTER_COUNCIL_VERDICT;

	if (!message->ballot || scatter_motion_is_past(motion, &message->key))
		return;
	if (council->role == SCATTER_COUNCIL_LEADING && !verdict)
		return;
	scatter_motion_take(council, motion, &message->key);
	if (verdict) {
		scatter_motion_decide(council, motion, message->decree);
	} else if (message->ballot > motion->best) {
		motion->best = message->ballot;
		scatter_decree_copy(&motion->plan, message->decree);
	}
}

/**
 * scatter_home_promised() - handle a node's promise of the view for one motion
 * @council: the council, of which this node is the home
 * @from: the node
 * @message: the PROMISE, with the decree that the node has accepted
 *
 * Context: any; the caller serializes.
 */
void scatter_home_promised(struct scatter_council *council, u32 from,
			   const struct scatter_council_message *message)
{
	struct scatter_motion *motion = &council->motions[message->motion];
	u8 bit = (u8)(1 << message->motion);

	scatter_decree_learn(&council->facts, message->facts);
	note_decree(council, motion, message);
	council->promises[from] |= bit;
	if (scatter_set_equals(message->fences, &council->view_fences))
		council->same[from] |= bit;
	if (council->promises[from] == WHOLE)
		scatter_set_add(&council->promised, from);
}

/* Again and again ------------------------------------------------------------------- */

/* Contribute what this node could not contribute before, since the motion held an earlier key. */
static void offer_own(struct scatter_council *council, struct scatter_motion *motion)
{
	if (motion->own_key.turn && !(scatter_motion_holds(motion, &motion->own_key) &&
				      scatter_set_has(&motion->arrived, council->self)))
		scatter_home_arrived(council, council->self, &motion->own_key, &motion->own);
}

/* Do all that can be done for a motion now, and perhaps for its next key. */
static void go_on(struct scatter_council *council, struct scatter_motion *motion)
{
	do {
		offer_own(council, motion);
		if (council->role != SCATTER_COUNCIL_LEADING)
			return;
		try_propose(council, motion);
		try_decide(council, motion);
		try_spread(council, motion);
	} while (try_forget(council, motion));
}

/**
 * scatter_home_review() - do what an event has made possible
 * @council: the council, of which this node is the home
 *
 * Context: any; the caller serializes.
 */
void scatter_home_review(struct scatter_council *council)
{
	u32 i;

	if (council->role == SCATTER_COUNCIL_PREPARING)
		try_lead(council);
	for (i = 0; i < SCATTER_COUNCIL_MOTIONS; i++)
		go_on(council, &council->motions[i]);
}

/**
 * scatter_home_remind() - repeat the home's messages that have had no answer
 * @council: the council, of which this node is the home
 *
 * Context: any; the caller serializes.
 */
void scatter_home_remind(struct scatter_council *council)
{
	struct scatter_set rest;
	u32 i;

	if (council->view)
		prepare(council);
	for (i = 0; i < SCATTER_COUNCIL_MOTIONS; i++) {
		struct scatter_motion *motion = &council->motions[i];
		bool decided = scatter_motion_is_decided(motion);

		if (council->role != SCATTER_COUNCIL_LEADING || !(decided || motion->proposed))
			continue;
		rest = decided ? motion->knows : motion->accepts;
		scatter_set_join(&rest, &council->gone);
		tell(council, motion,
		     decided ? SCATTER_COUNCIL_DECIDED : SCATTER_COUNCIL_ACCEPT, &rest);
	}
}
