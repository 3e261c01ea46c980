/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the schedules only: what one family of trees provides.
 */
#ifndef _SCATTER_SCHEDULE_OPS_H
#define _SCATTER_SCHEDULE_OPS_H

#include "schedule.h"

/**
 * struct scatter_schedule_ops - one family of schedules, described as a scatter
 * @contiguous: bundles are step.first and step.count, modulo the size
 * @broadcasts: the family's tree also serves broadcasts
 * @symmetric: a gather is not the scatter reversed: the family describes both operations
 * @check: enum scatter_schedule_error of the conditions of this family; optional
 * @rounds: how many rounds
 * @ports: most transfers of a rank in one direction and round; optional, 1
 * @trees: how many trees run at once; optional, 1
 * @children: how many children the rank has
 * @tree_children: how many children the rank has in one tree; in place of @children if there are
 *	several trees
 * @parent: the transfer that brings the rank its bundle of a tree; false if there
 *	is none
 * @child: the transfer to a child of a tree by the child's index, from 0, in the order of the
 *	rounds
 * @slots: how many slots @slot has; optional: for each tree the parent, then the children
 * @slot: the transfer of a slot, in the order of the rounds; false if the slot has none
 * @range: as scatter_schedule_range(); optional for contiguous bundles
 *
 * @parent and @child get a step that scatter_step_begin() has made, with tree and direction, and
 * fill the fields that differ; @slot begins its steps itself. A family knows nothing of gathers:
 * schedule.c runs every tree backwards in the same way.
 */
struct scatter_schedule_ops {
	bool contiguous;
	bool broadcasts;
	bool symmetric;
	int (*check)(const struct scatter_schedule_spec *spec);
	u32 (*rounds)(const struct scatter_schedule_spec *spec);
	u32 (*ports)(const struct scatter_schedule_spec *spec);
	u32 (*trees)(const struct scatter_schedule_spec *spec);
	u32 (*children)(const struct scatter_walk *walk);
	u32 (*tree_children)(const struct scatter_walk *walk, u32 tree);
	bool (*parent)(const struct scatter_walk *walk,
		       struct scatter_step *step);
	void (*child)(const struct scatter_walk *walk, u32 index,
		      struct scatter_step *step);
	u64 (*slots)(const struct scatter_walk *walk);
	bool (*slot)(const struct scatter_walk *walk, u64 slot,
		     struct scatter_step *step);
	bool (*range)(const struct scatter_walk *walk,
		      const struct scatter_step *step, u32 *cursor,
		      struct scatter_range *range);
};

extern const struct scatter_schedule_ops scatter_linear_ops;
extern const struct scatter_schedule_ops scatter_hypercube_ops;
extern const struct scatter_schedule_ops scatter_mesh_ops;
extern const struct scatter_schedule_ops scatter_mesh_torus_ops;
extern const struct scatter_schedule_ops scatter_knomial_ops;
extern const struct scatter_schedule_ops scatter_rotated_ops;
extern const struct scatter_schedule_ops scatter_balanced_ops;
extern const struct scatter_schedule_ops scatter_irregular_ops;
extern const struct scatter_schedule_ops scatter_or_broadcast_ops;

/* Begin with what most steps are: one whole block by the only port */
static inline void scatter_step_begin(struct scatter_step *step, u32 tree,
				      bool send)
{
	*step = (struct scatter_step){
		.count = 1, .tree = tree, .pieces = 1, .send = send,
	};
}

static inline bool scatter_is_root(const struct scatter_walk *walk)
{
	return walk->rank == walk->spec.root;
}

/*
 * Numbering from the root up, (rank - root) mod size, and back. Both functions subtract before they
 * add: no intermediate value leaves 32 bits, whatever the size.
 */
static inline u32 scatter_rank_relative(const struct scatter_walk *walk,
					u32 rank)
{
	const struct scatter_schedule_spec *spec = &walk->spec;

	if (rank >= spec->root)
		return rank - spec->root;
	return rank + (spec->size - spec->root);
}

static inline u32 scatter_rank_real(const struct scatter_walk *walk,
				    u32 relative)
{
	const struct scatter_schedule_spec *spec = &walk->spec;
	u32 behind = spec->size - spec->root;

	if (relative < behind)
		return relative + spec->root;
	return relative - behind;
}

#endif /* _SCATTER_SCHEDULE_OPS_H */
