// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "common.h"
#include "events.h"

#define TRACING	"/sys/kernel/tracing/"

/*
 * What @which names, from an empty trace on; NULL: nothing any more. False: this kernel
 * cannot.
 */
bool events_trace(const char *which)
{
	char enable[128];

	if (!which)
		return !file_write(TRACING "events/scatter/enable", "0");
	snprintf(enable, sizeof(enable), TRACING "events/scatter/%senable", which);
	if (access(TRACING "trace", R_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
	/* of each CPU, for 25,000 edges */
	return !access(enable, W_OK) &&
	       !file_write(TRACING "buffer_size_kb", "8192") &&
	       !file_write(TRACING "trace", "") && !file_write(enable, "1");
}

/* Fields of 64 bits are unsigned long long. */
static const struct field {
	const char *name;
	size_t offset;
	bool wide;
} fields[] = {
	{ "op", offsetof(struct event, op), false },
	{ "rank", offsetof(struct event, rank), false },
	{ "size", offsetof(struct event, size), false },
	{ "root", offsetof(struct event, root), false },
	{ "algorithm", offsetof(struct event, algorithm), false },
	{ "flags", offsetof(struct event, flags), false },
	{ "by", offsetof(struct event, by), false },
	{ "from", offsetof(struct event, from), false },
	{ "to", offsetof(struct event, to), false },
	{ "round", offsetof(struct event, round), false },
	{ "first", offsetof(struct event, first), false },
	{ "count", offsetof(struct event, count), false },
	{ "tree", offsetof(struct event, tree), false },
	{ "piece", offsetof(struct event, piece), false },
	{ "pieces", offsetof(struct event, pieces), false },
	{ "formed", offsetof(struct event, formed), false },
	{ "left", offsetof(struct event, left), false },
	{ "error", offsetof(struct event, error), false },
	{ "culprit", offsetof(struct event, culprit), false },
	{ "payload", offsetof(struct event, payload), false },
	{ "number", offsetof(struct event, number), true },
	{ "block", offsetof(struct event, block), true },
	{ "pages", offsetof(struct event, pages), true },
	{ "bytes", offsetof(struct event, bytes), true },
};

/* NAME=VALUE; negative values wrap around, and back in a field that is signed. */
static void field_parse(const char *word, struct event *event)
{
	const size_t bytes = strcspn(word, "= ");
	unsigned long long value;
	unsigned int i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		char *at = (char *)event + fields[i].offset;

		if (strlen(fields[i].name) != bytes || strncmp(fields[i].name, word, bytes))
			continue;
		value = word[bytes] ? strtoull(word + bytes + 1, NULL, 0) : 0;
		if (fields[i].wide)
			memcpy(at, &value, sizeof(value));
		else
			memcpy(at, &(unsigned int){ (unsigned int)value }, sizeof(int));
	}
}

static bool event_parse(const char *line, const char *group, struct event *event)
{
	const char *name = strstr(line, ": scatter_");
	char start[SCATTER_NAME_MAX + 16];
	const char *at;

	memset(event, 0, sizeof(*event));
	snprintf(start, sizeof(start), ": group=%s ", group);
	at = name ? strstr(name, start) : NULL;
	if (!at || sscanf(name, ": scatter_%31[a-z]", event->name) != 1)
		return false;
	for (at = strchr(at + 2, ' '); at; at = strchr(at + 1, ' '))
		field_parse(at + 1, event);
	return true;
}

/* In order, those of @group; how many they are. */
unsigned int events_read(const char *group, event_fn *fn, void *data)
{
	FILE *trace = fopen(TRACING "trace", "re");
	struct event event;
	unsigned int n = 0;
	char line[512];

	while (trace && fgets(line, sizeof(line), trace)) {
		if (!event_parse(line, group, &event))
			continue;
		fn(&event, data);
		n++;
	}
	if (trace)
		fclose(trace);
	return n;
}

struct edges {
	unsigned long long number;
	struct event *edge;
	unsigned int n, most;
};

static void edge_note(const struct event *event, void *data)
{
	struct edges *edges = data;

	if (!strcmp(event->name, "edge") && event->number == edges->number &&
	    edges->n < edges->most)
		edges->edge[edges->n++] = *event;
}

/* The edges of operation @number that @group has traced; at most @most. */
unsigned int edges_read(const char *group, unsigned long long number,
			struct event *edge, unsigned int most)
{
	struct edges edges = { .number = number, .edge = edge, .most = most };

	events_read(group, edge_note, &edges);
	return edges.n;
}
