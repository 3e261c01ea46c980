// SPDX-License-Identifier: GPL-2.0
/*
 * Edges between nodes: what a node does for an operation after each event: a call, a failure, or a
 * message.
 *
 * The first message between two nodes of a group is ATTACH. Until the other node has answered
 * ATTACH, a node keeps no messages for it: the state of the slot tells what is to be sent.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "span/barrier.h"
#include "span/done.h"
#include "span/edge.h"
#include "span/fact.h"
#include "span/flow.h"
#include "span/lane.h"
#include "span/pull.h"

/* Do for one operation what can be done. @operation or @slot may be NULL. */
static void push_one(struct scatter_group *group, struct scatter_operation *operation,
		     struct scatter_slot *slot)
{
	bool moves = !operation || scatter_op_moves(operation->spec.op);
	bool decreed = operation && scatter_operation_is_decreed(operation);

	if (operation && moves)
		scatter_flow_meet(group, operation, slot);
	/*
	 * Nodes send no bundles of a barrier, and no EDGE of a decreed one. They send neither for a
	 * DUP or SPLIT. They tell of failed calls only if blocks depend on them, and not of decreed
	 * operations, which have verdicts.
	 */
	if (operation && (slot->differs || (!moves && slot->known) ||
			  (!moves && decreed && slot->arrived) ||
			  ((!moves || decreed) && slot->failed) ||
			  (slot->met && (slot->arrived || slot->down))))
		scatter_flow_disagree(group, operation,
				      slot->known ? slot->head.root : SCATTER_NO_RANK);
	else if (!moves && !decreed)
		scatter_barrier_push(group, operation, slot);
	else if (moves)
		scatter_flow_push(group, operation, slot);
}

/* Passing ------------------------------------------------------------------ */

/*
 * Whether the node is through with a scatter or gather. If not, the portal looks again when another
 * message comes, or when another call here goes on: so a call that ends until then need not have
 * the portal look.
 */
static bool is_through_locked(struct scatter_group *group, struct scatter_operation *operation,
			      const struct scatter_slot *slot)
{
	bool through = scatter_flow_is_through_locked(group, slot);

	lockdep_assert_held(&group->lock);
	operation->awaits_nodes = !through;
	return through;
}

/*
 * Whether the portal is to pass an operation. The portal passes a barrier when it has called the
 * barrier. It passes a scatter or gather after all members here have passed, and one of these
 * holds: nothing is under way any more; all members of the group are gone; or the operation has
 * failed. If this node contributes to the end of the operation, the verdict comes first; a decreed
 * barrier, a DUP or a SPLIT waits for nothing else.
 */
static bool is_over(struct scatter_group *group, struct scatter_operation *operation,
		    const struct scatter_slot *slot)
{
	const struct scatter_part *part = &operation->parts[group->size];
	bool decreed, empty, ends, over, waits;

	spin_lock(&group->lock);
	decreed = scatter_operation_is_decreed(operation);
	empty = group->gone == group->size;
	ends = operation->error || empty;
	waits = (decreed || operation->brought) && !operation->settled && !empty;
	if (part->state == SCATTER_PART_CLOSED || waits)
		over = false;
	else if (!scatter_op_moves(operation->spec.op))
		over = operation->error || part->posted || decreed;
	else
		over = (is_through_locked(group, operation, slot) || ends) &&
		       operation->passed == group->locals;
	spin_unlock(&group->lock);
	return over;
}

/* Pass an operation; @later: as of scatter_slot_drop(). */
static void pass(struct scatter_group *group, struct scatter_operation *operation,
		 struct scatter_slot *slot, struct list_head *later)
{
	bool last;

	if (operation->error)
		scatter_operation_wake(operation);
	if (scatter_op_moves(operation->spec.op) && !slot->ended)
		scatter_done_owe(group, slot, operation->error);
	scatter_slot_drop(group, slot, later);
	spin_lock(&group->lock);
	if (operation->error || group->gone == group->size)
		group->portal->vain_end = operation->number + 1;
	last = scatter_operation_pass_locked(group, operation, group->size);
	spin_unlock(&group->lock);
	if (!last)
		return;
	scatter_group_wake_window(group);
	scatter_operation_free(group, operation);
}

/* Find the lowest number that this node has not passed. */
static u64 lowest(struct scatter_group *group, u64 *end)
{
	u64 number;

	spin_lock(&group->lock);
	number = group->end - group->nr_operations;
	*end = group->end;
	spin_unlock(&group->lock);
	return number;
}

/* Find an operation that the portal has not passed, and that therefore stays. */
static struct scatter_operation *find_locked(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation = scatter_operation_find_locked(group, number);

	lockdep_assert_held(&group->lock);
	if (operation && operation->parts[group->size].state == SCATTER_PART_CLOSED)
		operation = NULL;
	if (operation)
		scatter_fail_fate_locked(group, operation);
	return operation;
}

