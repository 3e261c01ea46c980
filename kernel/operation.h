/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_OPERATION_H
#define _SCATTER_OPERATION_H

#include <linux/limits.h>
#include <linux/scatter.h>
#include <linux/types.h>

#include "buffer.h"
#include "masks.h"
#include "plan.h"
#include "ring.h"
#include "schedule/schedule.h"

struct scatter_combine;
struct scatter_group;
struct scatter_member;
struct scatter_seating;
struct scatter_tree;
struct scatter_user;

#define SCATTER_NO_RANK		U32_MAX
/* Longest block: all blocks of the largest group have a 63-bit length together. */
#define SCATTER_BLOCK_MAX	(S64_MAX / SCATTER_SIZE_MAX)
/* Flags that are the same at all members. */
#define SCATTER_COLL_AGREED	(SCATTER_COLL_UNIFORM | SCATTER_COLL_DEADLINE_ALL)

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
 * enum scatter_block_state - where a rank's block lies
 * @SCATTER_BLOCK_NOWHERE: its source has not called yet
 * @SCATTER_BLOCK_HOME: in user memory at its source: the root of a scatter, the rank
 *	itself of a gather
 * @SCATTER_BLOCK_RECORD: in kernel memory, at scatter_cargo.place
 * @SCATTER_BLOCK_FAULT: its source could not be read
 * @SCATTER_BLOCK_TAKEN: arrived, or no longer wanted
 */
enum scatter_block_state {
	SCATTER_BLOCK_NOWHERE,
	SCATTER_BLOCK_HOME,
	SCATTER_BLOCK_RECORD,
	SCATTER_BLOCK_FAULT,
	SCATTER_BLOCK_TAKEN,
};

/**
 * enum scatter_bring_state - whether the source has faulted in the next bytes of a block
 * @SCATTER_BRING_NONE: nobody has asked
 * @SCATTER_BRING_ASKED: the taker found them absent; the source is to fault them in
 * @SCATTER_BRING_DOING: the source does
 * @SCATTER_BRING_DONE: the taker is to try again
 *
 * NONE -> ASKED -> DOING -> DONE -> NONE, and ASKED -> NONE if the block leaves its source.
 */
enum scatter_bring_state {
	SCATTER_BRING_NONE,
	SCATTER_BRING_ASKED,
	SCATTER_BRING_DOING,
	SCATTER_BRING_DONE,
};

/**
 * enum scatter_stage_state - whose turn it is
 * @SCATTER_STAGE_IDLE: nothing in it, nobody needs it
 * @SCATTER_STAGE_ASKED: the source is to fill it
 * @SCATTER_STAGE_FILLING: the source copies into it
 * @SCATTER_STAGE_FULL: the taker is to empty it
 * @SCATTER_STAGE_EMPTYING: the taker copies out of it
 *
 * IDLE -> ASKED -> FILLING -> FULL -> EMPTYING -> IDLE, and back to FULL if the taker
 * could not.
 */
enum scatter_stage_state {
	SCATTER_STAGE_IDLE,
	SCATTER_STAGE_ASKED,
	SCATTER_STAGE_FILLING,
	SCATTER_STAGE_FULL,
	SCATTER_STAGE_EMPTYING,
};

/**
 * struct scatter_stage - the next bytes of a block that only its source can read
 * @size: constant; length of @data
 * @charged: constant; bytes of the group's slots that it counts as
 * @state: group lock; enum scatter_stage_state. While it is not idle,
 *	scatter_cargo.moved does not change: it is where @data belongs.
 * @bytes: group lock; how much of @data is filled
 * @data: of who is filling or emptying it, without the lock
 *
 * It goes when the block is no longer at home, or when who uses it then is done.
 */
struct scatter_stage {
	u32 size;
	u32 charged;
	enum scatter_stage_state state;
	u32 bytes;
	u8 data[];
};

