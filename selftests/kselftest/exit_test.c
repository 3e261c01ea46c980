// SPDX-License-Identifier: GPL-2.0
/*
 * A process ends, and something keeps its address space: a core dump, another process that
 * shares it, a thread in state D. The others learn of it nevertheless, soon.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "death.h"
#include "fuse.h"
#include "harness.h"
#include "regroup.h"

#define SIZE		3
#define VICTIM		0
#define OTHERS		RANKS(1, SIZE - 1)
#define EAGER		64ULL
#define LARGE		(1ULL << 20)
#define DUMP_BYTES	(192UL << 20)
/* A core of this size takes minutes by way of the slow reader. */
#define PIPE_BYTES	(64UL << 20)
#define PATTERN		"/proc/sys/kernel/core_pattern"
#define DUMP_FILE	"/tmp/exit_test.core"
#define READER_FILE	"/tmp/exit_test.reader"
#define READER		"#!/bin/sh\nwhile [ \"$(head -c 4096 | wc -c)\" -gt 0 ]; do sleep 0.02; done\n"
#define WINDOW		"2"

/* What hides the end of the process. */
enum hide {
	HIDE_NOT,
	HIDE_SHARER,
	HIDE_VFORK,
	HIDE_STUCK,
	HIDE_EXEC,
	HIDE_CORE_PIPE,		/* whose other end is never read */
	HIDE_CORE_READER,	/* a large core: the other end reads a little now and then */
	HIDE_CORE_FILE,
};

/* Shared by the test and all workers. */
struct shared {
	pid_t sharer;	/* not of the test: it keeps the address space of the victim */
	char path[80];
};

static struct shared *shared;

/* In the victim -------------------------------------------------------------- */

static int __attribute__((noreturn)) sharer_main(void *unused)
{
	(void)unused;
	__atomic_store_n(&shared->sharer, (pid_t)syscall(SYS_getpid), __ATOMIC_RELEASE);
	for (;;)
		syscall(SYS_pause);
}

static void *vfork_main(void *unused)
{
	/* The parent thread is stuck here as long as the child lives. */
	if (!vfork())
		sharer_main(unused);
	return unused;
}

static void *stuck_main(void *unused)
{
	char *page = fuse_map(shared->path, NULL, 4096);

	if (page != MAP_FAILED)
		__atomic_load_n(page, __ATOMIC_RELAXED);
	return unused;
}

/* word[0]: enum hide. */
static __s64 task_hide(struct self *self, union task_args *args)
{
	const struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	pthread_t thread;

	(void)self;
	switch (args->word[0]) {
	case HIDE_SHARER:
	case HIDE_EXEC:
		return sharer_clone(sharer_main, NULL) > 0 ? 0 : -EAGAIN;
	case HIDE_VFORK:
		return -pthread_create(&thread, NULL, vfork_main, NULL);
	case HIDE_STUCK:
		return -pthread_create(&thread, NULL, stuck_main, NULL);
	case HIDE_CORE_FILE:
	case HIDE_CORE_READER:
	case HIDE_CORE_PIPE:
		if (args->word[0] == HIDE_CORE_FILE)
			memset(send_area, 1, DUMP_BYTES);
		if (args->word[0] == HIDE_CORE_READER)
			memset(send_area, 1, PIPE_BYTES);
		return setrlimit(RLIMIT_CORE, &limit) ? -errno : 0;
	default:
		return 0;
	}
}

static __s64 task_abort(struct self *self, union task_args *args)
{
	(void)self;
	(void)args;
	signal(SIGABRT, SIG_DFL);
	return raise(SIGABRT);
}

static __s64 task_exec(struct self *self, union task_args *args)
{
	(void)args;
	fcntl(self->fd, F_SETFD, 0);
	execl("/bin/sleep", "sleep", "60", NULL);
	return -errno;
}

/* In the others -------------------------------------------------------------- */

/* Sleeps until a member is dead. word[0]: a group's descriptor in the test; 0: the own file. */
static __s64 task_poll_group(struct self *self, union task_args *args)
{
	const int group = (int)args->word[0];
	struct pollfd poller = {
		.fd = group ? descriptor_borrow(getppid(), group) : self->fd,
		.events = POLLPRI,
	};

	return poll(&poller, 1, PATIENCE_MS) == 1 ? poller.revents : -ETIMEDOUT;
}

