// SPDX-License-Identifier: GPL-2.0
/* A member's file: duplicated, passed on, closed while in use, and polled. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "death.h"
#include "harness.h"

#define SIZE		3
#define EAGER		100ULL

FIXTURE(file)
{
	struct crew crew;
	struct call barrier;
	struct call scatter;
};

FIXTURE_SETUP(file)
{
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	self->barrier = (struct call){
		.op = SCATTER_OP_BARRIER, .timeout_ms = PATIENCE_MS,
	};
	self->scatter = (struct call){
		.op = SCATTER_OP_SCATTER, .block = EAGER, .seed = 1,
		.timeout_ms = PATIENCE_MS,
	};
}

FIXTURE_TEARDOWN(file)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static int events(struct crew *crew, unsigned int rank, int wanted)
{
	union task_args args = { .word = { (__u64)wanted } };

	return (int)worker_do(&crew->worker[rank], task_events, &args);
}

/* Closes one of two descriptors of the file. */
static __s64 task_close_a_duplicate(struct self *self, union task_args *args)
{
	int other = dup(self->fd);

	(void)args;
	if (other < 0)
		return -errno;
	close(self->fd);
	self->fd = other;
	return 0;
}

TEST_F(file, closing_a_duplicate_is_no_death)
{
	struct crew *crew = &self->crew;

	EXPECT_EQ(0, worker_do(&crew->worker[1], task_close_a_duplicate, NULL));
	EXPECT_TRUE(crew_runs(crew, &self->scatter));
	EXPECT_TRUE(crew_runs(crew, &self->barrier));
}

/* The call keeps the file; that it was closed is known when it returns. */
TEST_F(file, a_call_survives_the_close_of_its_descriptor)
{
	struct crew *crew = &self->crew;
	struct worker thread;

	ASSERT_TRUE(worker_thread(&thread, &crew->worker[1]));
	crew_start(crew, RANK(1), &self->scatter);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	EXPECT_EQ(0, worker_do(&thread, task_close, NULL));
	EXPECT_TRUE(crew_calls(crew, RANK(0) | RANK(2), &self->scatter));
	EXPECT_TRUE(crew_succeeds(crew, RANK(1)));
	crew_start(crew, RANK(0) | RANK(2), &self->barrier);
	EXPECT_TRUE(crew_fails(crew, RANK(0) | RANK(2), ECONNRESET, 1));
}

/* A process that shares the address space is the member too. */
static int operate(void *file)
{
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = SCATTER_OP_BARRIER,
		.deadline_ns = after_ms(PATIENCE_MS),
	};

	return coll_once(*(int *)file, &coll) ? 1 : 0;
}

static __s64 task_clone(struct self *self, union task_args *args)
{
	pid_t pid = sharer_clone(operate, &self->fd);
	int code;

	(void)args;
	return pid > 0 && waitpid(pid, &code, 0) == pid ? code : -ECHILD;
}

TEST_F(file, a_process_in_the_same_address_space_may_operate)
{
	struct crew *crew = &self->crew;

	crew_start(crew, RANKS(1, 2), &self->barrier);
	EXPECT_EQ(0, worker_do(&crew->worker[0], task_clone, NULL));
	EXPECT_TRUE(crew_succeeds(crew, RANKS(1, 2)));
}

/* Files that are passed on -------------------------------------------------- */

static bool file_send(int channel, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec vector = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &vector, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(channel, &message, MSG_NOSIGNAL) == 1;
}

static int file_receive(int channel)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec vector = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &vector, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(channel, &message, MSG_DONTWAIT) != 1 ||
	    !CMSG_FIRSTHDR(&message))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

/* The worker sends its file to the test over its spare channel. */
static __s64 task_send_file(struct self *self, union task_args *args)
{
	(void)args;
	return file_send(self->channel[1], self->fd) ? 0 : -EIO;
}

