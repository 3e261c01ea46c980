// SPDX-License-Identifier: GPL-2.0
/*
 * DUP and SPLIT: operations that make new groups of a group's members.
 *
 * The last rank that brings its applicant makes all new groups at once, under the old group's lock.
 * So either all callers get a membership, or none does. A rank that pauses leaves its applicant
 * in the operation, and may get its seat meanwhile. If the paused member dies or leaves, the
 * operation drops the applicant's file. The file takes the applicant along, or the new membership
 * if there is one already.
 *
 * In a group on several nodes the operation is decreed: each member leaves its applicant here, and
 * the council's verdict makes the new groups, see span/split.c.
 */
#include <linux/file.h>
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "call/regroup.h"
#include "group/group.h"
#include "group/seats.h"
#include "operation/await.h"
#include "operation/call.h"
#include "operation/fail.h"
#include "operation/operation.h"

static size_t size(const struct scatter_spec *spec, u32 size)
{
	const struct scatter_seating *seating;

	return struct_size(seating, applicants, 2 * size);
}

static void init(struct scatter_operation *operation, const struct scatter_spec *spec,
		 void *own)
{
	operation->seating = own;
	operation->seating->size = operation->size;
}

/* Drop the rank's applicant, if there is one. */
static void forget(struct scatter_group *group, struct scatter_operation *operation,
		   u32 rank)
{
	struct scatter_seating *seating = operation->seating;
	struct scatter_applicant *applicant = seating->applicants[rank];

	lockdep_assert_held(&group->lock);
	if (!applicant)
		return;
	seating->applicants[rank] = NULL;
	seating->filled--;
	/* If this is the last fput(), the file is released later, without locks. */
	if (applicant->filp)
		fput(applicant->filp);
}

/* Bring the call's applicant, once. True if that was the last: all sit, or the operation failed. */
static bool sit_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_seating *seating = operation->seating;
	struct scatter_applicant **sorted = seating->applicants + seating->size;
	u32 culprit;
	int error;

	lockdep_assert_held(&call->group->lock);
	if (operation->error || seating->applicants[call->rank])
		return false;
	seating->applicants[call->rank] = call->applicant;
	if (call->applicant->filp)
		get_file(call->applicant->filp);
	/* In a group on several nodes the portal never sits. */
	if (++seating->filled < operation->parties)
		return false;
	memcpy(sorted, seating->applicants, seating->size * sizeof(*sorted));
	error = scatter_seats_form_locked(call->group, sorted, seating->size,
					  &culprit);
	seating->made = !error;
	if (error)
		scatter_fail_locked(call->group, operation, error,
				    culprit, true);
	return true;
}

static bool is_made(const struct scatter_call *call, u32 rank)
{
	return call->operation->seating->made;
}

/* New groups count more than any error: other members have got them. */
static int play(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_seating *seating = operation->seating;
	struct scatter_group *group = call->group;
	bool last;
	int error;

	spin_lock(&group->lock);
	last = sit_locked(call);
	error = scatter_operation_is_decreed(operation) ? 0 :
		scatter_await_locked(call, is_made, call->rank, call->rank);
	if (seating->made)
		error = 0;
	spin_unlock(&group->lock);
	if (last)
		scatter_operation_wake(operation);
	return error;
}

static bool owes(const struct scatter_operation *operation, u32 rank)
{
	lockdep_assert_held(&operation->group->lock);
	return !operation->seating->made;
}

const struct scatter_kind scatter_regroup_kind = {
	.size = size,
	.init = init,
	.lends = true,
	.play = play,
	.owes = owes,
	.forget = forget,
};
