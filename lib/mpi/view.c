// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * A buffer of the program as the device is to see it.
 *
 * The stream of a layout is the elements of the datatype from the first one that is used, one
 * extent apart. So a displacement of n elements is n times the size in the stream, whatever the
 * extent is.
 */
#include <limits.h>
#include <stdlib.h>

#include "self.h"
#include "view.h"

/* The host counts bytes of a pack buffer with an int. */
#define SLICE_BYTES	(1LL << 30)

/* The elements that blocks use: the lowest, and how many from there on. */
struct span {
	int64_t first;
	int64_t count;
};

static void *at_element(const struct operand *operand, int64_t element)
{
	return (void *)((uintptr_t)operand->address + element * operand->form->extent);
}

static bool span_of(const struct operand *operand, struct span *span)
{
	int64_t first = INT64_MAX, last = INT64_MIN, count, displ, end;
	int i;

	*span = (struct span){ 0, 0 };
	if (!operand->counts)
		return !__builtin_mul_overflow(operand->count, operand->blocks, &span->count);
	for (i = 0; i < operand->blocks; i++) {
		count = operand_count(operand, i);
		if (!count)
			continue;
		displ = operand_displ(operand, i);
		if (__builtin_add_overflow(displ, count, &end))
			return false;
		first = displ < first ? displ : first;
		last = end > last ? end : last;
	}
	if (first > last)
		return true;
	span->first = first;
	return !__builtin_sub_overflow(last, first, &span->count);
}

/* Blocks of one length, side by side. */
static bool measure_even(struct view *view)
{
	const struct operand *operand = view->operand;
	uint64_t length, total, place = 0;
	int i;

	if (__builtin_mul_overflow(operand->count, operand->form->size, &length) ||
	    __builtin_mul_overflow(length, operand->blocks, &total))
		return false;
	for (i = 0; i < operand->blocks; i++, place += length) {
		view->lengths[i] = length;
		view->places[i] = place;
	}
	return true;
}

/* Lengths and places of blocks in the stream that begins at @first. */
static bool measure(struct view *view, int64_t first)
{
	const struct operand *operand = view->operand;
	const int64_t size = operand->form->size;
	int64_t count, displ;
	int i;

	if (!operand->counts)
		return measure_even(view);
	for (i = 0; i < operand->blocks; i++) {
		count = operand_count(operand, i);
		displ = count ? operand_displ(operand, i) - first : 0;
		if (__builtin_mul_overflow(count, size, &view->lengths[i]) ||
		    __builtin_mul_overflow(displ, size, &view->places[i]))
			return false;
	}
	return true;
}

static void lay_out_strided(struct view *view, const struct form *form)
{
	view->layout = (struct scatter_layout){
		.size = sizeof(view->layout),
		.kind = SCATTER_LAYOUT_STRIDED,
		.length = form->shape.length,
		.stride = form->shape.stride,
		.count = form->shape.count,
		.row_stride = form->shape.row_stride,
		.rows = form->shape.rows,
		.extent = form->extent,
	};
}

/* Each element has the pieces of the datatype's list. */
static bool lay_out_list(struct view *view, const struct span *span)
{
	const struct form *form = view->operand->form;
	const size_t size = form->shape.size;
	struct scatter_iovec *piece;
	uintptr_t element;
	int64_t n;
	size_t i;

	if ((uint64_t)span->count > SCATTER_IOV_MAX / size)
		return false;
	view->list = malloc(span->count * size * sizeof(*view->list));
	if (!view->list)
		return false;
	piece = view->list;
	for (n = 0; n < span->count; n++) {
		element = (uintptr_t)at_element(view->operand, span->first + n);
		for (i = 0; i < size; i++, piece++) {
			piece->base = element + form->shape.pieces[i].offset;
			piece->length = form->shape.pieces[i].length;
		}
	}
	view->layout = (struct scatter_layout){
		.size = sizeof(view->layout),
		.kind = SCATTER_LAYOUT_IOVEC,
		.iov = (uintptr_t)view->list,
		.iov_count = span->count * size,
	};
	return true;
}

/* False: there is no layout for this. */
static bool lay_out(struct view *view, const struct span *span)
{
	const struct form *form = view->operand->form;

	view->address = at_element(view->operand, span->first);
	if (!form->size || !span->count)
		return true;
	if (form->shape.kind == SHAPE_UNKNOWN)
		return false;
	if (form->shape.kind == SHAPE_PIECES)
		return lay_out_list(view, span);
	view->address = (char *)view->address + form->shape.base;
	if (!form_is_contiguous(form))
		lay_out_strided(view, form);
	return true;
}

/* Packs or unpacks a block, as @packs says. */
static int move_block(const struct view *view, int block, bool packs)
{
	const struct operand *operand = view->operand;
	const int64_t size = operand->form->size;
	const int64_t most = size < SLICE_BYTES ? SLICE_BYTES / size : 1;
	int64_t left = operand_count(operand, block), element = operand_displ(operand, block);
	char *packed = view->packed + view->places[block];
	const struct host *host = host_get();
	int position, now, error = 0;
	MPI_Comm self;

	if (size > INT_MAX || !self_get(&self))
		return MPI_ERR_COUNT;
	for (; left && !error; left -= now, element += now, packed += now * size) {
		now = left < most ? left : most;
		position = 0;
		if (packs)
			error = host->Pack(at_element(operand, element), now, operand->type, packed,
					   now * size, &position, self);
		else
			error = host->Unpack(packed, now * size, &position,
					     at_element(operand, element), now, operand->type,
					     self);
	}
	return error;
}

static int move_all(const struct view *view, bool packs)
{
	int i, error = MPI_SUCCESS;

	for (i = 0; i < view->operand->blocks && !error; i++) {
		if (i != view->skip && view->lengths[i])
			error = move_block(view, i, packs);
	}
	return error;
}

/* Blocks side by side, with the values that they have. */
static int pack(struct view *view)
{
	uint64_t total = 0;
	int i;

	for (i = 0; i < view->operand->blocks; i++) {
		view->places[i] = total;
		total += view->lengths[i];
	}
	view->packed = malloc(total ? total : 1);
	if (!view->packed)
		return MPI_ERR_NO_MEM;
	view->address = view->packed;
	return move_all(view, true);
}

int view_open(struct view *view, bool pack_it)
{
	struct span span;

	view->layout.size = 0;
	view->list = NULL;
	view->packed = NULL;
	if (!span_of(view->operand, &span) || !measure(view, span.first))
		return MPI_ERR_COUNT;
	if (!pack_it && lay_out(view, &span))
		return MPI_SUCCESS;
	return pack(view);
}

int view_unpack(const struct view *view)
{
	return view->packed ? move_all(view, false) : MPI_SUCCESS;
}

void view_close(struct view *view)
{
	free(view->list);
	free(view->packed);
	view->list = NULL;
	view->packed = NULL;
}
