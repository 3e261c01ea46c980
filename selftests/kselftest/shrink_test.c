// SPDX-License-Identifier: GPL-2.0
/* SHRINK, AGREE and GET_FAILED: what survivors do. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "race.h"
#include "regroup.h"

#define SIZE		6
#define EVERYBODY	RANKS(0, SIZE - 1)
#define MANY		16

static const struct call barrier = {
	.op = SCATTER_OP_BARRIER, .timeout_ms = PATIENCE_MS,
};

static const struct call scatter = {
	.op = SCATTER_OP_SCATTER, .block = 100000, .root = 1, .seed = 7,
	.timeout_ms = PATIENCE_MS,
};

static const __u64 values[MANY] = {
	0xff0f, 0xf7ff, 0xffff, 0xfff3, ~0ULL, 0xffff,
};

FIXTURE(shrink)
{
	struct crew crew;
};

FIXTURE_SETUP(shrink)
{
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(shrink)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F(shrink, of_a_whole_group_is_a_copy)
{
	EXPECT_TRUE(crew_shrink(&self->crew, EVERYBODY));
	EXPECT_TRUE(crew_runs(&self->crew, &scatter));
}

TEST_F(shrink, survivors_go_on_with_dense_ranks)
{
	ASSERT_TRUE(worker_end(&self->crew.worker[0]));
	/* Wait until the node of rank 1 knows that rank 0 is dead, before rank 3 dies. */
	crew_start(&self->crew, RANK(1), &barrier);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(1), ECONNRESET, 0));
	ASSERT_TRUE(worker_end(&self->crew.worker[3]));
	EXPECT_TRUE(crew_shrink(&self->crew, RANKS(1, 2) | RANKS(4, 5)));
	EXPECT_EQ(4U, self->crew.size);
	EXPECT_TRUE(crew_runs(&self->crew, &scatter));
	/* And once more. */
	ASSERT_TRUE(worker_end(&self->crew.worker[3]));
	EXPECT_TRUE(crew_shrink(&self->crew, RANKS(0, 2)));
	EXPECT_TRUE(crew_runs(&self->crew, &scatter));
}

TEST_F(shrink, does_not_wait_for_who_dies_or_leaves_meanwhile)
{
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);
	const __u64 rest = RANKS(0, 1) | RANK(5);

	crew_regroup_start(&self->crew, rest | RANK(2), &shrink);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, rest | RANK(2),
				   SCATTER_IOCTL_REGROUP));
	/* One inside, one outside, one that leaves. */
	ASSERT_TRUE(worker_end(&self->crew.worker[2]));
	ASSERT_TRUE(worker_end(&self->crew.worker[3]));
	ASSERT_TRUE(crew_sleeps_in(&self->crew, rest, SCATTER_IOCTL_REGROUP));
	EXPECT_EQ(0, worker_do(&self->crew.worker[4], task_leave, NULL));
	EXPECT_TRUE(worker_end(&self->crew.worker[4]));
	EXPECT_TRUE(crew_adopt(&self->crew, rest));
	EXPECT_TRUE(crew_runs(&self->crew, &scatter));
}

/* SHRINK works in the midst of other operations, even if one is paused. */
TEST_F(shrink, after_a_revoke)
{
	struct call soon = scatter;

	soon.timeout_ms = 1;
	crew_start(&self->crew, RANK(0), &soon);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0), ETIMEDOUT, SCATTER_RANK_ANY));
	crew_start(&self->crew, RANKS(2, 3), &scatter);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANKS(2, 3)));
	EXPECT_EQ(0, worker_do(&self->crew.worker[4], task_revoke, NULL));
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(2, 3), ECANCELED, 4));
	EXPECT_TRUE(crew_shrink(&self->crew, EVERYBODY));
	EXPECT_TRUE(crew_runs(&self->crew, &scatter));
}

TEST_F(shrink, the_last_one_is_alone)
{
	unsigned int r;

	for (r = 0; r < SIZE - 1; r++)
		ASSERT_TRUE(worker_end(&self->crew.worker[r]));
	EXPECT_TRUE(crew_shrink(&self->crew, RANK(SIZE - 1)));
	EXPECT_TRUE(crew_runs(&self->crew, &barrier));
}

