// SPDX-License-Identifier: GPL-2.0
/*
 * --nodes of plan and run: which rank is on which node, in the words of those who start
 * programs of MPI: nodes and ranks for each, by block or cyclic; or the node of each rank.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schedule.h"

#define PRODUCT	"it takes nodes x ranks, such as 8x4, each at least 1; "
#define LIST	"or the node of each rank, such as 0,0,1,1"

/**
 * struct placing - a placement in the making
 * @text: all of it, for messages
 * @sized: the command has --size, too
 * @wanted: ranks that --size wants, or 0
 * @cyclic: rank by rank to the next node that has room; else node after node
 * @node: by rank, the id of its node
 * @count: by node, how many ranks it gets
 * @nodes: how many of those
 * @size: ranks
 */
struct placing {
	const char *text;
	bool sized;
	u32 wanted;
	bool cyclic;
	u64 *node;
	u32 *count;
	u32 nodes;
	u32 size;
};

static int refuse(const struct placing *placing, const char *why)
{
	return usage_error("--nodes '%.60s': %s", placing->text, why);
}

static int refuse_form(const struct placing *placing)
{
	return refuse(placing, placing->sized ? PRODUCT "nodes, with --size; " LIST :
						PRODUCT LIST);
}

/* NxM: so many nodes, so many ranks at each */
static int take_term(struct placing *placing, const char *term)
{
	uint64_t nodes, ranks;

	if (!strchr(term, 'x') || !parse_item(&term, 'x', 1, UINT64_MAX, &nodes) ||
	    !parse_item(&term, '\0', 1, UINT64_MAX, &ranks))
		return refuse_form(placing);
	if (nodes > PLACED_LIMIT || ranks > PLACED_LIMIT ||
	    nodes * ranks > PLACED_LIMIT - placing->size)
		return refuse(placing, "more than " PLACED_TEXT " ranks");
	placing->size += nodes * ranks;
	while (nodes--)
		placing->count[placing->nodes++] = ranks;
	return PARSE_GO_ON;
}

/* N: so many nodes, and the ranks of --size spread over them */
static int take_nodes(struct placing *placing, const char *text)
{
	uint64_t nodes, i;

	if (!placing->sized || !parse_item(&text, '\0', 1, UINT64_MAX, &nodes))
		return refuse_form(placing);
	if (!placing->wanted)
		return refuse(placing, "how many ranks? Give --size, or such as 8x4");
	if (placing->wanted > PLACED_LIMIT)
		return refuse(placing, "more than " PLACED_TEXT " ranks");
	if (nodes > placing->wanted)
		return refuse(placing, "more nodes than ranks");
	for (i = 0; i < nodes; i++)
		placing->count[i] = placing->wanted / nodes +
				    (i < placing->wanted % nodes);
	placing->nodes = nodes;
	placing->size = placing->wanted;
	return PARSE_GO_ON;
}

/* One node after another, each until it is full */
static void deal_blocks(struct placing *placing)
{
	u32 rank = 0, node, i;

	for (node = 0; node < placing->nodes; node++)
		for (i = 0; i < placing->count[node]; i++)
			placing->node[rank++] = node;
}

/* One rank for each node that is not full, until all are */
static void deal_cyclic(struct placing *placing)
{
	u32 *open = placing->count + placing->nodes;
	u32 rank = 0, kept, i;

	for (i = 0; i < placing->nodes; i++)
		open[i] = i;
	for (; rank < placing->size; placing->nodes = kept) {
		kept = 0;
		for (i = 0; i < placing->nodes; i++) {
			placing->node[rank++] = open[i];
			if (--placing->count[open[i]])
				open[kept++] = open[i];
		}
	}
}

/* 8x4, 2x4+1x2, 8x4:cyclic, 8 */
static int take_counts(struct placing *placing, char *text)
{
	char *order = strchr(text, ':');
	int status = PARSE_GO_ON;
	char *term;

	if (order) {
		*order++ = '\0';
		placing->cyclic = !strcmp(order, "cyclic");
		if (!placing->cyclic && strcmp(order, "block"))
			return refuse(placing, "behind the colon there is block or cyclic");
	}
	if (!strpbrk(text, "x+")) {
		status = take_nodes(placing, text);
		text = NULL;
	}
	while (status == PARSE_GO_ON && text) {
		term = strsep(&text, "+");
		status = take_term(placing, term);
	}
	if (status != PARSE_GO_ON)
		return status;
	if (placing->cyclic)
		deal_cyclic(placing);
	else
		deal_blocks(placing);
	return PARSE_GO_ON;
}

/* 0,0,1,1 */
static int take_list(struct placing *placing, const char *text)
{
	uint64_t node;
	bool more;

	do {
		more = strchr(text, ',');
		if (!parse_item(&text, more ? ',' : '\0', 0, UINT64_MAX, &node))
			return refuse_form(placing);
		if (placing->size == PLACED_LIMIT)
			return refuse(placing, "more than " PLACED_TEXT " ranks");
		placing->node[placing->size++] = node;
	} while (more);
	return PARSE_GO_ON;
}

static int take(struct placing *placing, char *text)
{
	size_t room = PLACED_LIMIT;

	placing->node = malloc(room * sizeof(*placing->node));
	placing->count = malloc(2 * room * sizeof(*placing->count));
	if (!placing->node || !placing->count) {
		complain("%s", strerror(ENOMEM));
		return STATUS_FAILED;
	}
	if (strchr(text, ','))
		return take_list(placing, text);
	return take_counts(placing, text);
}

static int parse(struct placing *placing, struct plan_placement *placement)
{
	char *text = strdup(placing->text);
	int status = STATUS_FAILED;

	if (text)
		status = take(placing, text);
	else
		complain("%s", strerror(ENOMEM));
	if (status == PARSE_GO_ON &&
	    plan_placement_open(placement, placing->node, placing->size)) {
		complain("%s", strerror(ENOMEM));
		status = STATUS_FAILED;
	}
	free(text);
	free(placing->node);
	free(placing->count);
	return status;
}

/**
 * placement_parse() - read what --nodes says, where it alone says how many ranks there are
 * @text: that
 * @placement: (out) for plan_placement_close()
 *
 * Return: PARSE_GO_ON, or the exit status if it will not do.
 */
int placement_parse(const char *text, struct plan_placement *placement)
{
	struct placing placing = { .text = text };

	return parse(&placing, placement);
}

/**
 * schedule_placement_parse() - read what --nodes says
 * @options: the command line; gets the placement, and the size
 *
 * Return: PARSE_GO_ON, or the exit status if it will not do.
 */
int schedule_placement_parse(struct schedule_options *options)
{
	struct placing placing = {
		.text = options->nodes, .sized = true, .wanted = options->size,
	};
	int status = parse(&placing, &options->placement);

	if (status != PARSE_GO_ON)
		return status;
	if (!options->size)
		options->size = placing.size;
	if (options->size != placing.size)
		return usage_error("--nodes '%.60s': those are %u ranks, but --size is %u",
				   options->nodes, placing.size, options->size);
	return PARSE_GO_ON;
}
