// SPDX-License-Identifier: GPL-2.0
/*
 * The messages between nodes, described a second time: see messages.h.
 */
#include "../wire/build.h"
#include "../wire/parse.h"
#include "council_messages.h"
#include "messages.h"
#include "wide_messages.h"

#define TYPES		SCATTER_MESSAGES_TYPES
#define FIELDS		SCATTER_MESSAGES_FIELDS
#define ROOM		SCATTER_MESSAGES_ROOM
#define BAD		SCATTER_MESSAGES_BAD
#define BAD_VERSION	SCATTER_MESSAGES_BAD_VERSION
#define SELF		SCATTER_MESSAGES_SELF
#define ALL		SCATTER_MESSAGES_ALL
#define END		((u64)1 << 56)	/* no operation has that number or more */
#define LANE		SCATTER_WIRE_LANE
#define COUNCIL		SCATTER_WIRE_COUNCIL
#define WAIT		SCATTER_WIRE_WAIT
#define MISSING		SCATTER_WIRE_MISSING
#define BLOCK		(((u64)1 << 53) - 1)	/* no block has more bytes */

#define any		scatter_messages_any
#define fill		scatter_messages_fill
#define types		scatter_messages_types
#define fields		scatter_messages_fields

/* The parsers fill one of these. */
union host {
	struct scatter_wire_hello hello;
	struct scatter_wire_welcome welcome;
	struct scatter_wire_proof proof;
	struct scatter_wire_refuse refuse;
	struct scatter_wire_bye bye;
	struct scatter_wire_ping ping;
	struct scatter_wire_pong pong;
	union wide_host wide;
};

/* The builders fill one of these. */
union raw {
	struct scatter_raw_header header;
	struct scatter_raw_hello hello;
	struct scatter_raw_welcome welcome;
	struct scatter_raw_proof proof;
	struct scatter_raw_refuse refuse;
	struct scatter_raw_credit credit;
	struct scatter_raw_bye bye;
	struct scatter_raw_ping ping;
	struct scatter_raw_pong pong;
	u8 room[ROOM];
};

/* Too long for the kernel's stack. */
static struct {
	u8 m[ROOM];
	union host host, before;
	union raw raw;
} big;

const struct messages_type scatter_messages_types[TYPES + 1] = {
	{ "none", 0, 0, 0 }, { "HELLO", 128, 0, 0 }, { "WELCOME", 136, 0, 0 },
	{ "PROOF", 56, 0, 0 }, { "REFUSE", 40, 0, 0 }, { "CREDIT", 24, 0, 0 }, { "BYE", 32, 0, 0 },
	{ "PING", 56, 0, 0 }, { "PONG", 48, 0, 0 }, { "JOIN", 192, 0, 0 }, { "SEATED", 72, 0, 0 },
	{ "UNSEAT", 40, 0, 0 }, { "FORMED", 72, 0, 0 }, { "PLACES", 80, 127 * 32, 32 },
	{ "ATTACH", 56, 0, 0 }, { "FACT", 64, 0, 0 }, { "EDGE", 56, 0, 0 },
	{ "BUNDLE", 144, 8048, 1 }, { "PULL", 64, 0, 0 }, { "DATA", 64, 8048, 1 },
	{ "DONE", 48, 0, 0 }, { "GRANT", 88, 0, 0 }, { "GOT", 32, 0, 0 },
	{ "LANE", 104, 8088, 1 }, { "COUNCIL", 80, 8096, 8 }, { "WAIT", 72, 0, 0 },
	{ "MISSING", 176, 0, 0 },
};

