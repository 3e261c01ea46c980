// SPDX-License-Identifier: GPL-2.0
/*
 * Specifications: what members have to agree about: which operation, and which schedule.
 */
#include <asm/byteorder.h>
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/scatter.h>
#include <linux/string.h>

#include "group/spec.h"
#include "schedule/schedule.h"
#include "wire/digest.h"

static_assert(SCATTER_DIMS_MAX == SCATTER_SCHEDULE_DIMS);

/**
 * scatter_spec_plan() - fill in what the schedule of an operation is told
 * @spec: what is asked for
 * @plan: (out) what the schedule is told
 *
 * Context: any.
 */
void scatter_spec_plan(const struct scatter_spec *spec,
		       struct scatter_schedule_spec *plan)
{
	*plan = (struct scatter_schedule_spec){
		.algorithm = spec->schedule.algorithm,
		.op = scatter_op_gathers(spec->op) ? SCATTER_SCHEDULE_GATHER :
						     SCATTER_SCHEDULE_SCATTER,
		.size = spec->ranks,
		.root = scatter_spec_index(spec, spec->root),
		.ports = spec->schedule.ports,
		.dims = spec->schedule.dims,
	};
	memcpy(plan->extent, spec->schedule.extent, sizeof(plan->extent));
}

/**
 * scatter_spec_asked() - complete the schedule that a user asks for
 * @asked: the schedule as the user gave it; need not be possible
 *
 * Context: any.
 * Return: the schedule; a k-nomial tree with 0 ports has become one with 1 port.
 */
struct scatter_schedule scatter_spec_asked(const struct scatter_schedule *asked)
{
	struct scatter_schedule schedule = *asked;

	if (schedule.algorithm == SCATTER_ALGORITHM_KNOMIAL && !schedule.ports)
		schedule.ports = 1;
	return schedule;
}

static bool has_dims(u32 algorithm)
{
	return algorithm == SCATTER_ALGORITHM_MESH ||
	       algorithm == SCATTER_ALGORITHM_TORUS;
}

/*
 * Whether an extent behind the last dimension is not 0. A loop, since there are few extents and
 * every call comes here.
 */
static bool extends_beyond(const struct scatter_schedule *schedule, u32 dims)
{
	for (; dims < SCATTER_DIMS_MAX; dims++)
		if (schedule->extent[dims])
			return true;
	return false;
}

/**
 * scatter_spec_sound() - whether a schedule can be asked for at all
 * @schedule: what is asked for; its algorithm exists
 *
 * Context: any.
 */
bool scatter_spec_sound(const struct scatter_schedule *schedule)
{
	u32 dims = schedule->dims;

	if (schedule->ports && schedule->algorithm != SCATTER_ALGORITHM_KNOMIAL)
		return false;
	return dims <= SCATTER_DIMS_MAX && !dims == !has_dims(schedule->algorithm) &&
	       !extends_beyond(schedule, dims);
}

/**
 * scatter_spec_possible() - whether an operation can be scheduled on one node as asked for
 * @spec: what is asked for; its op, algorithm and root exist
 *
 * Context: any.
 */
bool scatter_spec_possible(const struct scatter_spec *spec)
{
	const struct scatter_schedule *schedule = &spec->schedule;
	struct scatter_schedule_spec plan;

	if (!scatter_spec_sound(schedule))
		return false;
	if (schedule->algorithm == SCATTER_ALGORITHM_AUTO)
		return true;
	if (schedule->algorithm == SCATTER_ALGORITHM_IRREGULAR)
		return scatter_op_is_vector(spec->op);
	scatter_spec_plan(spec, &plan);
	return !scatter_schedule_check(&plan);
}

/**
 * scatter_spec_trees() - how many trees a call needs
 * @spec: what the call asks for; possible
 *
 * Context: any.
 */
u32 scatter_spec_trees(const struct scatter_spec *spec)
{
	struct scatter_schedule_spec plan;

	if (!scatter_op_moves(spec->op) ||
	    (spec->schedule.algorithm != SCATTER_ALGORITHM_ROTATED &&
	     spec->schedule.algorithm != SCATTER_ALGORITHM_BALANCED))
		return 1;
	scatter_spec_plan(spec, &plan);
	return max(1U, scatter_schedule_trees(&plan));
}

/**
 * scatter_spec_rounds() - how many rounds a call needs
 * @spec: what the call asks for; possible, and neither AUTO nor irregular
 *
 * Context: any.
 */
u32 scatter_spec_rounds(const struct scatter_spec *spec)
{
	struct scatter_schedule_spec plan;

	scatter_spec_plan(spec, &plan);
	return scatter_schedule_rounds(&plan);
}

/**
 * scatter_spec_digest() - make a digest of what all callers of an operation give alike
 * @spec: what members call
 *
 * Idle members know neither root nor block, so the digest leaves both out. It leaves out the
 * schedule of a barrier, too, which no node compares.
 *
 * Context: any.
 * Return: the number, not 0; the same on all nodes
 */
u64 scatter_spec_digest(const struct scatter_spec *spec)
{
	const struct scatter_schedule none = {};
	const struct scatter_schedule *asked = spec->op == SCATTER_OP_BARRIER ? &none :
									      &spec->schedule;
	__le32 raw[6 + SCATTER_DIMS_MAX];
	u32 i;

	raw[0] = cpu_to_le32(spec->op);
	raw[1] = cpu_to_le32(spec->flags);
	raw[2] = cpu_to_le32(spec->first);
	raw[3] = cpu_to_le32(asked->algorithm);
	raw[4] = cpu_to_le32(asked->ports);
	raw[5] = cpu_to_le32(asked->dims);
	for (i = 0; i < SCATTER_DIMS_MAX; i++)
		raw[6 + i] = cpu_to_le32(asked->extent[i]);
	return scatter_digest_bytes(SCATTER_DIGEST_EMPTY, raw, sizeof(raw)) ?: 1;
}
