// SPDX-License-Identifier: GPL-2.0
/*
 * Peers: the other nodes that an administrator has told a node of.
 *
 * The node's tree holds one reference on a peer, the peer's connection holds another. A look-up
 * does not find a peer that has been deleted. A task that still holds a deleted peer sees no terms
 * and the state DOWN, and must put the peer before the namespace of the node goes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/container_of.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "node/connection.h"
#include "node/node.h"
#include "node/peer.h"
#include "stats.h"
#include "wire/digest.h"

static void peer_free(struct kref *ref)
{
	kfree(container_of(ref, struct scatter_peer, ref));
	scatter_stats_destroyed(SCATTER_OBJECT_PEER, 1);
	pr_debug("peer destroyed\n");
}

/**
 * scatter_peer_get() - take a reference
 * @peer: a peer that the caller can be sure exists
 *
 * Context: any.
 */
void scatter_peer_get(struct scatter_peer *peer)
{
	kref_get(&peer->ref);
}

/**
 * scatter_peer_put() - give a reference back
 * @peer: the peer; gone if that was the last reference
 *
 * Context: any.
 */
void scatter_peer_put(struct scatter_peer *peer)
{
	kref_put(&peer->ref, peer_free);
}

/* Find the peer with the lowest id that is at least @id; the node's lock or look is held. */
static struct scatter_peer *lowest_from(const struct scatter_node *node, u64 id)
{
	const struct rb_node *rb = node->peers.rb_node;
	struct scatter_peer *found = NULL;

	while (rb) {
		struct scatter_peer *peer = rb_entry(rb, struct scatter_peer, by_id);

		if (peer->id >= id) {
			found = peer;
			rb = rb->rb_left;
		} else {
			rb = rb->rb_right;
		}
	}
	return found;
}

/**
 * scatter_peer_find() - look a peer up
 * @node: the peer's node
 * @id: the peer's id
 *
 * Context: any; takes look.
 * Return: the peer, for scatter_peer_put(); NULL if there is no such peer.
 */
struct scatter_peer *scatter_peer_find(struct scatter_node *node, u64 id)
{
	struct scatter_peer *peer;

	spin_lock(&node->look);
	peer = lowest_from(node, id);
	if (peer && peer->id == id)
		scatter_peer_get(peer);
	else
		peer = NULL;
	spin_unlock(&node->look);
	return peer;
}

/**
 * scatter_peer_next() - look up the next peer in the order of the ids
 * @node: the peer's node
 * @id: any id; the peer's id is greater
 *
 * Context: any; takes look.
 * Return: the peer, for scatter_peer_put(); NULL if there is none.
 */
struct scatter_peer *scatter_peer_next(struct scatter_node *node, u64 id)
{
	struct scatter_peer *peer;

	spin_lock(&node->look);
	peer = id == U64_MAX ? NULL : lowest_from(node, id + 1);
	if (peer)
		scatter_peer_get(peer);
	spin_unlock(&node->look);
	return peer;
}

/**
 * scatter_peer_visit() - call a function for each peer
 * @node: the peers' node
 * @visit: the function, which is called with look held
 * @arg: passed to @visit
 *
 * Context: any; takes look.
 */
void scatter_peer_visit(struct scatter_node *node, void (*visit)(u64 id, void *arg), void *arg)
{
	struct rb_node *rb;

	spin_lock(&node->look);
	for (rb = rb_first(&node->peers); rb; rb = rb_next(rb))
		visit(rb_entry(rb, struct scatter_peer, by_id)->id, arg);
	spin_unlock(&node->look);
}

/**
 * scatter_peer_terms() - copy what the administrator says of a peer
 * @peer: the peer, which the caller holds
 * @terms: (out) a copy
 *
 * Context: any; takes the node's look.
 * Return: false if the peer has been deleted.
 */
bool scatter_peer_terms(struct scatter_peer *peer, struct scatter_peer_terms *terms)
{
	struct scatter_node *node = peer->node;
	bool there;

	spin_lock(&node->look);
	*terms = peer->terms;
	there = !RB_EMPTY_NODE(&peer->by_id);
	spin_unlock(&node->look);
	return there;
}

/**
 * scatter_peer_link() - copy how the connection to a peer is
 * @peer: the peer, which the caller holds
 * @link: (out) a copy
 *
 * Context: any; takes the peer's lock.
 */
