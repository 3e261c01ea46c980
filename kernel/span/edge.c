// SPDX-License-Identifier: GPL-2.0
/*
 * Edges between nodes: how the members on all nodes wait for each other.
 *
 * The nodes of a group are the places of a hypercube schedule, whose root is the home. A barrier is
 * a gather without blocks to the home, and a scatter without blocks from the home. A node sends UP
 * to its parent when all members here have called and UP has come from all its children. When UP
 * has come from all children of the home, the home sends DOWN. A node that gets DOWN sends DOWN to
 * its children, and its portal calls the operation: the portal is the last party to do so. So each
 * node but the home costs two messages.
 *
 * The first message between two nodes of a group is ATTACH. An EDGE to a node waits until that node
 * has answered ATTACH; only the state of the slot shows that the EDGE waits.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "group/group.h"
#include "group/portal.h"
#include "node/mail.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "schedule/schedule.h"
#include "span/edge.h"
#include "wire/wide_build.h"

/* Operations that edges may be ahead of the lowest live operation: a barrier is at most 1 ahead. */
#define SCATTER_EDGE_SLOTS	16U

/**
 * struct scatter_edge_due - the next thing to do, without the lock
 * @attach: ask the node whether it is in the group
 * @way: the message to be sent; 0: none
 * @number: of the operation
 * @to: indices of the receivers
 * @nr: how many receivers
 * @done: the portal has called this operation as the last party: wake the members, and pass
 */
struct scatter_edge_due {
	bool attach;
	enum scatter_wide_way way;
	u64 number;
	u32 to[SCATTER_PORTAL_CHILDREN];
	u32 nr;
	struct scatter_operation *done;
};

/**
 * scatter_edge_tree() - find this node's place in the tree of nodes
 * @group: its portal knows the nodes; nobody else knows the portal yet
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int scatter_edge_tree(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	const struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_HYPERCUBE,
		.op = SCATTER_SCHEDULE_SCATTER,
		.size = portal->nr_nodes,
	};
	struct scatter_walk walk;
	struct scatter_step step;
	u32 i;

	portal->slots = kvcalloc(SCATTER_EDGE_SLOTS, sizeof(*portal->slots), GFP_KERNEL_ACCOUNT);
	if (!portal->slots)
		return -ENOMEM;
	portal->nr_slots = SCATTER_EDGE_SLOTS;
	for (i = 0; i < portal->nr_slots; i++)
		portal->slots[i].number = i;
	if (!scatter_schedule_init(&walk, &spec, portal->self))
		return -EINVAL;
	portal->parent = scatter_schedule_parent(&walk, 0, &step) ? step.peer : portal->self;
	portal->nr_children = min_t(u32, scatter_schedule_children(&walk, 0),
				    SCATTER_PORTAL_CHILDREN);
	for (i = 0; i < portal->nr_children; i++) {
		scatter_schedule_child(&walk, 0, i, &step);
		portal->children[i] = step.peer;
	}
	return 0;
}

/* The slot of an operation under way; NULL: the operation is over, or too far ahead. */
static struct scatter_portal_slot *slot_locked(struct scatter_group *group, u64 number)
{
	struct scatter_portal *portal = group->portal;
	u64 lowest = group->end - group->nr_operations;
	struct scatter_portal_slot *slot = &portal->slots[number % portal->nr_slots];

	lockdep_assert_held(&group->lock);
	if (number < lowest || number - lowest >= portal->nr_slots)
		return NULL;
	if (slot->number != number)
		*slot = (struct scatter_portal_slot){ .number = number };
	return slot;
}

/* All members here have called the operation, and so have all nodes below in the tree. */
static bool is_ripe_locked(const struct scatter_group *group,
			   const struct scatter_operation *operation,
			   const struct scatter_portal_slot *slot)
{
	lockdep_assert_held(&group->lock);
	return !slot->up && operation->posted == group->locals &&
	       slot->arrived == BIT(group->portal->nr_children) - 1;
}

/* Send UP to the parent, or first ask the parent whether it is in the group. */
static bool rise_locked(struct scatter_group *group, struct scatter_portal_slot *slot,
			struct scatter_edge_due *due)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_node *parent = &portal->nodes[portal->parent];

	lockdep_assert_held(&group->lock);
	due->to[0] = portal->parent;
	due->nr = 1;
	switch (parent->tie) {
	case SCATTER_PORTAL_APART:
		parent->tie = SCATTER_PORTAL_ASKED;
		due->attach = true;
		return true;
	case SCATTER_PORTAL_TIED:
		slot->up = true;
		due->way = SCATTER_WIDE_UP;
		return true;
	default:
		return false;
	}
}

