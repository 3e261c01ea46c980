// SPDX-License-Identifier: GPL-2.0
/*
 * Signals and deadlines: a wait that ends early leaves the operation paused,
 * nobody touches a paused member's memory, and the same call resumes.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <scatter.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define SMALL	64ULL			/* eager, eight of them too */
#define MEDIUM	100000ULL		/* rendezvous, in one chunk */
#define LARGE	((3ULL << 20) + 5)	/* rendezvous, in many chunks */

#define NOBODY	SCATTER_RANK_ANY

static const int both = PROT_READ | PROT_WRITE;

/* The same call once more; the reply is collected later. */
static void resume_start(struct crew *crew, unsigned int rank,
			 const struct call *call)
{
	union task_args args = { .call = crew_args(rank, call, CALL_CHECK) };

	worker_order(&crew->worker[rank], task_call, &args);
}

/* What is sent, again, and nothing else. */
static __s64 task_refill(struct self *self, union task_args *args)
{
	const struct scatter_coll *coll = &args->call.coll;
	char *to = pointer(coll->sendbuf);
	__u64 base = args->call.base;
	unsigned int r;

	if (coll->sendbuf == BOGUS_ADDRESS)
		return 0;
	if (is_gather(coll->op))
		pattern_fill(to, coll->block, args->call.seed, self->rank);
	else
		for (r = 0; r < self->members; r++)
			pattern_fill(to + block_offset(coll->op, base,
						       self->members, r),
				     block_bytes(coll->op, base, r),
				     args->call.seed, r);
	return 0;
}

static bool memory_goes(struct crew *crew, unsigned int rank)
{
	return !worker_map(&crew->worker[rank], send_area, AREA_BYTES, 0,
			   MAP_HOW_NONE);
}

static bool memory_returns(struct crew *crew, unsigned int rank,
			   const struct call *call)
{
	union task_args args = { .call = crew_args(rank, call, 0) };

	return !worker_map(&crew->worker[rank], send_area, AREA_BYTES, both,
			   MAP_HOW_FRESH) &&
	       !worker_do(&crew->worker[rank], task_refill, &args);
}

static bool sleeps_again(struct crew *crew, unsigned int rank,
			 const struct call *call)
{
	resume_start(crew, rank, call);
	return crew_sleeps(crew, RANK(rank));
}

/* A signal that comes between the call and its first look --------------------- */

static bool trace_stops(const struct worker *worker)
{
	__u64 end = after_ms(PATIENCE_MS);
	int code;

	while (now_ns() < end) {
		if (waitpid(worker->pid, &code, WNOHANG) == worker->pid)
			return WIFSTOPPED(code);
		nap_us(300);
	}
	return false;
}

/* Whether it stops at the entry of its next COLL. */
static bool trace_reaches_call(const struct worker *worker)
{
	struct __ptrace_syscall_info info;
	pid_t pid = worker->pid;

	while (!ptrace(PTRACE_SYSCALL, pid, NULL, NULL) && trace_stops(worker))
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0 &&
		    info.op == PTRACE_SYSCALL_INFO_ENTRY &&
		    info.entry.nr == SYS_ioctl &&
		    info.entry.args[1] == SCATTER_IOCTL_COLL)
			return true;
	return false;
}

/* The result of a call that has a signal pending from its very beginning. */
static __s64 call_with_signal(struct worker *worker,
			      const union task_args *args)
{
	if (ptrace(PTRACE_SEIZE, worker->pid, NULL, PTRACE_O_TRACESYSGOOD) ||
	    ptrace(PTRACE_INTERRUPT, worker->pid, NULL, NULL) ||
	    !trace_stops(worker))
		return NO_REPLY;
	worker_order(worker, task_call, args);
	if (!trace_reaches_call(worker))
		return NO_REPLY;
	worker_signal(worker, SIGUSR1);
	ptrace(PTRACE_DETACH, worker->pid, NULL, NULL);
	return worker_finish(worker);
}

/* Every place where a call can wait ------------------------------------------ */

/* An address at which nothing is mapped. */
#define NOWHERE		0x1000ULL
#define MEMBERS	4U
#define ALL	RANKS(0, MEMBERS - 1)

FIXTURE(stage)
{
	struct crew crew;
	struct call call;
	struct worker *victim;
	__u64 others;
	__u64 rest;
};

/*
 * @victim: who is interrupted
 * @first: who calls, and sleeps, before that; the rest call later
 * @needing: those of the rest that cannot complete while the victim is paused
 * @bereft: those that cannot complete when it dies
 */
