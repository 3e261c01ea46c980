// SPDX-License-Identifier: GPL-2.0
/*
 * Sequence numbers against a count that never wraps, and credits of two nodes that send and
 * receive at random.
 */
#include "tap.h"
#include "tests/flow.h"
#include "wire/credits.h"
#include "wire/sequence.h"

#define LAST	SCATTER_FLOW_LAST
#define STEPS	200000

static void test_order(void)
{
	ok(scatter_sequence_next(0) == 1 && scatter_sequence_next(1) == 2 &&
	   scatter_sequence_next(LAST - 1) == LAST && scatter_sequence_next(LAST) == 1,
	   "sequence: no message has the number 0");
	ok(scatter_sequence_before(0, 1) && scatter_sequence_before(0, LAST) &&
	   !scatter_sequence_before(1, 0) && !scatter_sequence_before(LAST, 0) &&
	   !scatter_sequence_before(0, 0), "sequence: 0 is before all");
	ok(!scatter_flow_order(), "sequence: the order goes round");
}

static void test_acknowledge(void)
{
	struct scatter_sequence fresh = { 0 };

	ok(!scatter_flow_acknowledge(),
	   "sequence: what was sent is acknowledged, and nothing else");
	ok(!scatter_sequence_acknowledge(&fresh, LAST) && !fresh.acknowledged &&
	   !scatter_sequence_acknowledge(&fresh, 1), "sequence: nothing was sent");
}

static void test_receive(void)
{
	struct scatter_sequence fresh = { 0 };

	ok(scatter_sequence_receive(&fresh, 2) == SCATTER_SEQUENCE_GAP &&
	   scatter_sequence_receive(&fresh, LAST) == SCATTER_SEQUENCE_GAP && !fresh.received &&
	   scatter_sequence_receive(&fresh, 1) == SCATTER_SEQUENCE_NEXT && fresh.received == 1,
	   "sequence: the first message is 1");
	ok(!scatter_flow_receive(), "sequence: in order, once, and none is left out");
}

static void test_converse(void)
{
	const u16 buffers[][2] = { { 4, 4 }, { 4, 1024 }, { 5, 7 }, { 64, 64 }, { 1024, 1024 } };
	u32 i, received = 0;

	for (i = 0; i < sizeof(buffers) / sizeof(*buffers); i++)
		ok(scatter_flow_converse(buffers[i][0], buffers[i][1], STEPS, &received) &&
		   received > STEPS / 100, "credits: %u and %u buffers: at least %u messages",
		   buffers[i][0], buffers[i][1], received);
}

static void test_breaches(void)
{
	struct scatter_credits credits;
	u32 i;

	scatter_credits_start(&credits, 4, 6);
	ok(!scatter_credits_receive(&credits, 1), "credits: more than it has buffers");
	ok(credits.have == 6 && credits.granted == 4, "credits: that changes nothing");
	for (i = 0; i < 4; i++)
		scatter_credits_receive(&credits, 0);
	ok(!credits.granted && !scatter_credits_receive(&credits, 0),
	   "credits: a message more than there are buffers");
	for (i = 0; scatter_credits_take(&credits); i++)
		;
	ok(i == 5 && credits.have == 1, "credits: the last one is not for any message");
	ok(!scatter_credits_take_last(&credits), "credits: nor for a CREDIT that gives none");
	scatter_credits_post(&credits);
	ok(!scatter_credits_due(&credits), "credits: one is not worth a CREDIT");
	scatter_credits_post(&credits);
	ok(scatter_credits_due(&credits), "credits: half of the buffers is");
	ok(scatter_credits_take_last(&credits) && !credits.have, "credits: but for one that does");
	ok(scatter_credits_give(&credits) == 2 && credits.granted == 2 && !credits.owed &&
	   !scatter_credits_give(&credits), "credits: given once");
	scatter_credits_post(&credits);
	ok(!scatter_credits_take_last(&credits), "credits: without any there is no CREDIT");
	ok(!scatter_credits_receive(&credits, 7) && scatter_credits_receive(&credits, 6) &&
	   credits.have == 6, "credits: all at once");
}

int main(void)
{
	test_order();
	test_acknowledge();
	test_receive();
	test_converse();
	test_breaches();
	return tap_done();
}
