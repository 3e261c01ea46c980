// SPDX-License-Identifier: GPL-2.0
/*
 * GRANTs: read what peers have granted.
 *
 * This node answers each GRANT at once by a READ into a segment of its own, whatever its processes
 * do: so no peer ever waits for a process of this node. The client gets the segments in the order
 * of the GRANTs, and GOT tells the peer. One GOT is for several GRANTs: the peer only frees the
 * segments. A READ that its line does not finish begins anew when the peer sends the GRANT again on
 * the next line.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/sizes.h>

#include "node/client.h"
#include "node/connection.h"
#include "node/fetch.h"
#include "node/granted.h"
#include "node/mail.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/wire_ops.h"
#include "wire/wide_build.h"
#include "wire/wide_parse.h"

/* One GOT is for so many GRANTs or bytes, unless it has waited for too long. */
#define SCATTER_GRANTED_LATE	(SCATTER_WIRE_GRANTS_MAX / 4)
#define SCATTER_GRANTED_LATE_BYTES	SZ_512K
#define SCATTER_GRANTED_LATE_MS	10

/* Begin a READ. If the wire does not take the READ, the line cannot be used any more. */
static void begin_locked(struct scatter_connection *connection, struct scatter_fetch *fetch)
{
	struct scatter_session *session = connection->session;
	struct scatter_hub *hub = connection->hub;
	u32 most = scatter_node_tune(hub->node, SCATTER_A_TUNE_SEGMENT_BYTES);

	if (!hub->wire->read(session->line, fetch->grant.address, fetch->grant.key, fetch->segment,
			     most, fetch)) {
		fetch->begun = true;
		return;
	}
	session->lost = true;
	mod_delayed_work(hub->works, &hub->tick, 0);
}

/*
 * Handle a GRANT that comes again on a new line. This node may have read the bytes already: then
 * GOT is on its way.
 */
static bool again_locked(struct scatter_connection *connection,
			 const struct scatter_wide_grant *grant)
{
	struct scatter_fetch *fetch;

	list_for_each_entry(fetch, &connection->fetches, entry) {
		if (fetch->grant.token != grant->token)
			continue;
		if (fetch->done)
			return true;
		if (fetch->begun || grant->bytes != fetch->grant.bytes)
			return false;
		fetch->grant.address = grant->address;
		fetch->grant.key = grant->key;
		begin_locked(connection, fetch);
		return true;
	}
	return true;
}

/**
 * scatter_granted_begin_locked() - handle a GRANT message
 * @connection: the sender's connection, which is up
 * @data: the message
 * @bytes: length of the message
 *
 * Context: may sleep; the hub's lock is held.
 * Return: false if the message breaks the protocol.
 */
bool scatter_granted_begin_locked(struct scatter_connection *connection, const void *data,
				  u32 bytes)
{
	struct scatter_wide_grant grant;

	lockdep_assert_held(&connection->hub->lock);
	if (scatter_wide_parse_grant(data, bytes, &grant))
		return false;
	if (grant.token <= connection->fetched)
		return again_locked(connection, &grant);
	if (grant.token != connection->fetched + 1 ||
	    connection->nr_fetches == SCATTER_WIRE_GRANTS_MAX)
		return false;
	connection->fetched = grant.token;
	begin_locked(connection, scatter_fetch_create_locked(connection, &grant));
	return true;
}

/* Send GOT, or send it late: this node does not need the GRANTs up to this one any more. */
static void say_got_locked(struct scatter_connection *connection,
			   const struct scatter_wide_grant *grant)
{
	const struct scatter_wide_got got = { .token = grant->token };
	struct scatter_raw_got raw;
	bool late;

	connection->unconfirmed += grant->bytes;
	late = grant->token - connection->confirmed < SCATTER_GRANTED_LATE &&
	       connection->unconfirmed < SCATTER_GRANTED_LATE_BYTES;
	if (!late) {
		connection->confirmed = grant->token;
		connection->unconfirmed = 0;
	}
	scatter_wide_build_got(&raw, 0, &got);
	scatter_mail_post_latest(connection->hub->node, NULL, connection->peer->id, &raw,
				 sizeof(raw), late ? SCATTER_GRANTED_LATE_MS : 0);
}

/* Hand the bytes to the client. */
static bool hand_over_locked(struct scatter_connection *connection, struct scatter_fetch *fetch)
{
	bool fine;

	say_got_locked(connection, &fetch->grant);
	fine = scatter_client_fetched_locked(connection, &fetch->grant, fetch->segment);
	scatter_fetch_free_locked(connection, fetch);
	return fine;
}

/**
 * scatter_granted_done_locked() - act on a READ that is over
 * @connection: the connection on whose present line the READ ran
 * @cookie: the fetch
 * @error: 0; -errno: the line goes down
 *
 * Context: may sleep; the hub's lock is held. The caller has to call scatter_mail_flush_locked()
 * afterwards.
 * Return: false: no member here may get these bytes from the peer.
 */
bool scatter_granted_done_locked(struct scatter_connection *connection, void *cookie, int error)
{
	struct scatter_fetch *fetch = cookie, *next;
	bool fine = true;

	lockdep_assert_held(&connection->hub->lock);
	if (error)
		return true;
	fetch->done = true;
	list_for_each_entry_safe(fetch, next, &connection->fetches, entry) {
		if (!fetch->done)
			break;
		fine &= hand_over_locked(connection, fetch);
	}
	return fine;
}
