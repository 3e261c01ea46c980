// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the wire: lines that come and go, and messages.
 *
 * The context of a line is its session; the context of a listener is the hub. An event looks at
 * everything under the hub's lock: the session may have been dropped, or have another owner by now.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "memory/segment.h"
#include "node/client.h"
#include "node/connection.h"
#include "node/granted.h"
#include "node/handshake.h"
#include "node/mail.h"
#include "node/node.h"
#include "node/offer.h"
#include "node/peer.h"
#include "node/ping.h"
#include "node/receive.h"
#include "node/say.h"
#include "node/wire_ops.h"
#include "wire/parse.h"

/*
 * Most guests from one address, so that they do not keep others from connecting. Guests whose lines
 * are being closed do not count, but there may be no more of these than of the others.
 */
#define SCATTER_GUESTS_OF_ADDRESS	4

/*
 * A guest may take this part of timeout_ms to say HELLO before it has to make way: a few round
 * trips, so that a host that makes many lines does not end those of others.
 */
#define SCATTER_GUESTS_PATIENCE		16

static void wrong_locked(struct scatter_connection *connection)
{
	scatter_connection_step_locked(connection, SCATTER_EVENT_WRONG, SCATTER_WIRE_BAD_MESSAGE);
}

/* A peer goes on sending, and acknowledges nothing. Nothing is kept for that peer: it is lost. */
static void flooded_locked(struct scatter_connection *connection)
{
	/* Queue what this task has just posted, so that it is freed, too. */
	scatter_mail_flush_locked(connection->hub);
	wrong_locked(connection);
	scatter_client_forget_locked(connection);
}

/* Find the peer that has an address; NULL: no peer has it. */
static struct scatter_peer *caller_locked(struct scatter_hub *hub, const struct sockaddr *from)
{
	struct scatter_connection *connection;
	struct scatter_peer_terms terms;
	unsigned int i;

	list_for_each_entry(connection, &hub->connections, entry) {
		if (connection->gone || !scatter_peer_terms(connection->peer, &terms))
			continue;
		for (i = 0; i < terms.nr_addresses; i++)
			if (scatter_address_same_host(&terms.addresses[i], from))
				return connection->peer;
	}
	return NULL;
}

static bool is_open(const struct scatter_connection *guest)
{
	return guest->state.now == SCATTER_STATES_ACCEPTED ||
	       guest->state.now == SCATTER_STATES_WELCOMING;
}

/* Whether a guest has said nothing for so long that it makes way for another. */
static bool is_idle_locked(const struct scatter_connection *guest)
{
	u32 timeout = scatter_node_tune(guest->hub->node, SCATTER_A_TUNE_TIMEOUT_MS);

	lockdep_assert_held(&guest->hub->lock);
	return guest->state.now == SCATTER_STATES_ACCEPTED &&
	       time_after(jiffies, guest->session->began +
				   msecs_to_jiffies(timeout / SCATTER_GUESTS_PATIENCE));
}

/* End the oldest guest that makes way; from an address, or if that is NULL from any. */
static bool evict_locked(struct scatter_hub *hub, const struct sockaddr *from)
{
	struct scatter_connection *guest;

	list_for_each_entry(guest, &hub->guests, entry) {
		if (!is_idle_locked(guest) ||
		    (from && !scatter_address_same_host(&guest->address, from)))
			continue;
		scatter_connection_step_locked(guest, SCATTER_EVENT_STOP, SCATTER_WIRE_BUSY);
		return true;
	}
	return false;
}

/*
 * Whether there is room for one more guest. If not, the oldest guest that has said nothing makes
 * way: so hosts that say nothing do not keep a peer off.
 */
