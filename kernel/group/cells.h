/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_CELLS_H
#define _SCATTER_CELLS_H

#include <linux/types.h>

#include "group/kept.h"
#include "group/places.h"
#include "schedule/schedule.h"

struct page;
struct scatter_wide_bundle;

/* Cells of an OR-broadcast that a node has under way at most. */
#define SCATTER_CELLS_OPEN	8
/*
 * How far the cells of other nodes are ahead of the lowest cell here at most. No node ends a cell
 * that this node has not begun, and each node has at most SCATTER_CELLS_OPEN cells under way.
 */
#define SCATTER_CELLS_AHEAD	(2 * SCATTER_CELLS_OPEN)

/**
 * struct scatter_cells_piece - the bytes of a cell
 * @page: the page of the bytes, of any order; the piece holds a reference; NULL: all bytes are 0
 * @offset: bytes of @page before the cell's
 */
struct scatter_cells_piece {
	struct page *page;
	u32 offset;
};

/**
 * struct scatter_cells_came - a neighbour's message about a cell
 * @there: the fields below are valid
 * @piece: the bytes
 * @bytes: how many bytes the cell has
 * @offset: bytes of the block before the cell
 * @flags: enum scatter_wide_lane_flags
 * @rank: the block's rank
 */
struct scatter_cells_came {
	bool there;
	struct scatter_cells_piece piece;
	u32 bytes;
	u64 offset;
	u32 flags;
	u32 rank;
};

/**
 * struct scatter_cells_feed - a neighbour in the schedule
 * @node: the neighbour's index in scatter_portal.nodes
 * @kept: the valid elements of @came
 * @came: by the number of the cell, modulo %SCATTER_CELLS_AHEAD
 */
struct scatter_cells_feed {
	u32 node;
	struct scatter_kept kept;
	struct scatter_cells_came came[SCATTER_CELLS_AHEAD];
};

/**
 * enum scatter_cells_turn - what a member here has to do with a cell
 * @SCATTER_CELLS_NOTHING: nothing, or nothing more
 * @SCATTER_CELLS_DUE: it is the member's turn
 * @SCATTER_CELLS_BUSY: the member copies
 */
enum scatter_cells_turn {
	SCATTER_CELLS_NOTHING,
	SCATTER_CELLS_DUE,
	SCATTER_CELLS_BUSY,
};

/**
 * struct scatter_cell - a part of a block, on its way through all nodes
 * @place: the place of the block in the schedule
 * @rank: the block's rank
 * @length: the cell is not a part of the block, but the block's length
 * @begins: the first cell of @place
 * @offset: bytes of the block before the cell
 * @bytes: length of the cell in bytes
 * @cursor: the next step in the schedule
 * @sum: the sum of what has been combined so far. Nobody writes to a page after a cell has got it
 * @unreadable: a node has said that the owner could not read its block
 * @give: enum scatter_cells_turn of the member that has the bytes
 * @take: enum scatter_cells_turn of the member that wants the bytes
 * @complete: all steps are done
 */
struct scatter_cell {
	u32 place;
	u32 rank;
	bool length;
	bool begins;
	u64 offset;
	u32 bytes;
	u64 cursor;
	struct scatter_cells_piece sum;
	bool unreadable;
	u8 give;
	u8 take;
	bool complete;
};

/**
 * enum scatter_cells_next - what comes next of the block that is being cut
 * @SCATTER_CELLS_RANK: nothing more of this block: go to the next block
 * @SCATTER_CELLS_LENGTH: a cell with the block's length
 * @SCATTER_CELLS_AWAIT: nothing until the block's length is known
 * @SCATTER_CELLS_BYTES: a cell with some of the block's bytes
 */
enum scatter_cells_next {
	SCATTER_CELLS_RANK,
	SCATTER_CELLS_LENGTH,
	SCATTER_CELLS_AWAIT,
	SCATTER_CELLS_BYTES,
};

/**
 * struct scatter_cells - the cells of an OR-broadcast on this node
 * @plan: constant; the schedule between the nodes
 * @self: constant; this node's place
 * @started: all members here have called that have a part in the operation
 * @through: no cell is left, and all members here have what they want
 * @low: the lowest cell that is not over
 * @end: the next cell that is not cut yet
 * @open: the cells from @low to before @end, by number modulo %SCATTER_CELLS_OPEN
 * @next: what comes next of the block that is being cut
 * @begins: the next cell is the first cell of @place
 * @place: place of the block that is being cut
 * @cursor: the first step for @place in the schedule
 * @ranks: the ranks of @place that come after @rank
 * @rank: rank of the block that is being cut
 * @offset: bytes of the block before the next cell
 * @length: bytes of the block
 * @callers: the members here of which this node has not checked whether they have called
 * @caller: the member to check next; %SCATTER_NO_RANK: take the next one of @callers
 * @zeros: a page of zeros to send; NULL: not needed yet
 * @nr_feeds: how many neighbours
 * @feeds: the neighbours
 *
 * Blocks are cut into cells place after place, and in each place by rank. In a v form, a cell with
 * the block's length comes before the block's other cells. So all nodes number the cells alike.
 * scatter_portal.moving protects all fields.
 */
struct scatter_cells {
	struct scatter_schedule_spec plan;
	u16 self;
	bool started;
	bool through;
	u64 low;
	u64 end;
	struct scatter_cell open[SCATTER_CELLS_OPEN];
	enum scatter_cells_next next;
	bool begins;
	u16 place;
	u64 cursor;
	struct scatter_places_cursor ranks;
	u32 rank;
	u64 offset;
	u64 length;
	struct scatter_places_cursor callers;
	u32 caller;
	struct page *zeros;
	u32 nr_feeds;
	struct scatter_cells_feed feeds[];
};

static inline struct scatter_cell *scatter_cells_at(struct scatter_cells *cells, u64 number)
{
	return &cells->open[number % SCATTER_CELLS_OPEN];
}

struct page *scatter_cells_page(u32 bytes, bool zeroed);
void scatter_cells_put(struct scatter_cells_piece *piece);
struct scatter_cells *scatter_cells_alloc(const struct scatter_places *places,
					  const struct scatter_schedule_spec *plan);
void scatter_cells_starve(struct scatter_cells_feed *feed);
void scatter_cells_free(struct scatter_cells *cells);
struct scatter_cell *scatter_cells_cut(struct scatter_cells *cells,
				       const struct scatter_places *places,
				       const struct scatter_wide_bundle *head);
void scatter_cells_learn(struct scatter_cells *cells, u64 length);

#endif /* _SCATTER_CELLS_H */
