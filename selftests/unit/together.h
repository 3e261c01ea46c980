/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fields of a message say together: a message with nothing wrong is changed by hand, and
 * both descriptions of the messages have to judge the same. For a test of one file.
 */
#ifndef UNIT_TOGETHER_H
#define UNIT_TOGETHER_H

#include "tap.h"
#include "tests/messages.h"

#define ROOM		SCATTER_MESSAGES_ROOM
#define BAD		SCATTER_MESSAGES_BAD
#define ALL		SCATTER_MESSAGES_ALL
#define END		((u64)1 << 56)

#define any		scatter_messages_any
#define fill		scatter_messages_fill

static struct messages_hello hello;
static u8 m[ROOM], copy[ROOM];

static void make(u8 type)
{
	scatter_messages_greet(&hello);
	scatter_messages_make(type, m, hello.raw);
}

static bool judge_edit(u8 type, u32 expected)
{
	struct messages_counts counts = { 0 };
	u32 bytes = (u32)get(m, 2, 2);

	scatter_messages_try(type, m, bytes, &hello, copy + ROOM, &counts);
	return !counts.wrong && scatter_messages_judge(type, m, bytes, hello.raw) == expected;
}

#define TOGETHER(type, faults, edit, ...)		\
	do {						\
		make(type);				\
		edit;					\
		ok(judge_edit(type, faults), __VA_ARGS__);	\
	} while (0)

static bool id_is(const u64 *id, u32 offset)
{
	return id[0] == get(m, offset, 8) && id[1] == get(m, offset + 8, 8);
}

#endif /* UNIT_TOGETHER_H */
