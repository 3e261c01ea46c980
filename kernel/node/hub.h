/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_HUB_H
#define _SCATTER_HUB_H

#include <linux/types.h>

struct net;
struct scatter_client_sender;
struct scatter_hub;
struct scatter_node;
struct scatter_peer;
struct scatter_wire_ops;

struct scatter_hub *scatter_hub_create(struct scatter_node *node, struct net *net,
				       const struct scatter_wire_ops *wire);
int scatter_hub_listen(struct scatter_hub *hub);
void scatter_hub_deafen(struct scatter_hub *hub);
int scatter_hub_add(struct scatter_hub *hub, struct scatter_peer *peer);
void scatter_hub_remove(struct scatter_hub *hub, const struct scatter_peer *peer);
int scatter_hub_fence(struct scatter_hub *hub, const struct scatter_peer *peer);
void scatter_hub_reset(struct scatter_hub *hub, const struct scatter_peer *peer);
void scatter_hub_cut(struct scatter_node *node, const struct scatter_client_sender *sender);
void scatter_hub_look(struct scatter_node *node);
void scatter_hub_tuned(struct scatter_hub *hub);
void scatter_hub_destroy(struct scatter_hub *hub);

#endif /* _SCATTER_HUB_H */
