// SPDX-License-Identifier: GPL-2.0
/*
 * Membership: from JOIN to its end. See death.c for ends other than LEAVE.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs_struct.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "group/backlog.h"
#include "group/claim.h"
#include "group/group.h"
#include "group/member.h"
#include "group/name.h"
#include "group/news.h"
#include "group/portal.h"
#include "group/sides.h"
#include "group/spec.h"
#include "group/wait.h"
#include "membership/death.h"
#include "membership/join.h"
#include "memory/user.h"
#include "node/node.h"
#include "param.h"
#include "span/done.h"
#include "span/registrar.h"
#include "span/ticket.h"
#include "trace.h"

/* Create a group as a JOIN or CREATE asks for. @vain: nobody is going to join. */
static struct scatter_group *group_create(const struct scatter_join *terms, bool vain)
{
	struct scatter_group *group = vain ? scatter_group_alloc_vain(scatter_death_look) :
		scatter_group_alloc(terms->members, scatter_death_look);

	if (!group)
		return NULL;
	group->size = terms->members;
	group->uid = current_fsuid();
	group->gid = current_fsgid();
	group->schedule = scatter_spec_asked(&terms->schedule);
	group->cost.startup_ns = READ_ONCE(scatter_param_startup_ns);
	group->cost.gap_ns = READ_ONCE(scatter_param_gap_ns);
	scatter_sides_set(group, terms->sides);
	return group;
}

static struct scatter_group *create_named(struct net *net, const struct scatter_join *join,
					  bool vain)
{
	struct scatter_group *group = group_create(join, vain);

	if (!group)
		return NULL;
	group->net = get_net(net);
	strscpy(group->name, join->name, sizeof(group->name));
	group->mode = join->mode & ~current_umask();
	return group;
}

static bool may_join(const struct scatter_group *group)
{
	return scatter_claim_allowed(group->mode, uid_eq(current_fsuid(), group->uid),
				     in_group_p(group->gid)) ||
	       ns_capable(group->net->user_ns, CAP_IPC_OWNER);
}

static struct scatter_claim_terms terms_of(const struct scatter_group *group)
{
	return (struct scatter_claim_terms){
		.size = group->size,
		.sides = { group->sides[0], group->sides[1] },
		.schedule = group->schedule,
	};
}

/*
 * Give a seat to a claimant: a rank, or -errno. A member whose process has ended may still have the
 * seat. Then scatter_death_look() frees that seat soon, and the claimant's next JOIN succeeds.
 */
static int claim_locked(struct scatter_group *group, const struct scatter_join *join)
{
	const struct scatter_claim_terms terms = terms_of(group);
	int rank;

	lockdep_assert_held(&group->lock);
	if (!scatter_claim_agrees(&terms, join))
		return -EPROTO;
	rank = scatter_claim_rank(group->seated, join);
	if (rank < 0) {
		if (group->joined < group->size)
			scatter_wait_watch(group);
		return rank;
	}
	__set_bit(rank, group->seated);
	group->joined++;
	return rank;
}

/* Give a seat to a member of this node: 0 or -errno. */
static int seat_locked(struct scatter_group *group, const struct scatter_join *join,
		       struct scatter_member *member)
{
	int rank = claim_locked(group, join);

	if (rank < 0)
		return rank;
	member->group = group;
	scatter_member_sit_locked(member, group, rank);
	if (group->joined == group->size) {
		scatter_group_form_locked(group);
		group->news = true;
	}
	trace_scatter_join(member);
	scatter_news_tell(group, SCATTER_EVENT_JOIN, rank, 0);
	return 0;
}

/* Charge the current task's user for a new group. */
static int charge(struct scatter_group *group)
{
	struct scatter_user *user = scatter_user_find();
	int error;

	if (!user)
		return -ENOMEM;
	error = scatter_group_charge(group, user, scatter_user_unlimited());
	scatter_user_put(user);
	return error;
}

/**
 * scatter_join_create_group() - create a group without a name
 * @terms: size and schedule, checked
 *
 * Context: may sleep; no locks.
 * Return: the group, for scatter_group_put(), or ERR_PTR: -ENOSPC, -ENOMEM.
 */
