// SPDX-License-Identifier: GPL-2.0
/*
 * The client: the code above the nodes, which is told what peers say and which peers are lost.
 *
 * A caller that waits for a peer *relies* on the peer: the node keeps the connection up. When the
 * connection has been down for longer than a keep-alive since the peer was heard last, the peer is
 * lost. A host that has not proven that it is the peer is not heard: the peer may have restarted
 * with another key, or another host may have its address.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "node/client.h"
#include "node/connection.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/say.h"

/*
 * Most messages that a peer may leave unacknowledged while it goes on sending, beyond those by
 * which members run ahead of it, see scatter_client_run_ahead(). A peer's message acknowledges all
 * that the peer has received.
 */
#define SCATTER_CLIENT_UNHEARD	32768U

static const struct scatter_client *client __ro_after_init;

/**
 * scatter_client_register() - set the client
 * @one: the client
 *
 * Context: there is no node yet.
 */
void __init scatter_client_register(const struct scatter_client *one)
{
	client = one;
}

static struct scatter_client_sender sender_of(const struct scatter_connection *connection)
{
	return (struct scatter_client_sender){
		.id = connection->peer->id,
		.incarnation = connection->incarnation,
	};
}

/**
 * scatter_client_received_locked() - pass a message about a group on to the client
 * @connection: the sender's connection
 * @type: enum scatter_wire_type
 * @page: the page at whose start the message lies
 * @bytes: length of the message
 *
 * Context: may sleep; the hub's lock is held.
 * Return: false if the message is malformed.
 */
bool scatter_client_received_locked(struct scatter_connection *connection, u32 type,
				    struct page *page, u32 bytes)
{
	const struct scatter_client_sender from = sender_of(connection);

	lockdep_assert_held(&connection->hub->lock);
	return client->received(connection->hub->node, &from, type, page, page_address(page),
				bytes);
}

/**
 * scatter_client_fetched_locked() - pass a segment that this node has read on to the client
 * @connection: the peer's connection
 * @grant: the peer's GRANT
 * @segment: the bytes
 *
 * Context: may sleep; the hub's lock is held.
 * Return: false if the peer may not grant these bytes.
 */
bool scatter_client_fetched_locked(struct scatter_connection *connection,
				   const struct scatter_wide_grant *grant,
				   struct scatter_segment *segment)
{
	const struct scatter_client_sender from = sender_of(connection);

	lockdep_assert_held(&connection->hub->lock);
	return client->fetched(connection->hub->node, &from, grant, segment);
}

/**
 * scatter_client_lost_locked() - tell the client that a peer is lost
 * @connection: the peer's connection
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_client_lost_locked(struct scatter_connection *connection)
{
	lockdep_assert_held(&connection->hub->lock);
	WRITE_ONCE(connection->peer->mourned, true);
	client->lost(connection->hub->node, connection->peer->id, 0);
}

/**
 * scatter_client_is_flooded_locked() - whether a peer goes on sending without taking what it gets
 * @connection: the peer's connection
 *
 * Context: the hub's lock is held.
 */
bool scatter_client_is_flooded_locked(struct scatter_connection *connection)
{
	u64 unheard = scatter_sequence_unacknowledged(&connection->sequence);
	u64 most = SCATTER_CLIENT_UNHEARD + atomic64_read(&connection->peer->ahead);

	lockdep_assert_held(&connection->hub->lock);
	/* Messages of groups that have ended may still wait: the bound falls with them. */
	connection->most = max(most, min(connection->most, unheard + SCATTER_CLIENT_UNHEARD));
	return unheard > connection->most;
}

