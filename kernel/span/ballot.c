// SPDX-License-Identifier: GPL-2.0
/*
 * Ballots: how a DUP, a SPLIT and operations with UNIFORM or DEADLINE_ALL end in a group on several
 * nodes.
 *
 * The blocks move as in any operation. But an operation with UNIFORM, a DUP or a SPLIT is
 * *decreed*: a member that has done its part waits, and the operation does not fail on one node
 * alone. The council decides once for all nodes. A decreed operation on a node goes
 *
 *	open --(all members here have done their parts; or there is a plea)--> contributed
 *	  |                                                                        |
 *	  |                                                                   the verdict
 *	  |                                                                        v
 *	  `--------(the verdict, or this node will never get it)---------------> settled
 *
 * - A *plea* is an event that would end the operation on one node: an error of a member here, a
 *   fact, or a disagreement. scatter_fail_locked() only notes the plea. A node with a plea
 *   contributes at once, and the council does not wait for the other nodes. A node may contribute a
 *   plea even after it has contributed that its members have done their parts: the verdict is the
 *   same for all nodes in any case.
 * - The verdict is success if it has no error and all ranks have done their parts. A rank that has
 *   not done its part is gone, since the council waits for all others. So a member returns 0 only
 *   when the verdict says so. A decreed barrier has no other messages, and nor has a DUP or SPLIT,
 *   whose new groups a node makes before it settles the operation: see span/split.c.
 * - A verdict may come before any member here has called the operation. Then the node keeps the
 *   verdict as a *ruling* for the first call, which gets EPROTO if it differs from what the others
 *   have called, and drops the blocks that have come. A node keeps few rulings. Calls of older
 *   operations get ENETUNREACH. Members whose operations all fail may run ahead, but not without
 *   end: see scatter_fact_overrun().
 * - No member here calls the next operation before the verdict of this one is known. So this node
 *   contributes only to the lowest operation without a verdict, and contributes in the order of
 *   numbers, as the council requires.
 * - With DEADLINE_ALL alone, members come and go as they like, and there is a verdict only if a
 *   deadline passes: the plea ETIME. That verdict ends the operation on each node for the members
 *   that still need something. Members that are ahead may have ended a later operation before. Then
 *   the council accepts nothing for this operation any more, and the operation ends with ETIME on
 *   this node alone, as if the calls here had failed.
 *
 * scatter_portal.moving is held whenever this node contributes, and when a verdict comes. So the
 * portal has not passed an operation that is not settled. All fields change under the group's lock,
 * so a member that calls meanwhile either finds the verdict, or is woken.
 */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "council/council.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/seats.h"
#include "group/slot.h"
#include "operation/agree.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "span/assembly.h"
#include "span/ballot.h"
#include "span/flow.h"
#include "span/split.h"
#include "wire/digest.h"

/* Contributing ---------------------------------------------------------------------- */

/*
 * A digest of what must be the same in all contributions; not 0. Idle members of an inter-group
 * know neither root nor block. Whether the others agree about these two, only the bundles tell.
 */
static u64 terms_of(const struct scatter_operation *operation)
{
	const struct scatter_spec *spec = &operation->spec;
	__le64 words[2] = { 0 };

	if (!operation->group->sides[0]) {
		words[0] = cpu_to_le64(spec->root);
		words[1] = cpu_to_le64(spec->block);
	}
	return scatter_digest_bytes(scatter_spec_digest(spec), words, sizeof(words)) ?: 1;
}

/* Find what this node has to contribute, as enum scatter_operation_bring. */
static u32 due_locked(const struct scatter_operation *operation)
{
	u32 due = operation->brought;

	lockdep_assert_held(&operation->group->lock);
	/* All parties but the portal have done their parts. After a plea that is no news. */
	if (scatter_operation_is_decreed(operation) && !operation->plea &&
	    operation->fulfilled + 1 == operation->parties)
		due |= SCATTER_OPERATION_FULFILLED;
	if (operation->plea)
		due |= SCATTER_OPERATION_PLEA;
	return due;
}