TEST_F(shrink, given_up_it_counts_as_not_called)
{
	struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);

	shrink.deadline_ns = 1;
	crew_regroup_start(&self->crew, RANK(0), &shrink);
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANK(0), ETIMEDOUT,
				       SCATTER_RANK_ANY));
	/* Nothing is paused: anything may be called. */
	EXPECT_TRUE(crew_runs(&self->crew, &barrier));
	shrink.deadline_ns = 0;
	crew_regroup_start(&self->crew, RANKS(0, 4), &shrink);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, RANKS(0, 4), SCATTER_IOCTL_REGROUP));
	worker_signal(&self->crew.worker[1], SIGUSR1);
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANK(1), EINTR,
				       SCATTER_RANK_ANY));
	crew_regroup_start(&self->crew, RANK(5), &shrink);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, RANK(5), SCATTER_IOCTL_REGROUP));
	crew_regroup_start(&self->crew, RANK(1), &shrink);
	EXPECT_TRUE(crew_adopt(&self->crew, EVERYBODY));
}

TEST_F(shrink, agree_is_the_and_of_all)
{
	crew_agree_start(&self->crew, EVERYBODY, values);
	EXPECT_TRUE(crew_agrees(&self->crew, EVERYBODY, 0, 0xf703, 0,
				SCATTER_RANK_ANY));
	crew_agree_start(&self->crew, EVERYBODY, values);
	EXPECT_TRUE(crew_agrees(&self->crew, EVERYBODY, 0, 0xf703, 0,
				SCATTER_RANK_ANY));
}

TEST_F(shrink, agree_fails_until_all_have_acknowledged)
{
	const __u64 rest = EVERYBODY & ~RANK(1) & ~RANK(3);

	ASSERT_TRUE(worker_end(&self->crew.worker[3]));
	ASSERT_TRUE(worker_end(&self->crew.worker[1]));
	crew_agree_start(&self->crew, rest, values);
	EXPECT_TRUE(crew_agrees(&self->crew, rest, ECONNRESET, 0xff0f, 2, 1));
	/* All but one. */
	EXPECT_TRUE(crew_acknowledges(&self->crew, rest & ~RANK(5), 2));
	crew_agree_start(&self->crew, rest, values);
	EXPECT_TRUE(crew_agrees(&self->crew, rest, ECONNRESET, 0xff0f, 2, 1));
	EXPECT_TRUE(crew_acknowledges(&self->crew, RANK(5), 2));
	crew_agree_start(&self->crew, rest, values);
	EXPECT_TRUE(crew_agrees(&self->crew, rest, 0, 0xff0f, 2,
				SCATTER_RANK_ANY));
	/* The next one. */
	EXPECT_EQ(0, worker_do(&self->crew.worker[0], task_leave, NULL));
	crew_agree_start(&self->crew, rest & ~RANK(0), values);
	EXPECT_TRUE(crew_agrees(&self->crew, rest & ~RANK(0), ESHUTDOWN, 0xffff,
				3, 0));
}

TEST_F(shrink, agree_with_who_is_left)
{
	crew_agree_start(&self->crew, RANKS(0, 4), values);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, RANKS(0, 4), SCATTER_IOCTL_AGREE));
	/* The contribution of a dead member counts no more. */
	ASSERT_TRUE(worker_end(&self->crew.worker[0]));
	ASSERT_TRUE(worker_end(&self->crew.worker[5]));
	EXPECT_TRUE(crew_agrees(&self->crew, RANKS(1, 4), ECONNRESET, 0xf7f3, 2,
				0));
}

TEST_F(shrink, status_names_who_is_waited_for)
{
	struct seen status;
	int fd = worker_borrow(&self->crew.worker[2]);

	ASSERT_LE(0, fd);
	ASSERT_TRUE(worker_end(&self->crew.worker[4]));
	crew_agree_start(&self->crew, RANKS(1, 3), values);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, RANKS(1, 3), SCATTER_IOCTL_AGREE));
	ASSERT_EQ(0, status_of(fd, &status));
	EXPECT_EQ(2U, mask_count(status.missing));
	EXPECT_TRUE(mask_has(status.missing, 0));
	EXPECT_TRUE(mask_has(status.missing, 5));
	crew_agree_start(&self->crew, RANK(0) | RANK(5), values);
	EXPECT_TRUE(crew_agrees(&self->crew, RANKS(0, 3) | RANK(5), ECONNRESET,
				0xf703, 1, 4));
	ASSERT_EQ(0, status_of(fd, &status));
	EXPECT_EQ(0U, mask_count(status.missing));
	close(fd);
}

