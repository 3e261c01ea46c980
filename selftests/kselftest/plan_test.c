// SPDX-License-Identifier: GPL-2.0
/*
 * The device runs the schedules as they are planned: the same edges in the same
 * rounds with the same bytes, for every family, shape, root and form.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "events.h"
#include "harness.h"
#include "planned.h"
#include "sample.h"

#define EAGER		8ULL
#define NAMED		100000ULL	/* rendezvous */
#define CHUNKS		10000ULL	/* two of them if 16 members combine */

/* A block that is not eager. Each byte of an OR-broadcast goes to everybody. */
static __u64 long_block(const struct call *call)
{
	return combines(call) ? CHUNKS : NAMED;
}

/* Every family ------------------------------------------------------------------- */

FIXTURE(plan)
{
	struct crew crew;
};

FIXTURE_VARIANT(plan)
{
	unsigned int size;
	struct call call;
};

#define VARIANT(name, members, ...)					\
	FIXTURE_VARIANT_ADD(plan, name) {				\
		.size = (members),					\
		.call = { .timeout_ms = PATIENCE_MS, __VA_ARGS__ },	\
	}

VARIANT(linear_7, 7, .algorithm = SCATTER_ALGORITHM_LINEAR);
VARIANT(hypercube_8, 8, .algorithm = SCATTER_ALGORITHM_HYPERCUBE);
VARIANT(hypercube_13, 13, .algorithm = SCATTER_ALGORITHM_HYPERCUBE);
VARIANT(array_9, 9, .algorithm = SCATTER_ALGORITHM_MESH, .dims = 1,
	.extent = { 9 });
VARIANT(mesh_3x5, 15, .algorithm = SCATTER_ALGORITHM_MESH, .dims = 2,
	.extent = { 3, 5 });
VARIANT(mesh_2x3x4, 24, .algorithm = SCATTER_ALGORITHM_MESH, .dims = 3,
	.extent = { 2, 3, 4 });
VARIANT(ring_7, 7, .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 1,
	.extent = { 7 });
VARIANT(torus_4x4, 16, .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 2,
	.extent = { 4, 4 });
VARIANT(torus_3x1x5x2, 30, .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 4,
	.extent = { 3, 1, 5, 2 });
VARIANT(knomial_of_1_port_6, 6, .algorithm = SCATTER_ALGORITHM_KNOMIAL);
VARIANT(knomial_of_2_ports_9, 9, .algorithm = SCATTER_ALGORITHM_KNOMIAL,
	.ports = 2);
VARIANT(knomial_of_3_ports_20, 20, .algorithm = SCATTER_ALGORITHM_KNOMIAL,
	.ports = 3);
VARIANT(rotated_1, 1, .algorithm = SCATTER_ALGORITHM_ROTATED);
VARIANT(rotated_2, 2, .algorithm = SCATTER_ALGORITHM_ROTATED);
VARIANT(rotated_8, 8, .algorithm = SCATTER_ALGORITHM_ROTATED);
VARIANT(rotated_16, 16, .algorithm = SCATTER_ALGORITHM_ROTATED);
VARIANT(balanced_2, 2, .algorithm = SCATTER_ALGORITHM_BALANCED);
VARIANT(balanced_8, 8, .algorithm = SCATTER_ALGORITHM_BALANCED);
VARIANT(balanced_16, 16, .algorithm = SCATTER_ALGORITHM_BALANCED);
VARIANT(irregular_1, 1, .algorithm = SCATTER_ALGORITHM_IRREGULAR);
VARIANT(irregular_5, 5, .algorithm = SCATTER_ALGORITHM_IRREGULAR);
VARIANT(irregular_16, 16, .algorithm = SCATTER_ALGORITHM_IRREGULAR);
VARIANT(or_broadcast_1, 1, .algorithm = SCATTER_ALGORITHM_OR_BROADCAST);
VARIANT(or_broadcast_2, 2, .algorithm = SCATTER_ALGORITHM_OR_BROADCAST);
VARIANT(or_broadcast_7, 7, .algorithm = SCATTER_ALGORITHM_OR_BROADCAST);
VARIANT(or_broadcast_16, 16, .algorithm = SCATTER_ALGORITHM_OR_BROADCAST);

