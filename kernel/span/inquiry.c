// SPDX-License-Identifier: GPL-2.0
/*
 * Inquiries: nodes find out why their members wait in an operation for a long time.
 *
 * Members on different nodes may call different operations, so that all of them wait and no message
 * shows the difference. And a node does not see which members of other nodes have not called. So a
 * node whose member has waited for a while asks the home: WAIT tells what that member has called.
 * The home compares, and asks all other nodes. A node whose members have called something else
 * names one of its own members by a fact. The other nodes answer with MISSING, the ranks of their
 * members that have not called. The home collects the answers, and passes them on to the nodes that
 * have asked.
 *
 * Each pause between two questions about an operation is twice as long as the pause before. So
 * operations that go on cost nothing, and a long wait costs little.
 */
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "group/backlog.h"
#include "group/group.h"
#include "group/member.h"
#include "group/portal.h"
#include "group/slot.h"
#include "group/spec.h"
#include "node/mail.h"
#include "operation/operation.h"
#include "span/attach.h"
#include "span/fact.h"
#include "span/flow.h"
#include "span/inquiry.h"
#include "wire/wide_build.h"

/* How long a member waits before its node asks, and the longest pause between two questions. */
#define SCATTER_INQUIRY_FIRST_MS	50
#define SCATTER_INQUIRY_MOST_MS		800
/* The home hears a node about an operation at most once in this time. */
#define SCATTER_INQUIRY_REST_MS		10
/* Most operations of a group about which a node may ask the home at a time. */
#define SCATTER_INQUIRY_NODE_MAX	16

static_assert(SCATTER_WIDE_ROOT_ANY == SCATTER_NO_RANK);
static_assert(SCATTER_WIDE_MASK_WORDS == SCATTER_MASK_WORDS);

/* Saying ------------------------------------------------------------------- */

static void say(struct scatter_group *group, u32 to, const void *raw, u32 bytes)
{
	const struct scatter_portal *portal = group->portal;
	u64 id = portal->nodes[to].id;

	scatter_mail_count_wait(portal->node, id);
	scatter_mail_post(portal->node, portal->mailer, id, raw, bytes);
}

static void say_wait(struct scatter_group *group, u32 to, const struct scatter_wide_wait *wide)
{
	struct scatter_raw_wait raw;

	scatter_wide_build_wait(&raw, 0, wide);
	say(group, to, &raw, sizeof(raw));
}

static void say_missing(struct scatter_group *group, u32 to,
			const struct scatter_wide_missing *wide)
{
	struct scatter_raw_missing raw;

	scatter_wide_build_missing(&raw, 0, wide);
	say(group, to, &raw, sizeof(raw));
}

/* What members here have called -------------------------------------------- */

static void describe_locked(const struct scatter_operation *operation, u32 rank,
			    struct scatter_wide_wait *wide)
{
	const struct scatter_spec *spec = &operation->spec;

	lockdep_assert_held(&operation->group->lock);
	*wide = (struct scatter_wide_wait){
		.id = { operation->group->id[0], operation->group->id[1] },
		.number = operation->number,
		.asked = scatter_spec_digest(spec),
		.block = spec->idle ? 0 : spec->block,
		.root = spec->idle ? SCATTER_WIDE_ROOT_ANY : spec->root,
		.rank = rank,
	};
}

/* Find an operation that members here have called, and that goes on. */
static struct scatter_operation *find_called_locked(struct scatter_group *group, u64 number)
{
	struct scatter_operation *operation = scatter_operation_find_locked(group, number);

	lockdep_assert_held(&group->lock);
	if (!operation || !operation->posted || operation->error ||
	    operation->parts[group->size].state == SCATTER_PART_CLOSED)
		return NULL;
	return operation;
}

static bool differs(const struct scatter_wide_wait *a, const struct scatter_wide_wait *b)
{
	if (a->asked != b->asked)
		return true;
	if (a->root == SCATTER_WIDE_ROOT_ANY || b->root == SCATTER_WIDE_ROOT_ANY)
		return false;
	return a->root != b->root || a->block != b->block;
}

/* If members here have called another operation than a WAIT tells, name one of them. */
static bool disagrees(struct scatter_group *group, const struct scatter_wide_wait *wide)
{
	struct scatter_operation *operation;
	struct scatter_wide_wait own;
	bool other = false;

	lockdep_assert_held(&group->portal->moving);
	spin_lock(&group->lock);
	operation = find_called_locked(group, wide->number);
	if (operation) {
		describe_locked(operation, 0, &own);
		other = differs(&own, wide) ||
			scatter_flow_is_idle_root_locked(group, operation, wide->root);
	}
	spin_unlock(&group->lock);
	/* The portal has not passed the operation, so the operation stays. */
	if (other)
		scatter_flow_disagree(group, operation, wide->root);
	return other;
}

