/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_RING_H
#define _SCATTER_RING_H

#include <linux/types.h>

struct scatter_location;

/* Lengths of records and rings are multiples of this, so a record's head never wraps. */
#define SCATTER_RECORD_ALIGN	16

/**
 * struct scatter_record - the head of payload that lies in kernel memory
 * @bytes: length of the payload that follows, in bytes
 * @blocks: blocks of the payload that nobody has taken yet; 0: the space is free
 * @data: the payload; in a ring it may wrap around
 */
struct scatter_record {
	u32 bytes;
	u32 blocks;
	u8 data[] __aligned(8);
};

/**
 * struct scatter_ring - a member's receive buffer
 * @memory: the ring's bytes; need not be physically contiguous; NULL: taken away, for good
 * @size: the ring's length in bytes, a power of two
 * @head: bytes ever reserved
 * @tail: bytes ever given back; @head - @tail never exceeds @size
 *
 * Records are reserved in order but may be given back in any order: the space of a record is free
 * only when all records before are given back, too. The group's lock protects all but the payload
 * of records in use.
 */
struct scatter_ring {
	void *memory;
	u32 size;
	u64 head;
	u64 tail;
};

int scatter_ring_init(struct scatter_ring *ring, u32 size);
void scatter_ring_destroy(struct scatter_ring *ring);
void *scatter_ring_take(struct scatter_ring *ring);
void scatter_ring_free(void *memory);
bool scatter_ring_reserve(struct scatter_ring *ring, u32 bytes, u32 blocks,
			  struct scatter_location *location);
void scatter_ring_advance(struct scatter_ring *ring);

#endif /* _SCATTER_RING_H */
