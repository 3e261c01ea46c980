// SPDX-License-Identifier: GPL-2.0
/*
 * Small things that several subcommands need.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scatterctl.h"

static const char *title = "scatterctl";

/**
 * set_title() - what messages begin with
 * @text: "scatterctl COMMAND"; must stay where it is
 */
void set_title(const char *text)
{
	title = text;
}

static void complain_args(const char *tail, const char *format, va_list args)
{
	char line[1024];

	vsnprintf(line, sizeof(line), format, args);
	progress_clear();
	/* stderr is not buffered: one call, so that ranks do not mix lines. */
	dprintf(STDERR_FILENO, "%s: %s\n%s", title, line, tail);
}

/**
 * complain() - print one line to standard error
 * @format: as printf(), without the newline
 */
void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain_args("", format, args);
	va_end(args);
}

/**
 * usage_error() - say what is wrong with the command line
 * @format: as printf(), without the newline
 *
 * Return: the exit status.
 */
int usage_error(const char *format, ...)
{
	char hint[128];
	va_list args;

	snprintf(hint, sizeof(hint), "Try '%s --help'.\n", title);
	va_start(args, format);
	complain_args(hint, format, args);
	va_end(args);
	return STATUS_USAGE;
}

/**
 * parse_number() - read a whole string as an unsigned number
 * @text: the string
 * @base: 8 or 10
 * @min: smallest number allowed
 * @max: largest number allowed
 * @number: (out) the number
 *
 * Return: whether it is one.
 */
bool parse_number(const char *text, int base, uint64_t min, uint64_t max,
		  uint64_t *number)
{
	char *end;

	/* strtoull() takes signs and blanks; a count has none. */
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, base);
	return !errno && !*end && *number >= min && *number <= max;
}

/**
 * parse_bytes() - read a whole string as a number of bytes
 * @text: the string, such as 65536, 64K, 4M or 1G
 * @max: largest number allowed
 * @bytes: (out) the number; more than 0
 *
 * Return: whether it is one.
 */
bool parse_bytes(const char *text, uint64_t max, uint64_t *bytes)
{
	static const char units[] = "KMG";
	size_t length = strspn(text, "0123456789");
	const char *unit = text[length] ? strchr(units, text[length]) : NULL;
	unsigned int shift = unit ? 10 * (unit - units + 1) : 0;
	char number[24];

	if (length >= sizeof(number) || (text[length] && !unit) ||
	    (unit && text[length + 1]))
		return false;
	memcpy(number, text, length);
	number[length] = 0;
	if (!parse_number(number, 10, 1, max >> shift, bytes))
		return false;
	*bytes <<= shift;
	return true;
}

/**
 * parse_seconds() - read a whole string as seconds, with up to nine decimals
 * @text: the string, such as 3 or 0.25
 * @ns: (out) nanoseconds; more than 0
 *
 * Return: whether it is such a time. As long as INT64_MAX ns is; longer is not.
 */
bool parse_seconds(const char *text, int64_t *ns)
{
	int64_t digit_ns = NSEC_PER_SEC / 10;
	uint64_t seconds = 0;
	size_t whole = strspn(text, "0123456789");
	char number[16];

	if (!whole || whole >= sizeof(number))
		return false;
	memcpy(number, text, whole);
	number[whole] = 0;
	if (!parse_number(number, 10, 0, INT64_MAX / NSEC_PER_SEC - 1, &seconds))
		return false;
	*ns = seconds * NSEC_PER_SEC;

	text += whole;
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++) {
			*ns += (*text - '0') * digit_ns;
			digit_ns /= 10;
		}
	}
	return !*text && *ns > 0;
}

/**
 * parse_group() - check the name of a group
 * @text: the name
 *
 * Return: whether the kernel can take it.
 */
bool parse_group(const char *text)
{
	size_t length = strlen(text);
	size_t i;

	if (!length || length >= SCATTER_NAME_MAX)
		return false;
	for (i = 0; i < length; i++) {
		if (text[i] < ' ' || text[i] > '~' || text[i] == '/')
			return false;
	}
	return true;
}

/**
 * parse_item() - read the next number of a list
 * @text: (in, out) the rest of the list; behind the number and @end afterwards
 * @end: what follows the number: a delimiter or '\0'
 * @min: smallest number allowed
 * @max: largest number allowed
 * @number: (out) the number, if it is one
 *
 * Return: whether it is.
 */
