// SPDX-License-Identifier: GPL-2.0
/*
 * DECLINE: a process that cannot join says so, and nobody waits for it. All calls end in whatever
 * order processes join and decline, and then the name is free.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "user.h"

#define SIZE	4U
#define ALICE	1000
#define BOB	1001
#define ROUNDS	60

FIXTURE(decline)
{
	struct crew crew;
	struct worker *worker;
};

FIXTURE_SETUP(decline)
{
	ASSERT_TRUE(crew_spawn(&self->crew, SIZE));
	self->worker = self->crew.worker;
}

FIXTURE_TEARDOWN(decline)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static union task_args args_of(const struct crew *crew, __u32 flags)
{
	union task_args args = { .join = join_of(crew->name, SIZE, SCATTER_RANK_ANY) };

	args.join.flags = flags;
	args.join.deadline_ns = after_ms(PATIENCE_MS);
	return args;
}

static void begin(struct worker *worker, const struct crew *crew, __u32 flags)
{
	const union task_args args = args_of(crew, flags);

	worker_order(worker, task_join, &args);
}

static __s64 joins(struct worker *worker, const struct crew *crew, __u32 flags)
{
	begin(worker, crew, flags);
	return worker_finish(worker);
}

/* A file that is closed keeps no refused name. */
static bool reopens(struct worker *worker)
{
	return !worker_do(worker, task_close, NULL) && worker_do(worker, task_open, NULL) >= 0;
}

/* All can form a group of the name. */
static bool is_free(struct crew *crew)
{
	unsigned int r;
	bool good = true;

	for (r = 0; r < SIZE; r++)
		begin(&crew->worker[r], crew, 0);
	for (r = 0; r < SIZE; r++)
		good = !worker_finish(&crew->worker[r]) && good;
	return good;
}

