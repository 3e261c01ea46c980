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
 * it called. If the rank dies while a task is inside its call, the part becomes DEAD, and
 * that task closes it. An operation is freed when all parts are closed; nobody inside a
 * call can see it go, since the caller's own part is not.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/scatter.h>

#include "combine.h"
#include "group.h"
#include "inter.h"
#include "member.h"
#include "memory.h"
#include "operation.h"
#include "plan.h"
#include "regroup.h"
#include "stats.h"
#include "user.h"
#include "wait.h"

/* What only some operations need. */
static int equip(struct scatter_operation *operation,
		 const struct scatter_spec *spec, u32 flags)
{
	struct scatter_seating *seating;
	struct scatter_combine *combine;

	if (scatter_op_regroups(spec->op)) {
		seating = scatter_seating_alloc(operation->user, operation->size,
						flags);
		if (IS_ERR(seating))
			return PTR_ERR(seating);
		operation->seating = seating;
	}
	if (scatter_op_moves(spec->op) &&
	    spec->schedule.algorithm == SCATTER_ALGORITHM_OR_BROADCAST) {
		combine = scatter_combine_alloc(operation->user, spec,
						operation->size, flags);
		if (IS_ERR(combine))
			return PTR_ERR(combine);
		operation->combine = combine;
	}
	return 0;
}

/**
 * struct sizes - what an operation's memory consists of, but for the struct itself
 * @late: numbers in scatter_operation.late
 * @cargo: blocks
 * @branches: branches
 */
struct sizes {
	size_t late;
	size_t cargo;
	size_t branches;
};

/* Where no rank has any bytes, one cargo is enough; the idle do not know. */
static struct sizes sizes_of(const struct scatter_spec *spec, u32 size)
{
	struct sizes sizes = { .cargo = 1 };

	if (spec->flags & SCATTER_COLL_DEADLINE_ALL)
		sizes.late = BITS_TO_LONGS(size);
	if (!scatter_op_moves(spec->op))
		return sizes;
	if (spec->block || spec->idle || scatter_op_is_vector(spec->op))
		sizes.cargo = size;
	sizes.branches = size * (size_t)scatter_plan_trees(spec);
	return sizes;
}

/* One piece of memory: the struct with its parts, then what @sizes says. */
static struct scatter_operation *allocate(struct scatter_group *group,
					  struct scatter_user *user,
					  const struct sizes *sizes, u32 flags)
{
	struct scatter_operation *operation;
	struct scatter_branch *branches;
	struct scatter_cargo *cargo;
	u32 rank, size = group->size;
	unsigned long *late;
	size_t bytes;

	bytes = struct_size(operation, parts, size) +
		array_size(sizes->late, sizeof(*late)) +
		array_size(sizes->cargo, sizeof(*cargo)) +
		array_size(sizes->branches, sizeof(*branches));
	operation = scatter_memory_reuse(xchg(&group->spare, NULL), user, bytes);
	if (!operation)
		operation = scatter_memory_alloc(user, bytes, flags);
	if (IS_ERR(operation))
		return operation;
	cargo = (void *)&operation->parts[size];
	late = (void *)&cargo[sizes->cargo];
	branches = (void *)&late[sizes->late];
	if (sizes->late) {
		operation->late = late;
		bitmap_set(late, 0, size);
	}
	operation->branches = branches;
	for (rank = 0; rank < size; rank++)
		operation->parts[rank].cargo = &cargo[sizes->cargo == 1 ? 0 : rank];
	return operation;
}

/**
 * scatter_operation_alloc() - make an operation that is not yet live
 * @group: whose
 * @user: who is charged for it
 * @spec: what is going to be asked for first
 * @flags: as of scatter_memory_alloc()
 *
 * Context: may sleep.
 * Return: the operation, or an ERR_PTR: -ENOMEM, -EDQUOT.
 */
