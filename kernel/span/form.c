// SPDX-License-Identifier: GPL-2.0
/*
 * Forming: how a group on several nodes forms on each node.
 *
 * The registrar sends FORMED, and then PLACES, which tell where all ranks are. Then this node
 * freezes the group's parameters, and asks the home whether it is in the group, too. Members that
 * have gone after they got their seats are dead from the start. If all ranks are on this node, the
 * group has nothing to do with other nodes from then on.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/member.h"
#include "group/news.h"
#include "group/places.h"
#include "group/portal.h"
#include "memory/segment.h"
#include "node/client.h"
#include "node/node.h"
#include "span/assembly.h"
#include "span/attach.h"
#include "span/barrier.h"
#include "span/form.h"
#include "span/replay.h"

/**
 * scatter_form_never() - give a group up that will not form
 * @group: has a portal; referenced
 * @error: -errno for callers that wait
 *
 * The group's members here lose their seats.
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_form_never(struct scatter_group *group, int error)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_peer *relied;
	u32 rank;

	spin_lock(&group->lock);
	if (group->formed || portal->error) {
		spin_unlock(&group->lock);
		return;
	}
	portal->error = error;
	relied = portal->relied;
	portal->relied = NULL;
	for (rank = 0; rank < group->size; rank++)
		if (group->members[rank])
			scatter_group_unseat_locked(group, group->members[rank]);
	spin_unlock(&group->lock);
	scatter_client_unrely(relied);
	scatter_attach_never(group, group->id);
}

/**
 * scatter_form_begin() - handle a FORMED message
 * @node: this node
 * @from: the sender's id
 * @formed: the message
 *
 * Context: may sleep; no locks but a hub's.
 */
void scatter_form_begin(struct scatter_node *node, u64 from,
			const struct scatter_wide_formed *formed)
{
	struct scatter_group *group = scatter_portal_find(node, formed->id);
	struct scatter_portal *portal;
	struct scatter_wide_run *runs;

	if (!group)
		return;
	portal = group->portal;
	/* Only the registrar may send FORMED, and only once. */
	if (portal->registrar != from || portal->runs || formed->size != group->size)
		goto put;
	runs = kvcalloc(formed->runs, sizeof(*runs), GFP_KERNEL_ACCOUNT);
	if (!runs) {
		scatter_form_never(group, -ENOMEM);
		goto put;
	}
	spin_lock(&group->lock);
	portal->formed = *formed;
	portal->runs = runs;
	spin_unlock(&group->lock);
put:
	scatter_group_put(group);
}

static int compare(const void *a, const void *b)
{
	const struct scatter_portal_node *one = a, *other = b;

	if (one->id != other->id)
		return one->id < other->id ? -1 : 1;
	return one->first < other->first ? -1 : 1;
}

/* Sort nodes by id, and keep each node once, with its lowest rank. Returns how many are left. */
static u32 sort_nodes(struct scatter_portal_node *nodes, u32 nr)
{
	u32 i, kept = 0;

	sort(nodes, nr, sizeof(*nodes), compare, NULL);
	for (i = 0; i < nr; i++)
		if (!kept || nodes[kept - 1].id != nodes[i].id)
			nodes[kept++] = nodes[i];
	return kept;
}

/* Fill in the nodes of all runs. */
static int arrange_nodes(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_portal_node *nodes;
	u32 i, nr;
	int error;

	nodes = kvcalloc(portal->nr_runs, sizeof(*nodes), GFP_KERNEL_ACCOUNT);
	if (!nodes)
		return -ENOMEM;
	for (i = 0; i < portal->nr_runs; i++)
		nodes[i] = (struct scatter_portal_node){
			.id = portal->runs[i].node,
			.incarnation = portal->runs[i].incarnation,
			.token = portal->runs[i].token,
			.first = portal->runs[i].first,
		};
	nr = sort_nodes(nodes, portal->nr_runs);
	error = scatter_portal_tables(portal, nr, group->size);
	for (i = 0; i < nr && !error; i++) {
		nodes[i].meter = portal->nodes[i].meter;
		portal->nodes[i] = nodes[i];
	}
	kvfree(nodes);
	return error;
}

/* Make all tables that forming needs, from the registrar's messages. */
static int arrange(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_node_self self;
	int error = arrange_nodes(group);
	u32 i, rank;

	if (error)
		return error;
	for (i = 0; i < portal->nr_runs; i++)
		for (rank = 0; rank < portal->runs[i].count; rank++)
			portal->where[portal->runs[i].first + rank] =
				scatter_portal_index(portal, portal->runs[i].node);
	scatter_node_self(portal->node, &self);
	portal->self = scatter_portal_index(portal, self.id);
	i = portal->self < portal->nr_nodes &&
	    portal->nodes[portal->self].incarnation == self.incarnation;
	memzero_explicit(&self, sizeof(self));
	if (!i)
		return -EHOSTUNREACH;
	scatter_places_arrange(group);
	error = scatter_barrier_tree(group) ?:
		scatter_assembly_create(portal, portal->nr_nodes, group->size);
	if (!error)
		scatter_assembly_begin(group);
	return error;
}

