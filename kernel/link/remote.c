// SPDX-License-Identifier: GPL-2.0
/*
 * The link between a member and other nodes: what the member's call does for the portal.
 *
 * In a scatter, the root packs the blocks that other nodes get. In a gather, other members put
 * their blocks aside. The packed pages go to the next node without another copy. A block that is
 * too long to be packed is only announced: the taker's call pulls the block, and the owner's call
 * sends it, some bytes at a time. See span/ for what happens in between.
 */
#include <asm/byteorder.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/wait.h"
#include "link/remote.h"
#include "link/stage.h"
#include "link/transfer.h"
#include "memory/buffer.h"
#include "memory/chunks.h"
#include "memory/hands.h"
#include "memory/segment.h"
#include "node/mail.h"
#include "operation/await.h"
#include "operation/block.h"
#include "operation/call.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "span/bundle.h"
#include "span/edge.h"
#include "span/pack.h"
#include "span/pull.h"
#include "span/sink.h"
#include "span/span.h"
#include "trace.h"

/* How many bundles, and bytes of them, a root packs before it sends them. */
#define SCATTER_REMOTE_BUNDLES	16
#define SCATTER_REMOTE_BYTES	SZ_16K

/* Get the lock of the group's slots. If the call is new, its operation gets a slot now. */
static void lock_slots(struct scatter_call *call)
{
	scatter_backlog_lock(call->group->portal);
	scatter_edge_meet(call->group, call->operation->number);
}

/* Give the lock back, and send what the call has posted meanwhile. */
static void unlock_slots(struct scatter_call *call)
{
	scatter_backlog_unlock(call->group->portal);
	scatter_mail_flush(call->group->portal->node);
}

/* Scatter, root ------------------------------------------------------------ */

/* How many bytes a bundle has. */
static u64 bytes_of(const struct scatter_call *call, const struct scatter_pack *pack)
{
	struct scatter_places_cursor cursor;
	u64 bytes = 0;
	u32 rank;

	scatter_places_begin(&cursor, pack->set.place, pack->set.nr);
	while (scatter_places_next(&pack->places, &cursor, &rank)) {
		u64 length = scatter_operation_slice(call->operation, rank)->length;

		bytes += scatter_bundle_piece(&pack->bundle, length, NULL);
	}
	return bytes;
}

/* Some of a block has left its owner's memory. */
static void leave_locked(struct scatter_call *call, u32 rank, u64 bytes)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, rank);
	u64 length = scatter_operation_slice(operation, rank)->length;

	lockdep_assert_held(&call->group->lock);
	cargo->moved = min(cargo->moved + bytes, length);
	if (cargo->moved == length && cargo->state == SCATTER_BLOCK_HOME)
		scatter_block_set_locked(call->group, operation, rank, SCATTER_BLOCK_TAKEN, NULL);
}

/*
 * The blocks of a bundle have left the root's memory, or nobody can read them. @lengths is empty if
 * all could be read.
 */
static void settle(struct scatter_call *call, const struct scatter_pack *pack,
		   const struct scatter_chunks *lengths)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_places_cursor cursor;
	u32 rank, i = 0;
	__le64 raw;
	u64 length;

	scatter_places_begin(&cursor, pack->set.place, pack->set.nr);
	spin_lock(&call->group->lock);
	while (scatter_places_next(&pack->places, &cursor, &rank)) {
		length = scatter_operation_slice(operation, rank)->length;
		if (lengths->end) {
			scatter_chunks_read(lengths, i * sizeof(raw), &raw, sizeof(raw));
			length = le64_to_cpu(raw);
		}
		if (length == SCATTER_WIDE_LENGTH_VOID)
			scatter_block_fault_locked(operation, rank);
		else
			leave_locked(call, rank,
				     scatter_bundle_piece(&pack->bundle, length, NULL));
		scatter_group_breathe_locked(call->group, ++i);
	}
	spin_unlock(&call->group->lock);
}

static int append_length(struct scatter_chunks *lengths, u64 length)
{
	const __le64 raw = cpu_to_le64(length);

	return scatter_chunks_append(lengths, &raw, sizeof(raw));
}