VARIANT(hypercube_64, 64, .algorithm = SCATTER_ALGORITHM_HYPERCUBE);
VARIANT(mesh_8x8, 64, .algorithm = SCATTER_ALGORITHM_MESH, .dims = 2,
	.extent = { 8, 8 });
VARIANT(torus_4x4x4, 64, .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 3,
	.extent = { 4, 4, 4 });
VARIANT(knomial_of_3_ports_64, 64, .algorithm = SCATTER_ALGORITHM_KNOMIAL,
	.ports = 3);
VARIANT(rotated_64, 64, .algorithm = SCATTER_ALGORITHM_ROTATED);
VARIANT(balanced_64, 64, .algorithm = SCATTER_ALGORITHM_BALANCED);
VARIANT(irregular_64, 64, .algorithm = SCATTER_ALGORITHM_IRREGULAR);
VARIANT(or_broadcast_64, 64, .algorithm = SCATTER_ALGORITHM_OR_BROADCAST);

FIXTURE_SETUP(plan)
{
	ASSERT_TRUE(crew_form(&self->crew, variant->size, 0));
	ASSERT_TRUE(events_trace(EVENTS_EDGES));
}

FIXTURE_TEARDOWN(plan)
{
	EXPECT_TRUE(events_trace(NULL));
	EXPECT_TRUE(crew_end(&self->crew));
}

static const __u32 forms[] = {
	SCATTER_OP_SCATTER, SCATTER_OP_GATHER, SCATTER_OP_SCATTERV,
	SCATTER_OP_GATHERV,
};

/* To irregular trees, which have v forms only, it matters which block is longest. */
static bool possible(const struct call *call)
{
	if (call->algorithm == SCATTER_ALGORITHM_IRREGULAR)
		return is_vector(call->op);
	return call->block != LOPSIDED_EAGER && call->block != LOPSIDED_NAMED;
}

TEST_F_TIMEOUT(plan, all_forms_run_as_planned, 250)
{
	static const __u64 blocks[] = {
		EAGER, NAMED, LOPSIDED_EAGER, LOPSIDED_NAMED,
	};
	/* A sampled run has each form, each kind of block and each root, but not all of all. */
	const unsigned int few = sample_few(4);
	const unsigned int p = variant->size;
	struct call call = variant->call;
	unsigned long long number = 0;
	unsigned int i;

	for (i = 0; i < 4 * 4 * 3; i++) {
		call.op = forms[i % 4];
		call.block = blocks[i / 4 % 4];
		if (call.block == NAMED)
			call.block = long_block(&call);
		call.root = (i / 16 * p + p - 1) / 3 % p;
		call.seed = i + 1;
		if (p == 64)
			call.timeout_ms = 3 * PATIENCE_MS;
		/* Half a million edges say no more than the first 100,000. */
		if (!possible(&call) || (combines(&call) && p == 64 && i >= 4) ||
		    (i % 4 + i / 4 % 4 + i / 16) % few != sample_seed() % few)
			continue;
		EXPECT_TRUE(runs_as_planned(&self->crew, &call, &call,
					    number++)) {
			TH_LOG("op %u block %llu root %u", call.op, call.block,
			       call.root);
		}
	}
}

/*
 * So do groups that have it for a schedule. Where it is none the cost model chooses linear
 * for these parameters.
 */
