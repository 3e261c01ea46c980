/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of fields that several messages of groups on several nodes have.
 */
#ifndef _SCATTER_WIDE_CHECK_H
#define _SCATTER_WIDE_CHECK_H

#include "wire/wide.h"

/* Numbers of operations are below this number. */
#define SCATTER_WIDE_NUMBER_END	((u64)1 << 56)

static inline bool scatter_wide_is_id(const u64 *id)
{
	return id[0] || id[1];
}

/* Whether the fields name an operation of a group. */
static inline bool scatter_wide_is_operation(const u64 *id, u64 number)
{
	return scatter_wide_is_id(id) && number < SCATTER_WIDE_NUMBER_END;
}

/* Whether only the dimensions of a schedule have extents. */
static inline bool scatter_wide_is_extents(u32 dims, const u32 *extent)
{
	u32 i;

	if (dims > SCATTER_WIDE_DIMS)
		return false;
	for (i = dims; i < SCATTER_WIDE_DIMS; i++)
		if (extent[i])
			return false;
	return true;
}

#endif /* _SCATTER_WIDE_CHECK_H */
