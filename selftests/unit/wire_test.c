// SPDX-License-Identifier: GPL-2.0
/*
 * Messages between nodes: every field at its limits, every length, and random mutations,
 * against a second description of the format.
 *
 *	wire_test [MUTATIONS]
 */
#include <stdlib.h>
#include <string.h>

#include "edge.h"
#include "tap.h"
#include "tests/messages.h"
#include "wire/digest.h"
#include "wire/parse.h"
#include "wire/sequence.h"
#include "wire/transcript.h"

#define MUTATIONS	100000

#define TYPES		SCATTER_MESSAGES_TYPES
#define FIELDS		SCATTER_MESSAGES_FIELDS
#define ROOM		SCATTER_MESSAGES_ROOM
#define BAD		SCATTER_MESSAGES_BAD
#define BAD_VERSION	SCATTER_MESSAGES_BAD_VERSION
#define SELF		SCATTER_MESSAGES_SELF
#define ALL		SCATTER_MESSAGES_ALL

#define any		scatter_messages_any
#define fill		scatter_messages_fill
#define make		scatter_messages_make

static u8 *edge;	/* the end of memory: behind it none is accessible */

/* A message, which ends where memory does. */
static void try_message(u8 type, const u8 *m, u32 bytes,
			const struct messages_hello *hello,
			struct messages_counts *counts)
{
	scatter_messages_try(type, m, bytes, hello, edge, counts);
}

/* Tests ------------------------------------------------------------------------- */

static void test_valid(void)
{
	u8 type;

	for (type = 1; type <= TYPES; type++) {
		struct messages_counts counts = { 0 };

		scatter_messages_try_valid(type, 200, edge, &counts);
		ok(counts.fine == 200 && !counts.wrong, "valid: %s",
		   scatter_messages_types[type].name);
	}
}

static void test_fields(void)
{
	u8 type;

	for (type = 1; type <= TYPES; type++) {
		struct messages_counts counts = { 0 };

		scatter_messages_try_fields(type, edge, &counts);
		ok(counts.fine && counts.refused && !counts.wrong,
		   "fields: %s: %u of %u values are refused", scatter_messages_types[type].name,
		   counts.refused, counts.fine + counts.refused);
	}
}

static void test_lengths(void)
{
	u8 type;

	for (type = 1; type <= TYPES; type++) {
		const struct messages_type *row = &scatter_messages_types[type];
		struct messages_counts counts = { 0 };

		scatter_messages_try_lengths(type, edge, &counts);
		ok((row->more ? counts.fine >= scatter_messages_lengths(type) :
				counts.fine == 2) && !counts.wrong, "lengths: %s", row->name);
	}
}

/* Of no type at all: nobody's. */
static void test_types(void)
{
	struct scatter_wire_header header;
	u32 type, bytes, bad = 0;
	u8 m[ROOM] = { 0 };

	for (type = 0; type < 256; type++)
		for (bytes = 0; bytes <= ROOM; bytes++) {
			m[0] = (u8)type;
			put(m, 2, 2, bytes);
			put(m, 4, 4, type >= 7);
			if (!scatter_parse_header(m, bytes, &header) !=
			    (type && type <= TYPES && scatter_messages_fits((u8)type, bytes)))
				bad++;
		}
	ok(!bad, "types: %u are mistaken", bad);
}

static u32 judge_edit(u8 type, u8 *m, const struct messages_hello *hello, u32 expected)
{
	u32 bytes = scatter_messages_types[type].bytes;
	struct messages_counts counts = { 0 };

	try_message(type, m, bytes, hello, &counts);
	return counts.wrong || scatter_messages_judge(type, m, bytes, hello->raw) != expected;
}

