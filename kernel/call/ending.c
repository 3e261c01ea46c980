// SPDX-License-Identifier: GPL-2.0
/*
 * How an operation ends for all: DEADLINE_ALL and UNIFORM.
 *
 * Both flags add something to what a rank does in its operation, see struct scatter_kind.
 *
 * DEADLINE_ALL: a call whose wait ends with ETIMEDOUT fails the operation, for the ranks that still
 * need something and for the ranks that have not called. Then the call plays its rank's role once
 * more, since whatever has come meanwhile counts. No call waits in a failed operation, so the
 * second play is the last one.
 *
 * UNIFORM: a rank that has played its role successfully has fulfilled its part, and waits until all
 * ranks have. The last rank ends the operation successfully: from then on scatter_fail_locked()
 * does nothing. Before that, scatter_fail_locked() makes every failure a failure of all ranks.
 *
 * In a group on several nodes a UNIFORM operation is decreed: the council decides, see
 * span/ballot.c. A member that has played its role, or has failed, tells its node so and waits for
 * the verdict. A call that pauses meanwhile goes on waiting when it resumes. The council also ends
 * the operation if a deadline passes. Then the call whose deadline has passed plays its role a
 * little longer: until there is a verdict, or %SCATTER_ENDING_GRACE_NS are over.
 */
#include <linux/bitmap.h>
#include <linux/lockdep.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "call/ending.h"
#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/wait.h"
#include "operation/await.h"
#include "operation/call.h"
#include "operation/fail.h"
#include "operation/operation.h"
#include "span/span.h"

/* How long other nodes may take to end the operation after a deadline, before the call pauses. */
#define SCATTER_ENDING_GRACE_NS	(100 * NSEC_PER_MSEC)

/* A signal ends the call's wait: the other calls watch this call's deadline from now on. */
static void bequeath_deadline(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	u64 deadline_ns;
	bool earlier;

	if (!call->deadline_ns)
		return;
	spin_lock(&call->group->lock);
	deadline_ns = scatter_call_deadline_locked(call);
	earlier = operation->deadline_ns != deadline_ns;
	operation->deadline_ns = deadline_ns;
	spin_unlock(&call->group->lock);
	if (earlier)
		scatter_operation_wake(operation);
}

/*
 * A rank on another node that the call waits for, if all members here that it waits for have
 * called; %SCATTER_NO_RANK: a rank whose node has not contributed to the verdict.
 */
static u32 stranger(const struct scatter_call *call)
{
	const struct scatter_spec *spec = &call->operation->spec;

	if (!READ_ONCE(call->part->fulfilled) && scatter_op_scatters(spec->op) && !spec->idle &&
	    !scatter_group_member(call->group, spec->root))
		return spec->root;
	return SCATTER_NO_RANK;
}

/*
 * If every rank that others wait for has called, find a rank that holds the operation up. The best
 * answer is a rank that is inside its call or paused, and does not wait itself. The next best is a
 * rank that was woken and has not run since. Else the answer is the caller's rank. Without the lock
 * the answer may be a moment old, and is as good as any.
 */
static u32 laggard(const struct scatter_call *call)
{
	const struct scatter_operation *operation = call->operation;
	u32 other = call->rank;
	bool waiting = true;
	u32 rank;

	for (rank = operation->size; rank-- > 0;) {
		const struct scatter_part *part = scatter_operation_part(operation, rank);
		bool waits = READ_ONCE(part->waiting);

		if (rank == call->rank || !READ_ONCE(part->posted) ||
		    READ_ONCE(part->fulfilled) ||
		    READ_ONCE(part->state) >= SCATTER_PART_DEAD)
			continue;
		if (waits && !waiting)
			continue;
		other = rank;
		waiting = waits;
	}
	return other;
}

/*
 * The first rank for which the deadline has come too early. Nobody waits for an idle rank of an
 * inter-group, unless the operation is uniform.
 */
static u32 latecomer_locked(const struct scatter_call *call)
{
	const struct scatter_operation *operation = call->operation;
	u32 rank;

	lockdep_assert_held(&call->group->lock);
	for_each_set_bit(rank, operation->late, operation->size)
		if (scatter_operation_is_uniform(operation) ||
		    scatter_spec_involves(&operation->spec, rank))
			return rank;
	return SCATTER_NO_RANK;
}

/* The deadline has passed: fail the operation, unless it has failed or succeeded before. */
static void expire(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	bool spans = call->group->spans;
	u32 last = spans ? stranger(call) : laggard(call), culprit;

	spin_lock(&call->group->lock);
	if (operation->error || operation->fulfilled == operation->parties) {
		spin_unlock(&call->group->lock);
		return;
	}
	culprit = latecomer_locked(call);
	if (culprit == SCATTER_NO_RANK)
		culprit = last;
	if (spans) {
		scatter_fail_plead_locked(call->group, operation, -ETIME, culprit);
		operation->deadline_ns = 0;
		call->deadline_ns = scatter_wait_deadline(SCATTER_ENDING_GRACE_NS, true);
	} else {
		scatter_fail_locked(call->group, operation, -ETIME, culprit, false);
	}
	spin_unlock(&call->group->lock);
	if (spans)
		scatter_span_settle_one(call->group, operation->number);
	else
		scatter_operation_wake(operation);
}

