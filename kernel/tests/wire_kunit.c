// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the messages between nodes, and what a connection does with them, as compiled into the
 * kernel. The checks that judge them are those of user space (selftests/unit), in fewer rounds.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "../wire/build.h"
#include "../wire/credits.h"
#include "../wire/parse.h"
#include "../wire/sequence.h"
#include "../wire/states.h"
#include "flow.h"
#include "messages.h"
#include "transitions.h"

#define ROUNDS	100
#define STEPS	2000

static const u8 types[] = {
	SCATTER_WIRE_HELLO, SCATTER_WIRE_WELCOME, SCATTER_WIRE_PROOF, SCATTER_WIRE_REFUSE,
	SCATTER_WIRE_CREDIT, SCATTER_WIRE_BYE, SCATTER_WIRE_PING, SCATTER_WIRE_PONG,
	SCATTER_WIRE_JOIN, SCATTER_WIRE_SEATED, SCATTER_WIRE_UNSEAT, SCATTER_WIRE_FORMED,
	SCATTER_WIRE_PLACES, SCATTER_WIRE_ATTACH, SCATTER_WIRE_FACT, SCATTER_WIRE_EDGE,
	SCATTER_WIRE_BUNDLE, SCATTER_WIRE_PULL, SCATTER_WIRE_DATA, SCATTER_WIRE_DONE,
	SCATTER_WIRE_GRANT, SCATTER_WIRE_GOT, SCATTER_WIRE_LANE, SCATTER_WIRE_COUNCIL,
	SCATTER_WIRE_WAIT, SCATTER_WIRE_MISSING,
};

static_assert(ARRAY_SIZE(types) == SCATTER_MESSAGES_TYPES);

