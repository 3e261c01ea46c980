// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of scatter and gather between nodes: what their fields say together, and which field is
 * which. wire_test.c tries each field and length.
 */
#include <string.h>

#include "together.h"
#include "wire/wide_build.h"
#include "wire/wide_parse.h"

/* A stream, and a part of it as payload, of a scatter of 1024 blocks of 5 bytes. */
static void set_stream(u32 flags, u32 count, u32 total, u32 offset, u32 payload)
{
	put(m, 2, 2, 144 + payload);
	put(m, 48, 8, 5);
	put(m, 64, 4, 0);
	put(m, 68, 4, flags);
	put(m, 76, 4, 0);
	put(m, 80, 4, 1024);
	put(m, 128, 4, count);
	put(m, 132, 4, total);
	put(m, 136, 4, offset);
}

static void set_form(u32 op, u64 block, u32 flags)
{
	set_stream(flags, 2, 16, 0, 16);
	put(m, 48, 8, block);
	put(m, 64, 4, op);
}

/* Counts of two blocks, or not of all. */
static void set_counts(u32 op, u32 flags, u32 blocks)
{
	set_form(op, 0, flags);
	put(m, 80, 4, blocks);
}

static void set_ranks(u32 first, u32 blocks, u32 count)
{
	set_stream(0, count, 16, 0, 16);
	put(m, 76, 4, first);
	put(m, 80, 4, blocks);
}

static void set_dims(u32 dims, u32 extents)
{
	put(m, 92, 4, dims);
	memset(m + 96, 0, 32);
	memset(m + 96, 1, 4 * extents);
}

static void test_bundles(void)
{
	u32 op;

	for (op = 0; op < 2; op++) {
		TOGETHER(17, 0, set_form(op, 9, 0), "BUNDLE %u: blocks", op);
		TOGETHER(17, 0, set_form(op, 0, 0), "BUNDLE %u: empty blocks", op);
		TOGETHER(17, 0, set_form(op, END / 8 - 1, 1), "BUNDLE %u: the longest", op);
		TOGETHER(17, BAD, set_form(op, END / 8, 1), "BUNDLE %u: too long ones", op);
		TOGETHER(17, 0, set_form(op + 3, 0, 1), "BUNDLE %u: lengths", op + 3);
		TOGETHER(17, BAD, set_form(op + 3, 0, 0), "BUNDLE %u: no lengths", op + 3);
		TOGETHER(17, 0, set_form(op + 3, 0, 3), "BUNDLE %u: announced", op + 3);
		TOGETHER(17, BAD, set_form(op + 3, 9, 1), "BUNDLE %u: one length", op + 3);
	}
	TOGETHER(17, BAD, set_form(2, 0, 1), "BUNDLE: of a barrier");
	TOGETHER(17, BAD, set_form(5, 0, 1), "BUNDLE: of a DUP");
	for (op = 0; op < 2; op++) {
		TOGETHER(17, 0, set_counts(op + 3, 7, 2), "BUNDLE %u: counts", op + 3);
		TOGETHER(17, BAD, set_counts(op + 3, 7, 3), "BUNDLE %u: not all counts", op + 3);
		TOGETHER(17, BAD, set_counts(op + 3, 5, 2), "BUNDLE %u: counts and blocks", op + 3);
		TOGETHER(17, BAD, set_counts(op + 3, 6, 2), "BUNDLE %u: no counts", op + 3);
		TOGETHER(17, BAD, set_counts(op, 7, 2), "BUNDLE %u: counts", op);
	}
	TOGETHER(17, BAD, set_form(0, 9, 8), "BUNDLE: an unknown flag");
	TOGETHER(17, BAD, memset(m + 24, 0, 16), "BUNDLE: of no group");
	TOGETHER(17, 0, put(m, 40, 8, END - 1), "BUNDLE: the last operation");
	TOGETHER(17, BAD, put(m, 40, 8, END), "BUNDLE: an operation beyond");
	TOGETHER(17, BAD, put(m, 56, 8, 0), "BUNDLE: asked for nothing");
	TOGETHER(17, 0, put(m, 72, 4, 1023), "BUNDLE: the last root");
	TOGETHER(17, BAD, put(m, 72, 4, 1024), "BUNDLE: a root beyond");
	TOGETHER(17, 0, set_ranks(1023, 1, 1), "BUNDLE: the last rank");
	TOGETHER(17, BAD, set_ranks(1023, 2, 1), "BUNDLE: a rank beyond");
	TOGETHER(17, BAD, set_ranks(1024, 0, 0), "BUNDLE: no rank");
	TOGETHER(17, BAD, set_ranks(0, 1025, 1), "BUNDLE: a rank too many");
	TOGETHER(17, BAD, set_ranks(5, 0xfffffffe, 1), "BUNDLE: ranks that wrap");
	TOGETHER(17, BAD, set_ranks(0xfffffffe, 5, 1), "BUNDLE: ranks that wrap, too");
	TOGETHER(17, BAD, set_ranks(5, 2, 0), "BUNDLE: of no block");
	TOGETHER(17, 0, set_ranks(5, 2, 2), "BUNDLE: of all blocks");
	TOGETHER(17, BAD, set_ranks(5, 2, 3), "BUNDLE: of more than all blocks");
	TOGETHER(17, 0, put(m, 84, 4, 9), "BUNDLE: the last schedule");
	TOGETHER(17, BAD, put(m, 84, 4, 10), "BUNDLE: a schedule beyond");
	TOGETHER(17, BAD, put(m, 84, 4, 0), "BUNDLE: any schedule");
	TOGETHER(17, 0, set_dims(8, 8), "BUNDLE: eight dimensions");
	TOGETHER(17, BAD, set_dims(7, 8), "BUNDLE: an extent beyond seven");
	TOGETHER(17, BAD, set_dims(9, 8), "BUNDLE: nine dimensions");
	TOGETHER(17, 0, put(m, 140, 4, 9), "BUNDLE: the last tree");
	TOGETHER(17, BAD, put(m, 140, 4, 10), "BUNDLE: a tree beyond");
}

