// SPDX-License-Identifier: GPL-2.0
/*
 * The edges that were really crossed, from the kernel's tracepoint, and the tree
 * that they are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/scatter.h>

#include "demo.h"
#include "edges.h"
#include "events.h"

/* Trace edges from now on, and nothing else. */
int edges_start(void)
{
	return events_trace(EVENTS_EDGES) ? 0 : -EACCES;
}

int edges_stop(void)
{
	return events_trace(NULL) ? 0 : -EIO;
}

static void take(const struct event *event, void *data)
{
	struct edges *edges = data;

	if (strcmp(event->name, "edge"))
		return;
	if (edges->count < EDGES_MAX)
		edges->edge[edges->count] = (struct edge){
			.op = event->op,
			.number = event->number,
			.from = event->from,
			.to = event->to,
			.round = event->round,
			.first = event->first,
			.count = event->count,
			.bytes = event->bytes,
			.payload = event->payload,
		};
	edges->count++;
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

/* Returns 0, -ENODATA: nothing was traced; or -E2BIG. */
int edges_take(struct edges *edges, const char *group)
{
	edges->count = 0;
	if (!events_read(group, take, edges))
		return -ENODATA;
	if (edges->count > EDGES_MAX)
		return -E2BIG;
	qsort(edges->edge, edges->count, sizeof(*edges->edge), edge_compare);
	return 0;
}

/* The edges of one kind of operation. */
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
