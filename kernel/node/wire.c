// SPDX-License-Identifier: GPL-2.0
/*
 * The wire: at most one, in a module of its own.
 *
 * A node that has a wire holds no reference on the wire's module. Unloading the module ends the
 * connections of all nodes in order, and scatter_wire_unregister() returns when no node uses the
 * wire any more.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "compat.h"
#include "node/hub.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/wire.h"

/* Changes under wire_lock, which nests outside all other locks; read with a node's lock held. */
static const struct scatter_wire_ops *wire;
static DEFINE_MUTEX(wire_lock);

/*
 * Listeners and lines hold the namespace of their addresses until the node is deleted. The
 * namespace of a container would therefore outlive all its processes.
 */
static bool may_hold(const struct net *net)
{
	return net->user_ns == &init_user_ns;
}

static void set_locked(struct scatter_node *node, const struct scatter_wire_ops *ops,
		       struct scatter_hub *hub)
{
	lockdep_assert_held(&node->lock);
	spin_lock(&node->look);
	node->wire = ops;
	node->hub = hub;
	spin_unlock(&node->look);
}

/**
 * scatter_wire_attach_locked() - let a node use the wire, if there is one
 * @node: the node, which exists, has addresses and a key, and uses no wire
 *
 * Context: may sleep; the node's lock is held.
 */
void scatter_wire_attach_locked(struct scatter_node *node)
{
	const struct scatter_wire_ops *ops = NULL;
	struct scatter_peer *peer;
	struct scatter_hub *hub;

	lockdep_assert_held(&node->lock);
	/*
	 * Pairs with scatter_wire_unregister(), which clears @wire before it takes each node's
	 * lock: either this function sees no wire, or that function takes the wire away from the
	 * node.
	 */
	if (node->wire_net && may_hold(node->wire_net))
		ops = READ_ONCE(wire);
	if (!ops)
		return;
	hub = scatter_hub_create(node, node->wire_net, ops);
	if (!hub) {
		pr_warn("node %llu has no memory to use the wire\n", node->self.id);
		return;
	}
	set_locked(node, ops, hub);
	if (scatter_hub_listen(hub))
		pr_warn("node %llu does not listen at all of its addresses\n", node->self.id);
	for (peer = scatter_peer_next_locked(node, 0); peer;
	     peer = scatter_peer_next_locked(node, peer->id))
		if (scatter_hub_add(hub, peer))
			pr_warn("node %llu has no memory to connect to %llu\n", node->self.id,
				peer->id);
}

/**
 * scatter_wire_detach_locked() - end all connections of a node, which then uses no wire
 * @node: the node; need not use a wire
 *
 * Context: may sleep; the node's lock is held.
 */
void scatter_wire_detach_locked(struct scatter_node *node)
{
	struct scatter_hub *hub = node->hub;

	lockdep_assert_held(&node->lock);
	set_locked(node, NULL, NULL);
	if (hub)
		scatter_hub_destroy(hub);
}

static void attach_locked(struct scatter_node *node, const void *ops)
{
	if (scatter_node_exists_locked(node) && !node->wire)
		scatter_wire_attach_locked(node);
	scatter_node_changed_locked(node);
}

static void detach_locked(struct scatter_node *node, const void *ops)
{
	if (node->wire == ops)
		scatter_wire_detach_locked(node);
	scatter_node_changed_locked(node);
}

/**
 * scatter_wire_register() - let all nodes use a wire
 * @ops: the wire
 *
 * Context: may sleep; no locks.
 * Return: 0; -EBUSY: there is a wire already.
 */
int scatter_wire_register(const struct scatter_wire_ops *ops)
{
	int error = 0;

	mutex_lock(&wire_lock);
	if (wire)
		error = -EBUSY;
	else
		WRITE_ONCE(wire, ops);
	if (!error)
		scatter_node_for_each(attach_locked, ops);
	mutex_unlock(&wire_lock);
	return error;
}

SCATTER_COMPAT_EXPORT(scatter_wire_register);

/**
 * scatter_wire_unregister() - end all connections in order, and use the wire no longer
 * @ops: the wire, which has been registered
 *
 * Context: may sleep; no locks.
 */
void scatter_wire_unregister(const struct scatter_wire_ops *ops)
{
	mutex_lock(&wire_lock);
	WRITE_ONCE(wire, NULL);
	scatter_node_for_each(detach_locked, ops);
	mutex_unlock(&wire_lock);
}

SCATTER_COMPAT_EXPORT(scatter_wire_unregister);
