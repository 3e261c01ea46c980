/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CLIENT_H
#define _SCATTER_CLIENT_H

#include <linux/types.h>

struct page;
struct scatter_connection;
struct scatter_node;
struct scatter_peer;
struct scatter_segment;
struct scatter_wide_grant;

/**
 * struct scatter_client_sender - who says something
 * @id: the peer's
 * @incarnation: the peer's, which may have been in a group in another one
 */
struct scatter_client_sender {
	u64 id;
	u64 incarnation;
};

/**
 * struct scatter_client - the callbacks for what peers say of groups
 * @received: a message has come from a peer: its type, the page in which the message lies, and the
 *	whole message, which begins where the page does. False: the message is malformed. To keep
 *	the message, the callback takes a reference on the page, which nobody writes into then. The
 *	hub's lock is held: the callback may sleep and may post mail, but must not wait
 * @fetched: this node has read a segment that a peer has granted. To keep the segment, the callback
 *	takes a reference. False: the peer may not grant these bytes. Otherwise as @received
 * @lost: the peer is lost, or has forgotten what it knew of this node: it has restarted, it is not
 *	a peer any more, or it was silent for longer than a keep-alive while a caller relied on it.
 *	@anew: the new incarnation of the peer, which is not lost; 0: there is none. Otherwise as
 *	@received
 * @fenced: an administrator says that the peer is down for good, in all incarnations but @anew; 0:
 *	in all. Returns how many groups there are with one of those. Otherwise as @lost
 * @wait: waits until the client has done what it has put off, as far as it can. The node's lock is
 *	held, and no hub's
 */
struct scatter_client {
	bool (*received)(struct scatter_node *node, const struct scatter_client_sender *from,
			 u32 type, struct page *page, const void *data, u32 bytes);
	bool (*fetched)(struct scatter_node *node, const struct scatter_client_sender *from,
			const struct scatter_wide_grant *grant, struct scatter_segment *segment);
	void (*lost)(struct scatter_node *node, u64 id, u64 anew);
	u32 (*fenced)(struct scatter_node *node, u64 id, u64 anew);
	void (*wait)(struct scatter_node *node);
};

void scatter_client_register(const struct scatter_client *client);
bool scatter_client_received_locked(struct scatter_connection *connection, u32 type,
				    struct page *page, u32 bytes);
bool scatter_client_fetched_locked(struct scatter_connection *connection,
				   const struct scatter_wide_grant *grant,
				   struct scatter_segment *segment);
void scatter_client_lost_locked(struct scatter_connection *connection);
bool scatter_client_is_flooded_locked(struct scatter_connection *connection);
void scatter_client_forget_locked(struct scatter_connection *connection);
void scatter_client_anew_locked(struct scatter_connection *connection, u64 incarnation);
void scatter_client_lost(struct scatter_node *node, u64 id);
void scatter_client_wait(struct scatter_node *node);
int scatter_client_fence_locked(struct scatter_connection *connection);
void scatter_client_fence(struct scatter_node *node, u64 id);
void scatter_client_drop_locked(struct scatter_connection *connection);
struct scatter_peer *scatter_client_rely(struct scatter_node *node, u64 id);
void scatter_client_run_ahead(struct scatter_peer *peer, s64 messages);
void scatter_client_unrely(struct scatter_peer *peer);

#endif /* _SCATTER_CLIENT_H */
