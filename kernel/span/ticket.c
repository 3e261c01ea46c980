// SPDX-License-Identifier: GPL-2.0
/*
 * Tickets: the state of a JOIN on this node while it waits for the registrar's answer.
 *
 * The answer comes in an event of the wire, or at once if this node is the registrar. The event's
 * handler seats the member, since the registrar's next message may be that the group has formed.
 * The task that joins has allocated all memory for that. The task waits in the member's own wait
 * queue, and a signal ends the wait. Then the task asks the registrar to take the seat back. The
 * answer to that comes after all earlier messages of the registrar.
 *
 * Locks: tickets_lock, a spin lock; the group's lock nests in tickets_lock. It must not be a mutex:
 * the tasks of users and the handlers of messages both take it, and a task whose user keeps it from
 * running must not hold what a handler waits for. So memory is allocated, and mail is posted,
 * outside of the lock.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/once.h>
#include <linux/scatter.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>
#include <net/net_namespace.h>

#include "group/group.h"
#include "group/member.h"
#include "group/name.h"
#include "group/news.h"
#include "group/portal.h"
#include "group/spec.h"
#include "group/wait.h"
#include "memory/mailer.h"
#include "memory/user.h"
#include "node/client.h"
#include "node/hub.h"
#include "node/mail.h"
#include "node/node.h"
#include "span/attach.h"
#include "span/registrar.h"
#include "span/span.h"
#include "span/ticket.h"
#include "trace.h"
#include "wire/wide_build.h"

/* How long a JOIN that a signal or its deadline has ended still waits for an answer. */
#define SCATTER_TICKET_LATE_MS	1000U

/**
 * struct scatter_ticket_question - a node that has asked whether this node is in a group
 * @entry: in the ticket's list
 * @from: the asking node's id
 * @id: the group's id
 */
struct scatter_ticket_question {
	struct list_head entry;
	u64 from;
	u64 id[2];
};

/**
 * struct scatter_ticket - a JOIN, or its withdrawal
 * @entry: in the list of all tickets
 * @node: constant; this node
 * @registrar: constant; the id of the node that answers
 * @mailer: constant; counts the messages to @registrar
 * @token: constant; tells the ticket from others
 * @member: constant; the member that joins
 * @spare: the group, if this is its first member here; NULL once @spare is used
 * @back: constant; the ticket is a withdrawal
 * @done: there is an answer
 * @error: 0 or -errno
 * @gid: the group's group ID, if only users in that group may join
 * @unlimited: constant; whether the task may have more groups than its user may
 * @questions: questions that wait for the registrar's answer, too; one for each node that has asked
 */
struct scatter_ticket {
	struct list_head entry;
	struct scatter_node *node;
	u64 registrar;
	struct scatter_mailer *mailer;
	u64 token;
	struct scatter_member *member;
	struct scatter_group *spare;
	bool back;
	bool done;
	int error;
	kgid_t gid;
	bool unlimited;
	struct list_head questions;
};

static LIST_HEAD(tickets);
static DEFINE_SPINLOCK(tickets_lock);
static atomic64_t last_token;

static struct scatter_ticket *find_locked(const struct scatter_node *node, u64 token, bool back)
{
	struct scatter_ticket *ticket;

	lockdep_assert_held(&tickets_lock);
	list_for_each_entry(ticket, &tickets, entry)
		if (ticket->node == node && ticket->token == token && ticket->back == back)
			return ticket;
	return NULL;
}

static void done_locked(struct scatter_ticket *ticket, int error)
{
	lockdep_assert_held(&tickets_lock);
	ticket->error = error;
	WRITE_ONCE(ticket->done, true);
	/* A member without a group has no other waiters. */
	wake_up(&ticket->member->wait);
}

