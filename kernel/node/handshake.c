// SPDX-License-Identifier: GPL-2.0
/*
 * The handshake: HELLO, WELCOME, PROOF.
 *
 * Each function prepares the next message and tells the state machine which message has come. The
 * state machine decides whether the prepared message is sent.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/string.h>

#include "node/client.h"
#include "node/connection.h"
#include "node/fetch.h"
#include "node/handshake.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/proof.h"
#include "node/say.h"
#include "wire/build.h"
#include "wire/parse.h"
#include "wire/sequence.h"

static void wrong_locked(struct scatter_connection *connection, enum scatter_wire_reason reason)
{
	scatter_connection_step_locked(connection, SCATTER_EVENT_WRONG, reason);
}

static void unfit_locked(struct scatter_connection *connection, enum scatter_wire_reason reason)
{
	scatter_connection_step_locked(connection, SCATTER_EVENT_UNFIT, reason);
}

static int fill_tags(struct scatter_wire_hello *hello, const struct scatter_node_self *self)
{
	unsigned int i;
	int error = self->nr_keys ? 0 : -ENOKEY;

	for (i = 0; i < self->nr_keys && !error; i++)
		error = scatter_proof_tag(self->keys[i], hello->key_tag[i]);
	return error;
}

/**
 * scatter_handshake_begin_locked() - prepare HELLO
 * @connection: its line is up
 *
 * Context: may sleep; the hub's lock is held.
 * Return: 0 or -errno.
 */
int scatter_handshake_begin_locked(struct scatter_connection *connection)
{
	struct scatter_session *session = connection->session;
	struct scatter_wire_hello *hello = &session->greeting;
	struct scatter_node_self self;
	int error = -ENOENT;

	lockdep_assert_held(&connection->hub->lock);
	if (scatter_node_self(connection->hub->node, &self)) {
		*hello = (struct scatter_wire_hello){
			.version_min = SCATTER_WIRE_VERSION_MIN,
			.version_max = SCATTER_WIRE_VERSION_MAX,
			.features = SCATTER_WIRE_FEATURES,
			.buffers = session->buffers,
			.from = self.id,
			.to = connection->peer->id,
			.incarnation = self.incarnation,
			.expected = connection->incarnation,
			.received = connection->sequence.received,
		};
		get_random_bytes(hello->nonce, sizeof(hello->nonce));
		error = fill_tags(hello, &self);
	}
	memzero_explicit(&self, sizeof(self));
	if (!error)
		scatter_build_hello(&session->hello, hello);
	return error;
}

static bool comes_from(const struct scatter_connection *guest,
		       const struct scatter_connection *connection)
{
	struct scatter_peer_terms terms;
	unsigned int i;

	if (!scatter_peer_terms(connection->peer, &terms))
		return false;
	for (i = 0; i < terms.nr_addresses; i++)
		if (scatter_address_same_host(&terms.addresses[i], &guest->address.any))
			return true;
	return false;
}

/* Start the credits: a side may have as many messages on their way as the other has buffers. */
static void start_credits(struct scatter_session *session, u32 theirs)
{
	const u32 both = min(theirs, session->buffers);

	scatter_credits_start(&session->credits, both, both);
}

/* Find a tag that belongs to a key of this node; -ENOKEY: there is none. */
static int find_key(const struct scatter_wire_hello *hello, const struct scatter_node_self *self,
		    u8 *key)
{
	u8 tag[SCATTER_WIRE_TAG_BYTES];
	unsigned int i, j;
	int error;

	for (i = 0; i < self->nr_keys; i++) {
		error = scatter_proof_tag(self->keys[i], tag);
		if (error)
			return error;
		for (j = 0; j < SCATTER_WIRE_KEYS; j++) {
			if (memcmp(tag, hello->key_tag[j], sizeof(tag)))
				continue;
			memcpy(key, self->keys[i], SCATTER_NODE_KEY_BYTES);
			return j;
		}
	}
	return -ENOKEY;
}

