/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of ranks, or of a group's nodes. Pure code cannot use the kernel's bitmaps, which user space
 * does not have.
 */
#ifndef _SCATTER_COUNCIL_SET_H
#define _SCATTER_COUNCIL_SET_H

#include "schedule/types.h"

/* Most members of a group, as SCATTER_SIZE_MAX, and so most nodes. */
#define SCATTER_SET_MAX		1024
#define SCATTER_SET_WORDS	(SCATTER_SET_MAX / 64)

/**
 * struct scatter_set - a set of numbers below %SCATTER_SET_MAX
 * @words: number n is bit n % 64 of word n / 64
 */
struct scatter_set {
	u64 words[SCATTER_SET_WORDS];
};

static inline bool scatter_set_has(const struct scatter_set *set, u32 number)
{
	return set->words[number / 64] >> number % 64 & 1;
}

static inline void scatter_set_add(struct scatter_set *set, u32 number)
{
	set->words[number / 64] |= (u64)1 << number % 64;
}

static inline void scatter_set_join(struct scatter_set *set, const struct scatter_set *other)
{
	u32 i;

	for (i = 0; i < SCATTER_SET_WORDS; i++)
		set->words[i] |= other->words[i];
}

static inline void scatter_set_meet(struct scatter_set *set, const struct scatter_set *other)
{
	u32 i;

	for (i = 0; i < SCATTER_SET_WORDS; i++)
		set->words[i] &= other->words[i];
}

static inline bool scatter_set_is_empty(const struct scatter_set *set)
{
	u32 i;

	for (i = 0; i < SCATTER_SET_WORDS; i++)
		if (set->words[i])
			return false;
	return true;
}

static inline bool scatter_set_equals(const struct scatter_set *set,
				      const struct scatter_set *other)
{
	u32 i;

	for (i = 0; i < SCATTER_SET_WORDS; i++)
		if (set->words[i] != other->words[i])
			return false;
	return true;
}

/* Whether no number is @end or more. */
static inline bool scatter_set_is_below(const struct scatter_set *set, u32 end)
{
	u32 i;

	if (end % 64 && set->words[end / 64] >> end % 64)
		return false;
	for (i = (end + 63) / 64; i < SCATTER_SET_WORDS; i++)
		if (set->words[i])
			return false;
	return true;
}

/* The lowest number; %SCATTER_SET_MAX if the set is empty. */
static inline u32 scatter_set_first(const struct scatter_set *set)
{
	u32 i;

	for (i = 0; i < SCATTER_SET_WORDS; i++)
		if (set->words[i])
			return 64 * i + (u32)__builtin_ctzll(set->words[i]);
	return SCATTER_SET_MAX;
}

static inline u32 scatter_set_count(const struct scatter_set *set)
{
	u32 i, count = 0;
	u64 word;

	for (i = 0; i < SCATTER_SET_WORDS; i++)
		for (word = set->words[i]; word; word &= word - 1)
			count++;
	return count;
}

#endif /* _SCATTER_COUNCIL_SET_H */
