/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_USER_H
#define _SCATTER_USER_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

/**
 * enum scatter_limit - the kinds of limits of a user
 * @SCATTER_LIMIT_GROUPS: groups created and not yet gone; ENOSPC
 * @SCATTER_LIMIT_MEMBERS: members; EMFILE
 * @SCATTER_LIMIT_REFUSED: refused names that nobody had joined, and not yet gone; EDQUOT
 * @SCATTER_LIMIT_BYTES: bytes of kernel memory; EDQUOT
 * @SCATTER_LIMIT_NR: how many limits there are
 */
enum scatter_limit {
	SCATTER_LIMIT_GROUPS,
	SCATTER_LIMIT_MEMBERS,
	SCATTER_LIMIT_REFUSED,
	SCATTER_LIMIT_BYTES,
	SCATTER_LIMIT_NR
};

/**
 * struct scatter_user - how much one user has of all that is limited
 * @node: users_lock; in the table
 * @uid: constant; the effective user ID of processes that joined
 * @ref: references of the user's members and groups
 * @used: how much the user has, by enum scatter_limit
 * @room: calls that wait until @used has fewer bytes
 */
struct scatter_user {
	struct hlist_node node;
	kuid_t uid;
	refcount_t ref;
	atomic64_t used[SCATTER_LIMIT_NR];
	wait_queue_head_t room;
};

struct scatter_user *scatter_user_find(void);
struct scatter_user *scatter_user_find_uid(kuid_t uid);
void scatter_user_get(struct scatter_user *user);
void scatter_user_put(struct scatter_user *user);
bool scatter_user_unlimited(void);
int scatter_user_charge(struct scatter_user *user, enum scatter_limit limit,
			u64 n);
int scatter_user_charge_for(struct scatter_user *user, enum scatter_limit limit,
			    u64 n, bool unlimited);
void scatter_user_uncharge(struct scatter_user *user, enum scatter_limit limit,
			   u64 n);
u64 scatter_user_bytes(void);

/**
 * scatter_user_tell() - wake the calls that wait for room for a user's bytes
 * @user: the user, after scatter_user_uncharge()
 *
 * Context: any, but better without locks: the user may have as many waiting calls as members.
 */
static inline void scatter_user_tell(struct scatter_user *user)
{
	if (wq_has_sleeper(&user->room))
		wake_up_all(&user->room);
}

#endif /* _SCATTER_USER_H */
