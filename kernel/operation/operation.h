/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_OPERATION_H
#define _SCATTER_OPERATION_H

#include <linux/errno.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/rbtree_types.h>
#include <linux/scatter.h>
#include <linux/types.h>

#include "group/group.h"
#include "group/party.h"
#include "group/spec.h"
#include "operation/block.h"
#include "schedule/schedule.h"

struct scatter_call;
struct scatter_combine;
struct scatter_group;
struct scatter_operation;
struct scatter_seating;
struct scatter_tree;
struct scatter_user;

/**
 * enum scatter_part_state - a rank's part in one operation
 * @SCATTER_PART_ABSENT: the rank has not called the operation, or its call was refused
 * @SCATTER_PART_OPEN: the rank is inside its call and has posted; others may access its buffers
 * @SCATTER_PART_PAUSED: the rank's call ended with EINTR or ETIMEDOUT; nobody may touch
 *	the rank's buffers until the rank calls again
 * @SCATTER_PART_DEAD: the rank died inside its call: nobody may touch its buffers or wait for
 *	the rank, and the rank's task closes the part
 * @SCATTER_PART_CLOSED: the rank has passed the operation, or never will call it
 */
enum scatter_part_state {
	SCATTER_PART_ABSENT,
	SCATTER_PART_OPEN,
	SCATTER_PART_PAUSED,
	SCATTER_PART_DEAD,
	SCATTER_PART_CLOSED,
};

/**
 * struct scatter_part - what one rank has done in an operation
 * @state: enum scatter_part_state
 * @posted: the rank has called the operation
 * @waiting: the rank's task sleeps inside its call, or is about to look whether it has to sleep;
 *	the task does the rank's own forwarding
 * @fulfilled: uniform: the rank has done its part, and at most waits for the others
 *
 * The group's lock protects the part. The rank's buffers are in struct scatter_member: nobody
 * needs the buffers once the part is closed.
 */
struct scatter_part {
	u8 state;
	bool posted;
	bool waiting;
	bool fulfilled;
};

static inline bool scatter_part_is_open(const struct scatter_part *part)
{
	return part->state == SCATTER_PART_OPEN;
}

/* Others need not wait for the rank any more: it does nothing more for the operation. */
static inline bool scatter_part_is_over(const struct scatter_part *part)
{
	return part->state >= SCATTER_PART_DEAD;
}

/**
 * struct scatter_branch - a rank in one of the trees of a schedule
 * @forwarded: a context has claimed the rank's sends in this tree
 * @arrived: gather: how many bundles of the rank's children have arrived. Scatter by several
 *	trees: in the rank's first branch, how many pieces of the rank's own block have arrived
 * @link: next branch in a list: of branches to be forwarded, or of bundles that reached the root
 *
 * The group's lock protects the branch. The context that has claimed the sends uses @link without
 * the lock.
 */
struct scatter_branch {
	bool forwarded;
	u16 arrived;
	u32 link;
};

/**
 * struct scatter_move - what only a scatter or gather has whose blocks move along edges
 * @cargo: by seat; the portal has none
 * @trees: constant; number of trees of the schedule that the members ask for
 * @root_cursor: scatter: where the root goes on in its schedule; only the root's call uses it
 * @home: group lock; how many blocks lie in user memory at their sources
 * @home_rank: group lock; where a search for such a block begins: a rank whose block was found or
 *	set there last
 * @turn: group lock; gather: the rank whose block the root looks at first: the rank after the one
 *	whose block the root has claimed last
 * @noted_head: group lock; first rank in the list of blocks for which the root has something to
 *	do: in a scatter, to fault bytes in, or to fill a stage; in a gather, to take bytes that
 *	have come from other nodes. There may be nothing to do any more. %SCATTER_NO_RANK: the list
 *	is empty
 * @noted_tail: group lock; last rank of that list
 * @delivered: group lock; gather: blocks or pieces that have reached the root
 * @bundle_first: gather: next block of the bundle that the root is copying; only the root's call
 *	uses it
 * @bundle_count: gather: how many blocks of that bundle are left; likewise
 * @queue_head: group lock; gather: first bundle that reached the root
 * @queue_tail: group lock; gather: last of these bundles
 * @fault_rank: group lock; gather: a rank whose block could not be read;
 *	%SCATTER_NO_RANK: none
 * @long_rank: group lock; gather with AT_MOST: a rank whose block the root has no room for;
 *	%SCATTER_NO_RANK: none
 * @branches: tree by tree, in each tree by seat; empty if there are no blocks
 */
