// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and user copy of the calls that make groups and descriptors fails, one
 * after the other: each has no effect then, and works when called again.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "inject.h"
#include "regroup.h"

/* Alone in a group, by a descriptor. */
FIXTURE(failnth)
{
	int device;
	int group;
	int member;
};

FIXTURE_SETUP(failnth)
{
	if (!inject_set_up())
		SKIP(return, "no " FAIL_NTH);
	self->device = device_open(0);
	self->group = group_create(1);
	self->member = join_by(self->group, 0);
	ASSERT_LE(0, self->device);
	ASSERT_LE(0, self->group);
	ASSERT_LE(0, self->member);
}

FIXTURE_TEARDOWN(failnth)
{
	if (self->device <= 0)
		return;
	close(self->member);
	close(self->group);
	close(self->device);
}

/* A call with point @nth failing. */
static int once(int fd, unsigned int request, void *arg, unsigned int nth,
		bool *came)
{
	int armed = inject_arm(nth);
	int error;

	if (armed < 0)
		return armed;
	error = device_call(fd, request, arg);
	*came = inject_disarm(armed);
	return error;
}

/* And once more if it has failed; what that returns. */
static int twice(int fd, unsigned int request, void *arg, unsigned int nth,
		 bool *came)
{
	int error = once(fd, request, arg, nth, came);

	if (error == -ENOMEM || error == -EFAULT)
		error = device_call(fd, request, arg);
	return error;
}

typedef bool point_fn(FIXTURE_DATA(failnth) *self, void *arg, unsigned int nth,
		      bool *came);

/* All points of a call; whether @point has been content with each. */
static bool sweep(FIXTURE_DATA(failnth) *self, const char *what, point_fn *point,
		  void *arg)
{
	bool came = true;
	unsigned int nth;

	/* Nothing can be made to fail here; the fixture has told. */
	if (self->device <= 0)
		return true;
	for (nth = 0; inject_next(&nth, came);)
		if (!point(self, arg, nth, &came))
			return false;
	return inject_swept(nth, came, what);
}

static bool create(FIXTURE_DATA(failnth) *self, void *arg, unsigned int nth,
		   bool *came)
{
	struct scatter_create create = { .size = sizeof(create), .members = 2 };

	(void)arg;
	return !twice(self->device, SCATTER_IOCTL_CREATE, &create, nth, came) &&
	       !close(create.fd);
}

TEST_F(failnth, create)
{
	EXPECT_TRUE(sweep(self, "CREATE", create, NULL));
}

/* An answer that is lost takes the membership with it: then the group is over. */
static bool join_once(FIXTURE_DATA(failnth) *self, void *arg, unsigned int nth,
		      bool *came)
{
	struct scatter_join join = { .size = sizeof(join) };
	int group = group_create(1);
	int error;

	(void)self;
	(void)arg;
	if (group < 0)
		return false;
	error = twice(group, SCATTER_IOCTL_JOIN, &join, nth, came);
	close(group);
	return error ? error == -EUSERS : !close(join.fd);
}

TEST_F(failnth, join_by_a_descriptor)
{
	EXPECT_TRUE(sweep(self, "JOIN by a descriptor", join_once, NULL));
}

static bool regroup(FIXTURE_DATA(failnth) *self, void *arg, unsigned int nth,
		    bool *came)
{
	struct scatter_regroup *one = arg;

	one->number = SCATTER_NUMBER_NEW;
	return !twice(self->member, SCATTER_IOCTL_REGROUP, one, nth, came) && !close(one->fd);
}

TEST_F(failnth, regroup)
{
	static const __u32 ops[] = {
		SCATTER_OP_DUP, SCATTER_OP_SPLIT, SCATTER_OP_SHRINK,
	};
	struct scatter_regroup arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		arg = regroup_of(ops[i]);
		arg.deadline_ns = 0;
		EXPECT_TRUE(sweep(self, "REGROUP", regroup, &arg));
	}
}

/* AGREE waits for memory: only the user's struct can fail. */
static bool agree(FIXTURE_DATA(failnth) *self, void *arg, unsigned int nth,
		  bool *came)
{
	struct scatter_agree agree = { .size = sizeof(agree), .value = 6 };
	int error = once(self->member, SCATTER_IOCTL_AGREE, &agree, nth, came);

	(void)arg;
	if (error == -EFAULT)
		error = device_call(self->member, SCATTER_IOCTL_AGREE, &agree);
	return !error && agree.value == 6;
}

