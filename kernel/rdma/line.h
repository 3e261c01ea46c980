/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_LINE_H
#define _SCATTER_LINE_H

#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "wire/wire.h"

struct net;
struct scatter_wire_events;

/* Bytes of each buffer, the most bytes of a message. */
#define SCATTER_LINE_BYTES	8192
/* Send buffers beside those for as many messages as this side may receive in a row. */
#define SCATTER_LINE_SPARE	8
/* Pieces of memory that a message is sent from: the message's copy, and a payload. */
#define SCATTER_LINE_PIECES	2
/* Most READs of this side at a time: one for each grant, and one for a PING. */
#define SCATTER_LINE_READS	(SCATTER_WIRE_GRANTS_MAX + 1)
/* Most grants to the other side: as many again may be ending, and one is for a PING. */
#define SCATTER_LINE_GRANTS	(2 * SCATTER_WIRE_GRANTS_MAX + 1)
/*
 * Send requests beside those of the send buffers and of READs: at most two to begin a grant, one to
 * end it, and one that tells when the queue is drained.
 */
#define SCATTER_LINE_EXTRA	(3 * SCATTER_LINE_GRANTS + 1)

/**
 * struct scatter_line_buffer - memory for one message
 * @cqe: completion of its work request
 * @line: constant; the buffer's line
 * @page: %SCATTER_LINE_BYTES; a receive buffer gets another page if the owner keeps this one
 * @dma: the device's address of @page
 * @payload: for a send buffer: what the device sends behind the bytes in @page; its page is
 *	referenced; no page: nothing
 * @payload_dma: the device's address of @payload
 *
 * Only one context at a time uses the fields: the device until the work request completes; then the
 * handler of the completion; then, for a send buffer, the context that takes the buffer next.
 */
struct scatter_line_buffer {
	struct ib_cqe cqe;
	struct scatter_line *line;
	struct page *page;
	u64 dma;
	struct bio_vec payload;
	u64 payload_dma;
};

/**
 * struct scatter_line - a reliable connection
 * @id: constant; destroyed with the line
 * @entry: in the list of a listener, until the line is offered to the listener's owner
 * @events: constant once connected or offered; the owner's callbacks
 * @context: constant once connected or accepted; passed to the owner's callbacks
 * @buffers: constant; how many messages the other side may send in a row
 * @event_lock: held while an event runs, so that events come one at a time
 * @closing: @event_lock; there are no events any more
 * @ended: @event_lock; the owner got down(), or the line has no owner yet
 * @pd: constant once set up
 * @receive_cq: constant once set up; completions of receive requests
 * @send_cq: constant once set up; completions of all other requests
 * @work: handles completions, and what rdma_cm has told
 * @polled: @work may look at the queues
 * @established: rdma_cm has told that the line is up, and @work has not told the owner yet
 * @failed: -errno: the line has failed, and @work tells the owner; 0: no failure is known
 * @receive: constant once set up; @buffers receive buffers
 * @send: constant once set up; @buffers and %SCATTER_LINE_SPARE send buffers
 * @lock: protects the fields below
 * @busy: lock; which buffers of @send the device has, a bit for each
 * @nr_busy: lock; how many buffers the device has
 * @idle: woken when the device has given a buffer of @send back
 * @grants: lock; what the other side may read
 * @spare: lock; grants that are not in use
 * @nr_grants: lock; how many grants are in use
 * @nr_ending: lock; how many grants the device has still to end
 * @nr_reads: lock; how many READs of this side run
 */
struct scatter_line {
	struct rdma_cm_id *id;
	struct list_head entry;
	const struct scatter_wire_events *events;
	void *context;
	u32 buffers;
	struct mutex event_lock; /* events */
	bool closing;
	bool ended;
	struct ib_pd *pd;
	struct ib_cq *receive_cq;
	struct ib_cq *send_cq;
	struct work_struct work;
	bool polled;
	u32 established;
	int failed;
	struct scatter_line_buffer *receive;
	struct scatter_line_buffer *send;
	spinlock_t lock; /* the fields below */
	unsigned long *busy;
	unsigned int nr_busy;
	wait_queue_head_t idle;
	struct list_head grants;
	struct list_head spare;
	unsigned int nr_grants;
	unsigned int nr_ending;
	unsigned int nr_reads;
};

/*
 * Whether the device is soft-RoCE: grant.c and read.c get round its defects, and poll.c fits its
 * threads. An id whose address has not been resolved has no device, and none later.
 */
static inline bool scatter_line_is_soft(const struct scatter_line *line)
{
	const struct ib_device *device = line->id->device;

	return device && device->ops.driver_id == RDMA_DRIVER_RXE;
}

struct scatter_line *scatter_line_create(struct rdma_cm_id *id,
					 const struct scatter_wire_events *events);
struct rdma_cm_id *scatter_line_id(struct net *net, rdma_cm_event_handler handler, void *context);
void scatter_line_up(struct scatter_line *line);
void scatter_line_down(struct scatter_line *line, int error);

#endif /* _SCATTER_LINE_H */
