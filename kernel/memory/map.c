// SPDX-License-Identifier: GPL-2.0
/*
 * Maps: the addresses of a buffer with a layout, and whether these may be used. Pure.
 *
 * Addresses are computed modulo 2^64. scatter_map_fits() checks beforehand that no address to be
 * used wraps.
 */
#include "memory/map.h"

#define ADDRESS_MAX	((s64)(~(u64)0 >> 1))

/* Go to a byte of the piece at the cursor. A cursor behind the end of a list has no piece. */
static void list_enter(struct scatter_cursor *cursor, u64 offset)
{
	const struct scatter_map *map = cursor->map;
	const struct scatter_piece *piece = &map->piece[cursor->piece];
	u64 end = map->bytes;

	if (cursor->piece >= map->nr) {
		cursor->at = 0;
		cursor->run = (u64)-1;
		return;
	}
	if (cursor->piece + 1 < map->nr)
		end = piece[1].start;
	cursor->at = piece->at + (offset - piece->start);
	cursor->run = end - offset;
}

/* Find the last piece that does not start behind @offset. */
static u32 list_find(const struct scatter_map *map, u64 offset)
{
	u32 low = 0, high = map->nr;

	if (offset >= map->bytes)
		return map->nr;
	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (map->piece[middle].start <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void strided_enter(struct scatter_cursor *cursor, u64 done)
{
	const struct scatter_map *map = cursor->map;

	cursor->at = cursor->element + cursor->row * (u64)map->level[1].stride +
		     cursor->piece * (u64)map->level[0].stride + done;
	cursor->run = map->length - done;
}

/**
 * scatter_map_seek() - go to a byte of a stream
 * @cursor: has its map
 * @offset: bytes from the start of the stream
 *
 * Context: any.
 */
void scatter_map_seek(struct scatter_cursor *cursor, u64 offset)
{
	const struct scatter_map *map = cursor->map;
	u64 row;

	if (map->listed) {
		cursor->piece = list_find(map, offset);
		list_enter(cursor, offset);
		return;
	}
	row = map->length * map->level[0].count;
	cursor->element = map->base + offset / map->bytes * (u64)map->extent;
	offset %= map->bytes;
	cursor->row = offset / row;
	offset %= row;
	cursor->piece = offset / map->length;
	strided_enter(cursor, offset % map->length);
}

/**
 * scatter_map_next() - go to the next piece
 * @cursor: at the end of a piece
 *
 * Context: any.
 */
void scatter_map_next(struct scatter_cursor *cursor)
{
	const struct scatter_map *map = cursor->map;

	cursor->piece++;
	if (map->listed) {
		list_enter(cursor, cursor->piece < map->nr ?
			   map->piece[cursor->piece].start : map->bytes);
		return;
	}
	if (cursor->piece == map->level[0].count) {
		cursor->piece = 0;
		cursor->row++;
	}
	if (cursor->row == map->level[1].count) {
		cursor->row = 0;
		cursor->element += (u64)map->extent;
	}
	strided_enter(cursor, 0);
}

/**
 * scatter_map_simplify() - finish a strided map
 * @map: the layout as its user has given it, without @bytes
 * @contiguous: (out) the buffer needs no map
 *
 * Pieces that lie side by side become one.
 *
 * Context: any.
 * Return: false if a field is zero that must not be, or an element is too long.
 */
bool scatter_map_simplify(struct scatter_map *map, bool *contiguous)
{
	const struct scatter_level once = { 0, 1 };
	u64 row;
	u32 i;

	if (!map->length || !map->level[0].count || !map->level[1].count)
		return false;
	if (__builtin_mul_overflow(map->length, map->level[0].count, &row) ||
	    __builtin_mul_overflow(row, map->level[1].count, &map->bytes) ||
	    map->bytes > (u64)ADDRESS_MAX)
		return false;
	for (i = 0; i < SCATTER_MAP_LEVELS; i++) {
		struct scatter_level *inner = &map->level[0];

		if (inner->count > 1 && inner->stride != (s64)map->length)
			break;
		map->length *= inner->count;
		*inner = map->level[1];
		map->level[1] = once;
	}
	*contiguous = map->length == map->bytes &&
		      map->extent == (s64)map->bytes;
	return true;
}

/* Widen the range from @low to @high by @steps strides, in the stride's direction. */
static bool widen(s64 *low, s64 *high, s64 stride, u64 steps)
{
	s64 way;

	if (__builtin_mul_overflow(stride, (s64)steps, &way))
		return false;
	if (way < 0)
		return !__builtin_add_overflow(*low, way, low);
	return !__builtin_add_overflow(*high, way, high);
}

/* Move the range from @low to @high by @steps strides. */
static bool shift(s64 *low, s64 *high, s64 stride, u64 steps)
{
	s64 way;

	return !__builtin_mul_overflow(stride, (s64)steps, &way) &&
	       !__builtin_add_overflow(*low, way, low) &&
	       !__builtin_add_overflow(*high, way, high);
}

/**
 * scatter_map_fits() - whether a part of a stream has addresses
 * @map: the stream's map
 * @first: the first byte of the part
 * @end: behind the last byte of the part
 *
 * An element that is used in part counts as a whole.
 *
 * Context: any.
 * Return: false if an address is below 0 or beyond 2^63, or the list is too short.
 */
bool scatter_map_fits(const struct scatter_map *map, u64 first, u64 end)
{
	s64 low = (s64)map->base, high = low;
	u64 element;
	u32 i;

	if (map->listed)
		return end <= map->bytes;
	if (first >= end)
		return true;
	if (low < 0)
		return false;
	element = first / map->bytes;
	for (i = 0; i < SCATTER_MAP_LEVELS; i++)
		if (!widen(&low, &high, map->level[i].stride,
			   map->level[i].count - 1))
			return false;
	return !__builtin_add_overflow(high, (s64)map->length, &high) &&
	       shift(&low, &high, map->extent, element) &&
	       widen(&low, &high, map->extent, (end - 1) / map->bytes - element) &&
	       low >= 0;
}

static u64 distance(const struct scatter_level *level)
{
	return level->stride < 0 ? -(u64)level->stride : (u64)level->stride;
}

/**
 * scatter_map_disjoint() - whether a quick look shows that a strided map has no address twice
 * @map: the map
 * @first: the first byte of its stream that is of interest
 * @end: behind the last byte of interest; scatter_map_fits() has returned true
 *
 * Takes the levels from the shortest stride to the longest. No address occurs twice if each level's
 * stride steps over all that the levels before cover.
 *
 * Context: any.
 * Return: false: an address may occur twice.
 */
bool scatter_map_disjoint(const struct scatter_map *map, u64 first, u64 end)
{
	struct scatter_level level[SCATTER_MAP_LEVELS + 1], swap;
	u64 span = map->length;
	u32 i, j;

	if (first >= end)
		return true;
	for (i = 0; i < SCATTER_MAP_LEVELS; i++)
		level[i] = map->level[i];
	level[i].stride = map->extent;
	level[i].count = (end - 1) / map->bytes - first / map->bytes + 1;
	for (i = 1; i <= SCATTER_MAP_LEVELS; i++)
		for (j = i; j && distance(&level[j]) < distance(&level[j - 1]); j--) {
			swap = level[j];
			level[j] = level[j - 1];
			level[j - 1] = swap;
		}
	for (i = 0; i <= SCATTER_MAP_LEVELS; i++) {
		if (level[i].count == 1)
			continue;
		if (distance(&level[i]) < span)
			return false;
		/* The stream fits, so the sum does not wrap. */
		span += distance(&level[i]) * (level[i].count - 1);
	}
	return true;
}
