// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "pace.h"

/* What an idle debug kernel takes for one look at the machine, without KVM. */
#define USUAL_NS	(100 * NSEC_PER_MSEC)
#define LOOKS		3
#define CHILDREN	2
#define TRIPS		10

/* No machine is slow enough to wait for ever. */
#define PERCENT_MOST	3000U

static unsigned int percent = 100;

static void __attribute__((noreturn)) echo(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

/* What tests spend their time with: a fork, switches from one process to another, a death. */
static bool child_runs(void)
{
	int there[2], back[2];
	char byte = 0;
	unsigned int i;
	pid_t pid;

	if (pipe(there) || pipe(back))
		return false;
	pid = fork();
	if (!pid) {
		close(there[1]);
		echo(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	for (i = 0; pid > 0 && i < TRIPS; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			break;
	close(there[1]);
	close(back[0]);
	return pid > 0 && waitpid(pid, NULL, 0) == pid && i == TRIPS;
}

static __u64 look_ns(void)
{
	const __u64 began = now_ns();
	unsigned int i;

	for (i = 0; i < CHILDREN; i++)
		if (!child_runs())
			return 0;
	return now_ns() - began;
}

/*
 * Measures once for this process and its children. The slowest of some looks counts: too much
 * patience costs nothing unless a test fails. KSELFTEST_PACE gives the result instead, in
 * percent of the usual times.
 */
void pace_measure(void)
{
	const char *given = getenv("KSELFTEST_PACE");
	__u64 took, slowest = 0;
	unsigned int i;

	for (i = 0; !given && i < LOOKS; i++) {
		took = look_ns();
		if (took > slowest)
			slowest = took;
	}
	percent = given ? (unsigned int)atoi(given) : slowest * 100 / USUAL_NS;
	if (percent > PERCENT_MOST)
		percent = PERCENT_MOST;
	if (percent > 100)
		diag("pace: times are %u %% of the usual ones", percent);
	else
		percent = 100;
}

/* How long what takes at most @ms elsewhere may take here. */
unsigned int paced_ms(unsigned int ms)
{
	return (unsigned int)((__u64)ms * percent / 100);
}

/* The same of a time that is patience; a shorter time is what a test is about, and stays. */
unsigned int patient_ms(unsigned int ms)
{
	return ms < PATIENCE_MS ? ms : paced_ms(ms);
}
