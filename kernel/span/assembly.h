/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_ASSEMBLY_H
#define _SCATTER_ASSEMBLY_H

#include <linux/types.h>

#include "council/council.h"

struct scatter_group;
struct scatter_portal;

/**
 * struct scatter_assembly - a node's part of the council of a group on several nodes
 * @council: the council
 * @decree: a contribution, while the node makes it
 * @order: ranks in the order of their seats, while the node pays for new groups or makes them
 * @choices: by rank, what members ask for in the SPLIT under way, as far as this node knows
 * @facts: ranks that are gone
 * @gone: nodes that are lost
 * @empty: nodes without members
 * @fences: nodes that are fenced
 * @stood: nodes that were fenced when this node last began a view because of that
 * @kept: the verdict, if scatter_portal.keeps
 * @kept_key: its key
 * @heir_id: of a SHRINK: the id of the group that the verdict makes
 * @heir: that group, when it has been made: nodes wait that have asked about it
 * @defers: nodes have asked about that group, and no task answers them yet
 * @ends: the council has ended a meeting or an operation since its last message, or told that one
 *	is over
 * @memory: memory of @choices, and behind it that of @council
 *
 * scatter_portal.moving protects all fields. The group's lock also protects @defers, and @heir_id
 * while a verdict is kept.
 */
struct scatter_assembly {
	struct scatter_council council;
	struct scatter_decree decree;
	u16 order[SCATTER_SET_MAX];
	struct scatter_choice *choices;
	struct scatter_facts facts;
	struct scatter_set gone;
	struct scatter_set empty;
	struct scatter_set fences;
	struct scatter_set stood;
	struct scatter_decree kept;
	struct scatter_council_key kept_key;
	u64 heir_id[2];
	struct scatter_group *heir;
	bool defers;
	bool ends;
	u64 memory[];
};

int scatter_assembly_create(struct scatter_portal *portal, u32 nodes, u32 ranks);
void scatter_assembly_begin(struct scatter_group *group);
void *scatter_assembly_mail(const struct scatter_group *group,
			    const struct scatter_council_message *message, u32 *bytes);
void scatter_assembly_say(struct scatter_group *group, u32 to,
			  const struct scatter_council_message *message);

#endif /* _SCATTER_ASSEMBLY_H */
