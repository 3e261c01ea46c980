// SPDX-License-Identifier: GPL-2.0
/*
 * Listeners: which listener gets an incoming request.
 *
 * Several nodes may listen at several addresses of one namespace, all at the same port. So each
 * namespace, family and port has one id, which listens at all addresses. The id is not bound to a
 * device, and devices and addresses may come and go. A request goes to the listener of the address
 * to which the request came.
 *
 * rdma_cm calls its handlers one after the other, for all its users on the machine. The owner of a
 * listener may wait for a lock of its own. So a handler only puts the new line into a list of its
 * listener, and each listener has a work item that offers these lines to the owner.
 */
#include <linux/err.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <rdma/rdma_cm.h>

#include "node/wire_ops.h"
#include "rdma/connect.h"
#include "rdma/line.h"
#include "rdma/listen.h"

/* Most incoming requests that may wait at rdma_cm, and most lines that may wait at a listener. */
#define SCATTER_LISTEN_BACKLOG	64

/**
 * struct scatter_listen_port - an id that listens at all addresses
 * @entry: listen_lock and ports_lock
 * @net: constant; the id holds the namespace
 * @family: constant
 * @port: constant; in network order
 * @id: constant
 * @listeners: ports_lock
 */
struct scatter_listen_port {
	struct list_head entry;
	struct net *net;
	sa_family_t family;
	__be16 port;
	struct rdma_cm_id *id;
	struct list_head listeners;
};

/**
 * struct scatter_listener - one address
 * @entry: ports_lock; in scatter_listen_port.listeners
 * @port: constant
 * @address: constant
 * @events: constant; the owner's callbacks
 * @context: constant; passed to the owner's callbacks
 * @arrived: ports_lock; lines that have not been offered to the owner yet
 * @nr_arrived: ports_lock; how many lines are in @arrived
 * @work: offers lines to the owner
 */
struct scatter_listener {
	struct list_head entry;
	struct scatter_listen_port *port;
	struct sockaddr_storage address;
	const struct scatter_wire_events *events;
	void *context;
	struct list_head arrived;
	unsigned int nr_arrived;
	struct work_struct work;
};

static LIST_HEAD(ports);
/* Handlers of rdma_cm wait for this lock: a task that holds it waits for nothing else. */
static DEFINE_MUTEX(ports_lock);
/*
 * Held to make and end listeners. ports_lock nests in listen_lock, and no event takes listen_lock.
 */
static DEFINE_MUTEX(listen_lock);

static size_t length(const struct sockaddr *address)
{
	return address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
						sizeof(struct sockaddr_in);
}

static __be16 port_of(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET6)
		return ((const struct sockaddr_in6 *)address)->sin6_port;
	return ((const struct sockaddr_in *)address)->sin_port;
}

static bool same_host(const struct sockaddr *a, const struct sockaddr *b)
{
	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET6)
		return ipv6_addr_equal(&((const struct sockaddr_in6 *)a)->sin6_addr,
				       &((const struct sockaddr_in6 *)b)->sin6_addr);
	return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
	       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
}

/* Find the listener of the address to which a request came. */
static struct scatter_listener *find_locked(struct scatter_listen_port *port,
					    const struct rdma_cm_id *id)
{
	const struct sockaddr *at = (struct sockaddr *)&id->route.addr.src_addr;
	struct scatter_listener *listener;

	lockdep_assert_held(&ports_lock);
	list_for_each_entry(listener, &port->listeners, entry)
		if (same_host((struct sockaddr *)&listener->address, at))
			return listener;
	return NULL;
}

/* Let the listener's work item offer a line to the owner. False: no listener, or no room. */
static bool arrive_locked(struct scatter_listen_port *port, struct scatter_line *line)
{
	struct scatter_listener *listener = find_locked(port, line->id);

	if (!listener || listener->nr_arrived == SCATTER_LISTEN_BACKLOG)
		return false;
	scatter_connect_take(line, listener->events);
	list_add_tail(&line->entry, &listener->arrived);
	listener->nr_arrived++;
	queue_work(system_unbound_wq, &listener->work);
	return true;
}

/* Handle an incoming request. If the result is not 0, rdma_cm rejects it and destroys its id. */
static int handle(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct scatter_listen_port *port = id->context;
	struct scatter_line *line;
	bool fine;

	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	line = scatter_line_create(id, NULL);
	if (!line)
		return -ECONNREFUSED;
	mutex_lock(&ports_lock);
	fine = arrive_locked(port, line);
	mutex_unlock(&ports_lock);
	if (fine)
		return 0;
	kfree(line);
	return -ECONNREFUSED;
}

