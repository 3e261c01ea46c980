// SPDX-License-Identifier: GPL-2.0
/* Deaths that something could hide or that come at any moment; outcomes_test has the others. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "death.h"
#include "harness.h"
#include "race.h"
#include "regroup.h"

#define SIZE		4
#define EVERYBODY	RANKS(0, SIZE - 1)
#define EAGER		64ULL
#define LARGE		(1ULL << 20)

#define KILLS		1000
/* The end of the address space tells at once; the rest is for other load. */
#define PROMPT_PERCENT	90U

FIXTURE(death)
{
	struct crew crew;
	__u64 killed_ns;
};

FIXTURE_SETUP(death)
{
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(death)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static void kill_rank(struct crew *crew, unsigned int rank, __u64 *when)
{
	*when = now_ns();
	worker_end(&crew->worker[rank]);
}

TEST_F(death, while_a_large_block_is_being_copied)
{
	const struct call call = patient_call(SCATTER_OP_SCATTER, 0, 8ULL << 20);
	struct race race = { .us = 5000 };
	__s64 result;

	while (race_goes_on(&race, 6)) {
		crew_start(&self->crew, RANK(0), &call);
		ASSERT_TRUE(crew_sleeps(&self->crew, RANK(0)));
		crew_start(&self->crew, RANK(1), &call);
		nap_us(race_us(&race));
		kill_rank(&self->crew, 0, &self->killed_ns);
		result = worker_finish(&self->crew.worker[1]);
		EXPECT_TRUE(result == -ECONNRESET ||
			    (!result &&
			     self->crew.worker[1].reply.args.call.intact));
		race_note(&race, result, !result);
		EXPECT_TRUE(crew_is_broken(&self->crew, RANK(1), ECONNRESET, 0));
		ASSERT_TRUE(crew_end(&self->crew));
		ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	}
	EXPECT_TRUE(race_was_seen(&race));
}

/* A child that holds the descriptor until its channel to the test ends. */
static __s64 task_fork(struct self *self, union task_args *args)
{
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = SCATTER_OP_BARRIER,
	};
	struct scatter_leave leave = { .size = sizeof(leave) };
	pid_t pid;
	int status;

	pid = fork();
	if (!pid) {
		if (self_coll(self, &coll) != -EIO ||
		    device_call(self->fd, SCATTER_IOCTL_LEAVE, &leave) != -EIO)
			_exit(1);
		pid = fork();
		if (pid)
			_exit(pid < 0);
		for (;;)
			pause();
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -ECHILD;
	(void)args;
	return status;
}

/* Kills what task_fork() left: everything in the worker's session. */
static __s64 task_new_session(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	return setsid() < 0 ? -errno : 0;
}

TEST_F(death, is_not_hidden_by_a_child_with_the_descriptor)
{
	const struct call call = patient_call(SCATTER_OP_BARRIER, 0, 0);
	pid_t session = self->crew.worker[3].pid;

	ASSERT_EQ(0, worker_do(&self->crew.worker[3], task_new_session, NULL));
	/* In it, operations and LEAVE are refused with EIO. */
	ASSERT_EQ(0, worker_do(&self->crew.worker[3], task_fork, NULL));
	crew_start(&self->crew, RANKS(0, 2), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANKS(0, 2)));
	kill_rank(&self->crew, 3, &self->killed_ns);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, 2), ECONNRESET, 3));
	EXPECT_TRUE(crew_knows_soon(&self->crew, RANKS(0, 2), self->killed_ns));
	EXPECT_EQ(0, kill(-session, SIGKILL));
}

static __s64 task_exec(struct self *self, union task_args *args)
{
	(void)args;
	fcntl(self->fd, F_SETFD, 0);
	execl("/bin/cat", "cat", "/proc/self/fd/3", NULL);
	return -errno;
}

TEST_F(death, by_exec_even_if_the_descriptor_is_inherited)
{
	const struct call call = patient_call(SCATTER_OP_BARRIER, 0, 0);

	crew_start(&self->crew, RANKS(0, 2), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANKS(0, 2)));
	worker_order(&self->crew.worker[3], task_exec, NULL);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, 2), ECONNRESET, 3));
}

TEST_F(death, is_not_hidden_by_another_process_with_the_descriptor)
{
	const struct call call = patient_call(SCATTER_OP_BARRIER, 0, 0);
	struct seen status;
	struct scatter_coll coll = {
		.size = sizeof(coll),
		.op = SCATTER_OP_BARRIER,
	};
	int fd = worker_borrow(&self->crew.worker[3]);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EIO, coll_once(fd, &coll));
	EXPECT_EQ(0, status_of(fd, &status));
	EXPECT_EQ(3, status.rank);
	crew_start(&self->crew, RANKS(0, 2), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANKS(0, 2)));
	kill_rank(&self->crew, 3, &self->killed_ns);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, 2), ECONNRESET, 3));
	EXPECT_EQ(POLLOUT | POLLPRI | POLLERR, events_of(fd, 0));
	close(fd);
}

