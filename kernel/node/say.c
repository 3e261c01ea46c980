// SPDX-License-Identifier: GPL-2.0
/*
 * Sending: the messages of a connection, on its line or in its queues.
 */
#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hooks.h"
#include "memory/mailer.h"
#include "memory/segment.h"
#include "node/connection.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/say.h"
#include "node/wire_ops.h"
#include "wire/build.h"
#include "wire/wide_build.h"

static void count(struct scatter_connection *connection, unsigned int counter, u64 n)
{
	if (connection->peer)
		scatter_peer_count(connection->peer, counter, n);
}

/*
 * Send a message on the line. If the line does not take the message, the line cannot be used any
 * more: the hub's tick ends it.
 */
static void send_locked(struct scatter_connection *connection, const void *message, u32 bytes,
			const struct bio_vec *payload)
{
	struct scatter_session *session = connection->session;

	lockdep_assert_held(&connection->hub->lock);
	if (!session || session->lost)
		return;
	session->lost = connection->hub->wire->send(session->line, message, bytes, payload);
	if (session->lost) {
		mod_delayed_work(connection->hub->works, &connection->hub->tick, 0);
		return;
	}
	session->said = jiffies;
	count(connection, SCATTER_A_COUNTERS_SENT, 1);
	count(connection, SCATTER_A_COUNTERS_BYTES_SENT, bytes + (payload ? payload->bv_len : 0));
}

/**
 * scatter_say_locked() - send a message as it is
 * @connection: need not have a session
 * @message: the message
 * @bytes: the message's length
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_say_locked(struct scatter_connection *connection, const void *message, u32 bytes)
{
	send_locked(connection, message, bytes, NULL);
}

/* Send a message of a connection that is up: acknowledges what was received, and gives credits. */
static void stamp_and_send_locked(struct scatter_connection *connection,
				  struct scatter_raw_header *header, u32 bytes,
				  const struct bio_vec *payload)
{
	struct scatter_session *session = connection->session;

	scatter_build_stamp(header, connection->sequence.received,
			    scatter_credits_give(&session->credits));
	send_locked(connection, header, bytes, payload);
}

/**
 * scatter_say_credit_locked() - send a CREDIT, if there is a credit left for it
 * @connection: is up
 * @keepalive: send only to show that the node lives
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_say_credit_locked(struct scatter_connection *connection, bool keepalive)
{
	struct scatter_session *session = connection->session;
	struct scatter_raw_credit credit;

	lockdep_assert_held(&connection->hub->lock);
	if (!session || !scatter_credits_take_last(&session->credits))
		return;
	scatter_build_credit(&credit);
	stamp_and_send_locked(connection, &credit.header, sizeof(credit), NULL);
	if (keepalive)
		count(connection, SCATTER_A_COUNTERS_KEEPALIVES, 1);
}

/**
 * scatter_say_refuse_locked() - send REFUSE
 * @connection: a connection or a guest
 * @reason: why the connection is refused
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_say_refuse_locked(struct scatter_connection *connection,
			       enum scatter_wire_reason reason)
{
	struct scatter_node_self self;
	struct scatter_wire_refuse refuse = { .reason = reason };
	struct scatter_raw_refuse raw;

	lockdep_assert_held(&connection->hub->lock);
	scatter_peer_refused(scatter_peer_suspect_locked(connection),
			     (enum scatter_reason)reason);
	if (!connection->session || !scatter_node_self(connection->hub->node, &self))
		return;
	refuse.from = self.id;
	memzero_explicit(&self, sizeof(self));
	scatter_build_refuse(&raw, &refuse);
	scatter_say_locked(connection, &raw, sizeof(raw));
}

/**
 * scatter_say_bye_locked() - send BYE, if there is a credit for it
 * @connection: is up
 * @reason: why the connection ends
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_say_bye_locked(struct scatter_connection *connection, enum scatter_wire_reason reason)
{
	const struct scatter_wire_bye bye = { .reason = reason };
	struct scatter_raw_bye raw;

	lockdep_assert_held(&connection->hub->lock);
	if (!connection->session || !scatter_credits_take(&connection->session->credits))
		return;
	scatter_build_bye(&raw, &bye);
	stamp_and_send_locked(connection, &raw.header, sizeof(raw), NULL);
}

/*
 * Let the peer READ what a GRANT offers, as long as the present line lasts. False: not now. If the
 * device still has to end earlier grants, the hub's tick tries again.
 */
