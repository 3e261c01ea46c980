// SPDX-License-Identifier: GPL-2.0
/*
 * scatterctl plan: its command line.
 */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "schedule.h"

/* Blocks, and times, that keep every sum below 2^63. */
#define BYTES_MAX	(1ULL << 40)

static const char algorithm_words[] =
	"hypercube, mesh, torus, linear, knomial, rotated, balanced, irregular or or-broadcast";

/* The index in a list of names, which may have holes; -1 if it has no such name. */
static int find_name(const char *(*name)(u32 index), u32 count,
		     const char *text)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (name(i) && !strcmp(name(i), text))
			return i;
	}
	return -1;
}

static bool set_number(u32 *value, const char *text, u32 min, u32 max)
{
	uint64_t number;

	if (!parse_number(text, 10, min, max, &number))
		return false;
	*value = number;
	return true;
}

static bool set_dims(struct schedule_options *options, const char *text)
{
	options->dims = parse_dims(text, options->extent, SCATTER_SCHEDULE_DIMS,
				   SIZE_LIMIT);
	return options->dims;
}

static bool set_root(struct schedule_options *options, const char *text)
{
	options->root_set = true;
	options->root_free = !strcmp(text, "free");
	return options->root_free ||
	       set_number(&options->root, text, 0, SIZE_LIMIT - 1);
}

static bool set_word(struct schedule_options *options, int option,
		     const char *text)
{
	int index;

	switch (option) {
	case 'o':
		options->barrier = !strcmp(text, "barrier");
		index = options->barrier ? SCATTER_SCHEDULE_GATHER :
					   find_name(schedule_op_name, 3, text);
		options->op = index;
		return index >= 0;
	case 'a':
		index = find_name(schedule_algorithm_name, 10, text);
		options->algorithm = index;
		options->algorithm_set = true;
		return index >= 0;
	case 't':
		options->topology = find_name(schedule_topology_name, 4, text);
		return options->topology >= 0;
	case 'w':
		options->store_forward = !strcmp(text, "sf");
		return options->store_forward || !strcmp(text, "wormhole");
	}
	return false;
}

static bool set(struct schedule_options *options, int option, const char *text)
{
	switch (option) {
	case 's':
		return set_number(&options->size, text, 1, SIZE_LIMIT);
	case 'R':
		return set_root(options, text);
	case 'd':
		return set_dims(options, text);
	case 'p':
		return set_number(&options->ports, text, 1, PORTS_LIMIT);
	case 'b':
		options->bytes_set = true;
		return parse_bytes(text, BYTES_MAX, &options->bytes);
	case 'S':
		return parse_ns(text, &options->startup);
	case 'D':
		return parse_ns(text, &options->hop);
	case 'W':
		return parse_ns(text, &options->byte);
	case 'c':
		options->counts_file = text;
		return *text;
	case 'n':
		options->nodes = text;
		return true;
	case 'x':
		options->net_set = true;
		return parse_ns(text, &options->net_startup);
	case 'y':
		options->net_set = true;
		return parse_ns(text, &options->net_hop);
	case 'z':
		options->net_set = true;
		return parse_ns(text, &options->net_byte);
	}
	return set_word(options, option, text);
}

/* The values that an option takes, for the message about a wrong one. */
static const char *takes(int option)
{
	switch (option) {
	case 'o':
		return "scatter, gather, bcast or barrier";
	case 'a':
		return algorithm_words;
	case 's':
		return "a number of members, 1 to " LIMIT_TEXT;
	case 'R':
		return "a rank, or free";
	case 'd':
		return "1 to 8 extents such as 4x4x2, whose product is at most "
			LIMIT_TEXT;
	case 'p':
		return "a number of ports, 1 to " PORTS_TEXT;
	case 'b':
		return "bytes, 1 to 1024G, with K, M or G for powers of 1024";
	case 't':
		return "full, hypercube, mesh or torus";
	case 'w':
		return "sf or wormhole";
	case 'c':
		return "the name of a file";
	}
	return "nanoseconds, at most 10^12, with up to three decimals";
}

static int set_output(struct schedule_options *options, int option)
{
	enum schedule_output output = OUTPUT_TABLE;

	switch (option) {
	case 'j':
		output = OUTPUT_JSON;
		break;
	case 'r':
		output = OUTPUT_DRAW;
		break;
	case 'g':
		output = OUTPUT_DOT;
		break;
	case 'C':
		output = OUTPUT_COMPARE;
		break;
	}
	if (options->output != OUTPUT_TABLE && options->output != output)
		return usage_error("--json, --draw, --dot and --compare exclude each other");
	options->output = output;
	return PARSE_GO_ON;
}

/* The number of vertices of the schedule that --dims is about */
static u32 vertices_of(const struct schedule_options *options)
{
	return options->nodes ? options->placement.places : options->size;
}

