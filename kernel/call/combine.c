// SPDX-License-Identifier: GPL-2.0
/*
 * Scatters and gathers by repeated OR-broadcast, on one node.
 *
 * All ranks combine one block after the other: the rank that has the block contributes its bytes,
 * every other rank contributes zeros. Each rank walks its own schedule in its own call, so all
 * ranks have to call, and no task touches another task's memory. The rank that has the block copies
 * it in from user memory. The block goes from rank to rank through boxes in kernel memory, one box
 * for each receiver and round. The rank that wants the block copies it out. A long block goes
 * through all rounds chunk by chunk. Each member brings its boxes when it calls.
 *
 * A sender waits until the receiver's box is there and empty; a receiver waits until its box is
 * full. Ranks never wait in a circle: the rank at the earliest step of all can go on. If that rank
 * sends, the box is empty, since the receiver has passed the step that emptied the box. If that
 * rank receives, either the sender has passed this step, and the box is full; or the sender is at
 * this step, too, and sends before it receives.
 *
 * A rank that cannot read or write its own memory goes on: other ranks need its messages. The
 * operation keeps all that a call has done, so that the call can pause.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "call/combine.h"
#include "call/post.h"
#include "group/group.h"
#include "group/member.h"
#include "group/wait.h"
#include "hooks.h"
#include "memory/buffer.h"
#include "memory/memory.h"
#include "operation/await.h"
#include "operation/block.h"
#include "operation/call.h"
#include "operation/operation.h"
#include "operation/plan.h"
#include "trace.h"

/* Most bytes that one rank has for its boxes and its sum. */
#define SCATTER_COMBINE_BYTES	SZ_32K

/**
 * struct scatter_track - a rank's way through an OR-broadcast
 * @position: the block that the rank is at, as the schedule numbers that block's rank
 * @done: bytes of that block that have gone through all rounds
 * @first: the walk's cursor at the block's first step
 * @cursor: the walk's cursor at the next step
 * @begun: @data has the rank's contribution to the chunk
 * @error: 0, or what the rank's call is going to return
 * @culprit: the rank that caused @error
 * @void_block: group lock; the owner of the rank's block could not read the block
 * @full: group lock; a bit for each round, set while the rank's box of that round has a message.
 *	A full box belongs to its receiver, an empty box to its sender; each box has one of each.
 * @data: group lock until the rank has called, constant then; what the rank has combined of the
 *	chunk, then the boxes, a chunk each
 *
 * Only the rank's own call uses the track, except for the boxes and for the fields that the
 * group's lock protects.
 */
struct scatter_track {
	u32 position;
	u64 done;
	u64 first;
	u64 cursor;
	bool begun;
	int error;
	u32 culprit;
	bool void_block;
	u32 full;
	u64 *data;
};

/**
 * struct scatter_combine - an OR-broadcast
 * @chunk: bytes that a message has space for, a multiple of 8; constant once a member that is
 *	not idle has posted
 * @rounds: rounds of one block, fewer than 32
 * @tracks: by rank
 */
struct scatter_combine {
	u32 chunk;
	u32 rounds;
	struct scatter_track tracks[];
};

static u32 rounds_of(const struct scatter_spec *spec)
{
	return scatter_spec_rounds(spec) / spec->ranks;
}

static u32 chunk_of(const struct scatter_spec *spec)
{
	u32 chunk = ALIGN_DOWN(SCATTER_COMBINE_BYTES / (rounds_of(spec) + 1),
			       sizeof(u64));

	/* In a v form only the root knows the lengths. */
	if (!scatter_op_is_vector(spec->op) && spec->block < chunk)
		chunk = ALIGN(spec->block, sizeof(u64));
	return chunk;
}

static size_t size(const struct scatter_spec *spec, u32 size)
{
	const struct scatter_combine *combine;

	return struct_size(combine, tracks, size);
}

