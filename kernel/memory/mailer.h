/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MAILER_H
#define _SCATTER_MAILER_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/wait.h>

/**
 * struct scatter_mailer - for what a node posts mail: for a group, or for JOINs at another node
 * @ref: references: of owners, and of messages that have been posted and never been sent
 * @nr: how many such messages
 * @wait: calls that wait until few messages are left
 * @shared: constant; the mailer is of JOINs, and in the table of these
 * @entry: mailers_lock; in that table
 * @node: constant; the node that posts, of JOINs
 * @to: constant; the id of the node that gets them
 */
struct scatter_mailer {
	refcount_t ref;
	atomic_t nr;
	wait_queue_head_t wait;
	bool shared;
	struct hlist_node entry;
	const void *node;
	u64 to;
};

struct scatter_mailer *scatter_mailer_create(void);
struct scatter_mailer *scatter_mailer_find(const void *node, u64 to);
void scatter_mailer_put(struct scatter_mailer *mailer);
void scatter_mailer_posted(struct scatter_mailer *mailer);
void scatter_mailer_sent(struct scatter_mailer *mailer);
bool scatter_mailer_is_full(struct scatter_mailer *mailer);
bool scatter_mailer_is_low(const struct scatter_mailer *mailer);
int scatter_mailer_wait(struct scatter_mailer *mailer, u64 deadline_ns);

#endif /* _SCATTER_MAILER_H */
