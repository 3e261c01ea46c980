// SPDX-License-Identifier: GPL-2.0
/*
 * Ring arithmetic, and copies into and out of records.
 *
 * A record lies in a member's ring or, when that is full, in a slot: memory of
 * its own, charged to the sender. Copies are in two pieces where a record wraps.
 */
#include <linux/align.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "memory.h"
#include "ring.h"
#include "stats.h"

/**
 * scatter_ring_init() - allocate a ring's memory
 * @ring: the ring
 * @size: its length in bytes, a power of two, at least a page
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
	scatter_object_created(SCATTER_OBJECT_RING, 1);
	return 0;
}

/**
 * scatter_ring_destroy() - free a ring's memory
 * @ring: the ring; nobody refers to its records any more
 *
 * Context: may sleep.
 */
void scatter_ring_destroy(struct scatter_ring *ring)
{
	kvfree(ring->memory);
	ring->memory = NULL;
	scatter_object_destroyed(SCATTER_OBJECT_RING, 1);
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
 * @blocks: blocks in it; the space is free again when all have been released
 * @place: (out) the start of the payload
 *
 * Context: the group's lock is held.
 * Return: false if it does not fit.
 */
bool scatter_ring_reserve(struct scatter_ring *ring, u32 bytes, u32 blocks,
			  struct scatter_place *place)
{
	u32 space = record_space(bytes);
	struct scatter_record *record;

	if (space > ring->size - (ring->head - ring->tail))
		return false;
	record = record_at(ring, ring->head);
	record->bytes = bytes;
	record->blocks = blocks;
	ring->head += space;
	*place = (struct scatter_place){ .ring = ring, .record = record };
	return true;
}

/**
 * scatter_slot_create() - allocate a record of its own
 * @user: who is charged for it: the sender's
 * @bytes: length of the payload
 * @blocks: blocks in it
 * @place: (out) the start of the payload
 *
 * Context: may sleep; does not try hard, since the caller can do without.
 * Return: false if there is no memory, or the user or the caller's cgroup has no more.
 */
bool scatter_slot_create(struct scatter_user *user, u32 bytes, u32 blocks,
			 struct scatter_place *place)
{
	struct scatter_record *slot;

	slot = scatter_memory_alloc(user, struct_size(slot, data, bytes),
				    SCATTER_MEMORY_PAYLOAD);
	if (IS_ERR(slot))
		return false;
	slot->bytes = bytes;
	slot->blocks = blocks;
	*place = (struct scatter_place){ .record = slot };
	scatter_object_created(SCATTER_OBJECT_SLOT, 1);
	return true;
}

/**
 * scatter_slot_destroy() - free a slot
 * @slot: from scatter_place_release(); NULL is ignored
 *
 * Context: any.
 */
void scatter_slot_destroy(struct scatter_record *slot)
{
	if (!slot)
		return;
	scatter_memory_free(slot);
	scatter_object_destroyed(SCATTER_OBJECT_SLOT, 1);
}

/* Give back the space of all records at the tail that are free. */
static void ring_advance(struct scatter_ring *ring)
{
	while (ring->tail != ring->head) {
		struct scatter_record *record = record_at(ring, ring->tail);

		if (record->blocks)
			return;
		ring->tail += record_space(record->bytes);
	}
}

/**
 * scatter_place_release() - some blocks of a record have been taken
 * @place: anywhere in the record
 * @blocks: how many
 *
 * Context: the group's lock is held.
 * Return: a slot that is empty now and wants scatter_slot_destroy(), or NULL.
 */
struct scatter_record *scatter_place_release(const struct scatter_place *place,
					     u32 blocks)
{
	place->record->blocks -= blocks;
	if (place->record->blocks)
		return NULL;
	if (!place->ring)
		return place->record;
	ring_advance(place->ring);
	return NULL;
}

/* The address of byte @done of the payload at @place; cuts @bytes at the wrap. */
static void *place_span(const struct scatter_place *place, u64 done, u64 *bytes)
{
	const struct scatter_ring *ring = place->ring;
	void *data = place->record->data + place->offset + done;
	u32 position;

	if (!ring)
		return data;
	position = (data - ring->memory) & (ring->size - 1);
	*bytes = min_t(u64, *bytes, ring->size - position);
	return ring->memory + position;
}

/**
 * scatter_place_from_user() - copy user memory into a record
 * @place: where to
 * @from: user memory in the current address space
 * @bytes: how much
 *
 * Context: may sleep and fault; no locks.
 * Return: false if @from is not readable.
 */
bool scatter_place_from_user(const struct scatter_place *place,
			     struct scatter_stream from, u64 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		void *to;

		n = bytes - done;
		to = place_span(place, done, &n);
		if (!scatter_stream_read(to, scatter_stream_from(from, done), n))
			return false;
	}
	return true;
}

/**
 * scatter_place_to_user() - copy a record into user memory
 * @place: where from
 * @to: user memory in the current address space
 * @bytes: how much
 *
 * Context: may sleep and fault; no locks.
 * Return: false if @to is not writable.
 */
bool scatter_place_to_user(const struct scatter_place *place,
			   struct scatter_stream to, u64 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		void *from;

		n = bytes - done;
		from = place_span(place, done, &n);
		if (!scatter_stream_write(scatter_stream_from(to, done), from, n))
			return false;
	}
	return true;
}

/**
 * scatter_place_copy() - copy from record to record
 * @to: where to
 * @from: where from
 * @bytes: how much
 *
 * Context: any.
 */
void scatter_place_copy(const struct scatter_place *to,
			const struct scatter_place *from, u64 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		void *target, *source;

		n = bytes - done;
		source = place_span(from, done, &n);
		target = place_span(to, done, &n);
		memcpy(target, source, n);
	}
}
