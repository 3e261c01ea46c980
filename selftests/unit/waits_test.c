// SPDX-License-Identifier: GPL-2.0
/*
 * WAIT and MISSING, by which nodes find out why members wait: what their fields say together, and
 * which field is which. wire_test.c tries each field and length.
 */
#include <string.h>

#include "together.h"
#include "wire/wide_parse.h"

#define WAIT	SCATTER_WIRE_WAIT
#define MISSING	SCATTER_WIRE_MISSING
#define LONGEST	(END / 8 - 1)	/* bytes of a block */

static void set_wait(u64 root, u64 block)
{
	put(m, 56, 8, block);
	put(m, 64, 4, root);
}

static void test_waits(void)
{
	TOGETHER(WAIT, BAD, memset(m + 24, 0, 16), "WAIT: in no group");
	TOGETHER(WAIT, 0, put(m, 40, 8, END - 1), "WAIT: in the last operation");
	TOGETHER(WAIT, BAD, put(m, 40, 8, END), "WAIT: in an operation beyond");
	TOGETHER(WAIT, BAD, put(m, 48, 8, 0), "WAIT: asked for nothing");
	TOGETHER(WAIT, 0, set_wait(1023, LONGEST), "WAIT: the last root, the longest block");
	TOGETHER(WAIT, BAD, set_wait(1024, 0), "WAIT: a root beyond");
	TOGETHER(WAIT, BAD, set_wait(0, LONGEST + 1), "WAIT: too long a block");
	TOGETHER(WAIT, 0, set_wait(0xffffffff, 0), "WAIT: no root");
	TOGETHER(WAIT, BAD, set_wait(0xfffffffe, 0), "WAIT: almost no root");
	TOGETHER(WAIT, BAD, set_wait(0xffffffff, 1), "WAIT: a block without a root");
	TOGETHER(WAIT, 0, put(m, 68, 4, 1023), "WAIT: the last rank");
	TOGETHER(WAIT, BAD, put(m, 68, 4, 1024), "WAIT: a rank beyond");
	TOGETHER(MISSING, BAD, memset(m + 24, 0, 16), "MISSING: in no group");
	TOGETHER(MISSING, 0, put(m, 40, 8, END - 1), "MISSING: in the last operation");
	TOGETHER(MISSING, BAD, put(m, 40, 8, END), "MISSING: in an operation beyond");
	TOGETHER(MISSING, 0, memset(m + 48, 0, 128), "MISSING: nobody");
	TOGETHER(MISSING, 0, memset(m + 48, 0xff, 128), "MISSING: everybody");
}

static void test_names(void)
{
	struct scatter_wide_missing missing;
	struct scatter_wide_wait wait;
	u32 i, right = 0;

	make(WAIT);
	fill(m + 24, 16);
	put(m, 40, 8, END / 3);
	fill(m + 48, 8);
	set_wait(33, 77);
	put(m, 68, 4, 44);
	ok(!scatter_wide_parse_wait(m, 72, &wait) && id_is(wait.id, 24) &&
	   wait.number == END / 3 && wait.asked == get(m, 48, 8) && wait.block == 77 &&
	   wait.root == 33 && wait.rank == 44, "names: WAIT");
	set_wait(0xffffffff, 0);
	ok(!scatter_wide_parse_wait(m, 72, &wait) && wait.root == SCATTER_WIDE_ROOT_ANY,
	   "names: a WAIT without a root");

	make(MISSING);
	fill(m + 24, 16);
	put(m, 40, 8, END / 3);
	fill(m + 48, 128);
	ok(!scatter_wide_parse_missing(m, 176, &missing) && id_is(missing.id, 24) &&
	   missing.number == END / 3, "names: MISSING");
	for (i = 0; i < 16; i++)
		right += missing.ranks[i] == get(m, 48 + 8 * i, 8);
	ok(right == 16 && SCATTER_WIDE_MASK_WORDS == 16, "names: ranks of MISSING");
}

int main(void)
{
	test_waits();
	test_names();
	return tap_done();
}
