// SPDX-License-Identifier: GPL-2.0
/* DUP and SPLIT: new groups of a group's members, or an error for all. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"
#include "race.h"
#include "regroup.h"

#define SIZE		6
#define EVERYBODY	RANKS(0, SIZE - 1)
#define STORMS		60

static const struct call barrier = {
	.op = SCATTER_OP_BARRIER, .timeout_ms = PATIENCE_MS,
};

static const struct call gather = {
	.op = SCATTER_OP_GATHER, .block = 5000, .root = 1, .seed = 5,
	.timeout_ms = PATIENCE_MS,
};

FIXTURE(regroup)
{
	struct crew crew;
};

FIXTURE_SETUP(regroup)
{
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(regroup)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static void split_start(struct crew *crew, unsigned int rank, int color, int key)
{
	struct scatter_regroup split = regroup_of(SCATTER_OP_SPLIT);

	split.color = color;
	split.key = key;
	crew_regroup_start(crew, RANK(rank), &split);
}

/* Rank @rank has got place @place of @members. */
static bool is_seated(struct crew *crew, unsigned int rank, int place,
		      unsigned int members)
{
	struct worker *worker = &crew->worker[rank];
	const struct scatter_regroup *regroup = &worker->reply.args.regroup;

	if (!worker_finish(worker) && regroup->rank == place &&
	    regroup->members == members && regroup->fd >= 0 &&
	    regroup->culprit == SCATTER_RANK_ANY)
		return true;
	diag("rank %u: result %lld rank %d of %u fd %d", rank,
	     (long long)worker->reply.result, regroup->rank, regroup->members,
	     regroup->fd);
	return false;
}

TEST_F(regroup, dup_is_another_group_of_the_same)
{
	const struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	const union task_args keep = { .word = { 1 } };
	unsigned int r;

	crew_regroup_start(&self->crew, EVERYBODY, &dup);
	for (r = 0; r < SIZE; r++)
		EXPECT_TRUE(is_seated(&self->crew, r, (int)r, SIZE));
	/* The old one goes on, */
	EXPECT_TRUE(crew_runs(&self->crew, &gather));
	for (r = 0; r < SIZE; r++)
		EXPECT_EQ(0, worker_do(&self->crew.worker[r], task_adopt, &keep));
	/* and the new one counts from 0. */
	EXPECT_TRUE(crew_runs(&self->crew, &gather));
	EXPECT_EQ(0ULL, self->crew.worker[0].reply.args.call.results.number);
	/* The end of one of its members is not the end of the old group's. */
	EXPECT_EQ(0, worker_do(&self->crew.worker[3], task_close, NULL));
	crew_start(&self->crew, RANKS(0, 1), &barrier);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, 1), ECONNRESET, 3));
}

TEST_F(regroup, split_orders_by_key_then_rank)
{
	static const int color[SIZE] = { 1, 7, 1, 7, 1, SCATTER_COLOR_NONE };
	static const int key[SIZE] = { 5, 0, -1, 0, INT_MIN, 0 };
	static const int place[SIZE] = { 2, 0, 1, 1, 0 };
	static const unsigned int members[SIZE] = { 3, 2, 3, 2, 3 };
	struct crew one = { .size = 3 };
	unsigned int r;

	for (r = 0; r < SIZE; r++)
		split_start(&self->crew, r, color[r], key[r]);
	for (r = 0; r < SIZE - 1; r++)
		EXPECT_TRUE(is_seated(&self->crew, r, place[r], members[r]));
	EXPECT_EQ(0, worker_finish(&self->crew.worker[5]));
	EXPECT_EQ(-1, self->crew.worker[5].reply.args.regroup.fd);
	EXPECT_EQ(0U, self->crew.worker[5].reply.args.regroup.members);
	for (r = 0; r < SIZE - 1; r++)
		EXPECT_EQ(0, worker_do(&self->crew.worker[r], task_adopt, NULL));
	one.worker[0] = self->crew.worker[4];
	one.worker[1] = self->crew.worker[2];
	one.worker[2] = self->crew.worker[0];
	EXPECT_TRUE(crew_runs(&one, &gather));
	EXPECT_TRUE(crew_runs(&one, &barrier));
}

