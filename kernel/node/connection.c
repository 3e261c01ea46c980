// SPDX-License-Identifier: GPL-2.0
/*
 * Connections to peers, and guests: the code here does what wire/states.c decides.
 *
 * A session is what a connection or a guest has of a line of the wire. The wire tells its events to
 * the session, see receive.c. When the state machine wants a line closed, a work item closes the
 * line without locks; then the owner of the session gets the event CLOSED. A session that has been
 * dropped has no owner; events of its line are ignored.
 *
 * A sequenced message stays in the queue until the peer has acknowledged the message. On the next
 * line to the same incarnation of the peer, the messages in the queue are sent again. A new
 * incarnation gets only messages that have never been sent.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "memory/segment.h"
#include "node/client.h"
#include "node/connection.h"
#include "node/event.h"
#include "node/fetch.h"
#include "node/node.h"
#include "node/offer.h"
#include "node/peer.h"
#include "node/say.h"
#include "node/wire_ops.h"

/* With this many messages waiting, no PING and no answer to a PING is added. */
#define SCATTER_CONNECTION_QUEUE	256

static u32 tune(const struct scatter_hub *hub, unsigned int what)
{
	return scatter_node_tune(hub->node, what);
}

/* Sessions --------------------------------------------------------------- */

static void session_free_locked(struct scatter_session *session)
{
	struct scatter_hub *hub = session->hub;

	lockdep_assert_held(&hub->lock);
	if (!--hub->nr_sessions)
		wake_up_all(&hub->empty);
	scatter_segment_put(session->read);
	kfree_sensitive(session);
}

/*
 * Ask the wire for a line. Runs without locks: the wire may wait for an event of another line, and
 * that event takes the hub's lock.
 */
static void open_session(struct work_struct *work)
{
	struct scatter_session *session = container_of(work, struct scatter_session, opening);
	struct scatter_hub *hub = session->hub;

	if (!hub->wire->connect(hub->net, &session->from.any, &session->to.any,
				session->buffers + SCATTER_WIRE_BUFFERS_SPARE, hub->events,
				session, &session->line))
		return;
	mutex_lock(&hub->lock);
	if (session->connection)
		scatter_connection_step_locked(session->connection, SCATTER_EVENT_LINE_DOWN,
					       SCATTER_WIRE_BAD_LINE);
	mutex_unlock(&hub->lock);
}

static void close_session(struct work_struct *work)
{
	struct scatter_session *session = container_of(work, struct scatter_session, closing);
	struct scatter_connection *connection;
	struct scatter_hub *hub = session->hub;

	cancel_work_sync(&session->opening);
	if (session->line)
		hub->wire->close(session->line);
	mutex_lock(&hub->lock);
	connection = session->connection;
	if (connection) {
		connection->session = NULL;
		scatter_connection_step_locked(connection, SCATTER_EVENT_CLOSED,
					       connection->reason);
	}
	session_free_locked(session);
	mutex_unlock(&hub->lock);
}

/**
 * scatter_connection_session_locked() - make a session for a connection or a guest
 * @connection: has no session
 *
 * Context: may sleep; the hub's lock is held.
 * Return: the session, without a line; NULL: no memory.
 */
struct scatter_session *scatter_connection_session_locked(struct scatter_connection *connection)
{
	struct scatter_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	lockdep_assert_held(&connection->hub->lock);
	if (!session)
		return NULL;
	session->hub = connection->hub;
	session->connection = connection;
	session->began = jiffies;
	session->heard = jiffies;
	session->said = jiffies;
	session->buffers = tune(connection->hub, SCATTER_A_TUNE_BUFFERS);
	INIT_WORK(&session->opening, open_session);
	INIT_WORK(&session->closing, close_session);
	connection->hub->nr_sessions++;
	connection->session = session;
	return session;
}

/**
 * scatter_connection_unsession_locked() - undo scatter_connection_session_locked()
 * @connection: has a session without a line
 *
 * Context: the hub's lock is held.
 */
