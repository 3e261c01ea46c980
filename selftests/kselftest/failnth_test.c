// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation and every user copy inside each ioctl fails once: the call
 * ends with a documented errno or succeeds, nobody hangs, and the group goes
 * on. Needs a kernel with /proc/self/fail-nth; others skip.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Each variant has points of its own, which one kernel only can make fail. */
#define HARNESS_WHOLE

#include "crew.h"
#include "harness.h"
#include "inject.h"

#define MEMBERS		3
#define SECRET_BYTES	(MEMBERS * 102400UL)	/* whole pages */

/* In a worker: the point that fails in its next call, and whether it came. */
static unsigned int armed_nth;
static bool armed_came;

/* word[0]: the point. */
static __s64 task_arm(struct self *self, union task_args *args)
{
	(void)self;
	armed_nth = (unsigned int)args->word[0];
	return 0;
}

static __s64 task_came(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	return armed_came;
}

static int armed_call(struct self *self, unsigned int request, void *arg)
{
	int fd = inject_arm(armed_nth);
	int error;

	if (fd < 0)
		return -ENODEV;
	error = device_call(self->fd, request, arg);
	armed_came = inject_disarm(fd);
	return error;
}

static __s64 task_join_armed(struct self *self, union task_args *args)
{
	return armed_call(self, SCATTER_IOCTL_JOIN, &args->join);
}

static __s64 task_leave_armed(struct self *self, union task_args *args)
{
	args->leave = (struct scatter_leave){ .size = sizeof(args->leave) };
	return armed_call(self, SCATTER_IOCTL_LEAVE, &args->leave);
}

static __s64 task_status_armed(struct self *self, union task_args *args)
{
	struct scatter_status status = { .size = sizeof(status) };

	(void)args;
	return armed_call(self, SCATTER_IOCTL_STATUS, &status);
}

static __s64 task_call_armed(struct self *self, union task_args *args)
{
	struct call_args *call = &args->call;
	int error;

	call_lay_out(self, call);
	if (call->what & CALL_FILL)
		call_fill(self, call);
	call->results.number = self->paused;
	call->coll.results = address(&call->results);
	error = armed_call(self, SCATTER_IOCTL_COLL, &call->coll);
	self->paused = stays_paused(error) ? call->results.number : SCATTER_NUMBER_NEW;
	call->intact = error || call_intact(self, call);
	return error;
}

/*
 * An armed task with point @nth failing. Its reply stays for who looks at it,
 * but what came is asked last.
 */
static __s64 do_armed(struct worker *worker, unsigned int nth, task_fn *task,
		      union task_args *args, bool *came)
{
	union task_args word = { .word = { nth } };
	struct reply reply;

	worker_do(worker, task_arm, &word);
	worker_do(worker, task, args);
	reply = worker->reply;
	*came = worker_do(worker, task_came, NULL) > 0;
	worker->reply = reply;
	return reply.result;
}

FIXTURE(failnth)
{
	struct crew crew;
	bool able;
};

/* @secret: nobody but its owner can read or write to the memory of a member */
FIXTURE_VARIANT(failnth)
{
	struct call call;
	unsigned int rank;
	bool secret;
};

