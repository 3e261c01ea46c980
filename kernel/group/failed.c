// SPDX-License-Identifier: GPL-2.0
/*
 * Failed operations that a node has passed, and of which it may have to tell other nodes later.
 *
 * The slot of an operation goes when the node passes the operation. Another node may still wait in
 * the operation, and may not have heard that it has failed: because the home is lost, or because
 * the other node was not tied yet.
 */
#include <linux/rbtree.h>
#include <linux/slab.h>

#include "group/failed.h"

static struct scatter_failed *failed_of(const struct rb_node *rb)
{
	return rb ? rb_entry(rb, struct scatter_failed, by_number) : NULL;
}

static int compare(struct rb_node *rb, const struct rb_node *other)
{
	u64 number = failed_of(rb)->number, others = failed_of(other)->number;

	return number < others ? -1 : number > others;
}

/**
 * scatter_failed_keep() - remember that an operation has failed
 * @kept: the operations that are remembered
 * @number: the operation's number
 * @culprit: the rank whose call failed
 *
 * Context: may sleep; the caller serializes all functions here.
 * Return: false: the operation was remembered before.
 */
bool scatter_failed_keep(struct rb_root *kept, u64 number, u32 culprit)
{
	struct scatter_failed *failed = kmalloc(sizeof(*failed), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);

	failed->number = number;
	failed->culprit = culprit;
	if (!rb_find_add(&failed->by_number, kept, compare))
		return true;
	kfree(failed);
	return false;
}

/**
 * scatter_failed_next() - visit the operations by rising number
 * @kept: as of scatter_failed_keep()
 * @failed: the operation before; NULL: begin
 *
 * Context: any.
 * Return: the next operation; NULL: there are no more
 */
struct scatter_failed *scatter_failed_next(const struct rb_root *kept,
					   struct scatter_failed *failed)
{
	return failed_of(failed ? rb_next(&failed->by_number) : rb_first(kept));
}

/**
 * scatter_failed_forget() - forget the oldest operations
 * @kept: as of scatter_failed_keep()
 * @below: forget all operations with lower numbers
 *
 * Context: any.
 */
void scatter_failed_forget(struct rb_root *kept, u64 below)
{
	struct scatter_failed *failed;

	while ((failed = scatter_failed_next(kept, NULL)) && failed->number < below) {
		rb_erase(&failed->by_number, kept);
		kfree(failed);
	}
}
