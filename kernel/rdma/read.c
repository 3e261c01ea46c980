// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA READs of a line: grants to the other side, and this side's READs.
 *
 * A grant is a copy in memory of its own, registered for remote reads only, under a key that is
 * valid for this line alone. An invalidation ends the grant. When the invalidation has completed,
 * or the queue pair has been drained, nobody can read the copy any more, and the grant is freed.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/rw.h>

#include "node/wire_ops.h"
#include "rdma/line.h"
#include "rdma/read.h"

/* Most grants of a line at a time. */
#define SCATTER_READ_GRANTS	4

/**
 * struct scatter_grant - memory that the other side may read
 * @entry: in scatter_line.grants
 * @line: constant; the grant's line
 * @registered: completion of its registration
 * @ended: completion of its invalidation
 * @mr: constant
 * @sg: constant; the memory
 * @data: constant; likewise
 * @ending: line's lock; the invalidation is on its way
 */
struct scatter_grant {
	struct list_head entry;
	struct scatter_line *line;
	struct ib_cqe registered;
	struct ib_cqe ended;
	struct ib_mr *mr;
	struct scatterlist sg;
	void *data;
	bool ending;
};

/**
 * struct scatter_read - memory of the other side that is read, segment by segment
 * @line: constant; the READ's line
 * @cqe: completion of a segment
 * @context: of the rdma_rw library, for a segment
 * @sg: the segment's part of @data
 * @data: constant; all the memory to read into
 * @bytes: constant; of all segments
 * @segment: constant; most bytes of a segment
 * @done: bytes of the segments that are complete
 * @address: constant; as the other side has told
 * @key: constant; likewise
 * @token: constant; the caller's
 */
struct scatter_read {
	struct scatter_line *line;
	struct ib_cqe cqe;
	struct rdma_rw_ctx context;
	struct scatterlist sg;
	void *data;
	u32 bytes;
	u32 segment;
	u32 done;
	u64 address;
	u32 key;
	u64 token;
};

static void grant_free(struct scatter_grant *grant)
{
	struct scatter_line *line = grant->line;

	if (grant->mr)
		ib_dereg_mr(grant->mr);
	ib_dma_unmap_sg(line->id->device, &grant->sg, 1, DMA_TO_DEVICE);
	kfree(grant->data);
	kfree(grant);
}

static void grant_remove_locked(struct scatter_grant *grant)
{
	lockdep_assert_held(&grant->line->lock);
	list_del(&grant->entry);
	grant->line->nr_grants--;
}

/* After a failure the queue pair is lost, and scatter_read_free_all() frees the grant. */
static void grant_registered(struct ib_cq *cq, struct ib_wc *wc)
{
	struct scatter_grant *grant = container_of(wc->wr_cqe, struct scatter_grant, registered);

	if (wc->status != IB_WC_SUCCESS)
		scatter_line_down(grant->line, -EIO);
}

/* Nobody can read the grant any more, and the completion of its registration came before. */
static void grant_ended(struct ib_cq *cq, struct ib_wc *wc)
{
	struct scatter_grant *grant = container_of(wc->wr_cqe, struct scatter_grant, ended);
	struct scatter_line *line = grant->line;

	if (wc->status != IB_WC_SUCCESS) {
		scatter_line_down(line, -EIO);
		return;
	}
	spin_lock(&line->lock);
	grant_remove_locked(grant);
	spin_unlock(&line->lock);
	grant_free(grant);
}

static struct scatter_grant *grant_create(struct scatter_line *line, const void *data, u32 bytes)
{
	struct ib_device *device = line->id->device;
	struct scatter_grant *grant = kzalloc(sizeof(*grant), GFP_KERNEL_ACCOUNT);

	if (!grant)
		return ERR_PTR(-ENOMEM);
	grant->line = line;
	grant->registered.done = grant_registered;
	grant->ended.done = grant_ended;
	grant->data = kmemdup(data, bytes, GFP_KERNEL_ACCOUNT);
	if (!grant->data)
		goto free;
	sg_init_one(&grant->sg, grant->data, bytes);
	if (!ib_dma_map_sg(device, &grant->sg, 1, DMA_TO_DEVICE))
		goto free_data;
	grant->mr = ib_alloc_mr(line->pd, IB_MR_TYPE_MEM_REG,
				SCATTER_LINE_READ_BYTES / PAGE_SIZE + 1);
	if (!IS_ERR(grant->mr))
		return grant;
	grant->mr = NULL;
	grant_free(grant);
	return ERR_PTR(-ENOMEM);

free_data:
	kfree(grant->data);
free:
	kfree(grant);
	return ERR_PTR(-ENOMEM);
}

