// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the schedules and the cost model, as compiled into the kernel. The simulation that
 * judges them is that of user space (selftests/unit), in fewer sizes.
 */
#include <kunit/test.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "../../lib/plan/predict.h"
#include "../../lib/plan/simulate.h"
#include "../schedule/cost.h"
#include "walks.h"

#define SIZE_MOST	64
#define BLOCK		12	/* bytes */

/**
 * struct family - what one parameter of a case stands for
 * @name: of the parameter
 * @algorithm: enum scatter_schedule_algorithm
 * @ports: of a k-nomial tree
 * @most: the largest size
 * @dims: dimensions; 1: of any size
 * @extent: of more dimensions, whose product is @most
 */
struct family {
	const char *name;
	u32 algorithm;
	u32 ports;
	u32 most;
	u32 dims;
	u32 extent[SCATTER_SCHEDULE_DIMS];
};

static const struct family families[] = {
	{ "linear", SCATTER_SCHEDULE_LINEAR, 0, 64, 1 },
	{ "hypercube", SCATTER_SCHEDULE_HYPERCUBE, 0, 64, 1 },
	{ "array", SCATTER_SCHEDULE_MESH, 0, 64, 1 },
	{ "mesh 3x5", SCATTER_SCHEDULE_MESH, 0, 15, 2, { 3, 5 } },
	{ "mesh 2x3x4", SCATTER_SCHEDULE_MESH, 0, 24, 3, { 2, 3, 4 } },
	{ "ring", SCATTER_SCHEDULE_TORUS, 0, 64, 1 },
	{ "torus 4x4", SCATTER_SCHEDULE_TORUS, 0, 16, 2, { 4, 4 } },
	{ "torus 3x1x5x2", SCATTER_SCHEDULE_TORUS, 0, 30, 4, { 3, 1, 5, 2 } },
	{ "k-nomial, 1 port", SCATTER_SCHEDULE_KNOMIAL, 1, 64, 1 },
	{ "k-nomial, 3 ports", SCATTER_SCHEDULE_KNOMIAL, 3, 64, 1 },
	{ "rotated", SCATTER_SCHEDULE_ROTATED, 0, 64, 1 },
	{ "balanced", SCATTER_SCHEDULE_BALANCED, 0, 64, 1 },
	{ "irregular", SCATTER_SCHEDULE_IRREGULAR, 0, 64, 1 },
	{ "OR-broadcast", SCATTER_SCHEDULE_OR_BROADCAST, 0, 13, 1 },
};

KUNIT_ARRAY_PARAM_DESC(family, families, name);

/* The storage of an irregular schedule for one size and root */
struct irregular {
	struct scatter_irregular table;
	struct scatter_irregular_node node[SIZE_MOST];
	u64 bytes[SIZE_MOST];
};

static struct scatter_schedule_spec spec_of(const struct family *family,
					    u32 size, u32 root)
{
	struct scatter_schedule_spec spec = {
		.algorithm = family->algorithm,
		.size = size,
		.root = root,
		.ports = family->ports,
		.dims = family->dims,
		.extent = { size },
	};

	if (family->dims > 1)
		memcpy(spec.extent, family->extent, sizeof(spec.extent));
	return spec;
}

/* Blocks of a few bytes, some of none, and in every other size one of very many */
static void plant(struct kunit *test, struct scatter_schedule_spec *spec,
		  struct irregular *irregular)
{
	u32 rank;

	for (rank = 0; rank < spec->size; rank++)
		irregular->bytes[rank] = (rank + spec->root) * 7 % 5;
	if (spec->size % 2)
		irregular->bytes[spec->size / 2] = 1000;
	KUNIT_ASSERT_EQ(test, scatter_irregular_build(&irregular->table,
						      irregular->node,
						      irregular->bytes,
						      spec->size, spec->root),
			0);
	spec->irregular = &irregular->table;
}

/* NULL, or what is wrong; @rank: whose walk it is, if it is one's. */
static const char *judge(const struct scatter_schedule_spec *spec,
			 struct plan_result *result, u32 *rank)
{
	const struct scatter_machine machine = {
		.startup = 1000,
		.byte = 3,
		.wormhole = true,
		.combining = true,
	};
	const char *wrong;

	if (plan_simulate(spec, &machine, BLOCK, result))
		return "cannot be simulated";
	if (*result->violation)
		return result->violation;
	if (result->time != scatter_predict_time(spec, &machine, BLOCK))
		return "not the predicted time";
	if (!scatter_schedule_trees(spec))
		return NULL;
	wrong = scatter_walks_check(spec, rank);
	if (!wrong && spec->op == SCATTER_SCHEDULE_GATHER)
		wrong = scatter_walks_check_reversal(spec, rank);
	return wrong;
}

/* All operations there are with this size and root */
static void try_root(struct kunit *test, struct scatter_schedule_spec *spec)
{
	for (spec->op = 0; spec->op <= SCATTER_SCHEDULE_BROADCAST; spec->op++) {
		const char *wrong;
		u32 rank = 0;

		if (spec->op == SCATTER_SCHEDULE_BROADCAST &&
		    scatter_schedule_check(spec) == SCATTER_SCHEDULE_BAD_OP)
			continue;
		wrong = judge(spec, test->priv, &rank);
		KUNIT_ASSERT_NULL_MSG(test, wrong,
				      "op %u size %u root %u, rank %u: %s",
				      spec->op, spec->size, spec->root, rank,
				      wrong);
	}
}

static void schedule_delivers(struct kunit *test)
{
	const struct family *family = test->param_value;
	u32 size = family->dims > 1 ? family->most : 1, root;
	struct irregular *irregular;

	irregular = kunit_kzalloc(test, sizeof(*irregular), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, irregular);
	test->priv = kunit_kzalloc(test, sizeof(struct plan_result),
				   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	/* all small sizes, then only those around powers of two */
	for (; size <= family->most; size++) {
		if (size > 20 && size != family->most &&
		    !is_power_of_2(size) && !is_power_of_2(size + 1))
			continue;
		for (root = 0; root < size; root += 1 + size / 5) {
			struct scatter_schedule_spec spec =
				spec_of(family, size, root);

			if (scatter_schedule_check(&spec) ==
				    SCATTER_SCHEDULE_BAD_POWER &&
			    !is_power_of_2(size))
				continue;
			if (family->algorithm == SCATTER_SCHEDULE_IRREGULAR)
				plant(test, &spec, irregular);
			try_root(test, &spec);
		}
	}
}

static void refuse(struct kunit *test, u32 algorithm, u32 size, u32 root,
		   u32 rank)
{
	const struct family family = { .algorithm = algorithm, .dims = 1 };
	struct scatter_schedule_spec spec = spec_of(&family, size, root);
	struct scatter_walk walk;
	struct scatter_step step;

	KUNIT_EXPECT_FALSE(test, scatter_schedule_init(&walk, &spec, rank));
	KUNIT_EXPECT_FALSE(test, scatter_schedule_next(&walk, &step));
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
	KUNIT_CASE_PARAM(schedule_delivers, family_gen_params),
	KUNIT_CASE(schedule_refuses_nonsense),
	KUNIT_CASE(cost_follows_its_formula),
	{}
};

static struct kunit_suite schedule_suite = {
	.name = "scatter_schedule",
	.test_cases = schedule_cases,
};

kunit_test_suite(schedule_suite);