static void test_streams(void)
{
	const u32 most = 65536 + 8192;

	TOGETHER(17, 0, set_stream(0, 1, 5, 0, 5), "BUNDLE: all of a stream");
	TOGETHER(17, 0, set_stream(0, 1, 5, 4, 1), "BUNDLE: the end of a stream");
	TOGETHER(17, BAD, set_stream(0, 1, 5, 4, 2), "BUNDLE: beyond the end");
	TOGETHER(17, BAD, set_stream(0, 1, 5, 6, 1), "BUNDLE: behind the end");
	TOGETHER(17, BAD, set_stream(0, 1, 5, 0xffffffff, 6), "BUNDLE: payload that wraps");
	TOGETHER(17, BAD, set_stream(0, 1, 5, 5, 0), "BUNDLE: no payload");
	TOGETHER(17, 0, set_stream(0, 1, 0, 0, 0), "BUNDLE: an empty stream");
	TOGETHER(17, BAD, set_stream(0, 1, 0, 1, 0), "BUNDLE: behind an empty stream");
	TOGETHER(17, BAD, set_stream(0, 1, 0, 0, 1), "BUNDLE: more than an empty stream");
	TOGETHER(17, 0, set_stream(0, 1, most, most - 1, 1), "BUNDLE: the longest stream");
	TOGETHER(17, BAD, set_stream(0, 1, most + 1, 0, 1), "BUNDLE: a stream that is too long");
	TOGETHER(17, 0, set_stream(1, 1024, most, 0, 8048), "BUNDLE: most payload");
	TOGETHER(17, BAD, set_stream(1, 1024, most, 0, 8049), "BUNDLE: too much payload");
	TOGETHER(17, 0, set_stream(1, 2, 16, 0, 9), "BUNDLE: only lengths");
	TOGETHER(17, BAD, set_stream(1, 2, 15, 0, 9), "BUNDLE: not all lengths");
	TOGETHER(17, 0, set_stream(1, 2, 17, 16, 1), "BUNDLE: lengths and a byte");
	TOGETHER(17, BAD, set_stream(1, 2, 0, 0, 0), "BUNDLE: lengths in an empty stream");
	TOGETHER(17, 0, set_stream(2, 2, 0, 0, 0), "BUNDLE: announced");
	TOGETHER(17, BAD, set_stream(2, 2, 1, 0, 1), "BUNDLE: announced, and a byte");
	TOGETHER(17, 0, set_stream(3, 2, 16, 8, 8), "BUNDLE: announced with lengths");
	TOGETHER(17, BAD, set_stream(3, 2, 17, 8, 8), "BUNDLE: announced with more");
}

static void set_payload(u32 flags, u32 payload)
{
	put(m, 2, 2, 64 + payload);
	put(m, 60, 4, flags);
}

