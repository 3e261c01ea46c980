/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tracepoints of the module tell.
 */
#ifndef _KSELFTEST_EVENTS_H
#define _KSELFTEST_EVENTS_H

#include <stdbool.h>

/* What to trace: everything, or the edges of schedules alone. */
#define EVENTS_ALL	""
#define EVENTS_EDGES	"scatter_edge/"

/* One of any tracepoint; a field that it has not is 0. */
struct event {
	char name[32];
	unsigned int op, rank, size, root, algorithm, flags, by, from, to;
	unsigned int round, first, count, tree, piece, pieces;
	int formed, left, error, culprit, payload;
	unsigned long long number, block, pages, bytes;
};

typedef void event_fn(const struct event *event, void *data);

bool events_trace(const char *which);
unsigned int events_read(const char *group, event_fn *fn, void *data);
unsigned int edges_read(const char *group, unsigned long long number,
			struct event *edge, unsigned int most);

#endif /* _KSELFTEST_EVENTS_H */