TEST_F(plan, who_leaves_it_open_runs_that_of_the_group)
{
	const unsigned int p = variant->size;
	struct call open = { .timeout_ms = PATIENCE_MS };
	struct scatter_join like = join_of("", p, 0);
	struct call planned;
	struct crew crew;
	unsigned int i;

	if (p > 16)
		SKIP(return, "too many");
	ASSERT_EQ(0, parameter_write("startup_ns", "1000000"));
	ASSERT_EQ(0, parameter_write("gap_ns", "1"));
	join_schedule(&like, &variant->call);
	ASSERT_TRUE(crew_form_like(&crew, &like));
	EXPECT_EQ(0, parameter_write("startup_ns", "15000"));
	EXPECT_EQ(0, parameter_write("gap_ns", "1600"));
	for (i = 0; i < 4 * 2; i++) {
		open.op = forms[i % 4];
		open.block = i / 4 ? long_block(&variant->call) : EAGER;
		open.root = i % p;
		planned = variant->call;
		planned.op = open.op;
		planned.block = open.block;
		planned.root = open.root;
		if (!possible(&planned))
			planned.algorithm = SCATTER_ALGORITHM_LINEAR;
		EXPECT_TRUE(runs_as_planned(&crew, &planned, &open,
					    i)) {
			TH_LOG("op %u block %llu", open.op, open.block);
		}
	}
	EXPECT_TRUE(crew_end(&crew));
}

/* The root, or a leaf, comes when all others have come to wait or have gone. */
TEST_F(plan, whoever_is_late_holds_back_who_needs_it_only)
{
	const unsigned int p = variant->size;
	struct crew *crew = &self->crew;
	struct call call = variant->call;
	unsigned int i;
	bool early;

	if (p < 2 || p > 16)
		SKIP(return, "no others, or too many");
	for (i = 0; i < 4; i++) {
		const unsigned int late = i / 2 ? p - 1 : 0;

		call.op = call.algorithm == SCATTER_ALGORITHM_IRREGULAR ?
			  SCATTER_OP_SCATTERV + i % 2 :
			  SCATTER_OP_SCATTER + i % 2;
		call.block = long_block(&call);
		call.seed = i + 1;
		crew_start(crew, RANKS(0, p - 1) & ~RANK(late), &call);
		/* Of a scatter the others end without a late leaf, but if all combine. */
		early = i == 2 && p > 2 &&
			call.algorithm != SCATTER_ALGORITHM_OR_BROADCAST;
		if (early)
			EXPECT_TRUE(crew_succeeds(crew, RANKS(1, p - 2)));
		crew_start(crew, RANK(late), &call);
		EXPECT_TRUE(crew_succeeds(crew, early ? RANK(0) | RANK(late) :
							RANKS(0, p - 1)));
	}
}

TEST_F(plan, a_death_ends_it_for_who_needs_the_dead)
{
	const unsigned int p = variant->size;
	struct crew *crew = &self->crew;
	struct call call = variant->call;

	if (p < 3 || p > 16)
		SKIP(return, "no others, or too many");
	call.op = call.algorithm == SCATTER_ALGORITHM_IRREGULAR ?
		  SCATTER_OP_GATHERV : SCATTER_OP_GATHER;
	call.block = NAMED;
	crew_start(crew, RANK(0), &call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	ASSERT_TRUE(worker_end(&crew->worker[2]));
	EXPECT_TRUE(crew_fails(crew, RANK(0), ECONNRESET, 2));
}

/* Rank 3 has an empty block, for which the root does not wait. */
TEST(the_death_of_who_has_nothing_to_send_is_not_missed_by_an_irregular_tree)
{
	const struct call call = {
		.op = SCATTER_OP_GATHERV,
		.algorithm = SCATTER_ALGORITHM_IRREGULAR,
		.block = NAMED,
		.timeout_ms = PATIENCE_MS,
	};
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 4, 0));
	ASSERT_EQ(0ULL, block_bytes(call.op, call.block, 3));
	crew_start(&crew, RANKS(0, 1), &call);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(0)));
	ASSERT_TRUE(worker_end(&crew.worker[3]));
	crew_start(&crew, RANK(2), &call);
	EXPECT_TRUE(crew_succeeds(&crew, RANKS(0, 2)));
	EXPECT_TRUE(crew_end(&crew));
}

