// SPDX-License-Identifier: GPL-2.0
/*
 * Portals: the part of a group on other nodes, and the table in which handlers of messages look
 * groups up.
 *
 * The table holds no reference. A group enters the table, with the id that the registrar has given
 * the group, when the group's first member on this node gets a seat.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/once.h>
#include <linux/rbtree.h>
#include <linux/siphash.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "group/failed.h"
#include "group/group.h"
#include "group/portal.h"
#include "group/slot.h"
#include "group/sorted.h"
#include "memory/mailer.h"
#include "memory/segment.h"
#include "node/client.h"
#include "node/node.h"
#include "param.h"

/*
 * Messages of one node that a group keeps at most, beyond two for each operation of a window, in a
 * group on two nodes. An honest node sends less: its members pack at most 1 MiB for a group, and
 * few messages are nearly empty.
 */
#define SCATTER_PORTAL_KEPT	4096
/*
 * How many more for each further node of the group. A node forwards what members of other nodes
 * have packed, 1 MiB on each node, in messages that have a quarter of the longest payload or more
 * on average, see scatter_chunks_share().
 */
#define SCATTER_PORTAL_FORWARDED	DIV_ROUND_UP(SZ_1M, SCATTER_WIDE_PAYLOAD_MAX / 4)
/*
 * How much memory the messages of one node take at most that wait until they are handled, in a
 * group on two nodes; how much more for each further node; and how much in all. An honest node
 * packs 1 MiB, in messages that may take four times that, and is asked for 9 MiB at a time. Small
 * messages take 3 MiB.
 */
#define SCATTER_PORTAL_DEFERRED		((u64)SZ_16M)
#define SCATTER_PORTAL_DEFERRED_NODE	((u64)SZ_8M)
#define SCATTER_PORTAL_DEFERRED_MOST	((u64)SZ_64M)

static DEFINE_HASHTABLE(portals, 8);
static DEFINE_SPINLOCK(portals_lock);
/* The same portals, sorted for those that visit all groups of a node. */
static struct rb_root sorted = RB_ROOT;
/* The serial of the group that was added last. */
static u64 last_serial;

/* How many groups keep a verdict: a peer that asks about unknown groups has not all visited. */
static atomic_t nr_keeping;

static struct workqueue_struct *reapers;

/**
 * scatter_portal_init() - allow groups on several nodes from now on
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int __init scatter_portal_init(void)
{
	reapers = alloc_workqueue("scatter_reaper", WQ_UNBOUND, 0);
	return reapers ? 0 : -ENOMEM;
}

/**
 * scatter_portal_flush() - wait until the groups are freed whose last references have been put
 *
 * Context: may sleep; no locks.
 */
void scatter_portal_flush(void)
{
	flush_workqueue(reapers);
}

/**
 * scatter_portal_exit() - wait until all groups are freed
 *
 * Context: may sleep; no group has references any more.
 */
void scatter_portal_exit(void)
{
	destroy_workqueue(reapers);
}

/**
 * scatter_portal_reap() - free a group in a work item
 * @reaper: frees the group
 *
 * Context: any.
 */
void scatter_portal_reap(struct work_struct *reaper)
{
	queue_work(reapers, reaper);
}

/**
 * scatter_portal_create() - give a group a portal
 * @group: has its size, if it has a name; nobody else knows the group
 * @node: this node
 * @registrar: id of the node that keeps the group's name; 0: the group has no name, and comes from
 *	an older group
 *
 * The caller has to call scatter_backlog_prepare() and scatter_done_prepare() afterwards.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int scatter_portal_create(struct scatter_group *group, struct scatter_node *node, u64 registrar)
{
	struct scatter_portal *portal = kzalloc(sizeof(*portal), GFP_KERNEL_ACCOUNT);

	if (!portal)
		return -ENOMEM;
	portal->mailer = scatter_mailer_create();
	if (!portal->mailer)
		goto free;
	if (registrar) {
		portal->tokens = kvcalloc(group->size, sizeof(*portal->tokens),
					  GFP_KERNEL_ACCOUNT);
		if (!portal->tokens)
			goto free;
	}
	portal->group = group;
	portal->node = node;
	portal->registrar = registrar;
	portal->window = READ_ONCE(scatter_param_window);
	portal->known = READ_ONCE(node->nr_peers) + 1;
	INIT_LIST_HEAD(&portal->spares);
	portal->mismatch = U64_MAX;
	portal->deaf_from = U64_MAX;
	portal->owed_due = U64_MAX;
	portal->refused = U64_MAX;
	portal->abandoned = U64_MAX;
	portal->withdrawn = U64_MAX;
	portal->brought = U64_MAX;
	portal->told = !registrar;
	INIT_LIST_HEAD(&portal->waiting);
	portal->slots = RB_ROOT;
	INIT_LIST_HEAD(&portal->open);
	portal->failed = RB_ROOT;
	INIT_LIST_HEAD(&portal->rulings);
	mutex_init(&portal->moving);
	spin_lock_init(&portal->deferring);
	INIT_LIST_HEAD(&portal->backlog);
	group->portal = portal;
	return 0;
free:
	scatter_mailer_put(portal->mailer);
	kfree(portal);
	return -ENOMEM;
}

/**
 * scatter_portal_tables() - allocate a portal's tables of nodes and ranks
 * @portal: portal of a group that has not formed
 * @nodes: upper bound of the number of nodes of the group
 * @ranks: upper bound of the number of members of the group
 *
 * Each node gets a meter of what it may READ.
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM: scatter_portal_free() frees what there is.
 */
