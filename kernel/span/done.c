// SPDX-License-Identifier: GPL-2.0
/*
 * DONE: this node tells the nodes that have sent it bundles that it needs nothing more of them.
 *
 * The sender keeps its bytes until DONE comes. One DONE counts for all operations up to its own, so
 * this node delays it, until it counts for many operations or for a good part of the bytes that the
 * sender may pack. The sender's members may be no more than a window ahead of an operation without
 * DONE: so it is not delayed, either, when members here have called many operations since.
 *
 * A node passes operations in order. If DONE waited for that, two nodes that send each other
 * bundles by turns would wait for each other: each would pass one operation only when the late DONE
 * of the operation before it has come. So a node owes DONE as soon as it is through with an
 * operation itself. It has to be through with all earlier operations, too, in which the same node
 * may send bundles, since DONE counts for these. So the numbers of the DONEs to a node rise.
 *
 * A node without any bytes in an irregular schedule gets nothing but the counts. It owes DONE for
 * these, or nothing would bound how many counts come to a node whose members call late.
 */
#include <linux/container_of.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "group/trees.h"
#include "node/mail.h"
#include "operation/operation.h"
#include "span/bundle.h"
#include "span/done.h"
#include "span/pack.h"
#include "wire/wide_build.h"

/* Most operations for which a DONE may be late. The sender keeps little for so few operations. */
#define SCATTER_DONE_OWED	16
#define SCATTER_DONE_LATE_MS	50
/* When to look again if a member's task has the lock. */
#define SCATTER_DONE_RETRY_MS	10

static void send(struct scatter_group *group, const struct scatter_portal_node *node, u64 number)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_wide_done done = {
		.id = { group->id[0], group->id[1] },
		.number = number,
	};
	struct scatter_raw_done raw;

	lockdep_assert_held(&portal->moving);
	scatter_wide_build_done(&raw, 0, &done);
	scatter_mail_post(portal->node, portal->mailer, node->id, &raw, sizeof(raw));
}

/**
 * scatter_done_answer() - send DONE to a node that has sent a bundle too late
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @to: the node's index
 * @number: the bundle's operation, which this node has passed
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_done_answer(struct scatter_group *group, u32 to, u64 number)
{
	send(group, &group->portal->nodes[to], number);
}

static u32 most_owed(const struct scatter_group *group)
{
	return min(SCATTER_DONE_OWED, DIV_ROUND_UP(group->window, 4));
}

/* Send the DONE that this node owes. */
static void pay(struct scatter_group *group, struct scatter_portal_node *node)
{
	node->nr_owed = 0;
	node->owed = 0;
	send(group, node, node->owed_to);
}

/* Owe DONE to a node that has sent @bytes bytes in the operation. */
static void owe(struct scatter_group *group, u32 to, u64 number, u64 bytes, bool now)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_node *node = &portal->nodes[to];

	if (!node->nr_owed++) {
		node->owed_from = number;
		node->owed_since = jiffies;
	}
	node->owed_to = max(node->owed_to, number);
	node->owed += bytes;
	if (now || node->nr_owed >= most_owed(group) ||
	    node->owed > SCATTER_PACK_BYTES / 4 / portal->nr_nodes) {
		pay(group, node);
		return;
	}
	portal->owed_due = min(portal->owed_due, node->owed_from + most_owed(group));
	queue_delayed_work(scatter_backlog_works(), &portal->owing,
			   msecs_to_jiffies(SCATTER_DONE_LATE_MS));
}

/* Send the DONEs that have been late for long enough. The work item comes again for the others. */
static void pay_old(struct scatter_group *group)
{
	const unsigned long late = msecs_to_jiffies(SCATTER_DONE_LATE_MS);
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_node *node;
	unsigned long now = jiffies, left = ULONG_MAX;
	u32 i;

	lockdep_assert_held(&portal->moving);
	for (i = 0; i < portal->nr_nodes; i++) {
		node = &portal->nodes[i];
		if (node->nr_owed && time_after_eq(now, node->owed_since + late))
			pay(group, node);
		else if (node->nr_owed)
			left = min(left, node->owed_since + late - now);
	}
	if (left != ULONG_MAX)
		mod_delayed_work(scatter_backlog_works(), &portal->owing, left);
}

/* The work item waits for no task: a member's task that has the lock may not run for long. */
static void owing(struct work_struct *work)
{
	struct scatter_portal *portal = container_of(to_delayed_work(work), struct scatter_portal,
						     owing);
	struct scatter_group *group = portal->group;

	if (!kref_get_unless_zero(&group->ref))
		return;
	if (scatter_backlog_trylock(portal)) {
		pay_old(group);
		scatter_backlog_unlock(portal);
		scatter_mail_flush(portal->node);
	} else {
		mod_delayed_work(scatter_backlog_works(), &portal->owing,
				 msecs_to_jiffies(SCATTER_DONE_RETRY_MS));
	}
	scatter_group_put(group);
}

/**
 * scatter_done_prepare() - set up the work item of a new portal that sends late DONEs
 * @portal: from scatter_portal_create()
 *
 * Context: any.
 */
void scatter_done_prepare(struct scatter_portal *portal)
{
	INIT_DELAYED_WORK(&portal->owing, owing);
}

