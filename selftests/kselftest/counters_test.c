// SPDX-License-Identifier: GPL-2.0
/*
 * STATUS and the tracepoints count what the schedules' formulas say,
 * and hooks_test shows that it is really counted.
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

#define EAGER		8ULL

/* The formulas ------------------------------------------------------------- */

static __u64 lowest_bit(__u64 v)
{
	return v & -v;
}

/*
 * Blocks over all edges of a binomial tree: node v, counted from the root,
 * gets the blocks of its subtree.
 */
static __u64 tree_blocks(__u64 size)
{
	__u64 v, blocks = 0;

	for (v = 1; v < size; v++)
		blocks += lowest_bit(v) < size - v ? lowest_bit(v) : size - v;
	return blocks;
}

static unsigned int log2_up(unsigned int size)
{
	unsigned int rounds = 0;

	while (1U << rounds < size)
		rounds++;
	return rounds;
}

TEST(the_formula_of_the_tree_is_that_of_the_hypercube_for_powers_of_two)
{
	unsigned int n;

	for (n = 1; n < 11; n++)
		EXPECT_EQ(n * (1ULL << (n - 1)), tree_blocks(1ULL << n));
	EXPECT_EQ(0ULL, tree_blocks(1));
	EXPECT_EQ(2ULL, tree_blocks(3));
	EXPECT_EQ(9ULL, tree_blocks(7));
}

/* Counters of whole operations --------------------------------------------- */

FIXTURE(counters)
{
	struct crew crew;
	__u64 rendezvous;	/* a block that is too long to be eager */
};

FIXTURE_VARIANT(counters)
{
	unsigned int size;
};

FIXTURE_VARIANT_ADD(counters, size_1) { .size = 1 };
FIXTURE_VARIANT_ADD(counters, size_2) { .size = 2 };
FIXTURE_VARIANT_ADD(counters, size_3) { .size = 3 };
FIXTURE_VARIANT_ADD(counters, size_4) { .size = 4 };
FIXTURE_VARIANT_ADD(counters, size_7) { .size = 7 };
FIXTURE_VARIANT_ADD(counters, size_8) { .size = 8 };
FIXTURE_VARIANT_ADD(counters, size_16) { .size = 16 };
FIXTURE_VARIANT_ADD(counters, size_33) { .size = 33 };
FIXTURE_VARIANT_ADD(counters, size_64) { .size = 64 };

FIXTURE_SETUP(counters)
{
	struct scatter_info info;

	ASSERT_EQ(0, device_info(&info));
	self->rendezvous = info.gather_limit + 1;
	ASSERT_TRUE(crew_form(&self->crew, variant->size, 0));
}

FIXTURE_TEARDOWN(counters)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* @total of STATUS; the operations that count are over at all members. */
static struct scatter_counters total(struct crew *crew)
{
	const struct seen *status = crew_seen(crew, 0);

	return status ? status->total : (struct scatter_counters){ .startups = ~0ULL };
}

/* What one operation of all members adds; @rounds is a maximum, no sum. */
static struct scatter_counters cost_of(struct __test_metadata *_metadata,
				       struct crew *crew,
				       const struct call *call)
{
	struct scatter_counters before = total(crew), after;

	EXPECT_TRUE(crew_runs(crew, call));
	after = total(crew);
	after.startups -= before.startups;
	after.edge_bytes -= before.edge_bytes;
	after.bytes_copied -= before.bytes_copied;
	after.pins -= before.pins;
	return after;
}

/* All that does not depend on who copied: edges, and what crossed them. */
static void edges_are_right(struct __test_metadata *_metadata,
			    struct crew *crew, const struct call *call,
			    __u64 blocks, unsigned int rounds)
{
	struct scatter_counters cost = cost_of(_metadata, crew, call);

	EXPECT_EQ(crew->size - 1ULL, cost.startups);
	EXPECT_EQ(blocks * call->block, cost.edge_bytes);
	EXPECT_EQ((__u64)rounds, cost.rounds);
	if (_metadata->passed)
		return;
	TH_LOG("op %u algorithm %u root %u block %llu size %u", call->op,
	       call->algorithm, call->root, call->block, crew->size);
}

