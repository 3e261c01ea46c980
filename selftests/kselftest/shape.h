/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layouts for tests: of many shapes, made from a number, and where the uapi header says
 * that each byte is.
 */
#ifndef _KSELFTEST_SHAPE_H
#define _KSELFTEST_SHAPE_H

#include "common.h"

#define SHAPE_PIECES	24

enum shape_kind {
	SHAPE_PLAIN,	/* no layout */
	SHAPE_STRIDED,
	SHAPE_NESTED,
	SHAPE_BACKWARDS,	/* negative strides */
	SHAPE_COLUMNS,	/* elements inside each other, as of a matrix */
	SHAPE_WOVEN,	/* rows inside each other */
	SHAPE_LIST,	/* pieces in any order, some of them empty */
	SHAPE_SPLIT,	/* contiguous, as a list */
	SHAPE_KINDS,
};

/* A layout for a stream of @bytes bytes, which lies between @low and @high of memory. */
struct shape {
	struct scatter_layout layout;
	struct scatter_iovec iov[SHAPE_PIECES];
	enum shape_kind kind;
	__u64 bytes;
	char *base;
	char *low;
	char *high;
};

__u64 next_random(__u64 *state);
struct scatter_layout strided(__u64 length, __s64 stride, __u64 count, __s64 extent);
struct scatter_layout listed(const struct scatter_iovec *iov, __u32 count);
void shape_make(struct shape *shape, enum shape_kind kind, __u64 bytes,
		__u64 seed, char *from);
__u64 shape_layout(const struct shape *shape);
void shape_put(const struct shape *shape, __u64 offset, const char *data,
	       __u64 bytes);
void shape_get(const struct shape *shape, __u64 offset, char *data, __u64 bytes);
void shape_poison(const struct shape *shape, __u64 offset, __u64 bytes);

#endif /* _KSELFTEST_SHAPE_H */
