/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_PORTAL_H
#define _SCATTER_PORTAL_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree_types.h>
#include <linux/scatter.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "group/kept.h"
#include "group/sorted.h"
#include "group/spec.h"
#include "masks.h"
#include "wire/wide.h"

struct scatter_assembly;
struct net;
struct scatter_group;
struct scatter_mailer;
struct scatter_meter;
struct scatter_node;
struct scatter_peer;
struct scatter_slot;

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
 * @token: constant; token of a JOIN on the node, perhaps of a JOIN of an older group
 * @first: constant; the node's lowest rank
 * @tie: group lock; enum scatter_portal_tie
 * @fenced: group lock; an administrator has said here that the node is down, for good
 * @denies: group lock; the node has told this node that it has lost this node
 * @accuser: group lock; 1 more than the index of another node that has told this node that the node
 *	is lost, while only the home was believed; 0: none
 * @relied: group lock; the node as a peer, if this node relies on it; NULL: it does not
 * @kept: scatter_portal.moving; the messages of the node with blocks that are kept in slots
 * @nr_owed: scatter_portal.moving; for how many operations this node owes the node a DONE
 * @owed: scatter_portal.moving; bytes that the node has sent in these operations
 * @owed_from: scatter_portal.moving; the first of them
 * @owed_to: scatter_portal.moving; the last of them
 * @owed_since: scatter_portal.moving; when this node began to owe it, in jiffies
 * @slots: scatter_portal.moving; how many slots this node has made because of the node's messages
 * @inquiries: scatter_portal.moving; for how many operations the node was the first to ask why
 *	members wait
 * @mismatches: group lock; home: how many MISMATCHes of the node this node has told others
 * @meter: constant; counts the bytes that the node may READ and has not read
 * @losing: group lock; the loss of the node waits in the backlog
 * @fencing: group lock; likewise, and an administrator says so
 * @deferred: scatter_portal.deferring; how many messages of the node wait in the backlog
 * @deferred_bytes: scatter_portal.deferring; how much memory these take
 * @doing: how many messages of the node wait in the backlog, or are being handled from there
 * @overrun: the node has sent more than this node can keep while the group's lock was taken:
 *	nothing more that it sends about the group is looked at
 */
struct scatter_portal_node {
	u64 id;
	u64 incarnation;
	u64 token;
	u32 first;
	enum scatter_portal_tie tie;
	bool fenced;
	bool denies;
	u32 accuser;
	struct scatter_peer *relied;
	struct scatter_kept kept;
	u32 nr_owed;
	u64 owed;
	u64 owed_from;
	u64 owed_to;
	unsigned long owed_since;
	u32 slots;
	u32 inquiries;
	u32 mismatches;
	struct scatter_meter *meter;
	bool losing;
	bool fencing;
	u32 deferred;
	u64 deferred_bytes;
	atomic_t doing;
	bool overrun;
};

/* Rulings that a node keeps at most. */
#define SCATTER_PORTAL_RULINGS	256

/**
 * struct scatter_portal_ruling - the verdict on an operation that no member here has called yet
 * @entry: in scatter_portal.rulings
 * @number: the operation's number
 * @terms: digest of what members elsewhere have called; 0: not known
 * @error: -errno
 * @culprit: the rank that caused @error
 */
struct scatter_portal_ruling {
	struct list_head entry;
	u64 number;
	u64 terms;
	int error;
	u32 culprit;
};

/**
 * struct scatter_portal_described - what nodes tell each other about an operation
 * @spec: what members here have asked for; no blocks: nothing yet
 * @head: as of scatter_slot_describe(), but for the number
 */
struct scatter_portal_described {
	struct scatter_spec spec;
	struct scatter_wide_bundle head;
};

