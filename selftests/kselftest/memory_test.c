// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel memory by the byte: what counts for a user, what waits and what is refused beyond
 * user_bytes, and what calls leave behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

/* A user that nobody else here is. */
#define SOMEBODY	54323

#define PAGE_RING	4096U
/* Most bytes of an operation that a group keeps for its next one. */
#define KEPT		4096
/* Two of these do not fit in such a ring. */
#define EAGER_BLOCK	4000ULL
#define UNLIMITED	"1152921504606846976"

/* A worker's second membership. */
static int second = -1;

/* Only root may open the device: the worker keeps two files and is SOMEBODY from now on. */
static __s64 task_become(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	second = device_open(0);
	if (second < 0)
		return second;
	return setresuid(SOMEBODY, SOMEBODY, SOMEBODY) ? -errno : 0;
}

/* Bytes that count for the worker's user. */
static __s64 task_used(struct self *self, union task_args *args)
{
	struct scatter_info info = { .size = sizeof(info) };
	int error = device_call(self->fd, SCATTER_IOCTL_INFO, &info);

	(void)args;
	return error ?: (__s64)info.user_bytes_used;
}

static __s64 task_join_second(struct self *self, union task_args *args)
{
	(void)self;
	return device_call(second, SCATTER_IOCTL_JOIN, &args->join);
}

/* word[0]: how many barriers in the second group; the result is how many succeeded. */
static __s64 task_barriers(struct self *self, union task_args *args)
{
	struct scatter_coll coll = {
		.size = sizeof(coll), .op = SCATTER_OP_BARRIER,
		.deadline_ns = after_ms(PATIENCE_MS),
	};
	const __s64 count = args->word[0];
	__s64 i;

	(void)self;
	for (i = 0; i < count; i++)
		if (coll_once(second, &coll))
			return i;
	return count;
}

FIXTURE(memory)
{
	struct crew crew;
	struct call call;
	char was[32];
};

static bool crew_of_somebody(struct crew *crew, unsigned int size)
{
	struct scatter_join like = join_of("", size, 0);
	unsigned int r;

	like.ring_bytes = PAGE_RING;
	if (!crew_spawn(crew, size))
		return false;
	for (r = 0; r < size; r++)
		if (worker_do(&crew->worker[r], task_become, NULL))
			return false;
	return crew_join(crew, &like);
}

FIXTURE_SETUP(memory)
{
	ASSERT_TRUE(parameter_read("user_bytes", self->was));
	ASSERT_TRUE(crew_of_somebody(&self->crew, 3));
	self->call = (struct call){
		.op = SCATTER_OP_SCATTER, .block = 8, .seed = 1,
		.timeout_ms = PATIENCE_MS,
	};
}

FIXTURE_TEARDOWN(memory)
{
	EXPECT_TRUE(crew_end(&self->crew));
	EXPECT_EQ(0, parameter_write("user_bytes", self->was));
}

static long long used(struct crew *crew)
{
	return worker_do(&crew->worker[0], task_used, NULL);
}

static bool limit_to(long long bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", bytes);
	return !parameter_write("user_bytes", text);
}

/* Some of it may be given back a moment later than a call returns. */
static bool falls_to(struct crew *crew, long long bytes)
{
	const __u64 end = after_ms(PATIENCE_MS);

	while (used(crew) > bytes && now_ns() < end)
		nap_us(1000);
	return used(crew) <= bytes;
}

/* The root calls @n operations ahead of the others; the next one's seed is @call's then. */
static bool root_goes_ahead(struct crew *crew, struct call *call, unsigned int n)
{
	for (; n; n--, call->seed++)
		if (!crew_calls(crew, RANK(0), call))
			return false;
	return true;
}

/*
 * The root goes ahead by one, and the limit is set so that another operation has room, but
 * a third one has not.
 */
static bool leave_room_for_one(struct crew *crew, struct call *call)
{
	const long long before = used(crew);
	long long after;

	if (!root_goes_ahead(crew, call, 1))
		return false;
	after = used(crew);
	return after > before && limit_to(after + (after - before) * 3 / 2) &&
	       root_goes_ahead(crew, call, 1);
}

