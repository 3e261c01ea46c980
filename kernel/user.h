/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_USER_H
#define _SCATTER_USER_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>

/**
 * enum scatter_limit - what a user has only so much of
 * @SCATTER_LIMIT_GROUPS: groups created and not yet gone; ENOSPC
 * @SCATTER_LIMIT_MEMBERS: members; EMFILE
 * @SCATTER_LIMIT_RING_BYTES: bytes of their rings; EDQUOT
 * @SCATTER_LIMIT_OPERATIONS: operations that they were the first to call and
 *	that not all members have passed; EAGAIN
 * @SCATTER_LIMIT_NR: how many limits there are
 */
enum scatter_limit {
	SCATTER_LIMIT_GROUPS,
	SCATTER_LIMIT_MEMBERS,
	SCATTER_LIMIT_RING_BYTES,
	SCATTER_LIMIT_OPERATIONS,
	SCATTER_LIMIT_NR
};

/**
 * struct scatter_user - what one user has of all that is limited
 * @node: users_lock; in the table
 * @uid: constant; whoever joined, by the effective user
 * @ref: members and groups of the user
 * @used: by enum scatter_limit
 */
struct scatter_user {
	struct hlist_node node;
	kuid_t uid;
	refcount_t ref;
	atomic64_t used[SCATTER_LIMIT_NR];
};

struct scatter_user *scatter_user_find(void);
void scatter_user_get(struct scatter_user *user);
void scatter_user_put(struct scatter_user *user);
bool scatter_user_unlimited(void);
int scatter_user_charge(struct scatter_user *user, enum scatter_limit limit,
			u64 n);
int scatter_user_charge_for(struct scatter_user *user, enum scatter_limit limit,
			    u64 n, bool unlimited);
void scatter_user_uncharge(struct scatter_user *user, enum scatter_limit limit,
			   u64 n);

#endif /* _SCATTER_USER_H */
