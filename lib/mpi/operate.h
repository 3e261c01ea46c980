/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * One call of the program as an operation of the device.
 */
#ifndef SCATTER_MPI_OPERATE_H
#define SCATTER_MPI_OPERATE_H

#include "request.h"

/**
 * operate_run() - serve a call by the device
 * @request: checked
 * @group: that the device serves
 *
 * Return: MPI_SUCCESS, or the class of an error, on which no handler was called; REQUEST_HOST: the
 * device has no such operation, for any rank, and has begun nothing.
 */
int operate_run(const struct request *request, struct group *group);

/**
 * operate_fail() - raise an error
 * @comm: the communicator, whose handler is called
 * @class: the class of the error
 *
 * Return: @class.
 */
int operate_fail(MPI_Comm comm, int class);

#endif /* SCATTER_MPI_OPERATE_H */
