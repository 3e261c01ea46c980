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
	size_t i, length;
	char number[24];

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		bool last = i == ARRAY_SIZE(numbers) - 1;

		length = strcspn(text, ",");
		if (length >= sizeof(number) || last != !text[length])
			return false;
		memcpy(number, text, length);
		number[length] = 0;
		if (!parse_number(number, 10, 1, VECTOR_MAX, &numbers[i]))
			return false;
		text += length + 1;
	}
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

/* Where the last piece ends, in bytes from the start; false if that is too far. */
static bool find_end(const struct vector *vector, uint64_t elements,
		     uint64_t *end)
{
	uint64_t last, piece;

	return !__builtin_mul_overflow(elements - 1, vector->extent, &last) &&
	       !__builtin_mul_overflow(vector->count - 1, vector->stride,
				       &piece) &&
	       !__builtin_add_overflow(last, piece, end) &&
	       !__builtin_add_overflow(*end, vector->length, end);
}

/**
 * vector_check() - check that elements fit into a file, and are all of it
 * @vector: the elements; there may be none
 * @length: of the file in bytes
 *
 * Return: 0, or -errno after a message.
 */
int vector_check(const struct vector *vector, uint64_t length)
{
	uint64_t unit = vector_unit(vector);
	uint64_t end;

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
	if (!find_end(vector, length / unit, &end) || end > length) {
		complain("--vector: %" PRIu64 " elements do not fit into %" PRIu64 " bytes",
			 length / unit, length);
		return -EINVAL;
	}
	return 0;
}
