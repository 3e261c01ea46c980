/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NODE_H
#define _SCATTER_NODE_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/scatter_netlink.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "node/address.h"

struct net;
struct scatter_hub;
struct scatter_wire_ops;

/**
 * struct scatter_node_self - what a node proves to others
 * @id: the node's id; 0: there is no node
 * @incarnation: random, made with the node
 * @nr_keys: how many keys the node accepts; the node offers the first
 * @keys: the keys; the user of a copy clears the copy
 */
struct scatter_node_self {
	u64 id;
	u64 incarnation;
	unsigned int nr_keys;
	u8 keys[2][SCATTER_NODE_KEY_BYTES];
};

/**
 * struct scatter_node - a network namespace, which may be a node
 * @net: constant; the namespace
 * @siblings: nodes_lock; in the list of all namespaces
 * @lock: held while the node or its peers change; see node.c
 * @tune: lock, read anywhere; values, by enum scatter_tune_attribute
 * @generation: lock, read anywhere; grows with every change that a dump may see
 * @nr_peers: lock; how many peers there are
 * @look: protects the fields below that name @look; only the holder of @lock changes these fields
 * @wire_net: lock and look; the namespace in which the wire lives; not referenced
 * @wire: lock and look; the wire that carries connections; NULL: none
 * @hub: lock and look; the node's connections; NULL: none
 * @self: lock and look; what the node proves to others
 * @ending: lock and look; the node is being deleted, and gives no seats any more
 * @cluster: lock and look; the digest, 0 without a node
 * @nr_addresses: lock and look; how many addresses
 * @addresses: lock and look; where the node listens
 * @peers: lock and look; tree by id
 * @posting: protects @outbox
 * @outbox: mail that is in no queue yet, in order
 */
struct scatter_node {
	struct net *net;
	struct list_head siblings;
	struct mutex lock; /* changes */
	u32 tune[SCATTER_A_TUNE_MAX + 1];
	u32 generation;
	u32 nr_peers;

	spinlock_t look; /* the fields below */
	struct net *wire_net;
	const struct scatter_wire_ops *wire;
	struct scatter_hub *hub;
	struct scatter_node_self self;
	bool ending;
	u64 cluster;
	unsigned int nr_addresses;
	union scatter_address addresses[SCATTER_NODE_ADDRESSES_MAX];
	struct rb_root peers;

	spinlock_t posting; /* outbox */
	struct list_head outbox;
};

/**
 * scatter_node_tune() - read a value of a node's tuning
 * @node: the node
 * @what: one of enum scatter_tune_attribute
 *
 * Context: any.
 */
static inline u32 scatter_node_tune(const struct scatter_node *node, unsigned int what)
{
	return READ_ONCE(node->tune[what]);
}

int scatter_node_register(void (*end)(struct scatter_node *node, struct net *net));
void scatter_node_unregister(void);
struct scatter_node *scatter_node_of(const struct net *net);
void scatter_node_for_each(void (*call)(struct scatter_node *node, const void *arg),
			   const void *arg);
bool scatter_node_self(struct scatter_node *node, struct scatter_node_self *self);
u64 scatter_node_id(struct scatter_node *node);
unsigned int scatter_node_addresses(struct scatter_node *node, union scatter_address *addresses);
void scatter_node_info(const struct net *net, u64 *id, u64 *cluster);
bool scatter_node_exists_locked(const struct scatter_node *node);
void scatter_node_make_locked(struct scatter_node *node, u64 id, struct net *wire_net);
void scatter_node_end_locked(struct scatter_node *node);
bool scatter_node_is_ending(struct scatter_node *node);
void scatter_node_clear_locked(struct scatter_node *node);
void scatter_node_set_addresses_locked(struct scatter_node *node,
				       const union scatter_address *addresses, unsigned int nr);
bool scatter_node_set_key_locked(struct scatter_node *node, const u8 *key);
bool scatter_node_set_key2_locked(struct scatter_node *node, const u8 *key2);
void scatter_node_set_tune_locked(struct scatter_node *node, unsigned int what, u32 value);
void scatter_node_set_cluster_locked(struct scatter_node *node, u64 cluster);
void scatter_node_changed_locked(struct scatter_node *node);

#endif /* _SCATTER_NODE_H */