const struct messages_field scatter_messages_fields[FIELDS] = {
	{ 0, 0, 1, 1, TYPES }, { 0, 1, 1, 0, 0 }, { 0, 2, 2, 0, 0xffff }, { 0, 4, 4, 0, ALL },
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
	{ 9, 24, 8, 1, ALL }, { 9, 32, 8, 1, ALL }, { 9, 40, 4, 0, ALL }, { 9, 44, 4, 0, ALL },
	{ 9, 48, 4, 0, ALL }, { 9, 52, 4, 0, 3 }, { 9, 56, 4, 0, 0777 }, { 9, 60, 4, 1, 1024 },
	{ 9, 64, 4, 0, 1024 }, { 9, 68, 4, 0, 1024 }, { 9, 72, 4, 0, 1 }, { 9, 76, 4, 0, ALL },
	{ 9, 80, 4, 0, ALL }, { 9, 84, 4, 0, ALL }, { 9, 88, 4, 0, 8 }, { 9, 92, 4, 0, 0 },
	{ 9, 96, 4, 0, ALL }, { 9, 100, 4, 0, ALL }, { 9, 104, 4, 0, ALL }, { 9, 108, 4, 0, ALL },
	{ 9, 112, 4, 0, ALL }, { 9, 116, 4, 0, ALL }, { 9, 120, 4, 0, ALL }, { 9, 124, 4, 0, ALL },
	{ 9, 128, 1, 32, 126 }, { 9, 191, 1, 0, 0 },
	{ 10, 24, 8, 1, ALL }, { 10, 32, 8, 0, ALL }, { 10, 40, 8, 0, ALL }, { 10, 48, 4, 0, 11 },
	{ 10, 52, 4, 0, 1023 }, { 10, 56, 4, 0, ALL }, { 10, 60, 4, 0, ALL },
	{ 10, 64, 4, 0, 0777 }, { 10, 68, 4, 0, 0 },
	{ 11, 24, 8, 1, ALL }, { 11, 32, 4, 0, 1 }, { 11, 36, 4, 0, 0 },
	{ 12, 24, 8, 0, ALL }, { 12, 32, 8, 0, ALL }, { 12, 40, 4, 1, 1024 },
	{ 12, 44, 4, 1, 1024 }, { 12, 48, 4, 0, 1 << 20 }, { 12, 52, 4, 0, 1 << 20 },
	{ 12, 56, 4, 1, 1000000000 }, { 12, 60, 4, 1, 1000000000 }, { 12, 64, 4, 1, 1 << 20 },
	{ 12, 68, 4, 0, 0 },
	{ 13, 24, 8, 0, ALL }, { 13, 32, 8, 0, ALL }, { 13, 40, 4, 1, 128 }, { 13, 44, 4, 0, 0 },
	{ 13, 48, 8, 1, ALL }, { 13, 56, 8, 1, ALL }, { 13, 64, 8, 1, ALL }, { 13, 72, 4, 0, 1023 },
	{ 13, 76, 4, 1, 1024 },
	{ 14, 24, 8, 0, ALL }, { 14, 32, 8, 0, ALL }, { 14, 40, 8, 0, ALL }, { 14, 48, 4, 1, 3 },
	{ 14, 52, 4, 0, 0 },
	{ 15, 24, 8, 0, ALL }, { 15, 32, 8, 0, ALL }, { 15, 40, 4, 1, 8 }, { 15, 44, 4, 0, 1023 },
	{ 15, 48, 8, 0, END }, { 15, 56, 8, 0, ALL },
	{ 16, 24, 8, 0, ALL }, { 16, 32, 8, 0, ALL }, { 16, 40, 8, 0, END - 1 },
	{ 16, 48, 4, 1, 2 }, { 16, 52, 4, 0, 0 },
	{ 17, 24, 8, 0, ALL }, { 17, 32, 8, 0, ALL }, { 17, 40, 8, 0, END - 1 },
	{ 17, 48, 8, 0, BLOCK }, { 17, 56, 8, 1, ALL }, { 17, 64, 4, 0, 4 }, { 17, 68, 4, 0, 7 },
	{ 17, 72, 4, 0, 1023 }, { 17, 76, 4, 0, 1023 }, { 17, 80, 4, 1, 1024 }, { 17, 84, 4, 1, 9 },
	{ 17, 88, 4, 0, ALL }, { 17, 92, 4, 0, 8 }, { 17, 96, 4, 0, ALL }, { 17, 100, 4, 0, ALL },
	{ 17, 104, 4, 0, ALL }, { 17, 108, 4, 0, ALL }, { 17, 112, 4, 0, ALL },
	{ 17, 116, 4, 0, ALL }, { 17, 120, 4, 0, ALL }, { 17, 124, 4, 0, ALL },
	{ 17, 128, 4, 1, 1024 }, { 17, 132, 4, 0, 73728 }, { 17, 136, 4, 0, 73728 },
	{ 17, 140, 4, 0, 9 },
	{ 18, 24, 8, 0, ALL }, { 18, 32, 8, 0, ALL }, { 18, 40, 8, 0, END - 1 },
	{ 18, 48, 8, 0, BLOCK }, { 18, 56, 4, 0, 1023 }, { 18, 60, 4, 1, 262144 },
	{ 19, 24, 8, 0, ALL }, { 19, 32, 8, 0, ALL }, { 19, 40, 8, 0, END - 1 },
	{ 19, 48, 8, 0, BLOCK }, { 19, 56, 4, 0, 1023 }, { 19, 60, 4, 0, 1 },
	{ 20, 24, 8, 0, ALL }, { 20, 32, 8, 0, ALL }, { 20, 40, 8, 0, END - 1 },
	{ 21, 24, 8, 0, ALL }, { 21, 32, 8, 0, ALL }, { 21, 40, 8, 0, END - 1 },
	{ 21, 48, 8, 0, BLOCK }, { 21, 56, 4, 0, 1023 }, { 21, 60, 4, 1, 262144 },
	{ 21, 64, 8, 1, ALL }, { 21, 72, 8, 0, ALL }, { 21, 80, 4, 1, ALL }, { 21, 84, 4, 0, 0 },
	{ 22, 24, 8, 1, ALL },
	{ LANE, 24, 8, 0, ALL }, { LANE, 32, 8, 0, ALL }, { LANE, 40, 8, 0, END - 1 },
	{ LANE, 48, 8, 0, BLOCK }, { LANE, 56, 8, 1, ALL }, { LANE, 64, 8, 0, END - 1 },
	{ LANE, 72, 8, 0, BLOCK }, { LANE, 80, 4, 0, 4 }, { LANE, 84, 4, 0, 2 },
	{ LANE, 88, 4, 0, 1023 }, { LANE, 92, 4, 0, 1023 }, { LANE, 96, 4, 1, 1024 },
	{ LANE, 100, 4, 0, 1023 },
	{ COUNCIL, 24, 8, 0, ALL }, { COUNCIL, 32, 8, 0, ALL }, { COUNCIL, 40, 8, 0, END - 1 },
	{ COUNCIL, 48, 8, 0, ALL }, { COUNCIL, 56, 8, 0, END - 1 }, { COUNCIL, 64, 4, 0, ALL },
	{ COUNCIL, 68, 4, 0, 1 }, { COUNCIL, 72, 4, 1, 9 }, { COUNCIL, 76, 4, 0, 3 },
	{ WAIT, 24, 8, 0, ALL }, { WAIT, 32, 8, 0, ALL }, { WAIT, 40, 8, 0, END - 1 },
	{ WAIT, 48, 8, 1, ALL }, { WAIT, 56, 8, 0, BLOCK }, { WAIT, 64, 4, 0, ALL },
	{ WAIT, 68, 4, 0, 1023 }, { MISSING, 24, 8, 0, ALL }, { MISSING, 32, 8, 0, ALL },
	{ MISSING, 40, 8, 0, END - 1 }, { MISSING, 48, 8, 0, ALL }, { MISSING, 56, 8, 0, ALL },
	{ MISSING, 64, 8, 0, ALL }, { MISSING, 72, 8, 0, ALL }, { MISSING, 80, 8, 0, ALL },
	{ MISSING, 88, 8, 0, ALL }, { MISSING, 96, 8, 0, ALL }, { MISSING, 104, 8, 0, ALL },
	{ MISSING, 112, 8, 0, ALL }, { MISSING, 120, 8, 0, ALL }, { MISSING, 128, 8, 0, ALL },
	{ MISSING, 136, 8, 0, ALL }, { MISSING, 144, 8, 0, ALL }, { MISSING, 152, 8, 0, ALL },
	{ MISSING, 160, 8, 0, ALL }, { MISSING, 168, 8, 0, ALL },
};

