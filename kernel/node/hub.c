// SPDX-License-Identifier: GPL-2.0
/*
 * The hub of a node: its listeners, all its connections, and their deadlines.
 *
 * A hub exists while the node has a wire. A task that makes or ends the hub, or adds or removes
 * peers, holds the node's lock, so these never run at the same time. A call that waits for a peer
 * holds no lock but borrows the hub, see borrow.c; the end of the hub wakes such calls and waits
 * until they have gone. Events of the wire and the hub's work items take the hub's lock alone.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "node/borrow.h"
#include "node/client.h"
#include "node/connection.h"
#include "node/hub.h"
#include "node/mail.h"
#include "node/mourn.h"
#include "node/node.h"
#include "node/peer.h"
#include "node/ping.h"
#include "node/receive.h"
#include "node/say.h"
#include "node/wire_ops.h"

/* Whether a connection can be freed: nobody uses the connection and no event is to come. */
static bool is_over(const struct scatter_connection *connection)
{
	return (!connection->peer || connection->gone) && !connection->users &&
	       connection->state.now == SCATTER_STATES_DOWN && !connection->session;
}

/* Act on passed deadlines of a list; @next: (in, out) the earliest deadline to come. */
static void look_locked(struct list_head *list, unsigned long *next)
{
	struct scatter_connection *connection, *following;
	unsigned long deadline;

	list_for_each_entry_safe(connection, following, list, entry) {
		if (scatter_mourn_locked(connection, &deadline) &&
		    time_before(deadline, *next))
			*next = deadline;
		if (is_over(connection)) {
			scatter_connection_free_locked(connection);
			continue;
		}
		scatter_connection_want_locked(connection);
		if (!scatter_connection_deadline_locked(connection, &deadline))
			continue;
		if (!time_before(jiffies, deadline)) {
			scatter_connection_due_locked(connection);
			if (is_over(connection))
				deadline = jiffies;
			else if (!scatter_connection_deadline_locked(connection, &deadline))
				continue;
		}
		if (time_before(deadline, *next))
			*next = deadline;
	}
}

static void tick(struct work_struct *work)
{
	struct scatter_hub *hub = container_of(to_delayed_work(work), struct scatter_hub, tick);
	unsigned long next = jiffies + MAX_JIFFY_OFFSET / 2;
	struct scatter_connection *connection;
	long wait;

	mutex_lock(&hub->lock);
	look_locked(&hub->guests, &next);
	look_locked(&hub->connections, &next);
	wait = next - jiffies;
	if (!list_empty(&hub->guests) || !list_empty(&hub->connections))
		mod_delayed_work(hub->works, &hub->tick, max(wait, 1L));
	scatter_mail_flush_locked(hub);
	/* Send GRANTs that have waited for the device. */
	list_for_each_entry(connection, &hub->connections, entry)
		scatter_say_flush_locked(connection);
	mutex_unlock(&hub->lock);
}

static void later(struct work_struct *work)
{
	struct scatter_hub *hub = container_of(to_delayed_work(work), struct scatter_hub, later);
	struct scatter_connection *connection;

	mutex_lock(&hub->lock);
	list_for_each_entry(connection, &hub->connections, entry) {
		if (list_empty(&connection->late))
			continue;
		scatter_say_late_all_locked(connection);
		scatter_say_flush_locked(connection);
		scatter_connection_want_locked(connection);
	}
	mutex_unlock(&hub->lock);
}

static void deliver(struct work_struct *work)
{
	struct scatter_hub *hub = container_of(work, struct scatter_hub, delivery);

	mutex_lock(&hub->lock);
	scatter_mail_flush_locked(hub);
	mutex_unlock(&hub->lock);
}

/*
 * The end of a line waits for works of rdma_cm, whose queues are not for memory reclaim: a queue
 * for memory reclaim must not wait for these.
 */
static bool make_queues(struct scatter_hub *hub)
{
	hub->works = alloc_workqueue("scatter_node", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!hub->works)
		return false;
	hub->lines = alloc_workqueue("scatter_lines", WQ_UNBOUND, 0);
	if (hub->lines)
		return true;
	destroy_workqueue(hub->works);
	return false;
}

/**
 * scatter_hub_create() - make the hub of a node that begins to use a wire
 * @node: the node
 * @net: the namespace of the node's addresses
 * @wire: the wire
 *
 * Context: may sleep; the node's lock is held.
 * Return: the hub, without listeners and peers, for scatter_hub_destroy(); NULL: no memory.
 */