struct scatter_group *scatter_join_create_group(const struct scatter_join *terms)
{
	struct scatter_group *group = group_create(terms, false);
	int error;

	if (!group)
		return ERR_PTR(-ENOMEM);
	error = charge(group);
	if (!error)
		return group;
	scatter_group_put(group);
	return ERR_PTR(error);
}

/**
 * scatter_join_terms() - fill in the group's terms for a JOIN that names none
 * @group: the group
 * @join: (in, out) names no size, sides or schedule; has those of the group afterwards
 *
 * Context: any.
 * Return: false if @join names a schedule or sides.
 */
bool scatter_join_terms(const struct scatter_group *group,
			struct scatter_join *join)
{
	if (join->sides[0] || join->sides[1] ||
	    memchr_inv(&join->schedule, 0, sizeof(join->schedule)))
		return false;
	join->members = group->size;
	join->schedule = group->schedule;
	memcpy(join->sides, group->sides, sizeof(join->sides));
	return true;
}

/* Give a member a seat in a group without a name, and a reference on the group. */
static int join_group(struct scatter_group *group, const struct scatter_join *join,
		      struct scatter_member *member)
{
	int error;

	spin_lock(&group->lock);
	error = seat_locked(group, join, member);
	if (!error)
		scatter_group_get(group);
	scatter_group_unlock(group);
	return error;
}

/*
 * The user whose group a JOIN means; invalid if the caller's user namespace does not know the user.
 */
static kuid_t join_owner(const struct scatter_join *join)
{
	if (join->owner == SCATTER_OWNER_SELF)
		return current_fsuid();
	return make_kuid(current_user_ns(), join->owner);
}

/* Refuse a name: its group never forms. @held: the refused name that the caller's file has. */
static int refuse_locked(struct scatter_group *group, const struct scatter_join *join,
			 const struct scatter_group *held)
{
	const struct scatter_claim_terms terms = terms_of(group);

	lockdep_assert_held(&group->lock);
	if (!scatter_claim_agrees(&terms, join))
		return -EPROTO;
	if (group->formed)
		return -EUSERS;
	/* The members that have a seat are counted, too: they came before. */
	if (!group->claims) {
		group->claims = group->joined;
		group->news = true;
	}
	group->claims += group != held;
	return -ECONNREFUSED;
}

/* Seat a member, or refuse the name if the caller or another process declines. */
static int admit_locked(struct scatter_group *group, const struct scatter_join *join,
			struct scatter_member *member, const struct scatter_group *held)
{
	lockdep_assert_held(&group->lock);
	if (!member || group->claims)
		return refuse_locked(group, join, held);
	return seat_locked(group, join, member);
}

/*
 * Let the file keep a refused name, instead of the one that it kept before. The file takes over the
 * caller's reference.
 */
static void hold(struct scatter_group *group, struct scatter_group **held)
{
	/* All members that the group was to have know of the refusal: free the name. */
	if (READ_ONCE(group->claims) >= group->size)
		scatter_name_free(group);
	if (*held)
		scatter_group_put(*held);
	*held = group;
}

/*
 * Create a group. Tasks that find its name wait for its lock until the creator has a seat. A name
 * that is declined at once has a limit of its own.
 * -ERESTART: another group got the name meanwhile.
 */
static int found(struct net *net, const struct scatter_join *join,
		 struct scatter_member *member, struct scatter_group **held)
{
	struct scatter_group *group = create_named(net, join, !member);
	struct scatter_group *other = NULL;
	int error;

	if (!group)
		return -ENOMEM;
	error = charge(group);
	if (!error) {
		spin_lock(&group->lock);
		other = scatter_name_claim(group);
		error = other ? -ERESTART : admit_locked(group, join, member, *held);
		scatter_group_unlock(group);
	}
	if (other)
		scatter_group_put(other);
	if (error == -ECONNREFUSED)
		hold(group, held);
	else if (error)
		scatter_group_put(group);
	return error;
}

/*
 * Seat a member in a group that has the name. The caller's reference on the group becomes the
 * member's. -ERESTART: the group is broken or empty, and has lost its name.
 */
