// SPDX-License-Identifier: GPL-2.0
/*
 * Lanes: OR-broadcasts between nodes.
 *
 * All nodes that take part combine each block by OR, along the edges of one schedule: the node that
 * has the block contributes the block, all other nodes contribute zeros. Each node has one lane for
 * all its members. A lane is driven by events: after each message, and each time a member has given
 * or taken something, scatter_lane_push() does what is due, and waits for nothing.
 *
 * A block is cut into cells, each as long as a message. At most %SCATTER_CELLS_OPEN cells are open,
 * and a cell goes
 *
 *	cut -> given -> combined, step by step -> taken -> over
 *
 * - A lane starts when all members here have called that have a part in the operation. So no member
 *   returns before all have called, as on one node.
 * - If the member that has the bytes is on this node, it copies them into a page, in its own call.
 * - A step sends the sum of the cell to a neighbour, or waits for the neighbour's sum. A zero sum
 *   takes no page. No page is written to once another task may use it: a sum of two sums gets a new
 *   page.
 * - If the member that wants the bytes is on this node, it copies them out of the page, in its own
 *   call. A member that does not do so holds all nodes back, as on one node.
 *
 * In a v form, the first cell of a block is the block's length. The nodes that know the length
 * contribute it, and no node cuts more of the block before the sum is there. A block that cannot be
 * read travels as zeros, and its cells say so.
 *
 * When a cell is over, all nodes have begun it, since all have contributed. So a neighbour is less
 * than %SCATTER_CELLS_AHEAD cells ahead of the lowest cell here, and sends one message for each
 * cell. A message that comes early waits in the neighbour's feed. So a node holds
 *
 *	the pages of %SCATTER_CELLS_OPEN sums,
 *	%SCATTER_CELLS_AHEAD messages of each neighbour, at most 11 neighbours,
 *	and a page of zeros
 *
 * for an operation, however long the blocks are. A member that gives is charged for its pages. When
 * all cells are over, the node has sent all that other nodes need, and needs nothing of them: no
 * node sends DONE.
 */
#include <asm/byteorder.h>
#include <linux/align.h>
#include <linux/bvec.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/slot.h"
#include "node/mail.h"
#include "operation/operation.h"
#include "span/attach.h"
#include "span/fact.h"
#include "span/lane.h"
#include "trace.h"
#include "wire/wide_build.h"

/* Members ------------------------------------------------------------------ */

static bool gathers(const struct scatter_slot *slot)
{
	return !scatter_slot_scatters(slot);
}

/* Whether a block stays where it is: it is the root's own, and the root's call is in place. */
static bool stays(const struct scatter_group *group, const struct scatter_slot *slot, u32 rank)
{
	const struct scatter_member *root = scatter_group_member(group, slot->head.root);

	return rank == slot->head.root && root && root->in_place;
}

/* Find the member here that has a block or, if @takes, wants it; %SCATTER_NO_RANK: none. */
static u32 member_of(const struct scatter_group *group, const struct scatter_slot *slot, u32 rank,
		     bool takes)
{
	u32 member = gathers(slot) == takes ? slot->head.root : rank;

	if (!scatter_group_member(group, member) || stays(group, slot, rank))
		return SCATTER_NO_RANK;
	return member;
}

/* Tell a member that it may have to give or take a cell now. */
static void tell(struct scatter_group *group, struct scatter_operation *operation, u32 rank)
{
	spin_lock(&group->lock);
	scatter_operation_merge(operation, rank)->due = true;
	spin_unlock(&group->lock);
	scatter_operation_wake_rank(operation, rank);
}

static void tell_all(struct scatter_group *group, struct scatter_operation *operation,
		     struct scatter_slot *slot)
{
	struct scatter_places_cursor cursor;
	u32 rank;

	scatter_places_begin(&cursor, &slot->cells->self, 1);
	while (scatter_places_next(&slot->places, &cursor, &rank)) {
		tell(group, operation, rank);
		cond_resched();
	}
	if (scatter_slot_is_root(slot))
		tell(group, operation, slot->head.root);
}

/* Whether all members here have called that have a part in the operation. */
static bool is_started(struct scatter_group *group, struct scatter_operation *operation,
		       struct scatter_slot *slot)
{
	struct scatter_cells *cells = slot->cells;
	bool more = true;
	u32 n = 0;

