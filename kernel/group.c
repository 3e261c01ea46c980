// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: names, rights, who sits where, and the end.
 *
 * A group goes FORMING -> ACTIVE -> BROKEN; one that never gets all its members
 * stays FORMING until the last of them is gone. Its name is free from the
 * moment it breaks or empties.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cred.h>
#include <linux/fs_struct.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "group.h"
#include "inter.h"
#include "member.h"
#include "operation.h"
#include "params.h"
#include "stats.h"
#include "user.h"
#include "wait.h"

static DEFINE_HASHTABLE(groups, 6);
static DEFINE_SPINLOCK(groups_lock);

static u32 name_hash(const char *name)
{
	return jhash(name, strnlen(name, SCATTER_NAME_MAX), 0);
}

/* The only way a group's state changes. */
static void set_state_locked(struct scatter_group *group,
			     enum scatter_state state)
{
	lockdep_assert_held(&group->lock);
	WARN_ON_ONCE(state != group->state + 1);
	group->state = state;
}

static struct scatter_group *group_create(struct net *net,
					  const struct scatter_join *join)
{
	struct scatter_group *group;
	int i;

	group = kvzalloc(struct_size(group, members, join->members),
			 GFP_KERNEL_ACCOUNT);
	if (!group)
		return NULL;
	kref_init(&group->ref);
	group->net = get_net(net);
	strscpy(group->name, join->name, sizeof(group->name));
	group->uid = current_fsuid();
	group->gid = current_fsgid();
	group->mode = join->mode & ~current_umask();
	group->size = join->members;
	scatter_choice_fill(&group->schedule, join->algorithm, join->ports,
			    join->dims, join->extent);
	group->cost.startup_ns = READ_ONCE(scatter_param_startup_ns);
	group->cost.gap_ns = READ_ONCE(scatter_param_gap_ns);
	/* Not where a lock is held: it may take some microseconds. */
	scatter_cost_shape(&group->cost, group->size);
	scatter_inter_set(group, join);
	spin_lock_init(&group->lock);
	group->culprit = SCATTER_RANK_ANY;
	for (i = 0; i < SCATTER_OPERATION_BUCKETS; i++)
		INIT_HLIST_HEAD(&group->operations[i]);
	scatter_object_created(SCATTER_OBJECT_GROUP, 1);
	pr_debug("group %s created\n", group->name);
	return group;
}

/*
 * The last file is closed, so all members have departed and thereby passed all
 * operations; what is left is memory.
 */
static void group_destroy(struct kref *ref)
{
	struct scatter_group *group = container_of(ref, struct scatter_group,
						   ref);
	u32 rank;

	spin_lock(&groups_lock);
	hash_del(&group->node);
	spin_unlock(&groups_lock);
	WARN_ON_ONCE(group->nr_operations);
	for (rank = 0; rank < group->size; rank++)
		if (group->members[rank])
			scatter_member_free(group->members[rank]);
	if (group->user) {
		scatter_user_uncharge(group->user, SCATTER_LIMIT_GROUPS, 1);
		scatter_user_put(group->user);
	}
	pr_debug("group %s destroyed\n", group->name);
	put_net(group->net);
	kvfree(group);
	scatter_object_destroyed(SCATTER_OBJECT_GROUP, 1);
}

/**
 * scatter_group_get() - take a reference
 * @group: a group that the caller can be sure exists
 *
 * Context: any.
 */
void scatter_group_get(struct scatter_group *group)
{
	kref_get(&group->ref);
}

/**
 * scatter_group_put() - give a reference back
 * @group: the group; gone if that was the last
 *
 * Context: may sleep; no locks.
 */
void scatter_group_put(struct scatter_group *group)
{
	kref_put(&group->ref, group_destroy);
}

static bool may_join(const struct scatter_group *group)
{
	umode_t mode = group->mode;

	if (uid_eq(current_fsuid(), group->uid))
		mode >>= 6;
	else if (in_group_p(group->gid))
		mode >>= 3;
	return (mode & 06) == 06 ||
	       ns_capable(group->net->user_ns, CAP_IPC_OWNER);
}

/*
 * The group that has a name, referenced. A broken one has it no longer; one
 * that is not broken has members, and with them references.
 */
static struct scatter_group *group_find(struct net *net, const char *name)
{
	struct scatter_group *group;
	struct hlist_node *next;
	bool broken;

	lockdep_assert_held(&groups_lock);
	hash_for_each_possible_safe(groups, group, next, node,
				    name_hash(name)) {
		if (!net_eq(group->net, net) || strcmp(group->name, name))
			continue;
		spin_lock(&group->lock);
		broken = group->state == SCATTER_STATE_BROKEN;
		if (!broken)
			scatter_group_get(group);
		spin_unlock(&group->lock);
		if (!broken)
			return group;
		hash_del(&group->node);
	}
	return NULL;
}

/* All have joined: from here on the parameters are the same for everybody. */
static void form_locked(struct scatter_group *group)
{
	set_state_locked(group, SCATTER_STATE_ACTIVE);
	group->cost.eager_limit = READ_ONCE(scatter_param_eager_limit);
	group->cost.gather_limit =
		scatter_cost_gather_limit(group->cost.eager_limit,
					  READ_ONCE(scatter_param_gather_limit),
					  group->size, num_online_cpus());
	group->window = READ_ONCE(scatter_param_window);
	group->formed = true;
}

