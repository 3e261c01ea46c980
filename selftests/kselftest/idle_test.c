// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting costs nothing: who waits for a late member, be that one asleep or
 * computing, uses less than a hundredth of a processor.
 */
#include <poll.h>
#include <time.h>

#include "crew.h"
#include "harness.h"

#define LATE_MS		3000U
#define MOST_NS		(LATE_MS * NSEC_PER_MSEC / 100)
#define CHANCES		4
/* Above the eager limits. */
#define MEDIUM		100000ULL

/* What the late member does meanwhile ---------------------------------------- */

static __s64 task_doze(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	return poll(NULL, 0, LATE_MS);
}

static __s64 task_compute(struct self *self, union task_args *args)
{
	const __u64 end = after_ms(LATE_MS);

	(void)self;
	(void)args;
	while (now_ns() < end)
		;
	return 0;
}

/* ---------------------------------------------------------------------------- */

/* Processor time that a worker has used since it was born. */
static __u64 used_ns(const struct worker *worker)
{
	struct timespec used = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(worker->pid, &clock) ||
	    clock_gettime(clock, &used))
		return ~0ULL;
	return (__u64)used.tv_sec * 1000000000ULL + (__u64)used.tv_nsec;
}

/* @late: the rank that all others wait for; @join: in JOIN, else in @call */
struct setting {
	unsigned int size;
	unsigned int late;
	bool join;
	struct call call;
};

static void order(struct crew *crew, const struct setting *setting,
		  unsigned int rank)
{
	union task_args args;

	if (!setting->join) {
		crew_start(crew, RANK(rank), &setting->call);
		return;
	}
	args.join = join_of(crew->name, setting->size, rank);
	worker_order(&crew->worker[rank], task_join, &args);
}

static bool all_wait(struct crew *crew, const struct setting *setting)
{
	const unsigned int request = setting->join ? SCATTER_IOCTL_JOIN :
						     SCATTER_IOCTL_COLL;
	unsigned int r;

	for (r = 0; r < setting->size; r++)
		if (r != setting->late)
			order(crew, setting, r);
	for (r = 0; r < setting->size; r++)
		if (r != setting->late &&
		    !worker_sleeps(&crew->worker[r], request))
			return false;
	return true;
}

/*
 * All waiters from their call to their return, while the late one does @task.
 * Returns the most that one of them used, or ~0 if something failed.
 */
static __u64 most_used(struct crew *crew, const struct setting *setting,
		       task_fn *task)
{
	struct worker *late = &crew->worker[setting->late];
	__u64 used[CREW_MAX], waited, most = 0;
	struct worker *worker;
	unsigned int r;

	for (r = 0; r < setting->size; r++)
		used[r] = used_ns(&crew->worker[r]);
	if (!all_wait(crew, setting))
		return ~0ULL;
	worker_order(late, task, NULL);
	order(crew, setting, setting->late);
	if (worker_finish(late))
		return ~0ULL;
	for (r = 0; r < setting->size; r++) {
		worker = &crew->worker[r];
		if (worker_finish(worker))
			return ~0ULL;
		if (worker == late)
			continue;
		used[r] = used_ns(worker) - used[r];
		waited = worker->reply.ended_ns - worker->reply.began_ns;
		diag("rank %u waited %llu us, used %llu us of a processor", r,
		     waited / NSEC_PER_USEC, used[r] / NSEC_PER_USEC);
		if (waited < LATE_MS * NSEC_PER_MSEC)
			return ~0ULL;
		if (used[r] > most)
			most = used[r];
	}
	return most;
}

static bool all_leave(struct crew *crew)
{
	unsigned int r;

	for (r = 0; r < crew->size; r++)
		if (worker_do(&crew->worker[r], task_leave, NULL))
			return false;
	return true;
}

/*
 * Time that the host takes from a virtual machine counts as used by whoever
 * was running there: a busy machine gets more than one chance.
 */
static void measure(struct __test_metadata *_metadata, struct crew *crew,
		    const struct setting *setting, task_fn *task)
{
	__u64 used = MOST_NS;
	unsigned int i;

	for (i = 0; i < CHANCES && used >= MOST_NS; i++) {
		used = most_used(crew, setting, task);
		ASSERT_NE(~0ULL, used);
		if (setting->join)
			ASSERT_TRUE(all_leave(crew));
	}
	EXPECT_GT(MOST_NS, used);
}

FIXTURE(idle)
{
	struct crew crew;
};

FIXTURE_VARIANT(idle)
{
	struct setting setting;
};

FIXTURE_VARIANT_ADD(idle, scatter) {
	.setting = {
		.size = 4, .call = { .op = SCATTER_OP_SCATTER, .block = 64 },
	},
};

/* With no more members than processors they spin before they sleep. */
FIXTURE_VARIANT_ADD(idle, scatter_of_two) {
	.setting = {
		.size = 2, .call = { .op = SCATTER_OP_SCATTER, .block = 64 },
	},
};

/* The root waits for one receiver to take its block. */
FIXTURE_VARIANT_ADD(idle, scatter_root) {
	.setting = {
		.size = 2, .late = 1,
		.call = { .op = SCATTER_OP_SCATTER, .block = MEDIUM },
	},
};

FIXTURE_VARIANT_ADD(idle, gather) {
	.setting = {
		.size = 4, .call = { .op = SCATTER_OP_GATHER, .block = MEDIUM },
	},
};

FIXTURE_VARIANT_ADD(idle, barrier) {
	.setting = {
		.size = 4, .late = 2, .call = { .op = SCATTER_OP_BARRIER },
	},
};

FIXTURE_VARIANT_ADD(idle, join) {
	.setting = { .size = 4, .late = 3, .join = true },
};

FIXTURE_SETUP(idle)
{
	const struct setting *setting = &variant->setting;

	ASSERT_TRUE(setting->join ? crew_spawn(&self->crew, setting->size) :
				    crew_form(&self->crew, setting->size, 0));
}

FIXTURE_TEARDOWN(idle)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F(idle, the_late_one_is_asleep)
{
	measure(_metadata, &self->crew, &variant->setting, task_doze);
}

TEST_F(idle, the_late_one_computes)
{
	measure(_metadata, &self->crew, &variant->setting, task_compute);
}

TEST_HARNESS_MAIN
