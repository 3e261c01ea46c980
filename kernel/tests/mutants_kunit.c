// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: messages at random that are nearly right, as compiled into the kernel. User space
 * (selftests/unit/mutants_test.c) makes the same ones of the same seed.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "mutants.h"

static unsigned int mutants = 100000;
static unsigned long mutants_seed = 1;

/* In so many rounds: who waits for a case must not wait for too long. */
static const u32 rounds[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static void round_name(const u32 *round, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "seed %lu", mutants_seed + *round);
}

KUNIT_ARRAY_PARAM(mutants_round, rounds, round_name);

static void mutants_are_judged_alike(struct kunit *test)
{
	u32 messages = mutants / ARRAY_SIZE(rounds), round = *(const u32 *)test->param_value;
	struct mutants_peer *peer = kunit_kzalloc(test, sizeof(*peer), GFP_KERNEL);
	u8 *memory = kunit_kzalloc(test, SCATTER_MESSAGES_ROOM, GFP_KERNEL);
	u64 before;

	KUNIT_ASSERT_NOT_NULL(test, peer);
	KUNIT_ASSERT_NOT_NULL(test, memory);
	before = scatter_messages_seed(mutants_seed + round);
	/* KASAN lets nobody read behind this memory. */
	scatter_mutants_try(peer, messages, memory + SCATTER_MESSAGES_ROOM);
	scatter_messages_seed(before);
	KUNIT_EXPECT_GT(test, peer->counts.fine, 0U);
	KUNIT_EXPECT_GT(test, peer->counts.refused, 0U);
	KUNIT_EXPECT_EQ(test, peer->counts.wrong, 0U);
	KUNIT_EXPECT_GT(test, peer->breaches, 0U);
	KUNIT_EXPECT_EQ(test, peer->nevers, 0U);
	KUNIT_EXPECT_EQ(test, peer->strays, 0U);
	KUNIT_EXPECT_EQ(test, scatter_mutants_unseen(peer), 0U);
	KUNIT_EXPECT_GE(test, peer->seen[SCATTER_STATES_UP], messages / SCATTER_MUTANTS_UP_SHARE);
	kunit_info(test, "%u messages, %u refused", messages, peer->counts.refused);
}

static struct kunit_case mutants_cases[] = {
	KUNIT_CASE_PARAM(mutants_are_judged_alike, mutants_round_gen_params),
	{}
};

static struct kunit_suite mutants_suite = {
	.name = "scatter_mutants",
	.test_cases = mutants_cases,
};

kunit_test_suite(mutants_suite);

module_param(mutants, uint, 0400);
MODULE_PARM_DESC(mutants, "KUnit: how many messages with mistakes are tried");
module_param(mutants_seed, ulong, 0400);
MODULE_PARM_DESC(mutants_seed, "KUnit: the seed of these messages");
