/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NETLINK_PEER_H
#define _SCATTER_NETLINK_PEER_H

void scatter_netlink_peer_add(void);

#endif /* _SCATTER_NETLINK_PEER_H */
