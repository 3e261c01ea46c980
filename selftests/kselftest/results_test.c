// SPDX-License-Identifier: GPL-2.0
/*
 * The results of an operation: the struct, the number that begins or resumes it, and the bytes
 * that it has brought. The call itself is only read.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define PAGE	4096UL

/* The struct, in a group of one ------------------------------------------------- */

FIXTURE(alone)
{
	int fd;
	char *page;	/* one that cannot be accessed follows it */
	struct scatter_results *results;
	struct scatter_coll coll;
};

FIXTURE_SETUP(alone)
{
	char name[SCATTER_NAME_MAX];

	self->fd = device_open(0);
	ASSERT_LE(0, self->fd);
	name_make(name, "results");
	ASSERT_EQ(0, join(self->fd, name, 1, 0));
	self->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->page);
	ASSERT_EQ(0, mprotect(self->page + PAGE, PAGE, PROT_NONE));
	self->results = (void *)self->page;
	*self->results = new_results();
	self->coll = (struct scatter_coll){
		.size = sizeof(self->coll),
		.op = SCATTER_OP_BARRIER,
		.results = address(self->results),
	};
}

FIXTURE_TEARDOWN(alone)
{
	munmap(self->page, 2 * PAGE);
	close(self->fd);
}

#define EXPECT_COLL(wanted) \
	EXPECT_EQ(wanted, device_call(self->fd, SCATTER_IOCTL_COLL, &self->coll))

/* How many operations have been called. */
static __u64 called(int fd)
{
	struct seen seen;

	return status_of(fd, &seen) ? ~0ULL : seen.next;
}

TEST_F(alone, every_field_is_written)
{
	self->results->error = 99;
	self->results->bytes = 99;
	self->results->culprit = 99;
	EXPECT_COLL(0);
	EXPECT_EQ(sizeof(*self->results), self->results->size);
	EXPECT_EQ(0U, self->results->error);
	EXPECT_EQ(0ULL, self->results->number);
	EXPECT_EQ(0ULL, self->results->bytes);
	EXPECT_EQ(SCATTER_RANK_ANY, self->results->culprit);
}

TEST_F(alone, sizes_that_will_not_do)
{
	const __u32 small[] = { 0, 4, 7, 16, sizeof(*self->results) - 1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(small); i++) {
		self->results->size = small[i];
		EXPECT_COLL(-EINVAL);
	}
	self->results->size = PAGE + 1;
	EXPECT_COLL(-E2BIG);
	self->results->size = sizeof(*self->results) + 8;
	self->page[sizeof(*self->results) + 7] = 1;
	EXPECT_COLL(-E2BIG);
	EXPECT_EQ(0ULL, called(self->fd));
	self->page[sizeof(*self->results) + 7] = 0;
	EXPECT_COLL(0);
	EXPECT_EQ(sizeof(*self->results) + 8, self->results->size);
}

TEST_F(alone, no_flag_is_known)
{
	unsigned int bit;

	self->results->culprit = 99;
	for (bit = 0; bit < 32; bit++) {
		self->results->flags = 1U << bit;
		EXPECT_COLL(-EOPNOTSUPP);
	}
	EXPECT_EQ(99, self->results->culprit);
	EXPECT_EQ(0ULL, called(self->fd));
}

TEST_F(alone, nothing_is_called_without_results_to_write)
{
	char *end = self->page + PAGE;
	char *const at[] = { NULL, (char *)1, end, end - 4, end - 16 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		if (at[i] > self->page && at[i] < end)
			memcpy(at[i], self->results, end - at[i]);
		self->coll.results = address(at[i]);
		EXPECT_COLL(-EFAULT);
	}
	self->coll.results = address(self->results);
	ASSERT_EQ(0, mprotect(self->page, PAGE, PROT_READ));
	EXPECT_COLL(-EFAULT);
	EXPECT_EQ(0ULL, called(self->fd));
	ASSERT_EQ(0, mprotect(self->page, PAGE, PROT_READ | PROT_WRITE));
	memcpy(end - sizeof(*self->results), self->results, sizeof(*self->results));
	self->coll.results = address(end - sizeof(*self->results));
	EXPECT_COLL(0);
}