TEST_F(memory, everything_counts_and_is_given_back)
{
	struct crew *crew = &self->crew;
	const long long rings = used(crew);
	long long idle;

	EXPECT_LE(3 * PAGE_RING, rings);
	/* From here on the group keeps the memory of one operation, or none. */
	ASSERT_TRUE(crew_catches_up(crew, RANKS(0, 2), self->call, 1, 1));
	idle = used(crew);
	EXPECT_LE(idle, rings + KEPT);
	ASSERT_TRUE(root_goes_ahead(crew, &self->call, 5));
	EXPECT_LT(idle, used(crew));
	ASSERT_TRUE(crew_catches_up(crew, RANKS(1, 2), self->call, 1, 5));
	EXPECT_TRUE(falls_to(crew, idle));
	EXPECT_EQ(idle, used(crew));
}

TEST_F(memory, a_call_waits_for_its_own_group)
{
	struct crew *crew = &self->crew;
	struct call again;

	ASSERT_TRUE(leave_room_for_one(crew, &self->call));
	/* The deadline ends the wait, and nothing has been called. */
	again = self->call;
	again.timeout_ms = 1;
	crew_start(crew, RANK(0), &again);
	EXPECT_TRUE(crew_fails(crew, RANK(0), ETIMEDOUT, SCATTER_RANK_ANY));
	EXPECT_EQ(SCATTER_NUMBER_NEW, crew->worker[0].reply.args.call.results.number);
	crew_start(crew, RANK(0), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	ASSERT_TRUE(crew_catches_up(crew, RANKS(1, 2), self->call, 1, 1));
	EXPECT_TRUE(crew_succeeds(crew, RANK(0)));
	EXPECT_EQ(2U, crew->worker[0].reply.args.call.results.number);
	EXPECT_TRUE(crew_catches_up(crew, RANKS(1, 2), self->call, 2, 3));
}

TEST_F(memory, a_signal_ends_the_wait)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(leave_room_for_one(crew, &self->call));
	ASSERT_EQ(0, worker_do(&crew->worker[0], task_restarting_handler, NULL));
	crew_start(crew, RANK(0), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	worker_signal(&crew->worker[0], SIGUSR1);
	EXPECT_TRUE(crew_fails(crew, RANK(0), EINTR, SCATTER_RANK_ANY));
	EXPECT_EQ(SCATTER_NUMBER_NEW, crew->worker[0].reply.args.call.results.number);
}

/* A group that breaks ends the wait. */
TEST_F(memory, a_death_ends_the_wait)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(leave_room_for_one(crew, &self->call));
	crew_start(crew, RANK(0), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	worker_signal(&crew->worker[2], SIGKILL);
	EXPECT_TRUE(crew_fails(crew, RANK(0), ECONNRESET, 2));
}

/* No limit is too small for one operation of each group after the other. */
TEST_F(memory, without_any_room_operations_run_one_by_one)
{
	struct crew *crew = &self->crew;
	struct call again;
	int i;

	ASSERT_TRUE(limit_to(0));
	for (i = 0; i < 20; i++, self->call.seed++)
		ASSERT_TRUE(crew_runs(crew, &self->call));
	/* One is no way to another. */
	again = self->call;
	ASSERT_TRUE(root_goes_ahead(crew, &again, 1));
	again.timeout_ms = 1;
	crew_start(crew, RANK(0), &again);
	EXPECT_TRUE(crew_fails(crew, RANK(0), ETIMEDOUT, SCATTER_RANK_ANY));
	ASSERT_TRUE(crew_calls(crew, RANKS(1, 2), &self->call));
	self->call.op = SCATTER_OP_GATHER;
	self->call.block = 100000;
	ASSERT_TRUE(crew_runs(crew, &self->call));
	self->call.op = SCATTER_OP_BARRIER;
	self->call.block = 0;
	ASSERT_TRUE(crew_runs(crew, &self->call));
}

/* Ranks 1 and 2 are in a group of their own, too, which they need before they go on here. */
TEST_F(memory, a_filled_group_holds_back_no_other)
{
	union task_args args = { .join = join_of("", 2, SCATTER_RANK_ANY) };
	struct crew *crew = &self->crew;
	unsigned int r;

	name_make(args.join.name, "second");
	args.join.deadline_ns = after_ms(PATIENCE_MS);
	for (r = 1; r < 3; r++)
		worker_order(&crew->worker[r], task_join_second, &args);
	for (r = 1; r < 3; r++)
		ASSERT_EQ(0, worker_finish(&crew->worker[r]));
	ASSERT_TRUE(leave_room_for_one(crew, &self->call));
	crew_start(crew, RANK(0), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	args.word[0] = 100;
	for (r = 1; r < 3; r++)
		worker_order(&crew->worker[r], task_barriers, &args);
	for (r = 1; r < 3; r++)
		EXPECT_EQ(100, worker_finish(&crew->worker[r]));
	EXPECT_FALSE(worker_replies(&crew->worker[0], 0));
	ASSERT_TRUE(crew_catches_up(crew, RANKS(1, 2), self->call, 1, 3));
	EXPECT_TRUE(crew_succeeds(crew, RANK(0)));
}

/* The user's other program goes on one by one; when the stopped one ends, it may go ahead. */
TEST_F(memory, a_stopped_program_holds_back_no_other)
{
	struct crew *crew = &self->crew, stopped;
	struct call call = self->call;

	ASSERT_TRUE(crew_of_somebody(&stopped, 2));
	ASSERT_TRUE(worker_stop(&stopped.worker[1]));
	ASSERT_TRUE(root_goes_ahead(&stopped, &call, 20));
	ASSERT_TRUE(limit_to(used(crew)));
	for (; self->call.seed < 20; self->call.seed++)
		ASSERT_TRUE(crew_runs(crew, &self->call));
	ASSERT_TRUE(root_goes_ahead(crew, &self->call, 1));
	crew_start(crew, RANK(0), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	worker_signal(&stopped.worker[1], SIGCONT);
	EXPECT_TRUE(crew_end(&stopped));
	EXPECT_TRUE(crew_succeeds(crew, RANK(0)));
	EXPECT_TRUE(crew_catches_up(crew, RANKS(1, 2), self->call, 20, 21));
}

TEST_F(memory, layouts_beyond_the_limit_are_refused)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(limit_to(used(crew)));
	self->call.op = SCATTER_OP_GATHER;
	self->call.block = 4096;
	self->call.split = 64;
	crew_start(crew, RANK(1), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(1), EDQUOT, SCATTER_RANK_ANY));
	EXPECT_EQ(SCATTER_NUMBER_NEW, crew->worker[1].reply.args.call.results.number);
	self->call.split = 0;
	self->call.op = SCATTER_OP_GATHERV;
	crew_start(crew, RANK(0), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(0), EDQUOT, SCATTER_RANK_ANY));
	ASSERT_EQ(0, parameter_write("user_bytes", UNLIMITED));
	self->call.split = 64;
	EXPECT_TRUE(crew_runs(crew, &self->call));
}

