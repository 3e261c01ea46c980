// SPDX-License-Identifier: GPL-2.0
/*
 * One operation of a group: the object, what members posted, and how it fails.
 *
 * A rank's part goes
 *
 *	ABSENT -> OPEN -> CLOSED
 *		  | ^
 *		  v |
 *		 PAUSED -> CLOSED
 *
 * and ABSENT -> CLOSED if the rank departs or the operation has failed before
 * it called. An operation is freed when all parts are closed; nobody inside a
 * call can see it go, since the caller's own part is not.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/scatter.h>
#include <linux/slab.h>

#include "combine.h"
#include "group.h"
#include "inter.h"
#include "member.h"
#include "operation.h"
#include "plan.h"
#include "regroup.h"
#include "stats.h"
#include "user.h"
#include "wait.h"

/* What only some operations need. */
static bool equip(struct scatter_operation *operation,
		  const struct scatter_spec *spec, u32 size)
{
	if (scatter_op_regroups(spec->op)) {
		operation->seating = scatter_seating_alloc(size);
		return operation->seating;
	}
	if (spec->choice.algorithm != SCATTER_ALGORITHM_OR_BROADCAST)
		return true;
	operation->combine = scatter_combine_alloc(spec, size);
	return operation->combine;
}

/**
 * scatter_operation_alloc() - make an operation that is not yet live
 * @group: whose
 * @user: who is charged for it
 * @spec: what is going to be asked for first
 *
 * Context: may sleep.
 * Return: the operation, or an ERR_PTR: -ENOMEM, -EAGAIN.
 */
struct scatter_operation *
scatter_operation_alloc(const struct scatter_group *group,
			struct scatter_user *user,
			const struct scatter_spec *spec)
{
	u32 trees = scatter_plan_trees(spec);
	struct scatter_operation *operation;
	size_t bytes, late = 0;
	int error;

	error = scatter_user_charge(user, SCATTER_LIMIT_OPERATIONS, 1);
	if (error)
		return ERR_PTR(error);
	if (spec->flags & SCATTER_COLL_DEADLINE_ALL)
		late = BITS_TO_LONGS(group->size) * sizeof(long);
	bytes = struct_size(operation, parts, group->size) + late;
	operation = kvzalloc(size_add(bytes, array3_size(group->size, trees,
							 sizeof(struct scatter_branch))),
			     GFP_KERNEL_ACCOUNT);
	if (operation && !equip(operation, spec, group->size)) {
		kvfree(operation);
		operation = NULL;
	}
	if (!operation) {
		scatter_user_uncharge(user, SCATTER_LIMIT_OPERATIONS, 1);
		return ERR_PTR(-ENOMEM);
	}
	operation->user = user;
	operation->size = group->size;
	operation->trees = trees;
	operation->branches = (void *)operation + bytes;
	operation->late = late ? (void *)operation + bytes - late : NULL;
	operation->queue_head = SCATTER_NO_RANK;
	operation->queue_tail = SCATTER_NO_RANK;
	operation->fault_rank = SCATTER_NO_RANK;
	scatter_object_created(SCATTER_OBJECT_OPERATION, 1);
	return operation;
}

static void release_place_locked(struct scatter_group *group,
				 const struct scatter_place *place)
{
	struct scatter_record *slot = scatter_place_release(place, 1);

	if (!slot)
		return;
	group->slot_bytes -= slot->bytes;
	scatter_slot_destroy(slot);
}

/**
 * scatter_operation_drop_stage_locked() - a block needs its stage no longer
 * @group: whose
 * @operation: an operation
 * @rank: whose block
 *
 * Who fills or empties it at the moment has to drop it again.
 *
 * Context: the group's lock is held.
 */
