// SPDX-License-Identifier: GPL-2.0
/*
 * Splits: DUP and SPLIT of groups on several nodes.
 *
 * The operation is decreed, see span/ballot.c: it succeeds on all nodes or on none. Each member
 * leaves its applicant in the operation. What happens then on a node:
 *
 *	open --(all members here have called)--> paid --> contributed --(success)--> made, settled
 *	  |                                        |          |
 *	  |                       (too many groups)|          `--(an error)--> settled
 *	  |                                        v
 *	  `--(a plea)--> contributed in a hurry  contributed, with ENOSPC
 *
 * - A node that contributes has all that its parts of the new groups need, as span/heir.c says.
 *   So a node that cannot make its part says so before the verdict, and then nobody gets a
 *   membership.
 * - To a SPLIT a node contributes the choices of its members, and the verdict has those of all
 *   ranks. So all nodes find the same new groups, with the same ranks, as if one of them had
 *   sorted all applicants. To a DUP nobody contributes choices: the order is known.
 * - One decree has no room for the choices of a large group. So such a SPLIT has several *turns*.
 *   The first one is as that of a DUP. Then all contribute to the second one, with the choices of
 *   the first ranks, and so on. scatter_assembly.choices keeps what has been decided. A turn that
 *   fails ends the operation; the last one that succeeds makes the new groups.
 * - Success means that all ranks have called. A member that has gone after that is dead in its new
 *   group. A node makes its part of a new group even if all its members in that group are gone,
 *   since other nodes may need its vote.
 * - A node makes all its parts before its members hear of the verdict. Between one part and the
 *   next the old group's lock is free: a member may go meanwhile, or a new group may hear of other
 *   nodes. scatter_portal.moving is held, so the operation stays.
 *
 * A peer that lies may send any verdict. If that gives a member here another place than the member
 * has asked for, nothing is made, and the operation ends with ENETUNREACH.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/scatter.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/spinlock.h>

#include "council/council.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/seats.h"
#include "group/sides.h"
#include "group/spec.h"
#include "hooks.h"
#include "operation/operation.h"
#include "span/assembly.h"
#include "span/heir.h"
#include "span/split.h"
#include "wire/wide_council.h"

static_assert(SCATTER_CHOICES_MAX == SCATTER_WIDE_CHOICES_MAX);

/* Whether one decree has room for the choices of all ranks. */
static bool is_small(u32 size)
{
	return size <= scatter_hooks_choices_max();
}

/**
 * scatter_split_turns() - how many turns the key of an operation has at most
 * @size: of the group
 *
 * Context: any.
 */
u32 scatter_split_turns(u32 size)
{
	return is_small(size) ? 1 : 1 + DIV_ROUND_UP(size, scatter_hooks_choices_max());
}

/* How many turns an operation has. */
static u32 turns_of(const struct scatter_operation *operation)
{
	return operation->spec.op == SCATTER_OP_SPLIT ? scatter_split_turns(operation->size) : 1;
}

/* Whether a turn of a SPLIT lists choices. */
static bool lists(u32 size, u32 turn)
{
	return turn > 1 || is_small(size);
}

/**
 * scatter_split_turn() - which turn of an operation's key comes next
 * @operation: members here have called it
 *
 * Context: any; scatter_portal.moving is held.
 * Return: the turn, 1 unless the operation is a SPLIT of a large group
 */
u32 scatter_split_turn(const struct scatter_operation *operation)
{
	return scatter_op_regroups(operation->spec.op) ? operation->seating->turns + 1 : 1;
}

/**
 * scatter_split_concerns() - whether a turn of an operation's key is about a rank
 * @size: of the group
 * @turn: the turn
 * @rank: the rank
 *
 * In the first turn all have to have called. A later one is about as many ranks as it can list.
 *
 * Context: any.
 */
bool scatter_split_concerns(u32 size, u32 turn, u32 rank)
{
	return turn == 1 || rank / scatter_hooks_choices_max() == turn - 2;
}

/**
 * scatter_split_is_sound() - whether a node may contribute that to a turn of an operation's key
 * @size: of the group
 * @turn: the turn
 * @contribution: what the node says
 *
 * What passes here can be merged with what others contribute, and has room on the wire.
 *
 * Context: any.
 */
