// SPDX-License-Identifier: GPL-2.0
/*
 * Deadlines: relative ones, and those of a time namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "regroup.h"

/* Longer than any call that does not wait. */
#define LONG_MS		1000U
#define LONG_NS		(paced_ms(LONG_MS) * NSEC_PER_MSEC)

FIXTURE(relative)
{
	struct crew crew;
	union task_args barrier;
};

FIXTURE_SETUP(relative)
{
	const struct call barrier = { .op = SCATTER_OP_BARRIER };

	ASSERT_TRUE(crew_form(&self->crew, 2, 0));
	self->barrier.call = crew_args(0, &barrier, 0);
	self->barrier.call.coll.flags = SCATTER_COLL_RELATIVE;
}

FIXTURE_TEARDOWN(relative)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static __u64 lasted_ns(const struct worker *worker)
{
	return worker->reply.ended_ns - worker->reply.began_ns;
}

TEST_F(relative, it_counts_from_the_call)
{
	struct worker *worker = &self->crew.worker[0];

	self->barrier.call.coll.deadline_ns = LONG_NS;
	EXPECT_EQ(-ETIMEDOUT, worker_do(worker, task_call, &self->barrier));
	EXPECT_LE(LONG_NS, lasted_ns(worker));
	EXPECT_EQ(0ULL, worker->reply.args.call.results.number);
	/* After ETIMEDOUT anew. */
	EXPECT_EQ(-ETIMEDOUT, worker_do(worker, task_call, &self->barrier));
	EXPECT_LE(LONG_NS, lasted_ns(worker));
	EXPECT_EQ(0ULL, worker->reply.args.call.results.number);
}

/* Signals give nobody more time. */
TEST_F(relative, it_goes_on_after_a_signal)
{
	struct worker *worker = &self->crew.worker[0];
	__u64 end;

	self->barrier.call.coll.deadline_ns = LONG_NS;
	worker_order(worker, task_call, &self->barrier);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(0)));
	worker_signal(worker, SIGUSR1);
	ASSERT_EQ(-EINTR, worker_finish(worker));
	end = worker->reply.ended_ns + LONG_NS;
	while (now_ns() < end)
		nap_us(1000);
	EXPECT_EQ(-ETIMEDOUT, worker_do(worker, task_call, &self->barrier));
	EXPECT_GT(LONG_NS, lasted_ns(worker));
	EXPECT_EQ(-ETIMEDOUT, worker_do(worker, task_call, &self->barrier));
	EXPECT_LE(LONG_NS, lasted_ns(worker));
}

/* A call that resumes with another deadline means the new one. */
TEST_F(relative, another_one_counts_from_its_call)
{
	struct worker *worker = &self->crew.worker[0];
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);

	self->barrier.call.coll.deadline_ns = 1;
	worker_order(worker, task_call, &self->barrier);
	EXPECT_EQ(-ETIMEDOUT, worker_finish(worker));
	self->barrier.call.coll.deadline_ns = 0;
	worker_order(worker, task_call, &self->barrier);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(0)));
	worker_signal(worker, SIGUSR1);
	ASSERT_EQ(-EINTR, worker_finish(worker));
	self->barrier.call.coll.deadline_ns = LONG_NS;
	EXPECT_EQ(-ETIMEDOUT, worker_do(worker, task_call, &self->barrier));
	EXPECT_LE(LONG_NS, lasted_ns(worker));
	/* The longest there is does not wrap around, nor need all give the same. */
	self->barrier.call.coll.deadline_ns = LLONG_MAX;
	worker_order(worker, task_call, &self->barrier);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(0)));
	EXPECT_TRUE(crew_calls(&self->crew, RANK(1), &barrier));
	EXPECT_TRUE(crew_succeeds(&self->crew, RANK(0)));
}

TEST_F(relative, too_far_away)
{
	self->barrier.call.coll.deadline_ns = 1ULL << 63;
	EXPECT_EQ(-EINVAL, worker_do(&self->crew.worker[0], task_call, &self->barrier));
}

TEST_F(relative, regroup_and_agree)
{
	struct worker *worker = &self->crew.worker[0];
	union task_args args = { .regroup = regroup_of(SCATTER_OP_DUP) };
	const __u32 ops[] = { SCATTER_OP_SHRINK, SCATTER_OP_DUP };
	unsigned int i;

	args.regroup.flags = SCATTER_REGROUP_RELATIVE;
	args.regroup.deadline_ns = LONG_NS;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		args.regroup.op = ops[i];
		EXPECT_EQ(-ETIMEDOUT, worker_do(worker, task_regroup, &args));
		EXPECT_LE(LONG_NS, lasted_ns(worker));
	}
	args.agree = (struct scatter_agree){
		.size = sizeof(args.agree), .flags = SCATTER_AGREE_RELATIVE,
		.deadline_ns = LONG_NS,
	};
	EXPECT_EQ(-ETIMEDOUT, worker_do(worker, task_agree, &args));
	EXPECT_LE(LONG_NS, lasted_ns(worker));
}

