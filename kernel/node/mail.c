// SPDX-License-Identifier: GPL-2.0
/*
 * Mail: the messages that groups on several nodes send to peers.
 *
 * Callers post mail without waiting, from any place that may sleep. Mail goes in order through the
 * node's outbox into the queue of the peer's connection. The connection sends the mail, and sends
 * it again on the next line, until the peer has acknowledged the mail. Either the peer gets the
 * mail, or the peer is lost, see client.c.
 *
 * A user's task takes its mail out of the outbox itself, together with the mail of others. So it
 * holds the hub's lock, which all users of the node need, and its user could keep the task from
 * running for seconds. Therefore the task waits for no lock, does nothing that may sleep, and
 * cannot be preempted. It leaves the mail to a work item of the hub if the lock stays taken, if
 * there is much mail, or if to send the mail takes more than to post it on a line that is up.
 */
#include <linux/bvec.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "memory/chunks.h"
#include "memory/mailer.h"
#include "memory/segment.h"
#include "node/borrow.h"
#include "node/client.h"
#include "node/connection.h"
#include "node/mail.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/say.h"
#include "wire/wide_build.h"

/*
 * How many messages a user's task sends in one go, and for how long; and how long it tries to get
 * the hub's lock.
 */
#define SCATTER_MAIL_QUICK	16U
#define SCATTER_MAIL_SEND_NS	200000U
#define SCATTER_MAIL_WAIT_NS	20000U

/*
 * Make a message with space for @more bytes after @data. The longest COUNCIL takes more than two
 * pages, which kmalloc() does not give without fail.
 */
static struct scatter_message *make_more(u64 to, const void *data, u32 bytes, u32 more)
{
	struct scatter_message *message = kvzalloc(struct_size(message, data, bytes + more),
						   GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);

	message->to = to;
	message->bytes = bytes + more;
	memcpy(message->data, data, bytes);
	return message;
}

static struct scatter_message *make(u64 to, const void *data, u32 bytes)
{
	return make_more(to, data, bytes, 0);
}

static void post(struct scatter_node *node, struct scatter_mailer *mailer,
		 struct scatter_message *message)
{
	if (mailer)
		scatter_mailer_posted(mailer);
	message->mailer = mailer;
	spin_lock(&node->posting);
	list_add_tail(&message->entry, &node->outbox);
	spin_unlock(&node->posting);
}

/**
 * scatter_mail_post() - send a message to a peer, in order, once
 * @node: this node
 * @mailer: counts the message until it is sent; NULL: nobody does
 * @to: the peer's id; if there is no such peer, or no wire, the mail is dropped
 * @data: a sequenced message; its number is set when the message enters a queue
 * @bytes: length of the message
 *
 * Never fails: an event cannot be undone when there is no memory to tell of it. The memory is
 * bounded, since the poster has been charged for what the mail is about, and calls that could post
 * without end wait for their mailer first, see memory/mailer.c.
 *
 * Context: may sleep; the caller calls scatter_mail_flush(), unless an event of the wire is under
 * way.
 */
void scatter_mail_post(struct scatter_node *node, struct scatter_mailer *mailer, u64 to,
		       const void *data, u32 bytes)
{
	scatter_mail_post_payload(node, mailer, to, data, bytes, NULL);
}

/**
 * scatter_mail_prepare() - make a message for a peer that can be posted without sleeping
 * @to: as of scatter_mail_post()
 * @data: as of scatter_mail_post()
 * @bytes: as of scatter_mail_post()
 *
 * Context: may sleep.
 * Return: the message, for scatter_mail_post_prepared() or scatter_say_free().
 */
struct scatter_message *scatter_mail_prepare(u64 to, const void *data, u32 bytes)
{
	return make(to, data, bytes);
}

/**
 * scatter_mail_post_prepared() - send a message to a peer, in order, once
 * @node: this node
 * @message: from scatter_mail_prepare()
 *
 * Context: process context, does not sleep; the caller calls scatter_mail_flush(), unless an event
 * of the wire is under way.
 */
