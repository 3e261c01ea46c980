// SPDX-License-Identifier: GPL-2.0
/* Death and LEAVE, at every stage: who gets an error, and who completes. */
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

/* After a death every new operation fails, and STATUS and poll() tell. */
static bool is_broken(struct crew *crew, __u64 ranks, unsigned int dead)
{
	const struct call next = patient_call(SCATTER_OP_BARRIER, 0, 0);
	const struct seen *status;
	unsigned int r;

	crew_start(crew, ranks, &next);
	if (!crew_fails(crew, ranks, ECONNRESET, dead))
		return false;
	for (r = 0; r < crew->size; r++) {
		if (!(ranks & RANK(r)))
			continue;
		status = crew_seen(crew, r);
		if (!status || status->state != SCATTER_STATE_BROKEN ||
		    status->error != ECONNRESET ||
		    status->culprit != (int)dead ||
		    !mask_has(status->dead, dead) ||
		    mask_count(status->dead) != 1 || mask_count(status->left))
			return false;
	}
	return true;
}

TEST_F(death, of_a_scatter_root_that_has_not_called)
{
	const struct call call = patient_call(SCATTER_OP_SCATTER, 0, EAGER);
	const __u64 others = RANKS(1, 3);

	crew_start(&self->crew, others, &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, others));
	kill_rank(&self->crew, 0, &self->killed_ns);
	EXPECT_TRUE(crew_fails(&self->crew, others, ECONNRESET, 0));
	EXPECT_TRUE(crew_knows_soon(&self->crew, others, self->killed_ns));
	EXPECT_TRUE(is_broken(&self->crew, others, 0));
}

TEST_F(death, of_a_waiting_receiver_lets_the_others_complete)
{
	const struct call call = patient_call(SCATTER_OP_SCATTER, 0, LARGE);

	crew_start(&self->crew, RANKS(1, 3), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANKS(1, 3)));
	kill_rank(&self->crew, 2, &self->killed_ns);
	crew_start(&self->crew, RANK(0), &call);
	EXPECT_TRUE(crew_succeeds(&self->crew, RANK(0) | RANK(1) | RANK(3)));
	EXPECT_TRUE(is_broken(&self->crew, RANK(0) | RANK(1) | RANK(3), 2));
}

TEST_F(death, of_a_receiver_that_the_root_waits_for)
{
	const struct call call = patient_call(SCATTER_OP_SCATTER, 0, LARGE);
	const __u64 others = RANK(0) | RANK(1) | RANK(3);

	crew_start(&self->crew, others, &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(0)));
	kill_rank(&self->crew, 2, &self->killed_ns);
	EXPECT_TRUE(crew_succeeds(&self->crew, others));
	EXPECT_TRUE(crew_knows_soon(&self->crew, others, self->killed_ns));
	EXPECT_TRUE(is_broken(&self->crew, others, 2));
}

TEST_F(death, of_an_interior_rank_does_not_hold_back_its_subtree)
{
	struct call call = patient_call(SCATTER_OP_SCATTER, 0, EAGER);
	const __u64 others = RANK(0) | RANK(1) | RANK(3);

	call.algorithm = SCATTER_ALGORITHM_HYPERCUBE;
	crew_start(&self->crew, RANK(3), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(3)));
	/* 0 -> 2 -> 3 */
	kill_rank(&self->crew, 2, &self->killed_ns);
	crew_start(&self->crew, RANK(0) | RANK(1), &call);
	EXPECT_TRUE(crew_succeeds(&self->crew, others));
}

TEST_F(death, of_a_scatter_root_after_its_deposits)
{
	const struct call call = patient_call(SCATTER_OP_SCATTER, 0, EAGER);

	EXPECT_TRUE(crew_calls(&self->crew, RANK(0), &call));
	kill_rank(&self->crew, 0, &self->killed_ns);
	EXPECT_TRUE(crew_calls(&self->crew, RANKS(1, 3), &call));
	EXPECT_TRUE(is_broken(&self->crew, RANKS(1, 3), 0));
}

