/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_POLL_H
#define _SCATTER_POLL_H

#include <linux/types.h>

struct scatter_line;

int scatter_poll_init(void);
void scatter_poll_exit(void);
void scatter_poll_prepare(struct scatter_line *line);
void scatter_poll_watch(struct scatter_line *line);
int scatter_poll_create(struct scatter_line *line, u32 entries);
void scatter_poll_destroy(struct scatter_line *line);
void scatter_poll_kick(struct scatter_line *line);
void scatter_poll_note(struct scatter_line *line, int error);

#endif /* _SCATTER_POLL_H */
