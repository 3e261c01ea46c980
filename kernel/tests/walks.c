// SPDX-License-Identifier: GPL-2.0
/*
 * Does all that a schedule tells of a rank agree?
 *
 * The simulation (lib/plan) judges the steps of all walks. This compares a walk with the
 * other ways to learn of its steps: parents, children, and the walk of a gather.
 */
#include "walks.h"

/* More trees at once than any size that is tested has */
#define TREES_MOST	16

static bool steps_equal(const struct scatter_step *a,
			const struct scatter_step *b)
{
	return a->round == b->round && a->peer == b->peer &&
	       a->first == b->first && a->count == b->count &&
	       a->tree == b->tree && a->piece == b->piece &&
	       a->pieces == b->pieces && a->port == b->port &&
	       a->send == b->send && a->combine == b->combine;
}

/**
 * struct steps - one rank's steps, sorted out by trees, as its walk tells them
 * @up: the last one with a parent
 * @ups: how many there are
 * @downs: how many there are with children
 */
struct steps {
	struct scatter_step up[TREES_MOST];
	u32 ups[TREES_MOST];
	u32 downs[TREES_MOST];
};

static const char *sort_out(const struct scatter_walk *start,
			    struct steps *steps)
{
	struct scatter_walk walk = *start;
	bool gather = start->spec.op == SCATTER_SCHEDULE_GATHER;
	bool one_port = scatter_schedule_ports(&start->spec) == 1;
	struct scatter_step step;
	u32 last = 0;

	*steps = (struct steps){ 0 };
	while (scatter_schedule_next(&walk, &step)) {
		if (step.round < last || (one_port && step.round == last))
			return "rounds do not rise";
		last = step.round;
		if (step.tree >= TREES_MOST)
			return "too many trees";
		if (step.send == gather) {
			steps->up[step.tree] = step;
			steps->ups[step.tree]++;
		} else {
			steps->downs[step.tree]++;
		}
	}
	if (last > scatter_schedule_rounds(&start->spec))
		return "a round too many";
	return scatter_schedule_next(&walk, &step) ?
		       "the end is not the end" : NULL;
}

static const char *check_rank(const struct scatter_schedule_spec *spec,
			      u32 rank)
{
	u32 trees = scatter_schedule_trees(spec), tree;
	/* a cursor in the middle is what init has to set back */
	struct scatter_walk walk = { .cursor = 1, .slots = 1 };
	struct scatter_step parent;
	struct steps steps;
	const char *wrong;

	if (!scatter_schedule_init(&walk, spec, rank))
		return "refused";
	wrong = sort_out(&walk, &steps);
	if (wrong)
		return wrong;
	for (tree = 0; tree < trees; tree++) {
		u32 ups = scatter_schedule_parent(&walk, tree, &parent);

		if (ups != steps.ups[tree])
			return "parent and walk disagree";
		if (ups && !steps_equal(&parent, &steps.up[tree]))
			return "the parent's step differs from the walk's";
		if (scatter_schedule_children(&walk, tree) !=
		    steps.downs[tree])
			return "children and walk disagree";
	}
	if (scatter_schedule_parent(&walk, trees, &parent) ||
	    scatter_schedule_children(&walk, trees))
		return "a tree too many";
	return NULL;
}

/**
 * scatter_walks_check() - do parents and children agree with the walks?
 * @spec: the schedule; one of trees
 * @culprit: (out) the rank with whose walk something is wrong
 *
 * Rounds of a walk rise as well, and it begins and ends where it should.
 *
 * Context: any.
 * Return: what is wrong, NULL if nothing is.
 */
const char *scatter_walks_check(const struct scatter_schedule_spec *spec,
				u32 *culprit)
{
	const char *wrong = NULL;
	u32 rank;

	for (rank = 0; rank < spec->size && !wrong; rank++) {
		*culprit = rank;
		wrong = check_rank(spec, rank);
	}
	return wrong;
}

static u32 count_steps(struct scatter_walk walk)
{
	struct scatter_step step;
	u32 steps = 0;

	while (scatter_schedule_next(&walk, &step))
		steps++;
	return steps;
}

/* Steps are looked for from the start each time: they may be too many to keep. */
static bool is_step(struct scatter_walk walk, u32 number,
		    const struct scatter_step *wanted)
{
	struct scatter_step step;

	do {
		if (!scatter_schedule_next(&walk, &step))
			return false;
	} while (number--);
	return steps_equal(&step, wanted);
}

/* Is the rank's walk in a gather that in the scatter, the other way round? */
static const char *check_backwards(const struct scatter_schedule_spec *spec,
				   u32 rank)
{
	struct scatter_schedule_spec other = *spec;
	struct scatter_walk there, back;
	struct scatter_step step;
	u32 rounds, steps;

	other.op = SCATTER_SCHEDULE_SCATTER;
	rounds = scatter_schedule_rounds(&other);
	if (!scatter_schedule_init(&there, &other, rank))
		return "no scatter";
	steps = count_steps(there);
	other.op = SCATTER_SCHEDULE_GATHER;
	if (!scatter_schedule_init(&back, &other, rank))
		return "no gather";
	while (scatter_schedule_next(&back, &step)) {
		if (!steps--)
			return "has more steps";
		step.round = rounds + 1 - step.round;
		step.send = !step.send;
		if (!is_step(there, steps, &step))
			return "has another step";
	}
	return steps ? "has fewer steps" : NULL;
}

/**
 * scatter_walks_check_reversal() - is the gather the scatter reversed?
 * @spec: the schedule; one of trees, and of either operation
 * @culprit: (out) the rank whose walks differ
 *
 * Context: any.
 * Return: what is wrong, NULL if nothing is.
 */
const char *scatter_walks_check_reversal(const struct scatter_schedule_spec *spec,
					 u32 *culprit)
{
	const char *wrong = NULL;
	u32 rank;

	for (rank = 0; rank < spec->size && !wrong; rank++) {
		*culprit = rank;
		wrong = check_backwards(spec, rank);
	}
	return wrong;
}
