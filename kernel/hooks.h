/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks for tests of the module: only a build with KUnit suites has them.
 */
#ifndef _SCATTER_HOOKS_H
#define _SCATTER_HOOKS_H

#include <linux/types.h>

/* The number of the last operation of a group; greater numbers have other meanings. */
#define SCATTER_NUMBER_MAX	((1ULL << 56) - 1)

#ifdef SCATTER_HOOKS
bool scatter_hooks_drop_edge(u32 from, u32 to);
u64 scatter_hooks_number_max(void);
#else
static inline bool scatter_hooks_drop_edge(u32 from, u32 to)
{
	return false;
}

static inline u64 scatter_hooks_number_max(void)
{
	return SCATTER_NUMBER_MAX;
}
#endif

#endif /* _SCATTER_HOOKS_H */
