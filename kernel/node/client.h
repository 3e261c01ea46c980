/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CLIENT_H
#define _SCATTER_CLIENT_H

#include <linux/types.h>

struct scatter_connection;
struct scatter_node;
struct scatter_peer;

/**
 * struct scatter_client - who gets what peers say of groups
 * @received: a message has come from a peer: its type, and all of it. False: it is malformed. The
 *	hub's lock is held: may sleep, may post mail, and waits for nothing
 * @lost: what a peer had of us is gone: it has begun anew, has been silent for longer than a
 *	keep-alive while somebody relied on it, or is no peer any more. Likewise
 */
struct scatter_client {
	bool (*received)(struct scatter_node *node, u64 from, u32 type, const void *data,
			 u32 bytes);
	void (*lost)(struct scatter_node *node, u64 id);
};

void scatter_client_register(const struct scatter_client *client);
bool scatter_client_received_locked(struct scatter_connection *connection, u32 type,
				    const void *data, u32 bytes);
void scatter_client_lost_locked(struct scatter_connection *connection);
void scatter_client_lost(struct scatter_node *node, u64 id);
bool scatter_client_mourn_locked(struct scatter_connection *connection, unsigned long *deadline);
struct scatter_peer *scatter_client_rely(struct scatter_node *node, u64 id);
void scatter_client_unrely(struct scatter_peer *peer);

#endif /* _SCATTER_CLIENT_H */
