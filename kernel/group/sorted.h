/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_SORTED_H
#define _SCATTER_SORTED_H

#include <linux/rbtree_types.h>
#include <linux/types.h>

/**
 * struct scatter_sorted - an entry of a tree in which many owners have entries
 * @rb: in the tree
 * @owner: whose entry this is
 * @serial: not 0; greater than the serials of all entries that came into the tree before
 */
struct scatter_sorted {
	struct rb_node rb;
	const void *owner;
	u64 serial;
};

void scatter_sorted_add(struct rb_root *root, struct scatter_sorted *entry, const void *owner,
			u64 serial);
struct scatter_sorted *scatter_sorted_next(const struct rb_root *root, const void *owner,
					   u64 *cursor);

#endif /* _SCATTER_SORTED_H */
