// SPDX-License-Identifier: GPL-2.0
/*
 * Quorums: which nodes of a group are enough to decide, see council.h.
 */
#include "council/quorum.h"

/**
 * scatter_quorum_covers() - whether each node is in one of two sets
 * @some: a set of nodes
 * @rest: nodes that need not be in @some
 * @nodes: how many nodes the group has
 *
 * Context: any.
 * Return: whether no node is missing
 */
bool scatter_quorum_covers(const struct scatter_set *some, const struct scatter_set *rest,
			   u32 nodes)
{
	u32 node;

	for (node = 0; node < nodes; node++)
		if (!scatter_set_has(some, node) && !scatter_set_has(rest, node))
			return false;
	return true;
}

/**
 * scatter_quorum_is() - whether some nodes are a quorum
 * @some: nodes of the group; the node with the lowest id is 0
 * @nodes: how many nodes the group had when it formed
 *
 * Two quorums have a node in common: two majorities do, a majority and a half do, and two halves
 * have node 0 in common.
 *
 * Context: any.
 * Return: whether the nodes are a majority, or half of all with node 0
 */
bool scatter_quorum_is(const struct scatter_set *some, u32 nodes)
{
	u32 twice = 2 * scatter_set_count(some);

	return twice > nodes || (twice == nodes && scatter_set_has(some, 0));
}

/**
 * scatter_quorum_unfenced() - whether some nodes are all nodes that are not fenced
 * @some: nodes of the group that have all promised the same fences
 * @fences: the fenced nodes
 * @nodes: how many nodes the group had when it formed
 *
 * Context: any.
 * Return: whether there are fences, and no other node is missing
 */
bool scatter_quorum_unfenced(const struct scatter_set *some, const struct scatter_set *fences,
			     u32 nodes)
{
	return !scatter_set_is_empty(fences) && !scatter_set_is_empty(some) &&
	       scatter_quorum_covers(some, fences, nodes);
}
