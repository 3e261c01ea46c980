// SPDX-License-Identifier: GPL-2.0
/*
 * Layouts of buffers, and the counts of v forms: reading and checking what users pass.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/scatter.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "device/ioctl.h"
#include "device/layout.h"
#include "group/member.h"
#include "group/spec.h"
#include "memory/buffer.h"
#include "memory/memory.h"
#include "operation/call.h"
#include "operation/plan.h"

/*
 * Users pass two arrays of numbers, the kernel has one array of pairs: so many numbers at a time
 * are copied to every second number from @to on.
 */
#define SCATTER_SPAN_BATCH	32

/* How many entries of a list are read at a time. */
#define SCATTER_IOV_BATCH	32

static int read_numbers(u64 *to, u32 size, u64 from)
{
	u64 batch[SCATTER_SPAN_BATCH];
	u32 i, j, n;

	static_assert(sizeof(struct scatter_slice) == 2 * sizeof(u64));
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

/* Set the displacements of blocks that lie side by side. */
static void pack(struct scatter_slice *slices, u32 size)
{
	u64 offset = 0;
	u32 i;

	for (i = 0; i < size; i++) {
		slices[i].offset = offset;
		offset += slices[i].length;
	}
}

/*
 * Whether lengths and displacements are in range. The lengths are checked first: code that adds
 * them up relies on a sum that does not wrap.
 */
static bool counts_ok(const struct scatter_slice *slices, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		if (slices[i].length > SCATTER_BLOCK_MAX)
			return false;
	return true;
}

static bool ends_ok(const struct scatter_slice *slices, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		if (slices[i].offset > S64_MAX - slices[i].length)
			return false;
	return true;
}

static int compare_slices(const void *left, const void *right)
{
	const struct scatter_slice *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return 0;
}

/* Whether two blocks that are not empty share a byte; 0, 1, -EDQUOT or -ENOMEM. */
static int overlaps(struct scatter_user *user, const struct scatter_slice *slices,
		    u32 size)
{
	struct scatter_slice *sorted;
	u64 end = 0;
	int result = 0;
	u32 i;

	sorted = scatter_memory_alloc(user, array_size(size, sizeof(*sorted)), 0);
	if (IS_ERR(sorted))
		return PTR_ERR(sorted);
	memcpy(sorted, slices, size * sizeof(*sorted));
	sort(sorted, size, sizeof(*sorted), compare_slices, NULL);
	for (i = 0; i < size && !result; i++) {
		if (!sorted[i].length)
			continue;
		result = sorted[i].offset < end;
		end = sorted[i].offset + sorted[i].length;
	}
	scatter_memory_free(sorted);
	return result;
}

static int read_slices(struct scatter_user *user, struct scatter_slice *slices,
		       const struct scatter_coll *coll, u32 size)
{
	int error;

	error = read_numbers(&slices->length, size, coll->counts);
	if (error)
		return error;
	if (!counts_ok(slices, size))
		return -EINVAL;
	if (coll->displs)
		error = read_numbers(&slices->offset, size, coll->displs);
	else
		pack(slices, size);
	if (error)
		return error;
	if (!ends_ok(slices, size))
		return -EINVAL;
	/* In an inter-group the root has no block of its own. */
	if (!(coll->flags & (SCATTER_COLL_IN_PLACE | SCATTER_COLL_AT_MOST)) && coll->root < size &&
	    slices[array_index_nospec(coll->root, size)].length != coll->block)
		return -EINVAL;
	if (coll->op != SCATTER_OP_GATHERV)
		return 0;
	error = overlaps(user, slices, size);
	return error > 0 ? -EINVAL : error;
}

/**
 * scatter_layout_slices() - read and check the counts of a v form
 * @user: the user to be charged
 * @coll: the root's call
 * @size: how many blocks there are
 *
 * Context: may sleep and fault; no locks.
 * Return: an entry for each block, for scatter_memory_free(); or an ERR_PTR: -EFAULT, -EDQUOT,
 * -ENOMEM, -EINVAL if a block is longer than %SCATTER_BLOCK_MAX or ends beyond 2^63, blocks
 * of a gatherv overlap, or the root's own count is not the length of its block.
 */
struct scatter_slice *scatter_layout_slices(struct scatter_user *user,
					    const struct scatter_coll *coll,
					    u32 size)
{
	struct scatter_slice *slices;
	int error;

	slices = scatter_memory_alloc(user, array_size(size, sizeof(*slices)), 0);
	if (IS_ERR(slices))
		return slices;
	error = read_slices(user, slices, coll, size);
	if (!error)
		return slices;
	scatter_memory_free(slices);
	return ERR_PTR(error);
}

/*
 * struct extent - consecutive bytes of memory
 * @at: address
 * @bytes: how many
 */
struct extent {
	u64 at;
	u64 bytes;
};

static int read_struct(struct scatter_layout *layout, u64 from)
{
	void __user *user = u64_to_user_ptr(from);
	int size;

	size = scatter_ioctl_read(layout, sizeof(*layout),
				  offsetofend(struct scatter_layout, extent), user,
				  false);
	if (size < 0)
		return size;
	return layout->flags ? -EOPNOTSUPP : 0;
}

/* Add some pieces, but no empty piece. */
static int add_pieces(struct scatter_map *map, const struct scatter_iovec *iov,
		      u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		/* All pieces together must have less than 2^63 bytes, too. */
		if (iov[i].base > S64_MAX || iov[i].length > S64_MAX - iov[i].base ||
		    iov[i].length > S64_MAX - map->bytes)
			return -EINVAL;
		if (!iov[i].length)
			continue;
		map->piece[map->nr].at = iov[i].base;
		map->piece[map->nr].start = map->bytes;
		map->nr++;
		map->bytes += iov[i].length;
	}
	return 0;
}

