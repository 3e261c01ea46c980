// SPDX-License-Identifier: GPL-2.0
/*
 * A line: queue pair, buffers, and the verbs that both sides post.
 */
#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "probe.h"

#define DATA_PAGES	(PROBE_BYTES / PAGE_SIZE)

static void posted_done(struct ib_cq *cq, struct ib_wc *wc)
{
	probe_line_succeeded(container_of(wc->wr_cqe, struct probe_line, posted), wc);
}

/**
 * probe_line_create() - a line without a connection
 *
 * Context: may sleep.
 *
 * Return: the line, to be given to probe_line_destroy(), or NULL.
 */
struct probe_line *probe_line_create(void)
{
	struct probe_line *line = kzalloc(sizeof(*line), GFP_KERNEL);

	if (!line)
		return NULL;
	init_completion(&line->step);
	INIT_LIST_HEAD(&line->entry);
	line->posted.done = posted_done;
	line->data = kzalloc(PROBE_BYTES, GFP_KERNEL);
	line->in = kzalloc(sizeof(*line->in), GFP_KERNEL);
	line->out = kzalloc(sizeof(*line->out), GFP_KERNEL);
	if (!line->data || !line->in || !line->out) {
		probe_line_destroy(line);
		return NULL;
	}
	sg_init_one(&line->data_list, line->data, PROBE_BYTES);
	return line;
}

static int map(struct probe_line *line)
{
	struct ib_device *device = line->id->device;

	line->in_dma = ib_dma_map_single(device, line->in, sizeof(*line->in), DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(device, line->in_dma))
		return -ENOMEM;
	line->out_dma = ib_dma_map_single(device, line->out, sizeof(*line->out), DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, line->out_dma))
		goto unmap_in;
	if (ib_dma_map_sg(device, &line->data_list, 1, DMA_BIDIRECTIONAL) != 1)
		goto unmap_out;
	line->mapped = true;
	return 0;

unmap_out:
	ib_dma_unmap_single(device, line->out_dma, sizeof(*line->out), DMA_TO_DEVICE);
unmap_in:
	ib_dma_unmap_single(device, line->in_dma, sizeof(*line->in), DMA_FROM_DEVICE);
	return -ENOMEM;
}

static void unmap(struct probe_line *line)
{
	struct ib_device *device = line->id->device;

	ib_dma_unmap_sg(device, &line->data_list, 1, DMA_BIDIRECTIONAL);
	ib_dma_unmap_single(device, line->out_dma, sizeof(*line->out), DMA_TO_DEVICE);
	ib_dma_unmap_single(device, line->in_dma, sizeof(*line->in), DMA_FROM_DEVICE);
}

/**
 * probe_line_set_up() - give a line all that its connection needs
 * @line: the line, whose id knows its device
 *
 * Context: may sleep.
 *
 * Return: 0, or a negative errno; probe_line_destroy() then frees what there is.
 */
int probe_line_set_up(struct probe_line *line)
{
	struct ib_qp_init_attr attr = {
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 4,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
	};

	line->pd = ib_alloc_pd(line->id->device, 0);
	if (IS_ERR(line->pd))
		return PTR_ERR(line->pd);
	line->cq = ib_alloc_cq(line->id->device, line, 32, 0, IB_POLL_UNBOUND_WORKQUEUE);
	if (IS_ERR(line->cq))
		return PTR_ERR(line->cq);
	line->mr = ib_alloc_mr(line->pd, IB_MR_TYPE_MEM_REG, DATA_PAGES);
	if (IS_ERR(line->mr))
		return PTR_ERR(line->mr);
	attr.send_cq = line->cq;
	attr.recv_cq = line->cq;
	return rdma_create_qp(line->id, line->pd, &attr) ?: map(line);
}

/**
 * probe_line_destroy() - end the connection, free the line
 * @line: the line
 *
 * Context: may sleep; not in a handler of the connection.
 */
void probe_line_destroy(struct probe_line *line)
{
	if (!IS_ERR_OR_NULL(line->id) && line->id->qp) {
		rdma_disconnect(line->id);
		ib_drain_qp(line->id->qp);
		rdma_destroy_qp(line->id);
	}
	if (!IS_ERR_OR_NULL(line->mr))
		ib_dereg_mr(line->mr);
	if (!IS_ERR_OR_NULL(line->cq))
		ib_free_cq(line->cq);
	if (line->mapped)
		unmap(line);
	if (!IS_ERR_OR_NULL(line->pd))
		ib_dealloc_pd(line->pd);
	if (!IS_ERR_OR_NULL(line->id))
		rdma_destroy_id(line->id);
	kfree(line->out);
	kfree(line->in);
	kfree(line->data);
	kfree(line);
}

