/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NAME_H
#define _SCATTER_NAME_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct net;
struct scatter_group;

/**
 * struct scatter_name_cursor - how far a caller of scatter_name_next() has come
 * @bucket: the bucket of the table
 * @serial: 1 more than the serial of the group visited last in @bucket; 0: no group was visited
 */
struct scatter_name_cursor {
	u32 bucket;
	u64 serial;
};

struct scatter_group *scatter_name_find(const struct net *net, kuid_t owner,
					const char *name);
struct scatter_group *scatter_name_claim(struct scatter_group *group);
void scatter_name_free(struct scatter_group *group);
struct scatter_group *scatter_name_next(const struct net *net,
					struct scatter_name_cursor *cursor);
u32 scatter_name_changes(const struct net *net);

#endif /* _SCATTER_NAME_H */
