// SPDX-License-Identifier: GPL-2.0
/*
 * The plan: which rank moves which bytes in which round. The rounds go over a span,
 * a chunk at a time. In each round a rank moves those bytes of its part that lie in
 * the chunk. A part begins at the rank's place in the span. If all parts begin at 0,
 * all ranks move a chunk at once; if each part begins where the one before ends, the
 * bytes come in order.
 */
#include <errno.h>
#include <stdlib.h>

#include "transfer.h"

/* The bytes that a round moves by default: of one rank, and of all of them. */
#define CHUNK_ONE	(4UL << 20)
#define CHUNK_ALL	(64UL << 20)

static uint64_t chunk_of(const struct session *session)
{
	uint64_t each = CHUNK_ALL / session->parts;

	if (session->options->chunk)
		return session->options->chunk;
	return each < CHUNK_ONE ? each : CHUNK_ONE;
}

/* The lengths are what others say. */
static int set_offsets(struct plan *plan, const uint64_t *lengths)
{
	unsigned int i;

	for (i = 0; i < plan->size; i++) {
		plan->offsets[i] = plan->total;
		if (lengths[i] > INT64_MAX - plan->total) {
			complain("the inputs are longer than a file can be");
			return -EFBIG;
		}
		plan->total += lengths[i];
		if (lengths[i] > plan->longest)
			plan->longest = lengths[i];
	}
	return 0;
}

/**
 * plan_make() - decide how parts of these lengths are moved
 * @plan: (out) to be given back with plan_free(), after an error too
 * @session: the membership
 * @lengths: for each rank the bytes of its part
 * @in_order: the bytes must come in order
 *
 * Return: 0, or -errno after a message.
 */
int plan_make(struct plan *plan, const struct session *session,
	      const uint64_t *lengths, bool in_order)
{
	unsigned int i, size = session->parts;
	int error;

	*plan = (struct plan){ .size = size, .in_order = in_order };
	plan->headers = calloc(size, sizeof(*plan->headers));
	plan->offsets = calloc(3 * size, sizeof(*plan->offsets));
	if (!plan->headers || !plan->offsets) {
		complain("out of memory");
		return -ENOMEM;
	}
	plan->counts = plan->offsets + size;
	plan->displs = plan->counts + size;
	error = set_offsets(plan, lengths);
	if (error)
		return error;
	for (i = 0; i < size; i++) {
		plan->headers[i].part = lengths[i];
		plan->headers[i].place = in_order ? plan->offsets[i] : 0;
		plan->headers[i].span = in_order ? plan->total : plan->longest;
		plan->headers[i].chunk = chunk_of(session);
	}
	return 0;
}

/** plan_free() - give back what plan_make() made */
void plan_free(struct plan *plan)
{
	free(plan->headers);
	free(plan->offsets);
	*plan = (struct plan){ };
}

/**
 * plan_round() - set the counts of a round
 * @plan: made by plan_make()
 * @at: where in the span the round begins, in bytes
 *
 * Return: bytes that all ranks move in it.
 */
uint64_t plan_round(struct plan *plan, uint64_t at)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < plan->size; i++) {
		plan->counts[i] = header_slice(&plan->headers[i], at).length;
		sum += plan->counts[i];
	}
	return sum;
}

/**
 * header_chunk() - the most bytes that a rank moves in a round
 * @header: of the rank
 */
size_t header_chunk(const struct header *header)
{
	return header->span < header->chunk ? header->span : header->chunk;
}

/**
 * header_slice() - what a rank moves in a round
 * @header: of the rank
 * @at: where in the span the round begins, in bytes
 *
 * Return: the bytes, counted from the beginning of the rank's part.
 */
struct slice header_slice(const struct header *header, uint64_t at)
{
	uint64_t from = at, to = at + header->chunk;
	uint64_t end = header->place + header->part;

	if (from < header->place)
		from = header->place;
	if (to > end)
		to = end;
	if (from >= to)
		return (struct slice){ };
	return (struct slice){ from - header->place, to - from };
}
