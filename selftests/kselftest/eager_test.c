// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters eager_limit and gather_limit: how long a bundle may be to travel as payload.
 */
#include <sched.h>

#include "crew.h"
#include "events.h"
#include "harness.h"

/* More members than CPUs, and a power of two. */
static unsigned int many(void)
{
	cpu_set_t set;
	unsigned int n = 4;

	if (!sched_getaffinity(0, sizeof(set), &set))
		while (n <= (unsigned int)CPU_COUNT(&set) && n < CREW_MAX)
			n *= 2;
	return n;
}

FIXTURE(eager)
{
	struct crew crew;
	struct event edges[CREW_MAX];
	unsigned long long number;
};

/* @many: more members than CPUs, else two; @limit: the longest bundle that is payload */
FIXTURE_VARIANT(eager)
{
	const char *eager_limit, *gather_limit;
	bool many;
	__u32 op;
	__u32 limit;
};

FIXTURE_VARIANT_ADD(eager, scatter) {
	.eager_limit = "4096", .gather_limit = "16384",
	.op = SCATTER_OP_SCATTER, .limit = 4096,
};

FIXTURE_VARIANT_ADD(eager, scatter_of_many) {
	.eager_limit = "4096", .gather_limit = "16384", .many = true,
	.op = SCATTER_OP_SCATTER, .limit = 4096,
};

FIXTURE_VARIANT_ADD(eager, gather) {
	.eager_limit = "4096", .gather_limit = "16384",
	.op = SCATTER_OP_GATHER, .limit = 4096,
};

FIXTURE_VARIANT_ADD(eager, gather_of_many) {
	.eager_limit = "4096", .gather_limit = "16384", .many = true,
	.op = SCATTER_OP_GATHER, .limit = 16384,
};

FIXTURE_VARIANT_ADD(eager, lower_gather_limit) {
	.eager_limit = "4096", .gather_limit = "1024", .many = true,
	.op = SCATTER_OP_GATHER, .limit = 4096,
};

FIXTURE_VARIANT_ADD(eager, no_eager_limit) {
	.eager_limit = "0", .gather_limit = "16384", .many = true,
	.op = SCATTER_OP_GATHER, .limit = 0,
};

FIXTURE_VARIANT_ADD(eager, no_eager_scatter) {
	.eager_limit = "0", .gather_limit = "16384",
	.op = SCATTER_OP_SCATTER, .limit = 0,
};

/* The parameters are frozen when the group forms, and set back then. */
FIXTURE_SETUP(eager)
{
	struct scatter_info info;
	char eager[16], gather[16];

	ASSERT_EQ(0, device_info(&info));
	snprintf(eager, sizeof(eager), "%u", info.eager_limit);
	snprintf(gather, sizeof(gather), "%u", info.gather_limit);
	ASSERT_EQ(0, parameter_write("eager_limit", variant->eager_limit));
	ASSERT_EQ(0, parameter_write("gather_limit", variant->gather_limit));
	EXPECT_TRUE(crew_form(&self->crew, variant->many ? many() : 2, 0));
	EXPECT_EQ(0, parameter_write("eager_limit", eager));
	EXPECT_EQ(0, parameter_write("gather_limit", gather));
	ASSERT_TRUE(events_trace(EVENTS_EDGES));
}

FIXTURE_TEARDOWN(eager)
{
	EXPECT_TRUE(events_trace(NULL));
	EXPECT_TRUE(crew_end(&self->crew));
}

/* All edges of an operation with @blocks in the bundle carry payload, or none does. */
static void edges_carry(struct __test_metadata *_metadata,
			FIXTURE_DATA(eager) *self,
			const struct call *call, unsigned int blocks, int payload)
{
	unsigned int i, n, seen = 0;

	ASSERT_TRUE(crew_runs(&self->crew, call));
	n = edges_read(self->crew.name, self->number++, self->edges, CREW_MAX);
	ASSERT_EQ(self->crew.size - 1, n);
	for (i = 0; i < n; i++) {
		if (self->edges[i].count != blocks)
			continue;
		seen++;
		EXPECT_EQ(payload, self->edges[i].payload) {
			TH_LOG("%u blocks of %llu", blocks, call->block);
		}
	}
	EXPECT_LT(0U, seen);
}

TEST_F(eager, a_bundle_is_payload_up_to_the_limit)
{
	struct call call = {
		.op = variant->op, .algorithm = SCATTER_ALGORITHM_LINEAR,
		.timeout_ms = PATIENCE_MS,
	};

	if (variant->limit) {
		call.block = variant->limit;
		edges_carry(_metadata, self, &call, 1, 1);
	}
	call.block = variant->limit + 1;
	edges_carry(_metadata, self, &call, 1, 0);
}

/* Half of the blocks cross one edge together. */
TEST_F(eager, it_is_the_bundle_that_counts)
{
	const unsigned int half = self->crew.size / 2;
	struct call call = {
		.op = variant->op, .algorithm = SCATTER_ALGORITHM_HYPERCUBE,
		.timeout_ms = PATIENCE_MS,
	};

	if (variant->limit) {
		call.block = variant->limit / half;
		edges_carry(_metadata, self, &call, half, 1);
	}
	call.block = variant->limit / half + 1;
	edges_carry(_metadata, self, &call, half, 0);
}

TEST_F(eager, status_tells_what_is_frozen)
{
	const struct seen *status = crew_seen(&self->crew, 0);

	ASSERT_NE(NULL, status);
	EXPECT_EQ((unsigned int)atoi(variant->eager_limit), status->eager_limit);
	if (variant->op == SCATTER_OP_GATHER)
		EXPECT_EQ(variant->limit, status->gather_limit);
}

TEST_HARNESS_MAIN