static int enter(struct scatter_group *group, const struct scatter_join *join,
		 struct scatter_member *member, struct scatter_group **held)
{
	bool allowed = may_join(group);
	int error;

	spin_lock(&group->lock);
	if (group->state == SCATTER_STATE_BROKEN || (!group->joined && !group->claims))
		error = -ERESTART;
	else if (join->flags & SCATTER_JOIN_EXCL && !group->claims)
		error = -EEXIST;
	else if (!allowed)
		error = -EACCES;
	else
		error = admit_locked(group, join, member, *held);
	/* If all processes behind the name have ended, the watch frees the name soon. */
	if (error == -EEXIST)
		scatter_wait_watch(group);
	scatter_group_unlock(group);
	if (error == -ERESTART)
		scatter_name_free(group);
	if (error == -ECONNREFUSED)
		hold(group, held);
	else if (error)
		scatter_group_put(group);
	return error;
}

/*
 * Give a member a seat in a group that has a name, and a reference on the group. Creates the group
 * if no group has the name, and @owner is the caller. Without @member: decline the name.
 */
static int join_name(struct net *net, const struct scatter_join *join, kuid_t owner,
		     struct scatter_member *member, struct scatter_group **held)
{
	bool own = uid_eq(owner, current_fsuid());
	struct scatter_group *group;
	int error;

	do {
		group = scatter_name_find(net, owner, join->name);
		if (group)
			error = enter(group, join, member, held);
		else
			error = own ? found(net, join, member, held) : -ENOENT;
	} while (error == -ERESTART && !signal_pending(current));
	return error == -ERESTART ? -EINTR : error;
}

/* Give a member a seat in a group whose name all nodes know. Another node may keep the name. */
static int join_wide(struct net *net, const struct scatter_join *join, kuid_t owner,
		     u64 registrar, struct scatter_member *member, u64 deadline_ns)
{
	struct scatter_group *spare = create_named(net, join, false);
	int error;

	if (!spare)
		return -ENOMEM;
	spare->uid = owner;
	spare->wide = true;
	error = scatter_portal_create(spare, scatter_node_of(net), registrar);
	if (error) {
		scatter_group_put(spare);
		return error;
	}
	scatter_backlog_prepare(spare->portal);
	scatter_done_prepare(spare->portal);
	return scatter_ticket_join(spare, join, member, deadline_ns);
}

static int join_by_name(struct net *net, const struct scatter_join *join,
			struct scatter_member *member, u64 deadline_ns,
			struct scatter_group **held)
{
	kuid_t owner = join_owner(join);
	u64 registrar = 0;

	if (!uid_valid(owner) ||
	    (!uid_eq(owner, current_fsuid()) && join->flags & SCATTER_JOIN_EXCL))
		return -EINVAL;
	if (!(join->flags & SCATTER_JOIN_LOCAL))
		registrar = scatter_registrar_of(scatter_node_of(net), owner, join->name);
	if (!registrar)
		return join_name(net, join, owner, member, held);
	if (!member)
		return -EOPNOTSUPP;
	return join_wide(net, join, owner, registrar, member, deadline_ns);
}

/**
 * scatter_join_member() - make a member that has no seat yet
 * @ring_bytes: size of the member's ring in bytes
 * @poll: pollers of the member's file
 * @parent: as of scatter_member_create()
 *
 * The member belongs to the current process and address space.
 *
 * Context: may sleep; no locks.
 * Return: the member, for scatter_join_undo(), or ERR_PTR(-errno).
 */
struct scatter_member *scatter_join_member(u32 ring_bytes, wait_queue_head_t *poll,
					   const struct scatter_member *parent)
{
	struct scatter_member *member = scatter_member_create(ring_bytes, poll, parent);
	int error;

	if (IS_ERR(member))
		return member;
	error = scatter_death_attach(member);
	if (!error)
		return member;
	scatter_member_free(member);
	return ERR_PTR(error);
}

/**
 * scatter_join_undo() - undo scatter_join_member()
 * @member: the member; it has no seat
 *
 * Context: may sleep; no locks.
 */
void scatter_join_undo(struct scatter_member *member)
{
	scatter_death_detach(member);
	scatter_member_free(member);
}

