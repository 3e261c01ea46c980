/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * Communicators, and the group of the device that a communicator has.
 */
#ifndef SCATTER_MPI_GROUP_H
#define SCATTER_MPI_GROUP_H

#include "registry.h"

/**
 * enum group_state - who serves a communicator, the same at all its ranks
 * @GROUP_UNDECIDED: not known before the first call
 * @GROUP_HOST: the MPI library
 * @GROUP_DEVICE: the device
 */
enum group_state {
	GROUP_UNDECIDED = 0,
	GROUP_HOST = 1,
	GROUP_DEVICE = 2,
};

/**
 * struct group - a communicator
 * @entry: in the registry, by the communicator's handle
 * @comm: the communicator
 * @state: enum group_state
 * @small: one rank alone, which the host serves without a word
 * @inter: an inter-communicator
 * @rank: of this process, in its own group
 * @size: ranks of its own group
 * @peers: ranks of the root's blocks: of the remote group, or of the one group
 * @fd: the member; -1 if there is none
 * @counts: room for @peers numbers and as many again: what the root tells the device
 *
 * Collective calls on a communicator never run at the same time, so nothing here needs a lock.
 */
struct group {
	struct registry_entry entry;
	MPI_Comm comm;
	enum group_state state;
	bool small;
	bool inter;
	int rank;
	int size;
	int peers;
	int fd;
	uint64_t *counts;
};

/**
 * group_get() - what is known of a communicator
 * @comm: a handle
 * @group: (out) valid until the communicator is freed
 *
 * Calls nothing that waits for other ranks.
 *
 * Return: MPI_SUCCESS; MPI_ERR_COMM if the handle is no communicator's; MPI_ERR_NO_MEM.
 */
int group_get(MPI_Comm comm, struct group **group);

/**
 * group_serve() - from now on the device serves a communicator
 * @group: undecided
 * @fd: the member, which the group owns from now on
 * @counts: as of struct group, likewise
 */
void group_serve(struct group *group, int fd, uint64_t *counts);

/** group_end_all() - leave all groups of the device, and know no communicator any more */
void group_end_all(void);

#endif /* SCATTER_MPI_GROUP_H */
