// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of scatter and gather.
 */
#include <getopt.h>
#include <string.h>

#include "transfer.h"

static bool set_algorithm(struct transfer_options *options, const char *text)
{
	unsigned int i;

	for (i = 0; algorithm_name(i); i++) {
		if (!strcmp(algorithm_name(i), text)) {
			options->schedule.algorithm = i;
			return true;
		}
	}
	return false;
}

static bool set_ports(struct transfer_options *options, const char *text)
{
	uint64_t number;

	if (!parse_number(text, 10, 1, MEMBERS_MAX, &number))
		return false;
	options->schedule.ports = number;
	return true;
}

static bool set_dims(struct transfer_options *options, const char *text)
{
	struct scatter_schedule *schedule = &options->schedule;

	schedule->dims = parse_dims(text, schedule->extent, SCATTER_DIMS_MAX,
				    MEMBERS_MAX);
	return schedule->dims;
}

static bool set_mode(struct transfer_options *options, const char *text)
{
	uint64_t number;

	if (!parse_number(text, 8, 1, 0777, &number))
		return false;
	options->mode = number;
	return true;
}

static bool set(struct transfer_options *options, int option, const char *text)
{
	switch (option) {
	case 'g':
		return transfer_set_group(options, text);
	case 'F':
		return transfer_set_fd(options, text);
	case 's':
		return transfer_set_size(options, text);
	case 'S':
		return parse_sides(text, options->sides);
	case 'i':
		return transfer_set_side(options, text);
	case 'r':
		return transfer_set_rank(options, text);
	case 'R':
		return transfer_set_root(options, text);
	case 'a':
		return set_algorithm(options, text);
	case 'd':
		return set_dims(options, text);
	case 'p':
		return set_ports(options, text);
	case 't':
		return parse_seconds(text, &options->timeout_ns);
	case 'm':
		return set_mode(options, text);
	case 'O':
		return transfer_set_owner(options, text);
	case 'x':
		options->exclusive = true;
		return true;
	case 'l':
		options->local = true;
		return true;
	case 'c':
		return parse_bytes(text, CHUNK_MAX, &options->chunk);
	case 'V':
		return parse_vector(text, &options->vector);
	case 'f':
		options->file = text;
		return *text;
	case 'o':
		options->output = text;
		return *text;
	case 'u':
		options->flags |= SCATTER_COLL_UNIFORM;
		return true;
	case 'D':
		options->flags |= SCATTER_COLL_DEADLINE_ALL;
		return true;
	case 'q':
		options->quiet = true;
		return true;
	case 'v':
		options->verbose = true;
		return true;
	case 'j':
		options->json = true;
		return true;
	}
	return false;
}

/**
 * transfer_options_parse() - read the command line of scatter or gather
 * @argc: as main()
 * @argv: as main()
 * @command: which of the two
 * @options: (out) what it says
 *
 * Return: PARSE_GO_ON, or the exit status if there is nothing to do.
 */
int transfer_options_parse(int argc, char **argv, const struct command *command,
			   struct transfer_options *options)
{
	static const struct option names[] = {
		{ "group", required_argument, NULL, 'g' },
		{ "fd", required_argument, NULL, 'F' },
		{ "size", required_argument, NULL, 's' },
		{ "sides", required_argument, NULL, 'S' },
		{ "side", required_argument, NULL, 'i' },
		{ "rank", required_argument, NULL, 'r' },
		{ "root", required_argument, NULL, 'R' },
		{ "algorithm", required_argument, NULL, 'a' },
		{ "dims", required_argument, NULL, 'd' },
		{ "ports", required_argument, NULL, 'p' },
		{ "timeout", required_argument, NULL, 't' },
		{ "uniform", no_argument, NULL, 'u' },
		{ "deadline-all", no_argument, NULL, 'D' },
		{ "mode", required_argument, NULL, 'm' },
		{ "owner", required_argument, NULL, 'O' },
		{ "exclusive", no_argument, NULL, 'x' },
		{ "local", no_argument, NULL, 'l' },
		{ "chunk", required_argument, NULL, 'c' },
		{ "vector", required_argument, NULL, 'V' },
		{ "file", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int index, option;

	*options = (struct transfer_options){
		.fd = -1, .side = -1, .rank = RANK_UNSET, .root = RANK_UNSET,
	};
	while ((option = getopt_long(argc, argv, "h", names, &index)) != -1) {
		if (option == 'h')
			return show_help(command);
		if (option == '?')
			return STATUS_USAGE;
		if (!set(options, option, optarg))
			return usage_error("--%s: '%s' will not do",
					   names[index].name, optarg);
	}
	if (optind < argc)
		return usage_error("what is '%s'?", argv[optind]);
	return transfer_terms(options);
}