static int error_of(enum scatter_wide_answer answer)
{
	static const int errors[] = {
		[SCATTER_WIDE_FINE] = 0,
		[SCATTER_WIDE_EXISTS] = -EEXIST,
		[SCATTER_WIDE_DENIED] = -EACCES,
		[SCATTER_WIDE_DIFFERS] = -EPROTO,
		[SCATTER_WIDE_FULL] = -EUSERS,
		[SCATTER_WIDE_TAKEN] = -EADDRINUSE,
		[SCATTER_WIDE_NONE] = -ENOENT,
		[SCATTER_WIDE_CHANGED] = -EREMCHG,
		[SCATTER_WIDE_REFUSED] = -EACCES,
		[SCATTER_WIDE_NO_MEMORY] = -ENOMEM,
		[SCATTER_WIDE_NO_ROOM] = -ENOSPC,
		[SCATTER_WIDE_INVALID] = -EINVAL,
	};

	return errors[answer];
}

static void unseat(struct scatter_node *node, struct scatter_mailer *mailer, u64 registrar,
		   u64 token)
{
	const struct scatter_wide_unseat unseat = { .token = token };
	struct scatter_raw_unseat raw;

	if (registrar == scatter_node_id(node)) {
		scatter_registrar_unseat(node, registrar, token, NULL, NULL);
		return;
	}
	scatter_wide_build_unseat(&raw, 0, &unseat);
	scatter_mail_post(node, mailer, registrar, &raw, sizeof(raw));
}

/* Take a member's seat away, if it still has one: the registrar has freed the seat, or will. */
static void vacate(struct scatter_member *member)
{
	struct scatter_group *group = member->group;

	spin_lock(&group->lock);
	if (!group->formed && member->presence == SCATTER_PRESENT) {
		scatter_group_unseat_locked(group, member);
		__clear_bit(member->rank, group->portal->given_up);
	}
	spin_unlock(&group->lock);
}

/*
 * Whether a ticket is for a group. A registrar may seat members only in groups of its own names,
 * and does not choose whose name it is.
 */
static bool is_meant(const struct scatter_ticket *ticket, const struct scatter_group *group)
{
	const struct scatter_group *spare = ticket->spare;

	return group->portal->registrar == ticket->registrar && group->size == spare->size &&
	       !strcmp(group->name, spare->name) && uid_eq(group->uid, spare->uid) &&
	       !memcmp(group->sides, spare->sides, sizeof(group->sides)) &&
	       scatter_spec_same(&group->schedule, &spare->schedule);
}

/* Find the group of an id on this node. If there is none, charge the spare group and use that. */
static struct scatter_group *show_locked(struct scatter_ticket *ticket,
					 const struct scatter_wide_seated *seated)
{
	struct scatter_group *group = ticket->spare, *other;
	int error;

	lockdep_assert_held(&tickets_lock);
	other = scatter_portal_find(ticket->node, seated->id);
	if (other && is_meant(ticket, other))
		return other;
	if (other) {
		scatter_group_put(other);
		return ERR_PTR(-EHOSTUNREACH);
	}
	if (seated->uid != from_kuid(&init_user_ns, group->uid))
		return ERR_PTR(-EHOSTUNREACH);
	error = scatter_group_charge(group, ticket->member->hands.user, ticket->unlimited);
	if (error)
		return ERR_PTR(error);
	group->gid = make_kgid(&init_user_ns, seated->gid);
	group->mode = seated->mode;
	other = scatter_portal_show(group, seated->id);
	if (other)
		return other;
	ticket->spare = NULL;
	/* Another group that still has the name here is broken or empty, as the registrar knows. */
	while ((other = scatter_name_claim(group))) {
		scatter_name_free(other);
		scatter_group_put(other);
	}
	return group;
}

static int sit_locked(struct scatter_ticket *ticket, const struct scatter_wide_seated *seated)
{
	struct scatter_member *member = ticket->member;
	struct scatter_group *group;
	u32 rank = seated->rank;
	int error = 0;

	lockdep_assert_held(&tickets_lock);
	if (scatter_attach_is_buried(ticket->node, seated->id))
		return -EHOSTUNREACH;
	group = show_locked(ticket, seated);
	if (IS_ERR(group))
		return PTR_ERR(group);
	spin_lock(&group->lock);
	if (group->portal->error || group->formed || rank >= group->size ||
	    group->members[rank] || test_bit(rank, group->portal->given_up)) {
		error = -EHOSTUNREACH;
	} else {
		member->group = group;
		scatter_member_sit_locked(member, group, rank);
		__set_bit(rank, group->seated);
		group->joined++;
		group->portal->tokens[rank] = ticket->token;
		trace_scatter_join(member);
		scatter_news_tell(group, SCATTER_EVENT_JOIN, rank, 0);
	}
	spin_unlock(&group->lock);
	if (error)
		scatter_group_put(group);
	return error;
}