/* What two fields say together. */
static void test_together(void)
{
	struct messages_hello hello;
	struct scatter_wire_hello welcomed;
	u8 *first = hello.raw, m[ROOM];

#define TOGETHER(type, faults, edit, ...)					\
	do {									\
		scatter_messages_greet(&hello);					\
		make(type, m, first);						\
		edit;								\
		ok(!judge_edit(type, m, &hello, faults), __VA_ARGS__);	\
	} while (0)

	TOGETHER(1, 0, (put(m, 28, 2, 1), put(m, 30, 2, 9)), "HELLO: newer versions, too");
	TOGETHER(1, BAD_VERSION, (put(m, 28, 2, 2), put(m, 30, 2, 2)), "HELLO: newer ones only");
	TOGETHER(1, BAD, (put(m, 28, 2, 3), put(m, 30, 2, 2)), "HELLO: no versions");
	TOGETHER(1, SELF, memcpy(m + 48, m + 40, 8), "HELLO: to itself");
	TOGETHER(1, BAD, put(m, 64, 8, 0), "HELLO: received from nobody");
	TOGETHER(1, 0, (put(m, 64, 8, 0), put(m, 72, 4, 0)), "HELLO: nothing from nobody");
	TOGETHER(1, BAD, memset(m + 80, 0, 32), "HELLO: no nonce");
	TOGETHER(1, 0, memset(m + 80, 0, 31), "HELLO: a nonce of one byte");
	TOGETHER(1, BAD, (memset(m + 112, 0, 8), fill(m + 120, 8)), "HELLO: no first key");
	TOGETHER(1, BAD, memset(m + 112, 0, 16), "HELLO: no key");
	TOGETHER(1, 0, memset(m + 120, 0, 8), "HELLO: no second key");
	TOGETHER(1, BAD, memcpy(m + 120, m + 112, 8), "HELLO: one key twice");
	TOGETHER(2, BAD, memset(m + 72, 0, 32), "WELCOME: no nonce");
	TOGETHER(2, BAD, memcpy(m + 72, first + 80, 32), "WELCOME: the nonce comes back");
	TOGETHER(2, BAD, put(m, 32, 8, get(m, 40, 8)), "WELCOME: from the initiator");
	TOGETHER(2, BAD, put(m, 40, 8, get(m, 32, 8)), "WELCOME: to the responder");
	TOGETHER(2, BAD, put(m, 28, 4, ~get(first, 32, 4)), "WELCOME: features not offered");
	TOGETHER(2, 0, put(m, 28, 4, get(first, 32, 4)), "WELCOME: all that are");
	TOGETHER(2, 0, memset(m + 104, 0, 32), "WELCOME: any proof");
	TOGETHER(2, BAD, put(m, 56, 8, 0), "WELCOME: received from nobody");
	TOGETHER(2, 0, (put(m, 56, 8, 0), put(m, 64, 4, 0)), "WELCOME: nothing from nobody");
	TOGETHER(7, BAD, (put(m, 32, 8, ALL - 9), put(m, 40, 4, 1), put(m, 44, 4, 11)),
		 "PING: the buffer wraps");
	TOGETHER(7, 0, (put(m, 32, 8, ALL - 9), put(m, 40, 4, 1), put(m, 44, 4, 10)),
		 "PING: a buffer at the end");
	TOGETHER(7, BAD, (memset(m + 32, 0, 24), put(m, 32, 8, 1)), "PING: only an address");
	TOGETHER(7, BAD, (memset(m + 32, 0, 24), put(m, 40, 4, 1)), "PING: only a key");
	TOGETHER(7, BAD, (memset(m + 32, 0, 24), put(m, 48, 8, 1)), "PING: only a digest");
	TOGETHER(7, 0, memset(m + 32, 0, 24), "PING: no buffer");
	TOGETHER(8, 0, (memset(m + 32, 0, 16), put(m, 36, 4, 1)), "PONG: nothing was read");
	TOGETHER(8, BAD, (memset(m + 32, 0, 16), put(m, 40, 8, 1)), "PONG: a digest of nothing");
	TOGETHER(8, BAD, (memset(m + 32, 0, 16), put(m, 32, 4, 1)), "PONG: read with no key");

	/* One that the second description does not know: another version was offered. */
	scatter_messages_greet(&hello);
	make(2, m, first);
	welcomed = hello.host;
	welcomed.version_min = 2;
	welcomed.version_max = 3;
	put(m, 24, 2, 4);
	ok(scatter_parse_welcome(m, 136, &welcomed, &(struct scatter_wire_welcome){ 0 }),
	   "WELCOME: a version above those offered");
	put(m, 24, 2, 3);
	ok(!scatter_parse_welcome(m, 136, &welcomed, &(struct scatter_wire_welcome){ 0 }),
	   "WELCOME: the best of those offered");
	ok(scatter_wire_version(&welcomed) == 1 && scatter_wire_version(&hello.host) == 1,
	   "the version to speak is none that this code does not know");
}

