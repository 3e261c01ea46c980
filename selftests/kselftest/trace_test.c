// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints tell what happened: no more, no less.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "events.h"
#include "harness.h"

#define SIZE		6U
#define ALL		RANKS(0, SIZE - 1)
#define OPERATIONS	3U
#define NOBODY		SCATTER_RANK_ANY
#define MOST_CROSSINGS	4096U

/* What the events of a group come to. */
struct story {
	unsigned int joins[SIZE], formed, formed_rank;
	unsigned int died[SIZE], left[SIZE];
	unsigned int posts[OPERATIONS][SIZE], pauses[OPERATIONS][SIZE];
	unsigned int completes[OPERATIONS][SIZE];
	unsigned int wakes[SIZE], sends, receives, lost, unknown;
	unsigned long long pages, edge_bytes;
	struct event post, end;		/* the last of each */
	unsigned int crossings;
	struct event crossing[MOST_CROSSINGS];
};

static bool same_crossing(const struct event *a, const struct event *b)
{
	return a->number == b->number && a->from == b->from && a->to == b->rank &&
	       a->round == b->round && a->first == b->first &&
	       a->count == b->count;
}

static void sent(struct story *story, const struct event *event)
{
	story->sends++;
	story->edge_bytes += event->bytes;
	if (story->crossings < MOST_CROSSINGS)
		story->crossing[story->crossings++] = *event;
}

/* Each receive has a send of its own before it. */
static void received(struct story *story, const struct event *event)
{
	unsigned int i;

	story->receives++;
	for (i = 0; i < story->crossings; i++) {
		if (!same_crossing(&story->crossing[i], event))
			continue;
		story->crossing[i] = story->crossing[--story->crossings];
		return;
	}
	story->lost++;
}

static bool is(const struct event *event, const char *name)
{
	return !strcmp(event->name, name);
}

static void told_of_call(struct story *story, const struct event *event)
{
	unsigned int number = event->number;

	if (event->rank >= SIZE || number >= OPERATIONS) {
		story->unknown++;
	} else if (is(event, "post")) {
		story->posts[number][event->rank]++;
		story->post = *event;
	} else if (is(event, "pause")) {
		story->pauses[number][event->rank]++;
	} else if (is(event, "complete")) {
		story->completes[number][event->rank]++;
		story->end = *event;
	} else if (!is(event, "copy")) {
		story->unknown++;
	}
}

static void told(const struct event *event, void *data)
{
	struct story *story = data;
	unsigned int rank = event->rank < SIZE ? event->rank : 0;

	if (is(event, "join")) {
		story->joins[rank]++;
		story->formed += event->formed;
		if (event->formed)
			story->formed_rank = rank;
	} else if (is(event, "death")) {
		story->left[rank] += event->left;
		story->died[rank] += !event->left;
	} else if (is(event, "edge")) {
		sent(story, event);
	} else if (is(event, "receive")) {
		received(story, event);
	} else if (is(event, "wake")) {
		story->wakes[rank]++;
	} else if (is(event, "pin")) {
		story->pages += event->pages;
	} else if (!is(event, "watch")) {
		/* Looks at processes are of the group; stuck_test counts them. */
		told_of_call(story, event);
	}
}

FIXTURE(trace)
{
	struct crew crew;
	struct story story;
};

FIXTURE_VARIANT(trace)
{
	struct call call;
};

FIXTURE_VARIANT_ADD(trace, scatter) {
	.call = { .op = SCATTER_OP_SCATTER, .block = 64, .root = 1 },
};

FIXTURE_VARIANT_ADD(trace, scatter_large) {
	.call = { .op = SCATTER_OP_SCATTER, .block = 3 << 20 },
};

FIXTURE_VARIANT_ADD(trace, scatter_hypercube) {
	.call = {
		.op = SCATTER_OP_SCATTER, .block = 100000,
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	},
};

FIXTURE_VARIANT_ADD(trace, gather) {
	.call = { .op = SCATTER_OP_GATHER, .block = 64, .root = 5 },
};

FIXTURE_VARIANT_ADD(trace, gather_large) {
	.call = {
		.op = SCATTER_OP_GATHER, .block = 1 << 20, .root = 2,
		.flags = SCATTER_COLL_UNIFORM | SCATTER_COLL_DEADLINE_ALL,
	},
};

FIXTURE_VARIANT_ADD(trace, scatterv) {
	.call = { .op = SCATTER_OP_SCATTERV, .block = 3000 },
};

FIXTURE_VARIANT_ADD(trace, gatherv) {
	.call = {
		.op = SCATTER_OP_GATHERV, .block = 90000,
		.algorithm = SCATTER_ALGORITHM_IRREGULAR,
	},
};

FIXTURE_VARIANT_ADD(trace, barrier) {
	.call = { .op = SCATTER_OP_BARRIER },
};

/* The places of its schedule are not the ranks of the group. */
FIXTURE_VARIANT_ADD(trace, scatter_across) {
	.call = {
		.op = SCATTER_OP_SCATTER, .block = 40000, .root = 1,
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE, .sides = { 2, 4 },
	},
};

FIXTURE_VARIANT_ADD(trace, gather_across) {
	.call = {
		.op = SCATTER_OP_GATHER, .block = 64, .root = 5,
		.algorithm = SCATTER_ALGORITHM_BALANCED, .sides = { 3, 3 },
	},
};

