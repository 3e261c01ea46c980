// SPDX-License-Identifier: GPL-2.0
/*
 * Bringing and staging: what the owner of a block does for memory that only the owner can reach.
 *
 * The owner of a block is the rank in whose memory the block starts, see scatter_block_owner(). A
 * taker that finds the next bytes of a block absent asks the owner to bring them. The owner, which
 * waits inside its call, faults the bytes in, and the taker tries again. So the bytes are still
 * copied once. If bringing was in vain (memory of devices, secret memory, a mmap lock that is held
 * for long), the taker asks for a stage: the owner copies the next bytes into kernel memory of the
 * operation, and the taker copies them out.
 *
 * So each member serves the faults of its own memory in its own call. A taker only waits for the
 * owner, interruptibly and no longer than its deadline. enum scatter_bring_state and enum
 * scatter_stage_state say whose turn it is. Taker and owner may pause their calls at any time.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/scatter.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/member.h"
#include "group/wait.h"
#include "link/stage.h"
#include "memory/buffer.h"
#include "memory/memory.h"
#include "memory/pin.h"
#include "operation/await.h"
#include "operation/block.h"
#include "operation/call.h"
#include "operation/operation.h"
#include "stats.h"

/* Most bytes in a stage: a stage with its headers takes a power of two. */
#define SCATTER_STAGE_BYTES	(SZ_64K - sizeof(struct scatter_stage) - \
				 sizeof(struct scatter_memory))

/**
 * scatter_stage_void() - find the error of a block that will not come
 * @call: call of a member that wanted the block
 * @rank: the block's rank
 *
 * If the owner's death made the block void, no buffer is at fault.
 *
 * Context: takes the group's lock.
 * Return: -EREMOTEIO or the operation's error.
 */
int scatter_stage_void(struct scatter_call *call, u32 rank)
{
	int error = -EREMOTEIO;

	spin_lock(&call->group->lock);
	call->culprit = scatter_block_owner(call->operation, rank);
	if (call->operation->error)
		error = scatter_await_blame_locked(call);
	spin_unlock(&call->group->lock);
	return error;
}

static void stage_free(struct scatter_group *group, struct scatter_stage *stage)
{
	if (!stage)
		return;
	spin_lock(&group->lock);
	group->slot_bytes -= stage->charged;
	spin_unlock(&group->lock);
	scatter_memory_free(stage);
	scatter_stats_destroyed(SCATTER_OBJECT_SLOT, 1);
}

/*
 * Make a stage as large as is of use, if the limits of the taker's user and of the group allow.
 * Else make a stage of one page, beyond these limits: a member never needs more than one such page
 * for each block that it takes.
 */
static struct scatter_stage *stage_create(const struct scatter_hands *hands,
					  struct scatter_group *group, u64 bytes)
{
	u32 size = min_t(u64, bytes, SCATTER_STAGE_BYTES) + sizeof(struct scatter_stage);
	struct scatter_stage *stage = ERR_PTR(-EDQUOT);
	u32 charged = 0;

	spin_lock(&group->lock);
	if (scatter_group_charge_slot_locked(group, size))
		charged = size;
	spin_unlock(&group->lock);
	if (charged)
		stage = scatter_memory_alloc(hands->user, size,
					     SCATTER_MEMORY_PAYLOAD);
	if (IS_ERR(stage)) {
		spin_lock(&group->lock);
		group->slot_bytes -= charged;
		spin_unlock(&group->lock);
		charged = 0;
		size = min_t(u32, size, PAGE_SIZE - sizeof(struct scatter_memory));
		stage = scatter_memory_alloc(hands->user, size,
					     SCATTER_MEMORY_PAYLOAD |
					     SCATTER_MEMORY_BEYOND);
	}
	if (IS_ERR(stage))
		return NULL;
	stage->size = size - sizeof(struct scatter_stage);
	stage->charged = charged;
	stage->state = SCATTER_STAGE_IDLE;
	stage->bytes = 0;
	scatter_stats_created(SCATTER_OBJECT_SLOT, 1);
	return stage;
}

/* The taker asks the owner of a block to bring some of the block, or to fill the stage. */
static void ask_locked(struct scatter_call *call, u32 rank, u32 owner)
{
	struct scatter_operation *operation = call->operation;

	lockdep_assert_held(&call->group->lock);
	if (scatter_op_scatters(operation->spec.op))
		scatter_block_note_locked(operation, rank);
	scatter_operation_wake_rank(operation, owner);
}

/* The next block of the caller that a taker has asked for. A leaf of a gather has only its own. */
static u32 next_asked_locked(const struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u32 rank;

	lockdep_assert_held(&call->group->lock);
	if (scatter_op_gathers(operation->spec.op))
		return scatter_cargo_asks(scatter_call_cargo(call)) ? call->rank :
								      SCATTER_NO_RANK;
	if (call->rank != operation->spec.root)
		return SCATTER_NO_RANK;
	do {
		rank = scatter_block_noted_locked(operation);
	} while (rank != SCATTER_NO_RANK &&
		 !scatter_cargo_asks(scatter_operation_cargo(operation, rank)));
	return rank;
}

