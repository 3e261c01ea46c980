// SPDX-License-Identifier: GPL-2.0
/*
 * MPI, whichever this is compiled with. Errors of MPI end the program by
 * themselves, with a message.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "wire.h"

#define TEXT_MAX	32

/*
 * Open MPI with a node for each rank: only through what that node has, and never through memory,
 * although all of them are in one machine. Documentation/bench.rst says why each variable is there.
 */
static void transport_choose(const char *transport)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	const unsigned int node = rank ? (unsigned int)atoi(rank) + 1 : 1;
	char interface[TEXT_MAX], device[TEXT_MAX];

	snprintf(interface, sizeof(interface), WIRE_INTERFACE, node);
	snprintf(device, sizeof(device), WIRE_DEVICE ":1", node);
	if (!strcmp(transport, "tcp")) {
		setenv("OMPI_MCA_btl_tcp_if_include", interface, 1);
		return;
	}
	setenv("UCX_NET_DEVICES", device, 1);
	setenv("UCX_TLS", "rc_v,self", 1);
	setenv("UCX_UD_VERBS_ETH_DGID_CHECK", "n", 1);
}

/* [TRANSPORT] */
static int start(int argc, char **argv, uint32_t *rank, uint32_t *ranks)
{
	int number, size;

	if (argc > 0)
		transport_choose(argv[0]);
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
