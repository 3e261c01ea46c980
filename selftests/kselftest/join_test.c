// SPDX-License-Identifier: GPL-2.0
/* JOIN: who gets which rank, when it waits, and what a lost joiner leaves. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"
#include "race.h"

/* Non-blocking members of this very process: one address space, many files. */
FIXTURE(join)
{
	char name[SCATTER_NAME_MAX];
	int fd[8];
};

FIXTURE_SETUP(join)
{
	unsigned int i;

	name_make(self->name, "join");
	for (i = 0; i < ARRAY_SIZE(self->fd); i++) {
		self->fd[i] = device_open(O_NONBLOCK);
		ASSERT_LE(0, self->fd[i]);
	}
}

FIXTURE_TEARDOWN(join)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(self->fd); i++)
		close(self->fd[i]);
}

static int join_now(int fd, const char *name, unsigned int members, int rank,
		    int *taken)
{
	struct scatter_join arg = join_of(name, members, rank);
	int error = device_call(fd, SCATTER_IOCTL_JOIN, &arg);

	*taken = arg.rank;
	return error;
}

/* What the last JOIN says, with which the group is complete; between nodes, a moment later. */
static int completes(int fd, int error)
{
	if (error == -EINPROGRESS && soon_ms() && events_of(fd, soon_ms()) == POLLOUT)
		return 0;
	return error;
}

static int join_last(int fd, const char *name, unsigned int members, int rank,
		     int *taken)
{
	return completes(fd, join_now(fd, name, members, rank, taken));
}

static int barrier(int fd)
{
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = SCATTER_OP_BARRIER,
		.deadline_ns = 1,
	};

	return coll_once(fd, &coll);
}

TEST_F(join, any_takes_the_lowest_free_rank)
{
	int rank;

	EXPECT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 5, 1, &rank));
	EXPECT_EQ(1, rank);
	EXPECT_EQ(-EINPROGRESS, join_now(self->fd[1], self->name, 5,
					 SCATTER_RANK_ANY, &rank));
	EXPECT_EQ(0, rank);
	EXPECT_EQ(-EINPROGRESS, join_now(self->fd[2], self->name, 5,
					 SCATTER_RANK_ANY, &rank));
	EXPECT_EQ(2, rank);
	EXPECT_EQ(-EINPROGRESS, join_now(self->fd[3], self->name, 5, 4, &rank));
	EXPECT_EQ(0, join_last(self->fd[4], self->name, 5, SCATTER_RANK_ANY,
			       &rank));
	EXPECT_EQ(3, rank);
}

TEST_F(join, a_taken_rank_is_refused)
{
	int rank;

	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 3, 2, &rank));
	EXPECT_EQ(-EADDRINUSE, join_now(self->fd[1], self->name, 3, 2, &rank));
	EXPECT_EQ(-ENOTCONN, leave(self->fd[1]));
	/* The same file may try another. */
	EXPECT_EQ(-EINPROGRESS, join_now(self->fd[1], self->name, 3, 1, &rank));
	EXPECT_EQ(0, join_last(self->fd[2], self->name, 3, 0, &rank));
}

TEST_F(join, disagreement_about_the_size_does_not_hurt_the_group)
{
	struct seen status;
	int rank;

	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 2, 0, &rank));
	EXPECT_EQ(-EPROTO, join_now(self->fd[1], self->name, 3,
				    SCATTER_RANK_ANY, &rank));
	EXPECT_EQ(-EPROTO, join_now(self->fd[1], self->name, 1,
				    SCATTER_RANK_ANY, &rank));
	ASSERT_EQ(0, status_of(self->fd[0], &status));
	EXPECT_EQ(SCATTER_STATE_FORMING, (int)status.state);
	EXPECT_EQ(1U, status.joined);
	EXPECT_EQ(0, join_last(self->fd[2], self->name, 2, 1, &rank));
	EXPECT_EQ(POLLOUT, events_of(self->fd[0], soon_ms()));
}

/* The first is that of the group. */
static const struct call schedules[] = {
	{ .algorithm = SCATTER_ALGORITHM_MESH, .dims = 2, .extent = { 2, 4 } },
	{ .algorithm = SCATTER_ALGORITHM_AUTO },
	{ .algorithm = SCATTER_ALGORITHM_LINEAR },
	{ .algorithm = SCATTER_ALGORITHM_IRREGULAR },
	{ .algorithm = SCATTER_ALGORITHM_MESH, .dims = 2, .extent = { 4, 2 } },
	{ .algorithm = SCATTER_ALGORITHM_MESH, .dims = 1, .extent = { 8 } },
	{ .algorithm = SCATTER_ALGORITHM_MESH, .dims = 3,
	  .extent = { 2, 4, 1 } },
	{ .algorithm = SCATTER_ALGORITHM_TORUS, .dims = 2, .extent = { 2, 4 } },
};

