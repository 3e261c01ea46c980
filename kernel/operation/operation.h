/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_OPERATION_H
#define _SCATTER_OPERATION_H

#include <linux/errno.h>
#include <linux/compiler.h>
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
 * @SCATTER_PART_ABSENT: the rank has not called the operation, or its call is refused
 * @SCATTER_PART_OPEN: it is inside its call and has posted; its buffers may be accessed
 * @SCATTER_PART_PAUSED: its call ended with EINTR or ETIMEDOUT; nobody may touch
 *	its buffers until it calls again
 * @SCATTER_PART_DEAD: it died inside its call: nobody may touch its buffers or wait for
 *	it, and its task closes the part
 * @SCATTER_PART_CLOSED: it has passed the operation, or never will call it
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
 * @posted: it has called the operation
 * @waiting: it is asleep inside its call, or about to look whether it has to be, and does its
 *	own forwarding
 * @fulfilled: uniform: it has done all of it, and at most waits for the others
 *
 * The group's lock protects all of it. The rank's buffers are in struct scatter_member: nobody
 * needs them once the part is closed.
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

/* The rank does nothing more for the operation that others may wait for. */
static inline bool scatter_part_is_over(const struct scatter_part *part)
{
	return part->state >= SCATTER_PART_DEAD;
}

/**
 * struct scatter_branch - a rank in one of the trees of a schedule
 * @forwarded: somebody has claimed the rank's sends in this tree
 * @arrived: gather: bundles of its children that have arrived. Scatter by several
 *	trees: of the first branch, pieces of its own block that have
 * @link: next branch of a list: to be forwarded, or bundles that reached the root
 *
 * The group's lock protects all of it; who has claimed the sends, @link.
 */
struct scatter_branch {
	bool forwarded;
	u16 arrived;
	u32 link;
};

/**
 * struct scatter_move - what only a scatter or gather has whose blocks move along edges
 * @cargo: by seat; the portal has none
 * @trees: constant; of the schedule that is asked for
 * @root_cursor: scatter: where the root goes on in its schedule; the root's call only
 * @home: group lock; blocks that lie in user memory at a source
 * @home_rank: group lock; where to look for one of them: where one was found, or came to lie
 * @turn: group lock; whose block the root of a gather looks at first: the one after the last
 *	that it has claimed
 * @ask_head: group lock; scatter: first rank of whose block the root is to bring some, or to
 *	fill a stage, if nothing has become of that meanwhile; %SCATTER_NO_RANK if none
 * @ask_tail: group lock; likewise the last one
 * @delivered: group lock; gather: blocks or pieces that have reached the root
 * @bundle_first: gather: next block of the bundle that the root is copying
 * @bundle_count: gather: blocks left of it; the root's call only
 * @queue_head: group lock; gather: first bundle that reached the root
 * @queue_tail: group lock; gather: last of them
 * @fault_rank: group lock; gather: a rank whose block could not be read,
 *	%SCATTER_NO_RANK if none
 * @long_rank: group lock; gather with AT_MOST: a rank whose block the root has no room for;
 *	%SCATTER_NO_RANK if none
 * @branches: tree by tree, in each by seat; none if there are no blocks
 */
