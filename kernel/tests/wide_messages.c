// SPDX-License-Identifier: GPL-2.0
/*
 * The messages of groups on several nodes, described a second time: see messages.h, which has
 * the limits of each field. Here is what fields say together.
 */
#include "../wire/wide_build.h"
#include "../wire/wide_parse.h"
#include "council_messages.h"
#include "messages.h"
#include "wide_messages.h"

#define any	scatter_messages_any
#define fill	scatter_messages_fill

static bool name_is_fine(const u8 *name)
{
	u32 length;

	for (length = 0; length < 64 && name[length]; length++)
		if (name[length] < 0x20 || name[length] > 0x7e || name[length] == 0x2f)
			return false;
	return length && length < 64 && all_zero(name + length, 64 - length);
}

static bool join_is_fine(const u8 *m)
{
	u64 size = get(m, 60, 4), rank = get(m, 76, 4), dims = get(m, 88, 4);
	u64 sides = get(m, 64, 4) + get(m, 68, 4);

	if (sides ? sides != size : get(m, 72, 4))
		return false;
	if (rank != 0xffffffff && rank >= size)
		return false;
	if (dims < 8 && !all_zero(m + 96 + 4 * dims, 32 - 4 * (u32)dims))
		return false;
	return name_is_fine(m + 128);
}

static bool seated_is_fine(const u8 *m)
{
	u64 answer = get(m, 48, 4);

	if (!answer)
		return !all_zero(m + 32, 16);
	if (answer != 2 && get(m, 60, 4))
		return false;
	return all_zero(m + 32, 16) && all_zero(m + 52, 8) && !get(m, 64, 4);
}

static bool places_are_fine(const u8 *m, u32 bytes)
{
	u64 count = get(m, 40, 4), next = 0, node = 0;

	if (bytes != 48 + 32 * count)
		return false;
	for (m += 48; count--; m += 32) {
		if (!get(m, 0, 8) || !get(m, 8, 8) || !get(m, 16, 8) || !get(m, 28, 4))
			return false;
		if (node && (get(m, 0, 8) == node || get(m, 24, 4) != next))
			return false;
		node = get(m, 0, 8);
		next = get(m, 24, 4) + get(m, 28, 4);
		if (next > 1024)
			return false;
	}
	return true;
}

static bool fact_is_fine(const u8 *m)
{
	switch (get(m, 40, 4)) {
	case 3:
		return all_zero(m + 48, 16);
	case 6:
		return all_zero(m + 44, 12) && get(m, 56, 8);
	case 7:
		return all_zero(m + 44, 20);
	case 8:
		return !m[55] && !get(m, 56, 8);
	default:
		return !get(m, 56, 8);
	}
}

static bool bundle_is_fine(const u8 *m, u32 bytes)
{
	u64 op = get(m, 64, 4), flags = get(m, 68, 4), dims = get(m, 92, 4);
	u64 blocks = get(m, 80, 4), count = get(m, 128, 4), total = get(m, 132, 4);
	u64 listed = flags & 1 ? 8 * count : 0, payload = bytes - 144;

	if (op == 2 || (op > 2 && (get(m, 48, 8) || !listed)))
		return false;
	if (flags > 3 && (op < 2 || flags != 7 || count != blocks))
		return false;
	if (get(m, 76, 4) + blocks > 1024 || count > blocks)
		return false;
	if (dims < 8 && !all_zero(m + 96 + 4 * dims, 32 - 4 * (u32)dims))
		return false;
	if (flags & 2 ? total != listed : total < listed)
		return false;
	return get(m, 136, 4) + payload <= total && !payload == !total;
}

static bool lane_is_fine(const u8 *m, u32 bytes)
{
	u64 block = get(m, 48, 8), offset = get(m, 72, 8), op = get(m, 80, 4);
	u64 first = get(m, 92, 4), blocks = get(m, 96, 4), rank = get(m, 100, 4);
	u64 payload = bytes - 104;

	if (op == 2 || (op > 2 && block))
		return false;
	if (first + blocks > 1024 || rank < first || rank >= first + blocks)
		return false;
	if (get(m, 84, 4) == 1)
		return op > 2 && !offset && payload == 8;
	if (offset % 8088)
		return false;
	if (op > 2)
		return payload;
	if (!block)
		return !offset && !payload;
	return offset < block && payload == (block - offset < 8088 ? block - offset : 8088);
}