/* The same call again and again, in memory that cannot be written. */
TEST_F(alone, the_call_may_be_constant)
{
	struct scatter_coll *coll = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 i;

	ASSERT_NE(MAP_FAILED, (void *)coll);
	*coll = self->coll;
	ASSERT_EQ(0, mprotect(coll, PAGE, PROT_READ));
	for (i = 0; i < 3; i++) {
		self->results->number = SCATTER_NUMBER_NEW;
		EXPECT_EQ(0, device_call(self->fd, SCATTER_IOCTL_COLL, coll));
		EXPECT_EQ(i, self->results->number);
	}
	EXPECT_EQ(0, memcmp(coll, &self->coll, sizeof(*coll)));
	munmap(coll, PAGE);
}

TEST_F(alone, only_a_paused_operation_has_a_number_to_resume)
{
	const __u64 bad[] = { 0, 1, 2, 1ULL << 56, SCATTER_NUMBER_NEW - 1 };
	unsigned int i;

	EXPECT_COLL(0);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->results->number = bad[i];
		EXPECT_COLL(-EINVAL);
		EXPECT_EQ((__u32)EINVAL, self->results->error);
		EXPECT_EQ(bad[i], self->results->number);
	}
	EXPECT_EQ(1ULL, called(self->fd));
}

/* A paused operation ------------------------------------------------------------ */

FIXTURE(paused)
{
	struct crew crew;
	struct call call;
};

/* Operation 1 of rank 0 is paused. */
FIXTURE_SETUP(paused)
{
	struct call early;

	self->call = patient_call(SCATTER_OP_GATHERV, 0, 100);
	ASSERT_TRUE(crew_form(&self->crew, 3, 0));
	ASSERT_TRUE(crew_runs(&self->crew, &self->call));
	early = self->call;
	early.timeout_ms = 1;
	crew_start(&self->crew, RANK(0), &early);
	ASSERT_TRUE(crew_fails(&self->crew, RANK(0), ETIMEDOUT, SCATTER_RANK_ANY));
	ASSERT_EQ(1ULL, self->crew.worker[0].reply.args.call.results.number);
}

FIXTURE_TEARDOWN(paused)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* COLL with the number as it is. */
static __s64 task_as_it_is(struct self *self, union task_args *args)
{
	__s64 error;

	call_lay_out(self, &args->call);
	error = coll_call(self->fd, &args->call.coll, &args->call.results);
	if (!stays_paused(error))
		self->paused = SCATTER_NUMBER_NEW;
	return error;
}

static __s64 call_numbered(struct crew *crew, const struct call *call, __u64 number)
{
	union task_args args = { .call = crew_args(0, call, 0) };

	args.call.results.number = number;
	return worker_do(&crew->worker[0], task_as_it_is, &args);
}

TEST_F(paused, it_is_resumed_by_its_number_only)
{
	const struct scatter_results *results =
		&self->crew.worker[0].reply.args.call.results;
	struct crew *crew = &self->crew;
	struct call other = self->call;

	EXPECT_EQ(-EBUSY, call_numbered(crew, &self->call, SCATTER_NUMBER_NEW));
	EXPECT_EQ((__u32)EBUSY, results->error);
	EXPECT_EQ(SCATTER_NUMBER_NEW, results->number);
	EXPECT_EQ(-EINVAL, call_numbered(crew, &self->call, 0));
	EXPECT_EQ(-EINVAL, call_numbered(crew, &self->call, 2));
	other.block++;
	EXPECT_EQ(-EBUSY, call_numbered(crew, &other, 1));
	other.timeout_ms = 1;
	other.block--;
	EXPECT_EQ(-ETIMEDOUT, call_numbered(crew, &other, 1));
	EXPECT_EQ(1ULL, results->number);
	EXPECT_EQ(0ULL, results->bytes);
	crew_start(crew, RANKS(1, 2), &self->call);
	EXPECT_EQ(0, call_numbered(crew, &self->call, 1));
	EXPECT_EQ(1ULL, results->number);
	/* Three blocks: of 100, 101 and 102 bytes. */
	EXPECT_EQ(303ULL, results->bytes);
	EXPECT_TRUE(crew_succeeds(crew, RANKS(1, 2)));
	EXPECT_EQ(-EINVAL, call_numbered(crew, &self->call, 1));
	EXPECT_TRUE(crew_runs(crew, &self->call));
}