void scatter_operation_drop_stage_locked(struct scatter_group *group,
					 struct scatter_operation *operation,
					 u32 rank)
{
	struct scatter_part *part = &operation->parts[rank];
	struct scatter_stage *stage = part->stage;

	lockdep_assert_held(&group->lock);
	if (!stage || stage->state == SCATTER_STAGE_FILLING ||
	    stage->state == SCATTER_STAGE_EMPTYING)
		return;
	if (stage->state == SCATTER_STAGE_ASKED)
		operation->asked--;
	group->slot_bytes -= stage->charged;
	part->stage = NULL;
	kfree(stage);
	scatter_object_destroyed(SCATTER_OBJECT_SLOT, 1);
}

/**
 * scatter_operation_free() - free an operation that is no longer live
 * @group: whose
 * @operation: out of the table; NULL is ignored
 *
 * Releases the records of blocks that nobody took.
 *
 * Context: process context; takes the group lock.
 */
void scatter_operation_free(struct scatter_group *group,
			    struct scatter_operation *operation)
{
	u32 rank;

	if (!operation)
		return;
	spin_lock(&group->lock);
	for (rank = 0; rank < operation->size; rank++) {
		struct scatter_part *part = &operation->parts[rank];

		if (part->block == SCATTER_BLOCK_RECORD)
			release_place_locked(group, &part->place);
		scatter_operation_drop_stage_locked(group, operation, rank);
	}
	spin_unlock(&group->lock);
	for (rank = 0; rank < operation->size; rank++) {
		scatter_buffer_free(&operation->parts[rank].source);
		scatter_buffer_free(&operation->parts[rank].target);
	}
	scatter_user_uncharge(operation->user, SCATTER_LIMIT_OPERATIONS, 1);
	scatter_combine_free(operation->combine, operation->size);
	kvfree(operation->seating);
	kvfree(operation->tree);
	kvfree(operation);
	scatter_object_destroyed(SCATTER_OBJECT_OPERATION, 1);
}

static struct hlist_head *bucket(struct scatter_group *group, u64 number)
{
	return &group->operations[number % SCATTER_OPERATION_BUCKETS];
}

/**
 * scatter_operation_find_locked() - the live operation of a number
 * @group: whose
 * @number: its number
 *
 * Context: the group's lock is held.
 * Return: the operation, or NULL.
 */
struct scatter_operation *
scatter_operation_find_locked(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation;

	lockdep_assert_held(&group->lock);
	hlist_for_each_entry(operation, bucket(group, number), node)
		if (operation->number == number)
			return operation;
	return NULL;
}

/**
 * scatter_operation_insert_locked() - make an operation live
 * @group: whose
 * @operation: from scatter_operation_alloc()
 * @number: its number; no live operation has it
 *
 * Context: the group's lock is held.
 */
void scatter_operation_insert_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u64 number)
{
	lockdep_assert_held(&group->lock);
	operation->number = number;
	hlist_add_head(&operation->node, bucket(group, number));
	group->nr_operations++;
}

/**
 * scatter_operation_set_state() - the only way a part's state changes
 * @part: the part
 * @state: its new state
 *
 * Context: the group's lock is held.
 */
void scatter_operation_set_state(struct scatter_part *part,
				 enum scatter_part_state state)
{
	static const u8 next[] = {
		[SCATTER_PART_ABSENT] = BIT(SCATTER_PART_OPEN) |
					BIT(SCATTER_PART_CLOSED),
		[SCATTER_PART_OPEN] = BIT(SCATTER_PART_PAUSED) |
				      BIT(SCATTER_PART_CLOSED),
		[SCATTER_PART_PAUSED] = BIT(SCATTER_PART_OPEN) |
					BIT(SCATTER_PART_CLOSED),
		[SCATTER_PART_CLOSED] = 0,
	};

	WARN_ON_ONCE(!(next[part->state] & BIT(state)));
	part->state = state;
}

