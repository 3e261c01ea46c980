// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: the object, its state, and how its members are told of news.
 *
 * A group goes FORMING -> ACTIVE -> BROKEN. A group that never gets all its members stays FORMING
 * until the last member is gone. A group's name is free as soon as the group breaks or empties: the
 * next JOIN that finds the group takes the name away.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/poll.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "group/group.h"
#include "group/member.h"
#include "group/name.h"
#include "group/news.h"
#include "group/portal.h"
#include "group/sides.h"
#include "group/wait.h"
#include "memory/memory.h"
#include "memory/user.h"
#include "param.h"
#include "schedule/cost.h"
#include "stats.h"

/* The only way a group's state changes. */
static void set_state_locked(struct scatter_group *group,
			     enum scatter_state state)
{
	lockdep_assert_held(&group->lock);
	WARN_ON_ONCE(state != group->state + 1);
	group->state = state;
}

static struct scatter_group *alloc(size_t seats, work_func_t look)
{
	struct scatter_group *group;
	int i;

	group = kvzalloc(struct_size(group, members, seats), GFP_KERNEL_ACCOUNT);
	if (!group)
		return NULL;
	kref_init(&group->ref);
	init_waitqueue_head(&group->poll);
	INIT_DELAYED_WORK(&group->watch, look);
	spin_lock_init(&group->lock);
	get_random_bytes(group->id, sizeof(group->id));
	group->culprit = SCATTER_RANK_ANY;
	group->doom_from = U64_MAX;
	INIT_LIST_HEAD(&group->meetings);
	for (i = 0; i < SCATTER_OPERATION_BUCKETS; i++)
		group->operations[i] = RB_ROOT;
	scatter_stats_created(SCATTER_OBJECT_GROUP, 1);
	pr_debug("group created\n");
	return group;
}

/**
 * scatter_group_alloc() - make a group that nobody knows
 * @members: most members that the group is going to have
 * @look: looks whether the members' processes live, see scatter_wait_watch()
 *
 * Context: may sleep.
 * Return: the group, for scatter_group_put(), or NULL.
 */
struct scatter_group *scatter_group_alloc(u32 members, work_func_t look)
{
	/* The portal's seat is the last one, and stays empty. */
	return alloc(size_add(members, 1), look);
}

/**
 * scatter_group_alloc_vain() - make a group that stands for a refused name
 * @look: as of scatter_group_alloc()
 *
 * Context: may sleep.
 * Return: the group, for scatter_group_put(), or NULL.
 */
struct scatter_group *scatter_group_alloc_vain(work_func_t look)
{
	struct scatter_group *group = alloc(0, look);

	if (group)
		group->vain = true;
	return group;
}

static enum scatter_limit limit_of(const struct scatter_group *group)
{
	return group->vain ? SCATTER_LIMIT_REFUSED : SCATTER_LIMIT_GROUPS;
}

/*
 * Free a group. The last file is closed, so all members have departed and thereby passed all
 * operations; only memory is left.
 */
static void group_free(struct scatter_group *group)
{
	u32 rank;

	cancel_delayed_work_sync(&group->watch);
	scatter_name_free(group);
	scatter_portal_free(group);
	WARN_ON_ONCE(group->nr_operations || !list_empty(&group->meetings));
	scatter_memory_free(group->spare);
	for (rank = 0; !group->vain && rank < group->size; rank++)
		if (group->members[rank])
			scatter_member_free(group->members[rank]);
	if (group->user) {
		scatter_user_uncharge(group->user, limit_of(group), 1);
		scatter_user_put(group->user);
	}
	pr_debug("group destroyed\n");
	if (group->net)
		put_net(group->net);
	kvfree(group);
	scatter_stats_destroyed(SCATTER_OBJECT_GROUP, 1);
}

static void free_later(struct work_struct *work)
{
	group_free(container_of(work, struct scatter_portal, reaper)->group);
}

/*
 * Free a group, or let a work item free a group that has a portal: the last reference may be put in
 * the group's own @watch, or in the handler of a message, which must not wait for @watch.
 */
static void group_destroy(struct kref *ref)
{
	struct scatter_group *group = container_of(ref, struct scatter_group, ref);

	if (!group->portal) {
		group_free(group);
		return;
	}
	INIT_WORK(&group->portal->reaper, free_later);
	scatter_portal_reap(&group->portal->reaper);
}

/**
 * scatter_group_get() - take a reference
 * @group: a group that the caller can be sure exists
 *
 * Context: any.
 */
void scatter_group_get(struct scatter_group *group)
{
	kref_get(&group->ref);
}

/**
 * scatter_group_put() - give a reference back
 * @group: the group; gone if that was the last
 *
 * Context: may sleep; no locks.
 */
