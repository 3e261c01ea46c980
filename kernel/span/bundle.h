/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BUNDLE_H
#define _SCATTER_BUNDLE_H

#include <linux/types.h>

struct page;
struct scatter_bundle;
struct scatter_group;
struct scatter_slot;
struct scatter_slot_edge;
struct scatter_slot_set;
struct scatter_wide_bundle;

u64 scatter_bundle_length(const struct scatter_bundle *bundle, u32 index);
u64 scatter_bundle_begin(const struct scatter_bundle *bundle);
u64 scatter_bundle_piece(const struct scatter_bundle *bundle, u64 length, u64 *offset);
u64 scatter_bundle_carried(const struct scatter_bundle *bundle, u64 length);
bool scatter_bundle_add(struct scatter_bundle *bundle, const struct scatter_wide_bundle *wide,
			struct page *page, u32 offset);
void scatter_bundle_send(struct scatter_group *group, u32 to, struct scatter_bundle *bundle);
void scatter_bundle_index(struct scatter_slot *slot, u32 tree, const struct scatter_slot_set *set,
			  const struct scatter_bundle *in);
void scatter_bundle_for_child(struct scatter_slot *slot, const struct scatter_slot_edge *child,
			      struct scatter_bundle *out);
void scatter_bundle_for_parent(struct scatter_slot *slot, u32 tree, struct scatter_bundle *out);

#endif /* _SCATTER_BUNDLE_H */