/* Whether a member here has a seat that the registrar has given to another node. */
static bool is_misplaced_locked(const struct scatter_group *group)
{
	u32 rank;

	lockdep_assert_held(&group->lock);
	for (rank = 0; rank < group->size; rank++)
		if (group->members[rank] && group->portal->where[rank] != group->portal->self)
			return true;
	return false;
}

/**
 * scatter_form_absent_locked() - mark members of this node dead that went before the group formed
 * @group: has just formed, with a portal
 *
 * Context: the group's lock is held. The caller has to call scatter_group_unlock() afterwards.
 */
void scatter_form_absent_locked(struct scatter_group *group)
{
	const struct scatter_portal *portal = group->portal;
	u32 rank;

	lockdep_assert_held(&group->lock);
	for (rank = 0; rank < group->size; rank++) {
		if (group->members[rank] || portal->where[rank] != portal->self)
			continue;
		__set_bit(rank, group->dead);
		group->gone++;
		scatter_group_break_locked(group, -ECONNRESET, rank);
	}
	group->portal->convenes = true;
}

/* Freeze the parameters, and mark members of this node dead that have gone. */
static void freeze_locked(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	const struct scatter_wide_formed *formed = &portal->formed;

	lockdep_assert_held(&group->lock);
	group->cost.startup_ns = formed->startup_ns;
	group->cost.gap_ns = formed->gap_ns;
	/* A task that sees @spans set sees the tables of the portal, too. */
	smp_store_release(&group->spans, portal->nr_nodes > 1);
	group->locals = group->joined;
	group->joined = group->size;
	bitmap_fill(group->seated, group->size);
	scatter_group_form_locked(group);
	group->cost.eager_limit = formed->eager_limit;
	group->cost.gather_limit = formed->gather_limit;
	group->window = formed->window;
	group->news = true;
	scatter_form_absent_locked(group);
}

/*
 * Whether this node waits for another node from the start. The home waits for all nodes; each other
 * node waits for the home, and for its neighbours in the tree of barriers. Neighbours in other
 * trees rely on each other as soon as they attach.
 */
static bool is_awaited(const struct scatter_portal *portal, u32 node)
{
	u32 i;

	if (node == portal->self)
		return false;
	if (!node || !portal->self || node == portal->parent)
		return true;
	for (i = 0; i < portal->nr_children; i++)
		if (portal->children[i] == node)
			return true;
	return false;
}

static void rely(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	u32 i;

	for (i = 0; i < portal->nr_nodes; i++)
		if (is_awaited(portal, i))
			scatter_attach_rely(group, i);
}

/**
 * scatter_form_hold_locked() - let the node hold a reference on a group that has formed
 * @group: spans nodes
 *
 * The last member here may go before this node has sent and forwarded all messages.
 *
 * Context: the group's lock is held.
 */
void scatter_form_hold_locked(struct scatter_group *group)
{
	lockdep_assert_held(&group->lock);
	group->portal->held = true;
	scatter_group_get(group);
}

/**
 * scatter_form_meet() - begin to attach to the other nodes of a group that has formed
 * @group: spans nodes; referenced
 *
 * The home asks all nodes, since a node that has not formed would not ask the home.
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_form_meet(struct scatter_group *group)
{
	const struct scatter_portal *portal = group->portal;
	u32 i;

	rely(group);
	for (i = portal->self ? 0 : 1; i < (portal->self ? 1 : portal->nr_nodes); i++)
		scatter_attach_ask(group, i);
}

/**
 * struct scatter_form_answers - the answers to nodes that asked before a group had formed
 * @item: in the group's backlog, if the group's lock is taken
 * @waiting: struct scatter_portal_waiting of these nodes
 */
struct scatter_form_answers {
	struct scatter_backlog_item item;
	struct list_head waiting;
};

/* Tie this node to the nodes that asked, and answer them. Frees @list. */
static void answer_all(struct scatter_group *group, struct list_head *list)
{
	struct scatter_portal_waiting *waiting, *after;
	struct scatter_portal *portal = group->portal;
	u64 from;
	u32 node;

	lockdep_assert_held(&portal->moving);
	list_for_each_entry_safe(waiting, after, list, entry) {
		from = waiting->id;
		kfree(waiting);
		node = scatter_portal_index(portal, from);
		if (node == portal->nr_nodes || !scatter_attach_tie(group, node)) {
			scatter_attach_say(portal->node, from, group->id, 0, SCATTER_WIDE_NEVER);
			continue;
		}
		scatter_attach_say(portal->node, from, group->id, 0, SCATTER_WIDE_ATTACHED);
		if (scatter_replay_is_due(portal, node))
			scatter_replay(group, node);
	}
}