static void edges_of_algorithm(struct __test_metadata *_metadata,
			       struct crew *crew, __u32 algorithm,
			       __u64 rendezvous, __u64 blocks,
			       unsigned int rounds)
{
	const __u32 roots[] = { 0, crew->size / 2, crew->size - 1 };
	struct call call = {
		.algorithm = algorithm, .timeout_ms = PATIENCE_MS,
	};
	unsigned int i;

	for (i = 0; i < 3 * 2 * 2; i++) {
		call.op = i % 2 ? SCATTER_OP_GATHER : SCATTER_OP_SCATTER;
		call.block = i / 2 % 2 ? rendezvous : EAGER;
		call.root = roots[i / 4];
		edges_are_right(_metadata, crew, &call, blocks, rounds);
	}
}

/* The hypercube first: its rounds are fewer, and rounds are a maximum. */
TEST_F(counters, startups_bytes_and_rounds_follow_the_formulas)
{
	const unsigned int p = variant->size;

	edges_of_algorithm(_metadata, &self->crew,
			   SCATTER_ALGORITHM_HYPERCUBE, self->rendezvous,
			   tree_blocks(p), log2_up(p));
	edges_of_algorithm(_metadata, &self->crew, SCATTER_ALGORITHM_LINEAR,
			   self->rendezvous, p - 1, p - 1);
}

/* plan_test knows which one. */
TEST_F(counters, auto_runs_linear_or_a_tree_between)
{
	const unsigned int p = variant->size;
	struct scatter_counters cost;
	struct call call = { .timeout_ms = PATIENCE_MS };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		call.op = i % 2 ? SCATTER_OP_GATHER : SCATTER_OP_SCATTER;
		call.block = i / 2 ? self->rendezvous : EAGER;
		cost = cost_of(_metadata, &self->crew, &call);
		EXPECT_EQ(p - 1ULL, cost.startups);
		EXPECT_LE((p - 1) * call.block, cost.edge_bytes);
		EXPECT_GE((i / 2 ? tree_blocks(p) : p - 1) * call.block,
			  cost.edge_bytes);
		EXPECT_TRUE(cost.rounds == p - 1 ||
			    (i / 2 && cost.rounds > 1 && cost.rounds <= log2_up(p)));
	}
}

/* "Every byte is copied once": but for the root's own block in place. */
TEST_F(counters, rendezvous_copies_every_byte_once)
{
	const __u64 m = self->rendezvous;
	const unsigned int p = variant->size;
	struct scatter_counters cost;
	struct call call = { .block = m, .timeout_ms = PATIENCE_MS };
	unsigned int i;

	for (i = 0; i < 2 * 3 * 2; i++) {
		call.op = i % 2 ? SCATTER_OP_GATHER : SCATTER_OP_SCATTER;
		call.flags = i / 2 % 2 ? SCATTER_COLL_IN_PLACE : 0;
		call.algorithm = i / 4;
		cost = cost_of(_metadata, &self->crew, &call);
		EXPECT_EQ((p - 1 + !call.flags) * m, cost.bytes_copied) {
			TH_LOG("op %u algorithm %u flags %u", call.op,
			       call.algorithm, call.flags);
		}
		if (p > 1)
			EXPECT_LT(0ULL, cost.pins);
	}
}

/* In and out of a ring; a pin costs more than that. */
TEST_F(counters, eager_auto_copies_no_byte_more_than_twice)
{
	const unsigned int p = variant->size;
	struct scatter_counters cost;
	struct call call = { .block = EAGER, .timeout_ms = PATIENCE_MS };
	unsigned int i;

	for (i = 0; i < 2 * 2; i++) {
		call.op = i % 2 ? SCATTER_OP_GATHER : SCATTER_OP_SCATTER;
		call.flags = i / 2 ? SCATTER_COLL_IN_PLACE : 0;
		cost = cost_of(_metadata, &self->crew, &call);
		EXPECT_LE((p - 1) * EAGER, cost.bytes_copied);
		EXPECT_GE(2 * (p - 1 + !call.flags) * EAGER, cost.bytes_copied);
	}
}

