/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_EDGE_H
#define _SCATTER_EDGE_H

#include <linux/types.h>

struct scatter_group;
struct scatter_wide_edge;

int scatter_edge_tree(struct scatter_group *group);
void scatter_edge_push(struct scatter_group *group);
bool scatter_edge_receive(struct scatter_group *group, u32 from,
			  const struct scatter_wide_edge *edge);

#endif /* _SCATTER_EDGE_H */