static bool answer(struct scatter_group *group, struct scatter_backlog_item *item)
{
	struct scatter_form_answers *answers = container_of(item, struct scatter_form_answers,
							    item);

	answer_all(group, &answers->waiting);
	kfree(answers);
	return true;
}

/* Take the nodes that asked. */
static void take_waiting(struct scatter_group *asked, struct list_head *list)
{
	spin_lock(&asked->lock);
	list_splice_init(&asked->portal->waiting, list);
	spin_unlock(&asked->lock);
}

/**
 * scatter_form_answer() - answer the nodes that asked before a group had formed
 * @group: the group; spans nodes; referenced
 * @asked: where the nodes wait: @group, or the group of which it was made; referenced
 *
 * Context: may sleep, but waits for no other task; no locks but a hub's, and scatter_portal.moving
 * of another group than @group. The caller has to call scatter_mail_flush() afterwards. Members
 * that have called meanwhile may wait for the ties: nothing that has become due is done here.
 */
void scatter_form_answer(struct scatter_group *group, struct scatter_group *asked)
{
	struct scatter_form_answers *answers = kmalloc(sizeof(*answers), GFP_KERNEL | __GFP_NOFAIL);

	answers->item = (struct scatter_backlog_item){ .from = U32_MAX, .run = answer };
	INIT_LIST_HEAD(&answers->waiting);
	take_waiting(asked, &answers->waiting);
	scatter_backlog_run(group->portal, &answers->item);
}

/* Let the group form, unless it must not. */
static bool freeze(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_peer *relied;

	spin_lock(&group->lock);
	if (portal->error || is_misplaced_locked(group)) {
		spin_unlock(&group->lock);
		return false;
	}
	freeze_locked(group);
	relied = portal->relied;
	portal->relied = NULL;
	if (group->spans)
		scatter_form_hold_locked(group);
	scatter_group_unlock(group);
	scatter_client_unrely(relied);
	return true;
}

static void finish(struct scatter_group *group)
{
	struct scatter_portal *portal = group->portal;
	int error = arrange(group);
	LIST_HEAD(waiting);
	bool locked, fine;

	if (error) {
		scatter_form_never(group, error);
		return;
	}
	/*
	 * A member may call as soon as the group has formed. Its call waits for this lock until the
	 * ties are there, and so sends what it has. No other task takes the lock before.
	 */
	locked = scatter_backlog_trylock(portal);
	fine = freeze(group);
	if (fine && group->spans)
		scatter_form_meet(group);
	if (fine && group->spans && locked) {
		take_waiting(group, &waiting);
		answer_all(group, &waiting);
	}
	if (locked)
		scatter_backlog_unlock(portal);
	if (!fine)
		scatter_form_never(group, -EPROTO);
	else if (group->spans && !locked)
		scatter_form_answer(group, group);
}

/**
 * scatter_form_places() - handle a PLACES message
 * @node: this node
 * @from: the sender's id
 * @places: the message
 *
 * The group forms when the last PLACES has come.
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_mail_flush() afterwards.
 * Return: false: no member here is in that group any more.
 */
bool scatter_form_places(struct scatter_node *node, u64 from,
			 const struct scatter_wide_places *places)
{
	struct scatter_group *group = scatter_portal_find(node, places->id);
	struct scatter_portal *portal;
	bool complete = false;
	u32 next = 0;

	if (!group)
		return false;
	portal = group->portal;
	if (portal->registrar != from) {
		scatter_group_put(group);
		return true;
	}
	spin_lock(&group->lock);
	if (portal->nr_runs)
		next = portal->runs[portal->nr_runs - 1].first +
		       portal->runs[portal->nr_runs - 1].count;
	if (portal->runs && !group->formed &&
	    places->runs[0].first == next &&
	    places->count <= portal->formed.runs - portal->nr_runs) {
		memcpy(&portal->runs[portal->nr_runs], places->runs,
		       places->count * sizeof(*places->runs));
		portal->nr_runs += places->count;
		next = places->runs[places->count - 1].first +
		       places->runs[places->count - 1].count;
		complete = portal->nr_runs == portal->formed.runs;
	} else {
		next = 0;
	}
	spin_unlock(&group->lock);
	if (complete && next == group->size)
		finish(group);
	else if (complete || !next)
		scatter_form_never(group, -EPROTO);
	scatter_group_put(group);
	return true;
}