static int join_with(int fd, const char *name, unsigned int members,
		     const struct call *schedule)
{
	struct scatter_join arg = join_of(name, members, SCATTER_RANK_ANY);

	join_schedule(&arg, schedule);
	return device_call(fd, SCATTER_IOCTL_JOIN, &arg);
}

TEST_F(join, disagreement_about_the_schedule_does_not_hurt_the_group)
{
	struct seen status;
	unsigned int i;

	ASSERT_EQ(-EINPROGRESS, join_with(self->fd[0], self->name, 8,
					  &schedules[0]));
	for (i = 1; i < ARRAY_SIZE(schedules); i++) {
		EXPECT_EQ(-EPROTO, join_with(self->fd[1], self->name, 8,
					     &schedules[i])) {
			TH_LOG("schedule %u", i);
		}
		EXPECT_EQ(-ENOTCONN, status_of(self->fd[1], &status));
	}
	ASSERT_EQ(0, status_of(self->fd[0], &status));
	EXPECT_EQ(SCATTER_STATE_FORMING, (int)status.state);
	EXPECT_EQ(1U, status.joined);
	for (i = 1; i < 7; i++)
		EXPECT_EQ(-EINPROGRESS,
			  join_with(self->fd[i], self->name, 8, &schedules[0]));
	EXPECT_EQ(0, completes(self->fd[7], join_with(self->fd[7], self->name,
						      8, &schedules[0])));
	EXPECT_EQ(POLLOUT, events_of(self->fd[0], soon_ms()));
}

/* The name is free for the next one as soon as nobody is in the group. */
TEST_F(join, status_tells_the_schedule)
{
	struct seen status;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(schedules); i++) {
		ASSERT_EQ(-EINPROGRESS, join_with(self->fd[0], self->name, 8,
						  &schedules[i]));
		ASSERT_EQ(0, status_of(self->fd[0], &status));
		EXPECT_EQ(schedules[i].algorithm, status.schedule.algorithm);
		EXPECT_EQ(schedules[i].ports, status.schedule.ports);
		EXPECT_EQ(schedules[i].dims, status.schedule.dims);
		EXPECT_EQ(0, memcmp(schedules[i].extent, status.schedule.extent,
				    sizeof(status.schedule.extent)));
		ASSERT_EQ(0, leave(self->fd[0]));
	}
}

TEST_F(join, no_ports_of_a_k_nomial_tree_are_one)
{
	struct call call = { .algorithm = SCATTER_ALGORITHM_KNOMIAL };
	struct seen status;

	ASSERT_EQ(-EINPROGRESS, join_with(self->fd[0], self->name, 2, &call));
	ASSERT_EQ(0, status_of(self->fd[0], &status));
	EXPECT_EQ(1U, status.schedule.ports);
	call.ports = 2;
	EXPECT_EQ(-EPROTO, join_with(self->fd[1], self->name, 2, &call));
	call.ports = 1;
	EXPECT_EQ(0, completes(self->fd[1], join_with(self->fd[1], self->name,
						      2, &call)));
}

TEST_F(join, a_complete_group_is_full)
{
	int rank;

	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 2, 0, &rank));
	ASSERT_EQ(0, join_last(self->fd[1], self->name, 2, 1, &rank));
	EXPECT_EQ(-EUSERS, join_now(self->fd[2], self->name, 2,
				    SCATTER_RANK_ANY, &rank));
	EXPECT_EQ(POLLOUT, events_of(self->fd[0], soon_ms()));
	EXPECT_EQ(POLLOUT, events_of(self->fd[1], soon_ms()));
}

TEST_F(join, a_file_joins_once)
{
	int rank;

	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 2, 0, &rank));
	EXPECT_EQ(-EISCONN, join_now(self->fd[0], self->name, 2, 1, &rank));
	ASSERT_EQ(0, join_last(self->fd[1], self->name, 2, 1, &rank));
	EXPECT_EQ(-EISCONN, join_now(self->fd[0], self->name, 2, 1, &rank));
	EXPECT_EQ(-EISCONN, join_now(self->fd[1], "another", 1, 0, &rank));
}

