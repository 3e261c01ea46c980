// SPDX-License-Identifier: GPL-2.0
/*
 * The command line. A wrong option ends the program with status 2.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "group.h"
#include "options.h"
#include "report.h"
#include "wire.h"

#define ROUNDS_MAX	1000
#define BLOCK_MAX	(64UL << 20)

static const char usage_text[] =
"usage: bench [OPTION]...\n"
"\n"
"Compares scatter and gather of /dev/scatter with those of MPI libraries. Lists\n"
"are separated by commas.\n"
"\n"
"  --ranks LIST       group sizes (2,4,8,16)\n"
"  --blocks LIST      bytes per rank (8,64,512,4096,32768,262144,1048576)\n"
"  --ops LIST         of scatter and gather; and, with blocks of up to 4096,\n"
"                     barrier-scatter, barrier-gather (after the library's own\n"
"                     barrier) and pair (both, without any) (all)\n"
"  --contenders LIST  of ours, openmpi, mpich, openmpi+ and mpich+ (through the\n"
"                     shim), again (ours once more) and copy (plain memcpy on all\n"
"                     CPUs); with --nodes of ours, again, ucx and tcp (Open MPI\n"
"                     over them) (all)\n"
"  --nodes N          rank r is on node r + 1 of N, those of selftests/nodes/bed.sh\n"
"  --wires DIR        with the counters of their interfaces (/sys/class)\n"
"  --launches N       start all processes anew so many times (1)\n"
"  --rounds N         turns of each contender per launch and cell (10)\n"
"  --seconds S        for each contender in each cell (0.4)\n"
"  --wanted N         samples; where there are fewer, that is marked (30)\n"
"  --late-ranks LIST  group sizes for the trial with a root that is late (8)\n"
"  --late S           by so many seconds; 0: no such trial (3)\n"
"  --spin US          of the barrier between samples (20 with a CPU for\n"
"                     each rank, else 1)\n"
"  --together US      all ranks start a sample so long after the last has come;\n"
"                     0: each as soon as it can (0)\n"
"  --pages KIND       of buffers: default, 4k or huge (default)\n"
"  --buffers KIND     reused, or new for each sample (reused)\n"
"  --pin              rank r runs on CPU r modulo CPUs only\n"
"  --again NAME=VALUE a parameter of the module that the group again is formed\n"
"                     with, to compare\n"
"  --results DIR      write bench.csv and late.csv there\n"
"  --programs DIR     of the programs of the ranks (that of bench)\n"
"  --help             this text\n";

enum { RANKS = 1, BLOCKS, OPERATIONS, NAMES, LAUNCHES, ROUNDS, SECONDS, WANTED,
	LATE_RANKS, LATE, SPIN, TOGETHER, PAGES, BUFFERS, PIN, AGAIN_WITH, RESULTS, PROGRAMS,
	NODES, WIRE_COUNTERS, HELP };

static const struct option long_options[] = {
	{ "ranks", required_argument, NULL, RANKS },
	{ "blocks", required_argument, NULL, BLOCKS },
	{ "ops", required_argument, NULL, OPERATIONS },
	{ "contenders", required_argument, NULL, NAMES },
	{ "launches", required_argument, NULL, LAUNCHES },
	{ "rounds", required_argument, NULL, ROUNDS },
	{ "seconds", required_argument, NULL, SECONDS },
	{ "wanted", required_argument, NULL, WANTED },
	{ "late-ranks", required_argument, NULL, LATE_RANKS },
	{ "late", required_argument, NULL, LATE },
	{ "spin", required_argument, NULL, SPIN },
	{ "together", required_argument, NULL, TOGETHER },
	{ "pages", required_argument, NULL, PAGES },
	{ "buffers", required_argument, NULL, BUFFERS },
	{ "pin", no_argument, NULL, PIN },
	{ "again", required_argument, NULL, AGAIN_WITH },
	{ "results", required_argument, NULL, RESULTS },
	{ "programs", required_argument, NULL, PROGRAMS },
	{ "nodes", required_argument, NULL, NODES },
	{ "wires", required_argument, NULL, WIRE_COUNTERS },
	{ "help", no_argument, NULL, HELP },
	{ NULL, 0, NULL, 0 },
};

static void __attribute__((noreturn)) refuse(const char *what, const char *text)
{
	fprintf(stderr, "bench: %s: %s; see --help\n", what, text);
	exit(2);
}

static uint64_t number(const char *what, const char *text, uint64_t least,
		       uint64_t most)
{
	unsigned long long value;
	char *end;

	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end)
		refuse(what, text);
	if (value < least || value > most)
		refuse(what, "out of range");
	return value;
}

static double seconds(const char *what, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value <= 100))
		refuse(what, text);
	return value;
}

static void list_parse(struct list *list, const char *what, char *text,
		       uint64_t least, uint64_t most)
{
	char *word;

	list->count = 0;
	while ((word = strsep(&text, ","))) {
		if (list->count == LIST_MAX)
			refuse(what, "too many");
		list->value[list->count++] = number(what, word, least, most);
	}
}

static void ops_parse(struct options *options, char *text)
{
	char *word;
	int op;

	memset(options->op, 0, sizeof(options->op));
	while ((word = strsep(&text, ","))) {
		for (op = 0; op < OPS && strcmp(word, op_name(op)); op++)
			;
		if (op == OPS)
			refuse("--ops", word);
		options->op[op] = true;
	}
}

static void contenders_parse(struct options *options, char *text)
{
	char *word;
	int id;

	while ((word = strsep(&text, ","))) {
		id = contender_find(word);
		if (id < 0)
			refuse("--contenders", word);
		options->contender[id] = true;
	}
}

/* The index of @text among @names, which ends with NULL. */
static int choice(const char *what, const char *text, const char *const *names)
{
	int i;

	for (i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	refuse(what, text);
}

static void kind_parse(struct options *options, int option, char *text)
{
	static const char *const pages[] = { "default", "4k", "huge", NULL };
	static const char *const buffers[] = { "reused", "new", NULL };

	switch (option) {
	case PAGES:
		options->pages = (enum pages)choice("--pages", text, pages);
		break;
	case BUFFERS:
		options->renew = choice("--buffers", text, buffers);
		break;
	case PIN:
		options->pin = true;
		break;
	case AGAIN_WITH:
		if (!strchr(text, '=') || strchr(text, '/'))
			refuse("--again", text);
		options->again = text;
		break;
	case RESULTS:
		options->results = text;
		break;
	case PROGRAMS:
		options->programs = text;
		break;
	case NODES:
		options->nodes = number("--nodes", text, 2, RANKS_MAX);
		break;
	case WIRE_COUNTERS:
		options->wires = text;
		break;
	case HELP:
		fputs(usage_text, stdout);
		exit(0);
	default:
		exit(2);
	}
}

static void option_parse(struct options *options, int option, char *text)
{
	switch (option) {
	case RANKS:
		list_parse(&options->ranks, "--ranks", text, 2, RANKS_MAX);
		break;
	case BLOCKS:
		list_parse(&options->blocks, "--blocks", text, 1, BLOCK_MAX);
		break;
	case OPERATIONS:
		ops_parse(options, text);
		break;
	case NAMES:
		contenders_parse(options, text);
		break;
	case LAUNCHES:
		options->launches = number("--launches", text, 1, ROUNDS_MAX);
		break;
	case ROUNDS:
		options->rounds = number("--rounds", text, 1, ROUNDS_MAX);
		break;
	case SECONDS:
		options->seconds = seconds("--seconds", text);
		break;
	case WANTED:
		options->wanted = number("--wanted", text, 0, UINT32_MAX);
		break;
	case LATE_RANKS:
		list_parse(&options->late_ranks, "--late-ranks", text, 2,
			   RANKS_MAX);
		break;
	case LATE:
		options->late_seconds = seconds("--late", text);
		break;
	case SPIN:
		options->spin_us = number("--spin", text, 0, 1000000);
		break;
	case TOGETHER:
		options->wake_us = number("--together", text, 0, 1000000);
		break;
	default:
		kind_parse(options, option, text);
	}
}

static bool contenders_named(const struct options *options)
{
	unsigned int id;

	for (id = 0; id < CONTENDERS; id++)
		if (options->contender[id])
			return true;
	return false;
}

static void sizes_check(const struct options *options, const struct list *list,
			const char *what)
{
	unsigned int i;

	for (i = 0; options->nodes && i < list->count; i++)
		if (list->value[i] > options->nodes)
			refuse(what, "more than --nodes");
}

/* Any option may come after the number of nodes. */
static void nodes_check(struct options *options)
{
	const bool named = contenders_named(options);
	unsigned int id;

	for (id = 0; id < CONTENDERS; id++) {
		const bool fits = contender_fits(id, options->nodes);

		if (!named)
			options->contender[id] = fits;
		else if (options->contender[id] && !fits)
			refuse(options->nodes ? "--nodes" : "no --nodes",
			       contender_name(id));
	}
	sizes_check(options, &options->ranks, "--ranks");
	if (options->late_seconds > 0)
		sizes_check(options, &options->late_ranks, "--late-ranks");
}

void options_parse(struct options *options, int argc, char **argv)
{
	static const struct options defaults = {
		.ranks = { { 2, 4, 8, 16 }, 4 },
		.blocks = { { 8, 64, 512, 4096, 32768, 262144, 1048576 }, 7 },
		.late_ranks = { { 8 }, 1 },
		.op = { true, true, true, true, true },
		.launches = 1,
		.rounds = 10,
		.wanted = 30,
		.seconds = 0.4,
		.late_seconds = 3,
		.spin_us = -1,
		.wires = WIRES,
	};
	int option;

	*options = defaults;
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		option_parse(options, option, optarg);
	if (optind < argc)
		refuse("no such argument", argv[optind]);
	nodes_check(options);
}