TEST_F(memory, boxes_beyond_the_limit_are_refused)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(limit_to(used(crew)));
	self->call.algorithm = SCATTER_ALGORITHM_OR_BROADCAST;
	crew_start(crew, RANK(1), &self->call);
	EXPECT_TRUE(crew_fails(crew, RANK(1), EDQUOT, SCATTER_RANK_ANY));
	ASSERT_EQ(0, parameter_write("user_bytes", UNLIMITED));
	EXPECT_TRUE(crew_runs(crew, &self->call));
}

/* A member's block that does not fit in its ring. The room is for its operation only. */
TEST_F(memory, without_slots_the_sender_waits)
{
	struct crew *crew = &self->crew;
	long long before, after;

	self->call.op = SCATTER_OP_GATHER;
	self->call.block = EAGER_BLOCK;
	ASSERT_TRUE(crew_catches_up(crew, RANKS(0, 2), self->call, 1, 1));
	before = used(crew);
	ASSERT_TRUE(crew_calls(crew, RANK(1), &self->call));
	after = used(crew);
	/* The ring, then a slot. */
	self->call.seed++;
	ASSERT_TRUE(crew_calls(crew, RANK(1), &self->call));
	EXPECT_LE(after + (after - before) + (long long)EAGER_BLOCK, used(crew));
	ASSERT_TRUE(limit_to(used(crew) + (after - before) + (long long)EAGER_BLOCK / 2));
	self->call.seed++;
	crew_start(crew, RANK(1), &self->call);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	for (self->call.seed = 1; self->call.seed < 3; self->call.seed++)
		ASSERT_TRUE(crew_calls(crew, RANK(0) | RANK(2), &self->call));
	EXPECT_FALSE(worker_replies(&crew->worker[1], 0));
	EXPECT_TRUE(crew_calls(crew, RANK(0) | RANK(2), &self->call));
	EXPECT_TRUE(crew_succeeds(crew, RANK(1)));
	EXPECT_TRUE(falls_to(crew, before));
}

