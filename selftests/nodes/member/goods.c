// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers are in areas that are mapped once. What surrounds a buffer, and the gaps in it, has the
 * byte POISON: a page of it before the first byte and behind the last one is looked at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "goods.h"

#define AREA_BYTES	(1ULL << 30)
#define GUARD_BYTES	4096ULL
/* Between the blocks of v forms that are not dense. */
#define GAP_BYTES	3

/* Memory that exists once it is touched: one part to send from, and one to receive in. */
static char *area(bool sends, int protection)
{
	static char *areas[2][2];
	char **at = &areas[sends][protection != PROT_NONE];

	if (!*at)
		*at = mmap(NULL, AREA_BYTES, protection,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (*at == MAP_FAILED)
		abort();
	return *at;
}

/**
 * goods_mix() - a number that looks random, from one that does not
 * @x: any number
 */
uint64_t goods_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/**
 * goods_has_all() - whether the member's buffer has all blocks
 * @goods: of the call
 * @sends: the send buffer is meant, else the receive buffer
 */
bool goods_has_all(const struct goods *goods, bool sends)
{
	return goods->root && is_scatter(goods->op) == sends;
}

/**
 * goods_has_one() - whether the member's buffer has its own block
 * @goods: of the call
 * @sends: the send buffer is meant, else the receive buffer
 */
bool goods_has_one(const struct goods *goods, bool sends)
{
	return goods->own >= 0 && !(goods->root && goods->in_place) &&
	       is_scatter(goods->op) != sends;
}

/* In v forms every third block is empty, and the others differ. */
static uint64_t block_bytes(const struct goods *goods, int block)
{
	if (!is_vector(goods->op))
		return goods->base;
	if (block % 3 == goods->empty)
		return 0;
	return goods->base * ((block * 7 + goods->number) % 5 + 1) / 5;
}

/* Returns the bytes of the root's stream. Blocks that are not dense are in reverse order. */
static uint64_t place_blocks(struct goods *goods)
{
	uint64_t bytes = 0;
	int i;

	goods->dense = !is_vector(goods->op) || goods->number % 2;
	for (i = 0; i < goods->blocks; i++) {
		int block = goods->dense ? i : goods->blocks - 1 - i;

		goods->counts[block] = block_bytes(goods, block);
		goods->displs[block] = bytes;
		bytes += goods->counts[block] + (goods->dense ? 0 : GAP_BYTES);
	}
	return bytes;
}

static bool is_faulty(const struct goods *goods, bool sends)
{
	return goods->faulty &&
	       (goods->root ? goods_has_all(goods, sends) : goods_has_one(goods, sends));
}

/* An odd distance from the beginning of a page, another one in each call. */
static uint64_t offset_of(const struct goods *goods)
{
	return GUARD_BYTES + goods_mix(goods->number) % 2048 * 2 + 1;
}

/* Pieces that interleave may be no more than this. */
static enum shape_kind kind_of(const struct goods *goods, bool sends, uint64_t bytes)
{
	enum shape_kind kind = 1 + (goods->number + goods->own + 2 + sends) % (SHAPE_KINDS - 1);

	return kind == SHAPE_WOVEN && bytes > SCATTER_LAYOUT_PIECES_MAX ? SHAPE_NESTED : kind;
}

/* Whether there is room. */
static bool make_shape(const struct goods *goods, struct shape *shape, bool sends, uint64_t bytes)
{
	const bool none = is_faulty(goods, sends);
	char *memory = area(sends, none ? PROT_NONE : PROT_READ | PROT_WRITE);
	enum shape_kind kind = SHAPE_PLAIN;

	if (goods->laid_out && !none)
		kind = kind_of(goods, sends, bytes);
	shape_make(shape, kind, bytes, goods->number, memory + offset_of(goods));
	if (shape->high + GUARD_BYTES > memory + AREA_BYTES)
		return false;
	if (!none)
		memset(shape->low - GUARD_BYTES, POISON,
		       shape->high - shape->low + 2 * GUARD_BYTES);
	return true;
}

/* The bytes of a block, until the next call. */
static const char *content(const struct goods *goods, int block)
{
	static char *bytes;
	static uint64_t room;

	if (room <= goods->counts[block]) {
		room = goods->counts[block] + 1;
		bytes = realloc(bytes, room);
		if (!bytes)
			abort();
	}
	pattern_fill(bytes, goods->counts[block], goods->number, goods->first + block);
	return bytes;
}

static void put(const struct goods *goods, bool sends, int block, uint64_t offset)
{
	shape_put(sends ? &goods->send : &goods->recv, offset, content(goods, block),
		  goods->counts[block]);
}

/**
 * goods_make() - make the buffers and fill them
 * @goods: what is not made is given
 *
 * Return: whether the buffers are not too long.
 */
bool goods_make(struct goods *goods)
{
	uint64_t all = place_blocks(goods);
	uint64_t one = goods->own < 0 ? 0 : goods->counts[goods->own];
	bool sends = is_scatter(goods->op);
	int i;

	if (!make_shape(goods, &goods->send, true, goods_has_all(goods, true) ? all :
			goods_has_one(goods, true) ? one : 0) ||
	    !make_shape(goods, &goods->recv, false, goods_has_all(goods, false) ? all :
			goods_has_one(goods, false) ? one : 0))
		return false;
	if (goods_has_all(goods, true) && !is_faulty(goods, true))
		for (i = 0; i < goods->blocks; i++)
			put(goods, true, i, goods->displs[i]);
	if (goods_has_one(goods, true) && !is_faulty(goods, true))
		put(goods, true, goods->own, 0);
	if (!sends && goods->root && goods->in_place && goods->own >= 0 && !goods->faulty)
		put(goods, false, goods->own, goods->displs[goods->own]);
	return true;
}

/**
 * goods_arriving() - how many bytes the member receives
 * @goods: of the call
 */
uint64_t goods_arriving(const struct goods *goods)
{
	uint64_t bytes = 0;
	int i;

	if (goods_has_one(goods, false))
		bytes = goods->counts[goods->own];
	for (i = 0; goods_has_all(goods, false) && i < goods->blocks; i++)
		if (i != goods->own || !goods->in_place)
			bytes += goods->counts[i];
	return bytes;
}

/* The first byte that differs. */
static bool compare(const char *got, const char *expected, uint64_t bytes, struct flaw *flaw)
{
	uint64_t i = 0;

	if (!memcmp(got, expected, bytes))
		return true;
	while (got[i] == expected[i])
		i++;
	flaw->byte = i;
	flaw->got = got[i];
	flaw->expected = expected[i];
	return false;
}

/* Looks at a block, unless its contents are undefined, and poisons it. */
static bool take(const struct goods *goods, bool sends, int block, uint64_t offset, bool defined,
		 struct flaw *flaw)
{
	const struct shape *shape = sends ? &goods->send : &goods->recv;
	uint64_t bytes = goods->counts[block];
	char *got = malloc(bytes + 1);
	bool good = true;

	if (!got)
		abort();
	shape_get(shape, offset, got, bytes);
	shape_poison(shape, offset, bytes);
	if (defined)
		good = compare(got, content(goods, block), bytes, flaw);
	if (!good)
		snprintf(flaw->what, sizeof(flaw->what), "%s block %d", sends ? "sent" : "received",
			 block);
	free(got);
	return good;
}

static bool is_poison(const struct shape *shape, const char *name, struct flaw *flaw)
{
	const char *at = shape->low - GUARD_BYTES;

	/* Each byte is as the next one. */
	if (*at == (char)POISON &&
	    !memcmp(at, at + 1, shape->high - shape->low + 2 * GUARD_BYTES - 1))
		return true;
	while (*at == (char)POISON)
		at++;
	*flaw = (struct flaw){ .byte = at - shape->low, .got = *at, .expected = POISON };
	snprintf(flaw->what, sizeof(flaw->what), "%s buffer", name);
	return false;
}

/* Of one buffer: all blocks that have to be there are, and around them nothing has changed. */
static bool buffer_intact(const struct goods *goods, bool sends, bool arrived, struct flaw *flaw)
{
	int i;

	if (is_faulty(goods, sends))
		return true;
	for (i = 0; goods_has_all(goods, sends) && i < goods->blocks; i++)
		if (!take(goods, sends, i, goods->displs[i],
			  sends || arrived || (goods->in_place && i == goods->own), flaw))
			return false;
	if (goods_has_one(goods, sends) &&
	    !take(goods, sends, goods->own, 0, sends || arrived, flaw))
		return false;
	return is_poison(sends ? &goods->send : &goods->recv, sends ? "send" : "receive", flaw);
}

/**
 * goods_intact() - whether all bytes are as they have to be after the call
 * @goods: of the call; it cannot be asked again
 * @arrived: the call has succeeded; else what was to arrive is undefined
 * @flaw: (out) the first byte that is wrong
 */
bool goods_intact(const struct goods *goods, bool arrived, struct flaw *flaw)
{
	return buffer_intact(goods, false, arrived, flaw) &&
	       buffer_intact(goods, true, true, flaw);
}
