// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and user copy of the calls that make groups and descriptors fails, one
 * after the other: each has no effect then, and works when called again.
 */
#include <errno.h>
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

static int join_by(int group)
{
	struct scatter_join join = { .size = sizeof(join) };
	int error = device_call(group, SCATTER_IOCTL_JOIN, &join);

	return error ? error : join.fd;
}

FIXTURE_SETUP(failnth)
{
	if (!inject_set_up())
		SKIP(return, "no " FAIL_NTH);
	self->device = device_open(0);
	self->group = group_create(1);
	self->member = join_by(self->group);
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

/* A call with point @nth failing, and once more if it has failed; what that returns. */
static int twice(int fd, unsigned int request, void *arg, unsigned int nth,
		 bool *came)
{
	int armed = inject_arm(nth);
	int error;

	if (armed < 0)
		return armed;
	error = device_call(fd, request, arg);
	*came = inject_disarm(armed);
	if (error == -ENOMEM || error == -EFAULT)
		error = device_call(fd, request, arg);
	return error;
}

#define SWEEP(what, call)						\
	do {								\
		bool came = true;					\
		unsigned int nth;					\
									\
		if (self->device <= 0)					\
			SKIP(return, "no " FAIL_NTH);			\
		for (nth = 0; inject_next(&nth, came);)			\
			call;						\
		EXPECT_TRUE(inject_swept(nth, came, what));		\
	} while (0)

TEST_F(failnth, create)
{
	struct scatter_create create = { .size = sizeof(create), .members = 2 };

	SWEEP("CREATE", {
		ASSERT_EQ(0, twice(self->device, SCATTER_IOCTL_CREATE, &create,
				   nth, &came));
		ASSERT_EQ(0, close(create.fd));
	});
}

/* An answer that is lost takes the membership with it: then the group is over. */
TEST_F(failnth, join_by_a_descriptor)
{
	struct scatter_join join = { .size = sizeof(join) };

	SWEEP("JOIN by a descriptor", {
		int group = group_create(1);
		int error;

		ASSERT_LE(0, group);
		error = twice(group, SCATTER_IOCTL_JOIN, &join, nth, &came);
		ASSERT_TRUE(!error || error == -EUSERS);
		if (!error)
			ASSERT_EQ(0, close(join.fd));
		close(group);
	});
}

static const __u32 regroupings[] = {
	SCATTER_OP_DUP, SCATTER_OP_SPLIT, SCATTER_OP_SHRINK,
};

TEST_F(failnth, regroup)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regroupings); i++) {
		struct scatter_regroup regroup = regroup_of(regroupings[i]);

		SWEEP("REGROUP", {
			ASSERT_EQ(0, twice(self->member, SCATTER_IOCTL_REGROUP,
					   &regroup, nth, &came));
			ASSERT_EQ(0, close(regroup.fd));
		});
	}
}

TEST_F(failnth, agree)
{
	struct scatter_agree agree = { .size = sizeof(agree), .value = 6 };

	SWEEP("AGREE", {
		ASSERT_EQ(0, twice(self->member, SCATTER_IOCTL_AGREE, &agree,
				   nth, &came));
		EXPECT_EQ(6ULL, agree.value);
	});
}

TEST_F(failnth, get_failed)
{
	struct scatter_get_failed failed = { .size = sizeof(failed) };

	SWEEP("GET_FAILED", {
		ASSERT_EQ(0, twice(self->member, SCATTER_IOCTL_GET_FAILED,
				   &failed, nth, &came));
	});
}

/* One of two cannot: the other waits, and gets its membership in the end. */
TEST_F(failnth, one_of_two)
{
	const struct scatter_regroup dup = regroup_of(SCATTER_OP_DUP);
	union task_args args = { .join = {
		.size = sizeof(args.join), .rank = 1,
		.deadline_ns = after_ms(PATIENCE_MS),
	} };
	struct scatter_join join = { .size = sizeof(join) };
	struct scatter_regroup mine = dup;
	struct worker worker;
	int group;

	if (self->device <= 0)
		SKIP(return, "no " FAIL_NTH);
	group = group_create(2);
	ASSERT_LE(0, group);
	args.join.fd = group;
	ASSERT_TRUE(worker_spawn(&worker));
	worker_order(&worker, task_join_by, &args);
	ASSERT_EQ(0, device_call(group, SCATTER_IOCTL_JOIN, &join));
	ASSERT_EQ(0, worker_finish(&worker));
	args.regroup = dup;
	args.regroup.deadline_ns = 0;
	SWEEP("DUP with another", {
		worker_order(&worker, task_regroup, &args);
		ASSERT_EQ(0, twice(join.fd, SCATTER_IOCTL_REGROUP, &mine, nth,
				   &came));
		ASSERT_EQ(0, worker_finish(&worker));
		ASSERT_EQ(0, worker_do(&worker, task_abandon, NULL));
		ASSERT_EQ(0, close(mine.fd));
	});
	EXPECT_TRUE(worker_end(&worker));
	close(join.fd);
	close(group);
}

TEST_HARNESS_MAIN
