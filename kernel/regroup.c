// SPDX-License-Identifier: GPL-2.0
/*
 * REGROUP: new groups of a group's members.
 *
 * Each caller brings all that may fail: a file, a member without a seat, and room for a
 * group. When the last one has come, it makes the new groups of that at once, under the old
 * group's lock, of which those use the room that their first member brought. So either
 * all callers get a membership or none does. DUP and SPLIT are operations of the old group,
 * which may be paused; their seats are withdrawn then. SHRINK is a meeting, see there.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/scatter.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "coll.h"
#include "file.h"
#include "group.h"
#include "inter.h"
#include "meeting.h"
#include "member.h"
#include "operation.h"
#include "regroup.h"
#include "trace.h"

/**
 * scatter_seating_alloc() - make room for the seats of an operation
 * @size: the group's size
 *
 * Context: may sleep.
 * Return: it, for kvfree(); NULL if there is no memory.
 */
struct scatter_seating *scatter_seating_alloc(u32 size)
{
	struct scatter_seating *seating;

	return kvzalloc(struct_size(seating, seats, size), GFP_KERNEL_ACCOUNT);
}

static int compare(const void *a, const void *b)
{
	const struct scatter_seat *one = *(struct scatter_seat *const *)a;
	const struct scatter_seat *other = *(struct scatter_seat *const *)b;

	if (one->color != other->color)
		return one->color < other->color ? -1 : 1;
	if (one->side != other->side)
		return one->side < other->side ? -1 : 1;
	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return one->rank < other->rank ? -1 : 1;
}

/* How many seats have the color of the first. */
static u32 same_color(struct scatter_seat **seats, u32 count)
{
	u32 n = 1;

	while (n < count && seats[n]->color == seats[0]->color)
		n++;
	return n;
}

static void seat_all(struct scatter_group *old, struct scatter_seat **seats,
		     u32 count)
{
	struct scatter_group *group = seats[0]->group;
	u32 sides[2] = { 0, 0 };
	u32 rank;

	seats[0]->group = NULL;
	for (rank = 0; rank < count; rank++) {
		struct scatter_member *member = seats[rank]->member;

		sides[seats[rank]->side]++;
		if (rank)
			scatter_group_get(group);
		member->group = group;
		member->rank = rank;
		group->members[rank] = member;
	}
	/* Where all are of one side there are none. */
	if (!sides[0] || !sides[1])
		memset(sides, 0, sizeof(sides));
	scatter_group_derive(group, old, count, sides);
	for (rank = 0; rank < count; rank++)
		trace_scatter_join(seats[rank]->member);
}

/**
 * scatter_seats_form_locked() - make new groups, one for each color
 * @old: the old group
 * @seats: (in, out) of the members that have come; sorted afterwards
 * @count: how many
 * @culprit: (out) on failure the rank in the old group whose user may have no more
 *
 * Context: the old group's lock is held.
 * Return: 0 or -ENOSPC: nothing is made.
 */
int scatter_seats_form_locked(struct scatter_group *old,
			      struct scatter_seat **seats, u32 count,
			      u32 *culprit)
{
	u32 none = 0;
	u32 i;

	lockdep_assert_held(&old->lock);
	sort(seats, count, sizeof(*seats), compare, NULL);
	while (none < count && !seats[none]->group)
		none++;
	for (i = none; i < count; i += same_color(seats + i, count - i)) {
		/* What has been charged for in vain goes with the seat. */
		if (scatter_group_charge(seats[i]->group, seats[i]->member->user)) {
			*culprit = seats[i]->rank;
			return -ENOSPC;
		}
	}
	while (none < count) {
		u32 n = same_color(seats + none, count - none);

		seat_all(old, seats + none, n);
		none += n;
	}
	return 0;
}

/* Take a seat, if that is of use; who is the last lets all sit down. */
static void sit_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_seating *seating = operation->seating;
	u32 culprit;
	int error;

	lockdep_assert_held(&call->group->lock);
	if (seating->over || operation->error)
		return;
	seating->seats[call->rank] = call->seat;
	if (++seating->filled < operation->size)
		return;
	error = scatter_seats_form_locked(call->group, seating->seats,
					  operation->size, &culprit);
	seating->over = true;
	seating->made = !error;
	if (error)
		scatter_operation_fail_locked(call->group, operation, error,
					      culprit, true);
	scatter_group_wake(call->group);
}

static bool is_made(const struct scatter_call *call, u32 rank)
{
	return call->operation->seating->made;
}

/**
 * scatter_regroup_play() - do what a rank has to do in a DUP or SPLIT
 * @call: a call that has entered or resumed it
 *
 * What has been made counts more than any error: others have got it.
 *
 * Context: may sleep; no locks.
 * Return: as of scatter_role_play().
 */
