/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PORTAL_H
#define _SCATTER_PORTAL_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scatter.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "masks.h"
#include "wire/wide.h"

struct scatter_assembly;
struct net;
struct scatter_group;
struct scatter_meter;
struct scatter_node;
struct scatter_peer;

/*
 * Most children that a node has in the tree of nodes. The tree has at most SCATTER_SIZE_MAX nodes.
 */
#define SCATTER_PORTAL_CHILDREN	10

/**
 * enum scatter_portal_tie - how far this node has come with another node of the group
 * @SCATTER_PORTAL_APART: neither node has asked
 * @SCATTER_PORTAL_ASKED: this node has sent ATTACH
 * @SCATTER_PORTAL_TIED: both nodes know that both are in the group
 * @SCATTER_PORTAL_GONE: the other node is lost, or never was in the group
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
 * @id: constant; the node's id
 * @incarnation: constant; the node's incarnation when the group formed
 * @token: constant; of a JOIN on that node; perhaps one into an older group
 * @first: constant; the node's lowest rank
 * @tie: group lock; enum scatter_portal_tie
 * @relied: group lock; the node as a peer, if this node relies on the peer
 * @kept: scatter_portal.moving; messages with blocks from there, in slots
 * @nr_owed: scatter_portal.moving; for how many operations this node owes that node a DONE
 * @owed: scatter_portal.moving; bytes that this node has had of those operations
 * @slots: scatter_portal.moving; how many slots there are because of what the node has said
 * @inquiries: scatter_portal.moving; of how many operations the node has been the first to ask why
 *	members wait
 * @meter: constant; bytes that the node may READ, and has not got yet
 */
struct scatter_portal_node {
	u64 id;
	u64 incarnation;
	u64 token;
	u32 first;
	enum scatter_portal_tie tie;
	struct scatter_peer *relied;
	u32 kept;
	u32 nr_owed;
	u64 owed;
	u32 slots;
	u32 inquiries;
	struct scatter_meter *meter;
};

/*
 * Messages of one node that a group keeps at most, beyond two for each operation of a window. An
 * honest node sends less: it packs at most 1 MiB for a group, and few messages are nearly empty.
 */
#define SCATTER_PORTAL_KEPT	4096

/* Whether a node has sent more messages with blocks than honest ones do. */
static inline bool scatter_portal_is_full(u32 window, const struct scatter_portal_node *node)
{
	return node->kept > 2 * window + SCATTER_PORTAL_KEPT;
}

/* Rulings that a node keeps at most. */
#define SCATTER_PORTAL_RULINGS	256

/**
 * struct scatter_portal_ruling - the verdict on an operation that nobody here has called yet
 * @entry: in scatter_portal.rulings
 * @number: the operation's number
 * @error: -errno
 * @culprit: the rank that caused @error
 */
struct scatter_portal_ruling {
	struct list_head entry;
	u64 number;
	int error;
	u32 culprit;
};

