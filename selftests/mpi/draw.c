// SPDX-License-Identifier: GPL-2.0
/*
 * Random numbers from a seed, and random datatypes.
 */
#include <stddef.h>

#include "draw.h"

static uint64_t state;

void draw_seed(uint64_t seed)
{
	state = seed * 0x9e3779b97f4a7c15ULL + 1;
}

/* xorshift64* */
int draw(int bound)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (int)((state * 0x2545f4914f6cdd1dULL >> 33) % (unsigned int)bound);
}

int draw_divisor(void)
{
	static const int divisors[] = { 1, 2, 3, 4, 6, 12 };

	return divisors[draw(6)];
}

/* What a program has: a number and a sign, with a gap inside and one at the end. */
static MPI_Datatype record_make(void)
{
	struct record {
		char sign;
		double value;
		short kind;
	};
	int lengths[] = { 1, 1, 1 };
	MPI_Aint displs[] = {
		offsetof(struct record, sign), offsetof(struct record, value),
		offsetof(struct record, kind),
	};
	MPI_Datatype types[] = { MPI_CHAR, MPI_DOUBLE, MPI_SHORT };
	MPI_Datatype packed, record;

	MPI_Type_create_struct(3, lengths, displs, types, &packed);
	MPI_Type_create_resized(packed, 0, sizeof(struct record), &record);
	MPI_Type_free(&packed);
	return record;
}

MPI_Datatype draw_base(int number)
{
	static MPI_Datatype record = MPI_DATATYPE_NULL;

	switch (number) {
	case 0:
		return MPI_INT;
	case 1:
		return MPI_DOUBLE;
	case 2:
		return MPI_CHAR;
	case 3:
		return MPI_SHORT_INT;
	case 4:
		return MPI_DOUBLE_INT;
	case 5:
		return MPI_LONG_DOUBLE_INT;
	case 6:
		return MPI_C_DOUBLE_COMPLEX;
	default:
		if (record == MPI_DATATYPE_NULL)
			record = record_make();
		return record;
	}
}

static int draw_factor(int count)
{
	int factor;

	do {
		factor = 1 + draw(count);
	} while (count % factor);
	return factor;
}

static MPI_Aint extent_of(MPI_Datatype type)
{
	MPI_Aint low, extent;

	MPI_Type_get_extent(type, &low, &extent);
	return extent;
}

/* @count elements in up to three blocks, with gaps, the first one not always first in memory. */
static int draw_blocks(int count, int *lengths, int *displs)
{
	int blocks = 1 + draw(count < 3 ? count : 3), left = count, at = draw(3), i, swap;

	for (i = 0; i < blocks; i++) {
		lengths[i] = i == blocks - 1 ? left : 1 + draw(left - (blocks - 1 - i));
		left -= lengths[i];
		displs[i] = at;
		at += lengths[i] + draw(3);
	}
	if (blocks > 1 && draw_one_in(3)) {
		swap = displs[0];
		displs[0] = displs[1];
		displs[1] = swap;
		swap = lengths[0];
		lengths[0] = lengths[1];
		lengths[1] = swap;
	}
	return blocks;
}

/* The kinds of constructors with blocks: by elements, by bytes, and with a type for each. */
static void make_blocks(MPI_Datatype inner, int count, MPI_Datatype *type)
{
	const MPI_Aint extent = extent_of(inner);
	const int way = draw(3);
	int lengths[3], displs[3], blocks, i;
	MPI_Aint bytes[3];
	MPI_Datatype types[3];

	blocks = draw_blocks(count, lengths, displs);
	for (i = 0; i < blocks; i++) {
		bytes[i] = displs[i] * extent;
		types[i] = inner;
	}
	if (way == 0)
		MPI_Type_indexed(blocks, lengths, displs, inner, type);
	else if (way == 1)
		MPI_Type_create_hindexed(blocks, lengths, bytes, inner, type);
	else
		MPI_Type_create_struct(blocks, lengths, bytes, types, type);
}

