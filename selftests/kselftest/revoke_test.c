// SPDX-License-Identifier: GPL-2.0
/* REVOKE, at every stage: everybody who has not returned gets ECANCELED. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "race.h"
#include "sample.h"
#include "regroup.h"

#define SIZE		4
#define EVERYBODY	RANKS(0, SIZE - 1)
#define EAGER		64ULL
#define LARGE		(1ULL << 20)
/* Of each call. */
#define STORMS		30

static int revoke_call(int fd)
{
	struct scatter_revoke revoke = { .size = sizeof(revoke) };

	return device_call(fd, SCATTER_IOCTL_REVOKE, &revoke);
}

FIXTURE(revoke)
{
	struct crew crew;
	int fd;	/* of rank 3, in this process */
};

FIXTURE_SETUP(revoke)
{
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	self->fd = worker_borrow(&self->crew.worker[3]);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(revoke)
{
	close(self->fd);
	EXPECT_TRUE(crew_end(&self->crew));
}

static bool revokes(struct crew *crew, unsigned int rank)
{
	return !worker_do(&crew->worker[rank], task_revoke, NULL);
}

/* Later operations fail as well, and STATUS and poll() tell. */
static bool is_revoked(struct crew *crew, int fd, unsigned int rank)
{
	return crew_is_broken(crew, EVERYBODY, ECANCELED, rank) &&
	       events_of(fd, 0) == (POLLOUT | POLLPRI | POLLERR | POLLHUP);
}

static const struct call calls[] = {
	{ .op = SCATTER_OP_BARRIER },
	{ .op = SCATTER_OP_SCATTER, .block = EAGER, .root = 3 },
	{ .op = SCATTER_OP_GATHER, .block = LARGE, .root = 1 },
	{ .op = SCATTER_OP_SCATTERV, .block = LARGE, .root = 3 },
	{ .op = SCATTER_OP_GATHERV, .block = LARGE, .root = 1 },
	{ .op = SCATTER_OP_SCATTER, .block = EAGER, .root = 3,
	  .algorithm = SCATTER_ALGORITHM_OR_BROADCAST },
};

/* All wait for rank 3: in a gather only the root, since it takes the others' blocks. */
TEST_F(revoke, ends_every_wait)
{
	struct call call;
	unsigned int i;
	__u64 ranks;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		call = calls[i];
		call.timeout_ms = PATIENCE_MS;
		ranks = call.root == 1 ? RANK(1) : RANKS(1, 2);
		crew_start(&self->crew, ranks, &call);
		ASSERT_TRUE(crew_sleeps(&self->crew, ranks));
		EXPECT_TRUE(revokes(&self->crew, i % 2 ? 3 : 0));
		EXPECT_TRUE(crew_fails(&self->crew, ranks, ECANCELED,
				       i % 2 ? 3 : 0)) {
			TH_LOG("call %u", i);
		}
		EXPECT_TRUE(is_revoked(&self->crew, self->fd, i % 2 ? 3 : 0));
		close(self->fd);
		EXPECT_TRUE(crew_end(&self->crew));
		ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
		self->fd = worker_borrow(&self->crew.worker[3]);
		ASSERT_LE(0, self->fd);
	}
}

TEST_F(revoke, ends_the_own_operation_in_another_thread)
{
	const struct call call = { .op = SCATTER_OP_BARRIER };
	struct worker thread;

	ASSERT_TRUE(worker_thread(&thread, &self->crew.worker[1]));
	crew_start(&self->crew, RANK(1), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(1)));
	EXPECT_EQ(0, worker_do(&thread, task_revoke, NULL));
	EXPECT_TRUE(crew_fails(&self->crew, RANK(1), ECANCELED, 1));
	EXPECT_TRUE(is_revoked(&self->crew, self->fd, 1));
}

