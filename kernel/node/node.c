// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes: network namespaces, and what makes a namespace one node among several.
 *
 * Each network namespace has one struct scatter_node, which lives as long as the namespace,
 * whether an administrator has made it a node or not. No user of the struct needs a reference: a
 * file or a netlink socket holds its namespace, and scatter_node_register()'s callback ends all
 * connections before a namespace goes.
 *
 * Locks, in the order in which they nest:
 *
 * 1) nodes_lock: the list of all namespaces. Held while a namespace comes or goes, and while a
 *    wire is registered or unregistered.
 * 2) scatter_node.lock, a mutex: a task that changes a node or its peers holds the lock for the
 *    whole change, also while connections are ended, which sleeps. So neither an event of a wire
 *    nor any other task but an administrator's waits for this lock.
 * 3) scatter_hub.lock, a mutex: an event of the wire, or a work item of the hub, holds it while it
 *    does its work. The task of a user never waits for this lock. It takes the lock only to send
 *    its mail, see mail.c, and cannot be preempted meanwhile: a user decides how soon his tasks run
 *    again, and all users need the hub. An administrator of the node may wait for this lock.
 * 4) scatter_node.look, a spinlock: a change happens under both of the node's locks, so the holder
 *    of either lock may read. Commands that only read take this lock and make a copy. Events of a
 *    wire take this lock to look up a peer, and get a reference.
 * 5) scatter_peer.lock, a spinlock: the state of one peer's connection.
 *
 * A node whose wire lives in another namespace holds no reference on that namespace: two nodes with
 * their wires in each other's namespaces would live for ever. When a namespace goes, the nodes
 * whose wires live there lose the wire, but not their configuration. A wire may hold the namespace
 * for what it has set up there, see wire.c: then the node must be deleted first.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "node/node.h"
#include "stats.h"

static unsigned int net_id __read_mostly;
static DEFINE_MUTEX(nodes_lock);
static LIST_HEAD(nodes);
static void (*end_node)(struct scatter_node *node, struct net *net) __ro_after_init;

static const u32 tune_defaults[SCATTER_A_TUNE_MAX + 1] = {
	[SCATTER_A_TUNE_KEEPALIVE_MS] = 5000,
	[SCATTER_A_TUNE_HOLD_MS] = 30000,
	[SCATTER_A_TUNE_BACKOFF_MS] = 5000,
	[SCATTER_A_TUNE_BUFFERS] = 64,
	[SCATTER_A_TUNE_HALF_OPEN] = 16,
	[SCATTER_A_TUNE_TIMEOUT_MS] = 5000,
	[SCATTER_A_TUNE_SEGMENT_BYTES] = 262144,
};

/**
 * scatter_node_of() - find the node that a network namespace is, or may become
 * @net: the namespace, which the caller holds
 *
 * Context: any.
 */
struct scatter_node *scatter_node_of(const struct net *net)
{
	return net_generic(net, net_id);
}

static int __net_init init_net_node(struct net *net)
{
	struct scatter_node *node = scatter_node_of(net);

	node->net = net;
	mutex_init(&node->lock);
	spin_lock_init(&node->look);
	node->peers = RB_ROOT;
	node->generation = 1;
	memcpy(node->tune, tune_defaults, sizeof(node->tune));
	spin_lock_init(&node->posting);
	INIT_LIST_HEAD(&node->outbox);
	mutex_lock(&nodes_lock);
	list_add_tail(&node->siblings, &nodes);
	mutex_unlock(&nodes_lock);
	return 0;
}

/* End the namespace's node, and the connections of nodes whose wires live in the namespace. */
static void __net_exit exit_net_node(struct net *net)
{
	struct scatter_node *own = scatter_node_of(net), *node;

	mutex_lock(&nodes_lock);
	list_for_each_entry(node, &nodes, siblings) {
		/* Who lets a node's wire live in a namespace holds that namespace meanwhile. */
		if (node != own && READ_ONCE(node->wire_net) != net)
			continue;
		mutex_lock(&node->lock);
		if (node == own || node->wire_net == net)
			end_node(node, net);
		mutex_unlock(&node->lock);
	}
	list_del(&own->siblings);
	mutex_unlock(&nodes_lock);
	WARN_ON_ONCE(!list_empty(&own->outbox));
	mutex_destroy(&own->lock);
}

static struct pernet_operations net_ops = {
	.init = init_net_node,
	.exit = exit_net_node,
	.id = &net_id,
	.size = sizeof(struct scatter_node),
};