static int grant_register(struct scatter_grant *grant)
{
	struct ib_reg_wr request = {
		.wr = {
			.opcode = IB_WR_REG_MR,
			.wr_cqe = &grant->registered,
			.send_flags = IB_SEND_SIGNALED,
		},
		.mr = grant->mr,
		.access = IB_ACCESS_REMOTE_READ,
	};

	ib_update_fast_reg_key(grant->mr, ib_inc_rkey(grant->mr->rkey));
	if (ib_map_mr_sg(grant->mr, &grant->sg, 1, NULL, PAGE_SIZE) != 1)
		return -EIO;
	request.key = grant->mr->rkey;
	return ib_post_send(grant->line->id->qp, &request.wr, NULL);
}

/* False if the line has too many grants. */
static bool grant_insert(struct scatter_grant *grant)
{
	struct scatter_line *line = grant->line;
	bool room;

	spin_lock(&line->lock);
	room = line->nr_grants < SCATTER_READ_GRANTS;
	if (room) {
		line->nr_grants++;
		list_add_tail(&grant->entry, &line->grants);
	}
	spin_unlock(&line->lock);
	return room;
}

/**
 * scatter_read_grant() - let the other side read some bytes
 * @handle: a line that is up
 * @data: the bytes; the function makes a copy
 * @bytes: how many bytes, 1 to %SCATTER_LINE_READ_BYTES
 * @address: (out) the address for a READ
 * @key: (out) the key for a READ, and for scatter_read_ungrant()
 *
 * A message sent after this arrives when the other side can read already.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: the line has too many grants; or another -errno.
 */
int scatter_read_grant(void *handle, const void *data, u32 bytes, u64 *address, u32 *key)
{
	struct scatter_line *line = handle;
	struct scatter_grant *grant = grant_create(line, data, bytes);
	int error;

	if (IS_ERR(grant))
		return PTR_ERR(grant);
	if (!grant_insert(grant)) {
		grant_free(grant);
		return -EBUSY;
	}
	error = grant_register(grant);
	if (error) {
		spin_lock(&line->lock);
		grant_remove_locked(grant);
		spin_unlock(&line->lock);
		grant_free(grant);
		return error;
	}
	*address = grant->mr->iova;
	*key = grant->mr->rkey;
	return 0;
}

/**
 * scatter_read_ungrant() - end a grant
 * @handle: the line
 * @key: the grant's; an unknown key is ignored
 *
 * Context: process context; may be called inside of an event.
 */
void scatter_read_ungrant(void *handle, u32 key)
{
	struct scatter_line *line = handle;
	struct scatter_grant *grant, *found = NULL;
	struct ib_send_wr request = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};

	spin_lock(&line->lock);
	list_for_each_entry(grant, &line->grants, entry)
		if (grant->mr->rkey == key && !grant->ending)
			found = grant;
	if (found)
		found->ending = true;
	spin_unlock(&line->lock);
	if (!found)
		return;
	request.wr_cqe = &found->ended;
	/* If the request cannot be posted, the line is lost, and the grant goes with the line. */
	ib_post_send(line->id->qp, &request, NULL);
}

static void read_free(struct scatter_read *read)
{
	kfree(read->data);
	kfree(read);
}

/* Ask for the next segment. */
static int read_post(struct scatter_read *read)
{
	struct scatter_line *line = read->line;
	int error;

	sg_init_one(&read->sg, read->data + read->done,
		    min(read->bytes - read->done, read->segment));
	error = rdma_rw_ctx_init(&read->context, line->id->qp, line->id->port_num, &read->sg, 1,
				 0, read->address + read->done, read->key, DMA_FROM_DEVICE);
	if (error < 0)
		return error;
	error = rdma_rw_ctx_post(&read->context, line->id->qp, line->id->port_num, &read->cqe,
				 NULL);
	if (error)
		rdma_rw_ctx_destroy(&read->context, line->id->qp, line->id->port_num, &read->sg,
				    1, DMA_FROM_DEVICE);
	return error;
}

