// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: what nodes have said to each other about one operation.
 *
 * A slot exists as soon as a member here calls the operation, or another node sends a message about
 * it, perhaps long before any member here calls. The slot is freed when this node has passed the
 * operation. This node forwards blocks whether members here have called or not.
 *
 * A node passes operations in order. If it is through with an operation, but not with an earlier
 * one, it *ends* the later one: the slot stays, but has no blocks any more. So an operation that
 * waits for some member does not make this node keep the blocks of all later ones.
 */
#include <asm/byteorder.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "group/cells.h"
#include "group/failed.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/spec.h"
#include "group/slot.h"
#include "group/trees.h"
#include "wire/digest.h"

/* Most slots that another node may cause here beyond those of its window. */
#define SCATTER_SLOT_SPARE	16

/* Of how many operations that are over a group keeps the trees, and of how many nodes at most. */
#define SCATTER_SLOT_SPARES		16
#define SCATTER_SLOT_SPARE_PLACES	64

static int compare(const void *number, const struct rb_node *rb)
{
	const struct scatter_slot *slot = rb_entry(rb, struct scatter_slot, by_number);
	u64 sought = *(const u64 *)number;

	return sought < slot->number ? -1 : sought > slot->number;
}

static bool is_lower(struct rb_node *rb, const struct rb_node *other)
{
	return rb_entry(rb, struct scatter_slot, by_number)->number <
	       rb_entry(other, struct scatter_slot, by_number)->number;
}

/**
 * scatter_slot_find() - find the slot of an operation
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @number: the operation's number
 *
 * Context: any.
 * Return: the slot; NULL: no node has spoken of the operation yet, or the operation is over.
 */
struct scatter_slot *scatter_slot_find(struct scatter_group *group, u64 number)
{
	struct rb_node *rb;

	lockdep_assert_held(&group->portal->moving);
	rb = rb_find(&number, &group->portal->slots, compare);
	return rb ? rb_entry(rb, struct scatter_slot, by_number) : NULL;
}

/**
 * scatter_slot_next() - visit the slots of a group by rising number
 * @group: as of scatter_slot_find()
 * @slot: the slot before; NULL: begin
 *
 * Context: any.
 * Return: the next slot; NULL: there are no more
 */
struct scatter_slot *scatter_slot_next(struct scatter_group *group, struct scatter_slot *slot)
{
	struct rb_node *rb;

	lockdep_assert_held(&group->portal->moving);
	rb = slot ? rb_next(&slot->by_number) : rb_first(&group->portal->slots);
	return rb ? rb_entry(rb, struct scatter_slot, by_number) : NULL;
}

/* The lowest number of an operation that this node has not passed. */
static u64 lowest(struct scatter_group *group)
{
	u64 number;

	lockdep_assert_held(&group->portal->moving);
	spin_lock(&group->lock);
	number = group->end - group->nr_operations;
	spin_unlock(&group->lock);
	return number;
}

/**
 * scatter_slot_is_past() - whether this node has passed an operation
 * @group: as of scatter_slot_find()
 * @number: the operation's number
 *
 * Context: takes the group's lock.
 */
bool scatter_slot_is_past(struct scatter_group *group, u64 number)
{
	return number < lowest(group);
}

/* The count of slots that messages of a node, or FACTs of the home, have caused. */
static u32 *made_by(struct scatter_portal *portal, u32 maker)
{
	return maker == portal->nr_nodes ? &portal->told_slots : &portal->nodes[maker].slots;
}

/*
 * Whether a node, or FACTs, have caused too many slots. Nodes whose operations succeed speak first
 * only of operations that they are in, at most a window of them, or that they have just passed. A
 * node passes an operation that has failed at once: members that fail again and again may run ahead
 * of this node further than that, see scatter_fact_overrun(). The home tells of operations that
 * have failed on any node.
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

/* Operations with higher numbers than a new slot's mostly do not exist, and have not ended. */
static void open_slot(struct scatter_portal *portal, struct scatter_slot *slot)
{
	struct list_head *next = &portal->open;
	struct rb_node *rb = &slot->by_number;

	while (next == &portal->open && (rb = rb_next(rb))) {
		struct scatter_slot *after = rb_entry(rb, struct scatter_slot, by_number);

		if (!after->ended)
			next = &after->open;
	}
	list_add_tail(&slot->open, next);
}