/* Set the chunk: this first member that is not idle knows the lengths. No boxes are there yet. */
static void fit(struct scatter_operation *operation, const struct scatter_spec *spec)
{
	lockdep_assert_held(&operation->group->lock);
	operation->combine->chunk = chunk_of(spec);
}

static void init(struct scatter_operation *operation, const struct scatter_spec *spec,
		 void *own)
{
	operation->combine = own;
	operation->combine->rounds = rounds_of(spec);
	operation->combine->chunk = chunk_of(spec);
}

/* Allocate the member's own boxes, which its user is charged for. */
static int prepare(struct scatter_call *call, const struct scatter_spec *spec)
{
	/* Blocks may be empty; a box has some bytes in any case. */
	size_t bytes = max_t(size_t, chunk_of(spec), sizeof(u64));
	u64 *boxes;

	boxes = scatter_memory_alloc(call->hands->user,
				     array_size(rounds_of(spec) + 1, bytes), 0);
	if (IS_ERR(boxes))
		return PTR_ERR(boxes);
	call->boxes = boxes;
	return 0;
}

static void discard(struct scatter_call *call)
{
	scatter_memory_free(call->boxes);
}

static struct scatter_track *track_of(const struct scatter_call *call)
{
	return &call->operation->combine->tracks[call->rank];
}

static void post(struct scatter_call *call)
{
	swap(track_of(call)->data, call->boxes);
	scatter_post_locked(call, false);
}

/* The block that the rank is at, by the rank that the block belongs to. */
static u32 block_of(const struct scatter_call *call)
{
	return scatter_spec_rank(&call->operation->spec, track_of(call)->position);
}

/* The length of the block that the rank is at; 0 for a lone rank whose block is in place. */
static u64 length_of(const struct scatter_call *call)
{
	const struct scatter_operation *operation = call->operation;

	if (operation->size == 1 && call->in_place)
		return 0;
	return scatter_block_bytes(operation, block_of(call), 1);
}

/* The number of a round's box, which is also the number of the box's bit in scatter_track.full. */
static u32 box_of(const struct scatter_call *call, u32 round)
{
	return (round - 1) % call->operation->combine->rounds;
}

static u64 *box_data(const struct scatter_call *call, u32 rank, u32 box)
{
	const struct scatter_combine *combine = call->operation->combine;

	return combine->tracks[rank].data +
	       (box + 1) * (combine->chunk / sizeof(u64));
}

/* A rank and one of its boxes as one number, for the conditions that await() asks about. */
static u32 place_of(const struct scatter_call *call, u32 rank, u32 box)
{
	return rank * call->operation->combine->rounds + box;
}

static const struct scatter_track *
place_track(const struct scatter_call *call, u32 place, u32 *bit)
{
	const struct scatter_combine *combine = call->operation->combine;

	*bit = BIT(place % combine->rounds);
	return &combine->tracks[place / combine->rounds];
}

static bool is_decided(const struct scatter_call *call, u32 rank)
{
	return call->operation->decided;
}

/* Whether a box is empty: a rank has no boxes before it has called, so they count as full. */
static bool is_empty(const struct scatter_call *call, u32 place)
{
	const struct scatter_track *track;
	u32 bit;

	track = place_track(call, place, &bit);
	return track->data && !(track->full & bit);
}

static bool is_full(const struct scatter_call *call, u32 place)
{
	const struct scatter_track *track;
	u32 bit;

	track = place_track(call, place, &bit);
	return track->full & bit;
}

static int await(struct scatter_call *call, scatter_done_fn *done, u32 what,
		 u32 peer)
{
	int error;

	spin_lock(&call->group->lock);
	error = scatter_await_locked(call, done, what, peer);
	spin_unlock(&call->group->lock);
	return error;
}

/* Hand a box of @rank over to @peer, the other rank that uses the box. */
static void turn(struct scatter_call *call, u32 rank, u32 box, u32 peer)
{
	struct scatter_operation *operation = call->operation;

	spin_lock(&call->group->lock);
	operation->combine->tracks[rank].full ^= BIT(box);
	scatter_operation_wake_rank(operation, peer);
	spin_unlock(&call->group->lock);
}

