// SPDX-License-Identifier: GPL-2.0
/*
 * Members that are stopped or late hold nobody back who does not need them,
 * and no number of signals or deadlines does harm.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "crew.h"
#include "harness.h"

#define MIB	(1ULL << 20)

/* Eight ranks of a hypercube: rank 4 is between the root and ranks 5 to 7 ------- */

#define INTERIOR	4U
#define ALL		RANKS(0, 7)
#define OTHERS		(ALL & ~RANK(0) & ~RANK(INTERIOR))

FIXTURE(stop)
{
	struct crew crew;
	struct call scatter;
	struct call gather;
};

FIXTURE_VARIANT(stop)
{
	__u64 block;
	bool eager;
};

FIXTURE_VARIANT_ADD(stop, eager) { .block = 64, .eager = true };
FIXTURE_VARIANT_ADD(stop, rendezvous) { .block = 100000 };
FIXTURE_VARIANT_ADD(stop, rendezvous_in_chunks) { .block = MIB + 1 };

FIXTURE_SETUP(stop)
{
	ASSERT_TRUE(crew_form(&self->crew, 8, 0));
	self->scatter = (struct call){
		.op = SCATTER_OP_SCATTER,
		.algorithm = SCATTER_ALGORITHM_HYPERCUBE,
		.block = variant->block,
		.seed = 1,
	};
	self->gather = self->scatter;
	self->gather.op = SCATTER_OP_GATHER;
}

FIXTURE_TEARDOWN(stop)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* A stop only delays: the call goes on by itself when the rank does. */
static bool continues(struct crew *crew, unsigned int rank)
{
	struct worker *worker = &crew->worker[rank];

	if (worker_replies(worker, 0))
		return false;
	worker_signal(worker, SIGCONT);
	return crew_succeeds(crew, RANK(rank));
}

/* After whatever happened: one operation of all. */
static bool goes_on(struct crew *crew, struct call *call)
{
	call->seed++;
	return crew_runs(crew, call);
}

TEST_F(stop, a_stopped_receiver_holds_back_none_of_its_subtree)
{
	struct crew *crew = &self->crew;

	crew_start(crew, ALL & ~RANK(0), &self->scatter);
	ASSERT_TRUE(crew_sleeps(crew, ALL & ~RANK(0)));
	ASSERT_TRUE(worker_stop(&crew->worker[INTERIOR]));
	crew_start(crew, RANK(0), &self->scatter);
	EXPECT_TRUE(crew_succeeds(crew, OTHERS));
	EXPECT_TRUE(variant->eager ? crew_succeeds(crew, RANK(0)) :
				    crew_sleeps(crew, RANK(0)));
	EXPECT_TRUE(continues(crew, INTERIOR));
	if (!variant->eager)
		EXPECT_TRUE(crew_succeeds(crew, RANK(0)));
	EXPECT_TRUE(goes_on(crew, &self->scatter));
}

TEST_F(stop, a_late_receiver_holds_back_none_of_its_subtree)
{
	struct crew *crew = &self->crew;

	/* Half of them are there before the root, half come after it. */
	crew_start(crew, RANK(1) | RANK(5) | RANK(6), &self->scatter);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1) | RANK(5) | RANK(6)));
	crew_start(crew, RANK(0) | RANK(2) | RANK(3) | RANK(7), &self->scatter);
	EXPECT_TRUE(crew_succeeds(crew, OTHERS));
	EXPECT_TRUE(variant->eager ? crew_succeeds(crew, RANK(0)) :
				    crew_sleeps(crew, RANK(0)));
	EXPECT_TRUE(crew_calls(crew, RANK(INTERIOR), &self->scatter));
	if (!variant->eager)
		EXPECT_TRUE(crew_succeeds(crew, RANK(0)));
	EXPECT_TRUE(goes_on(crew, &self->scatter));
}

TEST_F(stop, a_stopped_root_only_delays)
{
	struct crew *crew = &self->crew;

	if (variant->eager) {
		/* An eager sender never waits: stop it before its call. */
		ASSERT_TRUE(worker_stop(&crew->worker[0]));
		crew_start(crew, RANK(0), &self->scatter);
	} else {
		crew_start(crew, RANK(0), &self->scatter);
		ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
		ASSERT_TRUE(worker_stop(&crew->worker[0]));
	}
	crew_start(crew, ALL & ~RANK(0), &self->scatter);
	ASSERT_TRUE(crew_sleeps(crew, ALL & ~RANK(0)));
	if (variant->eager) {
		worker_signal(&crew->worker[0], SIGCONT);
		EXPECT_TRUE(crew_succeeds(crew, RANK(0)));
	} else {
		EXPECT_TRUE(continues(crew, 0));
	}
	EXPECT_TRUE(crew_succeeds(crew, ALL & ~RANK(0)));
	EXPECT_TRUE(goes_on(crew, &self->scatter));
}

/* Its block is with the kernel if it is eager, and needs nobody any more. */
TEST_F(stop, a_stopped_gatherer_holds_back_only_its_own_block)
{
	struct worker *interior = &self->crew.worker[INTERIOR];
	struct crew *crew = &self->crew;

	crew_start(crew, RANK(INTERIOR), &self->gather);
	ASSERT_TRUE(variant->eager ? crew_succeeds(crew, RANK(INTERIOR)) :
				    crew_sleeps(crew, RANK(INTERIOR)));
	ASSERT_TRUE(worker_stop(interior));
	crew_start(crew, ALL & ~RANK(INTERIOR), &self->gather);
	if (variant->eager) {
		EXPECT_TRUE(crew_succeeds(crew, OTHERS | RANK(0)));
		worker_signal(interior, SIGCONT);
	} else {
		EXPECT_TRUE(crew_sleeps(crew, RANK(0)));
		EXPECT_TRUE(continues(crew, INTERIOR));
		EXPECT_TRUE(crew_succeeds(crew, OTHERS | RANK(0)));
	}
	EXPECT_TRUE(goes_on(crew, &self->gather));
}

