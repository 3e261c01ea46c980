// SPDX-License-Identifier: GPL-2.0
/*
 * Moving a block from its owner's memory to where it is wanted, by one of the two.
 *
 * The moving task takes hold of the peer's pages, chunk by chunk, and copies once, see pin.c.
 * Where pages are absent, or their memory is out of reach:
 *
 *	own block	the member faults them in; or it copies by way of its scratch space
 *	gather		the owner gives the block, if the root's pages are there
 *	else		the owner brings the bytes, see stage.c
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/scatter.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/member.h"
#include "link/stage.h"
#include "link/transfer.h"
#include "memory/buffer.h"
#include "memory/location.h"
#include "memory/pin.h"
#include "operation/await.h"
#include "operation/block.h"
#include "operation/call.h"
#include "operation/hold.h"
#include "operation/operation.h"
#include "stats.h"
#include "trace.h"

/* Chunks in a row that found no own page present, however often faulted in. */
#define SCATTER_MISSES	16

static bool is_open(const struct scatter_call *call, u32 rank)
{
	return scatter_part_is_open(scatter_operation_part(call->operation, rank));
}

/*
 * Take hold of another rank's memory, which is on this node: links to others reach no memory there.
 * In a gather there may be something else to do if the rank is not inside its call: -EAGAIN.
 */
static int hold(struct scatter_call *call, u32 owner, struct mm_struct **mm)
{
	int error = -EAGAIN;

	*mm = call->member->mm;
	if (owner == call->rank)
		return 0;
	spin_lock(&call->group->lock);
	if (is_open(call, owner) ||
	    !scatter_op_gathers(call->operation->spec.op))
		error = scatter_await_locked(call, is_open, owner, owner);
	if (!error)
		*mm = scatter_hold_begin_locked(call->operation, owner);
	spin_unlock(&call->group->lock);
	return error;
}

/* We cannot write to the root's memory as it is: the root has to. */
static int leave_to_root(struct scatter_call *call)
{
	spin_lock(&call->group->lock);
	scatter_call_cargo(call)->fetch = true;
	spin_unlock(&call->group->lock);
	return -EAGAIN;
}

/* The root cannot read a block itself; its rank can, and may well give it. */
static int leave_to_rank(struct scatter_call *call, u32 rank)
{
	spin_lock(&call->group->lock);
	scatter_operation_cargo(call->operation, rank)->give = true;
	spin_unlock(&call->group->lock);
	return -EAGAIN;
}

/* Copy some of the own block by way of the scratch space. */
static long copy_own(struct scatter_call *call, const struct scatter_copy *copy,
		     u64 done)
{
	u64 bytes = min_t(u64, copy->bytes - done, SCATTER_SCRATCH_BYTES);
	void *scratch = call->hands->scratch.bytes;

	if (!scatter_buffer_read(scratch, scatter_stream_from(copy->peer, done), bytes) ||
	    !scatter_buffer_write(scatter_stream_from(copy->own, done), scratch, bytes))
		return scatter_buffer_fault();
	scatter_stats_count(&call->hands->tally, SCATTER_COUNTER_BYTES_COPIED,
			    2 * bytes);
	return bytes;
}

/*
 * Own pages that a copy is to read are absent; or @locked, another thread has the lock of their
 * mappings. -ERESTART if it is worth to try again.
 */
static long bring_own(struct scatter_call *call, const struct scatter_copy *copy,
		      bool locked)
{
	struct scatter_cargo *cargo = scatter_call_cargo(call);
	const struct scatter_copy own = {
		.own = copy->peer,
		.bytes = copy->bytes,
		.give = true,
	};

	if (cargo->bring == SCATTER_BRING_DONE) {
		cargo->bring = SCATTER_BRING_NONE;
		cargo->unreachable |= !locked;
		return copy_own(call, copy, cargo->moved);
	}
	cargo->bring = SCATTER_BRING_DONE;
	if (!scatter_pin_prepare(&own, cargo->moved))
		return scatter_buffer_fault();
	return -ERESTART;
}

/*
 * Copy one chunk between the own memory and a peer's. Bytes copied; 0 if own memory is absent;
 * -ERESTART if it is worth to try again; or another -errno.
 *
 * A task that is being killed leaves its call before its files are closed. Memory whose
 * faults such a file served (userfaultfd) may be filled with other bytes from then on, and
 * so may a page be that was found there: bytes that were taken from a rank which is no
 * longer inside its call do not count.
 */
static long move_chunk(struct scatter_call *call, u32 rank, u32 peer,
		       struct scatter_copy *copy)
{
	const struct scatter_operation *operation = call->operation;
	const struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);
	bool inside;
	long done;
	int error;

	if (peer == call->rank &&
	    (copy->bytes <= SCATTER_SCRATCH_BYTES || cargo->unreachable))
		return copy_own(call, copy, cargo->moved);
	if (!copy->give && scatter_stage_is_due(call, rank))
		return scatter_stage_take(call, rank, peer, copy->own);
	error = copy->give ? 0 : scatter_stage_await(call, rank, peer);
	if (!error)
		error = hold(call, peer, &copy->mm);
	if (error)
		return error;
	copy->rank = peer;
	done = scatter_pin_copy(call->hands, copy, cargo->moved);
	if (copy->pages)
		trace_scatter_pin(call->member, copy->rank, copy->pages);
	inside = peer == call->rank || scatter_hold_end(call->operation, peer);
	if (done > 0 && !copy->give) {
		scatter_stage_passed(call, rank);
		return inside ? done : -ERESTART;
	}
	if (done != -EFAULT && done != -EAGAIN)
		return done;
	if (copy->give)
		return leave_to_root(call);
	if (peer == call->rank)
		return bring_own(call, copy, done == -EAGAIN);
	if (scatter_op_gathers(operation->spec.op) && !cargo->fetch)
		return leave_to_rank(call, rank);
	return scatter_stage_bring(call, rank, peer, copy->own, done == -EAGAIN);
}

