/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_READ_H
#define _SCATTER_READ_H

#include <linux/types.h>

struct scatter_line;

int scatter_read_grant(void *line, const void *data, u32 bytes, u64 *address, u32 *key);
void scatter_read_ungrant(void *line, u32 key);
int scatter_read_begin(void *line, u64 address, u32 key, u32 bytes, u32 segment, u64 token);
const void *scatter_read_data(void *line, u64 token, u32 *bytes);
void scatter_read_free_all(struct scatter_line *line);

#endif /* _SCATTER_READ_H */