TEST_F(join, poll_tells_when_the_group_is_complete)
{
	int rank;

	EXPECT_EQ(POLLHUP, events_of(self->fd[0], 0));
	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 2, 0, &rank));
	EXPECT_EQ(0, events_of(self->fd[0], 10));
	EXPECT_EQ(-EINPROGRESS, barrier(self->fd[0]));
	ASSERT_EQ(0, join_last(self->fd[1], self->name, 2, 1, &rank));
	EXPECT_EQ(POLLOUT, events_of(self->fd[0], soon_ms()));
	EXPECT_EQ(POLLOUT, events_of(self->fd[1], soon_ms()));
	EXPECT_EQ(-ETIMEDOUT, barrier(self->fd[0]));
}

TEST_F(join, status_of_a_group_that_forms)
{
	struct seen status;
	int rank;

	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 4, 2, &rank));
	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[1], self->name, 4, 0, &rank));
	ASSERT_EQ(0, status_of(self->fd[0], &status));
	EXPECT_EQ(SCATTER_STATE_FORMING, (int)status.state);
	EXPECT_EQ(2, status.rank);
	EXPECT_EQ(4U, status.members);
	EXPECT_EQ(2U, status.joined);
	EXPECT_EQ(0U, status.error);
	EXPECT_EQ(SCATTER_RANK_ANY, status.culprit);
	EXPECT_EQ(RANK(1) | RANK(3), status.missing[0]);
	EXPECT_EQ(2U, mask_count(status.missing));
}

TEST_F(join, a_rank_given_back_before_the_group_is_complete_is_free)
{
	struct seen status;
	int rank;

	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 3, 0, &rank));
	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[1], self->name, 3, 1, &rank));
	EXPECT_EQ(0, leave(self->fd[1]));
	EXPECT_EQ(POLLHUP, events_of(self->fd[1], 0));
	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[2], self->name, 3, 1, &rank));
	close(self->fd[2]);
	ASSERT_EQ(0, status_of(self->fd[0], &status));
	EXPECT_EQ(1U, status.joined);
	/* Nobody has died: nothing has begun. */
	EXPECT_EQ(0U, mask_count(status.dead));
	EXPECT_EQ(0U, mask_count(status.left));
	EXPECT_EQ(0, events_of(self->fd[0], 0));
	EXPECT_EQ(-EINPROGRESS, join_now(self->fd[1], self->name, 3, 1, &rank));
	EXPECT_EQ(0, join_last(self->fd[3], self->name, 3, 2, &rank));
	self->fd[2] = -1;
}

TEST_F(join, a_group_that_empties_while_it_forms_is_gone)
{
	int error, rank;
	__u64 end;

	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 3, 0, &rank));
	EXPECT_EQ(0, leave(self->fd[0]));
	/* Another size: another group. Another node may hear later that the name is free. */
	end = after_ms(soon_ms());
	do
		error = join_last(self->fd[1], self->name, 1, 0, &rank);
	while (error == -EPROTO && now_ns() < end);
	EXPECT_EQ(0, error);
}

TEST_F(join, a_deadline_that_has_passed_does_not_keep_the_last_one_out)
{
	struct scatter_join arg = join_of(self->name, 2, 1);
	int fd = device_open(0);
	int rank;

	ASSERT_LE(0, fd);
	ASSERT_EQ(-EINPROGRESS, join_now(self->fd[0], self->name, 2, 0, &rank));
	arg.deadline_ns = 1;
	EXPECT_EQ(0, device_call(fd, SCATTER_IOCTL_JOIN, &arg));
	close(fd);
}

TEST_F(join, five_hundred_groups_form_at_once)
{
	char name[SCATTER_NAME_MAX];
	int fd[500], rank;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = device_open(O_NONBLOCK);
		ASSERT_LE(0, fd[i]);
		snprintf(name, sizeof(name), "%.32s.%u", self->name, i);
		ASSERT_EQ(-EINPROGRESS, join_now(fd[i], name, 2, 1, &rank));
	}
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		EXPECT_EQ(0, events_of(fd[i], 0));
	snprintf(name, sizeof(name), "%.32s.%u", self->name, 250U);
	EXPECT_EQ(0, join_last(self->fd[0], name, 2, 0, &rank));
	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		EXPECT_EQ(i == 250 ? POLLOUT : 0,
			  events_of(fd[i], i == 250 ? soon_ms() : 0));
		close(fd[i]);
	}
}

