/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_LISTEN_H
#define _SCATTER_LISTEN_H

struct net;
struct scatter_wire_events;
struct sockaddr;

void *scatter_listen(struct net *net, const struct sockaddr *at,
		     const struct scatter_wire_events *events, void *context);
void scatter_listen_end(void *listener);

#endif /* _SCATTER_LISTEN_H */