TEST_F(shrink, one_that_agrees_meanwhile_is_named)
{
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);

	crew_regroup_start(&self->crew, RANKS(0, 3), &shrink);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, RANKS(0, 3), SCATTER_IOCTL_REGROUP));
	crew_agree_start(&self->crew, RANK(4), values);
	EXPECT_TRUE(crew_agrees(&self->crew, RANK(4), EPROTO, ~0ULL, 0, 4));
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANKS(0, 3), EPROTO, 4));
	/* A late member gets the same, */
	crew_regroup_start(&self->crew, RANK(5), &shrink);
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANK(5), EPROTO, 4));
	crew_start(&self->crew, RANK(5), &barrier);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(5), EPROTO, 4));
	/* and then they are in step again. */
	EXPECT_TRUE(crew_shrink(&self->crew, EVERYBODY));
	EXPECT_TRUE(crew_runs(&self->crew, &scatter));
}

/* Two that disagree again and again, while the others do not come, get no further. */
TEST_F(shrink, who_disagrees_waits_for_the_others)
{
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		crew_regroup_start(&self->crew, RANK(0), &shrink);
		ASSERT_TRUE(crew_sleeps_in(&self->crew, RANK(0),
					   SCATTER_IOCTL_REGROUP));
		crew_agree_start(&self->crew, RANK(1), values);
		EXPECT_TRUE(crew_agrees(&self->crew, RANK(1), EPROTO, values[1],
					0, 1));
		EXPECT_TRUE(crew_regroup_fails(&self->crew, RANK(0), EPROTO, 1));
	}
	/* No third one, whoever calls what. */
	crew_regroup_start(&self->crew, RANK(0), &shrink);
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANK(0), EPROTO, 1));
	crew_agree_start(&self->crew, RANK(1), values);
	EXPECT_TRUE(crew_agrees(&self->crew, RANK(1), EPROTO, values[1], 0, 1));
	for (i = 0; i < 2; i++) {
		crew_regroup_start(&self->crew, RANKS(2, 5), &shrink);
		EXPECT_TRUE(crew_regroup_fails(&self->crew, RANKS(2, 5), EPROTO, 1));
	}
	EXPECT_TRUE(crew_shrink(&self->crew, EVERYBODY));
}

TEST_F(shrink, bad_fields_and_strangers)
{
	struct scatter_agree agree = { .size = sizeof(agree), .value = 5 };
	struct gone failed = { .flags = 0 };
	struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);
	int fd = worker_borrow(&self->crew.worker[0]);
	char name[SCATTER_NAME_MAX];

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EIO, device_call(fd, SCATTER_IOCTL_AGREE, &agree));
	EXPECT_EQ(-EIO, gone_of(fd, &failed));
	EXPECT_EQ(-EIO, device_call(fd, SCATTER_IOCTL_REGROUP, &shrink));
	close(fd);
	fd = device_open(O_NONBLOCK);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOTCONN, device_call(fd, SCATTER_IOCTL_AGREE, &agree));
	EXPECT_EQ(-ENOTCONN, gone_of(fd, &failed));
	name_make(name, "shrink");
	ASSERT_EQ(-EINPROGRESS, join(fd, name, 2, 0));
	EXPECT_EQ(-EINPROGRESS, device_call(fd, SCATTER_IOCTL_AGREE, &agree));
	EXPECT_EQ(-EINPROGRESS, device_call(fd, SCATTER_IOCTL_REGROUP, &shrink));
	agree.deadline_ns = 1ULL << 63;
	EXPECT_EQ(-EINVAL, device_call(fd, SCATTER_IOCTL_AGREE, &agree));
	EXPECT_EQ(5ULL, agree.value);
	failed.flags = SCATTER_GET_FAILED_ACK;
	EXPECT_EQ(0, gone_of(fd, &failed));
	EXPECT_EQ(0U, failed.count);
	close(fd);
}

TEST_F(shrink, get_failed_tells_and_does_not_acknowledge_unasked)
{
	struct worker *worker = &self->crew.worker[0];
	union task_args args = { .failed = { .flags = 0 } };
	const struct gone *failed = &worker->reply.args.failed;

	ASSERT_TRUE(worker_end(&self->crew.worker[2]));
	EXPECT_EQ(0, worker_do(&self->crew.worker[5], task_leave, NULL));
	EXPECT_EQ(0, worker_do(worker, task_get_failed, &args));
	EXPECT_EQ(2U, failed->count);
	EXPECT_EQ(0U, failed->acknowledged);
	EXPECT_TRUE(mask_has(failed->failed, 2));
	EXPECT_TRUE(mask_has(failed->failed, 5));
	EXPECT_TRUE(crew_acknowledges(&self->crew, RANK(0), 2));
	ASSERT_TRUE(worker_end(&self->crew.worker[3]));
	EXPECT_EQ(0, worker_do(worker, task_get_failed, &args));
	EXPECT_EQ(3U, failed->count);
	EXPECT_EQ(2U, failed->acknowledged);
}