/**
 * probe_line_succeeded() - look at a completion; fail the line if that is an error
 * @line: the line
 * @wc: the completion
 *
 * Context: as completions are: may sleep.
 *
 * Return: whether it is none.
 */
bool probe_line_succeeded(struct probe_line *line, struct ib_wc *wc)
{
	if (wc->status == IB_WC_SUCCESS)
		return true;
	if (wc->status != IB_WC_WR_FLUSH_ERR)
		pr_info("completion: %s\n", ib_wc_status_msg(wc->status));
	line->fail(line, wc->status == IB_WC_RETRY_EXC_ERR ? -ETIMEDOUT : -EIO);
	return false;
}

/**
 * probe_line_receive() - post the receive of one message
 * @line: the line
 *
 * Context: any.
 *
 * Return: 0, or a negative errno.
 */
int probe_line_receive(struct probe_line *line)
{
	struct ib_sge piece = {
		.addr = line->in_dma,
		.length = sizeof(*line->in),
		.lkey = line->pd->local_dma_lkey,
	};
	struct ib_recv_wr request = {
		.wr_cqe = &line->received,
		.sg_list = &piece,
		.num_sge = 1,
	};

	return ib_post_recv(line->id->qp, &request, NULL);
}

/**
 * probe_line_send() - post one message
 * @line: the line
 * @invalidate_key: of the other side's memory, which it is then to invalidate; 0: none
 *
 * Context: any.
 *
 * Return: 0, or a negative errno.
 */
int probe_line_send(struct probe_line *line, u32 invalidate_key)
{
	struct ib_sge piece = {
		.addr = line->out_dma,
		.length = sizeof(*line->out),
		.lkey = line->pd->local_dma_lkey,
	};
	struct ib_send_wr request = {
		.wr_cqe = &line->posted,
		.sg_list = &piece,
		.num_sge = 1,
		.opcode = invalidate_key ? IB_WR_SEND_WITH_INV : IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = invalidate_key,
	};

	return ib_post_send(line->id->qp, &request, NULL);
}

/**
 * probe_line_register() - register the line's data under a new key
 * @line: the line
 * @access: what for, as in enum ib_access_flags
 *
 * Context: any.
 *
 * Return: 0, or a negative errno.
 */
int probe_line_register(struct probe_line *line, int access)
{
	struct ib_reg_wr request = {
		.wr = {
			.wr_cqe = &line->posted,
			.opcode = IB_WR_REG_MR,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = line->mr,
		.access = access,
	};

	ib_update_fast_reg_key(line->mr, ib_inc_rkey(line->mr->rkey));
	if (ib_map_mr_sg(line->mr, &line->data_list, 1, NULL, PAGE_SIZE) != 1)
		return -EIO;
	request.key = line->mr->rkey;
	return ib_post_send(line->id->qp, &request.wr, NULL);
}

/**
 * probe_line_invalidate() - end the registration of the line's data
 * @line: the line
 *
 * Context: any.
 *
 * Return: 0, or a negative errno.
 */
int probe_line_invalidate(struct probe_line *line)
{
	struct ib_send_wr request = {
		.wr_cqe = &line->posted,
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = line->mr->rkey,
	};

	return ib_post_send(line->id->qp, &request, NULL);
}

/**
 * probe_line_read() - read the other side's data to the line's own
 * @line: the line, whose data are registered
 * @address: of the data there
 * @key: of the data there
 *
 * Context: any.
 *
 * Return: 0, or a negative errno.
 */
int probe_line_read(struct probe_line *line, u64 address, u32 key)
{
	struct ib_sge piece = {
		.addr = line->mr->iova,
		.length = PROBE_BYTES,
		.lkey = line->mr->lkey,
	};
	struct ib_rdma_wr request = {
		.wr = {
			.wr_cqe = &line->read,
			.sg_list = &piece,
			.num_sge = 1,
			.opcode = IB_WR_RDMA_READ,
			.send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = address,
		.rkey = key,
	};

	return ib_post_send(line->id->qp, &request.wr, NULL);
}

/**
 * probe_line_checksum() - of the line's data
 * @line: the line
 *
 * Context: any.
 *
 * Return: their CRC-32.
 */
u32 probe_line_checksum(struct probe_line *line)
{
	return crc32(0, line->data, PROBE_BYTES);
}
