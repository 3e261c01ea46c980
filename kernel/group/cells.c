// SPDX-License-Identifier: GPL-2.0
/*
 * Cells: the parts of blocks that an OR-broadcast between nodes has under way on this node. See
 * span/lane.c for how a cell goes on.
 */
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "group/cells.h"
#include "group/portal.h"
#include "group/spec.h"
#include "wire/wide.h"

/**
 * scatter_cells_page() - allocate a page for the bytes of a cell
 * @bytes: how many bytes, at most %SCATTER_WIDE_CELL_MAX
 * @zeroed: whether all bytes are to be 0
 *
 * Context: may sleep; cannot fail: cells are few, and the operation stops without one of them.
 * Return: the page, for put_page().
 */
struct page *scatter_cells_page(u32 bytes, bool zeroed)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOFAIL | __GFP_COMP;

	return alloc_pages(gfp | (zeroed ? __GFP_ZERO : 0), get_order(bytes));
}

/**
 * scatter_cells_put() - drop the bytes of a cell
 * @piece: the bytes; all are 0 afterwards
 *
 * Context: any.
 */
void scatter_cells_put(struct scatter_cells_piece *piece)
{
	if (piece->page)
		put_page(piece->page);
	*piece = (struct scatter_cells_piece){};
}

/* Find this node's neighbours in the steps for one place; returns how many. */
static u32 find_feeds(const struct scatter_places *places, struct scatter_walk *walk,
		      struct scatter_cells_feed *feeds)
{
	struct scatter_step step;
	u32 nr = 0;

	walk->cursor = 0;
	while (scatter_schedule_next(walk, &step) && !step.first) {
		/* Each neighbour sends one message for a cell. */
		if (step.send)
			continue;
		if (feeds)
			feeds[nr].node = scatter_places_node(places, step.peer);
		nr++;
	}
	return nr;
}

/**
 * scatter_cells_alloc() - make the cells of an OR-broadcast
 * @places: the operation's places; this node has one
 * @plan: the schedule between the places
 *
 * Context: may sleep; cannot fail.
 * Return: the cells, for scatter_cells_free().
 */
struct scatter_cells *scatter_cells_alloc(const struct scatter_places *places,
					  const struct scatter_schedule_spec *plan)
{
	struct scatter_cells *cells;
	struct scatter_walk walk;
	u32 nr = 0;

	if (scatter_schedule_init(&walk, plan, places->self))
		nr = find_feeds(places, &walk, NULL);
	cells = kvzalloc(struct_size(cells, feeds, nr), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	cells->nr_feeds = nr;
	if (nr)
		find_feeds(places, &walk, cells->feeds);
	cells->plan = *plan;
	cells->self = places->self;
	cells->begins = true;
	scatter_places_begin(&cells->ranks, &cells->place, 1);
	scatter_places_begin(&cells->callers, &cells->self, 1);
	cells->caller = SCATTER_NO_RANK;
	return cells;
}

/**
 * scatter_cells_starve() - drop what has come from a neighbour
 * @feed: the neighbour's feed
 *
 * Context: any.
 */
void scatter_cells_starve(struct scatter_cells_feed *feed)
{
	u32 i;

	for (i = 0; i < SCATTER_CELLS_AHEAD; i++) {
		scatter_cells_put(&feed->came[i].piece);
		feed->came[i].there = false;
	}
	feed->kept = (struct scatter_kept){};
}

/**
 * scatter_cells_free() - free the cells of an OR-broadcast
 * @cells: the cells; NULL is ignored
 *
 * Context: may sleep.
 */
void scatter_cells_free(struct scatter_cells *cells)
{
	u32 i;

	if (!cells)
		return;
	for (i = 0; i < SCATTER_CELLS_OPEN; i++)
		scatter_cells_put(&cells->open[i].sum);
	for (i = 0; i < cells->nr_feeds; i++)
		scatter_cells_starve(&cells->feeds[i]);
	if (cells->zeros)
		put_page(cells->zeros);
	kvfree(cells);
}

/* Go to the next place. */
static bool next_place(struct scatter_cells *cells, const struct scatter_places *places)
{
	struct scatter_walk walk;
	struct scatter_step step;

	if (cells->place == places->owners)
		return false;
	if (scatter_schedule_init(&walk, &cells->plan, places->self)) {
		walk.cursor = cells->cursor;
		while (scatter_schedule_next(&walk, &step) && step.first == cells->place)
			cells->cursor = walk.cursor;
	}
	cells->place++;
	cells->begins = true;
	scatter_places_begin(&cells->ranks, &cells->place, 1);
	return cells->place < places->owners;
}

/* Go to the next block, if there is nothing more to cut of this one. */
static bool next_rank(struct scatter_cells *cells, const struct scatter_places *places,
		      const struct scatter_wide_bundle *head)
{
	bool vector = scatter_op_is_vector(head->op);

	if (cells->next != SCATTER_CELLS_RANK)
		return cells->next != SCATTER_CELLS_AWAIT;
	if (cells->place == places->owners)
		return false;
	while (!scatter_places_next(places, &cells->ranks, &cells->rank))
		if (!next_place(cells, places))
			return false;
	cells->next = vector ? SCATTER_CELLS_LENGTH : SCATTER_CELLS_BYTES;
	cells->length = head->block;
	cells->offset = 0;
	return true;
}

/**
 * scatter_cells_cut() - cut the next cell
 * @cells: the cells of an OR-broadcast
 * @places: the operation's places
 * @head: what the operation is
 *
 * Context: any.
 * Return: the cell, which is open from now on; NULL: no cell can be cut now, or all are cut.
 */
struct scatter_cell *scatter_cells_cut(struct scatter_cells *cells,
				       const struct scatter_places *places,
				       const struct scatter_wide_bundle *head)
{
	struct scatter_cell *cell;

	if (cells->end - cells->low == SCATTER_CELLS_OPEN || !next_rank(cells, places, head))
		return NULL;
	cell = scatter_cells_at(cells, cells->end++);
	*cell = (struct scatter_cell){
		.place = cells->place,
		.rank = cells->rank,
		.length = cells->next == SCATTER_CELLS_LENGTH,
		.begins = cells->begins,
		.offset = cells->offset,
		.cursor = cells->cursor,
	};
	cells->begins = false;
	if (cell->length) {
		cell->bytes = SCATTER_WIDE_LENGTH_BYTES;
		cells->next = SCATTER_CELLS_AWAIT;
		return cell;
	}
	cell->bytes = min_t(u64, cells->length - cells->offset, SCATTER_WIDE_CELL_MAX);
	cells->offset += cell->bytes;
	if (cells->offset == cells->length)
		cells->next = SCATTER_CELLS_RANK;
	return cell;
}

/**
 * scatter_cells_learn() - set the length of the block that is being cut
 * @cells: the cells of an OR-broadcast in a v form, whose last open cell is that length
 * @length: bytes
 *
 * Context: any.
 */
void scatter_cells_learn(struct scatter_cells *cells, u64 length)
{
	cells->length = length;
	cells->next = length ? SCATTER_CELLS_BYTES : SCATTER_CELLS_RANK;
}