FIXTURE_VARIANT_ADD(trace, combining) {
	.call = {
		.op = SCATTER_OP_GATHER, .block = 40000,
		.algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
	},
};

FIXTURE_SETUP(trace)
{
	struct scatter_join like = join_of("", SIZE, 0);

	like.sides[0] = variant->call.sides[0];
	like.sides[1] = variant->call.sides[1];
	if (!events_trace(EVENTS_ALL))
		SKIP(return, "this kernel has no tracing");
	ASSERT_TRUE(crew_form_like(&self->crew, &like));
}

FIXTURE_TEARDOWN(trace)
{
	EXPECT_TRUE(events_trace(NULL));
	EXPECT_TRUE(crew_end(&self->crew));
}

/* Only the side of an inter-group that is not the root's has blocks. */
static __u64 block_of(const struct call *call, unsigned int rank)
{
	const unsigned int near = call->sides[0];
	const bool beside = rank < near ? call->root < near : call->root >= near;

	if (near && beside)
		return 0;
	return block_bytes(call->op, call->block, rank);
}

TEST_F(trace, it_tells_all_of_operations)
{
	const struct call *call = &variant->call;
	struct crew *crew = &self->crew;
	struct story *story = &self->story;
	const struct seen *status;
	unsigned int i, r, wakes = 0;

	for (i = 0; i < OPERATIONS; i++)
		ASSERT_TRUE(crew_runs(crew, call));
	status = crew_seen(crew, 0);
	ASSERT_NE(NULL, status);
	ASSERT_LT(0U, events_read(crew->name, told, story));
	for (r = 0; r < SIZE; r++) {
		EXPECT_EQ(1U, story->joins[r]);
		EXPECT_EQ(0U, story->died[r] + story->left[r]);
		wakes += story->wakes[r];
		for (i = 0; i < OPERATIONS; i++) {
			EXPECT_EQ(1U, story->posts[i][r]);
			EXPECT_EQ(1U, story->completes[i][r]);
			EXPECT_EQ(0U, story->pauses[i][r]);
		}
	}
	EXPECT_EQ(1U, story->formed);
	EXPECT_EQ(0U, story->unknown);
	EXPECT_EQ(status->total.startups, story->sends);
	EXPECT_EQ(status->total.startups, story->receives);
	EXPECT_EQ(status->total.edge_bytes, story->edge_bytes);
	EXPECT_EQ(0U, story->crossings + story->lost);
	EXPECT_EQ(status->total.pins, story->pages);
	EXPECT_EQ(status->total.wakeups, wakes);
	EXPECT_EQ(call->op, story->post.op);
	EXPECT_EQ(call->root, story->post.root);
	EXPECT_EQ(call->algorithm, story->post.algorithm);
	EXPECT_EQ(call->flags, story->post.flags);
	EXPECT_EQ(block_of(call, story->post.rank), story->post.block);
	EXPECT_EQ(0, story->end.error);
	EXPECT_EQ(NOBODY, story->end.culprit);
}

FIXTURE(end)
{
	struct crew crew;
	struct story story;
};

FIXTURE_SETUP(end)
{
	if (!events_trace(EVENTS_ALL))
		SKIP(return, "this kernel has no tracing");
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(end)
{
	EXPECT_TRUE(events_trace(NULL));
	EXPECT_TRUE(crew_end(&self->crew));
}

/* One is interrupted and resumes; one dies while two are inside; one leaves. */
TEST_F(end, it_tells_of_pauses_and_of_the_end)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	struct crew *crew = &self->crew;
	struct story *story = &self->story;
	unsigned int r;

	crew_start(crew, RANK(1), &barrier);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	worker_signal(&crew->worker[1], SIGUSR1);
	ASSERT_TRUE(crew_fails(crew, RANK(1), EINTR, NOBODY));
	crew_start(crew, ALL & ~RANK(1), &barrier);
	ASSERT_EQ(0, crew_resume(crew, 1, &barrier));
	ASSERT_TRUE(crew_succeeds(crew, ALL & ~RANK(1)));
	crew_start(crew, RANKS(2, 3), &barrier);
	ASSERT_TRUE(crew_sleeps(crew, RANKS(2, 3)));
	ASSERT_TRUE(worker_end(&crew->worker[4]));
	ASSERT_TRUE(crew_fails(crew, RANKS(2, 3), ECONNRESET, 4));
	ASSERT_EQ(0, worker_do(&crew->worker[5], task_leave, NULL));
	events_read(crew->name, told, story);
	for (r = 0; r < SIZE; r++) {
		bool inside = r == 2 || r == 3;

		EXPECT_EQ(1U, story->posts[0][r]);
		EXPECT_EQ(1U, story->completes[0][r]);
		EXPECT_EQ(r == 1 ? 1U : 0U, story->pauses[0][r]);
		EXPECT_EQ(inside ? 1U : 0U, story->posts[1][r]);
		EXPECT_EQ(inside ? 1U : 0U, story->completes[1][r]);
		EXPECT_EQ(0U, story->pauses[1][r]);
		EXPECT_EQ(r == 4 ? 1U : 0U, story->died[r]);
		EXPECT_EQ(r == 5 ? 1U : 0U, story->left[r]);
	}
	EXPECT_EQ(ECONNRESET, story->end.error);
	EXPECT_EQ(4, story->end.culprit);
	EXPECT_EQ(0U, story->unknown);
}

TEST_HARNESS_MAIN
