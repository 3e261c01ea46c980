/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NETLINK_NODE_H
#define _SCATTER_NETLINK_NODE_H

int scatter_netlink_node_register(void);

#endif /* _SCATTER_NETLINK_NODE_H */
