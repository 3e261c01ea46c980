// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks: where the block of each rank lies, and how a block comes to lie elsewhere.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/member.h"
#include "group/wait.h"
#include "memory/location.h"
#include "memory/memory.h"
#include "operation/block.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "operation/plan.h"
#include "stats.h"

static void release_location_locked(struct scatter_group *group,
				    const struct scatter_location *location)
{
	struct scatter_record *slot = scatter_location_release(location, 1);

	if (!slot)
		return;
	group->slot_bytes -= slot->bytes;
	scatter_location_free_slot(slot);
}

/**
 * scatter_block_drop_stage_locked() - drop a block's stage, and the request to bring its bytes
 * @group: the operation's group
 * @operation: an operation of kind move
 * @rank: the block's rank
 *
 * A stage that a task fills or empties at the moment stays: that task has to drop it afterwards.
 *
 * Context: the group's lock is held.
 */
void scatter_block_drop_stage_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u32 rank)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);
	struct scatter_stage *stage = cargo->stage;

	lockdep_assert_held(&group->lock);
	if (cargo->bring == SCATTER_BRING_ASKED)
		cargo->bring = SCATTER_BRING_NONE;
	if (!stage || stage->state == SCATTER_STAGE_FILLING ||
	    stage->state == SCATTER_STAGE_EMPTYING)
		return;
	group->slot_bytes -= stage->charged;
	cargo->stage = NULL;
	scatter_memory_free(stage);
	scatter_stats_destroyed(SCATTER_OBJECT_SLOT, 1);
}

/**
 * scatter_block_release() - free the kernel memory that a block lies in
 * @group: the operation's group
 * @operation: an operation that only the caller uses; other operations use the ring that the block
 *	may be in
 * @rank: the block's rank
 *
 * Context: takes the group's lock.
 */
void scatter_block_release(struct scatter_group *group,
			   struct scatter_operation *operation, u32 rank)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

	if (cargo->state != SCATTER_BLOCK_RECORD && !cargo->stage)
		return;
	spin_lock(&group->lock);
	if (cargo->state == SCATTER_BLOCK_RECORD)
		release_location_locked(group, &cargo->location);
	scatter_block_drop_stage_locked(group, operation, rank);
	spin_unlock(&group->lock);
}

/**
 * scatter_block_set_locked() - note that a block lies elsewhere now
 * @group: the operation's group
 * @operation: a live operation of kind move
 * @rank: the block's rank
 * @state: where the block is now
 * @location: if @state is %SCATTER_BLOCK_RECORD: where in kernel memory
 *
 * Releases the record that the block lay in. If a block of a gather has left its source, wakes the
 * source. If the last block of a scatter has left the root, wakes the root. If all blocks of a
 * gather have left their sources, and have reached the root, wakes the root.
 *
 * Context: the group's lock is held.
 */
void scatter_block_set_locked(struct scatter_group *group,
			      struct scatter_operation *operation,
			      u32 rank, enum scatter_block_state state,
			      const struct scatter_location *location)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);
	enum scatter_block_state old = cargo->state;
	u32 owner = scatter_block_owner(operation, rank);

	lockdep_assert_held(&group->lock);
	if (old == SCATTER_BLOCK_RECORD)
		release_location_locked(group, &cargo->location);
	cargo->state = state;
	if (state == SCATTER_BLOCK_RECORD)
		cargo->location = *location;
	if (state == SCATTER_BLOCK_HOME) {
		operation->move.home++;
		operation->move.home_rank = rank;
	}
	if (state == SCATTER_BLOCK_FAULT)
		operation->move.fault_rank = rank;
	if (old != SCATTER_BLOCK_HOME)
		return;
	scatter_block_drop_stage_locked(group, operation, rank);
	operation->move.home--;
	if (scatter_op_scatters(operation->spec.op) && operation->move.home)
		return;
	scatter_operation_wake_rank(operation, owner);
	if (!operation->move.home && operation->move.delivered == operation->expected)
		scatter_operation_wake_rank(operation, operation->spec.root);
}

/**
 * scatter_block_owner() - the rank in whose memory a block starts
 * @operation: a scatter or gather that some rank has posted
 * @rank: the block's rank
 *
 * Context: any.
 */
u32 scatter_block_owner(const struct scatter_operation *operation, u32 rank)
{
	if (scatter_op_scatters(operation->spec.op))
		return operation->spec.root;
	return rank;
}

/**
 * scatter_block_bytes() - the length of a bundle
 * @operation: a scatter or gather that the ranks of the bundle, or the root of a
 *	scatter, have posted
 * @first: rank of the bundle's first block
 * @count: how many blocks; after the last rank comes rank 0
 *
 * Context: any.
 * Return: bytes.
 */
u64 scatter_block_bytes(const struct scatter_operation *operation,
			u32 first, u32 count)
{
	u64 bytes = 0;
	u32 i;

	if (!scatter_spec_is_open(&operation->spec))
		return count * operation->spec.block;
	/* No sum is beyond 2^63, since no block is beyond SCATTER_BLOCK_MAX. */
	for (i = 0; i < count; i++) {
		u32 rank = (first + i) % operation->size;

		bytes += scatter_operation_slice(operation, rank)->length;
	}
	return bytes;
}