struct scatter_move {
	struct scatter_cargo *cargo;
	u32 trees;
	u64 root_cursor;
	u32 home;
	u32 home_rank;
	u32 turn;
	u32 noted_head;
	u32 noted_tail;
	u32 delivered;
	u32 bundle_first;
	u32 bundle_count;
	u32 queue_head;
	u32 queue_tail;
	u32 fault_rank;
	u32 long_rank;
	struct scatter_branch *branches;
};

/**
 * struct scatter_merge - a rank's way through an OR-broadcast between nodes
 * @due: group lock; the rank may have to give or take a cell now
 * @error: 0 or the -errno that the rank's call is going to return; only that call uses it
 * @culprit: the rank that caused @error; likewise
 * @user: constant once the rank has called; the user charged for what the rank gives; NULL: nobody
 * @charged: constant once the rank has called; bytes that @user is charged for
 */
struct scatter_merge {
	bool due;
	int error;
	u32 culprit;
	struct scatter_user *user;
	u64 charged;
};

/**
 * struct scatter_kind - what operations of a kind have in common
 * @has_blocks: each rank that takes part owns a block: operations have scatter_operation.slices
 * @lends: the operation holds something of a rank until the rank's part closes: @forget is called
 *	also when the call succeeds
 * @size: how many bytes of memory an operation needs beside its struct; NULL: none
 * @init: give a new operation that memory, zeroed, which lies behind its struct; may be NULL
 * @prepare: allocate what a call brings; 0, -EDQUOT, -ENOMEM; may be NULL. May sleep; no locks
 * @discard: a call is over: free what @prepare allocated and the operation has not taken; may be
 *	NULL. No locks
 * @fit: take the specification of a call that is the first after calls of idle members; may be
 *	NULL. Group lock
 * @post: note what the call of a member that is not idle brings; may be NULL. Group lock, which
 *	@post may drop and take again
 * @resume: a paused call goes on: wake the members that wait for its memory; may be NULL. No locks
 * @settles: in a group that spans nodes, a new call that is not idle does in @play what has become
 *	due between nodes with the call, before it waits; may be NULL. Any context
 * @play: do the rank's part: 0, -EINTR or -ETIMEDOUT (may be played again later), or
 *	another -errno. May sleep and fault; no locks
 * @assist: do something that others need of a call before the call waits: 0 if there is nothing to
 *	do, 1 if there was, -EINTR or -ETIMEDOUT if the call is to wait no longer; may be NULL.
 *	Group lock, which @assist drops and takes again; may sleep and fault
 * @awaited: a rank that has called and that others wait for, if a short search finds one, else
 *	%SCATTER_NO_RANK; may be NULL. Group lock
 * @give_up: a call has failed: true if others expected something of the call; may be NULL. Group
 *	lock
 * @owes: a rank is gone: whether the others cannot complete without it. Group lock
 * @forget: a rank takes and gives nothing any more, and its part is about to be closed; may be
 *	NULL. Group lock
 * @die: a rank dies while its task is inside the operation; may be NULL. Group lock
 * @free: the operation ends: free what calls have brought; may be NULL. May sleep; no locks
 */
struct scatter_kind {
	bool has_blocks;
	bool lends;
	size_t (*size)(const struct scatter_spec *spec, u32 size);
	void (*init)(struct scatter_operation *operation,
		     const struct scatter_spec *spec, void *own);
	int (*prepare)(struct scatter_call *call, const struct scatter_spec *spec);
	void (*discard)(struct scatter_call *call);
	void (*fit)(struct scatter_operation *operation,
		    const struct scatter_spec *spec);
	void (*post)(struct scatter_call *call);
	void (*resume)(struct scatter_call *call);
	bool (*settles)(const struct scatter_call *call);
	int (*play)(struct scatter_call *call);
	int (*assist)(struct scatter_call *call);
	u32 (*awaited)(struct scatter_operation *operation);
	bool (*give_up)(struct scatter_call *call);
	bool (*owes)(const struct scatter_operation *operation, u32 rank);
	void (*forget)(struct scatter_group *group,
		       struct scatter_operation *operation, u32 rank);
	void (*die)(struct scatter_group *group,
		    struct scatter_operation *operation, u32 rank);
	void (*free)(struct scatter_group *group,
		     struct scatter_operation *operation);
};

