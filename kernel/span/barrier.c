// SPDX-License-Identifier: GPL-2.0
/*
 * Barriers between nodes: all nodes learn that all members have called.
 *
 * The nodes of a group are the places of a hypercube schedule, whose root is the home. A barrier is
 * a gather without blocks to the home, and a scatter without blocks from the home. A node sends UP
 * to its parent when all members here have called and UP has come from all its children. When UP
 * has come from all children of the home, the home sends DOWN. A node that gets DOWN sends DOWN to
 * its children, and its portal calls the operation as the last party. So each node but the home
 * costs two messages.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "node/mail.h"
#include "operation/operation.h"
#include "schedule/schedule.h"
#include "span/attach.h"
#include "span/barrier.h"
#include "span/fact.h"
#include "wire/wide_build.h"

/**
 * scatter_barrier_tree() - find this node's place in the tree of nodes
 * @group: a group whose portal knows the nodes; no other task knows the portal yet
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
int scatter_barrier_tree(struct scatter_group *group)
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

static void send_edge(struct scatter_group *group, u32 to, u64 number, enum scatter_wide_way way)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_wide_edge edge = {
		.id = { group->id[0], group->id[1] },
		.number = number,
		.way = way,
	};
	struct scatter_raw_edge raw;

	scatter_wide_build_edge(&raw, 0, &edge);
	scatter_mail_post(portal->node, portal->mailer, portal->nodes[to].id, &raw, sizeof(raw));
}

/* All members have called: the portal calls, and this node sends DOWN to its children. */
static void descend(struct scatter_group *group, struct scatter_operation *operation)
{
	const struct scatter_portal *portal = group->portal;
	struct scatter_part *part = &operation->parts[group->size];
	u32 i;

	spin_lock(&group->lock);
	part->posted = true;
	operation->posted++;
	scatter_operation_set_state(part, SCATTER_PART_OPEN);
	spin_unlock(&group->lock);
	for (i = 0; i < portal->nr_children; i++)
		send_edge(group, portal->children[i], operation->number, SCATTER_WIDE_DOWN);
	scatter_operation_wake(operation);
}

/**
 * scatter_barrier_push() - do for a barrier what can be done
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the barrier
 * @slot: the operation's slot
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_barrier_push(struct scatter_group *group, struct scatter_operation *operation,
			  struct scatter_slot *slot)
{
	const struct scatter_portal *portal = group->portal;
	bool all;

	if (operation->parts[group->size].posted)
		return;
	spin_lock(&group->lock);
	all = operation->posted == group->locals && !operation->error;
	spin_unlock(&group->lock);
	if (!slot->up && all && slot->arrived == BIT(portal->nr_children) - 1) {
		if (portal->parent == portal->self) {
			slot->up = true;
			slot->down = true;
		} else if (scatter_attach_tied(group, portal->parent)) {
			slot->up = true;
			send_edge(group, portal->parent, slot->number, SCATTER_WIDE_UP);
		}
	}
	if (slot->down && !READ_ONCE(operation->error))
		descend(group, operation);
}

/**
 * scatter_barrier_came() - handle an EDGE message
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @from: the sender's index
 * @edge: the message
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_barrier_came(struct scatter_group *group, u32 from,
			  const struct scatter_wide_edge *edge)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;
	u32 child;

	for (child = 0; child < portal->nr_children; child++)
		if (portal->children[child] == from)
			break;
	if (edge->way == SCATTER_WIDE_DOWN ?
	    from != portal->parent || from == portal->self : child == portal->nr_children)
		return false;
	if (scatter_slot_is_past(group, edge->number))
		return true;
	slot = scatter_slot_get(group, edge->number, from);
	if (!slot) {
		scatter_fact_overrun(group, portal->nodes[from].first, edge->number);
		return true;
	}
	if (edge->way == SCATTER_WIDE_DOWN)
		slot->down = slot->up;
	else
		slot->arrived |= BIT(child);
	return true;
}
