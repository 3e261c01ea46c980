// SPDX-License-Identifier: GPL-2.0
/*
 * Names: the table that tells which group has a user's name in a network namespace.
 *
 * The table holds no reference. A group stays in the table until its last reference goes, or
 * until a JOIN finds that the group is broken or empty and takes the name away.
 * No task waits for a group's lock, or for anything else, under names_lock.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/netns/hash.h>

#include "group/group.h"
#include "group/name.h"
#include "group/sorted.h"

static DEFINE_HASHTABLE(names, 10);
static DEFINE_SPINLOCK(names_lock);
/* The same groups, sorted for those that visit all groups of a namespace. */
static struct rb_root sorted = RB_ROOT;
/* The serial of the group that got its name last. */
static u64 last_serial;
/* How often names came or went. Several namespaces share each counter. */
static u32 changes[64];

static u32 *changes_of(const struct net *net)
{
	return &changes[net_hash_mix(net) % ARRAY_SIZE(changes)];
}

/* The namespace's random number keeps users from choosing many names of one bucket. */
static u32 name_hash(const struct net *net, kuid_t owner, const char *name)
{
	return jhash(name, strnlen(name, SCATTER_NAME_MAX),
		     net_hash_mix(net) ^ __kuid_val(owner));
}

/* Find a group that has references: a group without any is on its way out of the table. */
static struct scatter_group *find_locked(const struct net *net, kuid_t owner, bool wide,
					 const char *name)
{
	struct scatter_group *group;

	lockdep_assert_held(&names_lock);
	hash_for_each_possible(names, group, node, name_hash(net, owner, name))
		if (net_eq(group->net, net) && uid_eq(group->uid, owner) &&
		    group->wide == wide && !strcmp(group->name, name) &&
		    kref_get_unless_zero(&group->ref))
			return group;
	return NULL;
}

/**
 * scatter_name_find() - look up a name that only this node knows
 * @net: the network namespace of the name
 * @owner: the user whose name it is
 * @name: the name
 *
 * Context: any; takes names_lock.
 * Return: the group that has the name, for scatter_group_put(); the group may be broken or empty.
 * NULL if no group has the name.
 */
struct scatter_group *scatter_name_find(const struct net *net, kuid_t owner,
					const char *name)
{
	struct scatter_group *group;

	spin_lock(&names_lock);
	group = find_locked(net, owner, false, name);
	spin_unlock(&names_lock);
	return group;
}

/**
 * scatter_name_claim() - give a group its name, unless another group has it
 * @group: the group, with network namespace, owner and name
 *
 * Context: any; takes names_lock.
 * Return: NULL on success; else the group that has the name, for scatter_group_put().
 */
struct scatter_group *scatter_name_claim(struct scatter_group *group)
{
	struct scatter_group *other;

	spin_lock(&names_lock);
	other = find_locked(group->net, group->uid, group->wide, group->name);
	if (!other) {
		scatter_sorted_add(&sorted, &group->sorted, group->net, ++last_serial);
		hash_add(names, &group->node,
			 name_hash(group->net, group->uid, group->name));
		++*changes_of(group->net);
	}
	spin_unlock(&names_lock);
	return other;
}

/**
 * scatter_name_free() - take a group's name away
 * @group: the group; need not have a name, or not any more
 *
 * Context: any; takes names_lock.
 */
void scatter_name_free(struct scatter_group *group)
{
	spin_lock(&names_lock);
	if (hash_hashed(&group->node)) {
		++*changes_of(group->net);
		rb_erase(&group->sorted.rb, &sorted);
		hash_del(&group->node);
	}
	spin_unlock(&names_lock);
}

/**
 * scatter_name_next() - visit the groups that have a name in a network namespace
 * @net: the namespace
 * @cursor: (in, out) how far the caller has come; 0 at first
 *
 * A group that has its name all the time is visited once, whatever happens meanwhile. Names of
 * other namespaces cost no time.
 *
 * Context: any; takes names_lock.
 * Return: a group, for scatter_group_put(); the group may be broken or empty. NULL: there are no
 * more groups.
 */
struct scatter_group *scatter_name_next(const struct net *net, u64 *cursor)
{
	struct scatter_group *group = NULL;
	struct scatter_sorted *entry;

	spin_lock(&names_lock);
	while (!group && (entry = scatter_sorted_next(&sorted, net, cursor))) {
		group = container_of(entry, struct scatter_group, sorted);
		if (!kref_get_unless_zero(&group->ref))
			group = NULL;
	}
	spin_unlock(&names_lock);
	return group;
}

/**
 * scatter_name_changes() - get a number that changes when names in a namespace come or go
 * @net: the namespace
 *
 * Context: any; takes names_lock.
 * Return: the number; not 0. Changes of names in another namespace may change the number, too.
 */
u32 scatter_name_changes(const struct net *net)
{
	u32 number;

	spin_lock(&names_lock);
	number = *changes_of(net);
	spin_unlock(&names_lock);
	return number + 1 ?: 1;
}
