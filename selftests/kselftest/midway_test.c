// SPDX-License-Identifier: GPL-2.0
/*
 * What happens in the middle of a large transfer: a death, a fork, memory that
 * goes away. The moment is random; what may come of it is not.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"
#include "race.h"

#define SIZE		3
#define EVERYBODY	RANKS(0, SIZE - 1)
#define LARGE		(4ULL << 20)
/* Secret pages are staged, with slow page faults, so fewer bytes take as long. */
#define LARGE_SECRET	(256ULL << 10)
#define PAGE		4096UL
#define DEATHS		40
#define FORKS		10
#define PAUSES		30
#define LOSSES		10
#define LOOK_NS		(10 * NSEC_PER_MSEC)
/* What an owner writes to its memory when the memory is its own again. */
#define SECRET		0x746572636573206fULL

FIXTURE(midway)
{
	struct crew crew;
	struct call call;
};

/* @secret: only its owner can read the memory of a member */
FIXTURE_VARIANT(midway)
{
	__u32 op;
	bool secret;
};

FIXTURE_VARIANT_ADD(midway, scatter) { .op = SCATTER_OP_SCATTER };
FIXTURE_VARIANT_ADD(midway, gather) { .op = SCATTER_OP_GATHER };

FIXTURE_VARIANT_ADD(midway, scatter_of_secrets) {
	.op = SCATTER_OP_SCATTER, .secret = true
};

FIXTURE_VARIANT_ADD(midway, gather_of_secrets) {
	.op = SCATTER_OP_GATHER, .secret = true
};

static bool form(struct crew *crew, bool secret)
{
	const int both = PROT_READ | PROT_WRITE;
	unsigned int r;

	if (!crew_form(crew, SIZE, 0))
		return false;
	for (r = 0; secret && r < SIZE; r++)
		if (worker_map(&crew->worker[r], send_area, SIZE * LARGE + PAGE,
			       both, MAP_HOW_SECRET) ||
		    worker_map(&crew->worker[r], recv_area, SIZE * LARGE + PAGE,
			       both, MAP_HOW_SECRET))
			return false;
	return true;
}

FIXTURE_SETUP(midway)
{
	ASSERT_TRUE(form(&self->crew, variant->secret));
	self->call = (struct call){
		.op = variant->op, .seed = 1,
		.block = variant->secret ? LARGE_SECRET : LARGE,
		.timeout_ms = PATIENCE_MS,
	};
	srand(7);
}

FIXTURE_TEARDOWN(midway)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

/* A survivor has all its data, or an error that names the dead. */
static bool survives(struct crew *crew, unsigned int rank, unsigned int dead)
{
	const struct reply *reply = &crew->worker[rank].reply;
	__s64 result = worker_finish(&crew->worker[rank]);

	if (!result ? reply->args.call.intact :
	    result == -ECONNRESET &&
	    reply->args.call.results.culprit == (int)dead)
		return true;
	diag("rank %u: result %lld culprit %d data %s, rank %u died", rank,
	     (long long)result, reply->args.call.results.culprit,
	     reply->args.call.intact ? "right" : "wrong", dead);
	return false;
}

static bool death_at_random(struct crew *crew, const struct call *call,
			    struct race *race)
{
	const struct call next = patient_call(SCATTER_OP_BARRIER, 0, 0);
	const unsigned int dead = rand() % SIZE;
	const __u64 others = EVERYBODY & ~RANK(dead);
	bool good = true, early = false, late = false;
	unsigned int r;

	crew_start(crew, EVERYBODY, call);
	nap_us(race_us(race));
	if (!worker_end(&crew->worker[dead]))
		return false;
	for (r = 0; r < SIZE; r++) {
		if (r == dead)
			continue;
		good = survives(crew, r, dead) && good;
		if (crew->worker[r].reply.result)
			early = true;
		else
			late = true;
	}
	race_note(race, early, late);
	crew_start(crew, others, &next);
	return crew_fails(crew, others, ECONNRESET, dead) && good;
}

TEST_F_TIMEOUT(midway, a_death_leaves_whole_blocks_or_an_error, 250)
{
	struct race race = { .us = 20000 };

	while (race_goes_on(&race, DEATHS)) {
		ASSERT_TRUE(death_at_random(&self->crew, &self->call, &race));
		ASSERT_TRUE(crew_end(&self->crew));
		ASSERT_TRUE(form(&self->crew, variant->secret));
	}
	EXPECT_TRUE(race_was_seen(&race));
}

