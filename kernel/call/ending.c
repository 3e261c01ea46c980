// SPDX-License-Identifier: GPL-2.0
/*
 * How an operation ends for all: DEADLINE_ALL and UNIFORM.
 *
 * Both are wrapped around what a rank does in its operation, see struct scatter_kind.
 *
 * DEADLINE_ALL: whose wait ends with ETIMEDOUT fails the operation, for those who need
 * something yet and those who have not called, and plays its role once more: what has come
 * meanwhile counts. A failed operation is not waited in, so that is the last time.
 *
 * UNIFORM: who has played its role successfully has fulfilled its part, and waits until
 * all have. The last one ends the operation successfully: from then on
 * scatter_fail_locked() does nothing. Before that it makes every failure one of all.
 *
 * In a group on several nodes a UNIFORM operation is decreed: the council decides, see
 * span/ballot.c. A member that has played its role, or has failed, tells its node so and waits for
 * the verdict. A call that is paused meanwhile goes on waiting when it resumes. The council also
 * ends what a deadline has ended, and the call that the deadline has passed for plays its role a
 * little longer, until there is a verdict or %SCATTER_ENDING_GRACE_NS are over.
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

/* How long other nodes may take to end what a deadline has ended, before the call is paused. */
#define SCATTER_ENDING_GRACE_NS	(100 * NSEC_PER_MSEC)

/* A signal ends a wait: the others watch the deadline for this call. */
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
 * A rank on another node that the call waits for, if all members here have called that are waited
 * for; %SCATTER_NO_RANK: one whose node has not contributed to the verdict.
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
 * If all who are waited for have called, one that others wait for: inside or paused, and
 * not waiting itself; or one that has been woken and has not come to run since; or who asks.
 * Without the lock it is one of a moment ago, as good as any.
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
 * The first of those that the deadline has come too early for. Who is idle in an inter-group is
 * waited for only if all are.
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

/* The deadline has passed. What failed before stays as it is. */
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

/* The own part is done: note that, once, and wait for the others'. */
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

/* The own part has failed, or somebody else's: one errno for all but who caused it. */
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
	/* Somebody has noticed it first. */
	if (error == -EREMOTEIO && operation->culprit == call->rank) {
		error = -EFAULT;
		call->culprit = SCATTER_RANK_ANY;
	}
unlock:
	spin_unlock(&call->group->lock);
	return error;
}

/* The own part is over: the node contributes that when all members here are as far, or at once. */
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
		/* The last one but the portal. */
		if (++operation->fulfilled + 1 == operation->parties)
			group->portal->convenes = true;
	}
unlock:
	spin_unlock(&group->lock);
	scatter_span_settle_one(group, operation->number);
}

/* The verdict is the same for all but the member that has caused an error. */
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
		/* Others may have noticed it first. */
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
	/* Who is idle does nothing, and may not know the root. */
	if (!call->part->fulfilled && !call->idle)
		error = call->kind->play(call);
	if (uniform && !error)
		error = fulfil(call);
	if (uniform && error && error != -EINTR && error != -ETIMEDOUT)
		error = fail(call, error);
	return error;
}

/**
 * scatter_ending_play() - do what the rank has to do, and end as all have agreed
 * @call: a call that has entered or resumed its operation
 *
 * Context: may sleep and fault; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT (may be played again later) or another -errno.
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