static bool grant_locked(struct scatter_connection *connection, struct scatter_message *message)
{
	struct scatter_session *session = connection->session;
	u64 address;
	int error;

	if (!message->offer || message->granted)
		return true;
	error = connection->hub->wire->grant(session->line, message->offer, &address,
					     &message->key);
	if (error) {
		if (error != -EBUSY)
			session->lost = error;
		mod_delayed_work(connection->hub->works, &connection->hub->tick,
				 error == -EBUSY);
		return false;
	}
	message->granted = true;
	scatter_wide_build_key((void *)message->data, address, message->key);
	return true;
}

/**
 * scatter_say_ungrant_locked() - take back a peer's right to READ what a GRANT offers
 * @connection: the connection
 * @message: the GRANT
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_say_ungrant_locked(struct scatter_connection *connection,
				struct scatter_message *message)
{
	lockdep_assert_held(&connection->hub->lock);
	if (message->granted && connection->session)
		connection->hub->wire->ungrant(connection->session->line, message->key);
	message->granted = false;
}

/* The message is sent, or goes: its mailer does not count it any more. */
static void uncount(struct scatter_message *message)
{
	if (message->mailer)
		scatter_mailer_sent(message->mailer);
	message->mailer = NULL;
}

/* Send waiting messages. @grants: also GRANTs, which may sleep. */
static void flush_locked(struct scatter_connection *connection, bool grants)
{
	struct scatter_message *message;

	lockdep_assert_held(&connection->hub->lock);
	if (connection->state.now != SCATTER_STATES_UP || !connection->session ||
	    !connection->session->heard_of)
		return;
	if (scatter_hooks_is_mute(connection->hub->node->self.id))
		return;
	list_for_each_entry(message, &connection->queue, entry) {
		if (message->sent)
			continue;
		if (!connection->hub->wire->room(connection->session->line)) {
			/* The line will soon have room again: try again in a moment. */
			mod_delayed_work(connection->hub->works, &connection->hub->tick, 1);
			return;
		}
		if (!grants && message->offer && !message->granted)
			return;
		if (!grant_locked(connection, message))
			return;
		if (!scatter_credits_take(&connection->session->credits))
			return;
		message->sent = true;
		connection->nr_sent++;
		uncount(message);
		if (message->again)
			count(connection, SCATTER_A_COUNTERS_RESENT, 1);
		stamp_and_send_locked(connection, (void *)message->data, message->bytes,
				      message->payload.bv_page ? &message->payload : NULL);
	}
}

/**
 * scatter_say_flush_locked() - if the peer is up, send waiting messages as far as credits go
 * @connection: the connection
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_say_flush_locked(struct scatter_connection *connection)
{
	flush_locked(connection, true);
}

/**
 * scatter_say_flush_quickly_locked() - likewise, up to a GRANT that has not been made
 * @connection: the connection
 *
 * A GRANT in the queue waits for an event or a work item, which sends it when it can be sent.
 *
 * Context: process context, does not sleep; the hub's lock is held.
 */
void scatter_say_flush_quickly_locked(struct scatter_connection *connection)
{
	flush_locked(connection, false);
}

/**
 * scatter_say_message() - make a sequenced message
 * @bytes: the message's length
 *
 * Context: may sleep.
 * Return: the message, for scatter_connection_queue_locked() or scatter_say_free(); NULL: no
 * memory.
 */
struct scatter_message *scatter_say_message(u32 bytes)
{
	struct scatter_message *message;

	message = kzalloc(struct_size(message, data, bytes), GFP_KERNEL_ACCOUNT);
	if (message)
		message->bytes = bytes;
	return message;
}

/**
 * scatter_say_free() - free a message
 * @message: in no queue
 *
 * A wire that still sends the message has a reference of its own on the payload's page.
 *
 * Context: may sleep.
 */
void scatter_say_free(struct scatter_message *message)
{
	if (message->payload.bv_page)
		put_page(message->payload.bv_page);
	scatter_segment_put(message->offer);
	uncount(message);
	kvfree(message);
}

/**
 * scatter_say_acknowledge_locked() - free the messages that the peer has received
 * @connection: the connection
 * @number: the last message received
 *
 * Context: the hub's lock is held.
 * Return: false: the peer cannot have received that message.
 */
bool scatter_say_acknowledge_locked(struct scatter_connection *connection, u32 number)
{
	struct scatter_message *message, *next;

	lockdep_assert_held(&connection->hub->lock);
	if (!scatter_sequence_acknowledge(&connection->sequence, number))
		return false;
	list_for_each_entry_safe(message, next, &connection->queue, entry) {
		if (scatter_sequence_before(number, message->sequence))
			break;
		connection->nr_sent -= message->sent;
		if (message->offer && !message->got) {
			list_move_tail(&message->entry, &connection->offers);
			continue;
		}
		scatter_say_ungrant_locked(connection, message);
		list_del(&message->entry);
		scatter_say_free(message);
	}
	return true;
}

