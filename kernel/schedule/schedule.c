// SPDX-License-Identifier: GPL-2.0
/*
 * What all schedules share: choice of the family, order of one rank's steps,
 * and gathers.
 *
 * A gather is a scatter run backwards: the last transfer becomes the first, and
 * every bundle goes the other way. It has the same bounds for that reason, so
 * no family has code of its own for it.
 */
#include "ops.h"

/* A switch, no table: the algorithm may be a number that a user chose. */
static const struct scatter_schedule_ops *find_ops(u32 algorithm)
{
	switch (algorithm) {
	case SCATTER_SCHEDULE_LINEAR:
		return &scatter_linear_ops;
	case SCATTER_SCHEDULE_HYPERCUBE:
		return &scatter_hypercube_ops;
	default:
		return NULL;
	}
}

static bool is_root(const struct scatter_schedule *schedule)
{
	return schedule->rank == schedule->root;
}

/* @step as a family tells it, with @down from root to leaf, becomes ours. */
static void orient_step(const struct scatter_schedule *schedule, bool down,
			struct scatter_step *step)
{
	step->send = down;
	if (!schedule->gather)
		return;
	step->send = !down;
	step->round = scatter_schedule_rounds(schedule->algorithm,
					      schedule->size) + 1 - step->round;
}

/**
 * scatter_schedule_init - begin one rank's walk through a schedule
 * @schedule: filled in; has no steps if the arguments are refused
 * @algorithm: enum scatter_schedule_algorithm
 * @gather: false: scatter, true: gather
 * @size: ranks, 1 and up; any 32-bit number
 * @root: rank of the root, below @size
 * @rank: whose steps to tell, below @size
 *
 * Context: any
 * Return: true; false if the algorithm is unknown or a number out of range
 */
bool scatter_schedule_init(struct scatter_schedule *schedule, u32 algorithm,
			   bool gather, u32 size, u32 root, u32 rank)
{
	/* a refused schedule is all zero: its rank is its root, without children */
	*schedule = (struct scatter_schedule){ 0 };
	if (!find_ops(algorithm) || root >= size || rank >= size)
		return false;
	schedule->algorithm = algorithm;
	schedule->gather = gather;
	schedule->size = size;
	schedule->root = root;
	schedule->rank = rank;
	return true;
}

/**
 * scatter_schedule_next - the rank's next step
 * @schedule: the walk; moves on by one step
 * @step: filled in if there is a step
 *
 * Steps come in the order of their rounds: in a scatter the parent's bundle
 * arrives before the children get theirs, in a gather it leaves last.
 *
 * Context: any; O(log size) time
 * Return: true; false after the last step
 */
bool scatter_schedule_next(struct scatter_schedule *schedule,
			   struct scatter_step *step)
{
	u32 parents = is_root(schedule) ? 0 : 1;
	u32 steps = parents + scatter_schedule_children(schedule);
	u32 index = schedule->cursor;

	if (index >= steps)
		return false;
	schedule->cursor++;
	if (schedule->gather)
		index = steps - 1 - index;
	if (index < parents)
		return scatter_schedule_parent(schedule, step);
	find_ops(schedule->algorithm)->child(schedule, index - parents, step);
	orient_step(schedule, true, step);
	return true;
}

/**
 * scatter_schedule_parent - the rank's step with its parent
 * @schedule: the walk; stays where it is
 * @step: filled in if the rank has a parent
 *
 * Context: any; O(log size) time
 * Return: true; false at the root
 */
bool scatter_schedule_parent(const struct scatter_schedule *schedule,
			     struct scatter_step *step)
{
	if (is_root(schedule))
		return false;
	find_ops(schedule->algorithm)->parent(schedule, step);
	orient_step(schedule, false, step);
	return true;
}

/**
 * scatter_schedule_children - how many children the rank has
 * @schedule: the walk; stays where it is
 *
 * Context: any; O(log size) time
 * Return: number of children, 0 at a leaf
 */
u32 scatter_schedule_children(const struct scatter_schedule *schedule)
{
	const struct scatter_schedule_ops *ops = find_ops(schedule->algorithm);

	return ops ? ops->children(schedule) : 0;
}

/**
 * scatter_schedule_rounds - how many rounds a schedule takes
 * @algorithm: enum scatter_schedule_algorithm
 * @size: ranks
 *
 * Scatter and gather take the same number.
 *
 * Context: any; O(log size) time
 * Return: rounds; 0 for one rank, no rank and unknown algorithms
 */
u32 scatter_schedule_rounds(u32 algorithm, u32 size)
{
	const struct scatter_schedule_ops *ops = find_ops(algorithm);

	return ops && size ? ops->rounds(size) : 0;
}
