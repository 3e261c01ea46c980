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
	const __u64 took = known_ns > since_ns ? known_ns - since_ns : 0;

	diag("death known after %llu us", (unsigned long long)(took / NSEC_PER_USEC));
	return took < paced_ms(DEATH_LIMIT_MS) * NSEC_PER_MSEC;
}

/* The same of the last one of @ranks: each has replied since. */
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
