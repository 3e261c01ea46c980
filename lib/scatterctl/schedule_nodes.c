// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan --nodes: what is told of both levels, beside the messages.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "schedule.h"

/* Of a node, the ranks in words, or how many */
#define RANKS_MAX	48

/* Of each node in the list of a table; more are not listed. */
#define NODES_SHOWN	64

static void print_node(const struct plan_placement *placement, u32 place)
{
	u32 count = plan_placement_count(placement, place);
	struct plan_ranges ranks = { 0 };
	struct plan_message all = { .count = count };
	char text[RANKS_MAX];

	if (!plan_placement_ranks(placement, place, &ranks)) {
		all.ranges = ranks.count;
		all.range = ranks.range;
		format_blocks(text, sizeof(text), &all);
		printf("node %" PRIu64 ": %s %s\n", placement->node[place],
		       count == 1 ? "rank" : "ranks", text);
	}
	plan_ranges_close(&ranks);
}

/**
 * print_nodes() - the heading of a table
 * @schedule: a plan for several nodes
 */
void print_nodes(const struct schedule *schedule)
{
	const struct schedule_options *options = schedule->options;
	const struct plan_placement *placement = &options->placement;
	char text[3][NS_MAX];
	u32 root = schedule_root(schedule), place;

	printf("%s %s between %u node%s, linear at each, %u member%s",
	       schedule_algorithm_name(schedule->spec.algorithm),
	       schedule_operation_name(schedule), placement->places,
	       placement->places == 1 ? "" : "s", options->size,
	       options->size == 1 ? "" : "s");
	if (options->barrier)
		printf(", home node %" PRIu64 "\n", placement->node[0]);
	else if (options->counts)
		printf(", root %u, blocks of several lengths\n", root);
	else
		printf(", root %u, blocks of %" PRIu64 " bytes\n", root,
		       options->bytes);
	for (place = 0; place < placement->places; place++) {
		if (place == NODES_SHOWN) {
			printf("and %u nodes more\n",
			       placement->places - NODES_SHOWN);
			break;
		}
		print_node(placement, place);
	}
	printf("at a node: t_s %s ns, t_d %s ns, t_w %s ns/byte\n",
	       format_ns(text[0], schedule->memory.startup),
	       format_ns(text[1], schedule->memory.hop),
	       format_ns(text[2], schedule->memory.byte));
}

/* Rounds --------------------------------------------------------------------- */

/**
 * struct round_sum - what one round comes to on one level
 * @messages: how many
 * @bytes: of them
 */
struct round_sum {
	u64 messages;
	u64 bytes;
};

/* By level: between nodes, and inside */
struct rounds {
	struct round_sum (*sum)[2];
};

static int count_round(const struct plan_message *message, void *arg)
{
	const struct rounds *rounds = arg;
	struct round_sum *sum = &rounds->sum[message->round - 1][!message->between];

	sum->messages++;
	sum->bytes += message->bytes;
	return 0;
}

static int sum_rounds(const struct schedule *schedule, struct rounds *rounds)
{
	rounds->sum = calloc(schedule_rounds(schedule) + 1, sizeof(*rounds->sum));
	if (rounds->sum)
		return schedule_each(schedule, count_round, rounds);
	complain("%s", strerror(ENOMEM));
	return STATUS_FAILED;
}

static int print_rounds(const struct schedule *schedule)
{
	struct rounds rounds;
	int status = sum_rounds(schedule, &rounds);
	u32 i;

	printf("\n%8s %22s %14s %12s %14s\n", "round", "messages between nodes",
	       "bytes", "inside", "bytes");
	for (i = 0; status == STATUS_OK && i < schedule_rounds(schedule); i++)
		printf("%8u %22" PRIu64 " %14" PRIu64 " %12" PRIu64 " %14" PRIu64 "\n",
		       i + 1, rounds.sum[i][0].messages, rounds.sum[i][0].bytes,
		       rounds.sum[i][1].messages, rounds.sum[i][1].bytes);
	free(rounds.sum);
	return status;
}

/* A tree that knows no nodes --------------------------------------------------- */

/**
 * struct crossing - messages that cross nodes, of a tree over the ranks
 * @schedule: the plan that knows the nodes
 * @startups: how many
 * @bytes: of them
 */
struct crossing {
	const struct schedule *schedule;
	u64 startups;
	u64 bytes;
};

static int count_crossing(const struct plan_message *message, void *arg)
{
	struct crossing *crossing = arg;
	const struct plan_levels *levels = &crossing->schedule->levels;
	size_t i;
	u32 k;

	if (plan_levels_place(levels, message->from) ==
	    plan_levels_place(levels, message->to))
		return 0;
	crossing->startups++;
	for (i = 0; i < message->ranges; i++)
		for (k = 0; k < message->range[i].count; k++)
			crossing->bytes += plan_levels_block(levels,
							     message->range[i].first + k);
	return 0;
}

/* The binomial tree, which is the hypercube of any size */
static int find_crossing(const struct schedule *schedule,
			 struct crossing *crossing)
{
	const struct scatter_machine full = { .wormhole = true, .combining = true };
	const struct scatter_schedule_spec spec = {
		.algorithm = SCATTER_SCHEDULE_HYPERCUBE,
		.op = schedule->spec.op,
		.size = schedule->options->size,
		.root = schedule->options->root,
	};
	int error;

	*crossing = (struct crossing){ .schedule = schedule };
	error = plan_each_message(&spec, &full, 1, count_crossing, crossing);
	if (!error)
		return STATUS_OK;
	complain("the plan cannot be made: %s", plan_error(error));
	return STATUS_FAILED;
}

