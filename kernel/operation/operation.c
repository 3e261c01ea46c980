// SPDX-License-Identifier: GPL-2.0
/*
 * One operation of a group: the object, and the parts of the ranks in it.
 *
 * A rank's part goes
 *
 *	ABSENT -> OPEN -> CLOSED
 *		  | ^
 *		  v |
 *		 PAUSED -> CLOSED
 *
 * A part also goes ABSENT -> CLOSED, if the rank departs or the operation fails before the rank
 * calls. If the rank dies while a task is inside the rank's call, the part becomes DEAD, and that
 * task closes the part. An operation is freed when all parts are closed. An operation stays while a
 * task is inside a call of it, since that call's part is not closed.
 */
#include <linux/align.h>
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/rbtree.h>
#include <linux/scatter.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "group/group.h"
#include "group/member.h"
#include "group/wait.h"
#include "memory/memory.h"
#include "memory/user.h"
#include "operation/operation.h"
#include "stats.h"

/**
 * struct sizes - what an operation's memory consists of
 * @parts: bytes of the struct with its parts
 * @slices: number of elements of scatter_operation.slices
 * @late: number of words of scatter_operation.late
 * @own: bytes that only operations of this kind have, see scatter_kind.size
 */
struct sizes {
	size_t parts;
	size_t slices;
	size_t late;
	size_t own;
};

static struct sizes sizes_of(const struct scatter_group *group, const struct scatter_kind *kind,
			     const struct scatter_spec *spec)
{
	const struct scatter_operation *operation;
	struct sizes sizes = {
		.parts = ALIGN(struct_size(operation, parts, scatter_group_seats(group)),
			       sizeof(u64)),
	};

	if (kind->has_blocks)
		sizes.slices = group->size;
	if (spec->flags & SCATTER_COLL_DEADLINE_ALL)
		sizes.late = BITS_TO_LONGS(group->size);
	if (kind->size)
		sizes.own = kind->size(spec, group->size);
	return sizes;
}

/* Allocate one piece of memory: the struct with its parts, the slices, @late, and @own last. */
static struct scatter_operation *allocate(struct scatter_group *group,
					  struct scatter_user *user,
					  const struct sizes *sizes, u32 flags,
					  void **own)
{
	struct scatter_operation *operation;
	u32 rank, size = group->size;
	struct scatter_slice *slices;
	unsigned long *late;
	size_t bytes;

	bytes = sizes->parts + array_size(sizes->slices, sizeof(*slices)) +
		array_size(sizes->late, sizeof(*late)) + sizes->own;
	operation = scatter_memory_reuse(xchg(&group->spare, NULL), user, bytes);
	if (!operation)
		operation = scatter_memory_alloc(user, bytes, flags);
	if (IS_ERR(operation))
		return operation;
	slices = (void *)operation + sizes->parts;
	late = (void *)&slices[sizes->slices];
	*own = &late[sizes->late];
	if (sizes->slices)
		operation->slices = slices;
	if (sizes->late) {
		operation->late = late;
		/* This node does not know whether ranks of other nodes have called. */
		for (rank = 0; rank < size; rank++)
			if (group->members[rank])
				__set_bit(rank, late);
	}
	/* Nobody here waits for a rank of another node: the portal posts for all of these. */
	for (rank = 0; group->spans && rank < size; rank++)
		operation->parts[rank].posted = !group->members[rank];
	return operation;
}

/**
 * scatter_operation_alloc() - make an operation that is not yet live
 * @group: the operation's group
 * @user: the user that is charged for the operation
 * @kind: the operation's kind
 * @spec: what the first call asks for
 * @flags: as of scatter_memory_alloc()
 *
 * Context: may sleep.
 * Return: the operation, or an ERR_PTR: -ENOMEM, -EDQUOT.
 */
struct scatter_operation *
scatter_operation_alloc(struct scatter_group *group, struct scatter_user *user,
			const struct scatter_kind *kind,
			const struct scatter_spec *spec, u32 flags)
{
	struct sizes sizes = sizes_of(group, kind, spec);
	struct scatter_operation *operation;
	void *own;

	operation = allocate(group, user, &sizes, flags, &own);
	if (IS_ERR(operation))
		return operation;
	operation->group = group;
	operation->user = user;
	operation->size = group->size;
	operation->parties = scatter_group_parties(group);
	operation->kind = kind;
	if (kind->init)
		kind->init(operation, spec, own);
	scatter_stats_created(SCATTER_OBJECT_OPERATION, 1);
	return operation;
}

/**
 * scatter_operation_free() - free an operation that is no longer live
 * @group: the operation's group
 * @operation: is not in the group's table any more; NULL is ignored
 *
 * Also frees what calls have brought, see scatter_kind.free.
 *
 * Context: process context; takes the group lock.
 */
void scatter_operation_free(struct scatter_group *group,
			    struct scatter_operation *operation)
{
	struct scatter_user *user;

	if (!operation)
		return;
	user = operation->user;
	if (operation->kind->free)
		operation->kind->free(group, operation);
	kfree(operation->others);
	scatter_memory_free(operation->tree);
	scatter_memory_keep(&group->spare, operation);
	scatter_stats_destroyed(SCATTER_OBJECT_OPERATION, 1);
	scatter_user_tell(user);
}

