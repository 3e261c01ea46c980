// SPDX-License-Identifier: GPL-2.0
/*
 * PING: measures how long a message to a peer and back takes, and how long a READ takes.
 */
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "memory/segment.h"
#include "node/connection.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/ping.h"
#include "node/say.h"
#include "node/wire_ops.h"
#include "wire/build.h"

/**
 * struct scatter_ping - a PING that waits for its answer
 * @entry: in scatter_hub.pings
 * @connection: the receiver's connection
 * @session: the session on whose line the READ has been granted; NULL: no READ
 * @message: the PING; @message.token tells this PING from others
 * @done: the answer has come
 * @error: 0 or -errno
 * @ended: when the answer came
 */
struct scatter_ping {
	struct list_head entry;
	struct scatter_connection *connection;
	struct scatter_session *session;
	struct scatter_wire_ping message;
	struct completion done;
	int error;
	ktime_t ended;
};

/**
 * scatter_ping_answer_locked() - handle a PONG message
 * @connection: the sender's connection
 * @pong: the answer
 *
 * Context: the hub's lock is held.
 */
void scatter_ping_answer_locked(struct scatter_connection *connection,
				const struct scatter_wire_pong *pong)
{
	struct scatter_ping *ping;

	lockdep_assert_held(&connection->hub->lock);
	list_for_each_entry(ping, &connection->hub->pings, entry) {
		const struct scatter_wire_ping *message = &ping->message;

		if (ping->connection != connection || message->token != pong->token ||
		    completion_done(&ping->done))
			continue;
		ping->ended = ktime_get();
		if (pong->bytes != message->bytes)
			ping->error = ping->session == connection->session ? -EBUSY :
									    -ECONNRESET;
		else if (pong->digest != message->digest)
			ping->error = -EIO;
		complete(&ping->done);
		return;
	}
}

/**
 * scatter_ping_reply_locked() - answer a PING
 * @connection: the connection of the peer that asked
 * @pong: the answer
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_ping_reply_locked(struct scatter_connection *connection,
			       const struct scatter_wire_pong *pong)
{
	struct scatter_message *message;

	lockdep_assert_held(&connection->hub->lock);
	/* Do not answer a peer that asks faster than it acknowledges. */
	if (scatter_connection_is_full_locked(connection))
		return;
	message = scatter_say_message(sizeof(struct scatter_raw_pong));
	if (!message)
		return;
	scatter_build_pong((void *)message->data, 0, pong);
	scatter_connection_queue_locked(connection, message);
}

/**
 * scatter_ping_end_locked() - end the PINGs that wait for a peer whose connection ends
 * @hub: the hub
 * @connection: the connection that ends; NULL: all connections end
 *
 * Context: the hub's lock is held.
 */
void scatter_ping_end_locked(struct scatter_hub *hub, const struct scatter_connection *connection)
{
	struct scatter_ping *ping;

	lockdep_assert_held(&hub->lock);
	list_for_each_entry(ping, &hub->pings, entry) {
		if (completion_done(&ping->done) || (connection && ping->connection != connection))
			continue;
		ping->error = -EHOSTUNREACH;
		complete(&ping->done);
	}
}

/* Let the peer read some random bytes. */
static int grant_locked(struct scatter_ping *ping)
{
	struct scatter_session *session = ping->connection->session;
	struct scatter_wire_ping *message = &ping->message;
	struct scatter_segment *segment = scatter_segment_create(message->bytes);
	int error;

	scatter_segment_randomize(segment);
	message->digest = scatter_segment_digest(segment);
	error = session->hub->wire->grant(session->line, segment, &message->address,
					  &message->key);
	scatter_segment_put(segment);
	if (!error)
		ping->session = session;
	return error;
}

static int send_locked(struct scatter_ping *ping)
{
	struct scatter_connection *connection = ping->connection;
	struct scatter_message *message;
	int error = 0;

	if (scatter_connection_is_full_locked(connection))
		return -ENOBUFS;
	if (ping->message.bytes)
		error = connection->state.now == SCATTER_STATES_UP ? grant_locked(ping) :
								     -EHOSTUNREACH;
	if (error)
		return error;
	message = scatter_say_message(sizeof(struct scatter_raw_ping));
	if (!message)
		return -ENOMEM;
	scatter_build_ping((void *)message->data, 0, &ping->message);
	scatter_connection_queue_locked(connection, message);
	return 0;
}

/* Take the peer's right to read away. If the line is gone, the grant is gone, too. */
static void ungrant_locked(struct scatter_ping *ping)
{
	if (ping->session && ping->session == ping->connection->session &&
	    ping->connection->state.now == SCATTER_STATES_UP)
		ping->session->hub->wire->ungrant(ping->session->line, ping->message.key);
}

/* Take the message back if it has not been sent yet: no task waits for the answer any more. */
static void withdraw_locked(const struct scatter_ping *ping)
{
	struct scatter_message *message;

	list_for_each_entry(message, &ping->connection->queue, entry) {
		const struct scatter_raw_ping *raw = (const void *)message->data;

		if (raw->header.type != SCATTER_WIRE_PING ||
		    le64_to_cpu(raw->token) != ping->message.token)
			continue;
		if (!message->sent && !message->again)
			scatter_say_withdraw_locked(ping->connection, message);
		return;
	}
}

/**
 * scatter_ping() - ask a peer for an answer
 * @hub: the hub of the node
 * @id: the peer's id
 * @bytes: how many bytes the peer is to READ, at most %SCATTER_WIRE_READ_MAX; 0: no READ. A READ
 *	needs a connection that is up; a PING without a READ makes the connection
 * @until: jiffies when the wait ends
 * @ns: (out) how long the answer took
 *
 * Context: may sleep; no locks; something keeps @hub.
 * Return: 0; -ENOENT: no such peer; -EHOSTUNREACH; -ETIMEDOUT; -EINTR; -EBUSY: another READ was
 * being done; -EIO: the peer read other bytes than there were; -ECONNRESET: the line was lost;
 * -ENOBUFS or -ENOMEM.
 */
int scatter_ping(struct scatter_hub *hub, u64 id, u32 bytes, unsigned long until, u64 *ns)
{
	struct scatter_ping ping = { .message.bytes = bytes };
	ktime_t began = ktime_get();
	long left = 1;
	int error;

	init_completion(&ping.done);
	do
		ping.message.token = get_random_u64();
	while (!ping.message.token);
	mutex_lock(&hub->lock);
	ping.connection = hub->stopping ? NULL : scatter_connection_find_locked(hub, id);
	if (!ping.connection) {
		error = hub->stopping ? -EHOSTUNREACH : -ENOENT;
	} else {
		ping.connection->users++;
		list_add(&ping.entry, &hub->pings);
		error = send_locked(&ping);
	}
	mutex_unlock(&hub->lock);
	if (!error)
		left = wait_for_completion_killable_timeout(&ping.done,
							    max_t(long, until - jiffies, 1));
	mutex_lock(&hub->lock);
	if (ping.connection) {
		ungrant_locked(&ping);
		withdraw_locked(&ping);
		ping.connection->users--;
		list_del(&ping.entry);
		/* A connection that is gone may have waited for this call to end. */
		mod_delayed_work(hub->works, &hub->tick, 0);
	}
	mutex_unlock(&hub->lock);
	if (left <= 0)
		return left ? -EINTR : -ETIMEDOUT;
	*ns = ktime_to_ns(ktime_sub(ping.ended, began));
	return error ?: ping.error;
}
