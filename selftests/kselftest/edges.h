/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tracepoint scatter_edge tells.
 */
#ifndef _KSELFTEST_EDGES_H
#define _KSELFTEST_EDGES_H

#include <stdbool.h>

struct edge {
	unsigned int op, from, to, round, first, count;
	int payload;
	unsigned int tree, piece, pieces;
	unsigned long long number, bytes;
};

bool edges_trace(bool on);
unsigned int edges_read(const char *group, unsigned long long number,
			struct edge *edges, unsigned int most);

#endif /* _KSELFTEST_EDGES_H */