TEST_F(stop, a_signal_while_stopped_is_not_lost)
{
	struct crew *crew = &self->crew;

	crew_start(crew, RANK(5), &self->scatter);
	ASSERT_TRUE(crew_sleeps(crew, RANK(5)));
	ASSERT_TRUE(worker_stop(&crew->worker[5]));
	worker_signal(&crew->worker[5], SIGUSR1);
	crew_start(crew, ALL & ~RANK(5), &self->scatter);
	EXPECT_TRUE(crew_succeeds(crew, ALL & ~RANK(5) & ~RANK(0)));
	worker_signal(&crew->worker[5], SIGCONT);
	EXPECT_TRUE(crew_fails(crew, RANK(5), EINTR, SCATTER_RANK_ANY));
	EXPECT_EQ(0, crew_resume(crew, 5, &self->scatter));
	EXPECT_TRUE(crew->worker[5].reply.args.call.intact);
	EXPECT_TRUE(crew_succeeds(crew, RANK(0)));
	EXPECT_TRUE(goes_on(crew, &self->gather));
}

/* Storms --------------------------------------------------------------------- */

#define STORM_OPERATIONS	200U
#define STORM_PERIOD_US		1000

static void on_alarm(int signal)
{
	(void)signal;
}

static void alarm_every(unsigned int us)
{
	const struct itimerval timer = {
		.it_interval.tv_usec = us,
		.it_value.tv_usec = us,
	};
	const struct sigaction action = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Operation @i of a mixture, as all members call it. */
static struct call mixed(unsigned int i, unsigned int members)
{
	static const __u64 blocks[] = { 1, 300001, 64, 5000, MIB, 20000, 0 };
	struct call call = {
		.op = i % 5,
		.algorithm = i / 5 % 3,
		.root = i / 15 % members,
		.flags = i % 5 ? 0 : SCATTER_COLL_IN_PLACE,
		.block = blocks[i % ARRAY_SIZE(blocks)],
		.seed = i,
	};

	if (call.op == SCATTER_OP_BARRIER)
		call = (struct call){ .op = SCATTER_OP_BARRIER, .seed = i };
	return call;
}

/*
 * word[0]: microseconds between signals; word[1]: until each deadline; 0: none.
 * Returns how many calls ended early, or the errno of what went wrong.
 */
static __s64 task_storm(struct self *self, union task_args *args)
{
	const __u64 deadline_us = args->word[1];
	struct call_args call;
	__s64 early = 0, error = 0;
	unsigned int i;

	alarm_every(args->word[0]);
	for (i = 0; i < STORM_OPERATIONS && !error; i++) {
		struct call operation = mixed(i, self->members);

		call = crew_args(self->rank, &operation, 0);
		call_lay_out(self, &call);
		call_fill(self, &call);
		for (;; early++) {
			if (deadline_us)
				call.coll.deadline_ns = now_ns() +
					deadline_us * NSEC_PER_USEC;
			error = self_call(self, &call);
			if (error != -EINTR && error != -ETIMEDOUT)
				break;
		}
		if (!error && (!call_intact(self, &call) ||
			       call.results.number != i))
			error = -EBADMSG;
	}
	alarm_every(0);
	snprintf(args->text, sizeof(args->text), "operation %u culprit %d", i,
		 call.results.culprit);
	/* The others need not wait for this one. */
	if (error)
		task_close(self, NULL);
	return error ? error : early;
}

FIXTURE(storm)
{
	struct crew crew;
};

FIXTURE_VARIANT(storm)
{
	unsigned int size;
	__u64 signal_us;
	__u64 deadline_us;
};

FIXTURE_VARIANT_ADD(storm, signals_2) {
	.size = 2, .signal_us = STORM_PERIOD_US,
};

FIXTURE_VARIANT_ADD(storm, signals_5) {
	.size = 5, .signal_us = STORM_PERIOD_US,
};

FIXTURE_VARIANT_ADD(storm, deadlines_5) {
	.size = 5, .deadline_us = STORM_PERIOD_US,
};

FIXTURE_VARIANT_ADD(storm, signals_and_past_deadlines_4) {
	.size = 4, .signal_us = STORM_PERIOD_US, .deadline_us = 1,
};

FIXTURE_SETUP(storm)
{
	ASSERT_TRUE(crew_form(&self->crew, variant->size, 0));
}

FIXTURE_TEARDOWN(storm)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F(storm, all_data_is_right)
{
	union task_args args = {
		.word = { variant->signal_us, variant->deadline_us },
	};
	__u64 end = after_ms(100000);
	struct worker *worker;
	__s64 early = 0;
	unsigned int r;

	for (r = 0; r < variant->size; r++)
		worker_order(&self->crew.worker[r], task_storm, &args);
	for (r = 0; r < variant->size; r++) {
		worker = &self->crew.worker[r];
		while (!worker_replies(worker, 500) && now_ns() < end)
			;
		EXPECT_LE(0, worker_finish(worker)) {
			TH_LOG("rank %u: result %lld: %s", r,
			       (long long)worker->reply.result,
			       worker->reply.args.text);
		}
		early += worker->reply.result;
	}
	EXPECT_LT(0, early);
	diag("%lld calls ended early in %u operations of %u members",
	     (long long)early, STORM_OPERATIONS, variant->size);
}

TEST_HARNESS_MAIN
