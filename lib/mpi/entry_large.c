// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * The functions with large counts, as those of entry.c. Open MPI 4 has none.
 */
#include "serve.h"

#ifdef HOST_LARGE_COUNTS

#define EXPORTED	__attribute__((visibility("default")))

/* As of entry.c. */
typedef int fixed_call(const void *sendbuf, MPI_Count sendcount, host_word sendtype, void *recvbuf,
		       MPI_Count recvcount, host_word recvtype, int root, host_word comm);
typedef int scatterv_call(const void *sendbuf, const MPI_Count *counts, const MPI_Aint *displs,
			  host_word sendtype, void *recvbuf, MPI_Count recvcount,
			  host_word recvtype, int root, host_word comm);
typedef int gatherv_call(const void *sendbuf, MPI_Count sendcount, host_word sendtype,
			 void *recvbuf, const MPI_Count *counts, const MPI_Aint *displs,
			 host_word recvtype, int root, host_word comm);

fixed_call mpi_scatter_c __asm__("MPI_Scatter_c") EXPORTED;
fixed_call pmpi_scatter_c __asm__("PMPI_Scatter_c") EXPORTED;
fixed_call mpi_gather_c __asm__("MPI_Gather_c") EXPORTED;
fixed_call pmpi_gather_c __asm__("PMPI_Gather_c") EXPORTED;
scatterv_call mpi_scatterv_c __asm__("MPI_Scatterv_c") EXPORTED;
scatterv_call pmpi_scatterv_c __asm__("PMPI_Scatterv_c") EXPORTED;
gatherv_call mpi_gatherv_c __asm__("MPI_Gatherv_c") EXPORTED;
gatherv_call pmpi_gatherv_c __asm__("PMPI_Gatherv_c") EXPORTED;

int pmpi_scatter_c(const void *sendbuf, MPI_Count sendcount, host_word sendtype, void *recvbuf,
		   MPI_Count recvcount, host_word recvtype, int root, host_word comm)
{
	struct request request = {
		.all = serve_operand(sendbuf, sendcount, sendtype),
		.own = serve_operand(recvbuf, recvcount, recvtype),
		.root = root,
	};
	int result;

	if (serve_call(&request, comm, &result))
		return result;
	return ((fixed_call *)(void *)host_get()->Scatter_c)(sendbuf, sendcount, sendtype, recvbuf,
							     recvcount, recvtype, root, comm);
}

int mpi_scatter_c(const void *sendbuf, MPI_Count sendcount, host_word sendtype, void *recvbuf,
		  MPI_Count recvcount, host_word recvtype, int root, host_word comm)
{
	fixed_call *tool = (void *)host_get()->tool_Scatter_c;

	return (tool ? tool : pmpi_scatter_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount,
					      recvtype, root, comm);
}

int pmpi_gather_c(const void *sendbuf, MPI_Count sendcount, host_word sendtype, void *recvbuf,
		  MPI_Count recvcount, host_word recvtype, int root, host_word comm)
{
	struct request request = {
		.gathers = true,
		.all = serve_operand(recvbuf, recvcount, recvtype),
		.own = serve_operand(sendbuf, sendcount, sendtype),
		.root = root,
	};
	int result;

	if (serve_call(&request, comm, &result))
		return result;
	return ((fixed_call *)(void *)host_get()->Gather_c)(sendbuf, sendcount, sendtype, recvbuf,
							    recvcount, recvtype, root, comm);
}

int mpi_gather_c(const void *sendbuf, MPI_Count sendcount, host_word sendtype, void *recvbuf,
		 MPI_Count recvcount, host_word recvtype, int root, host_word comm)
{
	fixed_call *tool = (void *)host_get()->tool_Gather_c;

	return (tool ? tool : pmpi_gather_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount,
					     recvtype, root, comm);
}

int pmpi_scatterv_c(const void *sendbuf, const MPI_Count *counts, const MPI_Aint *displs,
		    host_word sendtype, void *recvbuf, MPI_Count recvcount, host_word recvtype,
		    int root, host_word comm)
{
	struct request request = {
		.vector = true,
		.all = serve_blocks(sendbuf, counts, displs, sendtype, true),
		.own = serve_operand(recvbuf, recvcount, recvtype),
		.root = root,
	};
	int result;

	if (serve_call(&request, comm, &result))
		return result;
	return ((scatterv_call *)(void *)host_get()->Scatterv_c)(sendbuf, counts, displs, sendtype,
								 recvbuf, recvcount, recvtype, root,
								 comm);
}

int mpi_scatterv_c(const void *sendbuf, const MPI_Count *counts, const MPI_Aint *displs,
		   host_word sendtype, void *recvbuf, MPI_Count recvcount, host_word recvtype,
		   int root, host_word comm)
{
	scatterv_call *tool = (void *)host_get()->tool_Scatterv_c;

	return (tool ? tool : pmpi_scatterv_c)(sendbuf, counts, displs, sendtype, recvbuf,
					       recvcount, recvtype, root, comm);
}

int pmpi_gatherv_c(const void *sendbuf, MPI_Count sendcount, host_word sendtype, void *recvbuf,
		   const MPI_Count *counts, const MPI_Aint *displs, host_word recvtype, int root,
		   host_word comm)
{
	struct request request = {
		.gathers = true,
		.vector = true,
		.all = serve_blocks(recvbuf, counts, displs, recvtype, true),
		.own = serve_operand(sendbuf, sendcount, sendtype),
		.root = root,
	};
	int result;

	if (serve_call(&request, comm, &result))
		return result;
	return ((gatherv_call *)(void *)host_get()->Gatherv_c)(sendbuf, sendcount, sendtype,
							       recvbuf, counts, displs, recvtype,
							       root, comm);
}

int mpi_gatherv_c(const void *sendbuf, MPI_Count sendcount, host_word sendtype, void *recvbuf,
		  const MPI_Count *counts, const MPI_Aint *displs, host_word recvtype, int root,
		  host_word comm)
{
	gatherv_call *tool = (void *)host_get()->tool_Gatherv_c;

	return (tool ? tool : pmpi_gatherv_c)(sendbuf, sendcount, sendtype, recvbuf, counts, displs,
					      recvtype, root, comm);
}

#endif /* HOST_LARGE_COUNTS */