/* @asked: the group that @join would have created */
static int seat_locked(struct scatter_group *group,
		       const struct scatter_group *asked,
		       const struct scatter_join *join,
		       struct scatter_member *member)
{
	u32 seats = scatter_inter_seats(join);
	u32 first = join->side ? group->size - seats : 0;
	u32 rank = first;

	lockdep_assert_held(&group->lock);
	if (group->size != asked->size ||
	    memcmp(group->sides, asked->sides, sizeof(group->sides)) ||
	    !scatter_choice_equal(&group->schedule, &asked->schedule))
		return -EPROTO;
	if (group->joined == group->size)
		return -EUSERS;
	if (join->rank != SCATTER_RANK_ANY) {
		rank += array_index_nospec((u32)join->rank, seats);
		if (group->members[rank])
			return -EADDRINUSE;
	}
	while (rank < first + seats && group->members[rank])
		rank++;
	if (rank == first + seats)
		return -EUSERS;
	member->group = group;
	member->rank = rank;
	group->members[rank] = member;
	if (++group->joined == group->size)
		form_locked(group);
	return 0;
}

/* A new group gets its name and is charged for. */
static int found_locked(struct scatter_group *group, struct scatter_user *user)
{
	int error;

	lockdep_assert_held(&groups_lock);
	error = scatter_user_charge(user, SCATTER_LIMIT_GROUPS, 1);
	if (error)
		return error;
	scatter_user_get(user);
	group->user = user;
	hash_add(groups, &group->node, name_hash(group->name));
	return 0;
}

/**
 * scatter_group_join() - give a member a seat in a group
 * @net: the network namespace of the name
 * @join: name, size, rank, mode and schedule; checked
 * @member: who joins; on success it has its rank and holds a reference on the
 *	group
 *
 * Creates the group if there is none of that name.
 *
 * Context: may sleep; no locks.
 * Return: 0, -EACCES, -EPROTO, -EUSERS, -EADDRINUSE, -ENOSPC or -ENOMEM.
 */
int scatter_group_join(struct net *net, const struct scatter_join *join,
		       struct scatter_member *member)
{
	struct scatter_group *fresh = group_create(net, join);
	struct scatter_group *group;
	int error = 0;

	if (!fresh)
		return -ENOMEM;
	spin_lock(&groups_lock);
	group = group_find(net, join->name);
	if (!group) {
		group = fresh;
		error = found_locked(group, member->user);
	} else if (!may_join(group)) {
		error = -EACCES;
	}
	if (!error) {
		spin_lock(&group->lock);
		error = seat_locked(group, fresh, join, member);
		spin_unlock(&group->lock);
	}
	spin_unlock(&groups_lock);
	if (group != fresh)
		scatter_group_put(fresh);
	if (error) {
		scatter_group_put(group);
		return error;
	}
	/* All p wake-ups of the last one's JOIN, not under the table's lock. */
	spin_lock(&group->lock);
	if (group->formed)
		scatter_group_wake(group);
	spin_unlock(&group->lock);
	return 0;
}

/**
 * scatter_group_unseat() - a member gives up before the group is complete
 * @group: the group
 * @member: the member; it is the file's alone afterwards
 *
 * Context: any; no locks.
 * Return: false if the group is complete already: nothing has changed.
 */
bool scatter_group_unseat(struct scatter_group *group,
			  struct scatter_member *member)
{
	bool unseated;

	spin_lock(&groups_lock);
	spin_lock(&group->lock);
	unseated = !group->formed && member->presence == SCATTER_PRESENT;
	if (unseated) {
		member->presence = SCATTER_LOST;
		group->members[member->rank] = NULL;
		if (!--group->joined)
			hash_del(&group->node);
		if (member->poll)
			wake_up_all(member->poll);
	}
	spin_unlock(&group->lock);
	spin_unlock(&groups_lock);
	return unseated;
}

/**
 * scatter_group_break_locked() - no operation may start any more
 * @group: a formed group; the first error stays
 * @error: -errno that later operations get
 * @culprit: the rank that caused it
 *
 * Context: the group's lock is held.
 */
void scatter_group_break_locked(struct scatter_group *group, int error,
				u32 culprit)
{
	lockdep_assert_held(&group->lock);
	if (group->state == SCATTER_STATE_ACTIVE) {
		set_state_locked(group, SCATTER_STATE_BROKEN);
		group->error = error;
		group->culprit = culprit;
	}
	scatter_group_wake(group);
}

/**
 * scatter_group_charge_slot_locked() - reserve kernel memory for payload
 * @group: the group
 * @bytes: how much; to be taken off scatter_group.slot_bytes when it is freed
 *
 * Context: the group's lock is held.
 * Return: false if the group has as much as it may have.
 */
bool scatter_group_charge_slot_locked(struct scatter_group *group, u32 bytes)
{
	lockdep_assert_held(&group->lock);
	if (group->slot_bytes + bytes > (u64)SCATTER_SLOT_BYTES * group->size)
		return false;
	group->slot_bytes += bytes;
	return true;
}

/**
 * scatter_group_wake() - make every member, and whoever polls it, look again
 * @group: the group
 *
 * Context: the group's lock is held.
 */
void scatter_group_wake(struct scatter_group *group)
{
	struct scatter_member *member;
	u32 rank;

	lockdep_assert_held(&group->lock);
	for (rank = 0; rank < group->size; rank++) {
		member = group->members[rank];
		if (!member)
			continue;
		scatter_wake(member);
		if (member->poll)
			wake_up_all(member->poll);
	}
}
