// SPDX-License-Identifier: GPL-2.0
/*
 * Heirs: groups on several nodes that are made of the members of an older group.
 *
 * A verdict tells which ranks of the old group are the members. Each node makes its part of the new
 * group alone, and all nodes make the same group: the table of nodes, the id and the parameters
 * come from the old group. Each node allocates all memory before it contributes to the verdict.
 *
 * A node that asks another node whether it is in the group sends the verdict first. So the other
 * node has made its part of the group before it answers, or never will.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "council/council.h"
#include "group/group.h"
#include "group/member.h"
#include "group/places.h"
#include "group/portal.h"
#include "group/seats.h"
#include "group/sides.h"
#include "node/node.h"
#include "span/assembly.h"
#include "span/barrier.h"
#include "span/form.h"
#include "span/heir.h"
#include "trace.h"

/**
 * scatter_heir_prepare() - allocate all that a new group needs to be on several nodes
 * @group: from scatter_group_alloc(); nobody else knows the group
 * @old: formed; nothing happens unless the group spans nodes
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int scatter_heir_prepare(struct scatter_group *group, const struct scatter_group *old)
{
	int error;

	/* @spans was set before the old group formed. */
	if (!smp_load_acquire(&old->spans))
		return 0;
	error = scatter_portal_create(group, old->portal->node, 0);
	if (error)
		return error;
	/* Groups with a name reference the namespace; this group has no name. */
	group->portal->net = get_net(old->portal->node->net);
	return scatter_portal_tables(group->portal, old->portal->nr_nodes, old->size) ?:
	       scatter_assembly_create(group->portal, old->portal->nr_nodes, old->size);
}

/* Fill in the nodes of the members, in the same order as in the old group. */
static void arrange_nodes(struct scatter_group *group, const struct scatter_group *old,
			  const struct scatter_set *ranks)
{
	const struct scatter_portal *from = old->portal;
	struct scatter_portal *portal = group->portal;
	u32 node, rank, new, nr = 0;

	for (node = 0; node < from->nr_nodes; node++) {
		struct scatter_portal_node *entry = &portal->nodes[nr];
		bool there = false;

		for (rank = 0, new = 0; rank < old->size; rank++) {
			if (!scatter_set_has(ranks, rank))
				continue;
			if (from->where[rank] == node) {
				portal->where[new] = nr;
				if (!there)
					entry->first = new;
				there = true;
			}
			new++;
		}
		if (!there)
			continue;
		entry->id = from->nodes[node].id;
		entry->incarnation = from->nodes[node].incarnation;
		entry->token = from->nodes[node].token;
		if (node == from->self)
			portal->self = nr;
		nr++;
	}
	scatter_portal_trim(portal, nr);
}

static void arrange_ranks(struct scatter_group *group, const struct scatter_group *old,
			  const struct scatter_set *ranks)
{
	u32 sides[2] = { 0, 0 };
	u32 rank;

	for (rank = 0; rank < old->size; rank++)
		if (scatter_set_has(ranks, rank))
			sides[scatter_sides_side(old, rank)]++;
	group->size = sides[0] + sides[1];
	/* A new group whose members are all of one side has no sides. */
	if (sides[0] && sides[1])
		scatter_sides_set(group, sides);
}

/* Make the group's id. No other group has the id: a key has one verdict, a rank is in one group. */
static void name(struct scatter_group *group, const struct scatter_group *old,
		 const struct scatter_set *ranks, const struct scatter_council_key *key)
{
	u64 which = (u64)key->kind << 32 | scatter_set_first(ranks);
	siphash_key_t seed = { };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(group->id); i++) {
		seed.key[0] = i + 1;
		group->id[i] = siphash_4u64(old->id[0], old->id[1], key->number, which, &seed);
	}
}

/**
 * scatter_heir_arrange() - make the tables of a new group
 * @group: after scatter_heir_prepare(); nobody else knows the group
 * @old: the older group, which spans nodes
 * @ranks: ranks of the older group that are the new group's members; at least one is on this node
 * @key: the key whose verdict makes the group
 *
 * Context: may sleep.
 */
void scatter_heir_arrange(struct scatter_group *group, const struct scatter_group *old,
			  const struct scatter_set *ranks, const struct scatter_council_key *key)
{
	arrange_ranks(group, old, ranks);
	arrange_nodes(group, old, ranks);
	name(group, old, ranks, key);
	scatter_places_arrange(group);
	scatter_barrier_tree(group);
	scatter_assembly_begin(group);
}

/* Seat the applicants that are still there; returns how many. */
static u32 sit_locked(struct scatter_group *group, const struct scatter_group *old,
		      const struct scatter_set *ranks, struct scatter_applicant **applicants)
{
	u32 rank, new = 0, seated = 0;

	lockdep_assert_held(&group->lock);
	for (rank = 0; rank < old->size; rank++) {
		struct scatter_applicant *applicant = applicants[rank];

		if (!scatter_set_has(ranks, rank))
			continue;
		if (applicant) {
			scatter_group_get(group);
			scatter_member_sit_locked(applicant->member, group, new);
			WRITE_ONCE(applicant->member->group, group);
			trace_scatter_join(applicant->member);
			seated++;
		}
		new++;
	}
	return seated;
}

/*
 * Let other nodes find the group by its id. If a peer that lies has given the id to another group,
 * no node meets this one.
 */
static void show_locked(struct scatter_group *group)
{
	const u64 id[2] = { group->id[0], group->id[1] };
	struct scatter_group *other = scatter_portal_show(group, id);

	lockdep_assert_held(&group->lock);
	if (!other)
		return;
	scatter_group_break_locked(group, -EHOSTUNREACH, 0);
	scatter_group_put(other);
}

/**
 * scatter_heir_seat_locked() - seat the members here, and form the new group
 * @group: after scatter_heir_arrange(); nobody else knows the group
 * @old: the older group
 * @ranks: ranks of the older group that are the new group's members
 * @applicants: applicants of members here, by rank in the older group
 *
 * A member whose applicant has gone after this node contributed is dead.
 *
 * Context: the lock of @old is held. The caller has to call scatter_heir_meet() afterwards.
 * Return: how many members here are alive; 0: the group has not formed, and no other task knows it.
 */
u32 scatter_heir_seat_locked(struct scatter_group *group, struct scatter_group *old,
			     const struct scatter_set *ranks,
			     struct scatter_applicant **applicants)
{
	const u32 sides[2] = { group->sides[0], group->sides[1] };
	u32 seated;

	lockdep_assert_held(&old->lock);
	spin_lock_nested(&group->lock, SINGLE_DEPTH_NESTING);
	seated = sit_locked(group, old, ranks, applicants);
	if (seated) {
		group->spans = group->portal->nr_nodes > 1;
		group->locals = seated;
		bitmap_fill(group->seated, group->size);
		scatter_group_derive_locked(group, old, group->size, sides);
		scatter_form_absent_locked(group);
		if (group->spans)
			scatter_form_hold_locked(group);
		show_locked(group);
	}
	spin_unlock(&group->lock);
	return seated;
}

/**
 * scatter_heir_meet() - begin to meet the other nodes of a new group
 * @group: after scatter_heir_seat_locked(); referenced
 *
 * Context: may sleep; no locks but a hub's and that of the older group's nodes. The caller has to
 * call scatter_mail_flush() afterwards.
 */
void scatter_heir_meet(struct scatter_group *group)
{
	if (group->spans)
		scatter_form_meet(group);
}