static bool wait_is_fine(const u8 *m)
{
	u64 root = get(m, 64, 4);

	return root < 1024 || (root == 0xffffffff && !get(m, 56, 8));
}

/**
 * scatter_wide_messages_fine() - whether fields fit each other
 * @type: of the message, 9 and up
 * @m: the message, whose length is that of the type
 * @bytes: of it
 *
 * Context: any.
 * Return: true if they do, and none is beyond the limits that messages.c has
 */
bool scatter_wide_messages_fine(u8 type, const u8 *m, u32 bytes)
{
	bool has_id = !all_zero(m + 24, 16);

	switch (type) {
	case 9:
		return join_is_fine(m);
	case 10:
		return seated_is_fine(m);
	case 12:
		return has_id && get(m, 44, 4) <= get(m, 40, 4);
	case 13:
		return has_id && places_are_fine(m, bytes);
	case 14:
		return has_id && (get(m, 48, 4) == 1) == !!get(m, 40, 8);
	case 15:
		return has_id && fact_is_fine(m);
	case 16:
	case 18:
	case 20:
		return has_id;
	case 17:
		return has_id && bundle_is_fine(m, bytes);
	case 19:
		return has_id && get(m, 60, 4) == (bytes == 64);
	case 21:
		return has_id && get(m, 72, 8) + (get(m, 60, 4) - 1) >= get(m, 72, 8);
	case SCATTER_WIRE_LANE:
		return has_id && lane_is_fine(m, bytes);
	case SCATTER_WIRE_COUNCIL:
		return scatter_council_messages_fine(m, bytes);
	case SCATTER_WIRE_WAIT:
		return has_id && wait_is_fine(m);
	case SCATTER_WIRE_MISSING:
		return has_id;
	default:
		return true;
	}
}

static void make_join(u8 *m)
{
	u32 i, size = 1 + (u32)any(1024), dims = (u32)any(9), length = 1 + (u32)any(63);

	put(m, 52, 4, any(4));
	put(m, 56, 4, any(01000));
	put(m, 60, 4, size);
	put(m, 64, 4, any(2) ? any(size + 1) : 0);
	put(m, 68, 4, get(m, 64, 4) ? size - get(m, 64, 4) : 0);
	put(m, 72, 4, get(m, 64, 4) ? any(2) : 0);
	put(m, 76, 4, any(4) ? any(size) : 0xffffffff);
	put(m, 88, 4, dims);
	memset(m + 96, 0, 32 + 64);
	fill(m + 96, 4 * dims);
	for (i = 0; i < length; i++)
		do
			m[128 + i] = (u8)(0x20 + any(95));
		while (m[128 + i] == '/');
}

static void make_seated(u8 *m)
{
	u32 answer = any(2) ? (u32)any(12) : 0;

	fill(m + 32, 16);
	put(m, 48, 4, answer);
	put(m, 52, 4, any(1024));
	fill(m + 56, 8);
	put(m, 64, 4, any(01000));
	if (!answer)
		return;
	memset(m + 32, 0, 16);
	memset(m + 52, 0, answer == 2 ? 8 : 12);
	put(m, 64, 4, 0);
}

/**
 * scatter_wide_messages_runs() - write the runs of a PLACES
 * @m: the message
 * @count: how many; up to 128 are fine. Nodes have several, and no two in a row
 *
 * Context: as scatter_messages_any().
 */
void scatter_wide_messages_runs(u8 *m, u32 count)
{
	u32 i, ranks, first = (u32)any(count < 10 ? 1025 - 8 * count : 1);

	put(m, 40, 4, count);
	for (m += 48, i = 0; i < count; i++, m += 32, first += ranks) {
		ranks = 1 + (u32)any(8);
		fill(m, 24);
		if (i > 1 && any(2))
			memcpy(m, m - 64, 16);
		put(m, 24, 4, first);
		put(m, 28, 4, ranks);
	}
}

