/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * A buffer of the program as the device is to see it: where it is, or, if the device has no layout
 * for the buffer's datatype, packed into temporary memory.
 */
#ifndef SCATTER_MPI_VIEW_H
#define SCATTER_MPI_VIEW_H

#include <linux/scatter.h>

#include "request.h"

/**
 * struct view - a buffer for the device
 * @operand: the buffer
 * @skip: a block that stays in place, and is not packed; -1: none
 * @address: for the device
 * @layout: for the device; its size is 0 if the bytes are side by side
 * @list: of @layout, if it is a list
 * @packed: temporary memory; NULL: the device uses the program's
 * @lengths: bytes of each block
 * @places: where each block begins, in bytes of the stream
 */
struct view {
	const struct operand *operand;
	int skip;
	void *address;
	struct scatter_layout layout;
	struct scatter_iovec *list;
	char *packed;
	uint64_t *lengths;
	uint64_t *places;
};

/**
 * view_open() - begin with a buffer
 * @view: (out) for view_close(), whatever this returns; the caller has set @operand, @skip,
 *	@lengths and @places
 * @pack: do pack, even if there is a layout
 *
 * Return: MPI_SUCCESS; MPI_ERR_COUNT if the buffer is too long for this machine; MPI_ERR_NO_MEM; an
 * error of the host's PMPI_Pack().
 */
int view_open(struct view *view, bool pack);

/**
 * view_unpack() - what the device has received goes to its places, in rank order
 * @view: of the receive buffer; nothing happens if it was not packed
 *
 * Bytes that were not received get the values that they had at view_open().
 *
 * Return: MPI_SUCCESS, or an error of the host's PMPI_Unpack().
 */
int view_unpack(const struct view *view);

/** view_close() - free what view_open() has made */
void view_close(struct view *view);

#endif /* SCATTER_MPI_VIEW_H */
