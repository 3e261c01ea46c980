/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages between nodes, described a second time, by offsets: which are fine, and random
 * ones that are.
 */
#ifndef _SCATTER_UNIT_WIRE_FORMAT_H
#define _SCATTER_UNIT_WIRE_FORMAT_H

#include "wire/wire.h"

#define TYPES		8
#define FIELDS		45
#define ROOM		160	/* bytes: more than any message has */
#define ALL		(~(u64)0)

/* What is wrong with a message: a bit for each reason to refuse it */
#define BAD		(1u << SCATTER_WIRE_BAD_MESSAGE)
#define BAD_VERSION	(1u << SCATTER_WIRE_BAD_VERSION)
#define SELF		(1u << SCATTER_WIRE_SELF)

/**
 * struct format_type - a type of message
 * @name: what it is called
 * @bytes: its length
 */
struct format_type {
	const char *name;
	u32 bytes;
};

/**
 * struct format_field - a field, and the values that it may have whatever the others are
 * @type: of the message; 0: of all
 * @offset: bytes before it
 * @width: its bytes
 * @low: the least value
 * @high: the greatest one
 */
struct format_field {
	u8 type, offset, width;
	u64 low, high;
};

extern const struct format_type format_types[TYPES + 1];
extern const struct format_field format_fields[FIELDS];

/* Random, the same in every run */
u64 any(u64 bound);
/* A field, little-endian */
u64 get(const u8 *data, u32 offset, u32 width);
void put(u8 *data, u32 offset, u32 width, u64 value);
/* Bytes that are random and not 0 */
void fill(u8 *to, u32 bytes);

/* What the parser of @type may say against a message, which answers @hello; 0: nothing. */
u32 format_judge(u8 type, const u8 *m, u32 bytes, const u8 *hello);
/* A message with nothing wrong, which answers @hello. */
u32 format_make(u8 type, u8 *m, const u8 *hello);

#endif /* _SCATTER_UNIT_WIRE_FORMAT_H */
