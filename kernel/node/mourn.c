// SPDX-License-Identifier: GPL-2.0
/*
 * Mourning: find out that a peer is lost, whose connection has been down for a keep-alive.
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>

#include "node/client.h"
#include "node/connection.h"
#include "node/fetch.h"
#include "node/mourn.h"
#include "node/node.h"
#include "node/peer.h"

/**
 * scatter_mourn_bury_locked() - lose a peer that is not up
 * @connection: the peer's connection
 *
 * Also forget all mail for the peer: nobody wants the mail any more, and
 * the peer may never come back. If the peer connects again, both nodes begin anew. An attempt to
 * connect ends if its HELLO says that this node remembers the peer. What the client posts now,
 * such as that the peer is lost, waits for the peer.
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_mourn_bury_locked(struct scatter_connection *connection)
{
	lockdep_assert_held(&connection->hub->lock);
	scatter_client_lost_locked(connection);
	/* A line that is being closed may still tell that a READ is over. */
	if (connection->state.now != SCATTER_STATES_CLOSING) {
		if (connection->session && connection->incarnation)
			scatter_connection_step_locked(connection, SCATTER_EVENT_LINE_DOWN,
						       SCATTER_WIRE_TIMEOUT);
		scatter_fetch_forget_locked(connection);
	}
	scatter_client_drop_locked(connection);
}

/**
 * scatter_mourn_locked() - find out whether a peer is lost
 * @connection: the peer's connection
 * @deadline: (out) jiffies: when to look again
 *
 * Context: may sleep; the hub's lock is held.
 * Return: whether to look again.
 */
bool scatter_mourn_locked(struct scatter_connection *connection, unsigned long *deadline)
{
	const struct scatter_hub *hub = connection->hub;
	struct scatter_peer *peer = connection->peer;
	unsigned long since;

	lockdep_assert_held(&hub->lock);
	if (!peer || !atomic_read(&peer->relied) || READ_ONCE(peer->mourned))
		return false;
	if (connection->gone) {
		scatter_client_lost_locked(connection);
		return false;
	}
	if (connection->state.now == SCATTER_STATES_UP)
		return false;
	since = READ_ONCE(peer->relied_since);
	if (time_before(since, connection->heard))
		since = connection->heard;
	*deadline = since + msecs_to_jiffies(scatter_node_tune(hub->node,
							       SCATTER_A_TUNE_KEEPALIVE_MS));
	if (time_before(jiffies, *deadline))
		return true;
	scatter_mourn_bury_locked(connection);
	return false;
}
