// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once: members that run random programs, see storm.h, while they are killed,
 * interrupted and stopped. Every call ends, with an errno that it may have; who succeeds
 * has the right data; nothing around the buffers changes; and what all are to
 * agree about they agree about.
 *
 * KSELFTEST_SEED repeats what was random, KSELFTEST_STORM is how many calls there are.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "regroup.h"
#include "shape.h"
#include "storm.h"

#define HANDS		8U
#define CALLS		3000U
#define SILENCE_MS	(2 * STORM_PATIENCE_MS)

struct hand {
	struct worker worker;
	bool busy;
	bool killed;
	bool stopped;
};

static struct hand hands[HANDS];
static __u64 seed, chance;
static unsigned int kills, signals, stops, groups;

static unsigned int below(unsigned int n)
{
	return next_random(&chance) % n;
}

static __u64 calls(void)
{
	return __atomic_load_n(&storm->count[STORM_CALLS], __ATOMIC_RELAXED);
}

/* @size hands join a new group, of two sides or of none. False if they do not meet. */
static bool muster(unsigned int size, __u64 key)
{
	char name[SCATTER_NAME_MAX];
	union task_args args = { 0 };
	unsigned int i;

	name_make(name, "storm");
	storm->join = join_of(name, size, 0);
	storm->joined = 0;
	if (!below(3)) {
		storm->join.sides[0] = 1 + below(size - 1);
		storm->join.sides[1] = size - storm->join.sides[0];
	}
	for (i = 0; i < size; i++) {
		args.word[STORM_WORD_WORKER] = i;
		args.word[STORM_WORD_SEED] = key;
		storm->gone[i] = 0;
		hands[i].busy = true;
		hands[i].killed = false;
		worker_order(&hands[i].worker, task_storm, &args);
	}
	return shared_reaches(&storm->joined, (int)size);
}

/* Workers that have died are replaced. */
static bool refill(void)
{
	unsigned int i;

	for (i = 0; i < HANDS; i++)
		if (!hands[i].worker.pid && !worker_spawn(&hands[i].worker))
			return false;
	return true;
}

/* Take the replies that there are. How many are busy, or negative if something is wrong. */
static int collect(void)
{
	int busy = 0;
	unsigned int i;
	__s64 result;

	for (i = 0; i < HANDS; i++) {
		struct hand *hand = &hands[i];

		if (!hand->busy)
			continue;
		if (!worker_replies(&hand->worker, 0)) {
			busy++;
			continue;
		}
		hand->busy = false;
		result = worker_finish(&hand->worker);
		/* The worker may have ended before it was killed. */
		if (hand->killed ||
		    __atomic_load_n(&storm->gone[i], __ATOMIC_ACQUIRE)) {
			if (!worker_end(&hand->worker))
				return -1;
			result = result == WORKER_GONE ? 0 : result;
		}
		if (result) {
			diag("worker %u ended with %lld: %s", i, (long long)result,
			     storm->doing[i]);
			return -1;
		}
	}
	return storm->wrong ? -1 : busy;
}

/* One may have ended what it does before it was stopped. */
static void start_stopped(void)
{
	unsigned int i;

	for (i = 0; i < HANDS; i++) {
		if (hands[i].stopped && hands[i].worker.pid)
			worker_signal(&hands[i].worker, SIGCONT);
		hands[i].stopped = false;
	}
}

/* Kill one, unless nobody would be left. */
static void strike(int busy)
{
	struct hand *hand = &hands[below(HANDS)];

	if (busy < 2 || !hand->busy || hand->killed)
		return;
	kill(hand->worker.pid, SIGKILL);
	hand->killed = true;
	kills++;
}

static void disturb(void)
{
	struct hand *hand = &hands[below(HANDS)];

	start_stopped();
	if (!hand->busy || hand->killed)
		return;
	if (!below(12)) {
		worker_signal(&hand->worker, SIGSTOP);
		hand->stopped = true;
		stops++;
		return;
	}
	worker_signal(&hand->worker, SIGUSR1);
	signals++;
}

static void tell_silence(void)
{
	unsigned int i;

	for (i = 0; i < HANDS; i++)
		if (hands[i].busy)
			diag("worker %u%s: %s", i, hands[i].killed ? ", killed" : "",
			     storm->doing[i]);
}

/* One group, until all of it and of what came of it have ended. */
static bool rage(void)
{
	__u64 strike_at = calls() + 20 + below(160);
	__u64 heard = now_ns(), before = 0;
	int busy;

	/* Room for what those who are to come have in common. */
	memset(storm->witness, 0, sizeof(storm->witness));
	memset(storm->pressed, 0, sizeof(storm->pressed));
	if (!muster(2 + below(HANDS - 1), storm_mix(seed, ++groups))) {
		diag("group %u does not form: %d have joined", groups, storm->joined);
		/* That tells what JOIN has returned. */
		collect();
		return false;
	}
	for (busy = collect(); busy > 0; busy = collect()) {
		nap_us(below(1500));
		disturb();
		if (calls() >= strike_at) {
			strike(busy);
			strike_at = calls() + 20 + below(160);
		}
		if (calls() != before)
			heard = now_ns();
		before = calls();
		if (now_ns() - heard > paced_ms(SILENCE_MS) * NSEC_PER_MSEC) {
			tell_silence();
			return false;
		}
	}
	start_stopped();
	return !busy && refill();
}

static void report(void)
{
	unsigned int i;

	diag("storm: %llu calls: %llu operations, %llu DUP or SPLIT, %llu AGREE, %llu SHRINK",
	     calls(), storm->count[STORM_COLL], storm->count[STORM_REGROUP],
	     storm->count[STORM_AGREE], storm->count[STORM_SHRINK]);
	diag("storm: %u kills, %llu suicides, %u signals, %u stops, %llu revokes, %llu leaves",
	     kills, storm->count[STORM_SUICIDE], signals, stops,
	     storm->count[STORM_REVOKE], storm->count[STORM_LEAVE]);
	diag("storm: %llu mismatches, %llu faults, %llu deadlines, %llu resumed",
	     storm->count[STORM_MISMATCH], storm->count[STORM_FAULT],
	     storm->count[STORM_DEADLINE], storm->count[STORM_RESUME]);
	diag("storm: %u crews, %llu memberships, %llu times the same for all", groups,
	     storm->count[STORM_GROUPS], storm->count[STORM_WITNESSED]);
	for (i = 0; i < STORM_ERRNOS; i++)
		if (storm->ended[i])
			diag("storm: %llu calls: %s", storm->ended[i],
			     i ? strerror(i) : "success");
}

FIXTURE(storm)
{
};

FIXTURE_SETUP(storm)
{
}

FIXTURE_TEARDOWN(storm)
{
}

/* As long as it takes: the harness has a deadline for the program. */
TEST_F_TIMEOUT(storm, everything_at_once, 20000)
{
	unsigned int i;
	bool good = true;

	storm = shared_map(sizeof(*storm));
	ASSERT_NE(NULL, storm);
	storm->target = environment("KSELFTEST_STORM", CALLS);
	seed = sample_seed();
	chance = seed;
	diag("storm: KSELFTEST_SEED=%llu", seed);
	ASSERT_TRUE(refill());
	while (good && calls() < storm->target)
		good = rage();
	report();
	EXPECT_TRUE(good);
	EXPECT_STREQ("", storm->what);
	for (i = 0; i < HANDS; i++)
		EXPECT_TRUE(worker_end(&hands[i].worker));
}

TEST_HARNESS_MAIN