/* Fill @lengths with the lengths of the first @nr blocks of a bundle. */
static int list_first(struct scatter_call *call, const struct scatter_pack *pack, u32 nr,
		      struct scatter_chunks *lengths)
{
	struct scatter_places_cursor cursor;
	int error = 0;
	u32 rank;

	scatter_places_begin(&cursor, pack->set.place, pack->set.nr);
	while (!error && nr-- && scatter_places_next(&pack->places, &cursor, &rank))
		error = append_length(lengths,
				      scatter_operation_slice(call->operation, rank)->length);
	return error;
}

/* Append a block to @blocks. A block that cannot be read leaves no bytes. */
static int pack_block(struct scatter_call *call, const struct scatter_pack *pack, u32 rank,
		      struct scatter_chunks *blocks, u64 *length)
{
	struct scatter_stream from = scatter_block_source(call->operation, rank);
	u64 begin = blocks->end, offset, bytes;
	int error;

	bytes = scatter_bundle_piece(&pack->bundle, *length, &offset);
	error = scatter_chunks_append_user(blocks, scatter_stream_from(from, offset), bytes);
	if (error == -EFAULT) {
		scatter_chunks_drop(blocks, begin);
		*length = SCATTER_WIDE_LENGTH_VOID;
		return scatter_buffer_fault() == -EINTR ? -EINTR : 0;
	}
	if (!error) {
		scatter_stats_count(&call->hands->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
		trace_scatter_copy(call->group, call->operation, call->rank, rank, bytes);
	}
	return error;
}

/*
 * Fill @lengths and @blocks with a bundle; with @plain leave @blocks empty. *@listed: the bundle
 * has to carry the lengths of its blocks; else @lengths stays empty.
 */
static int pack_all(struct scatter_call *call, const struct scatter_pack *pack, bool plain,
		    struct scatter_chunks *lengths, struct scatter_chunks *blocks, bool *listed)
{
	struct scatter_places_cursor cursor;
	u32 rank, nr = 0;
	int error = 0;

