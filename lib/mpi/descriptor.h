/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * Descriptors of the device. Each communicator that the device serves has one, and there may be
 * thousands of communicators, but the program is to have as many descriptors as without the shim.
 */
#ifndef SCATTER_MPI_DESCRIPTOR_H
#define SCATTER_MPI_DESCRIPTOR_H

#define DESCRIPTOR_DEVICE	"/dev/scatter"

/**
 * descriptor_open() - open the device
 *
 * The number is one that the program could not have had, if the hard limit allows. Else the
 * lower half of the numbers is the program's.
 *
 * Return: a descriptor; -1, and errno: EMFILE if none is left for the device.
 */
int descriptor_open(void);

#endif /* SCATTER_MPI_DESCRIPTOR_H */
