// SPDX-License-Identifier: GPL-2.0
/*
 * The council of a group: what happens to it, and what comes from other nodes.
 */
#include "council/council.h"
#include "council/home.h"
#include "council/motion.h"
#include "council/vote.h"

static bool is_home(const struct scatter_council *council)
{
	return council->role != SCATTER_COUNCIL_FOLLOWING;
}

/**
 * scatter_council_bytes() - the memory that a council needs besides its struct
 * @nodes: nodes of the group, 1 to %SCATTER_SET_MAX
 * @ranks: ranks of the group, likewise
 *
 * Context: any.
 * Return: bytes
 */
size_t scatter_council_bytes(u32 nodes, u32 ranks)
{
	return SCATTER_COUNCIL_DEPTH * SCATTER_COUNCIL_DECREES * sizeof(struct scatter_choice) *
	       ranks + 2 * nodes;
}

/* Only operations have choices. */
static struct scatter_choice *init_motion(struct scatter_motion *motion, u32 ranks,
					  struct scatter_choice *choices)
{
	*motion = (struct scatter_motion){ 0 };
	scatter_decree_init(&motion->accepted, choices);
	choices = choices ? choices + ranks : NULL;
	scatter_decree_init(&motion->own, choices);
	choices = choices ? choices + ranks : NULL;
	scatter_decree_init(&motion->plan, choices);
	return choices ? choices + ranks : NULL;
}

/**
 * scatter_council_init() - a group has formed
 * @council: (out) the council, whose @ops and @context the caller has set
 * @nodes: nodes of the group, 1 to %SCATTER_SET_MAX
 * @self: which one this node is
 * @ranks: ranks of the group, likewise
 * @memory: scatter_council_bytes(), aligned to 8 bytes, which the council uses from now on
 *
 * Context: any.
 */
void scatter_council_init(struct scatter_council *council, u32 nodes, u32 self, u32 ranks,
			  void *memory)
{
	struct scatter_choice *choices = memory;
	u32 i;

	*council = (struct scatter_council){
		.ops = council->ops,
		.context = council->context,
		.nodes = nodes,
		.self = self,
		.ranks = ranks,
		.role = self ? SCATTER_COUNCIL_FOLLOWING : SCATTER_COUNCIL_LEADING,
	};
	for (i = 0; i < SCATTER_COUNCIL_MOTIONS; i++) {
		if (i / SCATTER_COUNCIL_DEPTH == SCATTER_COUNCIL_OPERATION)
			choices = init_motion(&council->motions[i], ranks, choices);
		else
			init_motion(&council->motions[i], ranks, NULL);
	}
	council->promises = (u8 *)choices;
	council->same = council->promises + nodes;
}

/* What one node has said concerns other motions as well, at the home. */
static void settle(struct scatter_council *council)
{
	if (is_home(council))
		scatter_home_review(council);
}

/**
 * scatter_council_contribute() - contribute to a decree
 * @council: the council
 * @key: the key; this node knows the verdicts of all keys of the kind to which it has contributed
 *	before
 * @contribution: what the node contributes; with a key to which it has contributed, all of that and
 *	more
 *
 * If the verdict is known, nothing happens.
 *
 * Context: any; the caller serializes.
 * Return: false: this node has contributed to another key, or all other nodes have forgotten the
 * verdict of this one
 */
bool scatter_council_contribute(struct scatter_council *council,
				const struct scatter_council_key *key,
				const struct scatter_decree *contribution)
{
	struct scatter_motion *motion = scatter_motion_find(council, key);

	if (scatter_motion_is_past(motion, key))
		return false;
	if (scatter_motion_holds(motion, key) && scatter_motion_is_decided(motion))
		return true;
	if (motion->own_key.turn && (scatter_motion_after(key, &motion->own_key) ||
				     scatter_motion_after(&motion->own_key, key)))
		return false;
	motion->own_key = *key;
	scatter_decree_copy(&motion->own, contribution);
	scatter_decree_learn(&motion->own.facts, &council->facts);
	if (!is_home(council)) {
		scatter_vote_arrive(council, motion);
		return true;
	}
	scatter_home_arrived(council, council->self, key, &motion->own);
	settle(council);
	return true;
}

/**
 * scatter_council_depart() - ranks are gone
 * @council: the council
 * @facts: which ranks; known ones may be among them
 *
 * Context: any; the caller serializes.
 */
void scatter_council_depart(struct scatter_council *council, const struct scatter_facts *facts)
{
	scatter_decree_learn(&council->facts, facts);
}

/**
 * scatter_council_lose() - a node is lost for good
 * @council: the council
 * @node: which one; the caller makes its ranks depart before
 *
 * Context: any; the caller serializes.
 */
void scatter_council_lose(struct scatter_council *council, u32 node)
{
	scatter_set_add(&council->gone, node);
	settle(council);
}

/**
 * scatter_council_excuse() - a node has no members any more
 * @council: the council
 * @node: which one; the caller makes its ranks depart before
 *
 * Context: any; the caller serializes.
 */
void scatter_council_excuse(struct scatter_council *council, u32 node)
{
	scatter_set_add(&council->excused, node);
	settle(council);
}

/**
 * scatter_council_fence() - the administrator says that a node is down
 * @council: the council
 * @node: which one, not this one; its connection is closed
 *
 * The fence counts from the next view on.
 *
 * Context: any; the caller serializes.
 */
void scatter_council_fence(struct scatter_council *council, u32 node)
{
	scatter_set_add(&council->fences, node);
	scatter_council_lose(council, node);
}

/**
 * scatter_council_take_over() - begin the next view whose home is this node
 * @council: the council
 *
 * Context: any; the caller serializes.
 */