/**
 * scatter_say_adds_up_locked() - whether the peer acknowledges what it gives credits for
 * @connection: is up; the last message's credits and acknowledgment have been accounted for
 *
 * A peer gives a credit for a message that it has received, and acknowledges all that it has
 * received. So the messages that the peer has not acknowledged and the credits together are never
 * more than the peer's receive buffers, and scatter_say_flush_locked() passes over few messages.
 *
 * Context: the hub's lock is held.
 */
bool scatter_say_adds_up_locked(const struct scatter_connection *connection)
{
	const struct scatter_credits *credits = &connection->session->credits;

	lockdep_assert_held(&connection->hub->lock);
	return connection->nr_sent + credits->have <= credits->theirs;
}

static void free_list(struct list_head *list)
{
	struct scatter_message *message, *next;

	list_for_each_entry_safe(message, next, list, entry) {
		list_del(&message->entry);
		scatter_say_free(message);
	}
}

/**
 * scatter_say_forget_locked() - drop messages that the peer has not acknowledged, or not got
 * @connection: goes
 *
 * Context: the hub's lock is held.
 */
void scatter_say_forget_locked(struct scatter_connection *connection)
{
	lockdep_assert_held(&connection->hub->lock);
	free_list(&connection->queue);
	free_list(&connection->late);
	free_list(&connection->offers);
	free_list(&connection->held);
	connection->nr_granted = 0;
	connection->nr_sent = 0;
}

/* Give a message the numbers of its connection. A GRANT that never had a token gets one. */
static void number_locked(struct scatter_connection *connection, struct scatter_message *message)
{
	lockdep_assert_held(&connection->hub->lock);
	message->sequence = scatter_sequence_send(&connection->sequence);
	scatter_build_number((void *)message->data, message->sequence);
	if (!message->offer || message->token)
		return;
	message->token = ++connection->offered;
	scatter_wide_build_token((void *)message->data, message->token);
}

/**
 * scatter_say_queue_locked() - put a message to the end of the queue
 * @connection: the connection
 * @message: in no list; a GRANT waits outside of the queue while the peer may READ as much as it
 *	may at a time, so that no other message waits for GOT behind the GRANT
 *
 * Context: the hub's lock is held. The caller has to call scatter_say_flush_locked() afterwards.
 */
void scatter_say_queue_locked(struct scatter_connection *connection,
			      struct scatter_message *message)
{
	lockdep_assert_held(&connection->hub->lock);
	if (message->offer && connection->nr_granted == SCATTER_WIRE_GRANTS_MAX) {
		list_add_tail(&message->entry, &connection->held);
		return;
	}
	connection->nr_granted += !!message->offer;
	number_locked(connection, message);
	list_add_tail(&message->entry, &connection->queue);
}

/**
 * scatter_say_late_locked() - drop late mail that a message replaces, and keep late mail
 * @connection: the connection
 * @message: in no list; replaces late mail
 *
 * Context: the hub's lock is held.
 * Return: true: the message is kept; false: the caller has to queue it.
 */
bool scatter_say_late_locked(struct scatter_connection *connection,
			     struct scatter_message *message)
{
	struct scatter_message *earlier, *next;

	lockdep_assert_held(&connection->hub->lock);
	list_for_each_entry_safe(earlier, next, &connection->late, entry) {
		list_del(&earlier->entry);
		scatter_say_free(earlier);
	}
	if (message->late_ms)
		list_add_tail(&message->entry, &connection->late);
	return message->late_ms;
}

/**
 * scatter_say_late_all_locked() - put late mail to the end of the queue
 * @connection: the connection
 *
 * Context: the hub's lock is held. The caller has to call scatter_say_flush_locked() afterwards.
 */
void scatter_say_late_all_locked(struct scatter_connection *connection)
{
	struct scatter_message *message, *next;

	lockdep_assert_held(&connection->hub->lock);
	list_for_each_entry_safe(message, next, &connection->late, entry) {
		list_del(&message->entry);
		scatter_say_queue_locked(connection, message);
	}
}

/* Queue GRANTs that have been held back. */
static void release_locked(struct scatter_connection *connection)
{
	struct scatter_message *message;

	while (connection->nr_granted < SCATTER_WIRE_GRANTS_MAX) {
		message = list_first_entry_or_null(&connection->held, struct scatter_message,
						   entry);
		if (!message)
			return;
		list_del(&message->entry);
		scatter_say_queue_locked(connection, message);
	}
}

