// SPDX-License-Identifier: GPL-2.0
/*
 * PING: how long a message takes to a peer and back, and a READ.
 */
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "node/connection.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/ping.h"
#include "node/say.h"
#include "node/wire_ops.h"
#include "wire/build.h"
#include "wire/digest.h"

/**
 * struct scatter_ping - one that waits
 * @entry: in scatter_hub.pings
 * @connection: to whom
 * @session: on whose line the READ has been granted; NULL: none has
 * @message: what the peer is asked; @message.token tells it from others
 * @done: answered
 * @error: 0 or -errno
 * @ended: when
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
 * scatter_ping_answer_locked() - a PONG has come
 * @connection: from whom
 * @pong: it
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
 * @connection: whose
 * @pong: the answer
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_ping_reply_locked(struct scatter_connection *connection,
			       const struct scatter_wire_pong *pong)
{
	struct scatter_message *message;

	lockdep_assert_held(&connection->hub->lock);
	/* A peer that asks faster than it acknowledges gets no answer. */
	if (scatter_connection_is_full_locked(connection))
		return;
	message = scatter_say_message(sizeof(struct scatter_raw_pong));
	if (!message)
		return;
	scatter_build_pong((void *)message->data, scatter_say_next_locked(connection), pong);
	scatter_connection_queue_locked(connection, message);
}

/**
 * scatter_ping_end_locked() - a peer gives no answer any more
 * @hub: the hub
 * @connection: the peer's, which goes; NULL: all go
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
	void *data;
	int error;

	data = kmalloc(message->bytes, GFP_KERNEL_ACCOUNT);
	if (!data)
		return -ENOMEM;
	get_random_bytes(data, message->bytes);
	message->digest = scatter_digest_bytes(SCATTER_DIGEST_EMPTY, data, message->bytes);
	error = session->hub->wire->grant(session->line, data, message->bytes,
					  &message->address, &message->key);
	kfree(data);
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
	scatter_build_ping((void *)message->data, scatter_say_next_locked(connection),
			   &ping->message);
	scatter_connection_queue_locked(connection, message);
	return 0;
}

/* The grant goes with its line, if that is gone. */
static void ungrant_locked(struct scatter_ping *ping)
{
	if (ping->session && ping->session == ping->connection->session &&
	    ping->connection->state.now == SCATTER_STATES_UP)
		ping->session->hub->wire->ungrant(ping->session->line, ping->message.key);
}

/* Nobody waits for the answer to a message that still waits itself. */
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
 * @hub: the node's
 * @id: the peer's
 * @bytes: how much it is to READ, at most %SCATTER_WIRE_READ_MAX; 0: nothing. Needs a connection
 *	that is up: without a READ it is made
 * @until: jiffies; when not to wait any more
 * @ns: (out) how long that took
 *
 * Context: may sleep; no locks but what keeps @hub.
 * Return: 0; -ENOENT: no such peer; -EHOSTUNREACH; -ETIMEDOUT; -EINTR; -EBUSY: another READ was
 * being done; -EIO: other bytes came than were there; -ECONNRESET: the line was lost;
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
		/* It may have waited for this to go. */
		mod_delayed_work(hub->works, &hub->tick, 0);
	}
	mutex_unlock(&hub->lock);
	if (left <= 0)
		return left ? -EINTR : -ETIMEDOUT;
	*ns = ktime_to_ns(ktime_sub(ping.ended, began));
	return error ?: ping.error;
}