TEST_F(regroup, each_alone_or_nobody)
{
	unsigned int r;

	for (r = 0; r < SIZE; r++)
		split_start(&self->crew, r, (int)r, 0);
	for (r = 0; r < SIZE; r++)
		EXPECT_TRUE(is_seated(&self->crew, r, 0, 1));
	for (r = 0; r < SIZE; r++)
		EXPECT_EQ(0, worker_do(&self->crew.worker[r], task_abandon, NULL));
	for (r = 0; r < SIZE; r++)
		split_start(&self->crew, r, SCATTER_COLOR_NONE, 0);
	for (r = 0; r < SIZE; r++)
		EXPECT_EQ(0, worker_finish(&self->crew.worker[r]));
	EXPECT_TRUE(crew_runs(&self->crew, &barrier));
}

/* Between operations, some of which are still on their way, again and again. */
TEST_F(regroup, is_an_operation_among_others)
{
	struct scatter_regroup dup;
	unsigned int round, r;

	for (round = 0; round < 20; round++) {
		dup = regroup_of(SCATTER_OP_DUP);
		ASSERT_TRUE(crew_calls(&self->crew, EVERYBODY & ~RANK(1), &gather));
		crew_regroup_start(&self->crew, EVERYBODY & ~RANK(1), &dup);
		ASSERT_TRUE(crew_calls(&self->crew, RANK(1), &gather));
		crew_regroup_start(&self->crew, RANK(1), &dup);
		for (r = 0; r < SIZE; r++) {
			ASSERT_TRUE(is_seated(&self->crew, r, (int)r, SIZE));
			EXPECT_EQ(1ULL, self->crew.worker[r].reply.args.regroup.number);
			ASSERT_EQ(0, worker_do(&self->crew.worker[r], task_adopt,
					       NULL));
		}
	}
}

TEST_F(regroup, who_calls_something_else_is_named)
{
	const struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);

	crew_regroup_start(&self->crew, RANKS(0, 3), &dup);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, RANKS(0, 3), SCATTER_IOCTL_REGROUP));
	split_start(&self->crew, 4, 0, 0);
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANKS(0, 4), EPROTO, 4));
	crew_start(&self->crew, RANK(5), &barrier);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(5), EPROTO, 4));
}

TEST_F(regroup, an_operation_instead_is_named)
{
	const struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);

	crew_regroup_start(&self->crew, RANKS(1, 3), &dup);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, RANKS(1, 3), SCATTER_IOCTL_REGROUP));
	crew_start(&self->crew, RANK(0), &barrier);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0), EPROTO, 0));
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANKS(1, 3), EPROTO, 0));
}

TEST_F(regroup, bad_fields)
{
	static const struct {
		__u32 op;
		int color;
		int key;
		int error;
	} bad[] = {
		{ SCATTER_OP_SPLIT, -2, 0, -EINVAL },
		{ SCATTER_OP_SPLIT, INT_MIN, 0, -EINVAL },
		{ SCATTER_OP_DUP, 1, 0, -EINVAL },
		{ SCATTER_OP_DUP, 0, 1, -EINVAL },
		{ SCATTER_OP_SHRINK, SCATTER_COLOR_NONE, 0, -EINVAL },
		{ SCATTER_OP_SHRINK, 0, -1, -EINVAL },
		{ SCATTER_OP_AGREE, 0, 0, -EOPNOTSUPP },
		{ SCATTER_OP_SCATTER, 0, 0, -EOPNOTSUPP },
		{ SCATTER_OP_BARRIER, 0, 0, -EOPNOTSUPP },
		{ 9, 0, 0, -EOPNOTSUPP },
		{ UINT_MAX, 0, 0, -EOPNOTSUPP },
	};
	struct worker *worker = &self->crew.worker[0];
	union task_args args;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		args.regroup = regroup_of(bad[i].op);
		args.regroup.color = bad[i].color;
		args.regroup.key = bad[i].key;
		EXPECT_EQ(bad[i].error, worker_do(worker, task_regroup, &args))
			TH_LOG("row %u", i);
	}
	args.regroup = regroup_of(SCATTER_OP_DUP);
	args.regroup.deadline_ns = 1ULL << 63;
	EXPECT_EQ(-EINVAL, worker_do(worker, task_regroup, &args));
	/* None of that was an operation. */
	EXPECT_TRUE(crew_runs(&self->crew, &barrier));
	EXPECT_EQ(0ULL, worker->reply.args.call.results.number);
}

