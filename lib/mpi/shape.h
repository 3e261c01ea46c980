/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * Where the bytes of one element of a datatype lie, relative to the element's address: the union
 * of what the device's layouts can say. Knows nothing of MPI.
 */
#ifndef SCATTER_MPI_SHAPE_H
#define SCATTER_MPI_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** SHAPE_PIECES_MAX - most pieces of a list: what a list of the device may have */
#define SHAPE_PIECES_MAX	1024

/**
 * enum shape_kind - how the bytes lie
 * @SHAPE_STRIDED: pieces of one length in rows, as a strided layout has them
 * @SHAPE_PIECES: a list of pieces
 * @SHAPE_UNKNOWN: in more pieces than a list may have, or in a way not known
 */
enum shape_kind {
	SHAPE_STRIDED = 0,
	SHAPE_PIECES = 1,
	SHAPE_UNKNOWN = 2,
};

/** struct shape_piece - @length bytes at @offset */
struct shape_piece {
	int64_t offset;
	int64_t length;
};

/**
 * struct shape - the bytes of an element, in the order of the datatype
 * @kind: enum shape_kind
 * @base: strided: where the first piece begins
 * @length: strided: bytes of a piece; 0: the element has no byte
 * @stride: strided: bytes from a piece of a row to the next one
 * @count: strided: pieces of a row
 * @row_stride: strided: bytes from a row to the next one
 * @rows: strided: how many
 * @pieces: the list, which shape_free() frees
 * @size: how many pieces the list has
 */
struct shape {
	enum shape_kind kind;
	int64_t base;
	int64_t length;
	int64_t stride;
	int64_t count;
	int64_t row_stride;
	int64_t rows;
	struct shape_piece *pieces;
	size_t size;
};

/** shape_bytes() - a shape of @length bytes side by side at @offset */
struct shape shape_bytes(int64_t offset, int64_t length);

/** shape_unknown() - a shape of which nothing is known */
struct shape shape_unknown(void);

/** shape_free() - free the list of a shape, if there is one */
void shape_free(struct shape *shape);

/** shape_shift() - move all bytes of @shape by @distance bytes */
void shape_shift(struct shape *shape, int64_t distance);

/**
 * shape_repeat() - @shape becomes @times copies of itself, each @step bytes after the one before
 * @shape: what to repeat; becomes unknown if the list would be too long
 * @times: 0 and up
 * @step: any number
 */
void shape_repeat(struct shape *shape, int64_t times, int64_t step);

/**
 * shape_append() - the bytes of @next follow those of @shape
 * @shape: becomes unknown if the list would be too long
 * @next: is used up: its list is freed, or becomes that of @shape
 */
void shape_append(struct shape *shape, struct shape *next);

/** shape_is_dense() - whether all bytes are side by side, in one piece */
static inline bool shape_is_dense(const struct shape *shape)
{
	return shape->kind == SHAPE_STRIDED && shape->count == 1 && shape->rows == 1;
}

/** shape_count() - how many pieces a shape has; SIZE_MAX if that is unknown */
size_t shape_count(const struct shape *shape);

/** shape_size() - bytes of an element; -1 if that is unknown */
int64_t shape_size(const struct shape *shape);

/**
 * shape_list() - write down the pieces of a shape
 * @shape: not unknown
 * @pieces: (out) room for shape_count() pieces
 */
void shape_list(const struct shape *shape, struct shape_piece *pieces);

#endif /* SCATTER_MPI_SHAPE_H */