void scatter_group_put(struct scatter_group *group)
{
	kref_put(&group->ref, group_destroy);
}

/**
 * scatter_group_charge() - charge a user for a group
 * @group: the group; no user is charged for it yet
 * @user: the user
 * @unlimited: as of scatter_user_charge_for()
 *
 * Context: any.
 * Return: 0; -ENOSPC, or -EDQUOT if the group stands for a refused name.
 */
int scatter_group_charge(struct scatter_group *group, struct scatter_user *user,
			 bool unlimited)
{
	int error = scatter_user_charge_for(user, limit_of(group), 1, unlimited);

	if (error)
		return error;
	scatter_user_get(user);
	group->user = user;
	return 0;
}

/**
 * scatter_group_form_locked() - form a group that all members have joined: freeze its parameters
 * @group: the group
 *
 * Context: the group's lock is held.
 */
void scatter_group_form_locked(struct scatter_group *group)
{
	set_state_locked(group, SCATTER_STATE_ACTIVE);
	group->cost.eager_limit = READ_ONCE(scatter_param_eager_limit);
	group->cost.gather_limit =
		scatter_cost_gather_limit(group->cost.eager_limit,
					  READ_ONCE(scatter_param_gather_limit),
					  group->size, num_online_cpus());
	group->window = READ_ONCE(scatter_param_window);
	/* A task that sees @formed set also sees @spans, and the tables of the portal. */
	smp_store_release(&group->formed, true);
}

/*
 * Make every member, and every poller of its file, look again. Takes the lock for one member at a
 * time, since files may go meanwhile.
 */
static void tell_all(struct scatter_group *group)
{
	struct scatter_member *member;
	u32 rank;

	for (rank = 0; !group->vain && rank < group->size; rank++) {
		spin_lock(&group->lock);
		member = group->members[rank];
		if (member)
			scatter_wait_wake(member);
		if (member && member->poll && wq_has_sleeper(member->poll))
			wake_up_all(member->poll);
		spin_unlock(&group->lock);
		cond_resched();
	}
	if (wq_has_sleeper(&group->poll))
		wake_up_all(&group->poll);
}

/**
 * scatter_group_breathe_locked() - let other tasks have the lock now and then
 * @group: the group
 * @n: how many members or operations the caller has looked at; every 64th time the lock is
 *	dropped and taken again
 *
 * Context: the group's lock is held, and no other; dropped now and then and taken again. May
 * sleep.
 */
void scatter_group_breathe_locked(struct scatter_group *group, u64 n)
	__must_hold(&group->lock)
{
	lockdep_assert_held(&group->lock);
	if (n % SCATTER_GROUP_BATCH)
		return;
	spin_unlock(&group->lock);
	cond_resched();
	spin_lock(&group->lock);
}

/**
 * scatter_group_wake_window() - wake the members that wait for room for their next operation
 * @group: a formed group, which does not go meanwhile
 *
 * The caller has made room, or has made that operation. Members that begin to wait now have seen
 * what the caller did under the lock before.
 *
 * Context: may sleep; no locks.
 */
void scatter_group_wake_window(struct scatter_group *group)
{
	u32 rank;

	for (rank = 0; READ_ONCE(group->window_waiters) && rank < group->size; rank++) {
		struct scatter_member *member = group->members[rank];

		if (member && READ_ONCE(member->queued))
			scatter_wait_wake(member);
		cond_resched();
	}
}

/**
 * scatter_group_shed() - free what a group needs only for operations, if it has none any more
 * @group: the group, which the caller holds; the caller has freed an operation, or has ended a
 *	member
 *
 * Context: may sleep; no locks.
 */
void scatter_group_shed(struct scatter_group *group)
{
	u32 rank;

	/* Both changes happen under the lock, and whoever makes the later one comes here. */
	if (READ_ONCE(group->state) != SCATTER_STATE_BROKEN || READ_ONCE(group->nr_operations) ||
	    group->portal)
		return;
	for (rank = 0; rank < group->size; rank++) {
		scatter_member_shed(group->members[rank]);
		cond_resched();
	}
}

/**
 * scatter_group_unlock() - unlock a group, and wake all members if there are news
 * @group: the group, which does not go meanwhile
 *
 * Context: the group's lock is held, and no other; dropped. May sleep.
 */
void scatter_group_unlock(struct scatter_group *group)
	__releases(&group->lock)
{
	bool news = group->news;

	group->news = false;
	spin_unlock(&group->lock);
	if (news)
		tell_all(group);
}

/**
 * scatter_group_derive_locked() - complete a new group of members of an old group
 * @group: from scatter_group_alloc(), with the wanted schedule; its members are seated
 * @old: the old group, which is locked
 * @size: how many members @group has
 * @sides: how many members each side has; both 0: the group has no sides
 *
 * Context: the locks of both groups are held.
 */