TEST_F(regroup, pauses_and_resumes)
{
	struct scatter_regroup split = regroup_of(SCATTER_OP_SPLIT);
	union task_args args;
	unsigned int r;

	split.color = 3;
	split.key = 9;
	split.deadline_ns = 1;
	crew_regroup_start(&self->crew, RANKS(0, 1), &split);
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANKS(0, 1), ETIMEDOUT,
				       SCATTER_RANK_ANY));
	split.deadline_ns = after_ms(PATIENCE_MS);
	crew_regroup_start(&self->crew, RANKS(2, 4), &split);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, RANKS(2, 4), SCATTER_IOCTL_REGROUP));
	/* Another color or key is another call. */
	args.regroup = split;
	args.regroup.color = 4;
	EXPECT_EQ(-EBUSY, worker_do(&self->crew.worker[0], task_regroup, &args));
	args.regroup = split;
	args.regroup.key = -9;
	EXPECT_EQ(-EBUSY, worker_do(&self->crew.worker[0], task_regroup, &args));
	crew_regroup_start(&self->crew, RANK(0), &split);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, RANK(0), SCATTER_IOCTL_REGROUP));
	/* A signal pauses one that has its seat. */
	worker_signal(&self->crew.worker[4], SIGUSR1);
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANK(4), EINTR,
				       SCATTER_RANK_ANY));
	crew_regroup_start(&self->crew, RANK(5), &split);
	for (r = 0; r < SIZE; r++)
		if (r != 1 && r != 4)
			EXPECT_TRUE(is_seated(&self->crew, r, (int)r, SIZE));
	crew_regroup_start(&self->crew, RANK(1) | RANK(4), &split);
	for (r = 1; r <= 4; r += 3)
		EXPECT_TRUE(is_seated(&self->crew, r, (int)r, SIZE));
}

/* All have called, none of them at the same time: it is made by the last one. */
TEST_F(regroup, is_made_for_who_is_paused)
{
	struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	struct call soon = barrier;
	unsigned int r;

	dup.deadline_ns = 1;
	for (r = 0; r < SIZE - 1; r++) {
		crew_regroup_start(&self->crew, RANK(r), &dup);
		EXPECT_TRUE(crew_regroup_fails(&self->crew, RANK(r), ETIMEDOUT,
					       SCATTER_RANK_ANY));
	}
	/* On one node even a call whose deadline has passed makes it: it finds all there. */
	if (soon_ms())
		dup.deadline_ns = after_ms(soon_ms());
	crew_regroup_start(&self->crew, RANK(SIZE - 1), &dup);
	EXPECT_TRUE(is_seated(&self->crew, SIZE - 1, SIZE - 1, SIZE));
	/* Two get what is theirs, one that never does dies. */
	crew_regroup_start(&self->crew, RANKS(0, 1), &dup);
	EXPECT_TRUE(is_seated(&self->crew, 0, 0, SIZE));
	EXPECT_TRUE(is_seated(&self->crew, 1, 1, SIZE));
	ASSERT_TRUE(worker_end(&self->crew.worker[3]));
	EXPECT_EQ(0, worker_do(&self->crew.worker[0], task_adopt, NULL));
	crew_start(&self->crew, RANK(0), &soon);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0), ECONNRESET, 3));
	/* Nor does who leaves instead; others still get theirs. */
	EXPECT_EQ(0, worker_do(&self->crew.worker[4], task_leave, NULL));
	crew_regroup_start(&self->crew, RANK(2), &dup);
	EXPECT_TRUE(is_seated(&self->crew, 2, 2, SIZE));
}

