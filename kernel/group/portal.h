/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PORTAL_H
#define _SCATTER_PORTAL_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/scatter.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "masks.h"
#include "wire/wide.h"

struct scatter_group;
struct scatter_node;
struct scatter_peer;

/* Most children that a node has in the tree of nodes, which has at most SCATTER_SIZE_MAX. */
#define SCATTER_PORTAL_CHILDREN	10

/**
 * enum scatter_portal_tie - how far this node has come with another one of the group
 * @SCATTER_PORTAL_APART: nobody has asked
 * @SCATTER_PORTAL_ASKED: ATTACH has been sent
 * @SCATTER_PORTAL_TIED: both know that both are in the group
 * @SCATTER_PORTAL_GONE: the node is lost, or never was in the group
 *
 * APART -> ASKED -> TIED, APART -> TIED, and from each to GONE.
 */
enum scatter_portal_tie {
	SCATTER_PORTAL_APART,
	SCATTER_PORTAL_ASKED,
	SCATTER_PORTAL_TIED,
	SCATTER_PORTAL_GONE,
};

/**
 * struct scatter_portal_node - a node of the group
 * @id: constant; which
 * @incarnation: constant; of its own, when the group formed
 * @token: constant; of a JOIN on it
 * @first: constant; its lowest rank
 * @tie: group lock; enum scatter_portal_tie
 * @relied: group lock; the peer, if this node relies on it
 */
struct scatter_portal_node {
	u64 id;
	u64 incarnation;
	u64 token;
	u32 first;
	enum scatter_portal_tie tie;
	struct scatter_peer *relied;
};

/**
 * struct scatter_portal_slot - what edges between nodes carry of one operation
 * @number: of the operation; its slot is that of the number modulo the slots
 * @arrived: how many children have sent UP
 * @up: UP has been sent, or has come to the home
 * @down: DOWN has come, or all has come to the home
 *
 * A slot is taken over by the next operation whose turn it is.
 */
struct scatter_portal_slot {
	u64 number;
	u16 arrived;
	bool up;
	bool down;
};

/**
 * struct scatter_portal - the rest of a group whose name is known on several nodes
 * @by_id: portals_lock; in the table of such groups
 * @serial: portals_lock; grows from group to group
 * @group: constant; whose; holds no reference
 * @node: constant; this one's
 * @registrar: constant; id of the node that keeps the name
 * @relied: group lock; the registrar, until the group has formed
 * @tokens: group lock; of the JOINs of own members, by rank
 * @given_up: group lock; ranks whose members have gone before the group has formed, and of whom
 *	the registrar has not been told yet
 * @error: group lock; -errno: it will never form
 * @formed: group lock; what the registrar says of the whole
 * @runs: group lock until the group has formed; where all ranks are
 * @nr_runs: group lock; how many have come
 * @nr_nodes: group lock until the group has formed, constant then; likewise all below but those
 *	that are marked
 * @self: this node's index in @nodes
 * @nodes: by id: the first is the home
 * @where: index in @nodes, by rank
 * @parent: index in @nodes; its own at the home
 * @children: likewise
 * @nr_children: how many
 * @slots: group lock; of operations that are under way
 * @nr_slots: how many
 * @ends: group lock; by rank, of those that are gone: the first operation that it has not called
 * @stopped: group lock; ranks that call no operation from @ends on, since the group is broken
 * @mismatch: group lock; the operation that was not agreed about; U64_MAX: none
 * @mismatched: group lock; the rank that differed
 * @told: group lock; the registrar knows that the name is free
 * @held: group lock; the node holds the group: the home until all ranks are gone, others until
 *	nothing is left to say or to pass on
 * @waiting: group lock; nodes that asked before the group had formed here
 * @reaper: frees the group
 */
struct scatter_portal {
	struct hlist_node by_id;
	u64 serial;
	struct scatter_group *group;
	struct scatter_node *node;
	u64 registrar;
	struct scatter_peer *relied;
	u64 *tokens;
	DECLARE_BITMAP(given_up, SCATTER_SIZE_MAX);
	int error;
	struct scatter_wide_formed formed;
	struct scatter_wide_run *runs;
	u32 nr_runs;
	u32 nr_nodes;
	u32 self;
	struct scatter_portal_node *nodes;
	u16 *where;
	u32 parent;
	u32 children[SCATTER_PORTAL_CHILDREN];
	u32 nr_children;
	struct scatter_portal_slot *slots;
	u32 nr_slots;
	u64 *ends;
	DECLARE_BITMAP(stopped, SCATTER_SIZE_MAX);
	u64 mismatch;
	u32 mismatched;
	bool told;
	bool held;
	struct list_head waiting;
	struct work_struct reaper;
};

/**
 * struct scatter_portal_cursor - how far scatter_portal_next() has come
 * @bucket: of the table
 * @serial: one more than that of the last one visited there; 0: none was
 */
struct scatter_portal_cursor {
	unsigned int bucket;
	u64 serial;
};

/**
 * struct scatter_portal_waiting - a node that asked before the group had formed here
 * @entry: in scatter_portal.waiting
 * @id: of the node
 */
struct scatter_portal_waiting {
	struct list_head entry;
	u64 id;
};

int scatter_portal_init(void);
void scatter_portal_exit(void);
void scatter_portal_reap(struct work_struct *reaper);
int scatter_portal_create(struct scatter_group *group, struct scatter_node *node, u64 registrar);
void scatter_portal_free(struct scatter_group *group);
struct scatter_group *scatter_portal_find(const struct scatter_node *node, const u64 *id);
struct scatter_group *scatter_portal_show(struct scatter_group *group, const u64 *id);
struct scatter_group *scatter_portal_next(const struct scatter_node *node,
					  struct scatter_portal_cursor *cursor);

#endif /* _SCATTER_PORTAL_H */
