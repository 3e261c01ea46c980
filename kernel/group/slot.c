// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: what nodes have said to each other of one operation.
 *
 * A slot is there as soon as somebody speaks of its operation: a member here that calls, or another
 * node, perhaps long before any member here calls. It goes when this node has passed the operation.
 * What passes through this node does so whether members here have called or not.
 */
#include <asm/byteorder.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "group/cells.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/spec.h"
#include "group/slot.h"
#include "group/trees.h"
#include "wire/digest.h"

/* Slots that a node may make beyond those of its windows. */
#define SCATTER_SLOT_SPARE	16

/**
 * scatter_slot_find() - the slot of an operation
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @number: the operation's number
 *
 * Context: any.
 * Return: the slot; NULL: nobody has spoken of the operation yet, or it is over.
 */
struct scatter_slot *scatter_slot_find(struct scatter_group *group, u64 number)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;

	lockdep_assert_held(&portal->moving);
	list_for_each_entry(slot, &portal->slots, entry)
		if (slot->number >= number)
			return slot->number == number ? slot : NULL;
	return NULL;
}

/**
 * scatter_slot_is_past() - whether this node has passed an operation
 * @group: likewise
 * @number: the operation's number
 *
 * Context: takes the group's lock.
 */
bool scatter_slot_is_past(struct scatter_group *group, u64 number)
{
	bool past;

	lockdep_assert_held(&group->portal->moving);
	spin_lock(&group->lock);
	past = number < group->end - group->nr_operations;
	spin_unlock(&group->lock);
	return past;
}

/* How many slots there are because of what a node, or a FACT, has said. */
static u32 *made_by(struct scatter_portal *portal, u32 maker)
{
	return maker == portal->nr_nodes ? &portal->told_slots : &portal->nodes[maker].slots;
}

/*
 * Whether there are more of them than honest peers need. Of the operations that a node speaks of
 * before others do, the node has passed very few, and is in at most a window of them. The home
 * tells of operations that have failed anywhere.
 */
static bool is_too_many(const struct scatter_group *group, u32 maker)
{
	struct scatter_portal *portal = group->portal;
	u32 made = *made_by(portal, maker);

	if (maker == portal->self)
		return false;
	if (maker == portal->nr_nodes)
		return made > size_mul(group->window, portal->nr_nodes);
	return made > size_mul(group->window, 2) + SCATTER_SLOT_SPARE;
}

/**
 * scatter_slot_get() - the slot of an operation, which is made if need be
 * @group: likewise
 * @number: number of an operation that this node has not passed
 * @maker: who speaks of it, as index in scatter_portal.nodes: this node, if members here have
 *	called it; the number of nodes: a FACT, which may be about any node
 *
 * Context: may sleep.
 * Return: the slot; NULL: there are more than honest peers need.
 */
struct scatter_slot *scatter_slot_get(struct scatter_group *group, u64 number, u32 maker)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot, *before;

	lockdep_assert_held(&portal->moving);
	slot = scatter_slot_find(group, number);
	if (slot)
		return slot;
	if (is_too_many(group, maker))
		return NULL;
	slot = kzalloc(sizeof(*slot), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	slot->number = number;
	slot->maker = maker;
	INIT_LIST_HEAD(&slot->pulls);
	INIT_LIST_HEAD(&slot->passed);
	slot->counts.pieces = 1;
	scatter_chunks_init(&slot->counts.stream, NULL);
	list_for_each_entry_reverse(before, &portal->slots, entry)
		if (before->number < number)
			break;
	list_add(&slot->entry, &before->entry);
	++*made_by(portal, maker);
	return slot;
}

static u32 nr_parcels(const struct scatter_slot *slot)
{
	const struct scatter_portal *portal = slot->places.portal;

	return portal->begin[portal->self + 1] - portal->begin[portal->self];
}

static void free_pulls(struct list_head *pulls)
{
	struct scatter_slot_pull *pull, *next;

	list_for_each_entry_safe(pull, next, pulls, entry)
		kfree(pull);
}

static void slot_free(struct scatter_slot *slot)
{
	u32 i;

	scatter_trees_free(slot);
	scatter_chunks_free(&slot->counts.stream);
	kvfree(slot->told);
	for (i = 0; slot->parcels && i < nr_parcels(slot); i++) {
		scatter_chunks_free(&slot->parcels[i].block);
		scatter_chunks_free(&slot->parcels[i].pulled);
	}
	free_pulls(&slot->pulls);
	free_pulls(&slot->passed);
	scatter_cells_free(slot->cells);
	kfree(slot->inquiry);
	kvfree(slot->parcels);
	kfree(slot);
}