/* Totals --------------------------------------------------------------------- */

static void print_pair(const char *what, u64 between, u64 inside)
{
	printf("%-16s%16" PRIu64 " %16" PRIu64 "\n", what, between, inside);
}

static void print_levels(const struct schedule *schedule,
			 const struct plan_sums *sums,
			 const struct crossing *crossing)
{
	bool gather = schedule->spec.op == SCATTER_SCHEDULE_GATHER;
	bool barrier = schedule->options->barrier;

	printf("\n%-16s%16s %16s\n", "", "between nodes", "inside");
	print_pair("startups", sums->between.startups, sums->inside.startups);
	print_pair("  at least", sums->between.least_startups,
		   sums->inside.least_startups);
	print_pair("bytes", sums->between.bytes, sums->inside.bytes);
	print_pair("  at least", sums->between.least_bytes,
		   sums->inside.least_bytes);
	print_pair("copied", sums->between.copied, sums->inside.copied);
	print_pair("  at least", sums->between.least_copied,
		   sums->inside.least_copied);
	printf("\n%-32s%16" PRIu64 " startups, %" PRIu64 " bytes, at least %" PRIu64 "\n",
	       barrier ? "out of the home, and into it" :
	       gather ? "into the root's node" : "out of the root's node",
	       sums->root_startups, sums->root_bytes, sums->least_root_bytes);
	if (!barrier) {
		printf("%-32s%16" PRIu64 " eager, %" PRIu64 " pulled\n",
		       "bundles between nodes", sums->eager, sums->pulled);
		printf("%-32s%16" PRIu64 " startups, %" PRIu64 " bytes between nodes\n",
		       "a hypercube of the ranks", crossing->startups,
		       crossing->bytes);
	}
	if (sums->counts)
		printf("%-32s%16" PRIu64 " messages of lengths, apart\n",
		       "before", sums->counts);
	printf("%-32s%16u, at least %" PRIu64 "\n", "rounds between nodes",
	       scatter_schedule_rounds(&schedule->spec) * (barrier ? 2 : 1),
	       sums->least_rounds);
}

/**
 * print_nodes_totals() - what stands below the messages
 * @schedule: a plan for several nodes
 * @totals: its sums
 *
 * Return: the exit status.
 */
int print_nodes_totals(const struct schedule *schedule,
		       const struct schedule_totals *totals)
{
	struct crossing crossing;
	char text[NS_MAX];
	int status = print_rounds(schedule);

	if (status == STATUS_OK)
		status = find_crossing(schedule, &crossing);
	if (status != STATUS_OK)
		return status;
	print_levels(schedule, &totals->sums, &crossing);
	printf("%-32s%16u\n", "rounds", schedule_rounds(schedule));
	printf("%-32s%16s ns\n", "simulated time", format_ns(text, totals->time));
	printf("%-32s%16s ns\n", "lower bound", format_ns(text, totals->bound));
	printf("%-32s", "ratio");
	print_ratio(stdout, 16, totals->time, totals->bound);
	putchar('\n');
	return STATUS_OK;
}

/* JSON ----------------------------------------------------------------------- */

static void put_level(struct json *json, const char *key,
		      const struct plan_level *level)
{
	json_open(json, key, '{');
	json_unsigned(json, "startups", level->startups);
	json_unsigned(json, "least_startups", level->least_startups);
	json_unsigned(json, "bytes", level->bytes);
	json_unsigned(json, "least_bytes", level->least_bytes);
	json_unsigned(json, "copied", level->copied);
	json_unsigned(json, "least_copied", level->least_copied);
	json_close(json, '}');
}

static void put_places(struct json *json, const struct plan_placement *placement)
{
	u32 place, i;

	json_open(json, "nodes", '[');
	for (place = 0; place < placement->places; place++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "node", placement->node[place]);
		json_open(json, "ranks", '[');
		for (i = placement->first[place];
		     i < placement->first[place + 1]; i++)
			json_unsigned(json, NULL, placement->rank[i]);
		json_close(json, ']');
		json_close(json, '}');
	}
	json_close(json, ']');
}

/**
 * put_nodes() - what JSON has of both levels, beside the messages
 * @json: the document
 * @schedule: a plan for several nodes
 * @totals: its sums
 *
 * Return: the exit status.
 */
int put_nodes(struct json *json, const struct schedule *schedule,
	      const struct schedule_totals *totals)
{
	const struct plan_sums *sums = &totals->sums;
	bool barrier = schedule->options->barrier;
	struct crossing crossing;
	int status = find_crossing(schedule, &crossing);

	if (status != STATUS_OK)
		return status;

	put_level(json, "between", &sums->between);
	put_level(json, "inside", &sums->inside);
	json_open(json, "root_node", '{');
	json_unsigned(json, "startups", sums->root_startups);
	json_unsigned(json, "bytes", sums->root_bytes);
	json_unsigned(json, "least_bytes", sums->least_root_bytes);
	json_close(json, '}');
	if (!barrier) {
		json_open(json, "by_rank", '{');
		json_unsigned(json, "startups", crossing.startups);
		json_unsigned(json, "bytes", crossing.bytes);
		json_close(json, '}');
	}
	json_unsigned(json, "rounds_between",
		      scatter_schedule_rounds(&schedule->spec) * (barrier ? 2 : 1));
	json_unsigned(json, "least_rounds_between", sums->least_rounds);
	json_unsigned(json, "eager", sums->eager);
	json_unsigned(json, "pulled", sums->pulled);
	json_unsigned(json, "counts", sums->counts);
	put_places(json, &schedule->options->placement);
	return STATUS_OK;
}