/**
 * scatter_client_drop_locked() - forget all mail for a peer that is lost
 * @connection: the peer's connection
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_client_drop_locked(struct scatter_connection *connection)
{
	lockdep_assert_held(&connection->hub->lock);
	scatter_say_forget_locked(connection);
	connection->sequence = (struct scatter_sequence){};
	connection->offered = 0;
	connection->most = 0;
	connection->incarnation = 0;
}

/**
 * scatter_client_forget_locked() - lose a peer that is up, and forget all mail for the peer
 * @connection: the peer's connection, which ends now
 *
 * If the peer connects again, both nodes begin anew. Fetches stay until then: the old line may
 * still tell that a READ is over.
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_client_forget_locked(struct scatter_connection *connection)
{
	lockdep_assert_held(&connection->hub->lock);
	scatter_client_lost_locked(connection);
	scatter_client_drop_locked(connection);
}

/**
 * scatter_client_anew_locked() - tell the client that a peer has forgotten this node
 * @connection: the peer's connection, with the messages for the peer's last incarnation
 * @incarnation: the peer's incarnation now
 *
 * If the peer has a new incarnation, the last one is lost, and callers that rely on the new one
 * have lost nothing. If the incarnation is the same, callers that began to rely on the peer after
 * it spoke last have lost nothing either, unless messages to the peer have been sent: the peer gets
 * only those that have not been sent.
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_client_anew_locked(struct scatter_connection *connection, u64 incarnation)
{
	const struct scatter_peer *peer = connection->peer;

	lockdep_assert_held(&connection->hub->lock);
	if (!connection->incarnation)
		return;
	if (connection->incarnation != incarnation)
		client->lost(connection->hub->node, peer->id, incarnation);
	else if (atomic_read(&peer->relied) &&
		 (!time_after(READ_ONCE(peer->relied_since), connection->spoken) ||
		  scatter_say_loses_locked(connection)))
		scatter_client_lost_locked(connection);
}

/**
 * scatter_client_lost() - tell the client that a deleted peer, or this node, is lost
 * @node: this node
 * @id: the lost node's id
 *
 * Context: may sleep; a hub's lock or the node's is held.
 */
void scatter_client_lost(struct scatter_node *node, u64 id)
{
	client->lost(node, id, 0);
}

/**
 * scatter_client_wait() - wait until the client has acted on what it was told
 * @node: the node
 *
 * What the client cannot do yet is left.
 *
 * Context: may sleep; the node's lock is held, and no hub's.
 */
void scatter_client_wait(struct scatter_node *node)
{
	client->wait(node);
}

/**
 * scatter_client_fence_locked() - an administrator says that a peer is down for good
 * @connection: the peer's connection
 *
 * A connection that is up shows that its incarnation of the peer lives: only earlier ones are down.
 *
 * Context: may sleep; the hub's lock is held.
 * Return: 0; -EBUSY: the peer is up, and no group has members of an earlier incarnation.
 */
int scatter_client_fence_locked(struct scatter_connection *connection)
{
	bool up = connection->state.now == SCATTER_STATES_UP;
	u32 groups;

	lockdep_assert_held(&connection->hub->lock);
	groups = client->fenced(connection->hub->node, connection->peer->id,
				up ? connection->incarnation : 0);
	return up && !groups ? -EBUSY : 0;
}

/**
 * scatter_client_fence() - an administrator says that a peer is down for good, without a wire
 * @node: this node
 * @id: the peer's id
 *
 * Context: may sleep; the node's lock is held.
 */
void scatter_client_fence(struct scatter_node *node, u64 id)
{
	client->lost(node, id, 0);
	client->fenced(node, id, 0);
}

/**
 * scatter_client_rely() - begin to rely on a peer
 * @node: this node
 * @id: the peer's id
 *
 * Context: any; takes look.
 * Return: the peer, for scatter_client_unrely(); NULL: there is no such peer, or no wire.
 */
struct scatter_peer *scatter_client_rely(struct scatter_node *node, u64 id)
{
	struct scatter_peer *peer;

	if (!READ_ONCE(node->hub))
		return NULL;
	peer = scatter_peer_find(node, id);
	if (!peer)
		return NULL;
	/* If the peer is lost already, have the client told again. */
	if (!atomic_read(&peer->relied) || READ_ONCE(peer->mourned)) {
		WRITE_ONCE(peer->relied_since, jiffies);
		WRITE_ONCE(peer->mourned, false);
	}
	atomic_inc(&peer->relied);
	return peer;
}

/**
 * scatter_client_run_ahead() - change how many messages a peer may have left unacknowledged
 * @peer: from scatter_client_rely()
 * @messages: how many more, as members run ahead of the peer or the line is down; less than 0: how
 *	many fewer
 *
 * Context: any.
 */
void scatter_client_run_ahead(struct scatter_peer *peer, s64 messages)
{
	atomic64_add(messages, &peer->ahead);
}

/**
 * scatter_client_unrely() - rely on a peer no longer
 * @peer: from scatter_client_rely(); NULL is ignored
 *
 * Context: any.
 */
void scatter_client_unrely(struct scatter_peer *peer)
{
	if (!peer)
		return;
	atomic_dec(&peer->relied);
	scatter_peer_put(peer);
}
