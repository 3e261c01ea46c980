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
 * @SCATTER_BLOCK_NOWHERE: its source has not called yet
 * @SCATTER_BLOCK_HOME: in user memory at its source: the root of a scatter, the rank
 *	itself of a gather
 * @SCATTER_BLOCK_RECORD: in kernel memory, at scatter_cargo.location
 * @SCATTER_BLOCK_AWAY: it has come from another node, or is there, see scatter_cargo.away
 * @SCATTER_BLOCK_FAULT: its source could not be read
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
 * struct scatter_slice - one rank's block in the root's buffer
 * @length: bytes of the block; constant once its rank or the root has posted. With AT_MOST: of a
 *	scatter, once the root has; of a gather, once its rank has, and what the root has room for
 *	if the root posts first
 * @offset: bytes of the stream of the root's buffer before the block; constant once the root
 *	has posted
 *
 * The group's lock protects all of it.
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
 * @bring: enum scatter_bring_state of the bytes behind @moved
 * @ready: gather: the block may go on as soon as those of its rank's children have come
 * @faulted: the rank's memory could not be read
 * @copying: gather: its rank or the root copies the block from one's memory to
 *	the other's, and nobody else may
 * @fetch: gather: its rank cannot give the block; the root has to fetch it
 * @give: gather: the root cannot fetch the block on its own; its rank has to give it
 * @delivered: scatter: the bundle of its rank has arrived
 * @unreachable: the bytes stayed absent after the source had brought them: only the
 *	source can read them
 * @too_long: with AT_MOST: the taker has no room for the block, so nobody copies the block
 * @asked: it is in the list from scatter_move.ask_head
 * @ask_next: next rank of that list
 * @pulled: other nodes ask for some of the rank's memory
 * @moved: bytes of the block that have been copied from user to user memory
 * @stage: kernel memory by way of which the block's source hands it over, if nobody else can
 *	read that
 * @location: where the block lies, if it is in kernel memory
 * @away: where it is, if it is another node's
 *
 * The group's lock protects all of it. The context that has claimed a block in transit reads
 * @state and @location without the lock: others only make a block at home void, when
 * its source departs, or take it, in a gather, by way of @copying.
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
	bool asked;
	u16 ask_next;
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

/* The source of the block is to bring some of it, or to fill the stage. */
static inline bool scatter_cargo_asks(const struct scatter_cargo *cargo)
{
	return cargo->bring == SCATTER_BRING_ASKED ||
	       scatter_cargo_stage_is(cargo, SCATTER_STAGE_ASKED);
}

/* The taker of the block waits for the source to do that. */
static inline bool scatter_cargo_owed(const struct scatter_cargo *cargo)
{
	return cargo->bring == SCATTER_BRING_ASKED ||
	       cargo->bring == SCATTER_BRING_DOING ||
	       scatter_cargo_stage_is(cargo, SCATTER_STAGE_ASKED) ||
	       scatter_cargo_stage_is(cargo, SCATTER_STAGE_FILLING);
}

/* Some of the block is in the stage, for the taker. */
static inline bool scatter_cargo_is_staged(const struct scatter_cargo *cargo)
{
	return scatter_cargo_stage_is(cargo, SCATTER_STAGE_FULL);
}

/* The block is on its way, at its source or in kernel memory. */
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
