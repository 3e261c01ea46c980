/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A storm: members that run the same random programs of operations, while each of
 * them does what it should not at random, too.
 */
#ifndef _KSELFTEST_STORM_H
#define _KSELFTEST_STORM_H

#include "crew.h"

#define STORM_WITNESSES	(1U << 14)
#define STORM_ERRNOS	150
/* A call that takes longer hangs. */
#define STORM_PATIENCE_MS	40000U

enum storm_count {
	STORM_CALLS,
	STORM_COLL,
	STORM_REGROUP,
	STORM_AGREE,
	STORM_SHRINK,
	STORM_REVOKE,
	STORM_LEAVE,
	STORM_RESUME,
	STORM_MISMATCH,
	STORM_FAULT,
	STORM_DEADLINE,
	STORM_SUICIDE,
	STORM_GROUPS,
	STORM_WITNESSED,
	STORM_COUNTS,
};

/* What all members that tell of an operation have to tell. */
struct witness {
	__u64 key;
	__u64 outcome;
};

/* Shared by the test and all workers. */
struct storm {
	__u64 target;	/* calls */
	struct scatter_join join;	/* what all members of the next group ask for */
	int joined;	/* members of that group */
	__u64 count[STORM_COUNTS];
	__u64 ended[STORM_ERRNOS];	/* calls, by errno */
	struct witness witness[STORM_WITNESSES];
	__u8 pressed[STORM_WITNESSES];	/* operations: see storm_press() */
	__u32 gone[CREW_MAX];	/* workers that end themselves */
	char doing[CREW_MAX][96];
	__u32 wrong;
	char what[256];	/* the first thing that went wrong */
};

extern struct storm *storm;
/* The worker's own. */
extern unsigned int storm_number;

/* Kinds of calls, and why else they may fail: see storm_judge(). */
enum storm_may {
	MAY_COLL = 1 << 0,
	MAY_REGROUP = 1 << 1,	/* DUP, SPLIT */
	MAY_SHRINK = 1 << 2,
	MAY_AGREE = 1 << 3,
	MAY_JOIN = 1 << 4,
	MAY_BE_BUSY = 1 << 5,	/* another operation is paused */
	/* Flags of what may be the reason. */
	MAY_FAULT = 1 << 6,
	MAY_END_TOGETHER = 1 << 7,
	MAY_ANY = MAY_COLL | MAY_REGROUP | MAY_SHRINK | MAY_AGREE | MAY_JOIN,
};

/* What a worker is told. */
enum storm_word {
	STORM_WORD_WORKER,	/* its group rank, too */
	STORM_WORD_SEED,
};

task_fn task_storm;
__u64 storm_mix(__u64 a, __u64 b);
void storm_count(enum storm_count what);
void storm_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
void storm_doing(const char *format, ...) __attribute__((format(printf, 1, 2)));
void storm_witness(__u64 key, __u64 outcome);
void storm_press(__u64 key);
bool storm_is_pressed(__u64 key);
void storm_judge(unsigned int members, int error, unsigned int may, int culprit,
		 __u64 began_ns);

#endif /* _KSELFTEST_STORM_H */
