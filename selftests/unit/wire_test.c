// SPDX-License-Identifier: GPL-2.0
/*
 * Messages between nodes: every field at its limits, every length, and random mutations,
 * against a second description of the format.
 *
 *	wire_test [MUTATIONS]
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"
#include "wire/build.h"
#include "wire/digest.h"
#include "wire/parse.h"
#include "wire/transcript.h"
#include "wire_format.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))
#define MUTATIONS	100000

/* Parsers ----------------------------------------------------------------------- */

union host {
	struct scatter_wire_hello hello;
	struct scatter_wire_welcome welcome;
	struct scatter_wire_proof proof;
	struct scatter_wire_refuse refuse;
	struct scatter_wire_bye bye;
	struct scatter_wire_ping ping;
	struct scatter_wire_pong pong;
};

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
};

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
	}
	scatter_build_stamp(&raw->header, header->acknowledged, header->credits);
}

static u8 *edge;	/* the end of memory: behind it none is accessible */

static bool find_edge(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (edge == MAP_FAILED)
		return false;
	edge += page;
	return !mprotect(edge, page, PROT_NONE);
}

/* What one message came to, counted. */
struct counts {
	u32 fine, refused, wrong;
};

/*
 * Parse a message, which ends where memory does. It must be refused as the
 * second description says, and leave the result alone then; or building it again must give the
 * same bytes.
 */
static void try_message(u8 type, const u8 *m, u32 bytes, const u8 *hello_raw,
			const struct scatter_wire_hello *hello, struct counts *counts)
{
	u32 faults = format_judge(type, m, bytes, hello_raw);
	struct scatter_wire_header header = { 0 };
	enum scatter_wire_reason reason;
	union host host, before;
	union raw raw;
	u8 *copy = edge - bytes;
	bool good;

	memcpy(copy, m, bytes);
	memset(&host, 0x5a, sizeof(host));
	before = host;
	reason = parse(type, copy, bytes, hello, &host);
	good = reason ? faults >> reason & 1 : !faults;
	if (reason) {
		good = good && !memcmp(&host, &before, sizeof(host));
	} else {
		good = good && !scatter_parse_header(copy, bytes, &header) &&
		       header.bytes == bytes;
		build(&header, &host, &raw);
		good = good && !memcmp(&raw, m, bytes);
	}
	counts->fine += !reason;
	counts->refused += !!reason;
	counts->wrong += !good;
}

/* A random HELLO that a WELCOME answers. */
static void make_hello(u8 *m, struct scatter_wire_hello *hello)
{
	u32 bytes = format_make(1, m, NULL);

	if (scatter_parse_hello(m, bytes, hello))
		memset(hello, 0, sizeof(*hello));
}

/* Tests ------------------------------------------------------------------------- */

static void test_valid(void)
{
	struct scatter_wire_hello hello;
	u8 type, m[ROOM], first[ROOM];
	u32 i, bytes;

	for (type = 1; type <= TYPES; type++) {
		struct counts counts = { 0 };

		for (i = 0; i < 200; i++) {
			make_hello(first, &hello);
			bytes = format_make(type, m, first);
			try_message(type, m, bytes, first, &hello, &counts);
		}
		ok(counts.fine == 200 && !counts.wrong, "valid: %s", format_types[type].name);
	}
}

/* Each field at its limits, just beyond, and at the ends of what it can hold. */
static void test_field(u8 type, const struct format_field *field, struct counts *counts)
{
	u64 most = field->width == 8 ? ALL : ((u64)1 << 8 * field->width) - 1;
	u64 values[] = { 0, 1, field->low - 1, field->low, field->low + 1, field->high - 1,
			 field->high, field->high + 1, most, most - 1, most / 2 + 1, any(most),
			 most - 65534, most - 65535 };
	struct scatter_wire_hello hello;
	u8 m[ROOM], first[ROOM];
	u32 i, round, bytes;

	for (round = 0; round < 4; round++)
		for (i = 0; i < ARRAY_SIZE(values); i++) {
			make_hello(first, &hello);
			bytes = format_make(type, m, first);
			put(m, field->offset, field->width, values[i]);
			try_message(type, m, bytes, first, &hello, counts);
		}
}

static void test_fields(void)
{
	u8 type;
	u32 i;

	for (type = 1; type <= TYPES; type++) {
		struct counts counts = { 0 };

		for (i = 0; i < FIELDS; i++)
			if (!format_fields[i].type || format_fields[i].type == type)
				test_field(type, &format_fields[i], &counts);
		ok(counts.fine && counts.refused && !counts.wrong,
		   "fields: %s: %u of %u values are refused", format_types[type].name,
		   counts.refused, counts.fine + counts.refused);
	}
}

/* Every length, as it is or in the header, too. */
static void test_lengths(void)
{
	struct scatter_wire_hello hello;
	u8 type, m[ROOM], first[ROOM];
	u32 bytes;

	for (type = 1; type <= TYPES; type++) {
		struct counts counts = { 0 };

		for (bytes = 0; bytes <= ROOM; bytes++) {
			make_hello(first, &hello);
			format_make(type, m, first);
			try_message(type, m, bytes, first, &hello, &counts);
			put(m, 2, 2, bytes);
			try_message(type, m, bytes, first, &hello, &counts);
		}
		ok(counts.fine == 2 && !counts.wrong, "lengths: %s", format_types[type].name);
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
			    (type && type <= TYPES && bytes == format_types[type].bytes))
				bad++;
		}
	ok(!bad, "types: %u are mistaken", bad);
}