static bool is_answered(const struct scatter_call *call, u32 rank)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);

	return cargo->state != SCATTER_BLOCK_HOME || !scatter_cargo_owed(cargo);
}

/*
 * Wait for the owner's answer. Only the receiver of a scatter waits; the root of a gather has other
 * blocks to look after: -EAGAIN.
 */
static int await_locked(struct scatter_call *call, u32 rank, u32 owner)
	__must_hold(&call->group->lock)
{
	lockdep_assert_held(&call->group->lock);
	if (!scatter_op_gathers(call->operation->spec.op))
		return scatter_await_locked(call, is_answered, rank, owner);
	return is_answered(call, rank) ? 0 : -EAGAIN;
}

/* Copy out what the owner has staged. Returns the bytes copied, or -errno. */
static long empty(struct scatter_call *call, u32 rank, struct scatter_stream to)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	struct scatter_stage *stage = cargo->stage;
	u32 bytes = stage->bytes;
	bool ok;

	ok = scatter_buffer_write(scatter_stream_from(to, cargo->moved), stage->data,
				  bytes);
	spin_lock(&call->group->lock);
	stage->state = ok ? SCATTER_STAGE_IDLE : SCATTER_STAGE_FULL;
	if (cargo->state != SCATTER_BLOCK_HOME)
		scatter_block_drop_stage_locked(call->group, call->operation,
						rank);
	spin_unlock(&call->group->lock);
	if (!ok)
		return scatter_buffer_fault();
	scatter_stats_count(&call->hands->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	return bytes;
}

/**
 * scatter_stage_take() - get the next bytes of a block from its owner
 * @call: call of the taker: the receiver of a scatter, or the root of a gather
 * @rank: the block's rank
 * @owner: the rank that can read the block
 * @to: the block's place in the taker's memory
 *
 * Context: may sleep and fault; no locks.
 * Return: bytes copied; -EAGAIN in a gather, if the owner has not staged any bytes yet; or another
 * -errno.
 */
long scatter_stage_take(struct scatter_call *call, u32 rank, u32 owner,
			struct scatter_stream to)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	struct scatter_stage *fresh = NULL;
	bool full = false;
	int error = 0;

	if (!READ_ONCE(cargo->stage)) {
		fresh = stage_create(call->hands, call->group,
				     scatter_operation_slice(call->operation, rank)->length);
		if (!fresh)
			return -ENOMEM;
	}
	spin_lock(&call->group->lock);
	if (cargo->state == SCATTER_BLOCK_HOME) {
		if (!cargo->stage)
			swap(cargo->stage, fresh);
		if (cargo->stage->state == SCATTER_STAGE_IDLE) {
			cargo->stage->state = SCATTER_STAGE_ASKED;
			ask_locked(call, rank, owner);
		}
		error = await_locked(call, rank, owner);
	}
	full = !error && cargo->state == SCATTER_BLOCK_HOME;
	if (full)
		cargo->stage->state = SCATTER_STAGE_EMPTYING;
	spin_unlock(&call->group->lock);
	stage_free(call->group, fresh);
	if (full)
		return empty(call, rank, to);
	return error ?: scatter_stage_void(call, rank);
}

/**
 * scatter_stage_is_due() - whether the next bytes of a block come through its stage
 * @call: the taker's call
 * @rank: the block's rank
 *
 * Context: takes the group's lock.
 */
bool scatter_stage_is_due(struct scatter_call *call, u32 rank)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	bool due;

	if (READ_ONCE(cargo->unreachable))
		return true;
	if (!READ_ONCE(cargo->stage))
		return false;
	spin_lock(&call->group->lock);
	due = cargo->stage && cargo->stage->state != SCATTER_STAGE_IDLE;
	spin_unlock(&call->group->lock);
	return due;
}

/**
 * scatter_stage_bring() - have the owner bring the next bytes of a block, which are absent
 * @call: call of the taker: the receiver of a scatter, or the root of a gather
 * @rank: the block's rank
 * @owner: the rank in whose memory the block is
 * @to: the block's place in the taker's memory
 * @locked: true: the bytes may be there, but another task holds the owner's mmap lock
 *
 * Context: may sleep and fault; no locks.
 * Return: -ERESTART if the caller is to try again; bytes copied through the stage, if bringing was
 * in vain before; -EAGAIN in a gather, if the owner has not brought the bytes yet; or another
 * -errno.
 */
long scatter_stage_bring(struct scatter_call *call, u32 rank, u32 owner,
			 struct scatter_stream to, bool locked)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	bool in_vain;
	int error = 0;

	spin_lock(&call->group->lock);
	in_vain = cargo->bring == SCATTER_BRING_DONE;
	if (in_vain) {
		cargo->bring = SCATTER_BRING_NONE;
		cargo->unreachable |= !locked;
	} else if (cargo->state == SCATTER_BLOCK_HOME) {
		if (cargo->bring == SCATTER_BRING_NONE) {
			cargo->bring = SCATTER_BRING_ASKED;
			ask_locked(call, rank, owner);
		}
		error = await_locked(call, rank, owner);
	}
	if (!error && cargo->state != SCATTER_BLOCK_HOME)
		in_vain = true;
	spin_unlock(&call->group->lock);
	/* scatter_stage_take() also finds out why a block will not come any more. */
	if (in_vain)
		return scatter_stage_take(call, rank, owner, to);
	return error ?: -ERESTART;
}

