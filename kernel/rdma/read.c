// SPDX-License-Identifier: GPL-2.0
/*
 * Reading: RDMA READs of a line, which read memory that the other side has granted into a segment.
 *
 * A READ consists of requests of at most as many bytes as the owner says, one after the other.
 * Several READs of a line may run at once.
 *
 * soft-RoCE may complete a request with success before all of the bytes have come: on newer kernels
 * (6.12) if an ACK of an earlier message is late and comes in the midst of a READ, on older ones
 * (6.1) if a NAK does. The queue pair fails just after that, but whoever takes the segment would
 * get what was in its pages before. So on soft-RoCE a request begins with a mark in place of the
 * last bytes. soft-RoCE writes bytes in their order: if the mark has gone, all bytes have come. If
 * the mark is still there, either the last bytes have not come or they equal the mark. Then the
 * request runs again, with the opposite mark, which the same bytes cannot equal.
 */
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/rw.h>

#include "memory/segment.h"
#include "node/wire_ops.h"
#include "rdma/line.h"
#include "rdma/poll.h"
#include "rdma/read.h"

/**
 * struct scatter_read - a READ
 * @line: constant; the READ's line
 * @cqe: completion of a request
 * @context: the rdma_rw library's context of the present request
 * @sg: the part of @segment that the present request fills
 * @nr: how many entries of @sg
 * @asked: bytes of the present request
 * @mark: on soft-RoCE: what is in place of the last bytes until they come
 * @again: the present request runs a second time
 * @segment: constant; all the memory to read into, referenced
 * @most: constant; most bytes of a request
 * @done: bytes that have come
 * @address: constant; the address that the other side has told
 * @key: constant; the key that the other side has told
 * @cookie: constant; passed to the event read_done()
 */
struct scatter_read {
	struct scatter_line *line;
	struct ib_cqe cqe;
	struct rdma_rw_ctx context;
	struct scatterlist sg[SCATTER_SEGMENT_PIECES];
	u32 nr;
	u32 asked;
	u64 mark;
	bool again;
	struct scatter_segment *segment;
	u32 most;
	u32 done;
	u64 address;
	u32 key;
	void *cookie;
};

static void read_free(struct scatter_read *read)
{
	struct scatter_line *line = read->line;

	spin_lock(&line->lock);
	line->nr_reads--;
	spin_unlock(&line->lock);
	scatter_segment_put(read->segment);
	kfree(read);
}

/* Fill @sg with the next part of the segment. */
static void choose(struct scatter_read *read)
{
	const struct scatter_segment *segment = read->segment;
	u32 end = min(segment->bytes, read->done + read->most), at = 0, i;

	sg_init_table(read->sg, SCATTER_SEGMENT_PIECES);
	read->nr = 0;
	for (i = 0; i < segment->nr; i++) {
		const struct bio_vec *piece = &segment->pieces[i];
		u32 first = max(read->done, at), last = min(end, at + piece->bv_len);

		if (first < last)
			sg_set_page(&read->sg[read->nr++], piece->bv_page, last - first,
				    piece->bv_offset + (first - at));
		at += piece->bv_len;
	}
	sg_mark_end(&read->sg[read->nr - 1]);
	read->asked = end - read->done;
}

/*
 * The place of the mark: bytes that come in the last packet, whatever the path MTU is. A path MTU
 * is a multiple of 256 bytes.
 */
static void *mark_of(struct scatter_read *read, u32 *bytes)
{
	struct scatterlist *last = &read->sg[read->nr - 1];
	u32 last_packet = (read->asked - 1) % SZ_256 + 1;

	*bytes = min3((u32)sizeof(read->mark), last->length, last_packet);
	return sg_virt(last) + last->length - *bytes;
}

static void set_mark(struct scatter_read *read)
{
	u32 bytes;
	void *place = mark_of(read, &bytes);

	read->mark = read->again ? ~read->mark : get_random_u64();
	memcpy(place, &read->mark, bytes);
}

static bool has_mark(struct scatter_read *read)
{
	u32 bytes;
	void *place = mark_of(read, &bytes);

	return !memcmp(place, &read->mark, bytes);
}

/* Post the request for the next bytes. */
static int read_post(struct scatter_read *read)
{
	struct rdma_cm_id *id = read->line->id;
	int error;

	choose(read);
	if (scatter_line_is_soft(read->line))
		set_mark(read);
	error = rdma_rw_ctx_init(&read->context, id->qp, id->port_num, read->sg, read->nr, 0,
				 read->address + read->done, read->key, DMA_FROM_DEVICE);
	if (error < 0)
		return error;
	error = rdma_rw_ctx_post(&read->context, id->qp, id->port_num, &read->cqe, NULL);
	if (error)
		rdma_rw_ctx_destroy(&read->context, id->qp, id->port_num, read->sg, read->nr,
				    DMA_FROM_DEVICE);
	return error;
}

/* Go on with a READ; false: it is over. A close waits for event_lock, and then drains the queue. */
static bool read_goes_on_locked(struct scatter_read *read, int *error)
{
	lockdep_assert_held(&read->line->event_lock);
	if (*error)
		return false;
	if (!scatter_line_is_soft(read->line) || !has_mark(read)) {
		read->again = false;
		read->done += read->asked;
	} else if (!read->again) {
		read->again = true;
	} else {
		*error = -EIO;
		return false;
	}
	if (read->done == read->segment->bytes)
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

	rdma_rw_ctx_destroy(&read->context, line->id->qp, line->id->port_num, read->sg, read->nr,
			    DMA_FROM_DEVICE);
	mutex_lock(&line->event_lock);
	if (!line->closing && !line->ended) {
		goes_on = read_goes_on_locked(read, &error);
		if (!goes_on)
			line->events->read_done(line->context, read->cookie, error);
	}
	mutex_unlock(&line->event_lock);
	if (goes_on)
		return;
	read_free(read);
	if (error)
		scatter_line_down(line, error);
}

/* Count one more READ of a line. False: as many READs run as may. */
static bool take(struct scatter_line *line)
{
	bool room;

	spin_lock(&line->lock);
	room = line->nr_reads < SCATTER_LINE_READS;
	line->nr_reads += room;
	spin_unlock(&line->lock);
	return room;
}

/**
 * scatter_read_begin() - read memory that the other side has granted
 * @handle: a line that is up
 * @address: the address that the other side has told
 * @key: the key that the other side has told
 * @segment: where the bytes go; the line has a reference as long as the device may write there
 * @most: most bytes of one RDMA READ, 1 and up
 * @cookie: passed to the event read_done()
 *
 * Context: may sleep; may be called inside of an event.
 * Return: 0: read_done() follows; -EBUSY: as many READs run as may; or another -errno.
 */
int scatter_read_begin(void *handle, u64 address, u32 key, struct scatter_segment *segment,
		       u32 most, void *cookie)
{
	struct scatter_line *line = handle;
	struct scatter_read *read;
	int error;

	if (!take(line))
		return -EBUSY;
	read = kzalloc(sizeof(*read), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	scatter_segment_get(segment);
	read->line = line;
	read->cqe.done = read_done;
	read->segment = segment;
	read->most = most;
	read->address = address;
	read->key = key;
	read->cookie = cookie;
	error = read_post(read);
	if (error)
		read_free(read);
	else
		scatter_poll_watch(line);
	return error;
}
