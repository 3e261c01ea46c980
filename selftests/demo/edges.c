// SPDX-License-Identifier: GPL-2.0
/*
 * The edges that were really crossed, from the kernel's tracepoint, and the tree
 * that they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/scatter.h>

#include "edges.h"

#define TRACING		"/sys/kernel/tracing/"

static int tracing_write(const char *file, int flags, const char *text)
{
	size_t bytes = strlen(text);
	int fd = open(file, O_WRONLY | O_CLOEXEC | flags);
	int error = 0;

	if (fd < 0)
		return -errno;
	if (bytes && write(fd, text, bytes) != (ssize_t)bytes)
		error = errno ? -errno : -EIO;
	close(fd);
	return error;
}

/* Forget what was traced before and trace edges from now on. */
int edges_start(void)
{
	int error = tracing_write(TRACING "trace", O_TRUNC, "");

	if (!error)
		error = tracing_write(TRACING "tracing_on", 0, "1");
	if (!error)
		error = tracing_write(TRACING
				      "events/scatter/scatter_edge/enable",
				      0, "1");
	return error;
}

int edges_stop(void)
{
	return tracing_write(TRACING "events/scatter/scatter_edge/enable", 0,
			     "0");
}

/* False if the line is no event of the group. */
static bool edge_parse(struct edge *edge, const char *line, const char *group)
{
	const char *at = strstr(line, "scatter_edge: group=");
	char name[SCATTER_NAME_MAX];
	int used = 0;

	if (!at)
		return false;
	if (sscanf(at, "scatter_edge: group=%63s id=%*s op=%u number=%llu from=%u to=%u%n",
		   name, &edge->op, &edge->number, &edge->from, &edge->to,
		   &used) != 5 || strcmp(name, group))
		return false;
	return sscanf(at + used,
		      " round=%u first=%u count=%u bytes=%llu payload=%u",
		      &edge->round, &edge->first, &edge->count, &edge->bytes,
		      &edge->payload) == 5;
}

/* The order of the trace is that of time, which differs from run to run. */
static int edge_compare(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return 0;
}

/* Returns 0 or -errno. */
int edges_read(struct edges *edges, const char *group)
{
	FILE *trace = fopen(TRACING "trace", "re");
	char line[512];
	int error = 0;

	edges->count = 0;
	if (!trace)
		return -errno;
	while (!error && fgets(line, sizeof(line), trace)) {
		if (edges->count == EDGES_MAX)
			error = -E2BIG;
		else if (edge_parse(&edges->edge[edges->count], line, group))
			edges->count++;
	}
	if (ferror(trace))
		error = -EIO;
	fclose(trace);
	qsort(edges->edge, edges->count, sizeof(*edges->edge), edge_compare);
	return error;
}

/* Those of one kind of operation. */
struct edges edges_of(const struct edges *all, __u32 op)
{
	struct edges edges = { .count = 0 };
	unsigned int i;

	for (i = 0; i < all->count; i++)
		if (all->edge[i].op == op)
			edges.edge[edges.count++] = all->edge[i];
	return edges;
}

__u64 edges_bytes(const struct edges *edges, bool payload_only)
{
	__u64 bytes = 0;
	unsigned int i;

	for (i = 0; i < edges->count; i++)
		if (edges->edge[i].payload || !payload_only)
			bytes += edges->edge[i].bytes;
	return bytes;
}

const char *bytes_text(char text[BYTES_TEXT], __u64 bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double n = bytes / 1024.0;
	unsigned int unit = 0;

	if (bytes < 1024) {
		snprintf(text, BYTES_TEXT, "%llu B", bytes);
		return text;
	}
	for (; n >= 1024 && unit < 3; unit++)
		n /= 1024;
	snprintf(text, BYTES_TEXT, "%.1f %s", n, units[unit]);
	return text;
}

/* The line of one edge. */
static void edge_draw(const struct edge *edge, const char *before, __u32 ranks)
{
	char bytes[BYTES_TEXT], blocks[32];
	__u32 last = (edge->first + edge->count - 1) % ranks;

	if (edge->count == 1)
		snprintf(blocks, sizeof(blocks), "block %u", edge->first);
	else
		snprintf(blocks, sizeof(blocks), "blocks %u-%u", edge->first,
			 last);
	printf("%s round %u: %s, %s (%s) --> rank %u\n", before, edge->round,
	       blocks, bytes_text(bytes, edge->bytes),
	       edge->payload ? "payload" : "descriptor", edge->to);
}

/*
 * What @rank sent on after it had got its bundle in @round. Rounds grow from
 * edge to edge, so no input makes this endless.
 */
static unsigned int subtree_draw(const struct edges *edges, __u32 rank,
				 __u32 round, __u32 ranks, const char *indent)
{
	char deeper[4 * EDGES_MAX + 8];
	unsigned int drawn = 0;
	int last = -1;
	int i, n = edges->count;

	for (i = 0; i < n; i++)
		if (edges->edge[i].from == rank && edges->edge[i].round > round)
			last = i;
	for (i = 0; i <= last; i++) {
		const struct edge *edge = &edges->edge[i];

		if (edge->from != rank || edge->round <= round)
			continue;
		snprintf(deeper, sizeof(deeper), "%s%s", indent,
			 i == last ? "`--" : "|--");
		edge_draw(edge, deeper, ranks);
		snprintf(deeper, sizeof(deeper), "%s%s", indent,
			 i == last ? "    " : "|   ");
		drawn += 1 + subtree_draw(edges, edge->to, edge->round, ranks,
					  deeper);
	}
	return drawn;
}

/* Returns how many edges are in the tree below the root. */
unsigned int edges_draw(const struct edges *edges, __u32 root, __u32 ranks)
{
	printf("rank %u\n", root);
	return subtree_draw(edges, root, 0, ranks, "");
}
