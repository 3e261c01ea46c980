// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and every user copy inside each ioctl fails once: the call
 * ends with a documented errno or succeeds, nobody hangs, and the group goes
 * on. Needs a kernel with /proc/self/fail-nth; others skip.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define DEBUGFS		"/sys/kernel/debug/"

/* No call here has as many failure points. */
#define MOST_POINTS	400

#define MEMBERS		3

static bool available(void)
{
	return !access(FAIL_NTH, W_OK);
}

/* Make allocations that may sleep fail, too, and say less about each. */
static void injection_set_up(void)
{
	file_write(DEBUGFS "failslab/ignore-gfp-wait", "N");
	file_write(DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N");
	file_write(DEBUGFS "fail_page_alloc/min-order", "0");
	file_write(DEBUGFS "failslab/verbose", "0");
	file_write(DEBUGFS "fail_page_alloc/verbose", "0");
	file_write(DEBUGFS "fail_usercopy/verbose", "0");
}

/* The nth failure point of this thread from now on fails. */
static bool injection_arm(int fd, unsigned int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fd, text, n, 0) == n;
}

/* Disarm; whether the failure had come. */
static bool injection_disarm(int fd)
{
	char text[16] = "";
	bool came = pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;

	injection_arm(fd, 0);
	return came;
}

/* One ioctl with a failure point armed; whether that came. */
struct armed {
	unsigned int request;
	unsigned int nth;
	bool came;
};

static int armed_call(struct self *self, struct armed *armed, void *arg)
{
	int fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	int error;

	if (fd < 0 || !injection_arm(fd, armed->nth))
		return -ENODEV;
	error = device_call(self->fd, armed->request, arg);
	armed->came = injection_disarm(fd);
	close(fd);
	return error;
}

/* The failure point is in @__reserved; word[0]: whether it came. */
static __s64 task_join_failing(struct self *self, union task_args *args)
{
	struct armed armed = { .request = SCATTER_IOCTL_JOIN };
	__u32 nth = args->join.__reserved;
	struct scatter_join join = args->join;
	int error;

	armed.nth = nth;
	join.__reserved = 0;
	error = armed_call(self, &armed, &join);
	args->word[0] = armed.came;
	return error;
}

static __s64 task_leave_failing(struct self *self, union task_args *args)
{
	struct armed armed = {
		.request = SCATTER_IOCTL_LEAVE,
		.nth = args->word[0],
	};
	struct scatter_leave leave = { .size = sizeof(leave) };
	int error = armed_call(self, &armed, &leave);

	args->word[0] = armed.came;
	return error;
}

static __s64 task_status_failing(struct self *self, union task_args *args)
{
	struct armed armed = {
		.request = SCATTER_IOCTL_STATUS,
		.nth = args->word[0],
	};
	struct scatter_status status = { .size = sizeof(status) };
	int error = armed_call(self, &armed, &status);

	args->word[0] = armed.came;
	return error;
}

/* The failure point is in args->call.seed's upper half. */
static __s64 task_call_failing(struct self *self, union task_args *args)
{
	struct armed armed = {
		.request = SCATTER_IOCTL_COLL,
		.nth = args->call.seed >> 32,
	};
	struct call_args *call = &args->call;
	int error;

	call->seed &= 0xffffffff;
	if (call->what & CALL_FILL)
		call_fill(self, call);
	error = armed_call(self, &armed, &call->coll);
	call->intact = error || call_intact(self, call);
	call->what = armed.came;
	return error;
}

FIXTURE(failnth)
{
	struct crew crew;
};

FIXTURE_VARIANT(failnth)
{
	struct call call;
	unsigned int rank;
};

FIXTURE_SETUP(failnth)
{
	injection_set_up();
	ASSERT_TRUE(crew_form(&self->crew, MEMBERS, 0));
}

FIXTURE_TEARDOWN(failnth)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

#define VARIANT(name, who, ...)						\
	FIXTURE_VARIANT_ADD(failnth, name) {				\
		.call = { .seed = 3, .timeout_ms = PATIENCE_MS,		\
			  __VA_ARGS__ },				\
		.rank = (who),						\
	}

VARIANT(scatter_root_eager, 0, .op = SCATTER_OP_SCATTER, .block = 100);
VARIANT(scatter_leaf_eager, 1, .op = SCATTER_OP_SCATTER, .block = 100);
VARIANT(scatter_root_large, 0, .op = SCATTER_OP_SCATTER, .block = 100000);
VARIANT(scatter_leaf_large, 1, .op = SCATTER_OP_SCATTER, .block = 100000);
VARIANT(scatter_tree_interior, 2, .op = SCATTER_OP_SCATTER, .block = 100,
	.algorithm = SCATTER_ALGORITHM_HYPERCUBE, .root = 1);
VARIANT(gather_root_eager, 0, .op = SCATTER_OP_GATHER, .block = 100);
VARIANT(gather_leaf_eager, 1, .op = SCATTER_OP_GATHER, .block = 100);
VARIANT(gather_root_large, 0, .op = SCATTER_OP_GATHER, .block = 100000);
VARIANT(gather_leaf_large, 1, .op = SCATTER_OP_GATHER, .block = 100000);
VARIANT(gather_tree_interior, 2, .op = SCATTER_OP_GATHER, .block = 100,
	.algorithm = SCATTER_ALGORITHM_HYPERCUBE, .root = 1);
