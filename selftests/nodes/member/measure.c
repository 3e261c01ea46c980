// SPDX-License-Identifier: GPL-2.0
/*
 * What a group on several nodes takes: its JOINs, its barriers, its AGREEs, until a death is known,
 * and until the others have a new group after a death, and after the loss of the last node.
 *
 *	measure MEMBERS CALLS FILE...
 *
 * FILE is the network namespace of a node; the ranks go from one to the next, twice at least.
 * Prints, a line each as soon as it is there, "joined MS", "barrier US", "agree US", "death MS",
 * "shrink MS" and "loss MS". The last two last until all have returned from SHRINK. The standard
 * input has to give a line before each but "shrink", so that whoever reads can count messages in
 * between; after the line for "loss" the reader takes the last node away.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <scatter.h>

#include "clock.h"
#include "namespace.h"

/* Of all processes. */
struct board {
	atomic_int ready;
	atomic_int go;		/* which part may begin */
	atomic_int done;
	atomic_int failed;
	atomic_ullong last_ns;	/* when the last one was done */
	atomic_ullong known_ns;	/* when the last one knew of the death */
};

static struct board *board;

/* Sleeps until then: whoever waits must not take the CPUs from those that are measured. */
static void wait_for(atomic_int *what, int value)
{
	int now;

	while ((now = atomic_load(what)) < value)
		syscall(SYS_futex, what, FUTEX_WAIT, now, NULL, NULL, 0);
}

static void wake(atomic_int *what)
{
	syscall(SYS_futex, what, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void add(atomic_int *what)
{
	atomic_fetch_add(what, 1);
	wake(what);
}

static void go(int part)
{
	atomic_store(&board->go, part);
	wake(&board->go);
}

static void note(atomic_ullong *ns)
{
	unsigned long long now = now_ns(), last = atomic_load(ns);

	while (last < now && !atomic_compare_exchange_weak(ns, &last, now))
		;
}

static void done(void)
{
	note(&board->last_ns);
	add(&board->done);
}

static void expect(bool good)
{
	if (!good)
		atomic_fetch_add(&board->failed, 1);
}

/*
 * The group of those that are left when members of @group have gone. A member without a group is
 * done all the same, so that nobody waits for it.
 */
static struct scatter_group *rest_of(struct scatter_group *group)
{
	struct scatter_group *rest = NULL;

	if (group) {
		expect(scatter_barrier(group) == -ECONNRESET);
		note(&board->known_ns);
		expect(!scatter_shrink(group, &rest, NULL));
		scatter_leave(group);
	}
	done();
	return rest;
}

static void member(const char *file, const char *name, int size, int rank, int calls, bool lost)
{
	struct scatter_join_opts opts = { .size = size, .rank = rank };
	struct scatter_group *group;
	uint64_t bits = 1;
	int i;

	namespace_enter(file);
	add(&board->ready);
	wait_for(&board->go, 1);
	expect(!scatter_join(&group, name, &opts));
	done();
	wait_for(&board->go, 2);
	for (i = 0; i < calls; i++)
		expect(!scatter_barrier(group));
	done();
	wait_for(&board->go, 3);
	for (i = 0; i < calls; i++)
		expect(!scatter_agree(group, &bits, NULL));
	done();
	/* The last rank dies, and the others wait for it. */
	wait_for(&board->go, 4);
	if (rank == size - 1)
		pause();
	group = rest_of(group);
	wait_for(&board->go, 5);
	/* The others wait for those on the last node. */
	if (lost)
		pause();
	rest_of(group);
	_exit(0);
}

static uint64_t part(int number, int members)
{
	uint64_t began = now_ns();

	atomic_store(&board->done, 0);
	go(number);
	wait_for(&board->done, members);
	return atomic_load(&board->last_ns) - began;
}

/* A line on standard input asks for the next part. */
static void await_line(void)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		exit(4);
}

int main(int argc, char **argv)
{
	int size, calls, nodes, rank, lost = 0;
	pid_t *pid;
	uint64_t began;
	char name[32];

	nodes = argc - 3;
	if (argc < 4 || atoi(argv[1]) < 2 * nodes)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	size = atoi(argv[1]);
	calls = atoi(argv[2]);
	pid = calloc(size, sizeof(*pid));
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (!pid || board == MAP_FAILED)
		return 3;
	snprintf(name, sizeof(name), "measure%d", getpid());
	for (rank = 0; rank < size; rank++) {
		pid[rank] = fork();
		if (!pid[rank])
			member(argv[3 + rank % nodes], name, size, rank, calls,
			       rank % nodes == nodes - 1);
		lost += rank % nodes == nodes - 1;
	}
	wait_for(&board->ready, size);
	await_line();
	printf("joined %.1f\n", part(1, size) / 1e6);
	await_line();
	printf("barrier %.0f\n", part(2, size) / 1e3 / calls);
	await_line();
	printf("agree %.0f\n", part(3, size) / 1e3 / calls);
	await_line();
	/* All but the last wait in a barrier by the time that it dies. */
	atomic_store(&board->done, 0);
	go(4);
	usleep(300000);
	began = now_ns();
	kill(pid[size - 1], SIGKILL);
	wait_for(&board->done, size - 1);
	printf("death %.1f\n", (atomic_load(&board->known_ns) - began) / 1e6);
	printf("shrink %.1f\n", (atomic_load(&board->last_ns) - began) / 1e6);
	await_line();
	printf("loss %.1f\n", part(5, size - lost) / 1e6);
	for (rank = nodes - 1; rank < size; rank += nodes)
		kill(pid[rank], SIGKILL);
	while (wait(NULL) > 0)
		;
	return atomic_load(&board->failed) != 0;
}