static struct scatter_operation *find(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation;

	spin_lock(&group->lock);
	operation = find_locked(group, number);
	scatter_group_unlock(group);
	return operation;
}

/* Find the operation with the lowest number that this node has not passed. */
static struct scatter_operation *find_lowest(struct scatter_group *group, u64 *number, u64 *end)
{
	struct scatter_operation *operation;

	spin_lock(&group->lock);
	*number = group->end - group->nr_operations;
	*end = group->end;
	operation = find_locked(group, *number);
	scatter_group_unlock(group);
	return operation;
}

/* Find the slot of an operation whose blocks may be pulled. NULL: no node waits for the blocks. */
static struct scatter_slot *find_pulled(struct scatter_group *group, u64 number)
{
	struct scatter_slot *slot = scatter_slot_find(group, number);

	return slot && slot->known && !slot->emptied && !slot->ended ? slot : NULL;
}

/*
 * If this node is through with an operation, but has not passed those before it, end it
 * nevertheless. If the operation fails, or waits for a verdict, DONE comes when the node passes it.
 * Nobody owes DONE for cells, and none are left.
 */
static void end_one(struct scatter_group *group, struct scatter_operation *operation,
		    struct scatter_slot *slot, struct list_head *later)
{
	bool through;

	/* What is in the way has @slot looked at again. */
	if (slot->ended || !list_empty(&slot->awaits))
		return;
	if (!slot->known || slot->cells || slot->differs || !scatter_op_moves(operation->spec.op))
		return;
	spin_lock(&group->lock);
	through = !operation->error && !scatter_operation_is_decreed(operation) &&
		  !operation->brought && is_through_locked(group, operation, slot) &&
		  operation->passed == group->locals;
	spin_unlock(&group->lock);
	if (!through || scatter_done_park(group, slot))
		return;
	scatter_done_owe(group, slot, false);
	scatter_slot_end(group, slot, later);
}

/* End the operations in @later, and those that wait only until these have ended. */
static void end_later(struct scatter_group *group, struct list_head *later)
{
	struct scatter_operation *operation;
	struct scatter_slot *slot;

	while ((slot = list_first_entry_or_null(later, struct scatter_slot, awaits))) {
		list_del_init(&slot->awaits);
		operation = find(group, slot->number);
		if (operation)
			end_one(group, operation, slot, later);
		cond_resched();
	}
}

static void end_early(struct scatter_group *group, struct scatter_operation *operation,
		      struct scatter_slot *slot)
{
	LIST_HEAD(later);

	end_one(group, operation, slot, &later);
	if (slot->looming && slot->planned) {
		slot->looming = false;
		list_splice_tail_init(&slot->awaited, &later);
	}
	end_later(group, &later);
}

static void push_all(struct scatter_group *group)
{
	struct scatter_operation *operation;
	struct scatter_slot *slot = NULL;
	u64 number, end;

	for (number = lowest(group, &end); number < end; number++) {
		operation = find(group, number);
		if (operation) {
			slot = scatter_slot_get(group, number, group->portal->self);
			push_one(group, operation, slot);
			end_early(group, operation, slot);
		}
		cond_resched();
	}
	slot = NULL;
	while ((slot = scatter_slot_next(group, slot))) {
		if (slot->number >= end)
			push_one(group, NULL, slot);
		cond_resched();
	}
}

static void push(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation = find(group, number);
	struct scatter_slot *slot;
	u64 end, first = lowest(group, &end);

	slot = operation ? scatter_slot_get(group, number, group->portal->self) :
			   scatter_slot_find(group, number);
	if (operation || (slot && number >= end))
		push_one(group, operation, slot);
	if (operation && (number > first || slot->looming))
		end_early(group, operation, slot);
}

/**
 * scatter_edge_push() - do what is due after a call, a failure, or a message
 * @group: formed, and spans nodes; referenced
 * @number: the operation to which something has happened; %SCATTER_EDGE_ALL: perhaps to any;
 *	%SCATTER_EDGE_NONE: to none
 *
 * The portal passes operations in order, so that live operations have numbers in a row.
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 */
void scatter_edge_push(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation;
	struct scatter_slot *slot;
	LIST_HEAD(later);
	u64 end;

	lockdep_assert_held(&group->portal->moving);
	if (number == SCATTER_EDGE_ALL)
		push_all(group);
	else
		push(group, number);
	for (;;) {
		operation = find_lowest(group, &number, &end);
		if (!operation)
			break;
		slot = scatter_slot_get(group, number, group->portal->self);
		if (!is_over(group, operation, slot))
			break;
		pass(group, operation, slot, &later);
		end_later(group, &later);
	}
	scatter_done_hurry(group, end);
}