/* The portal calls the operation; the children are told that all have called. */
static void descend_locked(struct scatter_group *group, struct scatter_operation *operation,
			   struct scatter_edge_due *due)
{
	const struct scatter_portal *portal = group->portal;
	struct scatter_part *part = &operation->parts[group->size];

	lockdep_assert_held(&group->lock);
	part->posted = true;
	operation->posted++;
	scatter_operation_set_state(part, SCATTER_PART_OPEN);
	due->done = operation;
	due->way = SCATTER_WIDE_DOWN;
	due->nr = portal->nr_children;
	memcpy(due->to, portal->children, sizeof(due->to));
}

/* Find what is due for one operation. False: nothing is due. */
static bool look_locked(struct scatter_group *group, struct scatter_operation *operation,
			struct scatter_edge_due *due)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_part *part = &operation->parts[group->size];
	struct scatter_portal_slot *slot;

	lockdep_assert_held(&group->lock);
	if (part->posted || part->state == SCATTER_PART_CLOSED)
		return false;
	scatter_fail_fate_locked(group, operation);
	*due = (struct scatter_edge_due){ .number = operation->number };
	if (operation->error) {
		part->posted = true;
		due->done = operation;
		return true;
	}
	slot = slot_locked(group, operation->number);
	if (!slot)
		return false;
	if (is_ripe_locked(group, operation, slot)) {
		if (portal->parent != portal->self)
			return rise_locked(group, slot, due);
		slot->up = true;
		slot->down = true;
	}
	if (!slot->down)
		return false;
	descend_locked(group, operation, due);
	return true;
}

static bool find_due_locked(struct scatter_group *group, struct scatter_edge_due *due)
{
	u64 number = group->end - group->nr_operations;

	lockdep_assert_held(&group->lock);
	for (; number < group->end; number++) {
		struct scatter_operation *operation =
			scatter_operation_find_locked(group, number);

		if (operation && look_locked(group, operation, due))
			return true;
	}
	return false;
}

static void send(struct scatter_group *group, const struct scatter_edge_due *due)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_wide_edge edge = { .number = due->number, .way = due->way };
	struct scatter_wide_attach attach = { .what = SCATTER_WIDE_ATTACH };
	struct scatter_raw_attach raw_attach;
	struct scatter_raw_edge raw_edge;
	u32 i;

	memcpy(edge.id, group->id, sizeof(edge.id));
	memcpy(attach.id, group->id, sizeof(attach.id));
	for (i = 0; i < due->nr; i++) {
		const struct scatter_portal_node *node = &portal->nodes[due->to[i]];

		if (due->attach) {
			attach.token = node->token;
			scatter_wide_build_attach(&raw_attach, 0, &attach);
			scatter_mail_post(portal->node, node->id, &raw_attach, sizeof(raw_attach));
		} else {
			scatter_wide_build_edge(&raw_edge, 0, &edge);
			scatter_mail_post(portal->node, node->id, &raw_edge, sizeof(raw_edge));
		}
	}
}

/* The portal passes an operation that is over. */
static void pass(struct scatter_group *group, struct scatter_operation *operation)
{
	bool last;

	scatter_operation_wake(operation);
	spin_lock(&group->lock);
	last = scatter_operation_pass_locked(group, operation, group->size);
	spin_unlock(&group->lock);
	if (!last)
		return;
	scatter_group_wake_window(group);
	scatter_operation_free(group, operation);
}

/**
 * scatter_edge_push() - do what is due: after a call, a failure, or a message
 * @group: formed, and spans nodes; referenced
 *
 * Context: may sleep; no locks but a hub's; for scatter_mail_flush().
 */
void scatter_edge_push(struct scatter_group *group)
{
	struct scatter_edge_due due;
	bool found;

	for (;;) {
		spin_lock(&group->lock);
		found = find_due_locked(group, &due);
		scatter_group_unlock(group);
		if (!found)
			return;
		if (due.attach || due.way)
			send(group, &due);
		if (due.done)
			pass(group, due.done);
	}
}

/**
 * scatter_edge_receive() - an EDGE has come
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @edge: the message
 *
 * Context: may sleep; no locks but a hub's; for scatter_edge_push().
 * Return: false: the message breaks the protocol.
 */
bool scatter_edge_receive(struct scatter_group *group, u32 from,
			  const struct scatter_wide_edge *edge)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_slot *slot;
	bool fine = true;
	u32 child;

	spin_lock(&group->lock);
	slot = slot_locked(group, edge->number);
	if (edge->way == SCATTER_WIDE_DOWN) {
		fine = from == portal->parent && from != portal->self;
		if (fine && slot)
			slot->down = slot->up;
	} else {
		for (child = 0; child < portal->nr_children; child++)
			if (portal->children[child] == from)
				break;
		fine = child < portal->nr_children;
		if (fine && slot)
			slot->arrived |= BIT(child);
	}
	spin_unlock(&group->lock);
	return fine;
}
