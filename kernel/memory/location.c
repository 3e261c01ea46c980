// SPDX-License-Identifier: GPL-2.0
/*
 * Locations: where payload lies in kernel memory, in a ring or in a slot of its own.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "memory/buffer.h"
#include "memory/location.h"
#include "memory/memory.h"
#include "memory/ring.h"
#include "stats.h"

/**
 * scatter_location_slot() - allocate a slot
 * @user: the user to be charged, which is the sender's
 * @bytes: length of the payload
 * @blocks: blocks in the record
 * @location: (out) the start of the payload
 *
 * Context: may sleep; does not try hard, since the caller can do without a slot.
 * Return: false if there is no memory, or the user or the caller's cgroup may have no more.
 */
bool scatter_location_slot(struct scatter_user *user, u32 bytes, u32 blocks,
			   struct scatter_location *location)
{
	struct scatter_record *slot;

	slot = scatter_memory_alloc(user, struct_size(slot, data, bytes),
				    SCATTER_MEMORY_PAYLOAD);
	if (IS_ERR(slot))
		return false;
	slot->bytes = bytes;
	slot->blocks = blocks;
	*location = (struct scatter_location){ .record = slot };
	scatter_stats_created(SCATTER_OBJECT_SLOT, 1);
	return true;
}

/**
 * scatter_location_free_slot() - free a slot
 * @slot: from scatter_location_release(); NULL is ignored
 *
 * Context: any.
 */
void scatter_location_free_slot(struct scatter_record *slot)
{
	if (!slot)
		return;
	scatter_memory_free(slot);
	scatter_stats_destroyed(SCATTER_OBJECT_SLOT, 1);
}

/**
 * scatter_location_release() - note that some blocks of a record have been taken
 * @location: anywhere in the record
 * @blocks: how many blocks
 *
 * Context: the group's lock is held.
 * Return: a slot that is empty now, for scatter_location_free_slot(), or NULL.
 */
struct scatter_record *scatter_location_release(const struct scatter_location *location,
						u32 blocks)
{
	location->record->blocks -= blocks;
	if (location->record->blocks)
		return NULL;
	if (!location->ring)
		return location->record;
	scatter_ring_advance(location->ring);
	return NULL;
}

/* The address of byte @done of the payload at @location; cuts @bytes at the wrap. */
static void *location_span(const struct scatter_location *location, u64 done, u64 *bytes)
{
	const struct scatter_ring *ring = location->ring;
	void *data = location->record->data + location->offset + done;
	u32 position;

	if (!ring)
		return data;
	position = (data - ring->memory) & (ring->size - 1);
	*bytes = min_t(u64, *bytes, ring->size - position);
	return ring->memory + position;
}

/**
 * scatter_location_from_user() - copy user memory into a record
 * @location: where to
 * @from: user memory in the current address space
 * @bytes: how much
 *
 * Context: may sleep and fault; no locks.
 * Return: false if @from is not readable.
 */
bool scatter_location_from_user(const struct scatter_location *location,
				struct scatter_stream from, u64 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		void *to;

		n = bytes - done;
		to = location_span(location, done, &n);
		if (!scatter_buffer_read(to, scatter_stream_from(from, done), n))
			return false;
	}
	return true;
}

/**
 * scatter_location_to_user() - copy a record into user memory
 * @location: where from
 * @to: user memory in the current address space
 * @bytes: how much
 *
 * Context: may sleep and fault; no locks.
 * Return: false if @to is not writable.
 */
bool scatter_location_to_user(const struct scatter_location *location,
			      struct scatter_stream to, u64 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		void *from;

		n = bytes - done;
		from = location_span(location, done, &n);
		if (!scatter_buffer_write(scatter_stream_from(to, done), from, n))
			return false;
	}
	return true;
}

/**
 * scatter_location_copy() - copy from record to record
 * @to: where to
 * @from: where from
 * @bytes: how much
 *
 * Context: any.
 */
void scatter_location_copy(const struct scatter_location *to,
			   const struct scatter_location *from, u64 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		void *target, *source;

		n = bytes - done;
		source = location_span(from, done, &n);
		target = location_span(to, done, &n);
		memcpy(target, source, n);
	}
}