/* The cost model ------------------------------------------------------------------ */

/* Of 16 members, with blocks that are not eager. */
static const struct choice {
	const char *startup_ns;
	const char *gap_ns;
	unsigned int algorithm;
	unsigned int ports;
} choices[] = {
	{ "1000000", "1", SCATTER_ALGORITHM_LINEAR, 0 },
	{ "15000", "1600", SCATTER_ALGORITHM_KNOMIAL, 3 },
	{ "1", "1000000", SCATTER_ALGORITHM_HYPERCUBE, 0 },
};

TEST(auto_takes_what_the_parameters_make_cheapest)
{
	const struct call call = { .block = NAMED, .timeout_ms = PATIENCE_MS };
	struct call named = call;
	struct crew crew;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(choices); i++) {
		named.algorithm = choices[i].algorithm;
		named.ports = choices[i].ports;
		ASSERT_EQ(0, parameter_write("startup_ns", choices[i].startup_ns));
		ASSERT_EQ(0, parameter_write("gap_ns", choices[i].gap_ns));
		ASSERT_TRUE(crew_form(&crew, 16, 0));
		/* A group keeps the schedule that it was formed with. */
		EXPECT_EQ(0, parameter_write("startup_ns", "15000"));
		EXPECT_EQ(0, parameter_write("gap_ns", "1600"));
		ASSERT_TRUE(events_trace(EVENTS_EDGES));
		EXPECT_TRUE(runs_as_planned(&crew, &named, &call, 0)) {
			TH_LOG("choice %u", i);
		}
		EXPECT_TRUE(events_trace(NULL));
		EXPECT_TRUE(crew_end(&crew));
	}
}

/* What there is not ---------------------------------------------------------------- */

static const struct bad {
	const char *what;
	unsigned int size;
	int error;
	struct call call;
} bads[] = {
	{ "an algorithm beyond the last", 4, EOPNOTSUPP, { .algorithm = 63 } },
	{ "an algorithm beyond all bits", 4, EOPNOTSUPP, { .algorithm = ~0U } },
	{ "ports of AUTO", 4, EINVAL, { .ports = 1 } },
	{ "ports of an OR-broadcast", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_OR_BROADCAST, .ports = 1 } },
	{ "ports of a hypercube", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_HYPERCUBE, .ports = 2 } },
	{ "dimensions of AUTO", 4, EINVAL, { .dims = 1, .extent = { 4 } } },
	{ "extents without dimensions", 4, EINVAL, { .extent = { 4 } } },
	{ "dimensions of a k-nomial tree", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_KNOMIAL, .dims = 1,
	    .extent = { 4 } } },
	{ "a mesh without dimensions", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_MESH } },
	{ "too many dimensions", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_MESH, .dims = SCATTER_DIMS_MAX + 1,
	    .extent = { 4, 1, 1, 1, 1, 1, 1, 1 } } },
	{ "a number of dimensions that wraps", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_TORUS, .dims = ~0U } },
	{ "a product that is not the size", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 2,
	    .extent = { 2, 3 } } },
	{ "a product that wraps to the size", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_MESH, .dims = 3,
	    .extent = { 1U << 31, 1U << 31, 4 } } },
	{ "an extent of 0", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_MESH, .dims = 2,
	    .extent = { 4, 0 } } },
	{ "an extent behind the last dimension", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_MESH, .dims = 1,
	    .extent = { 4, 1 } } },
	{ "rotated trees for no power of two", 3, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_ROTATED } },
	{ "balanced trees for no power of two", 3, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_BALANCED } },
	{ "an irregular tree for equal blocks", 4, EINVAL,
	  { .algorithm = SCATTER_ALGORITHM_IRREGULAR } },
	{ "ports of a barrier", 4, EINVAL,
	  { .op = SCATTER_OP_BARRIER, .ports = 1 } },
};