FIXTURE_VARIANT(stage)
{
	__u32 op;
	__u32 algorithm;
	__u64 block;
	unsigned int victim;
	__u64 first;
	__u64 needing;
	__u64 bereft;
};

FIXTURE_VARIANT_ADD(stage, scatter_receiver) {
	.op = SCATTER_OP_SCATTER, .block = SMALL,
	.victim = 1, .first = RANKS(1, 3),
};

FIXTURE_VARIANT_ADD(stage, scatter_receiver_large) {
	.op = SCATTER_OP_SCATTER, .block = LARGE,
	.victim = 1, .first = RANKS(1, 3), .needing = RANK(0),
};

FIXTURE_VARIANT_ADD(stage, scatter_interior) {
	.op = SCATTER_OP_SCATTER, .algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	.block = SMALL, .victim = 2, .first = RANKS(1, 3),
};

FIXTURE_VARIANT_ADD(stage, scatter_root) {
	.op = SCATTER_OP_SCATTER, .algorithm = SCATTER_ALGORITHM_LINEAR,
	.block = LARGE, .victim = 0, .first = RANK(0),
	.needing = RANKS(1, 3), .bereft = RANKS(1, 3),
};

FIXTURE_VARIANT_ADD(stage, scatter_root_hypercube) {
	.op = SCATTER_OP_SCATTER, .algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	.block = LARGE, .victim = 0, .first = RANK(0),
	.needing = RANKS(1, 3), .bereft = RANKS(1, 3),
};

FIXTURE_VARIANT_ADD(stage, gather_root) {
	.op = SCATTER_OP_GATHER, .block = SMALL,
	.victim = 0, .first = RANK(0),
};

FIXTURE_VARIANT_ADD(stage, gather_root_large) {
	.op = SCATTER_OP_GATHER, .block = LARGE, .victim = 0, .first = RANK(0),
	.needing = RANKS(1, 3), .bereft = RANKS(1, 3),
};

FIXTURE_VARIANT_ADD(stage, gather_leaf) {
	.op = SCATTER_OP_GATHER, .algorithm = SCATTER_ALGORITHM_LINEAR,
	.block = LARGE, .victim = 1, .first = RANK(1) | RANK(2),
	.needing = RANK(0), .bereft = ALL & ~RANK(1),
};

FIXTURE_VARIANT_ADD(stage, gather_interior) {
	.op = SCATTER_OP_GATHER, .algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	.block = LARGE, .victim = 2, .first = RANK(2) | RANK(3),
	.needing = RANK(0), .bereft = ALL & ~RANK(2),
};

FIXTURE_VARIANT_ADD(stage, scatterv_receiver_large) {
	.op = SCATTER_OP_SCATTERV, .block = LARGE,
	.victim = 1, .first = RANKS(1, 3), .needing = RANK(0),
};

/* In the v forms rank 3 has an empty block. */
FIXTURE_VARIANT_ADD(stage, scatterv_root) {
	.op = SCATTER_OP_SCATTERV, .algorithm = SCATTER_ALGORITHM_LINEAR,
	.block = LARGE, .victim = 0, .first = RANK(0),
	.needing = RANKS(1, 2), .bereft = RANKS(1, 2),
};

FIXTURE_VARIANT_ADD(stage, gatherv_root) {
	.op = SCATTER_OP_GATHERV, .block = SMALL,
	.victim = 0, .first = RANK(0),
};

FIXTURE_VARIANT_ADD(stage, gatherv_root_large) {
	.op = SCATTER_OP_GATHERV, .block = LARGE, .victim = 0, .first = RANK(0),
	.needing = RANKS(1, 2), .bereft = RANKS(1, 2),
};

FIXTURE_VARIANT_ADD(stage, gatherv_leaf) {
	.op = SCATTER_OP_GATHERV, .algorithm = SCATTER_ALGORITHM_LINEAR,
	.block = LARGE, .victim = 1, .first = RANK(1) | RANK(2),
	.needing = RANK(0), .bereft = RANK(0) | RANK(2),
};

FIXTURE_VARIANT_ADD(stage, gatherv_interior) {
	.op = SCATTER_OP_GATHERV, .algorithm = SCATTER_ALGORITHM_HYPERCUBE,
	.block = LARGE, .victim = 2, .first = RANK(1) | RANK(2),
	.needing = RANK(0), .bereft = RANK(0) | RANK(1),
};

