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
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "buffer.h"
#include "coll.h"
#include "group.h"
#include "member.h"
#include "move.h"
#include "operation.h"
#include "pin.h"
#include "stage.h"
#include "stats.h"
#include "trace.h"
#include "wait.h"

/* Chunks in a row that found no own page present, however often faulted in. */
#define SCATTER_MISSES	16

static bool is_open(const struct scatter_call *call, u32 rank)
{
	return scatter_part_is_open(&call->operation->parts[rank]);
}

/*
 * Take hold of another rank's memory. While that rank is inside its call, its
 * address space has users; ours keeps it once the rank has been killed. In a gather
 * there may be something else to do if it is not: -EAGAIN.
 */
static int hold(struct scatter_call *call, u32 owner)
{
	int error = -EAGAIN;

	if (owner == call->rank)
		return 0;
	spin_lock(&call->group->lock);
	if (is_open(call, owner) ||
	    !scatter_op_gathers(call->operation->spec.op))
		error = scatter_coll_await_locked(call, is_open, owner, owner);
	if (!error) {
		call->group->members[owner]->holds++;
		mmget(call->group->members[owner]->mm);
	}
	spin_unlock(&call->group->lock);
	return error;
}

/*
 * Let go of it. Ours may be the last user of a dead rank's memory: a worker frees that.
 * False if the rank has left its call meanwhile: no task does that but one that is killed, since
 * all others wait for those who hold their memory.
 */
static bool unhold(struct scatter_call *call, u32 owner)
{
	struct scatter_member *member = call->group->members[owner];
	bool inside;

	if (owner == call->rank)
		return true;
	mmput_async(member->mm);
	spin_lock(&call->group->lock);
	WRITE_ONCE(member->holds, member->holds - 1);
	inside = member->inside && member->current_operation == call->operation;
	if (!member->holds &&
	    !scatter_part_is_open(&call->operation->parts[owner]))
		wake_up(&member->wait);
	spin_unlock(&call->group->lock);
	return inside;
}

/* We cannot write to the root's memory as it is: the root has to. */
static int leave_to_root(struct scatter_call *call)
{
	spin_lock(&call->group->lock);
	call->part->fetch = true;
	spin_unlock(&call->group->lock);
	return -EAGAIN;
}

/* The root cannot read a block itself; its rank can, and may well give it. */
static int leave_to_rank(struct scatter_call *call, u32 rank)
{
	spin_lock(&call->group->lock);
	call->operation->parts[rank].give = true;
	spin_unlock(&call->group->lock);
	return -EAGAIN;
}

/* Copy some of the own block by way of the scratch space. */
static long copy_own(struct scatter_call *call, const struct scatter_copy *copy,
		     u64 done)
{
	u64 bytes = min_t(u64, copy->bytes - done, SCATTER_SCRATCH_BYTES);
	void *scratch = call->member->scratch.bytes;

	if (!scatter_stream_read(scratch, scatter_stream_from(copy->peer, done), bytes) ||
	    !scatter_stream_write(scatter_stream_from(copy->own, done), scratch, bytes))
		return scatter_buffer_fault();
	scatter_count(&call->member->tally, SCATTER_COUNTER_BYTES_COPIED,
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
	struct scatter_part *part = call->part;
	const struct scatter_copy own = {
		.own = copy->peer,
		.bytes = copy->bytes,
		.give = true,
	};

	if (part->bring == SCATTER_BRING_DONE) {
		part->bring = SCATTER_BRING_NONE;
		part->unreachable |= !locked;
		return copy_own(call, copy, part->cargo->moved);
	}
	part->bring = SCATTER_BRING_DONE;
	if (!scatter_pin_prepare(&own, part->cargo->moved))
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
	const struct scatter_part *part = &operation->parts[rank];
	bool inside;
	long done;
	int error;

	if (peer == call->rank &&
	    (copy->bytes <= SCATTER_SCRATCH_BYTES || part->unreachable))
		return copy_own(call, copy, part->cargo->moved);
	if (!copy->give && scatter_stage_is_due(call, rank))
		return scatter_stage_take(call, rank, peer, copy->own);
	error = copy->give ? 0 : scatter_stage_await(call, rank, peer);
	if (!error)
		error = hold(call, peer);
	if (error)
		return error;
	copy->rank = peer;
	copy->mm = call->group->members[peer]->mm;
	done = scatter_pin_copy(call->member, copy, part->cargo->moved);
	inside = unhold(call, peer);
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
	if (scatter_op_gathers(operation->spec.op) && !part->fetch)
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
	u64 *moved = &call->operation->parts[rank].cargo->moved;
	u64 began = *moved;
	int misses = 0;

	copy->own = scatter_stream_target(call->operation, rank);
	copy->peer = scatter_stream_source(call->operation, rank);
	if (copy->give)
		swap(copy->own, copy->peer);
	copy->bytes = call->operation->parts[rank].cargo->length;
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
 * scatter_move_take() - copy a block out of its owner's memory
 * @call: who takes: the receiver of a scatter, the root of a gather, or the owner
 * @rank: whose block
 *
 * Context: may sleep and fault; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT (goes on from there when called again), -EAGAIN if
 * only its rank can move it, or another -errno.
 */
int scatter_move_take(struct scatter_call *call, u32 rank)
{
	struct scatter_copy copy = { 0 };

	return move_home(call, rank,
			 scatter_operation_owner(call->operation, rank), &copy);
}

/**
 * scatter_move_give() - copy the own block into a gather root's memory
 * @call: a call that may move its block
 *
 * Context: may sleep and fault; no locks.
 * Return: as scatter_move_take(); -EAGAIN: the root has to take it.
 */
int scatter_move_give(struct scatter_call *call)
{
	struct scatter_copy copy = { .give = true };

	return move_home(call, call->rank, call->operation->spec.root, &copy);
}