struct scatter_hub *scatter_hub_create(struct scatter_node *node, struct net *net,
				       const struct scatter_wire_ops *wire)
{
	struct scatter_hub *hub = kzalloc(sizeof(*hub), GFP_KERNEL_ACCOUNT);

	if (!hub)
		return NULL;
	if (!make_queues(hub)) {
		kfree(hub);
		return NULL;
	}
	kref_init(&hub->ref);
	mutex_init(&hub->lock);
	hub->node = node;
	hub->wire = wire;
	hub->events = &scatter_receive_events;
	hub->net = net;
	INIT_LIST_HEAD(&hub->connections);
	INIT_LIST_HEAD(&hub->guests);
	INIT_LIST_HEAD(&hub->pings);
	init_waitqueue_head(&hub->empty);
	INIT_DELAYED_WORK(&hub->tick, tick);
	INIT_DELAYED_WORK(&hub->later, later);
	INIT_WORK(&hub->delivery, deliver);
	return hub;
}

/**
 * scatter_hub_deafen() - stop listening
 * @hub: the hub
 *
 * Context: may sleep; the node's lock is held.
 */
void scatter_hub_deafen(struct scatter_hub *hub)
{
	while (hub->nr_listeners)
		hub->wire->unlisten(hub->listeners[--hub->nr_listeners]);
}

/**
 * scatter_hub_listen() - listen at all addresses of the node
 * @hub: the hub, which does not listen
 *
 * Context: may sleep; the node's lock is held.
 * Return: 0; or -errno: the node does not listen at some of its addresses.
 */
int scatter_hub_listen(struct scatter_hub *hub)
{
	union scatter_address addresses[SCATTER_NODE_ADDRESSES_MAX];
	unsigned int nr = scatter_node_addresses(hub->node, addresses);
	unsigned int i;
	int error = 0;

	for (i = 0; i < nr; i++) {
		void *listener = hub->wire->listen(hub->net, &addresses[i].any, hub->events, hub);

		if (IS_ERR(listener))
			error = PTR_ERR(listener);
		else
			hub->listeners[hub->nr_listeners++] = listener;
	}
	return error;
}

/**
 * scatter_hub_add() - make a connection for a new peer
 * @hub: the hub
 * @peer: the peer
 *
 * Context: may sleep; the node's lock is held.
 * Return: 0 or -ENOMEM.
 */
int scatter_hub_add(struct scatter_hub *hub, struct scatter_peer *peer)
{
	struct scatter_connection *connection;

	mutex_lock(&hub->lock);
	connection = scatter_connection_create_locked(hub, peer, false);
	if (connection)
		scatter_connection_want_locked(connection);
	mutex_unlock(&hub->lock);
	return connection ? 0 : -ENOMEM;
}

/**
 * scatter_hub_remove() - end the connection of a peer that is deleted
 * @hub: the hub
 * @peer: the peer
 *
 * The connection ends in order, later.
 *
 * Context: may sleep; the node's lock is held.
 */
void scatter_hub_remove(struct scatter_hub *hub, const struct scatter_peer *peer)
{
	struct scatter_connection *connection;

	mutex_lock(&hub->lock);
	connection = peer->connection;
	if (connection) {
		connection->gone = true;
		scatter_client_lost_locked(connection);
		scatter_ping_end_locked(hub, connection);
		scatter_connection_step_locked(connection, SCATTER_EVENT_STOP,
					       SCATTER_WIRE_ADMIN);
	}
	scatter_mail_flush_locked(hub);
	mod_delayed_work(hub->works, &hub->tick, 0);
	mutex_unlock(&hub->lock);
}

/**
 * scatter_hub_fence() - an administrator says that a peer is down for good
 * @hub: the hub
 * @peer: the peer
 *
 * Context: may sleep; the node's lock is held.
 * Return: 0; -EBUSY: the peer is up, and no group has members of an earlier incarnation.
 */
int scatter_hub_fence(struct scatter_hub *hub, const struct scatter_peer *peer)
{
	struct scatter_connection *connection;
	int error = 0;

	mutex_lock(&hub->lock);
	connection = peer->connection;
	if (connection && connection->state.now != SCATTER_STATES_UP)
		scatter_mourn_bury_locked(connection);
	if (connection)
		error = scatter_client_fence_locked(connection);
	else
		scatter_client_fence(hub->node, peer->id);
	scatter_mail_flush_locked(hub);
	mutex_unlock(&hub->lock);
	return error;
}

/**
 * scatter_hub_reset() - connect anew after addresses, keys or flags have changed
 * @hub: the hub
 * @peer: the peer; NULL: the node's settings have changed
 *
 * A connection that is up stays; attempts to connect begin anew, in both directions.
 *
 * Context: may sleep; the node's lock is held.
 */
