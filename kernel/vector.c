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
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "memory.h"
#include "operation.h"
#include "vector.h"

/*
 * Users have an array of each number, we one of both: copied so many at a time to
 * every second number from @to on.
 */
#define SCATTER_SPAN_BATCH	32

static int read_numbers(u64 *to, u32 size, u64 from)
{
	u64 batch[SCATTER_SPAN_BATCH];
	u32 i, j, n;

	static_assert(sizeof(struct scatter_span) == 2 * sizeof(u64));
	for (i = 0; i < size; i += n) {
		n = min_t(u32, size - i, SCATTER_SPAN_BATCH);
		if (copy_from_user(batch, u64_to_user_ptr(from + i * sizeof(u64)),
				   n * sizeof(u64)))
			return -EFAULT;
		for (j = 0; j < n; j++)
			to[2 * (i + j)] = batch[j];
	}
	return 0;
}

/* Without displacements the blocks lie side by side. */
static void pack(struct scatter_span *spans, u32 size)
{
	u64 offset = 0;
	u32 i;

	for (i = 0; i < size; i++) {
		spans[i].offset = offset;
		offset += spans[i].count;
	}
}

/*
 * Lengths first: whoever adds some of them relies on it that no sum of so many
 * wraps.
 */
static bool counts_ok(const struct scatter_span *spans, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		if (spans[i].count > SCATTER_BLOCK_MAX)
			return false;
	return true;
}

static bool ends_ok(const struct scatter_span *spans, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		if (spans[i].offset > S64_MAX - spans[i].count)
			return false;
	return true;
}

static int compare(const void *left, const void *right)
{
	const struct scatter_span *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return 0;
}

/* Whether two blocks that are not empty share a byte; -EDQUOT, -ENOMEM. */
static int overlaps(struct scatter_user *user, const struct scatter_span *spans,
		    u32 size)
{
	struct scatter_span *sorted;
	u64 end = 0;
	int result = 0;
	u32 i;

	sorted = scatter_memory_alloc(user, array_size(size, sizeof(*sorted)), 0);
	if (IS_ERR(sorted))
		return PTR_ERR(sorted);
	memcpy(sorted, spans, size * sizeof(*sorted));
	sort(sorted, size, sizeof(*sorted), compare, NULL);
	for (i = 0; i < size && !result; i++) {
		if (!sorted[i].count)
			continue;
		result = sorted[i].offset < end;
		end = sorted[i].offset + sorted[i].count;
	}
	scatter_memory_free(sorted);
	return result;
}

static int read_spans(struct scatter_user *user, struct scatter_span *spans,
		      const struct scatter_coll *coll, u32 size)
{
	int error;

	error = read_numbers(&spans->count, size, coll->counts);
	if (error)
		return error;
	if (!counts_ok(spans, size))
		return -EINVAL;
	if (coll->displs)
		error = read_numbers(&spans->offset, size, coll->displs);
	else
		pack(spans, size);
	if (error)
		return error;
	if (!ends_ok(spans, size))
		return -EINVAL;
	/* In an inter-group the root has no block of its own. */
	if (!(coll->flags & SCATTER_COLL_IN_PLACE) && coll->root < size &&
	    spans[array_index_nospec(coll->root, size)].count != coll->block)
		return -EINVAL;
	if (coll->op != SCATTER_OP_GATHERV)
		return 0;
	error = overlaps(user, spans, size);
	return error > 0 ? -EINVAL : error;
}

/**
 * scatter_spans_read() - read and check the counts of a v form
 * @user: who is charged
 * @coll: the root's call
 * @size: how many blocks there are
 *
 * Context: may sleep and fault; no locks.
 * Return: an entry for each block, for scatter_memory_free(); or an ERR_PTR: -EFAULT, -EDQUOT,
 * -ENOMEM, -EINVAL if a block is longer than %SCATTER_BLOCK_MAX or ends beyond 2^63, blocks
 * of a gatherv overlap, or the root's own count is not the length of its block.
 */
struct scatter_span *scatter_spans_read(struct scatter_user *user,
					const struct scatter_coll *coll,
					u32 size)
{
	struct scatter_span *spans;
	int error;

	spans = scatter_memory_alloc(user, array_size(size, sizeof(*spans)), 0);
	if (IS_ERR(spans))
		return spans;
	error = read_spans(user, spans, coll, size);
	if (!error)
		return spans;
	scatter_memory_free(spans);
	return ERR_PTR(error);
}
