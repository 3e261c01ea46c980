// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of Documentation/failures.rst that are more than the steps of outcomes_test: events
 * that meet each other.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "race.h"
#include "sample.h"
#include "regroup.h"

#define SIZE		4U
#define EVERYBODY	RANKS(0, SIZE - 1)
#define EAGER		64ULL
#define LARGE		300001ULL

FIXTURE(failures)
{
	struct crew crew;
};

FIXTURE_SETUP(failures)
{
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(failures)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* Meetings and new groups ---------------------------------------------------------- */

TEST_F(failures, a_revoke_does_not_end_a_shrink)
{
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);
	struct crew *crew = &self->crew;

	crew_regroup_start(crew, RANKS(0, 2), &shrink);
	ASSERT_TRUE(crew_sleeps_in(crew, RANKS(0, 2), SCATTER_IOCTL_REGROUP));
	EXPECT_EQ(0, worker_do(&crew->worker[3], task_revoke, NULL));
	EXPECT_TRUE(crew_sleeps_in(crew, RANKS(0, 2), SCATTER_IOCTL_REGROUP));
	crew_regroup_start(crew, RANK(3), &shrink);
	EXPECT_TRUE(crew_adopt(crew, EVERYBODY));
}

/* @ranks but rank 1 are inside; that stops there, or before it calls, and only delays. */
TEST_F(failures, a_stopped_one_only_delays_new_groups_and_agreement)
{
	static const __u32 ops[] = { SCATTER_OP_DUP, SCATTER_OP_SHRINK };
	const __u64 values[SIZE] = { 7, 3, 15, 31 };
	struct crew *crew = &self->crew;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		const struct scatter_regroup regroup = regroup_of(ops[i]);

		crew_regroup_start(crew, RANK(1), &regroup);
		ASSERT_TRUE(crew_sleeps_in(crew, RANK(1), SCATTER_IOCTL_REGROUP));
		ASSERT_TRUE(worker_stop(&crew->worker[1]));
		crew_regroup_start(crew, EVERYBODY & ~RANK(1), &regroup);
		worker_signal(&crew->worker[1], SIGCONT);
		ASSERT_TRUE(crew_adopt(crew, EVERYBODY));
	}
	crew_agree_start(crew, RANK(1), values);
	ASSERT_TRUE(crew_sleeps_in(crew, RANK(1), SCATTER_IOCTL_AGREE));
	ASSERT_TRUE(worker_stop(&crew->worker[1]));
	crew_agree_start(crew, EVERYBODY & ~RANK(1), values);
	worker_signal(&crew->worker[1], SIGCONT);
	EXPECT_TRUE(crew_agrees(crew, EVERYBODY, 0, 3, 0, SCATTER_RANK_ANY));
}

/* exec, close and threads ------------------------------------------------------------ */

static __s64 task_exec(struct self *self, union task_args *args)
{
	char *const arguments[] = { "sleep", "100", NULL };

	(void)self;
	(void)args;
	execv("/bin/sleep", arguments);
	return -errno;
}

/* Whether rank 2 comes to see that rank 3 is dead. */
static bool is_seen_dead(struct crew *crew)
{
	const __u64 end = after_ms(PATIENCE_MS);
	const struct seen *status;

	do {
		status = crew_seen(crew, 2);
		if (!status || mask_has(status->dead, 3))
			return status;
		nap_us(500);
	} while (now_ns() < end);
	return false;
}

/* Rank 3 and others wait for rank 2 at a barrier; its process has another @thread. */
static bool rank_3_waits(struct crew *crew, struct worker *thread)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);

	if (!worker_thread(thread, &crew->worker[3]))
		return false;
	crew_start(crew, EVERYBODY & ~RANK(2), &barrier);
	return crew_sleeps(crew, EVERYBODY & ~RANK(2));
}

/* Nobody needs it any more in what it has called; in what comes next all do. */
TEST_F(failures, exec_while_a_thread_waits_is_a_death)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	struct crew *crew = &self->crew;
	struct worker thread;

	ASSERT_TRUE(rank_3_waits(crew, &thread));
	worker_order(&thread, task_exec, NULL);
	ASSERT_TRUE(is_seen_dead(crew));
	crew_start(crew, RANK(2), &barrier);
	EXPECT_TRUE(crew_succeeds(crew, RANKS(0, 2)));
	crew_start(crew, RANKS(0, 2), &barrier);
	EXPECT_TRUE(crew_fails(crew, RANKS(0, 2), ECONNRESET, 3));
	EXPECT_TRUE(worker_end(&crew->worker[3]));
	EXPECT_TRUE(crew_shrink(crew, RANKS(0, 2)));
}