/**
 * struct scatter_portal - the part of a group on other nodes
 * @by_id: portals_lock; in the table of portals
 * @sorted: portals_lock; in the tree of portals; the owner is @node
 * @group: constant; the portal's group; holds no reference
 * @node: constant; this node
 * @mailer: constant; counts the group's mail
 * @net: constant; the node's network namespace, which a group without a name holds for itself
 * @window: constant; the window of this node's own groups
 * @known: constant; how many nodes this node knew, with itself, when the portal was made
 * @registrar: constant; id of the node that keeps the name; 0: there is no name
 * @relied: group lock; the registrar, until the group has formed
 * @tokens: group lock; tokens of the JOINs of members here, by rank; NULL: the group has no name
 * @given_up: group lock; ranks whose members went before the group formed, until the registrar has
 *	been told
 * @error: group lock; -errno: the group will never form
 * @formed: group lock; what the registrar says of the whole group
 * @runs: group lock until the group has formed; where all ranks are
 * @nr_runs: group lock; how many @runs have come
 * @nr_nodes: group lock until the group has formed, constant then; the same holds for all fields
 *	below that name no lock
 * @self: this node's index in @nodes
 * @nodes: by id: the first is the home
 * @where: index in @nodes, by rank
 * @parent: index in @nodes of this node's parent in the tree of barriers; at the home @self
 * @children: indices in @nodes of this node's children in the tree of barriers
 * @nr_children: how many children
 * @order: all ranks by node, then by rank
 * @begin: by node, and one more: index in @order of the node's first rank
 * @owners: indices in @nodes of the nodes that have ranks; with sides: those of side 0, and
 *	@nr_nodes behind them those of side 1
 * @nr_owners: how many nodes, of each side
 * @moving: held while this node handles what nodes say of operations; nests outside the group lock.
 *	Only the tasks of members wait for it; handlers of messages, which hold a hub's lock, and
 *	work items try it: see backlog.c
 * @deferring: protects @backlog
 * @backlog: what handlers have left to be done, in order
 * @deferred: does what is in @backlog
 * @settling: group lock; @backlog has an item that does what has become due
 * @settles_all: group lock; that is done for all operations
 * @slots: @moving; what nodes have said of each operation under way, by number
 * @open: @moving; the slots of operations that this node has not ended, by number
 * @told_slots: @moving; how many slots there are because of a FACT of the home
 * @failed: @moving; struct scatter_failed of operations that have failed and that this node has
 *	passed, and of which it may have to tell other nodes, by number
 * @vain_end: @moving; one more than the last operation that this node has passed without all that
 *	it needed: the operation has failed, or all members are gone
 * @owed_due: @moving; when members here have called this operation, a DONE is late that this node
 *	owes; U64_MAX: it owes none
 * @owing: sends the DONEs that have been late for long enough
 * @packed: @moving; bytes that members here have packed for other nodes
 * @ahead: @moving; bytes that this node has asked for before the turn of their blocks, and that
 *	takers have not begun to take
 * @described: @moving; the last operation but a scatter, and the last scatter, that members here
 *	have called
 * @spares: @moving; slots that have been used and have trees, the last one first
 * @nr_spares: @moving; how many of them there are
 * @ends: group lock; for each rank that is gone: the first operation that the rank has not called
 * @stopped: group lock; ranks that call no operation from @ends on, since the group is broken
 * @unexplained: group lock; ranks have @stopped, and this node does not know yet why the group is
 *	broken
 * @refused: group lock; the first operation that was refused to a member here; U64_MAX: none
 * @mismatch: group lock; the operation about which members disagreed; U64_MAX: none
 * @mismatched: group lock; the rank that differed
 * @deaf_from: written under group lock; the first operation of which this node has dropped a
 *	message, see scatter_fact_overrun(); U64_MAX: none
 * @absent: group lock; members here that are gone, of those that the group had when it formed
 * @assembly: this node's part of the group's council, see span/assembly.c; @moving protects the
 *	fields of the assembly
 * @convenes: group lock; an event has happened of which the council has not heard
 * @reminds: group lock; a node has become tied that has missed earlier messages of the council
 * @orphaned: group lock; the home is lost, and nodes tell each other facts directly
 * @cut: group lock; too few nodes are left for any verdict, or the others go on without this one
 * @evicted: group lock; the others go on without this one: @cut for good
 * @withdrawn: group lock; the last meeting to which this node had contributed when it became @cut;
 *	U64_MAX: none
 * @withdrawn_turn: group lock; the turn of that
 * @withdrawn_op: group lock; what this node contributed first in that turn
 * @brought: group lock; the meeting to which this node has contributed last, until the verdict
 *	comes; U64_MAX: none
 * @brought_turn: group lock; the turn of that
 * @brought_op: group lock; what members here had called
 * @keeps: written under @moving and group lock, read under either; the turn that was @withdrawn has
 *	a verdict, which this node keeps for its members, see span/verdict.c
 * @judged: group lock; ranks that are gone as verdicts say; the facts may come later
 * @skipped: group lock; all meetings below this number are over, also those that no member here has
 *	called
 * @skipped_culprit: group lock; the rank that caused EPROTO in the last of these meetings;
 *	%SCATTER_RANK_ANY: that meeting has ended without this node
 * @abandoned: group lock; number of the last meeting of which a turn was abandoned; U64_MAX: none
 * @turn: group lock; the turn of that meeting that follows
 * @rulings: group lock; verdicts on operations that no member here has called yet
 * @nr_rulings: group lock; how many rulings
 * @unruled: group lock; this node may have dropped rulings on operations below this number
 * @introduction: constant; a message that each node of the group has to get before any other
 *	message about the group; NULL: none
 * @introduced: constant; bytes of @introduction
 * @told: group lock; the registrar knows that the name is free
 * @held: group lock; this node holds a reference on the group, until all ranks are gone and nothing
 *	is left to send or forward
 * @waiting: group lock; nodes that asked before the group had formed here; later, nodes that asked
 *	about the group that a kept verdict is going to make
 * @reaper: frees the group
 */
