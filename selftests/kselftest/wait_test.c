// SPDX-License-Identifier: GPL-2.0
/*
 * How members wait: which CPUs decide, who yields, what the maximum does, and what a root that
 * waits does meanwhile.
 *
 * The counters spins and sleeps tell how waits ended. Members run barriers in a row, since the
 * time between two calls of one member is then short.
 */
#include <errno.h>
#include <sched.h>
#include <scatter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "harness.h"

#define MEMBERS		2
#define BARRIERS	300
#define GROUPS		10
/* The parameter is of all groups: this is what it is again after each test. */
#define SPIN_NS		"200000"

/**
 * struct seat - what a member does after it has joined
 * @cpu: the only CPU that it uses then
 * @policy: of its scheduling
 */
struct seat {
	int cpu;
	int policy;
};

FIXTURE(waiting)
{
	struct scatter_counters *own;	/* by rank; of the barriers only */
	char name[SCATTER_NAME_MAX];
};

FIXTURE_SETUP(waiting)
{
	name_make(self->name, "wait");
	self->own = shared_map(MEMBERS * sizeof(*self->own));
	ASSERT_NE(NULL, self->own);
}

FIXTURE_TEARDOWN(waiting)
{
	EXPECT_EQ(0, parameter_write("spin_ns", SPIN_NS));
	munmap(self->own, MEMBERS * sizeof(*self->own));
}

static int sit(const struct seat *seat)
{
	const struct sched_param param = { .sched_priority = seat->policy == SCHED_FIFO };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(seat->cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) ||
	    sched_setscheduler(0, seat->policy, &param))
		return -errno;
	return 0;
}

/* The first barrier finds out which CPUs the members use now, so it does not count. */
static int member_run(const char *name, int rank, const struct seat *seat,
		      struct scatter_counters *own)
{
	struct scatter_join_opts join = {
		.size = MEMBERS, .rank = rank, .timeout_ns = PATIENCE_MS * NSEC_PER_MSEC,
	};
	struct scatter_opts opts = { .timeout_ns = join.timeout_ns };
	struct scatter_group *group;
	struct scatter_counters before, after;
	int i, error;

	error = scatter_join(&group, name, &join) ?: sit(seat);
	error = error ?: scatter_barrier_opts(group, &opts);
	error = error ?: scatter_barrier_opts(group, &opts);
	error = error ?: scatter_counters(group, &before, 0);
	for (i = 0; i < BARRIERS && !error; i++)
		error = scatter_barrier_opts(group, &opts);
	error = error ?: scatter_counters(group, &after, 0);
	if (error)
		return error;
	own->spins = after.spins - before.spins;
	own->sleeps = after.sleeps - before.sleeps;
	return scatter_leave(group);
}

/* Whether all members came to the end. */
static bool members_run(const char *name, const struct seat *seats,
			struct scatter_counters *own)
{
	bool all = true;
	int r, status;

	for (r = 0; r < MEMBERS; r++)
		if (!fork())
			_exit(-member_run(name, r, &seats[r], &own[r]));
	for (r = 0; r < MEMBERS; r++)
		all = wait(&status) > 0 && !status && all;
	return all;
}

/*
 * There are as many CPUs as members, but the members may use one only: a waiting member lets
 * the other one run, and need not sleep for that. On a busy machine yields may not help, and the
 * members of one group soon give them up.
 */
TEST_F(waiting, on_one_cpu_they_yield)
{
	const struct seat seats[MEMBERS] = { { 0, SCHED_OTHER }, { 0, SCHED_OTHER } };
	__u64 spins = 0;
	int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < MEMBERS)
		SKIP(return, "one CPU only");
	for (i = 0; i < GROUPS && !spins; i++) {
		ASSERT_TRUE(members_run(self->name, seats, self->own));
		spins = self->own[0].spins + self->own[1].spins;
	}
	EXPECT_LT(0ULL, spins);
}

