/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_JOIN_H
#define _SCATTER_JOIN_H

#include <linux/types.h>
#include <linux/wait.h>

#include "group/member.h"

struct net;
struct scatter_group;
struct scatter_join;

struct scatter_group *scatter_join_create_group(const struct scatter_join *terms);
bool scatter_join_terms(const struct scatter_group *group, struct scatter_join *join);
struct scatter_member *scatter_join_member(u32 ring_bytes, wait_queue_head_t *poll,
					   const struct scatter_member *parent);
void scatter_join_undo(struct scatter_member *member);
struct scatter_member *scatter_join(struct scatter_group *group, struct net *net,
				    const struct scatter_join *join,
				    wait_queue_head_t *poll, u64 deadline_ns,
				    struct scatter_group **held);
int scatter_join_decline(struct net *net, const struct scatter_join *join,
			 struct scatter_group **held);
bool scatter_join_refused(struct scatter_member *member, struct scatter_group **held);
bool scatter_join_withdraw(struct scatter_member *member);
void scatter_join_end(struct scatter_member *member, enum scatter_presence how);

#endif /* _SCATTER_JOIN_H */
