// SPDX-License-Identifier: GPL-2.0
/*
 * Repeated OR-broadcast, scatter and gather.
 *
 * Block after block, all ranks combine what they contribute: who has the block
 * contributes it, all others zeros. Each rank walks its own schedule in its own call,
 * so all have to be there, and no other task's memory is touched: a block is copied
 * in from user memory, goes from rank to rank through boxes in kernel memory, one for
 * each receiver and round, and is copied out again. Long blocks do all that chunk by
 * chunk.
 *
 * A sender waits until its box is empty, a receiver until it is full. No circle of
 * ranks can wait: who is at the earliest step of all finds its box empty, since the
 * receiver has passed the step that emptied it, and full if the sender has passed this
 * one; else the sender is at this step, too, and sends before it receives.
 *
 * A rank that cannot read or write its own memory goes on nevertheless: others need its
 * messages. All that a call has done is in the operation, so that it can be paused.
 */
#include <linux/align.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sizes.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "coll.h"
#include "combine.h"
#include "group.h"
#include "member.h"
#include "move.h"
#include "operation.h"
#include "params.h"
#include "plan.h"
#include "trace.h"
#include "wait.h"

/* Most bytes of boxes and sum for one rank. */
#define SCATTER_COMBINE_BYTES	SZ_32K

/**
 * scatter_combine_alloc() - boxes for an OR-broadcast
 * @spec: what is asked for
 * @size: the group's size
 *
 * Context: may sleep.
 * Return: it, for scatter_combine_free(); NULL if there is no memory.
 */
struct scatter_combine *scatter_combine_alloc(const struct scatter_spec *spec,
					      u32 size)
{
	u32 rounds = scatter_plan_rounds(spec, size) / size;
	u32 chunk = ALIGN_DOWN(SCATTER_COMBINE_BYTES / (rounds + 1), sizeof(u64));
	struct scatter_combine *combine;
	size_t head, boxes;
	u64 *data;
	u32 i;

	/* Of a v form only the root knows the lengths. */
	if (!scatter_op_is_vector(spec->op) && spec->block < chunk)
		chunk = ALIGN(spec->block, sizeof(u64));
	head = struct_size(combine, lanes, size);
	boxes = array3_size(size, rounds, sizeof(*combine->boxes));
	combine = kvzalloc(size_add(size_add(head, boxes),
				    array3_size(size, rounds + 1, chunk)),
			   GFP_KERNEL_ACCOUNT);
	if (!combine)
		return NULL;
	combine->chunk = chunk;
	combine->rounds = rounds;
	combine->boxes = (void *)combine + head;
	data = (void *)combine->boxes + boxes;
	for (i = 0; i < size; i++, data += chunk / sizeof(*data))
		combine->lanes[i].sum = data;
	for (i = 0; i < size * rounds; i++, data += chunk / sizeof(*data))
		combine->boxes[i].data = data;
	return combine;
}

/**
 * scatter_combine_free() - undo scatter_combine_alloc()
 * @combine: nobody uses it any more; may be NULL
 *
 * Context: may sleep.
 */
void scatter_combine_free(struct scatter_combine *combine)
{
	kvfree(combine);
}

static struct scatter_lane *lane_of(const struct scatter_call *call)
{
	return &call->operation->combine->lanes[call->rank];
}

static u32 box_index(const struct scatter_call *call, u32 to, u32 round)
{
	u32 rounds = call->operation->combine->rounds;

	return to * rounds + (round - 1) % rounds;
}

static bool is_decided(const struct scatter_call *call, u32 rank)
{
	return call->operation->decided;
}

static bool is_empty(const struct scatter_call *call, u32 box)
{
	return !call->operation->combine->boxes[box].full;
}

static bool is_full(const struct scatter_call *call, u32 box)
{
	return call->operation->combine->boxes[box].full;
}

static int await(struct scatter_call *call, scatter_done_fn *done, u32 what,
		 u32 peer)
{
	int error;

	spin_lock(&call->group->lock);
	error = scatter_coll_await_locked(call, done, what, peer);
	spin_unlock(&call->group->lock);
	return error;
}

/* Hand a box over to the rank at its other end. */
static void turn(struct scatter_call *call, u32 box, bool full, u32 peer)
{
	struct scatter_operation *operation = call->operation;

	spin_lock(&call->group->lock);
	operation->combine->boxes[box].full = full;
	if (operation->parts[peer].waiting)
		scatter_wake(call->group->members[peer]);
	spin_unlock(&call->group->lock);
}

static void copied(struct scatter_call *call, u64 bytes)
{
	u32 block = lane_of(call)->position;

	scatter_count(&call->member->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	trace_scatter_copy(call->group, call->operation, call->rank, block, bytes);
}

static int send(struct scatter_call *call, const struct scatter_step *step,
		u32 bytes)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_tally *tally = &call->member->tally;
	const struct scatter_lane *lane = lane_of(call);
	u32 box = box_index(call, step->peer, step->round);
	u64 length = scatter_operation_bytes(operation, lane->position, 1);
	int error;

	if (scatter_param_drops_edge(call->rank, step->peer))
		return 0;
	error = await(call, is_empty, box, step->peer);
	if (error)
		return error;
	memcpy(operation->combine->boxes[box].data, lane->sum, bytes);
	copied(call, bytes);
	/* The chunks of a block are one message. */
	if (!lane->done) {
		scatter_count(tally, SCATTER_COUNTER_STARTUPS, 1);
		scatter_count(tally, SCATTER_COUNTER_EDGE_BYTES, length);
		scatter_count_round(tally, step->round);
		trace_scatter_edge(call->group, operation, call->rank, step,
				   length, true);
	}
	turn(call, box, true, step->peer);
	return 0;
}

