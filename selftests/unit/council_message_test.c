// SPDX-License-Identifier: GPL-2.0
/*
 * COUNCIL, the message between the councils of a group's nodes: what its fields say together, its
 * parts, and which field is which. wire_test.c tries each field of the head and each length.
 */
#include <string.h>

#include "together.h"
#include "wire/wide_council.h"

#define COUNCIL	SCATTER_WIRE_COUNCIL
#define NOBODY	0xffffffff

static struct scatter_wide_council host;
static u64 raw[SCATTER_MESSAGES_ROOM / 8];

static void set_head(u32 type, u32 bytes)
{
	put(m, 2, 2, bytes);
	memset(m + 48, 0, 32);
	put(m, 72, 4, type);
}

static void set_key(u64 number, u32 turn, u32 kind)
{
	put(m, 56, 8, number);
	put(m, 64, 4, turn);
	put(m, 68, 4, kind);
}

/* A message of a key, without a decree or with one that ranks 2 and 65 have called. */
static void set_keyed(u32 type, u32 kind, u32 bytes)
{
	set_head(type, bytes);
	set_key(3, 1, kind);
	memset(m + 80, 0, 544);
	put(m, 80, 8, 7);
	put(m, 104, 4, NOBODY);
	m[80 + 32] = 1 << 2;
	m[80 + 32 + 8] = 1 << 1;
}

static void set_promise(u64 ballot, u32 motion, u32 bytes)
{
	set_head(8, bytes);
	put(m, 40, 8, 5);
	put(m, 48, 8, ballot);
	put(m, 76, 4, motion);
	memset(m + 464, 0, 544);
	put(m, 464 + 24, 4, NOBODY);
	if (ballot)
		set_key(3, 1, 1);
}

static void set_error(u32 error, u32 culprit)
{
	set_keyed(1, 0, 624);
	put(m, 100, 4, error);
	put(m, 104, 4, culprit);
}

/* So many ranks have called, the last ones. */
static void set_listed(u32 kind, u32 called, u32 choices)
{
	u32 rank;

	set_keyed(4, kind, 624 + 8 * choices);
	put(m, 96, 4, 4);
	put(m, 80, 8, 0);
	memset(m + 112, 0, 128);
	for (rank = 1024 - called; rank < 1024; rank++)
		m[112 + rank / 8] |= (u8)(1 << rank % 8);
	fill(m + 624, 8 * choices);
}

static void test_heads(void)
{
	u32 type;

	for (type = 1; type <= 9; type++) {
		bool decree = type == 1 || type == 2 || type == 4;
		bool key = decree || type == 3 || type == 5 || type == 6;
		u32 bytes = type == 7 ? 208 : type == 8 ? 464 : decree ? 624 : 80;

		TOGETHER(COUNCIL, key ? 0 : BAD, set_keyed(type, 1, bytes), "%u: key", type);
		TOGETHER(COUNCIL, key ? BAD : 0, (set_keyed(type, 0, bytes), set_key(0, 0, 0)),
			 "%u: no key", type);
		TOGETHER(COUNCIL, BAD, (set_keyed(type, 0, bytes), set_key(1, 0, 0)),
			 "%u: a number alone", type);
		TOGETHER(COUNCIL, BAD, (set_keyed(type, 0, bytes), set_key(0, 0, 1)),
			 "%u: a kind alone", type);
		TOGETHER(COUNCIL, key ? 0 : BAD, (set_keyed(type, 0, bytes), set_key(0, 1, 0)),
			 "%u: a turn alone", type);
		TOGETHER(COUNCIL, key || type != 8 ? BAD : 0,
			 (set_keyed(type, 0, bytes), set_key(0, key, 0), m[76] = 1),
			 "%u: a motion", type);
		TOGETHER(COUNCIL, BAD, (set_keyed(type, 0, bytes), set_key(0, 0, 0), m[48] = 1),
			 "%u: a ballot", type);
		TOGETHER(COUNCIL, BAD, set_keyed(type, 0, bytes + 8), "%u: more", type);
		TOGETHER(COUNCIL, BAD, (set_keyed(type, 0, bytes), set_key(0, key, 0),
					put(m, 2, 2, bytes - 8)), "%u: less", type);
	}
	TOGETHER(COUNCIL, BAD, (set_keyed(0, 0, 80), set_key(0, 0, 0)), "type 0");
	TOGETHER(COUNCIL, BAD, (set_keyed(10, 0, 80), set_key(0, 0, 0)), "type 10");
	TOGETHER(COUNCIL, BAD, memset(m + 24, 0, 16), "of no group");
	TOGETHER(COUNCIL, 0, put(m, 40, 8, END - 1), "the last view");
	TOGETHER(COUNCIL, BAD, put(m, 40, 8, END), "a view beyond");
	TOGETHER(COUNCIL, 0, (set_keyed(3, 0, 80), set_key(END - 1, NOBODY, 1)), "the last key");
	TOGETHER(COUNCIL, BAD, (set_keyed(3, 0, 80), set_key(END, 1, 1)), "a key beyond");
	TOGETHER(COUNCIL, BAD, (set_keyed(3, 0, 80), set_key(3, 1, 2)), "kind 2");
}