void scatter_connection_unsession_locked(struct scatter_connection *connection)
{
	session_free_locked(connection->session);
	connection->session = NULL;
}

/* Close the line later. Then the session's owner, if it has one, gets CLOSED. */
static void close_locked(struct scatter_session *session)
{
	queue_work(session->hub->lines, &session->closing);
}

static void drop_locked(struct scatter_connection *connection)
{
	struct scatter_session *session = connection->session;

	connection->session = NULL;
	if (!session)
		return;
	session->connection = NULL;
	close_locked(session);
}

/**
 * scatter_connection_is_full_locked() - whether too many messages wait to add a PING
 * @connection: the connection
 *
 * Context: the hub's lock is held.
 */
bool scatter_connection_is_full_locked(const struct scatter_connection *connection)
{
	lockdep_assert_held(&connection->hub->lock);
	return scatter_sequence_unacknowledged(&connection->sequence) >= SCATTER_CONNECTION_QUEUE;
}

/**
 * scatter_connection_queue_locked() - send a sequenced message, now or later
 * @connection: need not be up
 * @message: the message; gets its number
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_connection_queue_locked(struct scatter_connection *connection,
				     struct scatter_message *message)
{
	lockdep_assert_held(&connection->hub->lock);
	scatter_say_queue_locked(connection, message);
	scatter_say_flush_locked(connection);
	scatter_connection_want_locked(connection);
}

/* What happens ------------------------------------------------------------ */

/*
 * Whether a caller wants the connection. Messages in the queue alone are no reason to connect: the
 * callers that posted them may be gone.
 */
static bool is_wanted(const struct scatter_connection *connection)
{
	struct scatter_peer_terms terms;

	if (!connection->peer || connection->gone || connection->hub->stopping)
		return false;
	if (connection->users || atomic_read(&connection->peer->relied))
		return true;
	return scatter_peer_terms(connection->peer, &terms) && terms.flags & SCATTER_PEER_KEEP;
}

/**
 * scatter_connection_want_locked() - connect, if a caller wants the connection
 * @connection: the connection
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_connection_want_locked(struct scatter_connection *connection)
{
	lockdep_assert_held(&connection->hub->lock);
	if (connection->state.now == SCATTER_STATES_DOWN && is_wanted(connection))
		scatter_connection_step_locked(connection, SCATTER_EVENT_WANT,
					       SCATTER_WIRE_FINE);
}

/*
 * Choose the next address of the peer for which this node has an address of the same family. When
 * all have been tried, go on with the next address of this node.
 */
static int choose_locked(struct scatter_connection *connection, union scatter_address *from,
			 union scatter_address *to)
{
	union scatter_address own[SCATTER_NODE_ADDRESSES_MAX];
	unsigned int nr = scatter_node_addresses(connection->hub->node, own);
	struct scatter_peer_terms terms;
	unsigned int tried, i;

	if (!scatter_peer_terms(connection->peer, &terms))
		return -EADDRNOTAVAIL;
	for (tried = 0; tried < terms.nr_addresses; tried++) {
		u32 turn = connection->turn++;

		*to = terms.addresses[turn % terms.nr_addresses];
		for (i = 0; i < nr; i++) {
			*from = own[(turn / terms.nr_addresses + i) % nr];
			if (from->any.sa_family == to->any.sa_family)
				return 0;
		}
	}
	return -EADDRNOTAVAIL;
}

/* Ask the wire for a line from an address of this node to an address of the peer. */
static int connect_locked(struct scatter_connection *connection)
{
	struct scatter_session *session;
	union scatter_address from, to;
	int error = choose_locked(connection, &from, &to);

	if (error)
		return error;
	session = scatter_connection_session_locked(connection);
	if (!session)
		return -ENOMEM;
	session->from = from;
	session->to = to;
	queue_work(connection->hub->lines, &session->opening);
	return 0;
}