bool scatter_split_is_sound(u32 size, u32 turn, const struct scatter_decree *contribution)
{
	u32 rank;

	if (contribution->flags & SCATTER_DECREE_LISTED && !lists(size, turn))
		return false;
	for (rank = 0; rank < size; rank++)
		if (scatter_set_has(&contribution->called, rank) &&
		    !scatter_split_concerns(size, turn, rank))
			return false;
	return true;
}

/**
 * struct context - where ranks want to sit
 * @group: their group
 * @choices: by rank; NULL: of a DUP, in which all want the same
 */
struct context {
	const struct scatter_group *group;
	const struct scatter_choice *choices;
};

static struct context context_of(const struct scatter_operation *operation)
{
	const struct scatter_group *group = operation->group;
	bool splits = operation->spec.op == SCATTER_OP_SPLIT;

	return (struct context){
		.group = group,
		.choices = splits ? group->portal->assembly->choices : NULL,
	};
}

static s32 color_of(const struct context *context, u32 rank)
{
	return context->choices ? (s32)context->choices[rank].color : 0;
}

static struct scatter_bid bid_of(const struct context *context, u32 rank)
{
	return (struct scatter_bid){
		.color = color_of(context, rank),
		.side = scatter_sides_side(context->group, rank),
		.key = context->choices ? (s32)context->choices[rank].key : 0,
		.rank = rank,
	};
}

static int compare(const void *a, const void *b, const void *priv)
{
	const struct scatter_bid one = bid_of(priv, *(const u16 *)a);
	const struct scatter_bid other = bid_of(priv, *(const u16 *)b);

	return scatter_seats_compare(&one, &other);
}

/* Put the ranks that get a seat, or those @here, in the order of their seats; returns how many. */
static u32 arrange(const struct scatter_operation *operation, bool here)
{
	const struct context context = context_of(operation);
	u16 *order = operation->group->portal->assembly->order;
	u32 rank, count = 0;

	for (rank = 0; rank < operation->size; rank++)
		if (color_of(&context, rank) != SCATTER_COLOR_NONE &&
		    (!here || operation->seating->applicants[rank]))
			order[count++] = rank;
	sort_r(order, count, sizeof(*order), compare, NULL, &context);
	return count;
}

/* The new group whose first seat is the one of a number. */
static struct scatter_heir_ranks group_at(const struct scatter_operation *operation, u32 first,
					  u32 count)
{
	const struct context context = context_of(operation);
	struct scatter_heir_ranks ranks = {
		.list = operation->group->portal->assembly->order + first,
	};

	while (first + ranks.count < count &&
	       color_of(&context, ranks.list[ranks.count]) == color_of(&context, ranks.list[0]))
		ranks.count++;
	return ranks;
}

/* Note what the members here have chosen. */
static void choose_locked(const struct scatter_operation *operation)
{
	struct scatter_choice *choices = operation->group->portal->assembly->choices;
	const struct scatter_applicant *applicant;
	u32 rank;

	lockdep_assert_held(&operation->group->lock);
	for (rank = 0; rank < operation->size; rank++) {
		applicant = operation->seating->applicants[rank];
		if (applicant)
			choices[rank] = (struct scatter_choice){
				.color = applicant->bid.color,
				.key = applicant->bid.key,
			};
	}
}

/**
 * scatter_split_fill_locked() - what a node contributes besides when all its members have called
 * @operation: a DUP or SPLIT, to which all members here have brought their applicants;
 *	scatter_portal.moving is held
 * @decree: (in, out) has those of these members whom the turn is about
 *
 * Pays for this node's parts of all new groups. What is paid for goes with its applicant.
 *
 * Context: the group's lock is held.
 */
void scatter_split_fill_locked(const struct scatter_operation *operation,
			       struct scatter_decree *decree)
{
	struct scatter_heir_ranks ranks;
	u32 i, count, rank;

	lockdep_assert_held(&operation->group->lock);
	if (operation->spec.op == SCATTER_OP_SPLIT) {
		choose_locked(operation);
		if (lists(operation->size, scatter_split_turn(operation)))
			decree->flags |= SCATTER_DECREE_LISTED;
	}
	count = arrange(operation, true);
	for (i = 0; i < count; i += ranks.count) {
		ranks = group_at(operation, i, count);
		rank = scatter_heir_pay_locked(operation->seating->applicants, &ranks);
		if (rank == SCATTER_NO_RANK)
			continue;
		decree->error = ENOSPC;
		decree->culprit = rank;
		return;
	}
}

