// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: reserve space for records, and give it back.
 *
 * A record lies in a member's ring or, when the ring is full, in a slot: memory of its own, charged
 * to the sender. A record that wraps is copied in two pieces.
 */
#include <linux/align.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "memory/location.h"
#include "memory/ring.h"
#include "stats.h"

/**
 * scatter_ring_init() - allocate a ring's memory
 * @ring: the ring
 * @size: the ring's length in bytes, a power of two, at least a page
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int scatter_ring_init(struct scatter_ring *ring, u32 size)
{
	static_assert(sizeof(struct scatter_record) <= SCATTER_RECORD_ALIGN);

	ring->memory = kvzalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN |
				      __GFP_RETRY_MAYFAIL);
	if (!ring->memory)
		return -ENOMEM;
	ring->size = size;
	ring->head = 0;
	ring->tail = 0;
	scatter_stats_created(SCATTER_OBJECT_RING, 1);
	return 0;
}

/**
 * scatter_ring_take() - take a ring's memory away, unless a record is in the ring
 * @ring: the ring; a ring without memory is full
 *
 * Context: the group's lock is held.
 * Return: the memory, for scatter_ring_free(); or NULL.
 */
void *scatter_ring_take(struct scatter_ring *ring)
{
	void *memory = ring->memory;

	if (ring->head != ring->tail)
		return NULL;
	ring->memory = NULL;
	ring->tail = ring->head - ring->size;
	return memory;
}

/**
 * scatter_ring_free() - free the memory of a ring
 * @memory: from scatter_ring_take() or scatter_ring.memory; nobody refers to its records any more
 *
 * Context: may sleep.
 */
void scatter_ring_free(void *memory)
{
	if (!memory)
		return;
	kvfree(memory);
	scatter_stats_destroyed(SCATTER_OBJECT_RING, 1);
}

/**
 * scatter_ring_destroy() - free a ring's memory
 * @ring: the ring; nobody refers to its records any more
 *
 * Context: may sleep.
 */
void scatter_ring_destroy(struct scatter_ring *ring)
{
	scatter_ring_free(ring->memory);
	ring->memory = NULL;
}

static struct scatter_record *record_at(const struct scatter_ring *ring,
					u64 position)
{
	return ring->memory + (position & (ring->size - 1));
}

static u32 record_space(u32 bytes)
{
	return ALIGN(bytes + (u32)sizeof(struct scatter_record),
		     SCATTER_RECORD_ALIGN);
}

/**
 * scatter_ring_reserve() - take space for one record
 * @ring: the ring
 * @bytes: length of the payload, at most %SCATTER_RING_BYTES_MAX
 * @blocks: blocks in the record; the space is free again when all blocks have been released
 * @location: (out) the start of the payload
 *
 * Context: the group's lock is held.
 * Return: false if the record does not fit.
 */
bool scatter_ring_reserve(struct scatter_ring *ring, u32 bytes, u32 blocks,
			  struct scatter_location *location)
{
	u32 space = record_space(bytes);
	struct scatter_record *record;

	if (space > ring->size - (ring->head - ring->tail))
		return false;
	record = record_at(ring, ring->head);
	record->bytes = bytes;
	record->blocks = blocks;
	ring->head += space;
	*location = (struct scatter_location){ .ring = ring, .record = record };
	return true;
}

/**
 * scatter_ring_advance() - give back the space of all records at the tail that are free
 * @ring: the ring
 *
 * Context: the group's lock is held.
 */
void scatter_ring_advance(struct scatter_ring *ring)
{
	while (ring->tail != ring->head) {
		struct scatter_record *record = record_at(ring, ring->tail);

		if (record->blocks)
			return;
		ring->tail += record_space(record->bytes);
	}
}
