/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_REGISTRAR_H
#define _SCATTER_REGISTRAR_H

#include <linux/scatter.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "wire/wide.h"

struct scatter_node;

/**
 * struct scatter_claimant - a process that wants a seat
 * @node: the node of the process
 * @token: the token of the process's JOIN
 * @owner: the user that the name belongs to
 * @uid: the process's user
 * @gid: a group of the process
 * @capable: the process needs no permission bits
 */
struct scatter_claimant {
	u64 node;
	u64 token;
	kuid_t owner;
	kuid_t uid;
	kgid_t gid;
	bool capable;
};

u64 scatter_registrar_of(struct scatter_node *node, kuid_t owner, const char *name);
void scatter_registrar_claim(struct scatter_node *node, const struct scatter_claimant *claimant,
			     const struct scatter_join *join,
			     struct scatter_wide_seated *answer);
void scatter_registrar_settle(struct scatter_node *node, const u64 *id);
bool scatter_registrar_unseat(struct scatter_node *node, u64 from, u64 token,
			      void (*tell)(struct scatter_node *node, void *arg), void *arg);
void scatter_registrar_ended(struct scatter_node *node, u64 from, const u64 *id);
void scatter_registrar_lost(struct scatter_node *node, u64 id);

#endif /* _SCATTER_REGISTRAR_H */
