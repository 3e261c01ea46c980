// SPDX-License-Identifier: GPL-2.0
/*
 * CREDENTIALS: which user created a group, and which processes are its members.
 */
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/scatter.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "group/group.h"
#include "group/identity.h"
#include "group/member.h"

/* How many members are looked at before the group's lock is dropped and taken again. */
#define BATCH	16

/**
 * scatter_identity_capture() - note who the current process is
 * @identity: (out) for scatter_identity_release()
 *
 * Context: any.
 */
void scatter_identity_capture(struct scatter_identity *identity)
{
	identity->uid = current_euid();
	identity->gid = current_egid();
	identity->pid = get_pid(task_tgid(current));
}

/**
 * scatter_identity_copy() - note the process that another identity names
 * @to: (out) for scatter_identity_release()
 * @from: the other identity
 *
 * Context: any.
 */
void scatter_identity_copy(struct scatter_identity *to,
			   const struct scatter_identity *from)
{
	*to = *from;
	get_pid(to->pid);
}

/**
 * scatter_identity_release() - give the reference on the process back
 * @identity: nobody uses the identity any more
 *
 * Context: any.
 */
void scatter_identity_release(struct scatter_identity *identity)
{
	put_pid(identity->pid);
}

static void copy_batch(struct scatter_group *group, u32 first, u32 count,
		       struct scatter_identity *batch)
{
	const struct scatter_member *member;
	u32 i;

	spin_lock(&group->lock);
	for (i = 0; i < count; i++) {
		member = group->members[array_index_nospec(first + i,
							   group->size)];
		if (member)
			scatter_identity_copy(&batch[i], &member->identity);
		else
			batch[i].pid = NULL;
	}
	spin_unlock(&group->lock);
}

/* Translate an identity to IDs of the current task's namespaces. */
static void translate(struct scatter_credential *to,
		      const struct scatter_identity *from)
{
	memset(to, 0, sizeof(*to));
	if (!from->pid)
		return;
	to->joined = 1;
	to->uid = from_kuid_munged(current_user_ns(), from->uid);
	to->gid = from_kgid_munged(current_user_ns(), from->gid);
	to->pid = pid_nr_ns(from->pid, task_active_pid_ns(current));
}

static int tell_batch(struct scatter_group *group, u32 first, u32 count,
		      struct scatter_credential __user *to)
{
	struct scatter_credential answer[BATCH];
	struct scatter_identity batch[BATCH];
	u32 i;

	copy_batch(group, first, count, batch);
	for (i = 0; i < count; i++) {
		translate(&answer[i], &batch[i]);
		scatter_identity_release(&batch[i]);
	}
	return copy_to_user(to, answer, count * sizeof(*answer)) ? -EFAULT : 0;
}

/**
 * scatter_identity_tell() - answer CREDENTIALS
 * @group: the group; the caller holds a reference
 * @credentials: (in, out) what the user asked for
 *
 * Context: may sleep and fault; no locks.
 * Return: 0, -EINVAL or -EFAULT.
 */
int scatter_identity_tell(struct scatter_group *group,
			  struct scatter_credentials *credentials)
{
	struct scatter_credential __user *to = u64_to_user_ptr(credentials->list);
	u32 first = credentials->first;
	u32 count, n;
	int error = 0;

	credentials->members = group->size;
	credentials->uid = from_kuid_munged(current_user_ns(), group->uid);
	credentials->gid = from_kgid_munged(current_user_ns(), group->gid);
	credentials->mode = group->mode;
	if (first > group->size)
		return -EINVAL;
	count = min(credentials->count, group->size - first);
	credentials->count = 0;
	while (credentials->count < count && !error) {
		n = min_t(u32, count - credentials->count, BATCH);
		error = tell_batch(group, first + credentials->count, n,
				   to + credentials->count);
		if (!error)
			credentials->count += n;
	}
	return error;
}
