/* SPDX-License-Identifier: MIT OR LGPL-2.1-only */
/*
 * Registry: the shim's entries for handles of the MPI library. To find the entry that was found
 * last costs two reads and no lock. An entry's memory is never given back, only used again for
 * another handle: so a thread that looks for a handle of its own may read an entry that another
 * thread removes.
 */
#ifndef SCATTER_MPI_REGISTRY_H
#define SCATTER_MPI_REGISTRY_H

#include <pthread.h>
#include <stddef.h>

#include "host.h"

#define REGISTRY_BUCKETS	256

/**
 * struct registry_entry - the beginning of each entry
 * @key: the handle; 0: the entry is not in the registry
 * @next: in the bucket, or among the free ones
 */
struct registry_entry {
	host_word key;
	struct registry_entry *next;
};

/**
 * struct registry - all entries of a kind
 * @lock: protects everything else, except that a bucket's first entry and keys may be read
 *	without; nothing of the MPI library is called with it
 * @bucket: entries by their keys; what was found last comes first
 * @free: entries to be used again
 * @size: bytes of an entry
 */
struct registry {
	pthread_mutex_t lock;
	struct registry_entry *bucket[REGISTRY_BUCKETS];
	struct registry_entry *free;
	size_t size;
};

#define REGISTRY_INIT(type)	{ .lock = PTHREAD_MUTEX_INITIALIZER, .size = sizeof(type) }

/* Handles are small numbers in MPICH, and addresses of objects in Open MPI. */
static inline size_t registry_bucket(host_word key)
{
	return (key ^ key >> 5 ^ key >> 11) % REGISTRY_BUCKETS;
}

/** registry_search() - as registry_find(), in all of the bucket */
struct registry_entry *registry_search(struct registry *registry, host_word key);

/**
 * registry_find() - the entry of a handle
 * @registry: where to look
 * @key: a handle that nobody frees meanwhile
 *
 * Return: the entry; NULL if there is none.
 */
static inline struct registry_entry *registry_find(struct registry *registry, host_word key)
{
	struct registry_entry *first;

	first = __atomic_load_n(&registry->bucket[registry_bucket(key)], __ATOMIC_ACQUIRE);
	if (first && __atomic_load_n(&first->key, __ATOMIC_RELAXED) == key)
		return first;
	return registry_search(registry, key);
}

/**
 * registry_new() - an entry that is in no bucket
 * @registry: where it is to go
 *
 * A used entry still has what its last user left there; a new one is zero.
 *
 * Return: the entry; NULL if there is no memory.
 */
struct registry_entry *registry_new(struct registry *registry);

/**
 * registry_add() - put an entry into its bucket
 * @registry: where to
 * @entry: of registry_new(), ready for use
 * @key: its handle
 *
 * Return: @entry; or the entry that another thread has added for @key.
 */
struct registry_entry *registry_add(struct registry *registry, struct registry_entry *entry,
				    host_word key);

/** registry_free() - take an entry out of its bucket, if it is in one, for others to use */
void registry_free(struct registry *registry, struct registry_entry *entry);

/**
 * registry_pop() - take any entry out of its bucket
 * @registry: where from
 *
 * Return: an entry, for registry_free(); NULL if there is none.
 */
struct registry_entry *registry_pop(struct registry *registry);

#endif /* SCATTER_MPI_REGISTRY_H */