/* All have to combine. */
FIXTURE_VARIANT_ADD(stage, combining_receiver) {
	.op = SCATTER_OP_SCATTER, .algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
	.block = LARGE, .victim = 2, .first = RANKS(1, 2),
	.needing = RANK(0) | RANK(3), .bereft = ALL & ~RANK(2),
};

FIXTURE_VARIANT_ADD(stage, combining_root) {
	.op = SCATTER_OP_GATHERV, .algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
	.block = SMALL, .victim = 0, .first = RANK(0) | RANK(3),
	.needing = RANKS(1, 2), .bereft = RANKS(1, 3),
};

FIXTURE_VARIANT_ADD(stage, barrier) {
	.op = SCATTER_OP_BARRIER,
	.victim = 0, .first = RANK(0) | RANK(1),
};

FIXTURE_SETUP(stage)
{
	ASSERT_TRUE(crew_form(&self->crew, MEMBERS, 0));
	self->victim = &self->crew.worker[variant->victim];
	self->others = ALL & ~RANK(variant->victim);
	self->rest = ALL & ~variant->first;
	self->call = (struct call){
		.op = variant->op,
		.algorithm = variant->algorithm,
		.block = variant->block,
		.seed = variant->victim + variant->block,
	};
	crew_start(&self->crew, variant->first & self->others, &self->call);
	ASSERT_TRUE(crew_sleeps(&self->crew, variant->first & self->others));
}

FIXTURE_TEARDOWN(stage)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static bool pauses(struct crew *crew, unsigned int victim,
		   const struct call *call)
{
	crew_start(crew, RANK(victim), call);
	return crew_sleeps(crew, RANK(victim)) && crew_is_interrupted(crew, RANK(victim));
}

/* The victim resumes, the rest call: this operation is whole, and the next. */
static bool all_complete(struct crew *crew, unsigned int victim, __u64 rest,
			 struct call *call)
{
	resume_start(crew, victim, call);
	crew_start(crew, rest, call);
	if (!crew_succeeds(crew, ALL))
		return false;
	call->seed++;
	return crew_runs(crew, call);
}

TEST_F(stage, a_signal_pauses_and_the_same_call_resumes)
{
	const unsigned int victim = variant->victim;

	ASSERT_TRUE(pauses(&self->crew, victim, &self->call));
	EXPECT_EQ(0U, self->victim->reply.args.call.results.number);
	/* A handler that asks for restarts gets none. */
	worker_do(self->victim, task_restarting_handler, NULL);
	ASSERT_TRUE(sleeps_again(&self->crew, victim, &self->call));
	ASSERT_TRUE(crew_is_interrupted(&self->crew, RANK(victim)));
	EXPECT_TRUE(all_complete(&self->crew, victim, self->rest, &self->call));
	EXPECT_EQ(1U, self->victim->reply.args.call.results.number);
}

TEST_F(stage, a_deadline_pauses_and_the_same_call_resumes)
{
	const unsigned int victim = variant->victim;
	struct call timed = self->call;

	timed.timeout_ms = 40;
	crew_start(&self->crew, RANK(victim), &timed);
	ASSERT_TRUE(crew_fails(&self->crew, RANK(victim), ETIMEDOUT, NOBODY));
	EXPECT_LE(self->victim->reply.args.call.coll.deadline_ns,
		  self->victim->reply.ended_ns);
	timed.timeout_ms = 20;
	EXPECT_EQ(-ETIMEDOUT, crew_resume(&self->crew, victim, &timed));
	/* Between two deadlines a signal. */
	timed.timeout_ms = PATIENCE_MS;
	ASSERT_TRUE(sleeps_again(&self->crew, victim, &timed));
	ASSERT_TRUE(crew_is_interrupted(&self->crew, RANK(victim)));
	timed.timeout_ms = 1;
	EXPECT_EQ(-ETIMEDOUT, crew_resume(&self->crew, victim, &timed));
	EXPECT_TRUE(all_complete(&self->crew, victim, self->rest, &self->call));
}

