// SPDX-License-Identifier: GPL-2.0
/*
 * Segments: payload that goes from node to node by RDMA READ.
 *
 * Each user of a segment holds a reference, and so does each GRANT that lets a node READ it, and
 * the wire as long as the device may access the pages. This node grants a segment that has come by
 * READ to the next node as it is: only the block's taker copies the bytes.
 */
#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "memory/chunks.h"
#include "memory/segment.h"
#include "wire/digest.h"

/* How many bytes a meter counts for a segment: those of its pages. */
static u32 weight(const struct scatter_segment *segment)
{
	return round_up(segment->bytes, PAGE_SIZE);
}

static void segment_free(struct scatter_segment *segment)
{
	struct scatter_meter *meter = segment->meter;
	u32 i;

	for (i = 0; i < segment->nr; i++)
		put_page(segment->pieces[i].bv_page);
	if (meter) {
		atomic64_sub(weight(segment), &meter->bytes);
		scatter_segment_unmeter(meter);
	}
	kfree(segment);
}

/*
 * Add a piece, of no more pages than the bytes need. Pages in a row are best for a device, but
 * single pages can always be had.
 */
static void add_piece(struct scatter_segment *segment, u32 bytes)
{
	gfp_t row = GFP_KERNEL_ACCOUNT | __GFP_COMP | __GFP_NOWARN | __GFP_NORETRY;
	struct bio_vec *piece = &segment->pieces[segment->nr++];
	u32 order = bytes < PAGE_SIZE ? 0 : ilog2(bytes >> PAGE_SHIFT);

	*piece = (struct bio_vec){ .bv_len = min_t(u32, bytes, PAGE_SIZE << order) };
	if (order)
		piece->bv_page = alloc_pages(row, order);
	if (piece->bv_page)
		return;
	piece->bv_len = min_t(u32, bytes, PAGE_SIZE);
	piece->bv_page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
}

/**
 * scatter_segment_create() - make a segment in kernel memory
 * @bytes: the segment's length, 1 to %SCATTER_SEGMENT_BYTES
 *
 * Context: may sleep; cannot fail.
 * Return: the segment, whose bytes are still to be written, for scatter_segment_put().
 */
struct scatter_segment *scatter_segment_create(u32 bytes)
{
	struct scatter_segment *segment = kzalloc(sizeof(*segment),
						  GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	u32 done;

	refcount_set(&segment->ref, 1);
	segment->free = segment_free;
	segment->bytes = bytes;
	for (done = 0; done < bytes; done += segment->pieces[segment->nr - 1].bv_len)
		add_piece(segment, bytes - done);
	return segment;
}

static void *address_of(const struct bio_vec *piece)
{
	return page_address(piece->bv_page) + piece->bv_offset;
}

/**
 * scatter_segment_fill() - write bytes of user memory into a segment
 * @segment: from scatter_segment_create(); nobody else has it
 * @from: user memory in the current address space
 *
 * Context: may sleep and fault; no locks.
 * Return: false if @from is not readable.
 */
bool scatter_segment_fill(struct scatter_segment *segment, struct scatter_stream from)
{
	u64 done = 0;
	u32 i;

	for (i = 0; i < segment->nr; i++) {
		const struct bio_vec *piece = &segment->pieces[i];

		if (!scatter_buffer_read(address_of(piece), scatter_stream_from(from, done),
					 piece->bv_len))
			return false;
		done += piece->bv_len;
	}
	return true;
}

/**
 * scatter_segment_write() - write bytes of kernel memory into a segment
 * @segment: from scatter_segment_create(); nobody else has it
 * @at: bytes of the segment before the first byte to write
 * @data: the bytes
 * @bytes: how many; the segment has room for them behind @at
 *
 * Context: any.
 */
void scatter_segment_write(struct scatter_segment *segment, u64 at, const void *data, u64 bytes)
{
	u64 begin = 0;
	u32 i;

	for (i = 0; i < segment->nr && bytes; i++) {
		const struct bio_vec *piece = &segment->pieces[i];
		u64 n;

		if (at < begin + piece->bv_len) {
			n = min(bytes, begin + piece->bv_len - at);
			memcpy(address_of(piece) + (at - begin), data, n);
			at += n;
			data += n;
			bytes -= n;
		}
		begin += piece->bv_len;
	}
}

/**
 * scatter_segment_randomize() - write random bytes into a segment
 * @segment: from scatter_segment_create(); nobody else has it
 *
 * Context: any.
 */
void scatter_segment_randomize(struct scatter_segment *segment)
{
	u32 i;

	for (i = 0; i < segment->nr; i++)
		get_random_bytes(address_of(&segment->pieces[i]), segment->pieces[i].bv_len);
}

/**
 * scatter_segment_digest() - make the digest of a segment's bytes
 * @segment: the segment
 *
 * Context: any.
 */
u64 scatter_segment_digest(const struct scatter_segment *segment)
{
	u64 digest = SCATTER_DIGEST_EMPTY;
	u32 i;

	for (i = 0; i < segment->nr; i++)
		digest = scatter_digest_bytes(digest, address_of(&segment->pieces[i]),
					      segment->pieces[i].bv_len);
	return digest;
}

/**
 * scatter_segment_add_to() - add a segment to payload by sharing its pages
 * @segment: the segment; its pages get references, but short pieces are copied
 * @chunks: the payload
 *
 * Context: may sleep; cannot fail.
 */
void scatter_segment_add_to(struct scatter_segment *segment, struct scatter_chunks *chunks)
{
	u32 i;

	for (i = 0; i < segment->nr; i++)
		scatter_chunks_add(chunks, segment->pieces[i].bv_page,
				   segment->pieces[i].bv_offset, segment->pieces[i].bv_len);
}

/**
 * scatter_segment_count() - let a meter count a segment until the segment is freed
 * @segment: the segment; no meter counts it yet
 * @meter: the meter; the caller serializes with other calls that let it count
 *
 * Context: any.
 */
void scatter_segment_count(struct scatter_segment *segment, struct scatter_meter *meter)
{
	s64 now = atomic64_add_return(weight(segment), &meter->bytes);

	refcount_inc(&meter->ref);
	if (now > atomic64_read(&meter->peak))
		atomic64_set(&meter->peak, now);
	segment->meter = meter;
}

/**
 * scatter_segment_meter() - make a meter
 *
 * Context: may sleep.
 * Return: the meter, for scatter_segment_unmeter(); NULL: no memory.
 */
struct scatter_meter *scatter_segment_meter(void)
{
	struct scatter_meter *meter = kzalloc(sizeof(*meter), GFP_KERNEL_ACCOUNT);

	if (meter)
		refcount_set(&meter->ref, 1);
	return meter;
}

/**
 * scatter_segment_unmeter() - put a meter
 * @meter: the meter; freed when all segments that it counts are freed; NULL is ignored
 *
 * Context: any.
 */
void scatter_segment_unmeter(struct scatter_meter *meter)
{
	if (meter && refcount_dec_and_test(&meter->ref))
		kfree(meter);
}