/* In the test ---------------------------------------------------------------- */

FIXTURE(exiting)
{
	struct crew crew;
	struct fuse fuse;
	char pattern[128];
	pid_t victim;
	__u64 ended_ns;
};

FIXTURE_VARIANT(exiting)
{
	enum hide hide;
};

FIXTURE_VARIANT_ADD(exiting, nothing)
{
	.hide = HIDE_NOT,
};

FIXTURE_VARIANT_ADD(exiting, sharer)
{
	.hide = HIDE_SHARER,
};

FIXTURE_VARIANT_ADD(exiting, vfork)
{
	.hide = HIDE_VFORK,
};

FIXTURE_VARIANT_ADD(exiting, thread_in_d)
{
	.hide = HIDE_STUCK,
};

FIXTURE_VARIANT_ADD(exiting, exec_with_sharer)
{
	.hide = HIDE_EXEC,
};

FIXTURE_VARIANT_ADD(exiting, core_pipe)
{
	.hide = HIDE_CORE_PIPE,
};

FIXTURE_VARIANT_ADD(exiting, large_core_slow_pipe)
{
	.hide = HIDE_CORE_READER,
};

FIXTURE_VARIANT_ADD(exiting, core_file)
{
	.hide = HIDE_CORE_FILE,
};

static bool pattern_set(char old[128], const char *pattern)
{
	int fd = open(PATTERN, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, old, 127);

	close(fd);
	old[n > 0 ? n : 0] = '\0';
	return n > 0 && !file_write(PATTERN, pattern);
}

/* What reads a core: slowly, a page at a time, to its end. */
static bool reader_make(void)
{
	int fd = open(READER_FILE, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);

	return fd >= 0 && !close(fd) && !file_write(READER_FILE, READER);
}

/* The pipe of a core is full all the time: the dump does not end before the test. */
static bool dumps_for_long(enum hide how)
{
	return how == HIDE_CORE_PIPE || how == HIDE_CORE_READER;
}

FIXTURE_SETUP(exiting)
{
	shared = shared_map(sizeof(*shared));
	ASSERT_NE(NULL, shared);
	if (variant->hide == HIDE_STUCK) {
		if (!fuse_begin(&self->fuse))
			SKIP(return, "no FUSE here");
		strcpy(shared->path, self->fuse.path);
	}
	if (variant->hide == HIDE_CORE_PIPE)
		ASSERT_TRUE(pattern_set(self->pattern, "|/bin/sleep 60"));
	if (variant->hide == HIDE_CORE_READER)
		ASSERT_TRUE(reader_make() && pattern_set(self->pattern, "|" READER_FILE));
	if (variant->hide == HIDE_CORE_FILE)
		ASSERT_TRUE(pattern_set(self->pattern, DUMP_FILE));
}

static void sharer_end(void)
{
	if (shared->sharer > 0)
		kill(shared->sharer, SIGKILL);
	shared->sharer = 0;
}

static bool is_dumping(pid_t pid)
{
	char path[32], line[128];
	int dumping = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	while (status && !dumping && fgets(line, sizeof(line), status))
		sscanf(line, "CoreDumping: %d", &dumping);
	if (status)
		fclose(status);
	return dumping;
}

FIXTURE_TEARDOWN(exiting)
{
	/* Else it hid nothing. */
	if (dumps_for_long(variant->hide))
		EXPECT_TRUE(is_dumping(self->victim));
	sharer_end();
	fuse_end(&self->fuse);
	EXPECT_TRUE(crew_end(&self->crew));
	if (self->pattern[0])
		EXPECT_EQ(0, file_write(PATTERN, self->pattern));
	unlink(DUMP_FILE);
	unlink(READER_FILE);
}

static bool hide(FIXTURE_DATA(exiting) *self, enum hide how)
{
	union task_args args = { .word = { how } };

	if (worker_do(&self->crew.worker[VICTIM], task_hide, &args))
		return false;
	if (how == HIDE_STUCK)
		return fuse_catches(&self->fuse, 1);
	if (how != HIDE_SHARER && how != HIDE_VFORK && how != HIDE_EXEC)
		return true;
	return shared_reaches(&shared->sharer, 1);
}

