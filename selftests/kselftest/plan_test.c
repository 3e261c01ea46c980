// SPDX-License-Identifier: GPL-2.0
/*
 * The device runs the schedules as they are planned: the same edges in the same
 * rounds with the same bytes, for every family, shape, root and form.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "edges.h"
#include "harness.h"
#include "schedule/schedule.h"

#define SIZE_MAX_HERE	64
#define EDGES_MAX	(6 * SIZE_MAX_HERE)
#define EAGER		8ULL
#define NAMED		100000ULL	/* rendezvous */

/* What the engine says ----------------------------------------------------------- */

static struct scatter_irregular_node nodes[SIZE_MAX_HERE];
static struct scatter_irregular table;

static bool spec_fill(struct scatter_schedule_spec *spec, const struct call *call,
		      unsigned int size)
{
	__u64 bytes[SIZE_MAX_HERE];
	unsigned int r;

	*spec = (struct scatter_schedule_spec){
		.algorithm = call->algorithm,
		.op = call->op == SCATTER_OP_GATHER ||
		      call->op == SCATTER_OP_GATHERV ? SCATTER_SCHEDULE_GATHER :
						       SCATTER_SCHEDULE_SCATTER,
		.size = size,
		.root = call->root,
		.ports = call->ports,
		.dims = call->dims,
		.irregular = &table,
	};
	memcpy(spec->extent, call->extent, sizeof(spec->extent));
	for (r = 0; r < size; r++)
		bytes[r] = block_bytes(call->op, call->block, r);
	return !scatter_irregular_build(&table, nodes, (const u64 *)bytes, size,
					call->root) &&
	       !scatter_schedule_check(spec);
}

static __u64 step_bytes(const struct scatter_schedule *walk,
			const struct scatter_step *step, const struct call *call)
{
	struct scatter_range range;
	__u64 bytes = 0;
	u32 cursor = 0, i;

	while (scatter_schedule_range(walk, step, &cursor, &range))
		for (i = 0; i < range.count; i++)
			bytes += scatter_schedule_piece(step,
				block_bytes(call->op, call->block,
					    range.first + i));
	return bytes;
}

/* How many edges; 0 also if it cannot be scheduled. */
static unsigned int edges_plan(const struct call *call, unsigned int size,
			       struct edge *edges)
{
	struct scatter_schedule_spec spec;
	struct scatter_schedule walk;
	struct scatter_step step;
	unsigned int r, n = 0;

	if (!spec_fill(&spec, call, size))
		return 0;
	for (r = 0; r < size; r++) {
		if (!scatter_schedule_init(&walk, &spec, r))
			return 0;
		while (scatter_schedule_next(&walk, &step))
			if (step.send && n < EDGES_MAX)
				edges[n++] = (struct edge){
					.op = call->op,
					.from = r,
					.to = step.peer,
					.round = step.round,
					.first = step.first,
					.count = step.count,
					.bytes = step_bytes(&walk, &step, call),
					.tree = step.tree,
					.piece = step.piece,
					.pieces = step.pieces,
				};
	}
	return n;
}

static int edge_compare(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;
	const unsigned long long fields[][2] = {
		{ a->round, b->round }, { a->from, b->from }, { a->to, b->to },
		{ a->tree, b->tree }, { a->piece, b->piece },
		{ a->pieces, b->pieces }, { a->first, b->first },
		{ a->count, b->count }, { a->bytes, b->bytes },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i][0] != fields[i][1])
			return fields[i][0] < fields[i][1] ? -1 : 1;
	return 0;
}

/* The edges of an operation are those of its plan; without tracing, their sums. */
static bool runs_as_planned(struct crew *crew, const struct call *call,
			    bool traced, unsigned long long number)
{
	static struct edge plan[EDGES_MAX], seen[EDGES_MAX];
	const struct scatter_status *status = crew_seen(crew, 0);
	struct scatter_counters before, after;
	unsigned int n, i;
	__u64 bytes = 0;

	if (!status)
		return false;
	before = status->total;
	n = edges_plan(call, crew->size, plan);
	if (!crew_runs(crew, call) || !crew_seen(crew, 0))
		return false;
	after = crew_seen(crew, 0)->total;
	for (i = 0; i < n; i++)
		bytes += plan[i].bytes;
	if (after.startups - before.startups != n ||
	    after.edge_bytes - before.edge_bytes != bytes) {
		diag("%llu startups, %llu bytes, not %u and %llu",
		     (unsigned long long)(after.startups - before.startups),
		     (unsigned long long)(after.edge_bytes - before.edge_bytes),
		     n, (unsigned long long)bytes);
		return false;
	}
	if (!traced)
		return true;
	if (edges_read(crew->name, number, seen, EDGES_MAX) != n)
		return false;
	qsort(plan, n, sizeof(*plan), edge_compare);
	qsort(seen, n, sizeof(*seen), edge_compare);
	for (i = 0; i < n; i++)
		if (edge_compare(&plan[i], &seen[i]))
			return false;
	return true;
}