/**
 * scatter_slot_drop() - this node has passed the operation of a slot
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: freed
 *
 * Context: may sleep.
 */
void scatter_slot_drop(struct scatter_group *group, struct scatter_slot *slot)
{
	struct scatter_portal *portal = group->portal;
	u32 i;

	lockdep_assert_held(&portal->moving);
	portal->nodes[slot->counts_from].kept -= slot->counts.messages;
	for (i = 0; i < slot->nr_trees; i++)
		portal->nodes[slot->trees[i].parent].kept -= slot->trees[i].in.messages;
	for (i = 0; i < slot->nr_edges; i++)
		portal->nodes[slot->edges[i].node].kept -= slot->edges[i].in.messages;
	for (i = 0; slot->cells && i < slot->cells->nr_feeds; i++)
		portal->nodes[slot->cells->feeds[i].node].kept -= slot->cells->feeds[i].kept;
	if (slot->inquiry)
		portal->nodes[slot->inquiry->maker].inquiries--;
	list_del(&slot->entry);
	--*made_by(portal, slot->maker);
	portal->packed -= slot->packed;
	slot_free(slot);
}

/**
 * scatter_slot_free_all() - free all slots of a group
 * @group: goes; has a portal
 *
 * Context: may sleep.
 */
void scatter_slot_free_all(struct scatter_group *group)
{
	struct scatter_slot *slot, *next;

	list_for_each_entry_safe(slot, next, &group->portal->slots, entry) {
		list_del(&slot->entry);
		slot_free(slot);
	}
}

/*
 * A number for what members ask for besides what bundles need, the same on all nodes: the schedule
 * and, with flags, these and the form, since the wire calls any form with AT_MOST a v form.
 */
static u64 digest(const struct scatter_spec *spec)
{
	const struct scatter_schedule *asked = &spec->schedule;
	__le32 raw[3 + SCATTER_DIMS_MAX + 2];
	u32 nr = 3 + SCATTER_DIMS_MAX, i;

	raw[0] = cpu_to_le32(asked->algorithm);
	raw[1] = cpu_to_le32(asked->ports);
	raw[2] = cpu_to_le32(asked->dims);
	for (i = 0; i < SCATTER_DIMS_MAX; i++)
		raw[3 + i] = cpu_to_le32(asked->extent[i]);
	if (spec->flags) {
		raw[nr++] = cpu_to_le32(spec->flags);
		raw[nr++] = cpu_to_le32(spec->op);
	}
	return scatter_digest_bytes(SCATTER_DIGEST_EMPTY, raw, nr * sizeof(*raw)) ?: 1;
}

/* The operation as bundles need it: each block has a length of its own in a v form. */
static enum scatter_wide_op wide_op(const struct scatter_spec *spec)
{
	if (!scatter_spec_is_at_most(spec))
		return (enum scatter_wide_op)spec->op;
	return scatter_op_scatters(spec->op) ? SCATTER_WIDE_SCATTERV : SCATTER_WIDE_GATHERV;
}

/**
 * scatter_slot_describe() - what nodes tell each other of an operation
 * @group: formed, and spans nodes
 * @spec: what members here ask for; not idle
 * @number: the operation's number
 * @head: (out) the head of its bundles, without counts
 *
 * Context: any.
 */
void scatter_slot_describe(const struct scatter_group *group, const struct scatter_spec *spec,
			   u64 number, struct scatter_wide_bundle *head)
{
	struct scatter_schedule_spec plan;
	struct scatter_places places;

	scatter_places_find(group, spec->first, spec->blocks, spec->root, &places);
	scatter_places_plan(&places, spec, &plan);
	*head = (struct scatter_wide_bundle){
		.id = { group->id[0], group->id[1] },
		.number = number,
		.block = spec->block,
		.asked = digest(spec),
		.op = wide_op(spec),
		.root = spec->root,
		.first = spec->first,
		.blocks = spec->blocks,
		.algorithm = plan.algorithm,
		.ports = plan.ports,
		.dims = plan.dims,
	};
	memcpy(head->extent, plan.extent, sizeof(head->extent));
}

/**
 * scatter_slot_same() - whether two nodes speak of the same operation
 * @a: a head of a bundle
 * @b: another one, of the same number
 *
 * Context: any.
 */
