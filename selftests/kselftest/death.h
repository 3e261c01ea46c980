/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deaths of members: who keeps the address space of a process that has ended, and how soon the
 * other members know of its end.
 */
#ifndef _KSELFTEST_DEATH_H
#define _KSELFTEST_DEATH_H

#include "crew.h"

/* What users are promised. */
#define DEATH_PROMISE_MS	100U
/* What an emulated machine with other load may take. */
#define DEATH_LIMIT_MS		1000U
/* The most, for one in a hundred. */
#define DEATH_STALL_MS		5000U

/*
 * Many deaths.
 * @prompt: how many were known within the promise
 * @late: how many were not even known within the limit
 * @longest_ns: what the slowest one took
 */
struct death_tally {
	unsigned int deaths;
	unsigned int prompt;
	unsigned int late;
	__u64 longest_ns;
};

void death_note(struct death_tally *tally, __u64 known_ns, __u64 since_ns);
bool deaths_are_known(const struct death_tally *tally, unsigned int percent);
bool death_is_soon(__u64 known_ns, __u64 since_ns);
bool crew_knows_soon(const struct crew *crew, __u64 ranks, __u64 since_ns);
pid_t sharer_clone(int (*fn)(void *), void *argument);

#endif /* _KSELFTEST_DEATH_H */
