/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_NAME_H
#define _SCATTER_NAME_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct net;
struct scatter_group;

struct scatter_group *scatter_name_find(const struct net *net, kuid_t owner,
					const char *name);
struct scatter_group *scatter_name_claim(struct scatter_group *group);
void scatter_name_free(struct scatter_group *group);
struct scatter_group *scatter_name_next(const struct net *net, u64 *cursor);
u32 scatter_name_changes(const struct net *net);

#endif /* _SCATTER_NAME_H */
