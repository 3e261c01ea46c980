/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_DELIVER_H
#define _SCATTER_DELIVER_H

#include <linux/types.h>

struct page;
struct scatter_client_sender;
struct scatter_group;
struct scatter_node;
struct scatter_segment;
struct scatter_wide_attach;
struct scatter_wide_grant;

bool scatter_deliver_formed(struct scatter_group *group);
bool scatter_deliver_message(struct scatter_node *node, const struct scatter_client_sender *from,
			     u32 type, struct page *page, const void *data, u32 bytes);
bool scatter_deliver_council(struct scatter_node *node, const struct scatter_client_sender *from,
			     const void *data, u32 bytes);
bool scatter_deliver_fetched(struct scatter_node *node, const struct scatter_client_sender *from,
			     const struct scatter_wide_grant *grant,
			     struct scatter_segment *segment);
void scatter_deliver_attach(struct scatter_group *group, u32 index,
			    const struct scatter_client_sender *from, const void *data, u32 bytes);
void scatter_deliver_loss(struct scatter_group *group, u32 index, bool fenced);

#endif /* _SCATTER_DELIVER_H */
