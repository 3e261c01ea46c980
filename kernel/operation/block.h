/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BLOCK_H
#define _SCATTER_BLOCK_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "memory/buffer.h"
#include "memory/location.h"

struct scatter_chunks;
struct scatter_group;
struct scatter_operation;

/**
 * enum scatter_block_state - where a rank's block lies
 * @SCATTER_BLOCK_NOWHERE: the block's source has not called yet
 * @SCATTER_BLOCK_HOME: in user memory at the block's source: the root of a scatter, or the rank
 *	itself in a gather
 * @SCATTER_BLOCK_RECORD: in kernel memory, at scatter_cargo.location
 * @SCATTER_BLOCK_AWAY: come from another node, or still there, see scatter_cargo.away
 * @SCATTER_BLOCK_FAULT: void, since the source could not be read
 * @SCATTER_BLOCK_TAKEN: arrived, or no longer wanted
 */
enum scatter_block_state {
	SCATTER_BLOCK_NOWHERE,
	SCATTER_BLOCK_HOME,
	SCATTER_BLOCK_RECORD,
	SCATTER_BLOCK_AWAY,
	SCATTER_BLOCK_FAULT,
	SCATTER_BLOCK_TAKEN,
};

/**
 * enum scatter_bring_state - whether the source has faulted in the next bytes of a block
 * @SCATTER_BRING_NONE: no taker has asked
 * @SCATTER_BRING_ASKED: the taker found the bytes absent; the source is to fault them in
 * @SCATTER_BRING_DOING: the source faults the bytes in
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
 * enum scatter_stage_state - whose turn it is to use a stage
 * @SCATTER_STAGE_IDLE: the stage is empty, and nobody needs it
 * @SCATTER_STAGE_ASKED: the source is to fill the stage
 * @SCATTER_STAGE_FILLING: the source copies into the stage
 * @SCATTER_STAGE_FULL: the taker is to empty the stage
 * @SCATTER_STAGE_EMPTYING: the taker copies out of the stage
 *
 * IDLE -> ASKED -> FILLING -> FULL -> EMPTYING -> IDLE; EMPTYING -> FULL if the taker could not
 * copy; FILLING -> IDLE if the source could not.
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
 * @charged: constant; bytes that the stage counts for in scatter_group.slot_bytes
 * @state: group lock; enum scatter_stage_state. While the stage is not idle, scatter_cargo.moved
 *	does not change: @data belongs at that offset of the block.
 * @bytes: group lock; how much of @data is filled
 * @data: only the task that fills or empties the stage uses the data, without the lock
 *
 * A stage is freed when its block leaves the source. If a task is filling or emptying the stage
 * then, that task frees it afterwards.
 */
struct scatter_stage {
	u32 size;
	u32 charged;
	enum scatter_stage_state state;
	u32 bytes;
	u8 data[];
};

/**
 * struct scatter_slice - one rank's block in the root's buffer
 * @length: bytes of the block; constant once the block's rank or the root has posted. With AT_MOST:
 *	in a scatter, constant once the root has posted; in a gather, constant once the block's
 *	rank has posted, and the root's room until then, if the root posts first
 * @offset: bytes of the stream of the root's buffer before the block; constant once the root
 *	has posted
 *
 * The group's lock protects the slice.
 */
struct scatter_slice {
	u64 length;
	u64 offset;
};

/**
 * struct scatter_away - a block of another node
 * @stream: the payload that the block has come in; NULL: the block has to be pulled
 * @at: bytes of @stream before the block
 * @came: bytes of the block that have come to this node
 */
struct scatter_away {
	const struct scatter_chunks *stream;
	u64 at;
	u64 came;
};

/**
 * struct scatter_cargo - a rank's block that moves along the edges of a schedule
 * @state: enum scatter_block_state
 * @bring: enum scatter_bring_state of the bytes after the first @moved
 * @ready: gather: the block may go on as soon as the blocks of its rank's children have come
 * @faulted: the rank's memory could not be read
 * @copying: gather: the block's rank or the root copies the block from the rank's memory to the
 *	root's; no other task may
 * @fetch: gather: the block's rank cannot give the block; the root has to fetch it
 * @give: gather: the root cannot fetch the block on its own; the block's rank has to give it
 * @delivered: scatter: the bundle of the block's rank has arrived
 * @unreachable: the bytes stayed absent after the source had brought them: only the
 *	source can read them
 * @too_long: with AT_MOST: the taker has no room for the block, so nobody copies the block
 * @noted: the cargo is in the list from scatter_move.noted_head
 * @noted_next: next rank of that list
 * @pulled: other nodes ask for some of the rank's memory
 * @moved: bytes of the block that have been copied from user to user memory
 * @stage: kernel memory through which the block's source hands the block over, if only the source
 *	can read it
 * @location: where in kernel memory the block lies, if @state is %SCATTER_BLOCK_RECORD
 * @away: where the block is, if @state is %SCATTER_BLOCK_AWAY
 *
 * The group's lock protects the cargo. The context that has claimed a block in transit may read
 * @state and @location without the lock. Others change only a block at home: they make the block
 * void when its source departs, or take the block in a gather, by way of @copying.
 */
