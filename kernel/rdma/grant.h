/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_GRANT_H
#define _SCATTER_GRANT_H

#include <linux/types.h>

struct scatter_line;
struct scatter_segment;

int scatter_grant_begin(void *line, struct scatter_segment *segment, u64 *address, u32 *key);
void scatter_grant_end(void *line, u32 key);
void scatter_grant_free_all(struct scatter_line *line);

#endif /* _SCATTER_GRANT_H */