TEST_F(failures, closed_while_a_thread_waits_it_dies_when_that_returns)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	struct crew *crew = &self->crew;
	struct worker thread;

	ASSERT_TRUE(rank_3_waits(crew, &thread));
	EXPECT_EQ(0, worker_do(&thread, task_close, NULL));
	EXPECT_TRUE(crew_sleeps(crew, RANKS(0, 1) | RANK(3)));
	crew_start(crew, RANK(2), &barrier);
	EXPECT_TRUE(crew_succeeds(crew, EVERYBODY));
	crew_start(crew, RANKS(0, 2), &barrier);
	EXPECT_TRUE(crew_fails(crew, RANKS(0, 2), ECONNRESET, 3));
}

/* What the storm has found ------------------------------------------------------------ */

/* Ranks 0 and 1 against 2: rank 1 moves no data, but waits for all. */
TEST(an_idle_member_resumes_what_is_uniform)
{
	static const __u32 ops[] = {
		SCATTER_OP_SCATTER, SCATTER_OP_GATHER, SCATTER_OP_SCATTERV,
		SCATTER_OP_GATHERV,
	};
	struct crew crew;
	unsigned int i;

	ASSERT_TRUE(crew_form_sides(&crew, 2, 1, NULL));
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct call call = {
			.op = ops[i], .block = EAGER, .seed = i, .sides = { 2, 1 },
			.flags = SCATTER_COLL_UNIFORM, .timeout_ms = PATIENCE_MS,
		};

		/* The root and the block are named before it is paused, or afterwards. */
		crew_start(&crew, RANK(1), &call);
		ASSERT_TRUE(crew_sleeps(&crew, RANK(1)));
		if (i % 2)
			crew_start(&crew, RANK(0), &call);
		worker_signal(&crew.worker[1], SIGUSR1);
		EXPECT_TRUE(crew_fails(&crew, RANK(1), EINTR, SCATTER_RANK_ANY));
		if (!(i % 2))
			crew_start(&crew, RANK(0), &call);
		ASSERT_TRUE(crew_sleeps(&crew, RANK(0)));
		crew_start(&crew, RANK(2), &call);
		EXPECT_EQ(0, crew_resume(&crew, 1, &call));
		EXPECT_TRUE(crew_succeeds(&crew, RANK(0) | RANK(2)));
	}
	EXPECT_TRUE(crew_end(&crew));
}

#define MOMENTS	30

/* A call of both, with a deadline that passes while they copy, before or never. */
static void deadline_in_the_midst(struct __test_metadata *_metadata, struct crew *crew,
				  const struct call *call, struct race *race)
{
	const __u64 ns = race_us(race) * NSEC_PER_USEC;
	bool ended = false, done = false;
	unsigned int r;

	crew_start_until(crew, RANKS(0, 1), call, ns);
	for (r = 0; r < 2; r++) {
		const struct call_args *got = &crew->worker[r].reply.args.call;

		worker_finish(&crew->worker[r]);
		if (crew->worker[r].reply.result == -ETIME) {
			ended = true;
			EXPECT_TRUE(got->results.culprit == 0 || got->results.culprit == 1);
		} else {
			done = true;
			EXPECT_EQ(0, crew->worker[r].reply.result);
			EXPECT_TRUE(got->intact);
		}
	}
	race_note(race, ended, done);
}