/* Call number @i that is not the one that is paused; its errno. */
static int other_call(struct call_args *args, unsigned int i)
{
	struct scatter_coll *coll = &args->coll;
	bool barrier = coll->op == SCATTER_OP_BARRIER;

	switch (i) {
	case 0:
		coll->sendbuf += 8;
		return -EBUSY;
	case 1:
		coll->recvbuf += 8;
		return -EBUSY;
	case 2:
		coll->op = barrier ? SCATTER_OP_GATHER : SCATTER_OP_BARRIER;
		coll->schedule.algorithm = 0;
		coll->root = 0;
		coll->block = 0;
		return -EBUSY;
	case 3:
		coll->block++;
		break;
	case 4:
		coll->root = 3;
		break;
	default:
		coll->schedule.algorithm = coll->schedule.algorithm == SCATTER_ALGORITHM_LINEAR ?
				  SCATTER_ALGORITHM_HYPERCUBE :
				  SCATTER_ALGORITHM_LINEAR;
	}
	/* Such calls would be no barrier. */
	return barrier ? -EINVAL : -EBUSY;
}

TEST_F(stage, any_other_call_is_busy_and_changes_nothing)
{
	const unsigned int victim = variant->victim;
	struct seen before, after;
	union task_args args;
	unsigned int i;
	int error;

	ASSERT_TRUE(pauses(&self->crew, victim, &self->call));
	ASSERT_EQ(0, crew_status(&self->crew, victim));
	before = self->victim->reply.args.status;
	EXPECT_EQ(0U, before.next);
	EXPECT_EQ(self->rest, before.missing[0]);
	for (i = 0; i < 6; i++) {
		args.call = crew_args(victim, &self->call, 0);
		error = other_call(&args.call, i);
		EXPECT_EQ(error, worker_do(self->victim, task_call, &args)) {
			TH_LOG("other call %u", i);
		}
		EXPECT_EQ(NOBODY, self->victim->reply.args.call.results.culprit);
	}
	ASSERT_EQ(0, crew_status(&self->crew, victim));
	after = self->victim->reply.args.status;
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(after)));
	EXPECT_TRUE(all_complete(&self->crew, victim, self->rest, &self->call));
}

TEST_F(stage, another_thread_is_busy_but_may_resume)
{
	const unsigned int victim = variant->victim;
	union task_args args = {
		.call = crew_args(victim, &self->call, CALL_CHECK),
	};
	struct worker thread;

	ASSERT_TRUE(worker_thread(&thread, self->victim));
	crew_start(&self->crew, RANK(victim), &self->call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(victim)));
	EXPECT_EQ(-EBUSY, worker_do(&thread, task_call, &args));
	EXPECT_EQ(-EBUSY, worker_do(&thread, task_leave, NULL));
	EXPECT_EQ(0, worker_do(&thread, task_status, NULL));
	EXPECT_EQ(self->rest, thread.reply.args.status.missing[0]);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(victim)));
	ASSERT_TRUE(crew_is_interrupted(&self->crew, RANK(victim)));

	worker_order(&thread, task_call, &args);
	ASSERT_TRUE(worker_sleeps(&thread, SCATTER_IOCTL_COLL));
	EXPECT_EQ(-EBUSY, worker_do(self->victim, task_call, &args));
	crew_start(&self->crew, self->rest, &self->call);
	EXPECT_EQ(0, worker_finish(&thread));
	EXPECT_EQ(1U, thread.reply.args.call.intact);
	EXPECT_TRUE(crew_succeeds(&self->crew, self->others));
}

TEST_F(stage, the_memory_of_a_paused_member_is_not_read)
{
	const unsigned int victim = variant->victim;

	ASSERT_TRUE(pauses(&self->crew, victim, &self->call));
	ASSERT_TRUE(memory_goes(&self->crew, victim));
	crew_start(&self->crew, self->rest, &self->call);
	ASSERT_TRUE(crew_sleeps(&self->crew, variant->needing));
	ASSERT_TRUE(memory_returns(&self->crew, victim, &self->call));
	EXPECT_TRUE(all_complete(&self->crew, victim, 0, &self->call));
}

TEST_F(stage, killing_a_paused_member_is_a_death)
{
	const unsigned int victim = variant->victim;

	ASSERT_TRUE(pauses(&self->crew, victim, &self->call));
	ASSERT_TRUE(worker_end(self->victim));
	crew_start(&self->crew, self->rest, &self->call);
	EXPECT_TRUE(crew_fails(&self->crew, variant->bereft, ECONNRESET,
			       victim));
	EXPECT_TRUE(crew_succeeds(&self->crew,
				  self->others & ~variant->bereft));
	crew_start(&self->crew, self->others, &self->call);
	EXPECT_TRUE(crew_fails(&self->crew, self->others, ECONNRESET, victim));
}