/* Everybody pauses once, wherever that is, and goes on. */
TEST_F_TIMEOUT(midway, pauses_lose_nothing, 250)
{
	struct race race = { .us = 20000 };
	struct crew *crew = &self->crew;
	unsigned int r;
	__u64 again;

	while (race_goes_on(&race, PAUSES)) {
		self->call.seed++;
		crew_start_until(crew, EVERYBODY, &self->call,
				 race_us(&race) * NSEC_PER_USEC);
		for (again = 0, r = 0; r < SIZE; r++) {
			__s64 result = worker_finish(&crew->worker[r]);

			ASSERT_TRUE(!result || result == -ETIMEDOUT);
			if (result)
				again |= RANK(r);
		}
		for (r = 0; r < SIZE; r++) {
			union task_args args = {
				.call = crew_args(r, &self->call, CALL_CHECK),
			};

			if (!(again & RANK(r)))
				continue;
			worker_order(&crew->worker[r], task_call, &args);
		}
		ASSERT_TRUE(crew_succeeds(crew, again));
		race_note(&race, again, again != EVERYBODY);
	}
	EXPECT_TRUE(race_was_seen(&race));
}

/* The call, whose deadline is given in ns from when its data has been filled in. */
static __s64 task_look(struct self *self, union task_args *args)
{
	struct call_args *call = &args->call;

	if (call->what & CALL_FILL)
		call_fill(self, call);
	call->what &= ~CALL_FILL;
	call->coll.deadline_ns += now_ns();
	return task_call(self, args);
}

/* The owner looks in once; it has called before unless @first. */
static __s64 look(struct crew *crew, const struct call *call, unsigned int owner, bool first)
{
	union task_args args = {
		.call = crew_args(owner, call, first ? CALL_FILL : CALL_CHECK),
	};

	args.call.coll.deadline_ns = LOOK_NS;
	return worker_do(&crew->worker[owner], task_look, &args);
}

/*
 * The owner of a block only looks in, again and again; the others wait for it. Deadlines end no
 * copying, so that one look may be all on a fast machine; but not here, since one of the others
 * is stopped at first, until the owner has looked in, and the third has all that it needs.
 */
TEST_F_TIMEOUT(midway, an_owner_that_polls_gets_it_done, 250)
{
	const bool scatters = variant->op == SCATTER_OP_SCATTER;
	const unsigned int owner = scatters ? 0 : 1;
	const unsigned int slow = scatters ? 2 : 0, quick = scatters ? 1 : 2;
	const __u64 end = after_ms(PATIENCE_MS);
	struct crew *crew = &self->crew;
	unsigned int looks = 1;
	__s64 result;

	crew_start(crew, RANK(slow) | RANK(quick), &self->call);
	/* In a gather it needs nothing of the owner. */
	if (!scatters)
		ASSERT_TRUE(crew_succeeds(crew, RANK(quick)));
	ASSERT_TRUE(crew_sleeps(crew, RANK(slow) | (scatters ? RANK(quick) : 0)));
	ASSERT_TRUE(worker_stop(&crew->worker[slow]));
	result = look(crew, &self->call, owner, true);
	for (; scatters && !worker_replies(&crew->worker[quick], 0) && now_ns() < end; looks++)
		result = look(crew, &self->call, owner, false);
	EXPECT_EQ(-ETIMEDOUT, result);
	if (scatters)
		EXPECT_TRUE(crew_succeeds(crew, RANK(quick)));
	EXPECT_FALSE(worker_replies(&crew->worker[slow], 0));
	worker_signal(&crew->worker[slow], SIGCONT);
	for (; result == -ETIMEDOUT && now_ns() < end; looks++)
		result = look(crew, &self->call, owner, false);
	diag("%u looks", looks);
	EXPECT_EQ(0, result);
	EXPECT_TRUE(crew->worker[owner].reply.args.call.intact);
	EXPECT_TRUE(crew_succeeds(crew, RANK(slow)));
}

static __u64 *word_of(char *buffer, __u64 page)
{
	return (__u64 *)(buffer + page * PAGE);
}

/* The call, as task_look() makes it; if it pauses, its blocks have secrets at once. */
static __s64 task_reuse(struct self *self, union task_args *args)
{
	const __u64 blocks = is_scatter(args->call.coll.op) ? SIZE : 1;
	const __u64 pages = blocks * args->call.base / PAGE;
	__s64 result = task_look(self, args);
	__u64 page;

	for (page = 0; result == -ETIMEDOUT && page < pages; page++)
		*word_of(SEND_BUFFER, page) = SECRET;
	return result;
}

