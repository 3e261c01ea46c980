// SPDX-License-Identifier: GPL-2.0
/*
 * The messages between nodes, described a second time: see wire_format.h.
 */
#include <string.h>

#include "wire_format.h"

const struct format_type format_types[TYPES + 1] = {
	{ "none", 0 }, { "HELLO", 128 }, { "WELCOME", 136 }, { "PROOF", 56 }, { "REFUSE", 40 },
	{ "CREDIT", 24 }, { "BYE", 32 }, { "PING", 56 }, { "PONG", 48 },
};

const struct format_field format_fields[FIELDS] = {
	{ 0, 0, 1, 1, 8 }, { 0, 1, 1, 0, 0 }, { 0, 2, 2, 0, 0xffff }, { 0, 4, 4, 0, ALL },
	{ 0, 8, 4, 0, ALL }, { 0, 12, 2, 0, 1024 }, { 0, 14, 2, 0, 0 }, { 0, 16, 8, 0, 0 },
	{ 1, 24, 4, 0x52544353, 0x52544353 }, { 1, 28, 2, 1, 0xffff }, { 1, 30, 2, 1, 0xffff },
	{ 1, 32, 4, 0, ALL }, { 1, 36, 2, 0, 0 }, { 1, 38, 2, 4, 1024 }, { 1, 40, 8, 1, ALL },
	{ 1, 48, 8, 1, ALL }, { 1, 56, 8, 1, ALL }, { 1, 64, 8, 0, ALL }, { 1, 72, 4, 0, ALL },
	{ 1, 76, 4, 0, 0 },
	{ 2, 24, 2, 1, 0xffff }, { 2, 26, 2, 4, 1024 }, { 2, 28, 4, 0, ALL }, { 2, 32, 8, 1, ALL },
	{ 2, 40, 8, 1, ALL }, { 2, 48, 8, 1, ALL }, { 2, 56, 8, 0, ALL }, { 2, 64, 4, 0, ALL },
	{ 2, 68, 4, 0, 1 },
	{ 4, 24, 2, 1, 14 }, { 4, 26, 2, 0, 0 }, { 4, 28, 4, 0, 0 }, { 4, 32, 8, 1, ALL },
	{ 6, 24, 2, 1, 14 }, { 6, 26, 2, 0, 0 }, { 6, 28, 4, 0, 0 },
	{ 7, 24, 8, 1, ALL }, { 7, 32, 8, 0, ALL }, { 7, 40, 4, 0, ALL }, { 7, 44, 4, 0, 65536 },
	{ 7, 48, 8, 0, ALL },
	{ 8, 24, 8, 1, ALL }, { 8, 32, 4, 0, 65536 }, { 8, 36, 4, 0, ALL }, { 8, 40, 8, 0, ALL },
};

static u64 random_state = 12345;

u64 any(u64 bound)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % bound;
}

u64 get(const u8 *data, u32 offset, u32 width)
{
	u64 value = 0;

	while (width--)
		value = value << 8 | data[offset + width];
	return value;
}

void put(u8 *data, u32 offset, u32 width, u64 value)
{
	for (; width--; value >>= 8)
		data[offset++] = (u8)value;
}

static bool all_zero(const u8 *data, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes && !data[i]; i++)
		;
	return i == bytes;
}

static u32 judge_hello(const u8 *m)
{
	u64 low = get(m, 28, 2), high = get(m, 30, 2);
	u32 faults = 0;

	if (low > high)
		faults |= BAD;
	else if (low > 1)
		faults |= BAD_VERSION;
	if (all_zero(m + 80, 32) || all_zero(m + 112, 8) || !memcmp(m + 112, m + 120, 8))
		faults |= BAD;
	if (get(m, 72, 4) && !get(m, 64, 8))
		faults |= BAD;
	return get(m, 40, 8) == get(m, 48, 8) ? faults | SELF : faults;
}