static void victim_end(FIXTURE_DATA(exiting) *self, enum hide how)
{
	struct worker *victim = &self->crew.worker[VICTIM];

	self->victim = victim->pid;
	self->ended_ns = now_ns();
	if (how == HIDE_EXEC)
		worker_order(victim, task_exec, NULL);
	else if (how == HIDE_CORE_FILE || dumps_for_long(how))
		worker_order(victim, task_abort, NULL);
	else
		kill(victim->pid, SIGKILL);
}

/* The others wait in @call, for the victim, and get ECONNRESET. */
static bool ends_soon(FIXTURE_DATA(exiting) *self, enum hide how,
		      const struct call *call)
{
	return hide(self, how) &&
	       (crew_start(&self->crew, OTHERS, call), true) &&
	       crew_sleeps(&self->crew, OTHERS) &&
	       (victim_end(self, how), true) &&
	       crew_fails(&self->crew, OTHERS, ECONNRESET, VICTIM) &&
	       crew_knows_soon(&self->crew, OTHERS, self->ended_ns);
}

TEST_F(exiting, ends_a_scatter)
{
	const struct call call = patient_call(SCATTER_OP_SCATTER, VICTIM, EAGER);

	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	EXPECT_TRUE(ends_soon(self, variant->hide, &call));
}

TEST_F(exiting, ends_a_gather)
{
	const struct call call = patient_call(SCATTER_OP_GATHER, VICTIM, LARGE);

	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	EXPECT_TRUE(ends_soon(self, variant->hide, &call));
}

TEST_F(exiting, ends_a_barrier)
{
	const struct call call = patient_call(SCATTER_OP_BARRIER, 0, 0);

	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	EXPECT_TRUE(ends_soon(self, variant->hide, &call));
}

/* The others are as far ahead of the victim as they may be. Their blocks are in the kernel. */
TEST_F(exiting, ends_the_wait_for_room)
{
	const struct call call = patient_call(SCATTER_OP_GATHER, VICTIM, EAGER);
	const unsigned int window = (unsigned int)atoi(WINDOW);
	char was[32];
	unsigned int i;

	ASSERT_TRUE(parameter_read("window", was));
	ASSERT_EQ(0, parameter_write("window", WINDOW));
	EXPECT_TRUE(crew_form(&self->crew, SIZE, 0));
	ASSERT_EQ(0, parameter_write("window", was));
	for (i = 0; i < window; i++)
		ASSERT_TRUE(crew_calls(&self->crew, OTHERS, &call));
	EXPECT_TRUE(ends_soon(self, variant->hide, &call));
}

/* The verdict is that of the others: what the victim would have said does not count. */
TEST_F(exiting, ends_an_agree)
{
	static const __u64 values[SIZE] = { 0, 0xff06, 0xff0c };

	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	ASSERT_TRUE(hide(self, variant->hide));
	crew_agree_start(&self->crew, OTHERS, values);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, OTHERS, SCATTER_IOCTL_AGREE));
	victim_end(self, variant->hide);
	EXPECT_TRUE(crew_agrees(&self->crew, OTHERS, ECONNRESET, 0xff04, 1, VICTIM));
	EXPECT_TRUE(crew_knows_soon(&self->crew, OTHERS, self->ended_ns));
	EXPECT_TRUE(crew_acknowledges(&self->crew, OTHERS, 1));
	crew_agree_start(&self->crew, OTHERS, values);
	EXPECT_TRUE(crew_agrees(&self->crew, OTHERS, 0, 0xff04, 1, SCATTER_RANK_ANY));
}

TEST_F(exiting, lets_shrink_go_on)
{
	const struct scatter_regroup shrink = regroup_of(SCATTER_OP_SHRINK);

	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	ASSERT_TRUE(hide(self, variant->hide));
	crew_regroup_start(&self->crew, OTHERS, &shrink);
	ASSERT_TRUE(crew_sleeps_in(&self->crew, OTHERS, SCATTER_IOCTL_REGROUP));
	victim_end(self, variant->hide);
	EXPECT_TRUE(crew_adopt(&self->crew, OTHERS));
	EXPECT_TRUE(death_is_soon(now_ns(), self->ended_ns));
}