/* Which field of a host struct is which: building alone would not notice two that swap. */
static void test_names(void)
{
	struct scatter_wire_header header;
	struct scatter_wire_welcome welcome;
	struct scatter_wire_refuse refuse;
	struct messages_hello given;
	const struct scatter_wire_hello *hello = &given.host;
	struct scatter_wire_ping ping;
	struct scatter_wire_pong pong;
	struct scatter_wire_bye bye;
	u8 *first = given.raw, m[ROOM];

	scatter_messages_greet(&given);
	ok(hello->version_min == get(first, 28, 2) && hello->version_max == get(first, 30, 2) &&
	   hello->features == get(first, 32, 4) && hello->buffers == get(first, 38, 2) &&
	   hello->from == get(first, 40, 8) && hello->to == get(first, 48, 8) &&
	   hello->incarnation == get(first, 56, 8) && hello->expected == get(first, 64, 8) &&
	   hello->received == get(first, 72, 4) && !memcmp(hello->nonce, first + 80, 32) &&
	   !memcmp(hello->key_tag, first + 112, 16), "names: HELLO");
	make(2, m, first);
	ok(!scatter_parse_welcome(m, 136, hello, &welcome) && welcome.version == get(m, 24, 2) &&
	   welcome.buffers == get(m, 26, 2) && welcome.features == get(m, 28, 4) &&
	   welcome.from == get(m, 32, 8) && welcome.to == get(m, 40, 8) &&
	   welcome.incarnation == get(m, 48, 8) && welcome.expected == get(m, 56, 8) &&
	   welcome.received == get(m, 64, 4) && welcome.key == get(m, 68, 4) &&
	   !memcmp(welcome.nonce, m + 72, 32) && !memcmp(welcome.proof, m + 104, 32),
	   "names: WELCOME");
	make(4, m, first);
	ok(!scatter_parse_refuse(m, 40, &refuse) && refuse.reason == get(m, 24, 2) &&
	   refuse.from == get(m, 32, 8), "names: REFUSE");
	make(6, m, first);
	ok(!scatter_parse_bye(m, 32, &bye) && bye.reason == get(m, 24, 2), "names: BYE");
	do
		make(7, m, first);
	while (!get(m, 44, 4));
	ok(!scatter_parse_ping(m, 56, &ping) && ping.token == get(m, 24, 8) &&
	   ping.address == get(m, 32, 8) && ping.key == get(m, 40, 4) &&
	   ping.bytes == get(m, 44, 4) && ping.digest == get(m, 48, 8), "names: PING");
	ok(!scatter_parse_header(m, 56, &header) && header.type == SCATTER_WIRE_PING &&
	   header.bytes == 56 && header.sequence == get(m, 4, 4) &&
	   header.acknowledged == get(m, 8, 4) && header.credits == get(m, 12, 2),
	   "names: header");
	do
		make(8, m, first);
	while (!get(m, 32, 4));
	ok(!scatter_parse_pong(m, 48, &pong) && pong.token == get(m, 24, 8) &&
	   pong.bytes == get(m, 32, 4) && pong.key == get(m, 36, 4) &&
	   pong.digest == get(m, 40, 8), "names: PONG");
}

static const struct messages_field *any_field(u8 type)
{
	const struct messages_field *field;

	do
		field = &scatter_messages_fields[any(FIELDS)];
	while (field->type && field->type != type);
	return field;
}

static void mutate(u8 type, u8 *m, u32 *bytes, const u8 *other)
{
	u32 room = *bytes + 24 < ROOM ? *bytes + 24 : ROOM, at = (u32)any(room), count;
	const struct messages_field *field = any_field(type);

	switch (any(7)) {
	case 0:
	case 1:
		m[any(room)] ^= (u8)(1 << any(8));
		break;
	case 2:
		put(m, field->offset, field->width, field->low + any(3) - 1);
		break;
	case 3:
		put(m, field->offset, field->width, field->high + any(3) - 1);
		break;
	case 4:
		*bytes = (u32)any(any(2) ? room + 1 : ROOM + 1);
		if (any(2))
			put(m, 2, 2, *bytes);
		break;
	case 5:
		count = (u32)any(room - at);
		memcpy(m + at, other + at, count);
		break;
	default:
		count = (u32)any(room - at < 9 ? room - at : 9);
		memset(m + at, any(2) ? 0xff : 0, count);
	}
}