static u64 random_state = 12345;

/**
 * scatter_messages_seed() - draw other random numbers from now on
 * @seed: which; what this function returned goes on with those that were drawn before
 *
 * Context: as scatter_messages_any().
 * Return: a seed
 */
u64 scatter_messages_seed(u64 seed)
{
	u64 before = random_state;

	random_state = seed;
	return before;
}

/**
 * scatter_messages_any() - a random number, the same in every run with the same seed
 * @bound: it is less
 *
 * Context: one at a time.
 * Return: 0 and up
 */
u64 scatter_messages_any(u64 bound)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % bound;
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

/**
 * scatter_messages_fits() - whether a message can be that long
 * @type: its
 * @bytes: how long, all in all
 *
 * Context: any.
 * Return: true if it can
 */
bool scatter_messages_fits(u8 type, u32 bytes)
{
	const struct messages_type *row = &types[type];
	u32 more = bytes - row->bytes;

	if (bytes <= row->bytes)
		return bytes == row->bytes;
	return more <= row->more && !(more % row->step);
}

/**
 * scatter_messages_lengths() - how many lengths a type has
 * @type: the type
 *
 * A COUNCIL has fewer than scatter_messages_fits() says, which are those of its header.
 *
 * Context: any.
 * Return: 1 and up
 */