/**
 * scatter_say_got_locked() - queue GRANTs that were held back, after the peer has sent GOT
 * @connection: the connection
 *
 * Context: the hub's lock is held. The caller has to call scatter_say_flush_locked() afterwards.
 */
void scatter_say_got_locked(struct scatter_connection *connection)
{
	lockdep_assert_held(&connection->hub->lock);
	connection->nr_granted--;
	release_locked(connection);
}

/**
 * scatter_say_again_locked() - send an acknowledged GRANT again
 * @connection: has a new line to the same incarnation of the peer
 * @message: in scatter_connection.offers
 *
 * Context: the hub's lock is held. The caller has to call scatter_say_flush_locked() afterwards.
 */
void scatter_say_again_locked(struct scatter_connection *connection,
			      struct scatter_message *message)
{
	lockdep_assert_held(&connection->hub->lock);
	message->sent = false;
	message->again = true;
	message->granted = false;
	number_locked(connection, message);
	list_move_tail(&message->entry, &connection->queue);
}

/*
 * Whether a message is not for the new incarnation of a peer. GOT has a token of an earlier
 * incarnation, and the new one may use that token for another GRANT. The caller of a JOIN joins
 * again when it hears that the earlier incarnation is lost. ATTACH is for any incarnation.
 */
static bool is_stale(const struct scatter_message *message, bool anew)
{
	const struct scatter_raw_header *header = (const void *)message->data;

	switch (header->type) {
	case SCATTER_WIRE_GOT:
		return true;
	case SCATTER_WIRE_JOIN:
		return anew;
	case SCATTER_WIRE_ATTACH:
		return false;
	default:
		return message->sent || message->again;
	}
}

/**
 * scatter_say_loses_locked() - whether messages are lost if a peer has forgotten this node
 * @connection: the connection
 *
 * Answers are not lost: the peer no longer waits for them.
 *
 * Context: the hub's lock is held.
 * Return: whether scatter_say_restart_locked() would drop a message about a group, which the peer
 * may have received and forgotten.
 */
bool scatter_say_loses_locked(const struct scatter_connection *connection)
{
	const struct scatter_message *message;
	const struct scatter_raw_header *header;

	lockdep_assert_held(&connection->hub->lock);
	list_for_each_entry(message, &connection->queue, entry) {
		header = (const void *)message->data;
		switch (header->type) {
		case SCATTER_WIRE_PING:
		case SCATTER_WIRE_PONG:
		case SCATTER_WIRE_GOT:
			break;
		default:
			if (is_stale(message, false))
				return true;
		}
	}
	return false;
}

/**
 * scatter_say_restart_locked() - number messages anew for a peer that knows no numbers
 * @connection: the connection, with the messages for the last incarnation
 * @incarnation: the new incarnation; if the same: the peer has forgotten this node
 *
 * Drops messages that have been sent to an earlier incarnation, and others that are not for the new
 * one. All other messages wait for the new incarnation.
 *
 * Context: the hub's lock is held.
 */
void scatter_say_restart_locked(struct scatter_connection *connection, u64 incarnation)
{
	bool anew = connection->incarnation && connection->incarnation != incarnation;
	struct scatter_message *message, *next;

	lockdep_assert_held(&connection->hub->lock);
	connection->sequence = (struct scatter_sequence){};
	free_list(&connection->late);
	free_list(&connection->offers);
	connection->offered = 0;
	connection->nr_granted = 0;
	list_for_each_entry_safe(message, next, &connection->queue, entry) {
		if (is_stale(message, anew)) {
			list_del(&message->entry);
			scatter_say_free(message);
			continue;
		}
		message->token = 0;
		message->got = false;
		connection->nr_granted += !!message->offer;
		number_locked(connection, message);
	}
	release_locked(connection);
}

/* Find the number of the last message before a given one. */
static u32 number_before(const struct scatter_connection *connection,
			 const struct scatter_message *message)
{
	if (list_is_first(&message->entry, &connection->queue))
		return connection->sequence.acknowledged;
	return list_prev_entry(message, entry)->sequence;
}

/**
 * scatter_say_withdraw_locked() - take back a message that has not been sent
 * @connection: the connection
 * @message: in the connection's queue; freed
 *
 * Later messages, which have not been sent either, get new numbers.
 *
 * Context: the hub's lock is held.
 */
void scatter_say_withdraw_locked(struct scatter_connection *connection,
				 struct scatter_message *message)
{
	struct scatter_message *next = list_next_entry(message, entry);

	lockdep_assert_held(&connection->hub->lock);
	connection->sequence.sent = number_before(connection, message);
	list_del(&message->entry);
	scatter_say_free(message);
	list_for_each_entry_from(next, &connection->queue, entry)
		number_locked(connection, next);
}