/* Forget a grant of an earlier line: the line is gone, and the grant with it. */
static void forget_grant(struct scatter_message *message)
{
	struct scatter_raw_ping *ping = (void *)message->data;

	if (ping->header.type != SCATTER_WIRE_PING)
		return;
	ping->address = 0;
	ping->key = 0;
	ping->bytes = 0;
	ping->digest = 0;
}

/* Begin a connection that is up, with what both nodes have told each other in the handshake. */
static void begin_locked(struct scatter_connection *connection, bool initiator)
{
	struct scatter_session *session = connection->session;
	u64 incarnation = initiator ? session->answer.incarnation : session->greeting.incarnation;
	u32 received = initiator ? session->answer.received : session->greeting.received;
	struct scatter_message *message;

	if (connection->incarnation != incarnation ||
	    !scatter_sequence_continues(&session->greeting, &session->answer)) {
		scatter_client_anew_locked(connection, incarnation);
		scatter_say_restart_locked(connection, incarnation);
		scatter_fetch_forget_locked(connection);
		connection->incarnation = incarnation;
		connection->restarts++;
		received = 0;
	}
	/* The next attempt begins with the addresses that have worked. */
	connection->turn -= initiator;
	scatter_say_acknowledge_locked(connection, received);
	connection->nr_sent = 0;
	list_for_each_entry(message, &connection->queue, entry) {
		message->again |= message->sent;
		message->sent = false;
		message->granted = false;
		forget_grant(message);
	}
	scatter_offer_again_locked(connection);
	scatter_fetch_pause_locked(connection);
	/*
	 * The responder sends no messages before it hears from the initiator: an initiator that
	 * loses the line before its connection is up would forget them.
	 */
	session->heard_of = initiator;
	connection->heard = jiffies;
	connection->failures = 0;
	connection->races = 0;
	connection->reason = SCATTER_WIRE_FINE;
	scatter_peer_set_incarnation(connection->peer, incarnation);
	scatter_peer_count(connection->peer, SCATTER_A_COUNTERS_CONNECTS, 1);
}

static void end_guests_locked(struct scatter_connection *connection)
{
	struct scatter_connection *guest, *next;

	list_for_each_entry_safe(guest, next, &connection->hub->guests, entry)
		if (guest->claims == connection && guest->session)
			scatter_connection_step_locked(guest, SCATTER_EVENT_STOP,
						       SCATTER_WIRE_BUSY);
}

/* Give the line of a guest, which has proven that it is the peer, to the peer's connection. */
static void give_locked(struct scatter_connection *guest)
{
	struct scatter_connection *connection = guest->claims;
	struct scatter_session *session = guest->session;

	guest->session = NULL;
	session->connection = connection;
	/* The connection's old line goes first: the peer may have lost the old line long ago. */
	drop_locked(connection);
	connection->session = session;
	scatter_connection_step_locked(connection, SCATTER_EVENT_ADOPT, SCATTER_WIRE_FINE);
}

/* Send the messages that the state machine wants sent; all of these have been prepared. */
static void say_locked(struct scatter_connection *connection, u32 todo,
		       enum scatter_wire_reason reason)
{
	struct scatter_session *session = connection->session;

	if (todo & SCATTER_STATES_DO_HELLO)
		scatter_say_locked(connection, &session->hello, sizeof(session->hello));
	if (todo & SCATTER_STATES_DO_WELCOME)
		scatter_say_locked(connection, &session->welcome, sizeof(session->welcome));
	if (todo & SCATTER_STATES_DO_PROOF)
		scatter_say_locked(connection, &session->proof, sizeof(session->proof));
	if (todo & SCATTER_STATES_DO_CREDIT)
		scatter_say_credit_locked(connection, false);
	if (todo & SCATTER_STATES_DO_REFUSE)
		scatter_say_refuse_locked(connection, reason);
	if (todo & SCATTER_STATES_DO_BYE)
		scatter_say_bye_locked(connection, reason);
}

