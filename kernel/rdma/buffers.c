// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: the memory of a line's messages, for sending and receiving.
 *
 * The device has each receive buffer, except while an event about its message runs. The device has
 * a send buffer from the time when the buffer is posted to its completion.
 *
 * A message is received into a page. If the owner keeps the page, the receive buffer gets another
 * page. A payload is sent from the page in which it lies, which may be a page that was kept: the
 * device only reads such a page, so the device may send from one page on several lines at once.
 */
#include <linux/bitmap.h>
#include <linux/bvec.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "node/wire_ops.h"
#include "rdma/buffers.h"
#include "rdma/line.h"
#include "rdma/poll.h"

/* How long the last messages of a line may take: they tell only why the line ends. */
#define SCATTER_BUFFERS_SETTLE_MS	100

/* Act on a failed completion: the queue pair is being drained, or has failed. */
static void failed(struct scatter_line *line, const struct ib_wc *wc)
{
	scatter_line_down(line, wc->status == IB_WC_WR_FLUSH_ERR ? -ECONNRESET : -EIO);
}

static int post(struct scatter_line_buffer *buffer)
{
	struct scatter_line *line = buffer->line;
	struct ib_sge piece = {
		.addr = buffer->dma,
		.length = SCATTER_LINE_BYTES,
		.lkey = line->pd->local_dma_lkey,
	};
	const struct ib_recv_wr request = {
		.wr_cqe = &buffer->cqe,
		.sg_list = &piece,
		.num_sge = 1,
	};

	ib_dma_sync_single_for_device(line->id->device, buffer->dma, SCATTER_LINE_BYTES,
				      DMA_FROM_DEVICE);
	return ib_post_recv(line->id->qp, &request, NULL);
}

/* Give a buffer a new page. The device gets the page with the next work request. */
static int fill(struct scatter_line_buffer *buffer, enum dma_data_direction direction, gfp_t flags)
{
	struct ib_device *device = buffer->line->id->device;
	struct page *page = alloc_pages(GFP_KERNEL_ACCOUNT | __GFP_COMP | flags,
					get_order(SCATTER_LINE_BYTES));

	if (!page)
		return -ENOMEM;
	buffer->dma = ib_dma_map_page(device, page, 0, SCATTER_LINE_BYTES, direction);
	if (ib_dma_mapping_error(device, buffer->dma)) {
		put_page(page);
		return -ENOMEM;
	}
	buffer->page = page;
	return 0;
}

static void empty(struct scatter_line_buffer *buffer, enum dma_data_direction direction)
{
	ib_dma_unmap_page(buffer->line->id->device, buffer->dma, SCATTER_LINE_BYTES, direction);
	put_page(buffer->page);
	buffer->page = NULL;
}

/*
 * If the owner has kept the page of a receive buffer, replace the page. The device must not write
 * into a kept page again: so the old page is unmapped, and is only sent from, if at all.
 *
 * The allocation cannot fail: this side has promised the other side a buffer for each credit, and
 * without a buffer the line would have to end. The order is 1 at most, for which the kernel frees
 * memory until there is some. The caller is a work item of a queue that may wait for that.
 */
static int renew(struct scatter_line_buffer *buffer)
{
	if (page_count(buffer->page) == 1)
		return 0;
	empty(buffer, DMA_FROM_DEVICE);
	return fill(buffer, DMA_FROM_DEVICE, __GFP_NOFAIL);
}

static void received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct scatter_line_buffer *buffer = container_of(wc->wr_cqe, struct scatter_line_buffer,
							  cqe);
	struct scatter_line *line = buffer->line;

	/* The other side may only SEND. */
	if (wc->status != IB_WC_SUCCESS || wc->opcode != IB_WC_RECV) {
		failed(line, wc);
		return;
	}
	ib_dma_sync_single_for_cpu(line->id->device, buffer->dma, SCATTER_LINE_BYTES,
				   DMA_FROM_DEVICE);
	mutex_lock(&line->event_lock);
	if (!line->closing && !line->ended)
		line->events->received(line->context, buffer->page, wc->byte_len);
	mutex_unlock(&line->event_lock);
	if (renew(buffer) || post(buffer))
		scatter_line_down(line, -EIO);
}

