// SPDX-License-Identifier: GPL-2.0
/*
 * What the engine plans against what the device did.
 */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "formula.h"
#include "planned.h"
#include "schedule/schedule.h"

#define EDGES_MAX	(6 * PLANNED_SIZE_MAX * PLANNED_SIZE_MAX) /* of an OR-broadcast */

static struct scatter_irregular_node nodes[PLANNED_SIZE_MAX];
static struct scatter_irregular table;

/*
 * In an inter-group the schedule has the members of the side that the root is not on, and
 * then the root. The first group rank there, and how many they are.
 */
static unsigned int blocks_of(const struct call *call, unsigned int size,
			      unsigned int *first)
{
	const unsigned int near = call->sides[0];

	*first = near && call->root < near ? near : 0;
	return near ? call->sides[call->root < near] : size;
}

static unsigned int rank_of(const struct call *call, unsigned int place,
			    unsigned int size)
{
	unsigned int first, blocks = blocks_of(call, size, &first);

	return place < blocks ? first + place : call->root;
}

static bool spec_fill(struct scatter_schedule_spec *spec, const struct call *call,
		      unsigned int size)
{
	__u64 bytes[PLANNED_SIZE_MAX] = { 0 };
	unsigned int r, first, blocks = blocks_of(call, size, &first);
	unsigned int root = call->sides[0] ? blocks : call->root;

	*spec = (struct scatter_schedule_spec){
		.algorithm = call->algorithm,
		.op = is_gather(call->op) ? SCATTER_SCHEDULE_GATHER : SCATTER_SCHEDULE_SCATTER,
		.size = call->sides[0] ? blocks + 1 : size,
		.root = root,
		.ports = call->ports,
		.dims = call->dims,
		.irregular = &table,
	};
	memcpy(spec->extent, call->extent, sizeof(spec->extent));
	for (r = 0; r < blocks; r++)
		bytes[r] = block_bytes(call->op, call->block, r);
	return !scatter_irregular_build(&table, nodes, (const u64 *)bytes,
					spec->size, root) &&
	       !scatter_schedule_check(spec);
}

static __u64 step_bytes(const struct scatter_walk *walk,
			const struct scatter_step *step, const struct call *call)
{
	struct scatter_range range;
	__u64 bytes = 0;
	u32 cursor = 0, i;

	while (scatter_schedule_range(walk, step, &cursor, &range))
		for (i = 0; i < range.count; i++)
			bytes += scatter_schedule_piece(step,
				block_bytes(call->op, call->block,
					    range.first + i));
	return bytes;
}

/* How many edges; 0 also if it cannot be scheduled. */
static unsigned int edges_plan(const struct call *call, unsigned int size,
			       struct event *edges)
{
	struct scatter_schedule_spec spec;
	struct scatter_walk walk;
	struct scatter_step step;
	unsigned int r, n = 0, first, blocks = blocks_of(call, size, &first);

	if (!spec_fill(&spec, call, size))
		return 0;
	for (r = 0; r < spec.size; r++) {
		if (!scatter_schedule_init(&walk, &spec, r))
			return 0;
		/* Of OR-broadcasts there is none for a root that has no block. */
		while (scatter_schedule_next(&walk, &step))
			if (step.send && step.first < blocks && n < EDGES_MAX)
				edges[n++] = (struct event){
					.op = call->op,
					.from = rank_of(call, r, size),
					.to = rank_of(call, step.peer, size),
					.round = step.round,
					.first = rank_of(call, step.first, size),
					.count = step.count,
					.bytes = step_bytes(&walk, &step, call),
					.tree = step.tree,
					.piece = step.piece,
					.pieces = step.pieces,
				};
	}
	return n;
}

static int edge_compare(const void *left, const void *right)
{
	const struct event *a = left, *b = right;
	const unsigned long long fields[][2] = {
		{ a->round, b->round }, { a->from, b->from }, { a->to, b->to },
		{ a->tree, b->tree }, { a->piece, b->piece },
		{ a->pieces, b->pieces }, { a->first, b->first },
		{ a->count, b->count }, { a->bytes, b->bytes },
	};
	unsigned int i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i][0] != fields[i][1])
			return fields[i][0] < fields[i][1] ? -1 : 1;
	return 0;
}

static bool costs(const char *what, unsigned long long startups, unsigned long long bytes,
		  unsigned long long rounds, const struct scatter_counters *before,
		  const struct scatter_counters *after)
{
	/* The highest round that the group has ever had. */
	if (rounds < before->rounds)
		rounds = before->rounds;
	if (after->startups - before->startups == startups && after->rounds == rounds &&
	    after->edge_bytes - before->edge_bytes == bytes)
		return true;
	diag("%llu startups, %llu bytes, %llu rounds, not %llu, %llu and %llu, %s",
	     (unsigned long long)(after->startups - before->startups),
	     (unsigned long long)(after->edge_bytes - before->edge_bytes),
	     (unsigned long long)after->rounds, startups, bytes, rounds, what);
	return false;
}

/* The edges of the plan, and what the formula says if there is one. */
static bool costs_what_it_should(const struct call *planned, unsigned int size,
				 const struct event *plan, unsigned int n,
				 const struct scatter_counters *before,
				 const struct scatter_counters *after)
{
	struct figures figures;
	__u64 bytes = 0, rounds = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		bytes += plan[i].bytes;
		if (rounds < plan[i].round)
			rounds = plan[i].round;
	}
	if (!costs("which is planned", n, bytes, rounds, before, after))
		return false;
	if (!formula_of(planned, size, &figures))
		return true;
	return costs("which is the formula", figures.startups ?: n, figures.bytes,
		     figures.rounds ?: rounds, before, after);
}

/* The edges of an operation that all call like @call are those of @planned. */
bool runs_as_planned(struct crew *crew, const struct call *planned,
		     const struct call *call, unsigned long long number)
{
	static struct event plan[EDGES_MAX], seen[EDGES_MAX];
	const struct seen *status = crew_seen(crew, 0);
	struct scatter_counters before;
	unsigned int n, i;

	if (!status)
		return false;
	before = status->total;
	n = edges_plan(planned, crew->size, plan);
	if (!crew_runs(crew, call))
		return false;
	status = crew_seen(crew, 0);
	if (!status || !costs_what_it_should(planned, crew->size, plan, n, &before,
					     &status->total))
		return false;
	if (edges_read(crew->name, number, seen, EDGES_MAX) != n) {
		diag("the trace has not %u edges", n);
		return false;
	}
	qsort(plan, n, sizeof(*plan), edge_compare);
	qsort(seen, n, sizeof(*seen), edge_compare);
	for (i = 0; i < n; i++)
		if (edge_compare(&plan[i], &seen[i]))
			return false;
	return true;
}
