/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PING_H
#define _SCATTER_PING_H

#include <linux/types.h>

struct scatter_connection;
struct scatter_hub;
struct scatter_wire_ping;
struct scatter_wire_pong;

void scatter_ping_end_locked(struct scatter_hub *hub,
			     const struct scatter_connection *connection);
int scatter_ping(struct scatter_hub *hub, u64 id, u32 bytes, unsigned long until, u64 *ns);
void scatter_ping_answer_locked(struct scatter_connection *connection,
				const struct scatter_wire_pong *pong);
void scatter_ping_reply_locked(struct scatter_connection *connection,
			       const struct scatter_wire_pong *pong);

#endif /* _SCATTER_PING_H */
