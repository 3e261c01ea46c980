// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting: spin while the awaited peer runs, else sleep.
 *
 * How long a member spins follows how its waits end, as the halt polling of KVM does. After a sleep
 * that a spin would have spared, the member spins twice as long as that spin would have taken.
 * After a sleep that no spin would have spared, the member spins half as long.
 *
 * One task at a time waits for a member. Under the group's lock, the task clears
 * scatter_member.event and finds that it cannot go on; then, without the lock, the task calls
 * scatter_wait(). A context that changes what the task may wait for calls scatter_wait_wake()
 * afterwards. Wake-ups may be spurious: the waiter looks again.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/prio.h>
#include <linux/sched/signal.h>
#include <linux/sched/stat.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/wait.h"
#include "memory/mailer.h"
#include "param.h"
#include "trace.h"

/* How long a member spins at first, and at least. */
#define SCATTER_SPIN_NS	20000U
/* How often a member lets other tasks run first, at most, when there are more members than CPUs. */
#define SCATTER_YIELDS	4

/*
 * Whether a peer runs, or is about to, on another CPU. A task that has just been woken is not on
 * its CPU yet: if both sides took such a task for asleep, both would sleep each time.
 */
static bool peer_runs(struct task_struct *peer)
{
	unsigned int state = READ_ONCE(peer->__state);

	if (scatter_compat_task_runs(peer))
		return true;
	return (state == TASK_RUNNING || state == TASK_WAKING) &&
	       task_cpu(peer) != raw_smp_processor_id();
}

/* Whether there are more members than CPUs for them. */
static bool is_crowded(const struct scatter_group *group)
{
	u32 members = group->spans ? group->locals : group->size;

	return members > (READ_ONCE(group->cpus) ?: num_online_cpus());
}

/*
 * Let other tasks run, the peer first if the kernel can do that: otherwise a task that works more
 * than the others, as a root does, runs last. A member whose yields did not help yields less often.
 * A deadline or real-time task does not yield: its yield would not let others run, or would give up
 * its budget.
 */
static bool yield_some(struct scatter_member *member, struct task_struct *peer)
{
	u32 left = member->yields;

	if (!left || current->prio < MAX_RT_PRIO)
		return false;
	if (READ_ONCE(member->event))
		return true;
	for (; left && !single_task_running(); left--) {
		scatter_compat_yield_to(peer);
		if (!READ_ONCE(member->event))
			continue;
		member->yields = SCATTER_YIELDS;
		return true;
	}
	if (!left)
		member->yields--;
	return false;
}

static bool spin(struct scatter_member *member, struct task_struct *peer,
		 u64 end_ns, bool crowded)
{
	while (!READ_ONCE(member->event)) {
		if (need_resched() || signal_pending(current) ||
		    (crowded && !single_task_running()) ||
		    !peer_runs(peer) || local_clock() >= end_ns)
			return false;
		cpu_relax();
	}
	return true;
}

/*
 * Learn from a sleep that a wake-up ended. The time of the event counts, not the time when the
 * member ran again: a CPU that has halted may take longer to wake up than any spin lasts.
 */
static void adapt(struct scatter_member *member, u64 began_ns, u32 most_ns)
{
	s64 waited_ns = READ_ONCE(member->event_ns) - began_ns;

	if (waited_ns > most_ns) {
		member->spin_ns = max(member->spin_ns / 2, SCATTER_SPIN_NS);
		return;
	}
	/* An event with an earlier time stamp came while the member fell asleep. */
	if (waited_ns > 0)
		member->spin_ns = max_t(u32, member->spin_ns, 2 * waited_ns);
	member->yields = max(member->yields, 1U);
}

