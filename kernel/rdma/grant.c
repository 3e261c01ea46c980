// SPDX-License-Identifier: GPL-2.0
/*
 * Grants: what the other side of a line may READ.
 *
 * A grant registers the pages of a segment, for remote reads only, under a key that is valid for
 * this line alone. An invalidation ends the grant. When the invalidation has completed, or the
 * queue pair has been drained, nobody can read the pages any more, and the line puts the segment. A
 * memory region serves one grant after the other, since some devices take long to make a region.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "memory/segment.h"
#include "rdma/grant.h"
#include "rdma/line.h"
#include "rdma/poll.h"

/**
 * struct scatter_grant - memory that the other side may read
 * @entry: in scatter_line.grants, or in scatter_line.spare while the grant is not in use
 * @line: constant; the grant's line
 * @registered: completion of the grant's registration
 * @ended: completion of the grant's invalidation
 * @mr: constant
 * @segment: the memory, referenced; NULL: not in use
 * @sg: the memory
 * @nr: entries of @sg as the device sees them
 * @ending: line's lock; the invalidation is on its way
 */
struct scatter_grant {
	struct list_head entry;
	struct scatter_line *line;
	struct ib_cqe registered;
	struct ib_cqe ended;
	struct ib_mr *mr;
	struct scatter_segment *segment;
	struct scatterlist sg[SCATTER_SEGMENT_PIECES];
	int nr;
	bool ending;
};

/* Put the segment of a grant, which the device does not know any more, or never knew. */
static void let_go(struct scatter_grant *grant)
{
	if (!grant->segment)
		return;
	ib_dma_unmap_sg(grant->line->id->device, grant->sg, grant->segment->nr, DMA_TO_DEVICE);
	scatter_segment_put(grant->segment);
	grant->segment = NULL;
}

static void grant_free(struct scatter_grant *grant)
{
	let_go(grant);
	ib_dereg_mr(grant->mr);
	kfree(grant);
}

/* Let a grant serve again. */
static void grant_spare(struct scatter_grant *grant)
{
	struct scatter_line *line = grant->line;

	let_go(grant);
	spin_lock(&line->lock);
	line->nr_ending -= grant->ending;
	grant->ending = false;
	list_move(&grant->entry, &line->spare);
	line->nr_grants--;
	spin_unlock(&line->lock);
}

/* A registration has completed. If it failed, the line is lost: see scatter_grant_free_all(). */
static void grant_registered(struct ib_cq *cq, struct ib_wc *wc)
{
	struct scatter_grant *grant = container_of(wc->wr_cqe, struct scatter_grant, registered);

	if (wc->status != IB_WC_SUCCESS)
		scatter_line_down(grant->line, -EIO);
}

/* An invalidation has completed, and so has the registration: nobody can read the pages now. */
static void grant_ended(struct ib_cq *cq, struct ib_wc *wc)
{
	struct scatter_grant *grant = container_of(wc->wr_cqe, struct scatter_grant, ended);

	if (wc->status == IB_WC_SUCCESS)
		grant_spare(grant);
	else
		scatter_line_down(grant->line, -EIO);
}

static struct scatter_grant *grant_create(struct scatter_line *line)
{
	struct scatter_grant *grant = kzalloc(sizeof(*grant), GFP_KERNEL_ACCOUNT);

	if (!grant)
		return NULL;
	grant->line = line;
	grant->registered.done = grant_registered;
	grant->ended.done = grant_ended;
	INIT_LIST_HEAD(&grant->entry);
	grant->mr = ib_alloc_mr(line->pd, IB_MR_TYPE_MEM_REG, SCATTER_SEGMENT_PIECES);
	if (!IS_ERR(grant->mr))
		return grant;
	kfree(grant);
	return NULL;
}

/* Take a grant that is not in use. -EBUSY: the line has too many grants. */
static struct scatter_grant *take(struct scatter_line *line)
{
	struct scatter_grant *grant;
	bool room;

	spin_lock(&line->lock);
	grant = list_first_entry_or_null(&line->spare, struct scatter_grant, entry);
	room = line->nr_grants < SCATTER_LINE_GRANTS;
	if (room) {
		line->nr_grants++;
		if (grant)
			list_del_init(&grant->entry);
	}
	spin_unlock(&line->lock);
	if (!room) {
		/* Handle completions now, so that ended grants make room. */
		scatter_poll_kick(line);
		return ERR_PTR(-EBUSY);
	}
	if (!grant)
		grant = grant_create(line);
	if (grant)
		return grant;
	spin_lock(&line->lock);
	line->nr_grants--;
	spin_unlock(&line->lock);
	return ERR_PTR(-ENOMEM);
}

