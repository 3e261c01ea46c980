// SPDX-License-Identifier: GPL-2.0
/*
 * What the root of a scatterv or gatherv says about all blocks.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "operation.h"
#include "vector.h"

/*
 * Users have an array of each number, we one of both: copied so many at a time to
 * every second number from @to on.
 */
#define SCATTER_LAYOUT_BATCH	32

static int read_numbers(u64 *to, u32 size, u64 from)
{
	u64 batch[SCATTER_LAYOUT_BATCH];
	u32 i, j, n;

	static_assert(sizeof(struct scatter_layout) == 2 * sizeof(u64));
	for (i = 0; i < size; i += n) {
		n = min_t(u32, size - i, SCATTER_LAYOUT_BATCH);
		if (copy_from_user(batch, u64_to_user_ptr(from + i * sizeof(u64)),
				   n * sizeof(u64)))
			return -EFAULT;
		for (j = 0; j < n; j++)
			to[2 * (i + j)] = batch[j];
	}
	return 0;
}

/* Without displacements the blocks lie side by side. */
static void pack(struct scatter_layout *layout, u32 size)
{
	u64 offset = 0;
	u32 i;

	for (i = 0; i < size; i++) {
		layout[i].offset = offset;
		offset += layout[i].count;
	}
}

/*
 * Lengths first: whoever adds some of them relies on it that no sum of so many
 * wraps.
 */
static bool counts_ok(const struct scatter_layout *layout, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		if (layout[i].count > SCATTER_BLOCK_MAX)
			return false;
	return true;
}

static bool ends_ok(const struct scatter_layout *layout, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		if (layout[i].offset > S64_MAX - layout[i].count)
			return false;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct scatter_layout *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return 0;
}

/* Whether two blocks that are not empty share a byte; -ENOMEM. */
static int overlaps(const struct scatter_layout *layout, u32 size)
{
	struct scatter_layout *sorted;
	u64 end = 0;
	int result = 0;
	u32 i;

	sorted = kvmalloc_array(size, sizeof(*sorted), GFP_KERNEL_ACCOUNT);
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, layout, size * sizeof(*sorted));
	sort(sorted, size, sizeof(*sorted), compare, NULL);
	for (i = 0; i < size && !result; i++) {
		if (!sorted[i].count)
			continue;
		result = sorted[i].offset < end;
		end = sorted[i].offset + sorted[i].count;
	}
	kvfree(sorted);
	return result;
}

static int read_layout(struct scatter_layout *layout,
		       const struct scatter_coll *coll, u32 size)
{
	int error;

	error = read_numbers(&layout->count, size, coll->counts);
	if (error)
		return error;
	if (!counts_ok(layout, size))
		return -EINVAL;
	if (coll->displs)
		error = read_numbers(&layout->offset, size, coll->displs);
	else
		pack(layout, size);
	if (error)
		return error;
	if (!ends_ok(layout, size))
		return -EINVAL;
	/* In an inter-group the root has no block of its own. */
	if (!(coll->flags & SCATTER_COLL_IN_PLACE) && coll->root < size &&
	    layout[array_index_nospec(coll->root, size)].count != coll->block)
		return -EINVAL;
	if (coll->op != SCATTER_OP_GATHERV)
		return 0;
	error = overlaps(layout, size);
	return error > 0 ? -EINVAL : error;
}

/**
 * scatter_layout_read() - read and check the counts of a v form
 * @coll: the root's call
 * @size: how many blocks there are
 *
 * Context: may sleep and fault; no locks.
 * Return: an entry for each block, for kvfree(); or an ERR_PTR: -EFAULT, -ENOMEM,
 * -EINVAL if a block is longer than %SCATTER_BLOCK_MAX or ends beyond 2^63, blocks
 * of a gatherv overlap, or the root's own count is not the length of its block.
 */
struct scatter_layout *scatter_layout_read(const struct scatter_coll *coll,
					   u32 size)
{
	struct scatter_layout *layout;
	int error;

	layout = kvcalloc(size, sizeof(*layout), GFP_KERNEL_ACCOUNT);
	if (!layout)
		return ERR_PTR(-ENOMEM);
	error = read_layout(layout, coll, size);
	if (!error)
		return layout;
	kvfree(layout);
	return ERR_PTR(error);
}