static __s64 task_dup_numbered(struct self *self, union task_args *args)
{
	return device_call(self->fd, SCATTER_IOCTL_REGROUP, &args->regroup);
}

/* DUP, SPLIT and SHRINK have a number, too. */
TEST_F(paused, another_one_cannot_be_begun)
{
	union task_args args = {
		.regroup = {
			.size = sizeof(args.regroup), .op = SCATTER_OP_DUP,
			.number = SCATTER_NUMBER_NEW,
		},
	};
	struct worker *worker = &self->crew.worker[0];

	EXPECT_EQ(-EBUSY, worker_do(worker, task_dup_numbered, &args));
	args.regroup.number = 1;
	EXPECT_EQ(-EBUSY, worker_do(worker, task_dup_numbered, &args));
	args.regroup.number = 2;
	EXPECT_EQ(-EINVAL, worker_do(worker, task_dup_numbered, &args));
	args.regroup.op = SCATTER_OP_SHRINK;
	EXPECT_EQ(-EINVAL, worker_do(worker, task_dup_numbered, &args));
	crew_start(&self->crew, RANKS(1, 2), &self->call);
	EXPECT_EQ(0, crew_resume(&self->crew, 0, &self->call));
	EXPECT_TRUE(crew_succeeds(&self->crew, RANKS(1, 2)));
}

/* COLL whose results are in a page of their own. */
#define RESULTS_AT	(recv_area + (64UL << 20))

static __s64 task_results_there(struct self *self, union task_args *args)
{
	struct scatter_results *results = (void *)RESULTS_AT;

	call_lay_out(self, &args->call);
	*results = args->call.results;
	return coll_call(self->fd, &args->call.coll, results);
}

/* The answer is lost, the operation is not: STATUS tells. */
TEST_F(paused, results_that_are_taken_away)
{
	union task_args args = { .call = crew_args(0, &self->call, 0) };
	struct crew *crew = &self->crew;
	struct worker thread;

	ASSERT_TRUE(worker_thread(&thread, &crew->worker[0]));
	args.call.results.number = 1;
	worker_order(&crew->worker[0], task_results_there, &args);
	ASSERT_TRUE(crew_sleeps(crew, RANK(0)));
	ASSERT_EQ(0, worker_map(&thread, RESULTS_AT, PAGE, 0, MAP_HOW_NONE));
	EXPECT_TRUE(crew_calls(crew, RANKS(1, 2), &self->call));
	EXPECT_EQ(-EFAULT, worker_finish(&crew->worker[0]));
	ASSERT_NE(NULL, crew_seen(crew, 0));
	EXPECT_EQ(2ULL, crew->worker[0].reply.args.status.next);
}

/* Bytes ------------------------------------------------------------------------- */

FIXTURE(bytes)
{
	struct crew crew;
};

FIXTURE_VARIANT(bytes)
{
	__u32 op;
	__u32 algorithm;
	__u32 flags;
	__u64 block;
	__u64 expected[3];
};

/* Blocks of a v form have 100, 101 and 102 bytes. */
FIXTURE_VARIANT_ADD(bytes, scatter) {
	.op = SCATTER_OP_SCATTER, .block = 100, .expected = { 100, 100, 100 },
};

FIXTURE_VARIANT_ADD(bytes, scatter_in_place) {
	.op = SCATTER_OP_SCATTER, .block = 70000, .flags = SCATTER_COLL_IN_PLACE,
	.expected = { 70000, 0, 70000 },
};

FIXTURE_VARIANT_ADD(bytes, scatterv) {
	.op = SCATTER_OP_SCATTERV, .block = 100, .expected = { 100, 101, 102 },
};

FIXTURE_VARIANT_ADD(bytes, scatterv_irregular) {
	.op = SCATTER_OP_SCATTERV, .block = 100, .expected = { 100, 101, 102 },
	.algorithm = SCATTER_ALGORITHM_IRREGULAR,
};

