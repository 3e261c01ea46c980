/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tracepoints of the module tell.
 */
#ifndef _KSELFTEST_EVENTS_H
#define _KSELFTEST_EVENTS_H

#include <stdbool.h>

/* One of any tracepoint; a field that it has not is 0. */
struct event {
	char name[32];
	unsigned int op, rank, size, root, algorithm, flags, by, from, to;
	unsigned int round, first, count;
	int formed, left, error, culprit;
	unsigned long long number, block, pages, bytes;
};

typedef void event_fn(const struct event *event, void *data);

bool events_trace(bool on);
unsigned int events_read(const char *group, event_fn *fn, void *data);

#endif /* _KSELFTEST_EVENTS_H */
