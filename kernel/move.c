// SPDX-License-Identifier: GPL-2.0
/*
 * Moving a block from its owner's memory to where it is wanted, by one of the two.
 *
 * Who moves it pins the peer's pages, chunk by chunk, and copies once. Memory that
 * cannot be pinned (of devices, secret memory) only its owner can read:
 *
 *	own block	through the member's scratch space
 *	gather		the owner gives it, if the root's memory can be pinned
 *	else		the taker asks, and the owner, which waits inside its call, puts
 *			the next bytes into a stage, kernel memory of the operation
 *
 * The two have a stage in turn, see enum scatter_stage_state. Either may pause its call
 * at any time. A block that has a stage is not pinned any more.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "buffer.h"
#include "coll.h"
#include "group.h"
#include "member.h"
#include "move.h"
#include "operation.h"
#include "pin.h"
#include "stats.h"
#include "trace.h"
#include "wait.h"

/* Chunks in a row that found no own page present, however often faulted in. */
#define SCATTER_MISSES	16
/* How much is staged at a time: with its header a stage is a power of two. */
#define SCATTER_STAGE_BYTES	(SZ_64K - sizeof(struct scatter_stage))

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
		call->operation->parts[owner].holds++;
		mmget(call->group->members[owner]->mm);
	}
	spin_unlock(&call->group->lock);
	return error;
}

/* Ours may be the last user of a dead rank's memory: let a worker free that. */
static void unhold(struct scatter_call *call, u32 owner)
{
	struct scatter_member *member = call->group->members[owner];
	struct scatter_part *part = &call->operation->parts[owner];

	if (owner == call->rank)
		return;
	mmput_async(member->mm);
	spin_lock(&call->group->lock);
	WRITE_ONCE(part->holds, part->holds - 1);
	if (!part->holds && !scatter_part_is_open(part))
		wake_up(&member->wait);
	spin_unlock(&call->group->lock);
}

/**
 * scatter_move_own_fault() - the error of own memory that is not accessible
 *
 * A task that is being killed cannot fault pages in: that is no bad buffer.
 *
 * Context: any.
 * Return: -EFAULT or -EINTR.
 */
int scatter_move_own_fault(void)
{
	return fatal_signal_pending(current) ? -EINTR : -EFAULT;
}

/**
 * scatter_move_void() - the error of a block that will not come
 * @call: who wanted it
 * @rank: whose block
 *
 * A block that its owner's death made void is no fault of a buffer.
 *
 * Context: takes the group's lock.
 * Return: -EREMOTEIO or the operation's error.
 */
int scatter_move_void(struct scatter_call *call, u32 rank)
{
	int error = -EREMOTEIO;

	spin_lock(&call->group->lock);
	call->culprit = scatter_operation_owner(call->operation, rank);
	if (call->operation->error)
		error = scatter_coll_blame_locked(call);
	spin_unlock(&call->group->lock);
	return error;
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
		return scatter_move_own_fault();
	scatter_count(&call->member->tally, SCATTER_COUNTER_BYTES_COPIED,
		      2 * bytes);
	return bytes;
}

static void stage_free(struct scatter_group *group, struct scatter_stage *stage)
{
	if (!stage)
		return;
	spin_lock(&group->lock);
	group->slot_bytes -= stage->charged;
	spin_unlock(&group->lock);
	kfree(stage);
	scatter_object_destroyed(SCATTER_OBJECT_SLOT, 1);
}

/* As large as is of use, and as the group may have slots; else a page. */
static struct scatter_stage *stage_create(struct scatter_group *group, u64 bytes)
{
	u32 size = min_t(u64, bytes, SCATTER_STAGE_BYTES) + sizeof(struct scatter_stage);
	struct scatter_stage *stage = NULL;
	u32 charged = 0;

