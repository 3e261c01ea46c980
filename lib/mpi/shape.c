// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * Where the bytes of one element of a datatype lie. A shape grows from the inside of a datatype to
 * its outside, and stays strided as long as that is possible: a strided shape has a few numbers,
 * however many pieces these describe.
 */
#include <stdlib.h>
#include <string.h>

#include "shape.h"

struct shape shape_bytes(int64_t offset, int64_t length)
{
	return (struct shape){
		.kind = SHAPE_STRIDED,
		.base = length ? offset : 0,
		.length = length,
		.count = 1,
		.rows = 1,
	};
}

struct shape shape_unknown(void)
{
	return (struct shape){ .kind = SHAPE_UNKNOWN };
}

void shape_free(struct shape *shape)
{
	free(shape->pieces);
	shape->pieces = NULL;
}

static void become(struct shape *shape, struct shape other)
{
	shape_free(shape);
	*shape = other;
}

static bool is_empty(const struct shape *shape)
{
	return shape->kind == SHAPE_STRIDED && !shape->length;
}

static bool is_row(const struct shape *shape)
{
	return shape->kind == SHAPE_STRIDED && shape->rows == 1;
}

void shape_shift(struct shape *shape, int64_t distance)
{
	size_t i;

	if (is_empty(shape))
		return;
	shape->base += distance;
	if (shape->kind != SHAPE_PIECES)
		return;
	for (i = 0; i < shape->size; i++)
		shape->pieces[i].offset += distance;
}

size_t shape_count(const struct shape *shape)
{
	int64_t count;

	switch (shape->kind) {
	case SHAPE_STRIDED:
		if (__builtin_mul_overflow(shape->count, shape->rows, &count))
			return SIZE_MAX;
		return shape->length ? count : 0;
	case SHAPE_PIECES:
		return shape->size;
	default:
		return SIZE_MAX;
	}
}

int64_t shape_size(const struct shape *shape)
{
	const size_t count = shape_count(shape);
	int64_t size = 0;
	size_t i;

	if (shape->kind == SHAPE_UNKNOWN || count == SIZE_MAX)
		return -1;
	if (shape->kind == SHAPE_STRIDED)
		return __builtin_mul_overflow(shape->length, count, &size) ? -1 : size;
	for (i = 0; i < count; i++)
		size += shape->pieces[i].length;
	return size;
}

void shape_list(const struct shape *shape, struct shape_piece *pieces)
{
	int64_t row, i;

	if (shape->kind == SHAPE_PIECES) {
		memcpy(pieces, shape->pieces, shape->size * sizeof(*pieces));
		return;
	}
	if (is_empty(shape))
		return;
	for (row = 0; row < shape->rows; row++) {
		for (i = 0; i < shape->count; i++, pieces++) {
			pieces->offset = shape->base + row * shape->row_stride +
					 i * shape->stride;
			pieces->length = shape->length;
		}
	}
}

/* Merges pieces that follow one another in memory, too. */
static size_t merge(struct shape_piece *pieces, size_t size)
{
	size_t used = 0, i;

	for (i = 0; i < size; i++) {
		struct shape_piece *last = &pieces[used - 1];

		if (used && last->offset + last->length == pieces[i].offset)
			last->length += pieces[i].length;
		else
			pieces[used++] = pieces[i];
	}
	return used;
}

/* A list of @size pieces in memory of its own, which becomes that of @shape. */
static void take_list(struct shape *shape, struct shape_piece *pieces, size_t size)
{
	size = merge(pieces, size);
	become(shape, (struct shape){
		.kind = SHAPE_PIECES,
		.pieces = pieces,
		.size = size,
	});
	if (size != 1)
		return;
	become(shape, shape_bytes(pieces->offset, pieces->length));
}

static void repeat_list(struct shape *shape, int64_t times, int64_t step)
{
	const size_t size = shape_count(shape);
	struct shape_piece *pieces;
	int64_t time;
	size_t i;

	if (size > SHAPE_PIECES_MAX || (size_t)times > SHAPE_PIECES_MAX / size)
		return become(shape, shape_unknown());
	pieces = malloc(size * times * sizeof(*pieces));
	if (!pieces)
		return become(shape, shape_unknown());
	for (time = 0; time < times; time++) {
		shape_list(shape, pieces + time * size);
		for (i = 0; i < size; i++)
			pieces[time * size + i].offset += time * step;
	}
	take_list(shape, pieces, size * times);
}

void shape_repeat(struct shape *shape, int64_t times, int64_t step)
{
	if (times == 1 || is_empty(shape))
		return;
	if (!times)
		return become(shape, shape_bytes(0, 0));
	if (shape->kind == SHAPE_UNKNOWN)
		return;
	if (shape_is_dense(shape) && step == shape->length) {
		shape->length *= times;
	} else if (shape_is_dense(shape)) {
		shape->stride = step;
		shape->count = times;
	} else if (is_row(shape) && step == shape->count * shape->stride) {
		shape->count *= times;
	} else if (is_row(shape)) {
		shape->row_stride = step;
		shape->rows = times;
	} else if (shape->kind == SHAPE_STRIDED && step == shape->rows * shape->row_stride) {
		shape->rows *= times;
	} else {
		repeat_list(shape, times, step);
	}
}

/* Whether the one piece @next is what a row would have next; then the row has it. */
static bool extend_row(struct shape *shape, const struct shape *next)
{
	if (!is_row(shape) || !shape_is_dense(next))
		return false;
	if (shape->count == 1 && shape->base + shape->length == next->base) {
		shape->length += next->length;
		return true;
	}
	if (shape->length != next->length)
		return false;
	if (shape->count == 1)
		shape->stride = next->base - shape->base;
	else if (next->base - shape->base != shape->count * shape->stride)
		return false;
	shape->count++;
	return true;
}

static void append_list(struct shape *shape, const struct shape *next)
{
	const size_t size = shape_count(shape), more = shape_count(next);
	struct shape_piece *pieces;

	if (size > SHAPE_PIECES_MAX || more > SHAPE_PIECES_MAX - size)
		return become(shape, shape_unknown());
	pieces = malloc((size + more) * sizeof(*pieces));
	if (!pieces)
		return become(shape, shape_unknown());
	shape_list(shape, pieces);
	shape_list(next, pieces + size);
	take_list(shape, pieces, size + more);
}

void shape_append(struct shape *shape, struct shape *next)
{
	if (is_empty(next))
		return;
	if (is_empty(shape)) {
		*shape = *next;
		return;
	}
	if (!extend_row(shape, next))
		append_list(shape, next);
	shape_free(next);
}
