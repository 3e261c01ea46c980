/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_GRANTED_H
#define _SCATTER_GRANTED_H

#include <linux/types.h>

struct scatter_connection;

bool scatter_granted_begin_locked(struct scatter_connection *connection, const void *data,
				  u32 bytes);
bool scatter_granted_done_locked(struct scatter_connection *connection, void *cookie, int error);

#endif /* _SCATTER_GRANTED_H */