static void set_deadline_locked(struct scatter_connection *connection)
{
	struct scatter_hub *hub = connection->hub;
	u32 ms = 0;

	switch (scatter_states_timer(connection->state.now)) {
	case SCATTER_TIMER_BACKOFF:
		ms = scatter_states_backoff(++connection->failures,
					    tune(hub, SCATTER_A_TUNE_BACKOFF_MS),
					    get_random_u32());
		break;
	case SCATTER_TIMER_HOLD:
		ms = tune(hub, SCATTER_A_TUNE_HOLD_MS);
		break;
	default:
		break;
	}
	connection->until = jiffies + msecs_to_jiffies(ms);
	mod_delayed_work(hub->works, &hub->tick, 0);
}

/* Users see reasons by the numbers on the wire, and states by the numbers of states.h. */
#define SAME(ours, told)	static_assert((u32)SCATTER_##ours == (u32)SCATTER_##told)

SAME(WIRE_FINE, REASON_NONE);
SAME(WIRE_BAD_VERSION, REASON_VERSION);
SAME(WIRE_STRANGER, REASON_STRANGER);
SAME(WIRE_BAD_ADDRESS, REASON_ADDRESS);
SAME(WIRE_BAD_KEY, REASON_KEY);
SAME(WIRE_BAD_PROOF, REASON_PROOF);
SAME(WIRE_BAD_MESSAGE, REASON_MESSAGE);
SAME(WIRE_BUSY, REASON_BUSY);
SAME(WIRE_SHUTDOWN, REASON_SHUTDOWN);
SAME(WIRE_ON_HOLD, REASON_HELD);
SAME(WIRE_SELF, REASON_SELF);
SAME(WIRE_TIMEOUT, REASON_TIMEOUT);
SAME(WIRE_BAD_LINE, REASON_LINE);
SAME(WIRE_ADMIN, REASON_ADMIN);
SAME(WIRE_DEVICE, REASON_DEVICE);

SAME(SHOWN_DOWN, PEER_DOWN);
SAME(SHOWN_CONNECTING, PEER_CONNECTING);
SAME(SHOWN_PROVING, PEER_PROVING);
SAME(SHOWN_UP, PEER_UP);
SAME(SHOWN_CLOSING, PEER_CLOSING);
SAME(SHOWN_WAITING, PEER_WAITING);
SAME(SHOWN_HELD, PEER_HELD);

#undef SAME

/* Tell users. @before: the state that users saw last; @anew: the peer has forgotten this node. */
static void tell_locked(struct scatter_connection *connection, enum scatter_states before,
			bool anew)
{
	enum scatter_states_shown shown = scatter_states_shown(connection->state.now);
	struct net *net = connection->hub->node->net;
	enum scatter_wire_reason reason = connection->reason ?: SCATTER_WIRE_BAD_LINE;

	if (!connection->peer)
		return;
	if (before == SCATTER_STATES_UP && (shown != SCATTER_SHOWN_UP || anew))
		scatter_event_peer_down(net, connection->peer->id, (enum scatter_reason)reason);
	if (shown == SCATTER_SHOWN_UP && (before != SCATTER_STATES_UP || anew))
		scatter_event_peer_up(net, connection->peer->id);
	scatter_peer_set_reason(connection->peer, (enum scatter_reason)connection->reason);
	scatter_peer_set_state(connection->peer, (enum scatter_peer_state)shown);
}