/* Whether this node wants a connection with the sender of a HELLO. */
static enum scatter_wire_reason judge_locked(struct scatter_connection *guest,
					     const struct scatter_wire_hello *hello,
					     const struct scatter_node_self *self)
{
	struct scatter_connection *connection;
	enum scatter_wire_reason reason;

	if (hello->version_min > SCATTER_WIRE_VERSION_MAX ||
	    hello->version_max < SCATTER_WIRE_VERSION_MIN)
		return SCATTER_WIRE_BAD_VERSION;
	if (hello->from == self->id)
		return SCATTER_WIRE_SELF;
	if (hello->to != self->id)
		return SCATTER_WIRE_BAD_ADDRESS;
	connection = scatter_connection_find_locked(guest->hub, hello->from);
	if (!connection)
		return SCATTER_WIRE_STRANGER;
	if (!comes_from(guest, connection))
		return SCATTER_WIRE_BAD_ADDRESS;
	guest->claims = connection;
	reason = scatter_states_answer(connection->state.now, self->id, hello->from,
				       connection->races);
	if (reason == SCATTER_WIRE_BUSY)
		connection->races++;
	return reason;
}

static int prepare_welcome_locked(struct scatter_connection *guest,
				  const struct scatter_node_self *self)
{
	const struct scatter_connection *connection = guest->claims;
	struct scatter_session *session = guest->session;
	const struct scatter_wire_hello *hello = &session->greeting;
	struct scatter_wire_welcome *welcome = &session->answer;
	int key = find_key(hello, self, session->key);

	if (key < 0)
		return key;
	*welcome = (struct scatter_wire_welcome){
		.version = scatter_wire_version(hello),
		.buffers = session->buffers,
		.features = hello->features & SCATTER_WIRE_FEATURES,
		.from = self->id,
		.to = hello->from,
		.incarnation = self->incarnation,
		.expected = connection->incarnation,
		.received = connection->sequence.received,
		.key = key,
	};
	get_random_bytes(welcome->nonce, sizeof(welcome->nonce));
	scatter_build_welcome(&session->welcome, welcome);
	start_credits(session, hello->buffers);
	return scatter_proof_make(session->key, SCATTER_TRANSCRIPT_RESPONDER, &session->hello,
				  &session->welcome, session->welcome.proof);
}

/**
 * scatter_handshake_hello_locked() - handle a guest's HELLO
 * @guest: the guest; this is its first message
 * @data: the message
 * @bytes: the message's length
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_handshake_hello_locked(struct scatter_connection *guest, const void *data, u32 bytes)
{
	struct scatter_session *session = guest->session;
	enum scatter_wire_reason reason;
	struct scatter_node_self self;
	int error;

	lockdep_assert_held(&guest->hub->lock);
	reason = scatter_parse_hello(data, bytes, &session->greeting);
	if (reason) {
		wrong_locked(guest, reason);
		return;
	}
	memcpy(&session->hello, data, sizeof(session->hello));
	if (!scatter_node_self(guest->hub->node, &self)) {
		unfit_locked(guest, SCATTER_WIRE_SHUTDOWN);
		return;
	}
	reason = judge_locked(guest, &session->greeting, &self);
	error = reason ? 0 : prepare_welcome_locked(guest, &self);
	memzero_explicit(&self, sizeof(self));
	if (error)
		reason = error == -ENOKEY ? SCATTER_WIRE_BAD_KEY : SCATTER_WIRE_SHUTDOWN;
	if (reason)
		unfit_locked(guest, reason);
	else
		scatter_connection_step_locked(guest, SCATTER_EVENT_HELLO, SCATTER_WIRE_FINE);
}

/* Use the key that the responder has chosen among those of HELLO, if this node still has it. */
static int choose_key(struct scatter_session *session, const struct scatter_node_self *self)
{
	u8 tag[SCATTER_WIRE_TAG_BYTES];
	u32 key = session->answer.key;
	int error;

	if (key >= self->nr_keys)
		return -ENOKEY;
	error = scatter_proof_tag(self->keys[key], tag);
	if (error)
		return error;
	if (memcmp(tag, session->greeting.key_tag[key], sizeof(tag)))
		return -ENOKEY;
	memcpy(session->key, self->keys[key], sizeof(session->key));
	return 0;
}

