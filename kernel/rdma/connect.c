// SPDX-License-Identifier: GPL-2.0
/*
 * Connecting: how lines, which are reliable connections of rdma_cm, begin and end.
 *
 * A line is made by scatter_connect(), or by a request that comes to a listener. A line ends with
 * scatter_connect_close(), whatever has happened before, in this order: events stop; the queue pair
 * is disconnected and drained, so that the device has no buffer any more; everything is freed. The
 * owner of the line may get down() before that, and has to close the line in any case.
 *
 * A work item handles completions and tells the owner what rdma_cm has told, see poll.c, since an
 * event may sleep. An event runs with scatter_line.event_lock held; close() takes the lock only to
 * stop further events. Handlers of rdma_cm take none of these locks, so rdma_accept() may wait for
 * a handler while the owner holds its own locks.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/rw.h>

#include "memory/segment.h"
#include "node/wire_ops.h"
#include "rdma/buffers.h"
#include "rdma/connect.h"
#include "rdma/grant.h"
#include "rdma/line.h"
#include "rdma/poll.h"

/* How long the resolution of an address or a route may take, in ms. */
#define SCATTER_LINE_RESOLVE_MS	2000

/* 4.096 us << 14 is 67 ms. The default of RoCE, up to 2 s, makes one lost packet expensive. */
#define SCATTER_LINE_ACK_TIMEOUT	14

/* How many READs a device is to work at in each direction; further ones wait in the queue. */
#define SCATTER_LINE_AT_ONCE	4