/* Every family ------------------------------------------------------------------- */

FIXTURE(plan)
{
	struct crew crew;
	bool traced;
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

FIXTURE_SETUP(plan)
{
	ASSERT_TRUE(crew_form(&self->crew, variant->size, 0));
	self->traced = edges_trace(true);
}

FIXTURE_TEARDOWN(plan)
{
	if (self->traced)
		EXPECT_TRUE(edges_trace(false));
	EXPECT_TRUE(crew_end(&self->crew));
}

/* To irregular trees, which have v forms only, it matters which block is longest. */
static bool possible(const struct call *call)
{
	if (call->algorithm == SCATTER_ALGORITHM_IRREGULAR)
		return call->op == SCATTER_OP_SCATTERV ||
		       call->op == SCATTER_OP_GATHERV;
	return call->block == EAGER || call->block == NAMED;
}

TEST_F_TIMEOUT(plan, all_forms_run_as_planned, 250)
{
	static const __u32 ops[] = {
		SCATTER_OP_SCATTER, SCATTER_OP_GATHER, SCATTER_OP_SCATTERV,
		SCATTER_OP_GATHERV,
	};
	static const __u64 blocks[] = {
		EAGER, NAMED, LOPSIDED_EAGER, LOPSIDED_NAMED,
	};
	const unsigned int p = variant->size;
	struct call call = variant->call;
	unsigned long long number = 0;
	unsigned int i;

	for (i = 0; i < 4 * 4 * 3; i++) {
		call.op = ops[i % 4];
		call.block = blocks[i / 4 % 4];
		call.root = (i / 16 * p + p - 1) / 3 % p;
		call.seed = i + 1;
		if (!possible(&call))
			continue;
		EXPECT_TRUE(runs_as_planned(&self->crew, &call, self->traced,
					    number++)) {
			TH_LOG("op %u block %llu root %u", call.op, call.block,
			       call.root);
		}
	}
}

/* The root, or a leaf, comes when all others have come to wait or have gone. */
TEST_F(plan, whoever_is_late_holds_back_who_needs_it_only)
{
	const unsigned int p = variant->size;
	struct crew *crew = &self->crew;
	struct call call = variant->call;
	unsigned int i;

	if (p < 2 || p > 16)
		SKIP(return, "no others, or too many");
	for (i = 0; i < 4; i++) {
		const unsigned int late = i / 2 ? p - 1 : 0;

		call.op = call.algorithm == SCATTER_ALGORITHM_IRREGULAR ?
			  SCATTER_OP_SCATTERV + i % 2 :
			  SCATTER_OP_SCATTER + i % 2;
		call.block = NAMED;
		call.seed = i + 1;
		crew_start(crew, RANKS(0, p - 1) & ~RANK(late), &call);
		/* Of a scatter the others end without a late leaf. */
		if (i == 2 && p > 2)
			EXPECT_TRUE(crew_succeeds(crew, RANKS(1, p - 2)));
		crew_start(crew, RANK(late), &call);
		EXPECT_TRUE(crew_succeeds(crew, i == 2 && p > 2 ?
					  RANK(0) | RANK(late) :
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

/* What there is not ---------------------------------------------------------------- */

static const struct bad {
	const char *what;
	unsigned int size;
	int error;
	struct call call;
} bads[] = {
	{ "an algorithm beyond the last", 4, EOPNOTSUPP, { .algorithm = 63 } },
	{ "an algorithm beyond all bits", 4, EOPNOTSUPP, { .algorithm = ~0U } },
	{ "OR-broadcast", 4, EOPNOTSUPP,
	  { .algorithm = SCATTER_SCHEDULE_OR_BROADCAST } },
	{ "ports of AUTO", 4, EINVAL, { .ports = 1 } },
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

TEST_HARNESS_MAIN