/* The schedule is the same, but no other process can read the block. */
TEST_F(counters, what_cannot_be_pinned_is_copied_twice)
{
	const __u64 m = self->rendezvous;
	const unsigned int p = variant->size;
	struct scatter_counters cost;
	struct call call = {
		.flags = SCATTER_COLL_IN_PLACE,
		.block = m,
		.timeout_ms = PATIENCE_MS,
	};
	unsigned int r;

	for (r = 0; r < p; r++) {
		ASSERT_EQ(0, worker_map(&self->crew.worker[r], send_area, (p + 1) * m,
					PROT_READ | PROT_WRITE, MAP_HOW_SECRET));
		ASSERT_EQ(0, worker_map(&self->crew.worker[r], recv_area, (p + 1) * m,
					PROT_READ | PROT_WRITE, MAP_HOW_SECRET));
	}
	for (call.op = SCATTER_OP_SCATTER; call.op <= SCATTER_OP_GATHER;
	     call.op++) {
		cost = cost_of(_metadata, &self->crew, &call);
		EXPECT_EQ(2 * (p - 1) * m, cost.bytes_copied);
		EXPECT_EQ(0ULL, cost.pins);
		EXPECT_EQ(p - 1ULL, cost.startups);
	}
}

TEST_F(counters, a_barrier_crosses_no_edge)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	struct scatter_counters cost;

	cost = cost_of(_metadata, &self->crew, &barrier);
	EXPECT_EQ(0ULL, cost.startups);
	EXPECT_EQ(0ULL, cost.edge_bytes);
	EXPECT_EQ(0ULL, cost.bytes_copied);
	EXPECT_EQ(0ULL, cost.rounds);
}

TEST_F(counters, of_the_members_sum_up_to_the_total)
{
	struct call call = { .block = 5000, .timeout_ms = PATIENCE_MS };
	const struct seen *status = NULL;
	struct scatter_counters sum = { 0 };
	unsigned int i, r;

	for (i = 0; i < 6; i++) {
		call.op = i % 2;
		call.algorithm = i / 2;
		ASSERT_TRUE(crew_runs(&self->crew, &call));
	}
	for (r = 0; r < variant->size; r++) {
		status = crew_seen(&self->crew, r);
		ASSERT_NE(NULL, status);
		sum.startups += status->own.startups;
		sum.edge_bytes += status->own.edge_bytes;
		sum.bytes_copied += status->own.bytes_copied;
		sum.pins += status->own.pins;
		if (status->own.rounds > sum.rounds)
			sum.rounds = status->own.rounds;
	}
	ASSERT_NE(NULL, status);
	EXPECT_EQ(sum.startups, status->total.startups);
	EXPECT_EQ(sum.edge_bytes, status->total.edge_bytes);
	EXPECT_EQ(sum.bytes_copied, status->total.bytes_copied);
	EXPECT_EQ(sum.pins, status->total.pins);
	EXPECT_EQ(sum.rounds, status->total.rounds);
}

/* A member that waits for a late one sleeps, and is woken. */
TEST(sleeps_and_wakeups_are_counted)
{
	const struct call call = patient_call(SCATTER_OP_BARRIER, 0, 0);
	const struct seen *status;
	struct scatter_counters before;
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 2, 0));
	before = total(&crew);
	crew_start(&crew, RANK(1), &call);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(1)));
	ASSERT_TRUE(crew_calls(&crew, RANK(0), &call));
	ASSERT_TRUE(crew_succeeds(&crew, RANK(1)));
	status = crew_seen(&crew, 1);
	ASSERT_NE(NULL, status);
	EXPECT_LE(1ULL, status->own.sleeps);
	EXPECT_LE(before.wakeups + 1, status->total.wakeups);
	EXPECT_TRUE(crew_end(&crew));
}

/* Tracepoints -------------------------------------------------------------- */

FIXTURE(trace)
{
	struct crew crew;
	struct event edges[64];
	bool on;
};

FIXTURE_VARIANT(trace)
{
	unsigned int size;
};

FIXTURE_VARIANT_ADD(trace, size_8) { .size = 8 };
FIXTURE_VARIANT_ADD(trace, size_7) { .size = 7 };
FIXTURE_VARIANT_ADD(trace, size_33) { .size = 33 };

FIXTURE_SETUP(trace)
{
	ASSERT_TRUE(crew_form(&self->crew, variant->size, 0));
	self->on = events_trace(EVENTS_EDGES);
}