/* Whether a device can do all that a line needs; the log tells what is missing. */
static bool is_able(struct ib_device *device)
{
	const char *missing = NULL;

	if (!(device->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		missing = "memory management extensions";
	else if (device->attrs.max_send_sge < SCATTER_LINE_PIECES)
		missing = "messages sent from two pieces of memory";
	else if (device->attrs.max_fast_reg_page_list_len < SCATTER_SEGMENT_PIECES)
		missing = "a key for all pages of a segment";
	if (missing)
		pr_warn_ratelimited("%s: no line, since the device lacks %s\n",
				    dev_name(&device->dev), missing);
	return !missing;
}

/* Most pieces of memory of one send request: more make fewer requests of a READ. */
static u32 pieces_of(const struct ib_device *device)
{
	return clamp_t(u32, device->attrs.max_send_sge, SCATTER_LINE_PIECES,
		       SCATTER_SEGMENT_PIECES);
}

/*
 * Most requests that READs need at a time. Some devices read fewer pieces than they send. iWARP
 * devices register what they read, mostly all pieces of a READ together.
 */
static u32 requests_of(const struct scatter_line *line)
{
	struct ib_device *device = line->id->device;
	u32 pieces = clamp_t(u32, device->attrs.max_sge_rd, 1, pieces_of(device));

	if (rdma_protocol_iwarp(device, line->id->port_num))
		return SCATTER_LINE_READS *
		       rdma_rw_mr_factor(device, line->id->port_num, SCATTER_SEGMENT_PIECES);
	return SCATTER_LINE_READS * DIV_ROUND_UP(SCATTER_SEGMENT_PIECES, pieces);
}

static int make_qp(struct scatter_line *line)
{
	struct ib_device *device = line->id->device;
	struct ib_qp_init_attr attributes = {
		.cap = {
			.max_send_wr = line->buffers + SCATTER_LINE_SPARE + SCATTER_LINE_EXTRA,
			/* The extra request tells when the queue is drained. */
			.max_recv_wr = line->buffers + 1,
			.max_send_sge = pieces_of(device),
			.max_recv_sge = 1,
			.max_rdma_ctxs = requests_of(line),
		},
		.send_cq = line->send_cq,
		.recv_cq = line->receive_cq,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
		.port_num = line->id->port_num,
	};

	if (!is_able(device))
		return -EOPNOTSUPP;
	return rdma_create_qp(line->id, line->pd, &attributes);
}

/* Allocate all that a line needs of its device; tear_down() frees all. */
static int set_up(struct scatter_line *line)
{
	struct ib_device *device = line->id->device;
	int error;

	line->pd = ib_alloc_pd(device, 0);
	if (IS_ERR(line->pd)) {
		error = PTR_ERR(line->pd);
		line->pd = NULL;
		return error;
	}
	/* On a device that registers what it reads, a READ takes up to three requests. */
	error = scatter_poll_create(line, line->buffers + SCATTER_LINE_SPARE +
				    SCATTER_LINE_EXTRA + 3 * requests_of(line));
	if (error)
		return error;
	error = make_qp(line);
	if (error)
		return error;
	error = scatter_buffers_create(line);
	if (error)
		return error;
	return scatter_buffers_post_all(line);
}

/* Free what set_up() has allocated; the device does not use any of it any more. */
static void tear_down(struct scatter_line *line)
{
	scatter_grant_free_all(line);
	if (line->id->qp)
		rdma_destroy_qp(line->id);
	scatter_poll_destroy(line);
	scatter_buffers_free(line);
	if (line->pd)
		ib_dealloc_pd(line->pd);
}

static void fill_parameters(const struct scatter_line *line, struct rdma_conn_param *parameters)
{
	const struct ib_device_attr *attrs = &line->id->device->attrs;

	*parameters = (struct rdma_conn_param){
		.responder_resources = min(attrs->max_qp_rd_atom, SCATTER_LINE_AT_ONCE),
		.initiator_depth = min(attrs->max_qp_init_rd_atom, SCATTER_LINE_AT_ONCE),
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
}

static int request(struct scatter_line *line)
{
	struct rdma_conn_param parameters;
	int error = set_up(line);

	if (error)
		return error;
	fill_parameters(line, &parameters);
	return rdma_connect_locked(line->id, &parameters);
}

/* Handle an event of the id of a line. Returns 0: only close() destroys the id. */
static int handle(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct scatter_line *line = id->context;
	int error = 0;

	/* close() is under way and does the rest: do not make a queue pair any more. */
	if (READ_ONCE(line->closing))
		return 0;
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		rdma_set_ack_timeout(id, SCATTER_LINE_ACK_TIMEOUT);
		error = rdma_resolve_route(id, SCATTER_LINE_RESOLVE_MS);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		error = request(line);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		scatter_poll_note(line, 0);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		error = -ECONNRESET;
		break;
	case RDMA_CM_EVENT_REJECTED:
		error = -ECONNREFUSED;
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		error = -ENODEV;
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		error = event->status < 0 ? event->status : -EHOSTUNREACH;
	}
	pr_debug("line: %s, status %d: %d\n", rdma_event_msg(event->event), event->status, error);
	if (error)
		scatter_poll_note(line, error);
	return 0;
}

static int resolve(struct scatter_line *line, const struct sockaddr *from,
		   const struct sockaddr *to)
{
	struct sockaddr_storage source = { 0 }, target = { 0 };
	size_t bytes = from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
						     sizeof(struct sockaddr_in);

	memcpy(&source, from, bytes);
	memcpy(&target, to, bytes);
	/*
	 * Connect from any port: the listener has the node's own port. Both families have the port
	 * at the same place.
	 */
	((struct sockaddr_in *)&source)->sin_port = 0;
	return rdma_resolve_addr(line->id, (struct sockaddr *)&source, (struct sockaddr *)&target,
				 SCATTER_LINE_RESOLVE_MS);
}

/**
 * scatter_connect() - begin a line to another node
 * @net: the namespace of both addresses
 * @from: this node's address
 * @to: the other node's address, of the same family
 * @buffers: how many messages the other node may send in a row
 * @events: the owner's; up() or down() tells the result
 * @context: passed to the owner's callbacks
 * @made: (out) the line, for scatter_connect_close(); written before any event; NULL after an
 *	error
 *
 * Context: may sleep; no locks that an event takes.
 * Return: 0 or -errno.
 */
int scatter_connect(struct net *net, const struct sockaddr *from, const struct sockaddr *to,
		    u32 buffers, const struct scatter_wire_events *events, void *context,
		    void **made)
{
	struct scatter_line *line = scatter_line_create(NULL, events);
	struct rdma_cm_id *id;
	int error;

	*made = NULL;
	if (!line)
		return -ENOMEM;
	scatter_poll_prepare(line);
	line->context = context;
	line->buffers = buffers;
	id = scatter_line_id(net, handle, line);
	if (IS_ERR(id)) {
		kfree(line);
		return PTR_ERR(id);
	}
	line->id = id;
	*made = line;
	error = resolve(line, from, to);
	pr_debug("line: to %pISpc: %d\n", to, error);
	if (!error)
		return 0;
	*made = NULL;
	scatter_connect_close(line);
	return error;
}

/**
 * scatter_connect_take() - make a line handle the events of its id
 * @line: a new line, of an incoming request
 * @events: the owner's callbacks, called only after scatter_connect_accept()
 *
 * Context: inside of the handler of the request.
 */
void scatter_connect_take(struct scatter_line *line, const struct scatter_wire_events *events)
{
	scatter_poll_prepare(line);
	line->events = events;
	/* Until the owner has the line, it gets no event of a failure or of receive requests. */
	line->ended = true;
	line->id->context = line;
	line->id->event_handler = handle;
}

/**
 * scatter_connect_accept() - take an incoming line
 * @handle: the line, inside of its event incoming()
 * @buffers: as of scatter_connect()
 * @context: passed to the owner's callbacks
 *
 * Context: may sleep.
 * Return: 0: up() or down() follows, and scatter_connect_close() ends the line; else -errno, and
 * the line goes when the event has refused it.
 */
int scatter_connect_accept(void *handle, u32 buffers, void *context)
{
	struct scatter_line *line = handle;
	struct rdma_conn_param parameters;
	int error;

	line->context = context;
	line->buffers = buffers;
	rdma_set_ack_timeout(line->id, SCATTER_LINE_ACK_TIMEOUT);
	error = set_up(line);
	if (error)
		return error;
	fill_parameters(line, &parameters);
	/*
	 * If rdma_accept() fails, the owner may get down() at any time from now on: so the owner
	 * has the line in either case, and closes the line.
	 */
	WRITE_ONCE(line->ended, false);
	rdma_lock_handler(line->id);
	error = rdma_accept(line->id, &parameters);
	rdma_unlock_handler(line->id);
	if (error) {
		pr_debug("line: not accepted: %d\n", error);
		scatter_poll_note(line, error);
	}
	/* Tell what rdma_cm has told before the owner had the line. */
	scatter_poll_kick(line);
	return 0;
}

/**
 * scatter_connect_close() - end a line
 * @handle: the line; gone afterwards
 *
 * Context: may sleep; no locks that an event of the line takes; not inside of an event.
 */
void scatter_connect_close(void *handle)
{
	struct scatter_line *line = handle;

	mutex_lock(&line->event_lock);
	WRITE_ONCE(line->closing, true);
	mutex_unlock(&line->event_lock);
	/*
	 * If handle() runs, wait for its end; from now on the function does nothing.
	 */
	rdma_lock_handler(line->id);
	rdma_unlock_handler(line->id);
	if (line->id->qp) {
		/* Wait for the completions of what has been sent. */
		scatter_poll_kick(line);
		scatter_buffers_settle(line);
		rdma_disconnect(line->id);
		ib_drain_qp(line->id->qp);
	}
	tear_down(line);
	rdma_destroy_id(line->id);
	kfree(line);
}