static void do_locked(struct scatter_connection *connection, u32 todo,
		      enum scatter_wire_reason reason)
{
	if (todo & SCATTER_STATES_DO_CONNECT && connect_locked(connection)) {
		scatter_connection_step_locked(connection, SCATTER_EVENT_LINE_DOWN,
					       SCATTER_WIRE_BAD_LINE);
		return;
	}
	/* Do this first: messages then have numbers of this connection, not of an earlier one. */
	if (todo & SCATTER_STATES_DO_UP)
		begin_locked(connection,
			     connection->session->greeting.from != connection->peer->id);
	say_locked(connection, todo, reason);
	if (todo & SCATTER_STATES_DO_HOLD && connection->claims && !connection->claims->gone)
		scatter_connection_step_locked(connection->claims, SCATTER_EVENT_HOLD, reason);
	if (todo & SCATTER_STATES_DO_GIVE)
		give_locked(connection);
	if (todo & SCATTER_STATES_DO_UP) {
		end_guests_locked(connection);
		scatter_say_flush_locked(connection);
		/* The responder sends nothing until it gets a message: send it one. */
		if (connection->session->heard_of)
			scatter_say_credit_locked(connection, false);
	}
	if (!(todo & SCATTER_STATES_DO_CLOSE))
		return;
	if (connection->session)
		close_locked(connection->session);
	else
		scatter_connection_step_locked(connection, SCATTER_EVENT_CLOSED, reason);
}

/**
 * scatter_connection_step_locked() - act on an event of a connection or a guest
 * @connection: the connection or guest
 * @event: what happened
 * @reason: why, if @event ends the connection
 *
 * What this step does may cause further events, whose steps run inside this step. The hub's tick
 * frees a guest that has ended.
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_connection_step_locked(struct scatter_connection *connection,
				    enum scatter_states_event event,
				    enum scatter_wire_reason reason)
{
	enum scatter_states before = connection->state.now, now;
	const u32 restarts = connection->restarts;
	enum scatter_states_verdict verdict;
	u32 todo;

	lockdep_assert_held(&connection->hub->lock);
	verdict = scatter_states_step(&connection->state, event, &todo);
	if (verdict == SCATTER_STATES_NEVER) {
		WARN_ON_ONCE(1);
		return;
	}
	if (verdict == SCATTER_STATES_BREACH)
		reason = SCATTER_WIRE_BAD_MESSAGE;
	if (verdict == SCATTER_STATES_BREACH || event == SCATTER_EVENT_WRONG)
		scatter_peer_count(scatter_peer_suspect_locked(connection),
				   SCATTER_A_COUNTERS_BAD, 1);
	now = connection->state.now;
	if (reason != SCATTER_WIRE_FINE && now != before && before != SCATTER_STATES_CLOSING)
		connection->reason = reason;
	if (now != before)
		set_deadline_locked(connection);
	do_locked(connection, todo, reason);
	/* A step inside this step has told users of its own state. */
	if (connection->state.now == now)
		tell_locked(connection, before, connection->restarts != restarts);
	scatter_connection_want_locked(connection);
}

/* Deadlines ---------------------------------------------------------------- */

static bool is_lost(const struct scatter_connection *connection)
{
	return connection->session && connection->session->lost &&
	       connection->state.now != SCATTER_STATES_CLOSING;
}

static unsigned long keepalive(const struct scatter_connection *connection)
{
	return msecs_to_jiffies(tune(connection->hub, SCATTER_A_TUNE_KEEPALIVE_MS));
}

/**
 * scatter_connection_deadline_locked() - find when to call scatter_connection_due_locked()
 * @connection: a connection or a guest
 * @deadline: (out) jiffies
 *
 * Context: the hub's lock is held.
 * Return: false: there is no deadline at the moment.
 */
bool scatter_connection_deadline_locked(const struct scatter_connection *connection,
					unsigned long *deadline)
{
	const struct scatter_session *session = connection->session;

	lockdep_assert_held(&connection->hub->lock);
	if (is_lost(connection)) {
		*deadline = jiffies;
		return true;
	}
	switch (scatter_states_timer(connection->state.now)) {
	case SCATTER_TIMER_HANDSHAKE:
		*deadline = session->began +
			    msecs_to_jiffies(tune(connection->hub, SCATTER_A_TUNE_TIMEOUT_MS));
		return true;
	case SCATTER_TIMER_KEEPALIVE:
		*deadline = session->said + keepalive(connection) / 2;
		if (time_before(session->heard + keepalive(connection), *deadline))
			*deadline = session->heard + keepalive(connection);
		return true;
	case SCATTER_TIMER_BACKOFF:
	case SCATTER_TIMER_HOLD:
		*deadline = connection->until;
		return true;
	default:
		return false;
	}
}