TEST_F(regroup, without_a_free_number_nothing_is_called)
{
	const struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	const struct rlimit few = { 5, 64 }, many = { 64, 64 };
	pid_t pid = self->crew.worker[0].pid;

	ASSERT_EQ(0, prlimit(pid, RLIMIT_NOFILE, &few, NULL));
	crew_regroup_start(&self->crew, RANK(0), &dup);
	EXPECT_TRUE(crew_regroup_fails(&self->crew, RANK(0), EMFILE,
				       SCATTER_RANK_ANY));
	ASSERT_EQ(0, prlimit(pid, RLIMIT_NOFILE, &many, NULL));
	crew_regroup_start(&self->crew, EVERYBODY, &dup);
	EXPECT_TRUE(crew_adopt(&self->crew, EVERYBODY));
}

static __s64 task_be_nobody(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	return setresuid(54321, 54321, 54321) ? -errno : 0;
}

/* All get the error of the user who may have no more groups, and the group goes on. */
TEST_F(regroup, no_more_groups_is_an_error_for_all)
{
	unsigned int r;

	for (r = 0; r < SIZE; r++)
		ASSERT_EQ(0, worker_do(&self->crew.worker[r], task_be_nobody, NULL));
	/* From their JOIN on members are charged as root, new ones as nobody. */
	ASSERT_EQ(0, parameter_write("user_groups", "1"));
	for (r = 0; r < SIZE; r++)
		split_start(&self->crew, r, r < 3, 0);
	/* Each node without room names one of its own, and the verdict has one of these. */
	EXPECT_TRUE(crew_regroup_fails(&self->crew, EVERYBODY, ENOSPC,
				       soon_ms() ? SAME_CULPRIT : 0));
	EXPECT_EQ(0, parameter_write("user_groups", "1024"));
	for (r = 0; r < SIZE; r++)
		split_start(&self->crew, r, r < 3, 0);
	for (r = 0; r < SIZE; r++)
		EXPECT_TRUE(is_seated(&self->crew, r, (int)r % 3, 3));
}

TEST(the_schedule_goes_along_if_it_fits)
{
	const struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	struct scatter_join like = join_of("", 4, 0);
	const struct seen *status;
	struct crew crew;
	unsigned int r;

	like.schedule.algorithm = SCATTER_ALGORITHM_MESH;
	like.schedule.dims = 2;
	like.schedule.extent[0] = 2;
	like.schedule.extent[1] = 2;
	ASSERT_TRUE(crew_form_like(&crew, &like));
	crew_regroup_start(&crew, RANKS(0, 3), &dup);
	ASSERT_TRUE(crew_adopt(&crew, RANKS(0, 3)));
	status = crew_seen(&crew, 0);
	ASSERT_NE(NULL, status);
	EXPECT_EQ((__u32)SCATTER_ALGORITHM_MESH, status->schedule.algorithm);
	EXPECT_EQ(2U, status->schedule.extent[1]);
	for (r = 0; r < 4; r++)
		split_start(&crew, r, r < 3, 0);
	for (r = 0; r < 4; r++)
		EXPECT_EQ(0, worker_finish(&crew.worker[r]));
	for (r = 0; r < 4; r++)
		EXPECT_EQ(0, worker_do(&crew.worker[r], task_adopt, NULL));
	status = crew_seen(&crew, 0);
	ASSERT_NE(NULL, status);
	EXPECT_EQ((__u32)SCATTER_ALGORITHM_AUTO, status->schedule.algorithm);
	EXPECT_EQ(3U, status->members);
	EXPECT_TRUE(crew_end(&crew));
}

/* Rank @rank calls a SPLIT, DUP or SHRINK that wants more than the group has. */
static void want(struct crew *crew, unsigned int rank, const struct scatter_regroup *regroup)
{
	const union task_args args = { .regroup = *regroup };

	worker_order(&crew->worker[rank], task_regroup, &args);
}