TEST(relative_join)
{
	char name[SCATTER_NAME_MAX];
	struct scatter_join join;
	int fd = device_open(0);
	__u64 began_ns;

	ASSERT_LE(0, fd);
	name_make(name, "deadline");
	join = join_of(name, 2, 0);
	join.flags = SCATTER_JOIN_RELATIVE;
	join.deadline_ns = LONG_NS;
	began_ns = now_ns();
	EXPECT_EQ(-ETIMEDOUT, device_call(fd, SCATTER_IOCTL_JOIN, &join));
	EXPECT_LE(LONG_NS, now_ns() - began_ns);
	EXPECT_EQ(LONG_NS, join.deadline_ns);
	close(fd);
}

/* Time namespaces --------------------------------------------------------------- */

/* Exit statuses of who is in the namespace. */
enum {
	GOOD,
	NO_NAMESPACE,
	BAD_JOIN,
	BAD_COLL,
	BAD_PAST,
	BAD_LATE,
};

/* A second member that comes before @deadline_ns. */
static int call_in_time(const char *name, __u64 deadline_ns)
{
	struct scatter_join join = join_of(name, 1, 0);
	struct scatter_coll barrier = {
		.size = sizeof(barrier), .op = SCATTER_OP_BARRIER,
		.deadline_ns = deadline_ns,
	};
	int fd = device_open(0);

	join.deadline_ns = deadline_ns;
	if (device_call(fd, SCATTER_IOCTL_JOIN, &join))
		return BAD_JOIN;
	return coll_once(fd, &barrier) ? BAD_COLL : GOOD;
}

/* A JOIN that waits as long as can be said is still waiting when it is killed. */
static int call_late(void)
{
	char name[SCATTER_NAME_MAX];
	struct scatter_join join;
	__u64 end = after_ms(GLIMPSE_MS);
	int status = 0;
	pid_t pid;

	name_make(name, "late");
	join = join_of(name, 2, 0);
	pid = fork();
	if (!pid) {
		join.deadline_ns = LLONG_MAX;
		_exit(device_call(device_open(0), SCATTER_IOCTL_JOIN, &join) ? BAD_LATE : GOOD);
	}
	while (now_ns() < end && !waitpid(pid, &status, WNOHANG))
		nap_us(1000);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? GOOD : BAD_LATE;
}

/* In the namespace: what would be days away is not, and what is past here is past. */
static int live_there(const char *name, long long offset_s)
{
	struct scatter_join join = join_of(name, 2, 0);
	int fd = device_open(0);

	if (offset_s > 0 && now_ns() < offset_s * 1000 * NSEC_PER_MSEC)
		return NO_NAMESPACE;
	join.deadline_ns = now_ns() + 10 * NSEC_PER_MSEC;
	if (device_call(fd, SCATTER_IOCTL_JOIN, &join) != -ETIMEDOUT)
		return BAD_JOIN;
	/* Before the time of the machine began. */
	join.deadline_ns = 1;
	if (device_call(fd, SCATTER_IOCTL_JOIN, &join) != -ETIMEDOUT)
		return BAD_PAST;
	/* The latest that there is does not wrap around. */
	return call_in_time(name, after_ms(PATIENCE_MS)) ?: call_late();
}

static int move_there(const char *name, long long offset_s)
{
	char text[64];
	int status;
	pid_t pid;

	snprintf(text, sizeof(text), "monotonic %lld 0", offset_s);
	if (unshare(CLONE_NEWTIME) || file_write("/proc/self/timens_offsets", text))
		return NO_NAMESPACE;
	pid = fork();
	if (!pid)
		_exit(live_there(name, offset_s));
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) :
								       NO_NAMESPACE;
}

TEST(deadlines_are_of_the_time_namespace)
{
	char name[SCATTER_NAME_MAX];
	int status, i;
	pid_t pid;

	name_make(name, "timens");
	for (i = 0; i < 2; i++) {
		pid = fork();
		if (!pid)
			_exit(move_there(name, i ? -1 : 1000000));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFEXITED(status));
		EXPECT_EQ(GOOD, WEXITSTATUS(status));
	}
}

TEST_HARNESS_MAIN
