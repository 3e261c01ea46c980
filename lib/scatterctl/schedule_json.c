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

/**
 * struct writer - where messages go
 * @json: the document
 * @schedule: whose they are
 */
struct writer {
	struct json *json;
	const struct schedule *schedule;
};

/* On several nodes: the node too, and no rank if it is the node's portal */
static void put_end(const struct writer *writer, const char *key,
		    const char *node_key, u32 vertex)
{
	const struct schedule *schedule = writer->schedule;
	u32 place;

	if (vertex < schedule->options->size)
		json_unsigned(writer->json, key, vertex);
	else
		json_null(writer->json, key);
	if (!schedule->placed)
		return;
	place = plan_levels_place(&schedule->levels, vertex);
	json_unsigned(writer->json, node_key,
		      schedule->options->placement.node[place]);
}

static int put_message(const struct plan_message *message, void *arg)
{
	const struct writer *writer = arg;
	struct json *json = writer->json;

	json_newline(json);
	json_open(json, NULL, '{');
	json_unsigned(json, "round", message->round);
	put_end(writer, "from", "from_node", message->from);
	put_end(writer, "to", "to_node", message->to);
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
	if (writer->schedule->placed) {
		json_string(json, "way", schedule_way_name(message->way));
		json_unsigned(json, "copied", message->copied);
	}
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
	const struct writer writer = { .json = &json, .schedule = schedule };
	struct schedule_totals totals;
	int status = schedule_sum_up(schedule, &totals);

	if (status != STATUS_OK)
		return status;
	json_open(&json, NULL, '{');
	json_unsigned(&json, "rounds", schedule_rounds(schedule));
	json_unsigned(&json, "startups", totals.startups);
	json_unsigned(&json, "root_bytes", totals.root_bytes);
	json_thousandths(&json, "time", totals.time);
	json_thousandths(&json, "bound", totals.bound);
	if (schedule->placed)
		status = put_nodes(&json, schedule, &totals);
	if (status != STATUS_OK)
		return status;
	json_open(&json, "messages", '[');
	status = schedule_each(schedule, put_message, (void *)&writer);
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
	return status;
}

static int put_edge(const struct plan_message *message, void *arg)
{
	const struct schedule *schedule = arg;
	char from[VERTEX_MAX], to[VERTEX_MAX];

	printf("\t%s -> %s [label=\"%u: ",
	       format_vertex(from, schedule, message->from),
	       format_vertex(to, schedule, message->to), message->round);
	print_blocks(stdout, message);
	if (message->pieces > 1)
		printf(" piece %u/%u", message->piece, message->pieces);
	if (message->combine)
		fputs(" or", stdout);
	putchar('"');
	/* Trees that run at once, each in a colour. */
	if (scatter_schedule_trees(&schedule->spec) > 1 &&
	    message->tree != PLAN_TREES_ALL)
		printf(", colorscheme=dark28, color=%u", message->tree % 8 + 1);
	if (message->between)
		fputs(", style=bold", stdout);
	puts("];");
	return 0;
}

/* A box for each node, with its members and its portal, if it has one */
static void put_clusters(const struct schedule *schedule)
{
	const struct plan_placement *placement = &schedule->options->placement;
	u32 place, i;

	for (place = 0; place < placement->places; place++) {
		printf("\tsubgraph cluster%u {\n\t\tlabel=\"node %" PRIu64 "\";\n",
		       place, placement->node[place]);
		if (placement->places > 1)
			printf("\t\tn%" PRIu64 " [shape=box];\n",
			       placement->node[place]);
		for (i = placement->first[place];
		     i < placement->first[place + 1]; i++)
			printf("\t\t%u;\n", placement->rank[i]);
		puts("\t}");
	}
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
	char root[VERTEX_MAX];
	int status;
	u32 rank;

	printf("digraph \"%s %s %u\" {\n", schedule_algorithm_name(spec->algorithm),
	       schedule_operation_name(schedule), schedule->options->size);
	printf("\tgraph [rankdir=%s];\n\tnode [shape=circle];\n",
	       spec->op == SCATTER_SCHEDULE_GATHER ? "BT" : "TB");
	if (schedule->placed)
		put_clusters(schedule);
	printf("\t%s [shape=doublecircle];\n",
	       format_vertex(root, schedule, schedule_root(schedule)));
	for (rank = 0; rank < spec->size && !schedule->placed; rank++) {
		if (rank != spec->root)
			printf("\t%u;\n", rank);
	}
	status = schedule_each(schedule, put_edge, (void *)schedule);
	puts("}");
	return status;
}
