/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages between nodes, described a second time, by offsets: which are fine, random ones
 * that are, and what becomes of them when they are parsed and built. For the unit tests in user
 * space and for KUnit; pure code like the messages themselves.
 */
#ifndef _SCATTER_TESTS_MESSAGES_H
#define _SCATTER_TESTS_MESSAGES_H

#include "../wire/wire.h"

#define SCATTER_MESSAGES_TYPES		26
#define SCATTER_MESSAGES_FIELDS		217
#define SCATTER_MESSAGES_HELLO		128	/* bytes of a HELLO */
#define SCATTER_MESSAGES_ROOM		8240	/* bytes: more than any message has */
#define SCATTER_MESSAGES_BEYOND		40	/* bytes: ROOM is more than that longer, too */
#define SCATTER_MESSAGES_ALL		(~(u64)0)

/**
 * enum scatter_messages_fault - what is wrong with a message, a bit for each reason to refuse it
 * @SCATTER_MESSAGES_BAD: %SCATTER_WIRE_BAD_MESSAGE
 * @SCATTER_MESSAGES_BAD_VERSION: %SCATTER_WIRE_BAD_VERSION
 * @SCATTER_MESSAGES_SELF: %SCATTER_WIRE_SELF
 */
enum scatter_messages_fault {
	SCATTER_MESSAGES_BAD = 1 << SCATTER_WIRE_BAD_MESSAGE,
	SCATTER_MESSAGES_BAD_VERSION = 1 << SCATTER_WIRE_BAD_VERSION,
	SCATTER_MESSAGES_SELF = 1 << SCATTER_WIRE_SELF,
};

/**
 * struct messages_type - a type of message
 * @name: what it is called
 * @bytes: its length, or the least one
 * @more: what it can have beyond that
 * @step: in steps of so many bytes; 1: payload, which no builder writes
 */
struct messages_type {
	const char *name;
	u32 bytes;
	u32 more;
	u32 step;
};

/**
 * struct messages_field - a field, and the values that it may have whatever the others
 *	are
 * @type: of the message; 0: of all
 * @offset: bytes before it
 * @width: its bytes
 * @low: the least value
 * @high: the greatest one
 */
struct messages_field {
	u8 type;
	u16 offset;
	u8 width;
	u64 low, high;
};

/**
 * struct messages_hello - what a message answers
 * @raw: as it was sent
 * @host: what it says
 */
struct messages_hello {
	u8 raw[SCATTER_MESSAGES_HELLO];
	struct scatter_wire_hello host;
};

/**
 * struct messages_counts - what messages came to
 * @fine: parsed
 * @refused: not so
 * @wrong: of both, those of which that, or what was parsed, is a mistake
 */
struct messages_counts {
	u32 fine, refused, wrong;
};

extern const struct messages_type scatter_messages_types[SCATTER_MESSAGES_TYPES + 1];
extern const struct messages_field scatter_messages_fields[SCATTER_MESSAGES_FIELDS];

/* A field, little-endian */
static inline u64 get(const u8 *data, u32 offset, u32 width)
{
	u64 value = 0;

	while (width--)
		value = value << 8 | data[offset + width];
	return value;
}

static inline void put(u8 *data, u32 offset, u32 width, u64 value)
{
	for (; width--; value >>= 8)
		data[offset++] = (u8)value;
}

static inline bool all_zero(const u8 *data, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes && !data[i]; i++)
		;
	return i == bytes;
}

u64 scatter_messages_seed(u64 seed);
u64 scatter_messages_any(u64 bound);
void scatter_messages_fill(u8 *to, u32 bytes);
bool scatter_messages_fits(u8 type, u32 bytes);
u32 scatter_messages_lengths(u8 type);
u32 scatter_messages_judge(u8 type, const u8 *m, u32 bytes, const u8 *hello);
u32 scatter_messages_make(u8 type, u8 *m, const u8 *hello);
void scatter_messages_greet(struct messages_hello *hello);
void scatter_messages_try(u8 type, const u8 *m, u32 bytes,
			  const struct messages_hello *hello, u8 *end,
			  struct messages_counts *counts);
void scatter_messages_try_valid(u8 type, u32 rounds, u8 *end,
				struct messages_counts *counts);
void scatter_messages_try_fields(u8 type, u8 *end, struct messages_counts *counts);
void scatter_messages_try_lengths(u8 type, u8 *end, struct messages_counts *counts);

#endif /* _SCATTER_TESTS_MESSAGES_H */
