// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting: spin while the awaited peer runs, else sleep.
 *
 * One task at a time waits for a member. The protocol: under the group's lock it finds
 * that it cannot go on and clears scatter_member.event; then, without the
 * lock, it calls scatter_wait(); whoever changes what it may wait for calls
 * scatter_wake() afterwards. Wake-ups may be spurious: the waiter looks again.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "compat.h"
#include "group.h"
#include "member.h"
#include "params.h"
#include "trace.h"
#include "wait.h"

/* Times to let others run first when there are more members than CPUs. */
#define SCATTER_YIELDS	4

/*
 * Whether a peer runs, or is about to, on another CPU. A task that has just been
 * woken is not on its CPU yet: if both sides took that for asleep, both would
 * sleep each time and never get out of it.
 */
static bool peer_runs(struct task_struct *peer)
{
	unsigned int state = READ_ONCE(peer->__state);

	if (scatter_compat_task_runs(peer))
		return true;
	return (state == TASK_RUNNING || state == TASK_WAKING) &&
	       task_cpu(peer) != raw_smp_processor_id();
}

static bool spin(struct scatter_member *member, struct task_struct *peer)
{
	u64 end = local_clock() + READ_ONCE(scatter_param_spin_ns);

	while (!READ_ONCE(member->event)) {
		if (need_resched() || signal_pending(current) ||
		    !peer_runs(peer) || local_clock() >= end)
			return false;
		cpu_relax();
	}
	return true;
}

/*
 * Let others run, and first of all the peer, if the kernel can: who works more than
 * others, as a root does, has its turn last.
 */
static bool yield_some(struct scatter_member *member, struct task_struct *peer)
{
	int i;

	for (i = 0; i < SCATTER_YIELDS; i++) {
		if (READ_ONCE(member->event))
			return true;
		scatter_compat_yield_to(peer);
	}
	return READ_ONCE(member->event);
}

static int sleep_until(struct scatter_member *member, u64 deadline_ns)
{
	ktime_t deadline = ns_to_ktime(deadline_ns);
	DEFINE_WAIT(wait);
	int error = 0;

	scatter_count(&member->tally, SCATTER_COUNTER_SLEEPS, 1);
	for (;;) {
		prepare_to_wait(&member->wait, &wait, TASK_INTERRUPTIBLE);
		if (READ_ONCE(member->event) || error)
			break;
		if (signal_pending(current))
			error = -EINTR;
		else if (!schedule_hrtimeout(deadline_ns ? &deadline : NULL,
					     HRTIMER_MODE_ABS))
			error = -ETIMEDOUT;
	}
	finish_wait(&member->wait, &wait);
	return READ_ONCE(member->event) ? 0 : error;
}

/**
 * scatter_wait() - wait until somebody has something for a member
 * @member: the current task's
 * @peer: the task that is awaited, if known; NULL: do not spin
 * @deadline_ns: absolute CLOCK_MONOTONIC time to give up at; 0: never
 *
 * Spins only while @peer runs on another CPU, and no longer than a wake-up
 * costs; with more members than CPUs the peer may need this very CPU, so it, and
 * then others, are offered that a few times instead.
 *
 * Context: may sleep; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT; the caller looks again in any case.
 */
int scatter_wait(struct scatter_member *member, struct task_struct *peer,
		 u64 deadline_ns)
{
	bool found;

	if (member->group->size > num_online_cpus())
		found = yield_some(member, peer);
	else
		found = peer && spin(member, peer);
	if (found) {
		scatter_count(&member->tally, SCATTER_COUNTER_SPINS, 1);
		return 0;
	}
	return sleep_until(member, deadline_ns);
}

/**
 * scatter_wait_expired() - whether a deadline has passed
 * @deadline_ns: as of scatter_wait()
 *
 * Context: any.
 */
bool scatter_wait_expired(u64 deadline_ns)
{
	return deadline_ns && ktime_get_ns() >= deadline_ns;
}

/**
 * scatter_wait_allowed() - whether a wait would not end at once
 * @deadline_ns: as of scatter_wait()
 *
 * Context: any.
 */
bool scatter_wait_allowed(u64 deadline_ns)
{
	return !signal_pending(current) && !scatter_wait_expired(deadline_ns);
}

/**
 * scatter_wake() - there is something for a member
 * @member: whom to wake
 *
 * Context: any.
 */
void scatter_wake(struct scatter_member *member)
{
	WRITE_ONCE(member->event, true);
	if (!wq_has_sleeper(&member->wait))
		return;
	wake_up(&member->wait);
	scatter_count(&member->tally, SCATTER_COUNTER_WAKEUPS, 1);
	trace_scatter_wake(member);
}