bool parse_item(const char **text, char end, uint64_t min, uint64_t max,
		uint64_t *number)
{
	const char *found = strchr(*text, end);
	char digits[24];
	size_t length;

	if (!found)
		return false;
	length = found - *text;
	if (length >= sizeof(digits))
		return false;
	memcpy(digits, *text, length);
	digits[length] = '\0';
	*text = found + !!end;
	return parse_number(digits, 10, min, max, number);
}

/**
 * parse_sides() - read the sizes of the sides of an inter-group
 * @text: the sizes, such as 2,3
 * @sides: (out) both, if they are
 *
 * Return: whether a group can have them.
 */
bool parse_sides(const char *text, unsigned int *sides)
{
	uint64_t first, second;

	if (!parse_item(&text, ',', 1, MEMBERS_MAX - 1, &first) ||
	    !parse_item(&text, '\0', 1, MEMBERS_MAX - first, &second))
		return false;
	sides[0] = first;
	sides[1] = second;
	return true;
}

/**
 * write_all() - write() until everything is written
 * @fd: where to
 * @data: what
 * @length: its length in bytes
 *
 * Return: 0 or -errno.
 */
int write_all(int fd, const void *data, size_t length)
{
	const unsigned char *from = data;

	while (length) {
		ssize_t n = write(fd, from, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		from += n;
		length -= n;
	}
	return 0;
}

/** now_ns() - CLOCK_MONOTONIC in ns */
int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static const char *name_of(const char *const *names, size_t count,
			   unsigned int index)
{
	return index < count ? names[index] : NULL;
}

/** op_name() - the word for an operation, or NULL */
const char *op_name(unsigned int op)
{
	static const char *const names[] = {
		"scatter", "gather", "barrier", "scatterv", "gatherv",
	};

	return name_of(names, ARRAY_SIZE(names), op);
}

/**
 * parse_dims() - read the extents of a mesh, such as 4x4x2
 * @text: the extents, with an x between them
 * @extent: (out) each of them
 * @most: how many there may be
 * @limit: the largest product
 *
 * Return: how many there are, 0 if that will not do.
 */
unsigned int parse_dims(const char *text, uint32_t *extent, unsigned int most,
			uint64_t limit)
{
	uint64_t product = 1, value;
	unsigned int dims;

	for (dims = 0; dims < most; dims++) {
		bool more = strchr(text, 'x');

		if (!parse_item(&text, more ? 'x' : '\0', 1, limit, &value))
			return 0;
		extent[dims] = value;
		product *= value;
		if (product > limit)
			return 0;
		if (!more)
			return dims + 1;
	}
	return 0;
}

/**
 * format_dims() - extents as in 4x4x2
 * @buffer: where to
 * @length: its length
 * @dims: how many
 * @extent: the extents
 *
 * Return: @buffer.
 */
const char *format_dims(char *buffer, size_t length, unsigned int dims,
			const uint32_t *extent)
{
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < dims && used < length; i++)
		used += snprintf(buffer + used, length - used, "%s%u",
				 i ? "x" : "", extent[i]);
	return buffer;
}

/** algorithm_name() - the word for an algorithm, or NULL */
const char *algorithm_name(unsigned int algorithm)
{
	static const char *const names[] = {
		"auto", "linear", "hypercube", "mesh", "torus", "knomial",
		"rotated", "balanced", "irregular", "or-broadcast",
	};

	return name_of(names, ARRAY_SIZE(names), algorithm);
}

/** state_name() - the word for the state of a group, or NULL */
const char *state_name(unsigned int state)
{
	static const char *const names[] = { "forming", "active", "broken" };

	return name_of(names, ARRAY_SIZE(names), state);
}

/** mask_test() - whether a rank is in a set of ranks */
bool mask_test(const uint64_t *mask, unsigned int rank)
{
	return mask[rank / 64] >> (rank % 64) & 1;
}

/**
 * mask_print() - print a set of ranks as in 0,4-6,9
 * @out: where to
 * @mask: the set
 */
void mask_print(FILE *out, const uint64_t *mask)
{
	const char *comma = "";
	unsigned int first, rank;

	for (rank = 0; rank < MEMBERS_MAX; rank++) {
		if (!mask_test(mask, rank))
			continue;
		first = rank;
		while (rank + 1 < MEMBERS_MAX && mask_test(mask, rank + 1))
			rank++;
		fprintf(out, "%s%u", comma, first);
		if (rank > first)
			fprintf(out, "-%u", rank);
		comma = ",";
	}
}