static void test_pulls(void)
{
	u8 type;

	for (type = 18; type < 21; type++) {
		const char *name = scatter_messages_types[type].name;

		TOGETHER(type, BAD, memset(m + 24, 0, 16), "%s: of no group", name);
		TOGETHER(type, 0, put(m, 40, 8, END - 1), "%s: the last operation", name);
		TOGETHER(type, BAD, put(m, 40, 8, END), "%s: an operation beyond", name);
		if (type == 20)
			break;
		TOGETHER(type, 0, put(m, 48, 8, END / 8 - 1), "%s: the last byte", name);
		TOGETHER(type, BAD, put(m, 48, 8, END / 8), "%s: a byte beyond", name);
		TOGETHER(type, 0, put(m, 56, 4, 1023), "%s: the last rank", name);
		TOGETHER(type, BAD, put(m, 56, 4, 1024), "%s: a rank beyond", name);
	}
	TOGETHER(18, BAD, put(m, 60, 4, 0), "PULL: nothing");
	TOGETHER(18, 0, put(m, 60, 4, 262144), "PULL: 256 KiB");
	TOGETHER(18, BAD, put(m, 60, 4, 262145), "PULL: more than 256 KiB");
	TOGETHER(19, 0, set_payload(0, 1), "DATA: a byte");
	TOGETHER(19, 0, set_payload(0, 8048), "DATA: most payload");
	TOGETHER(19, BAD, set_payload(0, 8049), "DATA: too much payload");
	TOGETHER(19, BAD, set_payload(0, 0), "DATA: nothing");
	TOGETHER(19, 0, set_payload(1, 0), "DATA: void");
	TOGETHER(19, BAD, set_payload(1, 1), "DATA: void, with a byte");
	TOGETHER(19, BAD, set_payload(2, 1), "DATA: an unknown flag");
	TOGETHER(19, BAD, set_payload(3, 0), "DATA: void, and an unknown flag");
}

static void set_range(u64 address, u64 bytes)
{
	put(m, 60, 4, bytes);
	put(m, 72, 8, address);
}

static void test_grants(void)
{
	TOGETHER(21, BAD, memset(m + 24, 0, 16), "GRANT: of no group");
	TOGETHER(21, 0, put(m, 40, 8, END - 1), "GRANT: the last operation");
	TOGETHER(21, BAD, put(m, 40, 8, END), "GRANT: an operation beyond");
	TOGETHER(21, 0, put(m, 48, 8, END / 8 - 1), "GRANT: the last byte");
	TOGETHER(21, BAD, put(m, 48, 8, END / 8), "GRANT: a byte beyond");
	TOGETHER(21, 0, put(m, 56, 4, 1023), "GRANT: the last rank");
	TOGETHER(21, BAD, put(m, 56, 4, 1024), "GRANT: a rank beyond");
	TOGETHER(21, BAD, put(m, 60, 4, 0), "GRANT: nothing");
	TOGETHER(21, 0, put(m, 60, 4, 262144), "GRANT: 256 KiB");
	TOGETHER(21, BAD, put(m, 60, 4, 262145), "GRANT: more than 256 KiB");
	TOGETHER(21, BAD, put(m, 64, 8, 0), "GRANT: no token");
	TOGETHER(21, 0, put(m, 64, 8, ALL), "GRANT: the last token");
	TOGETHER(21, 0, set_range(ALL, 1), "GRANT: the last address");
	TOGETHER(21, 0, set_range(ALL - 9, 10), "GRANT: up to the last address");
	TOGETHER(21, BAD, set_range(ALL - 9, 11), "GRANT: addresses that wrap");
	TOGETHER(21, BAD, put(m, 80, 4, 0), "GRANT: no key");
	TOGETHER(22, 0, put(m, 24, 8, ALL), "GOT: the last token");
	TOGETHER(22, BAD, put(m, 24, 8, 0), "GOT: no token");
}

static bool length_is(u64 value, bool fine)
{
	u64 length = 77;
	u8 bytes[9];

	put(bytes, 1, 8, value);
	return scatter_wide_parse_length(bytes + 1, &length) == fine &&
	       length == (fine ? value : 77);
}

static void test_lengths(void)
{
	ok(length_is(0, true) && length_is(0x0102030405060708 >> 8, true), "length: of a block");
	ok(length_is(END / 8 - 1, true), "length: of the longest block");
	ok(length_is(END / 8, false) && length_is(ALL - 1, false), "length: too long");
	ok(length_is(ALL, true) && SCATTER_WIDE_LENGTH_VOID == ALL, "length: void");
}