void scatter_mail_post_prepared(struct scatter_node *node, struct scatter_message *message)
{
	post(node, NULL, message);
}

/**
 * scatter_mail_post_payload() - send a message with a payload to a peer, in order, once
 * @node: this node
 * @mailer: as of scatter_mail_post()
 * @to: as of scatter_mail_post()
 * @data: a sequenced message up to its payload; its header has the length of both together, which
 *	is at most %SCATTER_WIRE_BYTES_MAX
 * @bytes: length of @data
 * @payload: what follows @data, 1 byte or more in one page, which may be compound; NULL: nothing
 *
 * The payload is sent from its page, without a copy. The mail has a reference of its own on the
 * page until the peer has acknowledged the mail or is lost, and the wire may have one for longer.
 * Nobody may write to the payload before the last reference has gone.
 *
 * Context: as of scatter_mail_post().
 */
void scatter_mail_post_payload(struct scatter_node *node, struct scatter_mailer *mailer, u64 to,
			       const void *data, u32 bytes, const struct bio_vec *payload)
{
	struct scatter_message *message = make(to, data, bytes);

	if (payload) {
		get_page(payload->bv_page);
		message->payload = *payload;
	}
	post(node, mailer, message);
}

/**
 * scatter_mail_post_chunk() - send a message with some of a piece of payload to a peer, in order,
 *	once
 * @node: this node
 * @mailer: as of scatter_mail_post()
 * @to: as of scatter_mail_post()
 * @data: as of scatter_mail_post_payload()
 * @bytes: length of @data
 * @chunk: the piece
 * @skip: bytes of the piece before those that are sent
 * @more: how many bytes of the piece are sent, 1 or more
 *
 * A short piece is copied into the message.
 *
 * Context: as of scatter_mail_post().
 */
void scatter_mail_post_chunk(struct scatter_node *node, struct scatter_mailer *mailer, u64 to,
			     const void *data, u32 bytes, const struct scatter_chunk *chunk,
			     u32 skip, u32 more)
{
	const struct bio_vec payload = {
		.bv_page = chunk->page,
		.bv_offset = chunk->offset + skip,
		.bv_len = more,
	};
	struct scatter_message *message;

	if (chunk->page) {
		scatter_mail_post_payload(node, mailer, to, data, bytes, &payload);
		return;
	}
	message = make_more(to, data, bytes, more);
	memcpy(message->data + bytes, chunk->data + skip, more);
	post(node, mailer, message);
}

/**
 * scatter_mail_post_latest() - send a message to a peer that replaces late mail
 * @node: this node
 * @mailer: as of scatter_mail_post()
 * @to: as of scatter_mail_post()
 * @data: a GOT; its number is set when it enters a queue. Late mail to the peer is dropped
 * @bytes: length of the message
 * @late_ms: keep the mail for so many ms at most; 0: send it at once
 *
 * Mail that was posted later may overtake late mail.
 *
 * Context: as of scatter_mail_post().
 */
void scatter_mail_post_latest(struct scatter_node *node, struct scatter_mailer *mailer, u64 to,
			      const void *data, u32 bytes, u32 late_ms)
{
	struct scatter_message *message = make(to, data, bytes);

	message->latest = true;
	message->late_ms = late_ms;
	post(node, mailer, message);
}

/**
 * scatter_mail_offer() - let a peer READ a segment, once
 * @node: this node
 * @to: as of scatter_mail_post()
 * @grant: tells what the segment is; token, address and key are set when the GRANT is sent
 * @segment: the mail has a reference of its own until the peer has got the bytes, or is lost
 *
 * Context: as of scatter_mail_post().
 */
void scatter_mail_offer(struct scatter_node *node, u64 to, const struct scatter_wide_grant *grant,
			struct scatter_segment *segment)
{
	struct scatter_message *message;
	struct scatter_raw_grant raw;

