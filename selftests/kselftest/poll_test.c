// SPDX-License-Identifier: GPL-2.0
/*
 * Each event wakes who sleeps in poll() or epoll_wait(), for levels and for edges.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"
#include "regroup.h"

#define SIZE		3U
#define WATCHER		0

/* The same numbers. */
_Static_assert(POLLOUT == EPOLLOUT && POLLPRI == EPOLLPRI && POLLERR == EPOLLERR &&
	       POLLHUP == EPOLLHUP, "poll and epoll");

enum watch_how {
	WATCH_POLL,
	WATCH_LEVEL,
	WATCH_EDGE,
};

/* In the worker: one descriptor for all its waits, so that edges are seen once. */
static int watched = -1;

static int watch_epoll(const struct self *self, int events, __u64 how)
{
	struct epoll_event event = {
		.events = (unsigned int)events | (how == WATCH_EDGE ? EPOLLET : 0U),
	};

	if (watched < 0) {
		watched = epoll_create1(EPOLL_CLOEXEC);
		if (watched < 0 ||
		    epoll_ctl(watched, EPOLL_CTL_ADD, self->fd, &event))
			return -errno;
	}
	/* Not by way of the library, which may take another system call for it. */
	if (syscall(SYS_epoll_pwait, watched, &event, 1, (int)paced_ms(PATIENCE_MS), NULL, 8) != 1)
		return -ETIME;
	return event.events;
}

static int watch_poll(const struct self *self, int events)
{
	struct pollfd poller = { .fd = self->fd, .events = events };
	struct timespec patience = { .tv_sec = paced_ms(PATIENCE_MS) / 1000 };

	if (syscall(SYS_ppoll, &poller, 1, &patience, NULL, 8) != 1)
		return -ETIME;
	return poller.revents;
}

/*
 * word[]: enum watch_how, events asked for, events waited for. Edges may come without
 * news: the result is the first that has what is waited for.
 */
static __s64 task_watch(struct self *self, union task_args *args)
{
	__u64 how = args->word[0];
	int events;

	do {
		if (how == WATCH_POLL)
			events = watch_poll(self, args->word[1]);
		else
			events = watch_epoll(self, args->word[1], how);
	} while (events >= 0 && !(events & (int)args->word[2]));
	return events;
}

/* word[0]: events; whether there is an edge that nobody has waited for yet. */
static __s64 task_glance(struct self *self, union task_args *args)
{
	struct epoll_event event;

	(void)self;
	(void)args;
	return epoll_wait(watched, &event, 1, 0) == 1 ? (__s64)event.events : 0;
}

FIXTURE(watch)
{
	struct crew crew;
	struct worker *watcher;
};

FIXTURE_VARIANT(watch)
{
	enum watch_how how;
	long call;
};

FIXTURE_VARIANT_ADD(watch, poll) {
	.how = WATCH_POLL, .call = SYS_ppoll,
};

FIXTURE_VARIANT_ADD(watch, level) {
	.how = WATCH_LEVEL, .call = SYS_epoll_pwait,
};

FIXTURE_VARIANT_ADD(watch, edge) {
	.how = WATCH_EDGE, .call = SYS_epoll_pwait,
};

FIXTURE_SETUP(watch)
{
	self->watcher = &self->crew.worker[WATCHER];
}

FIXTURE_TEARDOWN(watch)
{
	EXPECT_TRUE(crew_end(&self->crew));
}

static void watch(struct worker *worker, enum watch_how how, int asked, int wanted)
{
	union task_args args = {
		.word = { how, (__u64)asked, (__u64)wanted },
	};

	worker_order(worker, task_watch, &args);
}

static __s64 join_as(struct crew *crew, unsigned int rank, unsigned int size)
{
	union task_args args = { .join = join_of(crew->name, size, rank) };

	return worker_do(&crew->worker[rank], task_join, &args);
}

