/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PLACES_H
#define _SCATTER_PLACES_H

#include <linux/types.h>

#include "schedule/schedule.h"

struct scatter_group;
struct scatter_portal;
struct scatter_spec;

/**
 * struct scatter_places - which nodes take part in an operation, and which node owns which blocks
 * @portal: constant; portal of a group that has formed
 * @nodes: the nodes that own blocks, by id, as indices in scatter_portal.nodes
 * @owners: how many nodes own blocks
 * @nr: how many nodes take part; the root's node is the last one if it owns no block
 * @first: the first rank that owns a block
 * @blocks: how many ranks from @first on own a block
 * @root: the place of the root's node
 * @self: this node's place; @nr: this node takes no part
 * @root_node: index in scatter_portal.nodes of the root's node
 *
 * A *place* is the number of a node in the schedule between nodes.
 */
struct scatter_places {
	const struct scatter_portal *portal;
	const u16 *nodes;
	u32 owners;
	u32 nr;
	u32 first;
	u32 blocks;
	u32 root;
	u32 self;
	u32 root_node;
};

/**
 * struct scatter_places_cursor - how far scatter_places_next() has come
 * @place: the places that are left
 * @left: how many places are left
 * @at: index of the next rank in scatter_portal.order
 * @end: where the ranks of the present place end
 */
struct scatter_places_cursor {
	const u16 *place;
	u32 left;
	u32 at;
	u32 end;
};

void scatter_places_arrange(struct scatter_group *group);
void scatter_places_find(const struct scatter_group *group, u32 first, u32 blocks, u32 root,
			 struct scatter_places *places);
u32 scatter_places_node(const struct scatter_places *places, u32 place);
u32 scatter_places_of(const struct scatter_places *places, u32 node);
void scatter_places_begin(struct scatter_places_cursor *cursor, const u16 *place, u32 nr);
bool scatter_places_next(const struct scatter_places *places,
			 struct scatter_places_cursor *cursor, u32 *rank);
u32 scatter_places_blocks(const struct scatter_places *places, const u16 *place, u32 nr);
void scatter_places_plan(const struct scatter_places *places, const struct scatter_spec *spec,
			 struct scatter_schedule_spec *plan);
void scatter_places_settle(const struct scatter_group *group, struct scatter_spec *spec);
bool scatter_places_possible(const struct scatter_group *group, const struct scatter_spec *spec);

#endif /* _SCATTER_PLACES_H */