	spin_lock(&group->lock);
	if (scatter_group_charge_slot_locked(group, size))
		charged = size;
	spin_unlock(&group->lock);
	if (charged)
		stage = kmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NORETRY |
				      __GFP_NOWARN);
	if (!stage) {
		spin_lock(&group->lock);
		group->slot_bytes -= charged;
		spin_unlock(&group->lock);
		charged = 0;
		size = min_t(u32, size, PAGE_SIZE);
		stage = kmalloc(size, GFP_KERNEL_ACCOUNT);
	}
	if (!stage)
		return NULL;
	stage->size = size - sizeof(struct scatter_stage);
	stage->charged = charged;
	stage->state = SCATTER_STAGE_IDLE;
	stage->bytes = 0;
	scatter_object_created(SCATTER_OBJECT_SLOT, 1);
	return stage;
}

static bool is_answered(const struct scatter_call *call, u32 rank)
{
	const struct scatter_part *part = &call->operation->parts[rank];

	return part->block != SCATTER_BLOCK_HOME ||
	       part->stage->state == SCATTER_STAGE_FULL;
}

/*
 * Ask for the next bytes, unless that has been done. In a scatter they are waited
 * for; the root of a gather has others to look after: -EAGAIN.
 */
static int ask_locked(struct scatter_call *call, u32 rank, u32 owner)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_stage *stage = operation->parts[rank].stage;

	lockdep_assert_held(&call->group->lock);
	if (stage->state == SCATTER_STAGE_IDLE) {
		stage->state = SCATTER_STAGE_ASKED;
		operation->asked++;
		if (operation->parts[owner].waiting)
			scatter_wake(call->group->members[owner]);
	}
	if (!scatter_op_gathers(operation->spec.op))
		return scatter_coll_await_locked(call, is_answered, rank, owner);
	return is_answered(call, rank) ? 0 : -EAGAIN;
}

/* Copy out what the owner has filled in. Bytes copied, or -errno. */
static long empty_stage(struct scatter_call *call, u32 rank,
			struct scatter_stream to)
{
	struct scatter_part *part = &call->operation->parts[rank];
	struct scatter_stage *stage = part->stage;
	u32 bytes = stage->bytes;
	bool ok;

	ok = scatter_stream_write(scatter_stream_from(to, part->moved), stage->data,
				  bytes);
	spin_lock(&call->group->lock);
	stage->state = ok ? SCATTER_STAGE_IDLE : SCATTER_STAGE_FULL;
	if (part->block != SCATTER_BLOCK_HOME)
		scatter_operation_drop_stage_locked(call->group, call->operation,
						    rank);
	spin_unlock(&call->group->lock);
	if (!ok)
		return scatter_move_own_fault();
	scatter_count(&call->member->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	return bytes;
}

/* Get the next bytes from the owner. Bytes copied, or -errno. */
static long take_staged(struct scatter_call *call, u32 rank, u32 owner,
			struct scatter_stream to)
{
	struct scatter_part *part = &call->operation->parts[rank];
	struct scatter_stage *fresh = NULL;
	bool full = false;
	int error = 0;

	if (!READ_ONCE(part->stage)) {
		fresh = stage_create(call->group, part->length);
		if (!fresh)
			return -ENOMEM;
	}
	spin_lock(&call->group->lock);
	if (part->block == SCATTER_BLOCK_HOME) {
		if (!part->stage)
			swap(part->stage, fresh);
		error = ask_locked(call, rank, owner);
	}
	full = !error && part->block == SCATTER_BLOCK_HOME;
	if (full)
		part->stage->state = SCATTER_STAGE_EMPTYING;
	spin_unlock(&call->group->lock);
	stage_free(call->group, fresh);
	if (full)
		return empty_stage(call, rank, to);
	return error ?: scatter_move_void(call, rank);
}

static void answer_locked(struct scatter_call *call, u32 rank)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_part *part = &operation->parts[rank];
	struct scatter_stage *stage = part->stage;
	struct scatter_stream from = scatter_stream_source(operation, rank);
	u32 bytes = min_t(u64, part->length - part->moved, stage->size);
	u32 taker = rank;
	bool ok;