TEST(a_new_group_gets_the_schedule_and_the_ring_that_it_asks_for)
{
	static const __u32 ops[] = {
		SCATTER_OP_DUP, SCATTER_OP_SPLIT, SCATTER_OP_SHRINK,
	};
	struct scatter_regroup regroup;
	const struct seen *seen;
	struct crew crew;
	unsigned int i, r;

	ASSERT_TRUE(crew_form(&crew, 4, 0));
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		regroup = regroup_of(ops[i]);
		regroup.schedule.algorithm = SCATTER_ALGORITHM_KNOMIAL;
		regroup.schedule.ports = i;
		for (r = 0; r < 4; r++) {
			regroup.ring_bytes = r ? 8192U << r : 0;
			want(&crew, r, &regroup);
		}
		ASSERT_TRUE(crew_adopt(&crew, RANKS(0, 3)));
		for (r = 0; r < 4; r++) {
			seen = crew_seen(&crew, r);
			ASSERT_NE(NULL, seen);
			EXPECT_EQ((__u32)SCATTER_ALGORITHM_KNOMIAL, seen->schedule.algorithm);
			EXPECT_EQ(i ? i : 1, seen->schedule.ports);
			if (r)
				EXPECT_EQ(8192U << r, seen->ring_bytes);
		}
		EXPECT_TRUE(crew_runs(&crew, &gather));
	}
	/* One that its size cannot have. */
	regroup = regroup_of(SCATTER_OP_SPLIT);
	regroup.schedule.algorithm = SCATTER_ALGORITHM_ROTATED;
	for (r = 0; r < 4; r++) {
		regroup.color = r == 3;
		want(&crew, r, &regroup);
	}
	for (r = 0; r < 4; r++) {
		EXPECT_EQ(0, worker_finish(&crew.worker[r]));
		EXPECT_EQ(0, worker_do(&crew.worker[r], task_adopt, NULL));
	}
	seen = crew_seen(&crew, 0);
	ASSERT_NE(NULL, seen);
	EXPECT_EQ((__u32)SCATTER_ALGORITHM_AUTO, seen->schedule.algorithm);
	seen = crew_seen(&crew, 3);
	ASSERT_NE(NULL, seen);
	EXPECT_EQ((__u32)SCATTER_ALGORITHM_ROTATED, seen->schedule.algorithm);
	EXPECT_TRUE(crew_end(&crew));
}

/* Schedules and rings that no group can have are refused, and nothing is called. */
TEST_F(regroup, schedules_and_rings_that_cannot_be)
{
	static const struct scatter_schedule bad[] = {
		{ .algorithm = SCATTER_ALGORITHM_LINEAR, .ports = 1 },
		{ .algorithm = SCATTER_ALGORITHM_AUTO, .dims = 1, .extent = { 6 } },
		{ .algorithm = SCATTER_ALGORITHM_MESH },
		{ .algorithm = SCATTER_ALGORITHM_MESH, .dims = 2, .extent = { 3 } },
		{ .algorithm = SCATTER_ALGORITHM_MESH, .dims = 1, .extent = { 3, 2 } },
		{ .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 9,
		  .extent = { 1, 1, 1, 1, 1, 1, 1, 1 } },
		{ .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 3,
		  .extent = { 1U << 31, 1U << 31, 4 } },
	};
	struct crew *crew = &self->crew;
	union task_args args;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		args.regroup = regroup_of(i % 2 ? SCATTER_OP_DUP : SCATTER_OP_SHRINK);
		args.regroup.schedule = bad[i];
		EXPECT_EQ(-EINVAL, worker_do(&crew->worker[0], task_regroup, &args))
			TH_LOG("schedule %u", i);
	}
	args.regroup = regroup_of(SCATTER_OP_DUP);
	args.regroup.schedule.algorithm = 63;
	EXPECT_EQ(-EOPNOTSUPP, worker_do(&crew->worker[0], task_regroup, &args));
	args.regroup.schedule.algorithm = 0;
	args.regroup.schedule.__reserved = 1;
	EXPECT_EQ(-EOPNOTSUPP, worker_do(&crew->worker[0], task_regroup, &args));
	args.regroup.schedule.__reserved = 0;
	args.regroup.__reserved = 1;
	EXPECT_EQ(-EOPNOTSUPP, worker_do(&crew->worker[0], task_regroup, &args));
	args.regroup.__reserved = 0;
	args.regroup.ring_bytes = 5000;
	EXPECT_EQ(-EINVAL, worker_do(&crew->worker[0], task_regroup, &args));
	ASSERT_NE(NULL, crew_seen(crew, 0));
	EXPECT_EQ(0ULL, crew->worker[0].reply.args.status.next);
}