/* The other one would run, and the event come without sleep, if one of them yielded. */
TEST_F(waiting, a_real_time_task_does_not_yield)
{
	const struct seat seats[MEMBERS] = { { 0, SCHED_FIFO }, { 0, SCHED_FIFO } };

	ASSERT_TRUE(members_run(self->name, seats, self->own));
	EXPECT_EQ(0ULL, self->own[0].spins + self->own[1].spins);
	EXPECT_LE(BARRIERS, self->own[0].sleeps + self->own[1].sleeps);
}

TEST_F(waiting, with_a_cpu_each_they_spin)
{
	const struct seat seats[MEMBERS] = { { 0, SCHED_OTHER }, { 1, SCHED_OTHER } };

	if (sysconf(_SC_NPROCESSORS_ONLN) < MEMBERS)
		SKIP(return, "one CPU only");
	ASSERT_EQ(0, parameter_write("spin_ns", "1000000"));
	ASSERT_TRUE(members_run(self->name, seats, self->own));
	EXPECT_LT(0ULL, self->own[0].spins + self->own[1].spins);
}

TEST_F(waiting, with_spin_ns_0_they_sleep_at_once)
{
	const struct seat seats[MEMBERS] = { { 0, SCHED_OTHER }, { 1, SCHED_OTHER } };

	if (sysconf(_SC_NPROCESSORS_ONLN) < MEMBERS)
		SKIP(return, "one CPU only");
	ASSERT_EQ(0, parameter_write("spin_ns", "0"));
	ASSERT_TRUE(members_run(self->name, seats, self->own));
	EXPECT_EQ(0ULL, self->own[0].spins + self->own[1].spins);
	EXPECT_LT(0ULL, self->own[0].sleeps + self->own[1].sleeps);
}

TEST_F(waiting, with_spin_ns_0_they_do_not_yield_either)
{
	const struct seat seats[MEMBERS] = { { 0, SCHED_OTHER }, { 0, SCHED_OTHER } };

	ASSERT_EQ(0, parameter_write("spin_ns", "0"));
	ASSERT_TRUE(members_run(self->name, seats, self->own));
	EXPECT_EQ(0ULL, self->own[0].spins + self->own[1].spins);
}

/* Most of it the root has never touched. */
#define LARGE_BLOCK	(8UL << 20)

static unsigned long resident_bytes(pid_t pid)
{
	unsigned long pages = 0;
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

/* A member of a gather that sends a block of its rank plus 1; returns an errno. */
static int gather_large(const char *name, int rank, pid_t root)
{
	struct scatter_join_opts join = {
		.size = 2, .rank = rank,
		.timeout_ns = paced_ms(PATIENCE_MS) * (long long)NSEC_PER_MSEC,
	};
	struct scatter_opts opts = { .timeout_ns = join.timeout_ns };
	char *send = malloc(LARGE_BLOCK), *recv = malloc(2 * LARGE_BLOCK);
	const __u64 end = after_ms(PATIENCE_MS);
	struct scatter_group *group;
	int error;

	memset(send, rank + 1, LARGE_BLOCK);
	error = scatter_join(&group, name, &join);
	/* What it sends and its own block, and half of the other one: the figure is not exact. */
	while (!error && root && resident_bytes(root) < LARGE_BLOCK * 5 / 2) {
		if (now_ns() > end)
			error = -ETIME;
		nap_us(300);
	}
	error = error ?: scatter_gather_opts(group, send, root ? NULL : recv, LARGE_BLOCK,
					     0, &opts);
	if (!error && !root && (recv[0] != 1 || recv[LARGE_BLOCK - 1] != 1 ||
				recv[LARGE_BLOCK] != 2 || recv[2 * LARGE_BLOCK - 1] != 2))
		error = -EBADMSG;
	free(send);
	free(recv);
	return -(error ?: scatter_leave(group));
}

/* The other block is not there yet, and its place in the root's memory is: rank 1 sees to that. */
TEST_F(waiting, a_root_faults_in_where_it_will_receive)
{
	pid_t root = fork();
	int status;

	if (!root)
		_exit(gather_large(self->name, 0, 0));
	EXPECT_EQ(0, gather_large(self->name, 1, root));
	ASSERT_EQ(root, waitpid(root, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
