// SPDX-License-Identifier: GPL-2.0
/*
 * LANE, the message of OR-broadcasts between nodes: what its fields say together, and which field
 * is which. wire_test.c tries each field and length.
 */
#include <string.h>

#include "together.h"
#include "wire/wide_parse.h"

#define LANE	SCATTER_WIRE_LANE
#define MOST	8088	/* bytes of a cell */
#define LONGEST	(END / 8 - 1)	/* bytes of a block */

/* A cell of rank 5, of ranks 3 to 9. */
static void set_cell(u32 op, u64 block, u64 offset, u32 flags, u32 payload)
{
	put(m, 2, 2, 104 + payload);
	put(m, 48, 8, block);
	put(m, 72, 8, offset);
	put(m, 80, 4, op);
	put(m, 84, 4, flags);
	put(m, 92, 4, 3);
	put(m, 96, 4, 7);
	put(m, 100, 4, 5);
}

static void set_ranks(u32 first, u32 blocks, u32 rank)
{
	set_cell(0, 9, 0, 0, 9);
	put(m, 92, 4, first);
	put(m, 96, 4, blocks);
	put(m, 100, 4, rank);
}

static void test_operations(void)
{
	u32 op;

	for (op = 0; op < 2; op++) {
		TOGETHER(LANE, 0, set_cell(op, 9, 0, 0, 9), "LANE %u: a block", op);
		TOGETHER(LANE, BAD, set_cell(op, 8, 0, 1, 8), "LANE %u: a length", op);
		TOGETHER(LANE, BAD, set_cell(op, 0, 0, 1, 8), "LANE %u: a length of 0", op);
		TOGETHER(LANE, 0, set_cell(op + 3, 0, 0, 1, 8), "LANE %u: a length", op + 3);
		TOGETHER(LANE, 0, set_cell(op + 3, 0, 0, 0, 9), "LANE %u: bytes", op + 3);
		TOGETHER(LANE, BAD, set_cell(op + 3, 9, 0, 0, 9), "LANE %u: one length", op + 3);
	}
	TOGETHER(LANE, BAD, set_cell(2, 9, 0, 0, 9), "LANE: of a barrier");
	TOGETHER(LANE, BAD, set_cell(5, 9, 0, 0, 9), "LANE: of a DUP");
	TOGETHER(LANE, BAD, memset(m + 24, 0, 16), "LANE: of no group");
	TOGETHER(LANE, 0, put(m, 40, 8, END - 1), "LANE: the last operation");
	TOGETHER(LANE, BAD, put(m, 40, 8, END), "LANE: an operation beyond");
	TOGETHER(LANE, BAD, put(m, 56, 8, 0), "LANE: asked for nothing");
	TOGETHER(LANE, 0, put(m, 64, 8, END - 1), "LANE: the last cell");
	TOGETHER(LANE, BAD, put(m, 64, 8, END), "LANE: a cell beyond");
	TOGETHER(LANE, 0, put(m, 88, 4, 1023), "LANE: the last root");
	TOGETHER(LANE, BAD, put(m, 88, 4, 1024), "LANE: a root beyond");
	TOGETHER(LANE, 0, set_ranks(1023, 1, 1023), "LANE: the last rank");
	TOGETHER(LANE, BAD, set_ranks(1023, 2, 1023), "LANE: a rank beyond");
	TOGETHER(LANE, BAD, set_ranks(3, 0, 3), "LANE: no rank");
	TOGETHER(LANE, BAD, set_ranks(0, 1025, 3), "LANE: a rank too many");
	TOGETHER(LANE, BAD, set_ranks(5, 0xfffffffe, 6), "LANE: ranks that wrap");
	TOGETHER(LANE, BAD, set_ranks(0xfffffffe, 5, 0xffffffff), "LANE: ranks that wrap, too");
	TOGETHER(LANE, 0, set_ranks(5, 2, 6), "LANE: the last block");
	TOGETHER(LANE, BAD, set_ranks(5, 2, 7), "LANE: a block beyond");
	TOGETHER(LANE, BAD, set_ranks(5, 2, 4), "LANE: a block before");
}