struct scatter_cargo {
	u8 state;
	u8 bring;
	bool ready;
	bool faulted;
	bool copying;
	bool fetch;
	bool give;
	bool delivered;
	bool unreachable;
	bool too_long;
	bool noted;
	u16 noted_next;
	bool pulled;
	u64 moved;
	struct scatter_stage *stage;
	union {
		struct scatter_location location;
		struct scatter_away away;
	};
};

static inline bool scatter_cargo_stage_is(const struct scatter_cargo *cargo,
					  enum scatter_stage_state state)
{
	const struct scatter_stage *stage = cargo->stage;

	return stage && stage->state == state;
}

/* The source of the block is to bring some of the block, or to fill the stage. */
static inline bool scatter_cargo_asks(const struct scatter_cargo *cargo)
{
	return cargo->bring == SCATTER_BRING_ASKED ||
	       scatter_cargo_stage_is(cargo, SCATTER_STAGE_ASKED);
}

/* The taker of the block waits until the source has brought some of it, or has filled the stage. */
static inline bool scatter_cargo_owed(const struct scatter_cargo *cargo)
{
	return cargo->bring == SCATTER_BRING_ASKED ||
	       cargo->bring == SCATTER_BRING_DOING ||
	       scatter_cargo_stage_is(cargo, SCATTER_STAGE_ASKED) ||
	       scatter_cargo_stage_is(cargo, SCATTER_STAGE_FILLING);
}

/* The stage has some of the block, for the taker. */
static inline bool scatter_cargo_is_staged(const struct scatter_cargo *cargo)
{
	return scatter_cargo_stage_is(cargo, SCATTER_STAGE_FULL);
}

/* The block is on its way: at its source, in kernel memory, or away. */
static inline bool scatter_cargo_in_transit(const struct scatter_cargo *cargo)
{
	enum scatter_block_state state = READ_ONCE(cargo->state);

	return state == SCATTER_BLOCK_HOME || state == SCATTER_BLOCK_RECORD ||
	       state == SCATTER_BLOCK_AWAY;
}

void scatter_block_drop_stage_locked(struct scatter_group *group,
				     struct scatter_operation *operation,
				     u32 rank);
void scatter_block_release(struct scatter_group *group,
			   struct scatter_operation *operation, u32 rank);
void scatter_block_set_locked(struct scatter_group *group,
			      struct scatter_operation *operation, u32 rank,
			      enum scatter_block_state state,
			      const struct scatter_location *location);
void scatter_block_delivered_locked(struct scatter_operation *operation, u32 rank);
void scatter_block_collected_locked(struct scatter_operation *operation, u32 from, u32 count);
void scatter_block_note_locked(struct scatter_operation *operation, u32 rank);
u32 scatter_block_noted_locked(struct scatter_operation *operation);
void scatter_block_meet_locked(struct scatter_operation *operation, u32 rank, u64 length,
			       u64 room);
bool scatter_block_arrive_locked(struct scatter_operation *operation, u32 rank, u64 length,
				 bool is_void, const struct scatter_chunks *stream, u64 at);
void scatter_block_fault_locked(struct scatter_operation *operation, u32 rank);
u32 scatter_block_owner(const struct scatter_operation *operation, u32 rank);
u64 scatter_block_bytes(const struct scatter_operation *operation, u32 first,
			u32 count);
u32 scatter_block_run(const struct scatter_operation *operation, u32 rank,
		      u32 most);
struct scatter_stream
scatter_block_source(const struct scatter_operation *operation, u32 rank);
struct scatter_stream
scatter_block_target(const struct scatter_operation *operation, u32 rank);

#endif /* _SCATTER_BLOCK_H */