TEST(what_cannot_be_planned_is_refused_and_calls_nothing)
{
	struct crew crew;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bads); i++) {
		const struct call good = {
			.block = EAGER, .timeout_ms = PATIENCE_MS,
		};

		ASSERT_TRUE(crew_form(&crew, bads[i].size, 0));
		crew_start(&crew, RANK(1), &bads[i].call);
		EXPECT_TRUE(crew_fails(&crew, RANK(1), bads[i].error,
				       SCATTER_RANK_ANY)) {
			TH_LOG("%s", bads[i].what);
		}
		EXPECT_TRUE(crew_runs(&crew, &good));
		ASSERT_TRUE(crew_end(&crew));
	}
}

/* Rank 1 calls the second of a pair, all others the first. */
static const struct call pairs[][2] = {
	{ { .algorithm = SCATTER_ALGORITHM_KNOMIAL, .ports = 1 },
	  { .algorithm = SCATTER_ALGORITHM_KNOMIAL, .ports = 2 } },
	{ { .algorithm = SCATTER_ALGORITHM_MESH, .dims = 2, .extent = { 2, 4 } },
	  { .algorithm = SCATTER_ALGORITHM_MESH, .dims = 2, .extent = { 4, 2 } } },
	{ { .algorithm = SCATTER_ALGORITHM_MESH, .dims = 1, .extent = { 8 } },
	  { .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 1, .extent = { 8 } } },
	{ { .algorithm = SCATTER_ALGORITHM_HYPERCUBE },
	  { .algorithm = SCATTER_ALGORITHM_ROTATED } },
	{ { .algorithm = SCATTER_ALGORITHM_BALANCED },
	  { .algorithm = SCATTER_ALGORITHM_LINEAR } },
};

TEST(who_plans_otherwise_disagrees)
{
	struct crew crew;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct call one = pairs[i][0], other = pairs[i][1];

		one.block = NAMED;
		other.block = NAMED;
		ASSERT_TRUE(crew_form(&crew, 8, 0));
		crew_start(&crew, RANK(0), &one);
		ASSERT_TRUE(crew_sleeps(&crew, RANK(0)));
		crew_start(&crew, RANK(1), &other);
		EXPECT_TRUE(crew_fails(&crew, RANKS(0, 1), EPROTO, 1)) {
			TH_LOG("pair %u", i);
		}
		ASSERT_TRUE(crew_end(&crew));
	}
}

/* The schedule of a group --------------------------------------------------------- */

static bool crew_form_scheduled(struct crew *crew, unsigned int size,
				const struct call *schedule)
{
	struct scatter_join like = join_of("", size, 0);

	join_schedule(&like, schedule);
	return crew_form_like(crew, &like);
}

/* An irregular tree is refused by the operations that it is not for, not by JOIN. */
TEST(what_cannot_be_planned_is_no_schedule_of_a_group)
{
	struct seen status;
	char name[SCATTER_NAME_MAX];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bads); i++) {
		struct scatter_join arg;
		int fd;

		if (bads[i].call.algorithm == SCATTER_ALGORITHM_IRREGULAR)
			continue;
		fd = device_open(O_NONBLOCK);
		ASSERT_LE(0, fd);
		name_make(name, "bad");
		arg = join_of(name, bads[i].size, SCATTER_RANK_ANY);
		join_schedule(&arg, &bads[i].call);
		EXPECT_EQ(-bads[i].error,
			  device_call(fd, SCATTER_IOCTL_JOIN, &arg)) {
			TH_LOG("%s", bads[i].what);
		}
		EXPECT_EQ(-ENOTCONN, status_of(fd, &status));
		close(fd);
		/* Nobody has the name either: another size is no disagreement. */
		fd = device_open(0);
		EXPECT_EQ(0, join(fd, name, 1, 0));
		close(fd);
	}
}

