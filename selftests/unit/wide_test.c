// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of groups on several nodes: what their fields say together, and which field is which;
 * and which node is the registrar of a name. payload_test.c has the messages of scatter and gather,
 * and wire_test.c tries each field and length.
 */
#include <stdio.h>
#include <string.h>

#include "tests/wide_messages.h"
#include "together.h"
#include "wire/rendezvous.h"
#include "wire/wide_build.h"
#include "wire/wide_parse.h"

/* What two fields say together ---------------------------------------------------- */

static void set_name(const char *name, u32 bytes)
{
	memset(m + 128, 0, 64);
	memcpy(m + 128, name, bytes);
}

/* Of a group of 10 without sides, unless they are given. */
static void set_sides(u32 first, u32 second, u32 side)
{
	put(m, 60, 4, 10);
	put(m, 64, 4, first);
	put(m, 68, 4, second);
	put(m, 72, 4, side);
	put(m, 76, 4, 0);
}

static void set_extents(u32 dims, u32 extents)
{
	put(m, 88, 4, dims);
	memset(m + 96, 0, 32);
	memset(m + 96, 1, 4 * extents);
}

static void test_join(void)
{
	static const char long_name[] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	u32 i, good = 0;

	TOGETHER(9, 0, set_sides(0, 0, 0), "JOIN: no sides");
	TOGETHER(9, BAD, set_sides(0, 0, 1), "JOIN: side 1 without sides");
	TOGETHER(9, 0, set_sides(4, 6, 1), "JOIN: two sides");
	TOGETHER(9, BAD, set_sides(4, 6, 2), "JOIN: a third side");
	TOGETHER(9, BAD, set_sides(4, 5, 0), "JOIN: sides that are too small");
	TOGETHER(9, BAD, set_sides(4, 7, 0), "JOIN: sides that are too large");
	TOGETHER(9, BAD, set_sides(11, 0xffffffff, 0), "JOIN: sides whose sum wraps");
	TOGETHER(9, BAD, set_sides(0xffffffff, 11, 0), "JOIN: sides whose sum wraps, too");
	TOGETHER(9, 0, (set_sides(4, 6, 0), put(m, 76, 4, 9)), "JOIN: the last rank");
	TOGETHER(9, BAD, (set_sides(4, 6, 0), put(m, 76, 4, 10)), "JOIN: a rank beyond");
	TOGETHER(9, 0, put(m, 76, 4, 0xffffffff), "JOIN: any rank");
	TOGETHER(9, BAD, put(m, 76, 4, 0xfffffffe), "JOIN: almost any rank");
	TOGETHER(9, BAD, (set_sides(0, 0, 0), put(m, 60, 4, 0), put(m, 76, 4, 0xffffffff)),
		 "JOIN: any rank of nobody");
	TOGETHER(9, 0, set_extents(0, 0), "JOIN: no dimension");
	TOGETHER(9, BAD, set_extents(0, 1), "JOIN: an extent without a dimension");
	TOGETHER(9, 0, set_extents(8, 0), "JOIN: extents of 0");
	TOGETHER(9, 0, set_extents(8, 8), "JOIN: eight dimensions");
	TOGETHER(9, BAD, set_extents(7, 8), "JOIN: an extent beyond seven");
	TOGETHER(9, BAD, set_extents(9, 8), "JOIN: nine dimensions");
	TOGETHER(9, 0, set_name("a b~", 4), "JOIN: a name");
	TOGETHER(9, BAD, set_name("", 0), "JOIN: no name");
	TOGETHER(9, 0, set_name(long_name, 63), "JOIN: a name of 63 bytes");
	TOGETHER(9, BAD, set_name(long_name, 64), "JOIN: a name of 64 bytes");
	TOGETHER(9, BAD, set_name("a\0b", 3), "JOIN: a byte after the name");
	TOGETHER(9, BAD, set_name("\0b", 2), "JOIN: a byte after no name");
	for (i = 1; i < 256; i++) {
		make(9);
		set_name("ab", 2);
		m[129] = (u8)i;
		good += judge_edit(9, i < ' ' || i > '~' || i == '/' ? BAD : 0);
	}
	ok(good == 255, "JOIN: each byte in a name");
}

