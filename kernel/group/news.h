/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NEWS_H
#define _SCATTER_NEWS_H

#include <linux/scatter_netlink.h>
#include <linux/types.h>

struct scatter_group;

void scatter_news_tell(const struct scatter_group *group, enum scatter_event_kind kind, u32 rank,
		       int error);

#endif /* _SCATTER_NEWS_H */