static int read_pieces(struct scatter_map *map, u64 from, u32 count)
{
	struct scatter_iovec batch[SCATTER_IOV_BATCH];
	int error = 0;
	u32 i, n;

	for (i = 0; i < count && !error; i += n) {
		n = min_t(u32, count - i, SCATTER_IOV_BATCH);
		if (copy_from_user(batch, u64_to_user_ptr(from + i * sizeof(*batch)),
				   n * sizeof(*batch)))
			return -EFAULT;
		error = add_pieces(map, batch, n);
	}
	return error;
}

static struct scatter_map *map_list(const struct scatter_layout *layout,
				    struct scatter_user *user)
{
	struct scatter_map *map;
	int error;

	if (layout->iov_count > SCATTER_IOV_MAX || layout->length ||
	    layout->stride || layout->count || layout->row_stride ||
	    layout->rows || layout->extent)
		return ERR_PTR(-EINVAL);
	map = scatter_memory_alloc(user, struct_size(map, piece, layout->iov_count),
				   0);
	if (IS_ERR(map))
		return map;
	map->listed = true;
	error = read_pieces(map, layout->iov, layout->iov_count);
	if (!error)
		return map;
	scatter_memory_free(map);
	return ERR_PTR(error);
}

static struct scatter_map *map_strided(const struct scatter_layout *layout,
				       u64 base, struct scatter_user *user)
{
	const struct scatter_map wanted = {
		.base = base,
		.length = layout->length,
		.level = {
			{ .stride = layout->stride, .count = layout->count },
			{ .stride = layout->row_stride, .count = layout->rows },
		},
		.extent = layout->extent,
	};
	struct scatter_map *map;
	bool contiguous;

	if (layout->iov || layout->iov_count)
		return ERR_PTR(-EINVAL);
	map = scatter_memory_alloc(user, sizeof(*map), 0);
	if (IS_ERR(map))
		return map;
	*map = wanted;
	if (!scatter_map_simplify(map, &contiguous)) {
		scatter_memory_free(map);
		return ERR_PTR(-EINVAL);
	}
	if (!contiguous)
		return map;
	scatter_memory_free(map);
	return NULL;
}

static struct scatter_map *read_map(const struct scatter_buffer *buffer,
				    struct scatter_user *user)
{
	struct scatter_layout layout;
	int error;

	error = read_struct(&layout, buffer->layout);
	if (error)
		return ERR_PTR(error);
	switch (layout.kind) {
	case SCATTER_LAYOUT_STRIDED:
		return map_strided(&layout, buffer->base, user);
	case SCATTER_LAYOUT_IOVEC:
		return map_list(&layout, user);
	default:
		return ERR_PTR(-EOPNOTSUPP);
	}
}

/*
 * Find the pieces of blocks. Without @extents the pieces are only counted, up to one more than the
 * most allowed.
 */
