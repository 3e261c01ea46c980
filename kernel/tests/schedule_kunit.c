// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the schedules and the cost model, as compiled into the kernel. The
 * exhaustive simulation is in user space (selftests/unit).
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/log2.h>
#include <linux/math64.h>

#include "../cost.h"
#include "../schedule/schedule.h"

#define SIZE_MOST	70

static const u32 algorithms[] = {
	SCATTER_SCHEDULE_LINEAR,
	SCATTER_SCHEDULE_HYPERCUBE,
	SCATTER_SCHEDULE_MESH,
	SCATTER_SCHEDULE_KNOMIAL,
};

static struct scatter_schedule_spec spec_of(u32 algorithm, u32 size, u32 root)
{
	return (struct scatter_schedule_spec){
		.algorithm = algorithm,
		.size = size,
		.root = root,
		.ports = 3,
		.dims = 1,
		.extent = { size },
	};
}

/* Walk down the tree: does every rank get a bundle that has its own block? */
static void check_tree(struct kunit *test, u32 algorithm, u32 size, u32 root)
{
	struct scatter_schedule_spec spec = spec_of(algorithm, size, root);
	DECLARE_BITMAP(reached, SIZE_MOST) = {};
	u32 rank, startups = 0;

	for (rank = 0; rank < size; rank++) {
		struct scatter_schedule schedule, other;
		struct scatter_step step, up;

		KUNIT_ASSERT_TRUE(test, scatter_schedule_init(&schedule, &spec,
							      rank));
		while (scatter_schedule_next(&schedule, &step)) {
			if (!step.send)
				continue;
			startups++;
			KUNIT_ASSERT_LT(test, step.peer, size);
			KUNIT_EXPECT_FALSE(test, test_and_set_bit(step.peer,
								  reached));
			scatter_schedule_init(&other, &spec, step.peer);
			KUNIT_ASSERT_TRUE(test, scatter_schedule_parent(&other,
									0, &up));
			KUNIT_EXPECT_EQ(test, up.peer, rank);
			KUNIT_EXPECT_EQ(test, up.round, step.round);
			KUNIT_EXPECT_EQ(test, up.first, step.first);
			KUNIT_EXPECT_EQ(test, up.count, step.count);
			KUNIT_EXPECT_LT(test, (step.peer + size - step.first) %
					size, step.count);
		}
	}
	KUNIT_EXPECT_EQ(test, startups, size - 1);
	KUNIT_EXPECT_FALSE(test, test_bit(root, reached));
}

static void schedule_reaches_everybody(struct kunit *test)
{
	u32 i, size, root;

	for (i = 0; i < ARRAY_SIZE(algorithms); i++)
		for (size = 1; size <= SIZE_MOST; size++)
			for (root = 0; root < size; root += 1 + size / 5)
				check_tree(test, algorithms[i], size, root);
}

static void refuse(struct kunit *test, u32 algorithm, u32 size, u32 root,
		   u32 rank)
{
	struct scatter_schedule_spec spec = spec_of(algorithm, size, root);
	struct scatter_schedule schedule;
	struct scatter_step step;

	KUNIT_EXPECT_FALSE(test, scatter_schedule_init(&schedule, &spec, rank));
	KUNIT_EXPECT_FALSE(test, scatter_schedule_next(&schedule, &step));
}

static void schedule_refuses_nonsense(struct kunit *test)
{
	refuse(test, 0, 4, 0, 0);
	refuse(test, SCATTER_SCHEDULE_OR_BROADCAST + 1, 4, 0, 0);
	refuse(test, SCATTER_SCHEDULE_LINEAR, 0, 0, 0);
	refuse(test, SCATTER_SCHEDULE_LINEAR, 4, 4, 0);
	refuse(test, SCATTER_SCHEDULE_LINEAR, 4, 0, 4);
	refuse(test, SCATTER_SCHEDULE_ROTATED, 6, 0, 0);
	refuse(test, SCATTER_SCHEDULE_IRREGULAR, 4, 0, 0);
}

static void cost_follows_its_formula(struct kunit *test)
{
	struct scatter_cost cost = {
		.startup_ns = 1000,
		.gap_ns = 100,
		.eager_limit = 64,
	};
	struct scatter_schedule_spec spec = { .size = 64 };

	KUNIT_EXPECT_TRUE(test, scatter_cost_eager(&cost, false, 4, 16));
	KUNIT_EXPECT_FALSE(test, scatter_cost_eager(&cost, false, 4, 17));
	KUNIT_EXPECT_FALSE(test, scatter_cost_eager(&cost, false, U32_MAX, U64_MAX));
	scatter_cost_shape(&cost, spec.size);
	scatter_cost_choose(&cost, false, 65, &spec);
	KUNIT_EXPECT_EQ(test, spec.algorithm, (u32)SCATTER_SCHEDULE_KNOMIAL);
	KUNIT_EXPECT_EQ(test, spec.ports, 7U);
	scatter_cost_choose(&cost, false, 64, &spec);
	KUNIT_EXPECT_EQ(test, spec.algorithm, (u32)SCATTER_SCHEDULE_LINEAR);
}

static struct kunit_case schedule_cases[] = {
	KUNIT_CASE(schedule_reaches_everybody),
	KUNIT_CASE(schedule_refuses_nonsense),
	KUNIT_CASE(cost_follows_its_formula),
	{}
};

static struct kunit_suite schedule_suite = {
	.name = "scatter_schedule",
	.test_cases = schedule_cases,
};

kunit_test_suite(schedule_suite);