static void type_name(const u8 *type, char *name)
{
	strscpy(name, scatter_messages_types[*type].name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wire_type, types, type_name);

static u8 type_of(struct kunit *test)
{
	return *(const u8 *)test->param_value;
}

/* The end of memory of its own, behind which KASAN lets nobody read. */
static u8 *end_of_memory(struct kunit *test)
{
	u8 *memory = kunit_kzalloc(test, SCATTER_MESSAGES_ROOM, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory + SCATTER_MESSAGES_ROOM;
}

static void wire_parses_what_it_builds(struct kunit *test)
{
	struct messages_counts counts = {};

	scatter_messages_try_valid(type_of(test), ROUNDS, end_of_memory(test), &counts);
	KUNIT_EXPECT_EQ(test, counts.fine, (u32)ROUNDS);
	KUNIT_EXPECT_EQ(test, counts.wrong, 0U);
}

static void wire_refuses_wrong_fields(struct kunit *test)
{
	struct messages_counts counts = {};

	scatter_messages_try_fields(type_of(test), end_of_memory(test), &counts);
	KUNIT_EXPECT_GT(test, counts.fine, 0U);
	KUNIT_EXPECT_GT(test, counts.refused, 0U);
	KUNIT_EXPECT_EQ(test, counts.wrong, 0U);
}

static void wire_refuses_wrong_lengths(struct kunit *test)
{
	const struct messages_type *row = &scatter_messages_types[type_of(test)];
	struct messages_counts counts = {};

	scatter_messages_try_lengths(type_of(test), end_of_memory(test), &counts);
	if (row->more)
		KUNIT_EXPECT_GE(test, counts.fine, scatter_messages_lengths(type_of(test)));
	else
		KUNIT_EXPECT_EQ(test, counts.fine, 2U);
	KUNIT_EXPECT_EQ(test, counts.wrong, 0U);
}

/* Byte by byte, as a node that is not ours would write it. */
static void wire_is_little_endian(struct kunit *test)
{
	static const u8 bytes[] = {
		7, 0, 56, 0,  4, 3, 2, 1,  8, 7, 6, 5,  0, 4, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
		0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
		0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,
		0x34, 0x33, 0x32, 0x31,  0, 0, 1, 0,
		0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41,
	};
	const struct scatter_wire_ping ping = {
		.token = 0x1112131415161718,
		.address = 0x2122232425262728,
		.key = 0x31323334,
		.bytes = 65536,
		.digest = 0x4142434445464748,
	};
	struct scatter_wire_header header = {};
	struct scatter_wire_ping parsed = {};
	struct scatter_raw_ping raw;

	memset(&raw, 0xa5, sizeof(raw));
	scatter_build_ping(&raw, 0x01020304, &ping);
	scatter_build_stamp(&raw.header, 0x05060708, 1024);
	KUNIT_ASSERT_EQ(test, sizeof(raw), sizeof(bytes));
	KUNIT_EXPECT_EQ(test, memcmp(&raw, bytes, sizeof(bytes)), 0);
	KUNIT_ASSERT_EQ(test, (int)scatter_parse_header(bytes, sizeof(bytes), &header), 0);
	KUNIT_EXPECT_EQ(test, header.sequence, 0x01020304U);
	KUNIT_EXPECT_EQ(test, header.acknowledged, 0x05060708U);
	KUNIT_EXPECT_EQ(test, (u32)header.credits, 1024U);
	KUNIT_ASSERT_EQ(test, (int)scatter_parse_ping(bytes, sizeof(bytes), &parsed), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&parsed, &ping, sizeof(ping)), 0);
}

static void wire_states_follow_the_table(struct kunit *test)
{
	u32 state, event, counts[3] = {};

	for (state = 0; state < SCATTER_STATES_COUNT; state++)
		for (event = 0; event < SCATTER_EVENT_COUNT; event++) {
			bool good = state == SCATTER_STATES_CLOSING ||
				    scatter_transitions_try(state, event, counts);

			KUNIT_EXPECT_TRUE_MSG(test, good, "event %u in state %u", event, state);
			good = scatter_transitions_try_closing(state, event);
			KUNIT_EXPECT_TRUE_MSG(test, good, "event %u in CLOSING before state %u",
					      event, state);
		}
	KUNIT_EXPECT_EQ(test, counts[SCATTER_STATES_FINE], (u32)SCATTER_TRANSITIONS_FINE);
	KUNIT_EXPECT_EQ(test, counts[SCATTER_STATES_BREACH], (u32)SCATTER_TRANSITIONS_BREACHES);
	KUNIT_EXPECT_EQ(test, counts[SCATTER_STATES_NEVER], (u32)SCATTER_TRANSITIONS_NEVER);
}

static void wire_keeps_the_last_credit(struct kunit *test)
{
	static const u16 buffers[][2] = { { 4, 4 }, { 4, 1024 }, { 5, 7 }, { 64, 64 } };
	struct scatter_credits credits;
	u32 i, received = 0;

	scatter_credits_start(&credits, 4, 6);
	for (i = 0; scatter_credits_take(&credits); i++)
		KUNIT_EXPECT_GE(test, (u32)credits.have, 1U);
	KUNIT_EXPECT_EQ(test, i, 5U);
	KUNIT_EXPECT_FALSE(test, scatter_credits_take_last(&credits));
	for (i = 0; i < ARRAY_SIZE(buffers); i++) {
		KUNIT_EXPECT_TRUE_MSG(test, scatter_flow_converse(buffers[i][0], buffers[i][1],
								  STEPS, &received),
				      "%u and %u buffers", buffers[i][0], buffers[i][1]);
		KUNIT_EXPECT_GT(test, received, STEPS / 100U);
	}
}

static void wire_sequence_wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, scatter_sequence_next(0), 1U);
	KUNIT_EXPECT_EQ(test, scatter_sequence_next(SCATTER_FLOW_LAST), 1U);
	KUNIT_EXPECT_EQ(test, scatter_flow_order(), 0U);
	KUNIT_EXPECT_EQ(test, scatter_flow_acknowledge(), 0U);
	KUNIT_EXPECT_EQ(test, scatter_flow_receive(), 0U);
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE_PARAM(wire_parses_what_it_builds, wire_type_gen_params),
	KUNIT_CASE_PARAM(wire_refuses_wrong_fields, wire_type_gen_params),
	KUNIT_CASE_PARAM(wire_refuses_wrong_lengths, wire_type_gen_params),
	KUNIT_CASE(wire_is_little_endian),
	KUNIT_CASE(wire_states_follow_the_table),
	KUNIT_CASE(wire_keeps_the_last_credit),
	KUNIT_CASE(wire_sequence_wraps),
	{}
};

static struct kunit_suite wire_suite = {
	.name = "scatter_wire",
	.test_cases = wire_cases,
};

kunit_test_suite(wire_suite);
