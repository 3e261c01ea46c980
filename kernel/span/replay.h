/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_REPLAY_H
#define _SCATTER_REPLAY_H

#include <linux/types.h>

struct scatter_group;
struct scatter_portal;

void scatter_replay_failed(struct scatter_group *group, u32 to);
bool scatter_replay_is_due(const struct scatter_portal *portal, u32 node);
void scatter_replay(struct scatter_group *group, u32 to);

#endif /* _SCATTER_REPLAY_H */