/**
 * scatter_block_run() - how many blocks can be copied in one go
 * @operation: a live operation of kind move
 * @rank: rank of the first block
 * @most: how many blocks to consider
 *
 * Context: any; the caller has claimed the blocks.
 * Return: how many blocks from @rank on, 1 to @most, are in the same state and lie side by side,
 * both where they are and in the root's buffer. The run ends at the last rank.
 */
u32 scatter_block_run(const struct scatter_operation *operation, u32 rank,
		      u32 most)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);
	const struct scatter_slice *slice = scatter_operation_slice(operation, rank);
	enum scatter_block_state state = READ_ONCE(cargo->state);
	u64 bytes = slice->length;
	u32 n;

	most = min(most, operation->size - rank);
	if ((scatter_op_gathers(operation->spec.op) &&
	     state != SCATTER_BLOCK_RECORD) || cargo->too_long)
		most = 1;
	for (n = 1; n < most; n++) {
		if (READ_ONCE(cargo[n].state) != state || cargo[n].too_long)
			break;
		if (slice[n].offset != slice->offset + bytes)
			break;
		if (state == SCATTER_BLOCK_RECORD &&
		    (cargo[n].location.record != cargo->location.record ||
		     cargo[n].location.offset != cargo->location.offset + bytes))
			break;
		bytes += slice[n].length;
	}
	return n;
}

/**
 * scatter_block_source() - where a block starts
 * @operation: a scatter or gather that the owner of the block has posted
 * @rank: the block's rank
 *
 * Context: any.
 * Return: the block's place in the owner's address space.
 */
struct scatter_stream
scatter_block_source(const struct scatter_operation *operation, u32 rank)
{
	u32 owner = scatter_block_owner(operation, rank);
	struct scatter_stream stream = {
		.buffer = &scatter_group_member(operation->group, owner)->source,
	};

	if (scatter_op_scatters(operation->spec.op))
		stream.offset = scatter_operation_slice(operation, rank)->offset;
	return stream;
}

/**
 * scatter_block_target() - where a block has to go
 * @operation: a scatter or gather that the block's taker has posted
 * @rank: the block's rank
 *
 * Context: any.
 * Return: the block's place in the taker's address space: the rank's, or that of a gather's root.
 */
struct scatter_stream
scatter_block_target(const struct scatter_operation *operation, u32 rank)
{
	u32 taker = rank;
	struct scatter_stream stream = { 0 };

	if (scatter_op_gathers(operation->spec.op)) {
		taker = operation->spec.root;
		stream.offset = scatter_operation_slice(operation, rank)->offset;
	}
	stream.buffer = &scatter_group_member(operation->group, taker)->target;
	return stream;
}

/**
 * scatter_block_delivered_locked() - note that a scatter's block, or its descriptor, has arrived
 * @operation: an operation of kind move
 * @rank: the block's rank
 *
 * Context: the group's lock is held; the caller wakes the rank.
 */
void scatter_block_delivered_locked(struct scatter_operation *operation, u32 rank)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

	lockdep_assert_held(&operation->group->lock);
	cargo->delivered = true;
	if (scatter_part_is_over(scatter_operation_part(operation, rank)) &&
	    scatter_cargo_in_transit(cargo))
		scatter_block_set_locked(operation->group, operation, rank,
					 SCATTER_BLOCK_TAKEN, NULL);
}

/**
 * scatter_block_collected_locked() - note that blocks of a gather have reached the root
 * @operation: an operation of kind move
 * @from: the rank that the blocks come from
 * @count: how many blocks
 *
 * The root is woken once, when all blocks are there. A bundle of consecutive ranks may have
 * payload, so the root goes through such bundles. The root takes the blocks of other bundles one by
 * one, or is given them.
 *
 * Context: the group's lock is held.
 */
void scatter_block_collected_locked(struct scatter_operation *operation, u32 from, u32 count)
{
	lockdep_assert_held(&operation->group->lock);
	if (scatter_plan_contiguous(operation)) {
		operation->move.branches[from].link = SCATTER_NO_RANK;
		if (operation->move.queue_head == SCATTER_NO_RANK)
			operation->move.queue_head = from;
		else
			operation->move.branches[operation->move.queue_tail].link = from;
		operation->move.queue_tail = from;
	}
	operation->move.delivered += count;
	if (!operation->move.home && operation->move.delivered == operation->expected)
		scatter_operation_wake_rank(operation, operation->spec.root);
}

/**
 * scatter_block_meet_locked() - with AT_MOST: note a block's length, and the room for the block
 * @operation: an operation of kind move
 * @rank: the block's rank
 * @length: bytes of the block
 * @room: how many bytes the taker has room for; the taker is a member of this node
 *
 * Context: the group's lock is held.
 */
