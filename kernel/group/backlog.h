/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BACKLOG_H
#define _SCATTER_BACKLOG_H

#include <linux/list.h>
#include <linux/types.h>

#include "node/client.h"

struct scatter_group;
struct scatter_node;
struct scatter_portal;
struct workqueue_struct;

/**
 * struct scatter_backlog_item - something to be done for a group under scatter_portal.moving
 * @entry: in scatter_portal.backlog
 * @from: index of the node that has caused it, and whose items are counted; more than the last
 *	index: no node
 * @bytes: how much memory waits with the item
 * @sender: that node
 * @run: does it, once, and frees the item. Called with scatter_portal.moving held, by a handler of
 *	a message or by a work item; may sleep; the group is referenced. False: the node has broken
 *	the protocol
 */
struct scatter_backlog_item {
	struct list_head entry;
	u32 from;
	u32 bytes;
	struct scatter_client_sender sender;
	bool (*run)(struct scatter_group *group, struct scatter_backlog_item *item);
};

int scatter_backlog_init(void);
void scatter_backlog_exit(void);
void scatter_backlog_flush(void);
struct workqueue_struct *scatter_backlog_works(void);
void scatter_backlog_wait(struct scatter_node *node);
void scatter_backlog_prepare(struct scatter_portal *portal);
void scatter_backlog_lock(struct scatter_portal *portal);
bool scatter_backlog_trylock(struct scatter_portal *portal);
void scatter_backlog_unlock(struct scatter_portal *portal);
bool scatter_backlog_are_busy(void);
bool scatter_backlog_has(const struct scatter_portal *portal, u32 from);
bool scatter_backlog_add(struct scatter_portal *portal, struct scatter_backlog_item *item);
void scatter_backlog_run(struct scatter_portal *portal, struct scatter_backlog_item *item);

#endif /* _SCATTER_BACKLOG_H */
