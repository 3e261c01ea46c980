// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * The functions that take the place of the MPI library's, each by two names. A program calls MPI_X,
 * a tool that stands before the shim PMPI_X; Fortran in Open MPI calls PMPI_X, in MPICH MPI_X. If a
 * tool stands behind the shim, MPI_X goes there, and comes back as PMPI_X.
 *
 * The names are set in the assembler alone, and handles are words: the same call has other types
 * in another MPI library, which the process may have.
 */
#include "life.h"
#include "self.h"
#include "serve.h"

#define EXPORTED	__attribute__((visibility("default")))

/* The calls as they are in registers, in any MPI library. */
typedef int fixed_call(const void *sendbuf, int sendcount, host_word sendtype, void *recvbuf,
		       int recvcount, host_word recvtype, int root, host_word comm);
typedef int scatterv_call(const void *sendbuf, const int *counts, const int *displs,
			  host_word sendtype, void *recvbuf, int recvcount, host_word recvtype,
			  int root, host_word comm);
typedef int gatherv_call(const void *sendbuf, int sendcount, host_word sendtype, void *recvbuf,
			 const int *counts, const int *displs, host_word recvtype, int root,
			 host_word comm);
typedef int finalize_call(void);

fixed_call mpi_scatter __asm__("MPI_Scatter") EXPORTED;
fixed_call pmpi_scatter __asm__("PMPI_Scatter") EXPORTED;
fixed_call mpi_gather __asm__("MPI_Gather") EXPORTED;
fixed_call pmpi_gather __asm__("PMPI_Gather") EXPORTED;
scatterv_call mpi_scatterv __asm__("MPI_Scatterv") EXPORTED;
scatterv_call pmpi_scatterv __asm__("PMPI_Scatterv") EXPORTED;
gatherv_call mpi_gatherv __asm__("MPI_Gatherv") EXPORTED;
gatherv_call pmpi_gatherv __asm__("PMPI_Gatherv") EXPORTED;
finalize_call mpi_finalize __asm__("MPI_Finalize") EXPORTED;
finalize_call pmpi_finalize __asm__("PMPI_Finalize") EXPORTED;

int pmpi_scatter(const void *sendbuf, int sendcount, host_word sendtype, void *recvbuf,
		 int recvcount, host_word recvtype, int root, host_word comm)
{
	struct request request = {
		.all = serve_operand(sendbuf, sendcount, sendtype),
		.own = serve_operand(recvbuf, recvcount, recvtype),
		.root = root,
	};
	int result;

	if (serve_call(&request, comm, &result))
		return result;
	return ((fixed_call *)(void *)host_get()->Scatter)(sendbuf, sendcount, sendtype, recvbuf,
							   recvcount, recvtype, root, comm);
}

int mpi_scatter(const void *sendbuf, int sendcount, host_word sendtype, void *recvbuf,
		int recvcount, host_word recvtype, int root, host_word comm)
{
	fixed_call *tool = (void *)host_get()->tool_Scatter;

	return (tool ? tool : pmpi_scatter)(sendbuf, sendcount, sendtype, recvbuf, recvcount,
					    recvtype, root, comm);
}

int pmpi_gather(const void *sendbuf, int sendcount, host_word sendtype, void *recvbuf,
		int recvcount, host_word recvtype, int root, host_word comm)
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
	return ((fixed_call *)(void *)host_get()->Gather)(sendbuf, sendcount, sendtype, recvbuf,
							  recvcount, recvtype, root, comm);
}

int mpi_gather(const void *sendbuf, int sendcount, host_word sendtype, void *recvbuf,
	       int recvcount, host_word recvtype, int root, host_word comm)
{
	fixed_call *tool = (void *)host_get()->tool_Gather;

	return (tool ? tool : pmpi_gather)(sendbuf, sendcount, sendtype, recvbuf, recvcount,
					   recvtype, root, comm);
}

int pmpi_scatterv(const void *sendbuf, const int *counts, const int *displs, host_word sendtype,
		  void *recvbuf, int recvcount, host_word recvtype, int root, host_word comm)
{
	struct request request = {
		.vector = true,
		.all = serve_blocks(sendbuf, counts, displs, sendtype, false),
		.own = serve_operand(recvbuf, recvcount, recvtype),
		.root = root,
	};
	int result;

	if (serve_call(&request, comm, &result))
		return result;
	return ((scatterv_call *)(void *)host_get()->Scatterv)(sendbuf, counts, displs, sendtype,
							       recvbuf, recvcount, recvtype, root,
							       comm);
}

int mpi_scatterv(const void *sendbuf, const int *counts, const int *displs, host_word sendtype,
		 void *recvbuf, int recvcount, host_word recvtype, int root, host_word comm)
{
	scatterv_call *tool = (void *)host_get()->tool_Scatterv;

	return (tool ? tool : pmpi_scatterv)(sendbuf, counts, displs, sendtype, recvbuf, recvcount,
					     recvtype, root, comm);
}

int pmpi_gatherv(const void *sendbuf, int sendcount, host_word sendtype, void *recvbuf,
		 const int *counts, const int *displs, host_word recvtype, int root,
		 host_word comm)
{
	struct request request = {
		.gathers = true,
		.vector = true,
		.all = serve_blocks(recvbuf, counts, displs, recvtype, false),
		.own = serve_operand(sendbuf, sendcount, sendtype),
		.root = root,
	};
	int result;

	if (serve_call(&request, comm, &result))
		return result;
	return ((gatherv_call *)(void *)host_get()->Gatherv)(sendbuf, sendcount, sendtype, recvbuf,
							     counts, displs, recvtype, root, comm);
}

int mpi_gatherv(const void *sendbuf, int sendcount, host_word sendtype, void *recvbuf,
		const int *counts, const int *displs, host_word recvtype, int root,
		host_word comm)
{
	gatherv_call *tool = (void *)host_get()->tool_Gatherv;

	return (tool ? tool : pmpi_gatherv)(sendbuf, sendcount, sendtype, recvbuf, counts, displs,
					    recvtype, root, comm);
}

/* The program's own callbacks run inside Finalize, and may still use the groups of the device. */
int pmpi_finalize(void)
{
	int result;

	self_end();
	result = host_get()->Finalize();
	self_forget();
	if (!life_has_session()) {
		group_end_all();
		form_end_all();
	}
	return result;
}

int mpi_finalize(void)
{
	finalize_call *tool = host_get()->tool_Finalize;

	return tool ? tool() : pmpi_finalize();
}
