/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ATTACH_H
#define _SCATTER_ATTACH_H

#include <linux/types.h>

#include "wire/wide.h"

struct scatter_group;
struct scatter_node;

void scatter_attach_say(struct scatter_node *node, u64 to, const u64 *id, u64 token,
			enum scatter_wide_attaching what);
void scatter_attach_ask(struct scatter_group *group, u32 to);
void scatter_attach_rely(struct scatter_group *group, u32 with);
bool scatter_attach_tied(struct scatter_group *group, u32 to);
bool scatter_attach_tie(struct scatter_group *group, u32 with);
int scatter_attach_defer(struct scatter_group *group, u64 from);
void scatter_attach_wait_locked(struct scatter_group *group,
				struct scatter_portal_waiting *waiting);
void scatter_attach_never(struct scatter_group *group, const u64 *id);
u64 scatter_attach_next(struct scatter_group *group);
void scatter_attach_bury(struct scatter_node *node, const u64 *id);
bool scatter_attach_is_buried(struct scatter_node *node, const u64 *id);

#endif /* _SCATTER_ATTACH_H */
