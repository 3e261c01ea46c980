// SPDX-License-Identifier: GPL-2.0
/*
 * Borrowing: how a call uses the hub of a node without the node's lock.
 *
 * The end of a hub waits until nobody borrows the hub any more. So a borrower either returns the
 * hub before it may be preempted, or is a command of the node's administrator, or a work item. With
 * PREEMPT_RT, each borrower may be preempted.
 */
#include <linux/kref.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "node/borrow.h"
#include "node/connection.h"
#include "node/node.h"

static void free_hub(struct kref *ref)
{
	kfree(container_of(ref, struct scatter_hub, ref));
}

/**
 * scatter_borrow_begin() - let a call use the hub of a node
 * @node: the node
 *
 * Context: any; takes look.
 * Return: the hub, for scatter_borrow_end(); NULL: the node has no wire.
 */
struct scatter_hub *scatter_borrow_begin(struct scatter_node *node)
{
	struct scatter_hub *hub;

	spin_lock(&node->look);
	hub = node->hub;
	if (hub) {
		kref_get(&hub->ref);
		atomic_inc(&hub->users);
	}
	spin_unlock(&node->look);
	return hub;
}

/**
 * scatter_borrow_end() - undo scatter_borrow_begin()
 * @hub: from scatter_borrow_begin()
 *
 * Context: process context; no locks.
 */
void scatter_borrow_end(struct scatter_hub *hub)
{
	if (atomic_dec_and_test(&hub->users))
		wake_up_all(&hub->empty);
	scatter_borrow_put(hub);
}

/**
 * scatter_borrow_put() - give a reference on a hub back
 * @hub: the hub; gone if that was the last reference
 *
 * Context: process context; no locks.
 */
void scatter_borrow_put(struct scatter_hub *hub)
{
	kref_put(&hub->ref, free_hub);
}
