/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_LINE_H
#define _SCATTER_LINE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

struct net;
struct scatter_wire_events;

/* Bytes of each buffer: no message is longer. */
#define SCATTER_LINE_BYTES	8192
/* Longest memory that one grant or one READ covers. */
#define SCATTER_LINE_READ_BYTES	65536
/* Work requests beside those of the send buffers: grants, their ends, and READs. */
#define SCATTER_LINE_EXTRA	16

/**
 * struct scatter_line_buffer - memory for one message
 * @cqe: completion of its work request
 * @line: constant; whose
 * @data: constant; %SCATTER_LINE_BYTES
 * @dma: constant; its address for the device
 */
struct scatter_line_buffer {
	struct ib_cqe cqe;
	struct scatter_line *line;
	void *data;
	u64 dma;
};

/**
 * struct scatter_line - a reliable connection
 * @id: constant; gone with the line
 * @events: constant; what the owner of the line wants to hear
 * @context: constant once connected or accepted; the owner's
 * @buffers: constant; how many messages the other side may send in a row
 * @accepted: the owner has accepted an incoming line; only inside its event
 * @event_lock: held while an event runs, so that they come one at a time
 * @closing: @event_lock; no event any more
 * @ended: @event_lock; down() has been told, or the line has no owner yet
 * @pd: constant once set up
 * @cq: likewise
 * @receive: likewise; @buffers of them
 * @send: likewise; @buffers of them
 * @lock: protects what follows
 * @busy: lock; which of @send the device has, a bit each
 * @idle: woken when it has given one back
 * @grants: lock; what the other side may read
 * @nr_grants: lock; how many
 * @read: lock; what this side reads
 */
struct scatter_line {
	struct rdma_cm_id *id;
	const struct scatter_wire_events *events;
	void *context;
	u32 buffers;
	bool accepted;
	struct mutex event_lock; /* events */
	bool closing;
	bool ended;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct scatter_line_buffer *receive;
	struct scatter_line_buffer *send;
	spinlock_t lock; /* what follows */
	unsigned long *busy;
	wait_queue_head_t idle;
	struct list_head grants;
	unsigned int nr_grants;
	struct scatter_read *read;
};

struct scatter_line *scatter_line_create(struct rdma_cm_id *id,
					 const struct scatter_wire_events *events);
struct rdma_cm_id *scatter_line_id(struct net *net, rdma_cm_event_handler handler, void *context);
void scatter_line_down(struct scatter_line *line, int error);

#endif /* _SCATTER_LINE_H */