/* Whether a rank is a member here that is alive and has not called an operation. */
static bool is_missing_locked(const struct scatter_group *group,
			      const struct scatter_operation *operation, u64 number, u32 rank)
{
	lockdep_assert_held(&group->lock);
	if (operation && scatter_operation_part(operation, rank)->posted)
		return false;
	return !test_bit(rank, group->dead) && !test_bit(rank, group->left) &&
	       !scatter_portal_ended_locked(group, rank, number);
}

/* Add the members here that have not called an operation. */
static void add_missing(struct scatter_group *group, u64 number, u64 *ranks)
{
	const struct scatter_portal *portal = group->portal;
	const struct scatter_operation *operation;
	u32 i, rank;

	spin_lock(&group->lock);
	operation = scatter_operation_find_locked(group, number);
	/* All members here have called the operations below the lowest live number. */
	if (operation || number >= group->end)
		for (i = portal->begin[portal->self]; i < portal->begin[portal->self + 1]; i++) {
			rank = portal->order[i];
			if (is_missing_locked(group, operation, number, rank))
				ranks[rank / 64] |= BIT_ULL(rank % 64);
		}
	spin_unlock(&group->lock);
}

/* Let STATUS of members here show which members of other nodes have not called. */
static void publish(struct scatter_group *group, u64 number, const u64 *ranks)
{
	struct scatter_operation *operation;
	u64 *others = kcalloc(SCATTER_MASK_WORDS, sizeof(*others), GFP_KERNEL_ACCOUNT);

	if (!others)
		return;
	memcpy(others, ranks, SCATTER_MASK_WORDS * sizeof(*others));
	spin_lock(&group->lock);
	operation = find_called_locked(group, number);
	if (operation)
		swap(operation->others, others);
	spin_unlock(&group->lock);
	kfree(others);
}

/* Asking ------------------------------------------------------------------- */

static unsigned long first_pause(void)
{
	return msecs_to_jiffies(SCATTER_INQUIRY_FIRST_MS);
}

/* Make a slot's inquiry on behalf of a node. This node asks after @wait jiffies at the earliest. */
static void inquiry_make(struct scatter_portal *portal, struct scatter_slot *slot, u32 maker,
			 unsigned long wait)
{
	if (slot->inquiry)
		return;
	slot->inquiry = kzalloc(sizeof(*slot->inquiry), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	slot->inquiry->maker = maker;
	slot->inquiry->next = jiffies + wait;
	slot->inquiry->pause = 2 * first_pause();
	slot->inquiry->since = jiffies;
	portal->nodes[maker].inquiries++;
}

static bool is_due(struct scatter_slot_inquiry *inquiry)
{
	if (time_before(jiffies, inquiry->next))
		return false;
	inquiry->next = jiffies + inquiry->pause;
	inquiry->pause = min(2 * inquiry->pause, msecs_to_jiffies(SCATTER_INQUIRY_MOST_MS));
	return true;
}

/* The home tells its own members, and the nodes that have asked, which ranks have not called. */
static void answer(struct scatter_group *group, const struct scatter_slot *slot)
{
	struct scatter_slot_inquiry *inquiry = slot->inquiry;
	struct scatter_wide_missing wide = {
		.id = { group->id[0], group->id[1] },
		.number = slot->number,
	};
	u32 node;

	publish(group, slot->number, inquiry->missing);
	memcpy(wide.ranks, inquiry->missing, sizeof(wide.ranks));
	add_missing(group, slot->number, wide.ranks);
	for_each_set_bit(node, inquiry->curious, group->portal->nr_nodes)
		say_missing(group, node, &wide);
	bitmap_zero(inquiry->curious, SCATTER_SIZE_MAX);
}

/* The home asks all other nodes. */
static void ask_all(struct scatter_group *group, struct scatter_slot *slot)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot_inquiry *inquiry = slot->inquiry;
	u32 node;

	inquiry->asked = true;
	bitmap_zero(inquiry->owing, SCATTER_SIZE_MAX);
	for (node = 1; node < portal->nr_nodes; node++) {
		if (!scatter_attach_tied(group, node))
			continue;
		__set_bit(node, inquiry->owing);
		say_wait(group, node, &inquiry->wait);
	}
}

