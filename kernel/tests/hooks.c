// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks for tests, as parameters: an edge that nothing crosses, an early last operation, decrees
 * with little room, and nodes that hold back what they have to say.
 */
#include <linux/minmax.h>
#include <linux/moduleparam.h>

#include "hooks.h"

/* Written rarely, by root; a torn read finds an old value beside a new one. */
static int drop_edge[2] = { -1, -1 };
static unsigned long number_max = SCATTER_NUMBER_MAX;
static unsigned int choices_max = SCATTER_CHOICES_MAX;
static unsigned long long mute[16];
static unsigned int nr_mute;

/**
 * scatter_hooks_drop_edge() - whether an edge is suppressed
 * @from: the sending rank
 * @to: the receiving rank
 *
 * Context: any.
 */
bool scatter_hooks_drop_edge(u32 from, u32 to)
{
	return READ_ONCE(drop_edge[0]) >= 0 &&
	       (u32)READ_ONCE(drop_edge[0]) == from &&
	       (u32)READ_ONCE(drop_edge[1]) == to;
}

/**
 * scatter_hooks_number_max() - the number of a group's last operation
 *
 * Context: any.
 */
u64 scatter_hooks_number_max(void)
{
	return READ_ONCE(number_max);
}

/**
 * scatter_hooks_choices_max() - most choices in one decree of a SPLIT
 *
 * Context: any.
 * Return: 1 and up; the same while groups on several nodes SPLIT
 */
u32 scatter_hooks_choices_max(void)
{
	return clamp(READ_ONCE(choices_max), 1U, SCATTER_CHOICES_MAX);
}

/**
 * scatter_hooks_is_mute() - whether a node holds back its messages
 * @node: the node's id
 *
 * What keeps a connection alive is sent all the same. When the node is mute no more, its other
 * messages go with the next look at the connection's deadlines, at the latest.
 *
 * Context: any.
 */
bool scatter_hooks_is_mute(u64 node)
{
	unsigned int i;

	for (i = 0; i < READ_ONCE(nr_mute); i++)
		if (READ_ONCE(mute[i]) == node)
			return true;
	return false;
}

module_param_array(drop_edge, int, NULL, 0600);
MODULE_PARM_DESC(drop_edge, "test hook: from,to: suppress this edge; -1,-1: none");
module_param(number_max, ulong, 0600);
MODULE_PARM_DESC(number_max, "test hook: the number of a group's last operation");
module_param(choices_max, uint, 0600);
MODULE_PARM_DESC(choices_max, "test hook: most choices in one decree of a SPLIT");
module_param_array(mute, ullong, &nr_mute, 0600);
MODULE_PARM_DESC(mute, "test hook: ids of nodes that hold back their messages; 0: none");
