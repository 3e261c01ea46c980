// SPDX-License-Identifier: GPL-2.0
/*
 * Votes: what a node does for a home that is another node: contribute, promise, accept and know.
 */
#include "council/motion.h"
#include "council/vote.h"

/**
 * scatter_vote_arrive() - tell the home what this node contributes
 * @council: the council, of which another node is the home
 * @motion: the motion; nothing happens if this node has not contributed
 *
 * Context: any; the caller serializes.
 */
void scatter_vote_arrive(struct scatter_council *council, struct scatter_motion *motion)
{
	if (motion->own_key.turn)
		scatter_motion_say(council, motion, SCATTER_COUNCIL_ARRIVED,
				   scatter_vote_home(council, council->view));
}

/**
 * scatter_vote_adopt() - take part in a higher view
 * @council: the council
 * @view: the view, whose home is another node
 *
 * Context: any; the caller serializes.
 */
void scatter_vote_adopt(struct scatter_council *council, u64 view)
{
	u32 i;

	council->view = view;
	council->role = SCATTER_COUNCIL_FOLLOWING;
	council->led = false;
	for (i = 0; i < SCATTER_COUNCIL_MOTIONS; i++) {
		scatter_motion_renew(&council->motions[i]);
		scatter_vote_arrive(council, &council->motions[i]);
	}
}

/**
 * scatter_vote_prepare() - promise the present view to its home
 * @council: the council
 *
 * Context: any; the caller serializes.
 */
void scatter_vote_prepare(struct scatter_council *council)
{
	struct scatter_council_message message = {
		.type = SCATTER_COUNCIL_PROMISE,
		.view = council->view,
		.fences = &council->fences,
		.facts = &council->facts,
	};
	const struct scatter_motion *motion;
	u32 i;

	for (i = 0; i < SCATTER_COUNCIL_MOTIONS; i++) {
		motion = &council->motions[i];
		message.motion = i;
		message.ballot = motion->ballot;
		message.key = motion->key;
		message.decree = motion->ballot ? &motion->accepted : NULL;
		council->ops->say(council->context, scatter_vote_home(council, council->view),
				  &message);
	}
}

/**
 * scatter_vote_accept() - accept a decree that the home proposes
 * @council: the council, in the view of the message
 * @from: the home
 * @message: ACCEPT
 *
 * Context: any; the caller serializes.
 */
void scatter_vote_accept(struct scatter_council *council, u32 from,
			 const struct scatter_council_message *message)
{
	struct scatter_motion *motion = scatter_motion_find(council, &message->key);

	council->led = true;
	if (scatter_motion_is_past(motion, &message->key)) {
		scatter_motion_answer(council, &message->key, SCATTER_COUNCIL_FORGET, from);
		return;
	}
	scatter_motion_take(council, motion, &message->key);
	if (scatter_motion_is_decided(motion)) {
		scatter_motion_say(council, motion, SCATTER_COUNCIL_DECIDED, from);
		return;
	}
	scatter_motion_accept(council, motion, message->decree);
	scatter_motion_answer(council, &message->key, SCATTER_COUNCIL_ACCEPTED, from);
}

/**
 * scatter_vote_decided() - take over a verdict that another node tells
 * @council: the council
 * @from: the other node
 * @message: DECIDED
 *
 * Context: any; the caller serializes.
 */
void scatter_vote_decided(struct scatter_council *council, u32 from,
			  const struct scatter_council_message *message)
{
	struct scatter_motion *motion = scatter_motion_find(council, &message->key);

	if (!scatter_motion_is_past(motion, &message->key)) {
		scatter_motion_take(council, motion, &message->key);
		scatter_motion_decide(council, motion, message->decree);
	}
	scatter_motion_answer(council, &message->key, SCATTER_COUNCIL_KNOWN, from);
}

/**
 * scatter_vote_forget() - forget a key whose verdict all nodes know
 * @council: the council
 * @message: FORGET
 *
 * Context: any; the caller serializes.
 */
void scatter_vote_forget(struct scatter_council *council,
			 const struct scatter_council_message *message)
{
	struct scatter_motion *motion = scatter_motion_find(council, &message->key);
	bool waits = motion->own_key.turn &&
		     !scatter_motion_after(&motion->own_key, &message->key);

	if (scatter_motion_is_past(motion, &message->key) ||
	    !(waits || scatter_motion_holds(motion, &message->key)))
		return;
	scatter_motion_forget(council, motion, &message->key);
	if (council->role == SCATTER_COUNCIL_FOLLOWING)
		scatter_vote_arrive(council, motion);
}