static bool has_room_locked(struct scatter_hub *hub, const struct sockaddr *from)
{
	u32 most = scatter_node_tune(hub->node, SCATTER_A_TUNE_HALF_OPEN);
	u32 open = 0, open_here = 0, here = 0;
	const struct scatter_connection *guest;

	list_for_each_entry(guest, &hub->guests, entry) {
		bool same = scatter_address_same_host(&guest->address, from);

		here += same;
		open += is_open(guest);
		open_here += same && is_open(guest);
	}
	if (here >= 2 * SCATTER_GUESTS_OF_ADDRESS || hub->nr_guests >= 2 * most)
		return false;
	if (open_here >= SCATTER_GUESTS_OF_ADDRESS)
		return evict_locked(hub, from);
	return open < most || evict_locked(hub, NULL);
}

static bool accept_locked(struct scatter_hub *hub, void *line, const struct sockaddr *from,
			  struct scatter_peer *caller)
{
	struct scatter_connection *guest = scatter_connection_create_locked(hub, caller, true);
	struct scatter_session *session;

	if (!guest)
		return false;
	if (from->sa_family == AF_INET6)
		guest->address.v6 = *(const struct sockaddr_in6 *)from;
	else
		guest->address.v4 = *(const struct sockaddr_in *)from;
	session = scatter_connection_session_locked(guest);
	if (!session) {
		scatter_connection_free_locked(guest);
		return false;
	}
	session->line = line;
	scatter_connection_step_locked(guest, SCATTER_EVENT_ACCEPT, SCATTER_WIRE_FINE);
	if (!hub->wire->accept(line, session->buffers + SCATTER_WIRE_BUFFERS_SPARE, session))
		return true;
	scatter_connection_unsession_locked(guest);
	scatter_connection_step_locked(guest, SCATTER_EVENT_LINE_DOWN, SCATTER_WIRE_BAD_LINE);
	return false;
}

/* Take a line as a guest, unless a stranger asks or there are too many guests. */
static bool incoming(void *listener_context, void *line, const struct sockaddr *from)
{
	struct scatter_hub *hub = listener_context;
	struct scatter_peer *caller;
	bool taken;

	mutex_lock(&hub->lock);
	caller = hub->stopping ? NULL : caller_locked(hub, from);
	taken = caller && has_room_locked(hub, from) && accept_locked(hub, line, from, caller);
	mutex_unlock(&hub->lock);
	return taken;
}

static void line_up(void *context)
{
	struct scatter_session *session = context;
	struct scatter_connection *connection;

	mutex_lock(&session->hub->lock);
	connection = session->connection;
	if (connection && connection->state.now == SCATTER_STATES_CONNECTING &&
	    scatter_handshake_begin_locked(connection))
		scatter_connection_step_locked(connection, SCATTER_EVENT_LINE_DOWN,
					       SCATTER_WIRE_BAD_KEY);
	else if (connection)
		scatter_connection_step_locked(connection, SCATTER_EVENT_LINE_UP,
					       SCATTER_WIRE_FINE);
	mutex_unlock(&session->hub->lock);
}

static void line_down(void *context, int error)
{
	struct scatter_session *session = context;

	mutex_lock(&session->hub->lock);
	if (session->connection)
		scatter_connection_step_locked(session->connection, SCATTER_EVENT_LINE_DOWN,
					       error == -ENODEV ? SCATTER_WIRE_DEVICE :
								  SCATTER_WIRE_BAD_LINE);
	mutex_unlock(&session->hub->lock);
}

/*
 * Do the READ of a peer's PING. Without a READ, or if another READ runs, answer at once.
 */
static void handle_ping_locked(struct scatter_connection *connection,
			       const struct scatter_wire_ping *ping)
{
	const struct scatter_wire_pong pong = { .token = ping->token, .key = ping->key };
	struct scatter_session *session = connection->session;
	struct scatter_hub *hub = connection->hub;
	struct scatter_segment *segment;

	if (ping->bytes && !session->read) {
		segment = scatter_segment_create(ping->bytes);
		if (!hub->wire->read(session->line, ping->address, ping->key, segment,
				     scatter_node_tune(hub->node, SCATTER_A_TUNE_SEGMENT_BYTES),
				     &session->read)) {
			session->reading = pong;
			session->read = segment;
			return;
		}
		scatter_segment_put(segment);
	}
	scatter_ping_reply_locked(connection, &pong);
}

