/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_BUFFERS_H
#define _SCATTER_BUFFERS_H

#include <linux/types.h>

struct bio_vec;
struct scatter_line;

int scatter_buffers_create(struct scatter_line *line);
void scatter_buffers_free(struct scatter_line *line);
int scatter_buffers_post_all(struct scatter_line *line);
void scatter_buffers_settle(struct scatter_line *line);
bool scatter_buffers_room(void *handle);
int scatter_buffers_send(void *line, const void *message, size_t bytes,
			 const struct bio_vec *payload);

#endif /* _SCATTER_BUFFERS_H */
