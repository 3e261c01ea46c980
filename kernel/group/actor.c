// SPDX-License-Identifier: GPL-2.0
/*
 * Actors: the last task that acted for each member, and the CPUs that those tasks may use.
 *
 * A waiting member spins only for a task that runs, and only if the members have a CPU each.
 */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>

#include "group/actor.h"
#include "group/group.h"
#include "group/member.h"

/* A number that changes when the current task may use other CPUs. */
static u64 fingerprint(void)
{
	const unsigned long *word = cpumask_bits(current->cpus_ptr);
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < BITS_TO_LONGS(nr_cpumask_bits); i++)
		sum = sum * 31 + word[i];
	return sum;
}

/*
 * Count the CPUs that any member may use. A member that changes its CPUs meanwhile counts again
 * at its own next call.
 */
static void count_cpus(struct scatter_group *group)
{
	cpumask_var_t cpus;
	u32 rank;

	WRITE_ONCE(group->cpus, num_online_cpus());
	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL_ACCOUNT))
		return;
	for (rank = 0; rank < group->size; rank++) {
		spin_lock(&group->lock);
		if (group->members[rank])
			cpumask_or(cpus, cpus, group->members[rank]->actor->cpus_ptr);
		spin_unlock(&group->lock);
		cond_resched();
	}
	cpumask_and(cpus, cpus, cpu_online_mask);
	WRITE_ONCE(group->cpus, cpumask_weight(cpus));
	free_cpumask_var(cpus);
}

/**
 * scatter_actor_init() - note that the current task is the first that acts for a member
 * @member: a new member; the caller undoes the call with put_task_struct() of the member's actor
 *
 * Context: any.
 */
void scatter_actor_init(struct scatter_member *member)
{
	member->actor = get_task_struct(current);
	member->cpus = fingerprint();
}

/**
 * scatter_actor_note() - note that the current task acts for a member
 * @member: the current task's; no other task is inside a call of the member
 *
 * Context: may sleep; no locks.
 */
void scatter_actor_note(struct scatter_member *member)
{
	struct scatter_group *group = member->group;
	/* Only the one task inside a call of the member writes @actor. */
	struct task_struct *old = member->actor;
	u64 cpus = fingerprint();
	bool formed;

	if (old == current && member->cpus == cpus && READ_ONCE(group->cpus))
		return;
	spin_lock(&group->lock);
	if (old != current)
		member->actor = get_task_struct(current);
	formed = group->formed;
	spin_unlock(&group->lock);
	if (old != current)
		put_task_struct(old);
	if (!formed || (member->cpus == cpus && READ_ONCE(group->cpus)))
		return;
	member->cpus = cpus;
	count_cpus(group);
}
