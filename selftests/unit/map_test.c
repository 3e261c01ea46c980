// SPDX-License-Identifier: GPL-2.0
/*
 * Layouts of buffers against the formula of the uapi header, byte by byte.
 */
#include <stdlib.h>
#include <string.h>

#include "memory/map.h"
#include "tap.h"

#define MOST	4000

static u64 random_state = 12345;

static u64 any(u64 bound)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % bound;
}

/* As a user gives it. */
struct given {
	u64 base, length, count, rows;
	s64 stride, row_stride, extent;
};

static u64 given_at(const struct given *given, u64 k)
{
	u64 piece = k / given->length;

	return given->base + k % given->length +
	       piece % given->count * (u64)given->stride +
	       piece / given->count % given->rows * (u64)given->row_stride +
	       piece / given->count / given->rows * (u64)given->extent;
}

static struct scatter_map map_of(const struct given *given)
{
	return (struct scatter_map){
		.base = given->base,
		.length = given->length,
		.level = {
			{ given->stride, given->count },
			{ given->row_stride, given->rows },
		},
		.extent = given->extent,
	};
}

static struct given any_given(void)
{
	struct given given = {
		.base = 10000 + any(100),
		.length = 1 + any(6),
		.count = 1 + any(4),
		.rows = 1 + any(3),
		.stride = (s64)any(25) - 8,
		.row_stride = (s64)any(60) - 20,
		.extent = (s64)any(120) - 30,
	};

	/* Such as may be merged. */
	if (!any(3))
		given.stride = (s64)given.length;
	if (!any(3))
		given.row_stride = given.stride * (s64)given.count;
	if (!any(3))
		given.extent = given.row_stride * (s64)given.rows;
	return given;
}

/* Walk from @first to @end by steps of any length. */
static bool walks(const struct scatter_map *map, const struct given *given,
		  u64 first, u64 end)
{
	struct scatter_cursor cursor;
	u64 k, i, n;

	scatter_cursor_start(&cursor, map, 99, first);
	for (k = first; k < end; k += n) {
		if (!cursor.run)
			return false;
		n = cursor.run < end - k ? cursor.run : end - k;
		if (any(2))
			n = 1 + any(n);
		for (i = 0; i < n; i++)
			if (cursor.at + i != given_at(given, k + i))
				return false;
		scatter_cursor_advance(&cursor, n);
	}
	return true;
}

/* Whether no address comes twice, by looking at each. */
static bool is_disjoint(const struct given *given, u64 first, u64 end)
{
	static unsigned char seen[1 << 20];
	u64 k;

	memset(seen, 0, sizeof(seen));
	for (k = first; k < end; k++)
		if (seen[given_at(given, k) & (sizeof(seen) - 1)]++)
			return false;
	return true;
}

static void test_strided(void)
{
	unsigned int i, told = 0, yes = 0, simple = 0;
	bool walked = true, honest = true, fit = true;

	for (i = 0; i < 3000; i++) {
		struct given given = any_given();
		struct scatter_map map = map_of(&given);
		u64 first = any(50), end = first + any(200);
		bool contiguous;

		if (!scatter_map_simplify(&map, &contiguous))
			walked = false;
		simple += contiguous;
		walked = walked && walks(&map, &given, first, end);
		fit = fit && scatter_map_fits(&map, first, end);
		if (contiguous && given_at(&given, end) != given.base + end)
			walked = false;
		if (scatter_map_disjoint(&map, first, end)) {
			told++;
			honest = honest && is_disjoint(&given, first, end);
		}
		yes += is_disjoint(&given, first, end);
	}
	ok(walked, "strided: every byte is where it belongs");
	ok(fit, "strided: small ones fit");
	ok(honest, "strided: what is said to be disjoint is");
	ok(simple > 30 && simple < 1000, "strided: %u were contiguous", simple);
	ok(told > 300 && told > yes / 2, "strided: %u of %u are seen at a glance", told, yes);
}

/* The exact range of addresses, in 128 bits. */
static bool fits(const struct given *given, u64 first, u64 end)
{
	int __attribute__((mode(TI))) low = 0, high = 0, at, stride, row_stride, extent;
	const u64 element = given->length * given->count * given->rows;
	u64 corner, e;

	stride = given->stride;
	row_stride = given->row_stride;
	extent = given->extent;
	for (corner = 0; corner < 8; corner++) {
		e = corner & 1 ? (end - 1) / element : first / element;
		at = extent * e + given->base;
		if (corner & 2)
			at += stride * (given->count - 1);
		if (corner & 4)
			at += row_stride * (given->rows - 1);
		if (!corner || at < low)
			low = at;
		if (!corner || at + given->length > high)
			high = at + given->length;
	}
	return low >= 0 && high <= INT64_MAX;
}