static u32 find_extents(const struct scatter_map *map,
			const struct scatter_slice *slices, u32 nr,
			struct extent *extents)
{
	struct scatter_cursor cursor;
	u32 found = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		u64 left = slices[i].length;

		if (!left)
			continue;
		scatter_cursor_start(&cursor, map, 0, slices[i].offset);
		while (left && found <= SCATTER_LAYOUT_PIECES_MAX) {
			u64 n = min(left, cursor.run);

			if (extents)
				extents[found] = (struct extent){ cursor.at, n };
			found++;
			left -= n;
			scatter_cursor_advance(&cursor, n);
		}
	}
	return found;
}

/* sort() takes long for many pieces, and does not look whether another task waits for the CPU. */
static int compare(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;

	cond_resched();
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return 0;
}

/* Whether each piece begins behind the end of the piece before. */
static bool ascend(const struct extent *extents, u32 nr)
{
	u32 i;

	for (i = 1; i < nr; i++)
		if (extents[i].at < extents[i - 1].at + extents[i - 1].bytes)
			return false;
	return true;
}

/* Whether no two pieces share a byte and there are not too many pieces; 0 or -errno. */
static int check_extents(const struct scatter_map *map,
			 const struct scatter_slice *slices, u32 nr,
			 struct scatter_user *user)
{
	u32 found = find_extents(map, slices, nr, NULL);
	struct extent *extents;
	int error = 0;

	if (found > SCATTER_LAYOUT_PIECES_MAX)
		return -EINVAL;
	extents = scatter_memory_alloc(user, array_size(found, sizeof(*extents)), 0);
	if (IS_ERR(extents))
		return PTR_ERR(extents);
	find_extents(map, slices, nr, extents);
	if (!ascend(extents, found)) {
		sort(extents, found, sizeof(*extents), compare, NULL);
		error = ascend(extents, found) ? 0 : -EINVAL;
	}
	scatter_memory_free(extents);
	return error;
}

/* Check a buffer's map for the blocks @slices. @written: the operation writes the blocks. */
static int check_map(const struct scatter_map *map,
		     const struct scatter_slice *slices, u32 nr, bool written,
		     struct scatter_user *user)
{
	u64 first = S64_MAX, end = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!slices[i].length)
			continue;
		first = min(first, slices[i].offset);
		end = max(end, slices[i].offset + slices[i].length);
	}
	if (!scatter_map_fits(map, first, end))
		return -EINVAL;
	if (!written || first >= end ||
	    (!map->listed && scatter_map_disjoint(map, first, end)))
		return 0;
	return check_extents(map, slices, nr, user);
}

static int prepare_buffer(struct scatter_buffer *buffer,
			  const struct scatter_slice *slices, u32 nr, bool written,
			  struct scatter_user *user)
{
	struct scatter_map *map;

	if (!buffer->layout)
		return 0;
	map = read_map(buffer, user);
	if (IS_ERR(map))
		return PTR_ERR(map);
	buffer->map = map;
	return map ? check_map(map, slices, nr, written, user) : 0;
}

/**
 * scatter_layout_prepare() - read and check the layouts of a call's buffers
 * @call: has read the counts of a v form; its buffers get their maps
 * @coll: what the user passed
 * @spec: what @coll asks for
 *
 * Layouts of buffers that the call does not use are ignored.
 *
 * Context: may sleep and fault; no locks.
 * Return: 0; -EFAULT, -E2BIG, -EOPNOTSUPP or -EINVAL as the uapi header says; -EDQUOT;
 * -ENOMEM.
 */
int scatter_layout_prepare(struct scatter_call *call,
			   const struct scatter_coll *coll,
			   const struct scatter_spec *spec)
{
	const struct scatter_slice own = { .length = coll->block };
	const struct scatter_slice all = { .length = coll->block * spec->blocks };
	bool scatters = scatter_op_scatters(coll->op);
	struct scatter_user *user = call->hands->user;
	int error = 0;

	if (!scatter_op_moves(coll->op))
		return 0;
	if (call->rank == spec->root)
		error = prepare_buffer(scatters ? &call->send : &call->recv,
				       call->vector.slices ?: &all,
				       call->vector.slices ? spec->blocks : 1,
				       !scatters, user);
	if (!error && !call->in_place && scatter_spec_owns(spec, call->rank))
		error = prepare_buffer(scatters ? &call->recv : &call->send,
				       &own, 1, scatters, user);
	return error;
}