TEST_F(death, leave_then_join_again_on_the_same_file)
{
	const struct call call = patient_call(SCATTER_OP_SCATTER, 2, LARGE);
	union task_args args;
	unsigned int r;

	for (r = 0; r < SIZE; r++)
		EXPECT_EQ(0, worker_do(&self->crew.worker[r], task_leave,
				       NULL));
	for (r = 0; r < SIZE; r++) {
		args.join = join_of(self->crew.name, SIZE, r);
		worker_order(&self->crew.worker[r], task_join, &args);
	}
	EXPECT_TRUE(crew_formed(&self->crew));
	EXPECT_TRUE(crew_runs(&self->crew, &call));
}

/*
 * Operations of all kinds until one fails; the result is its errno. The first is number
 * args->call.seed of the sequence: on a slow machine a victim may see only one or two. A barrier
 * follows each gather: only the root learns from that about a death, and ends, and others would
 * wait for it in what comes next.
 */
static __s64 task_storm(struct self *self, union task_args *args)
{
	static const __u32 ops[] = {
		SCATTER_OP_SCATTER, SCATTER_OP_GATHER, SCATTER_OP_BARRIER,
		SCATTER_OP_SCATTERV, SCATTER_OP_GATHERV, SCATTER_OP_BARRIER,
	};
	struct call call;
	__s64 result;
	__u32 i;

	for (i = args->call.seed;; i++) {
		call = patient_call(ops[i % 6], i / 6 % SIZE, i % 7 ? EAGER : 100000);
		call.seed = i;
		call.algorithm = i % 2 ? SCATTER_ALGORITHM_HYPERCUBE : 0;
		if (call.op == SCATTER_OP_BARRIER)
			call = patient_call(SCATTER_OP_BARRIER, 0, 0);
		args->call = crew_args(self->rank, &call,
				       CALL_FILL | CALL_CHECK);
		result = task_call(self, args);
		if (result)
			return result;
		if (!args->call.intact)
			return -EBADMSG;
	}
}

/* A fresh group of the whole crew; the dead one replaced. */
static bool storm_form(struct crew *crew, unsigned int round)
{
	union task_args args;
	unsigned int r;

	for (r = 0; r < SIZE; r++) {
		if (!crew->worker[r].pid) {
			if (!worker_spawn(&crew->worker[r]) ||
			    worker_do(&crew->worker[r], task_open, NULL))
				return false;
		} else if (worker_do(&crew->worker[r], task_leave, NULL)) {
			return false;
		}
	}
	name_make(crew->name, "storm");
	for (r = 0; r < SIZE; r++) {
		args.join = join_of(crew->name, SIZE, (r + round) % SIZE);
		worker_order(&crew->worker[r], task_join, &args);
	}
	return crew_formed(crew);
}

/*
 * Adds to *@struck, a set of enum scatter_op, what the survivors were in, and to @tally how long
 * it took until the last of them knew.
 */
static bool storm_round(struct crew *crew, unsigned int round, struct death_tally *tally,
			unsigned int *struck)
{
	union task_args args = { .call.seed = round };
	unsigned int victim = rand() % SIZE;
	__u64 killed_ns, last_ns = 0;
	bool good = true;
	unsigned int r;

	if (!storm_form(crew, round))
		return false;
	for (r = 0; r < SIZE; r++)
		worker_order(&crew->worker[r], task_storm, &args);
	nap_us(rand() % 3000);
	kill_rank(crew, victim, &killed_ns);
	for (r = 0; r < SIZE; r++) {
		struct worker *worker = &crew->worker[r];

		if (r == victim)
			continue;
		if (worker_finish(worker) != -ECONNRESET) {
			const struct call_args *call = &worker->reply.args.call;

			diag("round %u: rank %u got %lld, not of %u, in %llu: op %u,%u root %u",
			     round, (r + round) % SIZE,
			     (long long)worker->reply.result,
			     (victim + round) % SIZE, call->seed,
			     call->coll.op, call->coll.schedule.algorithm,
			     call->coll.root);
			good = false;
		}
		*struck |= 1U << worker->reply.args.call.coll.op % 32;
		if (worker->reply.ended_ns > last_ns)
			last_ns = worker->reply.ended_ns;
	}
	death_note(tally, last_ns, killed_ns);
	return good;
}

TEST_F_TIMEOUT(death, a_thousand_random_kills, 600)
{
	const unsigned int kills = sample_rounds(KILLS);
	struct death_tally tally = { 0 };
	unsigned int i, op, struck = 0;

	srand(1);
	for (i = 0; i < kills; i++)
		ASSERT_TRUE(storm_round(&self->crew, i, &tally, &struck));
	for (op = SCATTER_OP_SCATTER; op <= SCATTER_OP_GATHERV; op++)
		EXPECT_TRUE(struck & 1U << op) {
			TH_LOG("no death in operations %u", op);
		}
	EXPECT_TRUE(deaths_are_known(&tally, PROMPT_PERCENT));
}

TEST_HARNESS_MAIN