	scatter_wide_build_grant(&raw, 0, grant);
	message = make(to, &raw, sizeof(raw));
	scatter_segment_get(segment);
	message->offer = segment;
	post(node, NULL, message);
}

/**
 * scatter_mail_count() - count blocks that are about to be posted to a peer
 * @node: this node
 * @to: the peer's id; nothing is counted if there is no such peer
 * @bundles: how many bundles begin
 * @bytes: bytes of blocks
 * @copied: how many of these are of blocks of other nodes, and this node has copied them
 *
 * Counts before the mail is sent, and does not count again when mail is sent again. So a member
 * that has got a block knows that the block has been counted.
 *
 * Context: any; takes the node's look.
 */
void scatter_mail_count(struct scatter_node *node, u64 to, u64 bundles, u64 bytes, u64 copied)
{
	struct scatter_peer *peer = scatter_peer_find(node, to);

	if (!peer)
		return;
	scatter_peer_count(peer, SCATTER_A_COUNTERS_BUNDLES, bundles);
	scatter_peer_count(peer, SCATTER_A_COUNTERS_BUNDLE_BYTES, bytes);
	scatter_peer_count(peer, SCATTER_A_COUNTERS_FORWARD_COPIED, copied);
	scatter_peer_put(peer);
}

/**
 * scatter_mail_count_wait() - count a WAIT or a MISSING that is about to be posted to a peer
 * @node: this node
 * @to: the peer's id; nothing is counted if there is no such peer
 *
 * Context: any; takes the node's look.
 */
void scatter_mail_count_wait(struct scatter_node *node, u64 to)
{
	struct scatter_peer *peer = scatter_peer_find(node, to);

	if (!peer)
		return;
	scatter_peer_count(peer, SCATTER_A_COUNTERS_WAITS, 1);
	scatter_peer_put(peer);
}

/* Take the first mail out of the outbox. */
static struct scatter_message *take(struct scatter_node *node)
{
	struct scatter_message *message;

	spin_lock(&node->posting);
	message = list_first_entry_or_null(&node->outbox, struct scatter_message, entry);
	if (message)
		list_del(&message->entry);
	spin_unlock(&node->posting);
	return message;
}

/* Keep a message that may be late. All late mail is sent when the first of it is due. */
static bool keep_late_locked(struct scatter_connection *connection,
			     struct scatter_message *message)
{
	struct scatter_hub *hub = connection->hub;

	lockdep_assert_held(&hub->lock);
	if (!message->latest || !scatter_say_late_locked(connection, message))
		return false;
	queue_delayed_work(hub->works, &hub->later, msecs_to_jiffies(message->late_ms));
	return true;
}

/* Put a message into the queue of its receiver, or drop it. */
static void deliver_locked(struct scatter_hub *hub, struct scatter_message *message)
{
	struct scatter_connection *connection = NULL;

	lockdep_assert_held(&hub->lock);
	if (!hub->stopping)
		connection = scatter_connection_find_locked(hub, message->to);
	if (!connection) {
		if (!hub->stopping)
			scatter_client_lost(hub->node, message->to);
		scatter_say_free(message);
		return;
	}
	/* The peer may have been down for long enough to be lost. */
	if (connection->state.now != SCATTER_STATES_UP)
		mod_delayed_work(hub->works, &hub->tick, 0);
	if (!keep_late_locked(connection, message))
		scatter_connection_queue_locked(connection, message);
}

/**
 * scatter_mail_flush_locked() - move posted mail into the queues of its receivers
 * @hub: the hub of the node
 *
 * Tasks may post mail as fast as this function moves it, so the function leaves what is posted
 * meanwhile to a work item. Others get the hub's lock in between.
 *
 * Context: may sleep; the hub's lock is held.
 */