/**
 * struct scatter_portal - the part of a group on other nodes
 * @by_id: portals_lock; in the table of portals
 * @serial: portals_lock; grows from group to group
 * @group: constant; the portal's group; holds no reference
 * @node: constant; this node
 * @net: constant; the node's network namespace, which a group without a name holds for itself
 * @registrar: constant; id of the node that keeps the name; 0: there is no name
 * @relied: group lock; the registrar, until the group has formed
 * @tokens: group lock; of the JOINs of own members, by rank; NULL: nobody has joined by name
 * @given_up: group lock; ranks whose members have gone before the group has formed, as long as the
 *	registrar has not been told
 * @error: group lock; -errno: the group will never form
 * @formed: group lock; what the registrar says of the whole group
 * @runs: group lock until the group has formed; where all ranks are
 * @nr_runs: group lock; how many @runs have come
 * @nr_nodes: group lock until the group has formed, constant then; the same holds for all fields
 *	below that name no lock
 * @self: this node's index in @nodes
 * @nodes: by id: the first is the home
 * @where: index in @nodes, by rank
 * @parent: index in @nodes of the parent in the tree; at the home its own index
 * @children: indices in @nodes of the children in the tree
 * @nr_children: how many children
 * @order: all ranks by node, then by rank
 * @begin: by node, and one more: index in @order of the node's first rank
 * @owners: indices in @nodes of the nodes that have ranks; with sides: those of side 0, and
 *	@nr_nodes behind them those of side 1
 * @nr_owners: how many nodes, of each side
 * @moving: held while nodes speak of operations; nests in a hub's lock, outside of the group lock
 * @slots: @moving; what nodes have said of each operation under way, by number
 * @told_slots: @moving; how many slots there are because of a FACT
 * @packed: @moving; bytes that members here have packed for other nodes
 * @ends: group lock; for each rank that is gone: the first operation that the rank has not called
 * @stopped: group lock; ranks that call no operation from @ends on, since the group is broken
 * @refused: group lock; the first operation that a member here has been refused; U64_MAX: none
 * @mismatch: group lock; the operation about which members disagreed; U64_MAX: none
 * @mismatched: group lock; the rank that differed
 * @absent: group lock; members here that are gone, of those that the group had when it formed
 * @assembly: this node's part of the group's council, see span/assembly.c; what is inside: @moving
 * @convenes: group lock; something has happened that the council has not heard of
 * @reminds: group lock; a node has become tied that has not got earlier messages of the council
 * @orphaned: group lock; the home is lost, and nodes tell each other facts directly
 * @cut: group lock; too few nodes are left for any verdict, or the others go on without this one
 * @judged: group lock; ranks that are gone as verdicts say; the facts may not have come yet
 * @skipped: group lock; all meetings below this number are over, also those that nobody here has
 *	called
 * @skipped_culprit: group lock; the last one of these ended with EPROTO, which this rank caused;
 *	%SCATTER_RANK_ANY: it has ended without this node
 * @abandoned: group lock; the last meeting of which a turn was abandoned; U64_MAX: none
 * @turn: group lock; the turn after that
 * @rulings: group lock; verdicts on operations that nobody here has called yet
 * @nr_rulings: group lock; how many
 * @unruled: group lock; below this number the node has forgotten verdicts on operations that nobody
 *	here had called
 * @introduction: constant; a message for each node of the group that is to come before any other
 *	about the group; NULL: none
 * @introduced: constant; bytes of @introduction
 * @told: group lock; the registrar knows that the name is free
 * @held: group lock; the node holds the group: the home until all ranks are gone, other nodes until
 *	nothing is left to say or to pass on
 * @waiting: group lock; nodes that asked before the group had formed here
 * @reaper: frees the group
 */
struct scatter_portal {
	struct hlist_node by_id;
	u64 serial;
	struct scatter_group *group;
	struct scatter_node *node;
	struct net *net;
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
	u16 *order;
	u32 *begin;
	u16 *owners;
	u32 nr_owners[2];
	struct mutex moving; /* slots */
	struct list_head slots;
	u32 told_slots;
	u64 packed;
	u64 *ends;
	DECLARE_BITMAP(stopped, SCATTER_SIZE_MAX);
	u64 refused;
	u64 mismatch;
	u32 mismatched;
	u32 absent;
	struct scatter_assembly *assembly;
	bool convenes;
	bool reminds;
	bool orphaned;
	bool cut;
	DECLARE_BITMAP(judged, SCATTER_SIZE_MAX);
	u64 skipped;
	s32 skipped_culprit;
	u64 abandoned;
	u32 turn;
	struct list_head rulings;
	u32 nr_rulings;
	u64 unruled;
	void *introduction;
	u32 introduced;
	bool told;
	bool held;
	struct list_head waiting;
	struct work_struct reaper;
};

/**
 * struct scatter_portal_cursor - how far scatter_portal_next() has come
 * @bucket: of the table
 * @serial: 1 more than the serial of the last group visited in @bucket; 0: no group was visited
 */
struct scatter_portal_cursor {
	unsigned int bucket;
	u64 serial;
};

/**
 * struct scatter_portal_waiting - a node that asked before the group had formed here
 * @entry: in scatter_portal.waiting
 * @id: the node's id
 */
struct scatter_portal_waiting {
	struct list_head entry;
	u64 id;
};

int scatter_portal_init(void);
void scatter_portal_exit(void);
void scatter_portal_reap(struct work_struct *reaper);
int scatter_portal_create(struct scatter_group *group, struct scatter_node *node, u64 registrar);
int scatter_portal_tables(struct scatter_portal *portal, u32 nodes, u32 ranks);
void scatter_portal_trim(struct scatter_portal *portal, u32 nodes);
void scatter_portal_free(struct scatter_group *group);
bool scatter_portal_ended_locked(const struct scatter_group *group, u32 rank, u64 number);
bool scatter_portal_admits_locked(struct scatter_group *group, u64 number);
bool scatter_portal_takes_no_more_locked(const struct scatter_group *group, u32 rank, u64 number);
void scatter_portal_rule_locked(struct scatter_group *group, struct scatter_portal_ruling *ruling);
int scatter_portal_recall_locked(struct scatter_group *group, u64 number, u32 *culprit);
struct scatter_group *scatter_portal_find(const struct scatter_node *node, const u64 *id);
struct scatter_group *scatter_portal_show(struct scatter_group *group, const u64 *id);
struct scatter_group *scatter_portal_next(const struct scatter_node *node,
					  struct scatter_portal_cursor *cursor);

#endif /* _SCATTER_PORTAL_H */