static void make_equal_blocks(MPI_Datatype inner, int count, MPI_Datatype *type)
{
	const MPI_Aint extent = extent_of(inner);
	int length = draw_factor(count), blocks = count / length, at = -draw(3), i;
	int displs[DRAW_UNIT];
	MPI_Aint bytes[DRAW_UNIT];

	for (i = 0; i < blocks; i++) {
		displs[i] = at;
		bytes[i] = at * extent;
		at += length + draw(2);
	}
	if (draw_one_in(2))
		MPI_Type_create_indexed_block(blocks, length, displs, inner, type);
	else
		MPI_Type_create_hindexed_block(blocks, length, bytes, inner, type);
}

static void make_vector(MPI_Datatype inner, int count, MPI_Datatype *type)
{
	const int length = draw_factor(count), stride = length + draw(3);
	/* Open MPI 4.1.4 turns a row without gaps that goes backwards around. */
	const bool back = stride > length && draw_one_in(2);
	const MPI_Aint bytes = (back ? -1 : 1) * stride * extent_of(inner);

	if (draw_one_in(2))
		MPI_Type_vector(count / length, length, stride, inner, type);
	else
		MPI_Type_create_hvector(count / length, length, bytes, inner, type);
}

static void make_subarray(MPI_Datatype inner, int count, MPI_Datatype *type)
{
	int parts[3], sizes[3], starts[3], i;

	parts[0] = draw_factor(count);
	parts[1] = draw_factor(count / parts[0]);
	parts[2] = count / parts[0] / parts[1];
	for (i = 0; i < 3; i++) {
		starts[i] = draw(2);
		sizes[i] = starts[i] + parts[i] + draw(2);
	}
	MPI_Type_create_subarray(3, sizes, parts, starts,
				 draw_one_in(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, inner, type);
}

/* Each second element of an array: what one of two processes has. */
static void make_darray(MPI_Datatype inner, int count, MPI_Datatype *type)
{
	int size = 2 * count, distribution = MPI_DISTRIBUTE_CYCLIC;
	int argument = MPI_DISTRIBUTE_DFLT_DARG, processes = 2;

	MPI_Type_create_darray(2, draw(2), 1, &size, &distribution, &argument, &processes,
			       MPI_ORDER_C, inner, type);
}

static void make_one(MPI_Datatype inner, int count, MPI_Datatype *type)
{
	switch (draw(7)) {
	case 0:
		MPI_Type_contiguous(count, inner, type);
		break;
	case 1:
	case 2:
		make_blocks(inner, count, type);
		break;
	case 3:
		make_equal_blocks(inner, count, type);
		break;
	case 4:
		make_subarray(inner, count, type);
		break;
	case 5:
		if (draw_one_in(3))
			make_darray(inner, count, type);
		else
			make_vector(inner, count, type);
		break;
	default:
		make_vector(inner, count, type);
	}
}

/* Larger than it is, or with another lower bound. */
static void make_resized(MPI_Datatype *type)
{
	MPI_Aint low, extent, true_low, true_extent;
	MPI_Datatype old = *type;

	MPI_Type_get_extent(old, &low, &extent);
	MPI_Type_get_true_extent(old, &true_low, &true_extent);
	MPI_Type_create_resized(old, true_low - 8 * draw(3), true_extent + 16 * (1 + draw(3)),
				type);
	MPI_Type_free(&old);
}

MPI_Datatype draw_type(MPI_Datatype base, int count)
{
	MPI_Datatype type, inner;
	int left = count, outer;

	MPI_Type_dup(base, &type);
	do {
		outer = draw_one_in(2) ? left : draw_factor(left);
		inner = type;
		make_one(inner, outer, &type);
		MPI_Type_free(&inner);
		left /= outer;
		if (draw_one_in(5))
			make_resized(&type);
	} while (left > 1 || draw_one_in(4));
	MPI_Type_commit(&type);
	return type;
}