/* Whether a node has asked about the operation just now; else note that it asks now. */
static bool is_hasty(struct scatter_slot_inquiry *inquiry, u32 from)
{
	if (time_after_eq(jiffies, inquiry->since + msecs_to_jiffies(SCATTER_INQUIRY_REST_MS))) {
		inquiry->since = jiffies;
		bitmap_zero(inquiry->heard, SCATTER_SIZE_MAX);
	}
	return __test_and_set_bit(from, inquiry->heard);
}

/*
 * The home hears that members of a node wait, perhaps its own. All nodes have to agree with the
 * node that asked first. Returns true if members here have called something else.
 */
static bool hear(struct scatter_group *group, struct scatter_slot *slot, u32 from,
		 const struct scatter_wide_wait *wide)
{
	struct scatter_slot_inquiry *inquiry = slot->inquiry;

	lockdep_assert_held(&group->portal->moving);
	/* Idle members do not know the root: take the first question that names the root. */
	if (!inquiry->known || (inquiry->wait.root == SCATTER_WIDE_ROOT_ANY &&
				!differs(&inquiry->wait, wide)))
		inquiry->wait = *wide;
	inquiry->known = true;
	if (from && differs(&inquiry->wait, wide)) {
		/* That node compares with what others call, and names one of its members. */
		say_wait(group, from, &inquiry->wait);
		return false;
	}
	if (disagrees(group, &inquiry->wait))
		return true;
	if (is_due(inquiry)) {
		/* The home does not wait any longer for nodes that have not answered. */
		answer(group, slot);
		ask_all(group, slot);
	}
	if (from)
		__set_bit(from, inquiry->curious);
	if (inquiry->asked && bitmap_empty(inquiry->owing, SCATTER_SIZE_MAX))
		answer(group, slot);
	return false;
}

/* Ask why a member here waits. Returns true if the member has called something else than others. */
static bool ask(struct scatter_group *group, u64 number, u32 rank)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_operation *operation;
	struct scatter_wide_wait wide;
	struct scatter_slot *slot;
	bool other = false;

	/* The look is for all members, and there is going to be another one. */
	if (!scatter_backlog_trylock(portal))
		return false;
	spin_lock(&group->lock);
	operation = find_called_locked(group, number);
	if (operation)
		describe_locked(operation, rank, &wide);
	spin_unlock(&group->lock);
	/* A message of another node makes the slot, or the push that follows a call here. */
	slot = operation ? scatter_slot_find(group, number) : NULL;
	if (!slot)
		goto unlock;
	inquiry_make(portal, slot, portal->self, first_pause());
	if (!portal->self && slot->inquiry->known)
		other = disagrees(group, &slot->inquiry->wait);
	if (other || time_before(jiffies, slot->inquiry->next))
		goto unlock;
	if (!portal->self)
		other = hear(group, slot, 0, &wide);
	else if (scatter_attach_tied(group, 0) && is_due(slot->inquiry))
		say_wait(group, 0, &wide);
unlock:
	scatter_backlog_unlock(portal);
	return other;
}

/* Whether the task of a member here waits in an operation; *@number: in which. */
static bool waits(struct scatter_group *group, u32 rank, u64 *number)
{
	struct scatter_member *member;
	bool waiting;

	spin_lock(&group->lock);
	member = scatter_group_member(group, rank);
	waiting = member && member->presence == SCATTER_PRESENT && member->current_operation;
	/* If this look misses a waiter, the next look sees it. */
	waiting = waiting && waitqueue_active(&member->wait);
	if (waiting)
		*number = member->current_operation->number;
	spin_unlock(&group->lock);
	return waiting;
}

/**
 * scatter_inquiry_look() - look for members here that wait, and ask why
 * @group: referenced; nothing happens unless the group has formed, and spans nodes
 *
 * The caller calls this function again and again while members wait.
 *
 * Context: may sleep; no locks. The caller has to call scatter_mail_flush() afterwards.
 * Return: true if members here have called something else than others: something is due.
 */
bool scatter_inquiry_look(struct scatter_group *group)
{
	const struct scatter_portal *portal = group->portal;
	u64 number, last = U64_MAX;
	bool due = false;
	u32 i;

	/* As of scatter_form_places(): the tables of the portal are there. */
	if (!portal || !smp_load_acquire(&group->spans))
		return false;
	for (i = portal->begin[portal->self]; i < portal->begin[portal->self + 1]; i++) {
		if (waits(group, portal->order[i], &number) && number != last) {
			due |= ask(group, number, portal->order[i]);
			last = number;
		}
		cond_resched();
	}
	return due;
}

/* Messages ----------------------------------------------------------------- */