VARIANT(barrier, 1, .op = SCATTER_OP_BARRIER);

static bool next_of(struct crew *crew, unsigned int rank, __u64 *next)
{
	const struct scatter_status *status = crew_seen(crew, rank);

	if (status)
		*next = status->next;
	return status;
}

/* Others succeed, or lack what the failing rank had for them. */
static bool others_end(struct crew *crew, unsigned int failing)
{
	bool good = true;
	unsigned int r;

	for (r = 0; r < MEMBERS; r++) {
		struct worker *worker = &crew->worker[r];

		if (r == failing)
			continue;
		worker_finish(worker);
		if (worker->reply.result == 0 && worker->reply.args.call.intact)
			continue;
		if (worker->reply.result == -EREMOTEIO &&
		    worker->reply.args.call.coll.culprit == (int)failing)
			continue;
		diag("rank %u: %lld", r, (long long)worker->reply.result);
		good = false;
	}
	return good;
}

/* One operation with point @nth failing in one rank; *@came: it has so many. */
static bool sweep_point(struct crew *crew, const struct call *call,
			unsigned int rank, unsigned int nth, bool *came)
{
	struct worker *worker = &crew->worker[rank];
	const __u64 others = RANKS(0, MEMBERS - 1) & ~RANK(rank);
	union task_args args;
	__u64 before, after;
	__s64 result;

	if (!next_of(crew, rank, &before))
		return false;
	crew_start(crew, others, call);
	args.call = crew_args(rank, call, CALL_FILL | CALL_CHECK);
	args.call.seed |= (__u64)nth << 32;
	result = worker_do(worker, task_call_failing, &args);
	*came = worker->reply.args.call.what;
	if (result && result != -ENOMEM && result != -EFAULT) {
		diag("point %u: result %lld", nth, (long long)result);
		return false;
	}
	if (!result && !worker->reply.args.call.intact)
		return false;
	if (!next_of(crew, rank, &after))
		return false;
	/* It has not entered the operation, and lost nothing: once more. */
	if (after == before && crew_resume(crew, rank, call))
		return false;
	return others_end(crew, rank);
}

TEST_F_TIMEOUT(failnth, operation, 600)
{
	bool came = true;
	unsigned int nth;

	if (!available())
		SKIP(return, "no " FAIL_NTH);
	for (nth = 1; came && nth < MOST_POINTS; nth++) {
		ASSERT_TRUE(sweep_point(&self->crew, &variant->call,
					variant->rank, nth, &came));
		ASSERT_TRUE(crew_runs(&self->crew, &variant->call));
	}
	diag("failnth points %u", nth - 2);
	EXPECT_FALSE(came);
	EXPECT_GT(nth, 2U);
}

TEST(join_and_leave)
{
	struct crew crew;
	struct worker *worker = &crew.worker[0];
	union task_args args;
	bool came = true;
	unsigned int nth;
	__s64 result;

	if (!available())
		SKIP(return, "no " FAIL_NTH);
	injection_set_up();
	ASSERT_TRUE(crew_spawn(&crew, 1));
	for (nth = 1; came && nth < MOST_POINTS; nth++) {
		args.join = join_of(crew.name, 1, 0);
		args.join.__reserved = nth;
		result = worker_do(worker, task_join_failing, &args);
		came = worker->reply.args.word[0];
		ASSERT_TRUE(!result || result == -ENOMEM || result == -EFAULT ||
			    result == -EINTR);
		args.join.__reserved = 0;
		if (result)
			ASSERT_TRUE(!worker_do(worker, task_join, &args) ||
				    worker->reply.result == -EISCONN);
		ASSERT_EQ(0, worker_do(worker, task_leave, NULL));
	}
	diag("failnth points %u", nth - 2);
	EXPECT_FALSE(came);
	came = true;
	for (nth = 1; came && nth < MOST_POINTS; nth++) {
		args.join = join_of(crew.name, 1, 0);
		ASSERT_EQ(0, worker_do(worker, task_join, &args));
		args.word[0] = nth;
		result = worker_do(worker, task_leave_failing, &args);
		came = worker->reply.args.word[0];
		ASSERT_TRUE(!result || result == -EFAULT);
		if (result)
			worker_do(worker, task_leave, NULL);
	}
	diag("failnth points %u", nth - 2);
	EXPECT_FALSE(came);
	EXPECT_TRUE(crew_end(&crew));
}

TEST(status)
{
	struct crew crew;
	union task_args args;
	bool came = true;
	unsigned int nth;
	__s64 result;

	if (!available())
		SKIP(return, "no " FAIL_NTH);
	injection_set_up();
	ASSERT_TRUE(crew_form(&crew, 1, 0));
	for (nth = 1; came && nth < MOST_POINTS; nth++) {
		args.word[0] = nth;
		result = worker_do(&crew.worker[0], task_status_failing, &args);
		came = crew.worker[0].reply.args.word[0];
		ASSERT_TRUE(!result || result == -EFAULT);
	}
	EXPECT_FALSE(came);
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