static u32 make_places(u8 *m)
{
	u32 count = 1 + (u32)any(any(8) ? 4 : 128);

	scatter_wide_messages_runs(m, count);
	return 48 + 32 * count;
}

static void make_fact(u8 *m)
{
	u32 kind = 1 + (u32)any(8);

	put(m, 40, 4, kind);
	put(m, 44, 4, any(1024));
	fill(m + 48, 7);
	m[55] = 0;
	memset(m + 56, 0, 8);
	if (kind == 3 || kind == 6 || kind == 7)
		memset(m + 48, 0, 8);
	if (kind == 6 || kind == 7)
		put(m, 44, 4, 0);
	if (kind == 6)
		fill(m + 56, 8);
}

/* Without payload a stream is empty, so no blocks are listed. */
static void suit_bundle(u8 *m, u32 payload)
{
	u32 flags = (u32)get(m, 68, 4), count = (u32)get(m, 128, 4), total;

	if (!payload) {
		put(m, 64, 4, any(2));
		flags &= 2;
	} else if (flags & 2) {
		flags |= flags > 3 ? 5 : 1;
	}
	if (flags == 7) {
		count = (payload + 7) / 8 + (u32)any(5);
		put(m, 76, 4, any(1024 - count + 1));
		put(m, 80, 4, count);
	}
	if (flags == 3 && 8 * count < payload) {
		count = (payload + 7) / 8;
		put(m, 76, 4, 0);
		put(m, 80, 4, 1024);
	}
	total = flags & 1 ? 8 * count : 0;
	if (payload && !(flags & 2))
		total = (total > payload ? total : payload) + (u32)any(1000);
	put(m, 68, 4, flags);
	put(m, 128, 4, count);
	put(m, 132, 4, total);
	put(m, 136, 4, any(total - payload + 1));
}

/* A length, a cell of a v form, or one of a block that ends with the cell or has more. */
static void suit_lane(u8 *m, u32 payload)
{
	u64 offset = payload ? 8088 * any(1000) : 0;
	u32 flags = 2 * (u32)any(2), vector = payload ? 3 * (u32)any(2) : 0;

	if (payload == 8 && any(2)) {
		offset = 0;
		flags = 1;
		vector = 3;
	}
	put(m, 48, 8, vector ? 0 : offset + payload + (payload == 8088 ? any(1000) : 0));
	put(m, 72, 8, offset);
	put(m, 80, 4, vector + any(2));
	put(m, 84, 4, flags);
}

/**
 * scatter_wide_messages_suit() - change a message so that its fields fit its length
 * @type: of the message, 9 and up
 * @m: the message, whose fields fit each other but for that
 * @bytes: of it, no less than the type has
 *
 * Context: as scatter_messages_any().
 */
void scatter_wide_messages_suit(u8 type, u8 *m, u32 bytes)
{
	if (type == 13)
		scatter_wide_messages_runs(m, (bytes - 48) / 32);
	if (type == 17)
		suit_bundle(m, bytes - 144);
	if (type == 19)
		put(m, 60, 4, bytes == 64);
	if (type == SCATTER_WIRE_LANE)
		suit_lane(m, bytes - 104);
	if (type == SCATTER_WIRE_COUNCIL)
		scatter_council_messages_suit(m, bytes);
}

static u32 make_bundle(u8 *m)
{
	u32 op = (u32)any(4), first = (u32)any(1024), blocks = 1 + (u32)any(1024 - first);
	u32 dims = (u32)any(9), bytes = 144 + (u32)any(any(4) ? 200 : 8049);

	op += op > 1;
	put(m, 48, 8, op > 2 ? 0 : any(1 << 30));
	put(m, 64, 4, op);
	put(m, 68, 4, op > 2 && !any(4) ? 7 : any(4) | (op > 2));
	put(m, 72, 4, any(1024));
	put(m, 76, 4, first);
	put(m, 80, 4, blocks);
	put(m, 84, 4, 1 + any(9));
	put(m, 92, 4, dims);
	memset(m + 96, 0, 32);
	fill(m + 96, 4 * dims);
	put(m, 128, 4, 1 + any(blocks));
	scatter_wide_messages_suit(17, m, bytes);
	return bytes;
}

