/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_TICKET_H
#define _SCATTER_TICKET_H

#include <linux/types.h>

struct scatter_group;
struct scatter_join;
struct scatter_member;
struct scatter_node;
struct scatter_wide_seated;

int scatter_ticket_join(struct scatter_group *spare, const struct scatter_join *join,
			struct scatter_member *member, u64 deadline_ns);
bool scatter_ticket_withdraw(struct scatter_member *member);
void scatter_ticket_seated(struct scatter_node *node, u64 from,
			   const struct scatter_wide_seated *seated);
void scatter_ticket_unseated(struct scatter_node *node, u64 from, u64 token);
void scatter_ticket_lost(struct scatter_node *node, u64 id, bool anew);
bool scatter_ticket_defer(struct scatter_node *node, u64 token, u64 from, const u64 *id);

#endif /* _SCATTER_TICKET_H */
