// SPDX-License-Identifier: GPL-2.0
/*
 * Checks: whether users ask for something that exists.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/scatter.h>
#include <linux/string.h>

#include "device/check.h"
#include "group/sides.h"
#include "group/spec.h"
#include "param.h"
#include "schedule/schedule.h"

/* The constants are those of the pure code, which does not include the uapi header. */
#define SAME_ALGORITHM(name)						\
	static_assert((int)SCATTER_ALGORITHM_##name ==			\
		      (int)SCATTER_SCHEDULE_##name)

SAME_ALGORITHM(LINEAR);
SAME_ALGORITHM(HYPERCUBE);
SAME_ALGORITHM(MESH);
SAME_ALGORITHM(TORUS);
SAME_ALGORITHM(KNOMIAL);
SAME_ALGORITHM(ROTATED);
SAME_ALGORITHM(BALANCED);
SAME_ALGORITHM(IRREGULAR);
SAME_ALGORITHM(OR_BROADCAST);

/**
 * scatter_check_name() - whether a group can have a name
 * @name: %SCATTER_NAME_MAX bytes
 *
 * Context: any.
 */
bool scatter_check_name(const char *name)
{
	size_t length = strnlen(name, SCATTER_NAME_MAX);
	size_t i;

	if (!length || length == SCATTER_NAME_MAX)
		return false;
	for (i = 0; i < length; i++)
		if (!isascii(name[i]) || !isprint(name[i]) || name[i] == '/')
			return false;
	return !memchr_inv(name + length, 0, SCATTER_NAME_MAX - length);
}

/**
 * scatter_check_schedule() - whether this kernel knows all that a schedule says
 * @schedule: as the user gave it
 *
 * Context: any.
 */
bool scatter_check_schedule(const struct scatter_schedule *schedule)
{
	return schedule->algorithm < BITS_PER_LONG &&
	       SCATTER_ALGORITHMS & BIT(schedule->algorithm) && !schedule->__reserved;
}

static bool schedule_ok(const struct scatter_join *join)
{
	const struct scatter_schedule schedule = scatter_spec_asked(&join->schedule);

	return scatter_sides_possible(&schedule, join->members, join->sides);
}

/**
 * scatter_check_join() - whether a JOIN asks for something possible
 * @join: what the user asked for; its name and owner are not checked
 *
 * Context: any.
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int scatter_check_join(const struct scatter_join *join)
{
	if (!scatter_check_schedule(&join->schedule) || join->__reserved)
		return -EOPNOTSUPP;
	if (!join->members || join->members > SCATTER_SIZE_MAX)
		return -EINVAL;
	if (!scatter_sides_ok(join))
		return -EINVAL;
	if (join->rank != SCATTER_RANK_ANY &&
	    (join->rank < 0 || join->rank >= scatter_sides_seats(join)))
		return -EINVAL;
	if (join->mode & ~0777)
		return -EINVAL;
	if (join->ring_bytes && !scatter_param_ring_bytes_ok(join->ring_bytes))
		return -EINVAL;
	if (join->deadline_ns > KTIME_MAX)
		return -EINVAL;
	return schedule_ok(join) ? 0 : -EINVAL;
}

/**
 * scatter_check_coll() - whether a COLL asks for something possible
 * @coll: what the user asked for; what depends on the group is not checked
 *
 * Context: any.
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int scatter_check_coll(const struct scatter_coll *coll)
{
	if (coll->op >= BITS_PER_LONG || !(SCATTER_OPERATIONS & BIT(coll->op)))
		return -EOPNOTSUPP;
	if (!scatter_check_schedule(&coll->schedule))
		return -EOPNOTSUPP;
	if (coll->block > SCATTER_BLOCK_MAX || coll->deadline_ns > KTIME_MAX)
		return -EINVAL;
	if (coll->op == SCATTER_OP_BARRIER &&
	    (coll->root || coll->block ||
	     coll->flags & (SCATTER_COLL_IN_PLACE | SCATTER_COLL_AT_MOST) ||
	     memchr_inv(&coll->schedule, 0, sizeof(coll->schedule))))
		return -EINVAL;
	if (!scatter_op_is_vector(coll->op) && (coll->counts || coll->displs))
		return -EINVAL;
	return 0;
}