struct scatter_operation *
scatter_operation_alloc(struct scatter_group *group, struct scatter_user *user,
			const struct scatter_spec *spec, u32 flags)
{
	struct sizes sizes = sizes_of(spec, group->size);
	struct scatter_operation *operation;
	int error;

	operation = allocate(group, user, &sizes, flags);
	if (IS_ERR(operation))
		return operation;
	operation->group = group;
	operation->user = user;
	operation->size = group->size;
	operation->trees = scatter_plan_trees(spec);
	operation->ask_head = SCATTER_NO_RANK;
	operation->queue_head = SCATTER_NO_RANK;
	operation->queue_tail = SCATTER_NO_RANK;
	operation->fault_rank = SCATTER_NO_RANK;
	error = equip(operation, spec, flags);
	if (error) {
		scatter_memory_free(operation);
		return ERR_PTR(error);
	}
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
 * scatter_operation_drop_stage_locked() - nobody asks the source of a block for it any more
 * @group: whose
 * @operation: an operation
 * @rank: whose block
 *
 * A task that fills or empties the stage at the moment has to drop it again.
 *
 * Context: the group's lock is held.
 */
void scatter_operation_drop_stage_locked(struct scatter_group *group,
					 struct scatter_operation *operation,
					 u32 rank)
{
	struct scatter_part *part = &operation->parts[rank];
	struct scatter_stage *stage = part->cargo->stage;

	lockdep_assert_held(&group->lock);
	if (part->bring == SCATTER_BRING_ASKED)
		part->bring = SCATTER_BRING_NONE;
	if (!stage || stage->state == SCATTER_STAGE_FILLING ||
	    stage->state == SCATTER_STAGE_EMPTYING)
		return;
	group->slot_bytes -= stage->charged;
	part->cargo->stage = NULL;
	scatter_memory_free(stage);
	scatter_object_destroyed(SCATTER_OBJECT_SLOT, 1);
}

/* Nobody else looks at the operation any more, but others use the ring that a block may be in. */
static void release_block(struct scatter_group *group,
			  struct scatter_operation *operation, u32 rank)
{
	struct scatter_part *part = &operation->parts[rank];

	if (part->block != SCATTER_BLOCK_RECORD && !part->cargo->stage)
		return;
	spin_lock(&group->lock);
	if (part->block == SCATTER_BLOCK_RECORD)
		release_place_locked(group, &part->cargo->place);
	scatter_operation_drop_stage_locked(group, operation, rank);
	spin_unlock(&group->lock);
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
	struct scatter_user *user;
	u32 rank;

	if (!operation)
		return;
	user = operation->user;
	for (rank = 0; operation->posted && rank < operation->size; rank++)
		release_block(group, operation, rank);
	scatter_combine_free(operation->combine, operation->size);
	scatter_memory_free(operation->seating);
	scatter_memory_free(operation->tree);
	scatter_memory_keep(&group->spare, operation);
	scatter_object_destroyed(SCATTER_OBJECT_OPERATION, 1);
	scatter_user_tell(user);
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
	group->end = max(group->end, number + 1);
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
					BIT(SCATTER_PART_DEAD) |
					BIT(SCATTER_PART_CLOSED),
		[SCATTER_PART_OPEN] = BIT(SCATTER_PART_PAUSED) |
				      BIT(SCATTER_PART_DEAD) |
				      BIT(SCATTER_PART_CLOSED),
		[SCATTER_PART_PAUSED] = BIT(SCATTER_PART_OPEN) |
					BIT(SCATTER_PART_DEAD) |
					BIT(SCATTER_PART_CLOSED),
		[SCATTER_PART_DEAD] = BIT(SCATTER_PART_CLOSED),
		[SCATTER_PART_CLOSED] = 0,
	};

	WARN_ON_ONCE(!(next[part->state] & BIT(state)));
	part->state = state;
}

/**
 * scatter_operation_expect_no_more_locked() - a rank has called, or will not
 * @operation: a live operation
 * @rank: the rank
 *
 * Context: the group's lock is held.
 */
void scatter_operation_expect_no_more_locked(struct scatter_operation *operation,
					     u32 rank)
{
	if (operation->late && !operation->error)
		__clear_bit(rank, operation->late);
}

/**
 * scatter_operation_pass_locked() - a rank is done with an operation
 * @group: whose
 * @operation: a live operation
 * @rank: the rank; its part is not closed
 *
 * Context: the group's lock is held.
 * Return: true if that was the last rank: @operation has left the table and the
 * caller owes scatter_group_wake_window() and scatter_operation_free().
 */
bool scatter_operation_pass_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank)
{
	lockdep_assert_held(&group->lock);
	scatter_operation_set_state(&operation->parts[rank],
				    SCATTER_PART_CLOSED);
	scatter_operation_expect_no_more_locked(operation, rank);
	if (++operation->passed < operation->size)
		return false;
	hlist_del(&operation->node);
	group->nr_operations--;
	return true;
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
 * Return: false if the operation has just failed: the caller owes
 * scatter_operation_abort() of later ones.
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
		release_place_locked(group, &part->cargo->place);
	part->block = state;
	if (state == SCATTER_BLOCK_RECORD)
		part->cargo->place = *place;
	if (state == SCATTER_BLOCK_HOME) {
		operation->home++;
		operation->home_rank = rank;
	}
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

/**
 * scatter_operation_missing_locked() - find a rank that has not called
 * @operation: a live operation
 * @end: behind the last rank to look at
 * @rank: (in, out) where to start looking; the rank found
 *
 * Context: the group's lock is held.
 * Return: false if there is none.
 */
bool scatter_operation_missing_locked(const struct scatter_operation *operation,
				      u32 end, u32 *rank)
{
	if (operation->posted == operation->size)
		return false;
	*rank = max(*rank, operation->first_missing);
	for (; *rank < end; ++*rank)
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
		bytes += operation->parts[(first + i) % operation->size].cargo->length;
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
	u64 bytes = part->cargo->length;
	u32 n;

	most = min(most, operation->size - rank);
	if (scatter_op_gathers(operation->spec.op) &&
	    state != SCATTER_BLOCK_RECORD)
		most = 1;
	for (n = 1; n < most; n++) {
		if (READ_ONCE(part[n].block) != state)
			break;
		if (part[n].cargo->offset != part->cargo->offset + bytes)
			break;
		if (state == SCATTER_BLOCK_RECORD &&
		    (part[n].cargo->place.record != part->cargo->place.record ||
		     part[n].cargo->place.offset != part->cargo->place.offset + bytes))
			break;
		bytes += part[n].cargo->length;
	}
	return n;
}
