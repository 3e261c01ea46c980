// SPDX-License-Identifier: GPL-2.0
/*
 * Where blocks are while a schedule runs: each is in one place, but for broadcasts.
 *
 * A rank may send what it held when the round began. Of an OR-broadcast the bits are
 * simulated: the contributor has some, all others zeros, and in the end everybody
 * must have them.
 */
#include "blocks.h"
#include "system.h"

/* "Has not got it", where a round is meant */
#define NEVER	((u32)-1)

static bool is_gather(const struct plan_blocks *blocks)
{
	return blocks->spec->op == SCATTER_SCHEDULE_GATHER;
}

static bool is_or(const struct plan_blocks *blocks)
{
	return blocks->spec->algorithm == SCATTER_SCHEDULE_OR_BROADCAST;
}

static u32 home_of(const struct plan_blocks *blocks, u32 block)
{
	return is_gather(blocks) ? blocks->spec->root : block;
}

/* Blocks without bytes need not travel. */
static bool is_empty(const struct plan_blocks *blocks, u32 block)
{
	const struct scatter_schedule_spec *spec = blocks->spec;

	return spec->algorithm == SCATTER_SCHEDULE_IRREGULAR &&
	       !spec->irregular->node[block].block;
}

/* Bits of a block; any, but not 0 */
static u64 bits_of(u32 block)
{
	return (block + 1) * 0x9e3779b97f4a7c15ull | 1;
}

/* Everybody contributes to the next position. */
static void begin_position(struct plan_blocks *blocks, u32 position)
{
	u32 size = blocks->spec->size, i;

	blocks->position = position;
	for (i = 0; i < size; i++) {
		blocks->value[i] = 0;
		blocks->since[i] = 0;
	}
	blocks->value[is_gather(blocks) ? position : blocks->spec->root] =
		bits_of(position);
}

static bool position_is_good(struct plan_blocks *blocks)
{
	u32 size = blocks->spec->size, i;

	blocks->positions++;
	for (i = 0; i < size; i++) {
		u64 value = blocks->since[i] ? blocks->fresh[i] :
					       blocks->value[i];

		if (value != bits_of(blocks->position))
			return false;
	}
	return true;
}

static int open_places(struct plan_blocks *blocks)
{
	size_t size = blocks->spec->size, all = size * blocks->pieces, i;

	blocks->place = calloc(all, sizeof(*blocks->place));
	if (!blocks->place)
		return -1;
	for (i = 0; i < all; i++)
		blocks->place[i].holder = is_gather(blocks) ? i % size :
							      blocks->spec->root;
	return 0;
}

/**
 * plan_blocks_open() - put all blocks where they are at first
 * @blocks: filled in
 * @spec: which schedule
 *
 * Return: 0, or -1 if there is not enough memory
 */
int plan_blocks_open(struct plan_blocks *blocks,
		     const struct scatter_schedule_spec *spec)
{
	size_t size = spec->size, i;

	*blocks = (struct plan_blocks){ .spec = spec, .pieces = 1 };
	if (spec->algorithm == SCATTER_SCHEDULE_ROTATED)
		blocks->pieces = scatter_schedule_trees(spec);
	if (!is_or(blocks) && spec->op != SCATTER_SCHEDULE_BROADCAST)
		return open_places(blocks);
	blocks->since = calloc(size, sizeof(*blocks->since));
	if (!blocks->since)
		return -1;
	for (i = 0; i < size; i++)
		if (spec->op == SCATTER_SCHEDULE_BROADCAST && i != spec->root)
			blocks->since[i] = NEVER;
	if (!is_or(blocks))
		return 0;
	blocks->value = malloc(size * sizeof(*blocks->value));
	blocks->fresh = malloc(size * sizeof(*blocks->fresh));
	if (!blocks->value || !blocks->fresh)
		return -1;
	begin_position(blocks, 0);
	return 0;
}

/**
 * plan_blocks_close() - free them
 * @blocks: the blocks, or ones that could not be had
 */
void plan_blocks_close(struct plan_blocks *blocks)
{
	free(blocks->place);
	free(blocks->since);
	free(blocks->value);
	free(blocks->fresh);
}

static const char *move_broadcast(struct plan_blocks *blocks, u32 from,
				  const struct scatter_step *step)
{
	if (step->first != blocks->spec->root || step->count != 1)
		return "not the root's block";
	if (blocks->since[from] == NEVER || blocks->since[from] >= step->round)
		return "sends what it has not got";
	if (blocks->since[step->peer] != NEVER)
		return "receives a second time";
	blocks->since[step->peer] = step->round;
	return NULL;
}