FIXTURE_TEARDOWN(trace)
{
	if (self->on)
		EXPECT_TRUE(events_trace(NULL));
	EXPECT_TRUE(crew_end(&self->crew));
}

/* From root 0 the ranks count as they are named: the tree is known. */
TEST_F(trace, a_scatter_from_rank_0_crosses_the_edges_of_the_binomial_tree)
{
	const unsigned int p = variant->size;
	const struct call call = {
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE, .block = EAGER,
		.timeout_ms = PATIENCE_MS,
	};
	unsigned int i, low, n, seen = 0;
	struct event *edge;

	if (!self->on)
		SKIP(return, "no tracefs");
	ASSERT_TRUE(crew_runs(&self->crew, &call));
	n = edges_read(self->crew.name, 0, self->edges, 64);
	ASSERT_EQ(p - 1, n);
	for (i = 0; i < n; i++) {
		edge = &self->edges[i];
		low = lowest_bit(edge->to);
		EXPECT_EQ(SCATTER_OP_SCATTER, (int)edge->op);
		EXPECT_EQ(edge->to - low, edge->from);
		EXPECT_EQ(log2_up(p) - log2_up(low), edge->round);
		EXPECT_EQ(edge->to, edge->first);
		EXPECT_EQ(low < p - edge->to ? low : p - edge->to,
			  edge->count);
		EXPECT_EQ(edge->count * EAGER, edge->bytes);
		EXPECT_EQ(1, edge->payload);
		seen += edge->to;
	}
	EXPECT_EQ(p * (p - 1) / 2, seen);
}

/* The rules of every schedule, whatever the tree of another root is. */
static void rules_hold(struct __test_metadata *_metadata,
		       const struct event *edges, unsigned int n,
		       unsigned int root, bool gather)
{
	unsigned int round_of[64] = { 0 }, busy[64] = { 0 };
	unsigned int i, leaf, inner;

	for (i = 0; i < n; i++) {
		leaf = gather ? edges[i].from : edges[i].to;
		EXPECT_NE(root, leaf);
		/* One bundle in a scatter, one out in a gather, for each. */
		EXPECT_EQ(0U, round_of[leaf]);
		round_of[leaf] = edges[i].round;
	}
	for (i = 0; i < n; i++) {
		leaf = gather ? edges[i].from : edges[i].to;
		inner = gather ? edges[i].to : edges[i].from;
		/* Received before it is sent on. */
		if (inner != root)
			EXPECT_TRUE(gather ?
				    round_of[inner] > edges[i].round :
				    round_of[inner] < edges[i].round);
		/* At most one transfer a round. */
		EXPECT_EQ(0U, (busy[leaf] | busy[inner]) >> edges[i].round & 1);
		busy[leaf] |= 1U << edges[i].round;
		busy[inner] |= 1U << edges[i].round;
	}
}

TEST_F(trace, every_root_and_op_keeps_the_rules_of_a_schedule)
{
	const unsigned int p = variant->size;
	struct call call = {
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
		.timeout_ms = PATIENCE_MS,
	};
	unsigned long long blocks, number = 0;
	unsigned int i, n;

	if (!self->on)
		SKIP(return, "no tracefs");
	for (call.root = 0; call.root < p; call.root += 1 + p / 8) {
		call.op = number % 2 ? SCATTER_OP_GATHER : SCATTER_OP_SCATTER;
		call.block = number / 2 % 2 ? 100000 : EAGER;
		ASSERT_TRUE(crew_runs(&self->crew, &call));
		n = edges_read(self->crew.name, number++, self->edges, 64);
		ASSERT_EQ(p - 1, n);
		blocks = 0;
		for (i = 0; i < n; i++) {
			blocks += self->edges[i].count;
			EXPECT_GE(log2_up(p), self->edges[i].round);
			if (call.block > EAGER)
				EXPECT_EQ(0, self->edges[i].payload);
		}
		EXPECT_EQ(tree_blocks(p), blocks);
		rules_hold(_metadata, self->edges, n, call.root,
			   call.op == SCATTER_OP_GATHER);
	}
}

TEST_HARNESS_MAIN
