/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of Documentation/failures.rst: what happens in which state of a call, and what each
 * member sees of it. A row is a list of steps that a new crew takes; the page has what the
 * steps expect.
 */
#ifndef _KSELFTEST_OUTCOMES_H
#define _KSELFTEST_OUTCOMES_H

#include "crew.h"

#define OUTCOME_SIZE	4U
#define OUTCOME_CALLS	3
#define OUTCOME_STEPS	15

struct scene;
struct step;

typedef bool act_fn(struct scene *scene, const struct step *step);

/*
 * @act: what @ranks do, or what is expected of them; NULL ends a row
 * @call: which of the row's calls; of a REGROUP the operation
 * @who: what the page calls @ranks; NULL if it is silent about this step
 * @as: what the page calls @culprit
 * @apart: the step is for members on several nodes, and replaces the step before it there; members
 *	on one node do not take the step
 */
struct step {
	act_fn *act;
	__u64 ranks;
	unsigned int call;
	int error;
	int culprit;
	const char *who;
	const char *as;
	bool apart;
};

/*
 * @when: the event and the state of the call, as the page has them
 * @each: if not NULL, the first call is each of these in turn, a new crew for each
 * @near: not 0: ranks from this one on are the other side of an inter-group
 * @any: on several nodes members may name any of these in place of the culprit
 */
struct outcome {
	const char *when;
	const struct call *each;
	unsigned int calls;
	unsigned int near;
	__u64 any;
	struct call call[OUTCOME_CALLS];
	struct step steps[OUTCOME_STEPS];
};

act_fn act_start, act_sleep, act_wait, act_call, act_interrupt, act_give_up, act_resume;
act_fn act_regroup_start, act_regroup_wait, act_regroup_give_up, act_regroup_see;
act_fn act_die, act_close, act_leave, act_revoke, act_shrink, act_hear;
act_fn act_see, act_know_soon, act_see_later;

/* Members call: and that is all, and they come to sleep in it, and they return with 0. */
#define START(which, members)	{ .act = act_start, .call = (which), .ranks = (members) }
#define WAIT(which, members)	{ .act = act_wait, .call = (which), .ranks = (members) }
#define CALL(which, members)	{ .act = act_call, .call = (which), .ranks = (members) }
/* Members that have called sleep. */
#define SLEEP(members)		{ .act = act_sleep, .ranks = (members) }
/* Members call, and a signal or their deadline pauses them. */
#define INTERRUPT(which, members) \
	{ .act = act_interrupt, .call = (which), .ranks = (members) }
#define GIVE_UP(which, members)	{ .act = act_give_up, .call = (which), .ranks = (members) }

/* The same of REGROUP. */
#define REGROUP(op, members) \
	{ .act = act_regroup_start, .call = SCATTER_OP_##op, .ranks = (members) }
#define REGROUP_WAIT(op, members) \
	{ .act = act_regroup_wait, .call = SCATTER_OP_##op, .ranks = (members) }
#define REGROUP_GIVE_UP(op, members) \
	{ .act = act_regroup_give_up, .call = SCATTER_OP_##op, .ranks = (members) }
#define REGROUP_FAIL(name, members, errno_, rank, title) \
	{ .act = act_regroup_see, .who = (name), .ranks = (members), .error = (errno_), \
	  .culprit = (rank), .as = (title) }

#define DIE(rank)		{ .act = act_die, .ranks = RANK(rank) }
#define CLOSE(rank)		{ .act = act_close, .ranks = RANK(rank) }
#define LEAVE(rank)		{ .act = act_leave, .ranks = RANK(rank) }
#define REVOKE(rank)		{ .act = act_revoke, .ranks = RANK(rank) }
#define SHRINK(members)		{ .act = act_shrink, .ranks = (members) }
/* Members are told by STATUS that the group is broken: at once, or on several nodes soon. */
#define HEAR(members)		{ .act = act_hear, .ranks = (members) }

/* What the calls of members end with; the same of a paused one that resumes. */
#define FAIL(name, members, errno_, rank, title) \
	{ .act = act_see, .who = (name), .ranks = (members), .error = (errno_), \
	  .culprit = (rank), .as = (title) }
/* The same, on several nodes only, where this step replaces the step before it. */
#define FAIL_APART(name, members, errno_, rank, title) \
	{ .act = act_see, .who = (name), .ranks = (members), .error = (errno_), \
	  .culprit = (rank), .as = (title), .apart = true }
#define SUCCEED(name, members)	{ .act = act_see, .who = (name), .ranks = (members) }
#define RESUME(which, member, errno_, rank, title) \
	{ .act = act_resume, .who = "when it resumes", .call = (which), .ranks = RANK(member), \
	  .error = (errno_), .culprit = (rank), .as = (title) }
#define RESUME_WELL(which, member) \
	{ .act = act_resume, .who = "when it resumes", .call = (which), .ranks = RANK(member), \
	  .culprit = SCATTER_RANK_ANY }
/* The calls of members have ended soon after the last death. */
#define KNOW_SOON(members)	{ .act = act_know_soon, .ranks = (members) }
/* What each later operation of members ends with, as STATUS and poll() tell, too. */
#define LATER(members, errno_, rank) \
	{ .act = act_see_later, .who = "later", .ranks = (members), .error = (errno_), \
	  .culprit = (rank) }

bool outcome_holds(const struct outcome *outcome);
void outcome_print(const char *name, const struct outcome *outcome);

#endif /* _KSELFTEST_OUTCOMES_H */
