/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CONNECT_H
#define _SCATTER_CONNECT_H

#include <linux/types.h>

struct net;
struct scatter_line;
struct scatter_wire_events;
struct sockaddr;

void scatter_connect_take(struct scatter_line *line, const struct scatter_wire_events *events);
int scatter_connect(struct net *net, const struct sockaddr *from, const struct sockaddr *to,
		    u32 buffers, const struct scatter_wire_events *events, void *context,
		    void **handle);
int scatter_connect_accept(void *line, u32 buffers, void *context);
void scatter_connect_close(void *line);

#endif /* _SCATTER_CONNECT_H */