/**
 * scatter_node_register() - begin to keep a node for each network namespace
 * @end: called with the node's lock held when a namespace goes: the node's own, so the node goes,
 *	too; or the namespace of the node's wire
 *
 * The kernel removes the devices of a namespace before its subsystems. A node goes together with
 * the devices, since a wire may need a subsystem to end its lines.
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int __init scatter_node_register(void (*end)(struct scatter_node *node, struct net *net))
{
	end_node = end;
	return register_pernet_device(&net_ops);
}

/**
 * scatter_node_unregister() - end all nodes
 *
 * Context: may sleep; nobody else uses nodes any more.
 */
void scatter_node_unregister(void)
{
	unregister_pernet_device(&net_ops);
}

/**
 * scatter_node_for_each() - call a function for each network namespace
 * @call: the function, which is called with the node's lock held
 * @arg: passed to @call
 *
 * Context: may sleep; takes nodes_lock and the locks of the nodes.
 */
void scatter_node_for_each(void (*call)(struct scatter_node *node, const void *arg),
			   const void *arg)
{
	struct scatter_node *node;

	mutex_lock(&nodes_lock);
	list_for_each_entry(node, &nodes, siblings) {
		mutex_lock(&node->lock);
		call(node, arg);
		mutex_unlock(&node->lock);
	}
	mutex_unlock(&nodes_lock);
}

/**
 * scatter_node_self() - copy what a node proves to others
 * @node: the node
 * @self: (out) a copy, with the keys. The caller has to clear it with memzero_explicit()
 *
 * Context: any; takes look.
 * Return: whether there is a node.
 */
bool scatter_node_self(struct scatter_node *node, struct scatter_node_self *self)
{
	spin_lock(&node->look);
	*self = node->self;
	spin_unlock(&node->look);
	return self->id;
}

/**
 * scatter_node_id() - a node's id
 * @node: the node
 *
 * Context: any; takes look.
 * Return: the id; 0 if there is no node.
 */
u64 scatter_node_id(struct scatter_node *node)
{
	u64 id;

	spin_lock(&node->look);
	id = node->self.id;
	spin_unlock(&node->look);
	return id;
}

/**
 * scatter_node_addresses() - where a node listens
 * @node: the node
 * @addresses: (out) room for %SCATTER_NODE_ADDRESSES_MAX addresses
 *
 * Context: any.
 * Return: how many addresses there are.
 */
unsigned int scatter_node_addresses(struct scatter_node *node, union scatter_address *addresses)
{
	unsigned int nr;

	spin_lock(&node->look);
	nr = node->nr_addresses;
	memcpy(addresses, node->addresses, sizeof(node->addresses));
	spin_unlock(&node->look);
	return nr;
}

/**
 * scatter_node_info() - what INFO tells of a node
 * @net: the network namespace, which the caller holds
 * @id: (out) the node's id; 0 if there is no node
 * @cluster: (out) the digest of the ids of all nodes; 0 if there is no node
 *
 * Context: any; takes look.
 */
void scatter_node_info(const struct net *net, u64 *id, u64 *cluster)
{
	struct scatter_node *node = scatter_node_of(net);

	spin_lock(&node->look);
	*id = node->self.id;
	*cluster = node->cluster;
	spin_unlock(&node->look);
}

/**
 * scatter_node_exists_locked() - whether the namespace is a node
 * @node: the namespace's struct
 *
 * Context: the node's lock is held.
 */
bool scatter_node_exists_locked(const struct scatter_node *node)
{
	lockdep_assert_held(&node->lock);
	return node->self.id;
}

/**
 * scatter_node_changed_locked() - tell dumps that are under way of a change
 * @node: the node that has changed, or whose peers have
 *
 * Context: the node's lock is held.
 */
void scatter_node_changed_locked(struct scatter_node *node)
{
	u32 next = node->generation + 1;

	lockdep_assert_held(&node->lock);
	/* A dump takes 0 for no generation. */
	WRITE_ONCE(node->generation, next ?: 1);
}

/**
 * scatter_node_make_locked() - make a namespace a node
 * @node: is no node yet
 * @id: the node's id, not 0
 * @wire_net: the namespace in which the node's wire is going to live
 *
 * Context: the node's lock is held.
 */
void scatter_node_make_locked(struct scatter_node *node, u64 id, struct net *wire_net)
{
	u64 incarnation;

	lockdep_assert_held(&node->lock);
	do {
		incarnation = get_random_u64();
	} while (!incarnation);
	spin_lock(&node->look);
	WRITE_ONCE(node->wire_net, wire_net);
	node->self.id = id;
	node->self.incarnation = incarnation;
	spin_unlock(&node->look);
	scatter_node_changed_locked(node);
	scatter_stats_created(SCATTER_OBJECT_NODE, 1);
	pr_debug("node created\n");
}

/**
 * scatter_node_end_locked() - note that a node is about to be deleted
 * @node: the node
 *
 * Context: the node's lock is held. The caller has to call scatter_node_clear_locked() in the end.
 */