struct scatter_move {
	struct scatter_cargo *cargo;
	u32 trees;
	u64 root_cursor;
	u32 home;
	u32 home_rank;
	u32 turn;
	u32 ask_head;
	u32 ask_tail;
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
 * @due: group lock; something may have become the rank's turn
 * @error: 0 or what its call is going to return; only the rank's own call uses it
 * @culprit: who caused that, likewise
 * @user: constant once the rank has called; who is charged for what the rank gives; NULL: nobody
 * @charged: likewise; bytes
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
 * @has_blocks: each rank that takes part owns a block, so that there are scatter_operation.slices
 * @size: bytes of memory that an operation needs beside its struct; NULL: none
 * @init: a new operation gets that memory, zeroed, behind its struct; may be NULL
 * @prepare: get what a call brings and needs memory for; 0, -EDQUOT, -ENOMEM; may be NULL. May
 *	sleep; no locks
 * @discard: a call is over: free what it got then and the operation has not taken; may be NULL.
 *	No locks
 * @fit: a member that knows more than idle ones has called first after those; may be NULL.
 *	Group lock
 * @post: note what the call of a member that is not idle brings; may be NULL. Group lock, which it
 *	may drop meanwhile
 * @resume: a paused call goes on: wake the members that wait for its memory; may be NULL. No locks
 * @play: do what the rank has to do: 0, -EINTR or -ETIMEDOUT (may be played again later), or
 *	another -errno. May sleep and fault; no locks
 * @assist: do something that others need of a call before it waits: 0 if there is nothing, 1 if
 *	there was, -EINTR or -ETIMEDOUT if the call is to wait no longer; may be NULL. Group
 *	lock, which it drops meanwhile; may sleep and fault
 * @awaited: a rank that has called and that others wait for, if one is soon found, else
 *	%SCATTER_NO_RANK; may be NULL. Group lock
 * @give_up: the call has failed; true: others expected something of it; may be NULL. Group lock
 * @owes: whether the others cannot complete without what a rank that is gone still owes. Group lock
 * @forget: a rank takes and gives nothing any more; its part is about to be closed; may be NULL.
 *	Group lock
 * @die: a rank dies while its task is inside the operation; may be NULL. Group lock
 * @free: the operation goes: free what calls have brought; may be NULL. May sleep; no locks
 */
struct scatter_kind {
	bool has_blocks;
	size_t (*size)(const struct scatter_spec *spec, u32 size);
	void (*init)(struct scatter_operation *operation,
		     const struct scatter_spec *spec, void *own);
	int (*prepare)(struct scatter_call *call, const struct scatter_spec *spec);
	void (*discard)(struct scatter_call *call);
	void (*fit)(struct scatter_operation *operation,
		    const struct scatter_spec *spec);
	void (*post)(struct scatter_call *call);
	void (*resume)(struct scatter_call *call);
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
 * @SCATTER_OPERATION_FULFILLED: all its members have done their parts
 * @SCATTER_OPERATION_PLEA: the operation has to fail
 */
enum scatter_operation_bring {
	SCATTER_OPERATION_FULFILLED = 1 << 0,
	SCATTER_OPERATION_PLEA = 1 << 1,
};

/**
 * struct scatter_operation - one collective call of the whole group
 * @node: group lock; in the group's table while it is live
 * @group: constant; whose
 * @kind: constant
 * @number: constant; in call order, from 0
 * @size: constant; the group's size: ranks, and blocks of a side
 * @parties: constant; who takes part on this node, as of scatter_group_parties()
 * @user: constant; who is charged for it: a member's, which outlives it
 * @spec: constant once the first rank has posted that is not idle; but for root and
 *	block once any has
 * @decided: group lock until set: @plan is chosen. In a v form the root's
 *	call does that, else the first one.
 * @plan: constant once @decided; the schedule that it really runs
 * @expected: constant once @decided; gather: blocks, or pieces of them if they are
 *	cut, that reach the root over edges
 * @tree: of an irregular schedule: constant once @decided
 * @posted: group lock; parties that have called it
 * @first_missing: group lock; all ranks before this one have called it
 * @passed: group lock; parties whose part is closed
 * @fulfilled: group lock; uniform: parties that have done their part
 * @deadline_ns: group lock; DEADLINE_ALL: the earliest of calls that a signal has
 *	paused, 0 if there is none
 * @late: group lock; DEADLINE_ALL: ranks that have not called and still may; constant from
 *	the first error on
 * @error: group lock; -errno for every rank that still needs something; -ETIME also for
 *	those that have not called
 * @abort: group lock; @error is for every rank that has not returned
 * @culprit: group lock; the rank that caused @error
 * @plea: group lock; -errno that this node wants the council to end the operation with; 0: none
 * @pleaded: group lock; the rank that caused @plea
 * @brought: group lock; what this node has contributed to the verdict, as enum
 *	scatter_operation_bring
 * @settled: group lock; the verdict is known, or nobody will tell it
 * @others: group lock; ranks of other nodes that have not called, as last heard, in
 *	%SCATTER_MASK_WORDS words; NULL: nothing was heard
 * @slices: by seat, but for the portal's; NULL if its kind has no blocks
 * @move: of kind move
 * @combine: constant; of an OR-broadcast
 * @merge: by seat; of an OR-broadcast in a group that spans nodes
 * @seating: constant; of a DUP or SPLIT
 * @parts: by seat
 */
struct scatter_operation {
	struct hlist_node node;
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

/* The part of a rank, which is that of its seat. */
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

/* The same of kind move: where it is. */
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

/* Whether the operation, which somebody has posted, is of kind move. */
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
 * Whether the operation, which somebody has posted, is decreed: it ends as the council of the
 * group's nodes decides, and not before.
 */
static inline bool
scatter_operation_is_decreed(const struct scatter_operation *operation)
{
	return operation->group->spans && scatter_operation_is_uniform(operation);
}

/* Whether the operation, which somebody has posted, ends for all when a deadline passes. */
static inline bool
scatter_operation_ends_together(const struct scatter_operation *operation)
{
	return operation->spec.flags & SCATTER_COLL_DEADLINE_ALL;
}

/* Whether the operation has failed for all, or is going to since members disagree. */
static inline bool
scatter_operation_is_lost(const struct scatter_operation *operation)
{
	return READ_ONCE(operation->abort) || READ_ONCE(operation->plea) == -EPROTO;
}

/**
 * scatter_operation_wake_rank() - make a rank look again, if it waits in an operation
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
bool scatter_operation_pass_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank);
bool scatter_operation_missing_locked(const struct scatter_operation *operation,
				      u32 end, u32 *rank);
void scatter_operation_wake(const struct scatter_operation *operation);

#endif /* _SCATTER_OPERATION_H */