/* Returns how many secrets have been received. word[0]: bytes of a block */
static __s64 task_find_secrets(struct self *self, union task_args *args)
{
	const __u64 pages = SIZE * args->word[0] / PAGE;
	__u64 page;
	__s64 n = 0;

	(void)self;
	for (page = 0; page < pages; page++)
		n += *word_of(RECV_BUFFER, page) == SECRET;
	return n;
}

/* Whether no other member has got what an owner wrote after its call. */
static bool secrets_are_kept(struct crew *crew, struct worker *thread, unsigned int owner,
			     const struct call *call)
{
	const union task_args args = { .word = { call->block } };
	unsigned int r;
	__s64 n;

	for (r = 0; r < SIZE; r++) {
		if (r == owner)
			continue;
		if (!worker_settles(&crew->worker[r], SCATTER_IOCTL_COLL))
			return false;
		n = worker_do(&thread[r], task_find_secrets, &args);
		if (!n)
			continue;
		diag("rank %u has %lld secrets", r, (long long)n);
		return false;
	}
	return true;
}

/*
 * The deadline of an owner passes while others copy its blocks, maybe. From then on its memory is
 * its own.
 */
TEST_F_TIMEOUT(midway, a_paused_owner_may_use_its_memory, 250)
{
	const unsigned int owner = variant->op == SCATTER_OP_SCATTER ? 0 : 1;
	struct race race = { .us = 5000 };
	struct crew *crew = &self->crew;
	struct worker thread[SIZE];
	union task_args args;
	unsigned int r;
	__s64 result;

	self->call.flags = SCATTER_COLL_IN_PLACE;
	for (r = 0; r < SIZE; r++)
		if (r != owner)
			ASSERT_TRUE(worker_thread(&thread[r], &crew->worker[r]));
	while (race_goes_on(&race, PAUSES)) {
		self->call.seed++;
		crew_start(crew, EVERYBODY & ~RANK(owner), &self->call);
		args.call = crew_args(owner, &self->call, CALL_FILL);
		args.call.coll.deadline_ns = race_us(&race) * NSEC_PER_USEC;
		result = worker_do(&crew->worker[owner], task_reuse, &args);
		ASSERT_TRUE(!result || result == -ETIMEDOUT);
		if (result) {
			ASSERT_TRUE(secrets_are_kept(crew, thread, owner, &self->call));
			args.call = crew_args(owner, &self->call, CALL_FILL);
			ASSERT_EQ(0, worker_do(&crew->worker[owner], task_call, &args));
		}
		ASSERT_TRUE(crew_succeeds(crew, EVERYBODY & ~RANK(owner)));
		race_note(&race, result, !result);
	}
	EXPECT_TRUE(race_was_seen(&race));
}

/* Write what is there to the guards around a buffer: to its first and last page. */
static void guards_touch(char *area)
{
	__atomic_fetch_or(area, 0, __ATOMIC_RELAXED);
	__atomic_fetch_or(area + GUARD_BYTES + SIZE * LARGE, 0, __ATOMIC_RELAXED);
}

/*
 * Again and again a child that writes to every page of both buffers, so that
 * parent and child must part; meanwhile the parent writes to some, too. word[0]: how
 * often.
 */
static __s64 task_fork_and_write(struct self *self, union task_args *args)
{
	__u64 i, page;
	pid_t pid;

	(void)self;
	for (i = 0; i < args->word[0]; i++) {
		pid = fork();
		if (pid < 0)
			return -errno;
		if (!pid) {
			for (page = 0; page < SIZE * LARGE; page += PAGE) {
				send_area[page] = 1;
				recv_area[page] = 1;
			}
			_exit(0);
		}
		guards_touch(send_area);
		guards_touch(recv_area);
		if (waitpid(pid, NULL, 0) != pid)
			return -errno;
	}
	return 0;
}

TEST_F_TIMEOUT(midway, children_of_any_member_do_not_get_between, 250)
{
	const union task_args times = { .word = { FORKS } };
	struct crew *crew = &self->crew;
	unsigned int r, runs;
	struct worker thread;

	if (variant->secret)
		SKIP(return, "children share it");
	for (r = 0; r < 2; r++) {
		ASSERT_TRUE(worker_thread(&thread, &crew->worker[r]));
		worker_order(&thread, task_fork_and_write, &times);
		for (runs = 0; !worker_replies(&thread, 0); runs++) {
			self->call.seed++;
			ASSERT_TRUE(crew_runs(crew, &self->call));
		}
		EXPECT_EQ(0, worker_finish(&thread));
		EXPECT_LT(0U, runs);
	}
}