struct scatter_portal {
	struct hlist_node by_id;
	struct scatter_sorted sorted;
	struct scatter_group *group;
	struct scatter_node *node;
	struct scatter_mailer *mailer;
	struct net *net;
	u32 window;
	u32 known;
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
	spinlock_t deferring; /* backlog */
	struct list_head backlog;
	struct work_struct deferred;
	bool settling;
	bool settles_all;
	struct rb_root slots;
	struct list_head open;
	u32 told_slots;
	struct rb_root failed;
	u64 vain_end;
	u64 owed_due;
	struct delayed_work owing;
	u64 packed;
	u64 ahead;
	struct scatter_portal_described described[2];
	struct list_head spares;
	u32 nr_spares;
	u64 *ends;
	DECLARE_BITMAP(stopped, SCATTER_SIZE_MAX);
	bool unexplained;
	u64 refused;
	u64 mismatch;
	u32 mismatched;
	u64 deaf_from;
	u32 absent;
	struct scatter_assembly *assembly;
	bool convenes;
	bool reminds;
	bool orphaned;
	bool cut;
	bool evicted;
	u64 brought;
	u32 brought_turn;
	u32 brought_op;
	u64 withdrawn;
	u32 withdrawn_turn;
	u32 withdrawn_op;
	bool keeps;
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
void scatter_portal_flush(void);
void scatter_portal_reap(struct work_struct *reaper);
int scatter_portal_create(struct scatter_group *group, struct scatter_node *node, u64 registrar);
int scatter_portal_tables(struct scatter_portal *portal, u32 nodes, u32 ranks);
void scatter_portal_trim(struct scatter_portal *portal, u32 nodes);
bool scatter_portal_defers(const struct scatter_group *group, u32 messages, u64 bytes);
bool scatter_portal_is_full(const struct scatter_group *group, u32 node);
struct scatter_peer *scatter_portal_rely(const struct scatter_group *group, u32 with);
void scatter_portal_unrely(const struct scatter_group *group, struct scatter_peer *peer);
void scatter_portal_free(struct scatter_group *group);
bool scatter_portal_ended_locked(const struct scatter_group *group, u32 rank, u64 number);
bool scatter_portal_admits_locked(struct scatter_group *group, u64 number);
bool scatter_portal_takes_no_more_locked(const struct scatter_group *group, u32 rank, u64 number);
void scatter_portal_rule_locked(struct scatter_group *group, struct scatter_portal_ruling *ruling);
bool scatter_portal_is_vain(struct scatter_group *group, struct scatter_slot *slot);
struct scatter_portal_ruling
scatter_portal_recall_locked(struct scatter_group *group, u64 number);
enum scatter_portal_tie scatter_portal_tie_of(struct scatter_group *group, u32 node);
void scatter_portal_evict_locked(struct scatter_group *group);
void scatter_portal_keep_locked(struct scatter_group *group, bool keeps);
bool scatter_portal_some_keep(void);
u32 scatter_portal_index(const struct scatter_portal *portal, u64 id);
struct scatter_group *scatter_portal_find(const struct scatter_node *node, const u64 *id);
struct scatter_group *scatter_portal_show(struct scatter_group *group, const u64 *id);
struct scatter_group *scatter_portal_next(const struct scatter_node *node, u64 *cursor);

#endif /* _SCATTER_PORTAL_H */