void scatter_block_meet_locked(struct scatter_operation *operation, u32 rank, u64 length,
			       u64 room)
{
	bool gathers = scatter_op_gathers(operation->spec.op);
	u32 taker = gathers ? operation->spec.root : rank;

	lockdep_assert_held(&operation->group->lock);
	scatter_operation_slice(operation, rank)->length = length;
	scatter_operation_cargo(operation, rank)->too_long = length > room;
	if (gathers && length > room)
		operation->move.long_rank = rank;
	/* A taker that has passed the operation may be in another one. */
	if (!scatter_part_is_over(scatter_operation_part(operation, taker)))
		scatter_group_member(operation->group, taker)->receives += length;
}

/**
 * scatter_block_note_locked() - note that the root's call has something to do for a block
 * @operation: an operation of kind move
 * @rank: the block's rank; may have been noted already
 *
 * Context: the group's lock is held; the caller wakes the root.
 */
void scatter_block_note_locked(struct scatter_operation *operation, u32 rank)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);
	struct scatter_move *move = &operation->move;

	static_assert(SCATTER_SIZE_MAX <= U16_MAX);
	lockdep_assert_held(&operation->group->lock);
	if (cargo->noted)
		return;
	cargo->noted = true;
	if (move->noted_head == SCATTER_NO_RANK)
		move->noted_head = rank;
	else
		scatter_operation_cargo(operation, move->noted_tail)->noted_next = rank;
	move->noted_tail = rank;
}

/**
 * scatter_block_noted_locked() - take the first block that has been noted
 * @operation: an operation of kind move; the current task is in the root's call
 *
 * Context: the group's lock is held.
 * Return: the block's rank; there may be nothing to do any more. %SCATTER_NO_RANK: none is noted.
 */
u32 scatter_block_noted_locked(struct scatter_operation *operation)
{
	struct scatter_move *move = &operation->move;
	u32 rank = move->noted_head;
	struct scatter_cargo *cargo;

	lockdep_assert_held(&operation->group->lock);
	if (rank == SCATTER_NO_RANK)
		return rank;
	cargo = scatter_operation_cargo(operation, rank);
	cargo->noted = false;
	move->noted_head = rank == move->noted_tail ? SCATTER_NO_RANK : cargo->noted_next;
	return rank;
}

/**
 * scatter_block_arrive_locked() - note that another node's block has come here, or can be pulled
 * @operation: an operation of kind move, whose schedule is decided
 * @rank: the block's rank
 * @length: bytes of the block, as its source says
 * @is_void: nobody could read the block
 * @stream: the payload that the block has come in; NULL: the block has to be pulled
 * @at: bytes of @stream before the block
 *
 * Context: the group's lock is held.
 * Return: false if a member of this node has named another length for the block.
 */
bool scatter_block_arrive_locked(struct scatter_operation *operation, u32 rank, u64 length,
				 bool is_void, const struct scatter_chunks *stream, u64 at)
{
	bool scatters = scatter_op_scatters(operation->spec.op);
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);
	struct scatter_slice *slice = scatter_operation_slice(operation, rank);
	const struct scatter_member *member = scatter_group_member(operation->group, rank);
	bool known = scatter_operation_part(operation, rank)->posted || !scatters;

	lockdep_assert_held(&operation->group->lock);
	/* In other forms, the length has been compared with the specification. */
	if (!is_void && scatter_spec_is_open(&operation->spec)) {
		if (known && scatter_spec_is_at_most(&operation->spec))
			scatter_block_meet_locked(operation, rank, length,
						  scatters ? member->length : slice->length);
		else if (known && slice->length != length)
			return false;
		slice->length = length;
	}
	scatter_block_set_locked(operation->group, operation, rank,
				 is_void ? SCATTER_BLOCK_FAULT : SCATTER_BLOCK_AWAY, NULL);
	if (!is_void)
		cargo->away = (struct scatter_away){
			.stream = stream,
			.at = at,
			.came = stream ? length : 0,
		};
	if (scatters) {
		scatter_block_delivered_locked(operation, rank);
		scatter_operation_wake_rank(operation, rank);
	} else {
		scatter_block_collected_locked(operation, rank, 1);
	}
	return true;
}

/**
 * scatter_block_fault_locked() - note that a block's owner could not read the block
 * @operation: of kind move; the current task is in the call of the block's owner
 * @rank: the block's rank
 *
 * A task that is being killed cannot fault pages in: its fault counts as the owner's death.
 *
 * Context: the group's lock is held.
 */
void scatter_block_fault_locked(struct scatter_operation *operation, u32 rank)
{
	struct scatter_group *group = operation->group;
	u32 owner = scatter_block_owner(operation, rank);

	lockdep_assert_held(&group->lock);
	scatter_operation_cargo(operation, owner)->faulted = true;
	if (fatal_signal_pending(current))
		scatter_fail_locked(group, operation, -ECONNRESET, owner, false);
	if (scatter_cargo_in_transit(scatter_operation_cargo(operation, rank)))
		scatter_block_set_locked(group, operation, rank,
					 SCATTER_BLOCK_FAULT, NULL);
}