/**
 * scatter_operation_pass_locked() - a rank is done with an operation
 * @group: whose
 * @operation: a live operation
 * @rank: the rank; its part is not closed
 *
 * Context: the group's lock is held.
 * Return: true if that was the last rank: @operation has left the table and the
 * caller owes a wake-up of the window's waiters and scatter_operation_free().
 */
bool scatter_operation_pass_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank)
{
	lockdep_assert_held(&group->lock);
	scatter_operation_set_state(&operation->parts[rank],
				    SCATTER_PART_CLOSED);
	if (++operation->passed < operation->size)
		return false;
	hlist_del(&operation->node);
	group->nr_operations--;
	return true;
}

/**
 * scatter_operation_fail_locked() - end an operation with an error
 * @group: whose
 * @operation: a live operation; the first error stays
 * @error: -errno
 * @culprit: the rank that caused it
 * @abort: true: for every rank that has not returned; false: for every rank
 *	that still needs something from another
 *
 * The caller wakes the group when it has failed all that there is to fail. A uniform one
 * fails for all, or if all have done their parts, not at all.
 *
 * Context: the group's lock is held.
 */
void scatter_operation_fail_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   int error, u32 culprit, bool abort)
{
	lockdep_assert_held(&group->lock);
	if (operation->fulfilled == operation->size)
		return;
	abort |= scatter_operation_is_uniform(operation);
	if (!operation->error || (abort && !operation->abort)) {
		operation->error = error;
		operation->culprit = culprit;
		operation->abort = abort;
	}
}

/**
 * scatter_operation_abort_locked() - end operations for all who have not returned
 * @group: whose; it is broken afterwards
 * @from: number of the first one; later ones end, too
 * @error: -errno
 * @rank: the rank that caused it
 *
 * Context: the group's lock is held.
 */
void scatter_operation_abort_locked(struct scatter_group *group, u64 from,
				    int error, u32 rank)
{
	struct scatter_operation *operation;
	int i;

	lockdep_assert_held(&group->lock);
	for (i = 0; i < SCATTER_OPERATION_BUCKETS; i++)
		hlist_for_each_entry(operation, &group->operations[i], node)
			if (operation->number >= from)
				scatter_operation_fail_locked(group, operation,
							      error, rank,
							      true);
	scatter_group_break_locked(group, error, rank);
}

/**
 * scatter_operation_disagree_locked() - a rank differs from the others
 * @group: whose
 * @operation: a live operation
 * @rank: the rank
 *
 * Members disagree about where they are, so nothing from here on can be
 * trusted; what they called before was agreed.
 *
 * Context: the group's lock is held.
 */
void scatter_operation_disagree_locked(struct scatter_group *group,
				       struct scatter_operation *operation,
				       u32 rank)
{
	scatter_operation_abort_locked(group, operation->number, -EPROTO, rank);
}

/**
 * scatter_operation_agree_locked() - check a rank's call against the others'
 * @group: whose
 * @operation: a live operation
 * @spec: what the rank asks for
 * @rank: the rank
 *
 * The first rank that is not idle decides what the operation is and, but in a v form,
 * by the frozen cost parameters which schedule it runs. A rank that differs breaks
 * the group.
 *
 * Context: the group's lock is held.
 * Return: false if the operation has just failed.
 */
bool scatter_operation_agree_locked(struct scatter_group *group,
				    struct scatter_operation *operation,
				    const struct scatter_spec *spec, u32 rank)
{
	lockdep_assert_held(&group->lock);
	if (!operation->posted) {
		operation->spec = *spec;
		if (!scatter_op_is_vector(spec->op) && !spec->idle)
			scatter_plan_decide_locked(group, operation,
						   spec->block);
		return true;
	}
	if (scatter_inter_agree_locked(group, operation, spec, rank))
		return true;
	scatter_operation_disagree_locked(group, operation, rank);
	return false;
}