/* Let the nodes that have asked wait for @group; NULL: no group has come, so answer NEVER. */
static void answer(struct scatter_node *node, struct list_head *questions,
		   struct scatter_group *group)
{
	struct scatter_ticket_question *question, *next;

	list_for_each_entry_safe(question, next, questions, entry) {
		if (!group || memcmp(group->id, question->id, sizeof(question->id)) ||
		    scatter_attach_defer(group, question->from)) {
			scatter_attach_bury(node, question->id);
			scatter_attach_say(node, question->from, question->id, 0,
					   SCATTER_WIDE_NEVER);
		}
		list_del(&question->entry);
		kfree(question);
	}
}

/**
 * scatter_ticket_seated() - handle a SEATED message
 * @node: this node
 * @from: the sender's id
 * @seated: the message
 *
 * Context: may sleep; no locks but a hub's. The caller has to call scatter_mail_flush() afterwards.
 */
void scatter_ticket_seated(struct scatter_node *node, u64 from,
			   const struct scatter_wide_seated *seated)
{
	int error = error_of(seated->answer);
	struct scatter_group *group = NULL;
	struct scatter_ticket *ticket;
	LIST_HEAD(questions);

	spin_lock(&tickets_lock);
	ticket = find_locked(node, seated->token, false);
	if (ticket && (ticket->done || ticket->registrar != from))
		ticket = NULL;
	if (ticket) {
		ticket->gid = seated->answer == SCATTER_WIDE_DENIED ?
			      make_kgid(&init_user_ns, seated->gid) : INVALID_GID;
		if (!error)
			error = sit_locked(ticket, seated);
		if (!error) {
			group = ticket->member->group;
			scatter_group_get(group);
		}
		list_splice_init(&ticket->questions, &questions);
		done_locked(ticket, error);
	}
	spin_unlock(&tickets_lock);
	answer(node, &questions, group);
	if (group)
		scatter_group_put(group);
	/* If no member has sat down, give the seat back. */
	if (seated->answer == SCATTER_WIDE_FINE && (!ticket || error))
		unseat(node, NULL, from, seated->token);
}

/**
 * scatter_ticket_unseated() - act on the registrar's answer that it has taken a seat back
 * @node: this node
 * @from: the sender's id
 * @token: the JOIN's token
 *
 * Context: may sleep; no locks but a hub's.
 */
void scatter_ticket_unseated(struct scatter_node *node, u64 from, u64 token)
{
	struct scatter_ticket *ticket;

	spin_lock(&tickets_lock);
	ticket = find_locked(node, token, true);
	if (ticket && ticket->registrar == from) {
		/* Before any other member gets the seat. */
		vacate(ticket->member);
		done_locked(ticket, 0);
	}
	spin_unlock(&tickets_lock);
}

/**
 * scatter_ticket_lost() - end the waits for answers of a node that is lost
 * @node: this node
 * @id: the lost node's id
 * @anew: true: the node has restarted, so JOINs ask again
 *
 * Context: may sleep; no locks but a hub's.
 */
void scatter_ticket_lost(struct scatter_node *node, u64 id, bool anew)
{
	struct scatter_ticket *ticket;

	spin_lock(&tickets_lock);
	list_for_each_entry(ticket, &tickets, entry)
		if (ticket->node == node && ticket->registrar == id && !ticket->done)
			done_locked(ticket, anew && !ticket->back ? -EAGAIN : -EHOSTUNREACH);
	spin_unlock(&tickets_lock);
}