TEST_F(join, the_largest_group_forms)
{
	struct rlimit limit = { .rlim_cur = 4096, .rlim_max = 4096 };
	struct scatter_join arg;
	struct scatter_info info;
	static int fd[MEMBERS_MAX];
	unsigned int i;
	int error;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ASSERT_EQ(0, device_info(&info));
	for (i = 0; i < MEMBERS_MAX; i++) {
		fd[i] = device_open(O_NONBLOCK);
		ASSERT_LE(0, fd[i]);
		arg = join_of(self->name, MEMBERS_MAX, SCATTER_RANK_ANY);
		arg.ring_bytes = info.ring_bytes_min;
		error = device_call(fd[i], SCATTER_IOCTL_JOIN, &arg);
		if (i == MEMBERS_MAX - 1)
			error = completes(fd[i], error);
		ASSERT_EQ(i < MEMBERS_MAX - 1 ? -EINPROGRESS : 0, error);
		ASSERT_EQ((int)i, arg.rank);
	}
	EXPECT_EQ(POLLOUT, events_of(fd[0], soon_ms()));
	EXPECT_EQ(-ETIMEDOUT, barrier(fd[1023]));
	for (i = 0; i < MEMBERS_MAX; i++)
		close(fd[i]);
}

/* Joiners that wait -------------------------------------------------------- */

static void join_start(struct crew *crew, unsigned int worker,
		       unsigned int members, int rank, unsigned int timeout_ms)
{
	union task_args args = {
		.join = join_of(crew->name, members, rank),
	};

	if (timeout_ms)
		args.join.deadline_ns = after_ms(timeout_ms);
	worker_order(&crew->worker[worker], task_join, &args);
}

static int rank_taken(const struct crew *crew, unsigned int worker)
{
	return crew->worker[worker].reply.args.join.rank;
}

/* Worker 0 waits for rank 1, which is free: someone else takes it. */
static void rank_1_is_free(struct __test_metadata *_metadata, struct crew *crew)
{
	join_start(crew, 2, 2, 1, PATIENCE_MS);
	ASSERT_EQ(0, worker_finish(&crew->worker[2]));
	ASSERT_EQ(0, worker_finish(&crew->worker[0]));
	EXPECT_EQ(0, rank_taken(crew, 0));
	EXPECT_EQ(1, rank_taken(crew, 2));
}

/* A group needs a file for reading and writing; INFO does not. */
TEST(a_file_without_both_modes_neither_joins_nor_creates)
{
	const int modes[] = { O_RDONLY, O_WRONLY, 3 };
	struct scatter_create create = { .size = sizeof(create), .members = 1 };
	struct scatter_info info = { .size = sizeof(info) };
	struct scatter_join arg;
	struct seen status;
	char name[SCATTER_NAME_MAX];
	unsigned int i;
	int fd;

	name_make(name, "modes");
	arg = join_of(name, 1, 0);
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		fd = open(DEVICE, modes[i] | O_CLOEXEC);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EBADF, device_call(fd, SCATTER_IOCTL_JOIN, &arg));
		EXPECT_EQ(-ENOTCONN, status_of(fd, &status));
		EXPECT_EQ(-EBADF, device_call(fd, SCATTER_IOCTL_CREATE, &create));
		EXPECT_EQ(0, device_call(fd, SCATTER_IOCTL_INFO, &info));
		close(fd);
	}
	fd = device_open(0);
	EXPECT_EQ(0, device_call(fd, SCATTER_IOCTL_JOIN, &arg));
	close(fd);
}

TEST(a_joiner_sleeps_until_the_group_is_complete)
{
	struct crew crew;

	ASSERT_TRUE(crew_spawn(&crew, 3));
	join_start(&crew, 0, 2, 0, 0);
	ASSERT_TRUE(worker_sleeps(&crew.worker[0], SCATTER_IOCTL_JOIN));
	rank_1_is_free(_metadata, &crew);
	EXPECT_TRUE(crew_end(&crew));
}