static void set_answer(u32 answer)
{
	memset(m + 32, 0, 40);
	put(m, 48, 4, answer);
	if (!answer)
		put(m, 40, 8, 7);
}

static void test_seated(void)
{
	TOGETHER(10, 0, set_answer(0), "SEATED: a seat");
	TOGETHER(10, 0, put(m, 24, 8, ALL), "SEATED: any token");
	TOGETHER(10, BAD, (set_answer(0), put(m, 40, 8, 0)), "SEATED: in no group");
	TOGETHER(10, 0, (set_answer(0), put(m, 52, 4, 1023)), "SEATED: the last seat");
	TOGETHER(10, BAD, (set_answer(0), put(m, 52, 4, 1024)), "SEATED: beyond the last one");
	TOGETHER(10, 0, (set_answer(0), put(m, 64, 4, 0777)), "SEATED: all permissions");
	TOGETHER(10, BAD, (set_answer(0), put(m, 64, 4, 01000)), "SEATED: more than all");
	TOGETHER(10, 0, set_answer(11), "SEATED: refused");
	TOGETHER(10, BAD, set_answer(12), "SEATED: an unknown answer");
	TOGETHER(10, BAD, (set_answer(1), put(m, 32, 8, 1)), "SEATED: refused in a group");
	TOGETHER(10, BAD, (set_answer(2), put(m, 40, 8, 1)), "SEATED: denied in a group");
	TOGETHER(10, BAD, (set_answer(2), put(m, 52, 4, 1)), "SEATED: denied a rank");
	TOGETHER(10, BAD, (set_answer(2), put(m, 56, 4, 1)), "SEATED: denied by an owner");
	TOGETHER(10, 0, (set_answer(2), put(m, 60, 4, 1)), "SEATED: denied by a group ID");
	TOGETHER(10, BAD, (set_answer(1), put(m, 60, 4, 1)), "SEATED: refused by a group ID");
	TOGETHER(10, BAD, (set_answer(3), put(m, 60, 4, 1)), "SEATED: differs by a group ID");
	TOGETHER(10, BAD, (set_answer(2), put(m, 64, 4, 1)), "SEATED: denied by a mode");
	TOGETHER(11, 0, put(m, 32, 4, 0), "UNSEAT: a question");
	TOGETHER(11, 0, put(m, 32, 4, 1), "UNSEAT: an answer");
	TOGETHER(11, BAD, put(m, 32, 4, 0x100), "UNSEAT: neither");
}

static void test_formed(void)
{
	TOGETHER(12, 0, (put(m, 40, 4, 7), put(m, 44, 4, 7)), "FORMED: as many runs as members");
	TOGETHER(12, BAD, (put(m, 40, 4, 7), put(m, 44, 4, 8)), "FORMED: more runs than members");
	TOGETHER(12, BAD, memset(m + 24, 0, 16), "FORMED: no group");
	TOGETHER(12, 0, put(m, 24, 8, 0), "FORMED: an id with one half");
	TOGETHER(12, 0, (put(m, 24, 8, 9), put(m, 32, 8, 0)), "FORMED: an id with the other half");
}

/* As many runs as there are, the last one with another first rank, node, or so. */
static void set_runs(u32 count)
{
	scatter_wide_messages_runs(m, count);
	put(m, 2, 2, 48 + 32 * count);
}

#define RUN(i, offset)	(48 + 32 * (i) + (offset))