static void test_promises(void)
{
	TOGETHER(COUNCIL, 0, set_promise(0, 3, 464), "PROMISE: nothing");
	TOGETHER(COUNCIL, BAD, set_promise(0, 4, 464), "PROMISE: motion 4");
	TOGETHER(COUNCIL, BAD, set_promise(1, 3, 464), "PROMISE: no decree");
	TOGETHER(COUNCIL, BAD, set_promise(0, 3, 1008), "PROMISE: a decree of no ballot");
	TOGETHER(COUNCIL, BAD, (set_promise(0, 0, 464), set_key(3, 1, 0)), "PROMISE: a key alone");
	TOGETHER(COUNCIL, 0, set_promise(1, 0, 1008), "PROMISE: the first view");
	TOGETHER(COUNCIL, 0, set_promise(6, 0, 1008), "PROMISE: this view");
	TOGETHER(COUNCIL, BAD, set_promise(7, 0, 1008), "PROMISE: a view to come");
	TOGETHER(COUNCIL, 0, set_promise(ALL, 0, 1008), "PROMISE: the verdict");
	TOGETHER(COUNCIL, BAD, set_promise(ALL - 1, 0, 1008), "PROMISE: less than the verdict");
	TOGETHER(COUNCIL, BAD, set_promise(END + 1, 0, 1008), "PROMISE: a view beyond");
	TOGETHER(COUNCIL, BAD, (set_promise(1, 0, 1008), set_key(0, 0, 0)), "PROMISE: no key");
}

static void test_decrees(void)
{
	TOGETHER(COUNCIL, BAD, (set_keyed(1, 0, 624), memset(m + 112, 0, 128)), "terms of nobody");
	TOGETHER(COUNCIL, 0, (set_keyed(1, 0, 624), memset(m + 112, 0, 128), m[80] = 0),
		 "no terms of nobody");
	TOGETHER(COUNCIL, 0, (set_keyed(1, 0, 624), m[80] = 0), "no terms");
	TOGETHER(COUNCIL, 0, (set_keyed(1, 0, 624), m[96] = 3), "all flags but one");
	TOGETHER(COUNCIL, BAD, (set_keyed(1, 0, 624), m[96] = 8), "an unknown flag");
	TOGETHER(COUNCIL, BAD, (set_keyed(1, 0, 624), m[99] = 0x80), "another one");
	TOGETHER(COUNCIL, BAD, (set_keyed(1, 0, 624), m[108] = 1), "what is reserved");
	TOGETHER(COUNCIL, BAD, (set_keyed(1, 0, 624), m[111] = 1), "what is reserved, too");
	TOGETHER(COUNCIL, 0, set_error(4095, NOBODY), "the last error");
	TOGETHER(COUNCIL, BAD, set_error(4096, NOBODY), "an error beyond");
	TOGETHER(COUNCIL, 0, set_error(1, 1023), "the last culprit");
	TOGETHER(COUNCIL, BAD, set_error(1, 1024), "a culprit beyond");
	TOGETHER(COUNCIL, BAD, set_error(0, 0), "a culprit of nothing");
	TOGETHER(COUNCIL, 0, set_listed(1, 1, 1), "a choice");
	TOGETHER(COUNCIL, BAD, set_listed(0, 1, 1), "a choice in a meeting");
	TOGETHER(COUNCIL, BAD, set_listed(1, 2, 1), "a choice too few");
	TOGETHER(COUNCIL, BAD, set_listed(1, 1, 2), "a choice too many");
	TOGETHER(COUNCIL, 0, set_listed(1, 0, 0), "no choices");
	TOGETHER(COUNCIL, 0, set_listed(1, 896, 896), "the most choices");
	TOGETHER(COUNCIL, BAD, set_listed(1, 897, 897), "more choices");
}

