// SPDX-License-Identifier: GPL-2.0
/*
 * COUNCIL, described a second time: see wide_messages.c. The head has 80 bytes, fences 128, facts
 * 256, a decree 544, and each choice 8.
 */
#include "../wire/wide_council.h"
#include "council_messages.h"
#include "messages.h"

#define any	scatter_messages_any
#define fill	scatter_messages_fill
#define PREPARE		7
#define PROMISE		8
#define BEHIND		9

static u32 count_bits(const u8 *data, u32 bytes)
{
	u32 i, count = 0;

	for (i = 0; i < 8 * bytes; i++)
		count += data[i / 8] >> i % 8 & 1;
	return count;
}

static bool has_decree(const u8 *m)
{
	u64 type = get(m, 72, 4);

	return type == 1 || type == 2 || type == 4 || (type == PROMISE && get(m, 48, 8));
}

/* Where the decree is, or would be. */
static u32 decree_at(u64 type)
{
	return 80 + (type == PREPARE ? 128 : 0) + (type == PROMISE ? 128 + 256 : 0);
}

static bool head_is_fine(const u8 *m)
{
	u64 type = get(m, 72, 4), ballot = get(m, 48, 8);

	if (type == PROMISE) {
		if (ballot != SCATTER_MESSAGES_ALL && ballot > get(m, 40, 8) + 1)
			return false;
	} else if (ballot || get(m, 76, 4)) {
		return false;
	}
	if (has_decree(m) || type == 3 || type == 5 || type == 6)
		return get(m, 64, 4);
	return all_zero(m + 56, 16);
}

/* Of a decree and what is behind it. */
static bool decree_is_fine(const u8 *decree, u32 bytes, u64 kind)
{
	u64 flags = get(decree, 16, 4), error = get(decree, 20, 4), culprit = get(decree, 24, 4);
	u32 called;

	if (bytes < 544 || flags > 7 || error > 4095 || get(decree, 28, 4))
		return false;
	if (culprit != 0xffffffff && (culprit > 1023 || !error))
		return false;
	called = count_bits(decree + 32, 128);
	if (!called && get(decree, 0, 8))
		return false;
	if (!(flags & 4))
		return bytes == 544;
	return kind == 1 && called <= 896 && bytes == 544 + 8 * called;
}

/**
 * scatter_council_messages_fine() - whether the fields of a COUNCIL fit each other
 * @m: the message
 * @bytes: of it, 80 and up
 *
 * Context: any.
 * Return: true if they do, and none is beyond the limits that messages.c has
 */
bool scatter_council_messages_fine(const u8 *m, u32 bytes)
{
	u32 at = decree_at(get(m, 72, 4));

	if (all_zero(m + 24, 16) || !head_is_fine(m))
		return false;
	if (!has_decree(m))
		return bytes == at;
	return bytes >= at && decree_is_fine(m + at, bytes - at, get(m, 68, 4));
}

static void suit_head(u8 *m, u32 type, bool key)
{
	memset(m + 48, 0, 32);
	put(m, 72, 4, type);
	if (!key)
		return;
	put(m, 56, 8, any(1 << 20));
	put(m, 64, 4, 1 + any(9));
	put(m, 68, 4, any(2));
}

/* With so many choices, by random ranks. */
static void suit_decree(u8 *m, u8 *decree, u32 choices)
{
	bool listed = choices || !any(3);
	u32 rank, called = listed ? choices : (u32)any(30);

	fill(decree, 16);
	memset(decree + 16, 0, 16 + 128);
	put(decree, 16, 4, any(4) + (listed ? 4 : 0));
	put(decree, 20, 4, any(2) ? 1 + any(4095) : 0);
	put(decree, 24, 4, get(decree, 20, 4) && any(2) ? any(1024) : 0xffffffff);
	for (rank = (u32)any(1024); called; rank = (rank + 1 + (u32)any(9)) % 1024) {
		called -= !(decree[32 + rank / 8] >> rank % 8 & 1);
		decree[32 + rank / 8] |= (u8)(1 << rank % 8);
	}
	if (all_zero(decree + 32, 128))
		put(decree, 0, 8, 0);
	fill(decree + 160, 128 + 256 + 8 * choices);
	if (listed)
		put(m, 68, 4, 1);
}

/**
 * scatter_council_messages_suit() - change a COUNCIL so that its fields fit its length
 * @m: the message; there is room for the longest one
 * @bytes: of it; nothing is changed if there is no COUNCIL of that length
 *
 * Context: as scatter_messages_any().
 */
void scatter_council_messages_suit(u8 *m, u32 bytes)
{
	static const u8 short_types[] = { 3, 5, 6, BEHIND };
	u32 type;

	if (bytes == 80) {
		type = short_types[any(4)];
		suit_head(m, type, type != BEHIND);
	} else if (bytes == 208) {
		suit_head(m, PREPARE, false);
		fill(m + 80, 128);
	} else if (bytes == 464) {
		suit_head(m, PROMISE, false);
		put(m, 76, 4, any(4));
		fill(m + 80, 384);
	} else if (bytes >= 1008 && bytes <= 8176 && (bytes > 7792 || any(2))) {
		suit_head(m, PROMISE, true);
		put(m, 48, 8, any(4) ? 1 + any(get(m, 40, 8) + 1) : SCATTER_MESSAGES_ALL);
		put(m, 76, 4, any(4));
		fill(m + 80, 384);
		suit_decree(m, m + 464, (bytes - 1008) / 8);
	} else if (bytes >= 624 && bytes <= 7792) {
		type = 1 + (u32)any(3);
		suit_head(m, type + (type == 3), true);
		suit_decree(m, m + 80, (bytes - 624) / 8);
	}
}

/**
 * scatter_council_messages_make() - change a COUNCIL so that its fields fit each other
 * @m: the message, each of whose fields is within its limits
 *
 * Context: as scatter_messages_any().
 * Return: its bytes
 */
u32 scatter_council_messages_make(u8 *m)
{
	static const u16 least[] = { 80, 208, 464, 624, 1008 };
	u32 i = (u32)any(5), bytes = least[i];

	if (i > 2 && any(2))
		bytes += 8 * (u32)any(any(4) ? 9 : 897);
	scatter_council_messages_suit(m, bytes);
	return bytes;
}

/**
 * scatter_council_messages_build() - build a COUNCIL
 * @header: its number and length
 * @host: what to say
 * @raw: (out) the message; its head is 0 if the length is another one
 *
 * Context: any.
 */
void scatter_council_messages_build(const struct scatter_wire_header *header,
				    const struct scatter_wide_council *host, void *raw)
{
	if (scatter_wide_build_council_bytes(&host->message) == header->bytes)
		scatter_wide_build_council(raw, header->sequence, host->id, &host->message);
	else
		memset(raw, 0, 80);
}