FIXTURE_VARIANT_ADD(bytes, gather) {
	.op = SCATTER_OP_GATHER, .block = 100, .expected = { 0, 300, 0 },
};

FIXTURE_VARIANT_ADD(bytes, gather_in_place) {
	.op = SCATTER_OP_GATHER, .block = 70000, .flags = SCATTER_COLL_IN_PLACE,
	.expected = { 0, 140000, 0 },
};

FIXTURE_VARIANT_ADD(bytes, gatherv) {
	.op = SCATTER_OP_GATHERV, .block = 100, .expected = { 0, 303, 0 },
};

FIXTURE_VARIANT_ADD(bytes, gatherv_in_place) {
	.op = SCATTER_OP_GATHERV, .block = 100, .flags = SCATTER_COLL_IN_PLACE,
	.expected = { 0, 202, 0 },
};

FIXTURE_VARIANT_ADD(bytes, gather_by_or_broadcast) {
	.op = SCATTER_OP_GATHER, .block = 100, .expected = { 0, 300, 0 },
	.algorithm = SCATTER_ALGORITHM_OR_BROADCAST,
};

FIXTURE_VARIANT_ADD(bytes, empty_blocks) {
	.op = SCATTER_OP_SCATTER, .expected = { 0, 0, 0 },
};

FIXTURE_VARIANT_ADD(bytes, barrier) {
	.op = SCATTER_OP_BARRIER, .expected = { 0, 0, 0 },
};

FIXTURE_SETUP(bytes)
{
	ASSERT_TRUE(crew_form(&self->crew, 3, 0));
}

FIXTURE_TEARDOWN(bytes)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

TEST_F(bytes, are_those_received)
{
	struct call call = patient_call(variant->op, variant->op != SCATTER_OP_BARRIER,
					variant->block);
	unsigned int r;

	call.flags = variant->flags;
	call.algorithm = variant->algorithm;
	ASSERT_TRUE(crew_runs(&self->crew, &call));
	for (r = 0; r < 3; r++)
		EXPECT_EQ(variant->expected[r],
			  self->crew.worker[r].reply.args.call.results.bytes);
}

TEST(bytes_of_an_inter_group)
{
	struct call call = {
		.op = SCATTER_OP_SCATTER, .block = 50, .sides = { 2, 3 }, .seed = 2,
		.timeout_ms = PATIENCE_MS,
	};
	struct crew crew;
	unsigned int r;

	ASSERT_TRUE(crew_form_sides(&crew, 2, 3, NULL));
	ASSERT_TRUE(crew_runs(&crew, &call));
	for (r = 0; r < 5; r++)
		EXPECT_EQ(r < 2 ? 0ULL : 50ULL, crew.worker[r].reply.args.call.results.bytes);
	call.op = SCATTER_OP_GATHER;
	ASSERT_TRUE(crew_runs(&crew, &call));
	for (r = 0; r < 5; r++)
		EXPECT_EQ(r ? 0ULL : 150ULL, crew.worker[r].reply.args.call.results.bytes);
	EXPECT_TRUE(crew_end(&crew));
}

/* A call waits, whatever the file says. */
TEST(non_blocking_files_have_no_other_operations)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	union task_args args = { .word = { O_NONBLOCK } };
	struct crew crew;
	unsigned int r;

	ASSERT_TRUE(crew_spawn(&crew, 2));
	for (r = 0; r < 2; r++) {
		ASSERT_EQ(0, worker_do(&crew.worker[r], task_close, NULL));
		ASSERT_EQ(0, worker_do(&crew.worker[r], task_open, &args));
	}
	for (r = 0; r < 2; r++) {
		args.join = join_of(crew.name, 2, (int)r);
		ASSERT_EQ(r ? 0 : -EINPROGRESS, worker_do(&crew.worker[r], task_join, &args));
	}
	crew_start(&crew, RANK(0), &barrier);
	EXPECT_TRUE(crew_sleeps(&crew, RANK(0)));
	EXPECT_TRUE(crew_calls(&crew, RANK(1), &barrier));
	EXPECT_TRUE(crew_succeeds(&crew, RANK(0)));
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
