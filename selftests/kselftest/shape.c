// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "shape.h"

__u64 next_random(__u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

struct scatter_layout strided(__u64 length, __s64 stride, __u64 count, __s64 extent)
{
	return (struct scatter_layout){
		.size = sizeof(struct scatter_layout),
		.kind = SCATTER_LAYOUT_STRIDED,
		.length = length,
		.stride = stride,
		.count = count,
		.rows = 1,
		.extent = extent,
	};
}

struct scatter_layout listed(const struct scatter_iovec *iov, __u32 count)
{
	return (struct scatter_layout){
		.size = sizeof(struct scatter_layout),
		.kind = SCATTER_LAYOUT_IOVEC,
		.iov = address(iov),
		.iov_count = count,
	};
}

/* Pieces with gaps, forwards or in the order of a shuffled pack. */
static void make_list(struct shape *shape, __u64 *random, char *from)
{
	const bool split = shape->kind == SHAPE_SPLIT;
	__u64 left = shape->bytes;
	unsigned int order[SHAPE_PIECES], i, j;

	for (i = 0; i < SHAPE_PIECES; i++) {
		__u64 n = next_random(random) % (2 * shape->bytes / SHAPE_PIECES + 2);

		if (i % 5 == 3 || n > left)
			n = i % 5 == 3 ? 0 : left;
		if (i == SHAPE_PIECES - 1)
			n = left;
		shape->iov[i].length = n;
		left -= n;
		order[i] = i;
	}
	for (i = SHAPE_PIECES; !split && i > 1; i--) {
		unsigned int was = order[i - 1];

		j = next_random(random) % i;
		order[i - 1] = order[j];
		order[j] = was;
	}
	shape->low = from;
	for (i = 0; i < SHAPE_PIECES; i++) {
		struct scatter_iovec *piece = &shape->iov[order[i]];

		if (!split)
			from += next_random(random) % 90;
		piece->base = address(from);
		from += piece->length;
	}
	shape->high = from;
	/* More than is used does not matter. */
	shape->iov[SHAPE_PIECES - 1].length += split ? 0 : 3;
	shape->high += split ? 0 : 3;
	shape->layout = listed(shape->iov, SHAPE_PIECES);
}

static __u64 elements_of(const struct shape *shape)
{
	const struct scatter_layout *layout = &shape->layout;
	__u64 element = layout->length * layout->count * layout->rows;

	return (shape->bytes + element - 1) / element;
}

/* Pieces of up to @most bytes; levels lie side by side, with gaps. */
static void make_levels(struct shape *shape, __u64 *random, __u64 most)
{
	struct scatter_layout *layout = &shape->layout;
	__u64 length = 1 + next_random(random) % most, span;
	const __u64 count = 1 + next_random(random) % 7;

	*layout = strided(length, (__s64)(length + next_random(random) % 40), count, 0);
	span = (count - 1) * (__u64)layout->stride + length;
	if (shape->kind != SHAPE_STRIDED) {
		layout->rows = 1 + next_random(random) % 4;
		layout->row_stride = (__s64)(span + next_random(random) % 100);
		span += (layout->rows - 1) * (__u64)layout->row_stride;
	}
	layout->extent = (__s64)(span + next_random(random) % 30);
	if (shape->kind == SHAPE_BACKWARDS) {
		layout->stride = -layout->stride;
		layout->extent = -layout->extent;
	}
}

static void make_columns(struct shape *shape, __u64 *random)
{
	const __u64 length = 1 + next_random(random) % 16;
	const __u64 count = 1 + next_random(random) % 50;
	const __u64 columns = (shape->bytes + length * count - 1) / (length * count);

	shape->layout = strided(length, (__s64)((columns + 1) * length), count,
				(__s64)length);
}

/* The second row of an element begins between the first pieces of the first one. */
static void make_woven(struct shape *shape, __u64 *random)
{
	struct scatter_layout *layout = &shape->layout;
	const __u64 length = 1 + next_random(random) % 3000;
	const __u64 rows = 2 + next_random(random) % 4;
	const __u64 count = 2 + next_random(random) % 5;
	const __u64 stride = rows * (length + 1) + 3;

	*layout = strided(length, (__s64)stride, count, (__s64)(count * stride));
	layout->rows = rows;
	layout->row_stride = (__s64)length + 1;
}

/* What something that is repeated leads over. */
static void widen(struct shape *shape, __s64 stride, __u64 times)
{
	const __s64 way = stride * (__s64)(times - 1);

	if (way < 0)
		shape->base -= way;
	shape->high += way < 0 ? -way : way;
}

/* A shape whose memory begins at @from. */
void shape_make(struct shape *shape, enum shape_kind kind, __u64 bytes,
		__u64 seed, char *from)
{
	__u64 random = seed * 2654435761ULL + kind;
	const __u64 most = next_random(&random) % 3 ? 40 : 9000;

	*shape = (struct shape){ .kind = kind, .bytes = bytes, .base = from,
				 .low = from, .high = from };
	switch (kind) {
	case SHAPE_PLAIN:
		shape->high += bytes;
		return;
	case SHAPE_LIST:
	case SHAPE_SPLIT:
		make_list(shape, &random, from);
		return;
	case SHAPE_COLUMNS:
		make_columns(shape, &random);
		break;
	case SHAPE_WOVEN:
		make_woven(shape, &random);
		break;
	default:
		make_levels(shape, &random, most);
	}
	widen(shape, shape->layout.stride, shape->layout.count);
	widen(shape, shape->layout.row_stride, shape->layout.rows);
	if (bytes)
		widen(shape, shape->layout.extent, elements_of(shape));
	shape->high += shape->layout.length;
}

/* What goes into struct scatter_coll. */
__u64 shape_layout(const struct shape *shape)
{
	return shape->kind == SHAPE_PLAIN ? 0 : address(&shape->layout);
}

/* The address of byte @offset of the stream; *@run: bytes from there that follow it. */
static char *shape_at(const struct shape *shape, __u64 offset, __u64 *run)
{
	const struct scatter_layout *layout = &shape->layout;
	__u64 piece, element;
	unsigned int i;

	if (shape->kind == SHAPE_PLAIN) {
		*run = shape->bytes - offset;
		return shape->base + offset;
	}
	if (layout->kind == SCATTER_LAYOUT_IOVEC) {
		for (i = 0; i < layout->iov_count; i++) {
			*run = shape->iov[i].length - offset;
			if (offset < shape->iov[i].length)
				return (char *)pointer(shape->iov[i].base) + offset;
			offset -= shape->iov[i].length;
		}
		abort();
	}
	piece = offset / layout->length;
	element = piece / layout->count / layout->rows;
	*run = layout->length - offset % layout->length;
	return shape->base + offset % layout->length +
	       (__s64)(piece % layout->count) * layout->stride +
	       (__s64)(piece / layout->count % layout->rows) * layout->row_stride +
	       (__s64)element * layout->extent;
}

void shape_put(const struct shape *shape, __u64 offset, const char *data,
	       __u64 bytes)
{
	__u64 done, n;

	for (done = 0; done < bytes; done += n) {
		char *at = shape_at(shape, offset + done, &n);

		n = n < bytes - done ? n : bytes - done;
		memcpy(at, data + done, n);
	}
}

void shape_get(const struct shape *shape, __u64 offset, char *data, __u64 bytes)
{
	__u64 done, n;

	for (done = 0; done < bytes; done += n) {
		const char *at = shape_at(shape, offset + done, &n);

		n = n < bytes - done ? n : bytes - done;
		memcpy(data + done, at, n);
	}
}

void shape_poison(const struct shape *shape, __u64 offset, __u64 bytes)
{
	__u64 done, n;

	for (done = 0; done < bytes; done += n) {
		char *at = shape_at(shape, offset + done, &n);

		n = n < bytes - done ? n : bytes - done;
		memset(at, POISON, n);
	}
}