TEST_F(exiting, wakes_poll)
{
	struct worker *poller = &self->crew.worker[1];

	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	ASSERT_TRUE(hide(self, variant->hide));
	worker_order(poller, task_poll_group, NULL);
	ASSERT_TRUE(worker_sleeps_in(poller, SYS_poll));
	/* As long as somebody polls, the group looks for deaths again and again. */
	ASSERT_FALSE(worker_replies(poller, paced_ms(GLIMPSE_MS)));
	victim_end(self, variant->hide);
	EXPECT_EQ(POLLPRI | POLLERR, worker_finish(poller));
	EXPECT_TRUE(death_is_soon(poller->reply.ended_ns, self->ended_ns));
}

/* Nobody waits in the group but who polls the group's descriptor. */
TEST_F(exiting, wakes_who_polls_the_group)
{
	union task_args args = { .word = { 0 } };
	const int group = group_create(SIZE);
	struct worker poller;

	ASSERT_LT(0, group);
	args.word[0] = (__u64)group;
	ASSERT_TRUE(worker_spawn(&poller));
	ASSERT_TRUE(crew_form_by(&self->crew, group, SIZE));
	ASSERT_TRUE(hide(self, variant->hide));
	worker_order(&poller, task_poll_group, &args);
	ASSERT_TRUE(worker_sleeps_in(&poller, SYS_poll));
	ASSERT_FALSE(worker_replies(&poller, paced_ms(GLIMPSE_MS)));
	victim_end(self, variant->hide);
	EXPECT_EQ(POLLPRI | POLLERR, worker_finish(&poller));
	EXPECT_TRUE(death_is_soon(poller.reply.ended_ns, self->ended_ns));
	EXPECT_TRUE(worker_end(&poller));
	close(group);
}

/* Join with the victim's rank without waiting, until it is not taken or patience ends. */
static __s64 join_as_victim(struct crew *crew, unsigned int rank)
{
	struct worker *worker = &crew->worker[rank];
	__u64 end = after_ms(PATIENCE_MS);
	union task_args args;

	args.join = join_of(crew->name, SIZE, VICTIM);
	args.join.flags = SCATTER_JOIN_NONBLOCK;
	do
		worker_do(worker, task_join, &args);
	while (worker->reply.result == -EADDRINUSE && now_ns() < end);
	return worker->reply.result;
}

TEST_F(exiting, frees_the_rank_of_a_joiner)
{
	struct worker *worker = self->crew.worker;
	union task_args args;

	ASSERT_TRUE(crew_spawn(&self->crew, SIZE));
	ASSERT_EQ(-EINPROGRESS, join_as_victim(&self->crew, VICTIM));
	ASSERT_TRUE(hide(self, variant->hide));
	args.join = join_of(self->crew.name, SIZE, 1);
	worker_order(&worker[1], task_join, &args);
	ASSERT_TRUE(worker_sleeps(&worker[1], SCATTER_IOCTL_JOIN));
	victim_end(self, variant->hide);
	EXPECT_EQ(-EINPROGRESS, join_as_victim(&self->crew, 2));
	EXPECT_TRUE(death_is_soon(worker[2].reply.ended_ns, self->ended_ns));
}

TEST_F(exiting, frees_the_rank_though_nobody_waits)
{
	ASSERT_TRUE(crew_spawn(&self->crew, SIZE));
	ASSERT_EQ(-EINPROGRESS, join_as_victim(&self->crew, VICTIM));
	ASSERT_TRUE(hide(self, variant->hide));
	victim_end(self, variant->hide);
	EXPECT_EQ(-EINPROGRESS, join_as_victim(&self->crew, 1));
	EXPECT_TRUE(death_is_soon(self->crew.worker[1].reply.ended_ns, self->ended_ns));
}

TEST_F(exiting, is_seen_by_status)
{
	const struct seen *status;
	__u64 end;

	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
	ASSERT_TRUE(hide(self, variant->hide));
	victim_end(self, variant->hide);
	end = after_ms(PATIENCE_MS);
	do
		status = crew_seen(&self->crew, 1);
	while (status && !mask_has(status->dead, VICTIM) && now_ns() < end);
	EXPECT_TRUE(status && mask_has(status->dead, VICTIM));
	EXPECT_TRUE(death_is_soon(self->crew.worker[1].reply.ended_ns, self->ended_ns));
}

TEST_HARNESS_MAIN