/**
 * scatter_slot_get() - find or make the slot of an operation
 * @group: as of scatter_slot_find()
 * @number: number of an operation that this node has not passed
 * @maker: index in scatter_portal.nodes of the node that speaks of the operation: this node, if
 *	members here have called; the number of nodes: a FACT of the home, which may be about any
 *	node
 *
 * Context: may sleep.
 * Return: the slot; NULL: @maker has caused too many slots, or this node drops all messages about
 * the operation: for scatter_fact_overrun().
 */
struct scatter_slot *scatter_slot_get(struct scatter_group *group, u64 number, u32 maker)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;

	lockdep_assert_held(&portal->moving);
	/* The rest of a message that this node has dropped makes no sense. */
	if (maker != portal->self && number >= READ_ONCE(portal->deaf_from))
		return NULL;
	slot = scatter_slot_find(group, number);
	if (slot)
		return slot;
	if (is_too_many(group, maker))
		return NULL;
	slot = kzalloc(sizeof(*slot), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	slot->number = number;
	slot->maker = maker;
	INIT_LIST_HEAD(&slot->awaits);
	INIT_LIST_HEAD(&slot->awaited);
	INIT_LIST_HEAD(&slot->pulls);
	INIT_LIST_HEAD(&slot->passed);
	slot->counts.pieces = 1;
	scatter_chunks_init(&slot->counts.stream, NULL);
	xa_init_flags(&slot->intakes, XA_FLAGS_ACCOUNT);
	rb_add(&slot->by_number, &portal->slots, is_lower);
	open_slot(portal, slot);
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

/* Free all that a slot has but its trees. */
static void clear(struct scatter_slot *slot)
{
	struct scatter_intake *intake;
	unsigned long rank;
	u32 i;

	scatter_chunks_free(&slot->counts.stream);
	kvfree(slot->told);
	for (i = 0; slot->parcels && i < nr_parcels(slot); i++)
		scatter_chunks_free(&slot->parcels[i].block);
	xa_for_each(&slot->intakes, rank, intake) {
		scatter_chunks_free(&intake->pulled);
		kfree(intake);
	}
	xa_destroy(&slot->intakes);
	free_pulls(&slot->pulls);
	free_pulls(&slot->passed);
	scatter_cells_free(slot->cells);
	kfree(slot->inquiry);
	kvfree(slot->parcels);
}

static void spare_free(struct scatter_portal *portal, struct scatter_slot *spare)
{
	list_del(&spare->open);
	portal->nr_spares--;
	scatter_trees_free(spare);
	kfree(spare);
}

/* Free a slot. Keep the trees for the next operation of the kind, unless they are large. */
static void slot_free(struct scatter_portal *portal, struct scatter_slot *slot)
{
	clear(slot);
	if (!slot->planned || slot->head.algorithm == SCATTER_SCHEDULE_IRREGULAR ||
	    slot->places.nr > SCATTER_SLOT_SPARE_PLACES) {
		scatter_trees_free(slot);
		kfree(slot);
		return;
	}
	scatter_trees_reset(slot);
	list_add(&slot->open, &portal->spares);
	if (++portal->nr_spares > SCATTER_SLOT_SPARES)
		spare_free(portal, list_last_entry(&portal->spares, struct scatter_slot, open));
}

/* Take the trees of an earlier operation of the same kind. False: there is none. */
static bool take_trees(struct scatter_portal *portal, struct scatter_slot *slot)
{
	struct scatter_slot *spare;

	list_for_each_entry(spare, &portal->spares, open) {
		if (!scatter_slot_same(&spare->head, &slot->head))
			continue;
		scatter_trees_take(slot, spare);
		spare_free(portal, spare);
		return true;
	}
	return false;
}

/*
 * Remember that an operation that this node passes, or has passed, has failed, if it is up to this
 * node to tell others. Honest nodes wait in no operation of two windows ago. False: this node has
 * known before, or no node waits in the operation.
 */
static bool keep_failed(struct scatter_group *group, u64 number, u32 culprit)
{
	struct scatter_portal *portal = group->portal;
	u64 oldest = lowest(group);

	if (portal->self && portal->where[culprit] != portal->self)
		return false;
	oldest -= min_t(u64, oldest, size_mul(group->window, 2));
	scatter_failed_forget(&portal->failed, oldest);
	return number >= oldest && scatter_failed_keep(&portal->failed, number, culprit);
}

/* Drop a bundle, as far as it has come, from a node. */
static void empty(struct scatter_portal *portal, u32 from, struct scatter_bundle *in)
{
	scatter_kept_sub(&portal->nodes[from].kept, &in->kept);
	scatter_chunks_free(&in->stream);
	in->kept = (struct scatter_kept){};
	in->begun = false;
}

/* Drop all messages with blocks that have come. */
static void empty_all(struct scatter_portal *portal, struct scatter_slot *slot)
{
	struct scatter_cells_feed *feed;
	u32 i;

	lockdep_assert_held(&portal->moving);
	empty(portal, slot->counts_from, &slot->counts);
	for (i = 0; i < slot->nr_trees; i++)
		empty(portal, slot->trees[i].parent, &slot->trees[i].in);
	for (i = 0; i < slot->nr_edges; i++)
		empty(portal, slot->edges[i].node, &slot->edges[i].in);
	for (i = 0; slot->cells && i < slot->cells->nr_feeds; i++) {
		feed = &slot->cells->feeds[i];
		scatter_kept_sub(&portal->nodes[feed->node].kept, &feed->kept);
		scatter_cells_starve(feed);
	}
}

/**
 * scatter_slot_empty() - drop the blocks of an operation, those that have come and those to come
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: slot of an operation that has failed, and that no member here has called
 *
 * No member needs the blocks: the operation has failed on all nodes. Their memory is charged to no
 * user, and members may run ahead of the members here.
 *
 * Context: may sleep.
 */
void scatter_slot_empty(struct scatter_group *group, struct scatter_slot *slot)
{
	empty_all(group->portal, slot);
	slot->emptied = true;
}

/* Let go of the blocks of an operation, and of what has awaited its end. */
static void close(struct scatter_portal *portal, struct scatter_slot *slot, struct list_head *later)
{
	struct scatter_intake *intake;
	unsigned long rank;
	u32 i;

	empty_all(portal, slot);
	xa_for_each(&slot->intakes, rank, intake) {
		scatter_chunks_free(&intake->pulled);
		portal->ahead -= intake->ahead;
		intake->ahead = 0;
	}
	for (i = 0; slot->parcels && i < nr_parcels(slot); i++)
		scatter_chunks_free(&slot->parcels[i].block);
	portal->packed -= slot->packed;
	slot->packed = 0;
	list_del_init(&slot->open);
	list_del_init(&slot->awaits);
	list_splice_tail_init(&slot->awaited, later);
}

/**
 * scatter_slot_end() - note that no node needs anything of this one in an operation any more
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: slot of a scatter or gather that this node is through with, but has not passed, without
 *	cells
 * @later: gets, by scatter_slot.awaits, slots of operations that may be ended now
 *
 * Context: may sleep.
 */
void scatter_slot_end(struct scatter_group *group, struct scatter_slot *slot,
		      struct list_head *later)
{
	lockdep_assert_held(&group->portal->moving);
	close(group->portal, slot, later);
	slot->ended = true;
}

/**
 * scatter_slot_drop() - free the slot of an operation that this node passes
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: freed
 * @later: as of scatter_slot_end()
 *
 * Context: may sleep.
 */
void scatter_slot_drop(struct scatter_group *group, struct scatter_slot *slot,
		       struct list_head *later)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&portal->moving);
	close(portal, slot, later);
	if (slot->inquiry)
		portal->nodes[slot->inquiry->maker].inquiries--;
	rb_erase(&slot->by_number, &portal->slots);
	--*made_by(portal, slot->maker);
	if (slot->failed)
		keep_failed(group, slot->number, slot->culprit);
	slot_free(portal, slot);
}