/* Check the responder's proof, and make this node's proof. */
static int prove(struct scatter_session *session)
{
	struct scatter_wire_proof proof;
	int error;

	error = scatter_proof_check(session->key, SCATTER_TRANSCRIPT_RESPONDER, &session->hello,
				    &session->welcome, session->answer.proof);
	if (!error)
		error = scatter_proof_make(session->key, SCATTER_TRANSCRIPT_INITIATOR,
					   &session->hello, &session->welcome, proof.proof);
	if (!error)
		scatter_build_proof(&session->proof, &proof);
	return error;
}

/*
 * Forget what the responder forgets. The responder's connection is up when PROOF comes, this node's
 * connection only when the responder's next message comes, and the line may be lost in between.
 */
static void forget_locked(struct scatter_connection *connection)
{
	const struct scatter_session *session = connection->session;

	if (scatter_sequence_continues(&session->greeting, &session->answer))
		return;
	scatter_client_anew_locked(connection, session->answer.incarnation);
	scatter_say_restart_locked(connection, session->answer.incarnation);
	scatter_fetch_forget_locked(connection);
	connection->incarnation = 0;
}

/**
 * scatter_handshake_welcome_locked() - handle the responder's WELCOME
 * @connection: has sent HELLO
 * @data: the message
 * @bytes: the message's length
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_handshake_welcome_locked(struct scatter_connection *connection, const void *data,
				      u32 bytes)
{
	struct scatter_session *session = connection->session;
	enum scatter_wire_reason reason;
	struct scatter_node_self self;
	int error = -ENOENT;

	lockdep_assert_held(&connection->hub->lock);
	reason = scatter_parse_welcome(data, bytes, &session->greeting, &session->answer);
	if (reason) {
		wrong_locked(connection, reason);
		return;
	}
	memcpy(&session->welcome, data, sizeof(session->welcome));
	if (scatter_node_self(connection->hub->node, &self))
		error = choose_key(session, &self);
	memzero_explicit(&self, sizeof(self));
	error = error ?: prove(session);
	if (error == -EKEYREJECTED) {
		wrong_locked(connection, SCATTER_WIRE_BAD_PROOF);
		return;
	}
	if (error) {
		unfit_locked(connection, error == -ENOKEY ? SCATTER_WIRE_BAD_KEY :
							    SCATTER_WIRE_SHUTDOWN);
		return;
	}
	forget_locked(connection);
	start_credits(session, session->answer.buffers);
	scatter_connection_step_locked(connection, SCATTER_EVENT_WELCOME, SCATTER_WIRE_FINE);
}

/**
 * scatter_handshake_proof_locked() - handle a guest's PROOF
 * @guest: the guest, to which WELCOME has been sent
 * @data: the message
 * @bytes: the message's length
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_handshake_proof_locked(struct scatter_connection *guest, const void *data, u32 bytes)
{
	const struct scatter_session *session = guest->session;
	struct scatter_connection *connection = guest->claims;
	enum scatter_wire_reason reason;
	struct scatter_wire_proof proof;
	int error = 0;

	lockdep_assert_held(&guest->hub->lock);
	reason = scatter_parse_proof(data, bytes, &proof);
	if (!reason)
		error = scatter_proof_check(session->key, SCATTER_TRANSCRIPT_INITIATOR,
					    &session->hello, &session->welcome, proof.proof);
	if (error == -EKEYREJECTED)
		reason = SCATTER_WIRE_BAD_PROOF;
	if (reason) {
		wrong_locked(guest, reason);
		return;
	}
	/* Since HELLO came, the peer may have been deleted, or another line may be up. */
	if (error)
		reason = SCATTER_WIRE_SHUTDOWN;
	else if (!connection || connection->gone)
		reason = SCATTER_WIRE_ADMIN;
	else if (connection->incarnation != session->answer.expected)
		reason = SCATTER_WIRE_BUSY;
	else
		reason = scatter_states_answer(connection->state.now, session->answer.from,
					       session->greeting.from, connection->races);
	if (reason)
		unfit_locked(guest, reason);
	else
		scatter_connection_step_locked(guest, SCATTER_EVENT_PROOF, SCATTER_WIRE_FINE);
}