/**
 * scatter_stage_await() - wait for bytes that the owner has been asked to bring
 * @call: the taker's call, which may have asked before it paused
 * @rank: the block's rank
 * @owner: the rank in whose memory the block is
 *
 * Context: may sleep and fault; takes the group's lock if the owner has been asked.
 * Return: 0; -EAGAIN in a gather, if the owner has not brought the bytes yet; or another -errno.
 */
int scatter_stage_await(struct scatter_call *call, u32 rank, u32 owner)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	int error;

	if (READ_ONCE(cargo->bring) == SCATTER_BRING_NONE)
		return 0;
	spin_lock(&call->group->lock);
	error = await_locked(call, rank, owner);
	spin_unlock(&call->group->lock);
	return error;
}

/**
 * scatter_stage_passed() - note that a taker has copied the bytes that the owner has brought
 * @call: the taker's call
 * @rank: the block's rank
 *
 * Context: takes the group's lock if the owner has brought any bytes.
 */
void scatter_stage_passed(struct scatter_call *call, u32 rank)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);

	if (READ_ONCE(cargo->bring) == SCATTER_BRING_NONE)
		return;
	spin_lock(&call->group->lock);
	cargo->bring = SCATTER_BRING_NONE;
	spin_unlock(&call->group->lock);
}

/* Fault the next bytes in. False if not even the first one is readable. */
static bool bring_locked(struct scatter_call *call, u32 rank)
	__must_hold(&call->group->lock)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	const struct scatter_copy copy = {
		.own = scatter_block_source(call->operation, rank),
		.bytes = scatter_operation_slice(call->operation, rank)->length,
		.give = true,
	};
	bool ok;

	lockdep_assert_held(&call->group->lock);
	cargo->bring = SCATTER_BRING_DOING;
	spin_unlock(&call->group->lock);
	ok = scatter_pin_prepare(&copy, cargo->moved);
	spin_lock(&call->group->lock);
	cargo->bring = SCATTER_BRING_DONE;
	return ok;
}

/* Copy the next bytes into the stage. False if not all of them are readable. */
static bool fill_locked(struct scatter_call *call, u32 rank)
	__must_hold(&call->group->lock)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	struct scatter_stream from = scatter_block_source(call->operation, rank);
	struct scatter_stage *stage = cargo->stage;
	u64 left = scatter_operation_slice(call->operation, rank)->length - cargo->moved;
	u32 bytes = min_t(u64, left, stage->size);
	bool ok;

	lockdep_assert_held(&call->group->lock);
	stage->state = SCATTER_STAGE_FILLING;
	spin_unlock(&call->group->lock);
	ok = scatter_buffer_read(stage->data, scatter_stream_from(from, cargo->moved),
				 bytes);
	if (ok)
		scatter_stats_count(&call->hands->tally, SCATTER_COUNTER_BYTES_COPIED,
				    bytes);
	spin_lock(&call->group->lock);
	stage->bytes = bytes;
	stage->state = ok ? SCATTER_STAGE_FULL : SCATTER_STAGE_IDLE;
	if (ok && cargo->state != SCATTER_BLOCK_HOME)
		scatter_block_drop_stage_locked(call->group, call->operation,
						rank);
	return ok;
}

static void answer_locked(struct scatter_call *call, u32 rank)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	u32 taker = rank;
	bool ok;

	lockdep_assert_held(&call->group->lock);
	if (scatter_op_gathers(operation->spec.op))
		taker = operation->spec.root;
	if (scatter_operation_cargo(operation, rank)->bring == SCATTER_BRING_ASKED)
		ok = bring_locked(call, rank);
	else
		ok = fill_locked(call, rank);
	if (!ok)
		scatter_block_fault_locked(operation, rank);
	scatter_operation_wake_rank(operation, taker);
}

/**
 * scatter_stage_answer_locked() - bring or stage the bytes that takers have asked for
 * @call: the owner's call, of kind move
 *
 * Context: the group's lock is held; dropped to copy and taken again. May sleep and
 * fault.
 * Return: 0 if no taker has asked; 1 if one had; -EINTR or -ETIMEDOUT if one had and the call is to
 * wait no longer.
 */
int scatter_stage_answer_locked(struct scatter_call *call)
{
	u32 n;

	lockdep_assert_held(&call->group->lock);
	/* A taker may ask again after its answer; in between the caller looks at other things. */
	for (n = 0; n < call->operation->size; n++) {
		u32 rank = next_asked_locked(call);

		if (rank == SCATTER_NO_RANK)
			break;
		answer_locked(call, rank);
		if (signal_pending(current))
			return -EINTR;
	}
	if (n && scatter_wait_expired(call->deadline_ns))
		return -ETIMEDOUT;
	return n > 0;
}