	if (cells->started)
		return true;
	spin_lock(&group->lock);
	for (;;) {
		if (cells->caller == SCATTER_NO_RANK)
			more = scatter_places_next(&slot->places, &cells->callers, &cells->caller);
		if (!more || !scatter_operation_part(operation, cells->caller)->posted)
			break;
		cells->caller = SCATTER_NO_RANK;
		scatter_group_breathe_locked(group, ++n);
	}
	if (!more)
		cells->started = !scatter_slot_is_root(slot) ||
				 scatter_operation_part(operation, slot->head.root)->posted;
	spin_unlock(&group->lock);
	return cells->started;
}

/* Cells -------------------------------------------------------------------- */

/* Begin a new cell: find what this node contributes. */
static void begin(struct scatter_group *group, struct scatter_operation *operation,
		  struct scatter_slot *slot, struct scatter_cell *cell)
{
	u32 source = gathers(slot) ? cell->rank : slot->head.root;
	u32 member = member_of(group, slot, cell->rank, false);
	__le64 *length;

	if (!cell->length) {
		if (!cell->bytes || member == SCATTER_NO_RANK)
			return;
		cell->give = SCATTER_CELLS_DUE;
		tell(group, operation, member);
		return;
	}
	if (!scatter_group_member(group, source))
		return;
	cell->sum.page = scatter_cells_page(sizeof(*length), false);
	length = page_address(cell->sum.page);
	*length = cpu_to_le64(scatter_operation_slice(operation, cell->rank)->length);
}

static void *bytes_of(const struct scatter_cells_piece *piece)
{
	return page_address(piece->page) + piece->offset;
}

static void add(struct scatter_cell *cell, struct scatter_cells_piece *piece, bool combine)
{
	const u64 *a, *b;
	struct page *page;
	u64 *sum;
	u32 i;

	if (!combine || !cell->sum.page) {
		scatter_cells_put(&cell->sum);
		swap(cell->sum, *piece);
		return;
	}
	/* The loop below may add up to 7 bytes behind the cell, which no node uses. */
	page = scatter_cells_page(ALIGN(cell->bytes, sizeof(*sum)), false);
	sum = page_address(page);
	a = bytes_of(&cell->sum);
	b = bytes_of(piece);
	for (i = 0; i < DIV_ROUND_UP(cell->bytes, sizeof(*sum)); i++)
		sum[i] = a[i] | b[i];
	scatter_cells_put(&cell->sum);
	cell->sum.page = page;
}

static void send(struct scatter_group *group, struct scatter_slot *slot, u64 number,
		 const struct scatter_cell *cell, u32 node)
{
	const struct scatter_portal *portal = group->portal;
	struct scatter_wide_lane wide = {
		.head = slot->head,
		.cell = number,
		.offset = cell->offset,
		.flags = cell->length ? SCATTER_WIDE_LENGTH :
			 cell->unreadable ? SCATTER_WIDE_UNREADABLE : 0,
		.rank = cell->rank,
		.payload = cell->bytes,
	};
	struct bio_vec piece = {
		.bv_page = cell->sum.page,
		.bv_offset = cell->sum.offset,
		.bv_len = cell->bytes,
	};
	u64 bytes = cell->length ? 0 : cell->bytes;
	struct scatter_raw_lane raw;

	if (!piece.bv_page) {
		if (!slot->cells->zeros)
			slot->cells->zeros = scatter_cells_page(SCATTER_WIDE_CELL_MAX, true);
		piece.bv_page = slot->cells->zeros;
	}
	scatter_mail_count(portal->node, portal->nodes[node].id, cell->begins, bytes, 0);
	trace_scatter_cell(group, slot, portal->nodes[node].id, cell->rank, cell->offset, bytes,
			   false, cell->begins);
	scatter_wide_build_lane(&raw, 0, &wide);
	scatter_mail_post_payload(portal->node, portal->mailer, portal->nodes[node].id, &raw,
				  sizeof(raw), cell->bytes ? &piece : NULL);
}

static struct scatter_cells_feed *feed_of(struct scatter_cells *cells, u32 node)
{
	u32 i;

	for (i = 0; i < cells->nr_feeds; i++)
		if (cells->feeds[i].node == node)
			return &cells->feeds[i];
	return NULL;
}