TEST(a_joiner_whose_deadline_passes_gives_its_rank_back)
{
	const unsigned int ms = 50;
	struct crew crew;
	__u64 began;

	ASSERT_TRUE(crew_spawn(&crew, 3));
	began = now_ns();
	join_start(&crew, 1, 3, 2, ms);
	EXPECT_EQ(-ETIMEDOUT, worker_finish(&crew.worker[1]));
	EXPECT_LE(began + ms * NSEC_PER_MSEC, crew.worker[1].reply.ended_ns);
	EXPECT_EQ(-ENOTCONN, worker_do(&crew.worker[1], task_status, NULL));
	/* The joiner was alone: its group is gone, so another size is no disagreement. */
	join_start(&crew, 0, 2, 0, PATIENCE_MS);
	ASSERT_TRUE(worker_sleeps(&crew.worker[0], SCATTER_IOCTL_JOIN));
	join_start(&crew, 1, 2, 1, 1);
	worker_finish(&crew.worker[1]);
	EXPECT_TRUE(crew_end(&crew));
}

TEST(a_lost_joiner_does_not_complete_the_group)
{
	struct crew crew;

	ASSERT_TRUE(crew_spawn(&crew, 4));
	join_start(&crew, 0, 3, 0, PATIENCE_MS);
	join_start(&crew, 1, 3, 1, 20);
	EXPECT_EQ(-ETIMEDOUT, worker_finish(&crew.worker[1]));
	join_start(&crew, 2, 3, 2, PATIENCE_MS);
	EXPECT_TRUE(worker_sleeps(&crew.worker[0], SCATTER_IOCTL_JOIN));
	EXPECT_TRUE(worker_sleeps(&crew.worker[2], SCATTER_IOCTL_JOIN));
	join_start(&crew, 3, 3, 1, PATIENCE_MS);
	EXPECT_EQ(0, worker_finish(&crew.worker[3]));
	EXPECT_EQ(0, worker_finish(&crew.worker[2]));
	EXPECT_EQ(0, worker_finish(&crew.worker[0]));
	EXPECT_TRUE(crew_end(&crew));
}

TEST(a_signal_ends_join_and_gives_the_rank_back)
{
	struct crew crew;

	ASSERT_TRUE(crew_spawn(&crew, 3));
	join_start(&crew, 0, 2, 0, 0);
	ASSERT_TRUE(worker_sleeps(&crew.worker[0], SCATTER_IOCTL_JOIN));
	worker_signal(&crew.worker[0], SIGUSR1);
	EXPECT_EQ(-EINTR, worker_finish(&crew.worker[0]));
	EXPECT_EQ(-ENOTCONN, worker_do(&crew.worker[0], task_status, NULL));
	/* The same file, another rank. */
	join_start(&crew, 1, 2, 1, 0);
	ASSERT_TRUE(worker_sleeps(&crew.worker[1], SCATTER_IOCTL_JOIN));
	worker_signal(&crew.worker[1], SIGUSR1);
	EXPECT_EQ(-EINTR, worker_finish(&crew.worker[1]));
	join_start(&crew, 0, 2, 0, PATIENCE_MS);
	rank_1_is_free(_metadata, &crew);
	EXPECT_TRUE(crew_end(&crew));
}

TEST(a_joiner_killed_while_it_waits_gives_its_rank_back)
{
	struct crew crew;

	ASSERT_TRUE(crew_spawn(&crew, 3));
	join_start(&crew, 0, 2, 0, PATIENCE_MS);
	ASSERT_TRUE(worker_sleeps(&crew.worker[0], SCATTER_IOCTL_JOIN));
	join_start(&crew, 1, 2, 0, PATIENCE_MS);
	EXPECT_EQ(-EADDRINUSE, worker_finish(&crew.worker[1]));
	ASSERT_TRUE(worker_end(&crew.worker[0]));
	ASSERT_TRUE(worker_spawn(&crew.worker[0]));
	ASSERT_EQ(0, worker_do(&crew.worker[0], task_open, NULL));
	join_start(&crew, 0, 2, 0, PATIENCE_MS);
	rank_1_is_free(_metadata, &crew);
	EXPECT_TRUE(crew_end(&crew));
}

