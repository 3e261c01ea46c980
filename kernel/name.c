// SPDX-License-Identifier: GPL-2.0
/*
 * The table of names: which group has a name of a user in a network namespace.
 *
 * The table holds no reference. A group stays in it until its last reference goes, or
 * until a JOIN finds that the group is broken or empty and takes the name away.
 * Nobody waits for a group's lock, or for anything else, under names_lock.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/netns/hash.h>

#include "group.h"
#include "name.h"

static DEFINE_HASHTABLE(names, 10);
static DEFINE_SPINLOCK(names_lock);

/* A namespace's random number keeps users from choosing names of one bucket. */
static u32 name_hash(const struct net *net, kuid_t owner, const char *name)
{
	return jhash(name, strnlen(name, SCATTER_NAME_MAX),
		     net_hash_mix(net) ^ __kuid_val(owner));
}

/* A group without references is on its way out of the table. */
static struct scatter_group *find_locked(const struct net *net, kuid_t owner,
					 const char *name)
{
	struct scatter_group *group;

	lockdep_assert_held(&names_lock);
	hash_for_each_possible(names, group, node, name_hash(net, owner, name))
		if (net_eq(group->net, net) && uid_eq(group->uid, owner) &&
		    !strcmp(group->name, name) &&
		    kref_get_unless_zero(&group->ref))
			return group;
	return NULL;
}

/**
 * scatter_name_find() - look a name up
 * @net: the network namespace of the name
 * @owner: the user whose name it is
 * @name: the name
 *
 * Context: any; takes names_lock.
 * Return: the group that has the name, for scatter_group_put(); it may be broken or
 * empty. NULL if there is none.
 */
struct scatter_group *scatter_name_find(const struct net *net, kuid_t owner,
					const char *name)
{
	struct scatter_group *group;

	spin_lock(&names_lock);
	group = find_locked(net, owner, name);
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
	other = find_locked(group->net, group->uid, group->name);
	if (!other)
		hash_add(names, &group->node,
			 name_hash(group->net, group->uid, group->name));
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
	hash_del(&group->node);
	spin_unlock(&names_lock);
}
