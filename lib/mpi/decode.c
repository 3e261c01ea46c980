// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * The shape of a datatype, by how the program has made the datatype. The extents of all types are
 * those that the MPI library tells, so old and new rules about bounds and gaps do not matter here.
 */
#include <stdlib.h>

#include "decode.h"

/**
 * struct recipe - what a datatype was made with
 * @combiner: MPI_COMBINER_...
 * @large: made by a function with large counts
 * @numbers: the numbers of the call, in its order; of a subarray with large counts the
 *	numbers that are int come first
 * @types: the types of the call
 * @type_count: how many
 */
struct recipe {
	int combiner;
	bool large;
	int64_t *numbers;
	MPI_Datatype *types;
	size_t type_count;
};

/* How many integers, addresses, large counts and types, in this order. */
enum { INTEGERS, ADDRESSES, COUNTS, TYPES, PARTS };

#ifdef HOST_LARGE_COUNTS
static void envelope_get(MPI_Datatype type, size_t *parts, int *combiner)
{
	MPI_Count counts[PARTS];
	size_t i;

	host_get()->Type_get_envelope_c(type, &counts[INTEGERS], &counts[ADDRESSES],
					&counts[COUNTS], &counts[TYPES], combiner);
	for (i = 0; i < PARTS; i++)
		parts[i] = counts[i];
}

static int contents_get(MPI_Datatype type, const size_t *parts, int *integers,
			MPI_Aint *addresses, MPI_Count *counts, MPI_Datatype *types)
{
	return host_get()->Type_get_contents_c(type, parts[INTEGERS], parts[ADDRESSES],
					       parts[COUNTS], parts[TYPES], integers, addresses,
					       counts, types);
}
#else
static void envelope_get(MPI_Datatype type, size_t *parts, int *combiner)
{
	int integers, addresses, types;

	host_get()->Type_get_envelope(type, &integers, &addresses, &types, combiner);
	parts[INTEGERS] = integers;
	parts[ADDRESSES] = addresses;
	parts[COUNTS] = 0;
	parts[TYPES] = types;
}

static int contents_get(MPI_Datatype type, const size_t *parts, int *integers,
			MPI_Aint *addresses, MPI_Count *counts, MPI_Datatype *types)
{
	(void)counts;
	return host_get()->Type_get_contents(type, parts[INTEGERS], parts[ADDRESSES], parts[TYPES],
					     integers, addresses, types);
}
#endif

static void recipe_free(struct recipe *recipe)
{
	free(recipe->numbers);
	free(recipe->types);
}

/* All numbers, of whatever width, become one array. */
static bool recipe_read(struct recipe *recipe, MPI_Datatype type, const size_t *parts)
{
	const size_t all = parts[INTEGERS] + parts[ADDRESSES] + parts[COUNTS];
	int *integers = calloc(parts[INTEGERS] + 1, sizeof(*integers));
	MPI_Aint *addresses = calloc(parts[ADDRESSES] + 1, sizeof(*addresses));
	MPI_Count *counts = calloc(parts[COUNTS] + 1, sizeof(*counts));
	bool good;
	size_t i;

	recipe->large = parts[COUNTS];
	recipe->numbers = calloc(all + 1, sizeof(*recipe->numbers));
	recipe->types = calloc(parts[TYPES] + 1, sizeof(*recipe->types));
	good = integers && addresses && counts && recipe->numbers && recipe->types &&
	       !contents_get(type, parts, integers, addresses, counts, recipe->types);
	recipe->type_count = good ? parts[TYPES] : 0;
	for (i = 0; good && i < all; i++) {
		if (i < parts[INTEGERS])
			recipe->numbers[i] = integers[i];
		else if (i < parts[INTEGERS] + parts[ADDRESSES])
			recipe->numbers[i] = addresses[i - parts[INTEGERS]];
		else
			recipe->numbers[i] = counts[i - parts[INTEGERS] - parts[ADDRESSES]];
	}
	free(integers);
	free(addresses);
	free(counts);
	return good;
}

static int64_t extent_of(MPI_Datatype type)
{
	MPI_Count low = 0, extent = 0;

	host_get()->Type_get_extent_x(type, &low, &extent);
	return extent;
}

/* Decode a type that is not made of other types. MPI_SHORT_INT alone has a gap inside. */
static struct shape decode_named(MPI_Datatype type)
{
	MPI_Count low = 0, extent = 0, size = 0;
	struct shape shape, second;

	if (type == host_get()->short_int) {
		shape = shape_bytes(0, sizeof(short));
		second = shape_bytes(_Alignof(int), sizeof(int));
		shape_append(&shape, &second);
		return shape;
	}
	host_get()->Type_size_x(type, &size);
	host_get()->Type_get_true_extent_x(type, &low, &extent);
	if (size && size != extent)
		return shape_unknown();
	return shape_bytes(low, size);
}

/* @times blocks of @length elements, @step bytes apart. */
static struct shape decode_vector(const struct recipe *recipe, int64_t times, int64_t length,
				  int64_t step)
{
	struct shape shape = decode_type(recipe->types[0]);

	shape_repeat(&shape, length, extent_of(recipe->types[0]));
	shape_repeat(&shape, times, step);
	return shape;
}