static bool is_fulfilled(const struct scatter_call *call, u32 rank)
{
	return call->operation->fulfilled == call->operation->parties;
}

/* The call's part is done: note that once, and wait for the other parts. */
static int fulfil(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	bool last = false;
	int error;

	spin_lock(&call->group->lock);
	if (!call->part->fulfilled && !operation->error) {
		call->part->fulfilled = true;
		last = ++operation->fulfilled == operation->parties;
	}
	error = scatter_await_locked(call, is_fulfilled, call->rank,
				     call->rank);
	spin_unlock(&call->group->lock);
	if (last)
		scatter_operation_wake(operation);
	return error;
}

/* This part or another one has failed: all ranks get one errno, except the rank at fault. */
static int fail(struct scatter_call *call, int error)
{
	struct scatter_operation *operation = call->operation;
	u32 culprit = call->rank;

	spin_lock(&call->group->lock);
	if (operation->error)
		goto blame;
	if (error == -EREMOTEIO)
		culprit = call->culprit;
	scatter_fail_locked(call->group, operation, -EREMOTEIO,
			    culprit, true);
	if (error != -EREMOTEIO)
		goto unlock;
blame:
	error = scatter_await_blame_locked(call);
	/* Another rank noticed this rank's failure first. */
	if (error == -EREMOTEIO && operation->culprit == call->rank) {
		error = -EFAULT;
		call->culprit = SCATTER_RANK_ANY;
	}
unlock:
	spin_unlock(&call->group->lock);
	return error;
}

/* The rank has played: this node contributes a failure at once, success once all here are done. */
static void bring(struct scatter_call *call, int error)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_member *member = call->member;
	struct scatter_group *group = call->group;

	spin_lock(&group->lock);
	if (operation->settled)
		goto unlock;
	if (error && !member->failure) {
		member->failure = error;
		member->blamed = call->culprit;
		scatter_fail_locked(group, operation, -EREMOTEIO,
				    error == -EREMOTEIO ? call->culprit : call->rank, true);
	} else if (!error && !call->part->fulfilled) {
		call->part->fulfilled = true;
		/* All parties but the portal have fulfilled their parts. */
		if (++operation->fulfilled + 1 == operation->parties)
			group->portal->convenes = true;
	}
unlock:
	spin_unlock(&group->lock);
	scatter_span_settle_one(group, operation->number);
}

/* The verdict is the same for all members, except for the member at fault. */
static int await_verdict(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_member *member = call->member;
	int error;

	spin_lock(&call->group->lock);
	error = scatter_await_locked(call, is_fulfilled, call->rank, call->rank);
	if (error == -EREMOTEIO && operation->culprit == call->rank) {
		error = -EFAULT;
		call->culprit = SCATTER_RANK_ANY;
		/* Other ranks may have noticed the failure first. */
		if (member->failure && member->failure != -EREMOTEIO) {
			error = member->failure;
			call->culprit = member->blamed;
		}
	}
	spin_unlock(&call->group->lock);
	return error;
}

static int play_decreed(struct scatter_call *call)
{
	int error = call->member->failure;

	if (!call->part->fulfilled && !call->idle && !error)
		error = call->kind->play(call);
	if (error == -EINTR || error == -ETIMEDOUT || error == -EIO)
		return error;
	bring(call, error);
	return await_verdict(call);
}

static int play(struct scatter_call *call)
{
	bool uniform = scatter_operation_is_uniform(call->operation);
	int error = 0;

	if (scatter_operation_is_decreed(call->operation))
		return play_decreed(call);
	/* An idle rank does nothing, and may not know the root. */
	if (!call->part->fulfilled && !call->idle)
		error = call->kind->play(call);
	if (uniform && !error)
		error = fulfil(call);
	if (uniform && error && error != -EINTR && error != -ETIMEDOUT)
		error = fail(call, error);
	return error;
}

/**
 * scatter_ending_play() - play the rank's role, and end as all members have agreed
 * @call: a call that has entered or resumed its operation
 *
 * Context: may sleep and fault; no locks.
 * Return: 0; -EINTR or -ETIMEDOUT (the call may play again later); or another -errno.
 */
int scatter_ending_play(struct scatter_call *call)
{
	int error = play(call);

	if (!scatter_operation_ends_together(call->operation))
		return error;
	if (error == -ETIMEDOUT) {
		expire(call);
		error = play(call);
	}
	if (error == -EINTR)
		bequeath_deadline(call);
	return error;
}