void scatter_peer_link(struct scatter_peer *peer, struct scatter_peer_link *link)
{
	spin_lock(&peer->lock);
	*link = peer->link;
	spin_unlock(&peer->lock);
}

/**
 * scatter_peer_set_state() - remember the state of the connection to a peer
 * @peer: the peer, which the caller holds
 * @state: the new state
 *
 * Context: any; takes the peer's lock.
 */
void scatter_peer_set_state(struct scatter_peer *peer, enum scatter_peer_state state)
{
	spin_lock(&peer->lock);
	if (peer->link.state != state) {
		peer->link.state = state;
		peer->link.since = ktime_get();
	}
	spin_unlock(&peer->lock);
}

/**
 * scatter_peer_set_reason() - remember why a connection ended or was refused
 * @peer: the peer, which the caller holds
 * @reason: why the connection ended or was refused
 *
 * Context: any; takes the peer's lock.
 */
void scatter_peer_set_reason(struct scatter_peer *peer, enum scatter_reason reason)
{
	spin_lock(&peer->lock);
	peer->link.reason = reason;
	spin_unlock(&peer->lock);
}

/**
 * scatter_peer_suspect_locked() - find the peer at fault if something is wrong with a connection
 * @connection: a connection or a guest
 *
 * Context: the hub's lock is held.
 * Return: the connection's peer. For a guest: the peer that the guest says it is; before the guest
 * has said so, a peer that has the guest's address.
 */
struct scatter_peer *scatter_peer_suspect_locked(const struct scatter_connection *connection)
{
	lockdep_assert_held(&connection->hub->lock);
	if (connection->claims)
		return connection->claims->peer;
	return connection->peer ?: connection->caller;
}

/**
 * scatter_peer_refused() - count an attempt that this node or the peer has refused
 * @peer: the peer, which the caller holds
 * @reason: why the attempt was refused
 *
 * Context: any; takes the peer's lock.
 */
void scatter_peer_refused(struct scatter_peer *peer, enum scatter_reason reason)
{
	scatter_peer_count(peer, SCATTER_A_COUNTERS_REFUSALS, 1);
	spin_lock(&peer->lock);
	peer->link.refused = reason;
	spin_unlock(&peer->lock);
}

/**
 * scatter_peer_set_incarnation() - remember the incarnation with which a connection is up
 * @peer: the peer, which the caller holds
 * @incarnation: not 0
 *
 * Context: any; takes the peer's lock.
 */
void scatter_peer_set_incarnation(struct scatter_peer *peer, u64 incarnation)
{
	spin_lock(&peer->lock);
	peer->link.incarnation = incarnation;
	spin_unlock(&peer->lock);
}

/**
 * scatter_peer_sum() - add a peer's counters to sums
 * @peer: the peer, which the caller holds
 * @sums: (in, out) by enum scatter_peer_counter
 *
 * Context: any. The counters are not read at one instant.
 */
void scatter_peer_sum(const struct scatter_peer *peer, u64 *sums)
{
	int i;

	for (i = 0; i <= SCATTER_A_COUNTERS_MAX; i++)
		sums[i] += atomic64_read(&peer->counters[i]);
}

/**
 * scatter_peer_next_locked() - find the next peer in the order of the ids
 * @node: the peer's node
 * @id: any id; the peer's id is greater
 *
 * Context: the node's lock is held.
 * Return: the peer, or NULL if there is none.
 */
struct scatter_peer *scatter_peer_next_locked(struct scatter_node *node, u64 id)
{
	lockdep_assert_held(&node->lock);
	return id == U64_MAX ? NULL : lowest_from(node, id + 1);
}

static bool has_address(const struct scatter_peer_terms *terms,
			const union scatter_address *address)
{
	unsigned int i;

	for (i = 0; i < terms->nr_addresses; i++)
		if (scatter_address_equal(&terms->addresses[i], address))
			return true;
	return false;
}

/**
 * scatter_peer_conflicts_locked() - whether another peer has an address
 * @node: the peers' node
 * @except: a peer that may have the address, or NULL
 * @address: the address
 *
 * Context: the node's lock is held.
 */
