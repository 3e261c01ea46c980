// SPDX-License-Identifier: GPL-2.0
/*
 * REGROUP: new groups of a group's members.
 *
 * Each caller brings all that may fail: a file, a member without a seat, and room for a group. DUP
 * and SPLIT are operations of the old group, see call/regroup.c. SHRINK is a meeting, see
 * membership/meet.c.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>

#include "call/perform.h"
#include "call/regroup.h"
#include "device/file.h"
#include "device/made.h"
#include "device/regroup.h"
#include "group/group.h"
#include "group/member.h"
#include "group/seats.h"
#include "group/sides.h"
#include "group/spec.h"
#include "group/wait.h"
#include "membership/applicant.h"
#include "membership/meet.h"
#include "operation/call.h"
#include "operation/meeting.h"
#include "operation/operation.h"
#include "param.h"

/* Stands for all members that take part in no new group. */
static struct scatter_applicant nobody = { .bid.color = SCATTER_COLOR_NONE };

/*
 * The applicant of a call that resumes, and a descriptor for its file; NULL if there is none. The
 * file keeps the applicant, even if somebody ends the membership now.
 */
static struct scatter_applicant *paused_applicant(const struct scatter_member *member,
						  struct scatter_made *made)
{
	struct scatter_group *group = member->group;
	const struct scatter_operation *operation;
	struct scatter_applicant *applicant = NULL;
	struct file *filp = NULL;
	int error;

	spin_lock(&group->lock);
	operation = member->current_operation;
	if (operation && operation->kind == &scatter_regroup_kind)
		applicant = operation->seating->applicants[member->rank];
	if (applicant && applicant->filp)
		filp = get_file(applicant->filp);
	spin_unlock(&group->lock);
	if (!filp)
		return NULL;
	error = scatter_made_reserve(made, filp);
	fput(filp);
	return error ? ERR_PTR(error) : applicant;
}

/*
 * The schedule of new groups, unless their size makes it impossible; if the call names none, the
 * old group's.
 */
static struct scatter_schedule wanted(const struct scatter_group *old,
				      const struct scatter_regroup *regroup)
{
	return regroup->schedule.algorithm ? scatter_spec_asked(&regroup->schedule) :
					     old->schedule;
}

/* Allocate all that the new membership needs. The new file owns it. */
static struct scatter_applicant *prepare(const struct scatter_member *old,
					 const struct scatter_regroup *regroup,
					 struct scatter_made *made)
{
	const struct scatter_applicant terms = {
		.bid = {
			.color = regroup->color,
			.side = scatter_sides_side(old->group, old->rank),
			.key = regroup->key,
			.rank = old->rank,
		},
		.schedule = wanted(old->group, regroup),
	};
	struct scatter_applicant *applicant;
	struct scatter_file *file;

	file = scatter_file_open(made, 0);
	if (IS_ERR(file))
		return ERR_CAST(file);
	applicant = scatter_applicant_create(old, &terms, regroup->ring_bytes, &file->poll);
	if (IS_ERR(applicant))
		return applicant;
	applicant->filp = made->file;
	file->applicant = applicant;
	return applicant;
}

static struct scatter_applicant *get_applicant(const struct scatter_member *member,
					       const struct scatter_regroup *regroup,
					       struct scatter_made *made)
{
	struct scatter_applicant *applicant = NULL;

	/* A color other than the paused call's is refused later. */
	if (regroup->color == SCATTER_COLOR_NONE)
		return &nobody;
	if (regroup->op != SCATTER_OP_SHRINK)
		applicant = paused_applicant(member, made);
	return applicant ?: prepare(member, regroup, made);
}