	*listed = scatter_spec_is_open(&call->operation->spec);
	scatter_places_begin(&cursor, pack->set.place, pack->set.nr);
	while (!error && scatter_places_next(&pack->places, &cursor, &rank)) {
		u64 length = scatter_operation_slice(call->operation, rank)->length;

		if (!plain)
			error = pack_block(call, pack, rank, blocks, &length);
		if (!error && !*listed && length == SCATTER_WIDE_LENGTH_VOID) {
			*listed = true;
			error = list_first(call, pack, nr, lengths);
		}
		if (!error && *listed)
			error = append_length(lengths, length);
		nr++;
		cond_resched();
	}
	return error;
}

/* Pack a bundle, with its payload if that is possible. */
static int pack(struct scatter_call *call, struct scatter_pack *pack)
{
	struct scatter_user *user = call->hands->user;
	struct scatter_chunks *stream = &pack->bundle.stream;
	bool plain = bytes_of(call, pack) > pack->budget, listed;
	struct scatter_chunks lengths, blocks;
	int error;

	scatter_chunks_init(&lengths, user);
	scatter_chunks_init(&blocks, user);
	error = pack_all(call, pack, plain, &lengths, &blocks, &listed);
	if (!plain && error && error != -EINTR) {
		plain = true;
		scatter_chunks_free(&lengths);
		scatter_chunks_free(&blocks);
		/* The lengths take few bytes, and nothing goes on without them: nobody pays. */
		scatter_chunks_init(&lengths, NULL);
		error = pack_all(call, pack, plain, &lengths, &blocks, &listed);
	}
	if (!error && !plain)
		settle(call, pack, &lengths);
	if (!error) {
		pack->bundle.head.flags = (listed ? SCATTER_WIDE_LISTED : 0) |
					  (plain ? SCATTER_WIDE_PLAIN : 0);
		scatter_chunks_join(stream, &lengths);
		scatter_chunks_join(stream, &blocks);
	}
	scatter_chunks_free(&lengths);
	scatter_chunks_free(&blocks);
	return error;
}

/* Nobody takes the blocks of ranks that are gone. Facts tell of ranks that go later. */
static void forgo(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_group *group = call->group;
	u32 i, rank;

	spin_lock(&group->lock);
	for (i = 0; i < operation->spec.blocks && group->state == SCATTER_STATE_BROKEN;) {
		rank = operation->spec.first + i;
		if (!scatter_group_member(group, rank) &&
		    scatter_portal_takes_no_more_locked(group, rank, operation->number) &&
		    scatter_operation_cargo(operation, rank)->state == SCATTER_BLOCK_HOME)
			scatter_block_set_locked(group, operation, rank, SCATTER_BLOCK_TAKEN,
						 NULL);
		scatter_group_breathe_locked(group, ++i);
	}
	spin_unlock(&group->lock);
}

/**
 * scatter_remote_send() - pack what other nodes get of a scatter
 * @call: the root's call
 *
 * Context: may sleep and fault; no locks.
 * Return: 0; -EINTR if a signal has come: the resumed call packs the rest; or another -errno.
 */
int scatter_remote_send(struct scatter_call *call)
{
	u64 number = call->operation->number, packed = 0;
	struct scatter_pack next;
	u32 nr = 0;
	int error = 0;

	lock_slots(call);
	while (!error && scatter_pack_next(call->group, number, call->hands->user, &next)) {
		unlock_slots(call);
		error = pack(call, &next);
		scatter_backlog_lock(call->group->portal);
		if (error) {
			scatter_chunks_free(&next.bundle.stream);
			break;
		}
		packed += next.bundle.stream.end;
		scatter_pack_put(call->group, number, &next);
		if (packed >= SCATTER_REMOTE_BYTES || ++nr == SCATTER_REMOTE_BUNDLES ||
		    next.bundle.head.flags & SCATTER_WIDE_PLAIN) {
			scatter_span_move(call->group, number);
			packed = 0;
			nr = 0;
		}
		if (signal_pending(current))
			error = -EINTR;
	}
	scatter_span_move(call->group, number);
	unlock_slots(call);
	if (!error)
		forgo(call);
	return error;
}

/* Gather, others ----------------------------------------------------------- */

/**
 * scatter_remote_offer() - let a call's block of a gather go to a root on another node
 * @call: a call that has not offered its block before
 *
 * Afterwards the block has left the member's memory, or the root is going to pull it.
 *
 * Context: may sleep and fault; no locks.
 */
void scatter_remote_offer(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u64 length = scatter_call_slice(call)->length;
	struct scatter_chunks block;
	int error = -EAGAIN;
	bool aside;

	scatter_chunks_init(&block, call->hands->user);
	lock_slots(call);
	aside = scatter_pack_aside(call->group, operation->number, length);
	unlock_slots(call);
	if (aside)
		error = scatter_chunks_append_user(&block,
						   scatter_block_source(operation, call->rank),
						   length);
	if (error)
		scatter_chunks_free(&block);
	/* A task that is being killed still owes the block: the others hear of the death. */
	if (error == -EFAULT && fatal_signal_pending(current))
		return;
	if (error == -EFAULT) {
		spin_lock(&call->group->lock);
		scatter_block_fault_locked(operation, call->rank);
		spin_unlock(&call->group->lock);
	}
	if (!error) {
		scatter_stats_count(&call->hands->tally, SCATTER_COUNTER_BYTES_COPIED, length);
		trace_scatter_copy(call->group, operation, call->rank, call->rank, length);
		if (length)
			scatter_transfer_taken(operation, call->rank, 1);
	}
	scatter_backlog_lock(call->group->portal);
	scatter_pack_own(call->group, operation->number, call->rank, length, error == -EFAULT,
			 &block);
	scatter_span_move(call->group, operation->number);
	unlock_slots(call);
}

/* Taking ------------------------------------------------------------------- */

static bool has_come(const struct scatter_call *call, u32 rank)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);

	return cargo->state != SCATTER_BLOCK_AWAY || cargo->away.came > cargo->moved;
}

