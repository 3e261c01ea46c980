// SPDX-License-Identifier: GPL-2.0
/*
 * Does the shim find the bytes of a datatype where the MPI library does? Packs buffers whose bytes
 * tell where they are, and compares with the shapes. Needs no device, and one process. Links
 * the shim's own objects. Prints TAP.
 *
 *   shapes SEED TYPES
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/mpi/form.h"
#include "draw.h"

static int tests;
static int kinds[3];

static void tell(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++tests, what);
}

/* Which byte of the buffer each packed byte is, found by packing the bytes of their offsets. */
static void trace(MPI_Datatype type, int count, MPI_Aint low, MPI_Aint bytes, int size,
		  unsigned int *from)
{
	unsigned char *buffer = malloc(bytes), *packed = malloc(size + 1);
	int digit, position;
	MPI_Aint i;

	memset(from, 0, size * sizeof(*from));
	for (digit = 0; digit < 4; digit++) {
		for (i = 0; i < bytes; i++)
			buffer[i] = i >> 8 * digit;
		position = 0;
		MPI_Pack(buffer - low, count, type, packed, size, &position, MPI_COMM_SELF);
		for (i = 0; i < size; i++)
			from[i] |= (unsigned int)packed[i] << 8 * digit;
	}
	free(buffer);
	free(packed);
}

/* The same of a shape. */
static void trace_shape(const struct form *form, int count, MPI_Aint low, unsigned int *from)
{
	const size_t pieces = shape_count(&form->shape);
	struct shape_piece *list = calloc(pieces + 1, sizeof(*list));
	int64_t k;
	size_t i;
	int n;

	shape_list(&form->shape, list);
	for (n = 0; n < count; n++) {
		for (i = 0; i < pieces; i++) {
			for (k = 0; k < list[i].length; k++)
				*from++ = n * form->extent + list[i].offset + k - low;
		}
	}
	free(list);
}

static bool agrees(MPI_Datatype type)
{
	const int count = 3;
	MPI_Aint low, extent, true_low, true_extent, bytes;
	const struct form *form;
	unsigned int *host, *ours;
	bool same;
	int size;

	if (form_get(type, &form))
		return false;
	kinds[form->shape.kind]++;
	if (form->shape.kind == SHAPE_UNKNOWN)
		return true;
	MPI_Type_size(type, &size);
	MPI_Type_get_extent(type, &low, &extent);
	MPI_Type_get_true_extent(type, &true_low, &true_extent);
	if (extent < 0)
		return true;
	bytes = true_extent + (count - 1) * extent;
	host = calloc(size * count + 1, sizeof(*host));
	ours = calloc(size * count + 1, sizeof(*ours));
	trace(type, count, true_low, bytes, size * count, host);
	trace_shape(form, count, true_low, ours);
	same = form->size == size && form->extent == extent &&
	       !memcmp(host, ours, size * count * sizeof(*host));
	free(host);
	free(ours);
	return same;
}

static void test_named(void)
{
	bool good = true;
	int i;

	for (i = 0; i < DRAW_BASES - 1; i++)
		good = good && agrees(draw_base(i));
	tell(good, "types that every program has");
}

static void test_drawn(int count)
{
	int wrong = 0, i;
	MPI_Datatype type;

	for (i = 0; i < count; i++) {
		type = draw_type(draw_base(draw(DRAW_BASES)), draw_divisor());
		if (!agrees(type)) {
			printf("# type %d differs\n", i);
			wrong++;
		}
		MPI_Type_free(&type);
	}
	printf("# %d strided, %d lists, %d unknown\n", kinds[0], kinds[1], kinds[2]);
	tell(!wrong, "types that were drawn");
	tell(kinds[0] > count / 4 && kinds[1] && kinds[2] < count / 4, "few are unknown");
}

/* A regular shape stays strided, however many pieces it has. */
static void test_regular(void)
{
	enum { MANY = 5000 };
	static int displs[MANY];
	const struct form *form;
	MPI_Datatype type;
	bool good;
	int i;

	for (i = 0; i < MANY; i++)
		displs[i] = 3 * i;
	MPI_Type_create_indexed_block(MANY, 2, displs, MPI_INT, &type);
	MPI_Type_commit(&type);
	good = !form_get(type, &form) && form->shape.kind == SHAPE_STRIDED &&
	       form->shape.count == MANY && form->shape.stride == 12 && agrees(type);
	MPI_Type_free(&type);
	tell(good, "regular blocks are a row");
	for (i = 0; i < MANY; i++)
		displs[i] = 3 * i + i % 2;
	MPI_Type_create_indexed_block(MANY, 1, displs, MPI_INT, &type);
	MPI_Type_commit(&type);
	good = !form_get(type, &form) && form->shape.kind == SHAPE_UNKNOWN;
	MPI_Type_free(&type);
	tell(good, "irregular blocks beyond the longest list are unknown");
}

/* A handle that is used again is another type. */
static void test_freed(void)
{
	const struct form *form;
	MPI_Datatype type;
	bool good = true;
	int i;

	for (i = 1; i <= 3000; i++) {
		MPI_Type_vector(i % 7 + 1, 1, 2, MPI_INT, &type);
		MPI_Type_commit(&type);
		good = good && !form_get(type, &form) && form->size == (i % 7 + 1) * 4;
		MPI_Type_free(&type);
	}
	tell(good, "types that are freed are forgotten");
}

static void test_refused(void)
{
	const struct form *form;
	MPI_Datatype type;
	bool good;

	MPI_Type_contiguous(4, MPI_INT, &type);
	good = form_get(type, &form) == MPI_ERR_TYPE;
	MPI_Type_commit(&type);
	good = good && !form_get(type, &form) && form->size == 16;
	MPI_Type_free(&type);
	good = good && form_get(MPI_DATATYPE_NULL, &form) == MPI_ERR_TYPE;
	tell(good, "a type counts from its commit on");
}

#ifndef OPEN_MPI
/* Types made with large counts tell these in another way. */
static void test_large(void)
{
	const MPI_Count length = 3, counts[] = { 2, 1 }, displs[] = { 0, 5 };
	const MPI_Count sizes[] = { 4, 5 }, parts[] = { 2, 3 }, starts[] = { 1, 1 };
	MPI_Datatype type;
	bool good = true;
	int i;

	for (i = 0; i < 6; i++) {
		if (i == 0)
			MPI_Type_contiguous_c(3, MPI_INT, &type);
		else if (i == 1)
			MPI_Type_vector_c(3, 2, 4, MPI_INT, &type);
		else if (i == 2)
			MPI_Type_create_hvector_c(3, 2, 20, MPI_INT, &type);
		else if (i == 3)
			MPI_Type_indexed_c(2, counts, displs, MPI_INT, &type);
		else if (i == 4)
			MPI_Type_create_indexed_block_c(2, length, displs, MPI_INT, &type);
		else
			MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT,
						   &type);
		MPI_Type_commit(&type);
		good = good && agrees(type);
		MPI_Type_free(&type);
	}
	tell(good, "types with large counts");
}
#endif

int main(int argc, char **argv)
{
	MPI_Init(NULL, NULL);
	draw_seed(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
	test_named();
	test_drawn(argc > 2 ? atoi(argv[2]) : 2000);
	test_regular();
	test_freed();
	test_refused();
#ifndef OPEN_MPI
	test_large();
#endif
	printf("1..%d\n", tests);
	MPI_Finalize();
	return 0;
}
