// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "death.h"

#define STACK_BYTES	(1UL << 16)

/* Whether what ended at @since_ns was known soon enough. */
bool death_is_soon(__u64 known_ns, __u64 since_ns)
{
	const __u64 took_ns = known_ns - since_ns;

	diag("death known after %llu us", (unsigned long long)(took_ns / NSEC_PER_USEC));
	return took_ns < paced_ms(DEATH_LIMIT_MS) * NSEC_PER_MSEC;
}

void death_note(struct death_tally *tally, __u64 known_ns, __u64 since_ns)
{
	const __u64 took_ns = known_ns - since_ns;

	tally->deaths++;
	tally->prompt += took_ns < paced_ms(DEATH_PROMISE_MS) * NSEC_PER_MSEC;
	tally->late += took_ns >= paced_ms(DEATH_LIMIT_MS) * NSEC_PER_MSEC;
	if (took_ns > tally->longest_ns)
		tally->longest_ns = took_ns;
}

/*
 * Whether @percent of them kept the promise, at least. One in a hundred may be late, but not very
 * late: all of an emulated machine may have to stand still for a second or two.
 */
bool deaths_are_known(const struct death_tally *tally, unsigned int percent)
{
	diag("%u of %u deaths known within %u ms, %u not within %u ms, all after %llu us",
	     tally->prompt, tally->deaths, paced_ms(DEATH_PROMISE_MS), tally->late,
	     paced_ms(DEATH_LIMIT_MS),
	     (unsigned long long)(tally->longest_ns / NSEC_PER_USEC));
	return 100 * tally->prompt >= percent * tally->deaths &&
	       100 * tally->late <= tally->deaths &&
	       tally->longest_ns < paced_ms(DEATH_STALL_MS) * NSEC_PER_MSEC;
}

/* The same as death_is_soon() of the last one of @ranks to learn of it. */
bool crew_knows_soon(const struct crew *crew, __u64 ranks, __u64 since_ns)
{
	__u64 last = since_ns;
	unsigned int r;

	for (r = 0; r < crew->size; r++)
		if (ranks & RANK(r) && crew->worker[r].reply.ended_ns > last)
			last = crew->worker[r].reply.ended_ns;
	return death_is_soon(last, since_ns);
}

/* In a worker: another process with its memory and its files, or -errno. */
pid_t sharer_clone(int (*fn)(void *), void *argument)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid = -1;

	if (stack != MAP_FAILED)
		pid = clone(fn, stack + STACK_BYTES, CLONE_VM | CLONE_FILES | SIGCHLD, argument);
	return pid < 0 ? -errno : pid;
}
