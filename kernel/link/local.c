// SPDX-License-Identifier: GPL-2.0
/*
 * The link between two members of one node.
 *
 * A bundle crosses an edge as payload or as a descriptor. Payload goes into a record in the
 * receiver's ring, or in a slot outside the ring when the ring is full. A descriptor moves no
 * bytes: the blocks stay where they lie, and scatter_cargo says where.
 *
 * A receiver that waits inside its call forwards to its own children. For any other receiver the
 * sender forwards, so that a late receiver holds nobody back. In a gather, the context that brings
 * the last blocks of a bundle sends that bundle on at once.
 */
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/member.h"
#include "group/wait.h"
#include "hooks.h"
#include "link/branch.h"
#include "link/local.h"
#include "memory/hands.h"
#include "memory/location.h"
#include "memory/ring.h"
#include "operation/block.h"
#include "operation/operation.h"
#include "operation/plan.h"
#include "trace.h"

/* Reserve a record for @live blocks that go to @to and have @bytes bytes in all. */
static bool room(const struct scatter_hands *hands, struct scatter_member *to,
		 u32 bytes, u32 live, struct scatter_location *location)
{
	struct scatter_group *group = to->group;
	bool found;

	spin_lock(&group->lock);
	found = scatter_ring_reserve(&to->ring, bytes, live, location);
	if (!found && scatter_group_charge_slot_locked(group, bytes)) {
		spin_unlock(&group->lock);
		found = scatter_location_slot(hands->user, bytes, live, location);
		spin_lock(&group->lock);
		if (!found)
			group->slot_bytes -= bytes;
	}
	spin_unlock(&group->lock);
	return found;
}

/* Copy a run of blocks into a record. False if a block cannot be read. */
static bool copy_run(struct scatter_hands *hands, struct scatter_operation *operation, u32 rank,
		     u64 bytes, const struct scatter_location *to)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

	if (cargo->state == SCATTER_BLOCK_RECORD)
		scatter_location_copy(to, &cargo->location, bytes);
	else if (!scatter_location_from_user(to, scatter_block_source(operation, rank),
					     bytes))
		return false;
	scatter_stats_count(&hands->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	trace_scatter_copy(operation->group, operation, hands->rank, rank, bytes);
	return true;
}

static void settle_run(struct scatter_operation *operation, u32 rank, u32 n, bool ok,
		       struct scatter_location location)
{
	struct scatter_group *group = operation->group;
	u32 i = 0;

	spin_lock(&group->lock);
	while (i < n) {
		scatter_block_set_locked(group, operation, rank + i,
					 SCATTER_BLOCK_RECORD, &location);
		/* A block that cannot be read has space in the record, and frees that space. */
		if (!ok)
			scatter_block_fault_locked(operation, rank + i);
		location.offset += scatter_operation_slice(operation, rank + i)->length;
		scatter_group_breathe_locked(group, ++i);
	}
	spin_unlock(&group->lock);
}

/* Move the payload of a bundle into a record that is large enough. */
static void fill(struct scatter_hands *hands, struct scatter_operation *operation, u32 first,
		 u32 count, struct scatter_location location)
{
	u32 most = count;
	u32 i = 0;

	while (i < count) {
		u32 rank = (first + i) % operation->size;
		u32 n = scatter_block_run(operation, rank,
					      min(most, count - i));
		u64 bytes = scatter_block_bytes(operation, rank, n);
		bool ok = true;

		if (scatter_cargo_in_transit(scatter_operation_cargo(operation, rank))) {
			ok = copy_run(hands, operation, rank, bytes, &location);
			if (!ok && n > 1) {
				/* Find out which block cannot be read. */
				most = 1;
				continue;
			}
			settle_run(operation, rank, n, ok, location);
		}
		location.offset += bytes;
		i += n;
	}
}

/*
 * How many blocks of a bundle have payload; 0 if a block is in another rank's memory, since only a
 * descriptor can name such a block.
 */
static u32 carriable(const struct scatter_hands *hands,
		     const struct scatter_operation *operation, u32 first, u32 count)
{
	u32 live = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		u32 rank = (first + i) % operation->size;
		const struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

		if (READ_ONCE(cargo->state) == SCATTER_BLOCK_HOME &&
		    scatter_block_owner(operation, rank) != hands->rank)
			return 0;
		live += scatter_cargo_in_transit(cargo);
	}
	return live;
}