static void test_cells(void)
{
	const u64 last = LONGEST - LONGEST % MOST;

	TOGETHER(LANE, 0, set_cell(0, 0, 0, 0, 0), "LANE: an empty block");
	TOGETHER(LANE, BAD, set_cell(0, 0, 0, 0, 1), "LANE: a byte of an empty block");
	TOGETHER(LANE, BAD, set_cell(0, 9, 0, 0, 8), "LANE: a byte less");
	TOGETHER(LANE, BAD, set_cell(0, 9, 0, 0, 10), "LANE: a byte more");
	TOGETHER(LANE, 0, set_cell(0, MOST, 0, 0, MOST), "LANE: the longest cell");
	TOGETHER(LANE, BAD, set_cell(0, MOST + 1, 0, 0, MOST + 1), "LANE: a longer cell");
	TOGETHER(LANE, 0, set_cell(0, MOST + 1, 0, 0, MOST), "LANE: the first cell of two");
	TOGETHER(LANE, BAD, set_cell(0, MOST + 1, 0, 0, MOST - 1), "LANE: less in the first one");
	TOGETHER(LANE, 0, set_cell(0, MOST + 1, MOST, 0, 1), "LANE: the second cell of two");
	TOGETHER(LANE, BAD, set_cell(0, MOST, MOST, 0, 0), "LANE: nothing behind the last cell");
	TOGETHER(LANE, BAD, set_cell(0, MOST + 1, 2 * MOST, 0, MOST), "LANE: behind the block");
	TOGETHER(LANE, BAD, set_cell(0, MOST + 9, 8, 0, MOST), "LANE: between cells");
	TOGETHER(LANE, 0, set_cell(1, LONGEST, last, 0, LONGEST % MOST), "LANE: the last bytes");
	TOGETHER(LANE, BAD, set_cell(1, LONGEST + 1, 0, 0, MOST), "LANE: too long a block");
	TOGETHER(LANE, 0, set_cell(1, 9, 0, 2, 9), "LANE: of a block that cannot be read");
	TOGETHER(LANE, BAD, set_cell(1, 9, 0, 4, 9), "LANE: an unknown flag");
	TOGETHER(LANE, 0, set_cell(3, 0, last, 2, 1), "LANE: the last bytes of a v form");
	TOGETHER(LANE, BAD, set_cell(3, 0, last + MOST, 0, 1), "LANE: bytes beyond");
	TOGETHER(LANE, BAD, set_cell(3, 0, 0, 0, 0), "LANE: nothing of a v form");
	TOGETHER(LANE, 0, set_cell(3, 0, MOST, 0, MOST), "LANE: the longest cell of a v form");
	TOGETHER(LANE, BAD, set_cell(3, 0, 1, 0, 9), "LANE: between cells of a v form");
	TOGETHER(LANE, BAD, set_cell(3, 0, 0, 1, 7), "LANE: a short length");
	TOGETHER(LANE, BAD, set_cell(3, 0, 0, 1, 9), "LANE: a long length");
	TOGETHER(LANE, BAD, set_cell(3, 0, MOST, 1, 8), "LANE: a length behind the first cell");
	TOGETHER(LANE, BAD, set_cell(3, 0, 0, 3, 8), "LANE: a length that cannot be read");
}

static void test_names(void)
{
	struct scatter_wide_lane lane;
	u32 i, extents = 0;

	make(LANE);
	fill(m + 24, 16);
	put(m, 40, 8, END / 3);
	put(m, 64, 8, END / 5);
	set_cell(4, 0, 2 * MOST, 2, 6);
	fill(m + 56, 8);
	put(m, 88, 4, 33);
	ok(!scatter_wide_parse_lane(m, 110, &lane) && id_is(lane.head.id, 24) &&
	   lane.head.number == END / 3 && !lane.head.block &&
	   lane.head.asked == get(m, 56, 8) && lane.head.op == SCATTER_WIDE_GATHERV &&
	   lane.head.root == 33 && lane.head.first == 3 && lane.head.blocks == 7, "names: head");
	for (i = 0; i < 8; i++)
		extents += !lane.head.extent[i];
	ok(lane.head.algorithm == 9 && !lane.head.ports && !lane.head.dims && !lane.head.flags &&
	   !lane.head.count && !lane.head.total && !lane.head.offset && !lane.head.payload &&
	   extents == 8, "names: the rest of the head");
	ok(lane.cell == END / 5 && lane.offset == 2 * MOST &&
	   lane.flags == SCATTER_WIDE_UNREADABLE && lane.rank == 5 && lane.payload == 6,
	   "names: cell");
	set_cell(1, 77, 0, 0, 77);
	ok(!scatter_wide_parse_lane(m, 181, &lane) && lane.head.block == 77, "names: block");
	set_cell(3, 0, 0, 1, 8);
	ok(!scatter_wide_parse_lane(m, 112, &lane) && lane.flags == SCATTER_WIDE_LENGTH,
	   "names: length");
	ok(SCATTER_WIDE_CELL_MAX == MOST, "names: the longest cell");
}

int main(void)
{
	test_operations();
	test_cells();
	test_names();
	return tap_done();
}
