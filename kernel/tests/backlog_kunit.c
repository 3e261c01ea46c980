// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the backlog of a group whose lock is taken. A member's task that does not run is played by
 * a case that keeps the lock.
 */
#include <kunit/test.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../group/backlog.h"
#include "../group/group.h"
#include "../group/portal.h"
#include "../node/node.h"
#include "../wire/wide.h"

#define NODES	3
#define WINDOW	4
/* Beyond 2 for each operation of the window, in a group on three nodes; see group/portal.c. */
#define MESSAGES	(2 * WINDOW + 4096 + DIV_ROUND_UP(SZ_1M, SCATTER_WIDE_PAYLOAD_MAX / 4))
#define MOST_BYTES	(24u << 20)

struct backlog_world {
	struct scatter_group group;
	struct scatter_portal portal;
	struct scatter_node node;
	struct scatter_portal_node nodes[NODES];
	u32 last[NODES + 1];
	u32 ran;
	bool unordered;
};

/* Items of one node are done in the order of their numbers. */
struct backlog_item {
	struct scatter_backlog_item item;
	u32 number;
};

static bool run(struct scatter_group *group, struct scatter_backlog_item *item)
{
	struct backlog_world *world = container_of(group, struct backlog_world, group);
	struct backlog_item *it = container_of(item, struct backlog_item, item);
	u32 *last = &world->last[min_t(u32, item->from, NODES)];

	world->unordered |= it->number != *last + 1 || !mutex_is_locked(&world->portal.moving);
	*last = it->number;
	world->ran++;
	kfree(it);
	return true;
}

/* The work item does so much at a time, and starts itself again. */
static void wait_for_work(struct backlog_world *world)
{
	while (flush_work(&world->portal.deferred))
		;
}

static struct backlog_world *begin(struct kunit *test)
{
	struct backlog_world *world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, world);
	kref_init(&world->group.ref);
	world->group.portal = &world->portal;
	world->group.window = WINDOW;
	spin_lock_init(&world->node.posting);
	INIT_LIST_HEAD(&world->node.outbox);
	world->portal.group = &world->group;
	world->portal.node = &world->node;
	world->portal.nodes = world->nodes;
	world->portal.nr_nodes = NODES;
	world->portal.known = NODES;
	mutex_init(&world->portal.moving);
	spin_lock_init(&world->portal.deferring);
	INIT_LIST_HEAD(&world->portal.backlog);
	scatter_backlog_prepare(&world->portal);
	return world;
}

/* Add @nr items of a node, or until one is refused. Returns how many were not. */
static u32 add(struct kunit *test, struct backlog_world *world, u32 from, u32 bytes, u32 nr)
{
	struct backlog_item *item;
	u32 i;

	for (i = 0; i < nr; i++) {
		item = kmalloc(sizeof(*item), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, item);
		item->item = (struct scatter_backlog_item){
			.from = from, .bytes = bytes, .run = run,
		};
		item->number = i + 1;
		if (!scatter_backlog_add(&world->portal, &item->item)) {
			kfree(item);
			break;
		}
	}
	return i;
}

/* Nobody waits for the holder, and each node fills its own share of the backlog only. */
static void backlog_is_bounded_by_node(struct kunit *test)
{
	struct backlog_world *world = begin(test);
	const u32 long_ones = MOST_BYTES >> 17;

	scatter_backlog_lock(&world->portal);
	KUNIT_EXPECT_EQ(test, add(test, world, 1, 100, 2 * MESSAGES), (u32)MESSAGES);
	KUNIT_EXPECT_EQ(test, add(test, world, 2, 1 << 17, MESSAGES), long_ones);
	KUNIT_EXPECT_EQ(test, add(test, world, U32_MAX, 0, 2), 2U);
	/* The work item has found the lock taken. */
	wait_for_work(world);
	KUNIT_EXPECT_EQ(test, world->ran, 0U);
	KUNIT_EXPECT_FALSE(test, scatter_backlog_trylock(&world->portal));
	scatter_backlog_unlock(&world->portal);
	wait_for_work(world);
	KUNIT_EXPECT_EQ(test, world->ran, MESSAGES + long_ones + 2);
	KUNIT_EXPECT_FALSE(test, world->unordered);
	KUNIT_EXPECT_EQ(test, world->nodes[1].deferred, 0U);
	KUNIT_EXPECT_EQ(test, world->nodes[2].deferred, 0U);
	KUNIT_EXPECT_EQ(test, world->nodes[1].deferred_bytes, 0ULL);
	KUNIT_EXPECT_EQ(test, world->nodes[2].deferred_bytes, 0ULL);
	KUNIT_EXPECT_EQ(test, kref_read(&world->group.ref), 1U);
}

/* A handler that finds the lock free does not overtake what is in the backlog. */
static void backlog_keeps_the_order(struct kunit *test)
{
	struct backlog_world *world = begin(test);

	scatter_backlog_lock(&world->portal);
	KUNIT_EXPECT_EQ(test, add(test, world, 1, 100, 3), 3U);
	wait_for_work(world);
	/* As if the holder were preempted before it starts the work item. */
	mutex_unlock(&world->portal.moving);
	KUNIT_EXPECT_FALSE(test, scatter_backlog_trylock(&world->portal));
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&world->portal.moving));
	/* The next that is added starts the work item, too. */
	KUNIT_EXPECT_EQ(test, add(test, world, 2, 100, 1), 1U);
	wait_for_work(world);
	KUNIT_EXPECT_EQ(test, world->ran, 4U);
	KUNIT_EXPECT_FALSE(test, world->unordered);
	KUNIT_EXPECT_TRUE(test, scatter_backlog_trylock(&world->portal));
	scatter_backlog_unlock(&world->portal);
	wait_for_work(world);
	KUNIT_EXPECT_EQ(test, kref_read(&world->group.ref), 1U);
}

static struct kunit_case backlog_cases[] = {
	KUNIT_CASE(backlog_is_bounded_by_node),
	KUNIT_CASE(backlog_keeps_the_order),
	{}
};

static struct kunit_suite backlog_suite = {
	.name = "scatter_backlog",
	.test_cases = backlog_cases,
};

kunit_test_suite(backlog_suite);