/*
 * Copy a block between a peer's memory and our own, chunk by chunk. Own pages are
 * faulted in only when one has turned out to be absent; then the next ones are
 * likely to be, too.
 */
static int move_home(struct scatter_call *call, u32 rank, u32 peer,
		     struct scatter_copy *copy)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	u64 *moved = &cargo->moved;
	u64 began = *moved;
	int misses = 0;

	if (cargo->too_long)
		return 0;
	copy->own = scatter_block_target(call->operation, rank);
	copy->peer = scatter_block_source(call->operation, rank);
	if (copy->give)
		swap(copy->own, copy->peer);
	copy->bytes = scatter_operation_slice(call->operation, rank)->length;
	while (*moved < copy->bytes) {
		long done;

		if (misses && !scatter_pin_prepare(copy, *moved))
			return scatter_buffer_fault();
		done = move_chunk(call, rank, peer, copy);
		if (done < 0 && done != -ERESTART)
			return done;
		if (!done && ++misses == SCATTER_MISSES)
			return -EFAULT;
		if (done > 0) {
			misses = min(misses, 1);
			*moved += done;
		}
		if (*moved < copy->bytes && signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	if (began < copy->bytes)
		trace_scatter_copy(call->group, call->operation, call->rank,
				   rank, copy->bytes - began);
	return 0;
}

/**
 * scatter_transfer_take() - copy a block out of its owner's memory
 * @call: who takes: the receiver of a scatter, the root of a gather, or the owner
 * @rank: whose block
 *
 * Context: may sleep and fault; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT (goes on from there when called again), -EAGAIN if
 * only its rank can move it, or another -errno.
 */
int scatter_transfer_take(struct scatter_call *call, u32 rank)
{
	struct scatter_copy copy = { 0 };

	return move_home(call, rank,
			 scatter_block_owner(call->operation, rank), &copy);
}

/**
 * scatter_transfer_give() - copy the own block into a gather root's memory
 * @call: a call that may move its block
 *
 * Context: may sleep and fault; no locks.
 * Return: as scatter_transfer_take(); -EAGAIN: the root has to take it.
 */
int scatter_transfer_give(struct scatter_call *call)
{
	struct scatter_copy copy = { .give = true };

	return move_home(call, call->rank, call->operation->spec.root, &copy);
}

/**
 * scatter_transfer_record() - copy blocks out of a record to the own memory
 * @hands: of the receiver of a scatter, or the root of a gather; it has claimed the blocks
 * @operation: the operation that it has called
 * @rank: the first of them
 * @bytes: of all of them; scatter_block_run() tells which lie side by side
 *
 * Context: may sleep and fault; no locks.
 * Return: 0, -EFAULT or -EINTR.
 */
int scatter_transfer_record(struct scatter_hands *hands, struct scatter_operation *operation,
			    u32 rank, u64 bytes)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

	if (cargo->too_long)
		return 0;
	if (!scatter_location_to_user(&cargo->location, scatter_block_target(operation, rank),
				      bytes))
		return scatter_buffer_fault();
	scatter_stats_count(&hands->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	trace_scatter_copy(operation->group, operation, hands->rank, rank, bytes);
	return 0;
}

/**
 * scatter_transfer_taken() - blocks have arrived
 * @operation: the operation, of kind move
 * @rank: the first of them
 * @n: how many
 *
 * Context: may sleep; takes the group's lock.
 */
void scatter_transfer_taken(struct scatter_operation *operation, u32 rank, u32 n)
{
	struct scatter_group *group = operation->group;
	u32 i = 0;

	spin_lock(&group->lock);
	while (i < n) {
		scatter_block_set_locked(group, operation, rank + i,
					 SCATTER_BLOCK_TAKEN, NULL);
		scatter_group_breathe_locked(group, ++i);
	}
	spin_unlock(&group->lock);
}

/**
 * scatter_transfer_own() - copy the root's own block to where it wants it
 * @call: the root's
 *
 * Context: may sleep and fault; no locks.
 * Return: as scatter_transfer_take().
 */
int scatter_transfer_own(struct scatter_call *call)
{
	if (call->in_place)
		return 0;
	return scatter_transfer_take(call, call->rank);
}

/**
 * scatter_transfer_cease() - keep takers out of the own memory
 * @call: a call that ends, and may be resumed
 *
 * Takers that are in it only copy what they have taken hold of, so they are done soon. A task that
 * is being killed need not wait for them, since they hold the address space.
 *
 * Context: may sleep; no locks.
 */
void scatter_transfer_cease(struct scatter_call *call)
{
	struct scatter_part *part = call->part;

	spin_lock(&call->group->lock);
	if (scatter_part_is_open(part))
		scatter_operation_set_state(part, SCATTER_PART_PAUSED);
	spin_unlock(&call->group->lock);
	wait_event_killable(call->member->wait,
			    !READ_ONCE(call->member->holds));
}