static void copied(struct scatter_call *call, u64 bytes)
{
	u32 block = block_of(call);

	scatter_stats_count(&call->hands->tally, SCATTER_COUNTER_BYTES_COPIED, bytes);
	trace_scatter_copy(call->group, call->operation, call->rank, block, bytes);
}

static int send(struct scatter_call *call, const struct scatter_step *step,
		u32 bytes)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_tally *tally = &call->hands->tally;
	const struct scatter_track *track = track_of(call);
	u32 box = box_of(call, step->round);
	u64 length = length_of(call);
	int error;

	if (scatter_hooks_drop_edge(call->rank, step->peer))
		return 0;
	error = await(call, is_empty, place_of(call, step->peer, box),
		      step->peer);
	if (error)
		return error;
	memcpy(box_data(call, step->peer, box), track->data, bytes);
	copied(call, bytes);
	/* All chunks of a block count as one message. */
	if (!track->done) {
		scatter_stats_count(tally, SCATTER_COUNTER_STARTUPS, 1);
		scatter_stats_count(tally, SCATTER_COUNTER_EDGE_BYTES, length);
		scatter_stats_round(tally, step->round);
		trace_scatter_edge(call->group, operation, call->rank, step,
				   length, true);
	}
	turn(call, step->peer, box, step->peer);
	return 0;
}

static int receive(struct scatter_call *call, const struct scatter_step *step,
		   u32 bytes)
{
	u64 *sum = track_of(call)->data;
	u32 box = box_of(call, step->round);
	const u64 *data = box_data(call, call->rank, box);
	u32 words = DIV_ROUND_UP(bytes, sizeof(*data));
	int error;
	u32 i;

	error = await(call, is_full, place_of(call, call->rank, box), step->peer);
	if (error)
		return error;
	for (i = 0; i < words; i++)
		sum[i] = data[i] | (step->combine ? sum[i] : 0);
	copied(call, bytes);
	if (!track_of(call)->done)
		trace_scatter_receive(call->group, call->operation, step->peer,
				      call->rank, step);
	turn(call, call->rank, box, step->peer);
	return 0;
}

/* Note an error. The call returns the first one. */
static void blame(struct scatter_track *track, int error, u32 culprit)
{
	if (track->error)
		return;
	track->error = error;
	track->culprit = culprit;
}

/*
 * The result of a copy from or to the rank's own memory, which succeeded if @ok: 0, -EINTR or
 * -EFAULT. After -EFAULT the call goes on, and returns that error at its end.
 */
static int copy_ended(struct scatter_call *call, u32 bytes, bool ok)
{
	int error = 0;

	if (!ok)
		error = scatter_buffer_fault();
	else
		copied(call, bytes);
	if (error == -EFAULT)
		blame(track_of(call), error, SCATTER_RANK_ANY);
	return error;
}

/* Begin a chunk with the rank's contribution. */
static int contribute(struct scatter_call *call, u32 bytes)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_track *track = track_of(call);
	u32 rank = block_of(call);
	struct scatter_stream from;
	int error;

	memset(track->data, 0, operation->combine->chunk);
	if (scatter_block_owner(operation, rank) != call->rank ||
	    (rank == call->rank && call->in_place))
		return 0;
	from = scatter_stream_from(scatter_block_source(operation, rank), track->done);
	error = copy_ended(call, bytes, scatter_buffer_read(track->data, from, bytes));
	if (error != -EFAULT)
		return error;
	spin_lock(&call->group->lock);
	operation->combine->tracks[rank].void_block = true;
	spin_unlock(&call->group->lock);
	return 0;
}