TEST_F(stage, leaving_while_paused_is_not_having_called)
{
	const unsigned int victim = variant->victim;

	ASSERT_TRUE(pauses(&self->crew, victim, &self->call));
	EXPECT_EQ(0, worker_do(self->victim, task_leave, NULL));
	EXPECT_EQ(-ENOTCONN, crew_resume(&self->crew, victim, &self->call));
	crew_start(&self->crew, self->rest, &self->call);
	EXPECT_TRUE(crew_fails(&self->crew, self->others, ESHUTDOWN, victim));
}

/* In the middle of a block --------------------------------------------------- */

FIXTURE(middle)
{
	struct crew crew;
	struct call call;
};

/* @owner: whose memory the block is in; the other of the two takes it */
FIXTURE_VARIANT(middle)
{
	__u32 op;
	unsigned int owner;
};

FIXTURE_VARIANT_ADD(middle, scatter) { .op = SCATTER_OP_SCATTER, .owner = 0 };
FIXTURE_VARIANT_ADD(middle, gather) { .op = SCATTER_OP_GATHER, .owner = 1 };

FIXTURE_SETUP(middle)
{
	ASSERT_TRUE(crew_form(&self->crew, 2, 0));
	self->call = (struct call){
		.op = variant->op,
		.block = LARGE,
		.flags = SCATTER_COLL_IN_PLACE,
		.seed = 5,
	};
}

FIXTURE_TEARDOWN(middle)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F(middle, the_taker_waits_for_a_paused_owner)
{
	const unsigned int owner = variant->owner, taker = !owner;
	struct crew *crew = &self->crew;
	union task_args args = {
		.call = crew_args(taker, &self->call, CALL_FILL | CALL_CHECK),
	};
	struct worker thread;
	__u64 before;

	ASSERT_TRUE(worker_thread(&thread, &crew->worker[taker]));
	crew_start(crew, RANK(owner), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(owner)));
	ASSERT_EQ(-EINTR, call_with_signal(&crew->worker[taker], &args));
	before = worker_copied(&thread);
	EXPECT_LT(0, before);
	EXPECT_GT(LARGE, before);
	ASSERT_TRUE(crew_is_interrupted(crew, RANK(owner)));
	ASSERT_TRUE(memory_goes(crew, owner));

	ASSERT_TRUE(sleeps_again(crew, taker, &self->call));
	EXPECT_FALSE(worker_replies(&crew->worker[taker], paced_ms(GLIMPSE_MS)));
	ASSERT_TRUE(crew_is_interrupted(crew, RANK(taker)));
	ASSERT_TRUE(sleeps_again(crew, taker, &self->call));
	EXPECT_EQ(before, worker_copied(&thread));

	ASSERT_TRUE(memory_returns(crew, owner, &self->call));
	resume_start(crew, owner, &self->call);
	EXPECT_TRUE(crew_succeeds(crew, RANKS(0, 1)));
	EXPECT_EQ(LARGE, worker_copied(&thread));
}

/* What can complete without waiting ------------------------------------------ */

/* @rank calls last; of the others those in @asleep wait for it. */
static const struct ready {
	__u32 op;
	__u64 block;
	unsigned int rank;
	__u64 asleep;
} readies[] = {
	{ SCATTER_OP_SCATTER, SMALL, 0, RANKS(1, 2) },
	{ SCATTER_OP_SCATTER, SMALL, 1, 0 },
	{ SCATTER_OP_SCATTER, MEDIUM, 1, RANK(0) },
	{ SCATTER_OP_GATHER, SMALL, 0, 0 },
	{ SCATTER_OP_GATHER, SMALL, 1, RANK(0) },
	{ SCATTER_OP_GATHER, MEDIUM, 0, RANKS(1, 2) },
	{ SCATTER_OP_BARRIER, 0, 1, RANK(0) | RANK(2) },
};

static bool ready_completes(struct crew *crew, const struct ready *ready,
			    bool signalled)
{
	struct worker *worker = &crew->worker[ready->rank];
	__u64 others = RANKS(0, 2) & ~RANK(ready->rank);
	struct call call = {
		.op = ready->op, .block = ready->block, .seed = ready->rank,
	};
	union task_args args;

	crew_start(crew, others, &call);
	if (!crew_sleeps(crew, ready->asleep) ||
	    !crew_succeeds(crew, others & ~ready->asleep))
		return false;
	args.call = crew_args(ready->rank, &call, CALL_FILL | CALL_CHECK);
	args.call.coll.deadline_ns = 1;
	if (signalled)
		call_with_signal(worker, &args);
	else
		worker_do(worker, task_call, &args);
	if (worker->reply.result || !worker->reply.args.call.intact) {
		diag("op %u block %llu rank %u: result %lld", ready->op,
		     ready->block, ready->rank,
		     (long long)worker->reply.result);
		return false;
	}
	return crew_succeeds(crew, ready->asleep);
}

