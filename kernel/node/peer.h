/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PEER_H
#define _SCATTER_PEER_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/rbtree.h>
#include <linux/scatter_netlink.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "node/address.h"

struct scatter_connection;
struct scatter_node;

/**
 * struct scatter_peer_terms - what an administrator says of a peer
 * @nr_addresses: how many addresses
 * @addresses: where the peer listens; connections from elsewhere are refused
 * @uids: enum scatter_uids
 * @uid: for %SCATTER_UIDS_SQUASH
 * @flags: enum scatter_peer_flags
 */
struct scatter_peer_terms {
	unsigned int nr_addresses;
	union scatter_address addresses[SCATTER_NODE_ADDRESSES_MAX];
	enum scatter_uids uids;
	kuid_t uid;
	u32 flags;
};

/**
 * struct scatter_peer_link - how the connection to a peer is
 * @state: enum scatter_peer_state
 * @reason: why the last connection ended or was refused, enum scatter_reason
 * @refused: why this node or the peer refused an attempt last
 * @incarnation: the peer's incarnation in the last connection that was up; 0: none
 * @since: when @state began
 */
struct scatter_peer_link {
	enum scatter_peer_state state;
	enum scatter_reason reason;
	enum scatter_reason refused;
	u64 incarnation;
	ktime_t since;
};

/**
 * struct scatter_peer - another node, as configured here
 * @ref: references: of the node's tree, of the peer's connection, and of each look-up
 * @by_id: node's lock and look; in the node's tree; empty once the peer is deleted
 * @node: constant; the node whose peer this is; valid as long as the namespace
 * @id: constant
 * @terms: node's lock and look
 * @lock: protects @link
 * @link: lock
 * @relied: how many callers rely on the peer, see client.c
 * @relied_since: jiffies when @relied became more than 0
 * @mourned: the peer is lost, and the client has been told
 * @ahead: how many messages callers here may have sent before the peer has received them
 * @names: how many names this node keeps for users of the peer, see span/registrar.c
 * @connection: hub's lock; the connection to the peer; NULL: there is none
 * @counters: by enum scatter_peer_counter; see scatter_peer_count()
 */
struct scatter_peer {
	struct kref ref;
	struct rb_node by_id;
	struct scatter_node *node;
	u64 id;
	struct scatter_peer_terms terms;
	spinlock_t lock; /* @link */
	struct scatter_peer_link link;
	atomic_t relied;
	unsigned long relied_since;
	bool mourned;
	atomic64_t ahead;
	atomic_t names;
	struct scatter_connection *connection;
	atomic64_t counters[SCATTER_A_COUNTERS_MAX + 1];
};

/**
 * scatter_peer_count() - add to a counter
 * @peer: the peer
 * @counter: one of enum scatter_peer_counter
 * @n: how much
 *
 * Context: any.
 */
static inline void scatter_peer_count(struct scatter_peer *peer, unsigned int counter, u64 n)
{
	atomic64_add(n, &peer->counters[counter]);
}

void scatter_peer_visit(struct scatter_node *node, void (*visit)(u64 id, void *arg), void *arg);
struct scatter_peer *scatter_peer_find(struct scatter_node *node, u64 id);
struct scatter_peer *scatter_peer_next(struct scatter_node *node, u64 id);
void scatter_peer_get(struct scatter_peer *peer);
void scatter_peer_put(struct scatter_peer *peer);
bool scatter_peer_terms(struct scatter_peer *peer, struct scatter_peer_terms *terms);
void scatter_peer_link(struct scatter_peer *peer, struct scatter_peer_link *link);
void scatter_peer_set_state(struct scatter_peer *peer, enum scatter_peer_state state);
void scatter_peer_set_reason(struct scatter_peer *peer, enum scatter_reason reason);
struct scatter_peer *scatter_peer_suspect_locked(const struct scatter_connection *connection);
void scatter_peer_refused(struct scatter_peer *peer, enum scatter_reason reason);
void scatter_peer_set_incarnation(struct scatter_peer *peer, u64 incarnation);
void scatter_peer_sum(const struct scatter_peer *peer, u64 *sums);
struct scatter_peer *scatter_peer_next_locked(struct scatter_node *node, u64 id);
bool scatter_peer_conflicts_locked(struct scatter_node *node, const struct scatter_peer *except,
				   const union scatter_address *address);
int scatter_peer_add_locked(struct scatter_node *node, u64 id,
			    const struct scatter_peer_terms *terms);
void scatter_peer_set_locked(struct scatter_peer *peer, const struct scatter_peer_terms *terms);
void scatter_peer_delete_locked(struct scatter_peer *peer);
void scatter_peer_digest_locked(struct scatter_node *node);

#endif /* _SCATTER_PEER_H */
