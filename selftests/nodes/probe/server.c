// SPDX-License-Identifier: GPL-2.0
/*
 * The side that listens: reads what a client grants, and gives its key back.
 */
#include <linux/err.h>
#include <linux/inet.h>
#include <linux/mutex.h>

#include "probe.h"

#define MOST_LISTENERS	16
#define BACKLOG		64

static struct rdma_cm_id *listeners[MOST_LISTENERS];
static struct workqueue_struct *ends;
static LIST_HEAD(lines);
/* Protects lines. */
static DEFINE_MUTEX(mutex);

static void end_line(struct probe_line *line)
{
	if (!test_and_set_bit(0, &line->ended))
		queue_work(ends, &line->end);
}

static void fail(struct probe_line *line, int error)
{
	end_line(line);
}

static void end_work(struct work_struct *work)
{
	struct probe_line *line = container_of(work, struct probe_line, end);

	mutex_lock(&mutex);
	list_del(&line->entry);
	mutex_unlock(&mutex);
	probe_line_destroy(line);
}

/*
 * The sink may also be written to from afar: iWARP's READ is such a write, and one way of
 * doing it is enough.
 */
static void received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct probe_line *line = container_of(wc->wr_cqe, struct probe_line, received);
	int error;

	if (!probe_line_succeeded(line, wc))
		return;
	error = probe_line_register(line, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
	if (!error)
		error = probe_line_read(line, be64_to_cpu(line->in->address),
					be32_to_cpu(line->in->key));
	if (error)
		end_line(line);
}

static void was_read(struct ib_cq *cq, struct ib_wc *wc)
{
	struct probe_line *line = container_of(wc->wr_cqe, struct probe_line, read);
	u32 key = be32_to_cpu(line->in->key);
	int error;

	if (!probe_line_succeeded(line, wc))
		return;
	line->out->checksum = cpu_to_be32(probe_line_checksum(line));
	error = probe_line_invalidate(line) ?: probe_line_receive(line) ?:
		probe_line_send(line, key);
	if (error)
		end_line(line);
}

/*
 * The line's end destroys the id: a handler that fails would destroy it a second time, so
 * from here on it succeeds.
 */
static int accept_line(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = {
		.responder_resources = 1,
		.initiator_depth = 1,
		.rnr_retry_count = 7,
	};
	struct probe_line *line = probe_line_create();

	if (!line)
		return -ENOMEM;
	line->fail = fail;
	line->received.done = received;
	line->read.done = was_read;
	INIT_WORK(&line->end, end_work);
	line->id = id;
	id->context = line;
	mutex_lock(&mutex);
	list_add_tail(&line->entry, &lines);
	mutex_unlock(&mutex);
	if (probe_line_set_up(line) || probe_line_receive(line) || rdma_accept(id, &param))
		end_line(line);
	return 0;
}

/* The taker of a listener out of the table destroys it; a handler by its return value. */
static int drop_listener(struct rdma_cm_id *id)
{
	int i;

	for (i = 0; i < MOST_LISTENERS; i++)
		if (cmpxchg(&listeners[i], id, NULL) == id)
			return 1;
	return 0;
}

static int handle(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct probe_line *line = id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return accept_line(id);
	if (!line)
		return event->event == RDMA_CM_EVENT_DEVICE_REMOVAL ? drop_listener(id) : 0;
	if (event->event != RDMA_CM_EVENT_ESTABLISHED)
		end_line(line);
	return 0;
}

/**
 * probe_server_listen() - serve who connects to an address
 * @net: the namespace that has it
 * @address: IPv4 or IPv6
 *
 * Until probe_server_stop(), or until its device goes.
 *
 * Context: may sleep; one at a time.
 *
 * Return: 0, or a negative errno.
 */
int probe_server_listen(struct net *net, const char *address)
{
	struct sockaddr_storage to;
	struct rdma_cm_id *id;
	int error, i;

	for (i = 0; i < MOST_LISTENERS && READ_ONCE(listeners[i]); i++)
		;
	if (i == MOST_LISTENERS)
		return -ENOSPC;
	error = inet_pton_with_scope(net, AF_UNSPEC, address, PROBE_PORT, &to);
	if (error)
		return error;
	id = rdma_create_id(net, handle, NULL, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	WRITE_ONCE(listeners[i], id);
	error = rdma_bind_addr(id, (struct sockaddr *)&to) ?: rdma_listen(id, BACKLOG);
	if (error && drop_listener(id))
		rdma_destroy_id(id);
	return error;
}

/**
 * probe_server_start() - get ready to listen
 *
 * Context: may sleep.
 *
 * Return: 0, or -ENOMEM.
 */
int probe_server_start(void)
{
	ends = alloc_workqueue("scatter_probe", WQ_UNBOUND, 0);
	return ends ? 0 : -ENOMEM;
}

/**
 * probe_server_stop() - end all listeners and lines
 *
 * Context: may sleep.
 */
void probe_server_stop(void)
{
	struct probe_line *line;
	int i;

	for (i = 0; i < MOST_LISTENERS; i++) {
		struct rdma_cm_id *id = xchg(&listeners[i], NULL);

		if (id)
			rdma_destroy_id(id);
	}
	/* An end takes the mutex before it frees its line. */
	mutex_lock(&mutex);
	list_for_each_entry(line, &lines, entry)
		end_line(line);
	mutex_unlock(&mutex);
	destroy_workqueue(ends);
}