/* Whether a node may say what a rank has called: the home of any rank, other nodes of their own. */
static bool may_say(const struct scatter_group *group, u32 from,
		    const struct scatter_wide_wait *wide)
{
	const struct scatter_portal *portal = group->portal;

	if (wide->rank >= group->size ||
	    (wide->root >= group->size && wide->root != SCATTER_WIDE_ROOT_ANY))
		return false;
	return portal->self ? !from : portal->where[wide->rank] == from;
}

static bool is_lost(struct scatter_group *group, u32 node)
{
	bool lost;

	spin_lock(&group->lock);
	lost = group->portal->nodes[node].tie == SCATTER_PORTAL_GONE;
	spin_unlock(&group->lock);
	return lost;
}

/*
 * A node asks the home. The home ignores questions that come faster than those of honest nodes, or
 * about too many operations.
 */
static void hear_other(struct scatter_group *group, u32 from, const struct scatter_wide_wait *wide)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot *slot = scatter_slot_find(group, wide->number);
	bool full = portal->nodes[from].inquiries >= SCATTER_INQUIRY_NODE_MAX;

	lockdep_assert_held(&portal->moving);
	if (is_lost(group, from))
		return;
	if (scatter_operation_is_passed(group, wide->number) || (full && !(slot && slot->inquiry)))
		return;
	if (!slot)
		slot = scatter_slot_get(group, wide->number, from);
	if (!slot) {
		scatter_fact_overrun(group, wide->rank, wide->number);
		return;
	}
	inquiry_make(portal, slot, from, 0);
	if (!is_hasty(slot->inquiry, from))
		hear(group, slot, from, wide);
}

/**
 * scatter_inquiry_wait() - handle a WAIT message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @wide: the message
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_edge_push() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_inquiry_wait(struct scatter_group *group, u32 from,
			  const struct scatter_wide_wait *wide)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_wide_missing own = {
		.id = { wide->id[0], wide->id[1] },
		.number = wide->number,
	};

	lockdep_assert_held(&portal->moving);
	if (!may_say(group, from, wide))
		return false;
	if (portal->self) {
		disagrees(group, wide);
		add_missing(group, wide->number, own.ranks);
		say_missing(group, 0, &own);
	} else {
		hear_other(group, from, wide);
	}
	return true;
}

/* Whether a node has named only ranks that it may name. */
static bool may_miss(const struct scatter_group *group, u32 from, const u64 *ranks)
{
	const struct scatter_portal *portal = group->portal;
	u32 rank;

	if (portal->self && from)
		return false;
	for (rank = 0; rank < SCATTER_SIZE_MAX; rank++)
		if (ranks[rank / 64] & BIT_ULL(rank % 64) &&
		    (rank >= group->size || (!portal->self && portal->where[rank] != from)))
			return false;
	return true;
}

/* Replace what a node has said of its ranks before. */
static void learn_missing(const struct scatter_group *group, u32 from, u64 *missing,
			  const u64 *ranks)
{
	const struct scatter_portal *portal = group->portal;
	u32 rank;

	for (rank = 0; rank < group->size; rank++) {
		u64 bit = BIT_ULL(rank % 64);

		if (portal->where[rank] == portal->self ||
		    (!portal->self && portal->where[rank] != from))
			continue;
		missing[rank / 64] &= ~bit;
		missing[rank / 64] |= ranks[rank / 64] & bit;
	}
}

/**
 * scatter_inquiry_missing() - handle a MISSING message
 * @group: formed, and spans nodes; referenced
 * @from: the sender's index
 * @wide: the message; ignored unless this node has asked
 *
 * Context: may sleep; scatter_portal.moving is held, and no other lock but a hub's. The caller has
 * to call scatter_mail_flush() afterwards.
 * Return: false: the message breaks the protocol.
 */
bool scatter_inquiry_missing(struct scatter_group *group, u32 from,
			     const struct scatter_wide_missing *wide)
{
	struct scatter_portal *portal = group->portal;
	struct scatter_slot_inquiry *inquiry;
	struct scatter_slot *slot;

	lockdep_assert_held(&portal->moving);
	if (!may_miss(group, from, wide->ranks))
		return false;
	slot = scatter_slot_find(group, wide->number);
	inquiry = slot ? slot->inquiry : NULL;
	if (!inquiry || (!portal->self && !__test_and_clear_bit(from, inquiry->owing)))
		return true;
	learn_missing(group, from, inquiry->missing, wide->ranks);
	if (portal->self)
		publish(group, wide->number, inquiry->missing);
	else if (bitmap_empty(inquiry->owing, SCATTER_SIZE_MAX))
		answer(group, slot);
	return true;
}