/**
 * struct scatter_cargo - a rank's block in one operation
 * @length: bytes of the block; constant once its rank or the root has posted
 * @offset: bytes of the stream of the root's buffer before the block; constant once the root
 *	has posted
 * @moved: bytes of the block that have been copied from user to user memory
 * @stage: kernel memory by way of which the block's source hands it over, if nobody else can
 *	read that
 * @place: where the block lies, if it is in kernel memory
 *
 * The group's lock protects all of it.
 */
struct scatter_cargo {
	u64 length;
	u64 offset;
	u64 moved;
	struct scatter_stage *stage;
	struct scatter_place place;
};

/**
 * struct scatter_part - what one rank has done in an operation
 * @state: enum scatter_part_state
 * @block: enum scatter_block_state
 * @posted: it has called the operation
 * @ready: gather: its own block may go on as soon as its children's have come
 * @faulted: its memory could not be read
 * @moving: gather: its rank or the root copies the block from one's memory to
 *	the other's, and nobody else may
 * @fetch: gather: its rank cannot give the block; the root has to fetch it
 * @give: gather: the root cannot fetch the block on its own; its rank has to give it
 * @waiting: it is asleep inside its call, or about to look whether it has to be, and does its
 *	own forwarding
 * @delivered: scatter: its bundle has arrived
 * @fulfilled: uniform: it has done all of it, and at most waits for the others
 * @bring: enum scatter_bring_state of the bytes behind scatter_cargo.moved
 * @unreachable: the bytes stayed absent after the source had brought them: only the
 *	source can read them
 * @asked: it is in the list from scatter_operation.ask_head
 * @ask_next: next rank of that list
 * @cargo: constant; its block. Where no rank has any bytes, all ranks share one
 *
 * The group's lock protects all of it. The context that has claimed a block in transit reads
 * @block and scatter_cargo.place without the lock: others only make a block at home void, when
 * its source departs, or take it, in a gather, by way of @moving. The rank's buffers are in
 * struct scatter_member: nobody needs them once the part is closed.
 */
struct scatter_part {
	u8 state;
	u8 block;
	bool posted;
	bool ready;
	bool faulted;
	bool moving;
	bool fetch;
	bool give;
	bool waiting;
	bool delivered;
	bool fulfilled;
	u8 bring;
	bool unreachable;
	bool asked;
	u16 ask_next;
	struct scatter_cargo *cargo;
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

static inline bool scatter_part_stage_is(const struct scatter_part *part,
					 enum scatter_stage_state state)
{
	const struct scatter_stage *stage = part->cargo->stage;