#define DEBUG		"/sys/kernel/debug"
#define FAIL_PAGES	DEBUG "/fail_page_alloc/"

/* Allocations of 2^@order pages or more fail for tasks that ask for that. */
static bool pages_fail(const char *order)
{
	return !file_write(FAIL_PAGES "task-filter", "Y") &&
	       !file_write(FAIL_PAGES "ignore-gfp-wait", "N") &&
	       !file_write(FAIL_PAGES "times", "-1") &&
	       !file_write(FAIL_PAGES "verbose", "0") &&
	       !file_write(FAIL_PAGES "min-order", order) &&
	       !file_write(FAIL_PAGES "probability", "100");
}

static int join_large_ring(int fd)
{
	struct scatter_join arg = join_of("", 1, 0);
	int error, failed;

	name_make(arg.name, "large");
	arg.ring_bytes = 4 << 20;
	if (file_write("/proc/self/make-it-fail", "1"))
		return -ENXIO;
	error = device_call(fd, SCATTER_IOCTL_JOIN, &arg);
	failed = file_write("/proc/self/make-it-fail", "0");
	return failed ? failed : error;
}

/* The longest ring, on a machine that has lost all its long runs of pages. */
TEST(rings_need_no_contiguous_pages)
{
	int fd = device_open(0), other = device_open(0);

	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	mount("none", DEBUG, "debugfs", 0, NULL);
	if (access(FAIL_PAGES "min-order", F_OK))
		SKIP(return, "no fault injection");
	ASSERT_TRUE(pages_fail("3"));
	EXPECT_EQ(0, join_large_ring(fd));
	/* Single pages fail, too: this is what would fail. */
	ASSERT_TRUE(pages_fail("0"));
	EXPECT_EQ(-ENOMEM, join_large_ring(other));
	EXPECT_EQ(0, file_write(FAIL_PAGES "probability", "0"));
	close(fd);
	close(other);
}

/* A group has slots of 1 MiB per member, whatever its users may have. */
TEST(slots_of_a_group_are_limited)
{
	struct call call = {
		.op = SCATTER_OP_GATHER, .block = EAGER_BLOCK, .seed = 1,
		.timeout_ms = PATIENCE_MS,
	};
	const __u64 slots = 2 * (1U << 20) / EAGER_BLOCK;
	struct crew crew;

	ASSERT_TRUE(crew_form(&crew, 2, PAGE_RING));
	for (; call.seed <= slots + 1; call.seed++)
		ASSERT_TRUE(crew_calls(&crew, RANK(1), &call));
	crew_start(&crew, RANK(1), &call);
	ASSERT_TRUE(crew_sleeps(&crew, RANK(1)));
	for (call.seed = 1; call.seed <= slots + 2; call.seed++)
		ASSERT_TRUE(crew_calls(&crew, RANK(0), &call));
	EXPECT_TRUE(crew_succeeds(&crew, RANK(1)));
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
