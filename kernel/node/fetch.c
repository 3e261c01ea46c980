// SPDX-License-Identifier: GPL-2.0
/*
 * Fetches: segments that peers have granted, until this node has read them. See granted.c for how
 * they are read.
 */
#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "memory/segment.h"
#include "node/connection.h"
#include "node/fetch.h"
#include "wire/wide.h"

static_assert(SCATTER_WIDE_PULL_MAX <= SCATTER_SEGMENT_BYTES);

/**
 * scatter_fetch_create_locked() - make a fetch
 * @connection: connection of the peer that has sent a GRANT
 * @grant: the GRANT
 *
 * Context: may sleep; the hub's lock is held; cannot fail.
 * Return: the last fetch of the connection.
 */
struct scatter_fetch *scatter_fetch_create_locked(struct scatter_connection *connection,
						  const struct scatter_wide_grant *grant)
{
	struct scatter_fetch *fetch = kzalloc(sizeof(*fetch), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);

	lockdep_assert_held(&connection->hub->lock);
	fetch->grant = *grant;
	fetch->segment = scatter_segment_create(grant->bytes);
	list_add_tail(&fetch->entry, &connection->fetches);
	connection->nr_fetches++;
	return fetch;
}

/**
 * scatter_fetch_free_locked() - free a fetch
 * @connection: the connection of the fetch
 * @fetch: the fetch
 *
 * Context: any; the hub's lock is held.
 */
void scatter_fetch_free_locked(struct scatter_connection *connection,
			       struct scatter_fetch *fetch)
{
	lockdep_assert_held(&connection->hub->lock);
	list_del(&fetch->entry);
	connection->nr_fetches--;
	scatter_segment_put(fetch->segment);
	kfree(fetch);
}

/**
 * scatter_fetch_pause_locked() - note that READs which the last line did not finish are lost
 * @connection: has a new line to the same incarnation of the peer
 *
 * Context: the hub's lock is held.
 */
void scatter_fetch_pause_locked(struct scatter_connection *connection)
{
	struct scatter_fetch *fetch;

	lockdep_assert_held(&connection->hub->lock);
	list_for_each_entry(fetch, &connection->fetches, entry)
		fetch->begun = fetch->done;
}

/**
 * scatter_fetch_forget_locked() - free all fetches: the peer has forgotten its GRANTs, or goes
 * @connection: the peer's connection
 *
 * The wire may still read into the segments on an old line. Its events are ignored.
 *
 * Context: the hub's lock is held.
 */
void scatter_fetch_forget_locked(struct scatter_connection *connection)
{
	struct scatter_fetch *fetch, *next;

	lockdep_assert_held(&connection->hub->lock);
	list_for_each_entry_safe(fetch, next, &connection->fetches, entry)
		scatter_fetch_free_locked(connection, fetch);
	connection->fetched = 0;
	connection->confirmed = 0;
	connection->unconfirmed = 0;
}