/* Answer a PING whose READ is over. */
static void ping_done_locked(struct scatter_session *session, int error)
{
	struct scatter_segment *segment = session->read;
	struct scatter_wire_pong pong = session->reading;

	session->read = NULL;
	if (!error) {
		pong.bytes = segment->bytes;
		pong.digest = scatter_segment_digest(segment);
	}
	scatter_segment_put(segment);
	if (session->connection && session->connection->state.now == SCATTER_STATES_UP)
		scatter_ping_reply_locked(session->connection, &pong);
}

/* A READ is over. If the connection has another line by now, the fetch may be gone. */
static void read_done(void *context, void *cookie, int error)
{
	struct scatter_session *session = context;
	struct scatter_connection *connection;

	mutex_lock(&session->hub->lock);
	connection = session->connection;
	if (cookie == &session->read)
		ping_done_locked(session, error);
	else if (connection && !scatter_granted_done_locked(connection, cookie, error))
		wrong_locked(connection);
	scatter_mail_flush_locked(session->hub);
	mutex_unlock(&session->hub->lock);
}

/* Handle a PING or a PONG. False if the message is malformed. */
static bool echo_locked(struct scatter_connection *connection,
			const struct scatter_wire_header *header, const void *data)
{
	struct scatter_wire_ping ping;
	struct scatter_wire_pong pong;

	if (header->type == SCATTER_WIRE_PING) {
		if (scatter_parse_ping(data, header->bytes, &ping))
			return false;
		handle_ping_locked(connection, &ping);
		return true;
	}
	if (scatter_parse_pong(data, header->bytes, &pong))
		return false;
	scatter_ping_answer_locked(connection, &pong);
	return true;
}

/* Handle a message that has a number. False if the message breaks the protocol. */
static bool sequenced_locked(struct scatter_connection *connection,
			     const struct scatter_wire_header *header, struct page *page)
{
	switch (scatter_sequence_receive(&connection->sequence, header->sequence)) {
	case SCATTER_SEQUENCE_NEXT:
		break;
	case SCATTER_SEQUENCE_AGAIN:
		return true;
	default:
		return false;
	}
	switch (header->type) {
	case SCATTER_WIRE_PING:
	case SCATTER_WIRE_PONG:
		return echo_locked(connection, header, page_address(page));
	case SCATTER_WIRE_GRANT:
		return scatter_granted_begin_locked(connection, page_address(page), header->bytes);
	case SCATTER_WIRE_GOT:
		return scatter_offer_got_locked(connection, page_address(page), header->bytes);
	default:
		return scatter_client_received_locked(connection, header->type, page,
						      header->bytes);
	}
}

/* Handle CREDIT or a sequenced message, once both sides have proven who they are. */
static void message_locked(struct scatter_connection *connection,
			   const struct scatter_wire_header *header, struct page *page)
{
	struct scatter_session *session = connection->session;
	bool fine;

	scatter_connection_step_locked(connection, SCATTER_EVENT_MESSAGE, SCATTER_WIRE_FINE);
	if (connection->state.now != SCATTER_STATES_UP)
		return;
	fine = scatter_credits_receive(&session->credits, header->credits) &&
	       scatter_say_acknowledge_locked(connection, header->acknowledged) &&
	       scatter_say_adds_up_locked(connection) &&
	       (header->type == SCATTER_WIRE_CREDIT ||
		sequenced_locked(connection, header, page));
	if (scatter_client_is_flooded_locked(connection)) {
		flooded_locked(connection);
		return;
	}
	if (!fine) {
		wrong_locked(connection);
		return;
	}
	session->heard_of = true;
	connection->heard = jiffies;
	connection->spoken = jiffies;
	/* The wire gives the device the receive buffer again when this event is over. */
	scatter_credits_post(&session->credits);
	scatter_say_flush_locked(connection);
	if (scatter_credits_due(&session->credits))
		scatter_say_credit_locked(connection, false);
}