/* The blocks that a rank has when a round begins */
static u64 *settle(struct plan_blocks *blocks, u32 rank, u32 round)
{
	if (blocks->since[rank] && blocks->since[rank] < round) {
		blocks->value[rank] = blocks->fresh[rank];
		blocks->since[rank] = 0;
	}
	return &blocks->value[rank];
}

static const char *move_or(struct plan_blocks *blocks, u32 from,
			   const struct scatter_step *step)
{
	u64 sent, *value;
	u32 to = step->peer;

	if (step->count != 1)
		return "more than one block";
	if (step->first != blocks->position) {
		if (!position_is_good(blocks))
			return "the block before did not reach everybody";
		begin_position(blocks, step->first);
	}
	sent = *settle(blocks, from, step->round);
	value = settle(blocks, to, step->round);
	if (!blocks->since[to]) {
		blocks->since[to] = step->round;
		blocks->fresh[to] = *value;
	}
	if (step->combine)
		blocks->fresh[to] |= sent;
	else
		blocks->fresh[to] = sent;
	return NULL;
}

static const char *move_range(struct plan_blocks *blocks, u32 from,
			      const struct scatter_step *step,
			      const struct scatter_range *range)
{
	size_t piece = (size_t)blocks->spec->size * step->piece;
	u32 i;

	for (i = 0; i < range->count; i++) {
		u32 block = range->first + i;
		struct plan_place *place = &blocks->place[piece + block];

		if (is_empty(blocks, block))
			continue;
		if (place->holder != from)
			return "sends a block that it has not got";
		if (place->since >= step->round)
			return "sends a block in the round that brings it";
		if (from == home_of(blocks, block))
			return "sends a block that has arrived";
		place->holder = step->peer;
		place->since = step->round;
	}
	return NULL;
}

/* Whether @range is what the step's first and count promise: range @number of at most two */
static bool is_promised(const struct plan_blocks *blocks,
			const struct scatter_step *step,
			const struct scatter_range *range, u32 number)
{
	u32 before = blocks->spec->size - step->first;

	if (number)
		return number == 1 && !range->first &&
		       range->count == step->count - before;
	return range->first == step->first &&
	       range->count == (step->count < before ? step->count : before);
}

/**
 * plan_blocks_move() - a message takes its blocks along
 * @blocks: the blocks
 * @walk: the sender's
 * @step: the sender's
 *
 * Return: NULL, or what is wrong
 */
const char *plan_blocks_move(struct plan_blocks *blocks,
			     const struct scatter_walk *walk,
			     const struct scatter_step *step)
{
	const struct scatter_schedule_spec *spec = blocks->spec;
	bool promised = scatter_schedule_contiguous(spec->algorithm);
	u32 cursor = 0, number = 0, count = 0;
	struct scatter_range range;

	if (step->pieces != blocks->pieces)
		return "cuts blocks in other pieces";
	if (spec->op == SCATTER_SCHEDULE_BROADCAST)
		return move_broadcast(blocks, walk->rank, step);
	if (is_or(blocks))
		return move_or(blocks, walk->rank, step);
	while (scatter_schedule_range(walk, step, &cursor, &range)) {
		const char *wrong;

		if (!range.count || range.first >= spec->size ||
		    range.count > spec->size - range.first)
			return "blocks out of range";
		if (promised && !is_promised(blocks, step, &range, number))
			return "other blocks than first and count tell";
		wrong = move_range(blocks, walk->rank, step, &range);
		if (wrong)
			return wrong;
		count += range.count;
		number++;
	}
	return count == step->count ? NULL : "not as many blocks as it tells";
}

/**
 * plan_blocks_finish() - has every block arrived?
 * @blocks: the blocks; @blocks->culprit is one that has not
 *
 * Return: NULL, or what is wrong
 */
const char *plan_blocks_finish(struct plan_blocks *blocks)
{
	bool broadcast = blocks->spec->op == SCATTER_SCHEDULE_BROADCAST;
	u32 size = blocks->spec->size;
	size_t i;

	for (i = 0; i < (size_t)size * blocks->pieces && !is_or(blocks); i++) {
		blocks->culprit = i % size;
		if (broadcast ? blocks->since[i] != NEVER :
				is_empty(blocks, i % size) ||
				blocks->place[i].holder ==
					home_of(blocks, i % size))
			continue;
		return "does not arrive";
	}
	if (!is_or(blocks))
		return NULL;
	blocks->culprit = blocks->position;
	if (!position_is_good(blocks))
		return "did not reach everybody";
	return blocks->positions == size ? NULL : "is not the last one";
}
