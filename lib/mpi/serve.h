/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * Choose who serves a call: the device or the host.
 */
#ifndef SCATTER_MPI_SERVE_H
#define SCATTER_MPI_SERVE_H

#include "request.h"

/**
 * serve_call() - let the device serve a call, if it may
 * @request: the call
 * @comm: its communicator, any handle
 * @result: (out) what the call is to return
 *
 * Return: false: the host is to serve the call.
 */
bool serve_call(struct request *request, host_word comm, int *result);

static inline struct operand serve_operand(const void *address, int64_t count, host_word type)
{
	return (struct operand){
		.address = (void *)address,
		.count = count,
		.type = (MPI_Datatype)type,
	};
}

static inline struct operand serve_blocks(const void *address, const void *counts,
					  const void *displs, host_word type, bool large)
{
	return (struct operand){
		.address = (void *)address,
		.counts = counts,
		.displs = displs,
		.large = large,
		.type = (MPI_Datatype)type,
	};
}

#endif /* SCATTER_MPI_SERVE_H */
