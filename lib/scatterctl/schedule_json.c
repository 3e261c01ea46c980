// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan: the same for programs, as JSON and for Graphviz.
 */
#include <inttypes.h>

#include "json.h"
#include "schedule.h"

static void put_ranges(struct json *json, const struct plan_message *message)
{
	size_t i;

	json_open(json, "blocks", '[');
	for (i = 0; i < message->ranges; i++) {
		const struct scatter_range *range = &message->range[i];

		json_open(json, NULL, '[');
		json_unsigned(json, NULL, range->first);
		json_unsigned(json, NULL, range->first + range->count - 1);
		json_close(json, ']');
	}
	json_close(json, ']');
}

static int put_message(const struct plan_message *message, void *arg)
{
	struct json *json = arg;

	json_newline(json);
	json_open(json, NULL, '{');
	json_unsigned(json, "round", message->round);
	json_unsigned(json, "from", message->from);
	json_unsigned(json, "to", message->to);
	put_ranges(json, message);
	json_unsigned(json, "bytes", message->bytes);
	json_unsigned(json, "hops", message->hops);
	if (message->pieces > 1) {
		json_open(json, "piece", '[');
		json_unsigned(json, NULL, message->piece);
		json_unsigned(json, NULL, message->pieces);
		json_close(json, ']');
	}
	if (message->combine)
		json_string(json, "combine", "or");
	json_close(json, '}');
	return 0;
}

/**
 * schedule_json() - print totals and all messages, one on a line
 * @schedule: the plan
 *
 * Return: the exit status.
 */
int schedule_json(const struct schedule *schedule)
{
	struct json json = { .out = stdout };
	struct schedule_totals totals;
	int status = schedule_sum_up(schedule, &totals);

	if (status != STATUS_OK)
		return status;
	json_open(&json, NULL, '{');
	json_unsigned(&json, "rounds",
		      scatter_schedule_rounds(&schedule->spec));
	json_unsigned(&json, "startups", totals.startups);
	json_unsigned(&json, "root_bytes", totals.root_bytes);
	json_thousandths(&json, "time", totals.time);
	json_thousandths(&json, "bound", totals.bound);
	json_open(&json, "messages", '[');
	status = schedule_each(schedule, put_message, &json);
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
	return status;
}

static int put_edge(const struct plan_message *message, void *arg)
{
	const struct scatter_schedule_spec *spec = arg;

	printf("\t%u -> %u [label=\"%u: ", message->from, message->to,
	       message->round);
	print_blocks(stdout, message);
	if (message->pieces > 1)
		printf(" piece %u/%u", message->piece, message->pieces);
	if (message->combine)
		fputs(" or", stdout);
	putchar('"');
	/* Trees that run at once, each in a colour. */
	if (scatter_schedule_trees(spec) > 1)
		printf(", colorscheme=dark28, color=%u", message->tree % 8 + 1);
	puts("];");
	return 0;
}

/**
 * schedule_dot() - print the graph of all messages for Graphviz
 * @schedule: the plan
 *
 * Return: the exit status.
 */
int schedule_dot(const struct schedule *schedule)
{
	const struct scatter_schedule_spec *spec = &schedule->spec;
	int status;
	u32 rank;

	printf("digraph \"%s %s %u\" {\n", schedule_algorithm_name(spec->algorithm),
	       schedule_op_name(spec->op), spec->size);
	printf("\tgraph [rankdir=%s];\n\tnode [shape=circle];\n",
	       spec->op == SCATTER_SCHEDULE_GATHER ? "BT" : "TB");
	printf("\t%u [shape=doublecircle];\n", spec->root);
	for (rank = 0; rank < spec->size; rank++) {
		if (rank != spec->root)
			printf("\t%u;\n", rank);
	}
	status = schedule_each(schedule, put_edge, (void *)spec);
	puts("}");
	return status;
}