TEST_F(failnth, agree)
{
	EXPECT_TRUE(sweep(self, "AGREE", agree, NULL));
}

static bool get_failed(FIXTURE_DATA(failnth) *self, void *arg, unsigned int nth,
		       bool *came)
{
	struct scatter_get_failed failed = { .size = sizeof(failed) };

	(void)arg;
	return !twice(self->member, SCATTER_IOCTL_GET_FAILED, &failed, nth, came);
}

TEST_F(failnth, get_failed)
{
	EXPECT_TRUE(sweep(self, "GET_FAILED", get_failed, NULL));
}

static bool credentials(FIXTURE_DATA(failnth) *self, void *arg,
			unsigned int nth, bool *came)
{
	struct scatter_credential list[2];
	struct scatter_credentials ask = {
		.size = sizeof(ask), .list = (size_t)list,
	};

	(void)arg;
	ask.count = ARRAY_SIZE(list);
	return !twice(self->member, SCATTER_IOCTL_CREDENTIALS, &ask, nth, came);
}

TEST_F(failnth, credentials)
{
	EXPECT_TRUE(sweep(self, "CREDENTIALS", credentials, NULL));
}

struct pair {
	int fd;
	struct worker worker;
};

/* The number of the operation that a member calls next; 0 if it cannot be asked. */
static __u64 next_of(int fd)
{
	struct scatter_status status = { .size = sizeof(status) };

	return device_call(fd, SCATTER_IOCTL_STATUS, &status) ? 0 : status.next;
}

/* Whether the worker's new membership is of a group of which the other member is gone. */
static bool is_left_alone(struct worker *worker)
{
	struct pollfd pollfd = {
		.fd = descriptor_borrow(worker->pid, worker->reply.args.regroup.fd),
		.events = POLLOUT | POLLPRI,
	};
	bool alone;

	if (pollfd.fd < 0)
		return false;
	alone = poll(&pollfd, 1, 0) == 1 &&
		(pollfd.revents & (POLLPRI | POLLHUP)) == (POLLPRI | POLLHUP);
	close(pollfd.fd);
	return alone;
}

/*
 * A call that fails before it has entered the DUP is made again. Behind that only the answer
 * can be lost, and with it the membership.
 */
static bool dup_of_two(FIXTURE_DATA(failnth) *self, void *arg, unsigned int nth,
		       bool *came)
{
	struct scatter_regroup mine = regroup_of(SCATTER_OP_DUP);
	union task_args args = { .regroup = mine };
	struct pair *pair = arg;
	__u64 number = next_of(pair->fd);
	bool lost = false;
	int error;

	(void)self;
	worker_order(&pair->worker, task_regroup, &args);
	error = once(pair->fd, SCATTER_IOCTL_REGROUP, &mine, nth, came);
	if (error == -ENOMEM || error == -EFAULT) {
		lost = next_of(pair->fd) != number;
		if (!lost)
			error = device_call(pair->fd, SCATTER_IOCTL_REGROUP, &mine);
	}
	if (worker_finish(&pair->worker))
		return false;
	if (lost)
		return error == -EFAULT && is_left_alone(&pair->worker) &&
		       !worker_do(&pair->worker, task_abandon, NULL);
	return !error && !worker_do(&pair->worker, task_abandon, NULL) && !close(mine.fd);
}

/* One of two cannot: the other waits, and gets its membership in the end. */
TEST_F(failnth, one_of_two)
{
	struct scatter_join join = { .size = sizeof(join) };
	union task_args args = { .join = {
		.size = sizeof(args.join), .rank = 1,
		.deadline_ns = after_ms(PATIENCE_MS),
	} };
	int group = group_create(2);
	struct pair pair;

	ASSERT_LE(0, group);
	args.join.fd = group;
	ASSERT_TRUE(worker_spawn(&pair.worker));
	worker_order(&pair.worker, task_join_by, &args);
	ASSERT_EQ(0, device_call(group, SCATTER_IOCTL_JOIN, &join));
	ASSERT_EQ(0, worker_finish(&pair.worker));
	pair.fd = join.fd;
	EXPECT_TRUE(sweep(self, "DUP with another", dup_of_two, &pair));
	EXPECT_TRUE(worker_end(&pair.worker));
	close(join.fd);
	close(group);
}

TEST_HARNESS_MAIN