int scatter_regroup_play(struct scatter_call *call)
{
	struct scatter_seating *seating = call->operation->seating;
	struct scatter_group *group = call->group;
	int error;

	spin_lock(&group->lock);
	sit_locked(call);
	error = scatter_coll_await_locked(call, is_made, call->rank, call->rank);
	if (seating->made) {
		error = 0;
	} else if (!seating->over && seating->seats[call->rank]) {
		seating->seats[call->rank] = NULL;
		seating->filled--;
	}
	spin_unlock(&group->lock);
	return error;
}

static void unprepare(struct scatter_seat *seat)
{
	if (seat->group)
		scatter_group_put(seat->group);
	if (seat->member && !seat->member->group)
		scatter_member_discard(seat->member);
}

/* Get all that the new membership needs. The file is dropped with its descriptor. */
static int prepare(struct scatter_seat *seat, const struct scatter_member *old,
		   struct scatter_descriptor *made)
{
	struct scatter_member *member;
	struct scatter_file *file;

	seat->group = scatter_group_alloc(old->group->size);
	if (!seat->group)
		return -ENOMEM;
	file = scatter_file_open(made, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	seat->file = file;
	member = scatter_member_create(old->ring.size, &file->poll);
	if (IS_ERR(member))
		return PTR_ERR(member);
	seat->member = member;
	return 0;
}

static int run_operation(struct scatter_member *member,
			 struct scatter_regroup *regroup,
			 struct scatter_seat *seat)
{
	/* Color and key have to be the same when it resumes, as buffers have. */
	struct scatter_call call = {
		.member = member,
		.group = member->group,
		.rank = member->rank,
		.ready = SCATTER_NO_RANK,
		.send = { .base = (u32)regroup->color },
		.recv = { .base = (u32)regroup->key },
		.deadline_ns = regroup->deadline_ns,
		.culprit = SCATTER_RANK_ANY,
		.seat = seat,
	};
	const struct scatter_spec spec = {
		.op = regroup->op,
		.blocks = member->group->size,
		.ranks = member->group->size,
	};
	int error;

	regroup->number = READ_ONCE(member->next);
	error = scatter_coll_perform(&call, &spec);
	if (error)
		regroup->culprit = call.culprit;
	return error;
}

static int run_meeting(struct scatter_member *member,
		       struct scatter_regroup *regroup,
		       struct scatter_seat *seat)
{
	struct scatter_verdict verdict;
	int error;

	error = scatter_meeting_run(member, regroup->op, seat,
				    regroup->deadline_ns, &verdict);
	regroup->culprit = verdict.culprit;
	return error;
}

/**
 * scatter_regroup_check() - whether a REGROUP asks for what there is
 * @regroup: what the user asked for
 *
 * Context: any.
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int scatter_regroup_check(const struct scatter_regroup *regroup)
{
	if (regroup->op != SCATTER_OP_DUP && regroup->op != SCATTER_OP_SPLIT &&
	    regroup->op != SCATTER_OP_SHRINK)
		return -EOPNOTSUPP;
	if (regroup->color < SCATTER_COLOR_NONE ||
	    regroup->deadline_ns > KTIME_MAX)
		return -EINVAL;
	if (regroup->op != SCATTER_OP_SPLIT && (regroup->color || regroup->key))
		return -EINVAL;
	return 0;
}

/* What the new membership is. */
static void tell(struct scatter_regroup *regroup,
		 const struct scatter_member *member)
{
	const struct scatter_group *group = member->group;
	u32 side = scatter_inter_side(group, member->rank);

	regroup->rank = scatter_inter_rank(group, member->rank);
	regroup->members = group->size;
	regroup->remote = group->sides[!side];
}

/**
 * scatter_regroup_run() - run one REGROUP for a member
 * @member: the current task's; no other task is inside a call of it
 * @regroup: (in, out) checked
 * @made: (out) the new membership's file, if there is one
 *
 * Context: may sleep; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
int scatter_regroup_run(struct scatter_member *member,
			struct scatter_regroup *regroup,
			struct scatter_descriptor *made)
{
	struct scatter_seat seat = {
		.rank = member->rank,
		.side = scatter_inter_side(member->group, member->rank),
		.color = regroup->color,
		.key = regroup->key,
	};
	int error = 0;

	regroup->fd = -1;
	regroup->rank = -1;
	regroup->members = 0;
	regroup->remote = 0;
	regroup->culprit = SCATTER_RANK_ANY;
	regroup->number = 0;
	if (regroup->color != SCATTER_COLOR_NONE)
		error = prepare(&seat, member, made);
	if (!error && regroup->op == SCATTER_OP_SHRINK)
		error = run_meeting(member, regroup, &seat);
	else if (!error)
		error = run_operation(member, regroup, &seat);
	if (!error && seat.member) {
		tell(regroup, seat.member);
		regroup->fd = made->fd;
		scatter_file_set_member(seat.file, seat.member);
	}
	unprepare(&seat);
	return error;
}
