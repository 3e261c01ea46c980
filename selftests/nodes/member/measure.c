// SPDX-License-Identifier: GPL-2.0
/*
 * What a group on several nodes takes: its JOINs, its barriers, and until a death is known.
 *
 *	measure MEMBERS BARRIERS FILE...
 *
 * FILE is the network namespace of a node; the ranks go from one to the next. Prints, a line each
 * as soon as it is there, "joined MS", "barrier US" and "death MS"; before each line but the last
 * the standard input has to give one, so that whoever reads can count messages in between.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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
	atomic_ullong last_ns;
};

static struct board *board;

static void wait_for(atomic_int *what, int value)
{
	while (atomic_load(what) < value)
		usleep(200);
}

static void done(void)
{
	unsigned long long now = now_ns(), last = atomic_load(&board->last_ns);

	while (last < now && !atomic_compare_exchange_weak(&board->last_ns, &last, now))
		;
	atomic_fetch_add(&board->done, 1);
}

static void member(const char *file, const char *name, int size, int rank, int barriers)
{
	struct scatter_join_opts opts = { .size = size, .rank = rank };
	struct scatter_group *group;
	int i;

	namespace_enter(file);
	atomic_fetch_add(&board->ready, 1);
	wait_for(&board->go, 1);
	if (scatter_join(&group, name, &opts))
		atomic_fetch_add(&board->failed, 1);
	done();
	wait_for(&board->go, 2);
	for (i = 0; i < barriers; i++)
		if (scatter_barrier(group))
			atomic_fetch_add(&board->failed, 1);
	done();
	/* The last rank dies, and the others wait for it. */
	wait_for(&board->go, 3);
	if (rank == size - 1)
		pause();
	if (scatter_barrier(group) != -ECONNRESET)
		atomic_fetch_add(&board->failed, 1);
	done();
	_exit(0);
}

static uint64_t part(int number, int members)
{
	uint64_t began = now_ns();

	atomic_store(&board->done, 0);
	atomic_store(&board->go, number);
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
	int size, barriers, rank;
	uint64_t began;
	char name[32];
	pid_t pid = 0;

	if (argc < 4)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	size = atoi(argv[1]);
	barriers = atoi(argv[2]);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (board == MAP_FAILED)
		return 3;
	snprintf(name, sizeof(name), "measure%d", getpid());
	for (rank = 0; rank < size; rank++) {
		pid = fork();
		if (!pid)
			member(argv[3 + rank % (argc - 3)], name, size, rank, barriers);
	}
	wait_for(&board->ready, size);
	await_line();
	printf("joined %.1f\n", part(1, size) / 1e6);
	await_line();
	printf("barrier %.0f\n", part(2, size) / 1e3 / barriers);
	await_line();
	/* All but the last wait in a barrier by the time that it dies. */
	atomic_store(&board->done, 0);
	atomic_store(&board->go, 3);
	usleep(300000);
	began = now_ns();
	kill(pid, SIGKILL);
	wait_for(&board->done, size - 1);
	printf("death %.1f\n", (atomic_load(&board->last_ns) - began) / 1e6);
	while (wait(NULL) > 0)
		;
	return atomic_load(&board->failed);
}
