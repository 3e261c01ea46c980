/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CONNECTION_H
#define _SCATTER_CONNECTION_H

#include <linux/atomic.h>
#include <linux/bvec.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/scatter_netlink.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "node/address.h"
#include "wire/credits.h"
#include "wire/raw.h"
#include "wire/sequence.h"
#include "wire/states.h"

struct scatter_connection;
struct scatter_mailer;
struct scatter_node;
struct scatter_peer;
struct scatter_segment;
struct scatter_wire_events;
struct scatter_wire_ops;

/**
 * struct scatter_hub - all connections of a node, while there is a wire
 * @ref: references: one of the node, and one of each of @users
 * @lock: protects all fields below, and the connections, guests and sessions of the node. Nests
 *	inside the node's lock and is taken in events of the wire; a wire's close() and unlisten()
 *	are called without the lock. See node.c
 * @node: constant
 * @wire: constant
 * @events: constant; the callbacks for the wire
 * @net: constant; the namespace of the addresses
 * @stopping: nothing new begins
 * @listeners: listeners of the wire, one for each address of the node
 * @nr_listeners: how many listeners
 * @connections: one for each peer
 * @guests: lines from nodes that have not proven who they are
 * @nr_guests: how many guests
 * @nr_sessions: sessions that the wire has not closed yet
 * @users: calls that use the hub and wait
 * @empty: woken when @nr_sessions or @users become 0
 * @works: constant; where @tick and @later run
 * @lines: constant; where lines are opened and closed
 * @tick: looks for deadlines
 * @later: queues mail that may be late
 * @delivery: queues mail that its poster has not queued
 * @pings: PINGs that wait for an answer
 */
struct scatter_hub {
	struct kref ref;
	struct mutex lock; /* all fields below */
	struct scatter_node *node;
	const struct scatter_wire_ops *wire;
	const struct scatter_wire_events *events;
	struct net *net;
	bool stopping;
	void *listeners[SCATTER_NODE_ADDRESSES_MAX];
	unsigned int nr_listeners;
	struct list_head connections;
	struct list_head guests;
	u32 nr_guests;
	u32 nr_sessions;
	atomic_t users;
	wait_queue_head_t empty;
	struct workqueue_struct *works;
	struct workqueue_struct *lines;
	struct delayed_work tick;
	struct delayed_work later;
	struct work_struct delivery;
	struct list_head pings;
};

/**
 * struct scatter_session - the state of a connection, or of a guest, that belongs to one line
 * @hub: constant
 * @line: the wire's line; NULL until @opening has made the line; a guest has its line from the
 *	beginning; constant from the line's first event on
 * @from: constant; for a connection: this node's address of the line
 * @to: constant; for a connection: the peer's address of the line
 * @connection: hub's lock; the session's owner; NULL: no owner any more
 * @began: constant; jiffies when the session was made
 * @heard: hub's lock; jiffies when the last message came
 * @said: hub's lock; jiffies when the last message was sent
 * @hello: hub's lock; HELLO, as it was sent
 * @welcome: hub's lock; WELCOME, as it was sent
 * @proof: hub's lock; PROOF, as it is sent
 * @greeting: hub's lock; @hello parsed
 * @answer: hub's lock; @welcome parsed
 * @key: hub's lock; the key in use
 * @credits: hub's lock; valid since both nodes have told of their buffers
 * @heard_of: hub's lock; the peer knows that the connection is up
 * @lost: hub's lock; the wire did not take a message
 * @reading: hub's lock; the answer to a PING whose READ runs; if @reading.token is 0, no READ runs
 * @read: hub's lock; where that READ goes, referenced; NULL: no READ runs
 * @buffers: constant; own receive buffers
 * @opening: of a connection: asks the wire for the line
 * @closing: closes the line, and frees the session
 */
struct scatter_session {
	struct scatter_hub *hub;
	void *line;
	union scatter_address from;
	union scatter_address to;
	struct scatter_connection *connection;
	unsigned long began;
	unsigned long heard;
	unsigned long said;
	struct scatter_raw_hello hello;
	struct scatter_raw_welcome welcome;
	struct scatter_raw_proof proof;
	struct scatter_wire_hello greeting;
	struct scatter_wire_welcome answer;
	u8 key[SCATTER_NODE_KEY_BYTES];
	struct scatter_credits credits;
	bool heard_of;
	bool lost;
	struct scatter_wire_pong reading;
	struct scatter_segment *read;
	u32 buffers;
	struct work_struct opening;
	struct work_struct closing;
};