bool scatter_peer_conflicts_locked(struct scatter_node *node, const struct scatter_peer *except,
				   const union scatter_address *address)
{
	struct rb_node *rb;

	lockdep_assert_held(&node->lock);
	for (rb = rb_first(&node->peers); rb; rb = rb_next(rb)) {
		const struct scatter_peer *peer = rb_entry(rb, struct scatter_peer, by_id);

		if (peer != except && has_address(&peer->terms, address))
			return true;
	}
	return false;
}

static void insert_locked(struct scatter_node *node, struct scatter_peer *peer)
{
	struct rb_node **rb = &node->peers.rb_node, *parent = NULL;

	lockdep_assert_held(&node->look);
	while (*rb) {
		parent = *rb;
		if (peer->id < rb_entry(parent, struct scatter_peer, by_id)->id)
			rb = &parent->rb_left;
		else
			rb = &parent->rb_right;
	}
	rb_link_node(&peer->by_id, parent, rb);
	rb_insert_color(&peer->by_id, &node->peers);
}

/**
 * scatter_peer_add_locked() - add a peer to a node
 * @node: the node
 * @id: the peer's id: not 0, not the node's, and no other peer's
 * @terms: what the administrator says of the peer, checked
 *
 * Context: may sleep; the node's lock is held.
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int scatter_peer_add_locked(struct scatter_node *node, u64 id,
			    const struct scatter_peer_terms *terms)
{
	struct scatter_peer *peer;

	lockdep_assert_held(&node->lock);
	if (node->nr_peers == SCATTER_NODE_PEERS_MAX)
		return -ENOSPC;
	peer = kzalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT);
	if (!peer)
		return -ENOMEM;
	kref_init(&peer->ref);
	spin_lock_init(&peer->lock);
	peer->node = node;
	peer->id = id;
	peer->terms = *terms;
	peer->link.since = ktime_get();
	spin_lock(&node->look);
	insert_locked(node, peer);
	spin_unlock(&node->look);
	node->nr_peers++;
	scatter_stats_created(SCATTER_OBJECT_PEER, 1);
	pr_debug("peer created\n");
	scatter_peer_digest_locked(node);
	return 0;
}

/**
 * scatter_peer_set_locked() - change what the administrator says of a peer
 * @peer: the peer
 * @terms: all terms, checked
 *
 * Context: the node's lock is held.
 */
void scatter_peer_set_locked(struct scatter_peer *peer, const struct scatter_peer_terms *terms)
{
	struct scatter_node *node = peer->node;

	lockdep_assert_held(&node->lock);
	spin_lock(&node->look);
	peer->terms = *terms;
	spin_unlock(&node->look);
	scatter_node_changed_locked(node);
}

/**
 * scatter_peer_delete_locked() - delete a peer
 * @peer: the peer; its connection has ended. The caller keeps its reference
 *
 * The caller has to call scatter_peer_digest_locked() afterwards.
 *
 * Context: the node's lock is held.
 */
void scatter_peer_delete_locked(struct scatter_peer *peer)
{
	struct scatter_node *node = peer->node;

	lockdep_assert_held(&node->lock);
	spin_lock(&node->look);
	rb_erase(&peer->by_id, &node->peers);
	RB_CLEAR_NODE(&peer->by_id);
	peer->terms.nr_addresses = 0;
	spin_unlock(&node->look);
	node->nr_peers--;
	scatter_peer_put(peer);
}

/**
 * scatter_peer_digest_locked() - make the cluster's digest anew after the set of nodes has changed
 * @node: the node, which exists
 *
 * Context: the node's lock is held.
 */
void scatter_peer_digest_locked(struct scatter_node *node)
{
	u64 digest = SCATTER_DIGEST_EMPTY;
	bool own = false;
	struct rb_node *rb;

	lockdep_assert_held(&node->lock);
	for (rb = rb_first(&node->peers); rb; rb = rb_next(rb)) {
		u64 id = rb_entry(rb, struct scatter_peer, by_id)->id;

		if (!own && id > node->self.id) {
			digest = scatter_digest_id(digest, node->self.id);
			own = true;
		}
		digest = scatter_digest_id(digest, id);
	}
	if (!own)
		digest = scatter_digest_id(digest, node->self.id);
	scatter_node_set_cluster_locked(node, digest);
}
