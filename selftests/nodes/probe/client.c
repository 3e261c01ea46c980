// SPDX-License-Identifier: GPL-2.0
/*
 * The side that connects: grants its data to be read, round by round.
 */
#include <linux/err.h>
#include <linux/inet.h>
#include <linux/ktime.h>
#include <linux/random.h>

#include "probe.h"

static void fail(struct probe_line *line, int error)
{
	if (!line->error)
		line->error = error;
	complete(&line->step);
}

static int handle(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct probe_line *line = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
	case RDMA_CM_EVENT_ESTABLISHED:
		complete(&line->step);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		pr_debug("client: %s, %d\n", rdma_event_msg(event->event), event->status);
		fail(line, event->status < 0 ? event->status : -ECONNREFUSED);
	}
	return 0;
}

/* An answer counts only if it has made the key invalid. */
static void received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct probe_line *line = container_of(wc->wr_cqe, struct probe_line, received);

	if (!probe_line_succeeded(line, wc))
		return;
	if (!(wc->wc_flags & IB_WC_WITH_INVALIDATE) ||
	    wc->ex.invalidate_rkey != line->mr->rkey)
		fail(line, -EPROTO);
	else
		complete(&line->step);
}

/* Waits for the step that was begun without an error. */
static int await(struct probe_line *line, int error)
{
	unsigned long most = READ_ONCE(probe_seconds) * HZ;

	if (error)
		return error;
	if (!wait_for_completion_timeout(&line->step, most))
		return -ETIME;
	return line->error;
}

static int connect_line(struct probe_line *line, struct sockaddr *from, struct sockaddr *to)
{
	struct rdma_conn_param param = {
		.responder_resources = 1,
		.initiator_depth = 1,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
	int timeout_ms = READ_ONCE(probe_seconds) * 1000;

	return await(line, rdma_resolve_addr(line->id, from, to, timeout_ms)) ?:
		await(line, rdma_resolve_route(line->id, timeout_ms)) ?:
		probe_line_set_up(line) ?:
		await(line, rdma_connect(line->id, &param));
}

static int run_round(struct probe_line *line)
{
	int error = probe_line_receive(line);

	get_random_bytes(line->data, PROBE_BYTES);
	if (!error)
		error = probe_line_register(line, IB_ACCESS_REMOTE_READ);
	line->out->address = cpu_to_be64(line->mr->iova);
	line->out->key = cpu_to_be32(line->mr->rkey);
	line->out->checksum = cpu_to_be32(probe_line_checksum(line));
	error = await(line, error ?: probe_line_send(line, 0));
	if (!error && line->in->checksum != line->out->checksum)
		error = -EBADMSG;
	return error;
}

static int run_line(struct probe_line *line, struct sockaddr *from, struct sockaddr *to,
		    unsigned int rounds, char *result, size_t size)
{
	ktime_t start = ktime_get(), connected;
	unsigned int round;
	int error = connect_line(line, from, to);

	connected = ktime_get();
	for (round = 0; !error && round < rounds; round++)
		error = run_round(line);
	scnprintf(result, size, "connect_us %lld rounds %u rounds_us %lld error %d",
		  ktime_us_delta(connected, start), error && round ? round - 1 : round,
		  ktime_us_delta(ktime_get(), connected), error);
	return error;
}

/**
 * probe_client_run() - connect, some rounds, disconnect
 * @net: the namespace that has @from
 * @from: own address
 * @to: address that somebody listens on
 * @rounds: how many
 * @result: what came of it, as a line
 * @size: of @result
 *
 * Context: may sleep, for long.
 *
 * Return: 0, or a negative errno: -ETIME if a step took too long, -EBADMSG if other data
 * were read than sent, -EPROTO if a key was not given back.
 */
int probe_client_run(struct net *net, const char *from, const char *to, unsigned int rounds,
		     char *result, size_t size)
{
	struct sockaddr_storage own, other;
	struct probe_line *line;
	int error;

	error = inet_pton_with_scope(net, AF_UNSPEC, from, "0", &own) ?:
		inet_pton_with_scope(net, AF_UNSPEC, to, PROBE_PORT, &other);
	if (error)
		return error;
	line = probe_line_create();
	if (!line)
		return -ENOMEM;
	line->fail = fail;
	line->received.done = received;
	line->id = rdma_create_id(net, handle, line, RDMA_PS_TCP, IB_QPT_RC);
	error = IS_ERR(line->id) ? PTR_ERR(line->id) :
		run_line(line, (struct sockaddr *)&own, (struct sockaddr *)&other, rounds, result,
			 size);
	probe_line_destroy(line);
	return error;
}