static void test_places(void)
{
	TOGETHER(13, 0, set_runs(1), "PLACES: one run");
	TOGETHER(13, 0, set_runs(128), "PLACES: 128 runs");
	TOGETHER(13, BAD, set_runs(129), "PLACES: 129 runs");
	TOGETHER(13, BAD, set_runs(0), "PLACES: no run");
	TOGETHER(13, BAD, (set_runs(3), put(m, 40, 4, 2)), "PLACES: a run that is not counted");
	TOGETHER(13, BAD, (set_runs(3), put(m, 40, 4, 4)), "PLACES: a run that is not there");
	TOGETHER(13, BAD, (set_runs(3), put(m, 2, 2, 48 + 96 - 8)), "PLACES: a part of a run");
	TOGETHER(13, BAD, (set_runs(3), memset(m + 24, 0, 16)), "PLACES: no group");
	TOGETHER(13, 0, (set_runs(3), memset(m + 24, 0, 15), m[39] = 1), "PLACES: half an id");
	TOGETHER(13, BAD, (set_runs(3), put(m, RUN(2, 0), 8, get(m, RUN(1, 0), 8))),
		 "PLACES: the same node twice");
	TOGETHER(13, 0, (set_runs(3), put(m, RUN(2, 0), 8, get(m, RUN(0, 0), 8))),
		 "PLACES: a node comes again");
	TOGETHER(13, BAD, (set_runs(3), put(m, RUN(2, 24), 4, get(m, RUN(2, 24), 4) + 1)),
		 "PLACES: ranks that are nowhere");
	TOGETHER(13, BAD, (set_runs(3), put(m, RUN(1, 24), 4, get(m, RUN(0, 24), 4))),
		 "PLACES: ranks that are on two nodes");
	TOGETHER(13, BAD, (set_runs(3), put(m, RUN(2, 0), 8, 0)), "PLACES: the last on no node");
	TOGETHER(13, BAD, (set_runs(3), put(m, RUN(2, 8), 8, 0)), "PLACES: no incarnation");
	TOGETHER(13, BAD, (set_runs(3), put(m, RUN(2, 16), 8, 0)), "PLACES: no token");
	TOGETHER(13, BAD, (set_runs(3), put(m, RUN(2, 28), 4, 0)), "PLACES: the last run is empty");
	TOGETHER(13, 0, (set_runs(1), put(m, RUN(0, 24), 4, 1000), put(m, RUN(0, 28), 4, 24)),
		 "PLACES: up to the last rank");
	TOGETHER(13, BAD, (set_runs(1), put(m, RUN(0, 24), 4, 1000), put(m, RUN(0, 28), 4, 25)),
		 "PLACES: beyond the last rank");
	TOGETHER(13, BAD, (set_runs(1), put(m, RUN(0, 24), 4, 5),
			   put(m, RUN(0, 28), 4, 0xfffffffe)), "PLACES: ranks that wrap");
	TOGETHER(13, BAD, (set_runs(1), put(m, RUN(0, 24), 4, 0xfffffffe),
			   put(m, RUN(0, 28), 4, 5)), "PLACES: ranks that wrap, too");
}

static void test_attach(void)
{
	TOGETHER(14, BAD, memset(m + 24, 0, 16), "ATTACH: to no group");
	TOGETHER(14, 0, (put(m, 48, 4, 1), put(m, 40, 8, ALL)), "ATTACH: asks with a token");
	TOGETHER(14, BAD, (put(m, 48, 4, 1), put(m, 40, 8, 0)), "ATTACH: asks without");
	TOGETHER(14, 0, (put(m, 48, 4, 2), put(m, 40, 8, 0)), "ATTACH: yes");
	TOGETHER(14, BAD, (put(m, 48, 4, 2), put(m, 40, 8, 1)), "ATTACH: yes, with a token");
	TOGETHER(14, 0, (put(m, 48, 4, 3), put(m, 40, 8, 0)), "ATTACH: never");
	TOGETHER(14, BAD, (put(m, 48, 4, 3), put(m, 40, 8, 1)), "ATTACH: never, with a token");
}

static void set_fact(u32 kind, u32 rank, u64 number, u64 node)
{
	put(m, 40, 4, kind);
	put(m, 44, 4, rank);
	put(m, 48, 8, number);
	put(m, 56, 8, node);
}

