// SPDX-License-Identifier: GPL-2.0
/*
 * Backlogs: what handlers of messages leave to be done for a group whose lock is taken.
 *
 * scatter_portal.moving is a mutex that the tasks of a group's members hold for as long as the
 * scheduler lets them: a user can have his task preempted, and keep it from running for seconds. A
 * handler of messages runs for all users of the node, and so must not wait for that mutex. It tries
 * the mutex for a moment. If the mutex stays taken, the handler puts the message into the backlog
 * of the group, as a socket does whose user has locked it, and goes on. So a task that does not run
 * stops its own group only.
 *
 * Who finds a backlog adds to it, so that the order stays. A work item does what is in the backlog,
 * one after the other, whenever it gets the mutex. The work item does not wait either: if the mutex
 * is taken, the holder starts the work item again when it gives the mutex back.
 *
 * The backlog of a group is bounded for each node that sends to it. A node that sends more than its
 * members may be ahead of this node is taken for lost in this group, since what it sends cannot be
 * kept.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/portal.h"
#include "node/hub.h"
#include "node/mail.h"

/* How long a handler tries to get the mutex. Most sections under the mutex are shorter. */
#define SCATTER_BACKLOG_TRY_NS	20000U
/* How many items the work item does in one go. */
#define SCATTER_BACKLOG_BATCH	64U

static struct workqueue_struct *works;
/* How many items are in all backlogs, or are being done. */
static atomic_t nr_items = ATOMIC_INIT(0);

/**
 * scatter_backlog_init() - allow backlogs from now on
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int __init scatter_backlog_init(void)
{
	works = alloc_workqueue("scatter_backlog", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	return works ? 0 : -ENOMEM;
}

/**
 * scatter_backlog_exit() - undo scatter_backlog_init()
 *
 * Context: may sleep; no group has a backlog any more.
 */
void scatter_backlog_exit(void)
{
	destroy_workqueue(works);
}

/**
 * scatter_backlog_works() - where work items of groups run that take a reference meanwhile
 *
 * Context: any.
 */
struct workqueue_struct *scatter_backlog_works(void)
{
	return works;
}

/**
 * scatter_backlog_wait() - wait until the backlogs of a node's groups have been worked on
 * @node: the node, which ends: nobody waits for what its groups owe
 *
 * What is left belongs to groups whose lock is taken, or comes from peers that go on sending.
 *
 * Context: may sleep; no locks that a handler of messages takes.
 */
void scatter_backlog_wait(struct scatter_node *node)
{
	struct scatter_group *group;
	u64 cursor = 0;

	while ((group = scatter_portal_next(node, &cursor))) {
		flush_work(&group->portal->deferred);
		cancel_delayed_work_sync(&group->portal->owing);
		scatter_group_put(group);
	}
}

/**
 * scatter_backlog_flush() - wait until no work item uses a group or a node any more
 *
 * Context: may sleep; no group has members any more.
 */
void scatter_backlog_flush(void)
{
	flush_workqueue(works);
}

static bool is_empty(const struct scatter_portal *portal)
{
	return list_empty_careful(&portal->backlog);
}

/* Start the work item; it has a reference on the group. */
static void kick(struct scatter_portal *portal)
{
	scatter_group_get(portal->group);
	if (!queue_work(works, &portal->deferred))
		scatter_group_put(portal->group);
}

static struct scatter_backlog_item *next(struct scatter_portal *portal)
{
	struct scatter_backlog_item *item;

	spin_lock(&portal->deferring);
	item = list_first_entry_or_null(&portal->backlog, struct scatter_backlog_item, entry);
	if (item) {
		list_del(&item->entry);
		if (item->from < portal->nr_nodes) {
			portal->nodes[item->from].deferred--;
			portal->nodes[item->from].deferred_bytes -= item->bytes;
		}
	}
	spin_unlock(&portal->deferring);
	return item;
}

/* Who sees that an item is not counted any more sees what it has done. */
static void done(struct scatter_portal *portal, u32 from)
{
	if (from < portal->nr_nodes)
		atomic_dec_return_release(&portal->nodes[from].doing);
	atomic_dec_return_release(&nr_items);
}