/* Who closes the line waits for event_lock before draining the queue pair. */
static bool read_goes_on_locked(struct scatter_read *read, int *error)
{
	lockdep_assert_held(&read->line->event_lock);
	if (*error)
		return false;
	read->done += read->sg.length;
	if (read->done == read->bytes)
		return false;
	*error = read_post(read);
	return !*error;
}

static void read_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct scatter_read *read = container_of(wc->wr_cqe, struct scatter_read, cqe);
	struct scatter_line *line = read->line;
	int error = wc->status == IB_WC_SUCCESS ? 0 : -EIO;
	bool goes_on = false;

	rdma_rw_ctx_destroy(&read->context, line->id->qp, line->id->port_num, &read->sg, 1,
			    DMA_FROM_DEVICE);
	mutex_lock(&line->event_lock);
	if (!line->closing && !line->ended) {
		goes_on = read_goes_on_locked(read, &error);
		if (!goes_on)
			line->events->read_done(line->context, read->token, error);
	}
	mutex_unlock(&line->event_lock);
	if (goes_on)
		return;
	spin_lock(&line->lock);
	line->read = NULL;
	spin_unlock(&line->lock);
	read_free(read);
	if (error)
		scatter_line_down(line, error);
}

static struct scatter_read *read_create(struct scatter_line *line, u32 bytes)
{
	struct scatter_read *read = kzalloc(sizeof(*read), GFP_KERNEL_ACCOUNT);

	if (!read)
		return NULL;
	read->data = kmalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!read->data) {
		kfree(read);
		return NULL;
	}
	read->line = line;
	read->cqe.done = read_done;
	read->bytes = bytes;
	return read;
}

/**
 * scatter_read_begin() - read memory that the other side has granted
 * @handle: a line that is up
 * @address: as the other side has told
 * @key: likewise
 * @bytes: how many bytes, 1 to %SCATTER_LINE_READ_BYTES
 * @segment: most bytes of one RDMA READ, 1 and up
 * @token: for the event read_done()
 *
 * Context: may sleep; may be called inside of an event.
 * Return: 0: read_done() follows; -EBUSY: another READ runs; or another -errno.
 */
int scatter_read_begin(void *handle, u64 address, u32 key, u32 bytes, u32 segment, u64 token)
{
	struct scatter_line *line = handle;
	struct scatter_read *read;
	bool busy;
	int error;

	if (!bytes || bytes > SCATTER_LINE_READ_BYTES)
		return -EINVAL;
	read = read_create(line, bytes);
	if (!read)
		return -ENOMEM;
	read->segment = segment;
	read->address = address;
	read->key = key;
	read->token = token;
	spin_lock(&line->lock);
	busy = line->read;
	if (!busy)
		line->read = read;
	spin_unlock(&line->lock);
	error = busy ? -EBUSY : read_post(read);
	if (!error)
		return 0;
	spin_lock(&line->lock);
	if (!busy)
		line->read = NULL;
	spin_unlock(&line->lock);
	read_free(read);
	return error;
}

/**
 * scatter_read_data() - the bytes that a READ has read
 * @handle: the line, inside of its event read_done()
 * @token: the READ's
 * @bytes: (out) how many bytes
 *
 * Context: any.
 * Return: the bytes, which are freed after the event; NULL: there is no such READ.
 */
const void *scatter_read_data(void *handle, u64 token, u32 *bytes)
{
	struct scatter_line *line = handle;
	const struct scatter_read *read = line->read;

	if (!read || read->token != token)
		return NULL;
	*bytes = read->bytes;
	return read->data;
}

/**
 * scatter_read_free_all() - free the grants of a line
 * @line: its queue pair is drained: all READs are complete
 *
 * Context: may sleep.
 */
void scatter_read_free_all(struct scatter_line *line)
{
	struct scatter_grant *grant, *next;

	list_for_each_entry_safe(grant, next, &line->grants, entry) {
		list_del(&grant->entry);
		grant_free(grant);
	}
}