void scatter_group_derive_locked(struct scatter_group *group,
				 const struct scatter_group *old, u32 size,
				 const u32 *sides)
{
	lockdep_assert_held(&old->lock);
	lockdep_assert_held(&group->lock);
	group->uid = old->uid;
	group->gid = old->gid;
	group->size = size;
	if (!scatter_sides_possible(&group->schedule, size, sides))
		group->schedule = (struct scatter_schedule){};
	group->cost = old->cost;
	group->cost.ports = 0;
	scatter_sides_set(group, sides);
	group->joined = size;
	scatter_group_form_locked(group);
	/* Take the parameters from the old group, so that they are the same on all nodes. */
	if (group->portal) {
		group->cost.eager_limit = old->cost.eager_limit;
		group->cost.gather_limit = old->cost.gather_limit;
		group->window = old->window;
	}
}

/**
 * scatter_group_unseat_locked() - take a member's seat away
 * @group: has not formed
 * @member: the member; afterwards only its file refers to it
 *
 * Context: the group's lock is held.
 */
void scatter_group_unseat_locked(struct scatter_group *group, struct scatter_member *member)
{
	lockdep_assert_held(&group->lock);
	member->presence = SCATTER_LOST;
	group->members[member->rank] = NULL;
	if (group->portal)
		__set_bit(member->rank, group->portal->given_up);
	__clear_bit(member->rank, group->seated);
	group->joined--;
	scatter_news_tell(group, SCATTER_EVENT_LEAVE, member->rank, 0);
	scatter_wait_wake(member);
	if (member->poll)
		wake_up_all(member->poll);
}

/**
 * scatter_group_unseat() - take a member's seat away, unless the group is complete
 * @group: the group
 * @member: the member; afterwards only its file refers to it
 *
 * Context: any; no locks.
 * Return: false if the group is complete already: nothing has changed.
 */
bool scatter_group_unseat(struct scatter_group *group,
			  struct scatter_member *member)
{
	bool unseated;

	spin_lock(&group->lock);
	unseated = !group->formed && member->presence == SCATTER_PRESENT;
	if (unseated)
		scatter_group_unseat_locked(group, member);
	spin_unlock(&group->lock);
	return unseated;
}

/**
 * scatter_group_vacate() - free a rank of a group that is not complete
 * @group: the group
 * @rank: the rank
 * @ended: whether the rank's member is to lose the rank; called with locks held
 *
 * Context: any; no locks.
 * Return: true if a member has lost the rank.
 */
bool scatter_group_vacate(struct scatter_group *group, u32 rank,
			  bool (*ended)(const struct scatter_member *member))
{
	struct scatter_member *member;
	bool vacated;

	spin_lock(&group->lock);
	member = group->members[rank];
	vacated = !group->formed && member && ended(member);
	if (vacated)
		scatter_group_unseat_locked(group, member);
	spin_unlock(&group->lock);
	return vacated;
}

/**
 * scatter_group_break_locked() - break a group: no operation may start any more
 * @group: a formed group; the first error stays
 * @error: -errno that later operations get
 * @culprit: the rank that caused the error
 *
 * Context: the group's lock is held. The caller has to call scatter_group_unlock() afterwards.
 */
void scatter_group_break_locked(struct scatter_group *group, int error,
				u32 culprit)
{
	lockdep_assert_held(&group->lock);
	if (group->state == SCATTER_STATE_ACTIVE) {
		set_state_locked(group, SCATTER_STATE_BROKEN);
		group->error = error;
		group->culprit = culprit;
		scatter_news_tell(group, SCATTER_EVENT_BROKEN, culprit, error);
	}
	group->news = true;
}

/**
 * scatter_group_charge_slot_locked() - reserve kernel memory for payload
 * @group: the group
 * @bytes: how much; the context that frees the memory subtracts this from scatter_group.slot_bytes
 *
 * Context: the group's lock is held.
 * Return: false if the group would have more than it may have.
 */
bool scatter_group_charge_slot_locked(struct scatter_group *group, u32 bytes)
{
	lockdep_assert_held(&group->lock);
	if (group->slot_bytes + bytes > (u64)SCATTER_SLOT_BYTES * group->size)
		return false;
	group->slot_bytes += bytes;
	return true;
}

/**
 * scatter_group_close() - act on the close of a group's descriptor
 * @group: the group; the caller's reference, which was the descriptor's, is gone afterwards
 *
 * If the group can never be complete now, tells the members that have joined.
 *
 * Context: may sleep; no locks.
 */
void scatter_group_close(struct scatter_group *group)
{
	spin_lock(&group->lock);
	group->closed = true;
	group->news |= !group->formed;
	scatter_group_unlock(group);
	scatter_group_put(group);
}
