// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of Documentation/failures.rst that no other test shows: events that meet each
 * other.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "regroup.h"

#define SIZE		4U
#define EVERYBODY	RANKS(0, SIZE - 1)
#define EAGER		64ULL
#define LARGE		300001ULL

FIXTURE(failures)
{
	struct crew crew;
};

FIXTURE_SETUP(failures)
{
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(failures)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* Deaths, and what waits for those who are left ---------------------------------- */

/*
 * Rank 3 dies before a gather to rank 0; ranks 1 and 2 are done with that, and wait for rank 0
 * in the next operation, which needs nothing of rank 3.
 */
static bool leave_behind(struct crew *crew, const struct call *next)
{
	const struct call gather = {
		.op = SCATTER_OP_GATHER, .block = EAGER, .seed = 1,
		.timeout_ms = PATIENCE_MS,
	};

	if (!crew_calls(crew, RANKS(1, 2), &gather))
		return false;
	crew_start(crew, RANKS(1, 2), next);
	if (!crew_sleeps(crew, RANKS(1, 2)) || !worker_end(&crew->worker[3]))
		return false;
	crew_start(crew, RANK(0), &gather);
	return crew_fails(crew, RANK(0), ECONNRESET, 3);
}

TEST_F(failures, a_revoke_after_a_death_ends_what_waits_for_survivors)
{
	const struct call next = {
		.op = SCATTER_OP_SCATTER, .block = EAGER, .seed = 2,
		.timeout_ms = PATIENCE_MS,
	};

	ASSERT_TRUE(leave_behind(&self->crew, &next));
	EXPECT_EQ(0, worker_do(&self->crew.worker[0], task_revoke, NULL));
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(1, 2), ECANCELED, 0));
	crew_start(&self->crew, RANK(0), &next);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0), ECANCELED, 0));
	/* The group has been broken by the death, and stays so. */
	crew_start(&self->crew, RANKS(0, 2), &next);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, 2), ECONNRESET, 3));
	EXPECT_TRUE(crew_shrink(&self->crew, RANKS(0, 2)));
}

TEST_HARNESS_MAIN