/* All have to want the same schedule, whatever the color. */
TEST_F(regroup, schedules_that_differ)
{
	struct scatter_regroup split = regroup_of(SCATTER_OP_SPLIT);
	struct crew *crew = &self->crew;
	unsigned int r;

	for (r = 0; r < SIZE - 1; r++) {
		want(crew, r, &split);
		ASSERT_TRUE(worker_sleeps(&crew->worker[r], SCATTER_IOCTL_REGROUP));
	}
	split.schedule.algorithm = SCATTER_ALGORITHM_LINEAR;
	want(crew, SIZE - 1, &split);
	EXPECT_TRUE(crew_regroup_fails(crew, EVERYBODY, EPROTO, SIZE - 1));
}

TEST_F(regroup, schedules_of_a_shrink_that_differ)
{
	struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);
	struct crew *crew = &self->crew;

	want(crew, 0, &shrink);
	ASSERT_TRUE(worker_sleeps(&crew->worker[0], SCATTER_IOCTL_REGROUP));
	shrink.schedule.algorithm = SCATTER_ALGORITHM_LINEAR;
	want(crew, 1, &shrink);
	EXPECT_TRUE(crew_regroup_fails(crew, RANKS(0, 1), EPROTO, 1));
}

TEST(before_all_have_joined_and_without_a_group)
{
	struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	int fd = device_open(O_NONBLOCK);
	char name[SCATTER_NAME_MAX];

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOTCONN, device_call(fd, SCATTER_IOCTL_REGROUP, &dup));
	name_make(name, "regroup");
	ASSERT_EQ(-EINPROGRESS, join(fd, name, 2, 0));
	EXPECT_EQ(-EINPROGRESS, device_call(fd, SCATTER_IOCTL_REGROUP, &dup));
	EXPECT_EQ(-1, dup.fd);
	close(fd);
}

static int join_side(int group, __u32 side, int rank)
{
	struct scatter_join join = {
		.size = sizeof(join), .rank = rank, .side = side,
		.flags = SCATTER_JOIN_NONBLOCK,
	};
	int error = device_call(group, SCATTER_IOCTL_JOIN, &join);

	return error ? error : join.fd;
}

/* Sides stay; where all are of one there are none. */
TEST(sides_go_along)
{
	struct scatter_create create = {
		.size = sizeof(create), .members = 3, .sides = { 1, 2 },
	};
	struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	int fd[3], device = device_open(0), i;
	struct seen status;

	ASSERT_LE(0, device);
	create.sides[1] = 1;
	EXPECT_EQ(-EINVAL, device_call(device, SCATTER_IOCTL_CREATE, &create));
	create.sides[1] = 2;
	ASSERT_EQ(0, device_call(device, SCATTER_IOCTL_CREATE, &create));
	EXPECT_EQ(-EINVAL, join_side(create.fd, 2, 0));
	EXPECT_EQ(-EINVAL, join_side(create.fd, 0, 1));
	fd[0] = join_side(create.fd, 0, 0);
	fd[1] = join_side(create.fd, 1, 0);
	fd[2] = join_side(create.fd, 1, 1);
	for (i = 0; i < 3; i++)
		ASSERT_LE(0, fd[i]);
	for (i = 0; i < 3; i++) {
		dup.deadline_ns = 1;
		dup.number = SCATTER_NUMBER_NEW;
		EXPECT_EQ(i < 2 ? -ETIMEDOUT : 0,
			  device_call(fd[i], SCATTER_IOCTL_REGROUP, &dup));
	}
	EXPECT_EQ(1, dup.rank);
	EXPECT_EQ(3U, dup.members);
	EXPECT_EQ(1U, dup.remote);
	ASSERT_EQ(0, status_of(dup.fd, &status));
	EXPECT_EQ(1U, status.side);
	EXPECT_EQ(2U, status.sides[1]);
	close(dup.fd);
	/* The members that are left are of one side. */
	close(fd[0]);
	close(fd[2]);
	dup = regroup_of(SCATTER_OP_SHRINK);
	EXPECT_EQ(0, device_call(fd[1], SCATTER_IOCTL_REGROUP, &dup));
	EXPECT_EQ(1U, dup.members);
	EXPECT_EQ(0U, dup.remote);
	close(dup.fd);
	close(fd[1]);
	close(create.fd);
	close(device);
}

