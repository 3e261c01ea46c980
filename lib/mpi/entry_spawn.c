// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * The functions that spawn processes, as those of entry.c. Debian's MPICH cannot spawn.
 */
#include <stdlib.h>

#include "heritage.h"

#ifdef HOST_SPAWNS

#define EXPORTED	__attribute__((visibility("default")))

/* As of entry.c. */
typedef int spawn_call(const char *command, char **argv, int most, host_word info, int root,
		       host_word comm, host_word *inter, int *errors);
typedef int multiple_call(int count, char **commands, char ***argvs, const int *most,
			  const host_word *infos, int root, host_word comm, host_word *inter,
			  int *errors);

spawn_call mpi_comm_spawn __asm__("MPI_Comm_spawn") EXPORTED;
spawn_call pmpi_comm_spawn __asm__("PMPI_Comm_spawn") EXPORTED;
multiple_call mpi_comm_spawn_multiple __asm__("MPI_Comm_spawn_multiple") EXPORTED;
multiple_call pmpi_comm_spawn_multiple __asm__("PMPI_Comm_spawn_multiple") EXPORTED;

/* Whether this rank is the root, where alone the infos matter. */
static bool is_root(host_word comm, int root)
{
	const struct host *host = host_get();
	int rank = -1;

	if (host->foreign || !comm || (MPI_Comm)comm == host->comm_null)
		return false;
	return !host->Comm_rank((MPI_Comm)comm, &rank) && rank == root;
}

int pmpi_comm_spawn(const char *command, char **argv, int most, host_word info, int root,
		    host_word comm, host_word *inter, int *errors)
{
	spawn_call *host = (void *)host_get()->Comm_spawn;
	MPI_Info made;
	int result;

	if (!is_root(comm, root))
		return host(command, argv, most, info, root, comm, inter, errors);
	made = heritage_add((MPI_Info)info);
	result = host(command, argv, most, (host_word)made, root, comm, inter, errors);
	heritage_free(made, (MPI_Info)info);
	return result;
}

int mpi_comm_spawn(const char *command, char **argv, int most, host_word info, int root,
		   host_word comm, host_word *inter, int *errors)
{
	spawn_call *tool = (void *)host_get()->tool_Comm_spawn;

	return (tool ? tool : pmpi_comm_spawn)(command, argv, most, info, root, comm, inter,
					       errors);
}

int pmpi_comm_spawn_multiple(int count, char **commands, char ***argvs, const int *most,
			     const host_word *infos, int root, host_word comm, host_word *inter,
			     int *errors)
{
	multiple_call *host = (void *)host_get()->Comm_spawn_multiple;
	host_word *made = NULL;
	int result, i;

	if (is_root(comm, root) && count > 0 && infos)
		made = calloc(count, sizeof(*made));
	if (!made)
		return host(count, commands, argvs, most, infos, root, comm, inter, errors);
	for (i = 0; i < count; i++)
		made[i] = (host_word)heritage_add((MPI_Info)infos[i]);
	result = host(count, commands, argvs, most, made, root, comm, inter, errors);
	for (i = 0; i < count; i++)
		heritage_free((MPI_Info)made[i], (MPI_Info)infos[i]);
	free(made);
	return result;
}

int mpi_comm_spawn_multiple(int count, char **commands, char ***argvs, const int *most,
			    const host_word *infos, int root, host_word comm, host_word *inter,
			    int *errors)
{
	multiple_call *tool = (void *)host_get()->tool_Comm_spawn_multiple;

	return (tool ? tool : pmpi_comm_spawn_multiple)(count, commands, argvs, most, infos, root,
							comm, inter, errors);
}

#endif /* HOST_SPAWNS */