static int run_operation(struct scatter_member *member,
			 struct scatter_regroup *regroup,
			 struct scatter_applicant *applicant)
{
	/*
	 * A call that resumes must have the same arguments, which stand where other calls have
	 * buffers.
	 */
	struct scatter_call call = {
		.member = member,
		.group = member->group,
		.kind = &scatter_regroup_kind,
		.hands = &member->hands,
		.rank = member->rank,
		.send = { .base = (u64)regroup->ring_bytes << 32 |
				  (u32)regroup->color },
		.recv = { .base = (u32)regroup->key },
		.number = regroup->number,
		.culprit = SCATTER_RANK_ANY,
		.applicant = applicant,
	};
	const struct scatter_spec spec = {
		.op = regroup->op,
		.schedule = wanted(member->group, regroup),
		.blocks = member->group->size,
		.ranks = member->group->size,
	};
	int error;

	scatter_perform_limit(&call, regroup->deadline_ns,
			      regroup->flags & SCATTER_REGROUP_RELATIVE);
	error = scatter_perform(&call, &spec);
	regroup->number = call.number;
	if (error)
		regroup->culprit = call.culprit;
	return error;
}

static int run_meeting(struct scatter_member *member,
		       struct scatter_regroup *regroup,
		       struct scatter_applicant *applicant)
{
	u64 deadline_ns = scatter_wait_deadline(regroup->deadline_ns,
						regroup->flags &
						SCATTER_REGROUP_RELATIVE);
	struct scatter_verdict verdict;
	int error;

	error = scatter_meet_run(member, regroup->op, applicant, deadline_ns,
				 &verdict);
	regroup->culprit = verdict.culprit;
	return error;
}

/* Whether groups of some size can have a schedule. */
static bool is_sound(const struct scatter_schedule *asked)
{
	const struct scatter_schedule schedule = scatter_spec_asked(asked);
	const u32 sides[2] = { 0, 0 };
	u32 size = 1;
	u32 i;

	for (i = 0; i < min(schedule.dims, SCATTER_DIMS_MAX); i++) {
		if (schedule.extent[i] > SCATTER_SIZE_MAX / size)
			return false;
		size *= schedule.extent[i] ?: 1;
	}
	return scatter_sides_possible(&schedule, size, sides);
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

/*
 * Tell the user of the new membership; from now on the membership has the file for itself. -EIO:
 * there is no new membership, although the call has succeeded.
 */
static int tell(struct scatter_regroup *regroup, struct scatter_file *file)
{
	const struct scatter_member *member = scatter_file_seated(file);
	const struct scatter_group *group;
	u32 side;

	if (WARN_ON_ONCE(!member))
		return -EIO;
	group = member->group;
	side = scatter_sides_side(group, member->rank);
	regroup->rank = scatter_sides_rank(group, member->rank);
	regroup->members = group->size;
	regroup->remote = group->sides[!side];
	return 0;
}

/**
 * scatter_regroup_run() - run one REGROUP for a member
 * @member: the current task's; no other task is inside a call of the member
 * @regroup: (in, out) checked
 * @made: (out) the new membership's file, if there is one
 *
 * Context: may sleep; no locks.
 * Return: 0 or -errno as the uapi header says.
 */
int scatter_regroup_run(struct scatter_member *member,
			struct scatter_regroup *regroup,
			struct scatter_made *made)
{
	bool meets = regroup->op == SCATTER_OP_SHRINK;
	struct scatter_applicant *applicant;
	int error;

	/* SHRINK works beside a paused operation. */
	error = meets ? 0 : scatter_perform_check(member, regroup->number);
	if (error)
		return error;
	/* The applicant's needs depend on where the members are. */
	if (!smp_load_acquire(&member->group->formed))
		return -EINPROGRESS;
	applicant = get_applicant(member, regroup, made);
	if (IS_ERR(applicant))
		return PTR_ERR(applicant);
	if (meets)
		error = run_meeting(member, regroup, applicant);
	else
		error = run_operation(member, regroup, applicant);
	if (error || applicant == &nobody)
		return error;
	error = tell(regroup, made->file->private_data);
	if (!error)
		regroup->fd = made->fd;
	return error;
}