	return stage && stage->state == state;
}

/* The source of its block is to bring some of it, or to fill the stage. */
static inline bool scatter_part_asks(const struct scatter_part *part)
{
	return part->bring == SCATTER_BRING_ASKED ||
	       scatter_part_stage_is(part, SCATTER_STAGE_ASKED);
}

/* The taker of its block waits for the source to do that. */
static inline bool scatter_part_owed(const struct scatter_part *part)
{
	return part->bring == SCATTER_BRING_ASKED ||
	       part->bring == SCATTER_BRING_DOING ||
	       scatter_part_stage_is(part, SCATTER_STAGE_ASKED) ||
	       scatter_part_stage_is(part, SCATTER_STAGE_FILLING);
}

/* Some of its block is in the stage, for the taker. */
static inline bool scatter_part_is_staged(const struct scatter_part *part)
{
	return part->cargo->stage &&
	       part->cargo->stage->state == SCATTER_STAGE_FULL;
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
 * struct scatter_spec - what all members must agree about
 * @op: enum scatter_op
 * @flags: %SCATTER_COLL_AGREED
 * @schedule: the group's, if the call leaves it open
 * @root: a rank
 * @block: bytes per rank; 0 in a v form, where only the root knows them all
 * @first: the first rank that owns a block
 * @blocks: how many ranks from there on do
 * @ranks: of the schedule: as many as @blocks, and one more if the root owns none. There
 *	they have numbers of their own: the owners of blocks from 0, the root after
 *	them
 * @idle: asked by a member of the root's side: @root is %SCATTER_NO_RANK, nor is @block
 *	known
 */
struct scatter_spec {
	u32 op;
	u32 flags;
	struct scatter_schedule schedule;
	u32 root;
	u64 block;
	u32 first;
	u32 blocks;
	u32 ranks;
	bool idle;
};

/* Whether a rank owns a block. */
static inline bool scatter_spec_owns(const struct scatter_spec *spec, u32 rank)
{
	return rank - spec->first < spec->blocks;
}

/* The number of a rank in the schedule. */
static inline u32 scatter_spec_place(const struct scatter_spec *spec, u32 rank)
{
	return scatter_spec_owns(spec, rank) ? rank - spec->first : spec->blocks;
}

/* The rank that has a number in the schedule. */
static inline u32 scatter_spec_rank(const struct scatter_spec *spec, u32 place)
{
	return place < spec->blocks ? spec->first + place : spec->root;
}

static inline bool scatter_spec_equal(const struct scatter_spec *a,
				      const struct scatter_spec *b)
{
	return a->op == b->op && a->flags == b->flags && a->root == b->root &&
	       a->block == b->block && a->first == b->first &&
	       scatter_plan_same(&a->schedule, &b->schedule);
}

/**
 * struct scatter_operation - one collective call of the whole group
 * @node: group lock; in the group's table while it is live
 * @group: constant; whose
 * @number: constant; in call order, from 0
 * @size: constant; the group's size
 * @user: constant; who is charged for it: a member's, which outlives it
 * @spec: constant once the first rank has posted that is not idle; but for root and
 *	block once any has
 * @trees: constant; of the schedule that is asked for
 * @decided: group lock until set: @plan is chosen. In a v form the root's
 *	call does that, else the first one.
 * @plan: constant once @decided; the schedule that it really runs
 * @expected: constant once @decided; gather: blocks, or pieces of them if they are
 *	cut, that reach the root over edges
 * @tree: of an irregular schedule: constant once @decided
 * @combine: constant; of an OR-broadcast, else NULL
 * @seating: constant; of a DUP or SPLIT, else NULL
 * @posted: group lock; ranks that have called it
 * @first_missing: group lock; all ranks before this one have called it
 * @passed: group lock; ranks whose part is closed
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
 * @fulfilled: group lock; uniform: ranks that have done their part
 * @deadline_ns: group lock; DEADLINE_ALL: the earliest of calls that a signal has
 *	paused, 0 if there is none
 * @late: group lock; DEADLINE_ALL: ranks that have not called and still may; constant from
 *	the first error on
 * @error: group lock; -errno for every rank that still needs something; -ETIME also for
 *	those that have not called
 * @abort: group lock; @error is for every rank that has not returned
 * @culprit: group lock; the rank that caused @error
 * @counts: v form: user address of the root's counts
 * @displs: v form: user address of its displacements
 * @branches: tree by tree, in each by rank; none if there are no blocks
 * @parts: by rank
 */
struct scatter_operation {
	struct hlist_node node;
	struct scatter_group *group;
	u64 number;
	u32 size;
	struct scatter_user *user;
	struct scatter_spec spec;
	u32 trees;
	bool decided;
	struct scatter_schedule_spec plan;
	u32 expected;
	struct scatter_tree *tree;
	struct scatter_combine *combine;
	struct scatter_seating *seating;
	u32 posted;
	u32 first_missing;
	u32 passed;
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
	u32 fulfilled;
	u64 deadline_ns;
	unsigned long *late;
	int error;
	bool abort;
	u32 culprit;
	u64 counts;
	u64 displs;
	struct scatter_branch *branches;
	struct scatter_part parts[];
};

static inline struct scatter_branch *
scatter_operation_branch(const struct scatter_operation *operation, u32 rank,
			 u32 tree)
{
	return &operation->branches[tree * operation->size + rank];
}

static inline bool
scatter_operation_is_uniform(const struct scatter_operation *operation)
{
	return operation->spec.flags & SCATTER_COLL_UNIFORM;
}

static inline bool scatter_op_is_vector(u32 op)
{
	return op == SCATTER_OP_SCATTERV || op == SCATTER_OP_GATHERV;
}

/* The root has all blocks at the start. */
static inline bool scatter_op_scatters(u32 op)
{
	return op == SCATTER_OP_SCATTER || op == SCATTER_OP_SCATTERV;
}

/* The root has all blocks at the end. */
static inline bool scatter_op_gathers(u32 op)
{
	return op == SCATTER_OP_GATHER || op == SCATTER_OP_GATHERV;
}

/* It has blocks. */
static inline bool scatter_op_moves(u32 op)
{
	return scatter_op_scatters(op) || scatter_op_gathers(op);
}

/* It makes new groups. */
static inline bool scatter_op_regroups(u32 op)
{
	return op == SCATTER_OP_DUP || op == SCATTER_OP_SPLIT;
}

/* Others wait for what the root of a scatter has not sent, or has in its memory. */
static inline bool
scatter_operation_root_owes(const struct scatter_operation *operation)
{
	u32 root = operation->spec.root;
	u32 tree;

	for (tree = 0; tree < operation->trees; tree++)
		if (!scatter_operation_branch(operation, root, tree)->forwarded)
			return true;
	return !operation->parts[root].posted || operation->home;
}

struct scatter_operation *
scatter_operation_alloc(struct scatter_group *group, struct scatter_user *user,
			const struct scatter_spec *spec, u32 flags);
void scatter_operation_free(struct scatter_group *group,
			    struct scatter_operation *operation);
struct scatter_operation *
scatter_operation_find_locked(struct scatter_group *group, u64 number);
void scatter_operation_insert_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u64 number);
void scatter_operation_expect_no_more_locked(struct scatter_operation *operation,
					     u32 rank);
bool scatter_operation_pass_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank);
bool scatter_operation_agree_locked(struct scatter_group *group,
				    struct scatter_operation *operation,
				    const struct scatter_spec *spec, u32 rank);