/**
 * scatter_operation_move_locked() - a block has come to lie elsewhere
 * @group: whose
 * @operation: a live operation
 * @rank: whose block
 * @state: where it is now
 * @place: if @state is %SCATTER_BLOCK_RECORD: where in kernel memory
 *
 * Releases the record that it lay in and, when it has left its source, wakes who
 * waits for that: the source, and the root of a gather when all have.
 *
 * Context: the group's lock is held.
 */
void scatter_operation_move_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank, enum scatter_block_state state,
				   const struct scatter_place *place)
{
	struct scatter_part *part = &operation->parts[rank];
	enum scatter_block_state old = part->block;
	u32 owner = scatter_operation_owner(operation, rank);

	lockdep_assert_held(&group->lock);
	if (old == SCATTER_BLOCK_RECORD)
		release_place_locked(group, &part->place);
	part->block = state;
	if (state == SCATTER_BLOCK_RECORD)
		part->place = *place;
	if (state == SCATTER_BLOCK_HOME)
		operation->home++;
	if (state == SCATTER_BLOCK_FAULT)
		operation->fault_rank = rank;
	if (old != SCATTER_BLOCK_HOME)
		return;
	scatter_operation_drop_stage_locked(group, operation, rank);
	operation->home--;
	if (scatter_op_scatters(operation->spec.op) && operation->home)
		return;
	if (operation->parts[owner].waiting)
		scatter_wake(group->members[owner]);
	if (!operation->home && operation->delivered == operation->expected &&
	    operation->parts[operation->spec.root].waiting)
		scatter_wake(group->members[operation->spec.root]);
}

/* Whether the others cannot complete without what a dead rank still owes. */
static bool owes(const struct scatter_operation *operation, u32 rank)
{
	const struct scatter_part *part = &operation->parts[rank];

	if (scatter_operation_is_uniform(operation))
		return true;
	if (operation->seating)
		return !operation->seating->made;
	if (!scatter_inter_involves(&operation->spec, rank))
		return false;
	if (operation->combine)
		return true;
	/* Nobody waits for who has nothing to send in an irregular tree. */
	if (operation->decided && !part->length &&
	    operation->spec.op == SCATTER_OP_GATHERV &&
	    operation->plan.algorithm == SCATTER_SCHEDULE_IRREGULAR)
		return rank == operation->spec.root;
	switch (operation->spec.op) {
	case SCATTER_OP_SCATTER:
	case SCATTER_OP_SCATTERV:
		return rank == operation->spec.root &&
		       (!part->posted || operation->home);
	case SCATTER_OP_GATHER:
	case SCATTER_OP_GATHERV:
		return rank == operation->spec.root || !part->posted ||
		       part->block == SCATTER_BLOCK_HOME;
	default:
		return !part->posted;
	}
}

/**
 * scatter_operation_forget_locked() - a rank takes and gives nothing any more
 * @group: whose
 * @operation: a live operation
 * @rank: the rank; its part is about to be closed
 *
 * What it has in user memory, or has got, is void. A block that is still on
 * its way to it is dropped on arrival.
 *
 * Context: the group's lock is held.
 */
void scatter_operation_forget_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u32 rank)
{
	struct scatter_part *part = &operation->parts[rank];

	if (operation->seating)
		scatter_seating_forget_locked(operation->seating, rank);
	if (scatter_op_scatters(operation->spec.op)) {
		if (part->delivered)
			scatter_operation_move_locked(group, operation, rank,
						      SCATTER_BLOCK_TAKEN,
						      NULL);
	} else if (part->block == SCATTER_BLOCK_HOME) {
		scatter_operation_move_locked(group, operation, rank,
					      SCATTER_BLOCK_FAULT, NULL);
	}
}

/**
 * scatter_operation_depart_locked() - a rank died or left
 * @group: whose
 * @rank: the rank; it is not inside a call
 * @from: the first operation that it had not passed
 * @left: true: left, and no operation from @from on may succeed; false: died
 * @dead: (out) operations that it was the last to pass, for
 *	scatter_operation_free(), linked through their node
 *
 * Context: the group's lock is held.
 */