/**
 * scatter_edge_meet() - tell the portal of a scatter or gather that a member here has called
 * @group: formed, and spans nodes; referenced
 * @number: the operation's number
 *
 * What is to be sent is not sent yet, unless the schedule is still to be found.
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock. The caller has to call
 * scatter_edge_push() afterwards.
 */
void scatter_edge_meet(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation = find(group, number);
	struct scatter_slot *slot;

	lockdep_assert_held(&group->portal->moving);
	if (!operation)
		return;
	slot = scatter_slot_get(group, number, group->portal->self);
	scatter_flow_meet(group, operation, slot);
	/* What is known to fail fails before the call touches the user's memory. */
	if (!slot->planned || slot->differs || slot->failed || slot->emptied)
		push_one(group, operation, slot);
}

/* Messages ----------------------------------------------------------------- */

/**
 * scatter_edge_receive() - handle an EDGE message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @edge: the message
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_edge_push() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_edge_receive(struct scatter_group *group, u32 from,
			  const struct scatter_wide_edge *edge)
{
	lockdep_assert_held(&group->portal->moving);
	return scatter_barrier_came(group, from, edge);
}

/**
 * scatter_edge_bundle() - handle a BUNDLE message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 * @news: cleared if nothing can have become due
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_edge_push() afterwards, if @news.
 * Return: false: the message breaks the protocol.
 */
bool scatter_edge_bundle(struct scatter_group *group, u32 from,
			 const struct scatter_wide_bundle *wide, struct page *page, u32 offset,
			 bool *news)
{
	lockdep_assert_held(&group->portal->moving);
	return scatter_flow_came(group, find(group, wide->number), from, wide, page, offset, news);
}

/**
 * scatter_edge_pull() - handle a PULL message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @wide: the message
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_edge_pull(struct scatter_group *group, u32 from,
		       const struct scatter_wide_pull *wide)
{
	struct scatter_slot *slot = find_pulled(group, wide->number);

	lockdep_assert_held(&group->portal->moving);
	return !slot || scatter_pull_asked(group, slot, from, wide);
}

/**
 * scatter_edge_data() - handle a DATA message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_edge_data(struct scatter_group *group, u32 from,
		       const struct scatter_wide_data *wide, struct page *page, u32 offset)
{
	struct scatter_slot *slot = find_pulled(group, wide->number);

	lockdep_assert_held(&group->portal->moving);
	return !slot || scatter_pull_came(group, slot, from, wide, page, offset);
}

/**
 * scatter_edge_fetched() - handle the bytes that this node has read by a GRANT
 * @group: formed, and spans nodes; referenced
 * @from: index of the node that sent the GRANT
 * @grant: the message
 * @segment: the bytes
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 * Return: false: the GRANT breaks the protocol.
 */
bool scatter_edge_fetched(struct scatter_group *group, u32 from,
			  const struct scatter_wide_grant *grant, struct scatter_segment *segment)
{
	struct scatter_slot *slot = find_pulled(group, grant->number);

	lockdep_assert_held(&group->portal->moving);
	return !slot || scatter_pull_fetched(group, slot, from, grant, segment);
}

/**
 * scatter_edge_done() - handle a DONE message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @done: the message
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_edge_push() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_edge_done(struct scatter_group *group, u32 from,
		       const struct scatter_wide_done *done)
{
	struct scatter_operation *operation;
	struct scatter_slot *slot = NULL;
	bool fine = true;

	lockdep_assert_held(&group->portal->moving);
	while ((slot = scatter_slot_next(group, slot)) && slot->number <= done->number) {
		operation = slot->known ? find(group, slot->number) : NULL;
		if (slot->known)
			fine = scatter_flow_done(group, operation, slot, from) ||
			       slot->number < done->number;
		if (operation)
			end_early(group, operation, slot);
		cond_resched();
	}
	return fine;
}

/**
 * scatter_edge_lane() - handle a LANE message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_edge_push() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_edge_lane(struct scatter_group *group, u32 from,
		       const struct scatter_wide_lane *wide, struct page *page, u32 offset)
{
	u64 number = wide->head.number;
	struct scatter_operation *operation;
	struct scatter_slot *slot;

	lockdep_assert_held(&group->portal->moving);
	if (scatter_operation_is_passed(group, number))
		return true;
	slot = scatter_slot_get(group, number, from);
	if (!slot) {
		scatter_fact_overrun(group, group->portal->nodes[from].first, number);
		return true;
	}
	operation = find(group, number);
	/* If members here have called, their call tells what the operation is. */
	if (operation && scatter_op_moves(operation->spec.op))
		scatter_flow_meet(group, operation, slot);
	return scatter_lane_came(group, slot, from, wide, page, offset);
}
