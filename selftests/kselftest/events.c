// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "common.h"
#include "events.h"

#define TRACING	"/sys/kernel/tracing/"
#define ENABLE	TRACING "events/scatter/enable"

/* All of them, from an empty trace on; false: this kernel cannot. */
bool events_trace(bool on)
{
	if (!on)
		return !file_write(ENABLE, "0");
	if (access(TRACING "trace", R_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
	return !access(ENABLE, W_OK) &&
	       !file_write(TRACING "buffer_size_kb", "8192") &&
	       !file_write(TRACING "trace", "") && !file_write(ENABLE, "1");
}

static unsigned long long field(const char *line, const char *name)
{
	char start[32];
	const char *at;

	snprintf(start, sizeof(start), " %s=", name);
	at = strstr(line, start);
	/* Negative ones wrap around, and back in a field that is signed. */
	return at ? strtoull(at + strlen(start), NULL, 0) : 0;
}

static void fields_parse(const char *line, struct event *event)
{
	event->op = field(line, "op");
	event->rank = field(line, "rank");
	event->size = field(line, "size");
	event->root = field(line, "root");
	event->algorithm = field(line, "algorithm");
	event->flags = field(line, "flags");
	event->by = field(line, "by");
	event->from = field(line, "from");
	event->to = field(line, "to");
	event->round = field(line, "round");
	event->first = field(line, "first");
	event->count = field(line, "count");
	event->formed = (int)field(line, "formed");
	event->left = (int)field(line, "left");
	event->error = (int)field(line, "error");
	event->culprit = (int)field(line, "culprit");
	event->number = field(line, "number");
	event->block = field(line, "block");
	event->pages = field(line, "pages");
	event->bytes = field(line, "bytes");
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
	fields_parse(at, event);
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