TEST_F(decline, those_who_wait_and_those_who_come_later_are_told)
{
	begin(&self->worker[0], &self->crew, 0);
	begin(&self->worker[1], &self->crew, 0);
	ASSERT_TRUE(worker_sleeps(&self->worker[0], SCATTER_IOCTL_JOIN));
	ASSERT_TRUE(worker_sleeps(&self->worker[1], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(0, joins(&self->worker[2], &self->crew, SCATTER_JOIN_DECLINE));
	EXPECT_EQ(-ECONNREFUSED, worker_finish(&self->worker[0]));
	EXPECT_EQ(-ECONNREFUSED, worker_finish(&self->worker[1]));
	EXPECT_EQ(-ECONNREFUSED, joins(&self->worker[3], &self->crew, 0));
	EXPECT_TRUE(is_free(&self->crew));
}

/* In any order and however many decline, one call of each ends, and the name is free. */
TEST_F(decline, all_end_in_any_order)
{
	unsigned int round, r;

	srand(7);
	for (round = 0; round < ROUNDS; round++) {
		const unsigned int declines = 1 + rand() % ((1 << SIZE) - 1);

		for (r = 0; r < SIZE; r++) {
			struct worker *worker = &self->worker[(r + round) % SIZE];

			begin(worker, &self->crew, declines >> r & 1 ? SCATTER_JOIN_DECLINE : 0);
			if (round % 3 == 0)
				ASSERT_TRUE(worker_settles(worker, SCATTER_IOCTL_JOIN));
		}
		for (r = 0; r < SIZE; r++)
			ASSERT_EQ(declines >> r & 1 ? 0 : -ECONNREFUSED,
				  worker_finish(&self->worker[(r + round) % SIZE]));
	}
	EXPECT_TRUE(is_free(&self->crew));
}

TEST_F(decline, a_file_counts_once)
{
	EXPECT_EQ(0, joins(&self->worker[0], &self->crew, SCATTER_JOIN_DECLINE));
	EXPECT_EQ(0, joins(&self->worker[0], &self->crew, SCATTER_JOIN_DECLINE));
	EXPECT_EQ(-ECONNREFUSED, joins(&self->worker[1], &self->crew, 0));
	EXPECT_EQ(-ECONNREFUSED, joins(&self->worker[1], &self->crew, SCATTER_JOIN_EXCL));
	EXPECT_EQ(-ECONNREFUSED, joins(&self->worker[0], &self->crew, 0));
	EXPECT_EQ(-ECONNREFUSED, joins(&self->worker[2], &self->crew, 0));
	EXPECT_EQ(-ECONNREFUSED, joins(&self->worker[3], &self->crew, 0));
	EXPECT_TRUE(is_free(&self->crew));
}

/* Nobody is left that has come: a name is not refused for ever. */
TEST_F(decline, the_name_is_free_when_all_files_are_closed)
{
	begin(&self->worker[1], &self->crew, 0);
	ASSERT_TRUE(worker_sleeps(&self->worker[1], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(0, joins(&self->worker[0], &self->crew, SCATTER_JOIN_DECLINE));
	EXPECT_EQ(-ECONNREFUSED, worker_finish(&self->worker[1]));
	ASSERT_TRUE(reopens(&self->worker[0]));
	EXPECT_EQ(-ECONNREFUSED, joins(&self->worker[1], &self->crew, 0));
	ASSERT_TRUE(reopens(&self->worker[1]));
	EXPECT_TRUE(is_free(&self->crew));
}

/* Another name takes the place of the one that the file keeps. */
TEST_F(decline, a_file_keeps_one_name)
{
	union task_args args = args_of(&self->crew, SCATTER_JOIN_DECLINE);

	EXPECT_EQ(0, worker_do(&self->worker[0], task_join, &args));
	name_make(args.join.name, "other");
	EXPECT_EQ(0, worker_do(&self->worker[0], task_join, &args));
	args.join.flags = 0;
	EXPECT_EQ(-ECONNREFUSED, worker_do(&self->worker[1], task_join, &args));
	EXPECT_TRUE(is_free(&self->crew));
}

/* A process that is killed while it waits has come. */
TEST_F(decline, a_process_that_waits_is_killed)
{
	begin(&self->worker[0], &self->crew, 0);
	ASSERT_TRUE(worker_sleeps(&self->worker[0], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(0, joins(&self->worker[1], &self->crew, SCATTER_JOIN_DECLINE));
	EXPECT_EQ(-ECONNREFUSED, worker_finish(&self->worker[0]));
	EXPECT_TRUE(worker_end(&self->worker[0]));
	EXPECT_EQ(-ECONNREFUSED, joins(&self->worker[2], &self->crew, 0));
	EXPECT_EQ(0, joins(&self->worker[3], &self->crew, SCATTER_JOIN_DECLINE));
	ASSERT_TRUE(worker_spawn(&self->worker[0]));
	EXPECT_LE(0, worker_do(&self->worker[0], task_open, NULL));
	EXPECT_TRUE(is_free(&self->crew));
}

/* poll() tells those that do not wait. */
TEST_F(decline, without_blocking)
{
	union task_args args = args_of(&self->crew, SCATTER_JOIN_NONBLOCK);
	int fd = device_open(O_RDWR), other = device_open(O_RDWR);

	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	EXPECT_EQ(-EINPROGRESS, device_call(fd, SCATTER_IOCTL_JOIN, &args.join));
	EXPECT_EQ(0, events_of(fd, 0));
	args.join.flags = SCATTER_JOIN_DECLINE;
	EXPECT_EQ(-EISCONN, device_call(fd, SCATTER_IOCTL_JOIN, &args.join));
	EXPECT_EQ(0, device_call(other, SCATTER_IOCTL_JOIN, &args.join));
	EXPECT_EQ(POLLHUP, events_of(fd, PATIENCE_MS));
	EXPECT_EQ(0, leave(fd));
	close(fd);
	EXPECT_EQ(-ECONNREFUSED, joins(&self->worker[0], &self->crew, 0));
	/* A file that declined is none of a member, and may still join. */
	EXPECT_EQ(-ENOTCONN, leave(other));
	name_make(args.join.name, "alone");
	args.join.flags = 0;
	args.join.members = 1;
	args.join.rank = 0;
	EXPECT_EQ(0, device_call(other, SCATTER_IOCTL_JOIN, &args.join));
	close(other);
	ASSERT_TRUE(reopens(&self->worker[0]));
	EXPECT_TRUE(is_free(&self->crew));
}

TEST_F(decline, what_cannot_be_declined)
{
	union task_args args = args_of(&self->crew, SCATTER_JOIN_DECLINE | SCATTER_JOIN_EXCL);
	int fd = device_open(O_RDWR);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, device_call(fd, SCATTER_IOCTL_JOIN, &args.join));
	begin(&self->worker[0], &self->crew, 0);
	ASSERT_TRUE(worker_sleeps(&self->worker[0], SCATTER_IOCTL_JOIN));
	/* Another size, and another schedule: nobody is told. */
	args.join.flags = SCATTER_JOIN_DECLINE;
	args.join.members = SIZE + 1;
	EXPECT_EQ(-EPROTO, device_call(fd, SCATTER_IOCTL_JOIN, &args.join));
	args.join.members = SIZE;
	args.join.schedule.algorithm = SCATTER_ALGORITHM_LINEAR;
	EXPECT_EQ(-EPROTO, device_call(fd, SCATTER_IOCTL_JOIN, &args.join));
	args.join.schedule.algorithm = 0;
	EXPECT_TRUE(worker_sleeps(&self->worker[0], SCATTER_IOCTL_JOIN));
	begin(&self->worker[1], &self->crew, 0);
	begin(&self->worker[2], &self->crew, 0);
	EXPECT_EQ(0, joins(&self->worker[3], &self->crew, 0));
	EXPECT_EQ(0, worker_finish(&self->worker[0]));
	EXPECT_EQ(0, worker_finish(&self->worker[1]));
	EXPECT_EQ(0, worker_finish(&self->worker[2]));
	/* The group is complete. */
	EXPECT_EQ(-EUSERS, device_call(fd, SCATTER_IOCTL_JOIN, &args.join));
	close(fd);
}

/* A user who may not join may not decline either. */
TEST_F(decline, rights)
{
	union task_args args = args_of(&self->crew, SCATTER_JOIN_DECLINE);

	ASSERT_TRUE(worker_become(&self->worker[0], ALICE));
	ASSERT_TRUE(worker_become(&self->worker[1], BOB));
	/* Bob's own name is another one; Alice has no group yet. */
	args.join.owner = ALICE;
	EXPECT_EQ(-ENOENT, worker_do(&self->worker[1], task_join, &args));
	begin(&self->worker[0], &self->crew, 0);
	ASSERT_TRUE(worker_sleeps(&self->worker[0], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(-EACCES, worker_do(&self->worker[1], task_join, &args));
	EXPECT_EQ(0, joins(&self->worker[1], &self->crew, SCATTER_JOIN_DECLINE));
	EXPECT_TRUE(worker_sleeps(&self->worker[0], SCATTER_IOCTL_JOIN));
	/* Root may. */
	EXPECT_EQ(0, worker_do(&self->worker[2], task_join, &args));
	EXPECT_EQ(-ECONNREFUSED, worker_finish(&self->worker[0]));
	/* The mode bits of the name hold for others that come to be refused. */
	args.join.flags = 0;
	EXPECT_EQ(-EACCES, worker_do(&self->worker[1], task_join, &args));
}

/* There a registrar would have to know. A name of one node is as ever. */
TEST(names_that_other_nodes_know)
{
	struct scatter_join join = join_of("", 2, 0);
	int fd = device_open(O_RDWR);

	ASSERT_LE(0, fd);
	name_make(join.name, "known");
	join.flags = SCATTER_JOIN_DECLINE;
	EXPECT_EQ(across_nodes() ? -EOPNOTSUPP : 0,
		  device_call(fd, SCATTER_IOCTL_JOIN, &join));
	join.flags |= SCATTER_JOIN_LOCAL;
	EXPECT_EQ(0, device_call(fd, SCATTER_IOCTL_JOIN, &join));
	close(fd);
}

TEST(a_group_of_one)
{
	struct scatter_join join = join_of("", 1, 0);
	int fd = device_open(O_RDWR);

	ASSERT_LE(0, fd);
	name_make(join.name, "one");
	join.flags = SCATTER_JOIN_DECLINE;
	EXPECT_EQ(0, device_call(fd, SCATTER_IOCTL_JOIN, &join));
	join.flags = 0;
	EXPECT_EQ(0, device_call(fd, SCATTER_IOCTL_JOIN, &join));
	close(fd);
}

TEST_HARNESS_MAIN