/* However far it is, and though all have called: ETIME names somebody. */
TEST(a_deadline_in_the_midst_names_somebody)
{
	struct race races[2] = { { .us = 4000 }, { .us = 4000 } };
	struct crew crew;
	unsigned int i;

	srand(5);
	ASSERT_TRUE(crew_form(&crew, 2, 0));
	for (i = 0; race_goes_on(&races[0], MOMENTS) || race_goes_on(&races[1], MOMENTS);
	     i++) {
		const struct call call = {
			.op = i / 2 % 2 ? SCATTER_OP_GATHER : SCATTER_OP_SCATTER,
			.algorithm = i % 2 ? SCATTER_ALGORITHM_OR_BROADCAST : 0,
			.block = 3 * LARGE, .seed = i,
			.flags = SCATTER_COLL_DEADLINE_ALL,
		};

		deadline_in_the_midst(_metadata, &crew, &call, &races[i % 2]);
	}
	EXPECT_TRUE(race_was_seen(&races[0]));
	EXPECT_TRUE(race_was_seen(&races[1]));
	EXPECT_TRUE(crew_end(&crew));
}

/* Members that disagree about meetings ------------------------------------------------ */
#define QUARRELS	40
#define QUARREL_SIZE	12U

static bool names_who(int error, int culprit)
{
	return error == -EPROTO ? culprit >= 0 && culprit < (int)QUARREL_SIZE :
				  culprit == SCATTER_RANK_ANY;
}

static bool agrees(int fd, int *error)
{
	struct scatter_agree agree = {
		.size = sizeof(agree), .deadline_ns = after_ms(PATIENCE_MS),
	};

	*error = device_call(fd, SCATTER_IOCTL_AGREE, &agree);
	return names_who(*error, agree.culprit);
}

/*
 * All agree; then ranks 0 and 1 disagree, and go on to the next meeting, while others may not have
 * returned from the first. In the end all shrink.
 */
static __s64 task_quarrel(struct self *self, union task_args *args)
{
	const __u64 end = after_ms(PATIENCE_MS);
	bool good;
	int error;

	good = agrees(self->fd, &error) && !error;
	if (self->rank == 0)
		good = agrees(self->fd, &error) && error == -EPROTO && good;
	if (self->rank == 0)
		good = agrees(self->fd, &error) && error == -EPROTO && good;
	do {
		args->regroup = regroup_of(SCATTER_OP_SHRINK);
		error = device_call(self->fd, SCATTER_IOCTL_REGROUP, &args->regroup);
		good = names_who(error, args->regroup.culprit) && good;
	} while (error == -EPROTO && now_ns() < end);
	if (error)
		return error;
	close(self->fd);
	self->fd = args->regroup.fd;
	return good ? 0 : -EBADMSG;
}

TEST(who_is_two_meetings_ahead_learns_who_disagreed)
{
	struct crew crew;
	unsigned int i, r;

	ASSERT_TRUE(crew_form(&crew, QUARREL_SIZE, 0));
	for (i = 0; i < QUARRELS; i++) {
		for (r = 0; r < QUARREL_SIZE; r++)
			worker_order(&crew.worker[r], task_quarrel, NULL);
		for (r = 0; r < QUARREL_SIZE; r++)
			ASSERT_EQ(0, worker_finish(&crew.worker[r])) {
				TH_LOG("round %u rank %u", i, r);
			}
	}
	EXPECT_TRUE(crew_end(&crew));
}

/* Two events at the same time ---------------------------------------------------------- */

enum deed {
	REVOKES,
	LEAVES,
	CLOSES,
	DIES,
	SHRINKS,
	SPLITS,
	GATHERS,
	DEEDS,
};

#define RACES	6
/* Most times that all pairs race until each outcome has come. */
#define ROUNDS	5

static void deed_start(struct crew *crew, unsigned int rank, enum deed deed)
{
	task_fn *task = deed == REVOKES ? task_revoke :
			deed == LEAVES ? task_leave : task_close;
	struct scatter_regroup regroup =
		regroup_of(deed == SHRINKS ? SCATTER_OP_SHRINK : SCATTER_OP_SPLIT);
	const struct call gather = patient_call(SCATTER_OP_GATHER, rank, LARGE);

	if (deed == DIES)
		kill(crew->worker[rank].pid, SIGKILL);
	else if (deed == SHRINKS || deed == SPLITS)
		crew_regroup_start(crew, RANK(rank), &regroup);
	else if (deed == GATHERS)
		crew_start(crew, RANK(rank), &gather);
	else
		worker_order(&crew->worker[rank], task, NULL);
}

/* How a call that waits for others may end if those do something else. */
static bool is_failure(__s64 result)
{
	return result == -EPROTO || result == -ECONNRESET ||
	       result == -ESHUTDOWN || result == -ECANCELED;
}

