/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * A communicator of this process alone, for what the shim asks of the MPI library.
 */
#ifndef SCATTER_MPI_SELF_H
#define SCATTER_MPI_SELF_H

#include <mpi.h>
#include <stdbool.h>

/**
 * self_get() - the communicator, made at the first call
 * @comm: (out) what the host returns errors on, calling no handler
 *
 * Return: false if the program has neither MPI_COMM_WORLD nor a session.
 */
bool self_get(MPI_Comm *comm);

/** self_progress() - let the MPI library work on all that is under way */
void self_progress(void);

/**
 * self_end() - leave nothing under way; before the MPI library ends
 *
 * While MPI_Finalize() runs, the program's own callbacks may need the communicator once more.
 * Then self_get() makes another one.
 */
void self_end(void);

/** self_forget() - what callbacks have made ended with the MPI library */
void self_forget(void);

#endif /* SCATTER_MPI_SELF_H */