void scatter_mail_flush_locked(struct scatter_hub *hub)
{
	struct scatter_message *message, *next;
	struct scatter_node *node = hub->node;
	LIST_HEAD(outbox);

	lockdep_assert_held(&hub->lock);
	spin_lock(&node->posting);
	list_splice_init(&node->outbox, &outbox);
	spin_unlock(&node->posting);
	list_for_each_entry_safe(message, next, &outbox, entry) {
		list_del(&message->entry);
		deliver_locked(hub, message);
		cond_resched();
	}
	if (!list_empty_careful(&node->outbox))
		queue_work(hub->works, &hub->delivery);
}

/* Whether to send a message does not sleep. */
static bool is_quick(const struct scatter_connection *connection,
		     const struct scatter_message *message)
{
	return connection && connection->state.now == SCATTER_STATES_UP && !message->offer;
}

/* Send up to some mail without sleeping. False: mail is left. */
static bool flush_quickly_locked(struct scatter_hub *hub)
{
	const u64 until = local_clock() + SCATTER_MAIL_SEND_NS;
	struct scatter_node *node = hub->node;
	struct scatter_connection *connection;
	struct scatter_message *message;
	u32 nr;

	lockdep_assert_held(&hub->lock);
	for (nr = 0; nr < SCATTER_MAIL_QUICK && local_clock() <= until; nr++) {
		message = take(node);
		if (!message)
			return true;
		connection = hub->stopping ? NULL :
					     scatter_connection_find_locked(hub, message->to);
		if (!is_quick(connection, message)) {
			spin_lock(&node->posting);
			list_add(&message->entry, &node->outbox);
			spin_unlock(&node->posting);
			return false;
		}
		if (keep_late_locked(connection, message))
			continue;
		scatter_say_queue_locked(connection, message);
		scatter_say_flush_quickly_locked(connection);
	}
	return list_empty_careful(&node->outbox);
}

/* Likewise; waits a moment for the lock, while another task may send the mail. */
static bool flush_quickly(struct scatter_hub *hub)
{
	const u64 until = local_clock() + SCATTER_MAIL_WAIT_NS;
	bool done;

	while (!mutex_trylock(&hub->lock)) {
		if (list_empty_careful(&hub->node->outbox))
			return true;
		if (local_clock() > until)
			return false;
		cpu_relax();
	}
	done = flush_quickly_locked(hub);
	mutex_unlock(&hub->lock);
	return done;
}

static void free_list(struct list_head *outbox)
{
	struct scatter_message *message, *next;

	list_for_each_entry_safe(message, next, outbox, entry)
		scatter_say_free(message);
}

/**
 * scatter_mail_drop() - drop posted mail
 * @node: this node
 *
 * Context: may sleep.
 */
void scatter_mail_drop(struct scatter_node *node)
{
	LIST_HEAD(outbox);

	spin_lock(&node->posting);
	list_splice_init(&node->outbox, &outbox);
	spin_unlock(&node->posting);
	free_list(&outbox);
}

/* Drop posted mail, unless there is a wire by now. */
static void drop_without_wire(struct scatter_node *node)
{
	LIST_HEAD(outbox);

	spin_lock(&node->look);
	spin_lock(&node->posting);
	if (!node->hub)
		list_splice_init(&node->outbox, &outbox);
	spin_unlock(&node->posting);
	spin_unlock(&node->look);
	free_list(&outbox);
}

/**
 * scatter_mail_flush() - send posted mail, now or soon
 * @node: this node
 *
 * Context: may sleep, but waits for no lock and for no other task; no locks. Not in an event of the
 * wire: each event ends with a flush.
 */
void scatter_mail_flush(struct scatter_node *node)
{
	struct scatter_hub *hub;

	/* If another task has just posted, that task flushes, too. */
	if (list_empty_careful(&node->outbox))
		return;
	/* With PREEMPT_RT spin locks sleep, so the task could be preempted: leave all mail. */
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_disable();
	hub = scatter_borrow_begin(node);
	if (hub) {
		if (IS_ENABLED(CONFIG_PREEMPT_RT) || !flush_quickly(hub))
			queue_work(hub->works, &hub->delivery);
		scatter_borrow_end(hub);
	}
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
	if (!hub)
		drop_without_wire(node);
}