/* Or bytes of another block of a gather, which the root may take before, unless it is to fail. */
static bool some_have_come(const struct scatter_call *call, u32 rank)
{
	const struct scatter_operation *operation = call->operation;

	return has_come(call, rank) ||
	       (scatter_op_gathers(operation->spec.op) && !operation->error &&
		operation->move.noted_head != SCATTER_NO_RANK);
}

/*
 * Choose the block of which the next bytes are taken. The root of a gather takes bytes in the order
 * in which they have come, and then those of @rank's block: so the blocks of all nodes are always
 * on their way. A block of @rank that cannot be had comes first. %SCATTER_NO_RANK: no bytes have
 * come.
 */
static u32 choose_locked(struct scatter_call *call, u32 rank)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_cargo *cargo;
	u32 noted;

	lockdep_assert_held(&call->group->lock);
	if (scatter_operation_cargo(operation, rank)->state != SCATTER_BLOCK_AWAY)
		return rank;
	while (scatter_op_gathers(operation->spec.op)) {
		noted = scatter_block_noted_locked(operation);
		if (noted == SCATTER_NO_RANK)
			break;
		cargo = scatter_operation_cargo(operation, noted);
		if (cargo->state == SCATTER_BLOCK_AWAY && cargo->away.came > cargo->moved)
			return noted;
	}
	return has_come(call, rank) ? rank : SCATTER_NO_RANK;
}

/*
 * Copy some bytes to the block's place in the taker's memory. The bytes of a block that is too long
 * are dropped; to the other nodes such a block is one like others.
 */
static int unpack(struct scatter_call *call, u32 rank, const struct scatter_chunks *from, u64 at,
		  u64 bytes)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	struct scatter_stream to = scatter_block_target(call->operation, rank);

	if (!cargo->too_long) {
		if (!scatter_chunks_to_user(from, at, scatter_stream_from(to, cargo->moved), bytes))
			return scatter_buffer_fault();
		scatter_stats_count(&call->hands->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
		trace_scatter_copy(call->group, call->operation, call->rank, rank, bytes);
	}
	cargo->moved += bytes;
	return 0;
}

/* Ask for the next bytes of a block that is pulled, in its turn or @ahead of it. */
static void ask(struct scatter_call *call, u32 rank, bool ahead)
{
	struct scatter_operation *operation = call->operation;
	u64 moved = scatter_operation_cargo(operation, rank)->moved;
	u64 length = scatter_operation_slice(operation, rank)->length;

	if (moved == length)
		return;
	if (ahead)
		scatter_sink_ask_ahead(call->group, operation->number, rank, moved, length);
	else
		scatter_sink_ask(call->group, operation->number, rank, moved, length);
	scatter_span_settle_one(call->group, operation->number);
}

/* Take the bytes of a block that have come. */
static int take_some(struct scatter_call *call, u32 rank)
{
	u64 moved = scatter_operation_cargo(call->operation, rank)->moved;
	struct scatter_chunks chunks;
	int error;

	scatter_chunks_init(&chunks, NULL);
	scatter_sink_take(call->group, call->operation->number, rank, &chunks);
	error = unpack(call, rank, &chunks, moved, chunks.end - moved);
	scatter_chunks_free(&chunks);
	return error;
}

/* Ask for the next bytes of a block that is pulled, wait until some have come, and take them. */
static int pull_some(struct scatter_call *call, u32 rank)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	u32 chosen = SCATTER_NO_RANK;
	int error;

	ask(call, rank, false);
	spin_lock(&call->group->lock);
	error = scatter_await_locked(call, some_have_come, rank, call->rank);
	if (!error)
		chosen = choose_locked(call, rank);
	spin_unlock(&call->group->lock);
	if (error || chosen == SCATTER_NO_RANK)
		return error;
	if (chosen == rank && READ_ONCE(cargo->state) != SCATTER_BLOCK_AWAY)
		return scatter_stage_void(call, rank);
	error = take_some(call, chosen);
	/* A call whose time is up takes what is on its way, but no more. */
	if (!error && chosen != rank && scatter_wait_allowed(call->deadline_ns))
		ask(call, chosen, true);
	return error;
}