/* Let the device have the payload of a send buffer. */
static int attach(struct scatter_line_buffer *buffer, const struct bio_vec *payload)
{
	struct ib_device *device = buffer->line->id->device;

	buffer->payload_dma = ib_dma_map_page(device, payload->bv_page, payload->bv_offset,
					      payload->bv_len, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, buffer->payload_dma))
		return -ENOMEM;
	get_page(payload->bv_page);
	buffer->payload = *payload;
	return 0;
}

static void detach(struct scatter_line_buffer *buffer)
{
	if (!buffer->payload.bv_page)
		return;
	ib_dma_unmap_page(buffer->line->id->device, buffer->payload_dma, buffer->payload.bv_len,
			  DMA_TO_DEVICE);
	put_page(buffer->payload.bv_page);
	buffer->payload.bv_page = NULL;
}

/* Take back a send buffer that the device does not have any more, or never got. */
static void give_back(struct scatter_line_buffer *buffer)
{
	struct scatter_line *line = buffer->line;

	detach(buffer);
	spin_lock(&line->lock);
	__clear_bit(buffer - line->send, line->busy);
	line->nr_busy--;
	spin_unlock(&line->lock);
	wake_up(&line->idle);
}

static void sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct scatter_line_buffer *buffer = container_of(wc->wr_cqe, struct scatter_line_buffer,
							  cqe);
	struct scatter_line *line = buffer->line;

	give_back(buffer);
	if (wc->status != IB_WC_SUCCESS)
		failed(line, wc);
}

static u32 sends_of(const struct scatter_line *line)
{
	return line->buffers + SCATTER_LINE_SPARE;
}

static int create_some(struct scatter_line *line, struct scatter_line_buffer *buffers, u32 nr,
		       void (*done)(struct ib_cq *cq, struct ib_wc *wc),
		       enum dma_data_direction direction)
{
	int error = 0;
	u32 i;

	for (i = 0; i < nr && !error; i++) {
		buffers[i].cqe.done = done;
		buffers[i].line = line;
		error = fill(&buffers[i], direction, 0);
	}
	return error;
}

static void free_some(struct scatter_line_buffer *buffers, u32 nr,
		      enum dma_data_direction direction)
{
	u32 i;

	for (i = 0; buffers && i < nr; i++)
		if (buffers[i].page)
			empty(&buffers[i], direction);
	kvfree(buffers);
}

/**
 * scatter_buffers_create() - make the buffers of a line
 * @line: the line, which has its queue pair
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM; the caller calls scatter_buffers_free() in either case.
 */
int scatter_buffers_create(struct scatter_line *line)
{
	const u32 sends = sends_of(line);
	int error;

	line->busy = bitmap_zalloc(sends, GFP_KERNEL_ACCOUNT);
	line->receive = kvcalloc(line->buffers, sizeof(*line->receive), GFP_KERNEL_ACCOUNT);
	line->send = kvcalloc(sends, sizeof(*line->send), GFP_KERNEL_ACCOUNT);
	if (!line->busy || !line->receive || !line->send)
		return -ENOMEM;
	error = create_some(line, line->receive, line->buffers, received, DMA_FROM_DEVICE);
	return error ?: create_some(line, line->send, sends, sent, DMA_TO_DEVICE);
}

/**
 * scatter_buffers_free() - free the buffers of a line
 * @line: the line; the device has none of its buffers any more. The line need not have buffers
 *
 * Context: may sleep.
 */
void scatter_buffers_free(struct scatter_line *line)
{
	free_some(line->receive, line->buffers, DMA_FROM_DEVICE);
	free_some(line->send, sends_of(line), DMA_TO_DEVICE);
	bitmap_free(line->busy);
}

/**
 * scatter_buffers_post_all() - let the device have all receive buffers
 * @line: not connected yet
 *
 * Context: any.
 * Return: 0 or -errno.
 */