/* A second REVOKE does not wake a member that waits in SHRINK. */
TEST_F(revoke, twice_wakes_nobody)
{
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);
	const struct seen *status;
	struct crew *crew = &self->crew;
	__u64 wakeups;

	ASSERT_TRUE(revokes(crew, 1));
	crew_regroup_start(crew, RANK(0) | RANK(2), &shrink);
	ASSERT_TRUE(crew_sleeps_in(crew, RANK(0) | RANK(2), SCATTER_IOCTL_REGROUP));
	status = crew_seen(crew, 1);
	ASSERT_NE(NULL, status);
	wakeups = status->total.wakeups;
	EXPECT_TRUE(revokes(crew, 1));
	EXPECT_TRUE(revokes(crew, 3));
	status = crew_seen(crew, 1);
	ASSERT_NE(NULL, status);
	EXPECT_EQ(wakeups, status->total.wakeups);
	worker_signal(&crew->worker[0], SIGUSR1);
	worker_signal(&crew->worker[2], SIGUSR1);
	EXPECT_TRUE(crew_regroup_fails(crew, RANK(0) | RANK(2), EINTR, SCATTER_RANK_ANY));
}

TEST_F(revoke, is_not_for_another_process)
{
	const struct call call = patient_call(SCATTER_OP_BARRIER, 0, 0);

	EXPECT_EQ(-EIO, revoke_call(self->fd));
	EXPECT_TRUE(crew_runs(&self->crew, &call));
}

TEST(a_group_that_is_not_complete_cannot_be_revoked)
{
	struct scatter_join join;
	int fd = device_open(O_NONBLOCK);
	char name[SCATTER_NAME_MAX];

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOTCONN, revoke_call(fd));
	name_make(name, "revoke");
	join = join_of(name, 2, SCATTER_RANK_ANY);
	ASSERT_EQ(-EINPROGRESS, device_call(fd, SCATTER_IOCTL_JOIN, &join));
	EXPECT_EQ(-EINPROGRESS, revoke_call(fd));
	close(fd);
}

/*
 * All but @revoker call, which revokes @us later; each has all of its data, or ECANCELED.
 * Returns how many have their data.
 */
static unsigned int revoke_in_the_midst(struct __test_metadata *_metadata,
					const struct call *call, unsigned int revoker,
					unsigned int us)
{
	unsigned int r, done = 0;
	struct worker *worker;
	struct crew crew;

	EXPECT_TRUE(crew_form(&crew, SIZE, 0));
	crew_start(&crew, EVERYBODY & ~RANK(revoker), call);
	nap_us(us);
	EXPECT_TRUE(revokes(&crew, revoker));
	for (r = 0; r < SIZE; r++) {
		worker = &crew.worker[r];
		if (r == revoker)
			continue;
		worker_finish(worker);
		done += !worker->reply.result;
		if (worker->reply.result == -ECANCELED)
			continue;
		EXPECT_EQ(0, worker->reply.result);
		EXPECT_TRUE(worker->reply.args.call.intact);
	}
	EXPECT_TRUE(crew_end(&crew));
	return done;
}

/* Whether members can complete it without one that is not its root. */
static bool needs_all(const struct call *call)
{
	return call->op == SCATTER_OP_BARRIER || call->algorithm;
}

TEST(a_storm_of_revokes_tears_nothing)
{
	const unsigned int storms = sample_rounds(STORMS);
	unsigned int i, revoker, done;
	struct call call;

	srand(1);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		struct race race = { .us = 500 };

		call = calls[i];
		call.timeout_ms = PATIENCE_MS;
		while (needs_all(&call) ? race.rounds < storms : race_goes_on(&race, STORMS)) {
			call.seed = race.rounds;
			revoker = (call.root + 1 + race.rounds % (SIZE - 1)) % SIZE;
			done = revoke_in_the_midst(_metadata, &call, revoker, race_us(&race));
			if (needs_all(&call)) {
				ASSERT_EQ(0U, done);
				race.rounds++;
			} else {
				race_note(&race, done < SIZE - 1, done);
			}
		}
		EXPECT_TRUE(needs_all(&call) || race_was_seen(&race));
	}
}

TEST_HARNESS_MAIN