u32 scatter_messages_lengths(u8 type)
{
	if (type == COUNCIL)
		return SCATTER_COUNCIL_MESSAGES_LENGTHS;
	return types[type].more ? types[type].more / types[type].step + 1 : 1;
}

/**
 * scatter_messages_judge() - what is wrong with a message
 * @type: what the receiver takes it for
 * @m: the message
 * @bytes: of it
 * @hello: what it answers
 *
 * Context: any.
 * Return: what the parser of @type may say against it, SCATTER_MESSAGES_*; 0: nothing
 */
u32 scatter_messages_judge(u8 type, const u8 *m, u32 bytes, const u8 *hello)
{
	bool sequenced = type >= 7, early = type <= 4;
	u32 i, faults = 0;

	if (!scatter_messages_fits(type, bytes) || m[0] != type || get(m, 2, 2) != bytes)
		return BAD;
	if (!!get(m, 4, 4) != sequenced || (early && (get(m, 8, 4) || get(m, 12, 2))))
		return BAD;
	for (i = 0; i < FIELDS; i++) {
		const struct messages_field *field = &fields[i];
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
	if (type >= 9 && !scatter_wide_messages_fine(type, m, bytes))
		faults |= BAD;
	return faults;
}

/**
 * scatter_messages_fill() - write bytes that are random and not 0
 * @to: where
 * @bytes: how many
 *
 * Context: as scatter_messages_any().
 */
void scatter_messages_fill(u8 *to, u32 bytes)
{
	while (bytes--)
		*to++ = (u8)(1 + any(255));
}

/* Its bytes. */
static u32 make_body(u8 type, u8 *m, const u8 *hello)
{
	u32 i;

	for (i = 0; i < FIELDS; i++)
		if (fields[i].type == type)
			put(m, fields[i].offset, fields[i].width,
			    fields[i].low == fields[i].high ? fields[i].low :
			    1 + fields[i].low + any(fields[i].high < 99 ? 1 : 10));
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
	return type >= 9 ? scatter_wide_messages_make(type, m) : types[type].bytes;
}

/**
 * scatter_messages_make() - make a random message with nothing wrong
 * @type: of it
 * @m: (out) the message; there is room for the longest of the type, and it is overwritten
 * @hello: what it answers
 *
 * Context: as scatter_messages_any().
 * Return: its bytes
 */
u32 scatter_messages_make(u8 type, u8 *m, const u8 *hello)
{
	u32 bytes;

	memset(m, 0, types[type].bytes + types[type].more);
	m[0] = type;
	if (type >= 5) {
		put(m, 8, 4, any(1u << 31) * 2);
		put(m, 12, 2, any(1025));
	}
	if (type >= 7)
		put(m, 4, 4, 1 + any(1u << 31));
	bytes = make_body(type, m, hello);
	put(m, 2, 2, bytes);
	return bytes;
}

static enum scatter_wire_reason parse(u8 type, const void *data, u32 bytes,
				      const struct scatter_wire_hello *hello, union host *host)
{
	struct scatter_wire_header header;

	switch (type) {
	case SCATTER_WIRE_HELLO:
		return scatter_parse_hello(data, bytes, &host->hello);
	case SCATTER_WIRE_WELCOME:
		return scatter_parse_welcome(data, bytes, hello, &host->welcome);
	case SCATTER_WIRE_PROOF:
		return scatter_parse_proof(data, bytes, &host->proof);
	case SCATTER_WIRE_REFUSE:
		return scatter_parse_refuse(data, bytes, &host->refuse);
	case SCATTER_WIRE_BYE:
		return scatter_parse_bye(data, bytes, &host->bye);
	case SCATTER_WIRE_PING:
		return scatter_parse_ping(data, bytes, &host->ping);
	case SCATTER_WIRE_PONG:
		return scatter_parse_pong(data, bytes, &host->pong);
	default:
		if (type >= SCATTER_WIRE_JOIN)
			return scatter_wide_messages_parse(type, data, bytes, &host->wide);
		if (scatter_parse_header(data, bytes, &header) || header.type != type)
			return SCATTER_WIRE_BAD_MESSAGE;
		return SCATTER_WIRE_FINE;
	}
}

static void build(const struct scatter_wire_header *header, const union host *host, union raw *raw)
{
	memset(raw, 0xa5, sizeof(*raw));
	switch (header->type) {
	case SCATTER_WIRE_HELLO:
		scatter_build_hello(&raw->hello, &host->hello);
		return;
	case SCATTER_WIRE_WELCOME:
		scatter_build_welcome(&raw->welcome, &host->welcome);
		return;
	case SCATTER_WIRE_PROOF:
		scatter_build_proof(&raw->proof, &host->proof);
		return;
	case SCATTER_WIRE_REFUSE:
		scatter_build_refuse(&raw->refuse, &host->refuse);
		return;
	case SCATTER_WIRE_CREDIT:
		scatter_build_credit(&raw->credit);
		break;
	case SCATTER_WIRE_BYE:
		scatter_build_bye(&raw->bye, &host->bye);
		break;
	case SCATTER_WIRE_PING:
		scatter_build_ping(&raw->ping, header->sequence, &host->ping);
		break;
	case SCATTER_WIRE_PONG:
		scatter_build_pong(&raw->pong, ~header->sequence, &host->pong);
		scatter_build_number(&raw->header, header->sequence);
		break;
	default:
		scatter_wide_messages_build(header, &host->wide, raw);
		break;
	}
	scatter_build_stamp(&raw->header, header->acknowledged, header->credits);
}

/**
 * scatter_messages_try() - parse a message, and build it again
 * @type: what the receiver takes it for
 * @m: the message
 * @bytes: of it
 * @hello: what it answers
 * @end: the message is copied to where it ends there, as nothing behind may be read
 * @counts: one of them is more
 *
 * What is refused must be what scatter_messages_judge() says, and leave the result alone, but for
 * the runs of PLACES, and for COUNCIL. Building what is fine again must give the same bytes without
 * payload, and no more.
 *
 * Context: as scatter_messages_any().
 */
void scatter_messages_try(u8 type, const u8 *m, u32 bytes,
			  const struct messages_hello *hello, u8 *end,
			  struct messages_counts *counts)
{
	u32 faults = scatter_messages_judge(type, m, bytes, hello->raw);
	struct scatter_wire_header header = { 0 };
	enum scatter_wire_reason reason;
	u32 built = types[type].step == 1 ? types[type].bytes : bytes;
	u8 *copy = end - bytes;
	bool good;

	memcpy(copy, m, bytes);
	memset(&big.host, 0x5a, sizeof(big.host));
	big.before = big.host;
	reason = parse(type, copy, bytes, &hello->host, &big.host);
	good = reason ? faults >> reason & 1 : !faults;
	if (reason) {
		if (type == SCATTER_WIRE_PLACES)
			memcpy(big.host.wide.places.runs, big.before.wide.places.runs,
			       sizeof(big.host.wide.places.runs));
		if (type == COUNCIL)
			big.host.wide.council = big.before.wide.council;
		good = good && !memcmp(&big.host, &big.before, sizeof(big.host));
	} else {
		good = good && !scatter_parse_header(copy, bytes, &header) &&
		       header.bytes == bytes;
		build(&header, &big.host, &big.raw);
		good = good && !memcmp(&big.raw, m, built) && big.raw.room[built] == 0xa5;
	}
	counts->fine += !reason;
	counts->refused += !!reason;
	counts->wrong += !good;
}

/**
 * scatter_messages_greet() - make a random HELLO that others answer
 * @hello: (out) as it is sent, and what it says
 *
 * Context: as scatter_messages_any().
 */
void scatter_messages_greet(struct messages_hello *hello)
{
	u32 bytes = scatter_messages_make(SCATTER_WIRE_HELLO, hello->raw, NULL);

	if (scatter_parse_hello(hello->raw, bytes, &hello->host))
		memset(&hello->host, 0, sizeof(hello->host));
}

/**
 * scatter_messages_try_valid() - try messages with nothing wrong
 * @type: theirs
 * @rounds: how many
 * @end: as of scatter_messages_try()
 * @counts: of what they came to
 *
 * Context: as scatter_messages_any().
 */
void scatter_messages_try_valid(u8 type, u32 rounds, u8 *end,
				struct messages_counts *counts)
{
	struct messages_hello hello;
	u32 bytes;

	while (rounds--) {
		scatter_messages_greet(&hello);
		bytes = scatter_messages_make(type, big.m, hello.raw);
		scatter_messages_try(type, big.m, bytes, &hello, end, counts);
	}
}

/* At its limits, just beyond, and at the ends of what it can hold. */
static void try_field(u8 type, const struct messages_field *field, u8 *end,
		      struct messages_counts *counts)
{
	u64 most = field->width == 8 ? ALL : ((u64)1 << 8 * field->width) - 1;
	u64 values[] = { 0, 1, field->low - 1, field->low, field->low + 1, field->high - 1,
			 field->high, field->high + 1, most, most - 1, most / 2 + 1, any(most),
			 most - 65534, most - 65535 };
	struct messages_hello hello;
	u32 i, round, bytes;

	for (round = 0; round < 4; round++)
		for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
			scatter_messages_greet(&hello);
			bytes = scatter_messages_make(type, big.m, hello.raw);
			put(big.m, field->offset, field->width, values[i]);
			scatter_messages_try(type, big.m, bytes, &hello, end, counts);
		}
}