/**
 * scatter_join() - make the current address space a member of a group
 * @group: the group; NULL: by name
 * @net: the network namespace of the group's name
 * @join: what the user asked for, checked
 * @poll: pollers of the file, which lives until scatter_join_end()
 * @deadline_ns: as of scatter_wait(); how long to wait for another node's answer
 * @held: (in, out) the refused name that the file keeps; NULL: none
 *
 * The group need not be complete yet. scatter_join_end() undoes the JOIN.
 *
 * Context: may sleep; no locks.
 * Return: the member, or ERR_PTR: -EINVAL, -ENOENT, -EEXIST, -EACCES, -EPROTO, -EUSERS,
 * -EADDRINUSE, -ENOSPC, -EMFILE, -EDQUOT, -EHOSTUNREACH, -EREMCHG, -ECONNREFUSED, -EINTR,
 * -ETIMEDOUT or -ENOMEM.
 */
struct scatter_member *scatter_join(struct scatter_group *group, struct net *net,
				    const struct scatter_join *join,
				    wait_queue_head_t *poll, u64 deadline_ns,
				    struct scatter_group **held)
{
	u32 ring_bytes = join->ring_bytes;
	struct scatter_member *member;
	int error;

	if (!ring_bytes)
		ring_bytes = READ_ONCE(scatter_param_ring_bytes);
	member = scatter_join_member(ring_bytes, poll, NULL);
	if (IS_ERR(member))
		return member;
	if (group)
		error = join_group(group, join, member);
	else
		error = join_by_name(net, join, member, deadline_ns, held);
	if (error) {
		scatter_join_undo(member);
		return ERR_PTR(error);
	}
	return member;
}

/**
 * scatter_join_decline() - let nobody join a group
 * @net: the network namespace of the group's name
 * @join: what the user asked for, checked
 * @held: as of scatter_join()
 *
 * Context: may sleep; no locks.
 * Return: 0; -EINVAL, -ENOENT, -EACCES, -EPROTO, -EUSERS, -EDQUOT, -EOPNOTSUPP, -EINTR or -ENOMEM.
 */
int scatter_join_decline(struct net *net, const struct scatter_join *join,
			 struct scatter_group **held)
{
	int error;

	if (join->flags & SCATTER_JOIN_EXCL)
		return -EINVAL;
	error = join_by_name(net, join, NULL, 0, held);
	return error == -ECONNREFUSED ? 0 : error;
}

/**
 * scatter_join_refused() - whether a JOIN has failed because its name was refused
 * @member: has lost its seat; the caller is going to end the membership
 * @held: as of scatter_join()
 *
 * Context: may sleep; no locks.
 */
bool scatter_join_refused(struct scatter_member *member, struct scatter_group **held)
{
	struct scatter_group *group = member->group;

	if (!READ_ONCE(group->claims))
		return false;
	scatter_group_get(group);
	hold(group, held);
	return true;
}

/**
 * scatter_join_withdraw() - take a member's seat away, unless its group has formed
 * @member: the current task's; if the member has no seat any more, the caller ends the membership
 *
 * Context: may sleep; no locks.
 * Return: false: the group has formed with the member.
 */
bool scatter_join_withdraw(struct scatter_member *member)
{
	if (member->group->portal)
		return scatter_ticket_withdraw(member);
	return scatter_group_unseat(member->group, member);
}

/**
 * scatter_join_end() - end a membership, for whatever reason
 * @member: no task is inside a call of the member; gone afterwards
 * @how: %SCATTER_LEFT or %SCATTER_DEAD; ignored if the member has lost its seat already, or loses
 *	the seat now since the group has not formed
 *
 * A task that still reads the member's memory holds a reference on the address space.
 *
 * Context: may sleep; no locks.
 */
void scatter_join_end(struct scatter_member *member,
		      enum scatter_presence how)
{
	struct scatter_group *group = member->group;

	scatter_death_depart(member, how);
	spin_lock(&group->lock);
	member->poll = NULL;
	spin_unlock(&group->lock);
	scatter_death_detach(member);
	if (member->presence == SCATTER_LOST)
		scatter_member_free(member);
	scatter_group_put(group);
}
