// SPDX-License-Identifier: GPL-2.0
/*
 * --vector: the root's file is no sequence of parts, but has their bytes in pieces, as a
 * matrix has those of a column. Parts are whole elements, and the stream is the file.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "transfer.h"

/* So that no product of a length and a count of a file can overflow. */
#define VECTOR_MAX	(1ULL << 62)

/**
 * parse_vector() - read COUNT,LENGTH,STRIDE,EXTENT
 * @text: the numbers
 * @vector: (out) them
 *
 * Return: whether there can be such elements.
 */
bool parse_vector(const char *text, struct vector *vector)
{
	uint64_t numbers[4];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!parse_item(&text, i + 1 < ARRAY_SIZE(numbers) ? ',' : '\0', 1, VECTOR_MAX,
				&numbers[i]))
			return false;
	vector->count = numbers[0];
	vector->length = numbers[1];
	vector->stride = numbers[2];
	vector->extent = numbers[3];
	return numbers[0] <= VECTOR_MAX / numbers[1];
}

/** vector_unit() - bytes that stay together in a part: of an element, or 1 */
uint64_t vector_unit(const struct vector *vector)
{
	return vector->count ? vector->count * vector->length : 1;
}

/*
 * Whether the pieces lie one after another, in whatever order they come: those of the lesser
 * distance are as far from each other as they are long, and the others as far as those
 * all are long.
 */
static bool is_dense(const struct vector *vector, uint64_t elements)
{
	bool inward = elements == 1 ||
		      (vector->count > 1 && vector->stride < vector->extent);
	uint64_t near = inward ? vector->stride : vector->extent;
	uint64_t far = inward ? vector->extent : vector->stride;
	uint64_t many = inward ? vector->count : elements;
	uint64_t more = inward ? elements : vector->count;

	return (many == 1 || near == vector->length) &&
	       (more == 1 || far == vector->length * many);
}

/**
 * vector_check() - check that elements are all of a file, and no byte twice
 * @vector: the elements; there may be none
 * @length: of the file in bytes
 *
 * Return: 0, or -errno after a message.
 */
int vector_check(const struct vector *vector, uint64_t length)
{
	uint64_t unit = vector_unit(vector);

	if (!vector->count || !length)
		return 0;
	if (length % unit) {
		complain("--vector: %" PRIu64 " bytes are no number of elements of %" PRIu64,
			 length, unit);
		return -EINVAL;
	}
	if ((size_t)length != length) {
		complain("--vector: %" PRIu64 " bytes are more than memory can be",
			 length);
		return -EFBIG;
	}
	if (!is_dense(vector, length / unit)) {
		complain("--vector: %" PRIu64 " elements are not each of %" PRIu64 " bytes once",
			 length / unit, length);
		return -EINVAL;
	}
	return 0;
}