/**
 * scatter_remote_take() - take a block of another node
 * @call: call of the taker: the receiver of a scatter, or the root of a gather
 * @rank: the block's rank; the block is away
 *
 * While the block's bytes do not come, the root of a gather takes bytes of other blocks.
 *
 * Context: may sleep and fault; no locks.
 * Return: 0; -EINTR or -ETIMEDOUT (the next call goes on from there); -EREMOTEIO if the source
 * could not be read; or another -errno.
 */
int scatter_remote_take(struct scatter_call *call, u32 rank)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(call->operation, rank);
	u64 length = scatter_operation_slice(call->operation, rank)->length;
	int error = 0;

	if (cargo->away.stream && cargo->moved < length)
		return unpack(call, rank, cargo->away.stream, cargo->away.at, length);
	while (!error && cargo->moved < length) {
		error = pull_some(call, rank);
		if (!error && cargo->moved < length && signal_pending(current))
			error = -EINTR;
	}
	return error;
}

/* Answering ---------------------------------------------------------------- */

/* Some bytes of a block have left their owner's memory; or, unless @there, cannot be read. */
static void count(struct scatter_call *call, const struct scatter_slot_pull *pull, bool there)
{
	struct scatter_operation *operation = call->operation;

	spin_lock(&call->group->lock);
	if (there)
		leave_locked(call, pull->rank, pull->bytes);
	else
		scatter_block_fault_locked(operation, pull->rank);
	spin_unlock(&call->group->lock);
	if (!there)
		return;
	scatter_stats_count(&call->hands->tally, SCATTER_COUNTER_BYTES_COPIED, pull->bytes);
	trace_scatter_copy(call->group, operation, call->rank, pull->rank, pull->bytes);
}

/* Send the bytes of a block that another node asks for. */
static void answer(struct scatter_call *call, const struct scatter_slot_pull *pull)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, pull->rank);
	struct scatter_stream from = scatter_block_source(operation, pull->rank);
	u64 length = scatter_operation_slice(operation, pull->rank)->length;
	u64 from_on = max(pull->offset, READ_ONCE(cargo->moved));
	u64 number = operation->number;
	struct scatter_segment *segment;
	bool there;

	/* An honest node asks for each byte once. */
	if (READ_ONCE(cargo->state) != SCATTER_BLOCK_HOME || from_on > length ||
	    pull->bytes > length - from_on) {
		scatter_pull_answer(call->group, number, pull, NULL);
		return;
	}
	segment = scatter_segment_create(pull->bytes);
	there = scatter_segment_fill(segment, scatter_stream_from(from, pull->offset));
	/* A task that is being killed still owes the block: the others hear of the death. */
	if (there || !fatal_signal_pending(current)) {
		scatter_pull_answer(call->group, number, pull, there ? segment : NULL);
		count(call, pull, there);
	}
	scatter_segment_put(segment);
}

/**
 * scatter_remote_answer_locked() - send what other nodes ask for of the call's own memory
 * @call: a call of kind move, in a group that spans nodes
 *
 * Context: the group's lock is held; dropped to copy and taken again. May sleep and fault.
 * Return: 0 if no node has asked; 1 if one had; -EINTR or -ETIMEDOUT if the call is to wait no
 * longer.
 */
int scatter_remote_answer_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_cargo *cargo = scatter_call_cargo(call);
	struct scatter_slot_pull pull;
	int found = 0;

	lockdep_assert_held(&call->group->lock);
	if (!cargo->pulled)
		return 0;
	cargo->pulled = false;
	spin_unlock(&call->group->lock);
	while (!found && scatter_pull_next(call->group, call->operation->number, call->rank,
					   &pull)) {
		answer(call, &pull);
		if (signal_pending(current))
			found = -EINTR;
		else if (scatter_wait_expired(call->deadline_ns))
			found = -ETIMEDOUT;
	}
	scatter_span_settle_one(call->group, call->operation->number);
	spin_lock(&call->group->lock);
	/* The resumed call answers the rest. */
	cargo->pulled |= found < 0;
	return found ?: 1;
}