static __s64 task_nonblock(struct self *self, union task_args *args)
{
	(void)args;
	return fcntl(self->fd, F_SETFL, O_NONBLOCK) ? -errno : 0;
}

TEST_F(watch, a_join_that_completes)
{
	struct crew *crew = &self->crew;
	unsigned int r;
	__s64 last;

	ASSERT_TRUE(crew_spawn(crew, SIZE));
	for (r = 0; r < SIZE; r++)
		ASSERT_EQ(0, worker_do(&crew->worker[r], task_nonblock, NULL));
	ASSERT_EQ(-EINPROGRESS, join_as(crew, WATCHER, SIZE));
	watch(self->watcher, variant->how, POLLOUT | POLLPRI, POLLOUT);
	ASSERT_TRUE(worker_sleeps_in(self->watcher, variant->call));
	ASSERT_EQ(-EINPROGRESS, join_as(crew, 1, SIZE));
	ASSERT_TRUE(worker_sleeps_in(self->watcher, variant->call));
	/* Between nodes the last one, too, hears a moment later that it is. */
	last = join_as(crew, 2, SIZE);
	ASSERT_TRUE(!last || (soon_ms() && last == -EINPROGRESS));
	EXPECT_EQ(POLLOUT, worker_finish(self->watcher));
}

/* The file has not joined when it is looked at first. */
TEST_F(watch, a_join_after_the_first_look)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(crew_spawn(crew, SIZE));
	watch(self->watcher, variant->how, POLLOUT, POLLHUP);
	ASSERT_EQ(POLLHUP, worker_finish(self->watcher));
	ASSERT_EQ(0, join_as(crew, WATCHER, 1));
	watch(self->watcher, variant->how, POLLOUT, POLLOUT);
	EXPECT_EQ(POLLOUT, worker_finish(self->watcher));
}

/* POLLOUT is set all the time: who does not ask for it is not bothered. */
TEST_F(watch, a_death)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(crew_form(crew, SIZE, 0));
	watch(self->watcher, variant->how, POLLPRI, POLLPRI);
	ASSERT_TRUE(worker_sleeps_in(self->watcher, variant->call));
	ASSERT_TRUE(worker_end(&crew->worker[1]));
	EXPECT_EQ(POLLPRI | POLLERR, worker_finish(self->watcher));
}

TEST_F(watch, a_death_of_the_last_other_one)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(crew_form(crew, 2, 0));
	watch(self->watcher, variant->how, POLLPRI, POLLHUP);
	ASSERT_TRUE(worker_sleeps_in(self->watcher, variant->call));
	ASSERT_TRUE(worker_end(&crew->worker[1]));
	EXPECT_EQ(POLLPRI | POLLERR | POLLHUP, worker_finish(self->watcher));
}

/* Not even POLLPRI is asked for: POLLERR and POLLHUP need not be. */
TEST_F(watch, a_leave)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(crew_form(crew, 2, 0));
	watch(self->watcher, variant->how, 0, POLLHUP);
	ASSERT_TRUE(worker_sleeps_in(self->watcher, variant->call));
	ASSERT_EQ(0, worker_do(&crew->worker[1], task_leave, NULL));
	EXPECT_EQ(POLLERR | POLLHUP, worker_finish(self->watcher));
}

TEST_F(watch, a_revoke)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(crew_form(crew, SIZE, 0));
	watch(self->watcher, variant->how, POLLPRI, POLLPRI | POLLHUP);
	ASSERT_TRUE(worker_sleeps_in(self->watcher, variant->call));
	ASSERT_EQ(0, worker_do(&crew->worker[2], task_revoke, NULL));
	EXPECT_EQ(POLLPRI | POLLERR | POLLHUP, worker_finish(self->watcher));
}

