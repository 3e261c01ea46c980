// SPDX-License-Identifier: MIT OR LGPL-2.1-only
/*
 * Registry: the shim's entries for handles of the MPI library.
 */
#include <stdlib.h>

#include "registry.h"

/* Where an entry is linked in its bucket, or the end of the bucket. Locked. */
static struct registry_entry **link_of(struct registry *registry, host_word key)
{
	struct registry_entry **link = &registry->bucket[registry_bucket(key)];

	while (*link && (*link)->key != key)
		link = &(*link)->next;
	return link;
}

static void make_first(struct registry *registry, struct registry_entry *entry)
{
	struct registry_entry **first = &registry->bucket[registry_bucket(entry->key)];

	entry->next = *first;
	__atomic_store_n(first, entry, __ATOMIC_RELEASE);
}

static struct registry_entry *search_locked(struct registry *registry, host_word key)
{
	struct registry_entry **link = link_of(registry, key);
	struct registry_entry *entry = *link;

	if (!entry)
		return NULL;
	__atomic_store_n(link, entry->next, __ATOMIC_RELEASE);
	make_first(registry, entry);
	return entry;
}

struct registry_entry *registry_search(struct registry *registry, host_word key)
{
	struct registry_entry *entry;

	pthread_mutex_lock(&registry->lock);
	entry = search_locked(registry, key);
	pthread_mutex_unlock(&registry->lock);
	return entry;
}

struct registry_entry *registry_new(struct registry *registry)
{
	struct registry_entry *entry;

	pthread_mutex_lock(&registry->lock);
	entry = registry->free;
	if (entry)
		registry->free = entry->next;
	pthread_mutex_unlock(&registry->lock);
	return entry ? entry : calloc(1, registry->size);
}

struct registry_entry *registry_add(struct registry *registry, struct registry_entry *entry,
				    host_word key)
{
	struct registry_entry *other;

	pthread_mutex_lock(&registry->lock);
	other = search_locked(registry, key);
	if (!other) {
		__atomic_store_n(&entry->key, key, __ATOMIC_RELAXED);
		make_first(registry, entry);
	}
	pthread_mutex_unlock(&registry->lock);
	return other ? other : entry;
}

static void take_out_locked(struct registry *registry, struct registry_entry *entry)
{
	struct registry_entry **link;

	if (!entry->key)
		return;
	link = link_of(registry, entry->key);
	__atomic_store_n(link, entry->next, __ATOMIC_RELEASE);
	__atomic_store_n(&entry->key, 0, __ATOMIC_RELAXED);
}

void registry_free(struct registry *registry, struct registry_entry *entry)
{
	pthread_mutex_lock(&registry->lock);
	take_out_locked(registry, entry);
	entry->next = registry->free;
	registry->free = entry;
	pthread_mutex_unlock(&registry->lock);
}

struct registry_entry *registry_pop(struct registry *registry)
{
	struct registry_entry *entry = NULL;
	size_t i;

	pthread_mutex_lock(&registry->lock);
	for (i = 0; i < REGISTRY_BUCKETS && !entry; i++)
		entry = registry->bucket[i];
	if (entry)
		take_out_locked(registry, entry);
	pthread_mutex_unlock(&registry->lock);
	return entry;
}