static void test_mutations(u32 mutations)
{
	struct messages_hello hello;
	u8 m[ROOM] = { 0 }, other[ROOM] = { 0 }, type;
	struct messages_counts counts = { 0 };
	u32 i, n, bytes;

	for (i = 0; i < mutations; i++) {
		scatter_messages_greet(&hello);
		type = (u8)(1 + any(TYPES));
		make((u8)(1 + any(TYPES)), other, hello.raw);
		bytes = make(type, m, hello.raw);
		for (n = (u32)any(4); n; n--)
			mutate(type, m, &bytes, other);
		try_message(any(30) ? type : (u8)(1 + any(TYPES)), m, bytes, &hello,
			    &counts);
	}
	ok(counts.fine > mutations / 4 && counts.refused > mutations / 4 && !counts.wrong,
	   "mutations: %u of %u are refused, %u mistaken", counts.refused, mutations,
	   counts.wrong);
}

/* Whether what both know of each other fits. */
static void test_continuing(void)
{
	const struct scatter_wire_hello knows = { .incarnation = 1, .expected = 2 };
	const struct scatter_wire_hello forgot = { .incarnation = 1 };
	const struct scatter_wire_welcome known = { .incarnation = 2, .expected = 1 };
	const struct scatter_wire_welcome new = { .incarnation = 2 };

	ok(scatter_sequence_continues(&knows, &known), "numbers go on if both know each other");
	ok(!scatter_sequence_continues(&forgot, &known),
	   "numbers begin anew if the initiator does not know the responder");
	ok(!scatter_sequence_continues(&knows, &new),
	   "numbers begin anew if the responder does not know the initiator");
}

/* The bytes that are proven, one after the other. */
static void test_transcript(void)
{
	u8 responder[SCATTER_TRANSCRIPT_BYTES + 1], initiator[SCATTER_TRANSCRIPT_BYTES + 1];
	struct scatter_raw_welcome welcome;
	struct scatter_raw_hello hello;

	fill((u8 *)&hello, sizeof(hello));
	fill((u8 *)&welcome, sizeof(welcome));
	responder[SCATTER_TRANSCRIPT_BYTES] = 0x77;
	scatter_transcript_write(responder, SCATTER_TRANSCRIPT_RESPONDER, &hello,
				 &welcome);
	ok(!memcmp(responder, "scatter responder", 17), "transcript: the responder's label");
	ok(!memcmp(responder + 17, &hello, 128), "transcript: HELLO");
	ok(!memcmp(responder + 17 + 128, &welcome, 104), "transcript: WELCOME up to its proof");
	ok(sizeof(responder) == 250 && responder[249] == 0x77, "transcript: no byte more");
	memset((u8 *)&welcome + 104, 0, 32);
	scatter_transcript_write(initiator, SCATTER_TRANSCRIPT_INITIATOR, &hello,
				 &welcome);
	ok(!memcmp(initiator, "scatter initiator", 17), "transcript: the initiator's label");
	ok(!memcmp(initiator + 17, responder + 17, 232), "transcript: the rest is the same");
	ok(strlen(SCATTER_TRANSCRIPT_TAG) == 15, "transcript: the label of tags");
}

static void test_digest(void)
{
	const u64 ids[] = { 1, 0x0123456789abcdef, ALL };
	u8 bytes[24];

	ok(scatter_digest_bytes(SCATTER_DIGEST_EMPTY, "", 0) == 0xcbf29ce484222325 &&
	   scatter_digest_bytes(SCATTER_DIGEST_EMPTY, "a", 1) == 0xaf63dc4c8601ec8c &&
	   scatter_digest_bytes(SCATTER_DIGEST_EMPTY, "foobar", 6) == 0x85944171f73967e8,
	   "digest: what is published for FNV-1a");
	put(bytes, 0, 8, ids[0]);
	put(bytes, 8, 8, ids[1]);
	put(bytes, 16, 8, ids[2]);
	ok(scatter_digest_cluster(ids, 3) == scatter_digest_bytes(SCATTER_DIGEST_EMPTY, bytes, 24),
	   "digest: ids are little-endian");
	ok(scatter_digest_id(scatter_digest_cluster(ids, 2), ids[2]) ==
	   scatter_digest_cluster(ids, 3), "digest: of a cluster, id by id");
	ok(scatter_digest_cluster(ids, 0) == SCATTER_DIGEST_EMPTY, "digest: of nobody");
}

int main(int argc, char **argv)
{
	edge = edge_make(ROOM);
	if (!edge)
		return 1;
	test_valid();
	test_fields();
	test_lengths();
	test_types();
	test_together();
	test_names();
	test_mutations(argc > 1 ? (u32)atoi(argv[1]) : MUTATIONS);
	test_continuing();
	test_transcript();
	test_digest();
	return tap_done();
}