TEST_F(file, passed_to_another_process_it_does_not_operate_there)
{
	struct crew *crew = &self->crew;
	struct seen status;
	struct scatter_coll coll = {
		.size = sizeof(coll), .op = SCATTER_OP_BARRIER,
	};
	int fd;

	ASSERT_EQ(0, worker_do(&crew->worker[1], task_send_file, NULL));
	fd = file_receive(crew->worker[1].spare);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EIO, coll_once(fd, &coll));
	EXPECT_EQ(-EIO, leave(fd));
	EXPECT_EQ(0, status_of(fd, &status));
	EXPECT_EQ(1, status.rank);
	EXPECT_EQ(POLLOUT, events_of(fd, 0));
	/* None of that has hurt the group, nor does the close. */
	EXPECT_TRUE(crew_runs(crew, &self->scatter));
	close(fd);
	EXPECT_TRUE(crew_runs(crew, &self->barrier));
}

/* In flight, nobody has it open: it is the sender's address space that counts. */
TEST_F(file, in_flight_it_does_not_hide_the_death_of_the_member)
{
	struct crew *crew = &self->crew;
	int fd;

	ASSERT_EQ(0, worker_do(&crew->worker[1], task_send_file, NULL));
	ASSERT_EQ(0, worker_do(&crew->worker[1], task_close, NULL));
	/* The message holds the file: not closed, not dead. */
	crew_start(crew, RANK(0), &self->barrier);
	ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	kill(crew->worker[1].pid, SIGKILL);
	EXPECT_TRUE(crew_fails(crew, RANK(0), ECONNRESET, 1));
	fd = file_receive(crew->worker[1].spare);
	EXPECT_LE(0, fd);
	EXPECT_EQ(POLLOUT | POLLPRI | POLLERR, events_of(fd, 0));
	close(fd);
}

TEST(passed_on_before_join_it_is_a_file_like_any_other)
{
	union task_args args;
	struct crew crew;
	int fd;

	ASSERT_TRUE(crew_spawn(&crew, 2));
	ASSERT_EQ(0, worker_do(&crew.worker[1], task_send_file, NULL));
	fd = file_receive(crew.worker[1].spare);
	ASSERT_LE(0, fd);
	args.join = join_of(crew.name, 2, 0);
	worker_order(&crew.worker[0], task_join, &args);
	EXPECT_EQ(1, join(fd, crew.name, 2, 1));
	EXPECT_EQ(0, worker_finish(&crew.worker[0]));
	/* Worker 1 has the same file, but is not the one who joined. */
	EXPECT_EQ(-EIO, worker_do(&crew.worker[1], task_leave, NULL));
	EXPECT_EQ(0, leave(fd));
	close(fd);
	EXPECT_TRUE(crew_end(&crew));
}

/* Poll ---------------------------------------------------------------------- */

TEST_F(file, poll_tells_of_a_death_and_of_the_last_one_gone)
{
	struct crew *crew = &self->crew;

	EXPECT_EQ(POLLOUT, events(crew, 0, POLLOUT));
	ASSERT_TRUE(worker_end(&crew->worker[1]));
	EXPECT_EQ(POLLOUT | POLLPRI | POLLERR,
		  events(crew, 0, POLLPRI | POLLERR));
	ASSERT_TRUE(worker_end(&crew->worker[2]));
	EXPECT_EQ(POLLOUT | POLLPRI | POLLERR | POLLHUP,
		  events(crew, 0, POLLHUP));
}

TEST_F(file, poll_tells_of_those_who_left)
{
	struct crew *crew = &self->crew;

	ASSERT_EQ(0, worker_do(&crew->worker[1], task_leave, NULL));
	EXPECT_EQ(POLLOUT | POLLERR, events(crew, 0, POLLERR));
	EXPECT_EQ(POLLHUP, events(crew, 1, POLLHUP));
	ASSERT_EQ(0, worker_do(&crew->worker[2], task_leave, NULL));
	EXPECT_EQ(POLLOUT | POLLERR | POLLHUP, events(crew, 0, POLLHUP));
}

TEST_F(file, a_death_wakes_a_poller)
{
	struct crew *crew = &self->crew;
	union task_args args = { .word = { paced_ms(PATIENCE_MS) } };

	worker_order(&crew->worker[0], task_poll, &args);
	EXPECT_FALSE(worker_replies(&crew->worker[0], paced_ms(GLIMPSE_MS)));
	ASSERT_TRUE(worker_end(&crew->worker[2]));
	EXPECT_EQ(POLLPRI | POLLERR, worker_finish(&crew->worker[0]));
}

TEST_HARNESS_MAIN
