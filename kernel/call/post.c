// SPDX-License-Identifier: GPL-2.0
/*
 * What a call brings to a scatter or gather: how long the blocks are, and where they lie.
 */
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "call/post.h"
#include "group/group.h"
#include "group/member.h"
#include "operation/block.h"
#include "operation/call.h"
#include "operation/operation.h"
#include "operation/plan.h"

/* Note where a block is in the root's buffer, if all blocks have the same length. */
static void lay_out_one(struct scatter_operation *operation, u32 rank)
{
	struct scatter_slice *slice = scatter_operation_slice(operation, rank);
	const struct scatter_spec *spec = &operation->spec;

	slice->length = spec->block;
	slice->offset = (rank - spec->first) * spec->block;
}

/* What the root says of block number @i: the length of all blocks, or what its counts say. */
static struct scatter_slice slice_of(const struct scatter_call *call, u32 i)
{
	if (call->vector.slices)
		return call->vector.slices[i];
	return (struct scatter_slice){ .length = call->length, .offset = i * call->length };
}

/*
 * With AT_MOST the root says how long a block of a scatter is, or how much room there is for a
 * block of a gather. The block's rank says the other of the two, and may have done so before.
 */
static void lay_out_at_most_locked(struct scatter_call *call, u32 rank,
				   const struct scatter_slice *slice)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_part *part = scatter_operation_part(operation, rank);
	const struct scatter_member *member = scatter_group_member(call->group, rank);
	struct scatter_slice *own = scatter_operation_slice(operation, rank);

	lockdep_assert_held(&call->group->lock);
	own->offset = slice->offset;
	if (!member || !part->posted || (rank == call->rank && call->in_place))
		own->length = slice->length;
	else if (scatter_op_gathers(operation->spec.op))
		scatter_block_meet_locked(operation, rank, own->length, slice->length);
	else
		scatter_block_meet_locked(operation, rank, slice->length, member->length);
}

/* The root decides where the blocks are in its buffer. Returns the bytes, or the room, of all. */
static u64 lay_out_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	u64 total = 0;
	u32 i;

	lockdep_assert_held(&call->group->lock);
	for (i = 0; i < spec->blocks; i++) {
		const struct scatter_slice slice = slice_of(call, i);

		if (scatter_spec_is_at_most(spec))
			lay_out_at_most_locked(call, spec->first + i, &slice);
		else
			*scatter_operation_slice(operation, spec->first + i) = slice;
		total += slice.length;
	}
	if (!operation->tree)
		swap(operation->tree, call->vector.tree);
	if (!operation->decided)
		scatter_plan_decide_locked(call->group, operation,
					   div_u64(total, spec->blocks));
	return total;
}

/*
 * The root says where the blocks are, or will be. The blocks of a scatter are there now; no other
 * task touches them before this call sends them.
 */
static void post_blocks_locked(struct scatter_call *call, bool home)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	bool sends = scatter_op_scatters(spec->op) && home;
	bool open = scatter_spec_is_open(spec);
	u32 i = 0;

	lockdep_assert_held(&call->group->lock);
	if (open && !sends)
		return;
	while (i < spec->blocks) {
		u32 rank = spec->first + i;

		if (!open)
			lay_out_one(operation, rank);
		if (sends && rank != call->rank &&
		    scatter_operation_slice(operation, rank)->length)
			scatter_block_set_locked(call->group, operation,
						 rank, SCATTER_BLOCK_HOME,
						 NULL);
		scatter_group_breathe_locked(call->group, ++i);
	}
}

/* With AT_MOST a rank says how long its block of a gather is, or how much room it has. */
static void post_at_most_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_slice *slice = scatter_call_slice(call);
	bool gathers = scatter_op_gathers(operation->spec.op);
	bool met = operation->decided;

	lockdep_assert_held(&call->group->lock);
	/* This node does not know the room of a root on another node. */
	if (gathers && !scatter_group_member(call->group, operation->spec.root))
		met = false;
	if (met)
		scatter_block_meet_locked(operation, call->rank,
					  gathers ? call->length : slice->length,
					  gathers ? slice->length : call->length);
	else if (gathers)
		slice->length = call->length;
}

/* Note where the root has the blocks of a scatter or gather. */
static void post_root_locked(struct scatter_call *call, bool home)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;
	u64 total = spec->block * spec->blocks;

	lockdep_assert_held(&call->group->lock);
	/* First post the root's own block, as if another rank had posted it before. */
	if (scatter_spec_is_at_most(spec) && scatter_spec_owns(spec, call->rank))
		scatter_call_slice(call)->length = call->length;
	if (scatter_spec_is_open(spec))
		total = lay_out_locked(call);
	post_blocks_locked(call, home);
	if (!scatter_op_gathers(spec->op) || scatter_spec_is_at_most(spec))
		return;
	if (call->in_place)
		total -= scatter_call_slice(call)->length;
	call->member->receives = total;
}

/**
 * scatter_post_locked() - note how long the blocks of a call are, and where they lie
 * @call: the call; its member is not idle
 * @home: show others that each block which is not empty lies in its source's memory at first
 *
 * Context: the group's lock is held; for a root, dropped now and then and taken again.
 */
void scatter_post_locked(struct scatter_call *call, bool home)
	__must_hold(&call->group->lock)
{
	struct scatter_operation *operation = call->operation;
	const struct scatter_spec *spec = &operation->spec;

	lockdep_assert_held(&call->group->lock);
	if (scatter_op_scatters(spec->op) && !call->in_place && !scatter_spec_is_at_most(spec))
		call->member->receives = call->length;
	if (call->rank == spec->root) {
		post_root_locked(call, home);
		return;
	}
	if (scatter_spec_is_at_most(spec))
		post_at_most_locked(call);
	else if (scatter_op_is_vector(spec->op))
		scatter_call_slice(call)->length = call->length;
	else
		lay_out_one(operation, call->rank);
	if (home && scatter_op_gathers(spec->op) && scatter_call_slice(call)->length)
		scatter_block_set_locked(call->group, operation,
					 call->rank, SCATTER_BLOCK_HOME,
					 NULL);
}