static int receive(struct scatter_call *call, const struct scatter_step *step,
		   u32 bytes)
{
	struct scatter_lane *lane = lane_of(call);
	u32 box = box_index(call, call->rank, step->round);
	const u64 *data = call->operation->combine->boxes[box].data;
	u32 words = DIV_ROUND_UP(bytes, sizeof(*data));
	int error;
	u32 i;

	error = await(call, is_full, box, step->peer);
	if (error)
		return error;
	for (i = 0; i < words; i++)
		lane->sum[i] = data[i] | (step->combine ? lane->sum[i] : 0);
	copied(call, bytes);
	turn(call, box, false, step->peer);
	return 0;
}

/* What goes wrong first is what the call returns. */
static void blame(struct scatter_lane *lane, int error, u32 culprit)
{
	if (lane->error)
		return;
	lane->error = error;
	lane->culprit = culprit;
}

/* Begin a chunk with what the own rank knows of it. */
static int contribute(struct scatter_call *call, u32 bytes)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_lane *lane = lane_of(call);
	u32 rank = lane->position;
	u64 from;
	int error;

	memset(lane->sum, 0, operation->combine->chunk);
	if (scatter_operation_owner(operation, rank) != call->rank ||
	    (rank == call->rank && call->in_place))
		return 0;
	from = scatter_operation_source(operation, rank) + lane->done;
	if (!copy_from_user(lane->sum, u64_to_user_ptr(from), bytes)) {
		copied(call, bytes);
		return 0;
	}
	error = scatter_move_own_fault();
	if (error == -EINTR)
		return error;
	blame(lane, error, SCATTER_RANK_ANY);
	spin_lock(&call->group->lock);
	operation->combine->lanes[rank].void_block = true;
	spin_unlock(&call->group->lock);
	return 0;
}

/* End a chunk: it is in everybody's sum now, but one rank wants it. */
static int keep(struct scatter_call *call, u32 bytes)
{
	struct scatter_operation *operation = call->operation;
	bool gathers = scatter_op_gathers(operation->spec.op);
	struct scatter_lane *lane = lane_of(call);
	u32 rank = lane->position;
	u64 to = call->recvbuf + lane->done;
	bool is_void;
	int error;

	if (call->rank != (gathers ? operation->spec.root : rank) ||
	    (rank == call->rank && call->in_place))
		return 0;
	if (gathers)
		to += operation->parts[rank].offset;
	spin_lock(&call->group->lock);
	is_void = operation->combine->lanes[rank].void_block;
	spin_unlock(&call->group->lock);
	if (is_void) {
		blame(lane, -EREMOTEIO, scatter_operation_owner(operation, rank));
		return 0;
	}
	if (!copy_to_user(u64_to_user_ptr(to), lane->sum, bytes)) {
		copied(call, bytes);
		return 0;
	}
	error = scatter_move_own_fault();
	if (error == -EINTR)
		return error;
	blame(lane, error, SCATTER_RANK_ANY);
	return 0;
}

/* One chunk of one block through all rounds; goes on where it was paused. */
static int combine_chunk(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_lane *lane = lane_of(call);
	u64 length = scatter_operation_bytes(operation, lane->position, 1);
	u32 bytes = min_t(u64, operation->combine->chunk, length - lane->done);
	struct scatter_schedule walk;
	struct scatter_step step;
	int error;

	if (!lane->begun) {
		error = contribute(call, bytes);
		if (error)
			return error;
		lane->begun = true;
		lane->cursor = lane->first;
	}
	scatter_plan_walk(operation, call->rank, &walk);
	walk.cursor = lane->cursor;
	while (scatter_schedule_next(&walk, &step) &&
	       step.first == lane->position) {
		error = step.send ? send(call, &step, bytes) :
				    receive(call, &step, bytes);
		if (error)
			return error;
		lane->cursor = walk.cursor;
	}
	error = keep(call, bytes);
	if (error)
		return error;
	lane->begun = false;
	lane->done += bytes;
	if (lane->done == length) {
		lane->position++;
		lane->done = 0;
		lane->first = lane->cursor;
	}
	return 0;
}

/**
 * scatter_combine_play() - do what a rank has to do in an OR-broadcast
 * @call: a call that has entered or resumed it
 *
 * Context: may sleep and fault; no locks.
 * Return: as of scatter_role_play().
 */
int scatter_combine_play(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_lane *lane = lane_of(call);
	int error;

	/* In a v form all wait for the root to say how long the blocks are. */
	if (call->rank == operation->spec.root &&
	    scatter_op_is_vector(operation->spec.op)) {
		spin_lock(&call->group->lock);
		scatter_group_wake(call->group);
		spin_unlock(&call->group->lock);
	}
	error = await(call, is_decided, call->rank, operation->spec.root);
	while (!error && lane->position < operation->size) {
		error = combine_chunk(call);
		cond_resched();
	}
	if (error)
		return error;
	if (lane->error)
		call->culprit = lane->culprit;
	return lane->error;
}
