/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line: one side of a connection, and what both sides do with it.
 */
#ifndef SCATTER_PROBE_H
#define SCATTER_PROBE_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#define PROBE_PORT	"7470"
/* What the server reads from the client in a round. */
#define PROBE_BYTES	65536

/*
 * The client says where its data are, and their checksum; the server answers with the
 * checksum of what it has read.
 */
struct probe_message {
	__be64 address;
	__be32 key;
	__be32 checksum;
};

/**
 * struct probe_line - one side of a connection
 * @id: the connection
 * @pd: its protection domain
 * @cq: one queue for all completions
 * @mr: registers @data anew in each round
 * @data: PROBE_BYTES; a client's are read, a server's are where it reads to
 * @in: the last message received
 * @out: the message to be sent
 * @in_dma: @in as the device sees it
 * @out_dma: @out as the device sees it
 * @data_list: @data as one piece
 * @mapped: @in, @out and @data are mapped
 * @received: completes a receive
 * @read: completes the server's READ
 * @posted: completes what nobody waits for
 * @fail: called at the first error
 * @step: a client: one step of it is done, or @error is set
 * @error: negative errno, or 0
 * @ended: a server's end is on its way
 * @end: ends a server's line
 * @entry: in the list of servers' lines
 */
struct probe_line {
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_mr *mr;
	void *data;
	struct probe_message *in;
	struct probe_message *out;
	u64 in_dma;
	u64 out_dma;
	struct scatterlist data_list;
	bool mapped;
	struct ib_cqe received;
	struct ib_cqe read;
	struct ib_cqe posted;
	void (*fail)(struct probe_line *line, int error);
	struct completion step;
	int error;
	unsigned long ended;
	struct work_struct end;
	struct list_head entry;
};

/* How long a client waits for one step. */
extern unsigned int probe_seconds;

struct probe_line *probe_line_create(void);
int probe_line_set_up(struct probe_line *line);
void probe_line_destroy(struct probe_line *line);
bool probe_line_succeeded(struct probe_line *line, struct ib_wc *wc);
int probe_line_receive(struct probe_line *line);
int probe_line_send(struct probe_line *line, u32 invalidate_key);
int probe_line_register(struct probe_line *line, int access);
int probe_line_invalidate(struct probe_line *line);
int probe_line_read(struct probe_line *line, u64 address, u32 key);
u32 probe_line_checksum(struct probe_line *line);

int probe_server_start(void);
int probe_server_listen(struct net *net, const char *address);
void probe_server_stop(void);

int probe_client_run(struct net *net, const char *from, const char *to, unsigned int rounds,
		     char *result, size_t size);

#endif /* SCATTER_PROBE_H */