bool scatter_slot_same(const struct scatter_wide_bundle *a, const struct scatter_wide_bundle *b)
{
	return a->block == b->block && a->asked == b->asked && a->op == b->op &&
	       a->root == b->root && a->first == b->first && a->blocks == b->blocks &&
	       a->algorithm == b->algorithm && a->ports == b->ports && a->dims == b->dims &&
	       !memcmp(a->extent, b->extent, sizeof(a->extent));
}

/* Whether a group can have an operation at all. What schedules cannot be is found out later. */
static bool is_possible(const struct scatter_group *group, const struct scatter_wide_bundle *head)
{
	const u32 *sides = group->sides;

	if (head->root >= group->size)
		return false;
	if (!sides[0])
		return !head->first && head->blocks == group->size;
	if (head->first)
		return head->first == sides[0] && head->blocks == sides[1] &&
		       head->root < sides[0];
	return head->blocks == sides[0] && head->root >= sides[0];
}

/* Whether this node takes part, and nodes can run the schedule. */
static bool is_plan(const struct scatter_places *places, const struct scatter_schedule_spec *plan)
{
	struct scatter_walk walk;

	if (places->self == places->nr)
		return false;
	switch (plan->algorithm) {
	case SCATTER_SCHEDULE_IRREGULAR:
		return true;
	case SCATTER_SCHEDULE_OR_BROADCAST:
		return scatter_schedule_init(&walk, plan, places->self);
	default:
		return scatter_schedule_trees(plan);
	}
}

/**
 * scatter_slot_learn() - a slot gets to know its operation
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: does not know its operation yet
 * @head: what a node, or a member here, says of it
 *
 * Context: may sleep.
 * Return: false: there can be no such operation in this group.
 */
bool scatter_slot_learn(struct scatter_group *group, struct scatter_slot *slot,
			const struct scatter_wide_bundle *head)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOFAIL;
	const struct scatter_portal *portal = group->portal;
	struct scatter_places *places = &slot->places;
	struct scatter_schedule_spec plan;
	u32 i;

	lockdep_assert_held(&portal->moving);
	if (!is_possible(group, head))
		return false;
	scatter_places_find(group, head->first, head->blocks, head->root, places);
	plan = (struct scatter_schedule_spec){
		.algorithm = head->algorithm,
		.op = SCATTER_SCHEDULE_SCATTER,
		.size = places->nr,
		.root = places->root,
		.ports = head->ports,
		.dims = head->dims,
	};
	memcpy(plan.extent, head->extent, sizeof(plan.extent));
	if (!is_plan(places, &plan))
		return false;
	slot->head = *head;
	slot->counts_from = portal->self;
	slot->known = true;
	/* No tree, and nothing is pulled. */
	if (plan.algorithm == SCATTER_SCHEDULE_OR_BROADCAST) {
		slot->cells = scatter_cells_alloc(places, &plan);
		return true;
	}
	slot->parcels = kvcalloc(nr_parcels(slot), sizeof(*slot->parcels), gfp);
	for (i = 0; i < nr_parcels(slot); i++) {
		scatter_chunks_init(&slot->parcels[i].block, NULL);
		scatter_chunks_init(&slot->parcels[i].pulled, NULL);
	}
	/* The counts tell an irregular schedule. */
	if (plan.algorithm != SCATTER_SCHEDULE_IRREGULAR)
		scatter_trees_find(slot, &plan, scatter_slot_descends(slot));
	return true;
}

/**
 * scatter_slot_fail() - a call on another node has failed, on which an operation depends
 * @group: formed, and spans nodes
 * @number: the operation's number
 * @rank: whose call
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_edge_push() afterwards.
 * Return: false: this node knows that, and so do others.
 */
bool scatter_slot_fail(struct scatter_group *group, u64 number, u32 rank)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot = NULL;
	bool fresh = true;

	mutex_lock(&portal->moving);
	if (!scatter_slot_is_past(group, number))
		slot = scatter_slot_get(group, number, portal->nr_nodes);
	if (slot)
		fresh = !slot->failed;
	if (slot && fresh) {
		slot->failed = true;
		slot->culprit = rank;
	}
	mutex_unlock(&portal->moving);
	return fresh;
}

/**
 * scatter_slot_parcel() - what the slot has of a member here
 * @slot: knows its operation
 * @rank: the member's rank
 *
 * Context: any.
 */
struct scatter_parcel *scatter_slot_parcel(const struct scatter_slot *slot, u32 rank)
{
	const struct scatter_portal *portal = slot->places.portal;
	const u16 *order = &portal->order[portal->begin[portal->self]];
	u32 low = 0, high = nr_parcels(slot) - 1;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (order[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return &slot->parcels[low];
}