void scatter_hub_reset(struct scatter_hub *hub, const struct scatter_peer *peer)
{
	struct scatter_connection *connection;

	mutex_lock(&hub->lock);
	list_for_each_entry(connection, &hub->guests, entry)
		if (connection->session && connection->claims &&
		    (!peer || connection->claims->peer == peer))
			scatter_connection_step_locked(connection, SCATTER_EVENT_RESET,
						       SCATTER_WIRE_ADMIN);
	list_for_each_entry(connection, &hub->connections, entry)
		if (!connection->gone && (!peer || connection->peer == peer))
			scatter_connection_step_locked(connection, SCATTER_EVENT_RESET,
						       SCATTER_WIRE_ADMIN);
	mutex_unlock(&hub->lock);
}

/**
 * scatter_hub_cut() - end the connection of a peer that has broken the protocol
 * @node: the node
 * @sender: the peer; nothing happens if it has restarted since
 *
 * The handler of an event ends the connection itself. This function is for what was handled later.
 *
 * Context: may sleep; not in an event of the wire, and without scatter_portal.moving.
 */
void scatter_hub_cut(struct scatter_node *node, const struct scatter_client_sender *sender)
{
	struct scatter_hub *hub = scatter_borrow_begin(node);
	struct scatter_connection *connection;

	if (!hub)
		return;
	mutex_lock(&hub->lock);
	connection = scatter_connection_find_locked(hub, sender->id);
	if (connection && connection->incarnation == sender->incarnation &&
	    connection->state.now == SCATTER_STATES_UP)
		scatter_connection_step_locked(connection, SCATTER_EVENT_WRONG,
					       SCATTER_WIRE_BAD_MESSAGE);
	mutex_unlock(&hub->lock);
	scatter_borrow_end(hub);
}

/**
 * scatter_hub_tuned() - act on a change of the node's tuning
 * @hub: the hub
 *
 * Checks all deadlines at once; a wait that has begun keeps its length.
 *
 * Context: may sleep; the node's lock is held.
 */
void scatter_hub_tuned(struct scatter_hub *hub)
{
	mod_delayed_work(hub->works, &hub->tick, 0);
}

/**
 * scatter_hub_look() - connect to peers on which callers rely, or lose them, now or soon
 * @node: the node
 *
 * For a caller that relies on a peer and posts nothing: mail makes the node look.
 *
 * Context: may sleep, but waits for no lock; no locks.
 */
void scatter_hub_look(struct scatter_node *node)
{
	struct scatter_hub *hub = scatter_borrow_begin(node);

	if (!hub)
		return;
	mod_delayed_work(hub->works, &hub->tick, 0);
	scatter_borrow_end(hub);
}

static void stop_all(struct scatter_hub *hub)
{
	struct scatter_connection *connection;

	mutex_lock(&hub->lock);
	hub->stopping = true;
	scatter_ping_end_locked(hub, NULL);
	list_for_each_entry(connection, &hub->guests, entry)
		scatter_connection_step_locked(connection, SCATTER_EVENT_STOP,
					       SCATTER_WIRE_SHUTDOWN);
	list_for_each_entry(connection, &hub->connections, entry) {
		scatter_client_lost_locked(connection);
		scatter_connection_step_locked(connection, SCATTER_EVENT_STOP,
					       SCATTER_WIRE_SHUTDOWN);
	}
	scatter_mail_flush_locked(hub);
	mutex_unlock(&hub->lock);
}

static void free_list(struct list_head *list)
{
	struct scatter_connection *connection, *next;

	list_for_each_entry_safe(connection, next, list, entry)
		scatter_connection_free_locked(connection);
}

/**
 * scatter_hub_destroy() - end all connections in order, and free the hub
 * @hub: the hub, which nobody can borrow any more
 *
 * Wakes the calls that use the hub, and waits until they have gone.
 *
 * Context: may sleep; the node's lock is held.
 */
void scatter_hub_destroy(struct scatter_hub *hub)
{
	scatter_hub_deafen(hub);
	stop_all(hub);
	wait_event(hub->empty, !READ_ONCE(hub->nr_sessions) && !atomic_read(&hub->users));
	cancel_delayed_work_sync(&hub->tick);
	cancel_delayed_work_sync(&hub->later);
	cancel_work_sync(&hub->delivery);
	scatter_mail_drop(hub->node);
	/* The work item that has closed the last session leaves the hub before this returns. */
	destroy_workqueue(hub->lines);
	destroy_workqueue(hub->works);
	mutex_lock(&hub->lock);
	free_list(&hub->guests);
	free_list(&hub->connections);
	mutex_unlock(&hub->lock);
	scatter_borrow_put(hub);
}