/* Add a question, or free it if the node has asked it before. false: the question has to go. */
static bool add_locked(struct scatter_ticket *ticket, struct scatter_ticket_question *question)
{
	const struct scatter_ticket_question *other;

	lockdep_assert_held(&tickets_lock);
	list_for_each_entry(other, &ticket->questions, entry) {
		if (other->from != question->from)
			continue;
		if (memcmp(other->id, question->id, sizeof(other->id)))
			return false;
		kfree(question);
		return true;
	}
	list_add_tail(&question->entry, &ticket->questions);
	return true;
}

/**
 * scatter_ticket_defer() - let a node wait whose question depends on a JOIN that still waits
 * @node: this node
 * @token: the JOIN's token
 * @from: the asking node's id
 * @id: the group's id
 *
 * All nodes of a group may ask the group's home. Each node asks about one group by one JOIN.
 *
 * Context: may sleep; no locks but a hub's.
 * Return: false: no such JOIN waits, or the node has asked about another group.
 */
bool scatter_ticket_defer(struct scatter_node *node, u64 token, u64 from, const u64 *id)
{
	struct scatter_ticket_question *question;
	struct scatter_ticket *ticket;
	bool waits = false;

	question = kmalloc(sizeof(*question), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	question->from = from;
	memcpy(question->id, id, sizeof(question->id));
	spin_lock(&tickets_lock);
	ticket = find_locked(node, token, false);
	if (ticket && !ticket->done)
		waits = add_locked(ticket, question);
	spin_unlock(&tickets_lock);
	if (!waits)
		kfree(question);
	return waits;
}

static void enlist(struct scatter_ticket *ticket)
{
	INIT_LIST_HEAD(&ticket->questions);
	spin_lock(&tickets_lock);
	list_add(&ticket->entry, &tickets);
	spin_unlock(&tickets_lock);
}

/* Take a ticket out of the list, and answer the questions that still wait with NEVER. */
static void delist(struct scatter_ticket *ticket)
{
	spin_lock(&tickets_lock);
	list_del(&ticket->entry);
	spin_unlock(&tickets_lock);
	answer(ticket->node, &ticket->questions, NULL);
}

/* Fill in the message for the registrar; takes the umask and the ids from the current task. */
static void fill(struct scatter_wide_join *wide, const struct scatter_ticket *ticket,
		 const struct scatter_join *join, const struct scatter_group *spare, kgid_t gid)
{
	u64 id;

	*wide = (struct scatter_wide_join){
		.token = ticket->token,
		.owner = from_kuid(&init_user_ns, spare->uid),
		.uid = from_kuid(&init_user_ns, current_fsuid()),
		.gid = from_kgid(&init_user_ns, gid),
		.mode = spare->mode,
		.size = join->members,
		.sides = { join->sides[0], join->sides[1] },
		.side = join->side,
		.rank = join->rank == SCATTER_RANK_ANY ? SCATTER_WIDE_RANK_ANY : join->rank,
		.algorithm = join->schedule.algorithm,
		.ports = join->schedule.ports,
		.dims = join->schedule.dims,
	};
	scatter_node_info(ticket->node->net, &id, &wide->cluster);
	if (join->flags & SCATTER_JOIN_EXCL)
		wide->flags |= SCATTER_WIDE_EXCL;
	if (ns_capable(ticket->node->net->user_ns, CAP_IPC_OWNER))
		wide->flags |= SCATTER_WIDE_CAPABLE;
	memcpy(wide->extent, join->schedule.extent, sizeof(wide->extent));
	memcpy(wide->name, join->name, sizeof(wide->name));
}

/* This node is the registrar: the answer comes at once. */
static void ask_self(struct scatter_ticket *ticket, const struct scatter_join *join,
		     const struct scatter_wide_join *wide, kgid_t gid)
{
	const struct scatter_claimant claimant = {
		.node = ticket->registrar,
		.token = ticket->token,
		.owner = ticket->spare->uid,
		.uid = current_fsuid(),
		.gid = gid,
		.capable = wide->flags & SCATTER_WIDE_CAPABLE,
	};
	struct scatter_wide_seated seated;
	struct scatter_join masked = *join;

	masked.mode = wide->mode;
	scatter_registrar_claim(ticket->node, &claimant, &masked, &seated);
	scatter_ticket_seated(ticket->node, ticket->registrar, &seated);
	if (seated.answer == SCATTER_WIDE_FINE)
		scatter_registrar_settle(ticket->node, seated.id);
}

static void ask(struct scatter_ticket *ticket, const struct scatter_join *join, kgid_t gid)
{
	struct scatter_wide_join wide;
	struct scatter_raw_join raw;

	fill(&wide, ticket, join, ticket->spare, gid);
	if (ticket->registrar == scatter_node_id(ticket->node)) {
		ask_self(ticket, join, &wide, gid);
	} else {
		scatter_wide_build_join(&raw, 0, &wide);
		scatter_mail_post(ticket->node, ticket->mailer, ticket->registrar, &raw,
				  sizeof(raw));
	}
	scatter_mail_flush(ticket->node);
}

/* The time left in jiffies. A wait prefers an answer to a deadline. */
static long left_of(u64 deadline_ns)
{
	u64 now = ktime_get_ns();

	if (!deadline_ns)
		return MAX_SCHEDULE_TIMEOUT;
	return deadline_ns > now ? nsecs_to_jiffies(deadline_ns - now) + 1 : 0;
}

/*
 * Wait for the answer. After a signal or the deadline, wait a little longer: a JOIN that knows its
 * seat can give the seat back. The caller then sees the signal or the deadline itself.
 */
static int await(struct scatter_ticket *ticket, u64 deadline_ns)
{
	wait_queue_head_t *wait = &ticket->member->wait;
	long left = wait_event_interruptible_timeout(*wait, READ_ONCE(ticket->done),
						     left_of(deadline_ns));
	int error = left ? -EINTR : -ETIMEDOUT;

	if (left <= 0)
		left = wait_event_killable_timeout(*wait, READ_ONCE(ticket->done),
						   msecs_to_jiffies(SCATTER_TICKET_LATE_MS));
	return left > 0 ? 0 : error;
}

/*
 * Make a token that other nodes cannot guess. An answer to a JOIN from before the module was loaded
 * matches no token.
 */
static u64 new_token(void)
{
	static u32 begin;

	get_random_once(&begin, sizeof(begin));
	return ((u64)begin << 31) + atomic64_inc_return(&last_token);
}

/* Wait while the line to the registrar has not taken the messages of earlier JOINs. */
static int await_mail(struct scatter_ticket *ticket, u64 deadline_ns)
{
	if (!scatter_mailer_is_full(ticket->mailer))
		return 0;
	/* If nobody has wanted the line, nothing makes the node connect, or lose the peer. */
	scatter_hub_look(ticket->node);
	return scatter_mailer_wait(ticket->mailer, deadline_ns);
}

/* Ask the registrar once. -EAGAIN: the registrar has restarted. */
static int ask_once(struct scatter_ticket *ticket, const struct scatter_join *join, kgid_t gid,
		    u64 deadline_ns)
{
	struct scatter_peer *peer;
	bool done;
	int error;

	error = await_mail(ticket, deadline_ns);
	if (error)
		return error;
	ticket->token = new_token();
	ticket->done = false;
	enlist(ticket);
	/* If the registrar has been lost before the ticket was in the list, hear of it again. */
	peer = scatter_client_rely(ticket->node, ticket->registrar);
	if (peer || ticket->registrar == scatter_node_id(ticket->node)) {
		scatter_client_unrely(peer);
		ask(ticket, join, gid);
		error = await(ticket, deadline_ns);
	} else {
		error = -EHOSTUNREACH;
	}
	delist(ticket);
	done = ticket->done;
	/* If the registrar gives the JOIN a seat later, the seat is given back. */
	if (!done || ticket->error == -EAGAIN)
		unseat(ticket->node, ticket->mailer, ticket->registrar, ticket->token);
	scatter_mail_flush(ticket->node);
	return done ? ticket->error : error;
}

static int try(struct scatter_ticket *ticket, const struct scatter_join *join, kgid_t gid,
	       u64 deadline_ns)
{
	int error;

	do {
		error = ask_once(ticket, join, gid, deadline_ns);
	} while (error == -EAGAIN);
	return error;
}

/**
 * scatter_ticket_join() - get a seat in a group whose name all nodes know
 * @spare: has a portal; becomes the group, if the group has no member here yet, else is freed
 * @join: what the user asked for, checked
 * @member: the member that joins; has a group afterwards
 * @deadline_ns: as of scatter_wait()
 *
 * Context: may sleep; no locks.
 * Return: 0; -EHOSTUNREACH: the registrar cannot be reached; -EREMCHG: the registrar knows other
 * nodes; -EINTR or -ETIMEDOUT; or as of scatter_join().
 */
int scatter_ticket_join(struct scatter_group *spare, const struct scatter_join *join,
			struct scatter_member *member, u64 deadline_ns)
{
	struct scatter_portal *portal = spare->portal;
	struct scatter_ticket ticket = {
		.node = portal->node,
		.registrar = portal->registrar,
		.member = member,
		.spare = spare,
		.unlimited = scatter_user_unlimited(),
	};
	int error;

	ticket.mailer = scatter_mailer_find(ticket.node, ticket.registrar);
	if (!ticket.mailer) {
		error = -ENOMEM;
		goto out;
	}
	portal->relied = scatter_client_rely(ticket.node, ticket.registrar);
	if (!portal->relied && ticket.registrar != scatter_node_id(ticket.node)) {
		error = -EHOSTUNREACH;
		goto out;
	}
	error = try(&ticket, join, current_fsgid(), deadline_ns);
	/*
	 * Another one of the user's groups may have the right: only this node knows those groups.
	 */
	if (error == -EACCES && gid_valid(ticket.gid) && in_group_p(ticket.gid))
		error = try(&ticket, join, ticket.gid, deadline_ns);
out:
	scatter_mailer_put(ticket.mailer);
	if (ticket.spare)
		scatter_group_put(ticket.spare);
	return error;
}

static void unseated(struct scatter_node *node, void *member)
{
	vacate(member);
}

/* Wait until the member has lost its seat, or its group has formed; not for long. */
static void take_back(struct scatter_ticket *ticket)
{
	struct scatter_member *member = ticket->member;
	const struct scatter_group *group = member->group;

	if (ticket->registrar == scatter_node_id(ticket->node)) {
		if (scatter_registrar_unseat(ticket->node, ticket->registrar, ticket->token,
					     unseated, member))
			return;
	} else {
		unseat(ticket->node, ticket->mailer, ticket->registrar, ticket->token);
		scatter_mail_flush(ticket->node);
	}
	wait_event_killable_timeout(member->wait, READ_ONCE(ticket->done) ||
				    READ_ONCE(group->formed) ||
				    READ_ONCE(member->presence) == SCATTER_LOST,
				    msecs_to_jiffies(SCATTER_TICKET_LATE_MS));
}

/**
 * scatter_ticket_withdraw() - give back a member's seat, unless its group has formed
 * @member: the current task's; has a seat
 *
 * Context: may sleep; no locks.
 * Return: false: the group has formed with the member.
 */
bool scatter_ticket_withdraw(struct scatter_member *member)
{
	struct scatter_group *group = member->group;
	struct scatter_ticket ticket = {
		.node = group->portal->node,
		.registrar = group->portal->registrar,
		.member = member,
		.back = true,
	};
	bool formed, lost;

	spin_lock(&group->lock);
	formed = group->formed;
	lost = member->presence == SCATTER_LOST;
	ticket.token = group->portal->tokens[member->rank];
	spin_unlock(&group->lock);
	if (formed || lost)
		return lost;
	/* For want of memory, the message is not counted. */
	ticket.mailer = scatter_mailer_find(ticket.node, ticket.registrar);
	enlist(&ticket);
	take_back(&ticket);
	delist(&ticket);
	scatter_mailer_put(ticket.mailer);
	vacate(member);
	scatter_span_settle(group);
	return READ_ONCE(member->presence) == SCATTER_LOST;
}
