// SPDX-License-Identifier: GPL-2.0
/*
 * Limits per user, whichever user namespace the user is in: a module cannot add kinds to the
 * kernel's own counters of user namespaces. A person with many user IDs has these limits for each
 * of them. But memory is charged to the memory cgroup, too, which has no such hole.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "memory/user.h"
#include "param.h"
#include "stats.h"

static DEFINE_HASHTABLE(users, 6);
static DEFINE_SPINLOCK(users_lock);

static const int errors[SCATTER_LIMIT_NR] = {
	[SCATTER_LIMIT_GROUPS] = -ENOSPC,
	[SCATTER_LIMIT_MEMBERS] = -EMFILE,
	[SCATTER_LIMIT_REFUSED] = -EDQUOT,
	[SCATTER_LIMIT_BYTES] = -EDQUOT,
};

/* How much a user may have. */
static u64 limit_of(enum scatter_limit limit)
{
	switch (limit) {
	case SCATTER_LIMIT_GROUPS:
		return READ_ONCE(scatter_param_user_groups);
	case SCATTER_LIMIT_MEMBERS:
		return READ_ONCE(scatter_param_user_members);
	case SCATTER_LIMIT_REFUSED:
		return READ_ONCE(scatter_param_user_refused);
	default:
		return READ_ONCE(scatter_param_user_bytes);
	}
}

static struct scatter_user *find_locked(kuid_t uid)
{
	struct scatter_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, node, __kuid_val(uid))
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/**
 * scatter_user_find_uid() - find or make a user
 * @uid: the user's ID
 *
 * Context: may sleep; no locks.
 * Return: the user, referenced, or NULL for want of memory.
 */
struct scatter_user *scatter_user_find_uid(kuid_t uid)
{
	struct scatter_user *fresh, *user;

	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return NULL;
	fresh->uid = uid;
	refcount_set(&fresh->ref, 1);
	init_waitqueue_head(&fresh->room);
	spin_lock(&users_lock);
	user = find_locked(fresh->uid);
	if (user)
		refcount_inc(&user->ref);
	else
		hash_add(users, &fresh->node, __kuid_val(fresh->uid));
	spin_unlock(&users_lock);
	if (user) {
		kfree(fresh);
		return user;
	}
	scatter_stats_created(SCATTER_OBJECT_USER, 1);
	return fresh;
}

/**
 * scatter_user_find() - find or make the current task's user
 *
 * Context: may sleep; no locks.
 * Return: the user, referenced, or NULL for want of memory.
 */
struct scatter_user *scatter_user_find(void)
{
	return scatter_user_find_uid(current_euid());
}

/**
 * scatter_user_get() - take a reference
 * @user: a user that the caller can be sure exists
 *
 * Context: any.
 */
void scatter_user_get(struct scatter_user *user)
{
	refcount_inc(&user->ref);
}

/**
 * scatter_user_put() - give a reference back
 * @user: the user; gone if that was the last reference
 *
 * Context: any; takes users_lock.
 */
void scatter_user_put(struct scatter_user *user)
{
	bool last;

	spin_lock(&users_lock);
	last = refcount_dec_and_test(&user->ref);
	if (last)
		hash_del(&user->node);
	spin_unlock(&users_lock);
	if (!last)
		return;
	kfree(user);
	scatter_stats_destroyed(SCATTER_OBJECT_USER, 1);
}

/**
 * scatter_user_unlimited() - whether the current task may go beyond limits
 *
 * Context: any.
 */
bool scatter_user_unlimited(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
}

/**
 * scatter_user_charge() - charge the current task's user
 * @user: the user
 * @limit: the limit concerned
 * @n: how much more
 *
 * A task with CAP_SYS_RESOURCE may go beyond limits.
 *
 * Context: any.
 * Return: 0 or the errno of the limit.
 */
int scatter_user_charge(struct scatter_user *user, enum scatter_limit limit,
			u64 n)
{
	int error = scatter_user_charge_for(user, limit, n, false);

	if (error && scatter_user_unlimited())
		error = scatter_user_charge_for(user, limit, n, true);
	return error;
}

/**
 * scatter_user_charge_for() - charge a user, whichever user the current task has
 * @user: the user
 * @limit: the limit concerned
 * @n: how much more
 * @unlimited: what scatter_user_unlimited() has returned
 *
 * Context: any.
 * Return: 0 or the errno of the limit.
 */
int scatter_user_charge_for(struct scatter_user *user, enum scatter_limit limit,
			    u64 n, bool unlimited)
{
	s64 used = atomic64_read(&user->used[limit]);
	u64 most = limit_of(limit);

	do {
		if (!unlimited && (used > most || n > most - used))
			return errors[limit];
	} while (!atomic64_try_cmpxchg(&user->used[limit], &used, used + n));
	return 0;
}

/**
 * scatter_user_uncharge() - undo a charge
 * @user: the user
 * @limit: the limit concerned
 * @n: how much less
 *
 * Context: any.
 */
void scatter_user_uncharge(struct scatter_user *user, enum scatter_limit limit,
			   u64 n)
{
	atomic64_sub(n, &user->used[limit]);
}

/**
 * scatter_user_bytes() - how many bytes the current task's user is charged for
 *
 * Context: any; takes users_lock.
 */
u64 scatter_user_bytes(void)
{
	struct scatter_user *user;
	u64 bytes = 0;

	spin_lock(&users_lock);
	user = find_locked(current_euid());
	if (user)
		bytes = atomic64_read(&user->used[SCATTER_LIMIT_BYTES]);
	spin_unlock(&users_lock);
	return bytes;
}