/* How much memory a message takes that has come with so many bytes. */
static u64 memory_of(struct page *page, u32 bytes)
{
	return bytes ? page_size(page) : 0;
}

/* Whether a neighbour's message is about the same bytes. */
static bool is_same(const struct scatter_cell *cell, const struct scatter_cells_came *came)
{
	return cell->rank == came->rank && cell->offset == came->offset &&
	       cell->bytes == came->bytes && cell->length == !!(came->flags & SCATTER_WIDE_LENGTH);
}

/* Do one step of a cell; false: the neighbour has to do something first. */
static bool do_step(struct scatter_group *group, struct scatter_slot *slot, u64 number,
		    struct scatter_cell *cell, const struct scatter_step *step)
{
	u32 node = scatter_places_node(&slot->places, step->peer);
	struct scatter_kept less = {};
	struct scatter_cells_came *came;
	struct scatter_cells_feed *feed;

	if (step->send) {
		if (!scatter_attach_tied(group, node))
			return false;
		send(group, slot, number, cell, node);
		return true;
	}
	feed = feed_of(slot->cells, node);
	if (WARN_ON_ONCE(!feed))
		return false;
	came = &feed->came[number % SCATTER_CELLS_AHEAD];
	if (!came->there)
		return false;
	if (!is_same(cell, came)) {
		slot->differs = true;
		return false;
	}
	scatter_kept_count(&less, memory_of(came->piece.page, came->bytes));
	add(cell, &came->piece, step->combine);
	cell->unreadable = came->flags & SCATTER_WIDE_UNREADABLE ||
			   (step->combine && cell->unreadable);
	scatter_cells_put(&came->piece);
	came->there = false;
	scatter_kept_sub(&feed->kept, &less);
	scatter_kept_sub(&group->portal->nodes[node].kept, &less);
	return true;
}

/*
 * Use the length of a block that has come. Returns the block's rank if a member here disagrees: the
 * one that takes the block, or the one that has it. The latter has said the length itself, but a
 * peer that lies may have added to it.
 */
static u32 learn(struct scatter_group *group, struct scatter_operation *operation,
		 struct scatter_slot *slot, const struct scatter_cell *cell)
{
	u64 own = scatter_operation_slice(operation, cell->rank)->length, length;
	u32 root = slot->head.root;

	length = cell->sum.page ? le64_to_cpup(bytes_of(&cell->sum)) : 0;
	if (length > SCATTER_WIDE_BLOCK_MAX ||
	    (length != own && (scatter_group_member(group, root) ||
			       scatter_group_member(group, cell->rank))))
		return cell->rank;
	scatter_cells_learn(slot->cells, length);
	return SCATTER_NO_RANK;
}

/* Do the steps of a cell that can be done; *@moved: true if there were any. Returns as learn(). */
static u32 go_on(struct scatter_group *group, struct scatter_operation *operation,
		 struct scatter_slot *slot, u64 number, bool *moved)
{
	struct scatter_cell *cell = scatter_cells_at(slot->cells, number);
	struct scatter_walk walk;
	struct scatter_step step;
	u32 member;

	if (cell->complete || cell->give)
		return SCATTER_NO_RANK;
	scatter_schedule_init(&walk, &slot->cells->plan, slot->places.self);
	walk.cursor = cell->cursor;
	while (scatter_schedule_next(&walk, &step) && step.first == cell->place) {
		if (!do_step(group, slot, number, cell, &step))
			return SCATTER_NO_RANK;
		cell->cursor = walk.cursor;
		*moved = true;
	}
	cell->complete = true;
	*moved = true;
	if (cell->length)
		return learn(group, operation, slot, cell);
	member = member_of(group, slot, cell->rank, true);
	if (member != SCATTER_NO_RANK && cell->bytes) {
		cell->take = SCATTER_CELLS_DUE;
		tell(group, operation, member);
	}
	return SCATTER_NO_RANK;
}

/* Drop the lowest cells that are over; false: there are none. */
static bool advance(struct scatter_cells *cells)
{
	u64 before = cells->low;

	while (cells->low < cells->end) {
		struct scatter_cell *cell = scatter_cells_at(cells, cells->low);

		if (!cell->complete || cell->take)
			break;
		scatter_cells_put(&cell->sum);
		cells->low++;
	}
	return cells->low > before;
}

