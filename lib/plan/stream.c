// SPDX-License-Identifier: GPL-2.0
/*
 * Steps of all ranks in the order of rounds.
 *
 * Only the next step of each rank is kept, in a bucket for its round: memory is that of
 * ranks and rounds, not of messages.
 */
#include "stream.h"
#include "system.h"

#define NOBODY	((u32)-1)

static int wrong(struct plan_stream *stream, u32 rank, const char *what)
{
	if (!stream->wrong) {
		stream->wrong = what;
		stream->wrong_rank = rank;
	}
	return 0;
}

static bool is_sound(const struct plan_stream *stream, u32 rank,
		     const struct scatter_step *step)
{
	u32 size = stream->spec->size;

	return step->round >= 1 && step->round <= stream->rounds &&
	       step->peer < size && step->peer != rank && step->first < size &&
	       step->count >= 1 && step->count <= size &&
	       step->piece < step->pieces;
}

/* Put the rank's next step, if it has one, in the bucket of its round. */
static void look_ahead(struct plan_stream *stream, u32 rank)
{
	struct scatter_step *step = &stream->ahead[rank];
	struct scatter_walk walk;

	if (!scatter_schedule_init(&walk, stream->spec, rank)) {
		wrong(stream, rank, "has no schedule");
		return;
	}
	walk.cursor = stream->cursor[rank];
	if (!scatter_schedule_next(&walk, step))
		return;
	stream->cursor[rank] = walk.cursor;
	if (!is_sound(stream, rank, step)) {
		wrong(stream, rank, "has a step that is out of range");
		return;
	}
	if (step->round < stream->round) {
		wrong(stream, rank, "goes back to an earlier round");
		return;
	}
	stream->next[rank] = stream->bucket[step->round];
	stream->bucket[step->round] = rank;
}

/**
 * plan_stream_open() - begin a stream
 * @stream: filled in
 * @spec: which schedule; scatter_schedule_check() is content with it
 *
 * Return: 0, or -1 if there is not enough memory
 */
int plan_stream_open(struct plan_stream *stream,
		     const struct scatter_schedule_spec *spec)
{
	size_t size = spec->size, rounds = scatter_schedule_rounds(spec);
	size_t i;

	*stream = (struct plan_stream){ .spec = spec, .rounds = rounds };
	stream->room = 2 * scatter_schedule_ports(spec) + 2;
	if (stream->room > 64)
		stream->room = 64;
	stream->cursor = calloc(size, sizeof(*stream->cursor));
	stream->ahead = malloc(size * sizeof(*stream->ahead));
	stream->next = malloc(size * sizeof(*stream->next));
	stream->active = malloc(size * sizeof(*stream->active));
	stream->mark = calloc((size + 63) / 64, sizeof(*stream->mark));
	stream->bucket = malloc((rounds + 2) * sizeof(*stream->bucket));
	stream->step = malloc(stream->room * sizeof(*stream->step));
	if (!stream->cursor || !stream->ahead || !stream->next ||
	    !stream->active || !stream->mark || !stream->bucket ||
	    !stream->step) {
		plan_stream_close(stream);
		return -1;
	}
	for (i = 0; i < rounds + 2; i++)
		stream->bucket[i] = NOBODY;
	for (i = 0; i < size; i++)
		look_ahead(stream, i);
	return 0;
}

/**
 * plan_stream_close() - free a stream
 * @stream: the stream, or one that could not be opened
 */
void plan_stream_close(struct plan_stream *stream)
{
	free(stream->cursor);
	free(stream->ahead);
	free(stream->next);
	free(stream->active);
	free(stream->mark);
	free(stream->bucket);
	free(stream->step);
	memset(stream, 0, sizeof(*stream));
}

static int compare_ranks(const void *left, const void *right)
{
	const u32 *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Many ranks are sorted by marking them in a bitmap, few by comparing. */
static void sort_active(struct plan_stream *stream)
{
	u32 n = stream->actives, i;
	size_t word;

	if (n < stream->spec->size / 64) {
		qsort(stream->active, n, sizeof(*stream->active),
		      compare_ranks);
		return;
	}
	for (i = 0; i < n; i++)
		stream->mark[stream->active[i] / 64] |=
			1ull << stream->active[i] % 64;
	for (i = 0, word = 0; i < n; word++) {
		for (; stream->mark[word];
		     stream->mark[word] &= stream->mark[word] - 1)
			stream->active[i++] =
				word * 64 + __builtin_ctzll(stream->mark[word]);
	}
}

/* Go to the next round that has ranks. */
static bool next_round(struct plan_stream *stream)
{
	u32 rank;

	do {
		if (stream->round >= stream->rounds)
			return false;
		stream->round++;
		rank = stream->bucket[stream->round];
	} while (rank == NOBODY);
	stream->bucket[stream->round] = NOBODY;
	stream->at = 0;
	stream->actives = 0;
	for (; rank != NOBODY; rank = stream->next[rank])
		stream->active[stream->actives++] = rank;
	sort_active(stream);
	return true;
}

static bool comes_before(const struct scatter_step *a,
			 const struct scatter_step *b)
{
	if (a->send != b->send)
		return a->send;
	if (a->peer != b->peer)
		return a->peer < b->peer;
	return a->tree < b->tree;
}

/* Insert into those of the group that are there already. */
static int add_step(struct plan_stream *stream, struct plan_group *group,
		    const struct scatter_step *step)
{
	u32 i = group->steps;

	if (i == stream->room) {
		void *more = realloc(stream->step, 2 * (size_t)stream->room *
						   sizeof(*stream->step));

		if (!more)
			return -1;
		stream->step = more;
		stream->room *= 2;
	}
	for (; i && comes_before(step, &stream->step[i - 1]); i--)
		stream->step[i] = stream->step[i - 1];
	stream->step[i] = *step;
	group->steps++;
	group->sends += step->send;
	return 0;
}

/**
 * plan_stream_next() - what the next rank does in this round or a later one
 * @stream: the stream; moves on
 * @group: filled in; its steps are valid until the next call
 *
 * Groups come in the order of rounds, then ranks.
 *
 * Return: 1, 0 at the end, -1 if there is not enough memory
 */
int plan_stream_next(struct plan_stream *stream, struct plan_group *group)
{
	u32 rank;

	if (stream->at == stream->actives && !next_round(stream))
		return 0;
	rank = stream->active[stream->at++];
	*group = (struct plan_group){ .round = stream->round, .rank = rank };
	do {
		if (add_step(stream, group, &stream->ahead[rank]))
			return -1;
		look_ahead(stream, rank);
		if (stream->bucket[stream->round] != rank)
			break;
		stream->bucket[stream->round] = NOBODY;
	} while (true);
	group->step = stream->step;
	return 1;
}
