/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_MAIL_H
#define _SCATTER_MAIL_H

#include <linux/types.h>

struct bio_vec;
struct scatter_chunk;
struct scatter_hub;
struct scatter_mailer;
struct scatter_message;
struct scatter_node;
struct scatter_segment;
struct scatter_wide_grant;

void scatter_mail_post(struct scatter_node *node, struct scatter_mailer *mailer, u64 to,
		       const void *data, u32 bytes);
struct scatter_message *scatter_mail_prepare(u64 to, const void *data, u32 bytes);
void scatter_mail_post_prepared(struct scatter_node *node, struct scatter_message *message);
void scatter_mail_post_payload(struct scatter_node *node, struct scatter_mailer *mailer, u64 to,
			       const void *data, u32 bytes, const struct bio_vec *payload);
void scatter_mail_post_chunk(struct scatter_node *node, struct scatter_mailer *mailer, u64 to,
			     const void *data, u32 bytes, const struct scatter_chunk *chunk,
			     u32 skip, u32 more);
void scatter_mail_post_latest(struct scatter_node *node, struct scatter_mailer *mailer, u64 to,
			      const void *data, u32 bytes, u32 late_ms);
void scatter_mail_offer(struct scatter_node *node, u64 to, const struct scatter_wide_grant *grant,
			struct scatter_segment *segment);
void scatter_mail_count(struct scatter_node *node, u64 to, u64 bundles, u64 bytes, u64 copied);
void scatter_mail_count_wait(struct scatter_node *node, u64 to);
void scatter_mail_flush_locked(struct scatter_hub *hub);
void scatter_mail_flush(struct scatter_node *node);
void scatter_mail_drop(struct scatter_node *node);

#endif /* _SCATTER_MAIL_H */
