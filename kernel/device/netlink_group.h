/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NETLINK_GROUP_H
#define _SCATTER_NETLINK_GROUP_H

void scatter_netlink_group_add(void);

#endif /* _SCATTER_NETLINK_GROUP_H */