/* End a chunk: every rank has combined its bytes, and one rank wants to keep them. */
static int keep(struct scatter_call *call, u32 bytes)
{
	struct scatter_operation *operation = call->operation;
	bool gathers = scatter_op_gathers(operation->spec.op);
	struct scatter_track *track = track_of(call);
	u32 rank = block_of(call);
	struct scatter_stream to;
	bool is_void;
	int error;

	if (call->rank != (gathers ? operation->spec.root : rank) ||
	    (rank == call->rank && call->in_place))
		return 0;
	spin_lock(&call->group->lock);
	is_void = operation->combine->tracks[rank].void_block;
	spin_unlock(&call->group->lock);
	if (is_void) {
		blame(track, -EREMOTEIO, scatter_block_owner(operation, rank));
		return 0;
	}
	to = scatter_stream_from(scatter_block_target(operation, rank), track->done);
	error = copy_ended(call, bytes, scatter_buffer_write(to, track->data, bytes));
	return error == -EFAULT ? 0 : error;
}

/* Take one chunk of a block through all rounds. A resumed call goes on where it paused. */
static int combine_chunk(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_track *track = track_of(call);
	u64 length = length_of(call);
	u32 bytes = min_t(u64, operation->combine->chunk, length - track->done);
	struct scatter_walk walk;
	struct scatter_step step;
	int error;

	if (!track->begun) {
		error = contribute(call, bytes);
		if (error)
			return error;
		track->begun = true;
		track->cursor = track->first;
	}
	scatter_plan_walk(operation, call->rank, &walk);
	walk.cursor = track->cursor;
	while (scatter_schedule_next(&walk, &step) &&
	       step.first == track->position) {
		scatter_plan_translate(operation, &step);
		error = step.send ? send(call, &step, bytes) :
				    receive(call, &step, bytes);
		if (error)
			return error;
		track->cursor = walk.cursor;
	}
	error = keep(call, bytes);
	if (error)
		return error;
	track->begun = false;
	track->done += bytes;
	if (track->done == length) {
		track->position++;
		track->done = 0;
		track->first = track->cursor;
	}
	return 0;
}

/* Wake the ranks that wait to send to this rank: its boxes are there now. */
static void greet(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_walk walk;
	struct scatter_step step;

	scatter_plan_walk(operation, call->rank, &walk);
	spin_lock(&call->group->lock);
	while (scatter_schedule_next(&walk, &step) && !step.first) {
		scatter_plan_translate(operation, &step);
		if (!step.send)
			scatter_operation_wake_rank(operation, step.peer);
	}
	spin_unlock(&call->group->lock);
	/* In a v form all ranks wait for the root to say how long the blocks are. */
	if (call->rank == operation->spec.root &&
	    scatter_op_is_vector(operation->spec.op))
		scatter_operation_wake(operation);
}

/*
 * A signal ends the call between two chunks even if the rank does not wait: blocks may be long, and
 * the rank may be alone.
 */
static int play(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_track *track = track_of(call);
	int error;

	error = await(call, is_decided, call->rank, operation->spec.root);
	if (!error)
		greet(call);
	while (!error && track->position < operation->spec.blocks) {
		error = combine_chunk(call);
		cond_resched();
		if (!error && signal_pending(current) &&
		    track->position < operation->spec.blocks)
			error = -EINTR;
	}
	if (error)
		return error;
	if (track->error)
		call->culprit = track->culprit;
	return track->error;
}

static bool owes(const struct scatter_operation *operation, u32 rank)
{
	lockdep_assert_held(&operation->group->lock);
	return scatter_spec_involves(&operation->spec, rank);
}

static void release(struct scatter_group *group, struct scatter_operation *operation)
{
	u32 rank;

	for (rank = 0; rank < operation->size; rank++)
		scatter_memory_free(operation->combine->tracks[rank].data);
}

const struct scatter_kind scatter_combine_kind = {
	.has_blocks = true,
	.size = size,
	.init = init,
	.prepare = prepare,
	.discard = discard,
	.fit = fit,
	.post = post,
	.play = play,
	.owes = owes,
	.free = release,
};