/* A copy that has a list of its own. */
static struct shape copy_of(const struct shape *shape)
{
	struct shape copy = shape_bytes(0, 0), same = *shape;
	const size_t size = shape_count(shape);

	if (shape->kind != SHAPE_PIECES)
		return same;
	same.pieces = malloc(size * sizeof(*same.pieces));
	if (!same.pieces)
		return shape_unknown();
	shape_list(shape, same.pieces);
	shape_append(&copy, &same);
	return copy;
}

/*
 * Blocks of lengths and displacements of their own. @lengths has one number for all if @same is
 * set; a displacement counts units of @unit bytes. A struct has a type for each block.
 */
static struct shape decode_blocks(const struct recipe *recipe, const int64_t *lengths, bool same,
				  const int64_t *displs, int64_t unit)
{
	const int64_t count = recipe->numbers[0];
	const bool one = recipe->type_count == 1;
	struct shape shape = shape_bytes(0, 0), element = shape_unknown(), block;
	int64_t extent = 0, i;

	for (i = 0; i < count && shape.kind != SHAPE_UNKNOWN; i++) {
		if (!i || !one) {
			shape_free(&element);
			element = decode_type(recipe->types[i]);
			extent = extent_of(recipe->types[i]);
		}
		block = copy_of(&element);
		shape_repeat(&block, same ? *lengths : lengths[i], extent);
		shape_shift(&block, displs[i] * unit);
		if (block.kind == SHAPE_UNKNOWN) {
			shape_free(&shape);
			shape = block;
		} else {
			shape_append(&shape, &block);
		}
	}
	shape_free(&element);
	return shape;
}

/* A part of an array: the dimension that varies fastest is the innermost one. */
static struct shape decode_subarray(const struct recipe *recipe)
{
	const int64_t dims = recipe->numbers[0];
	const int64_t *sizes = recipe->numbers + (recipe->large ? 2 : 1);
	const int64_t *parts = sizes + dims, *starts = parts + dims;
	const int64_t order = recipe->large ? recipe->numbers[1] : starts[dims];
	struct shape shape = decode_type(recipe->types[0]);
	int64_t step = extent_of(recipe->types[0]), i, dim;

	for (i = 0; i < dims; i++) {
		dim = order == MPI_ORDER_C ? dims - 1 - i : i;
		shape_repeat(&shape, parts[dim], step);
		shape_shift(&shape, starts[dim] * step);
		step *= sizes[dim];
	}
	return shape;
}

/* The unit of strides and displacements: an element or a byte. */
static int64_t unit_of(const struct recipe *recipe)
{
	switch (recipe->combiner) {
	case MPI_COMBINER_VECTOR:
	case MPI_COMBINER_INDEXED:
	case MPI_COMBINER_INDEXED_BLOCK:
		return extent_of(recipe->types[0]);
	default:
		return 1;
	}
}

static struct shape decode_recipe(const struct recipe *recipe)
{
	const int64_t *numbers = recipe->numbers;
	const int64_t unit = unit_of(recipe);

	switch (recipe->combiner) {
	case MPI_COMBINER_DUP:
	case MPI_COMBINER_RESIZED:
		return decode_type(recipe->types[0]);
	case MPI_COMBINER_CONTIGUOUS:
		return decode_vector(recipe, 1, numbers[0], 0);
	case MPI_COMBINER_VECTOR:
	case MPI_COMBINER_HVECTOR:
		return decode_vector(recipe, numbers[0], numbers[1], numbers[2] * unit);
	case MPI_COMBINER_INDEXED:
	case MPI_COMBINER_HINDEXED:
	case MPI_COMBINER_STRUCT:
		return decode_blocks(recipe, numbers + 1, false, numbers + 1 + numbers[0], unit);
	case MPI_COMBINER_INDEXED_BLOCK:
	case MPI_COMBINER_HINDEXED_BLOCK:
		return decode_blocks(recipe, numbers + 1, true, numbers + 2, unit);
	case MPI_COMBINER_SUBARRAY:
		return decode_subarray(recipe);
	default:
		return shape_unknown();
	}
}

static bool is_named(int combiner)
{
	switch (combiner) {
	case MPI_COMBINER_NAMED:
	case MPI_COMBINER_F90_REAL:
	case MPI_COMBINER_F90_COMPLEX:
	case MPI_COMBINER_F90_INTEGER:
		return true;
	default:
		return false;
	}
}

/* The MPI library hands out types of its own that have to be freed, but for named ones. */
static void types_free(struct recipe *recipe)
{
	size_t parts[PARTS], i;
	int combiner;

	for (i = 0; i < recipe->type_count; i++) {
		envelope_get(recipe->types[i], parts, &combiner);
		if (!is_named(combiner))
			host_get()->Type_free(&recipe->types[i]);
	}
}

struct shape decode_type(MPI_Datatype type)
{
	struct recipe recipe = { .combiner = MPI_COMBINER_NAMED };
	struct shape shape = shape_unknown();
	size_t parts[PARTS];

	envelope_get(type, parts, &recipe.combiner);
	if (is_named(recipe.combiner))
		return decode_named(type);
	if (recipe_read(&recipe, type, parts))
		shape = decode_recipe(&recipe);
	types_free(&recipe);
	recipe_free(&recipe);
	return shape;
}
