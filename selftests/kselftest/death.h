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

bool death_is_soon(__u64 known_ns, __u64 since_ns);
bool crew_knows_soon(const struct crew *crew, __u64 ranks, __u64 since_ns);
pid_t sharer_clone(int (*fn)(void *), void *argument);

#endif /* _KSELFTEST_DEATH_H */