/**
 * enum scatter_operation_bring - what a node contributes to the end of a decreed operation
 * @SCATTER_OPERATION_FULFILLED: all members of the node have done their parts
 * @SCATTER_OPERATION_PLEA: the operation has to fail
 */
enum scatter_operation_bring {
	SCATTER_OPERATION_FULFILLED = 1 << 0,
	SCATTER_OPERATION_PLEA = 1 << 1,
};

/**
 * struct scatter_operation - one collective call of the whole group
 * @node: group lock; in the group's table while the operation is live
 * @over: in a list of operations that are no longer live
 * @group: constant; the operation's group
 * @kind: constant
 * @number: constant; in call order, from 0
 * @size: constant; the group's size: ranks, and blocks of a side
 * @parties: constant; how many parties this node has, as of scatter_group_parties()
 * @user: constant; the user that is charged for the operation; some member has that user, and
 *	outlives the operation
 * @spec: constant once a rank that is not idle has posted; all of it but root and block is constant
 *	once any rank has posted
 * @decided: group lock until set: @plan is chosen. If scatter_spec_is_open(), the root's call
 *	chooses @plan, else the first call does.
 * @plan: constant once @decided; the schedule that the operation really runs
 * @expected: constant once @decided; gather: how many blocks, or pieces if blocks are cut, reach
 *	the root over edges
 * @tree: constant once @decided; of an irregular schedule
 * @posted: group lock; how many parties have called the operation
 * @first_missing: group lock; all ranks before this one have called the operation
 * @passed: group lock; how many parties have closed their parts
 * @fulfilled: group lock; uniform: how many parties have done their parts
 * @deadline_ns: group lock; DEADLINE_ALL: the earliest deadline of calls that a signal has paused;
 *	0: none
 * @late: group lock; DEADLINE_ALL: ranks that have not called and still may; constant from
 *	the first error on
 * @error: group lock; -errno for every rank that still needs something; -ETIME also for
 *	ranks that have not called
 * @abort: group lock; @error counts for every rank that has not returned
 * @culprit: group lock; the rank that caused @error
 * @plea: group lock; -errno that this node wants the council to end the operation with; 0: none
 * @pleaded: group lock; the rank that caused @plea
 * @brought: group lock; what this node has contributed to the verdict, as enum
 *	scatter_operation_bring
 * @settled: group lock; the verdict is known, or this node will never learn it
 * @awaits_nodes: group lock; the portal looks at the operation again when a message of another node
 *	comes, or another call here goes on, and the end of a call alone changes nothing
 * @others: group lock; ranks of other nodes that have not called, as those nodes said last, in
 *	%SCATTER_MASK_WORDS words; NULL: no node has said anything
 * @slices: by seat, without the portal; NULL if the operation's kind has no blocks
 * @move: of kind move
 * @combine: constant; of an OR-broadcast
 * @merge: by seat; of an OR-broadcast in a group that spans nodes
 * @seating: constant; of a DUP or SPLIT
 * @parts: by seat
 */
struct scatter_operation {
	union {
		struct rb_node node;
		struct hlist_node over;
	};
	struct scatter_group *group;
	const struct scatter_kind *kind;
	u64 number;
	u32 size;
	u32 parties;
	struct scatter_user *user;
	struct scatter_spec spec;
	bool decided;
	struct scatter_schedule_spec plan;
	u32 expected;
	struct scatter_tree *tree;
	u32 posted;
	u32 first_missing;
	u32 passed;
	u32 fulfilled;
	u64 deadline_ns;
	unsigned long *late;
	int error;
	bool abort;
	u32 culprit;
	int plea;
	u32 pleaded;
	u32 brought;
	bool settled;
	bool awaits_nodes;
	u64 *others;
	struct scatter_slice *slices;
	union {
		struct scatter_move move;
		struct scatter_combine *combine;
		struct scatter_merge *merge;
		struct scatter_seating *seating;
	};
	struct scatter_part parts[];
};