TEST_F(death, of_a_scatter_root_that_waits_for_late_receivers)
{
	const struct call call = patient_call(SCATTER_OP_SCATTER, 0, LARGE);

	crew_start(&self->crew, RANK(0) | RANK(1), &call);
	EXPECT_TRUE(crew_succeeds(&self->crew, RANK(1)));
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(0)));
	kill_rank(&self->crew, 0, &self->killed_ns);
	crew_start(&self->crew, RANKS(2, 3), &call);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(2, 3), ECONNRESET, 0));
	EXPECT_TRUE(is_broken(&self->crew, RANKS(1, 3), 0));
}

TEST_F(death, of_a_gather_leaf_that_has_not_called)
{
	const struct call call = patient_call(SCATTER_OP_GATHER, 0, LARGE);
	const __u64 others = RANK(0) | RANK(3);

	crew_start(&self->crew, RANK(0) | RANK(1) | RANK(3), &call);
	/* Those whose blocks have been taken need nobody. */
	EXPECT_TRUE(crew_succeeds(&self->crew, RANK(1) | RANK(3)));
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(0)));
	kill_rank(&self->crew, 2, &self->killed_ns);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0), ECONNRESET, 2));
	EXPECT_TRUE(crew_knows_soon(&self->crew, RANK(0), self->killed_ns));
	EXPECT_TRUE(is_broken(&self->crew, others, 2));
}

TEST_F(death, of_a_gather_leaf_whose_block_is_in_the_kernel)
{
	const struct call call = patient_call(SCATTER_OP_GATHER, 0, EAGER);

	EXPECT_TRUE(crew_calls(&self->crew, RANK(2), &call));
	kill_rank(&self->crew, 2, &self->killed_ns);
	EXPECT_TRUE(crew_calls(&self->crew, RANK(0) | RANK(1) | RANK(3),
			       &call));
	EXPECT_TRUE(is_broken(&self->crew, RANK(0) | RANK(1) | RANK(3), 2));
}

TEST_F(death, of_a_gather_leaf_whose_block_nobody_has_taken)
{
	const struct call call = patient_call(SCATTER_OP_GATHER, 0, LARGE);

	crew_start(&self->crew, RANK(1) | RANK(2), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(1) | RANK(2)));
	kill_rank(&self->crew, 2, &self->killed_ns);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(1), ECONNRESET, 2));
	crew_start(&self->crew, RANK(0) | RANK(3), &call);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0) | RANK(3), ECONNRESET, 2));
}

TEST_F(death, of_a_gather_root)
{
	const struct call large = patient_call(SCATTER_OP_GATHER, 3, LARGE);
	const struct call eager = patient_call(SCATTER_OP_GATHER, 3, EAGER);

	/* One operation that only rank 0 has called, and got rid of. */
	EXPECT_TRUE(crew_calls(&self->crew, RANK(0), &eager));
	crew_start(&self->crew, RANK(0), &large);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANK(0)));
	kill_rank(&self->crew, 3, &self->killed_ns);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0), ECONNRESET, 3));
	EXPECT_TRUE(crew_knows_soon(&self->crew, RANK(0), self->killed_ns));
	/* Nobody will read it, but a deposit needs nothing of the dead. */
	EXPECT_TRUE(crew_calls(&self->crew, RANK(1), &eager));
	crew_start(&self->crew, RANK(1), &large);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(1), ECONNRESET, 3));
}

TEST_F(death, of_somebody_missing_at_a_barrier)
{
	const struct call call = patient_call(SCATTER_OP_BARRIER, 0, 0);

	crew_start(&self->crew, RANKS(0, 2), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANKS(0, 2)));
	kill_rank(&self->crew, 3, &self->killed_ns);
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, 2), ECONNRESET, 3));
	EXPECT_TRUE(crew_knows_soon(&self->crew, RANKS(0, 2), self->killed_ns));
}