static void fill_locked(struct scatter_group *group, const struct scatter_operation *operation,
			u32 turn, struct scatter_decree *decree)
{
	const struct scatter_part *part;
	bool any = false;
	u32 rank;

	lockdep_assert_held(&group->lock);
	scatter_decree_init(decree, group->portal->assembly->choices);
	for (rank = 0; rank < group->size; rank++) {
		part = scatter_operation_part(operation, rank);
		if (!scatter_group_member(group, rank) || !part->posted ||
		    !scatter_split_concerns(group->size, turn, rank))
			continue;
		scatter_set_add(&decree->called, rank);
		any = true;
	}
	if (any)
		decree->terms = terms_of(operation);
	if (!operation->plea) {
		if (scatter_op_regroups(operation->spec.op))
			scatter_split_fill_locked(operation, decree);
		return;
	}
	decree->error = -operation->plea;
	decree->culprit = operation->pleaded;
	decree->flags = SCATTER_DECREE_HURRY;
}

/**
 * scatter_ballot_find() - find an operation to whose end this node has to contribute
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @key: (out) the operation's key
 * @decree: (out) what this node contributes
 *
 * Context: takes the group's lock.
 * Return: false: there is no such operation.
 */
bool scatter_ballot_find(struct scatter_group *group, struct scatter_council_key *key,
			 struct scatter_decree *decree)
{
	struct scatter_operation *operation;
	bool found = false;
	u64 number;
	u32 due;

	lockdep_assert_held(&group->portal->moving);
	spin_lock(&group->lock);
	for (number = group->end - group->nr_operations; number < group->end; number++) {
		operation = scatter_operation_find_locked(group, number);
		if (!operation || operation->settled ||
		    !(scatter_operation_is_decreed(operation) || operation->plea)) {
			scatter_group_breathe_locked(group, number);
			continue;
		}
		due = due_locked(operation);
		found = due != operation->brought;
		if (!found)
			break;
		operation->brought = due;
		*key = (struct scatter_council_key){
			.number = number,
			.turn = scatter_split_turn(operation),
			.kind = SCATTER_COUNCIL_OPERATION,
		};
		fill_locked(group, operation, key->turn, decree);
		break;
	}
	spin_unlock(&group->lock);
	return found;
}

/* Verdicts -------------------------------------------------------------------------- */

/* The verdict's error. A peer that lies may send any number. */
static int error_of(const struct scatter_decree *verdict)
{
	switch (verdict->error) {
	case EREMOTEIO:
	case ECONNRESET:
	case ESHUTDOWN:
	case ECANCELED:
	case EPROTO:
	case ETIME:
	case ENOSPC:
		return -(int)verdict->error;
	default:
		return -ENETUNREACH;
	}
}

/* Find how an operation has ended; all nodes find the same. */
static int outcome_of(const struct scatter_group *group, u32 turn,
		      const struct scatter_decree *verdict, u32 *culprit)
{
	u32 rank;
	int error;

	for (rank = 0; rank < group->size; rank++)
		if (!scatter_set_has(&verdict->called, rank) &&
		    scatter_split_concerns(group->size, turn, rank))
			break;
	*culprit = SCATTER_RANK_ANY;
	if (verdict->culprit < group->size)
		*culprit = verdict->culprit;
	else if (rank < group->size)
		*culprit = rank;
	if (verdict->error) {
		error = error_of(verdict);
		if (error == -ENETUNREACH)
			*culprit = SCATTER_RANK_ANY;
		return error;
	}
	if (rank == group->size)
		return 0;
	return scatter_set_has(&verdict->facts.left, rank) ? -ESHUTDOWN : -ECONNRESET;
}

/*
 * Whether an operation can have succeeded: all members here have done their parts, and the new
 * groups of a DUP or SPLIT have been made. Otherwise a peer lies, or the verdict comes when all are
 * gone.
 */
static bool can_succeed_locked(const struct scatter_operation *operation)
{
	lockdep_assert_held(&operation->group->lock);
	if (scatter_op_regroups(operation->spec.op) && !operation->seating->made)
		return false;
	return operation->fulfilled + 1 == operation->parties;
}

/* End an operation here. */
static void settle_locked(struct scatter_group *group, struct scatter_operation *operation,
			  int error, u32 culprit)
{
	bool fails = error && scatter_operation_ends_together(operation);

	lockdep_assert_held(&group->lock);
	if (operation->settled || !(scatter_operation_is_decreed(operation) || fails))
		return;
	if (!error && !can_succeed_locked(operation)) {
		error = -ENETUNREACH;
		culprit = SCATTER_RANK_ANY;
		scatter_portal_evict_locked(group);
	}
	scatter_fail_settle_locked(group, operation, error, culprit);
}