/**
 * scatter_done_hurry() - send the DONEs that are late although members here have gone on
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @end: the first operation that no member here has called
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_done_hurry(struct scatter_group *group, u64 end)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_node *node;
	u64 due;
	u32 i;

	lockdep_assert_held(&portal->moving);
	if (end <= portal->owed_due)
		return;
	portal->owed_due = U64_MAX;
	for (i = 0; i < portal->nr_nodes; i++) {
		node = &portal->nodes[i];
		due = node->owed_from + most_owed(group);
		if (node->nr_owed && end > due)
			pay(group, node);
		else if (node->nr_owed)
			portal->owed_due = min(portal->owed_due, due);
	}
}

/* Whether only counts come to this node in an operation: it is in no tree. */
static bool is_bare(const struct scatter_slot *slot)
{
	u32 i;

	if (slot->head.algorithm != SCATTER_SCHEDULE_IRREGULAR || !slot->planned ||
	    scatter_slot_is_root(slot) || slot->nr_edges)
		return false;
	for (i = 0; i < slot->nr_trees; i++)
		if (slot->trees[i].joined)
			return false;
	return true;
}

/* How many bundles come to this node in an operation; counts, if nothing else comes, are one. */
static u32 nr_bundles(const struct scatter_slot *slot)
{
	if (is_bare(slot))
		return 1;
	return scatter_slot_scatters(slot) ? slot->nr_trees : slot->nr_edges;
}

static const struct scatter_bundle *bundle_of(const struct scatter_slot *slot, u32 i)
{
	if (is_bare(slot))
		return &slot->counts;
	return scatter_slot_scatters(slot) ? &slot->trees[i].in : &slot->edges[i].in;
}

/* The node that sends the bundle. In a tree that this node has not joined, none does. */
static u32 sender_of(const struct scatter_slot *slot, u32 i)
{
	if (is_bare(slot))
		return slot->counts_from;
	return scatter_slot_scatters(slot) ? slot->trees[i].parent : slot->edges[i].node;
}

/**
 * scatter_done_owe() - send DONE, or send it late, to the nodes that have sent bundles
 * @group: formed, and spans nodes
 * @slot: the operation's slot; scatter_portal.moving is held
 * @now: the operation has failed: send DONE at once
 *
 * If blocks had to be pulled, sends DONE at once, too: their owners may wait for it.
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_done_owe(struct scatter_group *group, struct scatter_slot *slot, bool now)
{
	u32 i, from, last = group->portal->self, nr = nr_bundles(slot);
	const struct scatter_bundle *in;

	lockdep_assert_held(&group->portal->moving);
	for (i = 0; i < nr; i++) {
		in = bundle_of(slot, i);
		now |= in->begun && in->head.flags & SCATTER_WIDE_PLAIN &&
		       !(in->head.flags & SCATTER_WIDE_COUNTS);
	}
	/* Several bundles of one node mostly follow each other. A second DONE does no harm. */
	for (i = 0; i < nr; i++) {
		in = bundle_of(slot, i);
		from = sender_of(slot, i);
		if (!in->begun || from == last)
			continue;
		owe(group, from, slot->number, in->stream.end, now);
		last = from;
	}
}

/* Whether a node may send bundles in an operation. */
static bool may_send(const struct scatter_slot *slot, u32 node)
{
	u32 i;

	for (i = 0; i < nr_bundles(slot); i++)
		if (sender_of(slot, i) == node)
			return true;
	return false;
}

/* Whether an operation may move blocks to or from a member here, of those that have all called. */
static bool may_move_locked(const struct scatter_group *group,
			    const struct scatter_operation *operation)
{
	lockdep_assert_held(&group->lock);
	if (!scatter_op_moves(operation->spec.op))
		return false;
	return !operation->spec.idle || operation->passed < group->locals || group->portal->absent;
}

/*
 * Whether DONE of an operation might also count for an earlier one that this node is not through
 * with. If the schedule of the earlier operation is not known, any node may send bundles in it,
 * unless it moves nothing, or nothing to a member here. An EDGE makes a slot even if the portal has
 * passed the barrier. No DONE counts for cells.
 */
static bool is_in_the_way(struct scatter_group *group, const struct scatter_slot *earlier,
			  const struct scatter_slot *slot)
{
	const struct scatter_operation *operation;
	bool moves;
	u32 i;

	if (earlier->cells)
		return false;
	if (!earlier->planned) {
		spin_lock(&group->lock);
		operation = scatter_operation_find_locked(group, earlier->number);
		moves = operation ? may_move_locked(group, operation) :
				    earlier->number >= group->end - group->nr_operations;
		spin_unlock(&group->lock);
		return moves;
	}
	for (i = 0; i < nr_bundles(slot); i++)
		if (bundle_of(slot, i)->begun && may_send(earlier, sender_of(slot, i)))
			return true;
	return false;
}

/* Whether this node owes DONE to anybody. */
static bool is_owing(const struct scatter_slot *slot)
{
	u32 i;

	for (i = 0; i < nr_bundles(slot); i++)
		if (bundle_of(slot, i)->begun)
			return true;
	return false;
}

/**
 * scatter_done_park() - let an operation wait if its DONE would count for an earlier one too early
 * @group: formed, and spans nodes
 * @slot: of a live operation that this node is through with; scatter_portal.moving is held
 *
 * scatter_slot_end() and scatter_slot_drop() of the operation that is in the way return @slot. Each
 * operation waits only for lower numbers, so no two nodes wait for each other.
 *
 * Context: may sleep; takes the group's lock.
 * Return: true: @slot waits; false: DONE may be owed now.
 */
bool scatter_done_park(struct scatter_group *group, struct scatter_slot *slot)
{
	struct scatter_slot *earlier;

	lockdep_assert_held(&group->portal->moving);
	if (!is_owing(slot))
		return false;
	list_for_each_entry(earlier, &group->portal->open, open) {
		if (earlier == slot)
			break;
		if (is_in_the_way(group, earlier, slot)) {
			list_move_tail(&slot->awaits, &earlier->awaited);
			earlier->looming |= !earlier->planned;
			return true;
		}
		cond_resched();
	}
	return false;
}
