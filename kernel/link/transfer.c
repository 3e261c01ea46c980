// SPDX-License-Identifier: GPL-2.0
/*
 * Transfers: a block's taker or owner copies the block from user memory to user memory.
 *
 * The copying task takes hold of its peer's pages chunk by chunk, and copies each chunk once, see
 * memory/pin.c. If pages are absent, or their memory is out of reach:
 *
 *	own block	the member faults the pages in, or copies through its scratch space
 *	gather		the owner gives the block, if the root's pages are present
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

/* A copy fails after so many chunks in a row that found no own page present, though faulted in. */
#define SCATTER_MISSES	16

static bool is_open(const struct scatter_call *call, u32 rank)
{
	return scatter_part_is_open(scatter_operation_part(call->operation, rank));
}

/*
 * Take hold of the memory of another rank on this node; the memory of other nodes is out of reach.
 * In a gather the caller may have other things to do than to wait for a rank that is not inside its
 * call: -EAGAIN.
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

/* The caller cannot write to the root's memory as it is: the root has to fetch the block. */
static int leave_to_root(struct scatter_call *call)
{
	spin_lock(&call->group->lock);
	scatter_call_cargo(call)->fetch = true;
	spin_unlock(&call->group->lock);
	return -EAGAIN;
}

/* The root cannot read a block itself; the block's rank can, and may well give the block. */
static int leave_to_rank(struct scatter_call *call, u32 rank)
{
	spin_lock(&call->group->lock);
	scatter_operation_cargo(call->operation, rank)->give = true;
	spin_unlock(&call->group->lock);
	return -EAGAIN;
}

/* Copy some of the call's own block through the scratch space. */
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
 * Own pages that a copy has to read are absent; or if @locked, another thread holds the mmap lock.
 * -ERESTART if the caller is to try again.
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
 * Copy one chunk between the call's own memory and a peer's. Returns the bytes copied; 0 if own
 * memory is absent; -ERESTART if the caller is to try again; or another -errno.
 *
 * A task that is being killed leaves its call before its files are closed. If such a file served
 * the faults of some memory (userfaultfd), that memory may get other bytes from then on, even in a
 * page that was present. So bytes do not count if the rank that they come from is no longer inside
 * its call.
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
 * Copy a block between a peer's memory and the call's own, chunk by chunk. The call faults its own
 * pages in only after one turned out to be absent: then the next pages are likely to be absent,
 * too.
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
 * @call: call of the taker: the receiver of a scatter, the root of a gather, or the owner
 * @rank: the block's rank
 *
 * Context: may sleep and fault; no locks.
 * Return: 0; -EINTR or -ETIMEDOUT (the next call goes on from there); -EAGAIN if only the block's
 * rank can move the block; or another -errno.
 */
int scatter_transfer_take(struct scatter_call *call, u32 rank)
{
	struct scatter_copy copy = { 0 };

	return move_home(call, rank,
			 scatter_block_owner(call->operation, rank), &copy);
}

/**
 * scatter_transfer_give() - copy a call's own block into a gather root's memory
 * @call: a call that has claimed its block
 *
 * Context: may sleep and fault; no locks.
 * Return: as scatter_transfer_take(); -EAGAIN if the root has to take the block.
 */
int scatter_transfer_give(struct scatter_call *call)
{
	struct scatter_copy copy = { .give = true };

	return move_home(call, call->rank, call->operation->spec.root, &copy);
}

/**
 * scatter_transfer_record() - copy blocks out of a record to the taker's memory
 * @hands: hands of the taker, which has claimed the blocks: the receiver of a scatter, or the root
 *	of a gather
 * @operation: the operation that the taker has called
 * @rank: the first block
 * @bytes: bytes of all blocks; scatter_block_run() tells which blocks lie side by side
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
 * scatter_transfer_taken() - note that blocks have arrived
 * @operation: the operation, of kind move
 * @rank: the first block
 * @n: how many blocks
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
 * scatter_transfer_own() - copy the root's own block to its place in the root's memory
 * @call: the root's call
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
 * scatter_transfer_cease() - keep takers out of the call's own memory
 * @call: a call that ends, and may be resumed
 *
 * Takers that hold the memory only copy what they have taken hold of, so they are done as soon as
 * they get a CPU. It is not enough that such a copy does not count: a taker copies straight into
 * the memory of its own program. If the caller's program wrote something else to its buffers
 * meanwhile, the taker's program could read that.
 *
 * A task that is being killed need not wait for the takers, since they hold the address space.
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
