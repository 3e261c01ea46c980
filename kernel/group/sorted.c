// SPDX-License-Identifier: GPL-2.0
/*
 * Sorted entries: a visitor sees the entries of one owner, and each step costs the same few looks,
 * however many entries there are of that owner and of others.
 */
#include <linux/rbtree.h>

#include "group/sorted.h"

static bool is_less(const struct scatter_sorted *entry, const void *owner, u64 serial)
{
	if (entry->owner != owner)
		return (unsigned long)entry->owner < (unsigned long)owner;
	return entry->serial < serial;
}

/**
 * scatter_sorted_add() - add an entry to a tree
 * @root: the tree
 * @entry: the entry, for rb_erase()
 * @owner: whose entry this is
 * @serial: as of struct scatter_sorted
 *
 * Context: any; the caller has the lock that protects the tree.
 */
void scatter_sorted_add(struct rb_root *root, struct scatter_sorted *entry, const void *owner,
			u64 serial)
{
	struct rb_node **rb = &root->rb_node, *parent = NULL;

	entry->owner = owner;
	entry->serial = serial;
	while (*rb) {
		parent = *rb;
		if (is_less(rb_entry(parent, struct scatter_sorted, rb), owner, serial))
			rb = &parent->rb_right;
		else
			rb = &parent->rb_left;
	}
	rb_link_node(&entry->rb, parent, rb);
	rb_insert_color(&entry->rb, root);
}

/**
 * scatter_sorted_next() - visit the entries of one owner, the youngest first
 * @root: the tree
 * @owner: the owner
 * @cursor: (in, out) serial of the entry that was visited last; 0 at first
 *
 * Entries may come and go between two steps. An entry that is there all the time is visited once.
 * An entry that comes after the first step is not visited.
 *
 * Context: any; the caller has the lock that protects the tree.
 * Return: the entry, or NULL: there are no more entries.
 */
struct scatter_sorted *scatter_sorted_next(const struct rb_root *root, const void *owner,
					   u64 *cursor)
{
	const u64 below = *cursor ?: U64_MAX;
	struct scatter_sorted *found = NULL;
	struct rb_node *rb = root->rb_node;

	while (rb) {
		struct scatter_sorted *entry = rb_entry(rb, struct scatter_sorted, rb);

		if (is_less(entry, owner, below)) {
			found = entry;
			rb = rb->rb_right;
		} else {
			rb = rb->rb_left;
		}
	}
	if (!found || found->owner != owner)
		return NULL;
	*cursor = found->serial;
	return found;
}