static int map(struct scatter_grant *grant, struct scatter_segment *segment)
{
	u32 i;

	sg_init_table(grant->sg, segment->nr);
	for (i = 0; i < segment->nr; i++)
		sg_set_page(&grant->sg[i], segment->pieces[i].bv_page, segment->pieces[i].bv_len,
			    segment->pieces[i].bv_offset);
	grant->nr = ib_dma_map_sg(grant->line->id->device, grant->sg, segment->nr, DMA_TO_DEVICE);
	if (!grant->nr)
		return -ENOMEM;
	scatter_segment_get(segment);
	grant->segment = segment;
	return 0;
}

/*
 * To send lost packets again, soft-RoCE goes back to the oldest request that is not complete, and
 * also runs the local requests behind it again. A second registration of a region fails, and the
 * queue pair is lost. So on soft-RoCE each registration follows an invalidation of a region that is
 * not in use: soft-RoCE runs an invalidation only when all requests before it are complete.
 */
static int grant_register(struct scatter_grant *grant)
{
	struct ib_send_wr before = {
		.opcode = IB_WR_LOCAL_INV,
		.wr_cqe = &grant->registered,
		.ex.invalidate_rkey = grant->mr->rkey,
	};
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
	if (ib_map_mr_sg(grant->mr, grant->sg, grant->nr, NULL, PAGE_SIZE) != grant->nr)
		return -EIO;
	request.key = grant->mr->rkey;
	before.next = &request.wr;
	return ib_post_send(grant->line->id->qp,
			    scatter_line_is_soft(grant->line) ? &before : &request.wr, NULL);
}

/**
 * scatter_grant_begin() - let the other side read a segment
 * @handle: a line that is up
 * @segment: the segment; the line has a reference until nobody can read the segment any more
 * @address: (out) the address for a READ
 * @key: (out) the key for a READ, and for scatter_grant_end()
 *
 * When a message that is sent after this call arrives, the other side can read already.
 *
 * Context: may sleep; may be called inside of an event.
 * Return: 0; -EBUSY: the line has too many grants; or another -errno.
 */
int scatter_grant_begin(void *handle, struct scatter_segment *segment, u64 *address, u32 *key)
{
	struct scatter_line *line = handle;
	struct scatter_grant *grant = take(line);
	int error;

	if (IS_ERR(grant))
		return PTR_ERR(grant);
	error = map(grant, segment);
	if (!error) {
		/* Add the grant to the list before the device may complete anything. */
		spin_lock(&line->lock);
		list_add_tail(&grant->entry, &line->grants);
		spin_unlock(&line->lock);
		error = grant_register(grant);
	}
	if (error) {
		grant_spare(grant);
		return error;
	}
	*address = grant->mr->iova;
	*key = grant->mr->rkey;
	return 0;
}

/**
 * scatter_grant_end() - end a grant
 * @handle: the line
 * @key: the grant's key; an unknown key is ignored
 *
 * Context: process context; may be called inside of an event.
 */
void scatter_grant_end(void *handle, u32 key)
{
	struct scatter_line *line = handle;
	struct scatter_grant *grant, *found = NULL;
	struct ib_send_wr request = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED,
		.ex.invalidate_rkey = key,
	};
	int error;

	spin_lock(&line->lock);
	list_for_each_entry(grant, &line->grants, entry)
		if (grant->mr->rkey == key && !grant->ending)
			found = grant;
	if (found) {
		found->ending = true;
		line->nr_ending++;
	}
	spin_unlock(&line->lock);
	if (!found)
		return;
	request.wr_cqe = &found->ended;
	error = ib_post_send(line->id->qp, &request, NULL);
	/* The end of the line ends the grant, too. */
	if (error)
		scatter_poll_note(line, error);
	else
		scatter_poll_watch(line);
}

static void free_list(struct list_head *list)
{
	struct scatter_grant *grant, *next;

	list_for_each_entry_safe(grant, next, list, entry) {
		list_del(&grant->entry);
		grant_free(grant);
	}
}

/**
 * scatter_grant_free_all() - free the grants of a line
 * @line: the line, whose queue pair is drained
 *
 * Context: may sleep.
 */
void scatter_grant_free_all(struct scatter_line *line)
{
	free_list(&line->grants);
	free_list(&line->spare);
}
