// SPDX-License-Identifier: GPL-2.0
/*
 * Mailers: how much mail calls have posted that no line has taken yet.
 *
 * Mail is posted without waiting, see node/mail.c. If a line takes no mail, a user whose calls end
 * at once could post without end, until the node cuts the line, see node/client.c: then the groups
 * of all users lose the peer. So each group has a mailer, which counts the messages that the group
 * has posted and that have never been sent. A JOIN has no group yet: the messages of all JOINs at
 * one registrar have a mailer. While the line takes no mail, no JOIN gets an answer anyway; when
 * the line takes mail, all JOINs that wait go on together.
 *
 *	few --(SCATTER_MAILER_MOST)--> full: new calls wait --(half of that)--> few
 *
 * A call waits before it begins, and holds nothing that other members need but what each waiting
 * call holds: its file is busy. The wait ends when the lines have taken mail, when the mail of a
 * lost peer is dropped, or when the group refuses the call, since a node of the group is lost. None
 * of these depends on a member. Handlers of messages and work items count their mail and never
 * wait; nor does the end of a member, which posts little.
 *
 * SHRINK and AGREE do not wait: they have to end when a node is lost, whose mail may lie here for
 * as long as nobody relies on the node. Nodes begin none before all know the verdict of the last
 * one, so no call can post without end.
 *
 * What has been sent once is bounded by the peer's credits, and does not count. Answers to what a
 * peer asks for do not count either: the peer bounds them, since it has to take them.
 *
 * Locks: mailers_lock, a spin lock, protects the table of the mailers of JOINs. Nothing nests in
 * it. The table holds no references. Messages have references, so that a later JOIN finds the
 * mailer that counts them.
 */
#include <linux/errno.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "memory/mailer.h"

/*
 * With this many messages that have not been sent, new calls wait. A line that takes mail has less
 * to send, and is not idle before the calls go on. Each group may have four times as many
 * unacknowledged messages at a peer, see group/portal.c: room for those calls that are under way,
 * and for what this node forwards.
 */
#define SCATTER_MAILER_MOST	1024

/* Calls that wait go on when so few are left. */
#define SCATTER_MAILER_FEW	(SCATTER_MAILER_MOST / 2)

static DEFINE_HASHTABLE(mailers, 6);
static DEFINE_SPINLOCK(mailers_lock);

/**
 * scatter_mailer_create() - create a mailer without mail
 *
 * Context: may sleep.
 * Return: the mailer, for scatter_mailer_put(), or NULL for want of memory.
 */
struct scatter_mailer *scatter_mailer_create(void)
{
	struct scatter_mailer *mailer = kzalloc(sizeof(*mailer), GFP_KERNEL_ACCOUNT);

	if (!mailer)
		return NULL;
	refcount_set(&mailer->ref, 1);
	init_waitqueue_head(&mailer->wait);
	return mailer;
}

static struct scatter_mailer *find_locked(const void *node, u64 to)
{
	struct scatter_mailer *mailer;

	lockdep_assert_held(&mailers_lock);
	hash_for_each_possible(mailers, mailer, entry, to)
		if (mailer->node == node && mailer->to == to)
			return mailer;
	return NULL;
}

/**
 * scatter_mailer_find() - find or make the mailer of the JOINs at another node
 * @node: this node
 * @to: the other node's id
 *
 * Context: may sleep; takes mailers_lock.
 * Return: the mailer, referenced, or NULL for want of memory.
 */
struct scatter_mailer *scatter_mailer_find(const void *node, u64 to)
{
	struct scatter_mailer *fresh = scatter_mailer_create(), *mailer;

	if (!fresh)
		return NULL;
	fresh->shared = true;
	fresh->node = node;
	fresh->to = to;
	spin_lock(&mailers_lock);
	mailer = find_locked(node, to);
	if (mailer)
		refcount_inc(&mailer->ref);
	else
		hash_add(mailers, &fresh->entry, to);
	spin_unlock(&mailers_lock);
	if (!mailer)
		return fresh;
	kfree(fresh);
	return mailer;
}

/**
 * scatter_mailer_put() - give back a reference
 * @mailer: NULL is ignored
 *
 * Context: process context, does not sleep; may take mailers_lock.
 */
void scatter_mailer_put(struct scatter_mailer *mailer)
{
	bool last;

	if (!mailer)
		return;
	if (mailer->shared) {
		spin_lock(&mailers_lock);
		last = refcount_dec_and_test(&mailer->ref);
		if (last)
			hash_del(&mailer->entry);
		spin_unlock(&mailers_lock);
	} else {
		last = refcount_dec_and_test(&mailer->ref);
	}
	if (last)
		kfree(mailer);
}

/**
 * scatter_mailer_posted() - count a message
 * @mailer: the caller can be sure that it exists
 *
 * Context: any.
 */
void scatter_mailer_posted(struct scatter_mailer *mailer)
{
	refcount_inc(&mailer->ref);
	atomic_inc(&mailer->nr);
}

/**
 * scatter_mailer_sent() - count a message no longer: it is sent, or dropped
 * @mailer: after scatter_mailer_posted(); may be gone afterwards
 *
 * Context: process context, does not sleep; may take mailers_lock.
 */
void scatter_mailer_sent(struct scatter_mailer *mailer)
{
	if (atomic_dec_return(&mailer->nr) == SCATTER_MAILER_FEW && wq_has_sleeper(&mailer->wait))
		wake_up_all(&mailer->wait);
	scatter_mailer_put(mailer);
}

/**
 * scatter_mailer_is_low() - whether calls that wait may go on
 * @mailer: the mailer
 *
 * Context: any.
 */
bool scatter_mailer_is_low(const struct scatter_mailer *mailer)
{
	return atomic_read(&mailer->nr) <= SCATTER_MAILER_FEW;
}

/**
 * scatter_mailer_is_full() - whether new calls have to wait
 * @mailer: the mailer
 *
 * New calls do not overtake those that wait, or these might wait for ever. Whether calls wait is
 * read without a lock: a call that begins to wait at the same time may be overtaken once.
 *
 * Context: any.
 */
bool scatter_mailer_is_full(struct scatter_mailer *mailer)
{
	if (atomic_read(&mailer->nr) >= SCATTER_MAILER_MOST)
		return true;
	/* Nothing depends on it: who has just begun to wait may be missed. */
	return !scatter_mailer_is_low(mailer) && waitqueue_active(&mailer->wait);
}

/**
 * scatter_mailer_wait() - wait while the mailer is full
 * @mailer: the mailer
 * @deadline_ns: absolute CLOCK_MONOTONIC time to give up at; 0: never
 *
 * Context: may sleep; no locks.
 * Return: 0, -EINTR or -ETIMEDOUT.
 */
int scatter_mailer_wait(struct scatter_mailer *mailer, u64 deadline_ns)
{
	long left = MAX_SCHEDULE_TIMEOUT;
	s64 ahead_ns;

	if (!scatter_mailer_is_full(mailer))
		return 0;
	if (deadline_ns) {
		ahead_ns = deadline_ns - ktime_get_ns();
		left = ahead_ns > 0 ? nsecs_to_jiffies(ahead_ns) + 1 : 0;
	}
	left = wait_event_interruptible_timeout(mailer->wait, scatter_mailer_is_low(mailer), left);
	if (left > 0)
		return 0;
	return left ? -EINTR : -ETIMEDOUT;
}