/**
 * scatter_connection_due_locked() - act on a deadline that has passed
 * @connection: a connection or a guest
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_connection_due_locked(struct scatter_connection *connection)
{
	const struct scatter_session *session = connection->session;

	lockdep_assert_held(&connection->hub->lock);
	if (is_lost(connection)) {
		scatter_connection_step_locked(connection, SCATTER_EVENT_LINE_DOWN,
					       SCATTER_WIRE_BAD_LINE);
		return;
	}
	if (connection->state.now == SCATTER_STATES_UP &&
	    time_before(jiffies, session->heard + keepalive(connection))) {
		scatter_say_credit_locked(connection, true);
		/* If there was no credit, wait for the peer's next message. */
		connection->session->said = jiffies;
		return;
	}
	/* A connection without a session has only waited: the end of a wait is no reason. */
	scatter_connection_step_locked(connection, SCATTER_EVENT_TIMER,
				       session ? SCATTER_WIRE_TIMEOUT : SCATTER_WIRE_FINE);
}

/**
 * scatter_connection_create_locked() - make a connection, or a guest
 * @hub: the hub of the node
 * @peer: the peer; for a guest: a peer that has the guest's address
 * @guest: whether to make a guest
 *
 * Context: may sleep; the hub's lock is held.
 * Return: the connection, in the list of the hub; NULL: no memory.
 */
struct scatter_connection *scatter_connection_create_locked(struct scatter_hub *hub,
							    struct scatter_peer *peer, bool guest)
{
	struct scatter_connection *connection = kzalloc(sizeof(*connection), GFP_KERNEL_ACCOUNT);

	lockdep_assert_held(&hub->lock);
	if (!connection)
		return NULL;
	connection->hub = hub;
	connection->peer = guest ? NULL : peer;
	connection->caller = guest ? peer : NULL;
	INIT_LIST_HEAD(&connection->queue);
	INIT_LIST_HEAD(&connection->late);
	INIT_LIST_HEAD(&connection->offers);
	INIT_LIST_HEAD(&connection->held);
	INIT_LIST_HEAD(&connection->fetches);
	scatter_peer_get(peer);
	if (!guest)
		peer->connection = connection;
	hub->nr_guests += guest;
	list_add_tail(&connection->entry, guest ? &hub->guests : &hub->connections);
	return connection;
}

/**
 * scatter_connection_find_locked() - find the connection to a peer
 * @hub: the hub of the node
 * @id: the peer's id
 *
 * Context: the hub's lock is held; takes the node's look.
 * Return: the connection; NULL: there is no such peer, or not any more.
 */
struct scatter_connection *scatter_connection_find_locked(struct scatter_hub *hub, u64 id)
{
	struct scatter_peer *peer = scatter_peer_find(hub->node, id);
	struct scatter_connection *connection;

	lockdep_assert_held(&hub->lock);
	if (!peer)
		return NULL;
	connection = peer->connection;
	scatter_peer_put(peer);
	return connection && !connection->gone ? connection : NULL;
}

/**
 * scatter_connection_free_locked() - free a connection or a guest
 * @connection: is DOWN
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_connection_free_locked(struct scatter_connection *connection)
{
	struct scatter_connection *guest;

	lockdep_assert_held(&connection->hub->lock);
	list_for_each_entry(guest, &connection->hub->guests, entry)
		if (guest->claims == connection)
			guest->claims = NULL;
	list_del(&connection->entry);
	scatter_say_forget_locked(connection);
	scatter_fetch_forget_locked(connection);
	if (connection->peer)
		connection->peer->connection = NULL;
	else
		connection->hub->nr_guests--;
	scatter_peer_put(connection->peer ?: connection->caller);
	kfree(connection);
}