static u32 judge_welcome(const u8 *m, const u8 *hello)
{
	u64 key = get(m, 68, 4);

	if (get(m, 24, 2) < get(hello, 28, 2) || get(m, 24, 2) > get(hello, 30, 2))
		return BAD;
	if (get(m, 28, 4) & ~get(hello, 32, 4))
		return BAD;
	if (get(m, 32, 8) != get(hello, 48, 8) || get(m, 40, 8) != get(hello, 40, 8))
		return BAD;
	if (key > 1 || all_zero(hello + 112 + 8 * key, 8))
		return BAD;
	if (get(m, 64, 4) && !get(m, 56, 8))
		return BAD;
	return all_zero(m + 72, 32) || !memcmp(m + 72, hello + 80, 32) ? BAD : 0;
}

static u32 judge_ping(const u8 *m)
{
	u64 bytes = get(m, 44, 4), address = get(m, 32, 8);

	if (!bytes)
		return all_zero(m + 32, 24) ? 0 : BAD;
	return get(m, 40, 4) && address + (bytes - 1) >= address ? 0 : BAD;
}

static u32 judge_pong(const u8 *m)
{
	if (get(m, 32, 4))
		return get(m, 36, 4) ? 0 : BAD;
	return get(m, 40, 8) ? BAD : 0;
}

u32 format_judge(u8 type, const u8 *m, u32 bytes, const u8 *hello)
{
	bool sequenced = type >= 7, early = type <= 4;
	u32 i, faults = 0;

	if (bytes != format_types[type].bytes || m[0] != type || get(m, 2, 2) != bytes)
		return BAD;
	if (!!get(m, 4, 4) != sequenced || (early && (get(m, 8, 4) || get(m, 12, 2))))
		return BAD;
	for (i = 0; i < FIELDS; i++) {
		const struct format_field *field = &format_fields[i];
		u64 value = get(m, field->offset, field->width);

		if ((!field->type || field->type == type) &&
		    (value < field->low || value > field->high))
			faults |= BAD;
	}
	if (type == 1)
		faults |= judge_hello(m);
	if (type == 2)
		faults |= judge_welcome(m, hello);
	if (type == 7)
		faults |= judge_ping(m);
	if (type == 8)
		faults |= judge_pong(m);
	return faults;
}

void fill(u8 *to, u32 bytes)
{
	while (bytes--)
		*to++ = (u8)(1 + any(255));
}

static void make_body(u8 type, u8 *m, const u8 *hello)
{
	u32 i;

	for (i = 0; i < FIELDS; i++)
		if (format_fields[i].type == type)
			put(m, format_fields[i].offset, format_fields[i].width,
			    format_fields[i].low == format_fields[i].high ? format_fields[i].low :
			    1 + format_fields[i].low + any(format_fields[i].high < 99 ? 1 : 10));
	if (type == 1) {
		put(m, 28, 2, 1);
		put(m, 48, 8, 100 + any(ALL >> 33));
		fill(m + 80, 32 + 8);
		if (any(2))
			fill(m + 120, 8);
	}
	if (type == 2) {
		put(m, 24, 2, 1);
		put(m, 28, 4, get(hello, 32, 4) & any(ALL >> 33));
		put(m, 32, 8, get(hello, 48, 8));
		put(m, 40, 8, get(hello, 40, 8));
		put(m, 68, 4, all_zero(hello + 120, 8) ? 0 : any(2));
		fill(m + 72, 64);
	}
	if (type == 3)
		fill(m + 24, 32);
	if (type == 7 && !any(4))
		memset(m + 32, 0, 24);
	if (type == 8 && !any(4))
		memset(m + 32, 0, 16);
}

u32 format_make(u8 type, u8 *m, const u8 *hello)
{
	memset(m, 0, ROOM);
	m[0] = type;
	put(m, 2, 2, format_types[type].bytes);
	if (type >= 5) {
		put(m, 8, 4, any(1u << 31) * 2);
		put(m, 12, 2, any(1025));
	}
	if (type >= 7)
		put(m, 4, 4, 1 + any(1u << 31));
	make_body(type, m, hello);
	return format_types[type].bytes;
}