/* Keep a ruling for an operation that no member here has called; returns a ruling to be freed. */
static struct scatter_portal_ruling *rule_locked(struct scatter_group *group,
						 struct scatter_portal_ruling *ruling)
{
	lockdep_assert_held(&group->lock);
	if (ruling->number < group->end - group->nr_operations)
		return ruling;
	scatter_portal_rule_locked(group, ruling);
	return NULL;
}

/* Find an operation that members here have called. It stays: the portal has not passed it. */
static struct scatter_operation *find(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation;

	lockdep_assert_held(&group->portal->moving);
	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, number);
	if (operation && (!operation->posted ||
			  operation->parts[group->size].state == SCATTER_PART_CLOSED))
		operation = NULL;
	spin_unlock(&group->lock);
	return operation;
}

/*
 * Whether members here have called something else than others: a member elsewhere may have failed,
 * and its node passed the operation, before this node has said what its members call.
 */
static bool differs(struct scatter_group *group, const struct scatter_operation *operation,
		    const struct scatter_decree *verdict)
{
	bool other;

	/* The verdict names a culprit already. */
	if (!verdict->terms || verdict->error == SCATTER_DECREE_DISAGREE)
		return false;
	spin_lock(&group->lock);
	other = !operation->error && terms_of(operation) != verdict->terms;
	spin_unlock(&group->lock);
	return other;
}

/*
 * Break the group: members here have called something else than others. The verdict is about what
 * the others have called, so it is not the outcome for the members here.
 */
static int disagree(struct scatter_group *group, struct scatter_operation *operation, int error,
		    u32 *culprit)
{
	scatter_flow_disagree(group, operation, SCATTER_NO_RANK);
	spin_lock(&group->lock);
	if (operation->number >= group->doom_from) {
		error = group->doom_error;
		*culprit = group->doom_culprit;
	}
	spin_unlock(&group->lock);
	return error;
}

/**
 * scatter_ballot_decided() - act on the verdict about the end of an operation
 * @group: formed, and spans nodes; referenced
 * @key: of the operation
 * @verdict: the verdict
 *
 * If members disagree, the caller has to call scatter_fail_abort().
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's; for
 * scatter_mail_flush().
 */
void scatter_ballot_decided(struct scatter_group *group, const struct scatter_council_key *key,
			    const struct scatter_decree *verdict)
{
	struct scatter_portal_ruling *ruling;
	struct scatter_slot *slot = NULL;
	u64 number = key->number;
	struct scatter_operation *operation = find(group, number);
	u32 culprit;
	int error;

	lockdep_assert_held(&group->portal->moving);
	error = outcome_of(group, key->turn, verdict, &culprit);
	if (operation && differs(group, operation, verdict))
		error = disagree(group, operation, error, &culprit);
	if (operation && !error)
		error = scatter_split_decided(group, operation, key, verdict);
	if (error == -EINPROGRESS)
		return;
	ruling = kzalloc(sizeof(*ruling), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	*ruling = (struct scatter_portal_ruling){
		.number = number,
		/* Of members that disagree nobody is right. */
		.terms = verdict->error == SCATTER_DECREE_DISAGREE ? 0 : verdict->terms,
		.error = error,
		.culprit = culprit,
	};
	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, number);
	/* No member here has called: only a peer that lies says that the operation succeeded. */
	if (!operation && !ruling->error) {
		ruling->error = -ENETUNREACH;
		ruling->culprit = SCATTER_RANK_ANY;
	}
	if (operation)
		settle_locked(group, operation, ruling->error, ruling->culprit);
	/* Members disagree: break the group. */
	if (ruling->error == -EPROTO && ruling->culprit != SCATTER_RANK_ANY)
		scatter_fail_doom_locked(group, number, -EPROTO, ruling->culprit);
	if (!operation)
		ruling = rule_locked(group, ruling);
	scatter_group_unlock(group);
	kfree(ruling);
	/* The blocks of others: all nodes have the same verdict, so none needs them. */
	if (!operation)
		slot = scatter_slot_find(group, number);
	if (slot)
		scatter_slot_empty(group, slot);
}

/**
 * scatter_ballot_recall_locked() - look whether an operation has ended before a member here called
 * @group: the operation's group; formed, and spans nodes
 * @operation: an operation that has its spec, and that no other member here has called
 * @rank: the member that calls it now
 *
 * The council may have ended the operation; or the outcome is unknown here, if this node has
 * dropped the ruling or is cut off.
 *
 * Context: the group's lock is held; for scatter_group_unlock().
 * Return: false: the member differs from those that have called elsewhere; the caller has to call
 * scatter_fail_abort() and scatter_span_mismatched().
 */