static bool set_is(const struct scatter_set *set, u32 offset)
{
	u32 i;

	for (i = 0; i < 1024; i++)
		if (scatter_set_has(set, i) != (m[offset + i / 8] >> i % 8 & 1))
			return false;
	return true;
}

static void test_names(void)
{
	const struct scatter_council_message *message = &host.message;
	const struct scatter_decree *decree = &host.decree;

	make(COUNCIL);
	set_promise(4, 2, 1024);
	set_key(END / 3, 9, 1);
	fill(m + 80, 384);
	fill(m + 464, 16);
	fill(m + 464 + 160, 384);
	put(m, 464 + 16, 4, 5);
	put(m, 464 + 20, 4, 22);
	put(m, 464 + 24, 4, 33);
	m[464 + 32 + 1] = 1;
	m[464 + 32 + 100] = 1 << 7;
	fill(m + 1008, 16);
	ok(!scatter_wide_parse_council(m, 1024, &host) && id_is(host.id, 24), "names: id");
	ok(message->type == SCATTER_COUNCIL_PROMISE && message->motion == 2 &&
	   message->view == 5 && message->ballot == 4 && message->key.number == END / 3 &&
	   message->key.turn == 9 && message->key.kind == 1, "names: head");
	ok(message->fences == &host.fences && message->facts == &host.facts &&
	   message->decree == decree && decree->choices == host.choices, "names: parts");
	ok(set_is(&host.fences, 80) && set_is(&host.facts.dead, 208) &&
	   set_is(&host.facts.left, 336), "names: fences and facts");
	ok(decree->terms == get(m, 464, 8) && decree->bits == get(m, 472, 8) &&
	   decree->flags == 5 && decree->error == 22 && decree->culprit == 33, "names: decree");
	ok(set_is(&decree->called, 496) && set_is(&decree->known, 624) &&
	   set_is(&decree->facts.dead, 752) && set_is(&decree->facts.left, 880), "names: ranks");
	ok(host.choices[8].color == get(m, 1008, 4) && host.choices[8].key == get(m, 1012, 4) &&
	   host.choices[807].color == get(m, 1016, 4) &&
	   host.choices[807].key == get(m, 1020, 4), "names: choices");
	set_keyed(6, 0, 80);
	ok(!scatter_wide_parse_council(m, 80, &host) && !message->fences && !message->facts &&
	   !message->decree, "names: no parts");
	set_keyed(1, 0, 624);
	ok(!scatter_wide_parse_council(m, 624, &host) && message->decree && !decree->choices,
	   "names: no choices");
	put(m, 104, 4, 0x00ffffff);
	ok(scatter_wide_parse_council(m, 624, &host), "names: nobody");
}

static bool can_say(void)
{
	return scatter_wide_build_council_bytes(&host.message);
}