static void end_locked(struct scatter_connection *connection,
		       const struct scatter_wire_header *header, const void *data)
{
	struct scatter_wire_refuse refuse;
	struct scatter_wire_bye bye;

	if (header->type == SCATTER_WIRE_BYE) {
		if (scatter_parse_bye(data, header->bytes, &bye))
			wrong_locked(connection);
		else
			scatter_connection_step_locked(connection, SCATTER_EVENT_BYE, bye.reason);
		return;
	}
	if (scatter_parse_refuse(data, header->bytes, &refuse)) {
		wrong_locked(connection);
		return;
	}
	scatter_peer_refused(scatter_peer_suspect_locked(connection),
			     (enum scatter_reason)refuse.reason);
	scatter_connection_step_locked(connection, SCATTER_EVENT_REFUSE, refuse.reason);
}

/* Handle a message, which lies at the start of @page. */
static void dispatch_locked(struct scatter_connection *connection,
			    const struct scatter_wire_header *header, struct page *page)
{
	enum scatter_states now = connection->state.now;
	const void *data = page_address(page);

	switch (header->type) {
	case SCATTER_WIRE_HELLO:
		if (now == SCATTER_STATES_ACCEPTED)
			scatter_handshake_hello_locked(connection, data, header->bytes);
		else
			scatter_connection_step_locked(connection, SCATTER_EVENT_HELLO,
						       SCATTER_WIRE_BAD_MESSAGE);
		break;
	case SCATTER_WIRE_WELCOME:
		if (now == SCATTER_STATES_GREETING)
			scatter_handshake_welcome_locked(connection, data, header->bytes);
		else
			scatter_connection_step_locked(connection, SCATTER_EVENT_WELCOME,
						       SCATTER_WIRE_BAD_MESSAGE);
		break;
	case SCATTER_WIRE_PROOF:
		if (now == SCATTER_STATES_WELCOMING)
			scatter_handshake_proof_locked(connection, data, header->bytes);
		else
			scatter_connection_step_locked(connection, SCATTER_EVENT_PROOF,
						       SCATTER_WIRE_BAD_MESSAGE);
		break;
	case SCATTER_WIRE_REFUSE:
	case SCATTER_WIRE_BYE:
		end_locked(connection, header, data);
		break;
	default:
		message_locked(connection, header, page);
	}
}

static void received(void *context, struct page *page, size_t bytes)
{
	struct scatter_session *session = context;
	struct scatter_connection *connection;
	struct scatter_wire_header header;

	mutex_lock(&session->hub->lock);
	connection = session->connection;
	if (!connection || connection->state.now == SCATTER_STATES_CLOSING)
		goto unlock;
	session->heard = jiffies;
	if (connection->peer) {
		scatter_peer_count(connection->peer, SCATTER_A_COUNTERS_RECEIVED, 1);
		scatter_peer_count(connection->peer, SCATTER_A_COUNTERS_BYTES_RECEIVED, bytes);
	}
	/* The line is up, but the wire's event that says so may come after this one. */
	if (connection->state.now == SCATTER_STATES_CONNECTING)
		goto unlock;
	if (scatter_parse_header(page_address(page), bytes, &header))
		wrong_locked(connection);
	else
		dispatch_locked(connection, &header, page);
	scatter_mail_flush_locked(session->hub);
unlock:
	mutex_unlock(&session->hub->lock);
}

const struct scatter_wire_events scatter_receive_events = {
	.incoming = incoming,
	.up = line_up,
	.received = received,
	.read_done = read_done,
	.down = line_down,
};
