// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "common.h"
#include "edges.h"

#define TRACING	"/sys/kernel/tracing/"
#define ENABLE	"events/scatter/scatter_edge/enable"

static int tracing_write(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "%s", file);
	return file_write(path, text);
}

/* From an empty trace on; false: this kernel cannot. */
bool edges_trace(bool on)
{
	if (!on)
		return !tracing_write(ENABLE, "0");
	if (access(TRACING "trace", R_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
	/* of each CPU, for 25,000 edges */
	return !access(TRACING ENABLE, W_OK) &&
	       !tracing_write("buffer_size_kb", "8192") &&
	       !tracing_write("trace", "") &&
	       !tracing_write(ENABLE, "1");
}

static bool edge_parse(const char *line, const char *group, struct edge *edge)
{
	char start[SCATTER_NAME_MAX + 16];
	const char *at;

	snprintf(start, sizeof(start), "group=%s ", group);
	at = strstr(line, "scatter_edge:") ? strstr(line, start) : NULL;
	return at && sscanf(at + strlen(start),
			    "id=%*32[0-9a-f] op=%u number=%llu from=%u to=%u round=%u first=%u count=%u bytes=%llu payload=%d tree=%u piece=%u pieces=%u",
			    &edge->op, &edge->number, &edge->from, &edge->to,
			    &edge->round, &edge->first, &edge->count,
			    &edge->bytes, &edge->payload, &edge->tree,
			    &edge->piece, &edge->pieces) == 12;
}

/* The edges of operation @number that @group has traced; at most @most. */
unsigned int edges_read(const char *group, unsigned long long number,
			struct edge *edges, unsigned int most)
{
	FILE *trace = fopen(TRACING "trace", "re");
	unsigned int n = 0;
	struct edge edge;
	char line[512];

	while (trace && fgets(line, sizeof(line), trace))
		if (edge_parse(line, group, &edge) && edge.number == number &&
		    n < most)
			edges[n++] = edge;
	if (trace)
		fclose(trace);
	return n;
}