static u32 make_data(u8 *m)
{
	u32 bytes = 64 + (u32)any(any(4) ? 9 : 8049);

	scatter_wide_messages_suit(19, m, bytes);
	return bytes;
}

static u32 make_lane(u8 *m)
{
	u32 first = (u32)any(1024), blocks = 1 + (u32)any(1024 - first);
	u32 bytes = 104 + (u32)any(any(4) ? 9 : 8089);

	put(m, 88, 4, any(1024));
	put(m, 92, 4, first);
	put(m, 96, 4, blocks);
	put(m, 100, 4, first + any(blocks));
	scatter_wide_messages_suit(SCATTER_WIRE_LANE, m, bytes);
	return bytes;
}

/**
 * scatter_wide_messages_make() - change a message so that its fields fit each other
 * @type: of the message, 9 and up
 * @m: the message, each of whose fields is within its limits
 *
 * Context: as scatter_messages_any().
 * Return: its bytes
 */
u32 scatter_wide_messages_make(u8 type, u8 *m)
{
	switch (type) {
	case 9:
		make_join(m);
		break;
	case 10:
		make_seated(m);
		break;
	case 12:
		put(m, 40, 4, 1 + any(1024));
		put(m, 44, 4, 1 + any(get(m, 40, 4)));
		put(m, 48, 4, any((1 << 20) + 1));
		put(m, 52, 4, any((1 << 20) + 1));
		put(m, 56, 4, 1 + any(1000000000));
		put(m, 60, 4, 1 + any(1000000000));
		put(m, 64, 4, 1 + any(1 << 20));
		break;
	case 13:
		return make_places(m);
	case 14:
		put(m, 48, 4, 1 + any(3));
		if (get(m, 48, 4) > 1)
			put(m, 40, 8, 0);
		break;
	case 15:
		make_fact(m);
		break;
	case 17:
		return make_bundle(m);
	case 19:
		return make_data(m);
	case 21:
		m[79] &= 0x7f;
		break;
	case SCATTER_WIRE_LANE:
		return make_lane(m);
	case SCATTER_WIRE_COUNCIL:
		return scatter_council_messages_make(m);
	case SCATTER_WIRE_WAIT:
		put(m, 64, 4, any(3) ? any(1024) : 0xffffffff);
		if (get(m, 64, 4) > 1023)
			put(m, 56, 8, 0);
		break;
	default:
		break;
	}
	return scatter_messages_types[type].bytes;
}

/**
 * scatter_wide_messages_parse() - parse a message
 * @type: of the message, 9 and up
 * @data: the message
 * @bytes: of it
 * @host: (out) what it says
 *
 * Context: any.
 * Return: what the parser returns
 */
