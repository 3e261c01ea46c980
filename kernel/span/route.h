/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ROUTE_H
#define _SCATTER_ROUTE_H

#include <linux/types.h>

struct scatter_chunks;
struct scatter_slot;

u32 scatter_route_tree(const struct scatter_slot *slot, u32 rank, u64 offset, u64 *end);
u32 scatter_route_source(const struct scatter_slot *slot, u32 tree, u32 rank);
u32 scatter_route_sink(const struct scatter_slot *slot, u32 tree, u32 rank);
const struct scatter_chunks *scatter_route_pages(const struct scatter_slot *slot, u32 tree,
						 u32 rank, u64 *at, u64 *begin, u64 *end);

#endif /* _SCATTER_ROUTE_H */