/**
 * scatter_messages_try_fields() - try each field of a type with values that it may not have
 * @type: of the message
 * @end: as of scatter_messages_try()
 * @counts: of what they came to
 *
 * Context: as scatter_messages_any().
 */
void scatter_messages_try_fields(u8 type, u8 *end, struct messages_counts *counts)
{
	u32 i;

	for (i = 0; i < FIELDS; i++)
		if (!fields[i].type || fields[i].type == type)
			try_field(type, &fields[i], end, counts);
}

/**
 * scatter_messages_try_lengths() - try every length up to more than a type has, as it is or as the
 *	message tells, too
 * @type: of the message
 * @end: as of scatter_messages_try()
 * @counts: of what they came to
 *
 * Context: as scatter_messages_any().
 */
void scatter_messages_try_lengths(u8 type, u8 *end, struct messages_counts *counts)
{
	u32 bytes, most = types[type].bytes + types[type].more + SCATTER_MESSAGES_BEYOND;
	struct messages_hello hello;

	for (bytes = 0; bytes <= most; bytes++) {
		scatter_messages_greet(&hello);
		scatter_messages_make(type, big.m, hello.raw);
		scatter_messages_try(type, big.m, bytes, &hello, end, counts);
		put(big.m, 2, 2, bytes);
		if (type >= SCATTER_WIRE_JOIN && bytes >= types[type].bytes)
			scatter_wide_messages_suit(type, big.m, bytes);
		scatter_messages_try(type, big.m, bytes, &hello, end, counts);
	}
}