int scatter_portal_tables(struct scatter_portal *portal, u32 nodes, u32 ranks)
{
	portal->nodes = kvcalloc(nodes, sizeof(*portal->nodes), GFP_KERNEL_ACCOUNT);
	portal->where = kvcalloc(ranks, sizeof(*portal->where), GFP_KERNEL_ACCOUNT);
	portal->ends = kvcalloc(ranks, sizeof(*portal->ends), GFP_KERNEL_ACCOUNT);
	portal->order = kvcalloc(ranks, sizeof(*portal->order), GFP_KERNEL_ACCOUNT);
	portal->begin = kvcalloc(nodes + 1, sizeof(*portal->begin), GFP_KERNEL_ACCOUNT);
	/* One table for each side. */
	portal->owners = kvcalloc(2 * nodes, sizeof(*portal->owners), GFP_KERNEL_ACCOUNT);
	if (!portal->nodes || !portal->where || !portal->ends || !portal->order ||
	    !portal->begin || !portal->owners)
		return -ENOMEM;
	for (; portal->nr_nodes < nodes; portal->nr_nodes++) {
		portal->nodes[portal->nr_nodes].meter = scatter_segment_meter();
		if (!portal->nodes[portal->nr_nodes].meter)
			return -ENOMEM;
	}
	return 0;
}

/**
 * scatter_portal_trim() - set the number of nodes of a group that is on fewer nodes than expected
 * @portal: portal of a group that has not formed, after scatter_portal_tables()
 * @nodes: how many
 *
 * Context: any.
 */
void scatter_portal_trim(struct scatter_portal *portal, u32 nodes)
{
	while (portal->nr_nodes > nodes)
		scatter_segment_unmeter(portal->nodes[--portal->nr_nodes].meter);
}

/*
 * How many nodes there are. The registrar says so, and may lie: this node knows all nodes of an
 * honest group.
 */
static u32 known_nodes(const struct scatter_portal *portal)
{
	return clamp(portal->nr_nodes, 2U, max(portal->known, 2U));
}

/* How many messages nodes may send ahead of another node. */
static u32 ahead(const struct scatter_portal *portal, u32 window)
{
	return 2 * window + SCATTER_PORTAL_KEPT +
	       (known_nodes(portal) - 2) * SCATTER_PORTAL_FORWARDED;
}

/*
 * How many messages this node may send ahead of another node. The registrar has chosen the group's
 * window, too: this node's own one is the limit.
 */
static s64 ahead_of(const struct scatter_group *group)
{
	return ahead(group->portal, min(group->window, group->portal->window));
}

/**
 * scatter_portal_defers() - whether one more message of another node can wait until it is handled
 * @group: formed, and spans nodes
 * @messages: how many messages of the node wait already
 * @bytes: how much memory they take, with this one
 *
 * Nearly empty messages count, too: an honest node sends at most two for each operation of the
 * window, and few besides.
 *
 * Context: any.
 */
bool scatter_portal_defers(const struct scatter_group *group, u32 messages, u64 bytes)
{
	u64 further = known_nodes(group->portal) - 2;

	return messages < ahead(group->portal, group->window) &&
	       bytes <= min(SCATTER_PORTAL_DEFERRED + further * SCATTER_PORTAL_DEFERRED_NODE,
			    SCATTER_PORTAL_DEFERRED_MOST);
}

