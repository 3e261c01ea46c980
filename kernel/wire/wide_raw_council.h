/* SPDX-License-Identifier: GPL-2.0 */
/*
 * COUNCIL as bytes: see wide_raw.h. Behind the head come the parts that the message has, in the
 * order of the structs here.
 */
#ifndef _SCATTER_WIDE_RAW_COUNCIL_H
#define _SCATTER_WIDE_RAW_COUNCIL_H

#include "wire/raw.h"
#include "wire/wide_council.h"

/**
 * struct scatter_raw_council - the head of COUNCIL, between two nodes of a group
 * @header: type 24, length 80 and the bytes of the parts, sequenced
 * @id: the group's id, not all 0
 * @view: the sender's view, less than 2^56
 * @ballot: PROMISE: 0: no decree; 1 to @view + 1: 1 + the view in which the decree was accepted;
 *	2^64 - 1: the decree is the verdict. 0 in other types
 * @number: number of the key, less than 2^56; 0 without a key
 * @turn: turn of the key, 1 and up; 0 without a key
 * @kind: kind of the key, 0 or 1; 0 without a key
 * @type: enum scatter_council_type
 * @motion: PROMISE: 0 to 3; 0 in other types
 *
 * ARRIVED, ACCEPT, ACCEPTED, DECIDED, KNOWN and FORGET have a key, and PROMISE has one if its
 * ballot is not 0. PREPARE and PROMISE have fences, PROMISE has facts besides. ARRIVED, ACCEPT and
 * DECIDED have a decree, and PROMISE has one if its ballot is not 0. A decree that is LISTED has
 * choices.
 */
struct scatter_raw_council {
	struct scatter_raw_header header;
	__le64 id[2];
	__le64 view;
	__le64 ballot;
	__le64 number;
	__le32 turn;
	__le32 kind;
	__le32 type;
	__le32 motion;
};

static_assert(sizeof(struct scatter_raw_council) == 80);
static_assert(offsetof(struct scatter_raw_council, id) == 24);
static_assert(offsetof(struct scatter_raw_council, view) == 40);
static_assert(offsetof(struct scatter_raw_council, ballot) == 48);
static_assert(offsetof(struct scatter_raw_council, number) == 56);
static_assert(offsetof(struct scatter_raw_council, turn) == 64);
static_assert(offsetof(struct scatter_raw_council, kind) == 68);
static_assert(offsetof(struct scatter_raw_council, type) == 72);
static_assert(offsetof(struct scatter_raw_council, motion) == 76);

/**
 * struct scatter_raw_set - a set of ranks or of nodes; alone: the fences
 * @words: number n is bit n % 64 of word n / 64
 */
struct scatter_raw_set {
	__le64 words[SCATTER_SET_WORDS];
};

static_assert(sizeof(struct scatter_raw_set) == 128);

/**
 * struct scatter_raw_facts - ranks that are gone
 * @dead: ranks that have died
 * @left: ranks that have left
 */
struct scatter_raw_facts {
	struct scatter_raw_set dead;
	struct scatter_raw_set left;
};

static_assert(sizeof(struct scatter_raw_facts) == 256);
static_assert(offsetof(struct scatter_raw_facts, left) == 128);

/**
 * struct scatter_raw_decree - a decree, or a node's contribution
 * @terms: digest of what the ranks have called; 0 if @called is empty
 * @bits: the AND of what the ranks bring
 * @flags: 1: HURRY; 2: ABANDONED; 4: LISTED, only of a key of kind 1; other bits are 0
 * @error: errno as a positive number, 0 to 4095
 * @culprit: rank, 0 to 1023, or 0xffffffff: nobody; the latter if @error is 0
 * @reserved: 0
 * @called: ranks that have called, at most 896 if LISTED
 * @known: gone ranks that all ranks in @called have acknowledged. Ranks that the group does not
 *	have may be among them
 * @facts: ranks that are gone
 */
struct scatter_raw_decree {
	__le64 terms;
	__le64 bits;
	__le32 flags;
	__le32 error;
	__le32 culprit;
	__le32 reserved;
	struct scatter_raw_set called;
	struct scatter_raw_set known;
	struct scatter_raw_facts facts;
};

static_assert(sizeof(struct scatter_raw_decree) == 544);
static_assert(offsetof(struct scatter_raw_decree, terms) == 0);
static_assert(offsetof(struct scatter_raw_decree, bits) == 8);
static_assert(offsetof(struct scatter_raw_decree, flags) == 16);
static_assert(offsetof(struct scatter_raw_decree, error) == 20);
static_assert(offsetof(struct scatter_raw_decree, culprit) == 24);
static_assert(offsetof(struct scatter_raw_decree, reserved) == 28);
static_assert(offsetof(struct scatter_raw_decree, called) == 32);
static_assert(offsetof(struct scatter_raw_decree, known) == 160);
static_assert(offsetof(struct scatter_raw_decree, facts) == 288);

/**
 * struct scatter_raw_choice - what a rank asks for; one for each rank that has called, by rank
 * @color: color of the new group
 * @key: orders the ranks of the new group
 */
struct scatter_raw_choice {
	__le32 color;
	__le32 key;
};

static_assert(sizeof(struct scatter_raw_choice) == 8);
static_assert(offsetof(struct scatter_raw_choice, key) == 4);

/* Most bytes of the parts: PROMISE with all of them. */
#define SCATTER_RAW_COUNCIL_PARTS						\
	(sizeof(struct scatter_raw_set) + sizeof(struct scatter_raw_facts) +	\
	 sizeof(struct scatter_raw_decree) +					\
	 SCATTER_WIDE_CHOICES_MAX * sizeof(struct scatter_raw_choice))

static_assert(sizeof(struct scatter_raw_council) + SCATTER_RAW_COUNCIL_PARTS <=
	      SCATTER_WIRE_BYTES_MAX);

#endif /* _SCATTER_WIDE_RAW_COUNCIL_H */