static void test_facts(void)
{
	static const u8 numbered[] = { 1, 2, 4, 5, 8 };
	u32 i, kind;
	u64 last;

	for (i = 0; i < sizeof(numbered); i++) {
		kind = numbered[i];
		TOGETHER(15, 0, set_fact(kind, 1023, 0, 0), "FACT %u: the last rank", kind);
		TOGETHER(15, BAD, set_fact(kind, 1024, 0, 0), "FACT %u: a rank beyond", kind);
		/* A call that has failed has a number that operations can have. */
		last = kind == 8 ? END - 1 : END;
		TOGETHER(15, 0, set_fact(kind, 0, last, 0), "FACT %u: the last number", kind);
		TOGETHER(15, BAD, set_fact(kind, 0, last + 1, 0), "FACT %u: a number beyond", kind);
		TOGETHER(15, BAD, set_fact(kind, 3, 5, 1), "FACT %u: of a node", kind);
	}
	TOGETHER(15, 0, set_fact(3, 1023, 0, 0), "FACT: revoked by a rank");
	TOGETHER(15, BAD, set_fact(3, 1024, 0, 0), "FACT: revoked by a rank beyond");
	TOGETHER(15, BAD, set_fact(3, 1, 1, 0), "FACT: revoked with a number");
	TOGETHER(15, BAD, set_fact(3, 1, 0, 1), "FACT: revoked by a node");
	TOGETHER(15, 0, set_fact(6, 0, 0, ALL), "FACT: a node is gone");
	TOGETHER(15, BAD, set_fact(6, 0, 0, 0), "FACT: no node is gone");
	TOGETHER(15, BAD, set_fact(6, 1, 0, 1), "FACT: a node is gone with a rank");
	TOGETHER(15, BAD, set_fact(6, 0, 1, 1), "FACT: a node is gone with a number");
	TOGETHER(15, 0, set_fact(7, 0, 0, 0), "FACT: ended");
	TOGETHER(15, BAD, set_fact(7, 1, 0, 0), "FACT: ended with a rank");
	TOGETHER(15, BAD, set_fact(7, 0, 1, 0), "FACT: ended with a number");
	TOGETHER(15, BAD, set_fact(7, 0, 0, 1), "FACT: ended with a node");
	TOGETHER(15, BAD, set_fact(0, 0, 0, 0), "FACT: none");
	TOGETHER(15, BAD, set_fact(9, 0, 0, 0), "FACT: an unknown one");
	TOGETHER(15, BAD, memset(m + 24, 0, 16), "FACT: of no group");
	TOGETHER(16, 0, put(m, 40, 8, END - 1), "EDGE: the last operation");
	TOGETHER(16, BAD, put(m, 40, 8, END), "EDGE: an operation beyond");
	TOGETHER(16, BAD, memset(m + 24, 0, 16), "EDGE: of no group");
	TOGETHER(16, BAD, put(m, 48, 4, 0), "EDGE: no way");
	TOGETHER(16, BAD, put(m, 48, 4, 3), "EDGE: a third way");
}

/* Which field is which -------------------------------------------------------------- */

static void test_names_of_joining(void)
{
	struct scatter_wide_seated seated;
	struct scatter_wide_unseat unseat;
	struct scatter_wide_join join;
	u32 i, extents = 0;

	make(9);
	set_sides(4, 6, 1);
	set_extents(8, 0);
	fill(m + 96, 32);
	fill(m + 24, 28);
	fill(m + 80, 8);
	ok(!scatter_wide_parse_join(m, 192, &join) && join.token == get(m, 24, 8) &&
	   join.cluster == get(m, 32, 8) && join.owner == get(m, 40, 4) &&
	   join.uid == get(m, 44, 4) && join.gid == get(m, 48, 4) &&
	   join.flags == get(m, 52, 4) && join.mode == get(m, 56, 4) && join.size == 10 &&
	   join.sides[0] == 4 && join.sides[1] == 6 && join.side == 1 && !join.rank &&
	   join.algorithm == get(m, 80, 4) && join.ports == get(m, 84, 4) && join.dims == 8 &&
	   !memcmp(join.name, m + 128, 64), "names: JOIN");
	for (i = 0; i < 8; i++)
		extents += join.extent[i] == get(m, 96 + 4 * i, 4);
	ok(extents == 8, "names: extents of JOIN");
	put(m, 52, 4, 1);
	put(m, 76, 4, 5);
	ok(!scatter_wide_parse_join(m, 192, &join) && join.flags == SCATTER_WIDE_EXCL &&
	   join.rank == 5, "names: a flag and a rank of JOIN");

	make(10);
	set_answer(0);
	fill(m + 24, 24);
	put(m, 52, 4, 5);
	fill(m + 56, 8);
	put(m, 64, 4, 0640);
	ok(!scatter_wide_parse_seated(m, 72, &seated) && seated.token == get(m, 24, 8) &&
	   id_is(seated.id, 32) && seated.answer == SCATTER_WIDE_FINE && seated.rank == 5 &&
	   seated.uid == get(m, 56, 4) && seated.gid == get(m, 60, 4) && seated.mode == 0640,
	   "names: SEATED");
	set_answer(6);
	ok(!scatter_wide_parse_seated(m, 72, &seated) && seated.answer == SCATTER_WIDE_NONE,
	   "names: an answer of SEATED");

	make(11);
	fill(m + 24, 8);
	put(m, 32, 4, 1);
	ok(!scatter_wide_parse_unseat(m, 40, &unseat) && unseat.token == get(m, 24, 8) &&
	   unseat.done, "names: UNSEAT");
	put(m, 32, 4, 0);
	ok(!scatter_wide_parse_unseat(m, 40, &unseat) && !unseat.done, "names: UNSEAT asks");
}

