// SPDX-License-Identifier: GPL-2.0
/*
 * How many instructions a call costs in user space through the shim, and how many through
 * libscatter. A rank counts its own: the processor traps after each instruction while the trap flag
 * is set. The rank whose call is counted never waits in the call, so each count is that of one call
 * of the device. Prints TAP.
 */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/scatter.h"

#define RANKS_MAX	64
/* More instructions than this are too many for the shim. */
#define MORE_MAX	3000
#define ROUNDS		3
#define TRAP_FLAG	0x100UL
#define JOIN_TIMEOUT_NS	60000000000LL

enum { SCATTER, SCATTERV, GATHER, GATHERV, OPS };

static const char * const op_names[] = { "Scatter", "Scatterv", "Gather", "Gatherv" };

static int rank, size, tests, failures;
static MPI_Comm meeting_place;
static struct scatter_group *group;
static unsigned long steps;

/* What the root has, one element a rank, as MPI and as libscatter want it. */
static int64_t all[RANKS_MAX], own;
static int counts[RANKS_MAX], displs[RANKS_MAX];
static uint64_t lengths[RANKS_MAX], places[RANKS_MAX];

/* The handler itself runs without the flag. */
static void on_step(int number)
{
	(void)number;
	__atomic_add_fetch(&steps, 1, __ATOMIC_SEQ_CST);
}

static void call_shim(int op)
{
	switch (op) {
	case SCATTER:
		MPI_Scatter(all, 1, MPI_INT64_T, &own, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
		break;
	case SCATTERV:
		MPI_Scatterv(all, counts, displs, MPI_INT64_T, &own, 1, MPI_INT64_T, 0,
			     MPI_COMM_WORLD);
		break;
	case GATHER:
		MPI_Gather(&own, 1, MPI_INT64_T, all, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
		break;
	default:
		MPI_Gatherv(&own, 1, MPI_INT64_T, all, counts, displs, MPI_INT64_T, 0,
			    MPI_COMM_WORLD);
	}
}

static void call_library(int op)
{
	int error;

	switch (op) {
	case SCATTER:
		error = scatter_scatter(group, all, &own, sizeof(own), 0);
		break;
	case SCATTERV:
		error = scatter_scatterv(group, all, lengths, places, &own, sizeof(own), 0);
		break;
	case GATHER:
		error = scatter_gather(group, &own, all, sizeof(own), 0);
		break;
	default:
		error = scatter_gatherv(group, &own, sizeof(own), all, lengths, places, 0);
	}
	if (!error)
		return;
	fprintf(stderr, "cost: libscatter: %s\n", strerror(-error));
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned long count(void (*call)(int op), int op)
{
	unsigned long result;

	__atomic_store_n(&steps, 0, __ATOMIC_SEQ_CST);
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
	call(op);
	result = __atomic_load_n(&steps, __ATOMIC_SEQ_CST);
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG);
	return result;
}

/* Small blocks need no receiver: a rank that only sends does not wait, nor the last to come. */
static unsigned long measure_once(void (*call)(int op), int op, int counted)
{
	const bool sends = (op == SCATTER || op == SCATTERV) == !counted;
	unsigned long result = 0;

	MPI_Barrier(meeting_place);
	if (rank == counted && sends)
		result = count(call, op);
	else if (rank != counted && !sends)
		call(op);
	MPI_Barrier(meeting_place);
	if (rank == counted && !sends)
		result = count(call, op);
	else if (rank != counted && sends)
		call(op);
	return result;
}

/* The most that a call of rank @counted takes. The last rank has nothing to forward. */
static unsigned long measure(void (*call)(int op), int op, int counted)
{
	unsigned long result, most = 0;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		result = measure_once(call, op, counted);
		most = result > most ? result : most;
	}
	MPI_Bcast(&most, 1, MPI_UNSIGNED_LONG, counted, meeting_place);
	return most;
}

static void compare(int op, int counted)
{
	const unsigned long library = measure(call_library, op, counted);
	const unsigned long shim = measure(call_shim, op, counted);
	const bool good = library && shim >= library && shim - library <= MORE_MAX;

	tests++;
	failures += !good;
	if (!rank)
		printf("%sok %d - MPI_%s of %d ranks, %s: %lu instructions, %lu in libscatter\n",
		       good ? "" : "not ", tests, op_names[op], size,
		       counted ? "last rank" : "root", shim, library);
}

/* A name that no other program has at this time. */
static void join(void)
{
	struct scatter_join_opts opts = {
		.rank = rank,
		.size = size,
		.timeout_ns = JOIN_TIMEOUT_NS,
	};
	int number = getpid(), error;
	char name[64];

	MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
	snprintf(name, sizeof(name), "cost-%d", number);
	error = scatter_join(&group, name, &opts);
	if (!error)
		return;
	fprintf(stderr, "cost: cannot join: %s\n", strerror(-error));
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The first calls look up functions, and form the shim's group. */
static void prepare(void)
{
	int i;

	for (i = 0; i < size; i++) {
		all[i] = i;
		counts[i] = 1;
		displs[i] = i;
		lengths[i] = sizeof(own);
		places[i] = i * sizeof(own);
	}
	signal(SIGTRAP, on_step);
	MPI_Comm_dup(MPI_COMM_WORLD, &meeting_place);
	for (i = 0; i < OPS; i++) {
		call_library(i);
		call_shim(i);
	}
}

int main(int argc, char **argv)
{
	int op;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	join();
	prepare();
	for (op = 0; op < OPS; op++) {
		compare(op, 0);
		compare(op, size - 1);
	}
	if (!rank)
		printf("1..%d\n", tests);
	scatter_leave(group);
	MPI_Comm_free(&meeting_place);
	MPI_Finalize();
	return failures != 0;
}