static struct scatter_line *next_arrived(struct scatter_listener *listener)
{
	struct scatter_line *line;

	mutex_lock(&ports_lock);
	line = list_first_entry_or_null(&listener->arrived, struct scatter_line, entry);
	if (line) {
		list_del(&line->entry);
		listener->nr_arrived--;
	}
	mutex_unlock(&ports_lock);
	return line;
}

/* Offer lines to the owner. To close a line that the owner does not accept rejects its request. */
static void offer(struct work_struct *work)
{
	struct scatter_listener *listener = container_of(work, struct scatter_listener, work);
	struct scatter_line *line;

	for (line = next_arrived(listener); line; line = next_arrived(listener)) {
		const struct sockaddr *from = (struct sockaddr *)&line->id->route.addr.dst_addr;

		if (!listener->events->incoming(listener->context, line, from))
			scatter_connect_close(line);
	}
}

static struct scatter_listen_port *port_create(struct net *net, const struct sockaddr *at)
{
	struct sockaddr_storage any = { .ss_family = at->sa_family };
	struct scatter_listen_port *port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
	int error;

	if (!port)
		return ERR_PTR(-ENOMEM);
	port->net = net;
	port->family = at->sa_family;
	port->port = port_of(at);
	INIT_LIST_HEAD(&port->listeners);
	if (any.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&any)->sin6_port = port->port;
	else
		((struct sockaddr_in *)&any)->sin_port = port->port;
	port->id = scatter_line_id(net, handle, port);
	if (IS_ERR(port->id)) {
		error = PTR_ERR(port->id);
		goto free;
	}
	error = any.ss_family == AF_INET6 ? rdma_set_afonly(port->id, 1) : 0;
	if (!error)
		error = rdma_bind_addr(port->id, (struct sockaddr *)&any);
	if (!error)
		error = rdma_listen(port->id, SCATTER_LISTEN_BACKLOG);
	if (!error)
		return port;
	rdma_destroy_id(port->id);
free:
	kfree(port);
	return ERR_PTR(error);
}

static struct scatter_listen_port *port_find_locked(struct net *net, const struct sockaddr *at)
{
	struct scatter_listen_port *port;

	lockdep_assert_held(&listen_lock);
	list_for_each_entry(port, &ports, entry)
		if (port->net == net && port->family == at->sa_family &&
		    port->port == port_of(at))
			return port;
	return NULL;
}

/**
 * scatter_listen() - listen at an address
 * @net: the address's namespace
 * @at: the address and port
 * @events: the owner's callbacks
 * @context: passed to the owner's callbacks
 *
 * The address need not exist yet.
 *
 * Context: may sleep; no locks that an event takes.
 * Return: the listener, for scatter_listen_end(), or ERR_PTR.
 */
void *scatter_listen(struct net *net, const struct sockaddr *at,
		     const struct scatter_wire_events *events, void *context)
{
	struct scatter_listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL_ACCOUNT);
	struct scatter_listen_port *port;

	if (!listener)
		return ERR_PTR(-ENOMEM);
	memcpy(&listener->address, at, length(at));
	listener->events = events;
	listener->context = context;
	INIT_LIST_HEAD(&listener->arrived);
	INIT_WORK(&listener->work, offer);
	mutex_lock(&listen_lock);
	port = port_find_locked(net, at) ?: port_create(net, at);
	if (!IS_ERR(port)) {
		listener->port = port;
		mutex_lock(&ports_lock);
		if (list_empty(&port->listeners))
			list_add(&port->entry, &ports);
		list_add(&listener->entry, &port->listeners);
		mutex_unlock(&ports_lock);
	}
	mutex_unlock(&listen_lock);
	if (!IS_ERR(port))
		return listener;
	kfree(listener);
	return ERR_CAST(port);
}

/**
 * scatter_listen_end() - stop listening
 * @handle: the listener; gone afterwards, and no event of the listener runs
 *
 * Context: may sleep; no locks that an event takes.
 */
void scatter_listen_end(void *handle)
{
	struct scatter_listener *listener = handle;
	struct scatter_listen_port *port = listener->port;
	bool last;

	mutex_lock(&listen_lock);
	mutex_lock(&ports_lock);
	list_del(&listener->entry);
	last = list_empty(&port->listeners);
	if (last)
		list_del(&port->entry);
	mutex_unlock(&ports_lock);
	if (last) {
		/* Waits for a request that is being handled, which finds no listener. */
		rdma_destroy_id(port->id);
		kfree(port);
	}
	mutex_unlock(&listen_lock);
	/* Other nodes do not wait until this listener's owner has decided about the last line. */
	flush_work(&listener->work);
	kfree(listener);
}
