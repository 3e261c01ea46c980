/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NETLINK_STATS_H
#define _SCATTER_NETLINK_STATS_H

void scatter_netlink_stats_add(void);

#endif /* _SCATTER_NETLINK_STATS_H */
