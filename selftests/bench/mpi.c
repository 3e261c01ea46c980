// SPDX-License-Identifier: GPL-2.0
/*
 * MPI, whichever this is compiled with. Errors of MPI end the program by
 * themselves, with a message.
 */
#include <mpi.h>

#include "contender.h"

static int start(int argc, char **argv, uint32_t *rank, uint32_t *ranks)
{
	int number, size;

	(void)argc;
	(void)argv;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &number);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	*rank = (uint32_t)number;
	*ranks = (uint32_t)size;
	return 0;
}

static void stop(void)
{
	MPI_Finalize();
}

static int scatter(const struct call *call)
{
	const int bytes = (int)call->block;

	MPI_Scatter(call->send, bytes, MPI_BYTE, call->recv, bytes, MPI_BYTE,
		    0, MPI_COMM_WORLD);
	return 0;
}

static int gather(const struct call *call)
{
	const int bytes = (int)call->block;

	MPI_Gather(call->send, bytes, MPI_BYTE, call->recv, bytes, MPI_BYTE,
		   0, MPI_COMM_WORLD);
	return 0;
}

static int barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}

const struct contender contender = {
	.start = start,
	.stop = stop,
	.scatter = scatter,
	.gather = gather,
	.barrier = barrier,
};
