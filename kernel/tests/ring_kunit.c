// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: ring arithmetic, wrap-around and records that are given back out of
 * order.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "../memory/memory.h"
#include "../memory/location.h"
#include "../memory/ring.h"
#include "../memory/user.h"
#include "../stats.h"

#define RING_BYTES	PAGE_SIZE

/* The user who pays for the slots */
static struct scatter_user *user;

static int ring_test_init(struct kunit *test)
{
	struct scatter_ring *ring = kunit_kzalloc(test, sizeof(*ring),
						  GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ring);
	user = scatter_user_find();
	KUNIT_ASSERT_NOT_NULL(test, user);
	KUNIT_ASSERT_EQ(test, scatter_ring_init(ring, RING_BYTES), 0);
	test->priv = ring;
	return 0;
}

static void ring_test_exit(struct kunit *test)
{
	scatter_ring_destroy(test->priv);
	scatter_user_put(user);
}

static void ring_fills_and_refuses(struct kunit *test)
{
	struct scatter_ring *ring = test->priv;
	struct scatter_location location;
	u32 n = 0;

	while (scatter_ring_reserve(ring, 8, 1, &location))
		n++;
	/* 8 bytes of head and 8 of payload make one aligned record. */
	KUNIT_EXPECT_EQ(test, n, (u32)RING_BYTES / SCATTER_RECORD_ALIGN);
	KUNIT_EXPECT_EQ(test, ring->head - ring->tail, (u64)RING_BYTES);
}

static void ring_whole_record_fits(struct kunit *test)
{
	struct scatter_ring *ring = test->priv;
	u32 most = RING_BYTES - sizeof(struct scatter_record);
	struct scatter_location location;

	KUNIT_EXPECT_FALSE(test, scatter_ring_reserve(ring, most + 1, 1, &location));
	KUNIT_EXPECT_TRUE(test, scatter_ring_reserve(ring, most, 1, &location));
	KUNIT_EXPECT_FALSE(test, scatter_ring_reserve(ring, 0, 1, &location));
	KUNIT_EXPECT_NULL(test, scatter_location_release(&location, 1));
	KUNIT_EXPECT_EQ(test, ring->head, ring->tail);
}

static void ring_space_waits_for_the_oldest(struct kunit *test)
{
	struct scatter_ring *ring = test->priv;
	struct scatter_location first, second, third;

	KUNIT_ASSERT_TRUE(test, scatter_ring_reserve(ring, 100, 1, &first));
	KUNIT_ASSERT_TRUE(test, scatter_ring_reserve(ring, 200, 2, &second));
	KUNIT_ASSERT_TRUE(test, scatter_ring_reserve(ring, 300, 1, &third));
	scatter_location_release(&third, 1);
	KUNIT_EXPECT_EQ(test, ring->tail, 0ULL);
	scatter_location_release(&first, 1);
	KUNIT_EXPECT_GT(test, ring->tail, 0ULL);
	KUNIT_EXPECT_LT(test, ring->tail, ring->head);
	scatter_location_release(&second, 1);
	KUNIT_EXPECT_LT(test, ring->tail, ring->head);
	scatter_location_release(&second, 1);
	KUNIT_EXPECT_EQ(test, ring->tail, ring->head);
}

static void ring_payload_survives_the_wrap(struct kunit *test)
{
	struct scatter_ring *ring = test->priv;
	struct scatter_location slot, wrapped, back;
	u32 bytes = RING_BYTES / 2 + 100;
	u8 *from, *to;
	u32 i, lap;

	KUNIT_ASSERT_TRUE(test, scatter_location_slot(user, bytes, 1, &slot));
	KUNIT_ASSERT_TRUE(test, scatter_location_slot(user, bytes, 1, &back));
	from = slot.record->data;
	to = back.record->data;
	for (i = 0; i < bytes; i++)
		from[i] = i * 7 + 1;
	for (lap = 0; lap < 64; lap++) {
		KUNIT_ASSERT_TRUE(test, scatter_ring_reserve(ring, bytes - lap,
							     1, &wrapped));
		memset(to, 0, bytes);
		scatter_location_copy(&wrapped, &slot, bytes - lap);
		scatter_location_copy(&back, &wrapped, bytes - lap);
		KUNIT_ASSERT_EQ(test, memcmp(to, from, bytes - lap), 0);
		scatter_location_release(&wrapped, 1);
	}
	scatter_location_free_slot(scatter_location_release(&slot, 1));
	scatter_location_free_slot(scatter_location_release(&back, 1));
}

static void ring_offsets_reach_each_block(struct kunit *test)
{
	struct scatter_ring *ring = test->priv;
	struct scatter_location record, source;
	u32 i;

	KUNIT_ASSERT_TRUE(test, scatter_location_slot(user, 16, 1, &source));
	/* Push the record against the end, so that its blocks straddle it. */
	KUNIT_ASSERT_TRUE(test, scatter_ring_reserve(ring, RING_BYTES - 64, 1,
						     &record));
	scatter_location_release(&record, 1);
	KUNIT_ASSERT_TRUE(test, scatter_ring_reserve(ring, 8 * 16, 8, &record));
	for (i = 0; i < 8; i++) {
		memset(source.record->data, 'a' + i, 16);
		record.offset = i * 16;
		scatter_location_copy(&record, &source, 16);
	}
	for (i = 0; i < 8; i++) {
		memset(source.record->data, 0, 16);
		record.offset = i * 16;
		scatter_location_copy(&source, &record, 16);
		KUNIT_EXPECT_NULL(test, memchr_inv(source.record->data,
						   'a' + i, 16));
		scatter_location_release(&record, 1);
	}
	KUNIT_EXPECT_EQ(test, ring->tail, ring->head);
	scatter_location_free_slot(scatter_location_release(&source, 1));
}

static void ring_keeps_its_memory_for_a_record(struct kunit *test)
{
	struct scatter_ring *ring = test->priv;
	struct scatter_location location;
	void *memory;

	KUNIT_EXPECT_TRUE(test, scatter_ring_reserve(ring, 8, 1, &location));
	KUNIT_EXPECT_NULL(test, scatter_ring_take(ring));
	KUNIT_EXPECT_NOT_NULL(test, ring->memory);
	KUNIT_EXPECT_NULL(test, scatter_location_release(&location, 1));
	memory = scatter_ring_take(ring);
	KUNIT_EXPECT_NOT_NULL(test, memory);
	scatter_ring_free(memory);
	/* Then nothing fits, and nothing is taken twice. */
	KUNIT_EXPECT_FALSE(test, scatter_ring_reserve(ring, 0, 1, &location));
	KUNIT_EXPECT_NULL(test, scatter_ring_take(ring));
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_fills_and_refuses),
	KUNIT_CASE(ring_whole_record_fits),
	KUNIT_CASE(ring_space_waits_for_the_oldest),
	KUNIT_CASE(ring_payload_survives_the_wrap),
	KUNIT_CASE(ring_offsets_reach_each_block),
	KUNIT_CASE(ring_keeps_its_memory_for_a_record),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "scatter_ring",
	.init = ring_test_init,
	.exit = ring_test_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