void scatter_node_end_locked(struct scatter_node *node)
{
	lockdep_assert_held(&node->lock);
	spin_lock(&node->look);
	node->ending = true;
	spin_unlock(&node->look);
}

/**
 * scatter_node_is_ending() - whether a node is being deleted
 * @node: the node
 *
 * Context: any; takes look.
 */
bool scatter_node_is_ending(struct scatter_node *node)
{
	bool ending;

	spin_lock(&node->look);
	ending = node->ending;
	spin_unlock(&node->look);
	return ending;
}

/**
 * scatter_node_clear_locked() - make a namespace no node any more
 * @node: has no peers and no wire
 *
 * Context: the node's lock is held.
 */
void scatter_node_clear_locked(struct scatter_node *node)
{
	lockdep_assert_held(&node->lock);
	memcpy(node->tune, tune_defaults, sizeof(node->tune));
	scatter_node_changed_locked(node);
	if (!scatter_node_exists_locked(node))
		return;
	spin_lock(&node->look);
	WRITE_ONCE(node->wire_net, NULL);
	memzero_explicit(&node->self, sizeof(node->self));
	node->ending = false;
	node->cluster = 0;
	node->nr_addresses = 0;
	spin_unlock(&node->look);
	scatter_stats_destroyed(SCATTER_OBJECT_NODE, 1);
	pr_debug("node destroyed\n");
}

/**
 * scatter_node_set_addresses_locked() - set the addresses at which a node listens
 * @node: the node; its wire does not listen
 * @addresses: checked
 * @nr: how many, at most %SCATTER_NODE_ADDRESSES_MAX
 *
 * Context: the node's lock is held.
 */
void scatter_node_set_addresses_locked(struct scatter_node *node,
				       const union scatter_address *addresses, unsigned int nr)
{
	lockdep_assert_held(&node->lock);
	spin_lock(&node->look);
	memcpy(node->addresses, addresses, nr * sizeof(*addresses));
	node->nr_addresses = nr;
	spin_unlock(&node->look);
	scatter_node_changed_locked(node);
}

/**
 * scatter_node_set_key_locked() - set the key that a node proves to have
 * @node: the node
 * @key: the cluster's key; a second key with the same bytes is removed
 *
 * Connections that are up stay up.
 *
 * Context: the node's lock is held.
 * Return: whether the key has changed.
 */
bool scatter_node_set_key_locked(struct scatter_node *node, const u8 *key)
{
	struct scatter_node_self *self = &node->self;
	bool changed;

	lockdep_assert_held(&node->lock);
	spin_lock(&node->look);
	changed = memcmp(self->keys[0], key, sizeof(self->keys[0]));
	memcpy(self->keys[0], key, sizeof(self->keys[0]));
	if (self->nr_keys < 2 || !memcmp(self->keys[0], self->keys[1], sizeof(self->keys[0])))
		self->nr_keys = 1;
	spin_unlock(&node->look);
	return changed;
}

/**
 * scatter_node_set_key2_locked() - set the second key that a node accepts
 * @node: the node, which has a first key
 * @key2: the second key; NULL, or the same as the first key: no second key
 *
 * Context: the node's lock is held.
 * Return: whether the second key has changed.
 */
bool scatter_node_set_key2_locked(struct scatter_node *node, const u8 *key2)
{
	struct scatter_node_self *self = &node->self;
	bool changed;

	lockdep_assert_held(&node->lock);
	spin_lock(&node->look);
	if (key2 && !memcmp(key2, self->keys[0], sizeof(self->keys[0])))
		key2 = NULL;
	changed = self->nr_keys != (key2 ? 2 : 1) ||
		  (key2 && memcmp(key2, self->keys[1], sizeof(self->keys[1])));
	if (key2)
		memcpy(self->keys[1], key2, sizeof(self->keys[1]));
	else
		memzero_explicit(self->keys[1], sizeof(self->keys[1]));
	self->nr_keys = key2 ? 2 : 1;
	spin_unlock(&node->look);
	return changed;
}

/**
 * scatter_node_set_tune_locked() - change how connections of a node behave
 * @node: the node
 * @what: one of enum scatter_tune_attribute
 * @value: checked
 *
 * Context: the node's lock is held.
 */
void scatter_node_set_tune_locked(struct scatter_node *node, unsigned int what, u32 value)
{
	lockdep_assert_held(&node->lock);
	WRITE_ONCE(node->tune[what], value);
}

/**
 * scatter_node_set_cluster_locked() - set the digest of the ids of all nodes
 * @node: the node
 * @cluster: the new digest
 *
 * Context: the node's lock is held.
 */
void scatter_node_set_cluster_locked(struct scatter_node *node, u64 cluster)
{
	lockdep_assert_held(&node->lock);
	spin_lock(&node->look);
	node->cluster = cluster;
	spin_unlock(&node->look);
	scatter_node_changed_locked(node);
}