/* While another thread is inside an operation, only REVOKE and GET_FAILED are for it. */
TEST_F(shrink, not_while_a_thread_is_inside_an_operation)
{
	union task_args args = { .regroup = regroup_of(SCATTER_OP_SHRINK) };
	struct worker thread;

	ASSERT_TRUE(worker_thread(&thread, &self->crew.worker[1]));
	crew_start(&self->crew, RANK(1), &barrier);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(1)));
	EXPECT_EQ(-EBUSY, worker_do(&thread, task_regroup, &args));
	EXPECT_EQ(0, worker_do(&thread, task_revoke, NULL));
	EXPECT_TRUE(crew_fails(&self->crew, RANK(1), ECANCELED, 1));
	EXPECT_TRUE(crew_shrink(&self->crew, EVERYBODY));
}

/* A member dies at any moment of SHRINK; @crew becomes the others, in their new group. */
static void death_while_shrinking(struct __test_metadata *_metadata, struct crew *crew,
				  struct race *race)
{
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);
	const unsigned int victim = (unsigned int)rand() % crew->size;
	struct crew next = { 0 };
	unsigned int r, members = 0;

	crew_regroup_start(crew, RANKS(0, crew->size - 1), &shrink);
	nap_us(race_us(race));
	ASSERT_TRUE(worker_end(&crew->worker[victim]));
	for (r = 0; r < crew->size; r++) {
		struct worker *worker = &crew->worker[r];

		if (r == victim)
			continue;
		ASSERT_EQ(0, worker_finish(worker));
		if (!members)
			members = worker->reply.args.regroup.members;
		ASSERT_EQ(members, worker->reply.args.regroup.members);
		ASSERT_EQ(0, worker_do(worker, task_adopt, NULL));
		next.worker[next.size++] = *worker;
	}
	/* With the victim, if the group was made before. */
	ASSERT_TRUE(members == crew->size - 1 || members == crew->size);
	race_note(race, members == crew->size - 1, members == crew->size);
	*crew = next;
}

/* One after the other dies until one is left, or until each side of the race was seen. */
TEST(a_storm_of_deaths_ends_with_one)
{
	struct race race = { .us = 700 };
	struct crew crew = { 0 };
	unsigned int r;

	srand(3);
	while (race_goes_on(&race, MANY - 1) || crew.size > 1) {
		if (crew.size <= 1) {
			ASSERT_TRUE(crew_end(&crew));
			ASSERT_TRUE(crew_form(&crew, MANY, 0));
		}
		death_while_shrinking(_metadata, &crew, &race);
		/* All of them see the same group. */
		crew_agree_start(&crew, RANKS(0, crew.size - 1), values);
		for (r = 0; r < crew.size; r++) {
			worker_finish(&crew.worker[r]);
			EXPECT_EQ(crew.worker[0].reply.result,
				  crew.worker[r].reply.result);
		}
	}
	EXPECT_TRUE(race_was_seen(&race));
	EXPECT_TRUE(crew_end(&crew));
}

/* Of a death, and of the last one of many to be told. */
#define SHRUNK_MS	2000U

TEST(from_a_death_to_the_end_of_shrink)
{
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);
	__u64 killed, last = 0;
	struct crew crew;
	unsigned int r;

	ASSERT_TRUE(crew_form(&crew, MANY, 0));
	crew_regroup_start(&crew, RANKS(0, MANY - 2), &shrink);
	ASSERT_TRUE(crew_sleeps_in(&crew, RANKS(0, MANY - 2), SCATTER_IOCTL_REGROUP));
	killed = now_ns();
	ASSERT_TRUE(worker_end(&crew.worker[MANY - 1]));
	for (r = 0; r < MANY - 1; r++) {
		ASSERT_EQ(0, worker_finish(&crew.worker[r]));
		if (crew.worker[r].reply.ended_ns > last)
			last = crew.worker[r].reply.ended_ns;
	}
	diag("SIGKILL to the last of %u returns: %llu us", MANY - 1,
	     (unsigned long long)((last - killed) / 1000));
	EXPECT_GT(paced_ms(SHRUNK_MS) * NSEC_PER_MSEC, last - killed);
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
