// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into the ranks of one machine, this puts ranks on several nodes: after MPI_Init() a
 * rank enters the network namespace of node (rank modulo SCATTER_MPI_NODES) + 1. Connections that
 * the MPI library has by then stay where they are.
 */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RANKS_MAX	64

static int enter(int error)
{
	const char *nodes = getenv("SCATTER_MPI_NODES");
	int sent[RANKS_MAX] = { 0 }, got[RANKS_MAX], rank, fd;
	char name[64];

	if (error || !nodes)
		return error;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
	snprintf(name, sizeof(name), "/run/netns/node%d", rank % atoi(nodes) + 1);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		perror(name);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	close(fd);
	return error;
}

int MPI_Init(int *argc, char ***argv)
{
	return enter(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	return enter(PMPI_Init_thread(argc, argv, required, provided));
}
