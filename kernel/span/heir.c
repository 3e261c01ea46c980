// SPDX-License-Identifier: GPL-2.0
/*
 * Heirs: groups on several nodes that are made of the members of an older group.
 *
 * A verdict tells which ranks of the old group are the members, and in which order. Each node makes
 * its part of the new group alone, and all nodes make the same group: the table of nodes, the id
 * and the parameters come from the old group. Before a node contributes to the verdict, it has
 * allocated all memory, and the user of a member here has been charged. After the verdict nothing
 * can fail:
 *
 *	an applicant's memory --pay--> contributed --the verdict--> take, arrange --> seat --> meet
 *
 * A node that asks another node whether it is in the group sends the verdict first. So the other
 * node has made its part of the group before it answers, or never will.
 *
 * If all members here are killed after the node has contributed, they are dead in the new group,
 * and the group is *vacant* here. The node makes its part nevertheless, since the survivors
 * elsewhere may need its vote. It needs memory for that: without, the others take it for lost.
 *
 * SHRINK (span/verdict.c) differs from DUP and SPLIT (span/split.c) in who is in the new group, and
 * in who waits for it.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "council/council.h"
#include "group/backlog.h"
#include "group/group.h"
#include "group/member.h"
#include "group/places.h"
#include "group/portal.h"
#include "group/seats.h"
#include "group/sides.h"
#include "group/spec.h"
#include "node/node.h"
#include "span/assembly.h"
#include "span/barrier.h"
#include "span/done.h"
#include "span/fence.h"
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
	scatter_backlog_prepare(group->portal);
	scatter_done_prepare(group->portal);
	/* Groups with a name reference the namespace; this group has no name. */
	group->portal->net = get_net(old->portal->node->net);
	return scatter_portal_tables(group->portal, old->portal->nr_nodes, old->size) ?:
	       scatter_assembly_create(group->portal, old->portal->nr_nodes, old->size);
}

/**
 * scatter_heir_pay_locked() - a member here pays for this node's part of a new group
 * @applicants: of members here, by rank in the older group
 * @ranks: the members of the new group, or those that are here
 *
 * What is paid for stays so if the node contributes again.
 *
 * Context: the older group's lock is held.
 * Return: %SCATTER_NO_RANK; else the first of these members, whose user may have no more groups.
 */
u32 scatter_heir_pay_locked(struct scatter_applicant **applicants,
			    const struct scatter_heir_ranks *ranks)
{
	struct scatter_applicant *applicant, *first = NULL;
	u32 i;

	for (i = 0; i < ranks->count; i++) {
		applicant = applicants[ranks->list[i]];
		if (!applicant || !applicant->group)
			continue;
		if (applicant->group->user)
			return SCATTER_NO_RANK;
		first = first ?: applicant;
	}
	if (!first || !scatter_group_charge(first->group, first->member->hands.user,
					    first->unlimited))
		return SCATTER_NO_RANK;
	return first->bid.rank;
}

/**
 * scatter_heir_take_locked() - take the memory of a new group from an applicant
 * @applicants: of members here, by rank in the older group
 * @ranks: the members of the new group
 *
 * The member that has paid may have gone since. Nothing may fail any more, so another one pays,
 * even if its user has too many groups then.
 *
 * Context: the older group's lock is held.
 * Return: the group, for scatter_heir_arrange(); NULL: none of its members is here any more.
 */
struct scatter_group *scatter_heir_take_locked(struct scatter_applicant **applicants,
					       const struct scatter_heir_ranks *ranks)
{
	struct scatter_applicant *applicant, *first = NULL;
	struct scatter_group *group;
	u32 i;

	for (i = 0; i < ranks->count; i++) {
		applicant = applicants[ranks->list[i]];
		if (applicant && applicant->group &&
		    (!first || (!first->group->user && applicant->group->user)))
			first = applicant;
	}
	if (!first)
		return NULL;
	group = first->group;
	first->group = NULL;
	if (!group->user)
		scatter_group_charge(group, first->member->hands.user, true);
	return group;
}

/**
 * scatter_heir_vacant() - allocate this node's part of a new group without members here
 * @old: the older group, which spans nodes
 * @ranks: the members of the new group; those of this node are gone
 *
 * The user who has paid for the older group pays, even if that user has too many groups then. The
 * group goes when all members elsewhere are gone.
 *
 * Context: may sleep.
 * Return: the group, for scatter_heir_arrange(); NULL: no member is of this node, or all are, or
 * there is no memory: then other nodes take this one for lost.
 */
