/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks for tests of the module: only a build with KUnit suites has them.
 */
#ifndef _SCATTER_HOOKS_H
#define _SCATTER_HOOKS_H

#include <linux/types.h>

/* The number of the last operation of a group; greater numbers have other meanings. */
#define SCATTER_NUMBER_MAX	((1ULL << 56) - 1)
/* Most choices in one decree of a SPLIT: there is no room for more on the wire. */
#define SCATTER_CHOICES_MAX	896U

#ifdef SCATTER_HOOKS
bool scatter_hooks_drop_edge(u32 from, u32 to);
u64 scatter_hooks_number_max(void);
u32 scatter_hooks_choices_max(void);
bool scatter_hooks_is_mute(u64 node);
#else
static inline bool scatter_hooks_drop_edge(u32 from, u32 to)
{
	return false;
}

static inline u64 scatter_hooks_number_max(void)
{
	return SCATTER_NUMBER_MAX;
}

static inline u32 scatter_hooks_choices_max(void)
{
	return SCATTER_CHOICES_MAX;
}

static inline bool scatter_hooks_is_mute(u64 node)
{
	return false;
}
#endif

#endif /* _SCATTER_HOOKS_H */