/**
 * scatter_portal_is_full() - whether more messages with blocks are kept than honest nodes send
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @node: index of the node that has sent the messages
 *
 * Context: any.
 */
bool scatter_portal_is_full(const struct scatter_group *group, u32 node)
{
	const struct scatter_portal *portal = group->portal;

	return portal->nodes[node].kept.messages > ahead(portal, group->window);
}

/**
 * scatter_portal_rely() - begin to rely on another node of a group
 * @group: formed, and spans nodes
 * @with: the other node's index
 *
 * Context: any.
 * Return: the node as a peer, for scatter_portal_unrely(); NULL: it is no peer, or there is no wire
 */
struct scatter_peer *scatter_portal_rely(const struct scatter_group *group, u32 with)
{
	struct scatter_peer *peer = scatter_client_rely(group->portal->node,
							group->portal->nodes[with].id);

	if (peer)
		scatter_client_run_ahead(peer, ahead_of(group));
	return peer;
}

/**
 * scatter_portal_unrely() - rely on another node of a group no longer
 * @group: formed, and spans nodes
 * @peer: from scatter_portal_rely(); NULL is ignored
 *
 * Context: any.
 */
void scatter_portal_unrely(const struct scatter_group *group, struct scatter_peer *peer)
{
	if (peer)
		scatter_client_run_ahead(peer, -ahead_of(group));
	scatter_client_unrely(peer);
}

/**
 * scatter_portal_free() - free the portal of a group
 * @group: a group without references; need not have a portal
 *
 * Context: may sleep; no locks.
 */
void scatter_portal_free(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_ruling *ruling, *after;
	struct scatter_portal_waiting *waiting, *next;
	u32 i;

	if (!portal)
		return;
	cancel_delayed_work_sync(&portal->owing);
	WARN_ON_ONCE(!list_empty(&portal->backlog));
	spin_lock(&portals_lock);
	if (hash_hashed(&portal->by_id)) {
		rb_erase(&portal->sorted.rb, &sorted);
		hash_del(&portal->by_id);
	}
	spin_unlock(&portals_lock);
	scatter_client_unrely(portal->relied);
	for (i = 0; i < portal->nr_nodes; i++) {
		scatter_portal_unrely(group, portal->nodes[i].relied);
		scatter_segment_unmeter(portal->nodes[i].meter);
	}
	if (portal->net)
		put_net(portal->net);
	if (portal->keeps)
		atomic_dec(&nr_keeping);
	list_for_each_entry_safe(waiting, next, &portal->waiting, entry)
		kfree(waiting);
	list_for_each_entry_safe(ruling, after, &portal->rulings, entry)
		kfree(ruling);
	scatter_slot_free_all(group);
	scatter_failed_forget(&portal->failed, U64_MAX);
	kvfree(portal->tokens);
	kvfree(portal->runs);
	kvfree(portal->nodes);
	kvfree(portal->where);
	kvfree(portal->order);
	kvfree(portal->begin);
	kvfree(portal->owners);
	kvfree(portal->ends);
	kvfree(portal->assembly);
	kvfree(portal->introduction);
	scatter_mailer_put(portal->mailer);
	kfree(portal);
	group->portal = NULL;
}

/**
 * scatter_portal_index() - find a node in a group
 * @portal: the group's; its table of nodes is complete
 * @id: the node's id
 *
 * Context: any.
 * Return: the node's index; scatter_portal.nr_nodes: the node is not in the group.
 */