TEST(completion_beats_a_deadline_and_a_pending_signal)
{
	struct call call = { .op = SCATTER_OP_SCATTER, .block = SMALL };
	union task_args args;
	struct crew crew;
	unsigned int i;

	ASSERT_TRUE(crew_form(&crew, 3, 0));
	for (i = 0; i < 3; i++)
		worker_do(&crew.worker[i], task_restarting_handler, NULL);
	for (i = 0; i < 2 * ARRAY_SIZE(readies); i++)
		ASSERT_TRUE(ready_completes(&crew, &readies[i / 2], i % 2));
	/* A call that cannot complete does not begin to wait either. */
	args.call = crew_args(1, &call, CALL_FILL | CALL_CHECK);
	EXPECT_EQ(-EINTR, call_with_signal(&crew.worker[1], &args));
	args.call.coll.deadline_ns = 1;
	EXPECT_EQ(-ETIMEDOUT, worker_do(&crew.worker[1], task_call, &args));
	crew_start(&crew, RANK(0) | RANK(2), &call);
	resume_start(&crew, 1, &call);
	EXPECT_TRUE(crew_succeeds(&crew, RANKS(0, 2)));
	EXPECT_TRUE(crew_end(&crew));
}

/* One that is too far ahead has not begun: nothing is paused. */
TEST(a_signal_at_the_window_limit_pauses_nothing)
{
	struct call ahead = { .op = SCATTER_OP_SCATTER, .block = SMALL };
	struct call other = { .op = SCATTER_OP_GATHER, .block = MEDIUM };
	struct scatter_info info;
	struct crew crew;
	char window[16];
	bool formed;

	ASSERT_EQ(0, device_info(&info));
	snprintf(window, sizeof(window), "%u", info.window);
	ASSERT_EQ(0, parameter_write("window", "1"));
	formed = crew_form(&crew, 2, 0);
	ASSERT_EQ(0, parameter_write("window", window));
	ASSERT_TRUE(formed);

	ASSERT_TRUE(crew_calls(&crew, RANK(0), &ahead));
	crew_start(&crew, RANK(0), &ahead);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(0)));
	ASSERT_TRUE(crew_is_interrupted(&crew, RANK(0)));
	EXPECT_EQ(SCATTER_NUMBER_NEW, crew.worker[0].reply.args.call.results.number);
	other.timeout_ms = 10;
	EXPECT_EQ(-ETIMEDOUT, crew_resume(&crew, 0, &other));
	EXPECT_TRUE(crew_calls(&crew, RANK(1), &ahead));
	other.timeout_ms = 0;
	EXPECT_TRUE(crew_runs(&crew, &other));
	EXPECT_EQ(1U, crew.worker[0].reply.args.call.results.number);
	EXPECT_TRUE(crew_end(&crew));
}

/* A lone member never waits, but a block may be so long that it takes hours. */
TEST(a_signal_ends_a_combining_call_that_waits_for_nobody)
{
	struct call call = {
		.op = SCATTER_OP_GATHER,
		.algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
		.block = 1ULL << 45,
	};
	struct worker *worker;
	union task_args args;
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 1, 0));
	worker = &crew.worker[0];
	args.call = crew_args(0, &call, 0);
	args.call.coll.flags = SCATTER_COLL_IN_PLACE;
	EXPECT_EQ(0, worker_do(worker, task_call, &args));
	args.call.coll.flags = 0;
	args.call.coll.sendbuf = NOWHERE;
	args.call.coll.recvbuf = NOWHERE;
	worker_order(worker, task_call, &args);
	while (!worker_replies(worker, 10))
		worker_signal(worker, SIGUSR1);
	EXPECT_EQ(-EINTR, worker_finish(worker));
	EXPECT_EQ(1U, worker->reply.args.call.results.number);
	/* The call goes on, and a signal that kills ends it as well. */
	worker_order(worker, task_call, &args);
	EXPECT_FALSE(worker_replies(worker, 100));
	EXPECT_TRUE(worker_end(worker));
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