void scatter_council_take_over(struct scatter_council *council)
{
	u64 view = council->view + 1;

	while (scatter_vote_home(council, view) != council->self)
		view++;
	/* Only a node that lies makes views run out. Nothing is decided any more. */
	if (view >= SCATTER_COUNCIL_END)
		return;
	scatter_home_begin(council, view);
	settle(council);
}

/**
 * scatter_council_suspect() - some nodes have been silent for too long
 * @council: the council
 * @silent: these nodes, without this one
 *
 * If the home is one of them, the next home that is not begins its view. It may not have heard of
 * the present view; then it is told.
 *
 * Context: any; the caller serializes.
 */
void scatter_council_suspect(struct scatter_council *council, const struct scatter_set *silent)
{
	const struct scatter_council_message behind = {
		.type = SCATTER_COUNCIL_BEHIND,
		.view = council->view,
	};
	u64 view = council->view;

	while (scatter_set_has(silent, scatter_vote_home(council, view)))
		view++;
	if (view == council->view)
		return;
	if (scatter_vote_home(council, view) == council->self)
		scatter_council_take_over(council);
	else
		council->ops->say(council->context, scatter_vote_home(council, view), &behind);
}

/* Receiving ------------------------------------------------------------------------- */

static bool facts_are_sound(const struct scatter_council *council,
			    const struct scatter_facts *facts)
{
	return scatter_set_is_below(&facts->dead, council->ranks) &&
	       scatter_set_is_below(&facts->left, council->ranks);
}

/* Whether a message speaks of nodes and ranks that there are, and of a key in its place. */
static bool is_sound(struct scatter_council *council,
		     const struct scatter_council_message *message)
{
	const struct scatter_decree *decree = message->decree;

	if (message->type == SCATTER_COUNCIL_PROMISE && message->ballot &&
	    scatter_motion_find(council, &message->key) != &council->motions[message->motion])
		return false;

	if (decree && !(scatter_set_is_below(&decree->called, council->ranks) &&
			facts_are_sound(council, &decree->facts)))
		return false;
	if (message->facts && !facts_are_sound(council, message->facts))
		return false;
	return !message->fences || scatter_set_is_below(message->fences, council->nodes);
}

/* Of another view: whether the message counts nevertheless. */
static bool fits_view(struct scatter_council *council, u32 from,
		      const struct scatter_council_message *message)
{
	const struct scatter_council_message behind = {
		.type = SCATTER_COUNCIL_BEHIND,
		.view = council->view,
	};
	u32 home = scatter_vote_home(council, message->view);

	if (from != home && (message->type == SCATTER_COUNCIL_ACCEPT ||
			     message->type == SCATTER_COUNCIL_PREPARE))
		return false;
	/* Who knows a verdict has to be in a view that is no lower than the one that made it. */
	if (message->view > council->view && home != council->self)
		scatter_vote_adopt(council, message->view);
	if (message->type == SCATTER_COUNCIL_DECIDED || message->type == SCATTER_COUNCIL_FORGET)
		return true;
	if (message->type == SCATTER_COUNCIL_BEHIND)
		return false;
	if (message->view < council->view)
		council->ops->say(council->context, from, &behind);
	return message->view == council->view;
}

/* A message to the home of the present view. */
static void receive_home(struct scatter_council *council, u32 from,
			 const struct scatter_council_message *message)
{
	switch (message->type) {
	case SCATTER_COUNCIL_ARRIVED:
		scatter_home_arrived(council, from, &message->key, message->decree);
		break;
	case SCATTER_COUNCIL_ACCEPTED:
		scatter_home_accepted(council, from, &message->key);
		break;
	case SCATTER_COUNCIL_KNOWN:
		scatter_home_known(council, from, &message->key);
		break;
	case SCATTER_COUNCIL_PROMISE:
		scatter_home_promised(council, from, message);
		break;
	default:
		break;
	}
}

/**
 * scatter_council_receive() - a message comes from another node
 * @council: the council
 * @from: which node
 * @message: the message, whose fields are in the ranges that struct scatter_council_message tells
 *
 * A message that speaks of ranks or nodes that there are not is dropped.
 *
 * Context: any; the caller serializes.
 */
void scatter_council_receive(struct scatter_council *council, u32 from,
			     const struct scatter_council_message *message)
{
	if (scatter_set_has(&council->fences, from) || !is_sound(council, message) ||
	    !fits_view(council, from, message))
		return;
	switch (message->type) {
	case SCATTER_COUNCIL_ACCEPT:
		scatter_vote_accept(council, from, message);
		break;
	case SCATTER_COUNCIL_PREPARE:
		scatter_vote_prepare(council);
		break;
	case SCATTER_COUNCIL_DECIDED:
		scatter_vote_decided(council, from, message);
		break;
	case SCATTER_COUNCIL_FORGET:
		scatter_vote_forget(council, message);
		break;
	default:
		if (is_home(council))
			receive_home(council, from, message);
		break;
	}
	settle(council);
}

/**
 * scatter_council_remind() - repeat what has had no answer
 * @council: the council
 *
 * Context: any; the caller serializes.
 */
void scatter_council_remind(struct scatter_council *council)
{
	u32 i, home = scatter_vote_home(council, council->view);

	if (is_home(council)) {
		scatter_home_remind(council);
		return;
	}
	for (i = 0; i < SCATTER_COUNCIL_MOTIONS; i++) {
		struct scatter_motion *motion = &council->motions[i];

		scatter_vote_arrive(council, motion);
		if (motion->key.turn && scatter_motion_is_decided(motion))
			scatter_motion_answer(council, &motion->key, SCATTER_COUNCIL_KNOWN, home);
	}
}
