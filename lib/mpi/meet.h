/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * All ranks of a communicator decide who serves it.
 */
#ifndef SCATTER_MPI_MEET_H
#define SCATTER_MPI_MEET_H

#include "group.h"

/**
 * meet_decide() - decide, and form the group
 * @group: undecided; then served by the host or by the device, the same at all ranks
 *
 * Collective over the communicator: all ranks make their first call that the device could serve.
 *
 * Return: MPI_SUCCESS, or an error of the reduction, on which the host has called the handler.
 */
int meet_decide(struct group *group);

#endif /* SCATTER_MPI_MEET_H */
