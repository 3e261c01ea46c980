// SPDX-License-Identifier: GPL-2.0
/*
 * Events in states of a call, and what each member sees of them: the table that
 * Documentation/failures.rst has its rows from. "outcomes_test --rows" prints what
 * selftests/failures puts there.
 */
#include <errno.h>

#include "outcomes.h"

/* Each row matters on each kernel. */
#define HARNESS_WHOLE
#define HARNESS_PRINT	rows_print
static void rows_print(void);

#include "harness.h"

#define EAGER	64ULL
#define LARGE	(1ULL << 20)
#define EVERYBODY	RANKS(0, OUTCOME_SIZE - 1)
#define BUT(rank)	(EVERYBODY & ~RANK(rank))

/* Ranks 0 to 2 against 3 and 4; rank 1 is the root, 0 and 2 are idle. */
#define NEAR	3U
#define ROOT	1U
#define LEAVES	(RANK(3) | RANK(4))
#define IDLE	(RANK(0) | RANK(2))
#define ALL	RANKS(0, 4)

FIXTURE(outcome)
{
	int unused;
};

FIXTURE_VARIANT(outcome)
{
	struct outcome row;
};

FIXTURE_SETUP(outcome)
{
}

FIXTURE_TEARDOWN(outcome)
{
}

TEST_F(outcome, is_seen)
{
	EXPECT_TRUE(outcome_holds(&variant->row));
}

static void rows_print(void)
{
	const struct __fixture_variant_metadata *one;

	for (one = _outcome_fixture_object.variant; one; one = one->next)
		outcome_print(one->name, &((const FIXTURE_VARIANT(outcome) *)one->data)->row);
}

#define ROW(name)	FIXTURE_VARIANT_ADD(outcome, name)

