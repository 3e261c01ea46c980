/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NODE_WIRE_H
#define _SCATTER_NODE_WIRE_H

#include "node/wire_ops.h"

struct scatter_node;

void scatter_wire_attach_locked(struct scatter_node *node);
void scatter_wire_detach_locked(struct scatter_node *node);

#endif /* _SCATTER_NODE_WIRE_H */
