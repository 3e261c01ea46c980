/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SEGMENT_H
#define _SCATTER_SEGMENT_H

#include <linux/bvec.h>
#include <linux/refcount.h>
#include <linux/sizes.h>
#include <linux/types.h>

#include "memory/buffer.h"

struct scatter_chunks;
struct scatter_meter;

/* Most bytes of a segment: what one grant or one READ covers. */
#define SCATTER_SEGMENT_BYTES	SZ_256K
#define SCATTER_SEGMENT_PIECES	(SCATTER_SEGMENT_BYTES / PAGE_SIZE)

/**
 * struct scatter_segment - payload in pages that a device reads or writes
 * @ref: references of users of the segment
 * @free: constant; called when the last reference is put
 * @meter: the meter that counts the segment; NULL: none
 * @bytes: constant; length of the payload
 * @nr: constant; how many pieces
 * @pieces: constant; the payload. Each piece begins and ends where a page does, but for the
 *	beginning of the first and the end of the last one
 *
 * A context fills the segment before it hands it on. Nobody writes to the segment afterwards.
 */
struct scatter_segment {
	refcount_t ref;
	void (*free)(struct scatter_segment *segment);
	struct scatter_meter *meter;
	u32 bytes;
	u32 nr;
	struct bio_vec pieces[SCATTER_SEGMENT_PIECES];
};

/**
 * struct scatter_meter - how many bytes of segments a node may READ and has not read
 * @ref: references: of the counted segments, and of the meter's owner
 * @bytes: how many bytes now
 * @peak: the most bytes at a time
 */
struct scatter_meter {
	refcount_t ref;
	atomic64_t bytes;
	atomic64_t peak;
};

static inline void scatter_segment_get(struct scatter_segment *segment)
{
	refcount_inc(&segment->ref);
}

/* Context: any. NULL is ignored. */
static inline void scatter_segment_put(struct scatter_segment *segment)
{
	if (segment && refcount_dec_and_test(&segment->ref))
		segment->free(segment);
}

struct scatter_segment *scatter_segment_create(u32 bytes);
bool scatter_segment_fill(struct scatter_segment *segment, struct scatter_stream from);
void scatter_segment_write(struct scatter_segment *segment, u64 at, const void *data, u64 bytes);
void scatter_segment_randomize(struct scatter_segment *segment);
u64 scatter_segment_digest(const struct scatter_segment *segment);
void scatter_segment_add_to(struct scatter_segment *segment, struct scatter_chunks *chunks);
void scatter_segment_count(struct scatter_segment *segment, struct scatter_meter *meter);
struct scatter_meter *scatter_segment_meter(void);
void scatter_segment_unmeter(struct scatter_meter *meter);

#endif /* _SCATTER_SEGMENT_H */