static u32 push_cells(struct scatter_group *group, struct scatter_operation *operation,
		      struct scatter_slot *slot)
{
	struct scatter_cells *cells = slot->cells;
	struct scatter_cell *cell;
	bool moved;
	u32 rank;
	u64 n;

	do {
		while ((cell = scatter_cells_cut(cells, &slot->places, &slot->head)))
			begin(group, operation, slot, cell);
		moved = false;
		for (n = cells->low; n < cells->end; n++) {
			rank = go_on(group, operation, slot, n, &moved);
			if (rank != SCATTER_NO_RANK || slot->differs)
				return rank;
		}
		moved |= advance(cells);
		cond_resched();
	} while (moved);
	return SCATTER_NO_RANK;
}

/**
 * scatter_lane_push() - do for an OR-broadcast what can be done
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @operation: the operation; NULL: no member here has called it
 * @slot: the operation's slot, which has cells
 *
 * Context: may sleep. The caller has to call scatter_mail_flush() afterwards.
 * Return: a rank that differs from the others, or %SCATTER_NO_RANK. If another node differs,
 * scatter_slot.differs is set.
 */
u32 scatter_lane_push(struct scatter_group *group, struct scatter_operation *operation,
		      struct scatter_slot *slot)
{
	struct scatter_cells *cells = slot->cells;
	u32 rank;

	lockdep_assert_held(&group->portal->moving);
	if (!operation || READ_ONCE(operation->error) || !slot->met || cells->through ||
	    !is_started(group, operation, slot))
		return SCATTER_NO_RANK;
	rank = push_cells(group, operation, slot);
	if (rank != SCATTER_NO_RANK || slot->differs)
		return rank;
	if (cells->low == cells->end && cells->place == slot->places.owners) {
		cells->through = true;
		tell_all(group, operation, slot);
	}
	return SCATTER_NO_RANK;
}

/**
 * scatter_lane_came() - handle a LANE message
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: the operation's slot
 * @from: the sender's index
 * @wide: the message
 * @page: where the message lies
 * @offset: bytes of @page before its payload
 *
 * Context: may sleep.
 * Return: false: the message breaks the protocol.
 */
bool scatter_lane_came(struct scatter_group *group, struct scatter_slot *slot, u32 from,
		       const struct scatter_wide_lane *wide, struct page *page, u32 offset)
{
	struct scatter_portal_node *node = &group->portal->nodes[from];
	struct scatter_cells_came *came;
	struct scatter_cells_feed *feed;

	lockdep_assert_held(&group->portal->moving);
	if (!slot->known && !scatter_slot_learn(group, slot, &wide->head))
		return false;
	if (!scatter_slot_same(&slot->head, &wide->head)) {
		slot->differs = true;
		return true;
	}
	if (scatter_portal_is_vain(group, slot))
		return true;
	feed = feed_of(slot->cells, from);
	if (scatter_portal_is_full(group, from)) {
		scatter_fact_overrun(group, node->first, slot->number);
		return true;
	}
	/* Each neighbour sends one message for each cell. */
	if (!feed || wide->cell - slot->cells->low >= SCATTER_CELLS_AHEAD)
		return false;
	came = &feed->came[wide->cell % SCATTER_CELLS_AHEAD];
	if (came->there)
		return false;
	*came = (struct scatter_cells_came){
		.there = true,
		.bytes = wide->payload,
		.offset = wide->offset,
		.flags = wide->flags,
		.rank = wide->rank,
	};
	if (wide->payload) {
		get_page(page);
		came->piece = (struct scatter_cells_piece){ .page = page, .offset = offset };
	}
	scatter_kept_count(&feed->kept, memory_of(page, wide->payload));
	scatter_kept_count(&node->kept, memory_of(page, wide->payload));
	return true;
}

/* Calls -------------------------------------------------------------------- */

/*
 * Find the slot of an OR-broadcast. NULL: the operation is over, no member here has called, or
 * nodes differ.
 */
static struct scatter_slot *find(struct scatter_group *group, u64 number)
{
	struct scatter_slot *slot = scatter_slot_find(group, number);

	return slot && slot->met && !slot->differs && slot->cells ? slot : NULL;
}