	lockdep_assert_held(&call->group->lock);
	if (scatter_op_gathers(operation->spec.op))
		taker = operation->spec.root;
	stage->state = SCATTER_STAGE_FILLING;
	operation->asked--;
	spin_unlock(&call->group->lock);
	ok = scatter_stream_read(stage->data, scatter_stream_from(from, part->moved),
				 bytes);
	if (ok)
		scatter_count(&call->member->tally, SCATTER_COUNTER_BYTES_COPIED,
			      bytes);
	cond_resched();
	spin_lock(&call->group->lock);
	stage->bytes = bytes;
	stage->state = ok ? SCATTER_STAGE_FULL : SCATTER_STAGE_IDLE;
	if (!ok)
		scatter_coll_fault_locked(call, rank);
	if (ok && part->block != SCATTER_BLOCK_HOME)
		scatter_operation_drop_stage_locked(call->group, operation, rank);
	if (operation->parts[taker].waiting)
		scatter_wake(call->group->members[taker]);
}

/**
 * scatter_move_answer_locked() - stage what others have asked for
 * @call: a call whose memory they cannot pin
 *
 * Context: the group's lock is held; dropped to copy and taken again. May sleep and
 * fault.
 * Return: 0 if nobody has asked; 1 if somebody had; -EINTR or -ETIMEDOUT if somebody
 * had and the call is to wait no longer.
 */
int scatter_move_answer_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	int any = 0;
	u32 rank;

	lockdep_assert_held(&call->group->lock);
	for (rank = 0; operation->asked && rank < operation->size; rank++) {
		if (!scatter_part_asks(&operation->parts[rank]) ||
		    scatter_operation_owner(operation, rank) != call->rank)
			continue;
		answer_locked(call, rank);
		any = 1;
		if (signal_pending(current))
			return -EINTR;
	}
	if (any && scatter_wait_expired(call->deadline_ns))
		return -ETIMEDOUT;
	return any;
}

/* Copy one chunk between the own memory and a peer's. Bytes copied, or -errno. */
static long move_chunk(struct scatter_call *call, u32 rank, u32 peer,
		       struct scatter_copy *copy)
{
	const struct scatter_operation *operation = call->operation;
	const struct scatter_part *part = &operation->parts[rank];
	long done;
	int error;

	if (!copy->give && READ_ONCE(part->stage))
		return take_staged(call, rank, peer, copy->own);
	if (peer == call->rank && copy->bytes <= SCATTER_SCRATCH_BYTES)
		return copy_own(call, copy, part->moved);
	error = hold(call, peer);
	if (error)
		return error;
	copy->rank = peer;
	copy->mm = call->group->members[peer]->mm;
	done = scatter_pin_copy(call->member, copy, part->moved);
	unhold(call, peer);
	if (done != -EFAULT)
		return done;
	if (copy->give)
		return leave_to_root(call);
	if (peer == call->rank)
		return copy_own(call, copy, part->moved);
	if (scatter_op_gathers(operation->spec.op) && !part->fetch)
		return leave_to_rank(call, rank);
	return take_staged(call, rank, peer, copy->own);
}

/*
 * Copy a block between a peer's memory and our own, chunk by chunk. Own pages are
 * faulted in only when one has turned out to be absent; then the next ones are
 * likely to be, too.
 */
static int move_home(struct scatter_call *call, u32 rank, u32 peer,
		     struct scatter_copy *copy)
{
	u64 *moved = &call->operation->parts[rank].moved;
	u64 began = *moved;
	int misses = 0;

	copy->own = scatter_stream_target(call->operation, rank);
	copy->peer = scatter_stream_source(call->operation, rank);
	if (copy->give)
		swap(copy->own, copy->peer);
	copy->bytes = call->operation->parts[rank].length;
	while (*moved < copy->bytes) {
		long done;

		if (misses && !scatter_pin_prepare(copy, *moved))
			return scatter_move_own_fault();
		done = move_chunk(call, rank, peer, copy);
		if (done < 0)
			return done;
		if (!done && ++misses == SCATTER_MISSES)
			return -EFAULT;
		if (done && misses)
			misses = 1;
		*moved += done;
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