/* The size follows from the extents or from the counts, if it is not given. */
static int settle_size(struct schedule_options *options)
{
	char dims[96] = "";
	u32 product = 1;
	u32 i;

	for (i = 0; i < options->dims; i++)
		product *= options->extent[i];
	format_dims(dims, sizeof(dims), options->dims, options->extent);
	if (options->dims && !options->size)
		options->size = product;
	if (!options->size)
		return usage_error("which size? Give --size");
	if (options->dims && product != vertices_of(options))
		return usage_error("--dims %s: those are %u %s, not %u",
				   dims, product,
				   options->nodes ? "nodes" : "members",
				   vertices_of(options));
	if (options->root >= options->size)
		return usage_error("--root %u: a group of %u has ranks 0 to %u",
				   options->root, options->size,
				   options->size - 1);
	return PARSE_GO_ON;
}

/* Without --algorithm, take the one that the other options are for. */
static void settle_algorithm(struct schedule_options *options)
{
	if (options->algorithm_set)
		return;
	if (options->counts_file || options->root_free)
		options->algorithm = SCATTER_SCHEDULE_IRREGULAR;
	else if (options->dims && options->topology == SCATTER_TOPOLOGY_TORUS)
		options->algorithm = SCATTER_SCHEDULE_TORUS;
	else if (options->dims)
		options->algorithm = SCATTER_SCHEDULE_MESH;
	else
		options->algorithm = SCATTER_SCHEDULE_HYPERCUBE;
}

/* Options that --nodes excludes, and options that need --nodes */
static int check_nodes(const struct schedule_options *options)
{
	if (!options->nodes && options->barrier)
		return usage_error("--op barrier is for --nodes: at one node nothing moves");
	if (!options->nodes && options->net_set)
		return usage_error("--net-ts, --net-td and --net-tw are for --nodes");
	if (options->barrier && (options->root_set || options->bytes_set ||
				 options->counts_file))
		return usage_error("--op barrier has no root and no blocks: no --root, --bytes...");
	if (options->nodes && options->op == SCATTER_SCHEDULE_BROADCAST)
		return usage_error("--op bcast is not for --nodes: the module has none");
	if (options->nodes && options->root_free)
		return usage_error("--root free is not for --nodes: give the root's rank");
	return PARSE_GO_ON;
}

/* Refuse options that do not fit together, whatever the algorithm. */
static int check(struct schedule_options *options)
{
	bool compare = options->output == OUTPUT_COMPARE;
	int status = check_nodes(options);

	if (status == PARSE_GO_ON && options->nodes)
		status = schedule_placement_parse(options);
	if (status != PARSE_GO_ON)
		return status;
	settle_algorithm(options);
	if (compare && options->algorithm_set)
		return usage_error("--compare takes all algorithms, not one of --algorithm");
	if (options->counts_file && options->bytes_set)
		return usage_error("--counts has the lengths of the blocks: no --bytes beside it");
	if (options->counts_file && !compare && !options->nodes &&
	    options->algorithm != SCATTER_SCHEDULE_IRREGULAR)
		return usage_error("--counts is for --algorithm irregular");
	if (options->counts_file)
		status = schedule_counts_read(options);
	return status == PARSE_GO_ON ? settle_size(options) : status;
}

/**
 * schedule_options_parse() - read the command line of plan
 * @argc: as main()
 * @argv: as main()
 * @options: (out) what it says
 *
 * Return: PARSE_GO_ON, or the exit status if there is nothing to do.
 */
int schedule_options_parse(int argc, char **argv,
			   struct schedule_options *options)
{
	static const struct option names[] = {
		{ "op", required_argument, NULL, 'o' },
		{ "algorithm", required_argument, NULL, 'a' },
		{ "size", required_argument, NULL, 's' },
		{ "root", required_argument, NULL, 'R' },
		{ "dims", required_argument, NULL, 'd' },
		{ "ports", required_argument, NULL, 'p' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "topology", required_argument, NULL, 't' },
		{ "switching", required_argument, NULL, 'w' },
		{ "ts", required_argument, NULL, 'S' },
		{ "td", required_argument, NULL, 'D' },
		{ "tw", required_argument, NULL, 'W' },
		{ "counts", required_argument, NULL, 'c' },
		{ "nodes", required_argument, NULL, 'n' },
		{ "net-ts", required_argument, NULL, 'x' },
		{ "net-td", required_argument, NULL, 'y' },
		{ "net-tw", required_argument, NULL, 'z' },
		{ "json", no_argument, NULL, 'j' },
		{ "draw", no_argument, NULL, 'r' },
		{ "dot", no_argument, NULL, 'g' },
		{ "compare", no_argument, NULL, 'C' },
		{ "help", no_argument, NULL, 'h' },
		{ .name = NULL }
	};
	int index, option, status;

	while ((option = getopt_long(argc, argv, "h", names, &index)) != -1) {
		if (option == 'h')
			return show_help(&plan_command);
		if (option == '?')
			return STATUS_USAGE;
		if (names[index].has_arg == no_argument) {
			status = set_output(options, option);
			if (status != PARSE_GO_ON)
				return status;
		} else if (!set(options, option, optarg)) {
			return usage_error("--%s: '%s' will not do: it takes %s",
					   names[index].name, optarg,
					   takes(option));
		}
	}
	if (optind < argc)
		return usage_error("what is '%s'?", argv[optind]);
	return check(options);
}