void scatter_operation_doom_locked(struct scatter_group *group, u64 from,
				   int error, u32 rank);
void scatter_operation_fate_locked(struct scatter_group *group,
				   struct scatter_operation *operation);
void scatter_operation_abort(struct scatter_group *group);
void scatter_operation_disagree_locked(struct scatter_group *group,
				       struct scatter_operation *operation,
				       u32 rank);
void scatter_operation_wake(const struct scatter_group *group,
			    const struct scatter_operation *operation);
void scatter_operation_set_state(struct scatter_part *part,
				 enum scatter_part_state state);
bool scatter_operation_fail_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   int error, u32 culprit, bool abort);
void scatter_operation_move_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank, enum scatter_block_state state,
				   const struct scatter_place *place);
void scatter_operation_forget_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u32 rank);
void scatter_operation_depart_locked(struct scatter_group *group,
				     const struct scatter_member *member,
				     struct hlist_head *dead);
void scatter_operation_free_all(struct scatter_group *group,
				struct hlist_head *dead);
bool scatter_operation_missing_locked(const struct scatter_operation *operation,
				      u32 end, u32 *rank);
void scatter_operation_drop_stage_locked(struct scatter_group *group,
					 struct scatter_operation *operation,
					 u32 rank);
u32 scatter_operation_owner(const struct scatter_operation *operation,
			    u32 rank);
u64 scatter_operation_bytes(const struct scatter_operation *operation,
			    u32 first, u32 count);
u32 scatter_operation_run(const struct scatter_operation *operation, u32 rank,
			  u32 most);

#endif /* _SCATTER_OPERATION_H */
