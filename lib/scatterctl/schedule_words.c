// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan: names, times and sets of blocks as text.
 */
#include <inttypes.h>
#include <string.h>

#include "schedule.h"

static const char *word(const char *const *words, size_t count, u32 index)
{
	return index < count ? words[index] : NULL;
}

/** schedule_algorithm_name() - the word for an algorithm of the engine, or NULL */
const char *schedule_algorithm_name(u32 algorithm)
{
	static const char *const names[] = {
		[SCATTER_SCHEDULE_LINEAR] = "linear",
		[SCATTER_SCHEDULE_HYPERCUBE] = "hypercube",
		[SCATTER_SCHEDULE_MESH] = "mesh",
		[SCATTER_SCHEDULE_TORUS] = "torus",
		[SCATTER_SCHEDULE_KNOMIAL] = "knomial",
		[SCATTER_SCHEDULE_ROTATED] = "rotated",
		[SCATTER_SCHEDULE_BALANCED] = "balanced",
		[SCATTER_SCHEDULE_IRREGULAR] = "irregular",
		[SCATTER_SCHEDULE_OR_BROADCAST] = "or-broadcast",
	};

	return word(names, ARRAY_SIZE(names), algorithm);
}

/** schedule_op_name() - the word for an operation of the engine, or NULL */
const char *schedule_op_name(u32 op)
{
	static const char *const names[] = {
		[SCATTER_SCHEDULE_SCATTER] = "scatter",
		[SCATTER_SCHEDULE_GATHER] = "gather",
		[SCATTER_SCHEDULE_BROADCAST] = "bcast",
	};

	return word(names, ARRAY_SIZE(names), op);
}

/** schedule_operation_name() - the word for what a plan does */
const char *schedule_operation_name(const struct schedule *schedule)
{
	return schedule->options->barrier ? "barrier" :
					    schedule_op_name(schedule->spec.op);
}

/** schedule_topology_name() - the word for a topology, or NULL */
const char *schedule_topology_name(u32 topology)
{
	static const char *const names[] = {
		[SCATTER_TOPOLOGY_FULL] = "full",
		[SCATTER_TOPOLOGY_HYPERCUBE] = "hypercube",
		[SCATTER_TOPOLOGY_MESH] = "mesh",
		[SCATTER_TOPOLOGY_TORUS] = "torus",
	};

	return word(names, ARRAY_SIZE(names), topology);
}

/**
 * parse_ns() - read a whole string as nanoseconds, with up to three decimals
 * @text: the string, such as 1500 or 0.25
 * @ps: (out) picoseconds
 *
 * Return: whether it is such a time, of at most 10^12 ns.
 */
bool parse_ns(const char *text, u64 *ps)
{
	size_t whole = strspn(text, "0123456789");
	u64 digit_ps = 1000;
	char number[16];

	if (!whole || whole >= sizeof(number))
		return false;
	memcpy(number, text, whole);
	number[whole] = 0;
	if (!parse_number(number, 10, 0, 1000000000000ULL, ps))
		return false;
	*ps *= 1000;

	text += whole;
	if (*text != '.')
		return !*text;
	for (text++; *text >= '0' && *text <= '9'; text++) {
		digit_ps /= 10;
		/* Zeros that say nothing are let pass. */
		if (!digit_ps && *text != '0')
			return false;
		*ps += (*text - '0') * digit_ps;
	}
	return !*text && text[-1] != '.';
}

/**
 * format_ns() - picoseconds as nanoseconds
 * @buffer: where to
 * @ps: the time
 *
 * Return: @buffer.
 */
const char *format_ns(char buffer[NS_MAX], u64 ps)
{
	unsigned int rest = ps % 1000;
	int decimals = 3;

	if (!rest) {
		snprintf(buffer, NS_MAX, "%" PRIu64, ps / 1000);
		return buffer;
	}
	for (; rest % 10 == 0; rest /= 10)
		decimals--;
	snprintf(buffer, NS_MAX, "%" PRIu64 ".%0*u", ps / 1000, decimals, rest);
	return buffer;
}

/* As in 6-7,0-1: real ranks, in the order in which they lie in the bundle. */
static int put_range(char *buffer, size_t length, const char *comma,
		     const struct scatter_range *range)
{
	if (range->count == 1)
		return snprintf(buffer, length, "%s%u", comma, range->first);
	return snprintf(buffer, length, "%s%u-%u", comma, range->first,
			range->first + range->count - 1);
}

/**
 * print_blocks() - the set of blocks of a message
 * @out: where to
 * @message: the message
 */
void print_blocks(FILE *out, const struct plan_message *message)
{
	char text[32];
	size_t i;

	for (i = 0; i < message->ranges; i++) {
		put_range(text, sizeof(text), i ? "," : "", &message->range[i]);
		fputs(text, out);
	}
}

/**
 * format_blocks() - the set of blocks of a message, or how many, if that is long
 * @buffer: where to
 * @length: its length
 * @message: the message
 *
 * Return: the length of the text.
 */
size_t format_blocks(char *buffer, size_t length,
		     const struct plan_message *message)
{
	size_t used = 0;
	size_t i;

	for (i = 0; i < message->ranges && used < length; i++)
		used += put_range(buffer + used, length - used, i ? "," : "",
				  &message->range[i]);
	if (used >= length)
		used = snprintf(buffer, length, "%u blocks", message->count);
	return used;
}

/**
 * format_vertex() - a rank, or n and the id of a node for its portal
 * @buffer: where to
 * @schedule: the plan
 * @vertex: the vertex
 *
 * Return: @buffer.
 */
const char *format_vertex(char buffer[VERTEX_MAX],
			  const struct schedule *schedule, u32 vertex)
{
	u32 size = schedule->options->size;

	if (vertex < size)
		snprintf(buffer, VERTEX_MAX, "%u", vertex);
	else
		snprintf(buffer, VERTEX_MAX, "n%" PRIu64,
			 schedule->options->placement.node[vertex - size]);
	return buffer;
}

/** schedule_way_name() - the word for how payload goes, or NULL */
const char *schedule_way_name(u32 way)
{
	static const char *const names[] = {
		[PLAN_WAY_COPY] = "copy",
		[PLAN_WAY_EAGER] = "eager",
		[PLAN_WAY_PULL] = "pull",
		[PLAN_WAY_MIXED] = "mixed",
		[PLAN_WAY_EMPTY] = "empty",
	};

	return word(names, ARRAY_SIZE(names), way);
}

/**
 * print_ratio() - a time by its bound, with three decimals
 * @out: where to
 * @width: of the column
 * @time: the time
 * @bound: what it cannot be below
 */
void print_ratio(FILE *out, int width, u64 time, u64 bound)
{
	if (bound)
		fprintf(out, "%*.3f", width, (double)time / bound);
	else
		fprintf(out, "%*s", width, "-");
}
