// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that a fork shares stay shared: whoever only reads them breaks no copy-on-write.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"
#include "harness.h"

#define SIZE	3
#define BLOCK	(64ULL << 20)
#define MARGIN	(1ULL << 20)

FIXTURE(cow)
{
	struct crew crew;
	struct call call;
	pid_t child;
};

FIXTURE_VARIANT(cow)
{
	__u32 op;
	unsigned int owner;
};

FIXTURE_VARIANT_ADD(cow, scatter) { SCATTER_OP_SCATTER, 0 };
FIXTURE_VARIANT_ADD(cow, gather) { SCATTER_OP_GATHER, 1 };

FIXTURE_SETUP(cow)
{
	self->call = (struct call){
		.op = variant->op, .block = BLOCK, .seed = 5,
		.flags = SCATTER_COLL_IN_PLACE, .timeout_ms = PATIENCE_MS,
	};
	ASSERT_TRUE(crew_form(&self->crew, SIZE, 0));
}

FIXTURE_TEARDOWN(cow)
{
	if (self->child > 0)
		kill(self->child, SIGKILL);
	EXPECT_TRUE(crew_end(&self->crew));
}

/* A child that shares all memory until it is killed. Its PID. */
static __s64 task_fork(struct self *self, union task_args *args)
{
	pid_t pid = fork();

	(void)self;
	(void)args;
	if (pid)
		return pid < 0 ? -errno : pid;
	for (;;)
		pause();
}

/* Bytes of anonymous memory of all processes, exactly; 0 on failure. */
static __u64 anonymous_bytes(void)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *file;

	if (file_write("/proc/sys/vm/stat_refresh", "1"))
		return 0;
	file = fopen("/proc/meminfo", "r");
	if (!file)
		return 0;
	while (!kib && fgets(line, sizeof(line), file))
		if (sscanf(line, "AnonPages: %llu kB", &kib) != 1)
			kib = 0;
	fclose(file);
	return kib << 10;
}

/* The memory of all is there once everybody has called; then the owner of it forks. */
TEST_F(cow, a_fork_before_it_costs_no_memory)
{
	struct crew *crew = &self->crew;
	__u64 before, after;
	unsigned int r;

	ASSERT_TRUE(crew_runs(crew, &self->call));
	self->child = worker_do(&crew->worker[variant->owner], task_fork, NULL);
	ASSERT_LT(0, self->child);
	before = anonymous_bytes();
	ASSERT_LT(SIZE * BLOCK, before);
	for (r = 0; r < SIZE; r++) {
		union task_args args = { .call = crew_args(r, &self->call, 0) };

		worker_order(&crew->worker[r], task_call, &args);
	}
	for (r = 0; r < SIZE; r++)
		ASSERT_EQ(0, worker_finish(&crew->worker[r]));
	after = anonymous_bytes();
	diag("%lld bytes of anonymous memory more", (long long)(after - before));
	EXPECT_LT(after, before + MARGIN);
}

TEST_HARNESS_MAIN