FIXTURE_SETUP(failnth)
{
	const int both = PROT_READ | PROT_WRITE;
	struct scatter_join like = join_of("", MEMBERS, 0);
	unsigned int r;

	self->able = inject_set_up();
	memcpy(like.sides, variant->call.sides, sizeof(like.sides));
	ASSERT_TRUE(crew_form_like(&self->crew, &like));
	for (r = 0; variant->secret && r < MEMBERS; r++) {
		ASSERT_EQ(0, worker_map(&self->crew.worker[r], send_area,
					SECRET_BYTES, both, MAP_HOW_SECRET));
		ASSERT_EQ(0, worker_map(&self->crew.worker[r], recv_area,
					SECRET_BYTES, both, MAP_HOW_SECRET));
	}
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
VARIANT(scatterv_root_eager, 0, .op = SCATTER_OP_SCATTERV, .block = 100);
VARIANT(scatterv_root_large, 0, .op = SCATTER_OP_SCATTERV, .block = 100000);
VARIANT(scatterv_leaf_large, 1, .op = SCATTER_OP_SCATTERV, .block = 100000);
VARIANT(gatherv_root_eager, 0, .op = SCATTER_OP_GATHERV, .block = 100);
VARIANT(gatherv_root_large, 0, .op = SCATTER_OP_GATHERV, .block = 100000);
VARIANT(gatherv_leaf_eager, 1, .op = SCATTER_OP_GATHERV, .block = 100);
VARIANT(gatherv_leaf_large, 1, .op = SCATTER_OP_GATHERV, .block = 100000);
VARIANT(gatherv_tree_interior, 2, .op = SCATTER_OP_GATHERV, .block = 100,
	.algorithm = SCATTER_ALGORITHM_HYPERCUBE, .root = 1);
VARIANT(scatter_combining_root, 0, .op = SCATTER_OP_SCATTER, .block = 5000,
	.algorithm = SCATTER_ALGORITHM_OR_BROADCAST);
VARIANT(scatterv_combining_leaf, 1, .op = SCATTER_OP_SCATTERV, .block = 9000,
	.algorithm = SCATTER_ALGORITHM_OR_BROADCAST);
VARIANT(gather_combining_root, 0, .op = SCATTER_OP_GATHER, .block = 9000,
	.algorithm = SCATTER_ALGORITHM_OR_BROADCAST);
VARIANT(gather_combining_leaf, 1, .op = SCATTER_OP_GATHER, .block = 5000,
	.algorithm = SCATTER_ALGORITHM_OR_BROADCAST);
VARIANT(scatter_root_split, 0, .op = SCATTER_OP_SCATTER, .block = 9000, .split = true);
VARIANT(scatterv_leaf_split, 1, .op = SCATTER_OP_SCATTERV, .block = 100000,
	.split = true);
VARIANT(gatherv_root_split, 0, .op = SCATTER_OP_GATHERV, .block = 100, .split = true);
VARIANT(gather_leaf_split, 1, .op = SCATTER_OP_GATHER, .block = 100000,
	.split = true);
VARIANT(barrier, 1, .op = SCATTER_OP_BARRIER);
VARIANT(uniform_scatter_root, 0, .op = SCATTER_OP_SCATTER, .block = 100000,
	.flags = SCATTER_COLL_UNIFORM);
VARIANT(uniform_scatterv_leaf, 1, .op = SCATTER_OP_SCATTERV, .block = 100000,
	.flags = SCATTER_COLL_UNIFORM | SCATTER_COLL_DEADLINE_ALL);
VARIANT(uniform_gather_root, 0, .op = SCATTER_OP_GATHER, .block = 100000,
	.flags = SCATTER_COLL_UNIFORM);
VARIANT(uniform_gather_leaf, 2, .op = SCATTER_OP_GATHER, .block = 100,
	.flags = SCATTER_COLL_UNIFORM | SCATTER_COLL_DEADLINE_ALL);
VARIANT(inter_scatterv_root, 0, .op = SCATTER_OP_SCATTERV, .block = 100000,
	.algorithm = SCATTER_ALGORITHM_IRREGULAR, .sides = { 1, 2 });
VARIANT(inter_scatter_leaf, 1, .op = SCATTER_OP_SCATTER, .block = 100,
	.algorithm = SCATTER_ALGORITHM_HYPERCUBE, .sides = { 1, 2 });
VARIANT(inter_gather_root, 2, .op = SCATTER_OP_GATHER, .block = 100000,
	.root = 2, .sides = { 2, 1 });
VARIANT(inter_gatherv_leaf, 1, .op = SCATTER_OP_GATHERV, .block = 100,
	.root = 2, .sides = { 2, 1 });
VARIANT(inter_combining_root, 0, .op = SCATTER_OP_GATHER, .block = 9000,
	.algorithm = SCATTER_ALGORITHM_OR_BROADCAST, .sides = { 1, 2 });
VARIANT(inter_idle, 1, .op = SCATTER_OP_SCATTER, .block = 100,
	.sides = { 2, 1 });
VARIANT(inter_combining_idle, 1, .op = SCATTER_OP_SCATTER, .block = 9000,
	.algorithm = SCATTER_ALGORITHM_OR_BROADCAST, .sides = { 2, 1 });

#define SECRET(name, who, ...)						\
	FIXTURE_VARIANT_ADD(failnth, name) {				\
		.call = { .seed = 3, .timeout_ms = PATIENCE_MS,		\
			  .block = 100000, __VA_ARGS__ },		\
		.rank = (who),						\
		.secret = true,						\
	}

SECRET(scatter_root_secret, 0, .op = SCATTER_OP_SCATTER);
SECRET(scatter_leaf_secret, 1, .op = SCATTER_OP_SCATTER);
SECRET(gather_root_secret, 0, .op = SCATTER_OP_GATHER);
SECRET(gather_leaf_secret, 1, .op = SCATTER_OP_GATHER);

static bool next_of(struct crew *crew, unsigned int rank, __u64 *next)
{
	const struct seen *status = crew_seen(crew, rank);

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
		    worker->reply.args.call.results.culprit == (int)failing)
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
	result = do_armed(worker, nth, task_call_armed, &args, came);
	if (result && result != -ENOMEM && result != -EFAULT) {
		diag("point %u: result %lld", nth, (long long)result);
		return false;
	}
	if (!result && !worker->reply.args.call.intact)
		return false;
	if (!next_of(crew, rank, &after))
		return false;
	/* The call has not entered the operation, and lost nothing: once more. */
	if (after == before && crew_resume(crew, rank, call))
		return false;
	return others_end(crew, rank);
}

