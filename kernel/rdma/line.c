// SPDX-License-Identifier: GPL-2.0
/*
 * Lines: the object, and how its owner hears that it is up or has failed. See connect.c for the
 * begin and the end.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <net/net_namespace.h>

#include "node/wire_ops.h"
#include "rdma/line.h"

/**
 * scatter_line_create() - make a line that no other task knows
 * @id: the line's id
 * @events: the owner's callbacks
 *
 * Context: may sleep.
 * Return: the line, for kfree() or, once its id has events, for scatter_connect_close(); NULL: no
 * memory.
 */
struct scatter_line *scatter_line_create(struct rdma_cm_id *id,
					 const struct scatter_wire_events *events)
{
	struct scatter_line *line = kzalloc(sizeof(*line), GFP_KERNEL_ACCOUNT);

	if (!line)
		return NULL;
	line->id = id;
	line->events = events;
	INIT_LIST_HEAD(&line->entry);
	mutex_init(&line->event_lock);
	spin_lock_init(&line->lock);
	INIT_LIST_HEAD(&line->grants);
	INIT_LIST_HEAD(&line->spare);
	init_waitqueue_head(&line->idle);
	return line;
}

/**
 * scatter_line_id() - make an id of rdma_cm
 * @net: the id's namespace; the id holds the namespace, which may be going just now
 * @handler: handles the id's events
 * @context: passed to @handler
 *
 * Context: may sleep.
 * Return: the id, or ERR_PTR.
 */
struct rdma_cm_id *scatter_line_id(struct net *net, rdma_cm_event_handler handler, void *context)
{
	struct rdma_cm_id *id;

	if (!maybe_get_net(net))
		return ERR_PTR(-ENETDOWN);
	id = rdma_create_id(net, handler, context, RDMA_PS_TCP, IB_QPT_RC);
	put_net(net);
	return id;
}

/**
 * scatter_line_up() - tell the owner that a line carries messages from now on
 * @line: the line
 *
 * Context: may sleep; inside of no event of the line.
 */
void scatter_line_up(struct scatter_line *line)
{
	mutex_lock(&line->event_lock);
	if (!line->closing && !line->ended)
		line->events->up(line->context);
	mutex_unlock(&line->event_lock);
}

/**
 * scatter_line_down() - tell the owner that a line has failed, once
 * @line: the line
 * @error: -errno: why the line has failed
 *
 * Context: may sleep; inside of no event of the line.
 */
void scatter_line_down(struct scatter_line *line, int error)
{
	mutex_lock(&line->event_lock);
	if (!line->closing && !line->ended) {
		line->ended = true;
		line->events->down(line->context, error);
	}
	mutex_unlock(&line->event_lock);
}