/**
 * struct scatter_message - a sequenced message until the peer has acknowledged it; a GRANT until
 *	the peer has got what it grants
 * @entry: in scatter_connection.queue; of mail in scatter_node.outbox; of late mail in
 *	scatter_connection.late; of a GRANT that waits in scatter_connection.held, of one that has
 *	been acknowledged in scatter_connection.offers
 * @to: of mail: the peer's id
 * @mailer: of mail that has never been sent: counts the mail, referenced; NULL: nobody does
 * @latest: mail that replaces late mail to the same peer
 * @late_ms: of mail with @latest: how late it may be, in ms; 0: not at all
 * @sequence: the message's number
 * @sent: the message has been sent on the present line
 * @again: the message has been sent on an earlier line
 * @payload: payload behind @data, sent from its page, which is referenced; no page: nothing
 * @offer: of a GRANT: what the peer may READ, referenced; NULL: no GRANT
 * @token: of a GRANT: tells the GRANTs to a peer apart
 * @granted: of a GRANT: the wire has granted @offer on the present line
 * @key: of a GRANT: ends the grant of the wire
 * @got: of a GRANT: the peer has got @offer
 * @bytes: length of @data
 * @data: the message, up to its payload
 *
 * scatter_say_free() frees a message.
 */
struct scatter_message {
	struct list_head entry;
	u64 to;
	struct scatter_mailer *mailer;
	bool latest;
	u32 late_ms;
	u32 sequence;
	bool sent;
	bool again;
	struct bio_vec payload;
	struct scatter_segment *offer;
	u64 token;
	bool granted;
	u32 key;
	bool got;
	u32 bytes;
	u8 data[];
};

/**
 * struct scatter_connection - a peer's connection, or a guest
 * @entry: in scatter_hub.connections or scatter_hub.guests
 * @hub: constant
 * @peer: constant; referenced; NULL: a guest
 * @address: constant; of a guest: the address that the guest comes from
 * @caller: constant; referenced; of a guest: a peer that has @address
 * @claims: for a guest: the connection of the peer that the guest says it is; NULL: the guest has
 *	said nothing yet
 * @state: the state of the state machine
 * @reason: why the connection ends now, or ended last
 * @session: the session; NULL: none
 * @turn: tells which address of the peer is tried next
 * @failures: attempts that have failed since the last connection
 * @races: how often this node has answered BUSY since the last connection
 * @until: jiffies of the state's deadline, unless the session has the deadline
 * @incarnation: the peer's incarnation, to which @sequence and @queue belong; 0: no line has been
 *	up
 * @restarts: how often the numbers of messages have begun anew; may wrap
 * @sequence: numbers of messages
 * @queue: messages that the peer has not acknowledged, in order
 * @nr_sent: how many messages in @queue have been sent on the present line
 * @late: mail that is not in @queue yet, and may be late
 * @offers: GRANTs that the peer has acknowledged but not yet answered with GOT, in any order
 * @held: GRANTs that wait for GOTs for GRANTs in @queue and @offers
 * @nr_granted: how many GRANTs in @queue and @offers the peer has not answered with GOT
 * @offered: the token of the last GRANT to the peer
 * @fetches: what the peer has granted and this node has not read completely, by rising token
 * @nr_fetches: how many fetches
 * @fetched: the token of the last GRANT from the peer
 * @confirmed: the token of the last GOT that was not sent late
 * @unconfirmed: bytes of the GRANTs since then
 * @users: how many calls want the connection
 * @heard: jiffies when the peer proved last who it is, or sent a message after that
 * @spoken: jiffies when the last message came while the connection was up
 * @most: how many messages the peer may leave unacknowledged, see client.c
 * @gone: the peer is deleted: the connection is freed when the state is DOWN
 *
 * The hub's lock protects all fields.
 */
struct scatter_connection {
	struct list_head entry;
	struct scatter_hub *hub;
	struct scatter_peer *peer;
	union scatter_address address;
	struct scatter_peer *caller;
	struct scatter_connection *claims;
	struct scatter_state state;
	enum scatter_wire_reason reason;
	struct scatter_session *session;
	u32 turn;
	u32 failures;
	u32 races;
	unsigned long until;
	u64 incarnation;
	u32 restarts;
	struct scatter_sequence sequence;
	struct list_head queue;
	u32 nr_sent;
	struct list_head late;
	struct list_head offers;
	struct list_head held;
	u32 nr_granted;
	u64 offered;
	struct list_head fetches;
	u32 nr_fetches;
	u64 fetched;
	u64 confirmed;
	u64 unconfirmed;
	u32 users;
	unsigned long heard;
	unsigned long spoken;
	u64 most;
	bool gone;
};

struct scatter_connection *scatter_connection_create_locked(struct scatter_hub *hub,
							    struct scatter_peer *peer, bool guest);
struct scatter_connection *scatter_connection_find_locked(struct scatter_hub *hub, u64 id);
void scatter_connection_free_locked(struct scatter_connection *connection);
void scatter_connection_step_locked(struct scatter_connection *connection,
				    enum scatter_states_event event,
				    enum scatter_wire_reason reason);
void scatter_connection_want_locked(struct scatter_connection *connection);
bool scatter_connection_is_full_locked(const struct scatter_connection *connection);
void scatter_connection_queue_locked(struct scatter_connection *connection,
				     struct scatter_message *message);
bool scatter_connection_deadline_locked(const struct scatter_connection *connection,
					unsigned long *deadline);
struct scatter_session *scatter_connection_session_locked(struct scatter_connection *connection);
void scatter_connection_unsession_locked(struct scatter_connection *connection);
void scatter_connection_due_locked(struct scatter_connection *connection);

#endif /* _SCATTER_CONNECTION_H */