static void work(struct work_struct *work)
{
	struct scatter_portal *portal = container_of(work, struct scatter_portal, deferred);
	struct scatter_group *group = portal->group;
	struct scatter_client_sender sender = {};
	struct scatter_backlog_item *item;
	bool more = true, fine = true;
	u32 nr, from;

	/* Pairs with scatter_backlog_unlock(). */
	smp_mb();
	for (nr = 0; more && nr < SCATTER_BACKLOG_BATCH && mutex_trylock(&portal->moving); nr++) {
		item = next(portal);
		more = item;
		if (item) {
			sender = item->sender;
			from = item->from;
			fine = item->run(group, item);
			done(portal, from);
		}
		/* Whoever adds to the backlog meanwhile starts the work item again. */
		mutex_unlock(&portal->moving);
		if (!fine)
			scatter_hub_cut(portal->node, &sender);
		fine = true;
		scatter_mail_flush(portal->node);
		cond_resched();
	}
	if (more && nr == SCATTER_BACKLOG_BATCH)
		kick(portal);
	scatter_group_put(group);
}

/**
 * scatter_backlog_prepare() - set up the work item of a new portal
 * @portal: from scatter_portal_create()
 *
 * Context: any.
 */
void scatter_backlog_prepare(struct scatter_portal *portal)
{
	INIT_WORK(&portal->deferred, work);
}

/**
 * scatter_backlog_lock() - get scatter_portal.moving for the task of a member
 * @portal: portal of a group that the caller references
 *
 * Context: may sleep; not in the handler of a message.
 */
void scatter_backlog_lock(struct scatter_portal *portal)
{
	mutex_lock(&portal->moving);
}

/**
 * scatter_backlog_trylock() - get scatter_portal.moving for a handler or a work item
 * @portal: portal of a group that the caller references
 *
 * Context: process context; does not wait for any other task.
 * Return: false: the lock stays taken, or there is a backlog: the caller has to add to that.
 */
bool scatter_backlog_trylock(struct scatter_portal *portal)
{
	const u64 until = local_clock() + SCATTER_BACKLOG_TRY_NS;

	if (!is_empty(portal))
		return false;
	while (!mutex_trylock(&portal->moving)) {
		if (local_clock() > until)
			return false;
		cpu_relax();
	}
	/* Another handler may have added to the backlog meanwhile. */
	if (is_empty(portal))
		return true;
	scatter_backlog_unlock(portal);
	return false;
}

/**
 * scatter_backlog_unlock() - give scatter_portal.moving back
 * @portal: portal of a group that the caller references
 *
 * Context: process context.
 */
void scatter_backlog_unlock(struct scatter_portal *portal)
{
	mutex_unlock(&portal->moving);
	/* Either the work item gets the lock, or this task sees what was added before it tried. */
	smp_mb();
	if (!is_empty(portal))
		kick(portal);
}

/**
 * scatter_backlog_are_busy() - whether any group has a backlog
 *
 * Context: any.
 * Return: false: all that was added to any backlog before has been done.
 */
bool scatter_backlog_are_busy(void)
{
	return atomic_read_acquire(&nr_items);
}

/**
 * scatter_backlog_has() - whether a group's backlog has items of a node
 * @portal: portal of a group that the caller references; has formed
 * @from: the node's index
 *
 * Context: any.
 * Return: false: all items of that node that were added before have been done.
 */
bool scatter_backlog_has(const struct scatter_portal *portal, u32 from)
{
	return atomic_read_acquire(&portal->nodes[from].doing);
}

/**
 * scatter_backlog_add() - leave something to be done
 * @portal: portal of a group that the caller references
 * @item: the item
 *
 * Context: process context.
 * Return: false: the backlog has too many items of that node, or too long ones; the caller frees
 * the item.
 */
bool scatter_backlog_add(struct scatter_portal *portal, struct scatter_backlog_item *item)
{
	struct scatter_portal_node *node = NULL;
	bool room = true;

	if (item->from < portal->nr_nodes)
		node = &portal->nodes[item->from];
	spin_lock(&portal->deferring);
	if (node)
		room = scatter_portal_defers(portal->group, node->deferred,
					     node->deferred_bytes + item->bytes);
	if (room) {
		atomic_inc(&nr_items);
		list_add_tail(&item->entry, &portal->backlog);
	}
	if (room && node) {
		atomic_inc(&node->doing);
		node->deferred++;
		node->deferred_bytes += item->bytes;
	}
	spin_unlock(&portal->deferring);
	if (room)
		kick(portal);
	return room;
}

/**
 * scatter_backlog_run() - do something now, or as soon as the lock is free
 * @portal: portal of a group that the caller references
 * @item: the item, which no node has caused
 *
 * Context: process context; does not wait for any other task.
 */
void scatter_backlog_run(struct scatter_portal *portal, struct scatter_backlog_item *item)
{
	if (!scatter_backlog_trylock(portal)) {
		scatter_backlog_add(portal, item);
		return;
	}
	item->run(portal->group, item);
	scatter_backlog_unlock(portal);
}
