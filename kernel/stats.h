/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_STATS_H
#define _SCATTER_STATS_H

#include <linux/compiler.h>
#include <linux/types.h>

struct scatter_counters;

/* Kinds of objects whose births and deaths must balance at unload. */
enum scatter_object {
	SCATTER_OBJECT_GROUP,
	SCATTER_OBJECT_MEMBER,
	SCATTER_OBJECT_OPERATION,
	SCATTER_OBJECT_RING,
	SCATTER_OBJECT_SLOT,
	SCATTER_OBJECT_PIN,
	SCATTER_OBJECT_USER,
	SCATTER_OBJECT_MEETING,
	SCATTER_OBJECT_HOME,
	SCATTER_OBJECT_NODE,
	SCATTER_OBJECT_PEER,
	SCATTER_OBJECT_NR
};

/* In the order of struct scatter_counters. */
enum scatter_counter {
	SCATTER_COUNTER_STARTUPS,
	SCATTER_COUNTER_EDGE_BYTES,
	SCATTER_COUNTER_BYTES_COPIED,
	SCATTER_COUNTER_ROUNDS,
	SCATTER_COUNTER_PINS,
	SCATTER_COUNTER_WAKEUPS,
	SCATTER_COUNTER_SLEEPS,
	SCATTER_COUNTER_SPINS,
	SCATTER_COUNTER_NR
};

/**
 * struct scatter_tally - one member's counters
 * @value: indexed by enum scatter_counter; written by the one task inside a call of the
 *	member, read by STATUS of any member
 */
struct scatter_tally {
	u64 value[SCATTER_COUNTER_NR];
};

void scatter_stats_created(enum scatter_object kind, long n);
void scatter_stats_destroyed(enum scatter_object kind, long n);
const char *scatter_stats_read(enum scatter_object kind, u64 *created, u64 *destroyed);
void scatter_stats_report(void);

/**
 * scatter_stats_count() - add to a counter
 * @tally: tally of the member for which the current task is inside a call
 * @counter: any counter but SCATTER_COUNTER_ROUNDS
 * @n: how much
 *
 * Context: any.
 */
static inline void scatter_stats_count(struct scatter_tally *tally,
				       enum scatter_counter counter, u64 n)
{
	WRITE_ONCE(tally->value[counter], tally->value[counter] + n);
}

void scatter_stats_round(struct scatter_tally *tally, u32 round);
void scatter_stats_add(const struct scatter_tally *tally,
		       struct scatter_counters *sum);

#endif /* _SCATTER_STATS_H */
