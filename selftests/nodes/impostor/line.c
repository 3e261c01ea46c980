// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include "line.h"

/* Messages that are on their way, and that are taken without being heard. */
#define SENDS		128U
#define RECEIVES	256U
#define RESOLVE_MS	5000
#define IDLE_MS		500
/*
 * What was said is sent again after 4.096 us times 2 to the power of the first of these, so many
 * times. The message that ends a line may be lost: the end is noticed then after 4 s. To rxe seven
 * retries are as many as it takes, and the connection manager's time may be 4 s for each.
 */
#define AGAIN_AFTER	17
#define RETRIES		6
/* Tells the completion of a READ or WRITE from those of messages. */
#define REACHED		((void *)1)

/*
 * @lent: what the other side may READ; NULL: nothing yet
 * @sent: how many messages; each has a buffer until the device is done with it
 * @ended: the end has been told; messages before it may still be in the queue
 */
struct line {
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	struct ibv_mr *lent;
	uint8_t *memory;
	unsigned int sent;
	bool ended;
};

static uint8_t *buffer(struct line *line, unsigned int number)
{
	return line->memory + (size_t)number * LINE_BYTES;
}

static bool post(struct line *line, unsigned int number)
{
	return !rdma_post_recv(line->id, (void *)(uintptr_t)number, buffer(line, number),
			       LINE_BYTES, line->mr);
}

static bool set_up(struct line *line)
{
	struct ibv_qp_init_attr attributes = {
		.cap = {
			.max_send_wr = SENDS,
			.max_recv_wr = RECEIVES,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	};
	const size_t bytes = (size_t)(SENDS + RECEIVES) * LINE_BYTES;
	unsigned int i;

	if (rdma_create_qp(line->id, NULL, &attributes))
		return false;
	line->memory = calloc(1, bytes);
	if (line->memory)
		line->mr = rdma_reg_msgs(line->id, line->memory, bytes);
	if (!line->mr)
		return false;
	for (i = 0; i < RECEIVES; i++)
		if (!post(line, i))
			return false;
	return true;
}

static struct rdma_conn_param *parameters(void)
{
	static struct rdma_conn_param param = {
		.responder_resources = 1,
		.initiator_depth = 1,
		.retry_count = RETRIES,
		.rnr_retry_count = 7,
	};

	return &param;
}

/* Before the connection is made, which takes the number of retries. */
static bool limit_retries(struct line *line)
{
	uint8_t time = AGAIN_AFTER;

	return !rdma_set_option(line->id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &time,
				sizeof(time));
}

/* A failed line is left to the end of the process. */
struct line *line_connect(const struct sockaddr *from, const struct sockaddr *to)
{
	struct line *line = calloc(1, sizeof(*line));

	if (!line || rdma_create_id(NULL, &line->id, line, RDMA_PS_TCP) ||
	    !limit_retries(line) ||
	    rdma_resolve_addr(line->id, (struct sockaddr *)from, (struct sockaddr *)to,
			      RESOLVE_MS) ||
	    rdma_resolve_route(line->id, RESOLVE_MS) || !set_up(line) ||
	    rdma_connect(line->id, parameters()))
		return NULL;
	return line;
}

struct line *line_accept(const struct sockaddr *at)
{
	static struct rdma_cm_id *listener;
	struct line *line = calloc(1, sizeof(*line));

	if (!line || (!listener && (rdma_create_id(NULL, &listener, NULL, RDMA_PS_TCP) ||
				    rdma_bind_addr(listener, (struct sockaddr *)at) ||
				    rdma_listen(listener, 1))))
		return NULL;
	if (rdma_get_request(listener, &line->id) || !limit_retries(line) || !set_up(line) ||
	    rdma_accept(line->id, parameters()))
		return NULL;
	return line;
}

/*
 * The kernel tells the other side. rdma_disconnect() would wait for an event that may have been
 * heard.
 */
void line_end(struct line *line)
{
	void *lent;

	rdma_destroy_qp(line->id);
	rdma_dereg_mr(line->mr);
	if (line->lent) {
		lent = line->lent->addr;
		rdma_dereg_mr(line->lent);
		free(lent);
	}
	rdma_destroy_id(line->id);
	free(line->memory);
	free(line);
}

/* 1: a message; -1: the line is lost; 0: neither yet */
static int look(struct line *line, void *message, int *bytes)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(line->id->recv_cq, 1, &wc);

	if (!n)
		return 0;
	if (n < 0 || wc.status != IBV_WC_SUCCESS)
		return -1;
	memcpy(message, buffer(line, wc.wr_id), wc.byte_len);
	*bytes = (int)wc.byte_len;
	return post(line, wc.wr_id) ? 1 : -1;
}