static void test_names_of_groups(void)
{
	static struct scatter_wide_places places;
	const struct scatter_wide_run *run = &places.runs[1];
	struct scatter_wide_formed formed;
	struct scatter_wide_attach attach;
	struct scatter_wide_fact fact;
	struct scatter_wide_edge edge;
	u32 i;

	make(12);
	fill(m + 24, 16);
	for (i = 0; i < 5; i++)
		put(m, 48 + 4 * i, 4, 0x10203 + i);
	ok(!scatter_wide_parse_formed(m, 72, &formed) && id_is(formed.id, 24) &&
	   formed.size == get(m, 40, 4) && formed.runs == get(m, 44, 4) &&
	   formed.eager_limit == get(m, 48, 4) && formed.gather_limit == get(m, 52, 4) &&
	   formed.startup_ns == get(m, 56, 4) && formed.gap_ns == get(m, 60, 4) &&
	   formed.window == get(m, 64, 4), "names: FORMED");

	make(13);
	fill(m + 24, 16);
	set_runs(2);
	memset(&places, 0x77, sizeof(places));
	ok(!scatter_wide_parse_places(m, 112, &places) && id_is(places.id, 24) &&
	   places.count == 2 && run->node == get(m, RUN(1, 0), 8) &&
	   run->incarnation == get(m, RUN(1, 8), 8) && run->token == get(m, RUN(1, 16), 8) &&
	   run->first == get(m, RUN(1, 24), 4) && run->count == get(m, RUN(1, 28), 4),
	   "names: PLACES");
	ok(places.runs[2].node == 0x7777777777777777, "names: PLACES has no other runs");
	ok(scatter_wide_places_bytes(1) == 80 && scatter_wide_places_bytes(128) == 4144,
	   "names: bytes of PLACES");

	make(14);
	fill(m + 24, 24);
	put(m, 48, 4, 1);
	ok(!scatter_wide_parse_attach(m, 56, &attach) && id_is(attach.id, 24) &&
	   attach.token == get(m, 40, 8) && attach.what == SCATTER_WIDE_ATTACH, "names: ATTACH");

	make(15);
	fill(m + 24, 16);
	set_fact(2, 5, 6, 0);
	ok(!scatter_wide_parse_fact(m, 64, &fact) && id_is(fact.id, 24) &&
	   fact.kind == SCATTER_WIDE_LEFT && fact.rank == 5 && fact.number == 6 && !fact.node,
	   "names: FACT");
	set_fact(8, 5, 6, 0);
	ok(!scatter_wide_parse_fact(m, 64, &fact) && fact.kind == SCATTER_WIDE_FAILED &&
	   fact.rank == 5 && fact.number == 6, "names: FACT of a call");
	set_fact(6, 0, 0, 7);
	ok(!scatter_wide_parse_fact(m, 64, &fact) && fact.kind == SCATTER_WIDE_GONE &&
	   fact.node == 7, "names: FACT of a node");

	make(16);
	fill(m + 24, 16);
	put(m, 40, 8, END / 3);
	put(m, 48, 4, 2);
	ok(!scatter_wide_parse_edge(m, 56, &edge) && id_is(edge.id, 24) &&
	   edge.number == END / 3 && edge.way == SCATTER_WIDE_DOWN, "names: EDGE");
}