/* One member's result when the buffers of rank @bad went away. */
static bool endures(struct crew *crew, unsigned int rank, unsigned int bad)
{
	const struct reply *reply = &crew->worker[rank].reply;
	__s64 result = worker_finish(&crew->worker[rank]);
	int culprit = reply->args.call.results.culprit;

	if (!result || (rank == bad && result == -EFAULT && culprit == -1) ||
	    (rank != bad && result == -EREMOTEIO && culprit == (int)bad))
		return true;
	diag("rank %u: result %lld culprit %d, memory of rank %u went away",
	     rank, (long long)result, culprit, bad);
	return false;
}

/* Without checks: what is looked at is no longer there. */
static void start_unchecked(struct crew *crew, const struct call *call)
{
	union task_args args;
	unsigned int r;

	for (r = 0; r < SIZE; r++) {
		args.call = crew_args(r, call, 0);
		worker_order(&crew->worker[r], task_call, &args);
	}
}

static void memory_goes_away(struct __test_metadata *_metadata,
			     struct crew *crew, const struct call *call,
			     unsigned int bad, enum map_how how, bool secret)
{
	const int both = PROT_READ | PROT_WRITE;
	const bool sends = (bad == call->root) ==
			   (call->op == SCATTER_OP_SCATTER);
	char *const buffer = sends ? send_area : recv_area;
	struct race race = { .us = 10000 };
	struct worker thread;
	unsigned int r;
	bool failed;

	ASSERT_TRUE(worker_thread(&thread, &crew->worker[bad]));
	while (race_goes_on(&race, LOSSES)) {
		start_unchecked(crew, call);
		nap_us(race_us(&race));
		ASSERT_EQ(0, worker_map(&thread, buffer, SIZE * LARGE + PAGE,
					PROT_NONE, how));
		for (failed = false, r = 0; r < SIZE; r++) {
			EXPECT_TRUE(endures(crew, r, bad));
			failed = failed || crew->worker[r].reply.result;
		}
		race_note(&race, failed, !failed);
		ASSERT_EQ(0, worker_map(&thread, buffer, SIZE * LARGE + PAGE,
					both, secret ? MAP_HOW_SECRET :
						       MAP_HOW_FRESH));
	}
	EXPECT_TRUE(race_was_seen(&race));
	EXPECT_TRUE(crew_runs(crew, call));
}

TEST_F_TIMEOUT(midway, memory_of_the_root_is_unmapped, 250)
{
	memory_goes_away(_metadata, &self->crew, &self->call, 0, MAP_HOW_NONE,
			 variant->secret);
}

TEST_F_TIMEOUT(midway, memory_of_the_root_is_protected, 250)
{
	memory_goes_away(_metadata, &self->crew, &self->call, 0,
			 MAP_HOW_PROTECT, variant->secret);
}

TEST_F_TIMEOUT(midway, memory_of_another_is_unmapped, 250)
{
	memory_goes_away(_metadata, &self->crew, &self->call, 1, MAP_HOW_NONE,
			 variant->secret);
}

/*
 * A file that is cut while it is mapped: SIGBUS to a task, EFAULT here. word[0]: bytes that
 * are left.
 */
static __s64 task_cut_file(struct self *self, union task_args *args)
{
	char *at = recv_area;
	FILE *file = tmpfile();

	(void)self;
	if (!file || ftruncate(fileno(file), LARGE) ||
	    mmap(at, 2 * LARGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 fileno(file), 0) == MAP_FAILED)
		return -errno;
	return ftruncate(fileno(file), (off_t)args->word[0]) ? -errno : 0;
}

TEST_F(midway, memory_behind_the_end_of_a_file)
{
	struct crew *crew = &self->crew;
	const union task_args half = { .word = { self->call.block / 2 } };
	unsigned int bad = variant->op == SCATTER_OP_SCATTER ? 1 : 0;
	unsigned int r;

	ASSERT_EQ(0, worker_do(&crew->worker[bad], task_cut_file, &half));
	start_unchecked(crew, &self->call);
	EXPECT_EQ(-EFAULT, worker_finish(&crew->worker[bad]));
	for (r = 0; r < SIZE; r++)
		if (r != bad)
			EXPECT_TRUE(endures(crew, r, bad));
	ASSERT_EQ(0, worker_map(&crew->worker[bad], recv_area, SIZE * LARGE,
				PROT_READ | PROT_WRITE, MAP_HOW_FRESH));
	EXPECT_TRUE(crew_runs(crew, &self->call));
}

TEST_HARNESS_MAIN