/* Of any magnitude. */
static u64 any_wide(void)
{
	u64 value = any(1u << 31) << 32 | any(1u << 31) << 1;

	return value >> any(64);
}

static void test_fits(void)
{
	unsigned int i, yes = 0, checked = 0, wrong = 0;

	for (i = 0; i < 20000; i++) {
		struct given given = {
			.base = any_wide(),
			.length = 1 + any_wide() % (1 << 20),
			.count = 1 + any_wide() % (1 << 20),
			.rows = 1 + any_wide() % (1 << 20),
			.stride = (s64)any_wide(),
			.row_stride = (s64)any_wide(),
			.extent = (s64)any_wide(),
		};
		struct scatter_map map;
		u64 first = any_wide() >> 1, end = first + (any_wide() >> 2) + 1;
		bool contiguous, expected;

		if (any(2))
			given.stride = -given.stride;
		if (any(2))
			given.extent = -given.extent;
		map = map_of(&given);
		if (end > INT64_MAX || !scatter_map_simplify(&map, &contiguous))
			continue;
		expected = fits(&given, first, end);
		checked++;
		yes += expected;
		/* On the way a sum may leave the range and come back: that is no. */
		if (scatter_map_fits(&map, first, end) && !expected)
			wrong++;
		if (expected && given.stride >= 0 && given.extent >= 0 &&
		    !scatter_map_fits(&map, first, end))
			wrong++;
	}
	ok(checked > 10000 && yes > 500 && yes < checked / 2,
	   "fits: %u of %u do", yes, checked);
	ok(!wrong, "fits: %u are wrong", wrong);
}

static void test_zeros(void)
{
	const struct given good = { 0, 1, 1, 1, 0, 0, 1 };
	struct given given = good;
	struct scatter_map map;
	bool contiguous = false;

	map = map_of(&given);
	ok(scatter_map_simplify(&map, &contiguous) && contiguous, "zeros: a byte after the other");
	given.length = 0;
	map = map_of(&given);
	ok(!scatter_map_simplify(&map, &contiguous), "zeros: length");
	given = good;
	given.count = 0;
	map = map_of(&given);
	ok(!scatter_map_simplify(&map, &contiguous), "zeros: count");
	given = good;
	given.rows = 0;
	map = map_of(&given);
	ok(!scatter_map_simplify(&map, &contiguous), "zeros: rows");
	given = (struct given){ 0, (u64)1 << 21, (u64)1 << 21, (u64)1 << 21, 0, 0, 1 };
	map = map_of(&given);
	ok(!scatter_map_simplify(&map, &contiguous), "an element of 2^63 bytes");
	given.rows--;
	map = map_of(&given);
	ok(scatter_map_simplify(&map, &contiguous), "one that is shorter");
	given = (struct given){ 0, (u64)1 << 32, (u64)1 << 32, 1, 0, 0, 1 };
	map = map_of(&given);
	ok(!scatter_map_simplify(&map, &contiguous), "an element of 2^64 bytes");
}

/* Lists ----------------------------------------------------------------------- */

static void test_lists(void)
{
	struct scatter_map *map = calloc(1, sizeof(*map) + 40 * sizeof(map->piece[0]));
	static u64 at[MOST];
	bool walked = true, fit = true;
	unsigned int i;

	for (i = 0; map && i < 500; i++) {
		u64 first, k, n;
		struct scatter_cursor cursor;

		map->listed = true;
		map->nr = any(40);
		map->bytes = 0;
		for (k = 0; k < map->nr; k++) {
			map->piece[k] = (struct scatter_piece){ any(1u << 30), map->bytes };
			for (n = 1 + any(90); n; n--, map->bytes++)
				at[map->bytes] = map->piece[k].at +
						 map->bytes - map->piece[k].start;
		}
		fit = fit && scatter_map_fits(map, 0, map->bytes) &&
		      !scatter_map_fits(map, 0, map->bytes + 1);
		first = any(map->bytes + 1);
		scatter_cursor_start(&cursor, map, 5, first);
		for (k = first; k < map->bytes; k += n) {
			n = 1 + any(cursor.run);
			walked = walked && cursor.at == at[k] &&
				 cursor.at + n - 1 == at[k + n - 1];
			scatter_cursor_advance(&cursor, n);
		}
		walked = walked && !cursor.at;
	}
	ok(map && walked, "lists: every byte is where it belongs");
	ok(map && fit, "lists: what is used must not be longer");
	free(map);
}

static void test_none(void)
{
	struct scatter_cursor cursor;

	scatter_cursor_start(&cursor, NULL, 1000, 24);
	scatter_cursor_advance(&cursor, 7);
	ok(cursor.at == 1031 && cursor.run == UINT64_MAX, "no map: contiguous");
}

int main(void)
{
	test_strided();
	test_fits();
	test_zeros();
	test_lists();
	test_none();
	return tap_done();
}
