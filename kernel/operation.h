/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_OPERATION_H
#define _SCATTER_OPERATION_H

#include <linux/limits.h>
#include <linux/scatter.h>
#include <linux/types.h>

#include "buffer.h"
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
 * @SCATTER_PART_CLOSED: it has passed the operation, or never will call it
 */
enum scatter_part_state {
	SCATTER_PART_ABSENT,
	SCATTER_PART_OPEN,
	SCATTER_PART_PAUSED,
	SCATTER_PART_CLOSED,
};

/**
 * enum scatter_block_state - where a rank's block lies
 * @SCATTER_BLOCK_NOWHERE: its source has not called yet
 * @SCATTER_BLOCK_HOME: in user memory at its source: the root of a scatter, the rank
 *	itself of a gather
 * @SCATTER_BLOCK_RECORD: in kernel memory, at scatter_part.place
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
 *	scatter_part.moved does not change: it is where @data belongs.
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
 * struct scatter_part - what one rank posted, and where its block is
 * @state: enum scatter_part_state
 * @block: enum scatter_block_state
 * @posted: it has called the operation
 * @ready: gather: its own block may go on as soon as its children's have come
 * @in_place: as it called
 * @faulted: its memory could not be read
 * @moving: gather: its rank or the root copies the block from one's memory to
 *	the other's, and nobody else may
 * @fetch: gather: its rank cannot give the block; the root has to fetch it
 * @give: gather: the root cannot fetch the block on its own; its rank has to give it
 * @waiting: it is asleep inside its call and does its own forwarding
 * @delivered: scatter: its bundle has arrived
 * @fulfilled: uniform: it has done all of it, and at most waits for the others
 * @holds: takers that read this rank's memory right now
 * @source: what it contributes, in its own address space; constant once posted
 * @target: where it receives to; likewise
 * @length: bytes of its block; constant once its rank or the root has posted
 * @offset: bytes of the stream of the root's buffer before its block; constant once
 *	the root has posted
 * @moved: bytes of its block that have been copied from user to user memory
 * @stage: by way of which its source hands it over if nobody else can read it
 * @place: of a block in kernel memory
 *
 * The group's lock protects all of it. Of a block in transit, the context that has
 * claimed it reads @block and @place without: what another may change is only
 * that a block at home becomes void when its source departs or, in a gather, is taken
 * by way of @moving.
 */
struct scatter_part {
	enum scatter_part_state state;
	enum scatter_block_state block;
	bool posted;
	bool ready;
	bool in_place;
	bool faulted;
	bool moving;
	bool fetch;
	bool give;
	bool waiting;
	bool delivered;
	bool fulfilled;
	u32 holds;
	struct scatter_buffer source;
	struct scatter_buffer target;
	u64 length;
	u64 offset;
	u64 moved;
	struct scatter_stage *stage;
	struct scatter_place place;
};

static inline bool scatter_part_is_open(const struct scatter_part *part)
{
	return part->state == SCATTER_PART_OPEN;
}

static inline bool scatter_part_asks(const struct scatter_part *part)
{
	return part->stage && part->stage->state == SCATTER_STAGE_ASKED;
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
	u32 arrived;
	u32 link;
};

/**
 * struct scatter_spec - what all members must agree about
 * @op: enum scatter_op
 * @flags: %SCATTER_COLL_AGREED
 * @choice: of a schedule; the group's, if the call leaves it open
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
	struct scatter_choice choice;
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
	       scatter_choice_equal(&a->choice, &b->choice);
}

/**
 * struct scatter_operation - one collective call of the whole group
 * @node: group lock; in the group's table while it is live
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
 * @passed: group lock; ranks whose part is closed
 * @home: group lock; blocks that lie in user memory at a source
 * @asked: group lock; stages that their sources are to fill
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
 * @late: group lock; DEADLINE_ALL: when it has passed, who had not called, else none
 * @error: group lock; -errno for every rank that still needs something; -ETIME also for
 *	those that have not called
 * @abort: group lock; @error is for every rank that has not returned
 * @culprit: group lock; the rank that caused @error
 * @counts: v form: user address of the root's counts
 * @displs: v form: user address of its displacements
 * @branches: tree by tree, in each by rank
 * @parts: by rank
 */
struct scatter_operation {
	struct hlist_node node;
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
	u32 passed;
	u32 home;
	u32 asked;
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

struct scatter_operation *
scatter_operation_alloc(const struct scatter_group *group,
			struct scatter_user *user,
			const struct scatter_spec *spec);
void scatter_operation_free(struct scatter_group *group,
			    struct scatter_operation *operation);
struct scatter_operation *
scatter_operation_find_locked(struct scatter_group *group, u64 number);
void scatter_operation_insert_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u64 number);
bool scatter_operation_pass_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank);
bool scatter_operation_agree_locked(struct scatter_group *group,
				    struct scatter_operation *operation,
				    const struct scatter_spec *spec, u32 rank);
void scatter_operation_abort_locked(struct scatter_group *group, u64 from,
				    int error, u32 rank);
void scatter_operation_disagree_locked(struct scatter_group *group,
				       struct scatter_operation *operation,
				       u32 rank);
void scatter_operation_set_state(struct scatter_part *part,
				 enum scatter_part_state state);
void scatter_operation_fail_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   int error, u32 culprit, bool abort);
void scatter_operation_move_locked(struct scatter_group *group,
				   struct scatter_operation *operation,
				   u32 rank, enum scatter_block_state state,
				   const struct scatter_place *place);
void scatter_operation_forget_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u32 rank);
void scatter_operation_depart_locked(struct scatter_group *group, u32 rank,
				     u64 from, bool left,
				     struct hlist_head *dead);
bool scatter_operation_missing_locked(const struct scatter_operation *operation,
				      u32 *rank);
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
