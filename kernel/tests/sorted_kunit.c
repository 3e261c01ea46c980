// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: visitors of sorted entries, while entries come and go.
 */
#include <kunit/test.h>
#include <linux/rbtree.h>

#include "../group/sorted.h"

#define OWNERS	3
#define NR	300
#define ROUNDS	100

struct sorted_world {
	struct rb_root root;
	u64 last_serial;
	char owners[OWNERS];
	bool visited[NR];
	struct scatter_sorted entries[NR];
	u32 random_state;
};

static u32 random_below(struct sorted_world *world, u32 n)
{
	world->random_state = world->random_state * 1664525 + 1013904223;
	return (world->random_state >> 8) % n;
}

static void add(struct sorted_world *world, u32 i)
{
	scatter_sorted_add(&world->root, &world->entries[i],
			   &world->owners[random_below(world, OWNERS)], ++world->last_serial);
}

/* Let half of the entries come anew, in some order. */
static void churn(struct sorted_world *world)
{
	u32 i, n;

	for (n = 0; n < NR / 2; n++) {
		i = random_below(world, NR);
		rb_erase(&world->entries[i].rb, &world->root);
		add(world, i);
	}
}

/* Visit the entries of an owner. After each step another entry goes, and comes again. */
static void visit(struct kunit *test, struct sorted_world *world, const char *owner)
{
	const u64 first = world->last_serial;
	struct scatter_sorted *entry;
	u64 cursor = 0;
	u32 i;

	memset(world->visited, 0, sizeof(world->visited));
	while ((entry = scatter_sorted_next(&world->root, owner, &cursor))) {
		KUNIT_ASSERT_PTR_EQ(test, entry->owner, (const void *)owner);
		KUNIT_ASSERT_LE(test, entry->serial, first);
		KUNIT_ASSERT_FALSE(test, world->visited[entry - world->entries]);
		world->visited[entry - world->entries] = true;
		i = random_below(world, NR);
		rb_erase(&world->entries[i].rb, &world->root);
		add(world, i);
		world->visited[i] = false;
	}
	/* Whoever was there all the time has been visited. */
	for (i = 0; i < NR; i++)
		if (world->entries[i].owner == owner && world->entries[i].serial <= first)
			KUNIT_ASSERT_TRUE(test, world->visited[i]);
}

static void sorted_are_visited_once(struct kunit *test)
{
	struct sorted_world *world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	u64 cursor = 0;
	u32 i, round;

	KUNIT_ASSERT_NOT_NULL(test, world);
	world->random_state = 5;
	KUNIT_EXPECT_NULL(test, scatter_sorted_next(&world->root, &world->owners[0], &cursor));
	for (i = 0; i < NR; i++)
		add(world, i);
	for (round = 0; round < ROUNDS; round++) {
		churn(world);
		visit(test, world, &world->owners[round % OWNERS]);
	}
}

static struct kunit_case sorted_cases[] = {
	KUNIT_CASE(sorted_are_visited_once),
	{}
};

static struct kunit_suite sorted_suite = {
	.name = "scatter_sorted",
	.test_cases = sorted_cases,
};

kunit_test_suite(sorted_suite);