static const struct call mesh = {
	.algorithm = SCATTER_ALGORITHM_MESH, .dims = 2, .extent = { 2, 4 },
	.block = NAMED, .timeout_ms = PATIENCE_MS,
};

static const struct call irregular = {
	.op = SCATTER_OP_GATHERV, .algorithm = SCATTER_ALGORITHM_IRREGULAR,
	.block = NAMED, .timeout_ms = PATIENCE_MS,
};

TEST(who_names_an_algorithm_does_not_run_that_of_the_group)
{
	static const struct call others[] = {
		{ .algorithm = SCATTER_ALGORITHM_LINEAR },
		{ .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 1,
		  .extent = { 8 } },
		{ .algorithm = SCATTER_ALGORITHM_MESH, .dims = 2,
		  .extent = { 4, 2 } },
		{ .algorithm = SCATTER_ALGORITHM_KNOMIAL, .ports = 3 },
		{ .algorithm = SCATTER_ALGORITHM_ROTATED },
		{ .algorithm = SCATTER_ALGORITHM_IRREGULAR,
		  .op = SCATTER_OP_SCATTERV },
	};
	const struct call *const schedules[] = {
		&mesh, &irregular, &others[4],
	};
	unsigned int i, j;
	struct crew crew;

	ASSERT_TRUE(events_trace(EVENTS_EDGES));
	for (i = 0; i < ARRAY_SIZE(schedules); i++) {
		ASSERT_TRUE(crew_form_scheduled(&crew, 8, schedules[i]));
		for (j = 0; j < ARRAY_SIZE(others); j++) {
			struct call call = others[j];

			call.block = NAMED;
			call.timeout_ms = PATIENCE_MS;
			EXPECT_TRUE(runs_as_planned(&crew, &call, &call, j))
				TH_LOG("schedule %u algorithm %u", i, j);
		}
		ASSERT_TRUE(crew_end(&crew));
	}
	EXPECT_TRUE(events_trace(NULL));
}

TEST(who_leaves_it_open_agrees_with_who_names_what_the_group_has_only)
{
	struct call open = { .block = NAMED, .timeout_ms = PATIENCE_MS };
	const struct call barrier = { .op = SCATTER_OP_BARRIER };
	struct call named = mesh;
	struct crew crew;
	unsigned int i;

	ASSERT_TRUE(crew_form_scheduled(&crew, 8, &mesh));
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		open.op = forms[i];
		named.op = open.op;
		crew_start(&crew, RANK(i), &named);
		crew_start(&crew, RANKS(0, 7) & ~RANK(i), &open);
		EXPECT_TRUE(crew_succeeds(&crew, RANKS(0, 7)));
		EXPECT_TRUE(crew_runs(&crew, &barrier));
	}
	named.algorithm = SCATTER_ALGORITHM_TORUS;
	crew_start(&crew, RANK(0), &open);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(0)));
	crew_start(&crew, RANK(1), &named);
	EXPECT_TRUE(crew_fails(&crew, RANKS(0, 1), EPROTO, 1));
	EXPECT_TRUE(crew_end(&crew));
}

/* The root makes the tree once, whatever it is called. */
TEST(a_paused_operation_of_an_irregular_group_is_resumed)
{
	struct call open = irregular;
	struct crew crew;

	open.algorithm = SCATTER_ALGORITHM_AUTO;
	open.timeout_ms = 20;
	ASSERT_TRUE(crew_form_scheduled(&crew, 4, &irregular));
	crew_start(&crew, RANK(0), &open);
	ASSERT_TRUE(crew_fails(&crew, RANK(0), ETIMEDOUT, SCATTER_RANK_ANY));
	open.timeout_ms = PATIENCE_MS;
	crew_start(&crew, RANKS(1, 3), &open);
	EXPECT_EQ(0, crew_resume(&crew, 0, &open));
	EXPECT_TRUE(crew.worker[0].reply.args.call.intact);
	EXPECT_TRUE(crew_succeeds(&crew, RANKS(1, 3)));
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