/* Where the struct is that goes away. */
#define ANSWER_AT	((void *)0x200000000000ULL)
#define ANSWER_BYTES	4096

static __s64 task_dup_there(struct self *self, union task_args *args)
{
	struct scatter_regroup *dup = ANSWER_AT;

	(void)args;
	*dup = regroup_of(SCATTER_OP_DUP);
	return device_call(self->fd, SCATTER_IOCTL_REGROUP, dup);
}

/* DUP makes the group for all; a caller that gets no answer loses its membership. */
TEST_F(regroup, who_cannot_get_the_answer_leaves_the_new_group)
{
	const struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	struct crew *crew = &self->crew;
	struct worker thread;
	unsigned int r;

	ASSERT_TRUE(worker_thread(&thread, &crew->worker[2]));
	ASSERT_EQ(0, worker_map(&thread, ANSWER_AT, ANSWER_BYTES,
				PROT_READ | PROT_WRITE, MAP_HOW_FRESH));
	worker_order(&crew->worker[2], task_dup_there, NULL);
	ASSERT_TRUE(worker_sleeps(&crew->worker[2], SCATTER_IOCTL_REGROUP));
	ASSERT_EQ(0, worker_map(&thread, ANSWER_AT, ANSWER_BYTES, 0, MAP_HOW_NONE));
	crew_regroup_start(crew, EVERYBODY & ~RANK(2), &dup);
	EXPECT_EQ(-EFAULT, worker_finish(&crew->worker[2]));
	for (r = 0; r < SIZE; r++)
		EXPECT_TRUE(r == 2 || is_seated(crew, r, (int)r, SIZE));
	/* The old one goes on: all have called it. */
	EXPECT_TRUE(crew_runs(crew, &gather));
	for (r = 0; r < SIZE; r++)
		EXPECT_EQ(r == 2 ? -ENOTCONN : 0,
			  worker_do(&crew->worker[r], task_adopt, NULL));
	crew_start(crew, EVERYBODY & ~RANK(2), &barrier);
	EXPECT_TRUE(crew_fails(crew, EVERYBODY & ~RANK(2), ECONNRESET, 2));
}

/* Deaths while it is made: those who are left have all got it, or none has. */
TEST(a_storm_of_deaths_leaves_all_or_none)
{
	struct race race = { .us = 300 };
	struct scatter_regroup dup;
	struct crew crew;
	unsigned int r;

	srand(2);
	while (race_goes_on(&race, STORMS)) {
		unsigned int victim = race.rounds % 4, got = 0;

		ASSERT_TRUE(crew_form(&crew, 4, 0));
		dup = regroup_of(SCATTER_OP_DUP);
		crew_regroup_start(&crew, RANKS(0, 3), &dup);
		nap_us(race_us(&race));
		ASSERT_TRUE(worker_end(&crew.worker[victim]));
		for (r = 0; r < 4; r++) {
			if (r == victim)
				continue;
			worker_finish(&crew.worker[r]);
			if (!crew.worker[r].reply.result)
				got++;
			else
				EXPECT_EQ(-ECONNRESET, crew.worker[r].reply.result);
		}
		EXPECT_TRUE(got == 0 || got == 3) {
			TH_LOG("%u got it", got);
		}
		race_note(&race, !got, got);
		ASSERT_TRUE(crew_end(&crew));
	}
	EXPECT_TRUE(race_was_seen(&race));
}

TEST_HARNESS_MAIN