/* The address space is gone, but another process still has the file. */
TEST(a_joiner_killed_while_it_forms_is_lost_whoever_holds_the_file)
{
	char name[SCATTER_NAME_MAX];
	int fd = device_open(O_NONBLOCK);
	int other = device_open(O_NONBLOCK);
	struct seen status;
	int rank, code;
	pid_t pid;

	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	name_make(name, "gone");
	ASSERT_EQ(-EINPROGRESS, join_now(other, name, 3, 0, &rank));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(join_now(fd, name, 3, 1, &rank) != -EINPROGRESS);
	ASSERT_EQ(pid, waitpid(pid, &code, 0));
	ASSERT_EQ(0, code);
	ASSERT_EQ(0, status_of(other, &status));
	EXPECT_EQ(1U, status.joined);
	EXPECT_EQ(RANK(1) | RANK(2), status.missing[0]);
	EXPECT_EQ(-EIO, barrier(fd));
	EXPECT_EQ(-EIO, leave(fd));
	close(fd);
	fd = device_open(O_NONBLOCK);
	EXPECT_EQ(-EINPROGRESS, join_now(fd, name, 3, 1, &rank));
	close(fd);
	close(other);
}

TEST(another_thread_of_the_file_gets_ebusy_while_join_waits)
{
	struct worker thread;
	struct crew crew;

	ASSERT_TRUE(crew_spawn(&crew, 3));
	ASSERT_TRUE(worker_thread(&thread, &crew.worker[0]));
	join_start(&crew, 0, 2, 0, 0);
	ASSERT_TRUE(worker_sleeps(&crew.worker[0], SCATTER_IOCTL_JOIN));
	EXPECT_EQ(-EBUSY, worker_do(&thread, task_leave, NULL));
	EXPECT_EQ(POLLHUP, worker_do(&thread, task_events, NULL));
	rank_1_is_free(_metadata, &crew);
	EXPECT_TRUE(crew_end(&crew));
}

TEST(sixty_four_at_once_get_distinct_ranks)
{
	struct scatter_join arg;
	unsigned int round, i;
	struct crew crew;
	__u64 seen;

	ASSERT_TRUE(crew_spawn(&crew, CREW_MAX));
	for (round = 0; round < 10; round++) {
		seen = 0;
		/* Another node may hear a moment later that the old name is free. */
		if (soon_ms())
			name_make(crew.name, "many");
		for (i = 0; i < CREW_MAX; i++)
			join_start(&crew, i, CREW_MAX, SCATTER_RANK_ANY,
				   PATIENCE_MS);
		for (i = 0; i < CREW_MAX; i++) {
			ASSERT_EQ(0, worker_finish(&crew.worker[i]));
			arg = crew.worker[i].reply.args.join;
			ASSERT_LE(0, arg.rank);
			ASSERT_GT(CREW_MAX, arg.rank);
			seen |= RANK(arg.rank);
		}
		EXPECT_EQ(~0ULL, seen);
		for (i = 0; i < CREW_MAX; i++)
			worker_order(&crew.worker[i], task_leave, NULL);
		for (i = 0; i < CREW_MAX; i++)
			EXPECT_EQ(0, worker_finish(&crew.worker[i]));
	}
	EXPECT_TRUE(crew_end(&crew));
}

/*
 * A deadline races with the last joiner: either both are in, or the one whose
 * deadline passed is out and the other waits for somebody else.
 */
TEST(a_deadline_and_the_last_joiner_race)
{
	struct race race = { .us = 150 };
	struct crew crew;
	__s64 late;

	srand(9);
	ASSERT_TRUE(crew_spawn(&crew, 3));
	while (race_goes_on(&race, 300)) {
		union task_args args = { .join = join_of(crew.name, 2, 1) };

		name_make(crew.name, "race");
		args.join = join_of(crew.name, 2, 1);
		args.join.deadline_ns = now_ns() + race_us(&race) * NSEC_PER_USEC;
		worker_order(&crew.worker[1], task_join, &args);
		join_start(&crew, 0, 2, 0, PATIENCE_MS);
		late = worker_finish(&crew.worker[1]);
		if (late) {
			ASSERT_EQ(-ETIMEDOUT, late);
			ASSERT_TRUE(worker_sleeps(&crew.worker[0],
						  SCATTER_IOCTL_JOIN));
			rank_1_is_free(_metadata, &crew);
			ASSERT_EQ(0, worker_do(&crew.worker[2], task_leave,
					       NULL));
		} else {
			ASSERT_EQ(0, worker_finish(&crew.worker[0]));
			ASSERT_EQ(0, worker_do(&crew.worker[1], task_leave,
					       NULL));
		}
		ASSERT_EQ(0, worker_do(&crew.worker[0], task_leave, NULL));
		race_note(&race, late, !late);
	}
	EXPECT_TRUE(race_was_seen(&race));
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