struct scatter_group *scatter_heir_vacant(const struct scatter_group *old,
					  const struct scatter_heir_ranks *ranks)
{
	const struct scatter_portal *portal = old->portal;
	struct scatter_group *group;
	u32 i, here = 0;

	for (i = 0; i < ranks->count; i++)
		here += portal->where[ranks->list[i]] == portal->self;
	if (!here || here == ranks->count)
		return NULL;
	/* No member's process is watched here, but the work item has to be one. */
	group = scatter_group_alloc(old->size, old->watch.work.func);
	if (group && scatter_heir_prepare(group, old)) {
		scatter_group_put(group);
		return NULL;
	}
	if (group && old->user)
		scatter_group_charge(group, old->user, true);
	return group;
}

/* Fill in the nodes of the members, in the same order as in the old group. */
static void arrange_nodes(struct scatter_group *group, const struct scatter_group *old,
			  const struct scatter_heir_ranks *ranks)
{
	const struct scatter_portal *from = old->portal;
	struct scatter_portal *portal = group->portal;
	u32 node, rank, nr = 0;

	for (node = 0; node < from->nr_nodes; node++) {
		struct scatter_portal_node *entry = &portal->nodes[nr];
		bool there = false;

		for (rank = 0; rank < ranks->count; rank++) {
			if (from->where[ranks->list[rank]] != node)
				continue;
			portal->where[rank] = nr;
			if (!there)
				entry->first = rank;
			there = true;
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
			  const struct scatter_heir_ranks *ranks)
{
	u32 sides[2] = { 0, 0 };
	u32 i;

	for (i = 0; i < ranks->count; i++)
		sides[scatter_sides_side(old, ranks->list[i])]++;
	group->size = ranks->count;
	/* A new group whose members are all of one side has no sides. */
	if (sides[0] && sides[1])
		scatter_sides_set(group, sides);
}

/**
 * scatter_heir_name() - make the id of a new group
 * @old: the older group
 * @ranks: the members of the new group
 * @key: of the verdict that makes the group
 * @id: (out) the id; no other group has it: a key has one verdict, and a rank is in one group
 *
 * Context: any.
 */
void scatter_heir_name(const struct scatter_group *old, const struct scatter_heir_ranks *ranks,
		       const struct scatter_council_key *key, u64 *id)
{
	u64 which = (u64)key->kind << 32 | ranks->list[0];
	siphash_key_t seed = { };
	u32 i;

	for (i = 0; i < 2; i++) {
		seed.key[0] = i + 1;
		id[i] = siphash_4u64(old->id[0], old->id[1], key->number, which, &seed);
	}
}

/* Who asks another node about the new group tells it the verdict before. */
static void introduce(struct scatter_group *group, const struct scatter_group *old,
		      const struct scatter_council_key *key, const struct scatter_decree *verdict)
{
	const struct scatter_council_message message = {
		.type = SCATTER_COUNCIL_DECIDED,
		.view = old->portal->assembly->council.view,
		.key = *key,
		.decree = verdict,
	};

	if (group->portal->nr_nodes > 1)
		group->portal->introduction = scatter_assembly_mail(old, &message,
								    &group->portal->introduced);
}

/**
 * scatter_heir_arrange() - make the tables of a new group
 * @group: from scatter_heir_take_locked(); nobody else knows the group
 * @old: the older group, which spans nodes; its scatter_portal.moving is held
 * @ranks: the members of the new group; one of them at least on this node
 * @key: of the verdict that makes the group
 * @verdict: the verdict
 *
 * Context: may sleep.
 */
void scatter_heir_arrange(struct scatter_group *group, const struct scatter_group *old,
			  const struct scatter_heir_ranks *ranks,
			  const struct scatter_council_key *key,
			  const struct scatter_decree *verdict)
{
	arrange_ranks(group, old, ranks);
	arrange_nodes(group, old, ranks);
	scatter_heir_name(old, ranks, key, group->id);
	scatter_places_arrange(group);
	scatter_barrier_tree(group);
	scatter_assembly_begin(group);
	introduce(group, old, key, verdict);
}

/* Seat the applicants that are still there; returns how many. */
static u32 sit_locked(struct scatter_group *group, const struct scatter_heir_ranks *ranks,
		      struct scatter_applicant **applicants)
{
	u32 rank, seated = 0;

	lockdep_assert_held(&group->lock);
	for (rank = 0; rank < ranks->count; rank++) {
		struct scatter_applicant *applicant = applicants[ranks->list[rank]];

		if (!applicant)
			continue;
		scatter_group_get(group);
		scatter_member_sit_locked(applicant->member, group, rank);
		WRITE_ONCE(applicant->member->group, group);
		trace_scatter_join(applicant->member);
		seated++;
	}
	return seated;
}

/* Let other nodes find the group by its id. False: a peer that lies has given the id to another. */
static bool show_locked(struct scatter_group *group)
{
	const u64 id[2] = { group->id[0], group->id[1] };
	struct scatter_group *other = scatter_portal_show(group, id);

	lockdep_assert_held(&group->lock);
	if (other)
		scatter_group_put(other);
	return !other;
}

/*
 * A new group that no other node can find, and of which no node tells anything, stays without the
 * others: as if all of them were lost.
 */
static void isolate_locked(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	u32 i;

	lockdep_assert_held(&group->lock);
	for (i = 0; i < portal->nr_nodes; i++)
		if (i != portal->self)
			portal->nodes[i].tie = SCATTER_PORTAL_GONE;
	for (i = 0; i < group->size; i++)
		if (portal->where[i] != portal->self && !__test_and_set_bit(i, group->dead))
			group->gone++;
	scatter_group_break_locked(group, -EHOSTUNREACH, 0);
	scatter_portal_evict_locked(group);
}

/**
 * scatter_heir_seat_locked() - seat the members here, and form the new group
 * @group: after scatter_heir_arrange(); nobody else knows the group
 * @old: the older group
 * @ranks: the members of the new group
 * @applicants: of members here, by rank in the older group; NULL: all of them are gone
 *
 * A member whose applicant has gone after this node contributed is dead.
 *
 * Context: the lock of @old is held. The caller has to call scatter_heir_meet() afterwards.
 * Return: false: no other node can find the group, so there is nobody to meet.
 */
bool scatter_heir_seat_locked(struct scatter_group *group, struct scatter_group *old,
			      const struct scatter_heir_ranks *ranks,
			      struct scatter_applicant **applicants)
{
	const u32 sides[2] = { group->sides[0], group->sides[1] };
	bool spans = group->portal->nr_nodes > 1, shown = false;
	u32 seated = 0;

	lockdep_assert_held(&old->lock);
	spin_lock_nested(&group->lock, SINGLE_DEPTH_NESTING);
	if (applicants)
		seated = sit_locked(group, ranks, applicants);
	if (seated || spans) {
		group->spans = spans;
		group->locals = seated;
		bitmap_fill(group->seated, group->size);
		scatter_group_derive_locked(group, old, group->size, sides);
		scatter_form_absent_locked(group);
		shown = show_locked(group);
		if (shown && spans)
			scatter_form_hold_locked(group);
		if (!shown)
			isolate_locked(group);
	}
	spin_unlock(&group->lock);
	return shown;
}

static bool is_fenced(struct scatter_group *group, u64 id)
{
	const struct scatter_portal *portal = group->portal;
	bool fenced = false;
	u32 node;

	spin_lock(&group->lock);
	for (node = 0; node < portal->nr_nodes; node++)
		fenced |= portal->nodes[node].id == id &&
			  (portal->nodes[node].fenced || portal->nodes[node].fencing);
	spin_unlock(&group->lock);
	return fenced;
}

/**
 * scatter_heir_meet() - begin to meet the other nodes of a new group
 * @group: after scatter_heir_seat_locked(); referenced
 * @old: the older group; referenced
 *
 * A node that is fenced in the older group is down for the new one, too.
 *
 * Context: may sleep; no locks but a hub's and that of the older group's nodes. The caller has to
 * call scatter_mail_flush() afterwards.
 */
void scatter_heir_meet(struct scatter_group *group, struct scatter_group *old)
{
	const struct scatter_portal *portal = group->portal;
	u32 node;

	if (!group->spans)
		return;
	for (node = 0; node < portal->nr_nodes; node++)
		if (is_fenced(old, portal->nodes[node].id))
			scatter_fence(group, node);
	scatter_form_meet(group);
}
