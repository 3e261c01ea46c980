/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_FETCH_H
#define _SCATTER_FETCH_H

#include <linux/list.h>
#include <linux/types.h>

#include "wire/wide.h"

struct scatter_connection;
struct scatter_segment;

/**
 * struct scatter_fetch - a segment that a peer has granted
 * @entry: in scatter_connection.fetches
 * @grant: the peer's GRANT
 * @segment: where the bytes go, referenced
 * @begun: a READ of the present line runs, or has read the bytes
 * @done: the bytes are there
 *
 * The hub's lock protects all fields.
 */
struct scatter_fetch {
	struct list_head entry;
	struct scatter_wide_grant grant;
	struct scatter_segment *segment;
	bool begun;
	bool done;
};

struct scatter_fetch *scatter_fetch_create_locked(struct scatter_connection *connection,
						  const struct scatter_wide_grant *grant);
void scatter_fetch_free_locked(struct scatter_connection *connection,
			       struct scatter_fetch *fetch);
void scatter_fetch_pause_locked(struct scatter_connection *connection);
void scatter_fetch_forget_locked(struct scatter_connection *connection);

#endif /* _SCATTER_FETCH_H */