static u32 judge_edit(u8 type, u8 *m, const u8 *first, const struct scatter_wire_hello *hello,
		      u32 expected)
{
	struct counts counts = { 0 };

	try_message(type, m, format_types[type].bytes, first, hello, &counts);
	return counts.wrong || format_judge(type, m, format_types[type].bytes, first) != expected;
}

/* What two fields say together. */
static void test_together(void)
{
	struct scatter_wire_hello hello, welcomed;
	u8 m[ROOM], first[ROOM];

#define TOGETHER(type, faults, edit, ...)					\
	do {									\
		make_hello(first, &hello);					\
		format_make(type, m, first);						\
		edit;								\
		ok(!judge_edit(type, m, first, &hello, faults), __VA_ARGS__);	\
	} while (0)

	TOGETHER(1, 0, (put(m, 28, 2, 1), put(m, 30, 2, 9)), "HELLO: newer versions, too");
	TOGETHER(1, BAD_VERSION, (put(m, 28, 2, 2), put(m, 30, 2, 2)), "HELLO: newer ones only");
	TOGETHER(1, BAD, (put(m, 28, 2, 3), put(m, 30, 2, 2)), "HELLO: no versions");
	TOGETHER(1, SELF, memcpy(m + 48, m + 40, 8), "HELLO: to itself");
	TOGETHER(1, BAD, put(m, 64, 8, 0), "HELLO: received from nobody");
	TOGETHER(1, 0, (put(m, 64, 8, 0), put(m, 72, 4, 0)), "HELLO: nothing from nobody");
	TOGETHER(1, BAD, memset(m + 80, 0, 32), "HELLO: no nonce");
	TOGETHER(1, 0, memset(m + 80, 0, 31), "HELLO: a nonce of one byte");
	TOGETHER(1, BAD, memset(m + 112, 0, 8), "HELLO: no first key");
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
	make_hello(first, &hello);
	format_make(2, m, first);
	welcomed = hello;
	welcomed.version_min = 2;
	welcomed.version_max = 3;
	put(m, 24, 2, 4);
	ok(scatter_parse_welcome(m, 136, &welcomed, &(struct scatter_wire_welcome){ 0 }),
	   "WELCOME: a version above those offered");
	put(m, 24, 2, 3);
	ok(!scatter_parse_welcome(m, 136, &welcomed, &(struct scatter_wire_welcome){ 0 }),
	   "WELCOME: the best of those offered");
	ok(scatter_wire_version(&welcomed) == 1 && scatter_wire_version(&hello) == 1,
	   "the version to speak is none that this code does not know");
}

/* Which field of a host struct is which: building alone would not notice two that swap. */
static void test_names(void)
{
	struct scatter_wire_header header;
	struct scatter_wire_welcome welcome;
	struct scatter_wire_refuse refuse;
	struct scatter_wire_hello hello;
	struct scatter_wire_ping ping;
	struct scatter_wire_pong pong;
	struct scatter_wire_bye bye;
	u8 m[ROOM], first[ROOM];

	make_hello(first, &hello);
	ok(hello.version_min == get(first, 28, 2) && hello.version_max == get(first, 30, 2) &&
	   hello.features == get(first, 32, 4) && hello.buffers == get(first, 38, 2) &&
	   hello.from == get(first, 40, 8) && hello.to == get(first, 48, 8) &&
	   hello.incarnation == get(first, 56, 8) && hello.expected == get(first, 64, 8) &&
	   hello.received == get(first, 72, 4) && !memcmp(hello.nonce, first + 80, 32) &&
	   !memcmp(hello.key_tag, first + 112, 16), "names: HELLO");
	format_make(2, m, first);
	ok(!scatter_parse_welcome(m, 136, &hello, &welcome) && welcome.version == get(m, 24, 2) &&
	   welcome.buffers == get(m, 26, 2) && welcome.features == get(m, 28, 4) &&
	   welcome.from == get(m, 32, 8) && welcome.to == get(m, 40, 8) &&
	   welcome.incarnation == get(m, 48, 8) && welcome.expected == get(m, 56, 8) &&
	   welcome.received == get(m, 64, 4) && welcome.key == get(m, 68, 4) &&
	   !memcmp(welcome.nonce, m + 72, 32) && !memcmp(welcome.proof, m + 104, 32),
	   "names: WELCOME");
	ok(scatter_wire_continues(&(struct scatter_wire_hello){ .incarnation = 1, .expected = 2 },
				  &(struct scatter_wire_welcome){ .incarnation = 2,
								  .expected = 1 }),
	   "numbers go on if both know each other");
	ok(!scatter_wire_continues(&(struct scatter_wire_hello){ .incarnation = 1 },
				   &(struct scatter_wire_welcome){ .incarnation = 2,
								   .expected = 1 }),
	   "numbers begin anew if the initiator does not know the responder");
	ok(!scatter_wire_continues(&(struct scatter_wire_hello){ .incarnation = 1, .expected = 2 },
				   &(struct scatter_wire_welcome){ .incarnation = 2 }),
	   "numbers begin anew if the responder does not know the initiator");
	format_make(4, m, first);
	ok(!scatter_parse_refuse(m, 40, &refuse) && refuse.reason == get(m, 24, 2) &&
	   refuse.from == get(m, 32, 8), "names: REFUSE");
	format_make(6, m, first);
	ok(!scatter_parse_bye(m, 32, &bye) && bye.reason == get(m, 24, 2), "names: BYE");
	do
		format_make(7, m, first);
	while (!get(m, 44, 4));
	ok(!scatter_parse_ping(m, 56, &ping) && ping.token == get(m, 24, 8) &&
	   ping.address == get(m, 32, 8) && ping.key == get(m, 40, 4) &&
	   ping.bytes == get(m, 44, 4) && ping.digest == get(m, 48, 8), "names: PING");
	ok(!scatter_parse_header(m, 56, &header) && header.type == SCATTER_WIRE_PING &&
	   header.bytes == 56 && header.sequence == get(m, 4, 4) &&
	   header.acknowledged == get(m, 8, 4) && header.credits == get(m, 12, 2),
	   "names: header");
	do
		format_make(8, m, first);
	while (!get(m, 32, 4));
	ok(!scatter_parse_pong(m, 48, &pong) && pong.token == get(m, 24, 8) &&
	   pong.bytes == get(m, 32, 4) && pong.key == get(m, 36, 4) &&
	   pong.digest == get(m, 40, 8), "names: PONG");
}