/* Carry a bundle as payload; false if only a descriptor can cross. */
static bool carry(struct scatter_hands *hands, struct scatter_operation *operation, u32 to,
		  u32 first, u32 count)
{
	struct scatter_group *group = operation->group;
	struct scatter_location location;
	u64 bytes;
	u32 live;

	if (!scatter_plan_contiguous(operation))
		return false;
	bytes = scatter_block_bytes(operation, first, count);
	if (!bytes ||
	    !scatter_cost_eager(&group->cost,
				scatter_op_gathers(operation->spec.op), 1,
				bytes))
		return false;
	live = carriable(hands, operation, first, count);
	if (!live || !room(hands, scatter_group_member(group, to), bytes, live, &location))
		return false;
	fill(hands, operation, first, count, location);
	return true;
}

/**
 * scatter_local_stash() - put the caller's own block of a gather aside
 * @hands: the caller's hands
 * @operation: a gather that the caller has called
 *
 * The caller's member can then return before its children have called.
 *
 * Context: may sleep and fault; no locks.
 * Return: false if the block has to stay in the caller's memory.
 */
bool scatter_local_stash(struct scatter_hands *hands, struct scatter_operation *operation)
{
	return carry(hands, operation, hands->rank, hands->rank, 1);
}

/*
 * With several trees the root's call does all sends: else a waiting rank would have to be woken for
 * each of them. @own: the bundle has the receiver's own block, or a piece of that block.
 */
static void deliver_scatter_locked(struct scatter_hands *hands,
				   struct scatter_operation *operation,
				   const struct scatter_step *step, bool own)
{
	const struct scatter_part *part = scatter_operation_part(operation, step->peer);
	bool several = operation->move.trees > 1;

	lockdep_assert_held(&operation->group->lock);
	if (several) {
		struct scatter_branch *branch =
			scatter_operation_branch(operation, step->peer, 0);

		scatter_branch_claim_locked(hands, operation, step->peer, step->tree);
		if (!own || ++branch->arrived < step->pieces)
			return;
	}
	scatter_block_delivered_locked(operation, step->peer);
	/* A rank that has fulfilled its part waits only for other parts, and forwards nothing. */
	if (part->waiting && !part->fulfilled)
		scatter_operation_wake_rank(operation, step->peer);
	else if (!several)
		scatter_branch_claim_locked(hands, operation, step->peer, 0);
}

static void deliver_gather_locked(struct scatter_hands *hands,
				  struct scatter_operation *operation, u32 from,
				  const struct scatter_step *step)
{
	if (step->peer == operation->spec.root) {
		scatter_block_collected_locked(operation, from, step->count);
		return;
	}
	scatter_operation_branch(operation, step->peer, step->tree)->arrived++;
	if (scatter_operation_cargo(operation, step->peer)->ready)
		scatter_branch_claim_all_locked(hands, operation, step->peer);
}

/**
 * scatter_local_cross() - send a bundle to its next rank
 * @hands: hands of the context that has claimed this send
 * @operation: the operation, of kind move
 * @walk: the sending rank's walk
 * @step: (in, out) the transfer, in numbers of the schedule; on return in ranks
 *
 * The context may claim the receiver's sends, too.
 *
 * Context: may sleep and fault; no locks.
 */
void scatter_local_cross(struct scatter_hands *hands, struct scatter_operation *operation,
			 const struct scatter_walk *walk, struct scatter_step *step)
{
	struct scatter_group *group = operation->group;
	u32 from = scatter_spec_rank(&operation->spec, walk->rank);
	struct scatter_tally *tally = &hands->tally;
	u64 bytes = scatter_plan_bytes(operation, walk, step);
	bool payload, own = true;

	if (operation->move.trees > 1)
		own = scatter_plan_carries(walk, step, step->peer);
	scatter_plan_translate(operation, step);
	/* The portal sends what goes to other nodes. */
	if (group->spans && !scatter_group_member(group, step->peer))
		return;
	if (scatter_hooks_drop_edge(from, step->peer))
		return;
	payload = carry(hands, operation, step->peer, step->first, step->count);
	scatter_stats_count(tally, SCATTER_COUNTER_STARTUPS, 1);
	scatter_stats_count(tally, SCATTER_COUNTER_EDGE_BYTES, bytes);
	scatter_stats_round(tally, step->round);
	trace_scatter_edge(group, operation, from, step, bytes, payload);
	spin_lock(&group->lock);
	trace_scatter_receive(group, operation, from, step->peer, step);
	if (scatter_op_scatters(operation->spec.op))
		deliver_scatter_locked(hands, operation, step, own);
	else
		deliver_gather_locked(hands, operation, from, step);
	spin_unlock(&group->lock);
}
