// SPDX-License-Identifier: GPL-2.0
/*
 * REGROUP: new groups of a group's members.
 *
 * Each caller brings all that may fail: a file, a member without a seat, and room for a
 * group. When the last one has come, it makes the new groups of that at once, under the old
 * group's lock, of which those use the room that their first member brought. So either
 * all callers get a membership or none does.
 *
 * DUP and SPLIT are operations of the old group. Who pauses one keeps the seat, so that
 * it may be made meanwhile; who dies then, or leaves, drops the file, and with it the
 * seat, or the membership if there is one already. SHRINK is a meeting, see there.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
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
#include "memory.h"
#include "operation.h"
#include "params.h"
#include "plan.h"
#include "regroup.h"
#include "trace.h"
#include "user.h"
#include "wait.h"

/* The seat of all who take part in no new group. */
static struct scatter_seat nobody = { .color = SCATTER_COLOR_NONE };

/**
 * scatter_seating_alloc() - make room for the seats of an operation
 * @user: who is charged
 * @size: the group's size
 * @flags: as of scatter_memory_alloc()
 *
 * Context: may sleep.
 * Return: it, for scatter_memory_free(), or an ERR_PTR: -EDQUOT, -ENOMEM.
 */
struct scatter_seating *scatter_seating_alloc(struct scatter_user *user,
					      u32 size, u32 flags)
{
	struct scatter_seating *seating;

	seating = scatter_memory_alloc(user, struct_size(seating, seats, 2 * size),
				       flags);
	if (!IS_ERR(seating))
		seating->size = size;
	return seating;
}

/**
 * scatter_seating_forget_locked() - a rank has no seat any more
 * @seating: of a live operation
 * @rank: the rank; it need not have one
 *
 * Context: the group's lock is held.
 */
void scatter_seating_forget_locked(struct scatter_seating *seating, u32 rank)
{
	struct scatter_seat *seat = seating->seats[rank];

	if (!seat)
		return;
	seating->seats[rank] = NULL;
	seating->filled--;
	/* Whoever drops the last reference: it is freed later, without locks. */
	if (seat->filp)
		fput(seat->filp);
}

/**
 * scatter_seat_free() - the file of a seat is gone, or knows its member
 * @seat: nobody else knows it
 *
 * Context: may sleep; no locks.
 */
