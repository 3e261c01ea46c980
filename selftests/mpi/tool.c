// SPDX-License-Identifier: GPL-2.0
/*
 * A tool as many have: it counts calls, and tells the count at the end.
 */
#include <mpi.h>
#include <stdio.h>

static int calls;

int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
		int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	calls++;
	return PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int MPI_Finalize(void)
{
	printf("the tool saw %d\n", calls);
	return PMPI_Finalize();
}
