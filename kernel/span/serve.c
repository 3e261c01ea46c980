// SPDX-License-Identifier: GPL-2.0
/*
 * Serving: a node answers a PULL from the memory of a member that waits inside its call.
 *
 * So the member need not wake. If bytes are not in memory at the moment, the member has to bring
 * them in its own call: no other task waits for a page fault in the member's memory, or for the
 * lock of the member's address space. A stopped member has paused its call and brings nothing, as
 * on one node.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "memory/pin.h"
#include "memory/segment.h"
#include "operation/block.h"
#include "operation/hold.h"
#include "operation/operation.h"
#include "span/serve.h"

/*
 * Whether a PULL asks for the next part of its block, and the block lies in the memory of a member
 * that is inside its call.
 */
static bool is_next_locked(const struct scatter_operation *operation, u32 owner,
			   const struct scatter_slot_pull *pull)
{
	const struct scatter_cargo *cargo = scatter_operation_cargo(operation, pull->rank);
	u64 length = scatter_operation_slice(operation, pull->rank)->length;

	lockdep_assert_held(&operation->group->lock);
	return scatter_group_member(operation->group, owner) &&
	       scatter_part_is_open(scatter_operation_part(operation, owner)) &&
	       cargo->state == SCATTER_BLOCK_HOME && pull->offset == cargo->moved &&
	       pull->offset <= length && pull->bytes <= length - pull->offset;
}

/* Note that a part of a block has left its owner's memory. */
static void pass(struct scatter_operation *operation, const struct scatter_slot_pull *pull)
{
	struct scatter_cargo *cargo = scatter_operation_cargo(operation, pull->rank);
	u64 length = scatter_operation_slice(operation, pull->rank)->length;
	struct scatter_group *group = operation->group;

	spin_lock(&group->lock);
	/* A peer that lies may ask for the same part twice, and the member gives it meanwhile. */
	cargo->moved = min(cargo->moved + pull->bytes, length);
	if (cargo->moved == length && cargo->state == SCATTER_BLOCK_HOME)
		scatter_block_set_locked(group, operation, pull->rank, SCATTER_BLOCK_TAKEN, NULL);
	spin_unlock(&group->lock);
}

/**
 * scatter_serve() - copy a part of a block out of the memory of a member here
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: the operation's slot; knows the operation; members here have called the same operation
 * @pull: the PULL that asks for the part
 *
 * Context: may sleep, but waits for no page fault and for no other task.
 * Return: the part, for scatter_segment_put(); NULL: the member has to bring the part.
 */
struct scatter_segment *scatter_serve(struct scatter_group *group,
				      const struct scatter_slot *slot,
				      const struct scatter_slot_pull *pull)
{
	u32 owner = scatter_slot_scatters(slot) ? slot->head.root : pull->rank;
	struct scatter_operation *operation;
	struct scatter_segment *segment;
	struct scatter_stream from;
	struct mm_struct *mm = NULL;
	bool there;

	lockdep_assert_held(&group->portal->moving);
	/* The portal has not passed the operation, so nobody frees the operation. */
	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, slot->number);
	if (operation && scatter_operation_has_cargo(operation) &&
	    is_next_locked(operation, owner, pull)) {
		mm = scatter_hold_begin_locked(operation, owner);
		from = scatter_stream_from(scatter_block_source(operation, pull->rank),
					   pull->offset);
	}
	spin_unlock(&group->lock);
	if (!mm)
		return NULL;
	segment = scatter_segment_create(pull->bytes);
	there = scatter_pin_read(mm, from, segment);
	/* Bytes that were taken from a task that is being killed do not count. */
	there &= scatter_hold_end(operation, owner);
	if (there) {
		pass(operation, pull);
		return segment;
	}
	scatter_segment_put(segment);
	return NULL;
}
