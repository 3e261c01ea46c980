// SPDX-License-Identifier: GPL-2.0
/*
 * Motions: which key each motion of a council holds, and what this node knows of that key.
 */
#include "council/motion.h"

/**
 * scatter_motion_find() - find the motion to which a key belongs
 * @council: the council
 * @key: the key
 *
 * Context: any; the caller serializes.
 * Return: the motion, which may hold another key
 */
struct scatter_motion *scatter_motion_find(struct scatter_council *council,
					   const struct scatter_council_key *key)
{
	return &council->motions[key->kind * SCATTER_COUNCIL_DEPTH +
				 key->number % SCATTER_COUNCIL_DEPTH];
}

/*
 * Whether a motion keeps its key. A key to which nodes have only contributed gives way to an
 * earlier key, which a later promise may name.
 */
static bool is_firm(const struct scatter_motion *motion)
{
	return motion->ballot || motion->best;
}

/**
 * scatter_motion_is_past() - whether a motion has moved on
 * @motion: the motion of the key
 * @key: the key
 *
 * Context: any; the caller serializes.
 * Return: whether the motion will never hold the key again
 */
bool scatter_motion_is_past(const struct scatter_motion *motion,
			    const struct scatter_council_key *key)
{
	return !scatter_motion_after(key, &motion->last) ||
	       (is_firm(motion) && scatter_motion_after(&motion->key, key));
}

/* Forget what the present view knows of the motion's key. */
static void clear(struct scatter_motion *motion)
{
	const struct scatter_set nobody = { 0 };

	motion->proposed = false;
	motion->best = 0;
	motion->arrived = nobody;
	motion->accepts = nobody;
	motion->knows = nobody;
	scatter_decree_init(&motion->plan, motion->plan.choices);
}

/* Move on: all keys up to @last are over, and this node cannot learn their verdicts any more. */
static void move(struct scatter_council *council, struct scatter_motion *motion,
		 const struct scatter_council_key *last)
{
	struct scatter_council_key missed = motion->own_key;

	motion->last = *last;
	if (!scatter_motion_after(&motion->key, last)) {
		motion->key = (struct scatter_council_key){ 0 };
		motion->ballot = 0;
		clear(motion);
	}
	if (!missed.turn || scatter_motion_after(&missed, last))
		return;
	motion->own_key.turn = 0;
	council->ops->missed(council->context, &missed);
}

/**
 * scatter_motion_renew() - prepare a motion for another view
 * @motion: the motion; drops its key if this node has accepted nothing for the key
 *
 * Context: any; the caller serializes.
 */
void scatter_motion_renew(struct scatter_motion *motion)
{
	clear(motion);
	if (!motion->ballot)
		motion->key = (struct scatter_council_key){ 0 };
}

/**
 * scatter_motion_take() - let a motion take a key
 * @council: the council
 * @motion: the motion of the key, which is not past. If the motion holds an earlier key, a home has
 *	said that @key may follow
 * @key: the key
 *
 * Context: any; the caller serializes.
 */
void scatter_motion_take(struct scatter_council *council, struct scatter_motion *motion,
			 const struct scatter_council_key *key)
{
	const struct scatter_council_key last = motion->key;

	if (scatter_motion_holds(motion, key))
		return;
	if (scatter_motion_after(&last, key))
		scatter_motion_renew(motion);
	else if (last.turn)
		move(council, motion, &last);
	motion->key = *key;
}

/**
 * scatter_motion_forget() - forget a key whose verdict all nodes know
 * @council: the council
 * @motion: the motion of the key
 * @last: the key, which is after the last one that was forgotten
 *
 * Context: any; the caller serializes.
 */
void scatter_motion_forget(struct scatter_council *council, struct scatter_motion *motion,
			   const struct scatter_council_key *last)
{
	move(council, motion, last);
}

/**
 * scatter_motion_accept() - accept a decree in the present view
 * @council: the council
 * @motion: a motion that holds a key without a verdict
 * @decree: the decree
 *
 * Context: any; the caller serializes.
 */
void scatter_motion_accept(struct scatter_council *council, struct scatter_motion *motion,
			   const struct scatter_decree *decree)
{
	scatter_decree_copy(&motion->accepted, decree);
	motion->ballot = council->view + 1;
	scatter_decree_learn(&council->facts, &decree->facts);
}

/**
 * scatter_motion_decide() - take over the verdict of a motion's key
 * @council: the council
 * @motion: a motion that holds a key; nothing happens if its verdict is known
 * @verdict: the verdict
 *
 * Context: any; the caller serializes.
 */
void scatter_motion_decide(struct scatter_council *council, struct scatter_motion *motion,
			   const struct scatter_decree *verdict)
{
	const struct scatter_council_key own = motion->own_key;

	if (scatter_motion_is_decided(motion))
		return;
	if (verdict != &motion->accepted)
		scatter_motion_accept(council, motion, verdict);
	motion->ballot = SCATTER_COUNCIL_VERDICT;
	if (own.turn && !scatter_motion_after(&own, &motion->key)) {
		motion->own_key.turn = 0;
		/* The other nodes did not wait for this node's contribution to an earlier key. */
		if (scatter_motion_after(&motion->key, &own))
			council->ops->missed(council->context, &own);
	}
	council->ops->decided(council->context, &motion->key, &motion->accepted);
}

/**
 * scatter_motion_answer() - send a message about a key, without a decree
 * @council: the council
 * @key: the key
 * @type: %SCATTER_COUNCIL_ACCEPTED, KNOWN or FORGET
 * @to: another node
 *
 * Context: any; the caller serializes.
 */
void scatter_motion_answer(struct scatter_council *council,
			   const struct scatter_council_key *key,
			   enum scatter_council_type type, u32 to)
{
	const struct scatter_council_message message = {
		.type = type,
		.view = council->view,
		.key = *key,
	};

	council->ops->say(council->context, to, &message);
}

/**
 * scatter_motion_say() - send a message about a motion's key, with a decree
 * @council: the council
 * @motion: the motion
 * @type: %SCATTER_COUNCIL_ARRIVED: sends this node's contribution; ACCEPT or DECIDED: sends the
 *	decree that this node has accepted
 * @to: another node
 *
 * Context: any; the caller serializes.
 */
void scatter_motion_say(struct scatter_council *council, struct scatter_motion *motion,
			enum scatter_council_type type, u32 to)
{
	struct scatter_council_message message = {
		.type = type,
		.view = council->view,
		.key = motion->key,
		.decree = &motion->accepted,
	};

	if (type == SCATTER_COUNCIL_ARRIVED) {
		scatter_decree_learn(&motion->own.facts, &council->facts);
		message.key = motion->own_key;
		message.decree = &motion->own;
	}
	council->ops->say(council->context, to, &message);
}