/* Registrars ------------------------------------------------------------------------ */

#define IDS	10
#define NAMES	10000
#define SHARE	(NAMES / IDS)
#define SLACK	(NAMES * 15 / 1000)

static void name_of(u32 i, char *name)
{
	snprintf(name, SCATTER_WIDE_NAME_MAX, "job-%05u", i);
}

/* Of the node that is to keep the name. */
static u64 pick(const u64 *ids, u32 count, u32 owner, const char *name)
{
	u64 weight, best = 0, id = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		weight = scatter_rendezvous_weight(ids[i], owner, name);
		if (!i || weight > best || (weight == best && ids[i] < id)) {
			best = weight;
			id = ids[i];
		}
	}
	return id;
}

static bool is_share(u32 names)
{
	return names >= SHARE - SLACK && names <= SHARE + SLACK;
}

/* Whether each node gets about as many names as the others, of one owner, or one of many. */
static bool shares_are_even(const u64 *ids, bool owners)
{
	u32 i, k, even = 0, names[IDS] = { 0 };
	char name[SCATTER_WIDE_NAME_MAX] = "job";
	u64 id;

	for (i = 0; i < NAMES; i++) {
		if (!owners)
			name_of(i, name);
		id = pick(ids, IDS, owners ? i : 1000, name);
		for (k = 0; k < IDS; k++)
			names[k] += ids[k] == id;
	}
	for (k = 0; k < IDS; k++)
		even += is_share(names[k]);
	return even == IDS;
}

/* Names that change their node when ids[gone] goes, though they were another one's. */
static u32 moved_names(const u64 *ids, u32 gone)
{
	u64 before, left[IDS - 1];
	char name[SCATTER_WIDE_NAME_MAX];
	u32 i, moved = 0;

	for (i = 0; i < IDS - 1; i++)
		left[i] = ids[i + (i >= gone)];
	for (i = 0; i < NAMES; i++) {
		name_of(i, name);
		before = pick(ids, IDS, 0, name);
		moved += before != ids[gone] && pick(left, IDS - 1, 0, name) != before;
	}
	return moved;
}

static void test_shares(const u64 *ids, const char *what)
{
	u64 reversed[IDS];
	char name[SCATTER_WIDE_NAME_MAX];
	u32 i, moved = 0;

	ok(shares_are_even(ids, false), "registrars: each has a tenth of the names, %s", what);
	ok(shares_are_even(ids, true), "registrars: and of the owners of a name, %s", what);
	for (i = 0; i < IDS; i++)
		moved += moved_names(ids, i);
	ok(!moved, "registrars: the names of others stay where they are, %s", what);
	for (i = 0; i < IDS; i++)
		reversed[i] = ids[IDS - 1 - i];
	for (i = 0; i < NAMES; i++) {
		name_of(i, name);
		moved += pick(ids, IDS, 0, name) != pick(reversed, IDS, 0, name);
	}
	ok(!moved, "registrars: the order of ids does not matter, %s", what);
}

static void test_registrars(void)
{
	u64 random[IDS], small[IDS];
	u32 i;

	for (i = 0; i < IDS; i++) {
		fill((u8 *)&random[i], 8);
		small[i] = i + 1;
	}
	test_shares(random, "random ids");
	test_shares(small, "ids from 1");
	/* Computed by another program: nodes of all versions have to agree. */
	ok(scatter_rendezvous_weight(1, 0, "a") == 0x91e00cd7a0c0b99c &&
	   scatter_rendezvous_weight(2, 0, "a") == 0x13bc0ad31994fc0b &&
	   scatter_rendezvous_weight(1, 1000, "job") == 0xe2b84239d2652e42 &&
	   scatter_rendezvous_weight(0x0123456789abcdef, 0xfffffffe, "a name with spaces") ==
		0x270b36bfca329b9d, "registrars: weights");
}

int main(void)
{
	test_join();
	test_seated();
	test_formed();
	test_places();
	test_attach();
	test_facts();
	test_names_of_joining();
	test_names_of_groups();
	test_registrars();
	return tap_done();
}