TEST_F_TIMEOUT(failnth, operation, 600)
{
	bool came = true;
	unsigned int nth;

	if (!self->able)
		SKIP(return, "no " FAIL_NTH);
	for (nth = 0; inject_next(&nth, came);) {
		if (inject_skips(nth))
			continue;
		ASSERT_TRUE(sweep_point(&self->crew, &variant->call,
					variant->rank, nth, &came));
		ASSERT_TRUE(crew_runs(&self->crew, &variant->call));
	}
	EXPECT_TRUE(inject_swept(nth, came, "an operation"));
}

TEST(joining)
{
	struct crew crew;
	struct worker *worker = &crew.worker[0];
	union task_args args;
	bool came = true;
	unsigned int nth;
	__s64 result;

	if (!inject_set_up())
		SKIP(return, "no " FAIL_NTH);
	ASSERT_TRUE(crew_spawn(&crew, 1));
	args.join = join_of(crew.name, 1, 0);
	for (nth = 0; inject_next(&nth, came);) {
		result = do_armed(worker, nth, task_join_armed, &args, &came);
		ASSERT_TRUE(!result || result == -ENOMEM || result == -EFAULT ||
			    result == -EINTR);
		/* The worker has joined if only the answer could not be written. */
		if (result)
			ASSERT_TRUE(!worker_do(worker, task_join, &args) ||
				    worker->reply.result == -EISCONN);
		ASSERT_EQ(0, worker_do(worker, task_leave, NULL));
	}
	EXPECT_TRUE(inject_swept(nth, came, "JOIN"));
	EXPECT_TRUE(crew_end(&crew));
}

TEST(leaving)
{
	struct crew crew;
	struct worker *worker = &crew.worker[0];
	union task_args args;
	bool came = true;
	unsigned int nth;
	__s64 result;

	if (!inject_set_up())
		SKIP(return, "no " FAIL_NTH);
	ASSERT_TRUE(crew_spawn(&crew, 1));
	args.join = join_of(crew.name, 1, 0);
	for (nth = 0; inject_next(&nth, came);) {
		ASSERT_EQ(0, worker_do(worker, task_join, &args));
		result = do_armed(worker, nth, task_leave_armed, NULL, &came);
		ASSERT_TRUE(!result || result == -EFAULT);
		if (result)
			ASSERT_EQ(0, worker_do(worker, task_leave, NULL));
	}
	EXPECT_TRUE(inject_swept(nth, came, "LEAVE"));
	EXPECT_TRUE(crew_end(&crew));
}

TEST(asking_status)
{
	struct crew crew;
	bool came = true;
	unsigned int nth;
	__s64 result;

	if (!inject_set_up())
		SKIP(return, "no " FAIL_NTH);
	ASSERT_TRUE(crew_form(&crew, 1, 0));
	for (nth = 0; inject_next(&nth, came);) {
		result = do_armed(&crew.worker[0], nth, task_status_armed, NULL,
				  &came);
		ASSERT_TRUE(!result || result == -EFAULT);
	}
	EXPECT_TRUE(inject_swept(nth, came, "STATUS"));
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
