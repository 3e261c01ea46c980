/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * Spawned processes inherit variables of this one. Either all processes of a communicator have the
 * shim or none: if this process has the shim from LD_PRELOAD, its spawned processes get it, too.
 */
#ifndef SCATTER_MPI_HERITAGE_H
#define SCATTER_MPI_HERITAGE_H

#include "host.h"

/**
 * heritage_add() - what a call that spawns is to pass on
 * @info: the info of the call, which stays as it is
 *
 * Return: an info for heritage_free(), or @info if there is nothing to pass on.
 */
MPI_Info heritage_add(MPI_Info info);

/** heritage_free() - free what heritage_add() has made of @info, if it has made anything */
void heritage_free(MPI_Info made, MPI_Info info);

#endif /* SCATTER_MPI_HERITAGE_H */