/* Also if that is no longer what broke it. */
TEST_F(watch, a_revoke_after_a_leave)
{
	struct crew *crew = &self->crew;

	ASSERT_TRUE(crew_form(crew, SIZE, 0));
	ASSERT_EQ(0, worker_do(&crew->worker[1], task_leave, NULL));
	watch(self->watcher, variant->how, POLLPRI, POLLPRI | POLLHUP);
	ASSERT_EQ(0, worker_do(&crew->worker[2], task_revoke, NULL));
	EXPECT_EQ(POLLPRI | POLLERR | POLLHUP, worker_finish(self->watcher));
}

TEST_F(watch, members_that_disagree)
{
	const struct call barrier = patient_call(SCATTER_OP_BARRIER, 0, 0);
	const struct call gather = patient_call(SCATTER_OP_GATHER, 0, 8);
	struct crew *crew = &self->crew;

	ASSERT_TRUE(crew_form(crew, SIZE, 0));
	watch(self->watcher, variant->how, POLLPRI, POLLERR);
	ASSERT_TRUE(worker_sleeps_in(self->watcher, variant->call));
	crew_start(crew, RANK(1), &barrier);
	ASSERT_TRUE(crew_sleeps(crew, RANK(1)));
	crew_start(crew, RANK(2), &gather);
	EXPECT_TRUE(crew_fails(crew, RANKS(1, 2), EPROTO, 2));
	EXPECT_EQ(POLLERR, worker_finish(self->watcher));
}

/* Operations that succeed, or fail and break nothing, are no events. */
TEST_F(watch, no_operation)
{
	struct call barrier = { .op = SCATTER_OP_BARRIER };
	struct crew *crew = &self->crew;
	struct worker thread;
	unsigned int i;

	ASSERT_TRUE(crew_form(crew, SIZE, 0));
	ASSERT_TRUE(worker_thread(&thread, self->watcher));
	watch(&thread, variant->how, POLLPRI, POLLPRI | POLLHUP | POLLERR);
	ASSERT_TRUE(worker_sleeps_in(&thread, variant->call));
	for (i = 0; i < 3; i++)
		ASSERT_TRUE(crew_runs(crew, &barrier));
	barrier.flags = SCATTER_COLL_DEADLINE_ALL;
	barrier.timeout_ms = 20;
	crew_start(crew, RANKS(0, 1), &barrier);
	ASSERT_TRUE(crew_fails(crew, RANKS(0, 1), ETIME, 2));
	EXPECT_TRUE(worker_sleeps_in(&thread, variant->call));
	ASSERT_TRUE(worker_end(&crew->worker[2]));
	EXPECT_EQ(POLLPRI | POLLERR, worker_finish(&thread));
}

/* Another thread ends the membership. */
TEST_F(watch, the_own_leave)
{
	struct crew *crew = &self->crew;
	struct worker thread;

	ASSERT_TRUE(crew_form(crew, SIZE, 0));
	ASSERT_TRUE(worker_thread(&thread, self->watcher));
	watch(&thread, variant->how, POLLPRI, POLLHUP);
	ASSERT_TRUE(worker_sleeps_in(&thread, variant->call));
	ASSERT_EQ(0, worker_do(self->watcher, task_leave, NULL));
	EXPECT_EQ(POLLHUP, worker_finish(&thread));
}

/* Each is an edge of its own, though levels are set already; between them is silence. */
TEST(each_death_is_an_edge)
{
	struct crew crew;
	unsigned int r;

	ASSERT_TRUE(crew_form(&crew, 4, 0));
	for (r = 3; r > 0; r--) {
		struct worker *watcher = &crew.worker[0];
		int all = POLLPRI | POLLERR | (r == 1 ? POLLHUP : 0);

		watch(watcher, WATCH_EDGE, POLLPRI, POLLPRI | POLLHUP);
		ASSERT_TRUE(worker_sleeps_in(watcher, SYS_epoll_pwait));
		ASSERT_TRUE(worker_end(&crew.worker[r]));
		EXPECT_EQ(all, worker_finish(watcher));
		EXPECT_EQ(0, worker_do(watcher, task_glance, NULL));
	}
	EXPECT_TRUE(crew_end(&crew));
}

TEST_HARNESS_MAIN
