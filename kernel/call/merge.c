// SPDX-License-Identifier: GPL-2.0
/*
 * OR-broadcasts in a group on several nodes: what the members do.
 *
 * The lanes of the nodes combine the blocks cell by cell, see span/lane.c. A member gives the cells
 * that are its own, takes the cells that it wants, and returns when the lane of its node is
 * through. A member that cannot read or write its own memory goes on: other members need its turns.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/scatter.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

#include "call/merge.h"
#include "call/post.h"
#include "group/cells.h"
#include "group/group.h"
#include "group/wait.h"
#include "memory/buffer.h"
#include "memory/hands.h"
#include "memory/user.h"
#include "operation/await.h"
#include "operation/block.h"
#include "operation/call.h"
#include "operation/operation.h"
#include "span/lane.h"
#include "span/span.h"
#include "trace.h"
#include "wire/wide.h"

static size_t size(const struct scatter_spec *spec, u32 size)
{
	return array_size(size, sizeof(struct scatter_merge));
}

static void init(struct scatter_operation *operation, const struct scatter_spec *spec, void *own)
{
	operation->merge = own;
}

/* How many bytes of pages the cells that the call gives may take at a time. */
static u64 gives(const struct scatter_call *call, const struct scatter_spec *spec)
{
	bool vector = scatter_op_is_vector(spec->op), root = call->rank == spec->root;
	u64 block = call->length, cells;

	if (scatter_op_gathers(spec->op) ? root && call->in_place : !root)
		return 0;
	if (scatter_op_scatters(spec->op)) {
		/* In a v form the call has not read the lengths yet. */
		if (vector)
			return SCATTER_CELLS_OPEN * PAGE_ALIGN(SCATTER_WIDE_CELL_MAX);
		block = spec->block;
	}
	cells = div_u64(block + SCATTER_WIDE_CELL_MAX - 1, SCATTER_WIDE_CELL_MAX);
	if (scatter_op_scatters(spec->op))
		cells *= spec->blocks;
	return min_t(u64, cells, SCATTER_CELLS_OPEN) * PAGE_ALIGN(min_t(u64, block,
								       SCATTER_WIDE_CELL_MAX));
}

/* Charge the member's user for the cells that the member gives, as long as the operation lasts. */
static int prepare(struct scatter_call *call, const struct scatter_spec *spec)
{
	u64 bytes = gives(call, spec);
	int error;

	error = scatter_user_charge(call->hands->user, SCATTER_LIMIT_BYTES, bytes);
	if (!error)
		call->charged = bytes;
	return error;
}

static void discard(struct scatter_call *call)
{
	scatter_user_uncharge(call->hands->user, SCATTER_LIMIT_BYTES, call->charged);
}

static void post(struct scatter_call *call)
{
	struct scatter_merge *merge = scatter_operation_merge(call->operation, call->rank);

	merge->user = call->hands->user;
	swap(merge->charged, call->charged);
	scatter_post_locked(call, false);
}

static struct scatter_merge *merge_of(const struct scatter_call *call)
{
	return scatter_operation_merge(call->operation, call->rank);
}

/* Note an error. The call returns the first one. */
static void blame(struct scatter_merge *merge, int error, u32 culprit)
{
	if (merge->error)
		return;
	merge->error = error;
	merge->culprit = culprit;
}

/* A copy from or to the member's memory is over. Returns -EINTR if the call has to try again. */
static int copied(struct scatter_call *call, const struct scatter_lane_task *task, bool ok)
{
	int error;

	if (ok) {
		scatter_stats_count(&call->hands->tally, SCATTER_COUNTER_BYTES_COPIED, task->bytes);
		trace_scatter_copy(call->group, call->operation, call->rank, task->rank,
				   task->bytes);
		return 0;
	}
	error = scatter_buffer_fault();
	if (error == -EINTR)
		return error;
	blame(merge_of(call), error, SCATTER_RANK_ANY);
	return 0;
}

static int give(struct scatter_call *call, struct scatter_lane_task *task)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_stream from = scatter_block_source(operation, task->rank);
	int error;
	bool ok;

	task->piece.page = scatter_cells_page(task->bytes, false);
	ok = scatter_buffer_read(page_address(task->piece.page),
				 scatter_stream_from(from, task->offset), task->bytes);
	if (!ok)
		scatter_cells_put(&task->piece);
	task->unreadable = !ok;
	error = copied(call, task, ok);
	scatter_lane_given(call->group, operation->number, task, !error);
	return error;
}

static int take(struct scatter_call *call, struct scatter_lane_task *task)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_stream to = scatter_block_target(operation, task->rank);
	int error = 0;
	bool ok;

	if (task->unreadable || !task->piece.page) {
		blame(merge_of(call), -EREMOTEIO, scatter_block_owner(operation, task->rank));
	} else {
		ok = scatter_buffer_write(scatter_stream_from(to, task->offset),
					  page_address(task->piece.page) + task->piece.offset,
					  task->bytes);
		error = copied(call, task, ok);
	}
	scatter_lane_taken(call->group, operation->number, task, !error);
	return error;
}

static bool is_due(const struct scatter_call *call, u32 rank)
{
	return scatter_operation_merge(call->operation, rank)->due;
}

/* Give or take the next cell, or wait for one. */
static int do_turn(struct scatter_call *call, bool *over)
{
	struct scatter_merge *merge = merge_of(call);
	struct scatter_group *group = call->group;
	struct scatter_lane_task task;
	int error = 0;

	spin_lock(&group->lock);
	merge->due = false;
	spin_unlock(&group->lock);
	switch (scatter_lane_next(group, call->operation->number, call->rank, &task)) {
	case SCATTER_LANE_GIVE:
		error = give(call, &task);
		break;
	case SCATTER_LANE_TAKE:
		error = take(call, &task);
		break;
	case SCATTER_LANE_OVER:
		*over = true;
		return 0;
	default:
		spin_lock(&group->lock);
		error = scatter_await_locked(call, is_due, call->rank, call->rank);
		spin_unlock(&group->lock);
		return error;
	}
	if (!error)
		scatter_span_settle_one(group, call->operation->number);
	return error;
}

/* A signal or a deadline ends the call between two cells even if the member does not wait. */
static int play(struct scatter_call *call)
{
	struct scatter_merge *merge = merge_of(call);
	bool over = false;
	int error;

	for (;;) {
		error = do_turn(call, &over);
		if (error)
			return error;
		if (over)
			break;
		if (signal_pending(current))
			return -EINTR;
		if (scatter_wait_expired(call->deadline_ns))
			return -ETIMEDOUT;
		cond_resched();
	}
	if (merge->error)
		call->culprit = merge->culprit;
	return merge->error;
}

static bool owes(const struct scatter_operation *operation, u32 rank)
{
	lockdep_assert_held(&operation->group->lock);
	return scatter_spec_involves(&operation->spec, rank);
}

static void release(struct scatter_group *group, struct scatter_operation *operation)
{
	const struct scatter_merge *merge;
	u32 rank;

	for (rank = 0; rank < operation->size; rank++) {
		merge = &operation->merge[rank];
		if (merge->user)
			scatter_user_uncharge(merge->user, SCATTER_LIMIT_BYTES, merge->charged);
	}
}

const struct scatter_kind scatter_merge_kind = {
	.has_blocks = true,
	.size = size,
	.init = init,
	.prepare = prepare,
	.discard = discard,
	.post = post,
	.play = play,
	.owes = owes,
	.free = release,
};