TEST_F(death, of_somebody_who_waits_at_a_barrier)
{
	const struct call call = patient_call(SCATTER_OP_BARRIER, 0, 0);

	crew_start(&self->crew, RANKS(0, 2), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANKS(0, 2)));
	kill_rank(&self->crew, 1, &self->killed_ns);
	/* It had called, so the barrier is still complete when rank 3 calls. */
	crew_start(&self->crew, RANK(3), &call);
	EXPECT_TRUE(crew_succeeds(&self->crew, RANK(0) | RANKS(2, 3)));
	EXPECT_TRUE(is_broken(&self->crew, RANK(0) | RANKS(2, 3), 1));
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
		EXPECT_TRUE(is_broken(&self->crew, RANK(1), 0));
		ASSERT_TRUE(crew_end(&self->crew));
		ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	}
	EXPECT_TRUE(race_was_seen(&race));
}

TEST_F(death, by_close_without_leave)
{
	const struct call call = patient_call(SCATTER_OP_BARRIER, 0, 0);

	crew_start(&self->crew, RANKS(0, 2), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANKS(0, 2)));
	EXPECT_EQ(0, worker_do(&self->crew.worker[3], task_close, NULL));
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(0, 2), ECONNRESET, 3));
	EXPECT_TRUE(is_broken(&self->crew, RANKS(0, 2), 3));
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

TEST_F(death, leave_keeps_what_was_called_before)
{
	const struct call gather = patient_call(SCATTER_OP_GATHER, 0, EAGER);
	const struct call scatter = patient_call(SCATTER_OP_SCATTER, 1, EAGER);

	EXPECT_TRUE(crew_calls(&self->crew, RANK(3), &gather));
	EXPECT_TRUE(crew_calls(&self->crew, RANK(1), &gather));
	EXPECT_TRUE(crew_calls(&self->crew, RANK(1), &scatter));
	EXPECT_EQ(0, worker_do(&self->crew.worker[1], task_leave, NULL));
	EXPECT_TRUE(crew_calls(&self->crew, RANK(0) | RANK(2), &gather));
	EXPECT_TRUE(crew_calls(&self->crew, RANK(0) | RANKS(2, 3), &scatter));
	crew_start(&self->crew, RANK(0) | RANKS(2, 3), &gather);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0) | RANKS(2, 3), ESHUTDOWN,
			       1));
}

TEST_F(death, leave_ends_what_others_have_begun_since)
{
	const struct call call = patient_call(SCATTER_OP_SCATTER, 0, EAGER);
	const struct seen *status;

	crew_start(&self->crew, RANKS(1, 2), &call);
	ASSERT_TRUE(crew_sleeps(&self->crew, RANKS(1, 2)));
	EXPECT_EQ(0, worker_do(&self->crew.worker[3], task_leave, NULL));
	EXPECT_TRUE(crew_fails(&self->crew, RANKS(1, 2), ESHUTDOWN, 3));
	crew_start(&self->crew, RANK(0), &call);
	EXPECT_TRUE(crew_fails(&self->crew, RANK(0), ESHUTDOWN, 3));
	status = crew_seen(&self->crew, 0);
	ASSERT_NE(NULL, status);
	EXPECT_EQ(ESHUTDOWN, (int)status->error);
	EXPECT_EQ(1U, mask_count(status->left));
	EXPECT_TRUE(mask_has(status->left, 3));
	EXPECT_EQ(0U, mask_count(status->dead));
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
 * Operations of all kinds until one fails; the result is its errno. A barrier follows
 * each gather: only the root learns from that about a death, and ends, and
 * others would wait for it in what comes next.
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

	for (i = 0;; i++) {
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
	unsigned int victim = rand() % SIZE;
	__u64 killed_ns, last_ns = 0;
	bool good = true;
	unsigned int r;

	if (!storm_form(crew, round))
		return false;
	for (r = 0; r < SIZE; r++)
		worker_order(&crew->worker[r], task_storm, NULL);
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