/* Whether a verdict can be: members here get what they have asked for. */
static bool is_possible_locked(const struct scatter_operation *operation, u32 turn,
			       const struct scatter_decree *verdict)
{
	bool needed = operation->spec.op == SCATTER_OP_SPLIT && lists(operation->size, turn);
	const struct scatter_applicant *applicant;
	u32 rank;

	lockdep_assert_held(&operation->group->lock);
	if (operation->fulfilled + 1 != operation->parties ||
	    turn != scatter_split_turn(operation) ||
	    (needed && !(verdict->flags & SCATTER_DECREE_LISTED)))
		return false;
	/* A list that nobody needs is a lie, and nobody reads it. */
	for (rank = 0; needed && rank < operation->size; rank++) {
		applicant = operation->seating->applicants[rank];
		if (applicant && scatter_split_concerns(operation->size, turn, rank) &&
		    (applicant->bid.color != (s32)verdict->choices[rank].color ||
		     applicant->bid.key != (s32)verdict->choices[rank].key))
			return false;
	}
	return true;
}

/* A turn has succeeded; false: that was the last one. */
static bool go_on_locked(struct scatter_operation *operation, u32 turn,
			 const struct scatter_decree *verdict)
{
	struct scatter_portal *portal = operation->group->portal;
	u32 rank;

	lockdep_assert_held(&operation->group->lock);
	for (rank = 0; verdict->flags & SCATTER_DECREE_LISTED && rank < operation->size; rank++)
		if (scatter_split_concerns(operation->size, turn, rank))
			portal->assembly->choices[rank] = verdict->choices[rank];
	operation->seating->turns = turn;
	if (turn == turns_of(operation))
		return false;
	operation->brought = 0;
	portal->convenes = true;
	return true;
}

/* Make this node's part of a new group, if members of this node are in the group. */
static void make_one(struct scatter_group *group, struct scatter_operation *operation,
		     const struct scatter_heir_ranks *ranks,
		     const struct scatter_council_key *key, const struct scatter_decree *verdict)
{
	struct scatter_applicant **applicants = operation->seating->applicants;
	struct scatter_group *heir;
	bool formed;

	spin_lock(&group->lock);
	heir = scatter_heir_take_locked(applicants, ranks);
	spin_unlock(&group->lock);
	if (!heir)
		heir = scatter_heir_vacant(group, ranks);
	if (!heir)
		return;
	scatter_heir_arrange(heir, group, ranks, key, verdict);
	spin_lock(&group->lock);
	formed = scatter_heir_seat_locked(heir, group, ranks, applicants);
	spin_unlock(&group->lock);
	if (formed)
		scatter_heir_meet(heir, group);
	scatter_group_put(heir);
}

/* Make this node's parts of all new groups. */
static void make_all(struct scatter_group *group, struct scatter_operation *operation,
		     const struct scatter_council_key *key, const struct scatter_decree *verdict)
{
	u32 i, count = arrange(operation, false);
	struct scatter_heir_ranks ranks;

	for (i = 0; i < count; i += ranks.count) {
		ranks = group_at(operation, i, count);
		make_one(group, operation, &ranks, key, verdict);
		cond_resched();
	}
	spin_lock(&group->lock);
	operation->seating->made = true;
	spin_unlock(&group->lock);
}

/**
 * scatter_split_decided() - make this node's parts of the new groups, if a verdict says so
 * @group: formed, and spans nodes; referenced
 * @operation: an operation with a successful verdict; nothing happens unless it is a DUP or SPLIT
 *	that is not settled
 * @key: of the verdict
 * @verdict: the verdict
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's; for
 * scatter_mail_flush().
 * Return: 0: the operation has succeeded; -EINPROGRESS: another turn has to succeed, too, and is
 * due; -ENETUNREACH: only a peer that lies sends such a verdict, and nothing was made.
 */
int scatter_split_decided(struct scatter_group *group, struct scatter_operation *operation,
			  const struct scatter_council_key *key,
			  const struct scatter_decree *verdict)
{
	bool due;
	int error = 0;

	lockdep_assert_held(&group->portal->moving);
	spin_lock(&group->lock);
	due = scatter_op_regroups(operation->spec.op) && !operation->settled;
	if (due && !is_possible_locked(operation, key->turn, verdict)) {
		scatter_portal_evict_locked(group);
		error = -ENETUNREACH;
	} else if (due && go_on_locked(operation, key->turn, verdict)) {
		error = -EINPROGRESS;
	}
	spin_unlock(&group->lock);
	if (due && !error)
		make_all(group, operation, key, verdict);
	return error;
}