static void mutate(u8 *m, u32 *bytes, const u8 *other)
{
	const struct format_field *field = &format_fields[any(FIELDS)];
	u32 at = (u32)any(ROOM), count;

	switch (any(7)) {
	case 0:
	case 1:
		m[any(*bytes + 1) % ROOM] ^= (u8)(1 << any(8));
		break;
	case 2:
		put(m, field->offset, field->width, field->low + any(3) - 1);
		break;
	case 3:
		put(m, field->offset, field->width, field->high + any(3) - 1);
		break;
	case 4:
		*bytes = (u32)any(ROOM + 1);
		if (any(2))
			put(m, 2, 2, *bytes);
		break;
	case 5:
		count = (u32)any(ROOM - at);
		memcpy(m + at, other + at, count);
		break;
	default:
		count = (u32)any(ROOM - at < 9 ? ROOM - at : 9);
		memset(m + at, any(2) ? 0xff : 0, count);
	}
}

static void test_mutations(u32 mutations)
{
	u8 m[ROOM], other[ROOM], first[ROOM], type;
	struct scatter_wire_hello hello;
	struct counts counts = { 0 };
	u32 i, n, bytes;

	for (i = 0; i < mutations; i++) {
		make_hello(first, &hello);
		type = (u8)(1 + any(TYPES));
		format_make((u8)(1 + any(TYPES)), other, first);
		bytes = format_make(type, m, first);
		for (n = (u32)any(4); n; n--)
			mutate(m, &bytes, other);
		try_message(any(30) ? type : (u8)(1 + any(TYPES)), m, bytes, first, &hello,
			    &counts);
	}
	ok(counts.fine > mutations / 4 && counts.refused > mutations / 4 && !counts.wrong,
	   "mutations: %u of %u are refused, %u mistaken", counts.refused, mutations,
	   counts.wrong);
}

/* The bytes that are proven, one after the other. */
static void test_transcript(void)
{
	u8 responder[SCATTER_TRANSCRIPT_BYTES + 1], initiator[SCATTER_TRANSCRIPT_BYTES + 1];
	union raw hello, welcome;

	fill((u8 *)&hello, sizeof(hello));
	fill((u8 *)&welcome, sizeof(welcome));
	responder[SCATTER_TRANSCRIPT_BYTES] = 0x77;
	scatter_transcript_write(responder, SCATTER_TRANSCRIPT_RESPONDER, &hello.hello,
				 &welcome.welcome);
	ok(!memcmp(responder, "scatter responder", 17), "transcript: the responder's label");
	ok(!memcmp(responder + 17, &hello, 128), "transcript: HELLO");
	ok(!memcmp(responder + 17 + 128, &welcome, 104), "transcript: WELCOME up to its proof");
	ok(sizeof(responder) == 250 && responder[249] == 0x77, "transcript: no byte more");
	memset((u8 *)&welcome + 104, 0, 32);
	scatter_transcript_write(initiator, SCATTER_TRANSCRIPT_INITIATOR, &hello.hello,
				 &welcome.welcome);
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
	if (!find_edge())
		return 1;
	test_valid();
	test_fields();
	test_lengths();
	test_types();
	test_together();
	test_names();
	test_mutations(argc > 1 ? (u32)atoi(argv[1]) : MUTATIONS);
	test_transcript();
	test_digest();
	return tap_done();
}