u32 scatter_portal_index(const struct scatter_portal *portal, u64 id)
{
	u32 low = 0, high = portal->nr_nodes;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (portal->nodes[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < portal->nr_nodes && portal->nodes[low].id == id ? low : portal->nr_nodes;
}

/*
 * The bucket of a group. The registrar has chosen the id, and may lie: it cannot choose groups that
 * all have one bucket.
 */
static u64 hash_of(const u64 *id)
{
	static siphash_aligned_key_t secret;

	get_random_once(&secret, sizeof(secret));
	return siphash_1u64(id[0], &secret);
}

static struct scatter_group *find_locked(const struct scatter_node *node, const u64 *id)
{
	struct scatter_portal *portal;

	lockdep_assert_held(&portals_lock);
	hash_for_each_possible(portals, portal, by_id, hash_of(id))
		if (portal->node == node &&
		    !memcmp(portal->group->id, id, sizeof(portal->group->id)) &&
		    kref_get_unless_zero(&portal->group->ref))
			return portal->group;
	return NULL;
}

/**
 * scatter_portal_ended_locked() - whether a rank on another node has not called an operation and
 *	never will
 * @group: formed, and spans nodes
 * @rank: on another node
 * @number: the operation's number
 *
 * Context: the group's lock is held.
 */
bool scatter_portal_ended_locked(const struct scatter_group *group, u32 rank, u64 number)
{
	const struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (!test_bit(rank, group->dead) && !test_bit(rank, group->left) &&
	    !test_bit(rank, portal->stopped))
		return false;
	return portal->ends[rank] <= number;
}

/**
 * scatter_portal_admits_locked() - whether an operation may begin here though the group is broken
 * @group: formed, spans nodes, and broken
 * @number: the operation's number
 *
 * The operation may begin if all ranks that are gone, or call no operations any more, have called
 * it, and no node is lost: on one node the operation would have begun in that case. Once a member
 * here is refused an operation, no member here is admitted to that operation later.
 *
 * Context: the group's lock is held.
 */
bool scatter_portal_admits_locked(struct scatter_group *group, u64 number)
{
	struct scatter_portal *portal = group->portal;
	bool admits = number < min(group->doom_from, portal->refused);
	u32 rank;

	lockdep_assert_held(&group->lock);
	for (rank = 0; admits && rank < group->size; rank++)
		admits = portal->nodes[portal->where[rank]].tie != SCATTER_PORTAL_GONE &&
			 !scatter_portal_ended_locked(group, rank, number);
	if (!admits)
		portal->refused = min(portal->refused, number);
	return number < portal->refused;
}

/**
 * scatter_portal_takes_no_more_locked() - whether a rank on another node takes nothing in an
 *	operation any more
 * @group: formed, and spans nodes
 * @rank: on another node
 * @number: the operation's number
 *
 * Context: the group's lock is held.
 */
bool scatter_portal_takes_no_more_locked(const struct scatter_group *group, u32 rank, u64 number)
{
	return test_bit(rank, group->dead) || test_bit(rank, group->left) ||
	       scatter_portal_ended_locked(group, rank, number);
}

/**
 * scatter_portal_rule_locked() - keep the verdict on an operation that no member here has called
 * @group: formed, and spans nodes
 * @ruling: the verdict; freed if the node keeps too many
 *
 * Context: the group's lock is held.
 */
void scatter_portal_rule_locked(struct scatter_group *group, struct scatter_portal_ruling *ruling)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	if (portal->nr_rulings == SCATTER_PORTAL_RULINGS) {
		portal->unruled = max(portal->unruled, ruling->number + 1);
		kfree(ruling);
		return;
	}
	list_add_tail(&ruling->entry, &portal->rulings);
	portal->nr_rulings++;
}

static struct scatter_portal_ruling *find_ruling_locked(const struct scatter_group *group,
							u64 number)
{
	struct scatter_portal_ruling *ruling;

	lockdep_assert_held(&group->lock);
	list_for_each_entry(ruling, &group->portal->rulings, entry)
		if (ruling->number == number)
			return ruling;
	return NULL;
}

/**
 * scatter_portal_is_vain() - whether the blocks that come for an operation are dropped
 * @group: formed, and spans nodes; scatter_portal.moving is held
 * @slot: the operation's slot
 *
 * The verdict that an operation has failed may have come before the blocks.
 *
 * Context: takes the group's lock.
 */
bool scatter_portal_is_vain(struct scatter_group *group, struct scatter_slot *slot)
{
	lockdep_assert_held(&group->portal->moving);
	if (slot->emptied || !READ_ONCE(group->portal->nr_rulings))
		return slot->emptied;
	spin_lock(&group->lock);
	slot->emptied = find_ruling_locked(group, slot->number);
	spin_unlock(&group->lock);
	return slot->emptied;
}

/**
 * scatter_portal_recall_locked() - take the verdict on an operation out of the kept ones
 * @group: formed, and spans nodes
 * @number: number of an operation that a member here calls now
 *
 * Context: the group's lock is held.
 * Return: the ruling; error 0: as far as this node knows, the operation has not ended. See
 * scatter_portal.unruled.
 */
struct scatter_portal_ruling
scatter_portal_recall_locked(struct scatter_group *group, u64 number)
{
	struct scatter_portal_ruling found = { .culprit = SCATTER_RANK_ANY };
	struct scatter_portal_ruling *ruling = find_ruling_locked(group, number);

	lockdep_assert_held(&group->lock);
	if (!ruling)
		return found;
	found = *ruling;
	list_del(&ruling->entry);
	group->portal->nr_rulings--;
	kfree(ruling);
	return found;
}

/**
 * scatter_portal_tie_of() - find how a node takes part in the group, for all that this node knows
 * @group: formed, and spans nodes
 * @node: the node's index; this node is gone if it is lost to the others
 *
 * Context: any; takes the group's lock.
 */
enum scatter_portal_tie scatter_portal_tie_of(struct scatter_group *group, u32 node)
{
	enum scatter_portal_tie tie;

	spin_lock(&group->lock);
	tie = group->portal->nodes[node].tie;
	spin_unlock(&group->lock);
	return tie;
}

/**
 * scatter_portal_evict_locked() - note that the other nodes go on without this one
 * @group: formed, and spans nodes
 *
 * Context: the group's lock is held. The caller has to call scatter_convene() afterwards.
 */
void scatter_portal_evict_locked(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;

	lockdep_assert_held(&group->lock);
	portal->convenes |= !portal->evicted;
	portal->cut = true;
	portal->evicted = true;
}

/**
 * scatter_portal_keep_locked() - note that a node keeps a verdict for its members, or no longer
 * @group: formed, and spans nodes
 * @keeps: whether it does; see scatter_portal.keeps
 *
 * Context: the group's lock is held.
 */
void scatter_portal_keep_locked(struct scatter_group *group, bool keeps)
{
	lockdep_assert_held(&group->lock);
	if (keeps != group->portal->keeps)
		atomic_add(keeps ? 1 : -1, &nr_keeping);
	WRITE_ONCE(group->portal->keeps, keeps);
}

/**
 * scatter_portal_some_keep() - whether any group keeps a verdict
 *
 * Context: any.
 */
bool scatter_portal_some_keep(void)
{
	return atomic_read(&nr_keeping);
}

/**
 * scatter_portal_find() - look up a group that is on several nodes
 * @node: this node
 * @id: the group's id
 *
 * Context: any; takes portals_lock.
 * Return: the group, for scatter_group_put(); NULL if the group has no member here any more or
 * never had.
 */
struct scatter_group *scatter_portal_find(const struct scatter_node *node, const u64 *id)
{
	struct scatter_group *group;

	spin_lock(&portals_lock);
	group = find_locked(node, id);
	spin_unlock(&portals_lock);
	return group;
}

/**
 * scatter_portal_show() - add a group to the table of portals, unless another group has the id
 * @group: has a portal; no other task knows the group
 * @id: the id that the group gets
 *
 * Context: any; takes portals_lock.
 * Return: NULL; or the group that has the id, for scatter_group_put().
 */
struct scatter_group *scatter_portal_show(struct scatter_group *group, const u64 *id)
{
	struct scatter_group *other;

	spin_lock(&portals_lock);
	other = find_locked(group->portal->node, id);
	if (!other) {
		memcpy(group->id, id, sizeof(group->id));
		scatter_sorted_add(&sorted, &group->portal->sorted, group->portal->node,
				   ++last_serial);
		hash_add(portals, &group->portal->by_id, hash_of(id));
	}
	spin_unlock(&portals_lock);
	return other;
}

/**
 * scatter_portal_next() - visit the groups of a node that are on several nodes
 * @node: this node
 * @cursor: (in, out) how far the caller has come; 0 at first
 *
 * Visits each group once, but leaves out groups that come meanwhile. Groups of other nodes cost no
 * time.
 *
 * Context: any; takes portals_lock.
 * Return: a group, for scatter_group_put(); NULL: there are no more groups.
 */
struct scatter_group *scatter_portal_next(const struct scatter_node *node, u64 *cursor)
{
	struct scatter_group *group = NULL;
	struct scatter_sorted *entry;

	spin_lock(&portals_lock);
	while (!group && (entry = scatter_sorted_next(&sorted, node, cursor))) {
		group = container_of(entry, struct scatter_portal, sorted)->group;
		if (!kref_get_unless_zero(&group->ref))
			group = NULL;
	}
	spin_unlock(&portals_lock);
	return group;
}