static void test_names_of_payload(void)
{
	struct scatter_wide_bundle bundle;
	struct scatter_wide_pull pull;
	struct scatter_wide_data data;
	struct scatter_wide_done done;
	u32 i, extents = 0;

	make(17);
	fill(m + 24, 16);
	put(m, 40, 8, END / 3);
	set_stream(1, 2, 99, 7, 5);
	fill(m + 56, 8);
	put(m, 64, 4, 1);
	put(m, 72, 4, 33);
	put(m, 76, 4, 44);
	put(m, 80, 4, 55);
	put(m, 84, 4, 6);
	fill(m + 88, 4);
	put(m, 92, 4, 8);
	fill(m + 96, 32);
	put(m, 140, 4, 7);
	ok(!scatter_wide_parse_bundle(m, 149, &bundle) && id_is(bundle.id, 24) &&
	   bundle.number == END / 3 && bundle.block == 5 && bundle.asked == get(m, 56, 8) &&
	   bundle.op == SCATTER_WIDE_GATHER && bundle.flags == SCATTER_WIDE_LISTED &&
	   bundle.root == 33 && bundle.first == 44 && bundle.blocks == 55 &&
	   bundle.algorithm == 6 && bundle.ports == get(m, 88, 4) && bundle.dims == 8 &&
	   bundle.count == 2 && bundle.total == 99 && bundle.offset == 7 && bundle.tree == 7 &&
	   bundle.payload == 5,
	   "names: BUNDLE");
	for (i = 0; i < 8; i++)
		extents += bundle.extent[i] == get(m, 96 + 4 * i, 4);
	ok(extents == 8, "names: extents of BUNDLE");
	set_form(4, 0, 3);
	ok(!scatter_wide_parse_bundle(m, 160, &bundle) && bundle.op == SCATTER_WIDE_GATHERV &&
	   bundle.flags == (SCATTER_WIDE_LISTED | SCATTER_WIDE_PLAIN), "names: BUNDLE of a v form");
	set_counts(3, 7, 2);
	ok(!scatter_wide_parse_bundle(m, 160, &bundle) &&
	   bundle.flags == (SCATTER_WIDE_LISTED | SCATTER_WIDE_PLAIN | SCATTER_WIDE_COUNTS),
	   "names: BUNDLE of counts");

	make(18);
	fill(m + 24, 16);
	put(m, 40, 8, END / 3);
	put(m, 48, 8, END / 9);
	put(m, 56, 4, 3);
	put(m, 60, 4, 4);
	ok(!scatter_wide_parse_pull(m, 64, &pull) && id_is(pull.id, 24) &&
	   pull.number == END / 3 && pull.offset == END / 9 && pull.rank == 3 && pull.bytes == 4,
	   "names: PULL");

	make(19);
	fill(m + 24, 16);
	put(m, 40, 8, END / 3);
	put(m, 48, 8, END / 9);
	put(m, 56, 4, 3);
	set_payload(0, 4);
	ok(!scatter_wide_parse_data(m, 68, &data) && id_is(data.id, 24) &&
	   data.number == END / 3 && data.offset == END / 9 && data.rank == 3 && !data.flags &&
	   data.payload == 4, "names: DATA");
	set_payload(1, 0);
	ok(!scatter_wide_parse_data(m, 64, &data) && data.flags == SCATTER_WIDE_VOID &&
	   !data.payload, "names: DATA that is void");

	make(20);
	fill(m + 24, 16);
	put(m, 40, 8, END / 3);
	ok(!scatter_wide_parse_done(m, 48, &done) && id_is(done.id, 24) && done.number == END / 3,
	   "names: DONE");
	ok(SCATTER_WIDE_PAYLOAD_MAX == 8048 && SCATTER_WIDE_STREAM_MAX == 73728,
	   "names: most payload, and the longest stream");
}

static void test_names_of_grants(void)
{
	struct scatter_wide_grant grant;
	struct scatter_wide_got got;
	struct scatter_raw_grant raw;

	make(21);
	fill(m + 24, 16);
	put(m, 40, 8, END / 3);
	put(m, 48, 8, END / 9);
	put(m, 56, 4, 3);
	put(m, 60, 4, 4);
	put(m, 64, 8, 5);
	put(m, 72, 8, ALL / 6);
	put(m, 80, 4, 7);
	ok(!scatter_wide_parse_grant(m, 88, &grant) && id_is(grant.id, 24) &&
	   grant.number == END / 3 && grant.offset == END / 9 && grant.rank == 3 &&
	   grant.bytes == 4 && grant.token == 5 && grant.address == ALL / 6 && grant.key == 7,
	   "names: GRANT");
	memcpy(&raw, m, sizeof(raw));
	scatter_wide_build_key(&raw, 8, 9);
	memcpy(m, &raw, sizeof(raw));
	ok(!scatter_wide_parse_grant(m, 88, &grant) && grant.address == 8 && grant.key == 9 &&
	   grant.token == 5 && grant.bytes == 4, "names: GRANT on a new line");

	make(22);
	put(m, 24, 8, END / 3);
	ok(!scatter_wide_parse_got(m, 32, &got) && got.token == END / 3, "names: GOT");
}

int main(void)
{
	test_bundles();
	test_streams();
	test_pulls();
	test_grants();
	test_lengths();
	test_names_of_payload();
	test_names_of_grants();
	return tap_done();
}