#define CALL_OF(which, size, rank) \
	{ .op = SCATTER_OP_##which, .block = (size), .root = (rank) }
#define BARRIER_OF_ALL	{ .op = SCATTER_OP_BARRIER }

#define PAUSED		.each = waits, .calls = ARRAY_SIZE(waits)
#define ACROSS		.each = across, .calls = ARRAY_SIZE(across), .near = NEAR

/* Rank 0 waits for rank 3 in each. */
static const struct call waits[] = {
	BARRIER_OF_ALL,
	CALL_OF(SCATTER, EAGER, 3),
	CALL_OF(SCATTERV, 300001, 3),
	CALL_OF(GATHER, EAGER, 0),
	CALL_OF(GATHERV, 300001, 0),
	{ .op = SCATTER_OP_GATHER, .block = EAGER,
	  .algorithm = SCATTER_ALGORITHM_OR_BROADCAST },
	{ .op = SCATTER_OP_SCATTER, .block = 300001, .root = 3,
	  .flags = SCATTER_COLL_UNIFORM },
};

/* Between the sides of an inter-group. */
static const struct call across[] = {
	CALL_OF(SCATTER, (3ULL << 20) + 5, ROOT),
	CALL_OF(GATHER, (3ULL << 20) + 5, ROOT),
	CALL_OF(SCATTERV, (3ULL << 20) + 5, ROOT),
	CALL_OF(GATHERV, (3ULL << 20) + 5, ROOT),
	{ .op = SCATTER_OP_SCATTER, .block = 40000, .root = ROOT,
	  .algorithm = SCATTER_ALGORITHM_OR_BROADCAST },
	{ .op = SCATTER_OP_GATHERV, .block = 40000, .root = ROOT,
	  .algorithm = SCATTER_ALGORITHM_OR_BROADCAST },
};

/* Death ---------------------------------------------------------------------------- */

ROW(by_close_without_leave) { .row = {
	.when = "how: close",
	.call = { BARRIER_OF_ALL },
	.steps = {
		WAIT(0, RANKS(0, 2)),
		CLOSE(3),
		FAIL("members that need the dead", RANKS(0, 2), ECONNRESET, 3, "dead"),
		LATER(RANKS(0, 2), ECONNRESET, 3),
	},
} };

ROW(of_a_scatter_root_that_has_not_called) { .row = {
	.when = "scatter: root, before its call",
	.call = { CALL_OF(SCATTER, EAGER, 0) },
	.steps = {
		WAIT(0, RANKS(1, 3)),
		DIE(0),
		FAIL("all", RANKS(1, 3), ECONNRESET, 0, "root"),
		KNOW_SOON(RANKS(1, 3)),
		LATER(RANKS(1, 3), ECONNRESET, 0),
	},
} };

ROW(of_a_scatter_root_after_its_deposits) { .row = {
	.when = "scatter: root, its blocks are in rings",
	.call = { CALL_OF(SCATTER, EAGER, 0) },
	.steps = {
		CALL(0, RANK(0)),
		DIE(0),
		START(0, RANKS(1, 3)),
		SUCCEED("the rest", RANKS(1, 3)),
		LATER(RANKS(1, 3), ECONNRESET, 0),
	},
} };

ROW(of_a_scatter_root_that_waits_for_late_receivers) { .row = {
	.when = "scatter: root, inside; blocks are in its memory",
	.call = { CALL_OF(SCATTER, LARGE, 0) },
	.steps = {
		START(0, RANKS(0, 1)),
		SUCCEED("the one that has its block", RANK(1)),
		SLEEP(RANK(0)),
		DIE(0),
		START(0, RANKS(2, 3)),
		FAIL("those without their blocks", RANKS(2, 3), ECONNRESET, 0, "root"),
		LATER(RANKS(1, 3), ECONNRESET, 0),
	},
} };

ROW(of_a_waiting_receiver_lets_the_others_complete) { .row = {
	.when = "scatter: receiver, inside, before the root calls",
	.call = { CALL_OF(SCATTER, LARGE, 0) },
	.steps = {
		WAIT(0, RANKS(1, 3)),
		DIE(2),
		START(0, RANK(0)),
		SUCCEED("the rest", BUT(2)),
		LATER(BUT(2), ECONNRESET, 2),
	},
} };

ROW(of_a_receiver_that_the_root_waits_for) { .row = {
	.when = "scatter: receiver, before its call; the root waits for it",
	.call = { CALL_OF(SCATTER, LARGE, 0) },
	.steps = {
		START(0, BUT(2)),
		SLEEP(RANK(0)),
		DIE(2),
		SUCCEED("the rest", BUT(2)),
		KNOW_SOON(BUT(2)),
		LATER(BUT(2), ECONNRESET, 2),
	},
} };

/* 0 -> 2 -> 3. The root's node may not know that rank 3 has called. */
ROW(of_an_interior_rank_does_not_hold_back_its_subtree) { .row = {
	.when = "scatter: interior rank of a tree",
	.call = { { .op = SCATTER_OP_SCATTER, .block = EAGER,
		    .algorithm = SCATTER_ALGORITHM_HYPERCUBE } },
	.steps = {
		WAIT(0, RANK(3)),
		DIE(2),
		START(0, RANKS(0, 1)),
		SUCCEED("the rest, the subtree below it, too", BUT(2)),
		FAIL_APART("all", BUT(2), ECONNRESET, 2, "dead"),
	},
} };

/* Ranks whose blocks have been taken need nobody. */
ROW(of_a_gather_leaf_that_has_not_called) { .row = {
	.when = "gather: leaf, before its call",
	.call = { CALL_OF(GATHER, LARGE, 0) },
	.steps = {
		START(0, BUT(2)),
		SUCCEED("leaves whose block has left", RANK(1) | RANK(3)),
		SLEEP(RANK(0)),
		DIE(2),
		FAIL("root", RANK(0), ECONNRESET, 2, "leaf"),
		KNOW_SOON(RANK(0)),
		LATER(RANK(0) | RANK(3), ECONNRESET, 2),
	},
} };

ROW(of_a_gather_leaf_whose_block_is_in_the_kernel) { .row = {
	.when = "gather: leaf, its block is in the kernel",
	.call = { CALL_OF(GATHER, EAGER, 0) },
	.steps = {
		CALL(0, RANK(2)),
		DIE(2),
		START(0, BUT(2)),
		SUCCEED("all", BUT(2)),
		LATER(BUT(2), ECONNRESET, 2),
	},
} };

ROW(of_a_gather_leaf_whose_block_nobody_has_taken) { .row = {
	.when = "gather: leaf, inside; its block is in its memory",
	.call = { CALL_OF(GATHER, LARGE, 0) },
	.steps = {
		WAIT(0, RANKS(1, 2)),
		DIE(2),
		FAIL("leaves that still wait", RANK(1), ECONNRESET, 2, "leaf"),
		START(0, RANK(3)),
		FAIL("leaves that call before the root", RANK(3), ECONNRESET, 2, "leaf"),
		START(0, RANK(0)),
		FAIL("root", RANK(0), ECONNRESET, 2, "leaf"),
	},
} };

/*
 * Nobody will read what rank 1 deposits, but that needs nothing of the dead. On another node than
 * rank 0's the operation has not begun.
 */
ROW(of_a_gather_root) { .row = {
	.when = "gather: root",
	.call = { CALL_OF(GATHER, LARGE, 3), CALL_OF(GATHER, EAGER, 3) },
	.steps = {
		CALL(1, RANK(0)),
		WAIT(0, RANK(0)),
		DIE(3),
		FAIL("leaves that wait", RANK(0), ECONNRESET, 3, "root"),
		KNOW_SOON(RANK(0)),
		START(1, RANK(1)),
		SUCCEED("leaves whose block goes to the kernel", RANK(1)),
		FAIL_APART("leaves that call later", RANK(1), ECONNRESET, 3, "root"),
		START(0, RANK(1)),
		FAIL("the rest", RANK(1), ECONNRESET, 3, "root"),
	},
} };

ROW(a_gathervs_root_dies_before_it_calls) { .row = {
	.when = "gatherv: root, before its call",
	.call = { CALL_OF(GATHERV, EAGER, 0), CALL_OF(GATHERV, 40000, 0) },
	.steps = {
		START(0, RANKS(1, 2)),
		SUCCEED("leaves whose block has left", RANKS(1, 2)),
		DIE(0),
		START(1, RANKS(1, 2)),
		FAIL("the rest", RANKS(1, 2), ECONNRESET, 0, "root"),
	},
} };

ROW(of_somebody_missing_at_a_barrier) { .row = {
	.when = "barrier: before its call",
	.call = { BARRIER_OF_ALL },
	.steps = {
		WAIT(0, RANKS(0, 2)),
		DIE(3),
		FAIL("all", RANKS(0, 2), ECONNRESET, 3, "dead"),
		KNOW_SOON(RANKS(0, 2)),
	},
} };

/* The dead rank had called, so the barrier is still complete when rank 3 calls. */
ROW(of_somebody_who_waits_at_a_barrier) { .row = {
	.when = "barrier: inside",
	.call = { BARRIER_OF_ALL },
	.steps = {
		WAIT(0, RANKS(0, 2)),
		DIE(1),
		START(0, RANK(3)),
		SUCCEED("the rest, when all have called", BUT(1)),
		LATER(BUT(1), ECONNRESET, 1),
	},
} };

ROW(who_is_paused_learns_of_a_death) { .row = {
	.when = "another member is paused, and needs the dead",
	PAUSED,
	.steps = {
		GIVE_UP(0, RANK(0)),
		DIE(3),
		RESUME(0, 0, ECONNRESET, 3, "dead"),
	},
} };

ROW(uniform_settled_by_a_death) { .row = {
	.when = "UNIFORM, all have done their parts, one is paused",
	.call = { { .op = SCATTER_OP_GATHER, .block = EAGER, .flags = SCATTER_COLL_UNIFORM } },
	.steps = {
		INTERRUPT(0, RANK(1)),
		START(0, BUT(1)),
		SUCCEED("the others", BUT(1)),
		DIE(0),
		RESUME_WELL(0, 1),
		LATER(RANK(1), ECONNRESET, 0),
	},
} };

/* One that has a seat. */
ROW(of_one_inside_a_dup) { .row = {
	.when = "DUP: inside, before all have called",
	.steps = {
		REGROUP_WAIT(DUP, RANKS(0, 2)),
		DIE(2),
		REGROUP_FAIL("all, and nothing is made", RANKS(0, 1), ECONNRESET, 2, "dead"),
		REGROUP(DUP, RANK(3)),
		REGROUP_FAIL("later callers", RANK(3), ECONNRESET, 2, "dead"),
	},
} };

ROW(of_one_paused_in_a_split) { .row = {
	.when = "SPLIT: paused, before all have called",
	.steps = {
		REGROUP_GIVE_UP(SPLIT, RANK(1)),
		REGROUP_WAIT(SPLIT, RANKS(2, 3)),
		DIE(1),
		REGROUP_FAIL("all, and nothing is made", RANKS(2, 3), ECONNRESET, 1, "dead"),
	},
} };

ROW(across_of_an_idle_member_that_has_not_called) { .row = {
	.when = "inter-group: idle member, before its call",
	ACROSS,
	.steps = {
		WAIT(0, LEAVES),
		DIE(2),
		START(0, RANKS(0, 1)),
		SUCCEED("the rest", ALL & ~RANK(2)),
		LATER(ALL & ~RANK(2), ECONNRESET, 2),
	},
} };

/*
 * So far anybody of its side could be the root, also who is dead. On another node than rank 0's the
 * operation has not begun.
 */
ROW(across_of_an_idle_member_when_nobody_has_named_the_root) { .row = {
	.when = "inter-group: idle member, before the root is named",
	ACROSS,
	.steps = {
		CALL(0, RANK(0)),
		DIE(2),
		HEAR(LEAVES | RANK(ROOT)),
		START(0, LEAVES | RANK(ROOT)),
		SUCCEED("the rest", LEAVES | RANK(ROOT)),
		FAIL_APART("leaves and root", LEAVES | RANK(ROOT), ECONNRESET, 2, "dead"),
		LATER(ALL & ~RANK(2), ECONNRESET, 2),
	},
} };

ROW(across_of_an_idle_member_that_has_called) { .row = {
	.when = "inter-group: idle member, after its call",
	ACROSS,
	.steps = {
		CALL(0, IDLE),
		DIE(0),
		START(0, LEAVES | RANK(ROOT)),
		SUCCEED("the rest", LEAVES | RANK(ROOT)),
		LATER(ALL & ~RANK(0), ECONNRESET, 0),
	},
} };

/* Idle ranks need nothing of the root. */
ROW(across_of_the_root) { .row = {
	.when = "inter-group: root",
	ACROSS,
	.steps = {
		WAIT(0, LEAVES),
		DIE(ROOT),
		FAIL("leaves", LEAVES, ECONNRESET, ROOT, "root"),
		START(0, IDLE),
		SUCCEED("idle members", IDLE),
		LATER(ALL & ~RANK(ROOT), ECONNRESET, ROOT),
	},
} };

ROW(across_of_the_root_when_nobody_has_named_it) { .row = {
	.when = "inter-group: root, before any member has named it",
	ACROSS,
	.steps = {
		CALL(0, RANK(2)),
		DIE(ROOT),
		START(0, LEAVES),
		FAIL("leaves", LEAVES, ECONNRESET, ROOT, "root"),
		START(0, RANK(0)),
		SUCCEED("idle members", RANK(0)),
		LATER(ALL & ~RANK(ROOT), ECONNRESET, ROOT),
	},
} };

/* LEAVE ---------------------------------------------------------------------------- */

ROW(leave_keeps_what_was_called_before) { .row = {
	.when = "own part done, others not",
	.call = { CALL_OF(GATHER, EAGER, 0), CALL_OF(SCATTER, EAGER, 1) },
	.steps = {
		CALL(0, RANK(3)), CALL(0, RANK(1)), CALL(1, RANK(1)),
		LEAVE(1),
		START(0, RANK(0) | RANK(2)),
		SUCCEED("the operation", RANK(0) | RANK(2)),
		START(1, BUT(1)),
		SUCCEED("the next, which it has called", BUT(1)),
		LATER(BUT(1), ESHUTDOWN, 1),
	},
} };

ROW(leave_ends_what_others_have_begun_since) { .row = {
	.when = "before its call, others are inside",
	.call = { CALL_OF(SCATTER, EAGER, 0) },
	.steps = {
		WAIT(0, RANKS(1, 2)),
		LEAVE(3),
		FAIL("all, whether they need it or not", RANKS(1, 2), ESHUTDOWN, 3, "leaver"),
		START(0, RANK(0)),
		FAIL("later callers", RANK(0), ESHUTDOWN, 3, "leaver"),
		LATER(RANKS(0, 2), ESHUTDOWN, 3),
	},
} };

ROW(who_is_paused_learns_of_a_leave) { .row = {
	.when = "another member is paused",
	PAUSED,
	.steps = {
		GIVE_UP(0, RANK(0)),
		LEAVE(3),
		RESUME(0, 0, ESHUTDOWN, 3, "leaver"),
	},
} };

/* Rank 1 leaves while it is paused. */
ROW(uniform_settled_by_a_leave) { .row = {
	.when = "UNIFORM, paused; all have done their parts",
	.call = { { .op = SCATTER_OP_GATHER, .block = EAGER, .flags = SCATTER_COLL_UNIFORM } },
	.steps = {
		INTERRUPT(0, RANK(1)),
		START(0, BUT(1)),
		SUCCEED("the others", BUT(1)),
		LEAVE(1),
		LATER(RANK(2), ESHUTDOWN, 1),
	},
} };

ROW(leave_ends_a_dup) { .row = {
	.when = "DUP",
	.steps = {
		REGROUP_WAIT(DUP, RANKS(0, 2)),
		LEAVE(3),
		REGROUP_FAIL("all, and nothing is made", RANKS(0, 2), ESHUTDOWN, 3, "leaver"),
	},
} };

ROW(across_an_idle_member_leaves_before_it_calls) { .row = {
	.when = "inter-group: idle member, before its call",
	ACROSS,
	.steps = {
		WAIT(0, LEAVES),
		LEAVE(0),
		FAIL("all inside", LEAVES, ESHUTDOWN, 0, "leaver"),
		LATER(ALL & ~RANK(0), ESHUTDOWN, 0),
	},
} };

ROW(across_an_idle_member_leaves_when_it_has_called) { .row = {
	.when = "inter-group: idle member, after its call",
	ACROSS,
	.steps = {
		CALL(0, RANK(0)),
		LEAVE(0),
		START(0, ALL & ~RANK(0)),
		SUCCEED("the rest", ALL & ~RANK(0)),
		LATER(ALL & ~RANK(0), ESHUTDOWN, 0),
	},
} };

/* REVOKE --------------------------------------------------------------------------- */

ROW(revoke_ends_what_is_paused) { .row = {
	.when = "another member is paused: a gather",
	.call = { CALL_OF(GATHER, LARGE, 0) },
	.steps = {
		GIVE_UP(0, RANK(0)), REVOKE(2),
		RESUME(0, 0, ECANCELED, 2, "caller"),
		LATER(EVERYBODY, ECANCELED, 2),
	},
} };

ROW(who_is_paused_learns_of_a_revoke) { .row = {
	.when = "another member is paused",
	PAUSED,
	.steps = {
		GIVE_UP(0, RANK(0)), REVOKE(3),
		RESUME(0, 0, ECANCELED, 3, "caller"),
	},
} };

ROW(revoke_leaves_what_has_completed) { .row = {
	.when = "own part done, others not",
	.call = { CALL_OF(GATHER, EAGER, 0) },
	.steps = {
		CALL(0, EVERYBODY),
		START(0, RANKS(1, 3)),
		SUCCEED("members that have returned", RANKS(1, 3)),
		REVOKE(2),
		START(0, RANK(0)),
		FAIL("the others", RANK(0), ECANCELED, 2, "caller"),
	},
} };

/* Ranks 1 and 2 wait for rank 0 in what needs nothing of the dead. */
ROW(a_revoke_after_a_death_ends_what_waits_for_survivors) { .row = {
	.when = "the group is broken by a death; survivors wait for others",
	.call = { CALL_OF(GATHER, EAGER, 0), CALL_OF(SCATTER, EAGER, 0) },
	.steps = {
		CALL(0, RANKS(1, 2)),
		WAIT(1, RANKS(1, 2)),
		DIE(3),
		START(0, RANK(0)),
		FAIL(NULL, RANK(0), ECONNRESET, 3, NULL),
		REVOKE(0),
		FAIL("what is under way", RANKS(1, 2), ECANCELED, 0, "caller"),
		START(1, RANK(0)),
		FAIL("later callers", RANK(0), ECANCELED, 0, "caller"),
		LATER(RANKS(0, 2), ECONNRESET, 3),
		SHRINK(RANKS(0, 2)),
	},
} };

ROW(revoke_comes_too_late_after_a_death) { .row = {
	.when = "the group is broken by a death",
	.steps = {
		DIE(2), REVOKE(1),
		LATER(RANKS(0, 1), ECONNRESET, 2),
	},
} };

ROW(revoke_comes_too_late_once_a_death_is_known) { .row = {
	.when = "the group is broken by a death, and the caller of REVOKE knows that",
	.steps = {
		DIE(2), LATER(RANK(1), ECONNRESET, 2),
		REVOKE(1),
		LATER(RANKS(0, 1), ECONNRESET, 2),
	},
} };

ROW(revoke_once_is_as_good_as_twice) { .row = {
	.when = "the group is broken by REVOKE",
	.any = RANKS(1, 2),
	.steps = {
		REVOKE(1), REVOKE(1), REVOKE(2),
		LATER(EVERYBODY, ECANCELED, 1),
	},
} };

ROW(uniform_settled_by_a_revoke) { .row = {
	.when = "UNIFORM, all have done their parts, one is paused",
	.call = { { .op = SCATTER_OP_GATHER, .block = EAGER, .flags = SCATTER_COLL_UNIFORM } },
	.steps = {
		INTERRUPT(0, RANK(1)),
		START(0, BUT(1)),
		SUCCEED("the others", BUT(1)),
		REVOKE(1),
		RESUME_WELL(0, 1),
		LATER(RANK(1), ECANCELED, 1),
	},
} };

ROW(revoke_ends_a_split) { .row = {
	.when = "SPLIT",
	.steps = {
		REGROUP_WAIT(SPLIT, RANKS(0, 2)),
		REVOKE(3),
		REGROUP_FAIL("all, and nothing is made", RANKS(0, 2), ECANCELED, 3, "caller"),
	},
} };

ROW(across_an_idle_member_revokes) { .row = {
	.when = "inter-group: by an idle member",
	ACROSS,
	.steps = {
		CALL(0, IDLE),
		WAIT(0, LEAVES),
		REVOKE(2),
		FAIL("all inside", LEAVES, ECANCELED, 2, "caller"),
		START(0, RANK(ROOT)),
		FAIL("root", RANK(ROOT), ECANCELED, 2, "caller"),
		LATER(ALL, ECANCELED, 2),
	},
} };

/* Disagreement --------------------------------------------------------------------- */

ROW(of_two_the_second_differs) { .row = {
	.when = "another operation than the first of two",
	.call = { CALL_OF(SCATTER, EAGER, 0), BARRIER_OF_ALL },
	.any = RANKS(0, 1),
	.steps = {
		WAIT(0, RANK(1)),
		START(1, RANK(0)),
		FAIL("both", RANKS(0, 1), EPROTO, 0, "one that differs"),
		LATER(EVERYBODY, EPROTO, 0),
	},
} };

ROW(of_many_that_differ_all_name_one) { .row = {
	.when = "several differ",
	.call = { CALL_OF(SCATTER, EAGER, 0), CALL_OF(SCATTER, EAGER + 1, 0),
		  CALL_OF(SCATTER, EAGER + 2, 0) },
	.any = RANKS(1, 3),
	.steps = {
		WAIT(0, RANK(1)),
		START(1, RANK(2)),
		FAIL("all", RANK(2), EPROTO, 2, "one that differs"),
		START(2, RANK(3)),
		FAIL(NULL, RANK(3), EPROTO, 2, NULL),
		FAIL(NULL, RANK(1), EPROTO, 2, NULL),
	},
} };

/* A gather's leaf has put its block away and gone on. */
ROW(who_has_returned_learns_at_the_next_call) { .row = {
	.when = "own part done: one has returned",
	.call = { CALL_OF(GATHER, EAGER, 0), CALL_OF(SCATTER, EAGER, 0) },
	.steps = {
		START(0, RANK(1)),
		SUCCEED("the one that has returned", RANK(1)),
		WAIT(0, RANK(0)),
		START(1, RANK(2)),
		FAIL("the others", RANK(0) | RANK(2), EPROTO, 2, "one that differs"),
		LATER(RANK(1), EPROTO, 2),
	},
} };

ROW(a_root_whose_memory_is_wanted_gets_eproto) { .row = {
	.when = "inside: the root, whose memory is being read",
	.call = { CALL_OF(SCATTER, LARGE, 0), CALL_OF(SCATTER, LARGE - 1, 0) },
	.steps = {
		START(0, RANKS(0, 1)),
		SUCCEED("the one that has its block", RANK(1)),
		SLEEP(RANK(0)),
		START(1, RANK(3)),
		FAIL("root, and the one that differs", RANK(0) | RANK(3), EPROTO, 3,
		     "one that differs"),
		START(0, RANKS(1, 2)),
		FAIL("later", RANKS(1, 2), EPROTO, 3, NULL),
	},
} };

/* Rank 1 is three gathers ahead, rank 2 differs in the third. */
ROW(only_what_was_agreed_before_still_completes) { .row = {
	.when = "operations before it",
	.call = { CALL_OF(GATHER, EAGER, 0), BARRIER_OF_ALL },
	.any = RANKS(1, 2),
	.steps = {
		CALL(0, RANK(1)), CALL(0, RANK(1)), CALL(0, RANK(1)),
		WAIT(1, RANK(1)),
		CALL(0, RANK(2)), CALL(0, RANK(2)),
		START(1, RANK(2)),
		FAIL(NULL, RANKS(1, 2), EPROTO, 2, NULL),
		CALL(0, RANK(3)), CALL(0, RANK(3)),
		CALL(0, RANK(0)), START(0, RANK(0)),
		SUCCEED("all", RANK(0)),
		LATER(RANK(0) | RANK(3), EPROTO, 2),
	},
} };

ROW(who_is_paused_learns_of_a_mismatch) { .row = {
	.when = "another member is paused",
	PAUSED,
	.any = RANK(0) | RANK(3),
	.call = { { 0 }, CALL_OF(SCATTER, 1, 2) },
	.steps = {
		GIVE_UP(0, RANK(0)),
		START(1, RANK(3)),
		FAIL("the one that differs", RANK(3), EPROTO, 3, "one that differs"),
		RESUME(0, 0, EPROTO, 3, "one that differs"),
	},
} };

ROW(a_mismatch_is_followed_by_a_shrink) { .row = {
	.when = "SHRINK afterwards: a group of all",
	.call = { BARRIER_OF_ALL, CALL_OF(SCATTER, 1, 2) },
	.steps = {
		WAIT(0, RANKS(0, 2)),
		START(1, RANK(3)),
		FAIL(NULL, EVERYBODY, EPROTO, 3, NULL),
		SHRINK(EVERYBODY),
		START(0, EVERYBODY),
		SUCCEED("operations of the new group", EVERYBODY),
	},
} };

TEST_HARNESS_MAIN