enum scatter_wire_reason scatter_wide_messages_parse(u8 type, const void *data, u32 bytes,
						     union wide_host *host)
{
	switch (type) {
	case SCATTER_WIRE_JOIN:
		return scatter_wide_parse_join(data, bytes, &host->join);
	case SCATTER_WIRE_SEATED:
		return scatter_wide_parse_seated(data, bytes, &host->seated);
	case SCATTER_WIRE_UNSEAT:
		return scatter_wide_parse_unseat(data, bytes, &host->unseat);
	case SCATTER_WIRE_FORMED:
		return scatter_wide_parse_formed(data, bytes, &host->formed);
	case SCATTER_WIRE_PLACES:
		return scatter_wide_parse_places(data, bytes, &host->places);
	case SCATTER_WIRE_ATTACH:
		return scatter_wide_parse_attach(data, bytes, &host->attach);
	case SCATTER_WIRE_FACT:
		return scatter_wide_parse_fact(data, bytes, &host->fact);
	case SCATTER_WIRE_EDGE:
		return scatter_wide_parse_edge(data, bytes, &host->edge);
	case SCATTER_WIRE_BUNDLE:
		return scatter_wide_parse_bundle(data, bytes, &host->bundle);
	case SCATTER_WIRE_PULL:
		return scatter_wide_parse_pull(data, bytes, &host->pull);
	case SCATTER_WIRE_DATA:
		return scatter_wide_parse_data(data, bytes, &host->data);
	case SCATTER_WIRE_DONE:
		return scatter_wide_parse_done(data, bytes, &host->done);
	case SCATTER_WIRE_GRANT:
		return scatter_wide_parse_grant(data, bytes, &host->grant);
	case SCATTER_WIRE_GOT:
		return scatter_wide_parse_got(data, bytes, &host->got);
	case SCATTER_WIRE_LANE:
		return scatter_wide_parse_lane(data, bytes, &host->lane);
	case SCATTER_WIRE_COUNCIL:
		return scatter_wide_parse_council(data, bytes, &host->council);
	case SCATTER_WIRE_WAIT:
		return scatter_wide_parse_wait(data, bytes, &host->wait);
	default:
		return scatter_wide_parse_missing(data, bytes, &host->missing);
	}
}

/**
 * scatter_wide_messages_build() - build a message
 * @header: its type and number
 * @host: what to say
 * @raw: (out) the message, but for what scatter_build_stamp() sets
 *
 * Context: any.
 */
void scatter_wide_messages_build(const struct scatter_wire_header *header,
				 const union wide_host *host, void *raw)
{
	u32 sequence = header->sequence;

	switch (header->type) {
	case SCATTER_WIRE_JOIN:
		scatter_wide_build_join(raw, sequence, &host->join);
		break;
	case SCATTER_WIRE_SEATED:
		scatter_wide_build_seated(raw, sequence, &host->seated);
		break;
	case SCATTER_WIRE_UNSEAT:
		scatter_wide_build_unseat(raw, sequence, &host->unseat);
		break;
	case SCATTER_WIRE_FORMED:
		scatter_wide_build_formed(raw, sequence, &host->formed);
		break;
	case SCATTER_WIRE_PLACES:
		if (scatter_wide_build_places(raw, sequence, &host->places) != header->bytes)
			memset(raw, 0, sizeof(struct scatter_raw_places));
		break;
	case SCATTER_WIRE_ATTACH:
		scatter_wide_build_attach(raw, sequence, &host->attach);
		break;
	case SCATTER_WIRE_FACT:
		scatter_wide_build_fact(raw, sequence, &host->fact);
		break;
	case SCATTER_WIRE_EDGE:
		scatter_wide_build_edge(raw, sequence, &host->edge);
		break;
	case SCATTER_WIRE_BUNDLE:
		scatter_wide_build_bundle(raw, sequence, &host->bundle);
		break;
	case SCATTER_WIRE_PULL:
		scatter_wide_build_pull(raw, sequence, &host->pull);
		break;
	case SCATTER_WIRE_DATA:
		scatter_wide_build_data(raw, sequence, &host->data);
		break;
	case SCATTER_WIRE_DONE:
		scatter_wide_build_done(raw, sequence, &host->done);
		break;
	case SCATTER_WIRE_GRANT:
		scatter_wide_build_grant(raw, sequence, &host->grant);
		break;
	case SCATTER_WIRE_GOT:
		scatter_wide_build_got(raw, sequence, &host->got);
		break;
	case SCATTER_WIRE_LANE:
		scatter_wide_build_lane(raw, sequence, &host->lane);
		break;
	case SCATTER_WIRE_COUNCIL:
		scatter_council_messages_build(header, &host->council, raw);
		break;
	case SCATTER_WIRE_WAIT:
		scatter_wide_build_wait(raw, sequence, &host->wait);
		break;
	default:
		scatter_wide_build_missing(raw, sequence, &host->missing);
		break;
	}
}