/**
 * scatter_slot_free_all() - free all slots of a group
 * @group: goes; has a portal
 *
 * Context: may sleep.
 */
void scatter_slot_free_all(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot, *next;

	rbtree_postorder_for_each_entry_safe(slot, next, &portal->slots, by_number) {
		clear(slot);
		scatter_trees_free(slot);
		kfree(slot);
	}
	list_for_each_entry_safe(slot, next, &portal->spares, open)
		spare_free(portal, slot);
}

/*
 * A digest, the same on all nodes, of what members ask for beyond the fields of a bundle: the
 * schedule; and if there are flags, the flags and the form, since every form with AT_MOST is a v
 * form on the wire.
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

/* The form as bundles need it: in a v form, each block has a length of its own. */
static enum scatter_wide_op wide_op(const struct scatter_spec *spec)
{
	if (!scatter_spec_is_at_most(spec))
		return (enum scatter_wide_op)spec->op;
	return scatter_op_scatters(spec->op) ? SCATTER_WIDE_SCATTERV : SCATTER_WIDE_GATHERV;
}

static void describe(const struct scatter_group *group, const struct scatter_spec *spec,
		     struct scatter_wide_bundle *head)
{
	struct scatter_schedule_spec plan;
	struct scatter_places places;

	scatter_places_find(group, spec->first, spec->blocks, spec->root, &places);
	scatter_places_plan(&places, spec, &plan);
	*head = (struct scatter_wide_bundle){
		.id = { group->id[0], group->id[1] },
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
 * scatter_slot_describe() - fill in what nodes tell each other about an operation
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @spec: what members here ask for that are not idle
 * @number: the operation's number
 * @head: (out) the head of its bundles, without counts
 *
 * Context: any.
 */
void scatter_slot_describe(struct scatter_group *group, const struct scatter_spec *spec,
			   u64 number, struct scatter_wide_bundle *head)
{
	struct scatter_portal_described *last =
		&group->portal->described[scatter_op_scatters(spec->op)];

	lockdep_assert_held(&group->portal->moving);
	/* Members mostly call the same again. Padding that differs only costs time. */
	if (memcmp(&last->spec, spec, sizeof(*spec))) {
		describe(group, spec, &last->head);
		last->spec = *spec;
	}
	*head = last->head;
	head->number = number;
}

/**
 * scatter_slot_same() - whether two nodes speak of the same operation
 * @a: the head of one node's bundle
 * @b: the head of another bundle, with the same number
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

/* Whether a group can have an operation at all. is_plan() checks the schedule. */
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
 * scatter_slot_learn() - tell a slot what its operation is
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: does not know its operation yet
 * @head: what a node, or a member here, says of the operation
 *
 * Context: may sleep.
 * Return: false: there can be no such operation in this group.
 */
bool scatter_slot_learn(struct scatter_group *group, struct scatter_slot *slot,
			const struct scatter_wide_bundle *head)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOFAIL;
	struct scatter_portal *portal = group->portal;
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
	/* An OR-broadcast has no trees here, and pulls nothing. */
	if (plan.algorithm == SCATTER_SCHEDULE_OR_BROADCAST) {
		slot->cells = scatter_cells_alloc(places, &plan);
		return true;
	}
	slot->parcels = kvcalloc(nr_parcels(slot), sizeof(*slot->parcels), gfp);
	for (i = 0; i < nr_parcels(slot); i++)
		scatter_chunks_init(&slot->parcels[i].block, NULL);
	/* An irregular schedule is found when the counts have come. */
	if (plan.algorithm != SCATTER_SCHEDULE_IRREGULAR && !take_trees(portal, slot))
		scatter_trees_find(slot, &plan, scatter_slot_descends(slot));
	return true;
}

/**
 * scatter_slot_fail() - note that a call on another node failed, on which an operation depends
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @number: the operation's number
 * @rank: the rank whose call failed
 *
 * Context: may sleep. The caller has to call scatter_edge_push() afterwards.
 * Return: 0; -EALREADY: this node, and so the others, have known before; -EOVERFLOW: the rank's
 * node has caused too many slots, for scatter_fact_overrun().
 */
int scatter_slot_fail(struct scatter_group *group, u64 number, u32 rank)
{
	struct scatter_portal *portal = group->portal;
	u32 maker = portal->where[rank];
	struct scatter_slot *slot;

	/* The home speaks for all nodes; at the home, each node speaks for itself. */
	if (portal->self && maker != portal->self)
		maker = portal->nr_nodes;
	lockdep_assert_held(&portal->moving);
	if (scatter_slot_is_past(group, number))
		return keep_failed(group, number, rank) ? 0 : -EALREADY;
	slot = scatter_slot_get(group, number, maker);
	if (!slot)
		return -EOVERFLOW;
	if (slot->failed)
		return -EALREADY;
	slot->failed = true;
	slot->culprit = rank;
	return 0;
}

/**
 * scatter_slot_parcel() - find the parcel of a member here
 * @slot: the operation's slot; knows the operation
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
