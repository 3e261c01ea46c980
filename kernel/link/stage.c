// SPDX-License-Identifier: GPL-2.0
/*
 * What only the owner of a block can bring: memory that is absent, or that nobody else
 * can read.
 *
 * A taker that finds the next bytes of a block absent asks the owner for them. The owner,
 * which waits inside its call, faults them in, and the taker tries again: they are still
 * copied once. If that was in vain (memory of devices, secret memory, a mmap lock that is
 * held for long), the taker asks for a stage: the owner copies the next bytes into kernel
 * memory of the operation, and the taker copies them out.
 *
 * So each member serves the faults of its own memory in its own call, and another one only
 * waits for that: interruptibly, and no longer than its deadline. Taker and owner have
 * their turns as enum scatter_bring_state and enum scatter_stage_state say. Either may
 * pause its call at any time.
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

/* How much is staged at a time: with its headers a stage is a power of two. */
#define SCATTER_STAGE_BYTES	(SZ_64K - sizeof(struct scatter_stage) - \
				 sizeof(struct scatter_memory))

/**
 * scatter_stage_void() - the error of a block that will not come
 * @call: of the member that wanted it
 * @rank: whose block
 *
 * If the death of its owner made the block void, that is no fault of a buffer.
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
 * As large as is of use, and as the taker's user and the group may have; else a page, which a
 * member never needs more than one of for each block that it takes.
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

/* The owner of a block has to do something for the taker. */
static void ask_locked(struct scatter_call *call, u32 rank, u32 owner)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_move *move = &operation->move;
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

	static_assert(SCATTER_SIZE_MAX <= U16_MAX);
	lockdep_assert_held(&call->group->lock);
	if (!cargo->asked && scatter_op_scatters(operation->spec.op)) {
		cargo->asked = true;
		if (move->ask_head == SCATTER_NO_RANK)
			move->ask_head = rank;
		else
			scatter_operation_cargo(operation, move->ask_tail)->ask_next = rank;
		move->ask_tail = rank;
	}
	scatter_operation_wake_rank(operation, owner);
}

/* The next block of the caller's that somebody has asked for; the one of a leaf is its own. */
static u32 next_asked_locked(const struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;

	lockdep_assert_held(&call->group->lock);
	if (scatter_op_gathers(operation->spec.op))
		return scatter_cargo_asks(scatter_call_cargo(call)) ? call->rank :
								      SCATTER_NO_RANK;
	if (call->rank != operation->spec.root)
		return SCATTER_NO_RANK;
	while (operation->move.ask_head != SCATTER_NO_RANK) {
		u32 rank = operation->move.ask_head;
		struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);

		cargo->asked = false;
		operation->move.ask_head = cargo->ask_next;
		if (rank == operation->move.ask_tail)
			operation->move.ask_head = SCATTER_NO_RANK;
		if (scatter_cargo_asks(cargo))
			return rank;
	}
	return SCATTER_NO_RANK;
}

static bool is_answered(const struct scatter_call *call, u32 rank)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);

	return cargo->state != SCATTER_BLOCK_HOME || !scatter_cargo_owed(cargo);
}

/*
 * The receiver of a scatter waits for the owner; the root of a gather has others to look
 * after: -EAGAIN.
 */
static int await_locked(struct scatter_call *call, u32 rank, u32 owner)
	__must_hold(&call->group->lock)
{
	lockdep_assert_held(&call->group->lock);
	if (!scatter_op_gathers(call->operation->spec.op))
		return scatter_await_locked(call, is_answered, rank, owner);
	return is_answered(call, rank) ? 0 : -EAGAIN;
}

/* Copy out what the owner has filled in. Bytes copied, or -errno. */
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
 * @call: who takes: the receiver of a scatter or the root of a gather
 * @rank: whose block
 * @owner: who can read it
 * @to: the block's place in the own memory
 *
 * Context: may sleep and fault; no locks.
 * Return: bytes copied; -EAGAIN in a gather, if the owner has not staged any yet; or another
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
 * scatter_stage_is_due() - whether the next bytes of a block come by way of its stage
 * @call: who takes
 * @rank: whose block
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
 * scatter_stage_bring() - have the next bytes of a block brought, which are absent
 * @call: who takes: the receiver of a scatter or the root of a gather
 * @rank: whose block
 * @owner: in whose memory it is
 * @to: the block's place in the own memory
 * @locked: not the bytes are absent, but the owner's mmap lock is held by somebody
 *
 * Context: may sleep and fault; no locks.
 * Return: -ERESTART if it is worth to try again; bytes copied, if it was in vain before;
 * -EAGAIN in a gather, if the owner has not brought them yet; or another -errno.
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
	/* That also tells why a block will not come any more. */
	if (in_vain)
		return scatter_stage_take(call, rank, owner, to);
	return error ?: -ERESTART;
}

/**
 * scatter_stage_await() - wait for bytes that the owner has been asked to bring
 * @call: who takes; it may have asked before it paused
 * @rank: whose block
 * @owner: in whose memory it is
 *
 * Context: may sleep and fault; takes the group's lock if there are any.
 * Return: 0; -EAGAIN in a gather, if the owner has not brought them yet; or another -errno.
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
 * scatter_stage_passed() - bytes that the owner has brought have been copied
 * @call: who takes
 * @rank: whose block
 *
 * Context: takes the group's lock if any were.
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
 * scatter_stage_answer_locked() - bring or stage what others have asked for
 * @call: of kind move; of the owner of what they found absent
 *
 * Context: the group's lock is held; dropped to copy and taken again. May sleep and
 * fault.
 * Return: 0 if nobody has asked; 1 if somebody had; -EINTR or -ETIMEDOUT if somebody
 * had and the call is to wait no longer.
 */
int scatter_stage_answer_locked(struct scatter_call *call)
{
	u32 n;

	lockdep_assert_held(&call->group->lock);
	/* Who has been answered may ask again: the caller looks at other things in between. */
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