/* Whether it is still a member afterwards. */
static bool stays(enum deed deed)
{
	return deed != LEAVES && deed != CLOSES && deed != DIES;
}

static const int endings[] = { EPROTO, ECONNRESET, ESHUTDOWN, ECANCELED };

/* Which of them the operation of rank 0 had, and which of the two deeds was the first one. */
struct outcomes {
	bool seen[ARRAY_SIZE(endings)];
	struct race race;
};

static bool all_were_seen(const struct outcomes *outcomes)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(endings); i++)
		if (!outcomes->seen[i])
			return false;
	return outcomes->race.early && outcomes->race.late;
}

static void outcome_note(struct outcomes *outcomes, const struct worker *worker)
{
	const int culprit = worker->reply.args.call.results.culprit;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(endings); i++)
		if (worker->reply.result == -endings[i])
			outcomes->seen[i] = true;
	if (culprit == 1 || culprit == 2)
		race_note(&outcomes->race, culprit == 2, culprit == 1);
}

/*
 * Ranks 1 and 2 do their deeds while rank 0 is in an operation; rank 3 revokes the group, and
 * all who are left shrink it.
 */
static bool race(struct crew *crew, enum deed one, enum deed other,
		 struct outcomes *outcomes)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);
	const enum deed deeds[SIZE] = { GATHERS, one, other, REVOKES };
	struct crew before = *crew;
	__u64 rest = 0;
	unsigned int r;

	crew_start(crew, RANK(0), &barrier);
	for (r = 1; r < SIZE; r++) {
		nap_us(race_us(&outcomes->race));
		deed_start(crew, r, deeds[r]);
	}
	for (r = 0; r < SIZE; r++) {
		struct worker *worker = &crew->worker[r];
		const bool can_wait = deeds[r] == GATHERS || deeds[r] == SPLITS;

		if (stays(deeds[r]))
			rest |= RANK(r);
		if (deeds[r] == SHRINKS)
			continue;
		worker_finish(worker);
		if (can_wait ? is_failure(worker->reply.result) :
		    worker->reply.result == (deeds[r] == DIES ? WORKER_GONE : 0))
			continue;
		diag("rank %u: %lld", r, (long long)worker->reply.result);
		return false;
	}
	if (one != SHRINKS && other != SHRINKS)
		outcome_note(outcomes, &crew->worker[0]);
	for (r = 0; r < SIZE; r++)
		if (rest & RANK(r) && deeds[r] != SHRINKS)
			crew_regroup_start(crew, RANK(r), &shrink);
	if (!crew_adopt(crew, rest))
		return false;
	for (r = 0; r < SIZE; r++)
		if (!(rest & RANK(r)) && !worker_end(&before.worker[r]))
			return false;
	return crew_calls(crew, RANKS(0, crew->size - 1), &barrier);
}

static void all_pairs_race(struct __test_metadata *_metadata, struct outcomes *outcomes,
			   unsigned int races)
{
	unsigned int one, other, i;
	struct crew crew;

	for (one = 0; one < DEEDS; one++)
		for (other = one; other < DEEDS; other++)
			for (i = 0; i < races; i++) {
				ASSERT_TRUE(crew_form(&crew, SIZE, 0));
				EXPECT_TRUE(race(&crew, one, other, outcomes)) {
					TH_LOG("%u and %u", one, other);
				}
				EXPECT_TRUE(crew_end(&crew));
			}
}

TEST(any_two_at_once_end_in_a_group_of_the_rest)
{
	const unsigned int races = sample_rounds(RACES);
	struct outcomes outcomes = { .race.us = 100 };
	unsigned int i;

	srand(6);
	for (i = 0; !i || (i < ROUNDS * RACES && !all_were_seen(&outcomes)); i += races)
		all_pairs_race(_metadata, &outcomes, races);
	for (i = 0; i < ARRAY_SIZE(endings); i++) {
		if (!outcomes.seen[i])
			diag("nothing ended with %d", endings[i]);
		EXPECT_TRUE(outcomes.seen[i]);
	}
	EXPECT_TRUE(race_was_seen(&outcomes.race));
}

TEST_HARNESS_MAIN
