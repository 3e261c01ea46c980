// SPDX-License-Identifier: GPL-2.0
/*
 * Barriers: no member returns before all members have called.
 */
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include "call/barrier.h"
#include "group/group.h"
#include "operation/await.h"
#include "operation/call.h"
#include "operation/operation.h"

static bool is_complete(const struct scatter_call *call, u32 rank)
{
	return call->operation->posted == call->operation->parties;
}

static int play(struct scatter_call *call)
{
	int error;

	/* All members wait for the verdict, which waits for all calls. */
	if (scatter_operation_is_decreed(call->operation))
		return 0;
	spin_lock(&call->group->lock);
	error = scatter_await_locked(call, is_complete, call->rank, call->rank);
	spin_unlock(&call->group->lock);
	/* Sleeping members found the barrier incomplete, so their parts are marked as waiting. */
	if (call->last)
		scatter_operation_wake(call->operation);
	return error;
}

/* All members wait for a rank that has not called. */
static bool owes(const struct scatter_operation *operation, u32 rank)
{
	lockdep_assert_held(&operation->group->lock);
	return !scatter_operation_part(operation, rank)->posted;
}

const struct scatter_kind scatter_barrier_kind = {
	.play = play,
	.owes = owes,
};
