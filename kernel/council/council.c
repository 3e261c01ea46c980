// SPDX-License-Identifier: GPL-2.0
/*
 * The council of a group: events that its caller tells, and messages of other nodes.
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
 * scatter_council_bytes() - find how much memory a council needs besides its struct
 * @nodes: number of nodes of the group, 1 to %SCATTER_SET_MAX
 * @ranks: number of ranks of the group, 1 to %SCATTER_SET_MAX
 *
 * Context: any.
 * Return: bytes
 */
size_t scatter_council_bytes(u32 nodes, u32 ranks)
{
	return SCATTER_COUNCIL_DEPTH * SCATTER_COUNCIL_DECREES * sizeof(struct scatter_choice) *
	       ranks + 2 * nodes;
}

/* Set up a motion and its decrees. Only keys of operations have room for choices. */
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
 * scatter_council_init() - set up the council of a group
 * @council: (out) the council; the caller sets @ops and @context
 * @nodes: number of nodes of the group, 1 to %SCATTER_SET_MAX
 * @self: number of this node, less than @nodes
 * @ranks: number of ranks of the group, 1 to %SCATTER_SET_MAX
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

/* At the home, do what a node's message makes possible in any motion. */
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
 * @contribution: what the node contributes; if the node has contributed to @key before, all that it
 *	has contributed, and more
 *
 * If this node knows the verdict, nothing happens.
 *
 * Context: any; the caller serializes.
 * Return: false: this node has contributed to another key, or all other nodes have forgotten the
 * verdict of @key
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
 * scatter_council_depart() - note that ranks are gone
 * @council: the council
 * @facts: the ranks; the council may know some of them already
 *
 * Context: any; the caller serializes.
 */
void scatter_council_depart(struct scatter_council *council, const struct scatter_facts *facts)
{
	scatter_decree_learn(&council->facts, facts);
}

/**
 * scatter_council_lose() - note that a node is lost for good
 * @council: the council
 * @node: the node; the caller makes its ranks depart before
 *
 * Context: any; the caller serializes.
 */
void scatter_council_lose(struct scatter_council *council, u32 node)
{
	scatter_set_add(&council->gone, node);
	settle(council);
}

/**
 * scatter_council_excuse() - note that a node has no members any more
 * @council: the council
 * @node: the node; the caller makes its ranks depart before
 *
 * Context: any; the caller serializes.
 */
void scatter_council_excuse(struct scatter_council *council, u32 node)
{
	scatter_set_add(&council->excused, node);
	settle(council);
}

/**
 * scatter_council_fence() - note that a node is down, as the administrator says
 * @council: the council
 * @node: the node, not this one; its connection is closed
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
	/* Only a node that lies makes views run out. Then the council decides nothing any more. */
	if (view >= SCATTER_COUNCIL_END)
		return;
	scatter_home_begin(council, view);
	settle(council);
}

/**
 * scatter_council_suspect() - go on to another home if the home has been silent for too long
 * @council: the council
 * @silent: the nodes that have been silent, without this one
 *
 * If the home is one of @silent, the next node that is not begins the next view of which it is the
 * home. If that is another node, it may not have heard of the present view: then this node tells
 * it.
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

/* Whether the group has the nodes and ranks of a message, and its key belongs to its motion. */
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

/* Whether a message of another view counts nevertheless. */
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
	/* A node that knows a verdict has to be in the verdict's view, or in a higher one. */
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

/* Handle a message to the home of the present view. */
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
 * scatter_council_receive() - handle a message of another node
 * @council: the council
 * @from: the other node
 * @message: the message, whose fields are in the ranges that struct scatter_council_message tells
 *
 * Drops a message about ranks or nodes that the group does not have.
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
 * scatter_council_remind() - repeat the messages that have had no answer
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

/**
 * scatter_council_is_led() - whether the present view has a quorum, as far as this node knows
 * @council: the council
 *
 * A verdict shows nothing: it may be one of an earlier view.
 *
 * Context: any; the caller serializes.
 */
bool scatter_council_is_led(const struct scatter_council *council)
{
	return is_home(council) ? council->role == SCATTER_COUNCIL_LEADING : council->led;
}
