/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_HANDSHAKE_H
#define _SCATTER_HANDSHAKE_H

#include <linux/types.h>

struct scatter_connection;

int scatter_handshake_begin_locked(struct scatter_connection *connection);
void scatter_handshake_hello_locked(struct scatter_connection *guest, const void *data,
				    u32 bytes);
void scatter_handshake_welcome_locked(struct scatter_connection *connection, const void *data,
				      u32 bytes);
void scatter_handshake_proof_locked(struct scatter_connection *guest, const void *data,
				    u32 bytes);

#endif /* _SCATTER_HANDSHAKE_H */
