/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * One call of the program.
 */
#ifndef SCATTER_MPI_REQUEST_H
#define SCATTER_MPI_REQUEST_H

#include "form.h"
#include "group.h"

/**
 * struct operand - a buffer, as the program describes it
 * @address: where it begins
 * @type: of the elements
 * @count: elements of a block, if @counts is NULL
 * @counts: elements of each block: int, or MPI_Count
 * @displs: where each block begins, in extents of @type: int, or MPI_Aint; if @counts is NULL, the
 *	blocks lie side by side
 * @large: @counts and @displs have large numbers
 * @blocks: how many
 * @form: of @type; set by request_check()
 */
struct operand {
	void *address;
	MPI_Datatype type;
	int64_t count;
	const void *counts;
	const void *displs;
	bool large;
	int blocks;
	const struct form *form;
};

/**
 * struct request - a call
 * @gathers: a gather, not a scatter
 * @vector: a v form
 * @all: what the root scatters or gathers
 * @own: what a rank receives or sends
 * @root: as the program gives it
 * @is_root: this rank has @all; set by request_check()
 * @owns: this rank has @own: neither in place nor without a part; set by request_check()
 */
struct request {
	bool gathers;
	bool vector;
	struct operand all;
	struct operand own;
	int root;
	bool is_root;
	bool owns;
};

static inline int64_t operand_count(const struct operand *operand, int block)
{
	if (!operand->counts)
		return operand->count;
	if (operand->large)
		return ((const MPI_Count *)operand->counts)[block];
	return ((const int *)operand->counts)[block];
}

static inline int64_t operand_displ(const struct operand *operand, int block)
{
	if (!operand->counts)
		return operand->count * block;
	if (operand->large)
		return ((const MPI_Aint *)operand->displs)[block];
	return ((const int *)operand->displs)[block];
}

/** REQUEST_HOST - what request_check() returns for a call that the host surely refuses */
#define REQUEST_HOST	(-1)

/**
 * request_check() - check the arguments that matter at this rank, and find out what these are
 * @request: the call
 * @group: of its communicator
 *
 * Return: MPI_SUCCESS; REQUEST_HOST; the class of an error that the host might not notice.
 */
int request_check(struct request *request, const struct group *group);

#endif /* SCATTER_MPI_REQUEST_H */