void scatter_operation_depart_locked(struct scatter_group *group, u32 rank,
				     u64 from, bool left,
				     struct hlist_head *dead)
{
	int error = left ? -ESHUTDOWN : -ECONNRESET;
	struct scatter_operation *operation;
	struct hlist_node *next;
	int i;

	lockdep_assert_held(&group->lock);
	for (i = 0; i < SCATTER_OPERATION_BUCKETS; i++) {
		hlist_for_each_entry_safe(operation, next,
					  &group->operations[i], node) {
			if (operation->number < from)
				continue;
			if (left || owes(operation, rank))
				scatter_operation_fail_locked(group, operation,
							      error, rank,
							      left);
			scatter_operation_forget_locked(group, operation,
							rank);
			if (scatter_operation_pass_locked(group, operation,
							  rank))
				hlist_add_head(&operation->node, dead);
		}
	}
}

/**
 * scatter_operation_missing_locked() - find a rank that has not called
 * @operation: a live operation
 * @rank: (in, out) where to start looking; the rank found
 *
 * Context: the group's lock is held.
 * Return: false if there is none.
 */
bool scatter_operation_missing_locked(const struct scatter_operation *operation,
				      u32 *rank)
{
	if (operation->posted == operation->size)
		return false;
	for (; *rank < operation->size; ++*rank)
		if (!operation->parts[*rank].posted)
			return true;
	return false;
}

/**
 * scatter_operation_owner() - the rank in whose memory a block starts
 * @operation: a scatter or gather that somebody has posted
 * @rank: whose block
 *
 * Context: any.
 */
u32 scatter_operation_owner(const struct scatter_operation *operation, u32 rank)
{
	if (scatter_op_scatters(operation->spec.op))
		return operation->spec.root;
	return rank;
}

/**
 * scatter_operation_bytes() - the length of a bundle
 * @operation: a scatter or gather that the ranks of the bundle, or the root of a
 *	scatter, have posted
 * @first: first rank whose block it has
 * @count: how many blocks, modulo the size
 *
 * Context: any.
 * Return: bytes.
 */
u64 scatter_operation_bytes(const struct scatter_operation *operation,
			    u32 first, u32 count)
{
	u64 bytes = 0;
	u32 i;

	if (!scatter_op_is_vector(operation->spec.op))
		return count * operation->spec.block;
	/* No sum is beyond 2^63, since no block is beyond SCATTER_BLOCK_MAX. */
	for (i = 0; i < count; i++)
		bytes += operation->parts[(first + i) % operation->size].length;
	return bytes;
}

/**
 * scatter_operation_run() - blocks that can be copied in one go
 * @operation: a scatter or gather
 * @rank: the first block
 * @most: how many to consider
 *
 * Context: any; the caller has claimed the blocks.
 * Return: how many blocks from @rank on, 1 to @most, are in the same state and
 * lie side by side both where they are and in the root's buffer, without
 * wrapping around from the last rank to 0.
 */
u32 scatter_operation_run(const struct scatter_operation *operation, u32 rank,
			  u32 most)
{
	const struct scatter_part *part = &operation->parts[rank];
	enum scatter_block_state state = READ_ONCE(part->block);
	u64 bytes = part->length;
	u32 n;

	most = min(most, operation->size - rank);
	if (scatter_op_gathers(operation->spec.op) &&
	    state != SCATTER_BLOCK_RECORD)
		most = 1;
	for (n = 1; n < most; n++) {
		if (READ_ONCE(part[n].block) != state)
			break;
		if (part[n].offset != part->offset + bytes)
			break;
		if (state == SCATTER_BLOCK_RECORD &&
		    (part[n].place.record != part->place.record ||
		     part[n].place.offset != part->place.offset + bytes))
			break;
		bytes += part[n].length;
	}
	return n;
}
