// SPDX-License-Identifier: GPL-2.0
/*
 * Prefaulting: a member that waits faults in its own buffer meanwhile.
 *
 * Other ranks copy only from and to pages that are present. Absent pages cost time: their owner has
 * to fault them in, at one round trip per chunk, or has to copy the block itself. So a waiting
 * member goes through the blocks that other ranks are going to read or write, some pages at a
 * time. After each step the member looks whether its wait is over.
 *
 * Only private memory is prefaulted, because its faults need no other task. A file or a userfaultfd
 * may delay a fault for as long as it likes, beyond the deadline of the call.
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/scatter.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "call/prefault.h"
#include "group/group.h"
#include "group/wait.h"
#include "memory/buffer.h"
#include "operation/block.h"
#include "operation/call.h"
#include "operation/operation.h"
#include "schedule/cost.h"

/* Bytes in one step: some microseconds if the pages are present, some dozen if not. */
#define SCATTER_PREFAULT_BYTES	SZ_64K
/* Most pieces of the buffer in one step. */
#define SCATTER_PREFAULT_PIECES	64

/* How many of the @bytes bytes from @at on are private memory that no userfaultfd serves. */
static u64 private_bytes(u64 at, u64 bytes)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *area;
	u64 n = 0;

	if (!mmap_read_trylock(mm))
		return 0;
	area = vma_lookup(mm, at);
	if (area && vma_is_anonymous(area) && !userfaultfd_armed(area))
		n = min_t(u64, bytes, area->vm_end - at);
	mmap_read_unlock(mm);
	return n;
}

/* Whether some page of private memory is absent. Looks at the pages, but faults none in. */
static bool is_absent(u64 at, u64 bytes)
{
	u64 end = at + bytes;
	u8 byte;

	for (; at < end; at = (at | ~PAGE_MASK) + 1)
		if (copy_from_user_nofault(&byte, u64_to_user_ptr(at), 1))
			return true;
	return false;
}

/* Fault in one step of a block. False if the call must not fault the memory in, or cannot. */
static bool fault_in(struct scatter_stream stream, u64 bytes, bool write)
{
	struct scatter_cursor cursor;
	int i;

	scatter_stream_seek(&stream, 0, &cursor);
	for (i = 0; bytes && i < SCATTER_PREFAULT_PIECES; i++) {
		u64 want = min(cursor.run, bytes);
		u64 n = private_bytes(cursor.at, want);
		char __user *at = u64_to_user_ptr(cursor.at);

		if (n && is_absent(cursor.at, n) &&
		    (write ? fault_in_safe_writeable(at, n) :
			     fault_in_readable(at, n)))
			return false;
		if (n < want)
			return false;
		bytes -= n;
		scatter_cursor_advance(&cursor, n);
	}
	return true;
}

/* Whether the operation writes to the call's own buffer. */
static bool takes(const struct scatter_call *call)
{
	const struct scatter_spec *spec = &call->operation->spec;

	return scatter_op_gathers(spec->op) == (call->rank == spec->root);
}

/* Whether a block is going to be copied from or to the call's own buffer. */
static bool is_wanted(const struct scatter_call *call, u32 rank)
{
	const struct scatter_operation *operation = call->operation;
	enum scatter_block_state state = scatter_operation_cargo(operation, rank)->state;
	bool gathers = scatter_op_gathers(operation->spec.op);

	if (scatter_operation_cargo(operation, rank)->too_long)
		return false;
	if (scatter_cost_eager(&call->group->cost, gathers, 1,
			       scatter_operation_slice(operation, rank)->length))
		return false;
	return state == SCATTER_BLOCK_HOME ||
	       (takes(call) && state == SCATTER_BLOCK_NOWHERE);
}

/* The next block from @rank on that is wanted and lies in the call's own buffer. */
static u32 next_locked(struct scatter_call *call, u32 rank, bool *dropped)
	__must_hold(&call->group->lock)
{
	const struct scatter_spec *spec = &call->operation->spec;
	u32 end = spec->first + spec->blocks;
	u32 n = 0;

	if (call->rank != spec->root) {
		rank = max(rank, call->rank);
		end = call->rank + 1;
	}
	for (rank = max(rank, spec->first); rank < end; rank++) {
		if (is_wanted(call, rank))
			return rank;
		scatter_group_breathe_locked(call->group, ++n);
		*dropped |= n == SCATTER_GROUP_BATCH;
	}
	return SCATTER_NO_RANK;
}

/**
 * scatter_prefault_some_locked() - fault in some of the call's own buffer, instead of waiting
 * @call: a call of kind move that is about to wait
 *
 * Context: the group's lock is held; dropped to fault and to search, and taken again.
 * Return: false if there is nothing to do; true if the caller has to look again whether it still
 * has to wait.
 */
bool scatter_prefault_some_locked(struct scatter_call *call)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_prefault *at = &call->prefault;
	struct scatter_stream stream;
	u64 deadline_ns, length, bytes;
	bool dropped = false;
	bool all;
	u32 rank;

	lockdep_assert_held(&call->group->lock);
	if (call->idle || !operation->decided)
		return false;
	rank = next_locked(call, at->rank, &dropped);
	if (rank != at->rank)
		at->done = 0;
	at->rank = rank;
	deadline_ns = scatter_call_deadline_locked(call);
	if (rank == SCATTER_NO_RANK || !scatter_wait_allowed(deadline_ns))
		return dropped;
	stream = takes(call) ? scatter_block_target(operation, rank) :
			       scatter_block_source(operation, rank);
	length = scatter_operation_slice(operation, rank)->length;
	/* With AT_MOST the block may have turned out to be shorter than its room. */
	bytes = min_t(u64, length - min(at->done, length), SCATTER_PREFAULT_BYTES);
	spin_unlock(&call->group->lock);
	all = fault_in(scatter_stream_from(stream, at->done), bytes, takes(call));
	spin_lock(&call->group->lock);
	at->done += bytes;
	if (!all || at->done >= scatter_operation_slice(operation, rank)->length)
		*at = (struct scatter_prefault){ .rank = rank + 1 };
	return true;
}
