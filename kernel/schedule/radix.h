/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mixed radix: the coordinates of a rank in a mesh or torus.
 *
 * Ranks are row-major: dimension i counts in steps of the product of the extents behind dimension
 * i. With all extents 2 the coordinates are the bits of the rank, and the mesh is the hypercube.
 */
#ifndef _SCATTER_SCHEDULE_RADIX_H
#define _SCATTER_SCHEDULE_RADIX_H

#include "types.h"

/* How far apart in rank neighbours along dimension @dim are */
static inline u32 scatter_radix_stride(const u32 *extent, u32 dims, u32 dim)
{
	u32 stride = 1;

	while (--dims > dim)
		stride *= extent[dims];
	return stride;
}

static inline u32 scatter_radix_digit(u32 rank, u32 stride, u32 extent)
{
	return rank / stride % extent;
}

/* The product of the extents; 0 if an extent is 0 or the product does not fit in 32 bits */
static inline u32 scatter_radix_product(const u32 *extent, u32 dims)
{
	u64 product = 1;
	u32 i;

	for (i = 0; i < dims; i++) {
		product *= extent[i];
		if (!product || product > (u32)-1)
			return 0;
	}
	return (u32)product;
}

#endif /* _SCATTER_SCHEDULE_RADIX_H */