/* A rank's part: the part of the rank's seat. */
static inline struct scatter_part *
scatter_operation_part(const struct scatter_operation *operation, u32 rank)
{
	return (struct scatter_part *)
	       &operation->parts[scatter_group_seat(operation->group, rank)];
}

/* The block of a rank, in an operation whose kind has any. */
static inline struct scatter_slice *
scatter_operation_slice(const struct scatter_operation *operation, u32 rank)
{
	return &operation->slices[scatter_group_seat(operation->group, rank)];
}

/* The cargo of a rank's block, in an operation of kind move. */
static inline struct scatter_cargo *
scatter_operation_cargo(const struct scatter_operation *operation, u32 rank)
{
	return &operation->move.cargo[scatter_group_seat(operation->group, rank)];
}

/* A rank's way through an OR-broadcast between nodes. */
static inline struct scatter_merge *
scatter_operation_merge(const struct scatter_operation *operation, u32 rank)
{
	return &operation->merge[scatter_group_seat(operation->group, rank)];
}

/* Whether an operation that a rank has posted is of kind move. */
static inline bool scatter_operation_has_cargo(const struct scatter_operation *operation)
{
	return scatter_op_moves(operation->spec.op) &&
	       operation->spec.schedule.algorithm != SCATTER_ALGORITHM_OR_BROADCAST;
}

static inline struct scatter_branch *
scatter_operation_branch(const struct scatter_operation *operation, u32 rank,
			 u32 tree)
{
	return &operation->move.branches[tree * operation->size +
					 scatter_group_seat(operation->group, rank)];
}

static inline bool
scatter_operation_is_uniform(const struct scatter_operation *operation)
{
	return operation->spec.flags & SCATTER_COLL_UNIFORM;
}

/*
 * Whether an operation that a rank has posted is decreed. A decreed operation ends as the council
 * of the group's nodes decides, and not before.
 */
static inline bool
scatter_operation_is_decreed(const struct scatter_operation *operation)
{
	return operation->group->spans && (scatter_operation_is_uniform(operation) ||
					   scatter_op_regroups(operation->spec.op));
}

/* Whether an operation that a rank has posted ends for all when a deadline passes. */
static inline bool
scatter_operation_ends_together(const struct scatter_operation *operation)
{
	return operation->spec.flags & SCATTER_COLL_DEADLINE_ALL;
}

/* Whether the operation has failed for all, or will fail for all since members disagree. */
static inline bool
scatter_operation_is_lost(const struct scatter_operation *operation)
{
	return READ_ONCE(operation->abort) || READ_ONCE(operation->plea) == -EPROTO;
}

/**
 * scatter_operation_wake_rank() - make a rank that waits in an operation look again
 * @operation: a live operation
 * @rank: the rank
 *
 * A member that begins to wait now has seen what the caller did under the group's lock before.
 *
 * Context: any.
 */
static inline void
scatter_operation_wake_rank(const struct scatter_operation *operation, u32 rank)
{
	if (READ_ONCE(scatter_operation_part(operation, rank)->waiting))
		scatter_party_wake(operation->group, scatter_group_seat(operation->group, rank));
}

struct scatter_operation *
scatter_operation_alloc(struct scatter_group *group, struct scatter_user *user,
			const struct scatter_kind *kind,
			const struct scatter_spec *spec, u32 flags);
void scatter_operation_free(struct scatter_group *group,
			    struct scatter_operation *operation);
void scatter_operation_free_all(struct scatter_group *group,
				struct hlist_head *dead);
struct scatter_operation *
scatter_operation_find_locked(struct scatter_group *group, u64 number);
void scatter_operation_insert_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u64 number);
void scatter_operation_set_state(struct scatter_part *part,
				 enum scatter_part_state state);
void scatter_operation_expect_no_more_locked(struct scatter_operation *operation,
					     u32 rank);
bool scatter_operation_is_passed(struct scatter_group *group, u64 number);
bool scatter_operation_pass_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank);
bool scatter_operation_missing_locked(const struct scatter_operation *operation,
				      u32 end, u32 *rank);
void scatter_operation_wake(const struct scatter_operation *operation);

#endif /* _SCATTER_OPERATION_H */