/* Messages before the end are in the queue when the end is told. */
static bool has_ended(struct line *line)
{
	struct rdma_cm_event *event;

	if (rdma_get_cm_event(line->id->channel, &event))
		return true;
	line->ended |= event->event != RDMA_CM_EVENT_ESTABLISHED;
	rdma_ack_cm_event(event);
	return line->ended;
}

/* Whether the device is done with the message that was sent first; they complete in that order. */
static bool has_completed(struct line *line)
{
	struct pollfd polled = { .fd = line->id->channel->fd, .events = POLLIN };
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(line->id->send_cq, 1, &wc)))
		if (line->ended || (poll(&polled, 1, 1) && has_ended(line)))
			return false;
	return n > 0 && wc.status == IBV_WC_SUCCESS;
}

bool line_send(struct line *line, const void *message, size_t bytes)
{
	uint8_t *to = buffer(line, RECEIVES + line->sent % SENDS);

	if (line->sent >= SENDS && !has_completed(line)) {
		errno = ECONNRESET;
		return false;
	}
	line->sent++;
	memcpy(to, message, bytes);
	return !rdma_post_send(line->id, NULL, to, bytes, line->mr, IBV_SEND_SIGNALED);
}

uint8_t *line_lend(struct line *line, uint32_t *key)
{
	uint8_t *memory;

	if (!line->lent) {
		memory = calloc(1, LINE_LENT_BYTES);
		line->lent = memory ? rdma_reg_read(line->id, memory, LINE_LENT_BYTES) : NULL;
		if (!line->lent) {
			free(memory);
			return NULL;
		}
	}
	*key = line->lent->rkey;
	return line->lent->addr;
}

/* Whether the READ or WRITE that was posted last has succeeded. Messages before complete first. */
static bool has_reached(struct line *line)
{
	struct ibv_wc wc;
	int n;

	do
		n = ibv_poll_cq(line->id->send_cq, 1, &wc);
	while (!n || (n > 0 && wc.wr_id != (uintptr_t)REACHED));
	return n > 0 && wc.status == IBV_WC_SUCCESS;
}

const uint8_t *line_read(struct line *line, uint64_t address, uint32_t key, size_t bytes)
{
	uint32_t own;
	uint8_t *to = line_lend(line, &own);

	if (!to || bytes > LINE_LENT_BYTES ||
	    rdma_post_read(line->id, REACHED, to, bytes, line->lent, IBV_SEND_SIGNALED, address,
			   key))
		return NULL;
	return has_reached(line) ? to : NULL;
}

bool line_write(struct line *line, uint64_t address, uint32_t key, size_t bytes)
{
	uint32_t own;
	uint8_t *from = line_lend(line, &own);

	if (!from || bytes > LINE_LENT_BYTES)
		return false;
	memset(from, 0, bytes);
	return !rdma_post_write(line->id, REACHED, from, bytes, line->lent, IBV_SEND_SIGNALED,
				address, key) && has_reached(line);
}

int line_receive(struct line *line, void *message, bool (*idle)(void))
{
	struct pollfd polled[2] = {
		{ .fd = line->id->recv_cq_channel->fd, .events = POLLIN },
		{ .fd = line->id->channel->fd, .events = POLLIN },
	};
	struct ibv_cq *cq;
	void *context;
	int bytes = 0, found, n;

	for (;;) {
		ibv_req_notify_cq(line->id->recv_cq, 0);
		found = look(line, message, &bytes);
		if (found)
			return found > 0 ? bytes : -1;
		n = line->ended ? -1 : poll(polled, 2, idle ? IDLE_MS : -1);
		if (n < 0)
			return -1;
		if (!n && !idle())
			return -1;
		if (!n)
			continue;
		if (polled[0].revents &&
		    !ibv_get_cq_event(line->id->recv_cq_channel, &cq, &context))
			ibv_ack_cq_events(cq, 1);
		if (polled[1].revents)
			has_ended(line);
	}
}
