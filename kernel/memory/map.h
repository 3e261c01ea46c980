/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps: from the stream of a buffer to its addresses.
 *
 * The *stream* of a buffer is its bytes in the order of sending or receiving. Blocks, lengths and
 * displacements count bytes of the stream. A map tells where in memory the pieces of the stream
 * are. Pure: nothing here touches that memory.
 */
#ifndef _SCATTER_MAP_H
#define _SCATTER_MAP_H

#include "schedule/types.h"

/* Levels of a strided map: pieces in a row, and rows. */
#define SCATTER_MAP_LEVELS	2

/**
 * struct scatter_level - a level of a strided map: something that is repeated
 * @stride: bytes from one repetition to the next
 * @count: how many repetitions, at least one
 */
struct scatter_level {
	s64 stride;
	u64 count;
};

/**
 * struct scatter_piece - a piece of a list
 * @at: the piece's address
 * @start: bytes of the stream before the piece
 */
struct scatter_piece {
	u64 at;
	u64 start;
};

/**
 * struct scatter_map - where the pieces of a stream are; constant
 * @base: strided: address of the first byte
 * @length: strided: bytes of a piece
 * @level: strided: the levels from the inner to the outer one
 * @extent: strided: bytes from one element, which all levels together make up, to the next
 * @bytes: strided: bytes of an element; elements follow each other without end; list: bytes of all
 *	pieces
 * @listed: the map is a list
 * @nr: pieces of a list; none is empty
 * @piece: the pieces
 */
struct scatter_map {
	u64 base;
	u64 length;
	struct scatter_level level[SCATTER_MAP_LEVELS];
	s64 extent;
	u64 bytes;
	bool listed;
	u32 nr;
	struct scatter_piece piece[];
};

/**
 * struct scatter_cursor - a place in a stream
 * @map: the stream's map, or NULL: contiguous
 * @at: the address
 * @run: bytes from @at to the end of the piece
 * @element: strided: address of the element
 * @row: strided: which row of the element
 * @piece: which piece of the row, or of the list
 */
struct scatter_cursor {
	const struct scatter_map *map;
	u64 at;
	u64 run;
	u64 element;
	u64 row;
	u64 piece;
};

void scatter_map_seek(struct scatter_cursor *cursor, u64 offset);
void scatter_map_next(struct scatter_cursor *cursor);
bool scatter_map_simplify(struct scatter_map *map, bool *contiguous);
bool scatter_map_fits(const struct scatter_map *map, u64 first, u64 end);
bool scatter_map_disjoint(const struct scatter_map *map, u64 first, u64 end);

/* Go to byte @offset of the stream of a buffer at @base. */
static inline void scatter_cursor_start(struct scatter_cursor *cursor,
					const struct scatter_map *map, u64 base,
					u64 offset)
{
	cursor->map = map;
	cursor->at = base + offset;
	cursor->run = (u64)-1;
	if (map)
		scatter_map_seek(cursor, offset);
}

/* Go on by at most @run bytes. */
static inline void scatter_cursor_advance(struct scatter_cursor *cursor,
					  u64 bytes)
{
	cursor->at += bytes;
	if (!cursor->map)
		return;
	cursor->run -= bytes;
	if (!cursor->run)
		scatter_map_next(cursor);
}

#endif /* _SCATTER_MAP_H */