static int sleep_until(struct scatter_member *member, u64 deadline_ns)
{
	ktime_t deadline = ns_to_ktime(deadline_ns);
	DEFINE_WAIT(wait);
	int error = 0;

	scatter_stats_count(&member->hands.tally, SCATTER_COUNTER_SLEEPS, 1);
	for (;;) {
		prepare_to_wait(&member->wait, &wait, TASK_INTERRUPTIBLE);
		if (READ_ONCE(member->event) || error)
			break;
		scatter_wait_watch(member->group);
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
 * scatter_wait_init() - set up a member's waiting
 * @member: a new member
 *
 * Context: any.
 */
void scatter_wait_init(struct scatter_member *member)
{
	init_waitqueue_head(&member->wait);
	member->spin_ns = SCATTER_SPIN_NS;
	member->yields = SCATTER_YIELDS;
}

/**
 * scatter_wait() - wait until there is an event for a member
 * @member: the current task's
 * @peer: the task that is awaited, if known; NULL: do not spin
 * @deadline_ns: absolute CLOCK_MONOTONIC time to give up at; 0: never
 *
 * Spins only while @peer runs on another CPU. If the members have fewer CPUs than there are
 * members, the peer may need this very CPU: the member offers the CPU to the peer, and then to
 * other tasks, a few times, and spins only if no task wants the CPU.
 *
 * Context: may sleep; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT; the caller looks again in any case.
 */
int scatter_wait(struct scatter_member *member, struct task_struct *peer,
		 u64 deadline_ns)
{
	u32 most_ns = READ_ONCE(scatter_param_spin_ns);
	bool crowded = is_crowded(member->group);
	u64 began_ns = local_clock();
	int error;

	if (most_ns &&
	    ((crowded && yield_some(member, peer)) ||
	     (peer && spin(member, peer, began_ns + min(member->spin_ns, most_ns),
			   crowded)))) {
		scatter_stats_count(&member->hands.tally, SCATTER_COUNTER_SPINS, 1);
		return 0;
	}
	error = sleep_until(member, deadline_ns);
	if (!error)
		adapt(member, began_ns, most_ns);
	return error;
}

static int tell_mailed(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	scatter_wait_wake(entry->private);
	return 0;
}

/*
 * Whether a call waits for its mailer no longer. A broken group that refuses the call makes it go
 * on. One that admits the call does not: another node may say that a rank has called any number of
 * operations before it went.
 */
static bool goes_on_locked(const struct scatter_member *member)
{
	struct scatter_group *group = member->group;

	lockdep_assert_held(&group->lock);
	if (scatter_mailer_is_low(group->portal->mailer) || member->presence != SCATTER_PRESENT)
		return true;
	return group->state == SCATTER_STATE_BROKEN &&
	       !(group->spans && scatter_portal_admits_locked(group, member->next));
}

/**
 * scatter_wait_mail() - wait while lines have not taken what the member's group has posted
 * @member: the current task's; its call has not begun, and holds nothing that others wait for
 * @deadline_ns: as of scatter_wait()
 *
 * A member whose process ends does not wait any more, nor a call that a broken group refuses.
 *
 * Context: may sleep; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT.
 */
int scatter_wait_mail(struct scatter_member *member, u64 deadline_ns)
{
	struct scatter_group *group = member->group;
	struct wait_queue_entry entry;
	bool goes_on;
	int error = 0;

	if (!group->portal || likely(!scatter_mailer_is_full(group->portal->mailer)))
		return 0;
	init_waitqueue_func_entry(&entry, tell_mailed);
	entry.private = member;
	add_wait_queue(&group->portal->mailer->wait, &entry);
	do {
		spin_lock(&group->lock);
		/* The mailer changes without the lock: look at it after the event is cleared. */
		smp_store_mb(member->event, false);
		goes_on = goes_on_locked(member);
		spin_unlock(&group->lock);
		if (goes_on || error)
			break;
		error = scatter_wait(member, NULL, deadline_ns);
	} while (true);
	remove_wait_queue(&group->portal->mailer->wait, &entry);
	return goes_on ? 0 : error;
}

/**
 * scatter_wait_killable() - wait until there is an event for a member, or a fatal signal
 * @member: the current task's
 * @left: how long to wait at most, in jiffies
 *
 * For a wait that peers end soon: other signals, and the user's deadline, do not end it.
 *
 * Context: may sleep; no locks. The caller looks again in any case.
 * Return: how much of @left is left; 0: the time is over.
 */
long scatter_wait_killable(struct scatter_member *member, long left)
{
	DEFINE_WAIT(wait);

	scatter_stats_count(&member->hands.tally, SCATTER_COUNTER_SLEEPS, 1);
	for (;;) {
		prepare_to_wait(&member->wait, &wait, TASK_KILLABLE | TASK_FREEZABLE);
		if (READ_ONCE(member->event) || fatal_signal_pending(current) || !left)
			break;
		scatter_wait_watch(member->group);
		left = schedule_timeout(left);
	}
	finish_wait(&member->wait, &wait);
	return left;
}

/**
 * scatter_wait_deadline() - translate a user's deadline
 * @deadline_ns: up to KTIME_MAX: a time of CLOCK_MONOTONIC in the current task's time namespace,
 *	or, if @relative, a time from now on; 0: never
 * @relative: whether @deadline_ns counts from now on
 *
 * Context: any.
 * Return: the deadline for scatter_wait(): as ktime_get_ns() counts, or 0.
 */
u64 scatter_wait_deadline(u64 deadline_ns, bool relative)
{
	s64 ahead_ns;

	if (!deadline_ns)
		return 0;
	ahead_ns = relative ? -(s64)ktime_get_ns() : scatter_compat_timens_ns();
	if (ahead_ns < 0)
		return min_t(u64, deadline_ns + -ahead_ns, KTIME_MAX);
	/* A time that is early in the namespace may be before the start of the kernel's clock. */
	return deadline_ns > (u64)ahead_ns ? deadline_ns - ahead_ns : 1;
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
 * scatter_wait_wake() - wake a member for an event
 * @member: the member to be woken
 *
 * Context: any.
 */
void scatter_wait_wake(struct scatter_member *member)
{
	WRITE_ONCE(member->event, true);
	if (!wq_has_sleeper(&member->wait))
		return;
	WRITE_ONCE(member->event_ns, local_clock());
	wake_up(&member->wait);
	atomic64_inc(&member->wakeups);
	trace_scatter_wake(member);
}

/**
 * scatter_wait_watch() - begin to look whether the members' processes live
 * @group: the group, which the caller holds
 *
 * The looks end when no task waits in the group any more. A waiter enters its wait queue before it
 * calls this function, so that the last look sees this waiter.
 *
 * Context: any but an interrupt.
 */
void scatter_wait_watch(struct scatter_group *group)
{
	/* After the entry in the wait queue. Pairs with the barrier in scatter_death_look(). */
	smp_mb();
	if (test_bit(0, &group->watched) || test_and_set_bit(0, &group->watched))
		return;
	schedule_delayed_work(&group->watch, msecs_to_jiffies(SCATTER_WAIT_WATCH_MS));
}