/* Find a cell that a member has to take or to give. */
static struct scatter_cell *find_due(struct scatter_group *group, struct scatter_slot *slot,
				     u32 rank, u64 *number, bool takes)
{
	struct scatter_cells *cells = slot->cells;
	struct scatter_cell *cell;
	u64 n;

	for (n = cells->low; n < cells->end; n++) {
		cell = scatter_cells_at(cells, n);
		*number = n;
		if ((takes ? cell->take : cell->give) == SCATTER_CELLS_DUE &&
		    member_of(group, slot, cell->rank, takes) == rank)
			return cell;
	}
	return NULL;
}

/* Claim the lowest cell that a member has to take or to give. */
static enum scatter_lane_turn claim(struct scatter_group *group, struct scatter_slot *slot,
				    u32 rank, struct scatter_lane_task *task)
{
	enum scatter_lane_turn turn = SCATTER_LANE_TAKE;
	struct scatter_cell *cell;

	cell = find_due(group, slot, rank, &task->cell, true);
	if (!cell) {
		turn = SCATTER_LANE_GIVE;
		cell = find_due(group, slot, rank, &task->cell, false);
	}
	if (!cell)
		return SCATTER_LANE_WAIT;
	task->rank = cell->rank;
	task->offset = cell->offset;
	task->bytes = cell->bytes;
	if (turn == SCATTER_LANE_GIVE) {
		cell->give = SCATTER_CELLS_BUSY;
		return turn;
	}
	cell->take = SCATTER_CELLS_BUSY;
	task->unreadable = cell->unreadable;
	task->piece = cell->sum;
	if (task->piece.page)
		get_page(task->piece.page);
	return turn;
}

/**
 * scatter_lane_next() - find what a member has to do next
 * @group: formed, and spans nodes
 * @number: the OR-broadcast's number
 * @rank: the member's rank
 * @task: (out) the cell to give or to take, for scatter_lane_given() or scatter_lane_taken()
 *
 * Context: may sleep; no locks.
 * Return: what the member has to do; %SCATTER_LANE_WAIT also if the operation is over here, or
 * nodes differ.
 */
enum scatter_lane_turn scatter_lane_next(struct scatter_group *group, u64 number, u32 rank,
					 struct scatter_lane_task *task)
{
	enum scatter_lane_turn turn = SCATTER_LANE_WAIT;
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;

	*task = (struct scatter_lane_task){};
	scatter_backlog_lock(portal);
	slot = find(group, number);
	if (slot)
		turn = slot->cells->through ? SCATTER_LANE_OVER : claim(group, slot, rank, task);
	scatter_backlog_unlock(portal);
	return turn;
}

/**
 * scatter_lane_given() - take over the bytes of a cell that a member gives
 * @group: formed, and spans nodes
 * @number: the OR-broadcast's number
 * @task: from scatter_lane_next(); its bytes are gone afterwards
 * @done: false: the member gives the bytes later
 *
 * Context: may sleep; no locks. The caller has to call scatter_span_settle() afterwards.
 */
void scatter_lane_given(struct scatter_group *group, u64 number, struct scatter_lane_task *task,
			bool done)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;
	struct scatter_cell *cell;

	scatter_backlog_lock(portal);
	slot = find(group, number);
	if (slot) {
		cell = scatter_cells_at(slot->cells, task->cell);
		cell->give = done ? SCATTER_CELLS_NOTHING : SCATTER_CELLS_DUE;
		cell->unreadable = task->unreadable;
		swap(cell->sum, task->piece);
	}
	scatter_backlog_unlock(portal);
	scatter_cells_put(&task->piece);
}

/**
 * scatter_lane_taken() - note that a member has taken a cell
 * @group: formed, and spans nodes
 * @number: the OR-broadcast's number
 * @task: from scatter_lane_next(); its bytes are gone afterwards
 * @done: false: the member takes the bytes later
 *
 * Context: may sleep; no locks. The caller has to call scatter_span_settle() afterwards.
 */
void scatter_lane_taken(struct scatter_group *group, u64 number, struct scatter_lane_task *task,
			bool done)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot;

	scatter_backlog_lock(portal);
	slot = find(group, number);
	if (slot)
		scatter_cells_at(slot->cells, task->cell)->take =
			done ? SCATTER_CELLS_NOTHING : SCATTER_CELLS_DUE;
	scatter_backlog_unlock(portal);
	scatter_cells_put(&task->piece);
}