int scatter_buffers_post_all(struct scatter_line *line)
{
	int error = 0;
	u32 i;

	for (i = 0; i < line->buffers && !error; i++)
		error = post(&line->receive[i]);
	return error;
}

static bool is_idle(struct scatter_line *line)
{
	bool idle;

	spin_lock(&line->lock);
	idle = !line->nr_busy;
	spin_unlock(&line->lock);
	return idle;
}

/**
 * scatter_buffers_settle() - wait a while until the other side has acknowledged all messages
 * @line: nothing is sent on the line any more
 *
 * Context: may sleep.
 */
void scatter_buffers_settle(struct scatter_line *line)
{
	if (line->busy)
		wait_event_timeout(line->idle, is_idle(line),
				   msecs_to_jiffies(SCATTER_BUFFERS_SETTLE_MS));
}

static struct scatter_line_buffer *take(struct scatter_line *line)
{
	struct scatter_line_buffer *buffer = NULL;
	unsigned long bit;

	spin_lock(&line->lock);
	bit = find_first_zero_bit(line->busy, sends_of(line));
	if (bit < sends_of(line)) {
		__set_bit(bit, line->busy);
		line->nr_busy++;
		buffer = &line->send[bit];
	}
	spin_unlock(&line->lock);
	return buffer;
}

/**
 * scatter_buffers_room() - whether another message can be sent now
 * @handle: a line that is up
 *
 * The other side may have room before this side hears that the device has done with the buffers of
 * earlier messages. Some buffers are kept for messages that must not wait.
 *
 * Context: any.
 * Return: whether scatter_buffers_send() has a buffer, and one for a CREDIT or BYE besides
 */
bool scatter_buffers_room(void *handle)
{
	const struct scatter_line *line = handle;

	return READ_ONCE(line->nr_busy) < line->buffers;
}

/* Send the first bytes of a send buffer's page, and the buffer's payload behind them. */
static int post_send(struct scatter_line_buffer *buffer, size_t bytes)
{
	struct scatter_line *line = buffer->line;
	const u32 key = line->pd->local_dma_lkey;
	struct ib_sge pieces[SCATTER_LINE_PIECES] = {
		{ .addr = buffer->dma, .length = bytes, .lkey = key },
		{ .addr = buffer->payload_dma, .length = buffer->payload.bv_len, .lkey = key },
	};
	const struct ib_send_wr request = {
		.wr_cqe = &buffer->cqe,
		.sg_list = pieces,
		.num_sge = buffer->payload.bv_page ? 2 : 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};

	return ib_post_send(line->id->qp, &request, NULL);
}

/**
 * scatter_buffers_send() - send a message
 * @handle: a line that is up
 * @message: the message; the function makes a copy
 * @bytes: the message's length
 * @payload: sent behind the message, from its page without a copy; NULL: nothing. Nobody writes
 *	there while the line has a reference on the page. Together with the message at most
 *	%SCATTER_LINE_BYTES
 *
 * Context: process context; may be called inside of an event.
 * Return: 0; -EAGAIN: the device still has all buffers; else -errno: the line goes down.
 */
int scatter_buffers_send(void *handle, const void *message, size_t bytes,
			 const struct bio_vec *payload)
{
	struct scatter_line *line = handle;
	struct ib_device *device = line->id->device;
	struct scatter_line_buffer *buffer;
	int error = 0;

	if (bytes + (payload ? payload->bv_len : 0) > SCATTER_LINE_BYTES)
		return -EMSGSIZE;
	buffer = take(line);
	if (!buffer)
		return -EAGAIN;
	ib_dma_sync_single_for_cpu(device, buffer->dma, bytes, DMA_TO_DEVICE);
	memcpy(page_address(buffer->page), message, bytes);
	ib_dma_sync_single_for_device(device, buffer->dma, bytes, DMA_TO_DEVICE);
	if (payload)
		error = attach(buffer, payload);
	error = error ?: post_send(buffer, bytes);
	if (error)
		give_back(buffer);
	else if (READ_ONCE(line->nr_busy) >= line->buffers / 2)
		scatter_poll_watch(line);
	return error;
}