static int compare(const void *number, const struct rb_node *rb)
{
	const struct scatter_operation *operation = rb_entry(rb, struct scatter_operation, node);
	u64 sought = *(const u64 *)number;

	return sought < operation->number ? -1 : sought > operation->number;
}

static bool is_lower(struct rb_node *rb, const struct rb_node *other)
{
	return rb_entry(rb, struct scatter_operation, node)->number <
	       rb_entry(other, struct scatter_operation, node)->number;
}

static struct rb_root *bucket(struct scatter_group *group, u64 number)
{
	return &group->operations[number % SCATTER_OPERATION_BUCKETS];
}

/**
 * scatter_operation_find_locked() - find a live operation by its number
 * @group: the operation's group
 * @number: the operation's number
 *
 * Context: the group's lock is held.
 * Return: the operation, or NULL.
 */
struct scatter_operation *
scatter_operation_find_locked(struct scatter_group *group, u64 number)
{
	struct rb_node *rb;

	lockdep_assert_held(&group->lock);
	rb = rb_find(&number, bucket(group, number), compare);
	return rb ? rb_entry(rb, struct scatter_operation, node) : NULL;
}

/**
 * scatter_operation_is_passed() - whether the portal has passed an operation
 * @group: spans nodes
 * @number: the operation's number
 *
 * Members here may still be in the operation, but nothing would drop a slot that is made now.
 *
 * Context: takes the group's lock.
 */
bool scatter_operation_is_passed(struct scatter_group *group, u64 number)
{
	const struct scatter_operation *operation;
	bool passed;

	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, number);
	passed = operation ? operation->parts[group->size].state == SCATTER_PART_CLOSED :
			     number < group->end - group->nr_operations;
	spin_unlock(&group->lock);
	return passed;
}

/**
 * scatter_operation_insert_locked() - make an operation live
 * @group: the operation's group
 * @operation: from scatter_operation_alloc()
 * @number: the operation's number; no live operation has this number
 *
 * Context: the group's lock is held.
 */
void scatter_operation_insert_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u64 number)
{
	lockdep_assert_held(&group->lock);
	operation->number = number;
	rb_add(&operation->node, bucket(group, number), is_lower);
	group->nr_operations++;
	group->end = max(group->end, number + 1);
}

/**
 * scatter_operation_set_state() - the only way a part's state changes
 * @part: the part
 * @state: the part's new state
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
 * scatter_operation_expect_no_more_locked() - note that a rank has called, or never will
 * @operation: a live operation
 * @rank: the rank
 *
 * Context: the group's lock is held.
 */
void scatter_operation_expect_no_more_locked(struct scatter_operation *operation,
					     u32 rank)
{
	if (operation->late && !operation->error && !operation->plea)
		__clear_bit(rank, operation->late);
}

/**
 * scatter_operation_pass_locked() - close a rank's part in an operation
 * @group: the operation's group
 * @operation: a live operation
 * @rank: the rank; its part is not closed
 *
 * Context: the group's lock is held.
 * Return: true if the rank was the last one. Then @operation has left the table, and the caller has
 * to call scatter_group_wake_window() and scatter_operation_free().
 */
bool scatter_operation_pass_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank)
{
	lockdep_assert_held(&group->lock);
	scatter_operation_set_state(scatter_operation_part(operation, rank),
				    SCATTER_PART_CLOSED);
	scatter_operation_expect_no_more_locked(operation, rank);
	if (++operation->passed < operation->parties)
		return false;
	rb_erase(&operation->node, bucket(group, operation->number));
	group->nr_operations--;
	return true;
}

/**
 * scatter_operation_missing_locked() - find a rank that has not called
 * @operation: a live operation
 * @end: behind the last rank to look at
 * @rank: (in) the first rank to look at; (out) the rank found
 *
 * Context: the group's lock is held.
 * Return: false if all these ranks have called.
 */
bool scatter_operation_missing_locked(const struct scatter_operation *operation,
				      u32 end, u32 *rank)
{
	if (operation->posted == operation->parties)
		return false;
	*rank = max(*rank, operation->first_missing);
	for (; *rank < end; ++*rank)
		if (!scatter_operation_part(operation, *rank)->posted)
			return true;
	return false;
}

/**
 * scatter_operation_wake() - make all members that wait in an operation look again
 * @operation: a live operation; the caller's own part is not closed
 *
 * A member that begins to wait now has seen what the caller did under the group's lock before.
 *
 * Context: may sleep; no locks.
 */
void scatter_operation_wake(const struct scatter_operation *operation)
{
	u32 rank;

	for (rank = 0; rank < operation->size; rank++) {
		scatter_operation_wake_rank(operation, rank);
		cond_resched();
	}
}

/**
 * scatter_operation_free_all() - free operations that are no longer live
 * @group: the operations' group
 * @dead: from scatter_fail_depart_locked(), in reverse order of their numbers
 *
 * Frees the operation with the lowest number first, since rings give space back in that order.
 *
 * Context: may sleep; no locks.
 */
void scatter_operation_free_all(struct scatter_group *group, struct hlist_head *dead)
{
	struct scatter_operation *operation;
	struct hlist_node *next;
	HLIST_HEAD(sorted);

	hlist_for_each_entry_safe(operation, next, dead, over) {
		hlist_del(&operation->over);
		hlist_add_head(&operation->over, &sorted);
	}
	hlist_for_each_entry_safe(operation, next, &sorted, over) {
		scatter_operation_free(group, operation);
		cond_resched();
	}
}