void scatter_seat_free(struct scatter_seat *seat)
{
	if (seat->group)
		scatter_group_put(seat->group);
	if (seat->member && !seat->member->group)
		scatter_member_discard(seat->member);
	kfree(seat);
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

/*
 * Members whose call is paused may die right now: their death waits for the lock, or
 * has found no group, and the file is dropped.
 */
static void seat_all(struct scatter_group *old, struct scatter_seat **seats,
		     u32 count)
{
	struct scatter_group *group = seats[0]->group;
	u32 sides[2] = { 0, 0 };
	u32 rank;

	seats[0]->group = NULL;
	spin_lock_nested(&group->lock, SINGLE_DEPTH_NESTING);
	for (rank = 0; rank < count; rank++) {
		struct scatter_member *member = seats[rank]->member;

		sides[seats[rank]->side]++;
		if (rank)
			scatter_group_get(group);
		member->rank = rank;
		group->members[rank] = member;
		WRITE_ONCE(member->group, group);
		/* Nobody has a descriptor yet, so nobody locks the file. */
		seats[rank]->file->member = member;
	}
	/* Where all are of one side there are none. */
	if (!sides[0] || !sides[1])
		memset(sides, 0, sizeof(sides));
	scatter_group_derive_locked(group, old, count, sides);
	for (rank = 0; rank < count; rank++)
		trace_scatter_join(seats[rank]->member);
	spin_unlock(&group->lock);
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
	while (none < count && seats[none]->color == SCATTER_COLOR_NONE)
		none++;
	for (i = none; i < count; i += same_color(seats + i, count - i)) {
		/* What has been charged for in vain goes with the seat. */
		if (scatter_group_charge(seats[i]->group, seats[i]->member->user,
					 seats[i]->unlimited)) {
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

/* Take a seat, unless it has been; whether that was the last and all sit down. */
static bool sit_locked(struct scatter_call *call)
{
	struct scatter_operation *operation = call->operation;
	struct scatter_seating *seating = operation->seating;
	struct scatter_seat **sorted = seating->seats + seating->size;
	u32 culprit;
	int error;

	lockdep_assert_held(&call->group->lock);
	if (operation->error || seating->seats[call->rank])
		return false;
	seating->seats[call->rank] = call->seat;
	if (call->seat->filp)
		get_file(call->seat->filp);
	if (++seating->filled < seating->size)
		return false;
	memcpy(sorted, seating->seats, seating->size * sizeof(*sorted));
	error = scatter_seats_form_locked(call->group, sorted, seating->size,
					  &culprit);
	seating->over = true;
	seating->made = !error;
	if (error)
		scatter_operation_fail_locked(call->group, operation, error,
					      culprit, true);
	return true;
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
	struct scatter_operation *operation = call->operation;
	struct scatter_seating *seating = operation->seating;
	struct scatter_group *group = call->group;
	bool last;
	int error;

	spin_lock(&group->lock);
	last = sit_locked(call);
	error = scatter_coll_await_locked(call, is_made, call->rank, call->rank);
	if (seating->made) {
		scatter_seating_forget_locked(seating, call->rank);
		error = 0;
	}
	spin_unlock(&group->lock);
	if (last)
		scatter_operation_wake(group, operation);
	return error;
}

/*
 * The seat of a call that resumes, and a descriptor for its file; NULL if there is none. The
 * file keeps the seat, whoever ends the membership now.
 */
static struct scatter_seat *paused_seat(const struct scatter_member *member,
					struct scatter_descriptor *made)
{
	struct scatter_group *group = member->group;
	const struct scatter_operation *operation;
	struct scatter_seat *seat = NULL;
	struct file *filp = NULL;
	int error;

	spin_lock(&group->lock);
	operation = member->current_operation;
	if (operation && operation->seating)
		seat = operation->seating->seats[member->rank];
	if (seat && seat->filp)
		filp = get_file(seat->filp);
	spin_unlock(&group->lock);
	if (!filp)
		return NULL;
	error = scatter_descriptor_reserve(made, filp);
	fput(filp);
	return error ? ERR_PTR(error) : seat;
}

/* Of new groups, if their size can have it: what nobody names is that of the old one. */
static struct scatter_schedule wanted(const struct scatter_group *old,
				      const struct scatter_regroup *regroup)
{
	return regroup->schedule.algorithm ? scatter_plan_asked(&regroup->schedule) :
					     old->schedule;
}

/* Get all that the new membership needs; it goes with the file. */
static struct scatter_seat *prepare(const struct scatter_member *old,
				    const struct scatter_regroup *regroup,
				    struct scatter_descriptor *made)
{
	struct scatter_member *member;
	struct scatter_seat *seat;
	struct scatter_file *file;

	file = scatter_file_open(made, 0);
	if (IS_ERR(file))
		return ERR_CAST(file);
	seat = kzalloc(sizeof(*seat), GFP_KERNEL_ACCOUNT);
	if (!seat)
		return ERR_PTR(-ENOMEM);
	file->seat = seat;
	seat->rank = old->rank;
	seat->side = scatter_inter_side(old->group, old->rank);
	seat->color = regroup->color;
	seat->key = regroup->key;
	seat->unlimited = scatter_user_unlimited();
	seat->filp = made->file;
	seat->file = file;
	seat->group = scatter_group_alloc(old->group->size);
	if (!seat->group)
		return ERR_PTR(-ENOMEM);
	seat->schedule = wanted(old->group, regroup);
	seat->group->schedule = seat->schedule;
	member = scatter_member_create(regroup->ring_bytes ?: old->ring.size,
				       &file->poll, old);
	if (IS_ERR(member))
		return ERR_CAST(member);
	seat->member = member;
	return seat;
}

static struct scatter_seat *get_seat(const struct scatter_member *member,
				     const struct scatter_regroup *regroup,
				     struct scatter_descriptor *made)
{
	struct scatter_seat *seat = NULL;

	/* Other ones than the paused call's are refused later. */
	if (regroup->color == SCATTER_COLOR_NONE)
		return &nobody;
	if (regroup->op != SCATTER_OP_SHRINK)
		seat = paused_seat(member, made);
	return seat ?: prepare(member, regroup, made);
}

static int run_operation(struct scatter_member *member,
			 struct scatter_regroup *regroup,
			 struct scatter_seat *seat)
{
	/* What is the member's own has to be the same when it resumes, as buffers have. */
	struct scatter_call call = {
		.member = member,
		.group = member->group,
		.rank = member->rank,
		.ready = SCATTER_NO_RANK,
		.send = { .base = (u64)regroup->ring_bytes << 32 |
				  (u32)regroup->color },
		.recv = { .base = (u32)regroup->key },
		.number = regroup->number,
		.culprit = SCATTER_RANK_ANY,
		.seat = seat,
	};
	const struct scatter_spec spec = {
		.op = regroup->op,
		.schedule = wanted(member->group, regroup),
		.blocks = member->group->size,
		.ranks = member->group->size,
	};
	int error;

	scatter_coll_limit(&call, regroup->deadline_ns,
			   regroup->flags & SCATTER_REGROUP_RELATIVE);
	error = scatter_coll_perform(&call, &spec);
	regroup->number = call.number;
	if (error)
		regroup->culprit = call.culprit;
	return error;
}

static int run_meeting(struct scatter_member *member,
		       struct scatter_regroup *regroup,
		       struct scatter_seat *seat)
{
	u64 deadline_ns = scatter_wait_deadline(regroup->deadline_ns,
						regroup->flags &
						SCATTER_REGROUP_RELATIVE);
	struct scatter_verdict verdict;
	int error;

	error = scatter_meeting_run(member, regroup->op, seat, deadline_ns,
				    &verdict);
	regroup->culprit = verdict.culprit;
	return error;
}

/* Whether groups of some size can have a schedule. */
static bool is_sound(const struct scatter_schedule *asked)
{
	const struct scatter_schedule schedule = scatter_plan_asked(asked);
	const u32 sides[2] = { 0, 0 };
	u32 size = 1;
	u32 i;

	for (i = 0; i < min(schedule.dims, SCATTER_DIMS_MAX); i++) {
		if (schedule.extent[i] > SCATTER_SIZE_MAX / size)
			return false;
		size *= schedule.extent[i] ?: 1;
	}
	return scatter_inter_possible(&schedule, size, sides);
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
	if (regroup->op == SCATTER_OP_SHRINK && regroup->number != SCATTER_NUMBER_NEW)
		return -EINVAL;
	if (regroup->ring_bytes && !scatter_param_ring_bytes_ok(regroup->ring_bytes))
		return -EINVAL;
	if (!is_sound(&regroup->schedule))
		return -EINVAL;
	return 0;
}

/* What the new membership is, and that it has its file for itself. */
static void tell(struct scatter_regroup *regroup, struct scatter_file *file)
{
	const struct scatter_member *member = file->member;
	const struct scatter_group *group = member->group;
	u32 side = scatter_inter_side(group, member->rank);

	regroup->rank = scatter_inter_rank(group, member->rank);
	regroup->members = group->size;
	regroup->remote = group->sides[!side];
	scatter_seat_free(file->seat);
	file->seat = NULL;
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
	bool meets = regroup->op == SCATTER_OP_SHRINK;
	struct scatter_seat *seat;
	int error;

	/* SHRINK works beside a paused operation. */
	error = meets ? 0 : scatter_coll_check_number(member, regroup->number);
	if (error)
		return error;
	seat = get_seat(member, regroup, made);
	if (IS_ERR(seat))
		return PTR_ERR(seat);
	if (meets)
		error = run_meeting(member, regroup, seat);
	else
		error = run_operation(member, regroup, seat);
	if (error || seat == &nobody)
		return error;
	tell(regroup, made->file->private_data);
	regroup->fd = made->fd;
	return 0;
}
