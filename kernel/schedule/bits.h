/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic that several schedules share.
 */
#ifndef _SCATTER_SCHEDULE_BITS_H
#define _SCATTER_SCHEDULE_BITS_H

#include "types.h"

/* @n is 1 and up: ceil(log2 n) is the number of bits of n - 1. */
static inline u32 scatter_ceil_log2(u32 n)
{
	return n > 1 ? 32 - (u32)__builtin_clz(n - 1) : 0;
}

static inline bool scatter_is_power_of_two(u32 n)
{
	return n && !(n & (n - 1));
}

/* The lowest set bit's number; @n is not 0. */
static inline u32 scatter_low_bit(u32 n)
{
	return (u32)__builtin_ctz(n);
}

/* The highest set bit's number; @n is not 0. */
static inline u32 scatter_high_bit(u32 n)
{
	return 31 - (u32)__builtin_clz(n);
}

static inline u32 scatter_count_bits(u32 n)
{
	u32 bits = 0;

	for (; n; n &= n - 1)
		bits++;
	return bits;
}

/* Rotates the lowest @bits bits, 1 to 32; @by is less than @bits. */
static inline u32 scatter_rotate_left(u32 word, u32 by, u32 bits)
{
	u64 wide = (u64)word << by;

	return (u32)((wide | wide >> bits) & (((u64)1 << bits) - 1));
}

static inline u32 scatter_rotate_right(u32 word, u32 by, u32 bits)
{
	return by ? scatter_rotate_left(word, bits - by, bits) : word;
}

#endif /* _SCATTER_SCHEDULE_BITS_H */