/* A council's messages that are not for the wire. */
static void test_builder(void)
{
	u32 rank;

	memset(&host, 0, sizeof(host));
	memset(raw, 0xa5, sizeof(raw));
	host.id[0] = 1;
	host.message.type = SCATTER_COUNCIL_PROMISE;
	host.message.fences = &host.fences;
	host.message.facts = &host.facts;
	host.message.key = (struct scatter_council_key){ .number = 1, .turn = 1, .kind = 1 };
	ok(scatter_wide_build_council_bytes(&host.message) == 464, "built: the key of no ballot");
	scatter_wide_build_council(raw, 1, host.id, &host.message);
	ok(!scatter_wide_parse_council(raw, 464, &host) && !host.message.key.turn,
	   "built: without that key");
	host.decree = (struct scatter_decree){
		.culprit = NOBODY, .flags = SCATTER_DECREE_LISTED,
	};
	host.message = (struct scatter_council_message){
		.type = SCATTER_COUNCIL_ACCEPT, .decree = &host.decree,
		.key = { .number = 1, .turn = 1, .kind = 1 },
	};
	ok(!can_say(), "built: choices that are not there");
	host.decree.choices = host.choices;
	for (rank = 0; rank < 896; rank++)
		scatter_set_add(&host.decree.called, rank);
	ok(can_say(), "built: the most choices");
	scatter_set_add(&host.decree.called, 1000);
	ok(!can_say(), "built: more choices");
	host.decree.flags = 0;
	ok(can_say(), "built: more ranks");
	memset(raw, 0xa5, sizeof(raw));
	scatter_wide_build_council(raw, 1, host.id, &host.message);
	ok(!scatter_wide_parse_council(raw, 624, &host) && raw[78] == 0xa5a5a5a5a5a5a5a5,
	   "built: no more than its bytes");
}

static bool fits(u32 nodes, u32 ranks)
{
	return scatter_wide_parse_council_fits(&host, nodes, ranks);
}

static bool fits_without(struct scatter_set *set, u32 number)
{
	bool fine;

	scatter_set_add(set, number - 1);
	fine = fits(3, 70);
	scatter_set_add(set, number);
	fine = fine && !fits(3, 70);
	memset(set, 0, sizeof(*set));
	return fine;
}

/* A group of 3 nodes and 70 ranks. */
static void test_fits(void)
{
	memset(&host, 0, sizeof(host));
	host.message.type = SCATTER_COUNCIL_PROMISE;
	scatter_set_add(&host.fences, 3);
	scatter_set_add(&host.facts.dead, 70);
	scatter_set_add(&host.decree.called, 70);
	ok(fits(3, 70), "fits: no parts");
	memset(&host.fences, 0, sizeof(host.fences));
	memset(&host.facts, 0, sizeof(host.facts));
	host.decree = (struct scatter_decree){ .culprit = NOBODY };
	host.message.fences = &host.fences;
	host.message.facts = &host.facts;
	host.message.decree = &host.decree;
	ok(fits_without(&host.fences, 3), "fits: fences");
	ok(fits_without(&host.facts.dead, 70), "fits: dead");
	ok(fits_without(&host.facts.left, 70), "fits: left");
	ok(fits_without(&host.decree.called, 70), "fits: called");
	ok(fits_without(&host.decree.facts.dead, 70), "fits: dead of the decree");
	ok(fits_without(&host.decree.facts.left, 70), "fits: left of the decree");
	scatter_set_add(&host.decree.called, 64);
	ok(!fits(3, 64) && fits(3, 65) && fits(1024, 1024), "fits: whole words");
	host.decree.error = 1;
	host.decree.culprit = 69;
	ok(fits(3, 70), "fits: the last culprit");
	host.decree.culprit = 70;
	ok(!fits(3, 70), "fits: a culprit beyond");
}

int main(void)
{
	test_heads();
	test_promises();
	test_decrees();
	test_names();
	test_builder();
	test_fits();
	return tap_done();
}
