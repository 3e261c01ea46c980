/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCATTER_READ_H
#define _SCATTER_READ_H

#include <linux/types.h>

struct scatter_segment;

int scatter_read_begin(void *line, u64 address, u32 key, struct scatter_segment *segment,
		       u32 most, void *cookie);

#endif /* _SCATTER_READ_H */