bool scatter_ballot_recall_locked(struct scatter_group *group,
				  struct scatter_operation *operation, u32 rank)
{
	const struct scatter_portal_ruling ruling =
		scatter_portal_recall_locked(group, operation->number);
	int error = ruling.error;

	lockdep_assert_held(&group->lock);
	if (error && ruling.terms && ruling.terms != terms_of(operation)) {
		scatter_agree_break_locked(group, operation, rank);
		/* There is no other verdict to wait for. */
		scatter_fail_settle_locked(group, operation, -EPROTO, rank);
		return false;
	}
	if (!error && scatter_operation_is_decreed(operation) && group->portal->cut)
		error = -ENETUNREACH;
	if (!error && operation->number < group->portal->unruled) {
		if (scatter_operation_is_decreed(operation))
			error = -ENETUNREACH;
		else if (scatter_operation_ends_together(operation))
			error = -ETIME;
	}
	if (error)
		scatter_fail_settle_locked(group, operation, error, ruling.culprit);
	return true;
}

/* End an operation for which this node will never get a verdict. */
static void give_up_locked(struct scatter_group *group, struct scatter_operation *operation)
{
	bool decreed = scatter_operation_is_decreed(operation);

	lockdep_assert_held(&group->lock);
	if (operation->settled)
		return;
	if (decreed)
		scatter_fail_settle_locked(group, operation, -ENETUNREACH, SCATTER_RANK_ANY);
	else if (operation->plea)
		scatter_fail_settle_locked(group, operation, operation->plea, operation->pleaded);
}

/*
 * Whether members elsewhere have called something else: that needed no verdict, so they were ahead,
 * and their nodes did not wait for what this node contributed. The operation cannot have succeeded,
 * since this node has never contributed that its members have done their parts.
 */
static bool is_disputed_locked(const struct scatter_operation *operation)
{
	lockdep_assert_held(&operation->group->lock);
	return operation->plea == -EPROTO && scatter_split_turn(operation) == 1 &&
	       !(operation->brought & SCATTER_OPERATION_FULFILLED);
}

/**
 * scatter_ballot_missed() - end an operation whose verdict this node will never get
 * @group: formed, and spans nodes; referenced
 * @number: number of an operation, to whose end this node has contributed
 *
 * If members disagree about the operation, they learn that. Otherwise this node does not know how
 * the operation has ended.
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's.
 */
void scatter_ballot_missed(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation;
	bool cut;

	lockdep_assert_held(&group->portal->moving);
	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, number);
	cut = operation && scatter_operation_is_decreed(operation) && !operation->settled;
	if (cut && is_disputed_locked(operation)) {
		scatter_fail_settle_locked(group, operation, -EPROTO, operation->pleaded);
		cut = false;
	}
	if (operation)
		give_up_locked(group, operation);
	/* The other nodes go on without this node. */
	if (cut)
		scatter_portal_evict_locked(group);
	scatter_group_unlock(group);
}

/**
 * scatter_ballot_refused() - end an operation for which the council takes nothing any more
 * @group: formed, and spans nodes; referenced
 * @number: number of an operation, to whose end this node has never contributed
 *
 * The other nodes are ahead: the members there have called something else, which needed no verdict.
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_fail_abort() and scatter_mail_flush() afterwards.
 */
void scatter_ballot_refused(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation = find(group, number);

	if (operation && scatter_operation_is_decreed(operation) &&
	    scatter_split_turn(operation) == 1) {
		scatter_flow_disagree(group, operation, SCATTER_NO_RANK);
		spin_lock(&group->lock);
		if (!operation->settled && number >= group->doom_from)
			scatter_fail_settle_locked(group, operation, group->doom_error,
						   group->doom_culprit);
		scatter_group_unlock(group);
	}
	scatter_ballot_missed(group, number);
}

/**
 * scatter_ballot_cut() - end all decreed operations: there are too few nodes for any verdict
 * @group: formed, and spans nodes; referenced
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's.
 */
void scatter_ballot_cut(struct scatter_group *group)
{
	struct scatter_operation *operation;
	u64 number;

	lockdep_assert_held(&group->portal->moving);
	spin_lock(&group->lock);
	for (number = group->end - group->nr_operations; number < group->end; number++) {
		operation = scatter_operation_find_locked(group, number);
		if (operation)
			give_up_locked(group, operation);
		scatter_group_breathe_locked(group, number);
	}
	scatter_group_unlock(group);
}
